//! What the sender remembers of each segment in flight: when it left, how often, and what had arrived by then.
//!
//! From this come a round-trip time for every ACK (Karn's rule kept) and the delivery rate (draft-cheng-iccrg-delivery-
//! rate-estimation): the data delivered between the sending of a segment and its ACK, over the longer of the time it
//! took to send and the time it took to be acknowledged.

use std::collections::VecDeque;

use crate::control::{LostSegment, RateSample};
use hopscope_core::units::{Span, Time};
use hopscope_packet::tcp::SackBlock;

/// One segment.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// When it left last.
    sent: Time,
    /// Its place among all that was sent: a burst leaves in one instant.
    order: u64,
    /// Times it was sent.
    copies: u32,
    /// Counted as delivered by a SACK block.
    sacked: bool,
    /// Given up, and not sent again yet.
    lost: bool,
    /// Delivered bytes, and the instant of the last delivery, when it left.
    delivered: u64,
    delivered_at: Time,
    /// When the first segment of the flight it belongs to left.
    first_sent: Time,
    /// The application had nothing more to send when it left.
    app_limited: bool,
    /// Bytes in flight once it had left, and bytes given up in all until then.
    in_flight: u64,
    marked_lost: u64,
}

/// The segment sent last of those that an ACK is the first to name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Newest {
    /// Its place among all that was sent.
    pub(super) order: u64,
    /// Time since it left.
    pub(super) rtt: Span,
    /// It was sent more than once.
    pub(super) again: bool,
}

/// What an ACK says about the segments it names.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct AckReport {
    /// Time since the newest segment left that this ACK is the first to name, if it was sent once.
    pub(super) rtt: Option<Span>,
    pub(super) rate: Option<RateSample>,
    /// Bytes this ACK is the first to name.
    pub(super) delivered: u64,
    /// Those among them that blocks name.
    pub(super) sacked: u64,
    pub(super) newest: Option<Newest>,
    /// Number after the highest segment named, and after the lowest one that was sent once.
    pub(super) highest: u64,
    pub(super) lowest_sent_once: Option<u64>,
}

/// The segments in flight. Numbers are sequence numbers; segments end at multiples of the MSS.
#[derive(Debug, Clone)]
pub(super) struct SentLog {
    mss: u64,
    /// Number of the segment in the first slot, from 0.
    first: u64,
    slots: VecDeque<Slot>,
    /// Segments sent so far, repetitions included.
    order: u64,
    /// Bytes in the slots that a block has reported.
    sacked: u64,
    /// Bytes in flight: sent, not named by any ACK and not given up.
    flying: u64,
    /// Bytes given up in all.
    marked_lost: u64,
    /// Bytes known to have arrived, and when that was last heard.
    delivered: u64,
    delivered_at: Time,
    /// When the flight being measured began.
    first_sent: Time,
    /// Samples up to this number of delivered bytes are limited by the application.
    app_limited_until: u64,
}

impl SentLog {
    pub(super) fn new(mss: u64, max_window: u64) -> Self {
        SentLog {
            mss,
            first: 0,
            slots: VecDeque::with_capacity(max_window.min(4096) as usize + 1),
            order: 0,
            sacked: 0,
            flying: 0,
            marked_lost: 0,
            delivered: 0,
            delivered_at: Time::ZERO,
            first_sent: Time::ZERO,
            app_limited_until: 0,
        }
    }

    /// Bytes known to have arrived.
    pub(super) fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Bytes above the cumulative ACK known to have arrived.
    pub(super) fn sacked(&self) -> u64 {
        self.sacked
    }

    /// The segment at `seq` leaves, first time or again; `idle`: nothing else is in flight.
    pub(super) fn on_sent(&mut self, seq: u64, idle: bool, now: Time) {
        // A pause belongs to no rate: the flight that is measured begins here.
        if idle {
            self.first_sent = now;
            self.delivered_at = now;
        }
        let at = ((seq - 1) / self.mss).saturating_sub(self.first) as usize;
        while self.slots.len() <= at {
            self.slots.push_back(Slot::default());
        }
        let slot = &mut self.slots[at];
        // A repetition of what is still in flight puts no more in flight; one of what was given up does.
        if !slot.sacked && (slot.copies == 0 || slot.lost) {
            self.flying += self.mss;
        }
        self.order += 1;
        *slot = Slot {
            sent: now,
            order: self.order,
            copies: slot.copies + 1,
            sacked: slot.sacked,
            lost: false,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            app_limited: self.app_limited_until > self.delivered,
            in_flight: self.flying,
            marked_lost: self.marked_lost,
        };
    }

    /// The application has nothing to send and `in_flight` bytes are under way.
    pub(super) fn on_app_limited(&mut self, in_flight: u64) {
        // Until what is under way now has come, samples show how little there was to send.
        self.app_limited_until = self.delivered + in_flight.max(1);
    }

    /// An ACK of everything below `ack` (`all`: of everything sent), with blocks above it.
    pub(super) fn on_ack(&mut self, ack: u64, all: bool, blocks: &[SackBlock], now: Time) -> AckReport {
        let mut report = AckReport::default();
        let mut newest: Option<Slot> = None;
        let below = (ack.saturating_sub(1) / self.mss).saturating_sub(self.first).min(self.slots.len() as u64);
        for _ in 0..if all { self.slots.len() as u64 } else { below } {
            if let Some(slot) = self.slots.pop_front() {
                self.first += 1;
                let end = 1 + self.first * self.mss;
                if slot.sacked {
                    self.sacked -= self.mss;
                } else {
                    self.name(&slot, end, &mut newest, &mut report);
                }
            }
        }
        if all {
            self.first = ack.saturating_sub(1) / self.mss; // a short last segment leaves its slot to what follows
        }
        let below = report.delivered;
        for block in blocks {
            // Only segments that a block holds as a whole count.
            let from = (block.start.saturating_sub(1)).div_ceil(self.mss).saturating_sub(self.first);
            let to = (block.end.saturating_sub(1) / self.mss).saturating_sub(self.first);
            for at in from..to.min(self.slots.len() as u64) {
                let slot = self.slots[at as usize];
                if !slot.sacked && slot.copies > 0 {
                    self.slots[at as usize].sacked = true;
                    self.sacked += self.mss;
                    self.name(&slot, 1 + (self.first + at + 1) * self.mss, &mut newest, &mut report);
                }
            }
        }
        report.sacked = report.delivered - below;
        let Some(slot) = newest else { return report };
        self.delivered += report.delivered;
        self.delivered_at = now;
        let rtt = now.saturating_since(slot.sent);
        let again = slot.copies > 1;
        report.rtt = (!again).then_some(rtt);
        report.newest = Some(Newest { order: slot.order, rtt, again });
        self.first_sent = slot.sent;
        let sending = slot.sent.saturating_since(slot.first_sent);
        // The longer of the two: ACKs that were held back and come together must not show a rate above that of sending.
        let interval = sending.max(now.saturating_since(slot.delivered_at));
        if interval > Span::ZERO {
            report.rate = Some(RateSample {
                bytes: self.delivered - slot.delivered,
                interval,
                prior_delivered: slot.delivered,
                app_limited: slot.app_limited,
                in_flight: slot.in_flight,
                lost: self.marked_lost - slot.marked_lost,
            });
        }
        report
    }

    /// An ACK is the first to name this segment.
    fn name(&mut self, slot: &Slot, end: u64, newest: &mut Option<Slot>, report: &mut AckReport) {
        if slot.copies == 0 {
            return;
        }
        if !slot.lost {
            self.flying -= self.mss;
        }
        report.delivered += self.mss;
        report.highest = report.highest.max(end);
        if slot.copies == 1 {
            report.lowest_sent_once = Some(report.lowest_sent_once.map_or(end, |low| low.min(end)));
        }
        // By the order of sending, since a burst leaves in one instant and a repetition has a low number.
        if newest.is_none_or(|found| slot.order > found.order) {
            *newest = Some(*slot);
        }
    }

    // What recovery asks and declares (RFC 8985).

    /// Bytes in flight: sent, not named by any ACK and not given up.
    pub(super) fn flying(&self) -> u64 {
        self.flying
    }

    /// Start of the first segment given up and not sent again.
    pub(super) fn first_lost(&self) -> Option<u64> {
        let at = self.slots.iter().position(|slot| slot.lost && !slot.sacked)?;
        Some(1 + (self.first + at as u64) * self.mss)
    }

    /// The place, among all that was sent, of the first segment in flight.
    pub(super) fn first_flying(&self) -> Option<u64> {
        self.slots.iter().find(|slot| !slot.lost && !slot.sacked).map(|slot| slot.order)
    }

    /// Gives up the segments in flight that `is_lost` condemns by the time they left and their place among all that was
    /// sent, and calls `note` with each; true if any.
    pub(super) fn lose(
        &mut self,
        mut is_lost: impl FnMut(Time, u64) -> bool,
        mut note: impl FnMut(&LostSegment),
    ) -> bool {
        let before = self.flying;
        for (at, slot) in self.slots.iter_mut().enumerate() {
            let flying = !slot.sacked && !slot.lost && slot.copies > 0;
            let end = 1 + (self.first + at as u64 + 1) * self.mss;
            if flying && is_lost(slot.sent, slot.order) {
                slot.lost = true;
                self.flying -= self.mss;
                self.marked_lost += self.mss;
                note(&LostSegment {
                    start: end - self.mss,
                    end,
                    in_flight: slot.in_flight,
                    lost: self.marked_lost - slot.marked_lost,
                    app_limited: slot.app_limited,
                });
            }
        }
        self.flying < before
    }

    /// What was given up and not sent again is in flight after all.
    pub(super) fn find_again(&mut self) {
        for slot in self.slots.iter_mut().filter(|slot| slot.lost && !slot.sacked) {
            slot.lost = false;
            self.flying += self.mss;
        }
    }

    /// Gives up the first segment in flight, and calls `note` with it.
    pub(super) fn lose_first(&mut self, note: impl FnMut(&LostSegment)) {
        let mut first = true;
        self.lose(|_, _| std::mem::take(&mut first), note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn at(ms: u64) -> Time {
        Time(ms * MS)
    }

    #[test]
    fn round_trip_times_come_from_the_newest_segment_sent_once() {
        let mut log = SentLog::new(100, 8);
        log.on_sent(1, true, at(0));
        log.on_sent(101, false, at(10));
        log.on_sent(201, false, at(20));
        assert_eq!(log.on_ack(201, false, &[], at(60)).rtt, Some(Span::from_millis(50)));
        log.on_sent(201, false, at(70));
        assert_eq!(log.on_ack(301, false, &[], at(90)).rtt, None, "sent twice");
        assert_eq!(log.delivered(), 300);
    }

    #[test]
    fn the_delivery_rate_is_that_of_the_slower_of_sending_and_acknowledging() {
        let mut log = SentLog::new(100, 8);
        for n in 0..4 {
            log.on_sent(1 + 100 * n, n == 0, at(0)); // a burst
        }
        log.on_ack(101, false, &[], at(100));
        log.on_sent(401, false, at(100));
        log.on_ack(201, false, &[], at(110));
        log.on_ack(301, false, &[], at(120));
        log.on_ack(401, false, &[], at(130));
        let rate = log.on_ack(501, false, &[], at(200)).rate.expect("a sample");
        // Sent at 100 ms with 100 bytes delivered; 500 delivered 100 ms later.
        assert_eq!((rate.bytes, rate.interval, rate.prior_delivered), (400, Span::from_millis(100), 100));
        assert!(!rate.app_limited);
    }

    #[test]
    fn a_selective_block_counts_once() {
        let mut log = SentLog::new(100, 8);
        for n in 0..4 {
            log.on_sent(1 + 100 * n, n == 0, at(n));
        }
        let block = SackBlock { start: 201, end: 301 };
        let report = log.on_ack(1, false, &[block], at(50));
        assert_eq!((report.delivered, report.rtt), (100, Some(Span::from_millis(48))));
        assert_eq!(log.on_ack(1, false, &[block], at(51)), AckReport::default());
        assert_eq!(log.on_ack(401, false, &[], at(60)).delivered, 300);
        assert_eq!(log.delivered(), 400);
    }

    #[test]
    fn samples_limited_by_the_application_say_so() {
        let mut log = SentLog::new(100, 8);
        log.on_app_limited(0);
        log.on_sent(1, true, at(0));
        assert!(log.on_ack(101, false, &[], at(40)).rate.expect("a sample").app_limited);
        log.on_sent(101, true, at(40));
        assert!(!log.on_ack(201, false, &[], at(80)).rate.expect("a sample").app_limited);
    }

    #[test]
    fn what_flies_is_neither_named_nor_given_up() {
        let mut log = SentLog::new(100, 8);
        for n in 0..5 {
            log.on_sent(1 + 100 * n, n == 0, at(n));
        }
        assert_eq!((log.flying(), log.first_flying()), (500, Some(1)));
        log.on_ack(1, false, &[SackBlock { start: 201, end: 401 }], at(50));
        assert_eq!((log.flying(), log.sacked(), log.first_lost()), (300, 200, None));
        assert!(log.lose(|sent, _| sent <= at(1), |_| ()));
        assert_eq!((log.flying(), log.first_lost(), log.first_flying()), (100, Some(1), Some(5)));
        assert!(!log.lose(|sent, _| sent <= at(1), |_| ()), "given up already");
        log.on_sent(1, false, at(60));
        assert_eq!((log.flying(), log.first_lost()), (200, Some(101)));
        let report = log.on_ack(101, false, &[], at(90));
        assert_eq!(report.newest, Some(Newest { order: 6, rtt: Span::from_millis(30), again: true }));
        assert_eq!((report.rtt, report.lowest_sent_once), (None, None));
        log.lose_first(|_| ());
        assert_eq!((log.flying(), log.first_lost()), (0, Some(101)));
        log.on_ack(480, true, &[], at(99));
        assert_eq!((log.flying(), log.sacked(), log.first_lost()), (0, 0, None));
        log.on_sent(480, true, at(100)); // goes on in the middle of a slot
        log.lose_first(|_| ());
        assert_eq!(log.first_lost(), Some(401));
    }

    #[test]
    fn what_is_given_up_is_reported_with_what_was_in_flight() {
        let mut log = SentLog::new(100, 8);
        for n in 0..4 {
            log.on_sent(1 + 100 * n, n == 0, at(n));
        }
        let mut reported = Vec::new();
        log.lose(|_, order| order <= 2, |lost| reported.push((lost.start, lost.end, lost.in_flight, lost.lost)));
        assert_eq!(reported, [(1, 101, 100, 100), (101, 201, 200, 200)]);
        log.on_sent(1, false, at(50));
        let rate = log.on_ack(401, false, &[], at(90)).rate.expect("a sample");
        assert_eq!(
            (rate.in_flight, rate.lost),
            (300, 0),
            "the repetition left last: two others flew, none is lost since"
        );
        log.on_sent(401, true, at(100));
        log.on_sent(501, false, at(101));
        log.lose_first(|lost| assert_eq!((lost.start, lost.lost), (401, 100)));
        let rate = log.on_ack(401, false, &[SackBlock { start: 501, end: 601 }], at(150)).rate.expect("a sample");
        assert_eq!((rate.in_flight, rate.lost), (200, 100));
    }
}
