//! The half of a connection that sends data: what is in flight, what the Ack Vectors say of it, and when more may
//! leave.

use std::collections::VecDeque;

use super::ccid::{Ccid, Report};
use super::history::{Arrival, run_length};
use super::inbox::{DATA_DROPPED, Dropped, each_dropped};
use super::repeat::SendList;
use super::rtt::Rtt;
use super::tfrc::Feedback;
use crate::config::dccp::ReliableProbe;
use crate::config::{DccpConfig, DccpControl};
use hopscope_core::units::{Span, Time};
use hopscope_packet::dccp::{DccpPacket, Seq, Stamp};
use hopscope_tcp::SenderStats;

/// Unit of the options that report time (RFC 4340 13).
const TICK: Span = Span::from_micros(10);

/// Header of a packet of data without options, bytes.
const DATA_HEADER: u32 = 16;

/// The time on a clock of the unit of Timestamp options.
pub(super) fn ticks(now: Time) -> u32 {
    (now.0 / TICK.0) as u32
}

/// An interval in the same unit.
pub(super) fn elapsed_ticks(span: Span) -> u32 {
    u32::try_from(span.0 / TICK.0).unwrap_or(u32::MAX)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PacketState {
    /// In flight.
    Unknown,
    /// Reported received.
    Acked,
    /// Given up.
    Lost,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    sent: Time,
    is_data: bool,
    /// The application had more to send.
    leaves_more: bool,
    /// Number of its data (reliable DCCP).
    number: u32,
    state: PacketState,
    /// Its receiver has reported that its data was dropped.
    is_refused: bool,
}

/// Data that leaves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outgoing {
    /// Payload bytes; none in a probe without data.
    pub(super) bytes: u32,
    /// Its number in reliable DCCP; 0: none.
    pub(super) number: u32,
    /// It has been sent before.
    pub(super) is_repeated: bool,
    /// Its packet acknowledges, too.
    pub(super) acknowledges: bool,
}

/// The sending half.
#[derive(Debug)]
pub(super) struct Source {
    /// Payload bytes of a packet.
    packet: u32,
    /// Bytes ready beyond what has been sent; `u64::MAX`: without end.
    backlog: u64,
    is_closing: bool,
    is_completed: bool,
    /// Packets from number `base` on, those without data too.
    log: VecDeque<Slot>,
    base: Seq,
    /// Data packets in flight.
    pipe: u32,
    lost_after: u32,
    /// What is repeated, where data is.
    list: Option<SendList>,
    reliable_probe: ReliableProbe,
    /// First number after the last timeout.
    after_timeout: Seq,
    ccid: Ccid,
    pub(super) rtt: Rtt,
    /// Data packets since the last one that acknowledged, and acknowledgements that have come since.
    since_ack: u32,
    acks: u32,
    /// Acknowledgements come with Ack Vectors.
    has_vectors: bool,
    /// When the newest packet left.
    newest: Time,
    stats: SenderStats,
}

impl Source {
    /// Nothing sent; the first packet will have the number `first`.
    pub(super) fn new(control: DccpControl, cfg: &DccpConfig, packet: u32, network_header: u32, first: Seq) -> Self {
        let ccid = Ccid::new(control, cfg, packet, network_header + DATA_HEADER);
        // Where losses stay in flight until a timeout, no number of later packets gives one up.
        let lost_after = if ccid.keeps_lost() { u32::MAX } else { cfg.losing_packets(control) };
        Source {
            packet,
            backlog: 0,
            is_closing: false,
            is_completed: false,
            log: VecDeque::new(),
            base: first,
            pipe: 0,
            lost_after,
            list: cfg.reliable.then(SendList::default),
            reliable_probe: cfg.reliable_probe,
            after_timeout: first,
            ccid,
            rtt: Rtt::new(control, cfg),
            since_ack: 0,
            acks: 0,
            has_vectors: control.needs_vectors(cfg),
            newest: Time::ZERO,
            stats: SenderStats::default(),
        }
    }

    // Inputs.

    /// The application has more to send.
    pub(super) fn offer(&mut self, bytes: u64) {
        self.backlog = self.backlog.saturating_add(bytes);
    }

    /// It will have no more; an endless offer ends with what has been sent.
    pub(super) fn close(&mut self) {
        self.is_closing = true;
        if self.backlog == u64::MAX {
            self.backlog = 0;
        }
    }

    /// A packet of this end leaves.
    pub(super) fn on_sent(&mut self, packet: &DccpPacket, now: Time) {
        let DccpPacket { seq, number, .. } = *packet;
        let is_data = packet.is_data();
        if self.log.is_empty() {
            self.base = seq;
        }
        debug_assert_eq!(seq.since(self.base), self.log.len() as i64, "numbers follow each other");
        let leaves_more = self.backlog > 0;
        self.log.push_back(Slot {
            sent: now,
            is_data,
            leaves_more,
            number,
            state: PacketState::Unknown,
            is_refused: false,
        });
        if let Some(list) = self.list.as_mut().filter(|_| number > 0) {
            list.on_sent(number, now + self.rtt.rto());
        }
        if let Some(ccid) = self.ccid.by_rate_mut().filter(|_| is_data) {
            ccid.on_data(packet.len, now);
        }
        self.newest = now;
        self.pipe += u32::from(is_data);
    }

    /// Takes the payload of the next packet, if one may leave now: what is to be repeated goes before new data.
    pub(super) fn take(&mut self, now: Time) -> Option<Outgoing> {
        if self.ccid.is_probing() || !self.ccid.has_room(self.pipe, now) {
            return None;
        }
        let repeated = self.list.as_mut().and_then(|list| list.repeat(now));
        let (number, bytes) = match repeated {
            Some(again) => again,
            None if self.backlog == 0 => return None,
            None => {
                let bytes = self.backlog.min(u64::from(self.packet)) as u32;
                if self.backlog != u64::MAX {
                    self.backlog -= u64::from(bytes);
                }
                (self.list.as_mut().map_or(0, |list| list.add(bytes)), bytes)
            }
        };
        self.stats.segments_sent += 1;
        if let Some(ccid) = self.ccid.by_rate_mut().filter(|_| self.pipe == 0) {
            ccid.on_idle(self.newest, now);
        }
        // Acknowledgements are acknowledged once a window (RFC 4341 6.1.2), but without Ack Vectors.
        let acknowledges = self.acks > 0 && self.has_vectors && f64::from(self.since_ack) + 1.0 >= self.ccid.window();
        self.since_ack = if acknowledges { 0 } else { self.since_ack + 1 };
        if acknowledges {
            self.acks = 0;
        }
        Some(Outgoing { bytes, number, is_repeated: repeated.is_some(), acknowledges })
    }

    /// What asks whether the way is there: a packet without data, or the oldest data.
    pub(super) fn probe(&mut self) -> Outgoing {
        let is_data = self.reliable_probe == ReliableProbe::Oldest;
        let oldest = self.list.as_mut().filter(|_| is_data).and_then(|list| list.oldest());
        let (number, bytes) = oldest.unwrap_or((0, 0));
        self.stats.segments_sent += u64::from(bytes > 0);
        Outgoing { bytes, number, is_repeated: bytes > 0, acknowledges: false }
    }

    /// A valid acknowledgement has come; gives the round-trip time that it measured.
    pub(super) fn on_ack(&mut self, packet: &DccpPacket, ack_ratio: u64, now: Time) -> Option<Span> {
        self.acks += 1;
        // Asked before what has come makes room.
        let was_full = f64::from(self.pipe) + 1.0 > self.ccid.window();
        let newest = packet.ack.since(self.base);
        let rtt = self.round_trip(packet, newest, now);
        let mut report =
            Report { was_full, ack_ratio, ack: packet.ack, slow_receiver: packet.slow_receiver, ..Report::default() };
        report.now = now;
        report.feedback = Feedback::read(packet);
        // Before the vector: a packet that it reports received may have lost its data, and is to be repeated then.
        self.read_dropped(packet, &mut report);
        if self.has_vectors {
            self.read_vector(packet, newest, &mut report);
        } else {
            // Nobody says which of them have come: all are reported.
            (0..=newest).for_each(|place| self.arrived(place as usize, false, &mut report));
        }
        self.find_lost(&mut report);
        self.forget(packet.ack);
        // An answer to what left before the timeout may have been under way all the time, and shows no path.
        report.answers_probe = packet.ack.since(self.after_timeout) >= 0;
        report.sample = rtt.map(|rtt| self.rtt.clocked(rtt));
        if let Some(rtt) = report.sample {
            if self.ccid.ends_failure(&report) {
                self.rtt.restart(rtt);
            } else {
                self.rtt.sample(rtt);
            }
        }
        report.average = self.rtt.srtt().unwrap_or(Span::ZERO);
        report.next = self.base.plus(self.log.len() as u64);
        // A loss that acknowledgements have shown counts as a fast retransmit of TCP does, whether data is repeated or
        // not.
        self.stats.fast_retransmits += u64::from(report.lost > 0);
        self.stats.window_cuts += u64::from(self.ccid.on_ack(&report));
        rtt
    }

    /// Nothing has come back for too long: what is in flight is given up.
    pub(super) fn on_timeout(&mut self, now: Time) {
        self.stats.timeouts += 1;
        // By rate only what was out for the whole wait is given up: the rest may still be reported.
        if self.ccid.by_rate().is_some() {
            self.on_no_feedback(now);
            return;
        }
        self.give_up();
        if self.ccid.is_probing() {
            return; // the answer to any probe will do
        }
        self.after_timeout = self.base.plus(self.log.len() as u64);
        self.stats.window_cuts += 1;
        self.rtt.back_off();
        self.ccid.on_timeout(now);
    }

    /// The route has failed; true where probes begin with that, and what is in flight is given up.
    pub(super) fn on_route_failed(&mut self) -> bool {
        self.stats.route_failures += 1;
        let has_work = self.pipe > 0 || self.backlog > 0 || self.list.as_ref().is_some_and(|list| !list.is_empty());
        if !has_work || !self.ccid.on_route_failed() {
            return false;
        }
        self.give_up();
        self.after_timeout = self.base.plus(self.log.len() as u64);
        true
    }

    /// True once, when all has been sent and nothing is in flight.
    pub(super) fn completes(&mut self) -> bool {
        let has_all_come = self.list.as_ref().is_none_or(|list| list.is_empty());
        let is_done = self.is_closing && self.backlog == 0 && self.pipe == 0 && has_all_come;
        is_done && !std::mem::replace(&mut self.is_completed, true)
    }

    // Queries.

    /// All has been sent and reported.
    pub(super) fn is_completed(&self) -> bool {
        self.is_completed
    }

    /// When data that nothing else would move is to be repeated.
    pub(super) fn repeats_at(&self) -> Option<Time> {
        let at = self.list.as_ref().filter(|_| self.pipe == 0 && !self.ccid.is_probing())?.earliest()?;
        Some(self.ccid.by_rate().map_or(at, |ccid| at.max(ccid.next_send())))
    }

    /// The timeout to arm now.
    pub(super) fn timeout(&self) -> Span {
        self.ccid.by_rate().map_or_else(|| self.rtt.rto(), |ccid| ccid.wait())
    }

    /// When more may leave, where there is more and the rate alone holds it back.
    pub(super) fn sends_at(&mut self, now: Time) -> Option<Time> {
        let at = self.ccid.by_rate()?.next_send();
        let has_more = self.backlog > 0 || self.list.as_ref().is_some_and(|list| list.is_due(now));
        Some(at).filter(|_| has_more)
    }

    /// The window counter of a packet that leaves (CCVal); 0 but with a control by rate.
    #[inline]
    pub(super) fn counter(&mut self, now: Time) -> u8 {
        self.ccid.by_rate_mut().map_or(0, |ccid| ccid.counter(now))
    }

    /// The list of reliable DCCP.
    #[cfg(test)]
    pub(super) fn list(&self) -> Option<&SendList> {
        self.list.as_ref()
    }

    /// It probes instead of sending data.
    pub(super) fn is_probing(&self) -> bool {
        self.ccid.is_probing()
    }

    /// Data packets in flight.
    pub(super) fn pipe(&self) -> u32 {
        self.pipe
    }

    /// Bytes ready.
    pub(super) fn backlog(&self) -> u64 {
        self.backlog
    }

    /// The congestion control.
    pub(super) fn ccid(&self) -> &Ccid {
        &self.ccid
    }

    /// What it has counted.
    pub(super) fn stats(&self) -> &SenderStats {
        &self.stats
    }

    // Steps.

    /// Nothing is in flight any more.
    fn give_up(&mut self) {
        for slot in self.log.iter_mut().filter(|slot| slot.state == PacketState::Unknown) {
            slot.state = PacketState::Lost;
        }
        self.pipe = 0;
    }

    /// The nofeedback timer has expired: what left before it was set is given up.
    fn on_no_feedback(&mut self, now: Time) {
        let wait = self.timeout();
        for slot in self.log.iter_mut().filter(|slot| slot.state == PacketState::Unknown) {
            if slot.sent + wait <= now {
                slot.state = PacketState::Lost;
                self.pipe -= u32::from(slot.is_data);
            }
        }
        self.stats.window_cuts += 1;
        self.ccid.on_timeout(now);
    }

    /// Forgets the oldest packets up to `ack` that nothing more can be learnt of.
    fn forget(&mut self, ack: Seq) {
        while let Some(slot) = self.log.front() {
            // Data in flight keeps its slot even below `ack`: a later vector may report it.
            if self.base.is_after(ack) || (slot.is_data && slot.state == PacketState::Unknown) {
                return;
            }
            self.log.pop_front();
            self.base = self.base.plus(1);
        }
    }

    /// Time since the newest packet acknowledged left, without what its receiver held it back.
    fn round_trip(&self, packet: &DccpPacket, newest: i64, now: Time) -> Option<Span> {
        if let Stamp::Echo { value, elapsed } = packet.stamp {
            let since = ticks(now).wrapping_sub(value).saturating_sub(elapsed);
            // An answer within the tick has taken some time all the same.
            return Some(TICK * u64::from(since.max(1)));
        }
        if self.ccid.needs_timestamps() {
            return None;
        }
        let is_late = self.ccid.by_rate().is_some(); // what is late counts, too
        let is_measured =
            |slot: &&Slot| slot.state == PacketState::Unknown || (is_late && slot.state == PacketState::Lost);
        let slot = self.log.get(usize::try_from(newest).ok()?).filter(is_measured)?;
        let held = if let Stamp::Elapsed(ticks) = packet.stamp { TICK * u64::from(ticks) } else { Span::ZERO };
        Some(now.saturating_since(slot.sent).saturating_sub(held))
    }

    /// Marks what the vector says, from the acknowledgement number downwards; without one, that packet alone has come.
    fn read_vector(&mut self, packet: &DccpPacket, newest: i64, report: &mut Report) {
        let received = [0];
        let octets = if packet.vector().is_empty() { &received[..] } else { packet.vector() };
        let mut place = newest;
        for &octet in octets {
            let Some(state) = Arrival::of(octet) else { return };
            for _ in 0..run_length(octet) {
                if place < 0 {
                    return;
                }
                if state != Arrival::Missing {
                    self.arrived(place as usize, state == Arrival::Marked, report);
                }
                place -= 1;
            }
        }
    }

    /// Counts what arrived in vain (option Data Dropped), each packet once.
    fn read_dropped(&mut self, packet: &DccpPacket, report: &mut Report) {
        for (_, content) in packet.each_option().filter(|(kind, _)| *kind == DATA_DROPPED) {
            each_dropped(content, packet.ack, |seq, what| {
                let place = usize::try_from(seq.since(self.base)).ok();
                let Some(slot) = place.and_then(|place| self.log.get_mut(place)) else { return };
                if slot.state == PacketState::Unknown && slot.is_data && !std::mem::replace(&mut slot.is_refused, true)
                {
                    match what {
                        Dropped::Buffer => report.refused += 1,
                        Dropped::Corrupt => report.corrupt += 1,
                    }
                }
            });
        }
    }

    fn arrived(&mut self, place: usize, is_marked: bool, report: &mut Report) {
        let Some(slot) = self.log.get_mut(place) else { return };
        if let Some(list) = self.list.as_mut().filter(|_| slot.number > 0 && slot.state != PacketState::Acked) {
            if slot.is_refused {
                list.on_missing(slot.number);
            } else {
                list.on_received(slot.number);
            }
        }
        if slot.state != PacketState::Unknown {
            return;
        }
        slot.state = PacketState::Acked;
        if slot.is_data {
            self.pipe -= 1;
            report.acked += 1;
            report.was_held_back |= slot.leaves_more;
            self.stats.bytes_acked += u64::from(self.packet);
            if is_marked {
                report.marked.get_or_insert(self.base.plus(place as u64));
            }
        }
    }

    /// Gives up what `lost_after` later packets have overtaken (RFC 4341 5).
    fn find_lost(&mut self, report: &mut Report) {
        let mut later = 0;
        // From the newest on, so that one pass counts the later packets of each.
        for place in (0..self.log.len()).rev() {
            let slot = &mut self.log[place];
            match slot.state {
                PacketState::Acked => later += 1,
                PacketState::Unknown if later >= self.lost_after && slot.is_data => {
                    slot.state = PacketState::Lost;
                    self.pipe -= 1;
                    report.lost += 1;
                    if let Some(list) = &mut self.list {
                        list.on_missing(slot.number);
                    }
                    report.newest_lost.get_or_insert(self.base.plus(place as u64));
                }
                PacketState::Unknown | PacketState::Lost => {}
            }
        }
    }
}
