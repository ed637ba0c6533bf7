//! Inputs and effects of the MAC of a QoS station: packets, frames, accesses and timers, as `mac.rs` and `inputs.rs` have them
//! for stations without QoS.

use super::World;
use super::work::Work;
use crate::record::{Classes, DropReason, Record, Recorder};
use hopscope_core::event::{Event, Generation};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Span;
use hopscope_mac::edca::access::EdcaAnswer;
use hopscope_mac::edca::category::{MANAGEMENT, tid_of_dscp};
use hopscope_mac::edca::{Accepted, Aqm, Delivered, DropCause, EdcaCx, FrameInfo, PacketEntry};
use hopscope_mac::frame::{Frame, FrameKind};
use hopscope_mac::{Edca, EdcaEffects};
use hopscope_net::config::link::LinkPart;
use hopscope_net::iface::port::Entry;
use hopscope_net::iface::{Interface, Wifi};
use hopscope_packet::{Body, Ecn};
use hopscope_phy::phy::RxOutcome;
use hopscope_tcp::endpoint::PathEvent;

impl<R: Recorder> World<R> {
    /// A frame for a station, or a broadcast, ends where some stations have QoS.
    #[cold]
    pub(super) fn on_qos_rx_end(&mut self, node: NodeId, slot: u32) {
        if self.wifi[node].edca.is_none() {
            self.on_rx_end(node, slot);
            return;
        }
        if self.overhears() && !self.listeners.include(node) {
            self.on_overheard(node, slot, true);
            return;
        }
        let Wifi { station, rules, edca, .. } = &mut self.wifi[node];
        station.catch_up(self.now, &rules.station);
        // First the station: what it has received leaves it also where the radio is off.
        let received = station.take_received(slot) && !self.outages.is_off(node);
        if received {
            self.on_qos_frame(node, slot);
            return;
        }
        let is_decided = edca.as_ref().is_some_and(|edca| edca.is_decided_at(self.now));
        if R::WANTS.has(Classes::FRAME_ENDS) {
            self.note_lost(node, slot);
        }
        if is_decided {
            self.edca_input(node, |edca, cx| edca.on_rx_end(None, &[], FrameInfo::default(), cx));
        }
    }

    /// A packet reaches a QoS station: it waits in its access category.
    pub(super) fn enqueue_qos(&mut self, node: NodeId, id: PacketId) -> PathEvent {
        let packet = self.packets.get(id);
        let Entry { flow, bytes, has_transport, knows_ecn, .. } = Entry::of(packet, id, Span::ZERO);
        let aqm = match (has_transport, knows_ecn) {
            (false, _) => Aqm::Spares,
            (true, false) => Aqm::Drops,
            (true, true) => Aqm::Marks,
        };
        let tid = if self.wiring.is_management(packet) { MANAGEMENT } else { tid_of_dscp(packet.dscp.into()) };
        let new = PacketEntry { packet: id, to: packet.next_hop, tid, bytes, flow, aqm };
        let mut is_taken = false;
        self.note(Record::Queued { node, via: Interface::WIFI, packet: id });
        let within = self.amid == Some(node);
        self.edca_input(node, |edca, cx| is_taken = edca.enqueue(&new, within, cx));
        if is_taken {
            return PathEvent::Queued;
        }
        self.drop_packet(node, id, DropReason::QueueFull);
        PathEvent::Refused
    }

    /// The radio of a QoS station has received a frame for it, or a broadcast: those of its MPDUs that came through count.
    fn on_qos_frame(&mut self, node: NodeId, slot: u32) {
        let mut frame = self.sent_in(slot);
        let (mut said, mut ratio, mut sent) = (FrameInfo::default(), 0.0, Vec::new());
        // A station without QoS sends what its header says, and nothing besides.
        if let Some(sender) = &mut self.wifi[frame.src].edca {
            let carried = sender.carried(slot);
            (frame.tid, said, ratio) = (carried.tid, carried.said, carried.ratio);
            sent = sender.take_mpdus(slot);
        }
        let mut received = std::mem::take(&mut self.mpdus);
        received.clear();
        let Wifi { station, rules, .. } = &mut self.wifi[node];
        let came = rules.receive_mpdus(&frame, &sent, self.now, &station.radio, &mut received);
        if let Some(sender) = &mut self.wifi[frame.src].edca {
            sender.put_mpdus(slot, sent);
        }
        if R::WANTS.has(Classes::FRAME_ENDS) {
            self.note_qos_frame(node, frame, slot, came);
        }
        if !came {
            let Wifi { station, rules, .. } = &mut self.wifi[node];
            station.fail_reception(self.now, &rules.station);
        }
        let frame = came.then_some(frame);
        self.edca_input(node, |edca, cx| {
            edca.note_ratio(ratio);
            edca.on_rx_end(frame, &received, said, cx);
        });
        self.mpdus = received;
    }

    /// A frame has ended at the QoS station that it was for; `came`: any of it did.
    #[cold]
    fn note_qos_frame(&mut self, node: NodeId, frame: Frame, slot: u32, came: bool) {
        // Who asks why looks at the links of both.
        let kept = self.medium.refresh_aside([node, frame.src], self.now);
        self.look_at_mpdus(node, &frame, slot);
        let lost = || {
            let mut at_fault =
                self.mpdu_outcomes.iter().filter(|outcome| matches!(outcome, RxOutcome::TooWeak { by: Some(_) }));
            at_fault.next().copied().unwrap_or(RxOutcome::TooWeak { by: None })
        };
        let outcome = if came { RxOutcome::Received } else { lost() };
        self.note(Record::FrameEnded { node, frame, slot, outcome });
        self.medium.put_back(kept);
        self.mpdu_outcomes.clear();
    }

    /// Finds out for observers what became of each MPDU of a frame that has ended at a radio which has read its header.
    pub(super) fn look_at_mpdus(&mut self, node: NodeId, frame: &Frame, slot: u32) {
        let mut outcomes = std::mem::take(&mut self.mpdu_outcomes);
        outcomes.clear();
        if frame.kind == FrameKind::Data && frame.dst != NodeId::BROADCAST {
            let Wifi { station, rules, .. } = &self.wifi[node];
            let sent = self.wifi[frame.src].edca.as_ref().map_or(&[][..], |sender| &sender.carried(slot).mpdus);
            rules.mpdu_outcomes(frame, sent, self.now, &station.radio, &mut outcomes);
        }
        self.mpdu_outcomes = outcomes;
    }

    /// An access event of a QoS station.
    #[cold]
    pub(super) fn on_edca_access(&mut self, node: NodeId) {
        let Wifi { station, rules, .. } = &mut self.wifi[node];
        // The back-off that asked for this event has changed since.
        if !station.access_event(self.now) {
            return;
        }
        station.catch_up(self.now, &rules.station);
        match station.poll_edca(self.now, &rules.station) {
            EdcaAnswer::Granted(ac, collided) => {
                // Before the MAC acts on the grant, which ends the wait.
                let wait = station.quiet_plan(&rules.station);
                self.note(Record::AccessGranted { node, wait });
                self.edca_input(node, |edca, cx| edca.on_access(ac, collided, cx));
            }
            EdcaAnswer::Later(at) => self.events.push(at, Event::EdcaAccess { node }),
            EdcaAnswer::Nothing => {}
        }
    }

    /// SIFS has passed at a QoS station.
    #[cold]
    pub(super) fn on_edca_sifs(&mut self, node: NodeId, generation: Generation) {
        self.edca_input(node, |edca, cx| edca.on_sifs(generation, cx));
    }

    /// A QoS station has waited long enough for MPDUs that are missing.
    #[cold]
    pub(super) fn on_edca_release(&mut self, node: NodeId) {
        self.edca_input(node, |edca, cx| edca.on_release(cx));
    }

    /// The answer that a QoS station waits for should have begun.
    #[cold]
    pub(super) fn on_edca_timeout(&mut self, node: NodeId, generation: Generation) {
        let Wifi { edca: Some(edca), station, rules, .. } = &mut self.wifi[node] else { return };
        if !edca.response_is_stale(generation) && !edca.waits_for_end(self.now, station, rules) {
            self.note(Record::ResponseTimeout { node });
            self.edca_input(node, |edca, cx| edca.on_response_timeout(generation, cx));
        }
    }

    /// One input to the MAC of a QoS station with the radio's edges applied, and its effects carried out.
    fn edca_input(&mut self, node: NodeId, input: impl FnOnce(&mut Edca, &mut EdcaCx<'_>)) {
        let mut out = std::mem::take(&mut self.edca_effects);
        let wifi = &mut self.wifi[node];
        wifi.station.catch_up(self.now, &wifi.rules.station);
        wifi.edca_input(self.now, &mut out, input);
        self.edca_effects(node, &mut out);
        out.accepted.clear();
        out.delivered.clear();
        out.done.clear();
        (out.mac, out.arm_release, out.arm_setup) = Default::default();
        self.edca_effects = out;
    }

    fn edca_effects(&mut self, node: NodeId, out: &mut EdcaEffects) {
        let place = self.wifi.place(node);
        // Before the frame that carries them.
        for packet in out.marked.drain(..) {
            self.packets.get_mut(packet).ecn = Ecn::Ce;
            self.note(Record::Marked { node, packet, by: LinkPart::FqCodel });
        }
        if out.mac.transmit.is_some() {
            let Wifi { edca, air, .. } = self.wifi.at(place);
            if let Some(edca) = edca {
                edca.begin_frame(air.next());
            }
        }
        let (sifs, response, access) =
            (out.mac.arm_sifs.take(), out.mac.arm_response.take(), out.mac.arm_access.take());
        self.mac_effects(node, place, &out.mac);
        if let Some((at, generation)) = sifs {
            self.note_sifs(node, place, at);
            self.events.push(at, Event::EdcaSifs { node, generation });
        }
        if let Some((at, generation)) = response {
            self.events.push(at, Event::EdcaTimeout { node, generation });
        }
        if let Some(at) = access {
            self.events.push(at, Event::EdcaAccess { node });
        }
        // Answers change rates as well: they end no exchange of a single packet, which `mac_effects` looks for.
        if R::WANTS.has(Classes::MAC) {
            self.note_rate(node);
        }
        for accepted in std::mem::take(&mut out.accepted) {
            self.accept(node, &accepted, out);
        }
        for &delivered in &out.delivered {
            self.work.push(Work::Arrived { node, delivered });
        }
        for at in [out.arm_release, out.arm_setup].into_iter().flatten() {
            self.events.push(at, Event::EdcaRelease { node });
        }
        for (packet, why) in out.discarded.drain(..) {
            let reason = match why {
                DropCause::Lifetime => DropReason::Lifetime,
                DropCause::QueueFull => DropReason::QueueFull,
                DropCause::CoDel => DropReason::EarlyFqCodel,
            };
            self.drop_packet(node, packet, reason);
            self.work.push(Work::Next { node });
        }
        for &(packet, outcome) in &out.done {
            self.mac_done(node, packet, outcome);
        }
    }

    /// A new MPDU has come: the receiver gets its own copy of the packet, which goes up in its turn.
    fn accept(&mut self, node: NodeId, accepted: &Accepted, out: &mut EdcaEffects) {
        let &Accepted { from, packet, seq, .. } = accepted;
        let sender = self.wifi[from].edca.as_ref();
        let rest = sender.map_or(Vec::new(), |sender| sender.bundle(packet).to_vec());
        if seq.is_none() {
            // The MAC has counted the first.
            if let Some(edca) = &mut self.wifi[node].edca {
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
    pub(super) fn copy_for(&mut self, node: NodeId, packet: PacketId, from: NodeId) -> PacketId {
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
            Body::Ethernet { .. } => self.hand_out(node, packet),
            _ => self.link_up(node, packet),
        }
        self.amid = None;
    }
}
