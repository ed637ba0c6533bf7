//! The receiver of TFRC (RFC 4342 6, 10.3): it reports a loss event rate and the rate at which payload comes, once a
//! round trip and at every new loss event.
//!
//! How long a round trip lasts is read from the window counter, which the sender advances each quarter of one (RFC 4342
//! 8.1).

use std::collections::VecDeque;

use super::intervals::LossIntervals;
use super::{DEFAULT_RTT, Feedback, LOSS_INTERVALS, equation};
use crate::config::{DccpConfig, DccpControl};
use hopscope_core::units::{Span, Time};
use hopscope_packet::dccp::DccpPacket;

/// Values of the window counter.
const COUNTERS: u8 = 16;
/// Steps of the counter in a round trip.
const ROUND: u8 = 4;
/// A counter this far behind is one of late packets.
const LATE: u8 = 8;
/// Weight of what is known of the round trip against a new sample.
const KEPT: f64 = 0.9;
/// Intervals that a Loss Intervals option should hold (RFC 4342 8.6): the open one and the eight that count.
const INTERVALS_REPORTED: usize = 9;
/// Octets of an interval.
const PER_INTERVAL: usize = 9;
/// Packet size of the equation for small packets (RFC 5622 5), bytes.
pub const NOMINAL: f64 = 1_460.0;

/// What a receiver knows.
#[derive(Debug)]
pub struct Receiver {
    losses: LossIntervals,
    /// Packets are thought to be of the nominal size.
    is_small: bool,
    reports_intervals: bool,
    /// Estimated round trip in s.
    rtt: Option<f64>,
    /// When each of the newest values of the counter was seen first, newest first.
    counters: VecDeque<(u8, Time)>,
    /// Payload that has come, oldest first, as far back as a rate may ask.
    arrivals: VecDeque<(Time, u32)>,
    /// The newest feedback, and the counter then.
    feedback: Option<(Time, u8)>,
    is_due: bool,
    /// Newest rate, bytes/s.
    receive_rate: f64,
    /// Payload of the newest packet with data, bytes.
    size: u32,
}

impl Receiver {
    /// The receiver of a control that goes by rate.
    pub fn new(control: DccpControl, cfg: &DccpConfig) -> Option<Self> {
        let is_small = match control {
            DccpControl::Ccid2 | DccpControl::Adhoc => return None,
            DccpControl::Ccid3 => false,
            DccpControl::Ccid4 => true,
        };
        Some(Receiver {
            losses: LossIntervals::new(cfg.tfrc_discounting, is_small),
            is_small,
            reports_intervals: cfg.tfrc_loss_intervals,
            rtt: None,
            counters: VecDeque::new(),
            arrivals: VecDeque::new(),
            feedback: None,
            is_due: false,
            receive_rate: 0.0,
            size: 0,
        })
    }

    /// A packet that had not come before.
    pub fn on_packet(&mut self, packet: &DccpPacket, is_marked: bool, now: Time) {
        // First: the round trip that the counter shows counts for this packet already.
        self.count(packet.ccval % COUNTERS, now);
        if packet.is_data() {
            self.size = packet.len;
            self.arrivals.push_back((now, packet.len));
        }
        let (rtt, rate) = (self.round_trip(), self.rate_until(now));
        let size = if self.is_small { NOMINAL } else { f64::from(self.size) };
        // The rate may have been twice what the way carries (RFC 5348 6.3.1).
        let target = (rate / 2.0).max(0.5 * size / rtt.as_secs());
        let first = || 1.0 / equation::loss_event_rate(size.max(1.0), rtt.as_secs(), target);
        let is_new = self.losses.on_packet(packet.seq, is_marked, now, rtt, &first);
        let has_turned = |feedback: u8| (ROUND..LATE).contains(&steps(feedback, packet.ccval));
        let is_round = packet.is_data() && self.feedback.is_none_or(|(_, feedback)| has_turned(feedback));
        self.is_due |= is_new || is_round;
    }

    /// Feedback is due now.
    pub fn is_due(&self) -> bool {
        self.is_due
    }

    /// The estimated round trip.
    pub fn round_trip(&self) -> Span {
        self.rtt.map_or(DEFAULT_RTT, Span::from_secs_f64)
    }

    /// Feedback leaves with this packet, whose last octets stay free for other options.
    pub fn write(&mut self, packet: &mut DccpPacket, reserved: usize, now: Time) {
        self.receive_rate = self.rate_until(now);
        self.feedback = Some((now, self.counters.front().map_or(0, |(counter, _)| *counter)));
        self.is_due = false;
        // A later rate goes back to this feedback or a round trip, whichever is longer: what is older serves no more.
        let oldest = now.saturating_since(Time::ZERO).saturating_sub(self.round_trip());
        while self.arrivals.front().is_some_and(|(at, _)| at.0 <= oldest.0) {
            self.arrivals.pop_front();
        }
        Feedback { p: self.losses.rate(), receive_rate: self.receive_rate }.write(packet);
        if self.reports_intervals {
            self.write_intervals(packet, reserved);
        }
    }

    /// As many intervals as there is room for, newest first: Skip Length, then packets without loss, packets up to the
    /// last one lost, and data packets of each.
    fn write_intervals(&self, packet: &mut DccpPacket, reserved: usize) {
        let room = packet.room().saturating_sub(reserved + 3) / PER_INTERVAL;
        let skip = self.losses.undecided().min(u64::from(u8::MAX));
        let Some((open, lossy)) = self.losses.newest().filter(|_| room > 0) else { return };
        let mut content = [0; 1 + INTERVALS_REPORTED * PER_INTERVAL];
        content[0] = skip as u8;
        let closed = self.losses.closed().map(|interval| (interval.packets, interval.lossy));
        let mut bytes = 1;
        for (packets, lossy) in std::iter::once((open, lossy)).chain(closed).take(room.min(INTERVALS_REPORTED)) {
            let whole = packets as u64;
            for number in [whole.saturating_sub(lossy), lossy, whole] {
                content[bytes..bytes + 3].copy_from_slice(&(number as u32).to_be_bytes()[1..]);
                bytes += 3;
            }
        }
        packet.push_option(LOSS_INTERVALS, &content[..bytes]);
    }

    /// Payload of the newest round trip, or since the newest feedback where that is longer ago, by its length (RFC 4342
    /// 8.3).
    fn rate_until(&self, now: Time) -> f64 {
        let Some((feedback, _)) = self.feedback else { return 0.0 };
        // A new loss event brings feedback early: less than a round trip is too short to measure a rate over.
        let since = now.saturating_since(feedback).max(self.round_trip());
        let from = now.0.saturating_sub(since.0);
        let newest = self.arrivals.iter().rev().take_while(|(at, _)| at.0 > from);
        newest.map(|(_, bytes)| f64::from(*bytes)).sum::<f64>() / since.as_secs()
    }

    /// Follows the window counter. Four steps are a round trip; a counter that has gone further in one packet says only
    /// that the packet comes late.
    fn count(&mut self, counter: u8, now: Time) {
        if let Some(&(newest, _)) = self.counters.front() {
            let ahead = steps(newest, counter);
            if ahead == 0 || ahead >= LATE {
                return;
            }
            if ahead > ROUND {
                self.counters.clear();
            }
        }
        let begun = self.counters.iter().find(|(old, _)| steps(*old, counter) == ROUND);
        if let Some(sample) = begun.map(|(_, at)| now.saturating_since(*at).as_secs()).filter(|sample| *sample > 0.0) {
            self.rtt = Some(self.rtt.map_or(sample, |rtt| KEPT * rtt + (1.0 - KEPT) * sample));
        }
        self.counters.push_front((counter, now));
        self.counters.truncate(usize::from(ROUND) + 1);
    }
}

/// Steps of the counter from one value to another.
fn steps(from: u8, to: u8) -> u8 {
    (to + COUNTERS - from) % COUNTERS
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_packet::dccp::Seq;

    const MS: u64 = 1_000_000;

    fn receiver() -> Receiver {
        Receiver::new(DccpControl::Ccid3, &DccpConfig::default()).expect("it goes by rate")
    }

    /// Data with this number, 1,000 bytes, one each 5 ms; the counter steps each 25 ms: a round trip of 100 ms.
    fn come(receiver: &mut Receiver, number: u64) {
        let (ccval, at) = ((number / 5 % 16) as u8, Time(number * 5 * MS));
        let packet = DccpPacket { seq: Seq::new(number), ccval, len: 1_000, ..DccpPacket::default() };
        receiver.on_packet(&packet, false, at);
    }

    fn feedback(receiver: &mut Receiver, at_ms: u64) -> DccpPacket {
        let mut packet = DccpPacket::default();
        receiver.write(&mut packet, 0, Time(at_ms * MS));
        packet
    }

    #[test]
    fn the_counter_reports_the_round_trip_and_when_to_report() {
        let mut receiver = receiver();
        let mut due = Vec::new();
        for number in 0..100 {
            come(&mut receiver, number);
            if receiver.is_due() {
                due.push(number);
                feedback(&mut receiver, number * 5);
            }
        }
        assert_eq!(due, [0, 20, 40, 60, 80], "at the first packet, then each four steps");
        assert_eq!(receiver.round_trip(), Span::from_millis(100));
    }

    #[test]
    fn the_rate_is_that_of_a_round_trip() {
        let mut receiver = receiver();
        (0..=40).for_each(|number| come(&mut receiver, number));
        assert_eq!(
            Feedback::read(&feedback(&mut receiver, 200)).map(|feedback| feedback.receive_rate),
            Some(0.0),
            "none before"
        );
        (41..=80).for_each(|number| come(&mut receiver, number));
        // 200 ms since: 40 packets.
        assert_eq!(
            Feedback::read(&feedback(&mut receiver, 400)).map(|feedback| feedback.receive_rate),
            Some(200_000.0)
        );
        (81..=83).for_each(|number| come(&mut receiver, number));
        // Sooner than a round trip: 20 packets of the newest 100 ms.
        assert_eq!(
            Feedback::read(&feedback(&mut receiver, 415)).map(|feedback| feedback.receive_rate),
            Some(200_000.0)
        );
    }

    #[test]
    fn a_loss_event_is_reported_at_once_with_its_intervals() {
        let mut receiver = receiver();
        (0..=40).for_each(|number| come(&mut receiver, number));
        feedback(&mut receiver, 200);
        for number in [41, 43, 44] {
            come(&mut receiver, number);
            assert!(!receiver.is_due(), "{number}");
        }
        come(&mut receiver, 45);
        assert!(receiver.is_due());
        let packet = feedback(&mut receiver, 225);
        let options: Vec<(u8, &[u8])> = packet.each_option().collect();
        assert_eq!(options.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), [192, 194, 193]);
        let intervals = options[2].1;
        assert_eq!(intervals[..10], [0, 0, 0, 3, 0, 0, 1, 0, 0, 4], "42 lost, 43 to 45 not: four packets");
        assert_eq!(intervals.len(), 1 + 2 * 9);
        // 100 ms, 19 packets of 1,000 bytes a round trip, half of it: the inverse of the equation.
        let p = equation::loss_event_rate(1_000.0, 0.1, 95_000.0);
        let feedback = Feedback::read(&packet).expect("reported");
        assert!((feedback.p / p - 1.0).abs() < 0.05, "{} {p}", feedback.p);
    }

    #[test]
    fn a_full_packet_reports_fewer_intervals() {
        let mut receiver = receiver();
        (0..2_000).filter(|n| n % 50 != 7).for_each(|number| come(&mut receiver, number));
        let mut packet = DccpPacket::default();
        receiver.write(&mut packet, 12, Time(10_000 * MS));
        let of = |packet: &DccpPacket| packet.each_option().find(|(kind, _)| *kind == 193).map(|(_, c)| c.len());
        assert_eq!(of(&packet), Some(1 + 9), "44 less 12 kept, 12 reported and 3");
        assert_eq!(of(&feedback(&mut receiver, 10_001)), Some(1 + 3 * 9));
    }
}
