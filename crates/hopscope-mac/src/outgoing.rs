//! The packet that a MAC has in hand, and how its next data frame goes.

use crate::frame::{FrameKind, SequenceControl};
use crate::rate::RateControl;
use crate::rules::{MacRules, Pacing};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Span;
use hopscope_phy::phy::modes::Mode;

/// The packet in hand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outgoing {
    /// The packet.
    pub(super) packet: PacketId,
    /// The neighbour that it goes to, or everyone.
    pub(super) to: NodeId,
    /// Of the whole packet with one MAC header.
    pub(super) bytes: u32,
    /// Nanoseconds on the air of the next frame; no frame takes longer than 32 bits hold (see `Packed`).
    airtime_ns: u32,
    /// Sequence and fragment number of the next data frame.
    pub(super) control: SequenceControl,
    /// Mode of the next data frame.
    pub(super) mode: Mode,
    /// A management frame (`Action`) goes at the basic rate.
    kind: FrameKind,
    /// An RTS goes before it.
    pub(super) rts: bool,
    /// The next data frame was sent before.
    pub(super) is_repeated: bool,
    /// A longer back-off follows its success.
    pub(super) pacing: Option<Pacing>,
}

impl Outgoing {
    /// A packet to send for the first time, whole or to begin with its first fragment.
    #[inline(always)]
    pub(super) fn new(
        (packet, to, bytes): (PacketId, NodeId, u32),
        kind: FrameKind,
        control: SequenceControl,
        pacing: Option<Pacing>,
        (rates, rules): (&RateControl, &MacRules),
    ) -> Self {
        let (mode, airtime_ns) = (Mode::default(), 0);
        let (rts, is_repeated) = (false, false);
        let mut out = Outgoing { packet, to, bytes, airtime_ns, control, mode, kind, rts, is_repeated, pacing };
        out.prepare(rates, rules);
        out
    }

    /// Chooses how the next data frame is sent.
    #[inline(always)]
    pub(super) fn prepare(&mut self, rates: &RateControl, rules: &MacRules) {
        let bytes = rules.fragment_bytes(self.to, self.bytes, self.control.fragment());
        self.mode = rates.choose(&rules.rates, self.to, self.kind, bytes);
        self.rts = rules.uses_rts(self.to, bytes);
        let airtime = rules.timing().airtime(bytes, self.mode);
        debug_assert!(airtime.0 <= u64::from(u32::MAX));
        self.airtime_ns = airtime.0 as u32;
    }

    /// Time on the air of the next data frame.
    #[inline(always)]
    pub(super) fn airtime(&self) -> Span {
        Span(u64::from(self.airtime_ns))
    }
}
