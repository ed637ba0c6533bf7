//! The first table of the world: every event and every item of work becomes the input of one machine.
//!
//! The inputs themselves stand with their layer: `mac.rs`, `interface.rs` and `wire.rs`, `network.rs`, `transport.rs`.
//! What a machine answers is carried out by the second table, `effects.rs`.

use super::World;
use super::work::Work;
use crate::record::{Record, Recorder};
use hopscope_core::event::Event;
use hopscope_core::ids::NodeId;
impl<R: Recorder> World<R> {
    /// What happens by itself, in the order of the events of one instant.
    #[inline(always)]
    pub(super) fn dispatch(&mut self, event: Event) {
        match event {
            Event::RxEnd { node, slot } if self.has_qos => self.on_qos_rx_end(node, slot),
            Event::RxEnd { node, slot } => self.on_rx_end(node, slot),
            Event::Overheard { node, slot, decodable } => self.on_overheard(node, slot, decodable),
            Event::Touch { node } => self.on_touch(node),
            Event::Sifs { node, generation } => self.mac_input(node, |mac, cx| mac.on_sifs(generation, cx)),
            Event::EdcaSifs { node, generation } => self.on_edca_sifs(node, generation),
            Event::ResponseTimeout { node, generation } => self.on_response_timeout(node, generation),
            Event::EdcaTimeout { node, generation } => self.on_edca_timeout(node, generation),
            Event::Access { node } => self.on_access_event(node),
            Event::EdcaAccess { node } => self.on_edca_access(node),
            Event::LinkUp { node, packet } => self.receive(node, packet),
            Event::LinkDown { node, packet } => {
                self.enqueue(node, packet);
            }
            Event::WireSent { end } => self.on_wire_sent(end),
            Event::WireArrived { end, packet } => self.on_wire_arrived(end, packet),
            Event::Routing { node, timer } => self.on_routing_timer(node, timer),
            Event::RoutingSend { node, packet } => {
                self.resolve(node, packet);
            }
            Event::Transport { socket, timer, generation } => self.on_transport_timer(socket, timer, generation),
            Event::App { flow } => self.on_app(flow),
            Event::Refill { node } => {
                self.nodes[node].sockets.wake();
                self.refill(node, true);
            }
            Event::Link { node } => self.on_link_event(node),
            Event::EdcaRelease { node } => self.on_edca_release(node),
            Event::Power { node, on } => self.on_power(node, on),
            Event::Motion { node } => self.on_motion(node),
            Event::Change { number } => self.on_change(number),
            Event::Replay => self.on_replay(),
            Event::Sample => self.on_sample(),
        }
    }

    /// What effects have put on the list of work.
    #[inline(always)]
    pub(super) fn take(&mut self, work: Work) {
        match work {
            Work::ExternalArrival { node, packet, from } => self.on_data_frame(node, packet, from),
            Work::Arrived { node, delivered } => self.on_arrived(node, delivered),
            Work::LinkFailed { node, packet, reason } => self.on_link_failure(node, packet, reason),
            Work::Next { node } => {
                self.feed_mac(node);
                self.refill(self.stations.node(node), false);
            }
            Work::Unroutable { node, packet } => self.on_unroutable(node, packet),
            Work::RouteChanged { node, dst, event } => self.on_route_change(node, dst, event),
        }
    }

    /// A node goes off, or its outage ends.
    #[inline]
    fn on_power(&mut self, node: NodeId, on: bool) {
        self.stations.of(node).for_each(|station| self.outages.change(station, on));
        // Outages of a node may overlap: it is on again when the last has ended.
        self.note(Record::Power { node, on: !self.is_off(node) });
    }

    fn on_sample(&mut self) {
        for node in (0..self.nodes.len() as u32).map(NodeId) {
            let packets = self.wifi[node].queued() as u32;
            self.note(Record::QueueLength { node, packets });
        }
        self.note(Record::SampleEnd);
        self.events.push(self.now + self.wiring.sample_interval, Event::Sample);
    }
}
