//! Inputs of a node's MAC: what its radio has received, its timers, and packets; and how an exchange ends.

use super::World;
use super::work::Work;
use crate::record::{Classes, DropReason, Record, Recorder};
use hopscope_core::event::{Event, Generation};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_mac::contention::AccessAnswer;
use hopscope_mac::dcf::{MacCx, Outcome};
use hopscope_mac::{Dcf, MacEffects};
use hopscope_net::iface::Wifi;
use hopscope_phy::phy::RxOutcome;
impl<R: Recorder> World<R> {
    #[inline(always)]
    pub(super) fn on_rx_end(&mut self, node: NodeId, slot: u32) {
        if self.overhears() && !self.listeners.include(node) {
            // A broadcast at a node that can never act, which hears it only for the observer.
            self.on_overheard(node, slot, true);
            return;
        }
        let place = self.wifi.place(node);
        let Wifi { station, rules, .. } = self.wifi.at(place);
        station.catch_up(self.now, &rules.station);
        // First the station: what it has received leaves it also where the radio is off.
        let received = station.take_received(slot) && !self.is_off(node);
        if !received && R::WANTS.has(Classes::FRAME_ENDS) {
            self.note_lost(node, slot);
        }
        if received {
            let frame = self.sent_in(slot);
            self.note(Record::FrameEnded { node, frame, slot, outcome: RxOutcome::Received });
            // Without a closure, which would be compiled out of line: this is the most frequent input.
            let mut out = MacEffects::default();
            let Wifi { mac, station, rules, .. } = self.wifi.at(place);
            mac.on_rx_end(Some(frame), &mut MacCx { now: self.now, station, rules, out: &mut out });
            self.mac_effects(node, place, &out);
        } else if self.wifi.at(place).mac.is_decided_at(self.now) {
            self.mac_input_caught_up(node, place, |mac, cx| mac.on_rx_end(None, cx));
        }
    }

    /// A frame has ended at a node that it was addressed to, but was not received.
    #[cold]
    pub(super) fn note_lost(&mut self, node: NodeId, slot: u32) {
        let frame = self.sent_in(slot);
        // Who asks why looks at the links of both.
        let kept = self.medium.refresh_aside([node, frame.src], self.now);
        let outcome =
            if self.is_off(node) { RxOutcome::OutOfReach } else { self.wifi[node].station.outcome(self.now, slot) };
        self.note(Record::FrameEnded { node, frame, slot, outcome });
        self.medium.put_back(kept);
    }

    /// A frame has ended at a node that senses it, where an observer or routing asks for that.
    #[cold]
    pub(super) fn on_overheard(&mut self, node: NodeId, slot: u32, decodable: bool) {
        let Wifi { station, rules, .. } = &mut self.wifi[node];
        station.catch_up(self.now, &rules.station);
        let noted = station.radio.noted(slot, self.now);
        let is_read = decodable && !self.is_off(node);
        let outcome = if is_read { noted.unwrap_or(RxOutcome::Received) } else { RxOutcome::OutOfReach };
        let frame = self.sent_in(slot);
        if R::WANTS.has(Classes::OVERHEARD) {
            if outcome == RxOutcome::Received {
                self.look_at_mpdus(node, &frame, slot);
            }
            self.note(Record::FrameOverheard { node, frame, slot, outcome });
            self.mpdu_outcomes.clear();
        }
        if outcome == RxOutcome::Received && frame.dst != node {
            self.overhear(node, &frame, slot);
        }
    }

    pub(super) fn on_access_event(&mut self, node: NodeId) {
        let place = self.wifi.place(node);
        let Wifi { station, rules, .. } = self.wifi.at(place);
        // The back-off that asked for this event has changed since.
        if !station.access_event(self.now) {
            return;
        }
        let rules = &rules.station;
        station.catch_up(self.now, rules);
        match station.poll_access(self.now, rules) {
            AccessAnswer::Granted => {
                // Before the MAC acts on the grant, which ends the wait.
                let wait = station.quiet_plan(rules);
                self.note(Record::AccessGranted { node, wait });
                self.mac_input_caught_up(node, place, |mac, cx| mac.on_access(cx));
            }
            AccessAnswer::Later(at) => self.events.push(at, Event::Access { node }),
            AccessAnswer::Nothing => {}
        }
    }

    /// An edge of a radio that a test wants to see as an event.
    #[inline]
    pub(super) fn on_touch(&mut self, node: NodeId) {
        let Wifi { station, rules, .. } = &mut self.wifi[node];
        station.catch_up(self.now, &rules.station);
    }

    /// The answer that a MAC waits for should have begun.
    #[inline(always)]
    pub(super) fn on_response_timeout(&mut self, node: NodeId, generation: Generation) {
        // Most answers come: do not walk the station's edges for nothing.
        let place = self.wifi.place(node);
        let Wifi { mac, station, rules, .. } = self.wifi.at(place);
        if !mac.response_is_stale(generation) && !mac.waits_for_end(self.now, station, rules) {
            self.note(Record::ResponseTimeout { node });
            self.mac_input(node, |mac, cx| mac.on_response_timeout(generation, cx));
        }
    }

    /// One input to a node's MAC with the radio's edges applied, and its effects carried out.
    #[inline(always)]
    pub(super) fn mac_input(&mut self, node: NodeId, input: impl FnOnce(&mut Dcf, &mut MacCx<'_>)) {
        let place = self.wifi.place(node);
        let Wifi { station, rules, .. } = self.wifi.at(place);
        station.catch_up(self.now, &rules.station);
        self.mac_input_caught_up(node, place, input);
    }

    /// The same for a station whose edges have been applied already.
    #[inline(always)]
    fn mac_input_caught_up(&mut self, node: NodeId, place: u32, input: impl FnOnce(&mut Dcf, &mut MacCx<'_>)) {
        let mut out = MacEffects::default();
        self.wifi.at(place).mac_input(self.now, &mut out, input);
        self.mac_effects(node, place, &out);
    }

    /// Rate control may have changed its mind with the attempt.
    pub(super) fn note_rate(&mut self, node: NodeId) {
        if let Some((to, mode)) = self.wifi[node].take_rate_change() {
            self.note(Record::RateChanged { node, to, rate: mode.rate() });
        }
    }

    /// The exchange of a packet is over.
    pub(super) fn mac_done(&mut self, node: NodeId, packet: PacketId, outcome: Outcome) {
        if outcome != Outcome::Incomplete {
            self.note(Record::ExchangeEnded { node, packet, outcome });
            self.notify_link_layer(node);
        }
        match outcome {
            Outcome::Incomplete => {
                // The packet stays with its transmitter; a copy stands for the fragments that had come.
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
        // Behind the failed link, for which routing may have something that goes first.
        self.work.push(Work::Next { node });
    }
}
