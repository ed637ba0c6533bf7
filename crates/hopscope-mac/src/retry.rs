//! Counts of failed attempts: when a packet is given up and how the contention window moves (IEEE 802.11-2020 10.3.3
//! and 10.3.4.4).
//!
//! | | counts failures of | back to 0 | at its limit |
//! |---|---|---|---|
//! | short count of the packet | its RTS, and data sent without RTS | new packet; data sent without RTS is acknowledged | the packet is given up |
//! | long count of the packet | its data sent after RTS | new packet; data sent after RTS is acknowledged | the packet is given up |
//! | short count of the station (SSRC) | the same as the packet's | CTS, ACK, broadcast | the contention window is reset |
//! | long count of the station (SLRC) | the same as the packet's | ACK of data after RTS, broadcast | the contention window is reset |
//!
//! A CTS resets the count of the station (10.3.3: "the SSRC shall be reset to 0 when a CTS frame is received in response
//! to an RTS frame"). That of the packet goes on: 10.3.4.4 resets it only when a frame of the packet itself succeeds, and
//! has attempts cease when either count of the packet is equal to its limit. At the limit the station's counts begin
//! again, which the clause leaves open.
//!
//! With [`Counting::Station`] (ns-2) there are two counts, of the station, and they stand for those of the packet as
//! well: a CTS resets the short one, and the long one outlives a packet that was given up at the other limit.

use crate::config::MacConfig;
use crate::config::mac::Counting;

/// How failures count, for all stations of a run.
#[derive(Debug, Clone)]
pub struct RetryRules {
    counting: Counting,
    short_limit: u16,
    long_limit: u16,
    /// A packet has so many attempts of both kinds together.
    limit: Option<u16>,
    /// The contention window is reset after so many failures in a row, whatever becomes of the packets.
    cw_failures: Option<u16>,
}

impl RetryRules {
    /// The rules of a configuration. Counts go to 65,535: limits beyond, which no packet lives to see, act like it.
    pub fn new(mac: &MacConfig) -> Self {
        let count = |limit: u32| u16::try_from(limit).unwrap_or(u16::MAX);
        RetryRules {
            counting: mac.retry_counting,
            short_limit: count(mac.short_retry_limit),
            long_limit: count(mac.long_retry_limit),
            limit: mac.retry_limit.map(count),
            cw_failures: mac.cw_reset_failures.map(count),
        }
    }
}

/// Short and long count.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    short: u16,
    long: u16,
}

impl Counts {
    #[inline]
    fn of(&mut self, after_rts: bool) -> &mut u16 {
        if after_rts { &mut self.long } else { &mut self.short }
    }
}

/// What follows from a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// The packet is given up.
    pub gives_up: bool,
    /// The contention window is reset; otherwise it doubles.
    pub resets_cw: bool,
}

/// The counts of one station.
#[derive(Debug, Clone, Copy, Default)]
pub struct Retries {
    /// Of the packet in hand.
    packet: Counts,
    /// Of the station, as far as the contention window goes; of failures in a row (`short`) under
    /// `RetryRules::cw_failures`. Unused where the station's counts are the packet's.
    station: Counts,
    total: u16,
}

impl Retries {
    /// Failed attempts of the packet in hand, or of the last one.
    pub fn total(&self) -> u32 {
        u32::from(self.total)
    }

    /// A new packet is to be sent.
    #[inline]
    pub fn on_packet(&mut self, rules: &RetryRules) {
        self.total = 0;
        if rules.counting == Counting::Packet {
            self.packet = Counts::default();
        }
    }

    /// An RTS was answered.
    #[inline]
    pub fn on_cts(&mut self, rules: &RetryRules) {
        match rules.counting {
            // In ns-3 a CTS ends no row of failures: `cw_failures` counts up to the next ACK.
            Counting::Packet if rules.cw_failures.is_none() => self.station.short = 0,
            Counting::Packet => {}
            Counting::Station => self.packet.short = 0,
        }
    }

    /// A data frame was acknowledged.
    #[inline]
    pub fn on_ack(&mut self, after_rts: bool) {
        // The packet may go on with its next fragment, which has attempts of its own.
        *self.packet.of(after_rts) = 0;
        self.station.short = 0;
        if after_rts {
            self.station.long = 0;
        }
    }

    /// A broadcast has left.
    #[inline]
    pub fn on_broadcast(&mut self) {
        self.station = Counts::default();
    }

    /// An RTS or a data frame was not answered; `after_rts`: a data frame for which there had been a CTS. `decided`: what the
    /// rate control wants done with the packet, where it has a say.
    pub fn on_failure(&mut self, after_rts: bool, rules: &RetryRules, decided: Option<bool>) -> Failure {
        self.total = self.total.saturating_add(1);
        let limit = if after_rts { rules.long_limit } else { rules.short_limit };
        let count = self.packet.of(after_rts);
        *count += 1;
        let at_limit = *count >= limit;
        if at_limit {
            *count = 0;
        }
        let gives_up = decided.unwrap_or_else(|| rules.limit.map_or(at_limit, |limit| self.total >= limit));
        let resets_cw = match (rules.cw_failures, rules.counting) {
            (None, Counting::Station) => gives_up,
            (None, Counting::Packet) => count_to(self.station.of(after_rts), limit),
            (Some(failures), _) => count_to(&mut self.station.short, failures),
        };
        Failure { gives_up, resets_cw }
    }
}

/// Counts one more; true when that is the last one, after which the count begins again.
fn count_to(count: &mut u16, limit: u16) -> bool {
    *count += 1;
    let last = *count >= limit;
    if last {
        *count = 0;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(counting: Counting) -> RetryRules {
        RetryRules::new(&MacConfig { retry_counting: counting, ..MacConfig::default() })
    }

    /// Probability that a packet is given up whose every RTS and every data frame is answered with probability `q`.
    fn loss(retries: Retries, after_cts: bool, q: f64, rules: &RetryRules) -> f64 {
        let mut failed = retries;
        let failure = failed.on_failure(after_cts, rules, None);
        let lost = if failure.gives_up { 1.0 } else { loss(failed, false, q, rules) };
        if after_cts {
            return (1.0 - q) * lost;
        }
        let mut cleared = retries;
        cleared.on_cts(rules);
        (1.0 - q) * lost + q * loss(cleared, true, q, rules)
    }

    fn choose(n: u32, k: u32) -> f64 {
        (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product()
    }

    #[test]
    fn by_the_standard_a_packet_has_seven_rts_and_four_data_frames_to_lose_in_all() {
        // Each frame copy is lost with probability PER, so a frame is answered with q = (1 - PER)^2. A packet comes
        // through at its k-th CTS (k <= 4) when at most 6 RTS went unanswered before and k - 1 data frames.
        for (per, expected) in [(0.5, 0.5849), (0.6, 0.8127), (0.7, 0.9400)] {
            let q = (1.0 - per) * (1.0 - per);
            let f: f64 = 1.0 - q;
            let mut delivered = 0.0;
            for k in 1..=4u32 {
                for failed in 0..=6u32 {
                    let order = choose(k - 1 + failed, failed);
                    delivered += order * q.powi(k as i32) * f.powi(failed as i32) * f.powi(k as i32 - 1) * q;
                }
            }
            let found = loss(Retries::default(), false, q, &rules(Counting::Packet));
            assert!((found - (1.0 - delivered)).abs() < 1e-12, "PER {per}: {found}, closed form {}", 1.0 - delivered);
            assert!((found - expected).abs() < 5e-5, "PER {per}: {found}");
        }
    }

    #[test]
    fn in_ns2_each_cts_grants_seven_rts_anew() {
        for (per, expected) in [(0.5, 0.4916), (0.6, 0.7575), (0.7, 0.9253)] {
            let q = (1.0 - per) * (1.0 - per);
            let f: f64 = 1.0 - q;
            let (none, round) = (f.powi(7), (1.0 - f.powi(7)) * f);
            let closed = none * (0..4).map(|n| round.powi(n)).sum::<f64>() + round.powi(4);
            let found = loss(Retries::default(), false, q, &rules(Counting::Station));
            assert!((found - closed).abs() < 1e-12, "PER {per}: {found}, closed form {closed}");
            assert!((found - expected).abs() < 5e-5, "PER {per}: {found}");
        }
    }

    /// Failures of a packet until it is given up, `after_rts` each.
    fn give_up(retries: &mut Retries, after_rts: bool, rules: &RetryRules) -> u32 {
        (1..).find(|_| retries.on_failure(after_rts, rules, None).gives_up).expect("a limit")
    }

    #[test]
    fn what_is_left_of_a_packet_that_was_given_up_is_not_the_next_one_s() {
        let next = |counting| {
            let (mut retries, rules) = (Retries::default(), rules(counting));
            for _ in 0..3 {
                retries.on_failure(true, &rules, None);
            }
            give_up(&mut retries, false, &rules);
            retries.on_packet(&rules);
            give_up(&mut retries, true, &rules)
        };
        assert_eq!(next(Counting::Packet), 4);
        assert_eq!(next(Counting::Station), 1, "ns-2 goes on counting");
    }

    #[test]
    fn the_window_follows_the_counts_of_the_station() {
        let (mut retries, rules) = (Retries::default(), rules(Counting::Packet));
        let fail = |retries: &mut Retries, after_rts| {
            let Failure { gives_up, resets_cw } = retries.on_failure(after_rts, &rules, None);
            (gives_up, resets_cw)
        };
        // Three RTS, a CTS, three RTS, a CTS: the station has none against it, the packet six.
        for _ in 0..2 {
            for _ in 0..3 {
                assert_eq!(fail(&mut retries, false), (false, false));
            }
            retries.on_cts(&rules);
        }
        assert_eq!(fail(&mut retries, false), (true, false), "given up with a doubled window");
        retries.on_packet(&rules);
        for n in 1..7 {
            assert_eq!(fail(&mut retries, false), (false, n == 6), "the seventh of the station in a row");
        }
        assert_eq!(fail(&mut retries, false), (true, false));
        retries.on_broadcast();
        retries.on_packet(&rules);
        for n in 1..8 {
            assert_eq!(fail(&mut retries, false), (n == 7, n == 7));
        }
    }

    #[test]
    fn one_limit_for_all_attempts_and_a_window_of_its_own() {
        let mac = MacConfig { retry_limit: Some(7), cw_reset_failures: Some(8), ..MacConfig::default() };
        let rules = RetryRules::new(&mac);
        let mut retries = Retries::default();
        let mut log = Vec::new();
        for n in 0..16 {
            // Three data frames after RTS, then RTS only: the kind does not matter.
            let Failure { gives_up, resets_cw } = retries.on_failure(n % 7 < 3, &rules, None);
            log.push((gives_up, resets_cw));
            if gives_up {
                retries.on_packet(&rules);
            } else {
                retries.on_cts(&rules);
            }
        }
        let ends = |end: fn(&(bool, bool)) -> bool| -> Vec<usize> {
            log.iter().enumerate().filter(|(_, failure)| end(failure)).map(|(n, _)| n + 1).collect()
        };
        assert_eq!(ends(|failure| failure.0), [7, 14]);
        assert_eq!(ends(|failure| failure.1), [8, 16]);
    }
}
