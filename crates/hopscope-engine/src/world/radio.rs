//! Frames on the air: from their transmitter to everyone who hears them.

use super::World;
use super::listeners::Listeners;
use super::view::view;
use crate::record::{Classes, Record, Recorder};
use hopscope_core::event::Event;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Span;
use hopscope_mac::dcf::{Frame, FrameKind};
use hopscope_mac::rules::{KnownSet, StationRuleSet};
use hopscope_net::iface::Wifi;
use hopscope_phy::channel::FrameSummary;
use hopscope_phy::phy::arrival::MOST_MPDUS;
use hopscope_phy::phy::{AnyRules, Arrival, Ns2Rules, Packed, StandardRules};

/// No signal is under way for longer: `check.rs` refuses such ranges.
const LONGEST_FLIGHT: Span = Span(u16::MAX as u64);

impl<R: Recorder> World<R> {
    /// The observer asks what becomes of every frame at every radio that senses it: all radios listen.
    #[inline(always)]
    pub(super) fn overhears(&self) -> bool {
        // The class first: of observers that never ask nothing is left here.
        R::WANTS.has(Classes::OVERHEARD) && self.recorder.overhears()
    }

    /// A broadcast has left, but has not come to everyone yet: its receivers still have to copy the packet.
    pub(super) fn release_later(&mut self, packet: PacketId) {
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
    #[inline(never)]
    pub(super) fn transmit(&mut self, frame: &Frame) {
        debug_assert_eq!(self.air_is_plain, self.is_air_plain(), "whoever changes the air settles it");
        // Where the air is plain, no radio ever goes off.
        if !self.air_is_plain && self.is_off(frame.src) {
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
        let mut received = Packed::new(&Arrival {
            start: now,
            end: now + frame.airtime,
            nav: frame.duration.0 as u32,
            // Each copy gets the power of its own link.
            power: 0.0,
            slot,
            flags,
            mode: frame.mode.number(),
        });
        if self.has_qos {
            received = received.with_mpdus(self.count_mpdus(place, slot));
        }
        if self.air_is_plain {
            self.transmit_to_alike(frame, place, received, slot);
        } else {
            self.transmit_with_care(frame, place, received, slot);
        }
    }

    /// MPDUs of the A-MPDU in an air slot, as far as an arrival can count them.
    #[cold]
    fn count_mpdus(&mut self, place: u32, slot: u32) -> u8 {
        let edca = &self.wifi.at(place).edca;
        edca.as_ref().map_or(0, |edca| edca.carried(slot).mpdus.len().min(usize::from(MOST_MPDUS)) as u8)
    }

    /// Nothing needs to be asked when a frame leaves: each copy has the power and the flags of its link, all stations keep
    /// the same rules, and only radios take note.
    fn is_air_plain(&self) -> bool {
        let still = self.channel.is_plain() && self.outages.never() && !self.medium.has_changed();
        still && self.rules_are_shared && !self.wiring.watched
    }

    /// Something of what [`is_air_plain`](Self::is_air_plain) asks has changed.
    pub(super) fn settle_air(&mut self) {
        self.air_is_plain = self.is_air_plain();
    }

    /// The scan where something must be asked.
    #[inline(never)]
    fn transmit_with_care(&mut self, frame: &Frame, place: u32, received: Packed, slot: u32) {
        let mut by_links = self.channel.is_plain() && self.outages.never();
        if self.medium.has_changed() {
            self.medium.refresh(frame.src, self.now);
            // Lists of listeners hold the links of the build, and the medium has newer ones.
            by_links &= matches!(self.listeners, Listeners::Everyone);
        }
        let asked = self.wiring.watched && self.keep_carried(frame, slot);
        if !by_links {
            self.transmit_through_channel(frame, received, slot, asked);
        } else {
            if self.rules_are_shared {
                self.transmit_to_alike(frame, place, received, slot);
            } else {
                self.transmit_plainly::<false, AnyRules>(frame, place, received, slot);
            }
            // Else the observer's events serve routing as well.
            if asked && !self.overhears() {
                self.announce(frame, slot);
            }
        }
        if self.wiring.watched {
            self.watch(frame);
        }
    }

    /// The scan where all keep the same rules, compiled for the sets of them that many runs have.
    #[inline(always)]
    fn transmit_to_alike(&mut self, frame: &Frame, place: u32, received: Packed, slot: u32) {
        match self.common_rules.set {
            KnownSet::Ns2 => self.transmit_plainly::<true, Ns2Rules>(frame, place, received, slot),
            KnownSet::Standard => self.transmit_plainly::<true, StandardRules>(frame, place, received, slot),
            KnownSet::Other => self.transmit_plainly::<true, AnyRules>(frame, place, received, slot),
        }
    }

    /// The scan where every copy of a frame has the power and the flags of its link. Where all keep the same rules
    /// (`SHARED`), nobody looks them up at each hearer.
    ///
    /// Out of line: its loop over the hearers needs the registers that the rest of a transmission would take.
    #[inline(never)]
    fn transmit_plainly<const SHARED: bool, S: StationRuleSet>(
        &mut self,
        frame: &Frame,
        place: u32,
        received: Packed,
        slot: u32,
    ) {
        let overhears = self.overhears();
        if overhears || frame.is_broadcast() {
            self.announce_ends(frame, place, slot);
        }
        let now = self.now;
        let links = if overhears {
            self.medium.known_hearers(frame.src)
        } else {
            self.listeners.hearers(&self.medium, frame.src, place)
        };
        for link in links {
            let mut flags = link.flags;
            let start = now + link.delay();
            // Of a broadcast, every copy has the flag already.
            if link.to == frame.dst {
                flags |= Arrival::FOR_ME;
                if !overhears && flags & Arrival::DECODABLE != 0 {
                    self.events.push(start + frame.airtime, Event::RxEnd { node: link.to, slot });
                }
            }
            let is_listener = !overhears || self.listeners.include(link.to);
            if R::WANTS.has(Classes::CARRIER) && flags & Arrival::SENSED != 0 && is_listener {
                let busy = Record::Busy { node: link.to, from: start, until: start + frame.airtime };
                self.recorder.record(now, &busy, &mut view!(self));
            }
            let Wifi { station, rules, .. } = self.wifi.at(link.place);
            let rules = if SHARED { &self.common_rules } else { &rules.station };
            station.post::<S>(now, received.received_by(start, link.power, flags), rules);
        }
    }

    /// The end of a frame is an event at everyone whom it is for, and at all who sense it where the observer asks for what is
    /// overheard. A copy too weak to be decoded needs none: a radio applies its edges when something else happens to it.
    #[inline(never)]
    fn announce_ends(&mut self, frame: &Frame, place: u32, slot: u32) {
        let overhears = self.overhears();
        let World { now, events, medium, listeners, .. } = self;
        let links =
            if overhears { medium.known_hearers(frame.src) } else { listeners.hearers(medium, frame.src, place) };
        for link in links {
            let is_mine = frame.is_broadcast() || link.to == frame.dst;
            let event = if is_mine && link.flags & Arrival::DECODABLE != 0 {
                Some(Event::RxEnd { node: link.to, slot })
            } else if overhears {
                overheard(link.to, slot, link.flags)
            } else {
                None
            };
            if let Some(event) = event {
                events.push(*now + link.delay() + frame.airtime, event);
            }
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

    /// The same scan where each copy has a power and flags of its own, and radios may be off or have moved. `asked`: routing
    /// listens to it.
    #[inline(never)]
    fn transmit_through_channel(&mut self, frame: &Frame, received: Packed, slot: u32, asked: bool) {
        let (now, overhears) = (self.now, self.overhears());
        let broadcast = frame.is_broadcast();
        let carried = FrameSummary { bits: 8 * frame.bytes, is_data: frame.kind == FrameKind::Data };
        for link in self.medium.hearers(frame.src) {
            // A radio that is off does not sense energy either; coming back, it knows nothing of frames under way.
            if self.is_off(link.to) || !(overhears || self.listeners.include(link.to)) {
                continue;
            }
            let Some((power, mut flags)) = self.channel.carry(frame.src, link, &carried, now) else { continue };
            let start = now + link.delay();
            // Here and not in `meter`: whether a copy is sensed is known only now.
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
            if overhears || (asked && flags & Arrival::DECODABLE != 0) {
                let end = start + frame.airtime;
                if let Some(event) = overheard(link.to, slot, flags) {
                    self.events.push(end, event);
                }
            }
            let is_listener = !overhears || self.listeners.include(link.to);
            if R::WANTS.has(Classes::CARRIER) && flags & Arrival::SENSED != 0 && is_listener {
                let busy = Record::Busy { node: link.to, from: start, until: start + frame.airtime };
                self.recorder.record(now, &busy, &mut view!(self));
            }
            let Wifi { station, rules, .. } = self.wifi.at(link.place);
            station.post::<AnyRules>(now, received.received_by(start, power, flags), &rules.station);
        }
    }
}

/// The end of a frame as an event at a hearer that senses it, unless it is one anyway.
fn overheard(node: NodeId, slot: u32, flags: u8) -> Option<Event> {
    let decodable = flags & Arrival::DECODABLE != 0;
    let is_own = decodable && flags & Arrival::FOR_ME != 0;
    let received = flags & (Arrival::SENSED | Arrival::DECODABLE) != 0 && !is_own;
    received.then_some(Event::Overheard { node, slot, decodable })
}
