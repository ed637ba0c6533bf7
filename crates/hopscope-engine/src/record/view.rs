//! What an observer may ask of the network beyond a record.
//!
//! Some facts cost too much to be worked out for every record, and only few observers want them. They are asked for
//! here, at the instant of the record, and show the network as it stands before the world goes on. Nothing that is
//! asked changes the course of the run.

use crate::record::Header;
use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_mac::contention::QuietPlan;
use hopscope_mac::dcf::{Attempts, Frame};
use hopscope_mac::edca::{Addba, BlockAckInfo, MpduCounts};
use hopscope_mac::frame::Mpdu;
use hopscope_mac::rate::RateCounts;
use hopscope_packet::Packet;
use hopscope_packet::arena::Extension;
use hopscope_phy::channel::Link;
use hopscope_phy::phy::RxOutcome;
use hopscope_tcp::{Receipt, SenderStats};

/// What an 802.11 interface counts for itself.
#[derive(Debug, Clone, Default)]
pub struct Counters {
    /// Of the MAC, since the start of the run.
    pub attempts: Attempts,
    /// Of the MPDUs of a QoS station; none of another. Behind a pointer: they are kept for every node.
    pub mpdus: Option<Box<MpduCounts>>,
    /// Data frames to single stations whose outcome a rate control knows; behind a pointer as well.
    pub rates: Option<Box<RateCounts>>,
    /// Time on the air since the start of the run.
    pub airtime: Span,
    /// Mean length of the queue over the time asked for, packets.
    pub queue_mean: f64,
    /// Greatest length of the queue since the measured time began, packets.
    pub queue_max: u32,
}

/// A look at the network at the instant of a record.
pub trait NetworkView {
    /// A packet under way.
    fn packet(&self, packet: PacketId) -> &Packet;

    /// The routing message or source route that a packet carries besides its body.
    fn extension(&self, packet: &Packet) -> Option<&Extension>;

    /// Octets of a packet from outside; none of others.
    fn octets(&self, packet: &Packet) -> &[u8];

    /// The frame in an air slot: one of the last two that its transmitter has sent.
    fn frame(&self, slot: u32) -> Frame;

    /// The MPDUs of the A-MPDU in an air slot, in their order on the air; none where the PPDU carries one MPDU or a
    /// control frame.
    fn mpdus(&self, slot: u32) -> &[Mpdu];

    /// The MPDUs that a QoS station sends in the exchange under way, or behind its RTS; none where they are under no agreement.
    fn planned(&self, node: NodeId) -> &[Mpdu];

    /// Of a packet that a PPDU in an air slot carries: those that go with it in its A-MSDU; none where it is alone.
    fn msdus(&self, slot: u32, first: PacketId) -> &[PacketId];

    /// Of a PPDU with data that has just ended at a node which has read its header: what became of each of its MPDUs there, in
    /// order. None of other frames, and of PPDUs whose MPDUs are not received one by one.
    fn mpdu_outcomes(&self) -> &[RxOutcome];

    /// What the Block Ack, or the request for one, in an air slot says; none of another frame.
    fn block_ack(&self, slot: u32) -> Option<BlockAckInfo>;

    /// What the ADDBA frame in an air slot says, and the traffic identifier that it is about; none of another frame.
    fn addba(&self, slot: u32) -> Option<(u8, Addba)>;

    /// Writes to `plan` what the time of a station since its medium became idle consists of. Its radio's edges are
    /// applied up to now.
    fn quiet_plan(&mut self, node: NodeId, plan: &mut QuietPlan);

    /// Until when the MAC of a node waits for the data frame that its CTS has asked for, if it does.
    fn awaits_data(&self, node: NodeId) -> Option<Time>;

    /// Who hears a node, whom it hears just so: links have the same power both ways.
    fn links(&self, node: NodeId) -> &[Link];

    /// True while the radio of a node is off.
    fn is_off(&self, node: NodeId) -> bool;

    /// True when frames are announced to a node; the others can never act.
    fn listens(&self, node: NodeId) -> bool;

    /// Bytes that the source of a flow has ready and its window holds back; none over UDP, which has no window.
    fn backlog(&self, flow: FlowId) -> u64;

    /// What the 802.11 interface of a node has counted. The mean length of its queue runs from `from` on, which is
    /// where the measured time began, or the start of the run before that.
    fn counters(&mut self, node: NodeId, from: Time) -> Counters;

    /// The packets that a node has got from each neighbour over the air since the start of the run, each once,
    /// broadcast left out; by the number of the neighbour.
    fn received_from(&self, node: NodeId) -> Vec<(NodeId, u64)>;

    /// Data packets of each flow, of `flows` in all, that are neither received nor lost: each counts once, however many
    /// nodes hold a copy.
    fn in_flight(&self, flows: usize) -> Vec<u64>;

    /// What the sender of a flow has counted since the start of the run; none over UDP.
    fn sender_stats(&self, flow: FlowId) -> Option<SenderStats>;

    /// What the receiver of a flow over TCP has of a segment with this header; none over other transports.
    fn receipt(&self, flow: FlowId, header: &Header) -> Option<Receipt>;

    /// The same look, for a function of its own: what is passed on to one has to be kept in memory, what is not may
    /// vanish.
    fn lend(&mut self) -> impl NetworkView + '_;
}

/// The link from `from` to `to`, if it is heard there.
pub fn link_between(view: &impl NetworkView, from: NodeId, to: NodeId) -> Option<&Link> {
    // Without an index: only who explains a loss asks, and a node has few neighbours.
    view.links(from).iter().find(|link| link.to == to)
}

/// Time that a frame of `from` takes to `to`.
pub fn flight(view: &impl NetworkView, from: NodeId, to: NodeId) -> Span {
    link_between(view, from, to).map_or(Span::ZERO, Link::delay)
}
