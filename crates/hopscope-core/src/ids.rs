//! Index newtypes: a node number can never be used as a flow number.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The value as an index into a `Vec`.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

id!(
    /// A node (station and router), numbered from 0 in the order of the configuration.
    NodeId
);
id!(
    /// A flow, numbered from 0 in the order of the configuration.
    FlowId
);
id!(
    /// A socket, in the order of the flows: that of the source, then that of the destination.
    SocketId
);
id!(
    /// A packet in the packet arena.
    PacketId
);

impl NodeId {
    /// The broadcast destination.
    pub const BROADCAST: NodeId = NodeId(u32::MAX);
}

impl PacketId {
    /// No packet.
    pub const NONE: PacketId = PacketId(u32::MAX);
}

impl SocketId {
    /// Of packets that no socket sent.
    pub const NONE: SocketId = SocketId(u32::MAX);
}

impl FlowId {
    /// Of packets that belong to no flow.
    pub const NONE: FlowId = FlowId(u32::MAX);
}
