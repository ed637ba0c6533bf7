//! Radios that go off and come back.

use hopscope_core::ids::NodeId;

/// Outages under way.
#[derive(Debug)]
pub(super) enum Outages {
    /// No radio ever goes off, and nobody looks.
    Never,
    /// So many at each node; they may overlap.
    Possible(Vec<u32>),
}

impl Outages {
    /// All radios are on; `possible`: some may go off.
    pub(super) fn new(nodes: usize, possible: bool) -> Self {
        if possible { Outages::Possible(vec![0; nodes]) } else { Outages::Never }
    }

    /// True when no radio ever goes off.
    #[inline(always)]
    pub(super) fn never(&self) -> bool {
        matches!(self, Outages::Never)
    }

    /// True while the node's radio is off.
    #[inline]
    pub(super) fn is_off(&self, node: NodeId) -> bool {
        match self {
            Outages::Never => false,
            Outages::Possible(under_way) => under_way[node.index()] > 0,
        }
    }

    /// Radios may go off from now on.
    pub(super) fn expect(&mut self, nodes: usize) {
        if self.never() {
            *self = Outages::new(nodes, true);
        }
    }

    /// An outage of the node ends (`on`) or begins.
    pub(super) fn change(&mut self, node: NodeId, on: bool) {
        match self {
            Outages::Never => unreachable!("an outage that was not foreseen"),
            Outages::Possible(under_way) => {
                let outages = &mut under_way[node.index()];
                // Outages of one node may overlap: it is back when the last of them ends.
                *outages = if on { *outages - 1 } else { *outages + 1 };
            }
        }
    }
}
