//! What the parameters of AODV have to hold beyond what their types say.

use super::AodvConfig;
use hopscope_core::config::section::{Checks, LONGEST, seconds};
use hopscope_core::error::BuildError;
use hopscope_core::units::Span;

const SECTION: &str = "routing.aodv";
/// Hop counts are one octet; the largest value stands for "not reachable".
const MAX_HOPS: u32 = 254;
/// A clock that ticks all through the run must leave time for the run.
const SHORTEST_CLOCK: Span = Span::from_millis(1);

impl AodvConfig {
    /// What is wrong beyond what the types say: parameter, value and what is allowed.
    pub fn check(&self) -> Vec<BuildError> {
        self.resolved().check_named()
    }

    fn check_named(&self) -> Vec<BuildError> {
        let mut checks = Checks::of(SECTION);
        self.check_bounds(&mut checks);
        self.check_clocks(&mut checks);
        for (name, value) in [("ttl_start", self.ttl_start), ("ttl_threshold", self.ttl_threshold)] {
            checks.agree(value <= self.net_diameter, name, &["net_diameter"], || {
                format!("is {value} hops; it must not exceed net_diameter, {} hops", self.net_diameter)
            });
        }
        self.check_hellos(&mut checks);
        checks.into_errors()
    }

    /// What each parameter has to hold by itself.
    fn check_bounds(&self, checks: &mut Checks) {
        checks.no_zero_time(&[
            ("active_route_timeout", self.active_route_timeout),
            ("my_route_timeout", self.my_route_timeout),
            ("delete_period", self.delete_period),
            ("node_traversal_time", self.node_traversal_time),
            ("max_rreq_wait", self.max_rreq_wait),
            ("hello_interval", self.hello_interval),
            ("buffer_time", self.buffer_time),
        ]);
        checks
            .no_zero_count(&[("allowed_hello_loss", self.allowed_hello_loss), ("buffer_packets", self.buffer_packets)]);
        for (name, limit) in [("rreq_ratelimit", self.rreq_ratelimit), ("rerr_ratelimit", self.rerr_ratelimit)] {
            checks.require(limit != Some(0), name, || "is 0 per second; it must be more".to_string());
        }
        checks.no_endless_time(&[
            ("active_route_timeout", self.active_route_timeout),
            ("my_route_timeout", self.my_route_timeout),
            ("reverse_route_life", self.reverse_route_life),
            ("delete_period", self.delete_period),
            ("request_memory", self.request_memory),
            ("sweep_interval", self.sweep_interval),
            ("node_traversal_time", self.node_traversal_time),
            ("max_rreq_wait", self.max_rreq_wait),
            ("search_pause", self.search_pause),
            ("hello_interval", self.hello_interval),
            ("broadcast_jitter", self.broadcast_jitter),
            ("buffer_time", self.buffer_time),
            ("release_gap", self.release_gap),
        ]);
        checks.hops_up_to(
            MAX_HOPS,
            &[
                ("net_diameter", self.net_diameter),
                ("ttl_start", self.ttl_start),
                ("ttl_increment", self.ttl_increment),
                ("data_ttl", self.data_ttl.unwrap_or(1)),
            ],
        );
    }

    /// A neighbour is not given up between two of its HELLOs.
    fn check_hellos(&self, checks: &mut Checks) {
        let (hold, interval) = (self.hold(), self.hello_interval);
        let holds = self.hello_hold.is_finite() && (interval..=LONGEST).contains(&hold);
        checks.agree(holds, "hello_hold", &["hello_interval", "allowed_hello_loss"], || {
            format!(
                "is {}, which gives a hold time of {} s; that must be at least hello_interval, {} s, and at most {} s",
                self.hello_hold,
                seconds(hold),
                seconds(interval),
                seconds(LONGEST),
            )
        });
        checks.agree(self.hello_jitter < interval, "hello_jitter", &["hello_interval"], || {
            let (jitter, interval) = (seconds(self.hello_jitter), seconds(interval));
            format!("is {jitter} s; it must be less than hello_interval, {interval} s")
        });
    }

    /// What ticks all through the run does not tick too often.
    fn check_clocks(&self, checks: &mut Checks) {
        let slow = |time: Span| time >= SHORTEST_CLOCK;
        let too_often = |time: Span| {
            format!("is {} s; as a clock it must be at least {} s", seconds(time), seconds(SHORTEST_CLOCK))
        };
        checks.require(slow(self.sweep_interval), "sweep_interval", || too_often(self.sweep_interval));
        // The sum of a request's life is reckoned from sound parts alone.
        if self.request_clock && self.net_diameter <= MAX_HOPS && self.node_traversal_time <= LONGEST {
            let life = self.request_life();
            let parts = ["node_traversal_time", "net_diameter"];
            checks.agree(slow(life), "request_memory", &parts, || too_often(life));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_values_name_their_key() {
        let bad = |cfg: AodvConfig| cfg.check().remove(0).key;
        assert_eq!(
            bad(AodvConfig { allowed_hello_loss: 0, ..AodvConfig::default() }),
            "routing.aodv.allowed_hello_loss"
        );
        assert_eq!(bad(AodvConfig { hello_hold: 0.4, ..AodvConfig::default() }), "routing.aodv.hello_hold");
        assert_eq!(bad(AodvConfig { hello_hold: f64::NAN, ..AodvConfig::default() }), "routing.aodv.hello_hold");
        assert_eq!(bad(AodvConfig { net_diameter: 255, ..AodvConfig::default() }), "routing.aodv.net_diameter");
        assert_eq!(bad(AodvConfig { ttl_threshold: 36, ..AodvConfig::default() }), "routing.aodv.ttl_threshold");
        assert_eq!(
            bad(AodvConfig { hello_jitter: Span::from_secs(1), ..AodvConfig::default() }),
            "routing.aodv.hello_jitter"
        );
    }

    #[test]
    fn a_clock_that_hardly_advances_is_refused() {
        let bad = |cfg: AodvConfig| cfg.check().remove(0).key;
        let ns2 = AodvConfig::set("ns2").expect("a set");
        assert_eq!(bad(AodvConfig { sweep_interval: Span(1), ..ns2.clone() }), "routing.aodv.sweep_interval");
        assert_eq!(bad(AodvConfig { request_memory: Span(1), ..ns2 }), "routing.aodv.request_memory");
        assert_eq!(AodvConfig { request_memory: Span(1), ..AodvConfig::default() }.check(), []);
    }
}
