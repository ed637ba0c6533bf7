//! The world as an observer may look at it.

use super::flow::Flow;
use super::listeners::Listeners;
use super::outages::Outages;
use super::places::PerNode;
use crate::record::{Counters, Header, NetworkView};
use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_core::units::Time;
use hopscope_mac::contention::QuietPlan;
use hopscope_mac::dcf::Frame;
use hopscope_mac::edca::{Addba, BlockAckInfo};
use hopscope_mac::frame::{FrameKind, Mpdu};
use hopscope_net::iface::Wifi;
use hopscope_packet::arena::Extension;
use hopscope_packet::{Packet, PacketArena};
use hopscope_phy::channel::{Link, Medium};
use hopscope_phy::phy::RxOutcome;
use hopscope_tcp::{Receipt, SenderStats};
use hopscope_transport::Sockets;

/// What an observer may read of the network while the recorder is borrowed.
#[derive(Debug)]
pub struct WorldView<'a> {
    pub(super) now: Time,
    pub(super) wifi: &'a mut PerNode<Wifi>,
    pub(super) medium: &'a Medium,
    pub(super) listeners: &'a Listeners,
    pub(super) outages: &'a Outages,
    pub(super) packets: &'a PacketArena,
    pub(super) flows: &'a [Flow],
    pub(super) sockets: &'a Sockets,
    pub(super) mpdu_outcomes: &'a [RxOutcome],
}

/// The view of a world whose other fields may be borrowed.
macro_rules! view {
    ($world:expr) => {
        $crate::world::view::WorldView {
            now: $world.now,
            wifi: &mut $world.wifi,
            medium: &$world.medium,
            listeners: &$world.listeners,
            outages: &$world.outages,
            packets: &$world.packets,
            flows: &$world.flows,
            sockets: &$world.sockets,
            mpdu_outcomes: &$world.mpdu_outcomes,
        }
    };
}
pub(super) use view;

impl NetworkView for WorldView<'_> {
    #[inline(always)]
    fn packet(&self, packet: PacketId) -> &Packet {
        self.packets.get(packet)
    }

    fn extension(&self, packet: &Packet) -> Option<&Extension> {
        self.packets.extension(packet.extension)
    }

    fn octets(&self, packet: &Packet) -> &[u8] {
        packet.body.outside().map_or(&[], |number| self.packets.octets(number))
    }

    fn frame(&self, slot: u32) -> Frame {
        let src = NodeId(slot / 2);
        self.wifi[src].air.frame(slot % 2, src)
    }

    fn mpdus(&self, slot: u32) -> &[Mpdu] {
        let edca = self.wifi[NodeId(slot / 2)].edca.as_ref();
        edca.map_or(&[], |edca| &edca.carried(slot).mpdus)
    }

    fn planned(&self, node: NodeId) -> &[Mpdu] {
        self.wifi[node].edca.as_ref().map_or(&[], |edca| edca.planned())
    }

    fn msdus(&self, slot: u32, first: PacketId) -> &[PacketId] {
        self.wifi[NodeId(slot / 2)].edca.as_ref().map_or(&[], |edca| edca.bundle(first))
    }

    fn mpdu_outcomes(&self) -> &[RxOutcome] {
        self.mpdu_outcomes
    }

    fn block_ack(&self, slot: u32) -> Option<BlockAckInfo> {
        let frame = self.frame(slot);
        match frame.kind {
            FrameKind::BlockAck => self.wifi[frame.src].edca.as_ref().map(|edca| edca.carried(slot).said.block_ack),
            FrameKind::BlockAckReq => Some(BlockAckInfo { ssn: frame.seq, ..BlockAckInfo::default() }),
            FrameKind::Rts
            | FrameKind::Cts
            | FrameKind::Data
            | FrameKind::Ack
            | FrameKind::CfEnd
            | FrameKind::Action => None,
        }
    }

    fn addba(&self, slot: u32) -> Option<(u8, Addba)> {
        let frame = self.frame(slot);
        let carried = self.wifi[frame.src].edca.as_ref().filter(|_| frame.kind == FrameKind::Action)?.carried(slot);
        Some((carried.tid, carried.said.addba?))
    }

    #[inline(always)]
    fn quiet_plan(&mut self, node: NodeId, plan: &mut QuietPlan) {
        self.wifi[node].quiet_plan(self.now, plan);
    }

    #[inline(always)]
    fn awaits_data(&self, node: NodeId) -> Option<Time> {
        self.wifi[node].awaits_data()
    }

    fn links(&self, node: NodeId) -> &[Link] {
        self.medium.hearers(node)
    }

    #[inline(always)]
    fn is_off(&self, node: NodeId) -> bool {
        self.outages.is_off(node)
    }

    fn listens(&self, node: NodeId) -> bool {
        self.listeners.include(node)
    }

    #[inline(always)]
    fn backlog(&self, flow: FlowId) -> u64 {
        let socket = self.flows[flow.index()].socket;
        self.sockets[socket].endpoint.backlog()
    }

    fn counters(&mut self, node: NodeId, from: Time) -> Counters {
        let wifi = &mut self.wifi[node];
        let (queue_mean, queue_max) = wifi.occupancy(from, self.now);
        let rates = wifi.mac.rate_control().sent().map(Box::new);
        let mpdus = wifi.edca.as_ref().map(|edca| Box::new(edca.mpdu_counts()));
        Counters { attempts: *wifi.attempts(), mpdus, rates, airtime: wifi.air.airtime(), queue_mean, queue_max }
    }

    fn received_from(&self, node: NodeId) -> Vec<(NodeId, u64)> {
        self.wifi[node].received_from()
    }

    fn in_flight(&self, flows: usize) -> Vec<u64> {
        let of_flow = |packet: &Packet| {
            let header = Header::of(&packet.body);
            let counts = packet.flow.index() < flows && header.is_data;
            // By the instant of sending as well: a repetition is a copy of its own.
            counts.then_some((packet.flow, packet.sent, header.seq))
        };
        let mut packets: Vec<_> = self.packets.pending().filter_map(of_flow).collect();
        packets.sort_unstable();
        // Copies of one segment on several hops are one segment on its way.
        packets.dedup();
        let mut counts = vec![0; flows];
        packets.iter().for_each(|(flow, ..)| counts[flow.index()] += 1);
        counts
    }

    fn sender_stats(&self, flow: FlowId) -> Option<SenderStats> {
        let socket = self.flows[flow.index()].socket;
        self.sockets[socket].endpoint.sender_stats().copied()
    }

    fn receipt(&self, flow: FlowId, header: &Header) -> Option<Receipt> {
        let receiver = self.sockets[self.flows[flow.index()].receiving_socket()].endpoint.receiver()?;
        // SYN and FIN take a sequence number each (RFC 9293 3.4).
        let flags = u64::from(header.flags.syn) + u64::from(header.flags.fin);
        Some(receiver.receipt(header.seq, header.seq + u64::from(header.len) + flags))
    }

    #[inline(always)]
    fn lend(&mut self) -> impl NetworkView + '_ {
        let WorldView { now, wifi, medium, listeners, outages, packets, flows, sockets, mpdu_outcomes } = self;
        WorldView { now: *now, wifi, medium, listeners, outages, packets, flows, sockets, mpdu_outcomes }
    }
}
