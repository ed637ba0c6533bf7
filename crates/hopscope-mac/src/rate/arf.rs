//! Auto rate fallback: ARF (Kamerman and Monteban 1997) and AARF, which is slower to try what has just failed (Lacage,
//! Manshaei and Turletti 2004).
//!
//! ```text
//!                 10 successes in a row, or a success on the 15th attempt
//!        +----------------------------------------------------------------+
//!        |                                                                v
//!     steady at rate r <---- success ---- trial at rate r + 1 <-----------+
//!        |  ^                                    |
//!        |  +---------- failure: back to r ------+   AARF: both counts double
//!        +---- second, fourth ... failure in a row: rate r - 1   AARF: counts as at the start
//! ```
//! Attempts are counted one by one, whether they repeat a frame or not. The first rate is the slowest. The counts are those of
//! ns-3.44, which measures time in attempts where the paper of 1997 has a clock.

use crate::config::MacConfig;
use crate::config::mac::RateControlKind;
use crate::rate::Rates;
use hopscope_phy::phy::modes::Mode;

/// When rates go up.
#[derive(Debug, Clone)]
pub struct ArfRules {
    modes: Vec<Mode>,
    successes: u32,
    attempts: u32,
    /// AARF: by what the counts grow, and how far the successes do; none: they never change.
    grow: Option<(f64, u32)>,
}

impl ArfRules {
    pub(super) fn new(mac: &MacConfig, rates: &Rates) -> Self {
        ArfRules {
            modes: rates.choices().to_vec(),
            successes: mac.arf_successes,
            attempts: mac.arf_attempts,
            grow: (mac.rate_control == RateControlKind::Aarf).then_some((mac.aarf_factor, mac.aarf_most)),
        }
    }
}

/// What is known of the way to one neighbour.
#[derive(Debug)]
pub struct Arf {
    mode: Mode,
    /// Place of the mode among the choices.
    place: usize,
    /// Attempts since the count began.
    attempts: u32,
    /// Successes since the last failure.
    successes: u32,
    /// Failures since the last success.
    failures: u32,
    /// The next attempt is the first since the rate went up.
    on_trial: bool,
    /// The counts that lead up.
    wanted_successes: u32,
    wanted_attempts: u32,
}

impl Arf {
    /// Nothing is known: the slowest rate.
    pub(super) fn new(rules: &ArfRules) -> Self {
        Arf {
            mode: rules.modes[0],
            place: 0,
            attempts: 0,
            successes: 0,
            failures: 0,
            on_trial: false,
            wanted_successes: rules.successes,
            wanted_attempts: rules.attempts,
        }
    }

    /// Mode of the next data frame.
    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// A data frame was acknowledged, or not.
    pub(super) fn on_attempt(&mut self, acknowledged: bool, rules: &ArfRules) {
        self.attempts = self.attempts.saturating_add(1);
        if acknowledged { self.on_success(rules) } else { self.on_failure(rules) }
    }

    fn on_success(&mut self, rules: &ArfRules) {
        self.successes = self.successes.saturating_add(1);
        self.failures = 0;
        self.on_trial = false;
        // At the fastest rate the counts run past; they lead up again when they have begun anew.
        let due = self.successes == self.wanted_successes || self.attempts == self.wanted_attempts;
        if due && self.place + 1 < rules.modes.len() {
            self.go(self.place + 1, rules);
            self.attempts = 0;
            self.successes = 0;
            self.on_trial = true;
        }
    }

    fn on_failure(&mut self, rules: &ArfRules) {
        self.failures = self.failures.saturating_add(1);
        self.successes = 0;
        let down = self.place.saturating_sub(1);
        if self.on_trial {
            if self.failures == 1 {
                if let Some((factor, most)) = rules.grow {
                    let grown = |count: u32| (f64::from(count) * factor) as u32;
                    self.wanted_successes = grown(self.wanted_successes).min(most);
                    // As in ns-3: the least number of attempts is that of the successes, not their own.
                    self.wanted_attempts = grown(self.wanted_attempts).max(rules.successes);
                }
                self.go(down, rules);
            }
            // The trial ends with the next success; until then more failures lead no further down.
            self.attempts = 0;
        } else if self.failures >= 2 {
            if self.failures % 2 == 0 {
                (self.wanted_successes, self.wanted_attempts) = (rules.successes, rules.attempts);
                self.go(down, rules);
            }
            self.attempts = 0;
        }
    }

    fn go(&mut self, place: usize, rules: &ArfRules) {
        self.place = place;
        self.mode = rules.modes[place];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::presets;

    /// What the rate is after each of these attempts (`+` acknowledged, `-` not), in Mbit/s, written where it changes.
    fn course(kind: RateControlKind, script: &str) -> Vec<(usize, f64)> {
        let mut base = presets::base("standard", "hr-dsss-11M").expect("a preset");
        base.mac.rate_control = kind;
        let rules = ArfRules::new(&base.mac, &Rates::new(&base.radio, &base.mac));
        let mut arf = Arf::new(&rules);
        let mut last = arf.mode();
        let mut changes = Vec::new();
        for (n, attempt) in script.chars().enumerate() {
            arf.on_attempt(attempt == '+', &rules);
            if arf.mode() != last {
                last = arf.mode();
                changes.push((n + 1, last.rate() as f64 / 1e6));
            }
        }
        changes
    }

    fn script(parts: &[(char, usize)]) -> String {
        parts.iter().map(|&(attempt, times)| attempt.to_string().repeat(times)).collect()
    }

    use RateControlKind::{Aarf, Arf as Plain};

    #[test]
    fn ten_successes_lead_up_to_the_fastest() {
        assert_eq!(course(Plain, &script(&[('+', 60)])), [(10, 2.0), (20, 5.5), (30, 11.0)]);
    }

    #[test]
    fn two_failures_in_a_row_lead_down_and_single_ones_do_not() {
        assert_eq!(course(Plain, &script(&[('+', 13), ('-', 1), ('+', 1), ('-', 1), ('+', 1)])), [(10, 2.0)]);
        let fallen = course(Plain, &script(&[('+', 13), ('-', 5)]));
        assert_eq!(fallen, [(10, 2.0), (15, 1.0)], "and no further than the slowest");
        let far = course(Plain, &script(&[('+', 31), ('-', 6)]));
        assert_eq!(far, [(10, 2.0), (20, 5.5), (30, 11.0), (33, 5.5), (35, 2.0), (37, 1.0)]);
    }

    #[test]
    fn the_first_frame_up_that_fails_leads_back_at_once() {
        // Then ten more successes lead up again: ARF goes on trying.
        let tries = script(&[('+', 10), ('-', 1), ('+', 10), ('-', 1), ('+', 10)]);
        assert_eq!(course(Plain, &tries), [(10, 2.0), (11, 1.0), (21, 2.0), (22, 1.0), (32, 2.0)]);
    }

    #[test]
    fn a_success_on_the_fifteenth_attempt_leads_up_without_ten_in_a_row() {
        let broken = script(&[('+', 9), ('-', 1), ('+', 5)]);
        assert_eq!(course(Plain, &broken), [(15, 2.0)]);
        // The fifteenth attempt fails: the count has run past, and ten in a row are needed.
        let late = script(&[('+', 5), ('-', 1), ('+', 8), ('-', 1), ('+', 10)]);
        assert_eq!(course(Plain, &late), [(25, 2.0)]);
    }

    #[test]
    fn aarf_waits_twice_as_long_each_time_and_no_longer_than_its_limit() {
        // 10, 20, 40 and then 50 successes (the limit) between attempts to go up.
        let mut parts = vec![('+', 10), ('-', 1)];
        for wait in [20, 40, 50, 50] {
            parts.extend([('+', wait), ('-', 1)]);
        }
        let ups: Vec<usize> =
            course(Aarf, &script(&parts)).into_iter().filter(|(_, rate)| *rate == 2.0).map(|(n, _)| n).collect();
        assert_eq!(ups, [10, 31, 72, 123, 174]);
    }

    #[test]
    fn aarf_forgets_when_the_rate_itself_fails() {
        // Up at 10, back at 11 (20 wanted now), two failures: 10 wanted again.
        let parts = [('+', 10), ('-', 1), ('+', 1), ('-', 2), ('+', 10)];
        assert_eq!(course(Aarf, &script(&parts)), [(10, 2.0), (11, 1.0), (24, 2.0)]);
    }
}
