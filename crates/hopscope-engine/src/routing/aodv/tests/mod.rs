//! Tests of the machine: exchanges of one machine, searches and breaks in a small network of machines, and that
//! network under random links.

mod breaks;
mod exchange;
mod graph;
mod hello;
mod net;
mod ns2;
mod search;
