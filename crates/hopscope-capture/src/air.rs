//! Frames on the air as octets: each is made once, when it begins, and kept until its transmitter has sent two more.

use hopscope_core::ids::{FlowId, NodeId};
use hopscope_engine::Config;
use hopscope_engine::config::radio::Phy;
use hopscope_engine::record::{NetworkView, link_between};
use hopscope_mac::dcf::{Frame, FrameKind};
use hopscope_phy::phy::modes::Mode;
use hopscope_wire::dot11::{self, DATA_HEADER, FCS_BYTES, MOST_DURATION, Mac};
use hopscope_wire::link::LLC_BYTES;
use hopscope_wire::packet::{Encoder, FullPacket};
use hopscope_wire::radiotap::{CCK, OFDM, Radiotap};

/// Slowest rates, which are those of DSSS and CCK.
const DSSS_RATES: [u64; 4] = [1_000_000, 2_000_000, 5_500_000, 11_000_000];

/// A frame that was made.
#[derive(Debug, Clone)]
pub struct Sent {
    /// Its octets; empty where nobody captures it.
    pub octets: Vec<u8>,
    /// It carries a packet as a whole.
    is_whole: bool,
    /// Flow whose packet it carries, announces, or answers.
    pub flow: FlowId,
}

impl Sent {
    /// The octets of the IP packet that it carries as a whole; nothing otherwise.
    pub fn packet(&self) -> &[u8] {
        let end = self.octets.len().saturating_sub(FCS_BYTES);
        if self.is_whole { self.octets.get(DATA_HEADER + LLC_BYTES..end).unwrap_or_default() } else { &[] }
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
    /// Bytes around the body of a data frame, and its LLC header, as the engine counts them, by node.
    headers: Vec<(u32, u32)>,
    /// The last power in watts at which each node was heard, and its level.
    levels: Vec<(f32, i8)>,
    frequency: u16,
    is_ofdm: bool,
    short_preamble: bool,
    noise: i8,
    /// A packet to be cut.
    fragment: Vec<u8>,
}

impl Air {
    /// For a configuration.
    pub fn new(config: &Config) -> Self {
        let nodes = config.nodes.len();
        let header = |host| {
            let mac = config.mac_of(host);
            (mac.data_header, mac.llc_header)
        };
        let radio = &config.radio;
        Air {
            sent: vec![Sent { octets: Vec::new(), is_whole: false, flow: FlowId::NONE }; 2 * nodes],
            last_flow: vec![FlowId::NONE; nodes],
            cuts: vec![Cut::default(); nodes],
            headers: config.host_of_each().into_iter().map(header).collect(),
            levels: vec![(f32::NAN, 0); nodes],
            frequency: (radio.frequency / 1e6).round().min(f64::from(u16::MAX)) as u16,
            is_ofdm: radio.phy != Phy::Dsss,
            short_preamble: radio.plcp_bits_2m > 0,
            noise: level(radio.noise_floor),
            fragment: Vec::new(),
        }
    }

    /// The frame in an air slot.
    pub fn sent(&self, slot: u32) -> &Sent {
        &self.sent[slot as usize]
    }

    /// The flow that a frame which begins now belongs to.
    pub fn flow_of(&mut self, frame: &Frame, view: &impl NetworkView) -> FlowId {
        match frame.kind {
            FrameKind::Rts | FrameKind::Data => {
                let flow = view.packet(frame.body).flow;
                self.last_flow[frame.src.index()] = flow;
                flow
            }
            // An answer names no packet: it belongs to what its receiver sent last.
            FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck | FrameKind::BlockAckReq => {
                self.last_flow.get(frame.dst.index()).copied().unwrap_or(FlowId::NONE)
            }
        }
    }

    /// A frame begins that nobody captures.
    pub fn skip(&mut self, slot: u32, flow: FlowId) {
        let sent = &mut self.sent[slot as usize];
        sent.octets.clear();
        sent.is_whole = false;
        sent.flow = flow;
    }

    /// A frame begins: its octets are made.
    pub fn make(&mut self, frame: &Frame, slot: u32, flow: FlowId, encoder: &Encoder, view: &impl NetworkView) {
        let sent = &mut self.sent[slot as usize];
        sent.flow = flow;
        sent.octets.clear();
        // The field has whole microseconds, rounded up (9.3.1.2 to 9.3.2.1), even where the engine reckons with fractions of them.
        let micros = frame.duration.0.div_ceil(1_000).min(MOST_DURATION.into());
        let mut head = Mac {
            kind: frame.kind,
            retry: frame.retry,
            more: false,
            duration: micros as u16,
            to: frame.dst,
            from: Some(frame.src),
            seq: frame.seq,
            frag: frame.frag,
            qos: None,
            block_ack: None,
            body: &[],
        };
        if frame.kind == FrameKind::Data {
            let packet = view.packet(frame.body);
            let whole = FullPacket { packet, extension: view.extension(packet), octets: view.octets(packet) };
            let (header, llc) = self.headers[frame.src.index()];
            let (whole_bytes, length) = (llc + packet.bytes, frame.bytes.saturating_sub(header));
            if frame.frag == 0 && length >= whole_bytes {
                head.write_head(&mut sent.octets);
                encoder.body(whole, frame.src, &mut sent.octets);
            } else {
                // A fragment is a part of the octets of the whole, which the engine never holds: they are made anew
                // for each.
                self.fragment.clear();
                encoder.body(whole, frame.src, &mut self.fragment);
                let cut = self.cuts[frame.src.index()].next(frame, length as usize);
                self.cuts[frame.src.index()] = cut;
                let end = cut.start + cut.length;
                head.more = end < whole_bytes as usize;
                head.write_head(&mut sent.octets);
                // Octets beyond what the engine counts go with the last fragment.
                let end = if head.more { end } else { usize::MAX }.min(self.fragment.len());
                sent.octets.extend_from_slice(&self.fragment[cut.start.min(end)..end]);
            }
        } else {
            head.write_head(&mut sent.octets);
        }
        sent.is_whole = frame.kind == FrameKind::Data && frame.frag == 0 && !head.more;
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

    /// What radiotap says of a frame that `hearer` has received, or of its own where there is none.
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
            frequency: self.frequency,
            // A frame at a rate of DSSS is one of DSSS, whatever others on its channel are.
            channel: if self.is_ofdm && !is_dsss(frame.mode) { OFDM } else { CCK },
            short_preamble: self.short_preamble,
            spoiled,
            signal,
            // The own transmitter hears no noise.
            noise: hearer.map(|_| self.noise),
            ampdu: None,
        }
    }
}

fn is_dsss(mode: Mode) -> bool {
    DSSS_RATES.contains(&mode.rate())
}

/// A power in dBm as an octet holds it.
fn level(dbm: f64) -> i8 {
    dbm.round().clamp(-128.0, 127.0) as i8
}
