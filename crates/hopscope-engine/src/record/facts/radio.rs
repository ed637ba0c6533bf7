//! Records of radio and mobility.

macro_rules! radio_records {
    ($next:ident $($after:ident)*; $($before:tt)*) => {
        $next! { $($after)*; $($before)*
            /// A frame goes on the air.
            FrameBegan in FRAMES about frame {
                /// The frame; its transmitter is `frame.src`.
                frame: Frame,
                /// Air slot, by which reception outcomes name the frame: twice the number of the transmitter, and 0 or
                /// 1 by turns.
                slot: u32 as carried(frame),
            }
            /// The MAC sends a frame, but the radio of its node is off: nothing goes on the air, and the MAC does not
            /// know.
            FrameUnsent in FRAMES about frame {
                /// The frame.
                frame: Frame,
            }
            /// A frame that goes on the air now will keep the medium busy around a node, which senses it.
            Busy in CARRIER about node {
                /// Who senses it.
                node: NodeId,
                /// First instant there.
                from: Time,
                /// Last instant there.
                until: Time as time_and_wait(node),
            }
            /// A frame has ended at a node that it was addressed to and that could have decoded it.
            FrameEnded in FRAME_ENDS about node, frame {
                /// The hearer.
                node: NodeId,
                /// What became of it there, and the frame at fault.
                outcome: RxOutcome,
                /// The frame.
                frame: Frame,
                /// Its air slot.
                slot: u32 as carried_and_lost(frame),
            }
            /// A frame has ended at a node that senses it, though not addressed to it or too weak to be decoded there.
            FrameOverheard in OVERHEARD about node, frame {
                /// The hearer.
                node: NodeId,
                /// What became of it there, and the frame at fault; `Received`: the hearer has read its header.
                outcome: RxOutcome,
                /// The frame.
                frame: Frame,
                /// Its air slot.
                slot: u32 as carried_and_lost(frame),
            }
            /// The radio of a node has gone off or come back.
            Power in POWER about node {
                /// Node.
                node: NodeId,
                /// It is on from now on.
                on: bool as number,
            }
            /// A node is somewhere else from now on.
            Moved in PLACES about node {
                /// Node.
                node: NodeId,
                /// Metres.
                position: [f64; 2] as position,
            }
            /// A node sets out on a straight way, or rests.
            SetOut in PLACES about node {
                /// Node.
                node: NodeId,
                /// Where it is, metres.
                from: [f64; 2] as position,
                /// Where it goes; a node at rest: the same place.
                to: [f64; 2] as destination,
                /// When it will be there, or will go on.
                until: Time,
            }
            /// A link loses power (radio) or packets (wire) from now on, both ways.
            LinkChanged in PLACES about node {
                /// One end.
                node: NodeId,
                /// The other end.
                peer: NodeId,
                /// Part of the power, or of the packets, that still comes over: 0 is a cut, 1 as at the beginning.
                part: f64,
            }
            /// A trace covers a link, one way, from now on.
            LinkTraced in PLACES about node {
                /// The node that sends.
                node: NodeId,
                /// The node that hears it.
                peer: NodeId,
                /// Received power, dBm, where it gives that.
                rssi: Option<f64>,
                /// Probability with which a copy of a frame is lost, where it gives that.
                loss: Option<f64>,
            }
            /// A node sends with another power from now on.
            PowerSet in PLACES about node {
                /// Node.
                node: NodeId,
                /// Watts.
                watts: f64,
            }
        }
    };
}
