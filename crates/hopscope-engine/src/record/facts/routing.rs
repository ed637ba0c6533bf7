//! Records of routing.

macro_rules! routing_records {
    ($next:ident $($after:ident)*; $($before:tt)*) => {
        $next! { $($after)*; $($before)*
            /// A routing message goes to the link layer.
            RoutingSent in ROUTING about node {
                /// Node.
                node: NodeId,
                /// Kind, such as `rreq`.
                kind: &'static str,
                /// Bytes with network header.
                bytes: u32,
            }
            /// Something happened to a node's routes.
            Routing in ROUTING about node {
                /// Node.
                node: NodeId,
                /// What.
                note: RoutingNote as note(in_range),
                /// For a lost link: the neighbour was in range all the while.
                in_range: bool as untraced,
            }
            /// A static route is found for the first packet from outside that wants it. Those of flows stand before the
            /// run.
            RouteInstalled in ROUTING about node {
                /// Node on the way.
                node: NodeId,
                /// Destination.
                dst: NodeId,
                /// Neighbour that takes its packets.
                next_hop: NodeId,
                /// Hops from this node on.
                hops: u32,
            }
            /// A timer of a routing machine was set; an earlier deadline replaces a later one of the same timer.
            RoutingTimerArmed in ROUTING_TIMERS about node {
                /// Node.
                node: NodeId,
                /// Which, such as `hello`.
                timer: &'static str,
                /// When it will expire.
                until: Time,
            }
            /// A timer of a routing machine has expired, on which it has not acted yet; it never does where an earlier
            /// one came.
            RoutingTimerExpired in ROUTING_TIMERS about node {
                /// Node.
                node: NodeId,
                /// Which.
                timer: &'static str,
            }
        }
    };
}
