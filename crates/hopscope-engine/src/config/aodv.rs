//! Parameters of AODV (RFC 3561) and its named sets.

use super::params::{choice, params};
use super::section::{LONGEST, Section, seconds};
use crate::error::BuildError;
use crate::units::Span;

choice! {
    /// How a node learns that a neighbour is gone.
    pub enum Detection {
        /// The MAC reached a retry limit on a unicast packet; no HELLOs are sent.
        LinkLayer = "link-layer",
        /// No HELLO came for the hold time; what the MAC reports is ignored.
        Hello = "hello",
    }
}

choice! {
    /// Who sends HELLOs.
    pub enum HelloSenders {
        /// Every node.
        All = "all",
        /// Nodes that carried or received data or a route reply within `active_route_timeout` (RFC 3561 6.9).
        Active = "active",
    }
}

choice! {
    /// Rules beyond the numbers.
    pub enum AodvRules {
        /// RFC 3561.
        Rfc = "rfc",
        /// The agent of ns-2.35: every search starts network-wide until the hop count was known once, routes expire on
        /// a clock of 0.5 s, a repair never gives up in time, errors go to everybody.
        Ns2 = "ns2",
    }
}

params! {
    /// AODV.
    pub struct AodvConfig {
        /// Rules beyond the numbers.
        rules: AodvRules = AodvRules::Rfc, "", "RFC 3561";
        /// How a node learns that a neighbour is gone.
        detection: Detection = Detection::LinkLayer, "", "RFC 3561 6.10";
        /// Lifetime of a route after its last use.
        active_route_timeout: Span = Span::from_secs(3), "s", "RFC 3561 10";
        /// Lifetime a destination gives in its replies.
        my_route_timeout: Span = Span::from_secs(6), "s", "RFC 3561 10";
        /// Lifetime of a route back to the originator of a request; 0 takes the rule of RFC 3561 6.5.
        reverse_route_life: Span = Span::ZERO, "s", "RFC 3561 6.5";
        /// How long an expired or broken route is remembered.
        delete_period: Span = Span::from_secs(15), "s", "RFC 3561 10";
        /// How long a request is remembered, so that its copies are ignored; 0 takes PATH_DISCOVERY_TIME of RFC 3561.
        request_memory: Span = Span::ZERO, "s", "RFC 3561 10";
        /// Largest number of hops of the network.
        net_diameter: u32 = 35, "hops", "RFC 3561 10";
        /// Estimate of the time one hop takes.
        node_traversal_time: Span = Span::from_millis(40), "s", "RFC 3561 10";
        /// Network-wide requests after the first one before the search is given up.
        rreq_retries: u32 = 2, "", "RFC 3561 10";
        /// Longest wait for the answer to one request.
        max_rreq_wait: Span = Span::from_secs(60), "s", "a default";
        /// Wait after a failed search before the same destination is searched again.
        search_pause: Span = Span::ZERO, "s", "a default";
        /// Searches start with a small ring; otherwise every request is network-wide.
        expanding_ring: bool = true, "", "RFC 3561 6.4";
        /// Time to live of the first request for an unknown destination.
        ttl_start: u32 = 1, "hops", "RFC 3561 10";
        /// Growth of the ring.
        ttl_increment: u32 = 2, "hops", "RFC 3561 10";
        /// Largest ring; the request after it is network-wide.
        ttl_threshold: u32 = 7, "hops", "RFC 3561 10";
        /// Extra hops in the wait for the answer of a ring.
        timeout_buffer: u32 = 2, "hops", "RFC 3561 10";
        /// Requests one node may originate per second.
        rreq_ratelimit: Option<u32> = Some(10), "1/s", "RFC 3561 10";
        /// Route errors one node may send per second.
        rerr_ratelimit: Option<u32> = Some(10), "1/s", "RFC 3561 10";
        /// A route error with a single recipient is sent to it alone; otherwise it is broadcast.
        rerr_unicast: bool = true, "", "RFC 3561 6.11";
        /// A node with a fresh route answers for the destination.
        intermediate_reply: bool = true, "", "RFC 3561 6.6.2";
        /// Requests ask for an answer of the destination itself (D flag).
        destination_only: bool = false, "", "RFC 3561 5.1";
        /// Requests ask that an intermediate answer is told to the destination too (G flag).
        gratuitous_rrep: bool = false, "", "RFC 3561 6.6.3";
        /// The node at a break searches a new way itself.
        local_repair: bool = false, "", "RFC 3561 6.12 (optional there)";
        /// Extra hops of a repair request.
        local_add_ttl: u32 = 2, "hops", "RFC 3561 10";
        /// Farthest destination that is repaired locally. Under `ns2` rules instead: the packet is past half of its way.
        max_repair_ttl: u32 = 10, "hops", "RFC 3561 10 (0.3 NET_DIAMETER)";
        /// Packets in the interface queue for a lost neighbour are dropped.
        flush_queue: bool = true, "", "anastasi2006, section 4.2";
        /// Interval between HELLOs.
        hello_interval: Span = Span::from_secs(1), "s", "RFC 3561 10";
        /// Half width of the uniform variation of the HELLO interval.
        hello_jitter: Span = Span::from_millis(50), "s", "a default";
        /// HELLOs that may be missed before a neighbour is lost.
        allowed_hello_loss: u32 = 2, "", "RFC 3561 10";
        /// A neighbour is lost after `hello_hold` x `allowed_hello_loss` x `hello_interval` without a sign of it.
        hello_hold: f64 = 1.0, "", "RFC 3561 6.9";
        /// Who sends HELLOs.
        hello_senders: HelloSenders = HelloSenders::Active, "", "RFC 3561 6.9";
        /// Data from a neighbour counts as a sign of it; otherwise only AODV's own messages do.
        data_refreshes_neighbour: bool = true, "", "RFC 3561 6.9";
        /// Longest random delay of a repeated broadcast.
        broadcast_jitter: Span = Span::from_millis(10), "s", "a default";
        /// Packets held while their destinations are searched.
        buffer_packets: u32 = 64, "packets", "a default";
        /// Longest time a packet is held.
        buffer_time: Span = Span::from_secs(30), "s", "a default";
        /// Time between held packets when they are released.
        release_gap: Span = Span::ZERO, "s", "a default";
        /// Time to live of data packets; off takes that of the network layer.
        data_ttl: Option<u32> = None, "hops", "a default";
    }
}

impl AodvConfig {
    /// Names of the parameter sets with what they stand for.
    pub const SETS: &'static [(&'static str, &'static str)] = &[
        ("rfc3561", "RFC 3561 with its section 10 constants."),
        ("aodv-uu", "AODV-UU with HELLO detection, the AODV-HELLO of anastasi2006."),
        ("aodv-uu-ll", "AODV-UU with link-layer feedback, the AODV-LL of anastasi2006."),
        ("ns2", "The AODV agent of ns-2.35 as distributed."),
    ];

    /// The parameter set of that name.
    pub fn set(name: &str) -> Option<AodvConfig> {
        match name {
            "rfc3561" => Some(AodvConfig::default()),
            "aodv-uu" => Some(AodvConfig::aodv_uu()),
            "aodv-uu-ll" => Some(AodvConfig {
                detection: Detection::LinkLayer,
                active_route_timeout: Span::from_secs(10),
                my_route_timeout: Span::from_secs(20),
                delete_period: Span::from_secs(10),
                ttl_start: 1,
                ..AodvConfig::aodv_uu()
            }),
            "ns2" => Some(AodvConfig::ns2()),
            _ => None,
        }
    }

    /// AODV-UU 0.9 with HELLOs (its params.h). A neighbour's hold time has 50 ms of slack.
    fn aodv_uu() -> AodvConfig {
        AodvConfig {
            detection: Detection::Hello,
            ttl_start: 2,
            hello_hold: 1.025,
            hello_senders: HelloSenders::All,
            data_refreshes_neighbour: false,
            buffer_packets: 512,
            buffer_time: Span::from_secs(10),
            ..AodvConfig::default()
        }
    }

    /// ns-2.35 (its aodv.h); the behaviour was checked against traces made for this project.
    fn ns2() -> AodvConfig {
        AodvConfig {
            rules: AodvRules::Ns2,
            active_route_timeout: Span::from_secs(10),
            my_route_timeout: Span::from_secs(10),
            reverse_route_life: Span::from_secs(6),
            request_memory: Span::from_secs(6),
            net_diameter: 30,
            node_traversal_time: Span::from_millis(30),
            rreq_retries: 3,
            max_rreq_wait: Span::from_secs(10),
            search_pause: Span::from_secs(10),
            ttl_start: 5,
            rreq_ratelimit: None,
            rerr_ratelimit: None,
            rerr_unicast: false,
            local_repair: true,
            hello_jitter: Span::from_millis(250),
            allowed_hello_loss: 3,
            hello_hold: 1.5,
            hello_senders: HelloSenders::All,
            data_refreshes_neighbour: false,
            release_gap: Span::from_millis(10),
            data_ttl: Some(30),
            ..AodvConfig::default()
        }
    }

    /// Checks what the types leave open.
    ///
    /// # Errors
    /// Names the parameter, the value and what is allowed.
    pub fn check(&self) -> Result<(), BuildError> {
        SECTION.no_zero_time(&[
            ("active_route_timeout", self.active_route_timeout),
            ("my_route_timeout", self.my_route_timeout),
            ("delete_period", self.delete_period),
            ("node_traversal_time", self.node_traversal_time),
            ("max_rreq_wait", self.max_rreq_wait),
            ("hello_interval", self.hello_interval),
            ("buffer_time", self.buffer_time),
        ])?;
        SECTION.no_zero_count(&[
            ("allowed_hello_loss", self.allowed_hello_loss),
            ("buffer_packets", self.buffer_packets),
        ])?;
        for (name, limit) in [("rreq_ratelimit", self.rreq_ratelimit), ("rerr_ratelimit", self.rerr_ratelimit)] {
            if limit == Some(0) {
                return SECTION.refuse(name, "is 0 per second; it must be more");
            }
        }
        SECTION.no_endless_time(&[
            ("active_route_timeout", self.active_route_timeout),
            ("my_route_timeout", self.my_route_timeout),
            ("reverse_route_life", self.reverse_route_life),
            ("delete_period", self.delete_period),
            ("request_memory", self.request_memory),
            ("node_traversal_time", self.node_traversal_time),
            ("max_rreq_wait", self.max_rreq_wait),
            ("search_pause", self.search_pause),
            ("hello_interval", self.hello_interval),
            ("broadcast_jitter", self.broadcast_jitter),
            ("buffer_time", self.buffer_time),
            ("release_gap", self.release_gap),
        ])?;
        SECTION.hops_up_to(
            MAX_HOPS,
            &[
                ("net_diameter", self.net_diameter),
                ("ttl_start", self.ttl_start),
                ("ttl_increment", self.ttl_increment),
                ("data_ttl", self.data_ttl.unwrap_or(1)),
            ],
        )?;
        for (name, value) in [("ttl_start", self.ttl_start), ("ttl_threshold", self.ttl_threshold)] {
            if value > self.net_diameter {
                let message = format!("is {value} hops; it must not exceed net_diameter, {} hops", self.net_diameter);
                return SECTION.refuse(name, message);
            }
        }
        let (hold, interval) = (self.hold(), self.hello_interval);
        if !(self.hello_hold.is_finite() && (interval..=LONGEST).contains(&hold)) {
            let message = format!(
                "is {}, which gives a hold time of {} s; that must be at least hello_interval, {} s, and at most {} s",
                self.hello_hold,
                seconds(hold),
                seconds(interval),
                seconds(LONGEST),
            );
            return SECTION.refuse("hello_hold", message);
        }
        if self.hello_jitter >= interval {
            let (jitter, interval) = (seconds(self.hello_jitter), seconds(interval));
            let message = format!("is {jitter} s; it must be less than hello_interval, {interval} s");
            return SECTION.refuse("hello_jitter", message);
        }
        Ok(())
    }

    /// Time without a sign after which a neighbour is lost.
    pub fn hold(&self) -> Span {
        Span::from_secs_f64(self.hello_hold * f64::from(self.allowed_hello_loss) * self.hello_interval.as_secs())
    }

    /// NET_TRAVERSAL_TIME of RFC 3561 10.
    pub fn net_traversal_time(&self) -> Span {
        self.node_traversal_time * (2 * u64::from(self.net_diameter))
    }

    /// How long a request is remembered.
    pub fn request_life(&self) -> Span {
        if self.request_memory == Span::ZERO { self.net_traversal_time() * 2 } else { self.request_memory }
    }
}

const SECTION: Section = Section("routing.aodv");
/// Hop counts are one octet; the largest value stands for "not reachable".
const MAX_HOPS: u32 = 254;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_times_are_those_of_the_rfc() {
        let cfg = AodvConfig::default();
        assert_eq!(cfg.net_traversal_time(), Span::from_millis(2800));
        assert_eq!(cfg.request_life(), Span::from_millis(5600));
        assert_eq!(cfg.hold(), Span::from_secs(2));
        assert_eq!(AodvConfig::set("ns2").expect("ns2").hold(), Span::from_millis(4500));
    }

    #[test]
    fn bad_values_name_their_key() {
        let bad = |cfg: AodvConfig| cfg.check().expect_err("refused").key;
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
}
