//! The receiver's loss event rate (RFC 5348 5): packets lost within a round trip are one event, and the rate is one
//! over the weighted mean of the last eight intervals between events, older ones counting less while the newest is long
//! (5.5).

use std::collections::VecDeque;

use hopscope_core::units::{Span, Time};
use hopscope_packet::dccp::Seq;

/// Later packets that make a gap a loss (RFC 5348 5.1).
const LATER: u32 = 3;
/// Weights of the intervals, newest first (RFC 5348 5.4).
const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];
/// Least part of their weight that old intervals keep (RFC 5348 5.5).
const LEAST_DISCOUNT: f64 = 0.25;
/// Gaps that late packets may still fill; more are declared lost from the oldest on.
const MOST_GAPS: usize = 64;

/// Packets that have not come, and may still do.
#[derive(Debug, Clone, Copy)]
struct Gap {
    first: Seq,
    packets: u64,
    /// The packets on both sides and when they came: between them instants are interpolated (RFC 5348 5.2).
    before: (Seq, Time),
    after: (Seq, Time),
    /// Packets above it that have come.
    later: u32,
}

/// An interval from the first packet of one event to that of the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Packets, as the rate counts them.
    pub packets: f64,
    /// Packets up to the last one lost within a round trip.
    pub lossy: u64,
    /// What is left of its weight.
    discount: f64,
}

/// The event under way.
#[derive(Debug, Clone, Copy)]
struct Event {
    first: Seq,
    at: Time,
    last: Seq,
    /// Packets lost or marked in it.
    lost: u64,
}

impl Event {
    /// Packets from the first to the last one lost. Numbers half a circle away count as before the first.
    fn lossy(&self) -> u64 {
        self.last.since(self.first).max(0) as u64 + 1
    }
}

/// What is known of losses.
#[derive(Debug, Default)]
pub struct LossIntervals {
    newest: Option<(Seq, Time)>,
    gaps: VecDeque<Gap>,
    event: Option<Event>,
    /// Closed intervals, newest first.
    closed: VecDeque<Interval>,
    /// Old intervals lose weight while the newest one is long.
    discounts: bool,
    /// An interval of two round trips at most is divided by what was lost in it: for small packets (RFC 4828).
    divides_short: bool,
}

impl LossIntervals {
    /// Nothing has come.
    pub fn new(discounts: bool, divides_short: bool) -> Self {
        LossIntervals { discounts, divides_short, ..LossIntervals::default() }
    }

    /// A packet has come; true where it shows a new loss event. `first` gives the length of the interval before the
    /// first one.
    pub fn on_packet(&mut self, seq: Seq, marked: bool, now: Time, rtt: Span, first: &dyn Fn() -> f64) -> bool {
        let Some(newest) = self.newest else {
            self.newest = Some((seq, now));
            return false;
        };
        let ahead = seq.since(newest.0);
        // A late packet may take itself out of its gap before the gap is declared lost.
        if ahead <= 0 {
            self.fill(seq);
        }
        for gap in self.gaps.iter_mut().filter(|gap| seq.is_after(gap.first)) {
            gap.later += 1;
        }
        if ahead > 1 {
            let packets = ahead as u64 - 1;
            self.gaps.push_back(Gap { first: newest.0.plus(1), packets, before: newest, after: (seq, now), later: 1 });
        }
        if ahead > 0 {
            self.newest = Some((seq, now));
        }
        let mut is_new = false;
        while self.gaps.front().is_some_and(|gap| gap.later >= LATER) || self.gaps.len() > MOST_GAPS {
            let Some(gap) = self.gaps.pop_front() else { break };
            is_new |= self.on_gap(gap, rtt, first);
        }
        if marked {
            is_new |= self.on_loss(seq, now, 1, rtt, first);
        }
        is_new
    }

    /// The loss event rate; 0 before the first loss.
    pub fn rate(&self) -> f64 {
        let Some(open) = self.open() else { return 0.0 };
        let closed = self.mean(None);
        // The open interval counts only where it makes the rate of losses lower: it is not over yet (RFC 5348 5.4).
        let mean = closed.max(self.mean(Some((open, self.discount(open, closed)))));
        1.0 / mean.max(1.0)
    }

    /// Packets since the last event began, and those of them up to the last one lost; none before the first event.
    pub fn newest(&self) -> Option<(f64, u64)> {
        let event = self.event?;
        Some((self.open()?, event.lossy()))
    }

    /// Closed intervals, newest first.
    pub fn closed(&self) -> impl Iterator<Item = &Interval> {
        self.closed.iter()
    }

    /// Packets up to the newest one that may be part of a loss not declared yet.
    pub fn undecided(&self) -> u64 {
        let oldest = self.gaps.front().map(|gap| gap.first);
        oldest.zip(self.newest).map_or(0, |(oldest, (newest, _))| newest.since(oldest).max(0) as u64 + 1)
    }

    fn open(&self) -> Option<f64> {
        let (event, (newest, _)) = self.event.zip(self.newest)?;
        Some((newest.since(event.first) + 1) as f64)
    }

    /// What old intervals keep of their weight against an open one this long (RFC 5348 5.5).
    fn discount(&self, open: f64, closed: f64) -> f64 {
        if self.discounts && open > 2.0 * closed { (2.0 * closed / open).max(LEAST_DISCOUNT) } else { 1.0 }
    }

    /// Weighted mean of the intervals, with an open one in front and a discount of the others, or without.
    fn mean(&self, open: Option<(f64, f64)>) -> f64 {
        let discount = open.map_or(1.0, |(_, discount)| discount);
        let front = open.map(|(packets, _)| (packets, 1.0));
        let others = self.closed.iter().map(|interval| (interval.packets, interval.discount * discount));
        let (mut sum, mut weights) = (0.0, 0.0);
        for ((packets, part), weight) in front.into_iter().chain(others).zip(WEIGHTS) {
            sum += packets * weight * part;
            weights += weight * part;
        }
        if weights > 0.0 { sum / weights } else { 0.0 }
    }

    /// A late packet has come.
    fn fill(&mut self, seq: Seq) {
        let holds = |gap: &Gap| (0..gap.packets as i64).contains(&seq.since(gap.first));
        let Some(place) = self.gaps.iter().position(holds) else { return };
        let gap = self.gaps[place];
        let below = seq.since(gap.first) as u64;
        let above = Gap { first: seq.plus(1), packets: gap.packets - below - 1, ..gap };
        self.gaps[place].packets = below;
        if above.packets > 0 {
            self.gaps.insert(place + 1, above);
        }
        if below == 0 {
            self.gaps.remove(place);
        }
    }

    /// Packets are lost: the instants at which they would have come part them into events.
    fn on_gap(&mut self, gap: Gap, rtt: Span, first: &dyn Fn() -> f64) -> bool {
        let (before, steps) = (gap.before, gap.after.0.since(gap.before.0).max(1) as u128);
        let span = u128::from(gap.after.1.saturating_since(before.1).0);
        // Equation of RFC 5348 5.2: arrivals between the packets on both sides are spread evenly.
        let at = |seq: Seq| before.1 + Span((span * seq.since(before.0) as u128 / steps) as u64);
        let (mut seq, mut left, mut is_new) = (gap.first, gap.packets, false);
        while left > 0 {
            let begins = at(seq);
            let event = self.event.map(|event| event.at + rtt).filter(|ends| begins <= *ends);
            let ends = event.unwrap_or(begins + rtt).saturating_since(before.1);
            // The last packet that would have come by then, counted from the one before the gap.
            let last = ((u128::from(ends.0) + 1) * steps - 1).checked_div(span).unwrap_or(u128::MAX - 1);
            let together = (last + 1).saturating_sub(seq.since(before.0) as u128).clamp(1, u128::from(left)) as u64;
            is_new |= self.on_loss(seq, begins, together, rtt, first);
            (seq, left) = (seq.plus(together), left - together);
        }
        is_new
    }

    /// So many packets from this one on were lost, or one was marked: part of the event under way, or the first of a
    /// new one.
    fn on_loss(&mut self, seq: Seq, at: Time, packets: u64, rtt: Span, first: &dyn Fn() -> f64) -> bool {
        if let Some(event) = self.event.as_mut().filter(|event| at <= event.at + rtt) {
            event.last = event.last.latest(seq.plus(packets - 1));
            event.lost += packets;
            return false;
        }
        let interval = match self.event {
            None => Interval { packets: first(), lossy: 0, discount: 1.0 },
            Some(event) => {
                let whole = seq.since(event.first).max(1) as f64;
                let is_short = at.saturating_since(event.at) <= rtt * 2;
                let packets = if self.divides_short && is_short { whole / event.lost as f64 } else { whole };
                let discount = self.discount(packets, self.mean(None));
                for old in &mut self.closed {
                    old.discount *= discount;
                }
                Interval { packets, lossy: event.lossy(), discount: 1.0 }
            }
        };
        self.closed.push_front(interval);
        self.closed.truncate(WEIGHTS.len());
        self.event = Some(Event { first: seq, at, last: seq.plus(packets - 1), lost: packets });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(100);
    const MS: u64 = 1_000_000;

    /// Packets with these numbers come, one each 10 ms; gives the numbers of those that show a new event.
    fn shown(losses: &mut LossIntervals, from_ms: u64, numbers: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let mut now = from_ms;
        let mut step = |number: &u64| {
            now += 10;
            losses.on_packet(Seq::new(*number), false, Time(now * MS), RTT, &|| 40.0)
        };
        numbers.into_iter().filter(|number| step(number)).collect()
    }

    fn all() -> LossIntervals {
        LossIntervals::new(true, false)
    }

    fn lengths(losses: &LossIntervals) -> Vec<f64> {
        losses.closed().map(|interval| interval.packets).collect()
    }

    #[test]
    fn three_later_packets_make_a_loss_and_late_ones_undo_it() {
        let mut losses = all();
        assert_eq!(shown(&mut losses, 0, [1, 2, 4, 5, 6]), [6], "3 is lost with the third after it");
        assert_eq!((lengths(&losses), losses.rate()), (vec![40.0], 1.0 / 40.0));
        let mut late = all();
        assert_eq!(shown(&mut late, 0, [1, 2, 4, 5, 3, 6, 7, 8]), [0; 0]);
        assert_eq!(late.rate(), 0.0);
        let mut half = all();
        assert_eq!(shown(&mut half, 0, [1, 5, 3, 6]), [6], "2 and 4 are missing, 2 first");
        assert_eq!(half.newest(), Some((5.0, 1)), "4 has two later ones");
    }

    #[test]
    fn losses_within_a_round_trip_are_one_event() {
        let mut losses = all();
        // 10 and 18 are 80 ms apart, 10 and 40 300 ms.
        let numbers = (1..60).filter(|n| ![10, 18, 40].contains(n));
        assert_eq!(shown(&mut losses, 0, numbers), [13, 43]);
        assert_eq!(lengths(&losses), [30.0, 40.0]);
        assert_eq!(losses.closed().next().map(|interval| interval.lossy), Some(9), "10 to 18");
        assert_eq!(losses.newest(), Some((20.0, 1)));
    }

    #[test]
    fn a_long_silence_has_as_many_events_as_round_trips() {
        let mut losses = all();
        shown(&mut losses, 0, 1..=10);
        // 50 packets missing over a second.
        shown(&mut losses, 1_100, 61..=63);
        assert!((8..=10).contains(&lengths(&losses).len()), "{:?}", lengths(&losses));
        let sum: f64 = lengths(&losses).iter().take(4).sum();
        assert!((15.0..=27.0).contains(&sum), "{:?}", lengths(&losses));
    }

    #[test]
    fn an_event_that_goes_round_the_circle_overflows_nothing() {
        let mut losses = all();
        let circle = 1u64 << 48;
        let marked = [50, 100, 100 + circle / 5 * 2, 100 + circle / 5 * 4, 99, 150];
        for (number, at_ms) in marked.into_iter().zip([0, 1, 2, 3, 4, 1_000]) {
            losses.on_packet(Seq::new(number), true, Time(at_ms * MS), RTT, &|| 40.0);
        }
        assert_eq!(losses.closed().next().map(|interval| interval.lossy), Some(1), "99 comes before 100");
    }

    #[test]
    fn the_rate_is_one_over_the_weighted_mean() {
        let mut losses = all();
        // Every 50th of 2,000 is lost; the first interval is no longer among the eight.
        shown(&mut losses, 0, (1..=2_000).filter(|n| n % 50 != 0));
        assert_eq!(lengths(&losses), [50.0; 8]);
        assert!((losses.rate() - 0.02).abs() < 1e-9, "{}", losses.rate());
    }

    #[test]
    fn an_open_interval_counts_only_where_it_raises_the_mean_and_then_discounts_the_others() {
        let mut plain = LossIntervals::new(false, false);
        let mut losses = all();
        for history in [&mut plain, &mut losses] {
            shown(history, 0, (1..=1_000).filter(|n| n % 50 != 0));
            shown(history, 20_000, 1_001..1_300);
        }
        // Open: 300 from 1,000 on; seven closed ones of 50 behind it, with 5 of weight.
        let expected = |discount: f64| (300.0 + discount * 50.0 * 5.0) / (1.0 + discount * 5.0);
        assert!((1.0 / plain.rate() - expected(1.0)).abs() < 1.0, "{}", 1.0 / plain.rate());
        assert!((1.0 / losses.rate() - expected(100.0 / 300.0)).abs() < 1.0, "{}", 1.0 / losses.rate());
        // What was discounted stays so when the interval closes.
        shown(&mut losses, 30_000, (1_301..1_305).filter(|n| *n != 1_301));
        let oldest = losses.closed().last().expect("eight");
        assert!(oldest.discount < 0.4, "{oldest:?}");
    }

    #[test]
    fn a_mark_is_an_event_and_short_intervals_of_small_packets_count_by_losses() {
        let mut losses = all();
        shown(&mut losses, 0, 1..=5);
        assert!(losses.on_packet(Seq::new(6), true, Time(60 * MS), RTT, &|| 9.0));
        assert!(!losses.on_packet(Seq::new(7), true, Time(70 * MS), RTT, &|| 9.0), "the same round trip");
        let mut small = LossIntervals::new(true, true);
        shown(&mut small, 0, (1..60).filter(|n| ![10, 14, 18, 26].contains(n)));
        // 10 to 25 took 160 ms: 16 packets, three of them lost.
        assert_eq!(lengths(&small)[0], 16.0 / 3.0);
    }
}
