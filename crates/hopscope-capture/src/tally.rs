//! What the engine itself counts of a run, from its typed records and not from octets: what other tools count in a capture of all nodes
//! must be the same.

use std::collections::BTreeMap;

use hopscope_core::ids::PacketId;
use hopscope_engine::record::NetworkView;
use hopscope_mac::dcf::{Frame, FrameKind};
use hopscope_packet::arena::Extension;
use hopscope_packet::hwmp::HwmpMessage;
use hopscope_packet::olsr::OlsrBody;
use hopscope_packet::routing::RoutingMessage;
use hopscope_packet::{Body, Packet};
use serde::{Serialize, Serializer};

/// Counts over all nodes of a run, whatever is captured of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Frames put on the air, by kind; of an A-MPDU each MPDU counts.
    #[serde(serialize_with = "by_kind")]
    pub frames: [u64; FrameKind::COUNT],
    /// Beacons put on the air; they are not among `frames`.
    pub beacons: u64,
    /// Frames with the Retry bit.
    pub retries: u64,
    /// PPDUs that carried an A-MPDU.
    pub ampdus: u64,
    /// MPDUs that carried an A-MSDU.
    pub amsdus: u64,
    /// Routing messages put on the air, by kind; messages of OLSR and TLVs of Babel one by one.
    pub routing: BTreeMap<&'static str, u64>,
    /// Packets of DCCP that transports have sent, by type.
    #[serde(serialize_with = "by_type")]
    pub dccp: [u64; TYPES.len()],
    /// SACK blocks in segments that transports have sent.
    pub sack_blocks: u64,
    /// Segments with the mark of ECN Echo that transports have sent.
    pub ecn_echoes: u64,
}

impl Tally {
    /// A frame begins.
    pub fn on_frame(&mut self, frame: &Frame, slot: u32, view: &impl NetworkView) {
        let mpdus = if frame.kind == FrameKind::Data { view.mpdus(slot) } else { &[] };
        if !mpdus.is_empty() {
            self.ampdus += 1;
            self.frames[frame.kind as usize] += mpdus.len() as u64;
            for mpdu in mpdus {
                self.retries += u64::from(mpdu.retry);
                self.on_mpdu(slot, mpdu.packet, view);
            }
            return;
        }
        match management(frame, view) {
            Some(HwmpMessage::Beacon(_)) => self.beacons += 1,
            Some(_) => self.frames[FrameKind::Action as usize] += 1,
            None => self.frames[frame.kind as usize] += 1,
        }
        self.retries += u64::from(frame.retry);
        // Of a packet in fragments the first one stands for all; repetitions count, as they are on the air.
        if frame.kind == FrameKind::Data && frame.frag == 0 {
            self.on_mpdu(slot, frame.body, view);
        }
    }

    /// A packet is put on the air, with those of its A-MSDU.
    fn on_mpdu(&mut self, slot: u32, first: PacketId, view: &impl NetworkView) {
        let rest = view.msdus(slot, first);
        self.amsdus += u64::from(!rest.is_empty());
        for packet in std::iter::once(&first).chain(rest) {
            self.on_carried(view.packet(*packet), view);
        }
    }

    /// A packet is put on the air.
    fn on_carried(&mut self, packet: &Packet, view: &impl NetworkView) {
        if packet.body.is_routing_message() {
            self.on_message(packet, view.extension(packet));
        }
    }

    fn on_message(&mut self, packet: &Packet, extension: Option<&Extension>) {
        let mut count = |kind| *self.routing.entry(kind).or_default() += 1;
        match (&packet.body, extension) {
            (Body::Aodv(message), _) => count(message.kind()),
            (_, Some(Extension::Message(RoutingMessage::Olsr(olsr)))) => {
                for message in olsr.messages.iter() {
                    count(match message.body {
                        OlsrBody::Hello(_) => "hello",
                        OlsrBody::Tc(_) => "tc",
                    });
                }
            }
            (_, Some(Extension::Message(RoutingMessage::Babel(babel)))) => {
                babel.tlvs.iter().for_each(|tlv| count(tlv.kind()));
            }
            (_, Some(Extension::Message(RoutingMessage::Batman(batman)))) => {
                *self.routing.entry(batman.kind()).or_default() += batman.count() as u64;
            }
            (_, Some(Extension::Message(message))) => count(message.kind()),
            _ => {}
        }
    }

    /// A transport has sent a packet.
    pub fn on_made(&mut self, packet: &Packet) {
        match &packet.body {
            Body::Tcp(segment) => {
                self.sack_blocks += u64::from(segment.n_sack);
                self.ecn_echoes += u64::from(segment.flags.ece);
            }
            Body::Dccp(body) => self.dccp[body.kind as usize] += 1,
            Body::Udp { .. }
            | Body::Atp(_)
            | Body::Arp { .. }
            | Body::Aodv(_)
            | Body::Routing
            | Body::Notice(_)
            | Body::PathNotice(_)
            | Body::Opaque { .. }
            | Body::Ethernet { .. } => {}
        }
    }
}

/// What a management frame of a mesh says; nothing of another frame.
fn management<'a>(frame: &Frame, view: &'a impl NetworkView) -> Option<&'a HwmpMessage> {
    let packet = (frame.kind == FrameKind::Data).then(|| view.packet(frame.body))?;
    match view.extension(packet) {
        Some(Extension::Message(RoutingMessage::Hwmp(message))) => Some(message),
        _ => None,
    }
}

fn by_kind<S: Serializer>(counts: &[u64; FrameKind::COUNT], out: S) -> Result<S::Ok, S::Error> {
    out.collect_map(FrameKind::ALL.iter().map(|kind| kind.name()).zip(counts))
}

fn by_type<S: Serializer>(counts: &[u64; TYPES.len()], out: S) -> Result<S::Ok, S::Error> {
    out.collect_map(TYPES.iter().zip(counts))
}

/// Types of DCCP by their numbers, as RFC 4340 5.1 names them.
const TYPES: [&str; 10] =
    ["Request", "Response", "Data", "Ack", "DataAck", "CloseReq", "Close", "Reset", "Sync", "SyncAck"];
