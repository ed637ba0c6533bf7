//! What a node makes of its MAC's counters: the probability that a transmission of its collides.
//!
//! The thesis of Armaghani (2008) takes transmissions repeated over transmissions; over what time, it does not publish. So the
//! signal (`mac.collision_signal`) and the memory (`mac.collision_memory`) are named choices. Counters are read when a packet
//! asks for the estimate, so that runs in which none does pay nothing.

use hopscope_core::math;
use std::collections::VecDeque;

use super::dcf::Attempts;
use super::view::MacView;
use crate::config::MacConfig;
use crate::config::mac::{CollisionMemory, CollisionSignal};
use hopscope_core::units::{Span, Time};

/// The estimate of one node.
#[derive(Debug)]
pub struct Collisions {
    signal: CollisionSignal,
    memory: Memory,
    /// What was read last: the counters, the time on the air around the node, and when.
    seen: Attempts,
    seen_busy: Span,
    seen_at: Time,
}

/// What is kept of the samples, each between 0 and 1.
#[derive(Debug)]
enum Memory {
    /// An average that forgets by this weight of a new sample.
    Ewma { weight: f64, mean: f64 },
    /// The latest samples.
    Window { last: VecDeque<f64>, most: usize },
}

impl Collisions {
    /// Of a node whose MAC has sent nothing.
    pub fn new(cfg: &MacConfig) -> Self {
        let memory = match cfg.collision_memory {
            CollisionMemory::Ewma => Memory::Ewma { weight: cfg.collision_weight, mean: 0.0 },
            CollisionMemory::Window => {
                Memory::Window { last: VecDeque::new(), most: cfg.collision_window.max(1) as usize }
            }
        };
        Collisions {
            signal: cfg.collision_signal,
            memory,
            seen: Attempts::default(),
            seen_busy: Span::ZERO,
            seen_at: Time::ZERO,
        }
    }

    /// The estimate now; `busy` gives the time that frames around the node have been on the air since the start.
    pub fn estimate(&mut self, now: Time, mac: &MacView<'_>, busy: impl FnOnce() -> Span) -> f64 {
        let before = std::mem::replace(&mut self.seen, *mac.attempts);
        let Attempts { rts: _, data, packets, retries, retry_drops, data_failures } = *mac.attempts;
        match self.signal {
            CollisionSignal::DataRetries => {
                let failed = data_failures - before.data_failures;
                self.memory.take_trials(data - before.data, failed);
            }
            CollisionSignal::AllRetries => {
                let retry_drops = retry_drops - before.retry_drops;
                let failed = retries - before.retries + retry_drops;
                // A packet counts as taken when its last attempt may still be under way.
                let answered = (packets - before.packets).saturating_sub(retry_drops);
                self.memory.take_trials(failed + answered, failed);
            }
            CollisionSignal::BusyTime => {
                let busy = busy();
                let (on_air, passed) = (busy.saturating_sub(self.seen_busy), now.saturating_since(self.seen_at));
                if passed > Span::ZERO {
                    (self.seen_busy, self.seen_at) = (busy, now);
                    self.memory.take(1, (on_air.as_secs() / passed.as_secs()).min(1.0));
                }
            }
        }
        self.memory.mean()
    }
}

impl Memory {
    /// So many trials, of which these failed. Failures come before the success that ends them.
    fn take_trials(&mut self, trials: u64, failed: u64) {
        let failed = failed.min(trials);
        self.take(failed, 1.0);
        self.take(trials - failed, 0.0);
    }

    /// So many samples alike.
    fn take(&mut self, times: u64, value: f64) {
        match self {
            Memory::Ewma { weight, mean } => {
                let kept = math::pow(1.0 - *weight, times as f64);
                *mean = kept * *mean + (1.0 - kept) * value;
            }
            Memory::Window { last, most } => {
                // More samples alike than the window holds would only replace each other.
                for _ in 0..times.min(*most as u64) {
                    if last.len() == *most {
                        last.pop_front();
                    }
                    last.push_back(value);
                }
            }
        }
    }

    fn mean(&self) -> f64 {
        match self {
            Memory::Ewma { mean, .. } => *mean,
            Memory::Window { last, .. } if last.is_empty() => 0.0,
            Memory::Window { last, .. } => last.iter().sum::<f64>() / last.len() as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimator(signal: CollisionSignal, memory: CollisionMemory) -> Collisions {
        Collisions::new(&MacConfig {
            collision_signal: signal,
            collision_memory: memory,
            collision_window: 4,
            collision_weight: 0.5,
            ..MacConfig::default()
        })
    }

    fn read(estimator: &mut Collisions, at_ms: u64, attempts: Attempts, busy_ms: u64) -> f64 {
        let mac = MacView { attempts: &attempts, last_retries: 0 };
        estimator.estimate(Time::ZERO + Span::from_millis(at_ms), &mac, || Span::from_millis(busy_ms))
    }

    /// Ten packets, four of which failed once with their data frame and three with their RTS; then two without failures.
    const FIRST: Attempts = Attempts { rts: 17, data: 14, packets: 10, retries: 7, retry_drops: 0, data_failures: 4 };
    const THEN: Attempts = Attempts { rts: 19, data: 16, packets: 12, ..FIRST };

    #[test]
    fn data_retries_leave_rts_out() {
        let mut data = estimator(CollisionSignal::DataRetries, CollisionMemory::Window);
        assert_eq!(
            read(&mut data, 0, Attempts { data: 2, packets: 1, data_failures: 1, ..Attempts::default() }, 0),
            0.5
        );
        let mut all = estimator(CollisionSignal::AllRetries, CollisionMemory::Window);
        let rts = Attempts { rts: 4, data: 1, packets: 1, retries: 3, ..Attempts::default() };
        assert_eq!(read(&mut all, 0, rts, 0), 0.75);
        let mut data = estimator(CollisionSignal::DataRetries, CollisionMemory::Window);
        assert_eq!(read(&mut data, 0, rts, 0), 0.0);
    }

    #[test]
    fn a_window_holds_the_latest_and_an_average_forgets() {
        let mut window = estimator(CollisionSignal::DataRetries, CollisionMemory::Window);
        assert_eq!(
            [read(&mut window, 0, FIRST, 0), read(&mut window, 1, THEN, 0)],
            [0.0, 0.0],
            "ten came after the four"
        );
        let lost = Attempts { data: 19, data_failures: 7, ..THEN };
        assert_eq!(read(&mut window, 2, lost, 0), 0.75);
        assert_eq!(read(&mut window, 3, lost, 0), 0.75, "nothing was sent");
        let mut ewma = estimator(CollisionSignal::DataRetries, CollisionMemory::Ewma);
        let one = Attempts { data: 1, packets: 1, data_failures: 1, ..Attempts::default() };
        assert_eq!(read(&mut ewma, 0, one, 0), 0.5);
        assert_eq!(read(&mut ewma, 1, Attempts { data: 3, ..one }, 0), 0.125);
    }

    #[test]
    fn busy_time_is_a_share_of_the_time_since_the_last_look() {
        let mut busy = estimator(CollisionSignal::BusyTime, CollisionMemory::Window);
        let queue = [(100, 20, 0.2), (200, 60, 0.3), (200, 90, 0.3), (300, 900, (0.2 + 0.4 + 1.0) / 3.0)];
        for (at_ms, busy_ms, expected) in queue {
            let found = read(&mut busy, at_ms, THEN, busy_ms);
            assert!(
                (found - expected).abs() < 1e-9,
                "{found} after {at_ms} ms: frames may overlap, and time has to pass"
            );
        }
    }
}
