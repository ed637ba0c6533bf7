//! Tests of the machine in a small network of machines: searches, broken links, and that network under random links.

mod discovery;
mod graph;
mod maintenance;
mod net;
