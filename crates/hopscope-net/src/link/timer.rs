//! Non-work-conserving scheduler (Yang, Seah and Yin, MobiHoc 2003): after each data packet the next one waits, the
//! longer the more this node has sent.

use crate::config::LinkConfig;
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};

/// The timer of one node.
#[derive(Debug)]
pub struct OutputTimer {
    window: Span,
    /// Share of time that this node's data takes on the air: packets of the current window, and of past ones.
    counted: Span,
    window_ends: Time,
    share: f64,
    /// The next data packet may go from then on.
    pub ready: Time,
}

/// Output rates, as shares of time, up to which the extra delay is 0, 1, 2 packet times; beyond the last it is 3. The
/// paper's own four values are not published.
const RATES: [f64; 3] = [0.10, 0.20, 0.35];
/// Weight of the newest window in the average.
const WEIGHT: f64 = 0.5;

impl OutputTimer {
    /// A node that has sent nothing.
    pub fn new(cfg: &LinkConfig) -> Self {
        let window_ends = Time::ZERO + cfg.timer_window;
        OutputTimer { window: cfg.timer_window, counted: Span::ZERO, window_ends, share: 0.0, ready: Time::ZERO }
    }

    /// A data packet whose exchange takes `exchange` without contention goes to the MAC.
    pub fn on_sent(&mut self, exchange: Span, now: Time, rng: &mut Stream) {
        if now >= self.window_ends {
            let share = self.counted.0 as f64 / self.window.0 as f64;
            self.share += WEIGHT * (share - self.share);
            // Windows that have passed since without a packet.
            let silent = (now - self.window_ends).0 / self.window.0;
            // After 2000 halvings nothing is left, and the exponent must fit.
            self.share *= (1.0 - WEIGHT).powi(silent.min(2_000) as i32);
            self.counted = Span::ZERO;
            self.window_ends += self.window * (silent + 1);
        }
        self.counted = self.counted + exchange;
        let step = RATES.iter().filter(|&&rate| self.share >= rate).count() as u64;
        let added = exchange * step;
        let random = Span((rng.uniform() * added.0 as f64) as u64);
        self.ready = now + exchange + added + random;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::rng::Purpose;

    #[test]
    fn the_delay_grows_with_the_output_rate() {
        let mut rng = Stream::derive(1, 0, 0, Purpose::Link);
        let exchange = Span::from_millis(10);
        // Packets a second, and the range of the waits in packet times after some seconds: 1 + step (+ up to step).
        for (rate, low, high) in [(5, 1.0, 1.0), (15, 2.0, 3.0), (30, 3.0, 5.0), (50, 4.0, 7.0)] {
            let mut timer = OutputTimer::new(&LinkConfig::default());
            let mut waits = Vec::new();
            for n in 0..rate * 20u64 {
                let now = Time::ZERO + Span(n * 1_000_000_000 / rate);
                timer.on_sent(exchange, now, &mut rng);
                waits.push((timer.ready - now).0 as f64 / exchange.0 as f64);
            }
            let late = &waits[waits.len() / 2..];
            assert!(late.iter().all(|w| (low - 1e-6..=high + 1e-6).contains(w)), "{rate}: {late:?}");
        }
    }

    #[test]
    fn a_long_silence_is_forgotten_window_by_window() {
        let mut rng = Stream::derive(1, 0, 0, Purpose::Link);
        let exchange = Span::from_millis(10);
        // Packets for 3 s and a silence, through every window and in one step.
        let share = |silence: u64, steps: bool, rng: &mut Stream| {
            let mut timer = OutputTimer::new(&LinkConfig::default());
            let mut instants: Vec<u64> = (0..300).map(|n| n * 10).collect();
            instants.push(3_000 + silence);
            for ms in instants {
                if steps && ms > 3_000 {
                    // What every single window does, as the definition has it.
                    while Time::ZERO + Span::from_millis(ms) >= timer.window_ends {
                        let share = timer.counted.0 as f64 / timer.window.0 as f64;
                        timer.share += WEIGHT * (share - timer.share);
                        timer.counted = Span::ZERO;
                        timer.window_ends += timer.window;
                    }
                }
                timer.on_sent(exchange, Time::ZERO + Span::from_millis(ms), rng);
            }
            (timer.share, timer.window_ends)
        };
        for silence in [1, 999, 1_000, 1_001, 7_300, 40_000] {
            assert_eq!(share(silence, false, &mut rng), share(silence, true, &mut rng), "{silence} ms");
        }
        // A nanosecond's windows over a year are passed over at once.
        let cfg = LinkConfig { timer_window: Span(1), ..LinkConfig::default() };
        let mut timer = OutputTimer::new(&cfg);
        let year = Time::ZERO + Span::from_secs(31_536_000);
        timer.on_sent(exchange, year, &mut rng);
        assert_eq!((timer.share, timer.ready), (0.0, year + exchange));
    }
}
