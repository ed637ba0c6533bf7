//! What a radio reports to the layer above of the frames it hears.

use hopscope_core::units::Time;

/// What an edge meant to the layer above.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Edge {
    /// Carrier sense turned or stayed busy because a frame began at this instant.
    Busy {
        /// Start of the frame.
        at: Time,
    },
    /// A frame began that the current reception survives, under `IgnoredFrame::NavEifs`.
    Ignored {
        /// Start of the ignored frame.
        at: Time,
        /// Its end.
        end: Time,
    },
    /// A frame began that has no effect on carrier sense.
    Silent,
    /// A frame was received correctly.
    RxOk {
        /// End of the frame.
        at: Time,
        /// Its air slot.
        slot: u32,
        /// Its Duration field, nanoseconds.
        nav: u32,
        /// Its arrival flags.
        flags: u8,
    },
    /// A frame ended that could not be received.
    RxBad {
        /// End of the frame.
        at: Time,
    },
    /// A frame ended while the own transmitter was on: nothing was heard of it.
    Deaf,
}

/// A frame that had the air to itself.
#[derive(Debug, Clone, Copy)]
pub struct LoneFrame {
    /// First instant at the receiver.
    pub start: Time,
    /// Last instant at the receiver.
    pub end: Time,
    /// Air slot.
    pub slot: u32,
    /// Duration field, nanoseconds.
    pub nav: u32,
    /// Arrival flags.
    pub flags: u8,
}

/// Answer of [`Radio::begin_alone`](super::Radio::begin_alone).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// The edges have to be applied one by one.
    Crowded,
    /// No edge is left up to the limit.
    Nothing,
    /// A frame began, and no other edge is left up to the limit.
    Busy {
        /// Start of the frame.
        at: Time,
        /// End of the carrier known before.
        carrier_before: Time,
    },
}
