//! Frames on the air as octets: each is made once, when it begins, and kept until its transmitter has sent two more.

use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_engine::Config;
use hopscope_engine::config::radio::Phy;
use hopscope_engine::config::{RadioConfig, Stations};
use hopscope_engine::record::{Addba, BlockAckInfo, NetworkView, link_between};
use hopscope_mac::dcf::{Frame, FrameKind};
use hopscope_packet::Packet;
use hopscope_packet::arena::Extension;
use hopscope_packet::hwmp::MESH_DATA;
use hopscope_packet::routing::RoutingMessage;
use hopscope_phy::phy::modes::Mode;
use hopscope_wire::dot11::{
    self, AckBitmap, AckPolicy, AddbaFields, BlockAckFields, FCS_BYTES, MOST_DURATION, Mac, QOS_DATA_HEADER,
    QosControl, aggregate,
};
use hopscope_wire::link::LLC_BYTES;
use hopscope_wire::mesh::{self, MeshData};
use hopscope_wire::packet::{Encoder, FullPacket};
use hopscope_wire::radiotap::{AmpduStatus, CCK, OFDM, OFDM_5_GHZ, Radiotap};

/// Slowest rates, which are those of DSSS and CCK.
const DSSS_RATES: [u64; 4] = [1_000_000, 2_000_000, 5_500_000, 11_000_000];

/// Carriers from here on lie in the channels at 5 GHz, Hz (IEEE 802.11-2020 annex E).
const FIVE_GHZ: f64 = 4.9e9;
/// Where the channels of a band are counted from, MHz (IEEE 802.11-2020 Annex E).
const CHANNEL_0_AT_2_4_GHZ: u16 = 2_407;
const CHANNEL_0_AT_5_GHZ: u16 = 5_000;
/// MAC header and FCS of QoS data, octets: a station whose data frames have so many around their bodies sends QoS data.
const QOS_DATA_OVERHEAD: u32 = (QOS_DATA_HEADER + FCS_BYTES) as u32;

/// Octets of the QoS Control field.
const QOS_CONTROL: u32 = 2;

/// What was put on the air in a PPDU: a frame, or the MPDUs of an A-MPDU.
#[derive(Debug, Clone, Default)]
pub struct Sent {
    /// Their octets, one behind the other; empty where nobody captures it.
    pub octets: Vec<u8>,
    /// Where the packet begins that it carries as a whole and alone; 0 where it carries none.
    packet_at: usize,
    /// The MPDUs of an A-MPDU; none of a frame alone.
    parts: Vec<Part>,
    /// Number of the A-MPDU.
    reference: u32,
}

/// Where an MPDU ends in the octets of its A-MPDU, and what is known of it.
#[derive(Debug, Clone, Copy)]
struct Part {
    end: usize,
    bytes: u32,
    is_chosen: bool,
}

/// An MPDU of an A-MPDU.
#[derive(Debug, Clone, Copy)]
pub struct SentMpdu<'a> {
    /// Its octets.
    pub octets: &'a [u8],
    /// Bytes that the engine counts.
    pub bytes: u32,
    /// It carries a packet of a flow that is captured.
    pub is_chosen: bool,
    /// Its A-MPDU.
    pub ampdu: AmpduStatus,
}

impl Sent {
    /// The octets of the IP packet that it carries as a whole and alone; nothing otherwise.
    pub fn packet(&self) -> &[u8] {
        let end = self.octets.len().saturating_sub(FCS_BYTES);
        if self.packet_at > 0 { self.octets.get(self.packet_at..end).unwrap_or_default() } else { &[] }
    }

    /// True for an A-MPDU.
    pub fn is_aggregate(&self) -> bool {
        !self.parts.is_empty()
    }

    /// The MPDUs of an A-MPDU.
    pub fn mpdus(&self) -> impl Iterator<Item = SentMpdu<'_>> {
        let mut start = 0;
        self.parts.iter().enumerate().map(move |(place, &Part { end, bytes, is_chosen })| {
            let octets = &self.octets[start..end];
            start = end;
            let ampdu = AmpduStatus { reference: self.reference, last: place + 1 == self.parts.len() };
            SentMpdu { octets, bytes, is_chosen, ampdu }
        })
    }

    fn clear(&mut self) {
        self.octets.clear();
        self.packet_at = 0;
        self.parts.clear();
    }
}

/// Where the fragments of a packet are cut.
#[derive(Debug, Default, Clone, Copy)]
struct Cut {
    seq: u16,
    frag: u8,
    start: usize,
    length: usize,
}

impl Cut {
    /// Where the fragment in a frame begins, which follows this one or is the same again.
    fn next(self, frame: &Frame, length: usize) -> Cut {
        let start = match frame.frag {
            0 => 0,
            // Repeated: the same octets again.
            frag if frag == self.frag && frame.seq == self.seq => self.start,
            _ => self.start + self.length,
        };
        Cut { seq: frame.seq, frag: frame.frag, start, length }
    }
}

/// The frames of a run.
#[derive(Debug)]
pub struct Air {
    sent: Vec<Sent>,
    /// Flow of the last RTS or data frame of each node: what answers to it belong to.
    last_flow: Vec<FlowId>,
    cuts: Vec<Cut>,
    /// A-MPDUs so far.
    ampdus: u32,
    /// Bytes around the body of a data frame, and its LLC header, as the engine counts them, by node.
    headers: Vec<(u32, u32)>,
    /// Frames are those of a mesh.
    has_mesh: bool,
    /// Some nodes have QoS, and others have not.
    is_mixed: bool,
    /// Whether each node sends A-MSDUs, which its agreements then permit.
    amsdu: Vec<bool>,
    /// The last power in watts at which each node was heard, and its level.
    levels: Vec<(f32, i8)>,
    /// Of each station, MHz.
    frequencies: Vec<u16>,
    /// Kind of the channel, but for frames at the rates of DSSS.
    channel: u16,
    short_preamble: bool,
    noise: i8,
    /// A packet to be cut, or to go into an A-MSDU.
    fragment: Vec<u8>,
    /// The body of an MPDU with several packets.
    msdus: Vec<u8>,
}

impl Air {
    /// For a configuration.
    pub fn new(config: &Config) -> Self {
        let stations = config.stations();
        let count = stations.count();
        let header = |host| {
            let mac = config.mac_of(host);
            (mac.data_overhead(), mac.llc_header)
        };
        let radio = &config.radio;
        let hosts = stations.spread(&config.host_of_each());
        Air {
            sent: vec![Sent::default(); 2 * count],
            last_flow: vec![FlowId::NONE; count],
            cuts: vec![Cut::default(); count],
            ampdus: 0,
            has_mesh: config.has_mesh(),
            is_mixed: config.interface_sets().any(|set| set.mac.qos != config.mac.qos),
            amsdu: hosts.iter().map(|host| config.mac_of(*host).amsdu.is_some()).collect(),
            headers: hosts.iter().copied().map(header).collect(),
            levels: vec![(f32::NAN, 0); count],
            frequencies: (0..count as u32).map(|n| frequency(radio, &stations, NodeId(n))).collect(),
            channel: match radio.phy {
                Phy::Dsss => CCK,
                Phy::Ofdm | Phy::ErpOfdm if radio.frequency < FIVE_GHZ => OFDM,
                Phy::Ofdm | Phy::ErpOfdm => OFDM_5_GHZ,
            },
            short_preamble: radio.plcp_bits_2m > 0,
            noise: level(radio.noise_floor),
            fragment: Vec::new(),
            msdus: Vec::new(),
        }
    }

    /// Bytes of its frame's header that the engine counts with a packet from a node: those of a mesh.
    pub fn mesh_header(&self, from: NodeId) -> u32 {
        let is_qos = self.headers.get(from.index()).is_some_and(|header| header.0 == QOS_DATA_OVERHEAD);
        if self.has_mesh { MESH_DATA + if is_qos { 0 } else { QOS_CONTROL } } else { 0 }
    }

    /// The frame in an air slot.
    pub fn sent(&self, slot: u32) -> &Sent {
        &self.sent[slot as usize]
    }

    /// The flow that a frame which begins now belongs to.
    pub fn flow_of(&mut self, frame: &Frame, view: &impl NetworkView) -> FlowId {
        match frame.kind {
            FrameKind::Rts | FrameKind::Data => self.carried_flow(frame, view),
            // One to its own transmitter announces a packet, as an RTS does.
            FrameKind::Cts if frame.dst == frame.src => self.carried_flow(frame, view),
            // An answer names no packet: it belongs to what its receiver sent last.
            FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck => {
                self.last_flow.get(frame.dst.index()).copied().unwrap_or(FlowId::NONE)
            }
            FrameKind::BlockAckReq | FrameKind::CfEnd | FrameKind::Action => self.last_flow[frame.src.index()],
        }
    }

    /// The flow of the packet that a frame carries or announces: what answers to it belongs there, too.
    fn carried_flow(&mut self, frame: &Frame, view: &impl NetworkView) -> FlowId {
        let flow = view.packet(frame.body).flow;
        self.last_flow[frame.src.index()] = flow;
        flow
    }

    /// A frame begins that nobody captures.
    pub fn skip(&mut self, slot: u32) {
        self.sent[slot as usize].clear();
    }

    /// A frame begins: its octets are made. `is_chosen` says of a packet with those of its A-MSDU whether they are captured.
    pub fn make(
        &mut self,
        (frame, slot): (&Frame, u32),
        encoder: &Encoder,
        view: &impl NetworkView,
        is_chosen: impl Fn(PacketId) -> bool,
    ) {
        let mut head = self.head(frame);
        head.addba = self.addba(frame, slot, view);
        let sent = &mut self.sent[slot as usize];
        sent.clear();
        if frame.kind != FrameKind::Data {
            head.block_ack = block_ack(frame, slot, view);
            head.write_head(&mut sent.octets);
            dot11::close(&mut sent.octets, 0);
            return;
        }
        let mpdus = view.mpdus(slot);
        if mpdus.is_empty() && view.msdus(slot, frame.body).is_empty() {
            self.make_data(&head, (frame, slot), encoder, view);
            return;
        }
        if mpdus.is_empty() {
            self.make_mpdu(&head, frame.body, (frame, slot), encoder, view);
            return;
        }
        self.ampdus = self.ampdus.wrapping_add(1);
        sent.reference = self.ampdus;
        for mpdu in mpdus {
            self.make_mpdu(
                &Mac { seq: mpdu.seq, retry: mpdu.retry, ..head },
                mpdu.packet,
                (frame, slot),
                encoder,
                view,
            );
            let sent = &mut self.sent[slot as usize];
            sent.parts.push(Part { end: sent.octets.len(), bytes: mpdu.bytes, is_chosen: is_chosen(mpdu.packet) });
        }
    }

    /// Bytes around the body of a data frame, and its LLC header.
    fn header(&self, frame: &Frame) -> (u32, u32) {
        let (header, llc) = self.headers[frame.src.index()];
        // A QoS station sends data without QoS Control field to one without QoS, and to all where there is such a one.
        let takes_qos = !frame.is_broadcast() && self.headers[frame.dst.index()].0 == QOS_DATA_OVERHEAD;
        let is_plain = self.is_mixed && header == QOS_DATA_OVERHEAD && !takes_qos;
        (if is_plain { header - QOS_CONTROL } else { header }, llc)
    }

    /// What an ADDBA frame says; nothing of another frame.
    fn addba(&self, frame: &Frame, slot: u32, view: &impl NetworkView) -> Option<AddbaFields> {
        if frame.kind != FrameKind::Action {
            return None;
        }
        let (tid, Addba { is_response, token, window, ssn }) = view.addba(slot)?;
        let amsdu = self.amsdu[frame.src.index()];
        Some(AddbaFields { token, amsdu, tid, size: window, ssn: (!is_response).then_some(ssn) })
    }

    /// Adds the octets of a whole MPDU: of a packet, or of an A-MSDU that begins with it.
    fn make_mpdu(
        &mut self,
        head: &Mac<'_>,
        first: PacketId,
        (frame, slot): (&Frame, u32),
        encoder: &Encoder,
        view: &impl NetworkView,
    ) {
        let Air { sent, fragment: part, .. } = self;
        let octets = &mut sent[slot as usize].octets;
        let start = octets.len();
        let rest = view.msdus(slot, first);
        if rest.is_empty() {
            write_head(self.has_mesh, head, view.packet(first), octets);
            encoder.body(full(view.packet(first), view), frame.src, octets);
        } else {
            Mac { qos: head.qos.map(|qos| QosControl { amsdu: true, ..qos }), ..*head }.write_head(octets);
            self.msdus.clear();
            for packet in std::iter::once(&first).chain(rest) {
                part.clear();
                encoder.body(full(view.packet(*packet), view), frame.src, part);
                aggregate::write_msdu(frame.dst, frame.src, part, &mut self.msdus);
            }
            octets.extend_from_slice(&self.msdus);
        }
        dot11::close(octets, start);
    }

    /// The header of a frame.
    #[inline]
    fn head(&self, frame: &Frame) -> Mac<'static> {
        // The field has whole microseconds, rounded up (9.3.1.2 to 9.3.2.1), even where the engine reckons with fractions of them.
        let micros = frame.duration.0.div_ceil(1_000).min(MOST_DURATION.into());
        let has_qos = frame.kind == FrameKind::Data && (self.has_mesh || self.header(frame).0 == QOS_DATA_OVERHEAD);
        let ack = if frame.is_broadcast() { AckPolicy::NoAck } else { AckPolicy::NormalOrImplicitBar };
        Mac {
            kind: frame.kind,
            retry: frame.retry,
            more: false,
            duration: micros as u16,
            to: frame.dst,
            from: Some(frame.src),
            seq: frame.seq,
            frag: frame.frag,
            qos: has_qos.then_some(QosControl { tid: frame.tid, ack, amsdu: false }),
            block_ack: None,
            addba: None,
            body: &[],
        }
    }

    /// Makes the octets of a data frame that is alone in its PPDU.
    fn make_data(&mut self, head: &Mac<'_>, (frame, slot): (&Frame, u32), encoder: &Encoder, view: &impl NetworkView) {
        let (header, llc) = self.header(frame);
        let sent = &mut self.sent[slot as usize];
        let packet = view.packet(frame.body);
        if let Some(Extension::Message(RoutingMessage::Hwmp(message))) = view.extension(packet) {
            mesh::write_management(head, message, &mut sent.octets);
            dot11::close(&mut sent.octets, 0);
            return;
        }
        let (whole_bytes, length) = (llc + packet.bytes, frame.bytes.saturating_sub(header));
        if frame.frag == 0 && length >= whole_bytes {
            write_head(self.has_mesh, head, packet, &mut sent.octets);
            sent.packet_at = sent.octets.len() + LLC_BYTES;
            encoder.body(full(packet, view), frame.src, &mut sent.octets);
        } else {
            // A fragment is a part of the octets of the whole, which the engine never holds: they are made anew
            // for each.
            self.fragment.clear();
            encoder.body(full(packet, view), frame.src, &mut self.fragment);
            let cut = self.cuts[frame.src.index()].next(frame, length as usize);
            self.cuts[frame.src.index()] = cut;
            let end = cut.start + cut.length;
            let more = end < whole_bytes as usize;
            Mac { more, ..*head }.write_head(&mut sent.octets);
            // Octets beyond what the engine counts go with the last fragment.
            let end = if more { end } else { usize::MAX }.min(self.fragment.len());
            sent.octets.extend_from_slice(&self.fragment[cut.start.min(end)..end]);
        }
        dot11::close(&mut sent.octets, 0);
    }

    /// Mean received power of a link as an octet holds it; none where nothing is heard.
    fn signal(&mut self, from: NodeId, hearer: NodeId, view: &impl NetworkView) -> Option<i8> {
        let power = link_between(view, from, hearer)?.power;
        let (known, level_of) = &mut self.levels[from.index()];
        // The power of a link seldom changes, so that its logarithm is kept.
        if *known != power {
            *known = power;
            *level_of = level(10.0 * (f64::from(power) * 1e3).log10());
        }
        Some(*level_of)
    }

    /// What radiotap says of a frame that `hearer` has received, or of its own where there is none; of the MPDUs of an
    /// A-MPDU all but which of them it is.
    pub fn radiotap(
        &mut self,
        frame: &Frame,
        hearer: Option<NodeId>,
        spoiled: bool,
        view: &impl NetworkView,
    ) -> Radiotap {
        let signal = hearer.and_then(|hearer| self.signal(frame.src, hearer, view));
        Radiotap {
            mode: frame.mode,
            frequency: self.frequencies[frame.src.index()],
            // A frame at a rate of DSSS is one of DSSS, whatever others on its channel are.
            channel: if self.channel != CCK && is_dsss(frame.mode) { CCK } else { self.channel },
            short_preamble: self.short_preamble,
            spoiled,
            signal,
            // The own transmitter hears no noise.
            noise: hearer.map(|_| self.noise),
            ampdu: None,
        }
    }
}

/// Writes the header of a data frame; in a mesh it says which way through that the packet goes.
fn write_head(has_mesh: bool, head: &Mac<'_>, packet: &Packet, out: &mut Vec<u8>) {
    if !has_mesh {
        head.write_head(out);
        return;
    }
    // What stands for the number of the packet at its source: when it has left that, in units that do not repeat within seconds.
    let seq = packet.sent.0 as u32;
    let mesh = MeshData { source: packet.src, destination: packet.dst, ttl: packet.ttl, seq };
    mesh::write_data_head(head, mesh, out);
}

fn is_dsss(mode: Mode) -> bool {
    mode.is_non_ht() && DSSS_RATES.contains(&mode.rate())
}

/// What a Block Ack or its request says; nothing of another frame.
fn block_ack(frame: &Frame, slot: u32, view: &impl NetworkView) -> Option<BlockAckFields> {
    let with_bitmap = match frame.kind {
        FrameKind::BlockAck => true,
        FrameKind::BlockAckReq => false,
        FrameKind::Rts | FrameKind::Cts | FrameKind::Data | FrameKind::Ack | FrameKind::CfEnd | FrameKind::Action => {
            return None;
        }
    };
    let BlockAckInfo { ssn, bitmap, size } = view.block_ack(slot).unwrap_or_default();
    Some(BlockAckFields { tid: frame.tid, ssn, bitmap: with_bitmap.then(|| AckBitmap::of(size, bitmap.words())) })
}

/// A packet with what the arena keeps for it.
fn full<'a>(packet: &'a Packet, view: &'a impl NetworkView) -> FullPacket<'a> {
    FullPacket { packet, extension: view.extension(packet), octets: view.octets(packet) }
}

/// A power in dBm as an octet holds it.
fn level(dbm: f64) -> i8 {
    dbm.round().clamp(-128.0, 127.0) as i8
}
/// Carrier frequency of a station in MHz: that of its channel, where channels are given (IEEE 802.11-2020 17.3.8.4.2).
fn frequency(radio: &RadioConfig, stations: &Stations, station: NodeId) -> u16 {
    if stations.channels().is_none() {
        return (radio.frequency / 1e6).round().min(f64::from(u16::MAX)) as u16;
    }
    let start = if radio.frequency < FIVE_GHZ { CHANNEL_0_AT_2_4_GHZ } else { CHANNEL_0_AT_5_GHZ };
    start + 5 * stations.channel(station)
}
