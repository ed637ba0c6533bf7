//! Sets of classes of records: what an observer asks for. Sets are constants, so that what nobody asks for is not even
//! compiled.

/// A set of classes of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Classes(u32);

impl Classes {
    /// No record at all.
    pub const NONE: Classes = Classes(0);
    /// Every record.
    pub const ALL: Classes = Classes(u32::MAX);
    /// Frames put on the air.
    pub const FRAMES: Classes = Classes(1);
    /// Frames that have ended at the radio they are addressed to.
    pub const FRAME_ENDS: Classes = Classes(1 << 1);
    /// Energy on its way to each radio: a record for each hearer of each frame.
    pub const CARRIER: Classes = Classes(1 << 2);
    /// The steps of the MAC: access, timeouts, attempts, the end of its work on a packet.
    pub const MAC: Classes = Classes(1 << 3);
    /// The way of packets through the layers of a node.
    pub const PACKETS: Classes = Classes(1 << 4);
    /// Interface queues.
    pub const QUEUES: Classes = Classes(1 << 5);
    /// Packets lost or marked.
    pub const DROPS: Classes = Classes(1 << 6);
    /// Segments and datagrams, and what the applications send and get.
    pub const TRANSPORT: Classes = Classes(1 << 7);
    /// Windows and round-trip times of transports.
    pub const WINDOWS: Classes = Classes(1 << 8);
    /// Timers of transports.
    pub const TIMERS: Classes = Classes(1 << 9);
    /// Timers of routing machines.
    pub const ROUTING_TIMERS: Classes = Classes(1 << 17);
    /// Routing messages and changes of routes.
    pub const ROUTING: Classes = Classes(1 << 10);
    /// Radios that go off and come back.
    pub const POWER: Classes = Classes(1 << 11);
    /// Samples at regular instants, where a series asks for them.
    pub const SAMPLES: Classes = Classes(1 << 12);
    /// Nodes that move or change their power.
    pub const PLACES: Classes = Classes(1 << 14);
    /// The measured time begins.
    pub const RUN: Classes = Classes(1 << 13);
    /// Frames that have ended at radios that sense them, but need not take them: a record for each such hearer of each
    /// frame, for which every radio listens and notes what becomes of every frame.
    pub const OVERHEARD: Classes = Classes(1 << 16);
    /// Packets on wires.
    pub const WIRES: Classes = Classes(1 << 15);

    /// Both sets together.
    #[must_use]
    pub const fn and(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
    }

    /// True when it shares a class with `other`.
    #[inline(always)]
    pub const fn has(self, other: Classes) -> bool {
        self.0 & other.0 != 0
    }
}
