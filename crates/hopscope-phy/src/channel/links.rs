//! The links of all nodes, packed one list behind the other: what one transmission reads lies together.

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

/// A list of links for each node.
#[derive(Debug)]
pub(super) struct PackedLinks {
    /// First link of each node and the one after its last: 32 bits would not hold those of 70,000 nodes at one place.
    spans: Vec<[usize; 2]>,
    links: Vec<Link>,
    /// Links that belong to no node any more.
    unused: usize,
}

impl PackedLinks {
    /// No list yet, of so many nodes.
    pub(super) fn with_capacity(nodes: usize) -> Self {
        PackedLinks { spans: Vec::with_capacity(nodes), links: Vec::new(), unused: 0 }
    }

    /// Adds the list of the next node.
    pub(super) fn push(&mut self, links: impl Iterator<Item = Link>) {
        let start = self.links.len();
        self.links.extend(links);
        self.spans.push([start, self.links.len()]);
    }

    /// No list will be added any more.
    pub(super) fn seal(&mut self) {
        self.links.shrink_to_fit();
    }

    /// The links of a node.
    #[inline(always)]
    pub(super) fn of(&self, node: NodeId) -> &[Link] {
        let [start, end] = self.spans[node.index()];
        &self.links[start..end]
    }

    /// Replaces the list of a node: at its place if there is room for it, else behind the others.
    pub(super) fn replace(&mut self, node: NodeId, links: &[Link]) {
        let [start, end] = self.spans[node.index()];
        let room = end - start;
        if links.len() <= room {
            self.unused += room - links.len();
        } else {
            self.unused += room;
            if self.unused > self.links.len() / 2 {
                // Empty first: its old links are not worth moving.
                self.spans[node.index()] = [start, start];
                self.pack();
            }
            self.spans[node.index()][0] = self.links.len();
            // Any link fills the room; the list itself follows below.
            self.links.resize(self.links.len() + links.len(), links[0]);
        }
        let start = self.spans[node.index()][0];
        self.spans[node.index()][1] = start + links.len();
        self.links[start..start + links.len()].copy_from_slice(links);
    }

    /// Moves the lists together where more than half of the links belong to no node.
    fn pack(&mut self) {
        let mut packed = Vec::with_capacity(self.links.len());
        for span in &mut self.spans {
            let start = packed.len();
            packed.extend_from_slice(&self.links[span[0]..span[1]]);
            *span = [start, packed.len()];
        }
        self.links = packed;
        self.unused = 0;
    }

    /// All links, to change.
    pub(super) fn all_mut(&mut self) -> &mut [Link] {
        &mut self.links
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.spans.len()
    }

    #[cfg(test)]
    pub(super) fn stored(&self) -> usize {
        self.links.len()
    }
}
