//! Parameters of DSR (RFC 4728) and its named set.

use hopscope_core::config::section::{Checks, seconds};
use hopscope_core::error::BuildError;
use hopscope_core::units::Span;
use hopscope_core::{choice, params};

choice! {
    /// How long a link stays in the cache without being used.
    pub enum LinkLife {
        /// `route_cache_timeout` for every link.
        Timeout = "timeout",
        /// Longer for nodes whose links have lasted (Link-MaxLife, RFC 4728 appendix A).
        MaxLife = "max-life",
    }
}

params! {
    /// DSR.
    pub struct DsrConfig {
        /// Largest number of hops of a route request.
        discovery_hop_limit: u32 = 255, "hops", "RFC 4728 9";
        /// A search begins with a request that only neighbours hear.
        nonpropagating_request: bool = true, "", "RFC 4728 3.3.3 (optional there)";
        /// Wait for the answer to the request that only neighbours hear.
        nonprop_request_timeout: Span = Span::from_millis(30), "s", "RFC 4728 9",
            when "nonpropagating_request = true";
        /// Wait for the answer to the first propagated request; it doubles with every further one.
        request_period: Span = Span::from_millis(500), "s", "RFC 4728 9";
        /// Longest wait for the answer to one request.
        max_request_period: Span = Span::from_secs(10), "s", "RFC 4728 9";
        /// Propagated requests after the first one before the search is given up.
        max_request_rexmt: u32 = 16, "", "RFC 4728 9";
        /// Nodes whose requests are remembered, so that copies are ignored; the one heard last longest ago gives way.
        request_table_size: u32 = 64, "nodes", "RFC 4728 9";
        /// Requests remembered of each of them.
        request_table_ids: u32 = 16, "", "RFC 4728 9";
        /// Longest random delay of a repeated request and of a reply.
        broadcast_jitter: Span = Span::from_millis(10), "s", "RFC 4728 9";
        /// A node with a route in its cache answers for the destination.
        cached_reply: bool = true, "", "RFC 4728 3.3.2";
        /// A cached reply with a route of h hops waits h - 1 to h times this, so that short routes are advertised first; 0 takes
        /// `broadcast_jitter`.
        cached_reply_delay: Span = Span::ZERO, "s", "RFC 4728 8.2.5 (optional there)", when "cached_reply = true";
        /// The destination answers only the first copy of a request; otherwise every copy, each of which took another way.
        reply_to_first: bool = false, "", "RFC 4728 8.2.4";
        /// How the life of cached links is set.
        link_life: LinkLife = LinkLife::Timeout, "", "RFC 4728 4.1";
        /// Life of a cached link after it was last used or heard of (`link_life` "timeout").
        route_cache_timeout: Span = Span::from_secs(300), "s", "RFC 4728 9", when "link_life = timeout";
        /// Stability of a node nothing is known of (this and the next four: `link_life` "max-life").
        init_stability: Span = Span::from_secs(25), "s", "RFC 4728 A", when "link_life = max-life";
        /// A link in use adds the time since its last use, times this, to the stability of its ends.
        stability_incr_factor: f64 = 4.0, "", "RFC 4728 A", when "link_life = max-life";
        /// A link that breaks multiplies the stability of its ends by this.
        stability_decr_factor: f64 = 0.5, "", "RFC 4728 A", when "link_life = max-life";
        /// Shortest life of a new link.
        min_lifetime: Span = Span::from_secs(1), "s", "RFC 4728 A", when "link_life = max-life";
        /// Least life left to a link after its use.
        use_extends: Span = Span::from_secs(120), "s", "RFC 4728 A", when "link_life = max-life";
        /// A link known to be broken is not taken from routes that others wrote for this time, unless the packet itself came
        /// over it; 0 takes it at once.
        broken_link_memory: Span = Span::from_secs(1), "s", "a default";
        /// A route error is repeated in the next requests of the node it was sent to.
        spread_errors: bool = true, "", "RFC 4728 3.4.4";
        /// How often nodes on the way may give one packet a new route; 0 turns salvaging off.
        max_salvage_count: u32 = 15, "", "RFC 4728 9";
        /// A node also learns from unicast frames for others that it receives: links from their source routes and replies,
        /// and broken links from errors.
        promiscuous: bool = true, "", "RFC 4728 3.3.1 (optional there)";
        /// A node that overhears a packet whose source route names it further on notifies the writer of the shorter route
        /// (with `promiscuous`).
        route_shortening: bool = true, "", "RFC 4728 3.4.3 (optional there)", when "promiscuous = true";
        /// A node notifies one writer of a shorter route over the same neighbour no sooner again than after this time.
        grat_reply_holdoff: Span = Span::from_secs(1), "s", "RFC 4728 9", when "route_shortening = true";
        /// Packets held while their destinations are searched.
        send_buffer_size: u32 = 64, "packets", "a default";
        /// Longest time a packet is held.
        send_buffer_timeout: Span = Span::from_secs(30), "s", "RFC 4728 9";
    }
}

impl DsrConfig {
    /// Names of the parameter sets with what they stand for.
    pub const SETS: &'static [(&'static str, &'static str)] = &[("rfc4728", "RFC 4728 with its section 9 constants.")];

    /// The parameter set of that name.
    pub fn set(name: &str) -> Option<DsrConfig> {
        (name == "rfc4728").then(DsrConfig::default)
    }

    /// What is wrong beyond what the types say: parameter, value and what is allowed.
    pub fn check(&self) -> Vec<BuildError> {
        let times = [
            ("nonprop_request_timeout", self.nonprop_request_timeout),
            ("request_period", self.request_period),
            ("route_cache_timeout", self.route_cache_timeout),
            ("init_stability", self.init_stability),
            ("min_lifetime", self.min_lifetime),
            ("use_extends", self.use_extends),
            ("send_buffer_timeout", self.send_buffer_timeout),
        ];
        let mut checks = Checks::of(SECTION);
        checks.no_zero_time(&times);
        checks.no_endless_time(&times);
        checks.no_endless_time(&[
            ("max_request_period", self.max_request_period),
            ("broadcast_jitter", self.broadcast_jitter),
            ("cached_reply_delay", self.cached_reply_delay),
            ("broken_link_memory", self.broken_link_memory),
            ("grat_reply_holdoff", self.grat_reply_holdoff),
        ]);
        checks.no_zero_count(&[
            ("request_table_size", self.request_table_size),
            ("request_table_ids", self.request_table_ids),
            ("send_buffer_size", self.send_buffer_size),
        ]);
        checks.hops_up_to(255, &[("discovery_hop_limit", self.discovery_hop_limit)]);
        checks.require(self.max_salvage_count <= 15, "max_salvage_count", || {
            format!("is {}; 0 to 15 are possible (a field of four bits)", self.max_salvage_count)
        });
        let holds = self.max_request_period >= self.request_period;
        checks.agree(holds, "max_request_period", &["request_period"], || {
            let (longest, first) = (seconds(self.max_request_period), seconds(self.request_period));
            format!("is {longest} s; it must be at least request_period, {first} s")
        });
        let (up, down) = (self.stability_incr_factor, self.stability_decr_factor);
        checks.require(up.is_finite() && up >= 1.0, "stability_incr_factor", || {
            format!("is {up}; it must be at least 1")
        });
        checks.require((0.0..1.0).contains(&down), "stability_decr_factor", || {
            format!("is {down}; it must be at least 0 and less than 1")
        });
        checks.into_errors()
    }
}

const SECTION: &str = "routing.dsr";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_values_name_their_key_and_what_is_allowed() {
        let base = DsrConfig::default;
        let cases = [
            (DsrConfig { request_period: Span::ZERO, ..base() }, "request_period", "more"),
            (DsrConfig { broadcast_jitter: Span(u64::MAX), ..base() }, "broadcast_jitter", "at most 1000000 s"),
            (DsrConfig { grat_reply_holdoff: Span(u64::MAX), ..base() }, "grat_reply_holdoff", "at most 1000000 s"),
            (DsrConfig { send_buffer_size: 0, ..base() }, "send_buffer_size", "at least 1"),
            (DsrConfig { discovery_hop_limit: 256, ..base() }, "discovery_hop_limit", "1 to 255"),
            (DsrConfig { discovery_hop_limit: 0, ..base() }, "discovery_hop_limit", "1 to 255"),
            (DsrConfig { max_salvage_count: 16, ..base() }, "max_salvage_count", "0 to 15"),
            (
                DsrConfig { max_request_period: Span(1), ..base() },
                "max_request_period",
                "at least request_period, 0.5 s",
            ),
            (DsrConfig { stability_incr_factor: f64::NAN, ..base() }, "stability_incr_factor", "at least 1"),
            (DsrConfig { stability_decr_factor: 1.0, ..base() }, "stability_decr_factor", "less than 1"),
        ];
        for (cfg, key, allowed) in cases {
            let error = cfg.check().remove(0);
            assert_eq!(error.key, format!("routing.dsr.{key}"));
            assert!(error.message.contains(allowed), "{error}");
        }
    }
}
