//! Routing that listens to unicast frames for others.

use super::World;
use crate::config::Config;
use crate::record::Recorder;
use hopscope_core::event::Event;
use hopscope_core::ids::NodeId;
use hopscope_mac::dcf::{Frame, FrameKind};
use hopscope_net::config::net::RoutingProtocol;
use hopscope_packet::arena::Extension;
use hopscope_phy::phy::Arrival;

/// What the frames under way report to those that they are not for, by air slot. The packet itself may have changed or gone
/// when the last of them has received it.
#[derive(Debug, Default)]
pub(super) struct Overhearing {
    carried: Vec<Option<Extension>>,
}

impl Overhearing {
    pub(super) fn new(config: &Config) -> Self {
        let slots = if Overhearing::is_on(config) { 2 * config.stations().count() } else { 0 };
        Overhearing { carried: vec![None; slots] }
    }

    /// Whether routing asks for frames for others.
    pub(super) fn is_on(config: &Config) -> bool {
        config.routing.protocol == RoutingProtocol::Dsr && config.dsr.promiscuous
    }
}

impl<R: Recorder> World<R> {
    /// Keeps what a frame reports to those that overhear it; false where nobody asks or that is nothing.
    pub(super) fn keep_carried(&mut self, frame: &Frame, slot: u32) -> bool {
        let Some(place) = self.overhearing.carried.get_mut(slot as usize) else { return false };
        // Of a packet in fragments the first has its header.
        let asked = frame.kind == FrameKind::Data && frame.frag == 0 && !frame.is_broadcast();
        *place = if asked { self.packets.extension(self.packets.get(frame.body).extension).cloned() } else { None };
        place.is_some()
    }

    /// The ends of a frame become events at those that may overhear it, where each copy has the flags of its link.
    pub(super) fn announce(&mut self, frame: &Frame, slot: u32) {
        for link in self.medium.hearers(frame.src) {
            if link.flags & Arrival::DECODABLE != 0 && link.to != frame.dst && self.listeners.include(link.to) {
                let end = self.now + link.delay() + frame.airtime;
                self.events.push(end, Event::Overheard { node: link.to, slot, decodable: true });
            }
        }
    }

    /// A frame for another node was received.
    pub(super) fn overhear(&mut self, node: NodeId, frame: &Frame, slot: u32) {
        // Observers ask at nodes without a radio, too.
        if !self.listeners.include(node) {
            return;
        }
        let carried = self.overhearing.carried.get_mut(slot as usize).and_then(Option::take);
        if let Some(carried) = carried {
            let (node, from) = (self.stations.node(node), self.stations.node(frame.src));
            self.routing_input(node, |router, cx| router.on_overheard(from, &carried, cx));
            // Others receive the same frame later.
            self.overhearing.carried[slot as usize] = Some(carried);
        }
    }
}
