//! Records of wires.

macro_rules! wires_records {
    ($next:ident $($after:ident)*; $($before:tt)*) => {
        $next! { $($after)*; $($before)*
            /// A packet begins to leave by a wire. What finds no room before it is `Dropped`; a wire loses nothing
            /// else.
            WireBegan in WIRES about node, packet {
                /// Node that sends it.
                node: NodeId,
                /// Interface, by its number at the node.
                via: u8,
                /// Its last bit leaves then.
                until: Time,
                /// Packet.
                packet: PacketId,
            }
            /// A packet has come over a wire whole.
            WireEnded in WIRES about node, packet {
                /// Node that has got it.
                node: NodeId,
                /// Node that sent it.
                from: NodeId,
                /// Packet.
                packet: PacketId,
            }
        }
    };
}
