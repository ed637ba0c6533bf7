//! Parameters of AODV (RFC 3561), and the times that follow from them.

mod check;
mod rules;
mod sets;

pub use rules::{
    AnswerRule, AodvRules, Detection, ErrorReach, ErrorRule, FlushCause, HelloSenders, Lifetimes, OwnNumber,
    RepairRule, SearchRule,
};

use hopscope_core::params;
use hopscope_core::units::Span;
use hopscope_packet::aodv::AodvEnvelope;

params! {
    /// AODV.
    pub struct AodvConfig {
        /// An older word for all rules from `search` to `time_stamp` together.
        rules: AodvRules = AodvRules::Named, "", "RFC 3561";
        /// How a node searches, and when lifetimes end.
        search: SearchRule = SearchRule::Rings, "", "RFC 3561 6.4; sweep: ns2-facts item 45", when "rules = named";
        /// What use and news do to the life of a route.
        lifetimes: Lifetimes = Lifetimes::Extended, "", "RFC 3561 6.2, 6.7; assigned: ns2-facts item 45",
            when "rules = named";
        /// The sender of any message gets a route of one hop; otherwise only who asks and who is asked for get routes.
        neighbour_routes: bool = true, "", "RFC 3561 6.2, 6.5, 6.9; false: ns-2.35 behaviour, measured for this project",
            when "rules = named";
        /// How a node counts its own sequence number.
        own_number: OwnNumber = OwnNumber::Counted, "", "RFC 3561 6.1; even: ns-2.35 behaviour, measured for this project",
            when "rules = named";
        /// Requests are forgotten all together every `request_memory`, each for the first time when it is that old.
        request_clock: bool = false, "", "RFC 3561 6.5; true: ns-2.35 behaviour, measured for this project",
            when "rules = named";
        /// With which routes a node answers for another.
        answers: AnswerRule = AnswerRule::Fresh, "", "RFC 3561 6.6.2; stored: ns-2.35 behaviour, measured for this project",
            when "rules = named and intermediate_reply = true";
        /// A reply that repeats a route in use extends it and goes on, and one about the node itself ends there; otherwise
        /// a reply goes on if it is fresher or shorter, whatever it is about.
        replies_confirm: bool = true, "", "RFC 3561 6.7; false: ns-2.35 behaviour, measured for this project",
            when "rules = named";
        /// Which breaks are repaired, and how.
        repair: RepairRule = RepairRule::Near, "", "RFC 3561 6.12; past-half: ns2-facts item 44",
            when "rules = named and local_repair = true";
        /// Who is notified of lost routes.
        error_reach: ErrorReach = ErrorReach::Precursors, "", "RFC 3561 6.11; everybody: ns2-facts item 44",
            when "rules = named";
        /// Which errors received take a route down.
        error_rule: ErrorRule = ErrorRule::AnyNumber, "", "RFC 3561 6.11; not-older: ns-2.35 behaviour, measured for this project",
            when "rules = named";
        /// When the queue is flushed of a neighbour's packets.
        flush_cause: FlushCause = FlushCause::LinkLost, "", "anastasi2006, section 4.2; report: ns2-facts item 44",
            when "rules = named and flush_queue = true";
        /// A routing message that the MAC gives up is a broken link too; otherwise only data is.
        messages_break_links: bool = true, "", "RFC 3561 6.10; false: ns-2.35 behaviour, measured for this project",
            when "rules = named and detection = link-layer";
        /// Any message of a neighbour is a sign of it; otherwise only its HELLOs are.
        messages_refresh_neighbour: bool = true, "", "RFC 3561 6.9; false: ns-2.35 behaviour, measured for this project",
            when "rules = named and detection = hello";
        /// A broadcast within the last `hello_interval` saves the HELLO.
        broadcast_saves_hello: bool = true, "", "RFC 3561 6.9; false: ns-2.35 behaviour, measured for this project",
            when "rules = named and detection = hello";
        /// Hold times of neighbours are looked at once every `hello_interval`; otherwise each ends when it ends.
        neighbour_clock: bool = false, "", "RFC 3561 6.9; true: ns-2.35 behaviour, measured for this project",
            when "rules = named and detection = hello";
        /// Messages have a UDP header.
        over_udp: bool = true, "", "RFC 3561 2; false: ns2-facts item 45", when "rules = named";
        /// Requests, replies and HELLOs carry the instant of the request, in 4 bytes.
        time_stamp: bool = false, "", "RFC 3561 5; true: ns2-facts item 45", when "rules = named";
        /// Interval of the clock of `search = "sweep"`.
        sweep_interval: Span = Span::from_millis(500), "s", "ns-2.35 behaviour, measured for this project",
            when "search = sweep";
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
        ttl_start: u32 = 1, "hops", "RFC 3561 10", when "expanding_ring = true";
        /// Growth of the ring.
        ttl_increment: u32 = 2, "hops", "RFC 3561 10", when "expanding_ring = true";
        /// Largest ring; the request after it is network-wide.
        ttl_threshold: u32 = 7, "hops", "RFC 3561 10", when "expanding_ring = true";
        /// Extra hops in the wait for the answer of a ring.
        timeout_buffer: u32 = 2, "hops", "RFC 3561 10",
            when "rules = rfc and expanding_ring = true or search = rings and expanding_ring = true or rules = rfc and local_repair = true or search = rings and local_repair = true";
        /// Requests one node may originate per second.
        rreq_ratelimit: Option<u32> = Some(10), "1/s", "RFC 3561 10";
        /// Route errors one node may send per second.
        rerr_ratelimit: Option<u32> = Some(10), "1/s", "RFC 3561 10";
        /// A route error with a single recipient is sent to it alone; otherwise it is broadcast.
        rerr_unicast: bool = true, "", "RFC 3561 6.11", when "rules = rfc or error_reach = precursors";
        /// A node with a fresh route answers for the destination.
        intermediate_reply: bool = true, "", "RFC 3561 6.6.2", when "destination_only = false";
        /// Requests ask for an answer of the destination itself (D flag).
        destination_only: bool = false, "", "RFC 3561 5.1";
        /// Requests ask that an intermediate answer is reported to the destination too (G flag).
        gratuitous_rrep: bool = false, "", "RFC 3561 6.6.3", when "intermediate_reply = true";
        /// The node at a break searches a new way itself.
        local_repair: bool = false, "", "RFC 3561 6.12 (optional there)";
        /// Extra hops of a repair request.
        local_add_ttl: u32 = 2, "hops", "RFC 3561 10",
            when "local_repair = true and rules = rfc or local_repair = true and search = rings";
        /// Farthest destination that is repaired locally under `repair = "near"`.
        max_repair_ttl: u32 = 10, "hops", "RFC 3561 10 (0.3 NET_DIAMETER)",
            when "local_repair = true and rules = rfc or local_repair = true and repair = near";
        /// Packets in the interface queue for a lost neighbour are dropped (`flush_cause`).
        flush_queue: bool = true, "", "anastasi2006, section 4.2";
        /// Interval between HELLOs.
        hello_interval: Span = Span::from_secs(1), "s", "RFC 3561 10", when "detection = hello";
        /// Half width of the uniform variation of the HELLO interval.
        hello_jitter: Span = Span::from_millis(50), "s", "a default", when "detection = hello";
        /// HELLOs that may be missed before a neighbour is lost.
        allowed_hello_loss: u32 = 2, "", "RFC 3561 10", when "detection = hello";
        /// A neighbour is lost after `hello_hold` x `allowed_hello_loss` x `hello_interval` without a sign of it.
        hello_hold: f64 = 1.0, "", "RFC 3561 6.9", when "detection = hello";
        /// Who sends HELLOs.
        hello_senders: HelloSenders = HelloSenders::Active, "", "RFC 3561 6.9", when "detection = hello";
        /// Data from a neighbour counts as a sign of it; otherwise only AODV's own messages do.
        data_refreshes_neighbour: bool = true, "", "RFC 3561 6.9", when "detection = hello";
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
    /// What a message is carried in, where a UDP header has so many bytes.
    pub fn envelope(&self, udp_header: u32) -> AodvEnvelope {
        let AodvConfig { over_udp, time_stamp, .. } = self.resolved();
        AodvEnvelope { header: if over_udp { udp_header } else { 0 }, time_stamp: if time_stamp { 4 } else { 0 } }
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
    fn messages_go_over_udp_or_over_ip_with_a_time_stamp() {
        let envelope = |set| AodvConfig::set(set).expect("a listed set").envelope(8);
        assert_eq!(envelope("rfc3561"), AodvEnvelope { header: 8, time_stamp: 0 });
        assert_eq!(envelope("ns2"), AodvEnvelope { header: 0, time_stamp: 4 });
    }
}
