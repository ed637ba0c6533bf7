//! Records of packets.

macro_rules! packets_records {
    ($next:ident $($after:ident)*; $($before:tt)*) => {
        $next! { $($after)*; $($before)*
            /// A packet comes into being at its source.
            PacketMade in PACKETS about packet {
                /// Packet.
                packet: PacketId as packet_at_source,
            }
            /// A receiver has got a packet: from now on there are two.
            PacketCopied in PACKETS about node, copy {
                /// Receiver.
                node: NodeId,
                /// The packet, still in the hands of the transmitter.
                packet: PacketId,
                /// That of the receiver.
                copy: PacketId as untraced,
            }
            /// A packet has come up from an interface: to be delivered here, to be read by the routing protocol, or to
            /// go on.
            PacketReceived in PACKETS about node, packet {
                /// Node.
                node: NodeId,
                /// Packet.
                packet: PacketId,
            }
            /// A packet has its next hop and goes down to the interface.
            PacketRouted in PACKETS about node, packet {
                /// Node.
                node: NodeId,
                /// Packet.
                packet: PacketId as routed_packet,
            }
            /// A packet has to wait for a route, or for the address of its next hop.
            PacketHeld in PACKETS about node, packet {
                /// Node.
                node: NodeId,
                /// It has its route, and waits for the address.
                routed: bool,
                /// Packet.
                packet: PacketId,
            }
            /// A packet has come to its destination and goes up to the transport.
            PacketArrived in PACKETS about node, packet {
                /// Destination.
                node: NodeId,
                /// Packet.
                packet: PacketId as whole_packet,
            }
            /// A packet has joined the queue of an interface. One that finds the transmitter free and nobody waiting
            /// goes on at once, without this; where there is no room, `Dropped` says which packet had to go: this one
            /// or another.
            Queued in QUEUES about node, packet {
                /// Node.
                node: NodeId,
                /// Interface, by its number at the node.
                via: u8,
                /// Packet.
                packet: PacketId,
            }
            /// A packet has left the queue of an interface other than by a drop: it is sent now, or goes back to the
            /// router as the link is lost.
            Dequeued in QUEUES about node, packet {
                /// Node.
                node: NodeId,
                /// Interface, by its number at the node.
                via: u8,
                /// Packet.
                packet: PacketId,
            }
            /// The MAC takes a packet: from the queue, or at once where nothing waits.
            Offered in QUEUES about node, packet {
                /// Node.
                node: NodeId,
                /// Packet.
                packet: PacketId,
            }
            /// The link layer holds the queue back for a while.
            HeldBack in QUEUES about node {
                /// Node.
                node: NodeId,
            }
            /// A packet is lost. It is still there to be looked at.
            Dropped in DROPS about node, packet {
                /// Node.
                node: NodeId,
                /// Why.
                reason: DropReason,
                /// Packet.
                packet: PacketId,
            }
            /// The link layer marked a packet with congestion experienced.
            Marked in DROPS about node, packet {
                /// Node.
                node: NodeId,
                /// The part of the layer that wanted it.
                by: LinkPart,
                /// Packet.
                packet: PacketId,
            }
        }
    };
}
