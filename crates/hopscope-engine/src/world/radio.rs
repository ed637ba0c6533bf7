//! The MAC and the radio of a node: their inputs, their effects, and frames on the air.

use super::World;
use super::sight::sight;
use super::work::Work;
use crate::channel::Carried;
use crate::event::Event;
use crate::ids::{NodeId, PacketId};
use crate::iface::Wifi;
use crate::mac::Dcf;
use crate::mac::contention::AccessAnswer;
use crate::mac::dcf::{Frame, FrameKind, MacCx, MacEffects, Outcome};
use crate::phy::{Arrival, Fate, Packed};
use crate::record::{Classes, DropReason, Record, Recorder};
use crate::units::Span;

/// No signal is under way for longer: `build.rs` refuses such ranges.
const LONGEST_FLIGHT: Span = Span(u16::MAX as u64);

impl<R: Recorder> World<R> {
    // ---- inputs ----------------------------------------------------------------------------------------------

    pub(super) fn on_access_event(&mut self, node: NodeId) {
        let place = self.wifi.place(node);
        let Wifi { station, rules, .. } = self.wifi.at(place);
        if !station.access_event(self.now) {
            return;
        }
        let rules = &rules.station;
        station.catch_up(self.now, rules);
        match station.poll_access(self.now, rules) {
            AccessAnswer::Granted => {
                self.note(Record::AccessGranted { node });
                self.mac_input_caught_up(node, place, |mac, cx| mac.on_access(cx));
            }
            AccessAnswer::Later(at) => self.events.push(at, Event::Access { node }),
            AccessAnswer::Nothing => {}
        }
    }

    /// One input to a node's MAC with the radio's edges applied, and its effects carried out.
    #[inline]
    pub(super) fn mac_input(&mut self, node: NodeId, input: impl FnOnce(&mut Dcf, &mut MacCx<'_>)) {
        let place = self.wifi.place(node);
        let Wifi { station, rules, .. } = self.wifi.at(place);
        station.catch_up(self.now, &rules.station);
        self.mac_input_caught_up(node, place, input);
    }

    /// The same for a station whose edges have been applied already.
    #[inline]
    fn mac_input_caught_up(&mut self, node: NodeId, place: u32, input: impl FnOnce(&mut Dcf, &mut MacCx<'_>)) {
        let mut out = MacEffects::default();
        let Wifi { mac, station, rules, .. } = self.wifi.at(place);
        input(mac, &mut MacCx { now: self.now, station, rules, out: &mut out });
        self.mac_effects(node, &out);
    }

    pub(super) fn on_rx_end(&mut self, node: NodeId, slot: u32) {
        let place = self.wifi.place(node);
        let Wifi { station, rules, .. } = self.wifi.at(place);
        station.catch_up(self.now, &rules.station);
        let received = station.take_received(slot) && !self.is_off(node);
        if !received && R::WANTS.has(Classes::FRAME_ENDS) {
            self.note_lost(node, slot);
        }
        if received {
            let frame = self.sent_in(slot);
            self.note(Record::FrameEnded { node, frame, slot, fate: Fate::Received });
            self.mac_input_caught_up(node, place, |mac, cx| mac.on_rx_end(Some(frame), cx));
        } else if self.wifi.at(place).mac.is_decided_at(self.now) {
            self.mac_input_caught_up(node, place, |mac, cx| mac.on_rx_end(None, cx));
        }
    }

    /// A frame has ended at a node that it was addressed to, but was not received.
    #[cold]
    fn note_lost(&mut self, node: NodeId, slot: u32) {
        let frame = self.sent_in(slot);
        let fate = if self.is_off(node) { Fate::OutOfReach } else { self.wifi[node].station.fate(self.now, slot) };
        self.note(Record::FrameEnded { node, frame, slot, fate });
    }

    // ---- effects ---------------------------------------------------------------------------------------------

    #[inline]
    pub(super) fn mac_effects(&mut self, node: NodeId, effects: &MacEffects) {
        if effects.failed {
            self.note(Record::AttemptFailed { node });
        }
        if let Some(frame) = &effects.transmit {
            self.transmit(frame);
        }
        if let Some((at, generation)) = effects.arm_sifs {
            if R::WANTS.has(Classes::MAC) {
                let then = self.wifi[node].mac.after_sifs();
                self.note(Record::SifsBegan { node, until: at, then });
            }
            debug_assert!(self.sifs.is_none(), "an event begins one SIFS");
            self.sifs = Some((node, at, generation));
        }
        if let Some((at, generation)) = effects.arm_response {
            self.events.push(at, Event::ResponseTimeout { node, generation });
        }
        if let Some(at) = effects.arm_access {
            self.events.push(at, Event::Access { node });
        }
        if let Some((packet, from)) = effects.deliver {
            self.work.push(Work::Arrived { node, packet, from });
        }
        if let Some((packet, outcome)) = effects.done {
            if outcome != Outcome::Incomplete {
                self.note(Record::ExchangeEnded { node, packet, outcome });
                self.tell_link(node);
            }
            match outcome {
                Outcome::Incomplete => {
                    let copy = self.packets.copy(packet);
                    self.note(Record::PacketCopied { node, packet, copy });
                    self.drop_packet(node, copy, DropReason::Reassembly);
                    return;
                }
                Outcome::Sent if self.packets.get(packet).next_hop == NodeId::BROADCAST => self.release_later(packet),
                Outcome::Sent => self.packets.release(packet),
                Outcome::RetryLimit => {
                    self.work.push(Work::LinkFailed { node, packet, reason: DropReason::RetryLimit });
                }
            }
            self.work.push(Work::Next { node });
        }
    }

    /// A broadcast has left, but has not come to everyone yet: its receivers still have to copy the packet.
    fn release_later(&mut self, packet: PacketId) {
        self.release_arrived();
        self.leaving.push_back((self.now + LONGEST_FLIGHT, packet));
    }

    /// Releases the packets of broadcasts that have come to everyone.
    pub(super) fn release_arrived(&mut self) {
        while let Some(&(at, packet)) = self.leaving.front() {
            if at >= self.now {
                break;
            }
            self.leaving.pop_front();
            self.packets.release(packet);
        }
    }

    /// Puts a frame on the air: one scan over everyone who hears it.
    fn transmit(&mut self, frame: &Frame) {
        if self.is_off(frame.src) {
            self.note(Record::FrameUnsent { frame: *frame });
            return;
        }
        self.frames += 1;
        let place = self.wifi.place(frame.src);
        let slot = frame.src.0 * 2 + self.wifi.at(place).air.put(frame);
        self.note(Record::FrameBegan { frame: *frame, slot });
        let broadcast = frame.is_broadcast();
        let flags =
            if frame.kind == FrameKind::Rts { Arrival::RTS } else { 0 } | if broadcast { Arrival::FOR_ME } else { 0 };
        let now = self.now;
        let heard = Packed::new(&Arrival {
            start: now,
            end: now + frame.airtime,
            nav: frame.duration.0 as u32,
            power: 0.0,
            slot,
            flags,
            mode: frame.mode.number(),
        });
        if !(self.channel.is_plain() && self.outages.never() && !self.medium.has_changed()) {
            self.transmit_through_channel(frame, heard, slot);
        } else if self.rules_are_shared {
            self.transmit_plainly::<true>(frame, place, heard, slot);
        } else {
            self.transmit_plainly::<false>(frame, place, heard, slot);
        }
        if self.wiring.watched {
            self.watch(frame);
        }
    }

    /// The scan where every copy of a frame has the power and the fate of its link. Where all keep the same rules
    /// (`SHARED`), nobody looks them up at each hearer.
    #[inline(always)]
    fn transmit_plainly<const SHARED: bool>(&mut self, frame: &Frame, place: u32, heard: Packed, slot: u32) {
        let now = self.now;
        let broadcast = frame.is_broadcast();
        for link in self.listeners.hearers(&self.medium, frame.src, place) {
            let mut flags = link.flags;
            let start = now + link.delay();
            if broadcast || link.to == frame.dst {
                flags |= Arrival::FOR_ME;
                if flags & Arrival::DECODABLE != 0 {
                    self.events.push(start + frame.airtime, Event::RxEnd { node: link.to, slot });
                }
            }
            if R::WANTS.has(Classes::CARRIER) && flags & Arrival::SENSED != 0 {
                let busy = Record::Busy { node: link.to, from: start, until: start + frame.airtime };
                self.recorder.record(now, &busy, &mut sight!(self));
            }
            let Wifi { station, rules, .. } = self.wifi.at(link.place);
            let rules = if SHARED { &self.common_rules } else { &rules.station };
            station.post(now, heard.heard_by(start, link.power, flags), rules);
        }
    }

    /// What a frame means beyond its effect on the radios: to tests that want every edge, and to meters of the channel.
    #[cold]
    fn watch(&mut self, frame: &Frame) {
        if self.wiring.eager {
            for link in self.medium.hearers(frame.src) {
                let start = self.now + link.delay();
                self.events.push(start + Span(1), Event::Touch { node: link.to });
                self.events.push(start + frame.airtime, Event::Touch { node: link.to });
            }
        }
        self.meter(frame);
    }

    /// The same scan where each copy has a power and a fate of its own, and radios may be off or have moved.
    #[inline(never)]
    fn transmit_through_channel(&mut self, frame: &Frame, heard: Packed, slot: u32) {
        let now = self.now;
        let broadcast = frame.is_broadcast();
        let carried = Carried { bits: 8 * frame.bytes, is_data: frame.kind == FrameKind::Data };
        self.medium.refresh(frame.src);
        for link in self.medium.hearers(frame.src) {
            if self.is_off(link.to) || !self.listeners.include(link.to) {
                continue;
            }
            let Some((power, mut flags)) = self.channel.carry(frame.src, link, &carried, now) else { continue };
            let start = now + link.delay();
            if self.wiring.metered && flags & Arrival::SENSED != 0 {
                let mine = link.to == frame.dst && flags & Arrival::DECODABLE != 0;
                if let Some(layer) = &mut self.wifi.at(link.place).port.layer {
                    layer.on_sensed(start, start + frame.airtime, mine);
                }
            }
            if broadcast || link.to == frame.dst {
                flags |= Arrival::FOR_ME;
                if flags & Arrival::DECODABLE != 0 {
                    self.events.push(start + frame.airtime, Event::RxEnd { node: link.to, slot });
                }
            }
            if R::WANTS.has(Classes::CARRIER) && flags & Arrival::SENSED != 0 {
                let busy = Record::Busy { node: link.to, from: start, until: start + frame.airtime };
                self.recorder.record(now, &busy, &mut sight!(self));
            }
            let Wifi { station, rules, .. } = self.wifi.at(link.place);
            station.post(now, heard.heard_by(start, power, flags), &rules.station);
        }
    }
}
