//! Fragmentation of long packets and their reassembly (IEEE 802.11-2016 10.2.7, 10.2.8 and 10.3.2.6).
//!
//! A packet whose MAC frame would be longer than the threshold goes in fragments of equal length, the last one shorter.
//! Each is acknowledged and repeated for itself; while all goes well they follow each other after SIFS, and each reserves
//! the medium until the next one is acknowledged.
//!
//! ```text
//!   RTS  CTS  fragment 0  ACK  fragment 1  ACK  fragment 2  ACK
//!   |-------- RTS ----------|
//!        |--- CTS ----------|
//!             |---- fragment 0 ---------------|
//!                          |---- ACK 0 -------|
//!                               |---- fragment 1 --------------|
//! ```
//!
//! No state is kept for it: the fragment under way is the number in the sequence control field, and a receiver that knows
//! the last fragment of each neighbour knows whether the next one continues it. Broadcasts are never fragmented.

use crate::config::MacConfig;
use crate::ids::NodeId;
use crate::mac::dcf::{Dcf, Frame, MacCx, Outcome, Phase};
use crate::mac::dedup::Fragment;
use crate::mac::rules::MacRules;
use crate::mac::timing::Timing;
use crate::units::Span;

/// Most fragments of one packet: the fragment number has four bits (IEEE 802.11-2016 9.2.4.4.3).
pub const MOST: u32 = 16;
/// Where the fragment number stands beside the sequence number.
const NUMBER_SHIFT: u32 = 12;

/// How packets are cut.
#[derive(Debug, Clone)]
pub struct Fragmentation {
    /// Bytes of a packet in each fragment but the last: an even number.
    payload: u32,
    /// MAC header and FCS of each fragment.
    header: u32,
    /// A packet of which the first fragment came longer ago is given up by the receiver.
    lifetime: Span,
}

impl Fragmentation {
    /// The rules from the configuration; none where packets stay whole.
    pub fn new(mac: &MacConfig) -> Option<Self> {
        let threshold = mac.fragmentation_threshold?;
        Some(Fragmentation {
            payload: (threshold.saturating_sub(mac.data_header) & !1).max(2),
            header: mac.data_header,
            lifetime: mac.receive_lifetime,
        })
    }

    /// Bytes of a packet in each fragment but the last. A packet too long for the threshold's goes in longer ones.
    fn payload(&self, packet: u32) -> u32 {
        self.payload.max(packet.div_ceil(MOST).next_multiple_of(2))
    }

    /// Number of fragments of a packet whose MAC frame would be `whole` bytes long.
    pub fn count(&self, whole: u32) -> u32 {
        let packet = whole - self.header;
        packet.div_ceil(self.payload(packet)).max(1)
    }

    /// Bytes of the MAC frame of one fragment of it.
    pub fn bytes(&self, whole: u32, number: u32) -> u32 {
        let packet = whole - self.header;
        let payload = self.payload(packet);
        self.header + payload.min(packet - number * payload)
    }

    /// Time from the first fragment to the last ACK.
    pub fn airtime(&self, whole: u32, timing: &Timing) -> Span {
        let count = self.count(whole);
        let frames = (0..count).fold(Span::ZERO, |sum, n| sum + timing.data(self.bytes(whole, n), false));
        frames + (timing.sifs * 2 + timing.ack) * u64::from(count) - timing.sifs
    }
}

/// The number of a fragment from its sequence control field.
fn number(seq: u16) -> u32 {
    u32::from(seq >> NUMBER_SHIFT)
}

impl MacRules {
    /// Bytes of the MAC frame that carries the fragment `seq` of a packet, or all of it.
    pub(super) fn fragment_bytes(&self, to: NodeId, whole: u32, seq: u16) -> u32 {
        match &self.fragmentation {
            Some(cut) if to != NodeId::BROADCAST => cut.bytes(whole, number(seq)),
            _ => whole,
        }
    }

    /// Duration field of the fragment `seq` of a unicast packet: until its ACK, or that of the next one.
    pub(super) fn fragment_duration(&self, cut: &Fragmentation, whole: u32, seq: u16) -> Span {
        let timing = &self.station.timing;
        let next = number(seq) + 1;
        if next == cut.count(whole) {
            return timing.data_duration();
        }
        timing.duration_field(timing.sifs * 3 + timing.ack * 2 + timing.data(cut.bytes(whole, next), false))
    }
}

impl Dcf {
    /// A fragment was acknowledged: prepares the next one of the same packet, to be sent after SIFS; false when there is
    /// none.
    #[inline(never)]
    pub(super) fn next_fragment(&mut self, cx: &mut MacCx<'_>) -> bool {
        let Some(cut) = &cx.rules.fragmentation else { return false };
        let Some(out) = &mut self.current else { return false };
        if out.to == NodeId::BROADCAST || number(out.seq) + 1 == cut.count(out.bytes) {
            return false;
        }
        out.seq += 1 << NUMBER_SHIFT;
        let bytes = cut.bytes(out.bytes, number(out.seq));
        out.set_airtime(cx.rules.station.timing.data(bytes, false));
        out.rts = cx.rules.uses_rts(out.to, bytes);
        self.response_generation = self.response_generation.wrapping_add(1);
        self.phase = Phase::SifsData;
        self.arm_sifs(cx);
        true
    }

    /// A data frame for this node came in where packets may be cut.
    #[inline(never)]
    pub(super) fn on_fragment(&mut self, frame: &Frame, cut: &Fragmentation, cx: &mut MacCx<'_>) {
        if !self.takes_data(frame, cx.rules.data_needs_cts && number(frame.seq) == 0, cx) {
            return;
        }
        let timing = &cx.rules.station.timing;
        // What a fragment reserves beyond its own ACK, the ACK goes on reserving; the last one reserves no more.
        let reserved = frame.nav.saturating_sub(timing.data_duration());
        let nav = if reserved == Span::ZERO { reserved } else { frame.nav - (timing.sifs + timing.ack) };
        self.acknowledge(frame.src, nav, cx);
        let last = reserved == Span::ZERO;
        match self.dedup.take_fragment(frame.src, frame.seq, last, cx.now, cut.lifetime) {
            Fragment::Continues if last => cx.out.deliver = Some((frame.packet, frame.src)),
            Fragment::Orphan if last => cx.out.done = Some((frame.packet, Outcome::Incomplete)),
            _ => {}
        }
    }
}
