//! Why packets are lost. The names are those of the results.

use hopscope_core::named;

named! {
    /// Why a packet was lost.
    pub enum DropReason {
        /// No room in the interface queue.
        QueueFull = "queue-full",
        /// The MAC reached a retry limit: a contention drop unless the channel has errors.
        RetryLimit = "retry-limit",
        /// No route to the destination.
        NoRoute = "no-route",
        /// Time to live used up.
        TtlExpired = "ttl-expired",
        /// Pushed out of its place by a later packet while the next hop's address was asked for.
        ArpReplaced = "arp-replaced",
        /// The next hop's address was asked for too often.
        ArpUnresolved = "arp-unresolved",
        /// Too many packets waited for a route.
        RouteBufferFull = "route-buffer-full",
        /// It waited for a route too long.
        RouteBufferTimeout = "route-buffer-timeout",
        /// It came back to its source.
        Loop = "loop",
        /// The routing protocol took the link to the next hop for broken.
        LinkFailed = "link-failed",
        /// RED dropped it to signal congestion, as do the next four.
        EarlyRed = "early-red",
        /// Neighborhood RED.
        EarlyNred = "early-nred",
        /// Link RED.
        EarlyLred = "early-lred",
        /// CoDel.
        EarlyCodel = "early-codel",
        /// FQ-CoDel.
        EarlyFqCodel = "early-fq-codel",
        /// The wire lost it.
        WireLoss = "wire-loss",
        /// It waited in a QoS station for longer than `mac.msdu_lifetime`, and was never sent.
        Lifetime = "lifetime",
        /// Its fragments did not come together in time.
        Reassembly = "reassembly",
    }
}

impl DropReason {
    /// Those of link layers.
    pub const EARLY: [DropReason; 5] = [
        DropReason::EarlyRed,
        DropReason::EarlyNred,
        DropReason::EarlyLred,
        DropReason::EarlyCodel,
        DropReason::EarlyFqCodel,
    ];
}
