//! CoDel (RFC 8289): a queue is too long when its packets have waited too long for too long.

use super::FairRules;
use hopscope_core::units::{Span, Time};

/// CoDel's state for one queue.
#[derive(Debug, Clone)]
pub struct Codel {
    target: Span,
    interval: Span,
    /// When the waiting time will have been above the target for an interval.
    first_above: Option<Time>,
    dropping: bool,
    drop_next: Time,
    count: u32,
    last_count: u32,
}

/// A recent dropping state is resumed within so many intervals (RFC 8289).
const RESUME_INTERVALS: u64 = 16;

impl Codel {
    /// CoDel at an empty queue.
    pub fn new(rules: &FairRules) -> Self {
        Codel {
            target: rules.target,
            interval: rules.interval,
            first_above: None,
            dropping: false,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
        }
    }

    /// True when the packet at the head, which has waited for `sojourn`, is to be marked or dropped; `last`: no other waits behind it.
    pub fn marks(&mut self, sojourn: Span, last: bool, now: Time) -> bool {
        let too_long = self.is_too_long(sojourn, last, now);
        if !self.dropping {
            if !too_long {
                return false;
            }
            self.dropping = true;
            // A queue that comes back soon goes on near the rate that had controlled it (RFC 8289).
            let dropped = self.count - self.last_count;
            let recent = now.saturating_since(self.drop_next) < self.interval * RESUME_INTERVALS;
            self.count = if dropped > 1 && recent { dropped } else { 1 };
            self.last_count = self.count;
            self.drop_next = self.after(now);
            return true;
        }
        if !too_long {
            self.dropping = false;
            return false;
        }
        if now < self.drop_next {
            return false;
        }
        self.count += 1;
        // From when it was due, not from now: packets that leave seldom do not slow the law down.
        self.drop_next = self.after(self.drop_next);
        true
    }

    /// The queue ran empty.
    pub fn on_empty(&mut self) {
        self.first_above = None;
        self.dropping = false;
    }

    fn is_too_long(&mut self, sojourn: Span, last: bool, now: Time) -> bool {
        // The last packet causes no delay to others, and dropping it would leave the link idle.
        if sojourn < self.target || last {
            self.first_above = None;
            return false;
        }
        let above = *self.first_above.get_or_insert(now + self.interval);
        now >= above
    }

    /// The control law: the time between drops falls with the square root of their number.
    fn after(&self, at: Time) -> Time {
        at + Span((self.interval.0 as f64 / f64::from(self.count).sqrt()) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const RULES: FairRules =
        FairRules { target: Span::from_millis(5), interval: Span::from_millis(100), quantum: 1_514, queues: 1_024 };

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// Instants (ms) at which packets are marked when one leaves every millisecond after this waiting time.
    fn marks(codel: &mut Codel, from: u64, to: u64, sojourn_ms: u64) -> Vec<u64> {
        let sojourn = Span::from_millis(sojourn_ms);
        (from..to).filter(|&ms| codel.marks(sojourn, false, at(ms))).collect()
    }

    #[test]
    fn drops_come_faster_and_faster_after_an_interval_above_the_target() {
        let mut codel = Codel::new(&RULES);
        // The first after 100 ms, then 100, 100/sqrt 2, 100/sqrt 3 ... later.
        assert_eq!(marks(&mut codel, 0, 450, 20), [100, 200, 271, 329, 379, 424]);
    }

    #[test]
    fn a_short_queue_is_left_alone_and_ends_the_dropping() {
        let mut codel = Codel::new(&RULES);
        assert!(marks(&mut codel, 0, 1000, 4).is_empty());
        assert_eq!(marks(&mut codel, 1000, 1250, 20), [1100, 1200]);
        assert!(!codel.marks(Span::from_millis(2), false, at(1251)));
        // Back within 16 intervals with one drop fewer than the last time.
        assert_eq!(marks(&mut codel, 1252, 1400, 20), [1352]);
        assert!(!codel.marks(Span::from_millis(50), true, at(1500)), "the last packet is never dropped");
    }

    /// The pseudocode of RFC 8289 5, which drops within one call until a packet is left that goes: packets with the instants at
    /// which they have come, one taken at a time. Its `maxpacket` is one packet here.
    #[derive(Default)]
    struct Rfc {
        queue: std::collections::VecDeque<u64>,
        first_above: u64,
        drop_next: f64,
        count: u32,
        last_count: u32,
        dropping: bool,
    }

    impl Rfc {
        fn do_dequeue(&mut self, now: u64) -> (Option<u64>, bool) {
            let Some(came) = self.queue.pop_front() else {
                self.first_above = 0;
                return (None, false);
            };
            let mut ok_to_drop = false;
            if now - came < 5_000_000 || self.queue.is_empty() {
                self.first_above = 0;
            } else if self.first_above == 0 {
                self.first_above = now + 100_000_000;
            } else if now >= self.first_above {
                ok_to_drop = true;
            }
            (Some(came), ok_to_drop)
        }

        fn law(at: f64, count: u32) -> f64 {
            at + (100_000_000.0 / f64::from(count).sqrt()).floor()
        }

        /// Packets dropped before the one that goes.
        fn dequeue(&mut self, now: u64) -> u32 {
            let mut dropped = 0;
            let (packet, mut ok_to_drop) = self.do_dequeue(now);
            if self.dropping {
                if !ok_to_drop {
                    self.dropping = false;
                }
                while now as f64 >= self.drop_next && self.dropping {
                    dropped += 1;
                    self.count += 1;
                    (_, ok_to_drop) = self.do_dequeue(now);
                    if ok_to_drop {
                        self.drop_next = Self::law(self.drop_next, self.count);
                    } else {
                        self.dropping = false;
                    }
                }
            } else if packet.is_some() && ok_to_drop {
                dropped += 1;
                self.do_dequeue(now);
                self.dropping = true;
                let delta = self.count - self.last_count;
                let recent = now as f64 - self.drop_next < 16.0 * 100_000_000.0;
                self.count = if delta > 1 && recent { delta } else { 1 };
                self.drop_next = Self::law(now as f64, self.count);
                self.last_count = self.count;
            }
            dropped
        }
    }

    proptest! {
        /// Bursts of packets, of which one leaves at a time, hundreds of microseconds apart; then a pause.
        #[test]
        fn drops_are_those_of_the_pseudocode(bursts in vec((1u64..400, 100u64..4_000, 0u64..3), 1..8)) {
            let (mut codel, mut rfc) = (Codel::new(&RULES), Rfc::default());
            let mut queue = std::collections::VecDeque::new();
            let mut now = 1;
            for (packets, gap_us, pause) in bursts {
                for _ in 0..packets {
                    queue.push_back(now);
                    rfc.queue.push_back(now);
                }
                while !queue.is_empty() {
                    now += gap_us * 1_000;
                    let mut dropped = 0;
                    while let Some(came) = queue.pop_front() {
                        if !codel.marks(Span(now - came), queue.is_empty(), Time(now)) {
                            break;
                        }
                        dropped += 1;
                    }
                    prop_assert_eq!(rfc.dequeue(now), dropped, "at {} ns", now);
                }
                // Within 16 intervals of the last drop or well behind them.
                now += [1_000_000, 600_000_000, 4_000_000_000][pause as usize];
            }
        }
    }
}
