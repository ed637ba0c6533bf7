//! Delay over one direction of a wire that differs from packet to packet: jitter, and packets that leave their order.
//!
//! The words are those of Linux's `tc-netem(8)`, with two differences. Jitter is added to the delay, which stays the
//! least: it is drawn evenly from zero up to its bound (the delay variation of RFC 3393 then lies within the bound). And
//! jitter alone leaves the order as it is, as a queue on the way would; packets pass each other where that is asked for.

use crate::config::WireConfig;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};

/// What makes the delays of packets differ.
#[derive(Debug)]
pub(super) struct Variation {
    jitter: Span,
    /// Jitter lets packets pass each other.
    overtakes: bool,
    /// Probability that a packet leaves its order.
    reorder: f64,
    /// How much longer it takes; zero: it takes no delay.
    held_back: Span,
    /// When the last packet that keeps the order arrives.
    last: Time,
    /// What jitter draws.
    jitters: Stream,
    /// Who leaves the order.
    leaves: Stream,
}

impl Variation {
    /// That of one direction of a wire; `number` names its random streams. None where every packet takes the delay.
    pub(super) fn new(wire: &WireConfig, (seed, number): (u64, u64)) -> Option<Box<Self>> {
        let differs = wire.jitter > Span::ZERO || wire.reorder > 0.0;
        differs.then(|| {
            Box::new(Variation {
                jitter: wire.jitter,
                overtakes: wire.jitter_reorders,
                reorder: wire.reorder,
                held_back: wire.reorder_delay,
                last: Time::ZERO,
                jitters: Stream::derive(seed, 0, number, Purpose::WireJitter),
                leaves: Stream::derive(seed, 0, number, Purpose::WireReorder),
            })
        })
    }

    /// When the packet whose last bit leaves now arrives, on a wire of this delay.
    pub(super) fn arrival(&mut self, now: Time, delay: Span) -> Time {
        let leaves = self.reorder > 0.0 && self.leaves.uniform() < self.reorder;
        // Drawn for every packet, so that who leaves the order changes nobody else's delay.
        let usual = now + delay + self.draw();
        match (leaves, self.held_back) {
            (true, Span::ZERO) => now,
            (true, held_back) => usual + held_back,
            (false, _) if self.overtakes => usual,
            (false, _) => {
                // A packet of its own for each instant: at the same one, their order would not be that of sending.
                self.last = usual.max(self.last + Span(1));
                self.last
            }
        }
    }

    fn draw(&mut self) -> Span {
        match self.jitter.0 {
            0 => Span::ZERO,
            most => Span((self.jitters.uniform() * (most as f64 + 1.0)) as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY: Span = Span::from_millis(10);
    /// A packet leaves every millisecond.
    const PACKETS: u64 = 20_000;

    /// What each packet of one direction takes, in ns.
    fn delays(number: u64, change: impl FnOnce(&mut WireConfig)) -> Vec<u64> {
        let mut wire = WireConfig::between([0, 1], 1_000_000, DELAY, 1);
        change(&mut wire);
        let mut variation = Variation::new(&wire, (7, number)).expect("delays differ");
        (1..=PACKETS)
            .map(|n| Time(n * 1_000_000))
            .map(|now| variation.arrival(now, DELAY).saturating_since(now).0)
            .collect()
    }

    fn arrivals(delays: &[u64]) -> Vec<u64> {
        delays.iter().zip(1..).map(|(&delay, n)| n * 1_000_000 + delay).collect()
    }

    #[test]
    fn a_wire_of_one_delay_has_none() {
        let wire = WireConfig { reorder_delay: DELAY, ..WireConfig::between([0, 1], 1, DELAY, 1) };
        assert!(Variation::new(&wire, (1, 0)).is_none());
    }

    #[test]
    fn jitter_is_even_and_free_where_it_may_reorder() {
        let found = delays(0, |wire| (wire.jitter, wire.jitter_reorders) = (Span::from_millis(4), true));
        assert!(found.iter().all(|delay| (10_000_000..=14_000_000).contains(delay)));
        // Quarters of the range, chi-square with 3 degrees of freedom: 16.3 is the 0.1 % point; the seed is fixed.
        let mut quarters = [0_u32; 4];
        found.iter().for_each(|delay| quarters[((delay - 10_000_000) / 1_000_000).min(3) as usize] += 1);
        let chi2: f64 = quarters.iter().map(|&n| (f64::from(n) - 5_000.0).powi(2) / 5_000.0).sum();
        assert!(chi2 < 16.3, "{quarters:?}");
        let at = arrivals(&found);
        // Of two packets 1 ms apart the second is first with probability (3/4)^2 / 2.
        let passed = at.windows(2).filter(|pair| pair[0] > pair[1]).count() as f64 / PACKETS as f64;
        assert!((passed - 0.281_25).abs() < 0.02, "{passed}");
    }

    #[test]
    fn jitter_alone_keeps_the_order() {
        let found = delays(0, |wire| wire.jitter = Span::from_millis(4));
        assert!(arrivals(&found).windows(2).all(|pair| pair[0] < pair[1]));
        assert!(found.iter().all(|delay| (10_000_000..=14_000_000 + 4).contains(delay)));
        assert_ne!(found, delays(1, |wire| wire.jitter = Span::from_millis(4)), "each direction draws its own");
    }

    #[test]
    fn some_are_held_back_or_let_past() {
        let held = delays(0, |wire| (wire.reorder, wire.reorder_delay) = (0.1, Span::from_millis(5)));
        let past = delays(0, |wire| wire.reorder = 0.1);
        assert!(held.iter().all(|&delay| delay == 10_000_000 || delay == 15_000_000));
        assert!(past.iter().all(|&delay| delay == 10_000_000 || delay == 0));
        let of = |delays: &[u64], what| delays.iter().map(|&delay| delay == what).collect::<Vec<_>>();
        assert_eq!(of(&held, 15_000_000), of(&past, 0), "the same packets");
        // 2000 of 20,000, within four standard deviations.
        let count = of(&past, 0).iter().filter(|&&leaves| leaves).count();
        assert!((2_000 - 170..=2_000 + 170).contains(&count), "{count}");
    }

    #[test]
    fn who_leaves_the_order_changes_nobody_elses_delay() {
        let jitter = |wire: &mut WireConfig| (wire.jitter, wire.jitter_reorders) = (Span::from_millis(4), true);
        let usual = delays(0, jitter);
        let some = delays(0, |wire| {
            jitter(wire);
            wire.reorder = 0.1;
        });
        assert!(usual.iter().zip(&some).all(|(usual, some)| some == usual || *some == 0));
    }
}
