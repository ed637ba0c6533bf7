//! Tests of the machine in a small network of machines: searches, broken links, and that network under random links.

mod discovery;
mod graph;
mod maintenance;
mod overhearing;

use crate::config::dsr::DsrConfig;
use crate::routing::tests::net::Net;
use hopscope_core::units::Span;

/// Machines without jitter that do not overhear, and these links.
fn linked(nodes: usize, links: &[(usize, usize)], cfg: &DsrConfig) -> Net {
    Net::linked(nodes, links, &DsrConfig { broadcast_jitter: Span::ZERO, promiscuous: false, ..cfg.clone() })
}

/// The same in a chain.
fn chain(nodes: usize, cfg: &DsrConfig) -> Net {
    let links: Vec<_> = (1..nodes).map(|i| (i - 1, i)).collect();
    linked(nodes, &links, cfg)
}
