//! Packets lost or marked, by node.

use std::collections::BTreeMap;

use super::{NodeCx, RunCx, RunFamily, SeriesSet};
use crate::config::Config;
use crate::record::{DropReason, NetworkView, Record};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use hopscope_net::config::link::LinkPart;

/// Drops of a node by `DropReason::ALL`.
type ByReason = [u64; DropReason::COUNT];

/// Drops and marks of every node.
#[derive(Debug, Clone)]
pub(crate) struct Drops {
    all: Vec<ByReason>,
    /// Those among them that carried data or opened a connection.
    data: Vec<ByReason>,
    /// Packets that the link layer marked by `LinkPart::ALL`; none where no node has a layer.
    marks: Vec<[u64; LinkPart::ALL.len()]>,
}

impl RunFamily for Drops {
    fn begin(config: &Config, _series: &mut SeriesSet) -> Self {
        let nodes = config.stations().count();
        // Large fields mostly mark nothing: the column would cost memory by node.
        let can_mark = config.has_link_layers() || config.wires.iter().any(|wire| !wire.link.is_plain());
        Drops {
            all: vec![[0; DropReason::COUNT]; nodes],
            data: vec![[0; DropReason::COUNT]; nodes],
            marks: vec![[0; LinkPart::ALL.len()]; if can_mark { nodes } else { 0 }],
        }
    }

    #[inline(always)]
    fn record(&mut self, record: &Record, cx: &mut RunCx<'_, impl NetworkView>) {
        match *record {
            Record::Dropped { node, reason, packet } => {
                self.all[node.index()][reason as usize] += 1;
                // Asked now: behind this record the packet is released.
                let is_data = cx.view.packet(packet).body.carries_data();
                self.data[node.index()][reason as usize] += u64::from(is_data);
            }
            Record::Marked { node, by, .. } => self.marks[node.index()][by as usize] += 1,
            _ => {}
        }
    }

    fn restart(&mut self, _now: Time, _view: &mut impl NetworkView) {
        self.all.fill([0; DropReason::COUNT]);
        self.data.fill([0; DropReason::COUNT]);
        self.marks.fill([0; LinkPart::ALL.len()]);
    }
}

/// The metrics.
impl Drops {
    pub(super) fn queue_drops(&self, cx: &NodeCx<'_>) -> u64 {
        self.all[cx.node.index()][DropReason::QueueFull as usize]
    }

    pub(super) fn early_drops(&self, cx: &NodeCx<'_>) -> u64 {
        DropReason::EARLY.iter().map(|&reason| self.all[cx.node.index()][reason as usize]).sum()
    }

    pub(super) fn ecn_marks(&self, cx: &NodeCx<'_>) -> u64 {
        self.marks_of(cx.node).iter().sum()
    }

    pub(super) fn marks(&self, cx: &NodeCx<'_>) -> BTreeMap<&'static str, u64> {
        let marks = LinkPart::ALL.iter().zip(self.marks_of(cx.node));
        marks.filter(|(_, n)| *n > 0).map(|(part, n)| (part.word(), n)).collect()
    }

    pub(super) fn drops(&self, cx: &NodeCx<'_>) -> BTreeMap<&'static str, u64> {
        by_reason(&self.all[cx.node.index()])
    }

    pub(super) fn data_drops(&self, cx: &NodeCx<'_>) -> BTreeMap<&'static str, u64> {
        by_reason(&self.data[cx.node.index()])
    }

    fn marks_of(&self, node: NodeId) -> [u64; LinkPart::ALL.len()] {
        self.marks.get(node.index()).copied().unwrap_or_default()
    }
}

fn by_reason(drops: &ByReason) -> BTreeMap<&'static str, u64> {
    DropReason::ALL.iter().map(|&r| (r.name(), drops[r as usize])).filter(|(_, n)| *n > 0).collect()
}
