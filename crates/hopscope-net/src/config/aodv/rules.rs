//! What AODV may do where RFC 3561 leaves a choice, or where agents do something else.

use hopscope_core::choice;

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
