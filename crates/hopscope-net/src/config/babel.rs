//! Parameters of Babel (RFC 8966) and its named sets.

use hopscope_core::config::section::{Checks, seconds};
use hopscope_core::error::BuildError;
use hopscope_core::units::Span;
use hopscope_core::{choice, params};
use hopscope_packet::babel::Centiseconds;

choice! {
    /// How a node estimates the cost of a link.
    pub enum BabelLinkCost {
        /// 256 times the number of transmissions until one arrives and is acknowledged, from the Hellos that came (RFC 8966 A.2.2).
        Etx = "etx",
        /// A fixed cost while enough of the last Hellos came, infinite otherwise (RFC 8966 A.2.1).
        KOutOfJ = "k-out-of-j",
    }
}

choice! {
    /// What a node does with an update that its feasibility condition forbids for the route that it uses.
    pub enum UnfeasibleUpdate {
        /// The route is given up at once; the neighbour is asked for a newer number.
        Unselect = "unselect",
        /// The update is ignored, and the neighbour is asked for a newer number.
        Ignore = "ignore",
        /// The route takes the new metric and stays in use until a better one is there; nothing is asked.
        Keep = "keep",
    }
}

params! {
    /// Babel.
    pub struct BabelConfig {
        /// Time between Hellos.
        hello_interval: Span = Span::from_secs(4), "s", "RFC 8966 B";
        /// Time between updates of all routes.
        update_interval: Span = Span::from_secs(16), "s", "RFC 8966 B (4 Hello intervals)";
        /// Hellos for each IHU to a neighbour from which all come; others get one with each Hello.
        ihu_hellos: u32 = 3, "", "RFC 8966 B";
        /// Part by which an interval is cut short at most, at random.
        jitter_early: f64 = 0.25, "", "babeld (util.c: roughly); RFC 8966 gives no number";
        /// Part by which an interval is prolonged at most, at random. What a TLV announces is an upper bound, so the RFC leaves none.
        jitter_late: f64 = 0.0, "", "RFC 8966 3.4.1; babeld: 0.25";
        /// Silence after a Hello that counts as the first missing one.
        hello_timeout: f64 = 1.5, "intervals", "RFC 8966 A.1; babeld: 1.7 (neighbour.c)";
        /// How a node estimates the cost of a link.
        link_cost: BabelLinkCost = BabelLinkCost::Etx, "", "RFC 8966 B (wireless links)";
        /// Hellos that must have come (k).
        hellos_needed: u32 = 2, "", "RFC 8966 B (wired links)", when "link_cost = k-out-of-j";
        /// Hellos that are looked at (j).
        hellos_counted: u32 = 3, "", "RFC 8966 B (wired links)", when "link_cost = k-out-of-j";
        /// Cost of a link that is up (C).
        nominal_cost: u32 = 96, "", "RFC 8966 B (wired links)", when "link_cost = k-out-of-j";
        /// How long an IHU is valid, in its interval.
        ihu_hold: f64 = 3.5, "intervals", "RFC 8966 B; babeld: 10 (neighbour.c)";
        /// How long an update is valid, in its interval.
        route_hold: f64 = 3.5, "intervals", "RFC 8966 B; babeld: 6 (route.c)";
        /// Longest time that what is urgent waits for more to go with it.
        urgent_timeout: Span = Span::from_millis(200), "s", "RFC 8966 B; babeld: 0.125 (interface.c)";
        /// Longest time that an update waits which is not urgent.
        update_delay: Span = Span::from_secs(5), "s", "babeld (interface.c); RFC 8966 gives no number";
        /// Growth of a route's metric, since it was last advertised, for which an update goes out early.
        trigger_worse: u32 = 384, "", "babeld (route.c); RFC 8966 3.7.2 leaves it open";
        /// Drop of a route's metric for which one does.
        trigger_better: u32 = 1024, "", "babeld (route.c); RFC 8966 3.7.2 leaves it open";
        /// Time in which half of a change of metric has come into the smoothed metric; 0: it is not smoothed.
        smoothing_half_life: Span = Span::from_secs(4), "s", "babeld; RFC 8966 A.3 has the rule";
        /// Least smoothed metric that a new route begins with: it has to prove itself.
        smoothing_start: u32 = 0, "", "RFC 8966 A.3; babeld: 32767 (route.c)", when "smoothing_half_life > 0";
        /// What a node does with an update that its feasibility condition forbids for the route that it uses.
        unfeasible_update: UnfeasibleUpdate = UnfeasibleUpdate::Unselect, "", "RFC 8966 3.5.3 and 3.8.2.2, which allow ignore; babeld: keep";
        /// A forbidden update of another neighbour makes a node ask for a newer number where its metric is better by more than this.
        request_margin: u32 = 0, "", "RFC 8966 3.8.2.2; babeld: 511 (route.c)";
        /// Time to the first repetition of a request or a retraction; it doubles with each.
        request_timeout: Span = Span::from_secs(2), "s", "RFC 8966 B";
        /// Repetitions of a request for a lost route, and of a retraction.
        request_retries: u32 = 3, "", "RFC 8966 B";
        /// Hops that a Seqno Request may travel.
        request_hops: u32 = 127, "", "babeld (route.c); RFC 8966 gives no number";
        /// A node asks a new neighbour for all its routes.
        new_neighbour_request: bool = true, "", "RFC 8966 3.8.2.4 (optional there); babeld: false";
        /// Shortest time from an update of all routes to one that a neighbour asks for.
        dump_gap: Span = Span::from_secs(4), "s", "a default; babeld: 40 (message.c)";
        /// Router-ids are taken from the prefixes of updates; otherwise a TLV of 12 bytes says each.
        router_id_flag: bool = true, "", "RFC 8966 4.6.9; babeld: false with IPv4 (message.c)";
    }
}

impl BabelConfig {
    /// Names of the parameter sets with what they stand for.
    pub const SETS: &'static [(&'static str, &'static str)] = &[
        ("rfc8966", "RFC 8966 with its Appendix B, on wireless links."),
        ("babeld", "The daemon babeld with its defaults, on wireless links."),
    ];

    /// The parameter set of that name.
    pub fn set(name: &str) -> Option<BabelConfig> {
        match name {
            "rfc8966" => Some(BabelConfig::default()),
            "babeld" => Some(BabelConfig {
                jitter_late: 0.25,
                hello_timeout: 1.7,
                ihu_hold: 10.0,
                route_hold: 6.0,
                urgent_timeout: Span::from_millis(125),
                smoothing_start: 32_767,
                unfeasible_update: UnfeasibleUpdate::Keep,
                request_margin: 511,
                new_neighbour_request: false,
                dump_gap: Span::from_secs(40),
                router_id_flag: false,
                ..BabelConfig::default()
            }),
            _ => None,
        }
    }

    /// Longest time between IHUs to a neighbour.
    pub fn ihu_interval(&self) -> Span {
        self.hello_interval * u64::from(self.ihu_hellos)
    }

    /// What is wrong beyond what the types say: parameter, value and what is allowed.
    pub fn check(&self) -> Vec<BuildError> {
        let mut checks = Checks::of(SECTION);
        checks.no_zero_count(&[("ihu_hellos", self.ihu_hellos)]);
        for (name, interval) in [("hello_interval", self.hello_interval), ("update_interval", self.update_interval)] {
            checks.no_zero_time(&[(name, interval)]);
            checks.require(interval == Span::ZERO || interval >= CENTISECOND, name, || {
                format!("is {} s; a TLV announces at least 0.01 s", seconds(interval))
            });
            checks.require(interval <= Centiseconds::LONGEST, name, || {
                format!("is {} s; a TLV can announce at most {} s", seconds(interval), seconds(Centiseconds::LONGEST))
            });
        }
        let (hellos, hello) = (u64::from(self.ihu_hellos), self.hello_interval);
        let most = Centiseconds::LONGEST.0 / hello.0.max(1);
        checks.agree(hellos <= most, "ihu_hellos", &["hello_interval"], || {
            format!("is {hellos}; with hello_interval {} s a TLV can announce at most {most}", seconds(hello))
        });
        for (name, part) in [("jitter_early", self.jitter_early), ("jitter_late", self.jitter_late)] {
            checks.require((0.0..=MOST_JITTER).contains(&part), name, || {
                format!("is {part}; 0 to {MOST_JITTER} are possible")
            });
        }
        let holds =
            [("hello_timeout", self.hello_timeout), ("ihu_hold", self.ihu_hold), ("route_hold", self.route_hold)];
        for (name, hold) in holds {
            checks.require((1.0..=MOST_INTERVALS).contains(&hold), name, || {
                format!("is {hold} intervals; 1 to {MOST_INTERVALS} are possible")
            });
        }
        checks.no_zero_time(&[("request_timeout", self.request_timeout)]);
        checks.no_endless_time(&[
            ("urgent_timeout", self.urgent_timeout),
            ("update_delay", self.update_delay),
            ("smoothing_half_life", self.smoothing_half_life),
            ("dump_gap", self.dump_gap),
        ]);
        checks.require(self.request_timeout <= Centiseconds::LONGEST, "request_timeout", || {
            format!("is {} s; at most {} s are possible", seconds(self.request_timeout), seconds(Centiseconds::LONGEST))
        });
        checks.require(self.request_retries <= MOST_RETRIES, "request_retries", || {
            format!("is {}; 0 to {MOST_RETRIES} are possible", self.request_retries)
        });
        checks.hops_up_to(255, &[("request_hops", self.request_hops)]);
        self.check_metrics(&mut checks);
        checks.into_errors()
    }

    fn check_metrics(&self, checks: &mut Checks) {
        let metrics = [
            ("trigger_worse", self.trigger_worse),
            ("trigger_better", self.trigger_better),
            ("smoothing_start", self.smoothing_start),
            ("request_margin", self.request_margin),
        ];
        for (name, metric) in metrics {
            checks.require(metric < INFINITY, name, || format!("is {metric}; 0 to 65534 are possible"));
        }
        if self.link_cost == BabelLinkCost::KOutOfJ {
            let (needed, counted, cost) = (self.hellos_needed, self.hellos_counted, self.nominal_cost);
            checks.require((1..=16).contains(&counted), "hellos_counted", || {
                format!("is {counted}; 1 to 16 are possible")
            });
            checks.agree((1..=counted).contains(&needed), "hellos_needed", &["hellos_counted"], || {
                format!("is {needed}; 1 to hellos_counted, {counted}, are possible")
            });
            checks.require((1..INFINITY).contains(&cost), "nominal_cost", || {
                format!("is {cost}; 1 to 65534 are possible")
            });
        }
    }
}

const SECTION: &str = "routing.babel";
/// The metric of what cannot be reached.
const INFINITY: u32 = hopscope_packet::babel::INFINITY as u32;
/// More would leave next to nothing of an interval.
/// What TLVs count times in (RFC 8966 4.6.5).
const CENTISECOND: Span = Span::from_millis(10);
const MOST_JITTER: f64 = 0.9;
/// Holds longer than this many intervals say nothing that others do not.
const MOST_INTERVALS: f64 = 100.0;
/// The wait before a repetition doubles with each: more would outlast every run.
const MOST_RETRIES: u32 = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_daemons_set_differs_where_its_source_says() {
        let babeld = BabelConfig::set("babeld").expect("a set");
        assert_eq!((babeld.hello_interval, babeld.update_interval), (Span::from_secs(4), Span::from_secs(16)));
        assert_eq!((babeld.unfeasible_update, babeld.router_id_flag), (UnfeasibleUpdate::Keep, false));
        assert_eq!(babeld.ihu_interval(), Span::from_secs(12));
    }

    #[test]
    fn bad_values_name_their_key() {
        let base = BabelConfig::default;
        let wired = || BabelConfig { link_cost: BabelLinkCost::KOutOfJ, ..BabelConfig::default() };
        let cases = [
            (BabelConfig { hello_interval: Span::ZERO, ..base() }, "hello_interval", "is 0 s; it must be more"),
            (
                BabelConfig { update_interval: Span::from_secs(700), ..base() },
                "update_interval",
                "is 700 s; a TLV can announce at most 655.35 s",
            ),
            (
                BabelConfig { hello_interval: Span(1), ..base() },
                "hello_interval",
                "is 0.000000001 s; a TLV announces at least 0.01 s",
            ),
            (BabelConfig { ihu_hellos: 0, ..base() }, "ihu_hellos", "is 0; it must be at least 1"),
            (
                BabelConfig { ihu_hellos: 164, ..base() },
                "ihu_hellos",
                "is 164; with hello_interval 4 s a TLV can announce at most 163",
            ),
            (BabelConfig { jitter_early: 0.95, ..base() }, "jitter_early", "is 0.95; 0 to 0.9 are possible"),
            (BabelConfig { jitter_late: f64::NAN, ..base() }, "jitter_late", "is NaN; 0 to 0.9 are possible"),
            (BabelConfig { hello_timeout: 0.9, ..base() }, "hello_timeout", "is 0.9 intervals; 1 to 100 are possible"),
            (BabelConfig { ihu_hold: 101.0, ..base() }, "ihu_hold", "is 101 intervals; 1 to 100 are possible"),
            (BabelConfig { route_hold: 0.0, ..base() }, "route_hold", "is 0 intervals; 1 to 100 are possible"),
            (BabelConfig { request_timeout: Span::ZERO, ..base() }, "request_timeout", "is 0 s; it must be more"),
            (BabelConfig { request_retries: 11, ..base() }, "request_retries", "is 11; 0 to 10 are possible"),
            (BabelConfig { request_hops: 0, ..base() }, "request_hops", "is 0 hops; 1 to 255 are possible"),
            (BabelConfig { trigger_worse: 65_535, ..base() }, "trigger_worse", "is 65535; 0 to 65534 are possible"),
            (
                BabelConfig { update_delay: Span::from_secs(1_000_001), ..base() },
                "update_delay",
                "is 1000001 s; at most 1000000 s are possible",
            ),
            (BabelConfig { hellos_counted: 17, ..wired() }, "hellos_counted", "is 17; 1 to 16 are possible"),
            (
                BabelConfig { hellos_needed: 4, ..wired() },
                "hellos_needed",
                "is 4; 1 to hellos_counted, 3, are possible",
            ),
            (BabelConfig { nominal_cost: 0, ..wired() }, "nominal_cost", "is 0; 1 to 65534 are possible"),
        ];
        for (cfg, key, message) in cases {
            let error = cfg.check().remove(0);
            let expected = (format!("routing.babel.{key}"), message);
            assert_eq!((error.key.as_str(), error.message.as_str()), (expected.0.as_str(), expected.1));
        }
    }
}
