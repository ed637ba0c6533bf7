//! What tests ask of a network: what was said and noted, what is held, and which path a packet would take.

use super::{Line, Net};
use crate::routing::{Query, Router, RoutingNote};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Time;

impl Net {
    /// Packets that the machine of a node says it holds.
    pub fn held(&self, node: usize) -> usize {
        match &self.nodes[node] {
            Router::Aodv(aodv) => aodv.held(),
            Router::Dsdv(dsdv) => dsdv.held(),
            Router::Dsr(dsr) => dsr.held(),
            Router::Hwmp(hwmp) => hwmp.held(),
            Router::Olsr(_) | Router::Babel(_) | Router::BatmanIv(_) | Router::BatmanV(_) => 0,
        }
    }

    /// Messages sent of one kind: instant, sender, receiver, time to live.
    pub fn sent(&self, kind: &str) -> Vec<(Time, u32, Option<u32>, u8)> {
        self.sent_since(kind, Time::ZERO)
    }

    /// The same from an instant on.
    pub fn sent_since(&self, kind: &str, since: Time) -> Vec<(Time, u32, Option<u32>, u8)> {
        let of_kind = |(at, node, line): &(Time, u32, Line)| match line {
            Line::Sent { message, to, ttl, .. } if message.kind() == kind && *at >= since => {
                Some((*at, *node, *to, *ttl))
            }
            _ => None,
        };
        self.log.iter().filter_map(of_kind).collect()
    }

    /// Notes of a node: instant and note.
    pub fn notes(&self, node: u32) -> Vec<(Time, RoutingNote)> {
        let note = |(at, of, line): &(Time, u32, Line)| match line {
            Line::Note(note) if *of == node => Some((*at, *note)),
            _ => None,
        };
        self.log.iter().filter_map(note).collect()
    }

    /// When a node first noted this.
    pub fn noted(&self, node: u32, note: RoutingNote) -> Option<Time> {
        self.notes(node).iter().find(|noted| noted.1 == note).map(|noted| noted.0)
    }

    /// The way a packet that leaves now would take; it must not loop.
    pub fn path(&mut self, src: usize, dst: usize) -> Option<Vec<u32>> {
        self.route(src, dst).unwrap_or_else(|path| panic!("loop towards {dst}: {path:?}"))
    }

    /// The same; the error is a way that loops.
    pub fn route(&mut self, src: usize, dst: usize) -> Result<Option<Vec<u32>>, Vec<u32>> {
        let dst = NodeId(dst as u32);
        if let Router::Dsr(dsr) = &self.nodes[src] {
            return Ok(dsr.path(dst, self.now).map(|path| path.iter().map(|node| node.0).collect()));
        }
        let mut path = vec![src as u32];
        let mut at = src;
        while at != dst.index() {
            let Some(next_hop) = self.next_hop(at, dst) else { return Ok(None) };
            let again = path.contains(&next_hop.0);
            at = next_hop.index();
            path.push(next_hop.0);
            if again {
                return Err(path);
            }
        }
        Ok(Some(path))
    }

    fn next_hop(&mut self, at: usize, dst: NodeId) -> Option<NodeId> {
        // OLSR calculates its routes when a packet asks for one.
        if matches!(self.nodes[at], Router::Olsr(_)) {
            let query = Query { packet: PacketId(0), src: NodeId(at as u32), dst, prev: None, source_route: None };
            self.input(at, |olsr, cx| olsr.route(&query, cx));
        }
        self.nodes[at].next_hop(dst, self.now)
    }
}
