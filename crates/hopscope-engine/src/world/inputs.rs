//! Each event becomes one input of one machine.

use super::World;
use crate::event::Event;
use crate::ids::NodeId;
use crate::iface::Wifi;
use crate::record::{Record, Recorder};

impl<R: Recorder> World<R> {
    pub(super) fn dispatch(&mut self, event: Event) {
        match event {
            Event::RxEnd { node, slot } => self.on_rx_end(node, slot),
            Event::Touch { node } => {
                let Wifi { station, rules, .. } = &mut self.wifi[node];
                station.catch_up(self.now, &rules.station);
            }
            Event::Sifs { node, generation } => self.mac_input(node, |mac, cx| mac.on_sifs(generation, cx)),
            Event::ResponseTimeout { node, generation } => {
                // Most answers come: do not walk the station's edges for nothing.
                let place = self.wifi.place(node);
                let Wifi { mac, station, rules, .. } = self.wifi.at(place);
                if !mac.response_is_stale(generation) && !mac.waits_for_end(self.now, station, rules) {
                    self.note(Record::ResponseTimeout { node });
                    self.mac_input(node, |mac, cx| mac.on_response_timeout(generation, cx));
                }
            }
            Event::Access { node } => self.on_access_event(node),
            Event::LinkUp { node, packet } => self.receive(node, packet),
            Event::LinkDown { node, packet } => self.enqueue(node, packet),
            Event::WireSent { end } => self.on_wire_sent(end),
            Event::WireArrived { end, packet } => self.on_wire_arrived(end, packet),
            Event::Routing { node, timer } => self.on_routing_timer(node, timer),
            Event::RoutingSend { node, packet } => self.resolve(node, packet),
            Event::Transport { socket, timer, generation } => self.on_transport_timer(socket, timer, generation),
            Event::App { flow } => self.on_app(flow),
            Event::Refill { node } => {
                self.nodes[node].sockets.wake();
                self.refill(node, true);
            }
            Event::Link { node } => self.on_link_event(node),
            Event::Power { node, on } => {
                self.outages.change(node, on);
                self.note(Record::Power { node, on: !self.is_off(node) });
            }
            Event::Sample => self.on_sample(),
        }
    }

    fn on_sample(&mut self) {
        for node in (0..self.nodes.len() as u32).map(NodeId) {
            let packets = self.wifi[node].port.queue.len() as u32;
            self.note(Record::QueueLength { node, packets });
        }
        self.note(Record::SampleEnd);
        self.events.push(self.now + self.wiring.sample_interval, Event::Sample);
    }
}
