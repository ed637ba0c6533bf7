//! Tests of the machine: exchanges of one machine, searches and breaks in a small network of machines, and that
//! network under random links.

mod breaks;
mod exchange;
mod graph;
mod hello;
mod ns2;
mod search;

use crate::config::aodv::AodvConfig;
use crate::routing::tests::net::Net;
use hopscope_core::units::Span;

/// A chain without jitter.
fn chain(nodes: usize, cfg: &AodvConfig) -> Net {
    Net::chain(nodes, &AodvConfig { broadcast_jitter: Span::ZERO, ..cfg.clone() })
}
