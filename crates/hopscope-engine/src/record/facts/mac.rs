//! Records of MAC.

macro_rules! mac_records {
    ($next:ident $($after:ident)*; $($before:tt)*) => {
        $next! { $($after)*; $($before)*
            /// The wait of a station for the medium is over: it will send now, unless it has to answer another one.
            AccessGranted in MAC about node {
                /// Station.
                node: NodeId,
                /// How it has spent the time since the medium became idle.
                wait: QuietPlan,
            }
            /// No answer has come within the timeout, or the time of a broadcast, a CF-End or PIFS recovery is over.
            ResponseTimeout in MAC about node {
                /// Station that waited.
                node: NodeId,
            }
            /// A SIFS begins, after which the station will send an answer or the data frame it was asked for.
            SifsBegan in MAC about node {
                /// Station.
                node: NodeId,
                /// End of the SIFS.
                until: Time,
                /// Kind of the frame that will follow.
                then: FrameKind,
            }
            /// The attempt of a station to get its packet across has failed: it will try again.
            AttemptFailed in MAC about node {
                /// Station.
                node: NodeId,
            }
            /// A station will send data frames to a neighbour at another rate.
            RateChanged in MAC about node {
                /// Station.
                node: NodeId,
                /// The neighbour.
                to: NodeId,
                /// Bit/s.
                rate: u64,
            }
            /// The MAC is done with its packet. Over a retry limit, the last attempt has failed as well.
            ExchangeEnded in MAC about node, packet {
                /// Station.
                node: NodeId,
                /// Acknowledged (or broadcast), or given up.
                outcome: Outcome,
                /// Its packet.
                packet: PacketId,
            }
        }
    };
}
