//! Inputs and effects of the MAC of a QoS station: packets, frames, accesses and timers, as `mac.rs` has them for stations
//! without QoS.

use super::World;
use super::work::Work;
use crate::record::{DropReason, Record, Recorder};
use hopscope_core::event::{Event, Generation};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_mac::edca::access::EdcaAnswer;
use hopscope_mac::edca::{Accepted, Delivered, EdcaCx};
use hopscope_mac::{Edca, EdcaEffects, Mac};
use hopscope_net::iface::{Interface, Wifi};
use hopscope_packet::Body;
use hopscope_phy::phy::RxOutcome;
use hopscope_tcp::endpoint::PathEvent;

impl<R: Recorder> World<R> {
    /// A packet reaches a QoS station: it waits in its access category.
    pub(super) fn enqueue_qos(&mut self, node: NodeId, id: PacketId) -> PathEvent {
        let packet = self.packets.get(id);
        let (to, bytes, tid) = (packet.next_hop, packet.bytes, packet.tid);
        let mut is_taken = false;
        self.note(Record::Queued { node, via: Interface::WIFI, packet: id });
        let within = self.amid == Some(node);
        self.edca_input(node, |edca, cx| is_taken = edca.enqueue(id, (to, tid), bytes, within, cx));
        if is_taken {
            return PathEvent::Queued;
        }
        self.drop_packet(node, id, DropReason::QueueFull);
        PathEvent::Refused
    }

    /// The radio of a QoS station has received a frame for it, or a broadcast: those of its MPDUs that came through count.
    pub(super) fn on_qos_frame(&mut self, node: NodeId, slot: u32) {
        let mut frame = self.sent_in(slot);
        let Mac::Edca(sender) = &mut self.wifi[frame.src].mac else { return };
        frame.tid = sender.carried(slot).tid;
        let says = sender.carried(slot).block_ack;
        let sent = sender.take_mpdus(slot);
        let mut received = std::mem::take(&mut self.mpdus);
        received.clear();
        let Wifi { station, rules, .. } = &mut self.wifi[node];
        let came = rules.receive_mpdus(&frame, &sent, self.now, &station.radio, &mut received);
        if let Mac::Edca(sender) = &mut self.wifi[frame.src].mac {
            sender.put_mpdus(slot, sent);
        }
        let outcome = if came { RxOutcome::Received } else { RxOutcome::TooWeak { by: None } };
        self.note(Record::FrameEnded { node, frame, slot, outcome });
        if !came {
            let Wifi { station, rules, .. } = &mut self.wifi[node];
            station.fail_reception(self.now, &rules.station);
        }
        let frame = came.then_some(frame);
        self.edca_input(node, |edca, cx| edca.on_rx_end(frame, &received, says, cx));
        self.mpdus = received;
    }

    /// An access event of a QoS station, the radio's edges applied.
    pub(super) fn on_edca_access(&mut self, node: NodeId) {
        let Wifi { station, rules, .. } = &mut self.wifi[node];
        match station.poll_edca(self.now, &rules.station) {
            EdcaAnswer::Granted(ac, collided) => {
                // Before the MAC acts on the grant, which ends the wait.
                let wait = station.quiet_plan(&rules.station);
                self.note(Record::AccessGranted { node, wait });
                self.edca_input(node, |edca, cx| edca.on_access(ac, collided, cx));
            }
            EdcaAnswer::Later(at) => self.events.push(at, Event::Access { node }),
            EdcaAnswer::Nothing => {}
        }
    }

    /// The answer that a QoS station waits for should have begun.
    pub(super) fn on_edca_timeout(&mut self, node: NodeId, generation: Generation) {
        let Wifi { mac, station, rules, .. } = &mut self.wifi[node];
        let Mac::Edca(edca) = mac else { return };
        if !edca.response_is_stale(generation) && !edca.waits_for_end(self.now, station, rules) {
            self.note(Record::ResponseTimeout { node });
            self.edca_input(node, |edca, cx| edca.on_response_timeout(generation, cx));
        }
    }

    /// One input to the MAC of a QoS station with the radio's edges applied, and its effects carried out.
    pub(super) fn edca_input(&mut self, node: NodeId, input: impl FnOnce(&mut Edca, &mut EdcaCx<'_>)) {
        let mut out = std::mem::take(&mut self.edca_effects);
        let wifi = &mut self.wifi[node];
        wifi.station.catch_up(self.now, &wifi.rules.station);
        wifi.edca_input(self.now, &mut out, input);
        self.edca_effects(node, &mut out);
        out.accepted.clear();
        out.delivered.clear();
        out.done.clear();
        (out.mac, out.arm_release) = Default::default();
        self.edca_effects = out;
    }

    fn edca_effects(&mut self, node: NodeId, out: &mut EdcaEffects) {
        let place = self.wifi.place(node);
        if out.mac.transmit.is_some() {
            let Wifi { mac, air, .. } = self.wifi.at(place);
            if let Mac::Edca(edca) = mac {
                edca.begin_frame(air.next());
            }
        }
        self.mac_effects(node, place, &out.mac);
        for accepted in std::mem::take(&mut out.accepted) {
            self.accept(node, &accepted, out);
        }
        for &delivered in &out.delivered {
            self.work.push(Work::Arrived { node, delivered });
        }
        if let Some(at) = out.arm_release {
            self.events.push(at, Event::Link { node });
        }
        for &(packet, outcome) in &out.done {
            self.mac_done(node, packet, outcome);
        }
    }

    /// A new MPDU has come: the receiver gets its own copy of the packet, which goes up in its turn.
    fn accept(&mut self, node: NodeId, accepted: &Accepted, out: &mut EdcaEffects) {
        let &Accepted { from, packet, seq, .. } = accepted;
        let sender = self.wifi[from].mac.edca();
        let rest = sender.map_or(Vec::new(), |sender| sender.bundle(packet).to_vec());
        if seq.is_none() {
            // The MAC has counted the first.
            if let Mac::Edca(edca) = &mut self.wifi[node].mac {
                if !rest.is_empty() {
                    edca.count_received(from, rest.len() as u64);
                }
            }
            for packet in std::iter::once(packet).chain(rest) {
                self.work.push(Work::ExternalArrival { node, packet, from });
            }
            return;
        }
        let copy = self.copy_for(node, packet, from);
        let rest = rest.into_iter().map(|packet| self.copy_for(node, packet, from)).collect();
        let now = self.now;
        self.wifi[node].edca_input(now, out, |edca, cx| edca.store(accepted, copy, rest, cx));
    }

    /// A node's own copy of a packet in the hands of its neighbour.
    fn copy_for(&mut self, node: NodeId, packet: PacketId, from: NodeId) -> PacketId {
        let copy = self.packets.copy(packet);
        self.packets.get_mut(copy).prev_hop = from;
        self.note(Record::PacketCopied { node, packet, copy });
        copy
    }

    /// The copy of a packet goes up.
    pub(super) fn on_arrived(&mut self, node: NodeId, Delivered { packet, from, within }: Delivered) {
        self.amid = within.then_some(node);
        match self.packets.get(packet).body {
            // It ends here.
            Body::Arp { .. } | Body::Notice(_) => {
                self.on_data_frame(node, packet, from);
                self.packets.release(packet);
            }
            _ => self.receive(node, packet),
        }
        self.amid = None;
    }
}
