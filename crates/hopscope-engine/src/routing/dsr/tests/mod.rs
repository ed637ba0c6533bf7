//! Tests of the machine in a small network of machines: searches, broken links, and that network under random links.

mod discovery;
mod graph;
mod maintenance;

use crate::config::dsr::DsrConfig;
use crate::routing::tests::net::Net;
use crate::units::Span;

/// Machines without jitter and these links.
fn linked(nodes: usize, links: &[(usize, usize)], cfg: &DsrConfig) -> Net {
    Net::linked(nodes, links, &DsrConfig { broadcast_jitter: Span::ZERO, ..cfg.clone() })
}

/// A chain without jitter.
fn chain(nodes: usize, cfg: &DsrConfig) -> Net {
    let links: Vec<_> = (1..nodes).map(|i| (i - 1, i)).collect();
    linked(nodes, &links, cfg)
}
