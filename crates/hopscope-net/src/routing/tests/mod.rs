//! What the tests of all protocols share: a network of machines in virtual time, and random links and traffic for it.

pub(super) mod graph;
pub(super) mod net;
