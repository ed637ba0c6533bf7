//! The recorder that writes a capture.

use std::borrow::Cow;
use std::io;

use hopscope_core::error::BuildError;
use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_core::units::Time;
use hopscope_engine::Config;
use hopscope_engine::record::{Classes, NetworkView, Record, Recorder};
use hopscope_mac::dcf::{Frame, FrameKind};
use hopscope_packet::Body;
use hopscope_packet::arena::Extension;
use hopscope_phy::config::layout::PpduFormat;
use hopscope_phy::phy::RxOutcome;
use hopscope_wire::address;
use hopscope_wire::dot11::aggregate::DELIMITER_BYTES;
use hopscope_wire::packet::{Encoder, FullPacket};
use hopscope_wire::radiotap::Radiotap;
use pcap_file::DataLink;
use serde::Serialize;

use crate::air::Air;
use crate::choice::Choice;
use crate::comment;
use crate::connection::{Connection, ConnectionState};
use crate::pcapng::{Blocks, Direction, PacketHead};
use crate::sink::Sink;
use crate::tally::Tally;

/// Octets gathered before they go to the system, up to a multiple of it in the file, as whole pages are taken faster. Linux took
/// longer for pieces of 16 KiB and five times as long for those of 256 KiB (ext4, kernel 6.18).
const BUFFER: usize = 1 << 16;

/// No interface.
const NONE: u32 = u32::MAX;

/// Writes a capture of a run. With `MONITOR` it asks for the frames that radios overhear, for which every radio listens.
#[derive(Debug)]
pub struct Capture<const MONITOR: bool> {
    choice: Choice,
    /// Open until the end, or the first failure.
    sink: Option<Sink>,
    ended: Option<Ended>,
    air: Air,
    encoder: Encoder,
    /// Interface of each node's radio and host, [`NONE`] where it has none or it is not captured.
    radios: Vec<u32>,
    hosts: Vec<u32>,
    /// Account of the connection that a flow belongs to, and the host that opens it.
    accounts: Vec<ConnectionState>,
    account_of: Vec<(usize, NodeId)>,
    tally: Tally,
    received: RxFrame,
    packets: u64,
    octets: u64,
    counted_otherwise: u64,
    scratch: Vec<u8>,
    blocks: Blocks,
}

/// The data frame that ended last at a node it was meant for: its packet need not be made into octets again.
#[derive(Debug, Clone, Copy)]
struct RxFrame {
    at: Time,
    node: NodeId,
    slot: u32,
    /// The copy of the packet that the node has got.
    copy: PacketId,
}

/// A capture that could not go on.
#[derive(Debug, Clone, Serialize)]
pub struct Ended {
    /// Simulated time, seconds.
    pub at_s: f64,
    /// What the system says.
    pub message: String,
    /// Who reads it has gone away.
    pub broken_pipe: bool,
}

/// What a capture has come to.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// Packets and frames written.
    pub packets: u64,
    /// Octets of the file before any compression.
    pub octets: u64,
    /// Packets and frames that the configuration counts with another size than their octets have.
    pub counted_otherwise: u64,
    /// It ended before the run; nothing: it is whole.
    pub ended: Option<Ended>,
    /// The engine's own counts.
    pub tally: Tally,
    /// The engine's own figures of TCP connections.
    pub connections: Vec<Connection>,
}

impl<const MONITOR: bool> Capture<MONITOR> {
    /// A capture of the run of a configuration into `sink`; `title` says what is run.
    ///
    /// # Errors
    /// A node or flow is chosen that there is not.
    pub fn new(config: &Config, choice: Choice, sink: Sink, title: &str) -> Result<Self, BuildError> {
        choice.check(config)?;
        let measured = config.measured();
        let mut account_of: Vec<(usize, NodeId)> =
            (config.flows.iter().enumerate()).map(|(flow, own)| (flow, NodeId(own.from))).collect();
        let with_reply = config.flows.iter().enumerate().filter(|(_, flow)| flow.reversed().is_some());
        // Replies come behind all flows, in their order, as `measured` numbers them; they travel over the connection
        // of their flow.
        account_of.extend(with_reply.map(|(flow, own)| (flow, NodeId(own.from))).collect::<Vec<_>>());
        debug_assert_eq!(account_of.len(), measured.flows.len());
        let mut capture = Capture {
            choice,
            sink: Some(sink),
            ended: None,
            air: Air::new(config),
            encoder: Encoder::new(config),
            radios: vec![NONE; config.stations().count()],
            hosts: vec![NONE; config.stations().count()],
            accounts: (0..config.flows.len() as u32).map(ConnectionState::new).collect(),
            account_of,
            tally: Tally::default(),
            received: RxFrame { at: Time::ZERO, node: NodeId::BROADCAST, slot: 0, copy: PacketId::NONE },
            packets: 0,
            octets: 0,
            counted_otherwise: 0,
            scratch: Vec::new(),
            blocks: head(config, title),
        };
        capture.write_interfaces(config);
        Ok(capture)
    }

    /// Interfaces and names.
    fn write_interfaces(&mut self, config: &Config) {
        let mut count = 0;
        let nodes = 0..config.nodes.len() as u32;
        let chosen = |node: &u32| self.choice.node.is_none_or(|only| only == *node);
        let (radios, stations) = (config.radios(), config.stations());
        for node in nodes.clone().filter(chosen) {
            let mut open = |link_type, name: String, what: String| {
                self.blocks.interface(link_type, &name, &what);
                count += 1;
                count - 1
            };
            if self.choice.radio && radios[node as usize] {
                for station in stations.of(NodeId(node)) {
                    let (name, what) = match stations.number(station) {
                        0 => (format!("radio{node}"), format!("radio of node {node}")),
                        number => (format!("radio{node}.{number}"), format!("radio {number} of node {node}")),
                    };
                    self.radios[station.index()] = open(DataLink::IEEE802_11_RADIOTAP, name, what);
                }
            }
            if self.choice.host {
                let host = open(DataLink::RAW, format!("host{node}"), format!("host of node {node}"));
                // What a station has dropped, its host has lost.
                stations.of(NodeId(node)).for_each(|station| self.hosts[station.index()] = host);
            }
        }
        // All nodes, not those chosen alone: packets of one name the others.
        let names: Vec<String> = nodes.map(|node| format!("node{node}")).collect();
        let named = names.iter().enumerate().map(|(node, name)| (address::ip(NodeId(node as u32)), name.as_str()));
        self.blocks.names(named);
        // A reader behind a pipe has the interfaces before the run goes on.
        self.flush(Time::ZERO);
    }

    /// Ends the capture and gives its counts.
    pub fn finish(&mut self, now: Time) -> Summary {
        self.flush(now);
        // Compression still holds octets, and writing them may fail as any writing may.
        if let Some(sink) = self.sink.take() {
            if let Err(error) = sink.finish() {
                self.fail(now, &error);
            }
        }
        Summary {
            packets: self.packets,
            octets: self.octets,
            counted_otherwise: self.counted_otherwise,
            ended: self.ended.clone(),
            tally: self.tally.clone(),
            connections: self.accounts.iter().filter_map(ConnectionState::figures).collect(),
        }
    }

    /// Hands what has been written to the sink once it is much.
    #[inline]
    fn pass_on(&mut self, now: Time) {
        let waiting = self.blocks.octets().len();
        if waiting >= BUFFER {
            let before = (self.octets % BUFFER as u64) as usize;
            // Up to a whole page of the file, whatever odd length went before.
            self.hand_over(now, (before + waiting) / BUFFER * BUFFER - before);
        }
    }

    fn flush(&mut self, now: Time) {
        let waiting = self.blocks.octets().len();
        self.hand_over(now, waiting);
    }

    /// Hands so many octets over.
    fn hand_over(&mut self, now: Time, count: usize) {
        let Some(sink) = &mut self.sink else { return };
        match sink.take(&self.blocks.octets()[..count]) {
            Ok(()) => self.octets += count as u64,
            Err(error) => self.fail(now, &error),
        }
        // Dropped even where the sink has failed: the run goes on, and its capture must not fill memory.
        self.blocks.octets().drain(..count);
    }

    #[cold]
    fn fail(&mut self, now: Time, error: &io::Error) {
        // The first failure is the one to report; nothing is tried after it.
        self.sink = None;
        let broken_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        self.ended = Some(Ended { at_s: now.as_secs(), message: error.to_string(), broken_pipe });
    }

    fn is_chosen(&self, flow: FlowId) -> bool {
        self.choice.flow.is_none_or(|only| only == flow.0)
    }

    // ---- radios ----------------------------------------------------------------------------------------------

    fn on_frame(&mut self, now: Time, frame: &Frame, slot: u32, view: &impl NetworkView) {
        // Before any choice: the tally counts the run, not what is captured of it.
        self.tally.on_frame(frame, slot, view);
        let flow = self.air.flow_of(frame, view);
        let of_node = |node: NodeId| self.radios.get(node.index()).is_some_and(|radio| *radio != NONE);
        // Anyone may overhear it, or be reached by a broadcast.
        let by_all = MONITOR || frame.is_broadcast();
        let captured = self.choice.radio && (by_all || of_node(frame.src) || of_node(frame.dst));
        if self.sink.is_none() || !captured || !self.carries_chosen(frame, slot, flow, view) {
            self.air.skip(slot);
            return;
        }
        let Capture { air, encoder, choice, .. } = self;
        air.make((frame, slot), encoder, view, |first| carries(choice.flow, slot, first, view));
        self.write_frame(now, (frame.src, None), frame, slot, "", view);
    }

    /// True when a flow that is captured has a part in a frame of `flow`: of an A-MPDU each MPDU is asked.
    fn carries_chosen(&self, frame: &Frame, slot: u32, flow: FlowId, view: &impl NetworkView) -> bool {
        let of_mpdu = || view.mpdus(slot).iter().any(|mpdu| carries(self.choice.flow, slot, mpdu.packet, view));
        self.is_chosen(flow)
            || frame.kind == FrameKind::Data && (carries(self.choice.flow, slot, frame.body, view) || of_mpdu())
    }

    /// A frame has ended at a node; `meant`: it was addressed to it.
    fn on_end(
        &mut self,
        now: Time,
        (node, meant): (NodeId, bool),
        (frame, slot): (&Frame, u32),
        outcome: RxOutcome,
        view: &impl NetworkView,
    ) {
        if self.sink.is_none() || self.air.sent(slot).octets.is_empty() {
            return;
        }
        if meant && frame.kind == FrameKind::Data {
            // The copy of its packet is reported next, at the same instant, and then names it.
            self.received = RxFrame { at: now, node, slot, copy: PacketId::NONE };
        }
        if outcome == RxOutcome::Received {
            self.write_frame(now, (node, Some(node)), frame, slot, "", view);
        } else if self.choice.lost && meant && self.radios[node.index()] != NONE {
            let comment = comment::of_frame(node, outcome, view);
            self.write_frame(now, (node, Some(node)), frame, slot, &comment, view);
        }
    }

    /// Writes a frame to the radio of a node, which has sent it unless there is a hearer; of an A-MPDU each MPDU.
    fn write_frame(
        &mut self,
        now: Time,
        (node, hearer): (NodeId, Option<NodeId>),
        frame: &Frame,
        slot: u32,
        comment: &str,
        view: &impl NetworkView,
    ) {
        let interface = self.radios[node.index()];
        if interface == NONE || self.air.sent(slot).octets.is_empty() {
            return;
        }
        // A comment says why a frame was lost: it is one with a bad check sequence to radiotap.
        let radiotap = self.air.radiotap(frame, hearer, !comment.is_empty(), view);
        let direction = if hearer.is_some() { Direction::In } else { Direction::Out };
        let head = PacketHead { interface, at: now.0, direction, comment };
        if self.air.sent(slot).is_aggregate() {
            self.write_mpdus(head, radiotap, (frame, slot), node, view);
        } else {
            let octets = &self.air.sent(slot).octets;
            let bytes = frame.bytes - delimiter(frame);
            self.counted_otherwise += u64::from(write_octets(&mut self.blocks, head, &radiotap, bytes, octets));
            self.packets += 1;
        }
        self.pass_on(now);
    }

    /// Writes the MPDUs of an A-MPDU, of those flows that are captured. Those that did not come to the hearer `node` are left out, or
    /// are frames that it lost.
    fn write_mpdus(
        &mut self,
        head: PacketHead<'_>,
        radiotap: Radiotap,
        (frame, slot): (&Frame, u32),
        node: NodeId,
        view: &impl NetworkView,
    ) {
        // What is sent has no outcome, and where not even the header came, all MPDUs share that of the frame.
        let outcomes = if head.direction == Direction::In { view.mpdu_outcomes() } else { &[] };
        let outcomes = outcomes.iter().copied().chain(std::iter::repeat(RxOutcome::Received));
        let shows_lost = self.choice.lost && frame.dst == node;
        for (mpdu, outcome) in self.air.sent(slot).mpdus().zip(outcomes).filter(|(mpdu, _)| mpdu.is_chosen) {
            let came = outcome == RxOutcome::Received;
            if !came && !shows_lost {
                continue;
            }
            let own = if came { String::new() } else { comment::of_frame(node, outcome, view) };
            let head = PacketHead { comment: if came { head.comment } else { &own }, ..head };
            let radiotap = Radiotap { ampdu: Some(mpdu.ampdu), spoiled: radiotap.spoiled || !came, ..radiotap };
            let differs = write_octets(&mut self.blocks, head, &radiotap, mpdu.bytes, mpdu.octets);
            self.counted_otherwise += u64::from(differs);
            self.packets += 1;
        }
    }

    // ---- hosts -----------------------------------------------------------------------------------------------

    /// A node has made a packet.
    fn on_made(&mut self, now: Time, id: PacketId, view: &impl NetworkView) {
        let packet = view.packet(id);
        self.tally.on_made(packet);
        if let Body::Tcp(segment) = &packet.body {
            if let Some((account, _)) = self.account(packet.flow).filter(|(_, host)| *host == packet.src) {
                account.on_sent(now, segment);
            }
        }
        self.write_packet(now, (packet.src, Direction::Out), id, "", view);
    }

    /// A packet has come to its destination.
    fn on_arrived(&mut self, now: Time, node: NodeId, id: PacketId, view: &impl NetworkView) {
        let packet = view.packet(id);
        if let Body::Tcp(segment) = &packet.body {
            if let Some((account, _)) = self.account(packet.flow).filter(|(_, host)| *host == node) {
                account.on_received(now, segment);
            }
        }
        self.write_packet(now, (node, Direction::In), id, "", view);
    }

    /// A packet has come to a node from a neighbour. Those for the node itself are reported as they arrive, unless they are for its
    /// routing protocol; those that go on have been seen by its radio, unless they have come by a wire.
    fn on_passing(&mut self, now: Time, (node, by_wire): (NodeId, bool), id: PacketId, view: &impl NetworkView) {
        let packet = view.packet(id);
        if packet.src != node && (packet.body.is_routing_message() || by_wire && packet.dst != node) {
            self.write_packet(now, (node, Direction::In), id, "", view);
        }
    }

    fn account(&mut self, flow: FlowId) -> Option<(&mut ConnectionState, NodeId)> {
        let &(place, host) = self.account_of.get(flow.index())?;
        Some((&mut self.accounts[place], host))
    }

    /// Writes a packet to the host of a node.
    fn write_packet(
        &mut self,
        now: Time,
        (node, direction): (NodeId, Direction),
        id: PacketId,
        comment: &str,
        view: &impl NetworkView,
    ) {
        let interface = self.hosts[node.index()];
        let packet = view.packet(id);
        if interface == NONE || self.sink.is_none() || !self.is_chosen(packet.flow) {
            return;
        }
        let RxFrame { at, node: hearer, slot, copy } = self.received;
        // Its octets are in the frame that has just ended, unless that was a fragment. Behind an Ethernet frame from outside may
        // stand no packet of IP.
        let is_message = matches!(view.extension(packet), Some(Extension::Message(message)) if !message.is_over_ip());
        let is_heard = direction == Direction::In
            && (at, hearer, copy) == (now, node, id)
            && !matches!(packet.body, Body::Ethernet { .. })
            && !is_message;
        let below_ip = self.encoder.below_ip(packet);
        let received = if is_heard { self.air.sent(slot).packet() } else { &[] };
        // Of a fragment there is nothing.
        let mut octets = received.get(below_ip as usize..).unwrap_or_default();
        if octets.is_empty() {
            self.scratch.clear();
            let whole = FullPacket { packet, extension: view.extension(packet), octets: view.octets(packet) };
            // DSR's segments left depend on who sends the packet.
            let sender = if direction == Direction::Out { node } else { packet.prev_hop };
            self.encoder.packet(whole, sender, &mut self.scratch);
            octets = &self.scratch;
        }
        if octets.is_empty() {
            return; // no packet of IP
        }
        let bytes = packet.bytes.saturating_sub(below_ip + self.air.mesh_header(packet.src));
        self.counted_otherwise += u64::from(bytes as usize != octets.len());
        let comment = with_size(comment, bytes, octets.len());
        let head = PacketHead { interface, at: now.0, direction, comment: &comment };
        self.blocks.packet(&head, &[], octets);
        self.packets += 1;
        self.pass_on(now);
    }
}

/// The head of a section.
fn head(config: &Config, title: &str) -> Blocks {
    let comment = format!(
        "{title}\nseed {}. Time is simulated time from 0. Headers are those of the standards; a packet or frame that the \
         configuration counts with another size says so in a comment.",
        config.seed
    );
    Blocks::new(concat!("Hopscope ", env!("CARGO_PKG_VERSION")), &comment)
}

impl<const MONITOR: bool> Recorder for Capture<MONITOR> {
    const WANTS: Classes = Classes::FRAMES
        .and(Classes::FRAME_ENDS)
        .and(Classes::PACKETS)
        .and(Classes::WIRES)
        .and(Classes::DROPS)
        .and(if MONITOR { Classes::OVERHEARD } else { Classes::NONE });

    #[inline]
    fn record(&mut self, now: Time, record: &Record, view: &mut impl NetworkView) {
        match record {
            Record::FrameBegan { frame, slot } => self.on_frame(now, frame, *slot, view),
            Record::FrameEnded { node, frame, slot, outcome } => {
                self.on_end(now, (*node, true), (frame, *slot), *outcome, view);
            }
            Record::FrameOverheard { node, frame, slot, outcome } => {
                self.on_end(now, (*node, false), (frame, *slot), *outcome, view);
            }
            Record::PacketMade { packet } => self.on_made(now, *packet, view),
            Record::PacketArrived { node, packet } => self.on_arrived(now, *node, *packet, view),
            Record::PacketCopied { node, copy, .. } => {
                // Only at the instant at which the frame has ended is this the copy of its packet.
                if (self.received.at, self.received.node) == (now, *node) {
                    self.received.copy = *copy;
                }
                self.on_passing(now, (*node, false), *copy, view);
            }
            Record::WireEnded { node, packet, .. } => self.on_passing(now, (*node, true), *packet, view),
            Record::Dropped { node, packet, reason } if self.choice.lost => {
                let comment = comment::of_packet(*node, *reason);
                self.write_packet(now, (*node, Direction::Out), *packet, &comment, view);
            }
            _ => {}
        }
    }
}

/// True when a packet, or one that goes with it in an A-MSDU, is of the flow that is captured.
fn carries(flow: Option<u32>, slot: u32, first: PacketId, view: &impl NetworkView) -> bool {
    let is_of = |packet: &PacketId| flow.is_none_or(|only| only == view.packet(*packet).flow.0);
    is_of(&first) || view.msdus(slot, first).iter().any(is_of)
}

/// Bytes of the delimiter before an MPDU that is alone in a VHT or HE PPDU: the engine counts them in the frame.
fn delimiter(frame: &Frame) -> u32 {
    let format = frame.mode.layout().map(|layout| layout.format);
    if matches!(format, Some(PpduFormat::Vht | PpduFormat::He)) { DELIMITER_BYTES as u32 } else { 0 }
}

/// Writes a frame behind its radiotap header; true where the engine counts it with another size than its octets have.
#[inline]
fn write_octets(blocks: &mut Blocks, head: PacketHead<'_>, radiotap: &Radiotap, bytes: u32, octets: &[u8]) -> bool {
    let comment = with_size(head.comment, bytes, octets.len());
    let (first, count) = radiotap.octets();
    blocks.packet(&PacketHead { comment: &comment, ..head }, &first[..count], octets);
    bytes as usize != octets.len()
}

/// A comment, and where the engine counts octets otherwise, how many.
fn with_size(comment: &str, bytes: u32, octets: usize) -> Cow<'_, str> {
    match (bytes as usize == octets, comment) {
        (true, comment) => comment.into(),
        (false, "") => format!("counted as {bytes} bytes").into(),
        (false, comment) => format!("{comment}; counted as {bytes} bytes").into(),
    }
}
