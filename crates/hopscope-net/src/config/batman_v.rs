//! Parameters of BATMAN_V, the second routing algorithm of batman-adv, and its named sets.

use super::batman_iv::check_times;
use hopscope_core::config::params::Range;
use hopscope_core::config::section::{Checks, seconds};
use hopscope_core::error::BuildError;
use hopscope_core::units::Span;
use hopscope_core::{choice, params};

choice! {
    /// What BATMAN_V takes for the throughput of a link that rate control says nothing of.
    pub enum UnknownThroughput {
        /// A third of the rate that data goes at.
        ThirdOfRate = "third-of-rate",
        /// `default_throughput`.
        Default = "default",
    }
}

params! {
    /// BATMAN_V.
    pub struct BatmanVConfig {
        /// Mean time between the ELP messages of a node.
        elp_interval: Span = Span::from_millis(500), "s", "Linux batman-adv (elp_interval)", in Range::within(0.01, 3_600.0);
        /// Mean time between the OGMs of a node.
        originator_interval: Span = Span::from_secs(1), "s", "Linux batman-adv (orig_interval)", in Range::within(0.01, 3_600.0);
        /// Most by which an interval is longer or shorter.
        jitter: Span = Span::from_millis(20), "s", "Linux batman-adv (BATADV_JITTER)", in Range::within(0.0, 60.0);
        /// Hops that OGMs and data live for.
        ttl: u32 = 50, "hops", "Linux batman-adv (BATADV_TTL)", in Range::within(1.0, 255.0);
        /// What a hop takes off the throughput, of 255, where it is not halved.
        hop_penalty: u32 = 30, "", "Linux batman-adv (hop_penalty)", in Range::within(0.0, 255.0);
        /// A hop that comes in and goes out by the same radio halves a throughput of more than 1 Mbit/s.
        half_duplex: bool = true, "", "Linux batman-adv (batadv_v_forward_penalty)";
        /// Probes that go to each neighbour with every ELP message, so that rate control learns of the link.
        elp_probes: u32 = 2, "", "Linux batman-adv (BATADV_ELP_PROBES_PER_NODE)", in Range::within(0.0, 100.0);
        /// Bytes of a probe.
        probe_bytes: u32 = 200, "bytes", "Linux batman-adv (BATADV_ELP_MIN_PROBE_SIZE)", in Range::within(17.0, 1_500.0),
            when "elp_probes > 0";
        /// A neighbour is probed where no data went to it for longer than this.
        probe_idle: Span = Span::from_millis(100), "s", "Linux batman-adv (BATADV_ELP_PROBE_MAX_TX_DIFF)",
            in Range::within(0.0, 3_600.0), when "elp_probes > 0";
        /// Throughput of every link; off: what rate control expects.
        throughput_override: Option<u64> = None, "bit/s", "Linux batman-adv (throughput_override)", in Range::within(100_000.0, 1e12);
        /// What is taken for the throughput of a link that rate control says nothing of.
        unknown_throughput: UnknownThroughput = UnknownThroughput::ThirdOfRate, "", "Linux batman-adv from 2019.5 on",
            when "throughput_override = off";
        /// Throughput of a link of which nothing is known.
        default_throughput: u64 = 1_000_000, "bit/s", "Linux batman-adv (BATADV_THROUGHPUT_DEFAULT_VALUE)",
            in Range::within(100_000.0, 1e12), when "throughput_override = off and unknown_throughput = default";
        /// OGMs by which the best neighbour may lag behind another one before that takes its place, however bad it is.
        max_lag: u32 = 5, "OGMs", "Linux batman-adv (BATADV_OGM_MAX_ORIGDIFF)", in Range::within(1.0, 63.0);
        /// OGMs go several in a frame.
        aggregation: bool = true, "", "Linux batman-adv from 2019.4 on";
        /// Time between two frames of OGMs; each one is up to a tenth longer or shorter.
        aggregation_time: Span = Span::from_millis(100), "s", "Linux batman-adv (BATADV_MAX_AGGREGATION_MS)",
            in Range::above(0.0).up_to(60.0), when "aggregation = true";
        /// Most bytes of OGMs in a frame.
        aggregation_bytes: u32 = 512, "bytes", "Linux batman-adv (BATADV_MAX_AGGREGATION_BYTES)",
            in Range::within(20.0, 1_500.0), when "aggregation = true";
        /// A neighbour from which nothing was heard of an originator for so long is no way there; an originator is
        /// forgotten after twice that.
        purge_timeout: Span = Span::from_secs(200), "s", "Linux batman-adv (BATADV_PURGE_TIMEOUT)", in Range::above(0.0).up_to(1_000_000.0);
    }
}

impl BatmanVConfig {
    /// Names of the parameter sets with what they stand for.
    pub const SETS: &'static [(&'static str, &'static str)] = &[
        ("batman-adv", "BATMAN_V as batman-adv has it from 2019.5 on."),
        ("batman-adv-2019.3", "The same as it was before: no aggregation, 1 Mbit/s where rate control says nothing."),
    ];

    /// The parameter set of that name.
    pub fn set(name: &str) -> Option<BatmanVConfig> {
        match name {
            "batman-adv" => Some(BatmanVConfig::default()),
            "batman-adv-2019.3" => Some(BatmanVConfig {
                aggregation: false,
                unknown_throughput: UnknownThroughput::Default,
                ..BatmanVConfig::default()
            }),
            _ => None,
        }
    }

    /// What is wrong beyond what the types say: parameter, value and what is allowed.
    pub fn check(&self) -> Vec<BuildError> {
        let mut checks = Checks::of("routing.batman_v");
        check_times(&mut checks, self.originator_interval, self.jitter, self.purge_timeout);
        let (jitter, elp) = (self.jitter, self.elp_interval);
        checks.agree(jitter.0 <= elp.0 / 2, "elp_interval", &["jitter"], || {
            format!("is {} s; it must be at least twice jitter, {} s", seconds(elp), seconds(jitter))
        });
        checks.into_errors()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_older_set_has_no_aggregation_and_one_throughput_for_unknown_links() {
        let old = BatmanVConfig::set("batman-adv-2019.3").expect("a set");
        assert_eq!((old.aggregation, old.unknown_throughput), (false, UnknownThroughput::Default));
        assert_eq!(BatmanVConfig::set("batman-adv"), Some(BatmanVConfig::default()));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let base = BatmanVConfig::default;
        let ms = Span::from_millis;
        let cases = [
            (
                BatmanVConfig { jitter: ms(501), elp_interval: ms(2000), ..base() },
                "jitter",
                "is 0.501 s; it must be at most half of originator_interval, 1 s",
            ),
            (
                BatmanVConfig { elp_interval: ms(30), ..base() },
                "elp_interval",
                "is 0.03 s; it must be at least twice jitter, 0.02 s",
            ),
            (
                BatmanVConfig { purge_timeout: ms(900), ..base() },
                "purge_timeout",
                "is 0.9 s; it must be at least originator_interval, 1 s",
            ),
        ];
        for (config, key, message) in cases {
            let errors = config.check();
            assert_eq!(errors.len(), 1, "{errors:?}");
            assert_eq!(errors[0].key, format!("routing.batman_v.{key}"));
            assert_eq!(errors[0].message, message);
        }
    }
}
