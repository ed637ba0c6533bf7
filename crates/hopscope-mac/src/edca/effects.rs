//! What a QoS station takes in and asks for: frames with what they carry, and the effects of an input.

use super::flows::Aqm;
use crate::block_ack::Bitmap;
use crate::contention::Station;
use crate::dcf::{MacEffects, Outcome};
use crate::fair::FlowKey;
use crate::frame::Mpdu;
use crate::rules::MacRules;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Time;

/// What a Block Ack says, or a request asks about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockAckInfo {
    /// Starting sequence number.
    pub ssn: u16,
    /// Which of the MPDUs from there on have come; empty in a request.
    pub bitmap: Bitmap,
    /// Frames that the bitmap has room for: 64 or 256.
    pub size: u16,
}

/// What an ADDBA request or response says (IEEE 802.11-2020 9.6.4.2 and 9.6.4.3). Its traffic identifier is that of its frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addba {
    /// It is a response, which always accepts.
    pub is_response: bool,
    /// Dialog token: a response has that of its request.
    pub token: u8,
    /// Buffer size: most MPDUs under way.
    pub window: u16,
    /// Starting sequence number of the agreement; a response does not say it on the air.
    pub ssn: u16,
}

/// What a frame says besides its header and its packets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FrameInfo {
    /// In a Block Ack.
    pub block_ack: BlockAckInfo,
    /// In an Action frame.
    pub addba: Option<Addba>,
}

/// What a frame of a QoS station carries besides its header.
#[derive(Debug, Clone, Default)]
pub struct Carried {
    /// The MPDUs of an A-MPDU; empty in every other frame.
    pub mpdus: Vec<Mpdu>,
    /// What it says.
    pub said: FrameInfo,
    /// Traffic identifier.
    pub tid: u8,
    /// Ratio at which the data that an ACK or a Block Ack answers was heard; zero where none is known. No frame of 802.11 says so:
    /// it is for the oracle among the rate controls.
    pub ratio: f32,
}

/// A new MPDU that has come: its packet, still in the transmitter's hands, is to be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    /// Transmitter.
    pub from: NodeId,
    /// Traffic identifier.
    pub tid: u8,
    /// Sequence number; none where it goes up at once, as no agreement keeps the order.
    pub seq: Option<u16>,
    /// It goes up while the PPDU that carries it is on the air.
    pub within: bool,
    /// The packet.
    pub packet: PacketId,
}

/// A copy of a packet that goes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivered {
    /// The copy.
    pub packet: PacketId,
    /// Transmitter.
    pub from: NodeId,
    /// It goes up while the PPDU that carries it is on the air: what it causes to be sent finds the medium busy.
    pub within: bool,
}

/// A packet for a QoS station to send.
#[derive(Debug, Clone, Copy)]
pub struct PacketEntry {
    /// The packet.
    pub packet: PacketId,
    /// The neighbour that it goes to, or everyone.
    pub to: NodeId,
    /// Traffic identifier.
    pub tid: u8,
    /// Bytes, network header included.
    pub bytes: u32,
    /// Its flow.
    pub flow: FlowKey,
    /// What CoDel may do with it.
    pub aqm: Aqm,
}

/// Why a QoS station has thrown away a packet that was never sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropCause {
    /// It was in the MAC for too long.
    Lifetime,
    /// It was at the head of the longest flow queue, and another one has come.
    QueueFull,
    /// CoDel has dropped it.
    CoDel,
}

/// What a QoS station asks of its neighbours after one input.
#[derive(Debug, Default)]
pub struct EdcaEffects {
    /// Frame and timers, as for a station without QoS; a frame carries what [`Edca::take_carried`] gives.
    pub mac: MacEffects,
    /// Call `on_release` then.
    pub arm_release: Option<Time>,
    /// Then, too.
    pub arm_setup: Option<Time>,
    /// MPDUs that are new: hand copies of their packets to [`Edca::store`].
    pub accepted: Vec<Accepted>,
    /// Copies that go up now, in order.
    pub delivered: Vec<Delivered>,
    /// Packets that were thrown away, and were never sent.
    pub discarded: Vec<(PacketId, DropCause)>,
    /// Packets that CoDel has marked.
    pub marked: Vec<PacketId>,
    /// Packets whose exchange is over.
    pub done: Vec<(PacketId, Outcome)>,
}

/// What an input of the machine needs besides its own state.
pub struct EdcaCx<'a> {
    /// Now.
    pub now: Time,
    /// Lower half of this station, edges applied up to `now`.
    pub station: &'a mut Station,
    /// Parameters.
    pub rules: &'a MacRules,
    /// Effects.
    pub out: &'a mut EdcaEffects,
}
