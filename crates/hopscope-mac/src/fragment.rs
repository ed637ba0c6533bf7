//! Fragmentation of long packets and their reassembly (IEEE 802.11-2020 10.4 and 10.5).
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
use crate::dcf::{Dcf, MacCx, Outcome, Phase};
use crate::dedup::Fragment;
use crate::frame::{Frame, SequenceControl};
use crate::outgoing::Outgoing;
use crate::rules::MacRules;
use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;
use hopscope_phy::phy::modes::Mode;

/// Most fragments of one packet: the fragment number has four bits (IEEE 802.11-2020 9.2.4.4.3).
pub const MOST: u32 = 16;

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
            // A threshold that leaves no room for an even number of bytes after the header still moves two.
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
}

impl MacRules {
    /// Bytes of the MAC frame that carries the fragment `number` of a packet, or all of it.
    pub(super) fn fragment_bytes(&self, to: NodeId, whole: u32, number: u8) -> u32 {
        match &self.fragmentation {
            Some(cut) if to != NodeId::BROADCAST => cut.bytes(whole, u32::from(number)),
            _ => whole,
        }
    }

    /// Time from the first fragment of a unicast packet to its last ACK, all sent in one mode.
    pub(super) fn fragments_airtime(&self, cut: &Fragmentation, mode: Mode, whole: u32) -> Span {
        let timing = self.timing();
        let exchange = |n| timing.airtime(cut.bytes(whole, n), mode) + timing.sifs + self.answer(mode);
        let count = cut.count(whole);
        let frames = (0..count).fold(Span::ZERO, |sum, n| sum + exchange(n));
        frames + timing.sifs * u64::from(count - 1)
    }

    /// Duration field of the fragment under way of a unicast packet: until its ACK, or that of the next one, which is
    /// taken to go in the same mode.
    pub(super) fn fragment_duration(&self, cut: &Fragmentation, out: &Outgoing) -> Span {
        let timing = self.timing();
        let next = u32::from(out.control.fragment()) + 1;
        if next == cut.count(out.bytes) {
            return self.data_duration(out.mode);
        }
        let airtime = timing.airtime(cut.bytes(out.bytes, next), out.mode);
        timing.duration_field(timing.sifs * 3 + self.answer(out.mode) * 2 + airtime)
    }
}

impl Dcf {
    /// A fragment was acknowledged: prepares the next one of the same packet, to be sent after SIFS; false when there is
    /// none.
    #[inline(never)]
    pub(super) fn next_fragment(&mut self, cx: &mut MacCx<'_>) -> bool {
        let Some(cut) = &cx.rules.fragmentation else { return false };
        let Some(out) = &mut self.current else { return false };
        if out.to == NodeId::BROADCAST || u32::from(out.control.fragment()) + 1 == cut.count(out.bytes) {
            return false;
        }
        let Some(next) = out.control.next_fragment() else { return false };
        out.control = next;
        // Chosen anew: it goes after SIFS without an RTS, but if it fails it contends like a frame of its own and may
        // need one.
        out.is_repeated = false;
        out.prepare(&self.rates, cx.rules);
        // The timer of the wait that this ACK has ended still runs.
        self.response_timer.renew();
        self.phase = Phase::SifsData;
        self.arm_sifs(cx);
        true
    }

    /// The packets that have come from each neighbour, by its number, each once; broadcast left out.
    pub fn received_from(&self, rules: &MacRules) -> Vec<(NodeId, u64)> {
        self.dedup.packets(&self.packet_counts, rules.fragmentation.is_some())
    }

    /// A data frame for this node came in where packets may be cut.
    #[inline(never)]
    pub(super) fn on_fragment(&mut self, frame: &Frame, cut: &Fragmentation, cx: &mut MacCx<'_>) {
        // Later fragments follow an ACK; no CTS asks for them.
        if !self.takes_data(frame, cx.rules.data_needs_cts && frame.frag == 0, cx) {
            return;
        }
        // What a fragment reserves beyond its own ACK, the ACK goes on reserving; the last one reserves no more.
        let own_ack = cx.rules.data_duration(frame.mode);
        let last = frame.duration <= own_ack;
        let ack = cx.rules.timing().sifs + cx.rules.answer(frame.mode);
        self.acknowledge(frame.src, frame.mode, if last { Span::ZERO } else { frame.duration - ack }, cx);
        let what = (SequenceControl::new(frame.seq, frame.frag), last);
        let may_repeat = frame.retry || !cx.rules.duplicates_retry;
        match self.dedup.take_fragment(frame.src, what, may_repeat, cx.now, cut.lifetime, &mut self.packet_counts) {
            Fragment::Continues if last => cx.out.deliver = Some((frame.body, frame.src)),
            Fragment::Orphan if last => cx.out.done = Some((frame.body, Outcome::Incomplete)),
            _ => {}
        }
    }
}
