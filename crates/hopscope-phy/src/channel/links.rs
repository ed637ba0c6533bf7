//! The links of nodes, a list for each node that needs one.

use std::sync::OnceLock;

use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;

/// One direction between two nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Hearing node.
    pub to: NodeId,
    /// Where its state lies, see [`Medium::place`](super::Medium::place).
    pub place: u32,
    /// Received power, watts; its mean where it varies with time.
    pub power: f32,
    /// Propagation delay, nanoseconds; below SIFS, so 16 bits hold it.
    pub delay_ns: u16,
    /// `Arrival` bits that follow from the distance, or from `power` where there is shadowing.
    pub flags: u8,
}

impl Link {
    /// Propagation delay.
    #[inline(always)]
    pub fn delay(&self) -> Span {
        Span(u64::from(self.delay_ns))
    }
}

/// The list of each node, made when it is first asked for.
#[derive(Debug)]
pub(super) struct LinkLists(Vec<OnceLock<Vec<Link>>>);

impl LinkLists {
    /// No list yet, of so many nodes.
    pub(super) fn new(nodes: usize) -> Self {
        LinkLists((0..nodes).map(|_| OnceLock::new()).collect())
    }

    /// The links of a node; `make` makes the list where there is none.
    #[inline]
    pub(super) fn of(&self, node: NodeId, make: impl FnOnce() -> Vec<Link>) -> &[Link] {
        self.0[node.index()].get_or_init(make)
    }

    /// The links of a node if its list has been made.
    #[inline(always)]
    pub(super) fn made(&self, node: NodeId) -> Option<&[Link]> {
        self.0[node.index()].get().map(Vec::as_slice)
    }

    /// The list of a node, to be filled anew and put back.
    #[inline]
    pub(super) fn take(&mut self, node: NodeId) -> Vec<Link> {
        self.0[node.index()].take().unwrap_or_default()
    }

    /// Puts back what was taken.
    #[inline]
    pub(super) fn put(&mut self, node: NodeId, links: Vec<Link>) {
        self.0[node.index()] = OnceLock::from(links);
    }

    /// All lists that have been made, to change.
    pub(super) fn all_made(&mut self) -> impl Iterator<Item = &mut Vec<Link>> {
        self.0.iter_mut().filter_map(OnceLock::get_mut)
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.0.len()
    }

    /// Links that there is room for.
    #[cfg(test)]
    pub(super) fn stored(&self) -> usize {
        self.0.iter().filter_map(OnceLock::get).map(Vec::capacity).sum()
    }
}
