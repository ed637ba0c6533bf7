//! Parameters of the mesh of IEEE 802.11s: peering and path selection by HWMP, and their named sets.

use hopscope_core::config::params::Range;
use hopscope_core::config::section::{Checks, LONGEST, seconds};
use hopscope_core::error::BuildError;
use hopscope_core::units::Span;
use hopscope_core::{choice, params};
use hopscope_mac::FailureRule;

choice! {
    /// What a station takes for the failures of a link.
    pub enum FailureCount {
        /// Packets that were given up, out of all.
        Packets = "packets",
        /// Attempts without an answer, out of all.
        Attempts = "attempts",
    }
}

choice! {
    /// How the waits between path requests grow.
    pub enum PreqBackoff {
        /// Each is as long as the first.
        None = "none",
        /// Each is longer than the one before by half the first, from the third on.
        Linear = "linear",
        /// Each is twice the one before.
        Double = "double",
    }
}

choice! {
    /// How the root of a mesh makes itself known.
    pub enum RootMode {
        /// By path requests that nobody has to answer: a node replies when it has data for the root.
        Preq = "preq",
        /// By path requests that everybody answers.
        PreqPrep = "preq-prep",
        /// By root announcements: a node asks for the path that it needs.
        Rann = "rann",
    }
}

params! {
    /// Mesh of IEEE 802.11s with HWMP.
    pub struct HwmpConfig {
        /// Time between beacons.
        beacon_interval: Span = tu(1_000), "s", "Linux (1000 TU; hostapd's usual 100 TU)";
        /// Most peerings of a node.
        max_peer_links: u32 = 32, "peerings", "Linux, ns-3", in Range::within(1.0, 255.0);
        /// Open frames that follow the first one without an answer.
        max_retries: u32 = 2, "retries", "IEEE 802.11-2020 dot11MeshMaxRetries", in Range::within(0.0, 16.0);
        /// Wait for an answer to an Open frame.
        retry_timeout: Span = tu(40), "s", "IEEE 802.11-2020 dot11MeshRetryTimeout (40 TU)";
        /// Wait for the Open frame of a neighbour that has confirmed.
        confirm_timeout: Span = tu(40), "s", "IEEE 802.11-2020 dot11MeshConfirmTimeout (40 TU)";
        /// Time for which a closed link stays closed.
        holding_timeout: Span = tu(40), "s", "IEEE 802.11-2020 dot11MeshHoldingTimeout (40 TU)";
        /// A link closes when no beacon has come for so many intervals; off: never for that.
        max_beacon_loss: Option<u32> = None, "beacons", "ns-3: 2; Linux and the standard have no such limit",
            in Range::within(1.0, 1e6);
        /// A link closes after so many packets given up in a row; off: never for that.
        max_packet_failures: Option<u32> = None, "packets", "ns-3: 2; Linux and the standard have no such limit",
            in Range::within(1.0, 1e6);
        /// A link closes when the average of failures exceeds this; 1: never for that.
        max_failure_average: f64 = 0.95, "", "Linux (the standard does not say how a broken link is found)", in Range::within(0.0, 1.0);
        /// A link closes after so long a silence of the neighbour; 0: never for that.
        peer_timeout: Span = Span::ZERO, "s", "Linux: 1800 s";
        /// What is taken for failures.
        failure_count: FailureCount = FailureCount::Packets, "", "Linux (the standard leaves it open)";
        /// Weight of the past in the average of failures.
        failure_weight: f64 = 0.8, "", "Linux", in Range::within(0.0, 0.999), when "failure_count = packets";
        /// Age at which a failure weighs 1/e.
        failure_memory: Span = Span::from_secs(1), "s", "ns-3", when "failure_count = attempts";
        /// Airtime metric: time of a frame beyond its bits (O).
        overhead: Span = Span::from_micros(185), "s",
            "a default (75 + 110 us for OFDM in drafts of IEEE 802.11s, as remembered)";
        /// Airtime metric: bits of a frame (B_t).
        test_frame: u32 = 8_192, "bits", "IEEE 802.11-2020 14.9", in Range::within(1.0, 1e6);
        /// Airtime that the metric counts as 1.
        metric_unit: Span = Span(10_240), "s", "IEEE 802.11-2020 14.9 (0.01 TU)";
        /// A path over another neighbour is taken when its metric is lower by more than this share.
        metric_hysteresis: f64 = 0.0, "", "Linux: 0.1", in Range::within(0.0, 0.9);
        /// Path requests that follow the first one without an answer.
        max_preq_retries: u32 = 3, "retries", "IEEE 802.11-2020 dot11MeshHWMPmaxPREQretries", in Range::within(0.0, 100.0);
        /// Time in which a request crosses the mesh; its reply is awaited for twice as long.
        net_traversal_time: Span = tu(500), "s", "IEEE 802.11-2020 dot11MeshHWMPnetDiameterTraversalTime (500 TU)";
        /// How that wait grows.
        preq_backoff: PreqBackoff = PreqBackoff::None, "", "a default", when "max_preq_retries > 0";
        /// Least time between path requests of a node; targets that come meanwhile share one.
        preq_min_interval: Span = tu(100), "s", "IEEE 802.11-2020 dot11MeshHWMPpreqMinInterval (100 TU)";
        /// Requests and announcements of others go on after a random part of this: neighbours that receive one at the same
        /// instant would collide.
        jitter: Span = Span::from_millis(10), "s", "RFC 5148; the standard has none, where the delays of stations differ",
            in Range::within(0.0, 1.0);
        /// Least time between path errors of a node.
        perr_min_interval: Span = tu(100), "s", "IEEE 802.11-2020 dot11MeshHWMPperrMinInterval (100 TU)";
        /// Lifetime of a path.
        active_path_timeout: Span = tu(5_000), "s", "IEEE 802.11-2020 dot11MeshHWMPactivePathTimeout (5000 TU)";
        /// A path lives for as long again when it is used.
        refresh_by_use: bool = true, "", "IEEE 802.11-2020 14.10.8; neither Linux nor ns-3";
        /// A path in use is asked for again so long before its end; 0: never.
        refresh_before: Span = Span::ZERO, "s", "Linux: 1 s";
        /// Only the target answers a search, not a node that knows a path to it.
        target_only: bool = true, "", "IEEE 802.11-2020 dot11MeshHWMPtargetOnly";
        /// A request goes on to its target after another node has answered.
        reply_and_forward: bool = true, "", "IEEE 802.11-2020 14.10.10", when "target_only = false";
        /// Hops that data travels (Mesh TTL).
        mesh_ttl: u32 = 31, "hops", "IEEE 802.11-2020 dot11MeshTTL", in Range::within(1.0, 255.0);
        /// Hops that path requests, replies, errors and announcements travel (Element TTL).
        element_ttl: u32 = 31, "hops", "IEEE 802.11-2020 dot11MeshHWMPnetDiameter", in Range::within(1.0, 255.0);
        /// A path error goes to each of up to so many neighbours that use the path; to all neighbours where there are more.
        perr_unicast: u32 = 0, "neighbours", "ns-3: 31", in Range::within(0.0, 255.0);
        /// Packets that a node holds while it searches their path, for each destination.
        hold_limit: u32 = 255, "packets", "ns-3 (255 in all)", in Range::within(1.0, 1e6);
        /// The root of the mesh; off: there is none.
        root: Option<u32> = None, "node", "IEEE 802.11-2020 dot11MeshHWMProotMode (off)";
        /// How it makes itself known.
        root_mode: RootMode = RootMode::PreqPrep, "", "a default", when "root != off";
        /// Time between its path requests.
        root_interval: Span = tu(2_000), "s", "IEEE 802.11-2020 dot11MeshHWMProotInterval (2000 TU)",
            when "root != off and root_mode = preq | preq-prep";
        /// Lifetime of the paths that they make.
        path_to_root_timeout: Span = tu(5_000), "s", "IEEE 802.11-2020 dot11MeshHWMPactivePathToRootTimeout (5000 TU)",
            when "root != off and root_mode = preq | preq-prep";
        /// Time between its announcements.
        rann_interval: Span = tu(2_000), "s", "IEEE 802.11-2020 dot11MeshHWMPrannInterval (2000 TU)",
            when "root != off and root_mode = rann";
        /// Least time between requests of a node for the path to an announced root.
        confirmation_interval: Span = tu(2_000), "s", "IEEE 802.11-2020 dot11MeshHWMPconfirmationInterval (2000 TU)",
            when "root != off and root_mode = rann";
    }
}

/// A time in units of 1024 us (TU).
const fn tu(count: u64) -> Span {
    Span::from_micros(1_024 * count)
}

impl HwmpConfig {
    /// Names of the parameter sets with what they stand for.
    pub const SETS: &'static [(&'static str, &'static str)] = &[
        (
            "ieee80211s",
            "The defaults of IEEE 802.11-2020; what it leaves open, such as the limit that closes a link, is Linux's.",
        ),
        ("linux", "mac80211 as of Linux 5.x: links close at failures of 95 %, paths are renewed 1 s before their end."),
        ("ns3", "ns-3.44: links close after two missed beacons or two packets given up in a row."),
    ];

    /// The parameter set of that name.
    pub fn set(name: &str) -> Option<HwmpConfig> {
        let (ms, s) = (Span::from_millis, Span::from_secs);
        match name {
            "ieee80211s" => Some(HwmpConfig::default()),
            "linux" => Some(HwmpConfig {
                max_retries: 3,
                retry_timeout: ms(100),
                confirm_timeout: ms(100),
                holding_timeout: ms(100),
                peer_timeout: s(1_800),
                overhead: Span::from_micros(1),
                metric_unit: Span::from_micros(1),
                metric_hysteresis: 0.1,
                max_preq_retries: 4,
                net_traversal_time: ms(50),
                preq_backoff: PreqBackoff::Double,
                preq_min_interval: ms(10),
                perr_min_interval: ms(100),
                refresh_by_use: false,
                refresh_before: s(1),
                target_only: false,
                hold_limit: 10,
                root_interval: s(5),
                path_to_root_timeout: s(6),
                rann_interval: s(5),
                confirmation_interval: s(2),
                ..HwmpConfig::default()
            }),
            "ns3" => Some(HwmpConfig {
                beacon_interval: ms(500),
                max_retries: 4,
                max_beacon_loss: Some(2),
                max_packet_failures: Some(2),
                max_failure_average: 1.0,
                failure_count: FailureCount::Attempts,
                overhead: Span::from_micros(94),
                test_frame: 8 * (1_024 + 42),
                net_traversal_time: tu(100),
                preq_backoff: PreqBackoff::Linear,
                refresh_by_use: false,
                target_only: false,
                mesh_ttl: 32,
                element_ttl: 32,
                perr_unicast: 31,
                ..HwmpConfig::default()
            }),
            _ => None,
        }
    }

    /// What the MAC is to keep of failures.
    pub fn failure_rule(&self) -> FailureRule {
        match self.failure_count {
            FailureCount::Packets => FailureRule::Packets(self.failure_weight),
            FailureCount::Attempts => FailureRule::Attempts(self.failure_memory),
        }
    }

    /// What is wrong beyond what the types say: parameter, value and what is allowed.
    pub fn check(&self) -> Vec<BuildError> {
        let mut checks = Checks::of(SECTION);
        checks.no_zero_time(&[
            ("retry_timeout", self.retry_timeout),
            ("confirm_timeout", self.confirm_timeout),
            ("holding_timeout", self.holding_timeout),
            ("failure_memory", self.failure_memory),
            ("metric_unit", self.metric_unit),
            ("net_traversal_time", self.net_traversal_time),
        ]);
        for (name, interval) in [
            ("beacon_interval", self.beacon_interval),
            ("root_interval", self.root_interval),
            ("rann_interval", self.rann_interval),
        ] {
            checks.require((SHORTEST_CLOCK..=LONGEST_FIELD).contains(&interval), name, || {
                let (found, least, most) = (seconds(interval), seconds(SHORTEST_CLOCK), seconds(LONGEST_FIELD));
                format!("is {found} s; {least} to {most} s are possible (the field of the frame has 16 bits of TU)")
            });
        }
        for (name, life) in
            [("active_path_timeout", self.active_path_timeout), ("path_to_root_timeout", self.path_to_root_timeout)]
        {
            checks.require((tu(1)..=LONGEST).contains(&life), name, || {
                format!("is {} s; {} to {} s are possible", seconds(life), seconds(tu(1)), seconds(LONGEST))
            });
        }
        checks.no_endless_time(&[
            ("retry_timeout", self.retry_timeout),
            ("confirm_timeout", self.confirm_timeout),
            ("holding_timeout", self.holding_timeout),
            ("peer_timeout", self.peer_timeout),
            ("failure_memory", self.failure_memory),
            ("overhead", self.overhead),
            ("metric_unit", self.metric_unit),
            ("net_traversal_time", self.net_traversal_time),
            ("preq_min_interval", self.preq_min_interval),
            ("perr_min_interval", self.perr_min_interval),
            ("refresh_before", self.refresh_before),
            ("confirmation_interval", self.confirmation_interval),
        ]);
        let (before, life) = (self.refresh_before, self.active_path_timeout);
        checks.agree(before < life, "refresh_before", &["active_path_timeout"], || {
            format!("is {} s; it must be less than active_path_timeout, {} s", seconds(before), seconds(life))
        });
        let holds = self.peer_timeout == Span::ZERO || self.peer_timeout > self.beacon_interval;
        checks.agree(holds, "peer_timeout", &["beacon_interval"], || {
            let (found, interval) = (seconds(self.peer_timeout), seconds(self.beacon_interval));
            format!("is {found} s; it must be 0 or more than beacon_interval, {interval} s")
        });
        checks.into_errors()
    }
}

const SECTION: &str = "routing.hwmp";
/// A clock that ticks all through the run must leave time for the run.
const SHORTEST_CLOCK: Span = tu(1);
/// Longest interval that a beacon can name.
const LONGEST_FIELD: Span = tu(u16::MAX as u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sets_differ_where_their_sources_do() {
        let set = |name| HwmpConfig::set(name).expect("a set");
        let (standard, linux, ns3) = (set("ieee80211s"), set("linux"), set("ns3"));
        assert_eq!(standard, HwmpConfig::default());
        let limits = |set: &HwmpConfig| (set.max_beacon_loss, set.max_packet_failures, set.max_failure_average);
        assert_eq!(limits(&standard), (None, None, 0.95));
        assert_eq!(limits(&linux), (None, None, 0.95));
        assert_eq!(limits(&ns3), (Some(2), Some(2), 1.0));
        let waits = |set: &HwmpConfig| (set.retry_timeout, set.max_retries);
        assert_eq!(waits(&standard), (Span::from_micros(40_960), 2));
        assert_eq!(waits(&linux), (Span::from_millis(100), 3));
        assert_eq!(waits(&ns3), (Span::from_micros(40_960), 4));
        assert_eq!(linux.failure_rule(), FailureRule::Packets(0.8));
        assert_eq!(ns3.failure_rule(), FailureRule::Attempts(Span::from_secs(1)));
    }

    #[test]
    fn bad_values_name_their_key() {
        let base = HwmpConfig::default;
        let long = Span::from_secs(1_000_001);
        let cases = [
            (HwmpConfig { retry_timeout: Span::ZERO, ..base() }, "retry_timeout", "is 0 s; it must be more"),
            (
                HwmpConfig { beacon_interval: Span::from_secs(100), ..base() },
                "beacon_interval",
                "is 100 s; 0.001024 to 67.10784 s are possible (the field of the frame has 16 bits of TU)",
            ),
            (
                HwmpConfig { root_interval: Span::ZERO, ..base() },
                "root_interval",
                "is 0 s; 0.001024 to 67.10784 s are possible (the field of the frame has 16 bits of TU)",
            ),
            (
                HwmpConfig { active_path_timeout: Span::ZERO, ..base() },
                "active_path_timeout",
                "is 0 s; 0.001024 to 1000000 s are possible",
            ),
            (
                HwmpConfig { preq_min_interval: long, ..base() },
                "preq_min_interval",
                "is 1000001 s; at most 1000000 s are possible",
            ),
            (
                HwmpConfig { refresh_before: Span::from_secs(6), ..base() },
                "refresh_before",
                "is 6 s; it must be less than active_path_timeout, 5.12 s",
            ),
            (
                HwmpConfig { peer_timeout: Span::from_secs(1), ..base() },
                "peer_timeout",
                "is 1 s; it must be 0 or more than beacon_interval, 1.024 s",
            ),
        ];
        for (cfg, key, message) in cases {
            let error = cfg.check().remove(0);
            assert_eq!((error.key.as_str(), error.message.as_str()), (format!("routing.hwmp.{key}").as_str(), message));
        }
    }
}
