//! Parameters of OLSR (RFC 3626) and its named sets.

use hopscope_core::config::params::Range;
use hopscope_core::config::section::{Checks, seconds};
use hopscope_core::error::BuildError;
use hopscope_core::units::{Span, TimeCode};
use hopscope_core::{choice, params};

choice! {
    /// When a TC message goes out before its interval is over.
    pub enum TcTrigger {
        /// Never.
        Never = "never",
        /// The link to a node that chose this one as relay broke.
        Loss = "loss",
        /// A node that chose this one as relay is new or gone.
        Change = "change",
    }
}

choice! {
    /// What a route is short by.
    pub enum OlsrMetric {
        /// Number of hops, as RFC 3626 has it.
        Hops = "hops",
        /// Expected transmissions: the sum of ETX (De Couto et al. 2003), in olsrd's LQ_HELLO and LQ_TC messages with the
        /// arithmetic of its `etx_ff`.
        Etx = "etx",
        /// Expected time on the air: the sum of ETT (Draves et al. 2004), in the same messages, with the rate that rate control
        /// has for the neighbour in an octet that olsrd leaves empty.
        Ett = "ett",
    }
}

params! {
    /// OLSR.
    pub struct OlsrConfig {
        /// Longest time between HELLOs (HELLO_INTERVAL).
        hello_interval: Span = Span::from_secs(2), "s", "RFC 3626 18.2";
        /// How long what a HELLO says is valid (NEIGHB_HOLD_TIME).
        neighb_hold_time: Span = Span::from_secs(6), "s", "RFC 3626 18.3";
        /// Longest time between TC messages (TC_INTERVAL).
        tc_interval: Span = Span::from_secs(5), "s", "RFC 3626 18.2";
        /// How long what a TC message says is valid (TOP_HOLD_TIME).
        top_hold_time: Span = Span::from_secs(15), "s", "RFC 3626 18.3";
        /// How long a message is remembered, so that its copies are ignored (DUP_HOLD_TIME).
        dup_hold_time: Span = Span::from_secs(30), "s", "RFC 3626 18.3";
        /// Most by which an interval is cut short at random, and longest random delay of a relayed message (MAXJITTER).
        max_jitter: Span = Span::from_millis(500), "s", "RFC 3626 18.9";
        /// Readiness to relay for others, from 0 (never) to 7 (always).
        willingness: u32 = 3, "", "RFC 3626 18.8";
        /// Relays that cover every node two hops away, where there are so many (MPR_COVERAGE).
        mpr_coverage: u32 = 1, "", "RFC 3626 18.9";
        /// What TC messages list: 0 the nodes that chose this one as relay, 1 its own relays too, 2 all neighbours.
        tc_redundancy: u32 = 0, "", "RFC 3626 15.1", when "willingness > 0";
        /// When a TC message goes out early.
        tc_trigger: TcTrigger = TcTrigger::Loss, "", "RFC 3626 9.3";
        /// Shortest time from one TC message to an early one.
        tc_trigger_gap: Span = Span::from_secs(1), "s", "a default", when "tc_trigger != never";
        /// TC messages go far only now and then (fisheye scope); those between reach the nodes near by.
        fisheye: bool = false, "", "olsrd 0.4.10 (Link Quality Fish Eye)";
        /// How many hops the TC messages between travel.
        fisheye_hops: u32 = 3, "", "olsrd 0.4.10",
            when "fisheye = true and fisheye_sequence = false";
        /// Longest time between TC messages that go everywhere.
        fisheye_interval: Span = Span::from_secs(15), "s", "a default",
            when "fisheye = true and fisheye_sequence = false";
        /// How long what they say is valid; for those between it is top_hold_time.
        fisheye_hold_time: Span = Span::from_secs(45), "s", "a default (three intervals)",
            when "fisheye = true and fisheye_sequence = false";
        /// TC messages travel 2, 8, 2, 16, 2, 8, 2 and 255 hops in turn, all valid for top_hold_time, as olsrd sends them.
        fisheye_sequence: bool = false, "", "olsrd 0.9.8 (LinkQualityFishEye)", when "fisheye = true";
        /// What a route is short by.
        metric: OlsrMetric = OlsrMetric::Hops, "", "RFC 3626 10";
        /// Seconds of a neighbour's packets that count for the quality of a link.
        quality_window: u32 = 32, "s", "olsrd 0.9.8 (etx_ff); De Couto et al. 2003: 10", in Range::within(1.0, 600.0),
            when "metric = etx | ett";
        /// Seconds of the window that count when a link is new; one more each second.
        quality_start: u32 = 4, "s", "olsrd 0.9.8 (etx_ff)", in Range::within(1.0, 600.0), when "metric = etx | ett";
        /// Share of the announced quality by which a measured one must differ to be announced.
        quality_change: f64 = 0.1, "", "olsrd 0.9.8 (etx_ff)", in Range::within(0.0, 1.0), when "metric = etx | ett";
        /// Share of packets below which a link is not used, in either direction.
        quality_least: f64 = 0.1, "", "olsrd 0.9.8 (MINIMAL_USEFUL_LQ)", in Range::above(0.0).up_to(1.0),
            when "metric = etx | ett";
        /// Least time between two calculations of routes; packets follow the table that is there.
        route_gap: Span = Span::from_secs(1), "s", "olsrd 0.9.8 (SPF backoff)", in Range::within(0.0, 60.0),
            when "metric = etx | ett";
        /// A link is used only while its quality, an average over packets that came and packets that are missing, is good.
        hysteresis: bool = true, "", "RFC 3626 14", when "metric = hops";
        /// Weight of the newest packet in the quality (HYST_SCALING).
        hysteresis_scaling: f64 = 0.5, "", "RFC 3626 18.7", when "metric = hops and hysteresis = true";
        /// Quality above which a link is taken into use (HYST_THRESHOLD_HIGH).
        hysteresis_high: f64 = 0.8, "", "RFC 3626 18.7", when "metric = hops and hysteresis = true";
        /// Quality below which a link is given up (HYST_THRESHOLD_LOW).
        hysteresis_low: f64 = 0.3, "", "RFC 3626 18.7", when "metric = hops and hysteresis = true";
        /// Silence that counts as a missing packet, in HELLO intervals of the neighbour; the RFC's 1 leaves no room for
        /// time in queues.
        hysteresis_silence: f64 = 1.5, "intervals", "a default (RFC 3626 14.3: 1)", when "metric = hops and hysteresis = true";
        /// A packet that the MAC gave up breaks the link at once.
        link_layer_detection: bool = false, "", "RFC 3626 13 (optional there)";
        /// Packets in the interface queue for a lost neighbour are dropped.
        flush_queue: bool = false, "", "RFC 3626 (packets are not OLSR's affair)";
    }
}

impl OlsrConfig {
    /// Names of the parameter sets with what they stand for.
    pub const SETS: &'static [(&'static str, &'static str)] = &[
        ("rfc3626", "RFC 3626 with its section 18 constants and with link hysteresis."),
        ("olsr-unik", "OLSR_UniK 0.4.10 as set in anastasi2006: no hysteresis, queue flushed for a lost neighbour."),
        ("olsr-etx", "RFC 3626 with routes and relays by ETX as olsrd measures it, and HELLOs valid for 20 s."),
        ("olsrd", "olsrd 0.9.8 as it comes: ETX (etx_ff), all links announced, seven relays, fisheye scope."),
    ];

    /// The parameter set of that name.
    pub fn set(name: &str) -> Option<OlsrConfig> {
        match name {
            "rfc3626" => Some(OlsrConfig::default()),
            "olsr-unik" => Some(OlsrConfig { hysteresis: false, flush_queue: true, ..OlsrConfig::default() }),
            "olsr-etx" => Some(OlsrConfig {
                metric: OlsrMetric::Etx,
                // After the RFC's three HELLOs a lossy link would be lost all the time, and never have a quality.
                neighb_hold_time: Span::from_secs(20),
                ..OlsrConfig::default()
            }),
            "olsrd" => Some(OlsrConfig {
                metric: OlsrMetric::Etx,
                neighb_hold_time: Span::from_secs(20),
                top_hold_time: Span::from_secs(300),
                mpr_coverage: 7,
                tc_redundancy: 2,
                fisheye: true,
                fisheye_sequence: true,
                ..OlsrConfig::default()
            }),
            _ => None,
        }
    }

    /// A link is used by hysteresis.
    pub fn has_hysteresis(&self) -> bool {
        self.hysteresis && self.metric == OlsrMetric::Hops
    }

    /// What is wrong beyond what the types say: parameter, value and what is allowed.
    pub fn check(&self) -> Vec<BuildError> {
        let times = [
            ("hello_interval", self.hello_interval, "neighb_hold_time", self.neighb_hold_time),
            ("tc_interval", self.tc_interval, "top_hold_time", self.top_hold_time),
        ];
        let mut checks = Checks::of(SECTION);
        for (interval_name, interval, hold_name, hold) in times {
            checks.no_zero_time(&[(interval_name, interval)]);
            checks.agree(hold >= interval, hold_name, &[interval_name], || {
                format!("is {} s; it must be at least {interval_name}, {} s", seconds(hold), seconds(interval))
            });
            checks.require(hold <= TimeCode::LONGEST, hold_name, || {
                format!("is {} s; a message can announce at most {} s", seconds(hold), seconds(TimeCode::LONGEST))
            });
            checks.agree(self.max_jitter < interval, "max_jitter", &[interval_name], || {
                let (found, interval) = (seconds(self.max_jitter), seconds(interval));
                format!("is {found} s; it must be less than {interval_name}, {interval} s")
            });
        }
        checks.agree(self.dup_hold_time > self.max_jitter, "dup_hold_time", &["max_jitter"], || {
            format!(
                "is {} s; it must exceed max_jitter, {} s, or copies of a message are taken for new",
                seconds(self.dup_hold_time),
                seconds(self.max_jitter)
            )
        });
        // The other times are bounded by what a message can announce.
        checks.no_endless_time(&[("dup_hold_time", self.dup_hold_time), ("tc_trigger_gap", self.tc_trigger_gap)]);
        checks.require(self.willingness <= WILL_ALWAYS, "willingness", || {
            format!("is {}; 0 to {WILL_ALWAYS} are possible", self.willingness)
        });
        checks.no_zero_count(&[("mpr_coverage", self.mpr_coverage)]);
        checks.require(self.tc_redundancy <= 2, "tc_redundancy", || {
            format!("is {}; 0, 1 and 2 are possible", self.tc_redundancy)
        });
        self.check_fisheye(&mut checks);
        self.check_quality(&mut checks);
        self.check_hysteresis(&mut checks);
        checks.into_errors()
    }

    fn check_fisheye(&self, checks: &mut Checks) {
        if !self.fisheye || self.fisheye_sequence {
            return;
        }
        let (hops, interval, hold) = (self.fisheye_hops, self.fisheye_interval, self.fisheye_hold_time);
        checks.require((1..=255).contains(&hops), "fisheye_hops", || format!("is {hops}; 1 to 255 are possible"));
        checks.agree(interval >= self.tc_interval, "fisheye_interval", &["tc_interval"], || {
            format!("is {} s; it must be at least tc_interval, {} s", seconds(interval), seconds(self.tc_interval))
        });
        checks.agree(hold >= interval, "fisheye_hold_time", &["fisheye_interval"], || {
            format!("is {} s; it must be at least fisheye_interval, {} s", seconds(hold), seconds(interval))
        });
        checks.require(hold <= TimeCode::LONGEST, "fisheye_hold_time", || {
            format!("is {} s; a message can announce at most {} s", seconds(hold), seconds(TimeCode::LONGEST))
        });
    }

    fn check_quality(&self, checks: &mut Checks) {
        if self.metric == OlsrMetric::Hops {
            return;
        }
        let (window, start) = (self.quality_window, self.quality_start);
        checks.agree(
            self.hello_interval <= Span::from_secs(u64::from(window)),
            "metric",
            &["hello_interval", "quality_window"],
            || {
                format!(
                    "\"{}\" needs probes, and none may come in quality_window, {window} s: hello_interval is {} s",
                    self.metric.word(),
                    seconds(self.hello_interval)
                )
            },
        );
        checks.agree(start <= window, "quality_start", &["quality_window"], || {
            format!("is {start} s; it must be at most quality_window, {window} s")
        });
    }

    fn check_hysteresis(&self, checks: &mut Checks) {
        let (scaling, high, low) = (self.hysteresis_scaling, self.hysteresis_high, self.hysteresis_low);
        checks.require(scaling > 0.0 && scaling < 1.0, "hysteresis_scaling", || {
            format!("is {scaling}; it must be between 0 and 1")
        });
        checks.require((0.0..1.0).contains(&high), "hysteresis_high", || {
            format!("is {high}; it must be at least 0 and less than 1")
        });
        checks.agree((0.0..=high).contains(&low), "hysteresis_low", &["hysteresis_high"], || {
            format!("is {low}; 0 to hysteresis_high, {high}, are possible")
        });
        checks.require((1.0..=MAX_SILENCE).contains(&self.hysteresis_silence), "hysteresis_silence", || {
            format!("is {} intervals; 1 to {MAX_SILENCE} are possible", self.hysteresis_silence)
        });
    }
}

const SECTION: &str = "routing.olsr";
/// WILL_ALWAYS of RFC 3626 18.8.
const WILL_ALWAYS: u32 = 7;
/// Silences longer than this many intervals say nothing that the hold time does not.
const MAX_SILENCE: f64 = 100.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_set_differs_where_the_paper_says() {
        let unik = OlsrConfig::set("olsr-unik").expect("a set");
        assert_eq!((unik.hello_interval, unik.neighb_hold_time), (Span::from_secs(2), Span::from_secs(6)));
        assert!(!unik.hysteresis && unik.flush_queue && !unik.link_layer_detection);
    }

    #[test]
    fn the_daemons_set_is_what_its_headers_say() {
        // src/olsr_protocol.h and src/olsr_cfg.h of olsrd 0.9.8: HELLOs are valid for 10, TC messages for 60 intervals.
        let olsrd = OlsrConfig::set("olsrd").expect("a set");
        assert_eq!((olsrd.hello_interval, olsrd.neighb_hold_time), (Span::from_secs(2), Span::from_secs(20)));
        assert_eq!((olsrd.tc_interval, olsrd.top_hold_time), (Span::from_secs(5), Span::from_secs(300)));
        assert_eq!((olsrd.mpr_coverage, olsrd.tc_redundancy), (7, 2));
        assert!(!olsrd.has_hysteresis() && olsrd.fisheye_sequence);
    }

    #[test]
    fn bad_values_name_their_key() {
        let ms = Span::from_millis;
        let base = OlsrConfig::default;
        let fisheye = || OlsrConfig { fisheye: true, ..OlsrConfig::default() };
        let etx = || OlsrConfig::set("olsr-etx").expect("a set");
        let cases = [
            (OlsrConfig { hello_interval: Span::ZERO, ..base() }, "hello_interval", "is 0 s; it must be more"),
            (OlsrConfig { tc_interval: Span::ZERO, ..base() }, "tc_interval", "is 0 s; it must be more"),
            (
                OlsrConfig { neighb_hold_time: ms(1999), ..base() },
                "neighb_hold_time",
                "is 1.999 s; it must be at least hello_interval, 2 s",
            ),
            (
                OlsrConfig { top_hold_time: ms(4000), ..base() },
                "top_hold_time",
                "is 4 s; it must be at least tc_interval, 5 s",
            ),
            (
                OlsrConfig { top_hold_time: Span::from_secs(4000), ..base() },
                "top_hold_time",
                "is 4000 s; a message can announce at most 3968 s",
            ),
            (
                OlsrConfig { max_jitter: ms(2000), ..base() },
                "max_jitter",
                "is 2 s; it must be less than hello_interval, 2 s",
            ),
            (
                OlsrConfig { dup_hold_time: ms(100), ..base() },
                "dup_hold_time",
                "is 0.1 s; it must exceed max_jitter, 0.5 s, or copies of a message are taken for new",
            ),
            (
                OlsrConfig { dup_hold_time: Span(u64::MAX / 1_000_000_000 * 1_000_000_000), ..base() },
                "dup_hold_time",
                "is 18446744073 s; at most 1000000 s are possible",
            ),
            (
                OlsrConfig { tc_trigger_gap: Span::from_secs(1_000_001), ..base() },
                "tc_trigger_gap",
                "is 1000001 s; at most 1000000 s are possible",
            ),
            (OlsrConfig { willingness: 8, ..base() }, "willingness", "is 8; 0 to 7 are possible"),
            (OlsrConfig { mpr_coverage: 0, ..base() }, "mpr_coverage", "is 0; it must be at least 1"),
            (OlsrConfig { tc_redundancy: 3, ..base() }, "tc_redundancy", "is 3; 0, 1 and 2 are possible"),
            (OlsrConfig { fisheye_hops: 0, ..fisheye() }, "fisheye_hops", "is 0; 1 to 255 are possible"),
            (OlsrConfig { fisheye_hops: 256, ..fisheye() }, "fisheye_hops", "is 256; 1 to 255 are possible"),
            (
                OlsrConfig { fisheye_interval: ms(4000), ..fisheye() },
                "fisheye_interval",
                "is 4 s; it must be at least tc_interval, 5 s",
            ),
            (
                OlsrConfig { fisheye_hold_time: ms(14_000), ..fisheye() },
                "fisheye_hold_time",
                "is 14 s; it must be at least fisheye_interval, 15 s",
            ),
            (
                OlsrConfig { fisheye_hold_time: Span::from_secs(4000), ..fisheye() },
                "fisheye_hold_time",
                "is 4000 s; a message can announce at most 3968 s",
            ),
            (
                OlsrConfig { hello_interval: Span::from_secs(5), quality_window: 4, ..etx() },
                "metric",
                "\"etx\" needs probes, and none may come in quality_window, 4 s: hello_interval is 5 s",
            ),
            (
                OlsrConfig { quality_start: 33, ..etx() },
                "quality_start",
                "is 33 s; it must be at most quality_window, 32 s",
            ),
            (
                OlsrConfig { hysteresis_scaling: 1.0, ..base() },
                "hysteresis_scaling",
                "is 1; it must be between 0 and 1",
            ),
            (
                OlsrConfig { hysteresis_high: f64::NAN, ..base() },
                "hysteresis_high",
                "is NaN; it must be at least 0 and less than 1",
            ),
            (
                OlsrConfig { hysteresis_low: 0.9, ..base() },
                "hysteresis_low",
                "is 0.9; 0 to hysteresis_high, 0.8, are possible",
            ),
            (
                OlsrConfig { hysteresis_silence: 0.5, ..base() },
                "hysteresis_silence",
                "is 0.5 intervals; 1 to 100 are possible",
            ),
        ];
        for (cfg, key, message) in cases {
            let error = cfg.check().remove(0);
            assert_eq!((error.key.as_str(), error.message.as_str()), (format!("routing.olsr.{key}").as_str(), message));
        }
    }
}
