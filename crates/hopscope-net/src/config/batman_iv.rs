//! Parameters of BATMAN_IV, the first routing algorithm of batman-adv, and its named sets.

use hopscope_core::config::params::Range;
use hopscope_core::config::section::{Checks, seconds};
use hopscope_core::error::BuildError;
use hopscope_core::params;
use hopscope_core::units::Span;

params! {
    /// BATMAN_IV.
    pub struct BatmanIvConfig {
        /// Mean time between the OGMs of a node.
        originator_interval: Span = Span::from_secs(1), "s", "Linux batman-adv (orig_interval)", in Range::within(0.01, 3_600.0);
        /// Most by which an interval is longer or shorter; an OGM that is carried on waits for up to half of it.
        jitter: Span = Span::from_millis(20), "s", "Linux batman-adv (BATADV_JITTER)", in Range::within(0.0, 60.0);
        /// Hops that OGMs and data live for.
        ttl: u32 = 50, "hops", "Linux batman-adv (BATADV_TTL)", in Range::within(1.0, 255.0);
        /// What a hop takes off the transmission quality, of 255.
        hop_penalty: u32 = 30, "", "Linux batman-adv from 2014.4 on", in Range::within(0.0, 255.0);
        /// A hop that comes in and goes out by the same radio pays the penalty once more.
        half_duplex: bool = true, "", "Linux batman-adv from 2014.0 on";
        /// OGMs of a neighbour in a row by which its link is measured.
        local_window: u32 = 64, "OGMs", "Linux batman-adv (BATADV_TQ_LOCAL_WINDOW_SIZE)", in Range::within(1.0, 64.0);
        /// OGMs of an originator in a row over which the quality of a path is averaged.
        global_window: u32 = 5, "OGMs", "Linux batman-adv (BATADV_TQ_GLOBAL_WINDOW_SIZE)", in Range::within(1.0, 8.0);
        /// OGMs that are carried on go several in a frame.
        aggregation: bool = true, "", "Linux batman-adv (aggregated_ogms)";
        /// How long an OGM waits for others.
        aggregation_time: Span = Span::from_millis(100), "s", "Linux batman-adv (BATADV_MAX_AGGREGATION_MS)",
            in Range::within(0.0, 60.0), when "aggregation = true";
        /// Most bytes of OGMs in a frame.
        aggregation_bytes: u32 = 512, "bytes", "Linux batman-adv (BATADV_MAX_AGGREGATION_BYTES)",
            in Range::within(24.0, 1_500.0), when "aggregation = true";
        /// A neighbour from which nothing was heard of an originator for so long is no way there; an originator is
        /// forgotten after twice that.
        purge_timeout: Span = Span::from_secs(200), "s", "Linux batman-adv (BATADV_PURGE_TIMEOUT)", in Range::above(0.0).up_to(1_000_000.0);
    }
}

impl BatmanIvConfig {
    /// Names of the parameter sets with what they stand for.
    pub const SETS: &'static [(&'static str, &'static str)] = &[
        ("batman-adv", "BATMAN_IV as batman-adv has it from 2014.4 on: a hop penalty of 30, twice over one radio."),
        ("batman-adv-2014.0", "The same with the hop penalty of 15 of 2014.0 to 2014.3."),
        ("batman-adv-2013.4", "The same as it was before: a hop penalty of 30, once."),
    ];

    /// The parameter set of that name.
    pub fn set(name: &str) -> Option<BatmanIvConfig> {
        match name {
            "batman-adv" => Some(BatmanIvConfig::default()),
            "batman-adv-2014.0" => Some(BatmanIvConfig { hop_penalty: 15, ..BatmanIvConfig::default() }),
            "batman-adv-2013.4" => Some(BatmanIvConfig { half_duplex: false, ..BatmanIvConfig::default() }),
            _ => None,
        }
    }

    /// What is wrong beyond what the types say: parameter, value and what is allowed.
    pub fn check(&self) -> Vec<BuildError> {
        let mut checks = Checks::of("routing.batman_iv");
        check_times(&mut checks, self.originator_interval, self.jitter, self.purge_timeout);
        checks.into_errors()
    }
}

/// What the times of both algorithms must hold.
pub(super) fn check_times(checks: &mut Checks, interval: Span, jitter: Span, purge: Span) {
    checks.agree(jitter.0 <= interval.0 / 2, "jitter", &["originator_interval"], || {
        let (found, interval) = (seconds(jitter), seconds(interval));
        format!("is {found} s; it must be at most half of originator_interval, {interval} s")
    });
    checks.agree(purge >= interval, "purge_timeout", &["originator_interval"], || {
        format!("is {} s; it must be at least originator_interval, {} s", seconds(purge), seconds(interval))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_differ_in_what_a_hop_costs() {
        let of = |name| BatmanIvConfig::set(name).map(|set| (set.hop_penalty, set.half_duplex)).expect("a set");
        assert_eq!(of("batman-adv"), (30, true));
        assert_eq!(of("batman-adv-2014.0"), (15, true));
        assert_eq!(of("batman-adv-2013.4"), (30, false));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let base = BatmanIvConfig::default;
        let ms = Span::from_millis;
        let cases = [
            (
                BatmanIvConfig { jitter: ms(501), ..base() },
                "jitter",
                "is 0.501 s; it must be at most half of originator_interval, 1 s",
            ),
            (
                BatmanIvConfig { purge_timeout: ms(900), ..base() },
                "purge_timeout",
                "is 0.9 s; it must be at least originator_interval, 1 s",
            ),
        ];
        for (config, key, message) in cases {
            let errors = config.check();
            assert_eq!(errors.len(), 1, "{errors:?}");
            assert_eq!(errors[0].key, format!("routing.batman_iv.{key}"));
            assert_eq!(errors[0].message, message);
        }
    }
}
