//! Radios that go off and come back.

use crate::ids::NodeId;

/// Outages under way at each node.
#[derive(Debug)]
pub(super) struct Outages {
    /// Empty where no radio ever goes off, so that nobody looks.
    under_way: Vec<u32>,
}

impl Outages {
    /// All radios are on; `possible`: some may go off.
    pub(super) fn new(nodes: usize, possible: bool) -> Self {
        Outages { under_way: if possible { vec![0; nodes] } else { Vec::new() } }
    }

    /// True when no radio ever goes off.
    #[inline(always)]
    pub(super) fn never(&self) -> bool {
        self.under_way.is_empty()
    }

    /// True while the node's radio is off.
    #[inline]
    pub(super) fn is_off(&self, node: NodeId) -> bool {
        self.under_way.get(node.index()).is_some_and(|&outages| outages > 0)
    }

    /// An outage of the node ends (`on`) or begins; outages may overlap.
    pub(super) fn change(&mut self, node: NodeId, on: bool) {
        let outages = &mut self.under_way[node.index()];
        *outages = if on { *outages - 1 } else { *outages + 1 };
    }
}
