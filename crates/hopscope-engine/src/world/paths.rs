//! How far packets have come, compared with the shortest path that there is.

use super::World;
use crate::record::{Record, Recorder};
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_packet::Packet;

impl<R: Recorder> World<R> {
    /// A copy of a data packet has come to its destination.
    #[cold]
    pub(super) fn note_path(&mut self, flow: FlowId, packet: &Packet) {
        let shortest = self.shortest_path(packet.src, packet.dst);
        self.note(Record::PathTaken { flow, hops: u32::from(packet.hops), shortest });
    }

    /// Hops of the shortest path by radio between two nodes at this instant, each of which both of its ends can decode by
    /// mean power; none where there is no path.
    pub fn shortest_path(&self, from: NodeId, to: NodeId) -> Option<u32> {
        // A radio that is off carries nothing on.
        let on = |&node: &NodeId| self.radios.has(node) && !self.is_off(node);
        let mut unseen: Vec<NodeId> = (0..self.stations.nodes()).map(NodeId).filter(on).collect();
        let mut edge = vec![from];
        unseen.retain(|&node| node != from);
        for hops in 1.. {
            // Both ways: an acknowledgement has to come back.
            let hears = |a, b| self.are_joined(a, b);
            let (next, rest): (Vec<_>, Vec<_>) =
                unseen.into_iter().partition(|&node| edge.iter().any(|&at| hears(at, node)));
            if next.contains(&to) {
                return Some(hops);
            }
            if next.is_empty() {
                return None;
            }
            (edge, unseen) = (next, rest);
        }
        None
    }
}
