//! Parameters of AODV (RFC 3561) and its named sets.

use hopscope_core::config::section::{Checks, LONGEST, seconds};
use hopscope_core::error::BuildError;
use hopscope_core::units::Span;
use hopscope_core::{choice, params};
use hopscope_packet::aodv::AodvEnvelope;

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
    /// How a node searches, and when lifetimes end.
    pub enum SearchRule {
        /// Requests in growing rings, each repeated when the wait for its answer ends; a route or a held packet ends at its
        /// own instant, and a lost route is forgotten after `delete_period`.
        Rings = "rings",
        /// A clock of `sweep_interval`: only a new packet or a sweep repeats a request whose wait is over, routes and held
        /// packets end in sweeps, lost routes are never forgotten. The first request for a node whose distance was never
        /// known is network-wide. A wait is twice the time to live times the mean delay per hop of the last three answers,
        /// times the number of network-wide requests.
        Sweep = "sweep",
    }
}

choice! {
    /// What use and news do to the life of a route.
    pub enum Lifetimes {
        /// They extend it, never shorten it; use extends also the routes to next hop, previous hop and source.
        Extended = "extended",
        /// Use and replies set it anew, also to less; the other routes of the path are left alone.
        Assigned = "assigned",
    }
}

choice! {
    /// How a node counts its own sequence number.
    pub enum OwnNumber {
        /// From 1, up by 1 with each request it sends; a reply takes at least the number asked for.
        Counted = "counted",
        /// From 2 and always even: up with each request it sends and each neighbour that comes or goes, and beyond the
        /// number asked for with each reply.
        Even = "even",
    }
}

choice! {
    /// With which routes a node answers for another.
    pub enum AnswerRule {
        /// With one in use that does not lead back to where the request came from; the answer lives as long as the route.
        Fresh = "fresh",
        /// With any whose number is high enough, also one that leads back or is over and not yet swept; the answer lives
        /// for the whole seconds left, and a time that is past counts from the largest number down.
        Stored = "stored",
    }
}

choice! {
    /// Which breaks are repaired where they happen, and how (`local_repair`).
    pub enum RepairRule {
        /// Those at most `max_repair_ttl` hops from the destination. All routes over the link go down; that of the repair
        /// gets a higher number, and takes any answer that knows it.
        Near = "near",
        /// Those that meet a packet past half of its way. The route keeps number and hops, takes fresher or shorter answers
        /// only, and meanwhile answers requests and carries replies; other routes over the link stay.
        PastHalf = "past-half",
    }
}

choice! {
    /// Who is notified of lost routes.
    pub enum ErrorReach {
        /// The neighbours known to send over them.
        Precursors = "precursors",
        /// Every neighbour, and of a broken link also when none is known; errors received go on only if one is.
        Everybody = "everybody",
    }
}

choice! {
    /// Which errors received take a route down.
    pub enum ErrorRule {
        /// All from its next hop, except about that hop itself; the number rises in any case.
        AnyNumber = "any-number",
        /// Those from its next hop with a number not below its own, which it takes over.
        NotOlder = "not-older",
    }
}

choice! {
    /// When the interface queue is flushed of a neighbour's packets (`flush_queue`).
    pub enum FlushCause {
        /// Its link is taken for lost, by the MAC or by silence.
        LinkLost = "link-lost",
        /// The MAC gave up a packet to it, or it reported a route over it lost; not its silence.
        Report = "report",
    }
}

choice! {
    /// An older word for all rules from `search` to `time_stamp` together.
    pub enum AodvRules {
        /// Each of the rules is what its own parameter says.
        Named = "named",
        /// Those of RFC 3561, whatever the parameters say.
        Rfc = "rfc",
        /// Those of the agent of ns-2.35, whatever the parameters say.
        Ns2 = "ns2",
    }
}

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
            search: SearchRule::Sweep,
            lifetimes: Lifetimes::Assigned,
            neighbour_routes: false,
            own_number: OwnNumber::Even,
            request_clock: true,
            answers: AnswerRule::Stored,
            replies_confirm: false,
            repair: RepairRule::PastHalf,
            error_reach: ErrorReach::Everybody,
            error_rule: ErrorRule::NotOlder,
            flush_cause: FlushCause::Report,
            messages_break_links: false,
            messages_refresh_neighbour: false,
            broadcast_saves_hello: false,
            neighbour_clock: true,
            over_udp: false,
            time_stamp: true,
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

    /// The parameters with the older word `rules` carried out.
    pub fn resolved(&self) -> AodvConfig {
        match self.rules {
            AodvRules::Named => self.clone(),
            AodvRules::Rfc => self.with_rules_of(&AodvConfig::default()),
            // Under the older word a life of 0 was none: such a route ended in the next sweep.
            AodvRules::Ns2 => AodvConfig {
                reverse_route_life: self.reverse_route_life.max(Span(1)),
                sweep_interval: AodvConfig::default().sweep_interval,
                ..self.with_rules_of(&AodvConfig::ns2())
            },
        }
    }

    /// These numbers with the rules of another set.
    fn with_rules_of(&self, other: &AodvConfig) -> AodvConfig {
        AodvConfig {
            rules: AodvRules::Named,
            search: other.search,
            lifetimes: other.lifetimes,
            neighbour_routes: other.neighbour_routes,
            own_number: other.own_number,
            request_clock: other.request_clock,
            answers: other.answers,
            replies_confirm: other.replies_confirm,
            repair: other.repair,
            error_reach: other.error_reach,
            error_rule: other.error_rule,
            flush_cause: other.flush_cause,
            messages_break_links: other.messages_break_links,
            messages_refresh_neighbour: other.messages_refresh_neighbour,
            broadcast_saves_hello: other.broadcast_saves_hello,
            neighbour_clock: other.neighbour_clock,
            over_udp: other.over_udp,
            time_stamp: other.time_stamp,
            ..self.clone()
        }
    }

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

const SECTION: &str = "routing.aodv";
/// Hop counts are one octet; the largest value stands for "not reachable".
const MAX_HOPS: u32 = 254;
/// A clock that ticks all through the run must leave time for the run.
const SHORTEST_CLOCK: Span = Span::from_millis(1);

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

    /// The parameters that the older word `rules` stands for.
    fn rules(cfg: &AodvConfig) -> Vec<(String, serde_json::Value)> {
        let places = AodvConfig::describe();
        let place = |wanted: &str| places.iter().position(|p| p.name == wanted).expect("a parameter");
        let value = serde_json::to_value(cfg).expect("JSON");
        let chosen = |name: &str| (place("search")..=place("time_stamp")).contains(&place(name));
        let values = value.as_object().expect("an object").clone().into_iter();
        values.filter(|(name, _)| chosen(name)).collect()
    }

    #[test]
    fn an_older_document_keeps_its_meaning() {
        // What an engine wrote that had one word for the rules, and numbers of its own.
        let older = |word: &str| {
            let mut value = serde_json::to_value(AodvConfig::default()).expect("JSON");
            let map = value.as_object_mut().expect("an object");
            for (name, _) in rules(&AodvConfig::default()) {
                map.remove(&name);
            }
            map.remove("sweep_interval");
            map.insert("rules".into(), word.into());
            map.insert("ttl_start".into(), 3.into());
            serde_json::from_value::<AodvConfig>(value).expect("an older document").resolved()
        };
        let ns2 = AodvConfig::set("ns2").expect("a set");
        assert_eq!(ns2.rules, AodvRules::Named);
        assert_eq!(rules(&older("ns2")), rules(&ns2));
        assert_eq!(rules(&older("rfc")), rules(&AodvConfig::default()));
        assert_eq!((older("ns2").ttl_start, older("ns2").rreq_retries), (3, 2), "numbers stay as they were given");
        assert_eq!(older("ns2").reverse_route_life, Span(1), "0 was no life under these rules");
        let other = rules(&AodvConfig::default());
        assert!(rules(&ns2).iter().zip(&other).all(|(a, b)| a != b), "the set differs in each of them");
        assert_eq!(rules(&ns2).len(), 17);
        let word_over_rules = AodvConfig { rules: AodvRules::Rfc, ..ns2.clone() };
        assert_eq!(rules(&word_over_rules.resolved()), rules(&AodvConfig::default()));
        assert_eq!(word_over_rules.resolved().release_gap, ns2.release_gap);
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
