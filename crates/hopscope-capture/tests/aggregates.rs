//! A-MPDUs and Block Acks in a capture: what is read back is what was sent, and tshark says the same of it. Frames are made here, as a
//! view of a network would show them.

use std::path::{Path, PathBuf};
use std::process::Command;

use hopscope_capture::{Capture, Choice, Sink, Summary};
use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_engine::Config;
use hopscope_engine::config::{App, FlowConfig, Transport, presets};
use hopscope_engine::record::{Addba, BlockAckInfo, Counters, Header, NetworkView, Record, Recorder};
use hopscope_mac::block_ack::Bitmap;
use hopscope_mac::contention::QuietPlan;
use hopscope_mac::dcf::{Frame, FrameKind};
use hopscope_mac::frame::Mpdu;
use hopscope_packet::arena::Extension;
use hopscope_packet::{Body, Packet};
use hopscope_phy::channel::Link;
use hopscope_phy::config::layout::{ChannelWidth, GuardInterval, Layout, PpduFormat};
use hopscope_phy::phy::RxOutcome;
use hopscope_phy::phy::modes::Mode;
use hopscope_tcp::{Receipt, SenderStats};
use hopscope_wire::dot11::{AckBitmap, AckPolicy, AddbaFields, BlockAckFields, Mac, QosControl, aggregate};
use hopscope_wire::radiotap::{AmpduStatus, Radiotap};
use pcap_file::pcapng::{Block, PcapNgReader};

/// Bytes of a packet, and of the MPDU around it: QoS header 26, LLC 8, FCS 4.
const PACKET: u32 = 1500;
const MPDU: u32 = PACKET + 38;
/// Packets under way, each of a flow of its own by turns.
const PACKETS: u32 = 40;

/// What is on the air, and nothing else of a network.
struct Air {
    packets: Vec<Packet>,
    mpdus: Vec<Mpdu>,
    /// What goes with the first packet in an A-MSDU.
    rest: Vec<PacketId>,
    outcomes: Vec<RxOutcome>,
    block_ack: Option<BlockAckInfo>,
    addba: Option<Addba>,
}

impl NetworkView for Air {
    fn packet(&self, packet: PacketId) -> &Packet {
        &self.packets[packet.0 as usize]
    }

    fn extension(&self, _: &Packet) -> Option<&Extension> {
        None
    }

    fn octets(&self, _: &Packet) -> &[u8] {
        &[]
    }

    fn mpdus(&self, _: u32) -> &[Mpdu] {
        &self.mpdus
    }

    fn planned(&self, _: NodeId) -> &[Mpdu] {
        &self.mpdus
    }

    fn msdus(&self, _: u32, first: PacketId) -> &[PacketId] {
        if first == PacketId(0) { &self.rest } else { &[] }
    }

    fn mpdu_outcomes(&self) -> &[RxOutcome] {
        &self.outcomes
    }

    fn block_ack(&self, _: u32) -> Option<BlockAckInfo> {
        self.block_ack
    }

    fn addba(&self, _: u32) -> Option<(u8, Addba)> {
        Some((5, self.addba?))
    }

    fn links(&self, _: NodeId) -> &[Link] {
        // 10^-9 W are -60 dBm.
        const LINKS: [Link; 2] = [
            Link { to: NodeId(0), place: 0, power: 1e-9, delay_ns: 0, flags: 0 },
            Link { to: NodeId(1), place: 1, power: 1e-9, delay_ns: 0, flags: 0 },
        ];
        &LINKS
    }

    fn lend(&mut self) -> impl NetworkView + '_ {
        let Air { packets, mpdus, rest, outcomes, block_ack, addba } = self;
        let (packets, mpdus, block_ack, addba) = (packets.clone(), mpdus.clone(), *block_ack, *addba);
        Air { packets, mpdus, rest: rest.clone(), outcomes: outcomes.clone(), block_ack, addba }
    }

    fn frame(&self, _: u32) -> Frame {
        unreachable!("noise is at fault")
    }

    fn quiet_plan(&mut self, _: NodeId, _: &mut QuietPlan) {
        unreachable!("a capture asks for no contention")
    }

    fn awaits_data(&self, _: NodeId) -> Option<Time> {
        None
    }

    fn is_off(&self, _: NodeId) -> bool {
        false
    }

    fn listens(&self, _: NodeId) -> bool {
        true
    }

    fn backlog(&self, _: FlowId) -> u64 {
        0
    }

    fn counters(&mut self, _: NodeId, _: Time) -> Counters {
        Counters::default()
    }

    fn received_from(&self, _: NodeId) -> Vec<(NodeId, u64)> {
        Vec::new()
    }

    fn in_flight(&self, _: usize) -> Vec<u64> {
        Vec::new()
    }

    fn sender_stats(&self, _: FlowId) -> Option<SenderStats> {
        None
    }

    fn receipt(&self, _: FlowId, _: &Header) -> Option<Receipt> {
        None
    }
}

/// A flow from node 0 to node 1, by which a capture may choose.
fn flow(base: &presets::Base) -> FlowConfig {
    let text = serde_json::json!({
        "from": 0, "to": 1, "transport": Transport::Udp, "app": App::Bulk, "packet": PACKET - 28, "max_window": 1,
        "start": 0, "ack": "every", "ack_delay": 1, "tcp": base.tcp,
    });
    serde_json::from_value(text).expect("a flow")
}

/// A run of two nodes: node 0 sends data, node 1 answers.
struct Run {
    capture: Capture<false>,
    air: Air,
    mode: Mode,
    now: Time,
    slots: [u32; 2],
}

impl Run {
    fn new(path: &Path, mode: Mode, choice: Choice) -> Self {
        let base = presets::base("standard", "ofdm-24M").expect("a preset");
        let flows = (0..2).map(|_| flow(&base)).collect();
        let mut config: Config = base.config(vec![[0.0, 0.0], [10.0, 0.0]], Span::from_secs(1));
        config.mac.data_header = 30;
        config.flows = flows;
        let sink = Sink::open(path, true).expect("a place to write to");
        let capture = Capture::new(&config, choice, sink, "aggregates").expect("a capture");
        let packet = |number: u32| {
            let body = Body::Udp { seq: number.into(), len: PACKET - 28 };
            let mut packet = Packet::new(NodeId(0), NodeId(1), PACKET, 64, body, Time::ZERO);
            (packet.flow, packet.ports.from, packet.ports.to) = (FlowId(number % 2), 1024, 5001);
            packet
        };
        let packets = (0..PACKETS).map(packet).collect();
        let (block_ack, addba) = (None, None);
        let air = Air { packets, mpdus: Vec::new(), rest: Vec::new(), outcomes: Vec::new(), block_ack, addba };
        Run { capture, air, mode, now: Time::ZERO, slots: [0, 2] }
    }

    /// A frame goes from one node to the other, and all of it is received.
    fn send(&mut self, kind: FrameKind, bytes: u32, mode: Mode) {
        let from = u32::from(matches!(kind, FrameKind::Ack | FrameKind::BlockAck));
        let slot = self.slots[from as usize];
        self.slots[from as usize] ^= 1;
        let frame = Frame {
            kind,
            mode,
            retry: false,
            frag: 0,
            tid: 0,
            seq: 7,
            src: NodeId(from),
            dst: NodeId(1 - from),
            bytes,
            body: self.air.mpdus.first().map_or(PacketId(0), |mpdu| mpdu.packet),
            airtime: Span::from_micros(400),
            duration: Span::from_micros(48),
        };
        self.capture.record(self.now, &Record::FrameBegan { frame, slot }, &mut self.air);
        self.now += frame.airtime;
        let node = frame.dst;
        let ended = Record::FrameEnded { node, outcome: RxOutcome::Received, frame, slot };
        self.capture.record(self.now, &ended, &mut self.air);
        self.now += Span::from_micros(16);
        (self.air.mpdus, self.air.block_ack, self.air.addba) = (Vec::new(), None, None);
        (self.air.rest, self.air.outcomes) = (Vec::new(), Vec::new());
    }

    /// An A-MPDU with the MPDUs of these packets, whose sequence numbers begin at 4090 and wrap.
    fn aggregate(&mut self, packets: impl Iterator<Item = u32>, retry: bool) {
        let mpdu = |number| Mpdu { packet: PacketId(number), seq: (4_090 + number as u16) % 4_096, bytes: MPDU, retry };
        self.air.mpdus = packets.map(mpdu).collect();
        let count = self.air.mpdus.len() as u32;
        self.send(FrameKind::Data, (MPDU + 2 + 4) * count - 2, self.mode);
    }

    fn block_ack(&mut self, kind: FrameKind, bytes: u32, said: BlockAckInfo) {
        self.air.block_ack = Some(said);
        self.send(kind, bytes, Mode::of(24_000_000).expect("a basic rate"));
    }

    fn addba(&mut self, addba: Addba) {
        self.air.addba = Some(addba);
        self.send(FrameKind::Action, 37, Mode::of(6_000_000).expect("a basic rate"));
    }

    /// Two aggregates, a request, and a frame alone.
    fn all(mut self) -> Summary {
        let bitmap = Bitmap::of_words([!0 << 3 & 0x0FFF_FFFF, 0, 0, 0]);
        self.aggregate(0..28, false);
        self.block_ack(FrameKind::BlockAck, 32, BlockAckInfo { ssn: 4_090, bitmap, size: 64 });
        self.aggregate(0..3, true);
        self.block_ack(FrameKind::BlockAckReq, 24, BlockAckInfo { ssn: 4_090, ..BlockAckInfo::default() });
        self.block_ack(
            FrameKind::BlockAck,
            56,
            BlockAckInfo { ssn: 22, bitmap: Bitmap::of_words([0, 0, 0, 1 << 63]), size: 256 },
        );
        // Alone in a PPDU of VHT or HE it is an A-MPDU of one: the frame has a delimiter, which is not captured.
        let format = self.mode.layout().map(|layout| layout.format);
        let delimiter = if matches!(format, Some(PpduFormat::Vht | PpduFormat::He)) { 4 } else { 0 };
        self.send(FrameKind::Data, MPDU + delimiter, self.mode);
        self.send(FrameKind::Ack, 14, Mode::of(24_000_000).expect("a basic rate"));
        self.capture.finish(self.now)
    }
}

/// A mode of each format, with and without short guard intervals and several streams.
fn modes() -> [(&'static str, Mode); 4] {
    use ChannelWidth::{Mhz20, Mhz40, Mhz80, Mhz160};
    use GuardInterval::{Ns400, Ns800, Ns1600};
    let mode = |format, width, guard, mcs, streams| {
        Mode::of_mcs(Layout { format, width, guard }, mcs, streams).expect("a mode")
    };
    [
        ("ht20", mode(PpduFormat::Ht, Mhz20, Ns800, 7, 1)),
        ("ht40", mode(PpduFormat::Ht, Mhz40, Ns400, 7, 2)),
        ("vht160", mode(PpduFormat::Vht, Mhz160, Ns400, 9, 1)),
        ("he80", mode(PpduFormat::He, Mhz80, Ns1600, 11, 2)),
    ]
}

fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pcapng"))
}

/// A frame in a file: instant in nanoseconds, radiotap, octets of the frame.
type Read = (u64, Radiotap, Vec<u8>);

/// The frames of the radio of node 0 in a file.
fn frames(path: &Path) -> Vec<Read> {
    frames_of(path, 0)
}

/// The frames of an interface: 0 is the radio of node 0, 2 that of node 1.
fn frames_of(path: &Path, interface: u32) -> Vec<Read> {
    let octets = std::fs::read(path).expect("the capture");
    let mut reader = PcapNgReader::new(&octets[..]).expect("a section");
    let mut found = Vec::new();
    while let Some(block) = reader.next_block() {
        let Block::EnhancedPacket(packet) = block.expect("a block") else { continue };
        if packet.interface_id == interface {
            let (radiotap, frame) = Radiotap::read(&packet.data).expect("its own radiotap");
            found.push((packet.timestamp.as_nanos() as u64, radiotap, frame.to_vec()));
        }
    }
    found
}

#[test]
fn an_a_mpdu_is_a_record_for_each_of_its_mpdus() {
    let (_, mode) = modes()[2];
    let path = place("records");
    let summary = Run::new(&path, mode, Choice::default()).all();
    assert_eq!((summary.counted_otherwise, summary.tally.ampdus, summary.tally.retries), (0, 2, 3));
    assert_eq!(summary.tally.frames[FrameKind::Data as usize], 28 + 3 + 1);
    let frames = frames(&path);
    assert_eq!(frames.len(), 28 + 1 + 3 + 1 + 1 + 1 + 1);
    let read: Vec<_> = frames.iter().map(|(_, _, octets)| Mac::read(octets).expect("its own frame")).collect();
    let qos = Some(QosControl { tid: 0, ack: AckPolicy::NormalOrImplicitBar, amsdu: false });
    for (place, mac) in read[..28].iter().enumerate() {
        let (at, radiotap, octets) = &frames[place];
        assert_eq!((*at, radiotap.mode, octets.len() as u32), (0, mode, MPDU));
        assert_eq!(radiotap.ampdu, Some(AmpduStatus { reference: 1, last: place == 27 }));
        assert_eq!((mac.seq, mac.retry, mac.qos), ((4_090 + place as u16) % 4_096, false, qos));
        assert_eq!(mac.body.len() as u32, 8 + PACKET);
    }
    let of_64 = BlockAckFields { tid: 0, ssn: 4_090, bitmap: Some(AckBitmap::Of64(0x0FFF_FFF8)) };
    assert_eq!(read[28].block_ack, Some(of_64));
    assert_eq!((frames[29].1.ampdu, read[29].retry), (Some(AmpduStatus { reference: 2, last: false }), true));
    assert_eq!(read[32].block_ack, Some(BlockAckFields { bitmap: None, ..of_64 }));
    let of_256 = BlockAckFields { tid: 0, ssn: 22, bitmap: Some(AckBitmap::Of256([0, 0, 0, 1 << 63])) };
    assert_eq!(read[33].block_ack, Some(of_256));
    // The frame that is alone is no part of an A-MPDU.
    assert_eq!((frames[34].1.ampdu, read[34].seq, read[34].qos), (None, 7, qos));
}

#[test]
fn addba_frames_are_what_tshark_takes_them_for() {
    let path = place("addba");
    let mut run = Run::new(&path, modes()[0].1, Choice::default());
    let request = Addba { is_response: false, token: 9, window: 64, ssn: 4_090 };
    run.addba(request);
    run.addba(Addba { is_response: true, window: 32, ..request });
    let summary = run.capture.finish(run.now);
    assert_eq!((summary.counted_otherwise, summary.tally.frames[FrameKind::Action as usize]), (0, 2));
    let read: Vec<_> =
        frames(&path).iter().map(|(_, _, octets)| Mac::read(octets).expect("its own frame").addba).collect();
    let fields = AddbaFields { token: 9, amsdu: false, tid: 5, size: 64, ssn: Some(4_090) };
    assert_eq!(read, [Some(fields), Some(AddbaFields { size: 32, ssn: None, ..fields })]);
    let columns = [
        "_ws.malformed",
        "_ws.expert.severity",
        "wlan.fcs.status",
        "wlan.fc.type_subtype",
        "wlan.fixed.category_code",
        "wlan.fixed.action_code",
        "wlan.fixed.dialog_token",
        "wlan.fixed.baparams.tid",
        "wlan.fixed.baparams.buffersize",
        "wlan.fixed.status_code",
        "wlan.fixed.ssc.sequence",
    ];
    let Some(rows) = tshark(&path, &columns) else { return };
    let [asked, agreed] = [&rows[0], &rows[rows.len() / 2]];
    assert_eq!(asked[..], ["", "", "1", "0x000d", "3", "0x00", "0x09", "0x0005", "64", "", "4090"]);
    assert_eq!(agreed[..], ["", "", "1", "0x000d", "3", "0x01", "0x09", "0x0005", "32", "0x0000", ""]);
}

#[test]
fn a_flow_has_its_own_mpdus_of_an_aggregate() {
    let (_, mode) = modes()[0];
    let path = place("flow");
    let mut run = Run::new(&path, mode, Choice { flow: Some(0), ..Choice::default() });
    run.aggregate(1..6, false);
    run.aggregate([1, 3].into_iter(), false);
    run.capture.finish(run.now);
    let frames = frames(&path);
    let found: Vec<_> = frames.iter().map(|(_, _, octets)| Mac::read(octets).expect("its own frame").seq).collect();
    assert_eq!(found, [4_092, 4_094]);
}

/// Where the third and the last MPDU of five do not come.
fn send_with_losses(name: &str, lost: bool) -> Vec<(u16, bool, bool)> {
    let (_, mode) = modes()[1];
    let path = place(name);
    let mut run = Run::new(&path, mode, Choice { lost, ..Choice::default() });
    let noise = RxOutcome::TooWeak { by: None };
    run.air.outcomes = vec![RxOutcome::Received, RxOutcome::Received, noise, RxOutcome::Received, noise];
    run.aggregate(0..5, false);
    let summary = run.capture.finish(run.now);
    assert_eq!(frames(&path).len(), 5, "all are sent");
    assert_eq!((summary.packets, summary.counted_otherwise), (if lost { 10 } else { 8 }, 0));
    let of = |(_, radiotap, octets): &Read| {
        let mac = Mac::read(octets).expect("its own frame");
        (mac.seq, radiotap.spoiled, radiotap.ampdu.expect("a part of an A-MPDU").last)
    };
    frames_of(&path, 2).iter().map(of).collect()
}

#[test]
fn a_hearer_has_those_mpdus_alone_that_came_to_it() {
    let came = [(4_090, false, false), (4_091, false, false), (4_093, false, false)];
    assert_eq!(send_with_losses("came", false), came);
    let with_lost = [came[0], came[1], (4_092, true, false), came[2], (4_094, true, true)];
    assert_eq!(send_with_losses("lost", true), with_lost);
}

#[test]
fn an_a_msdu_has_a_header_before_each_of_its_packets() {
    // Three packets, a fourth alone; then the three in a PPDU of their own. 14 octets before each, LLC 8; padded to 1524.
    let amsdu = 26 + 2 * 1524 + 1522 + 4;
    let (_, mode) = modes()[0];
    let path = place("amsdu");
    let mut run = Run::new(&path, mode, Choice::default());
    let rest = vec![PacketId(1), PacketId(2)];
    let mpdu = |number, bytes| Mpdu { packet: PacketId(number), seq: number as u16, bytes, retry: false };
    (run.air.mpdus, run.air.rest) = (vec![mpdu(0, amsdu), mpdu(3, MPDU)], rest.clone());
    run.send(FrameKind::Data, amsdu + 2 + MPDU + 8, mode);
    run.air.rest = rest;
    run.send(FrameKind::Data, amsdu, mode);
    let summary = run.capture.finish(run.now);
    assert_eq!((summary.tally.amsdus, summary.tally.ampdus, summary.counted_otherwise), (2, 1, 0));
    let read = frames(&path);
    for (place, count) in [(0, 3), (2, 3)] {
        let mac = Mac::read(&read[place].2).expect("its own frame");
        assert!(mac.qos.is_some_and(|qos| qos.amsdu));
        let mut body = mac.body;
        for _ in 0..count {
            let msdu = aggregate::take_msdu(&mut body).expect("a subframe");
            assert_eq!((msdu.to, msdu.from, msdu.body.len() as u32), (NodeId(1), NodeId(0), 8 + PACKET));
        }
        assert!(body.is_empty());
    }
    assert!(Mac::read(&read[1].2).expect("its own frame").qos.is_some_and(|qos| !qos.amsdu));
    // tshark finds as many packets in each.
    let Some(rows) = tshark(&path, &["_ws.malformed", "wlan_aggregate.a_mdsu.length", "udp.checksum.status"]) else {
        return;
    };
    let found: Vec<_> = rows.iter().take(2).map(|row| row.join(" ")).collect();
    assert_eq!(found, [" 1508,1508,1508 1,1,1", "  1"]);
}

#[test]
fn a_flow_is_found_within_an_a_msdu() {
    let (_, mode) = modes()[0];
    let path = place("amsdu-flow");
    let mut run = Run::new(&path, mode, Choice { flow: Some(1), ..Choice::default() });
    // Packet 1 is of flow 1, packets 0 and 2 are not.
    run.air.rest = vec![PacketId(1)];
    run.send(FrameKind::Data, 26 + 1524 + 1522 + 4, mode);
    run.air.rest = vec![PacketId(2)];
    run.send(FrameKind::Data, 26 + 1524 + 1522 + 4, mode);
    run.capture.finish(run.now);
    assert_eq!(frames(&path).len(), 1);
}

/// The lines of tshark over a file, a cell for each field; none where it is not installed, but where all tools have to be there that is a
/// failure.
fn tshark(path: &Path, fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let mut command = Command::new("tshark");
    command.args([
        "-o",
        "wlan.check_checksum:TRUE",
        "-o",
        "ip.check_checksum:TRUE",
        "-o",
        "udp.check_checksum:TRUE",
        "-r",
    ]);
    command.arg(path).args(["-Y", "radiotap", "-T", "fields"]).args(fields.iter().flat_map(|field| ["-e", field]));
    match command.output() {
        Ok(done) => {
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            let lines = String::from_utf8(done.stdout).expect("text");
            Some(lines.lines().map(|line| line.split('\t').map(str::to_string).collect()).collect())
        }
        Err(error) => {
            assert!(std::env::var_os("HOPSCOPE_ALL_TOOLS").is_none(), "tshark: {error}");
            None
        }
    }
}

/// Fields of a frame to tshark, in the order of the columns below.
const FIELDS: [&str; 11] = [
    "_ws.malformed",
    "_ws.expert.severity",
    "wlan.fcs.status",
    "wlan.fc.type_subtype",
    "radiotap.ampdu.reference",
    "radiotap.ampdu.flags.last",
    "wlan_radio.data_rate",
    "wlan.fixed.ssc.sequence",
    "wlan.ba.bm.missing_frame",
    "wlan.qos.tid",
    "udp.checksum.status",
];

#[test]
fn tshark_reads_and_counts_aggregates_and_block_acks() {
    for ((name, mode), rate) in modes().into_iter().zip(["65", "300", "866.667", "1134.3"]) {
        let path = place(name);
        let summary = Run::new(&path, mode, Choice::default()).all();
        let Some(rows) = tshark(&path, &FIELDS) else { return };
        assert_eq!((rows.len(), summary.packets), (2 * 36, 2 * 36), "each frame at its sender and at its receiver");
        for row in &rows {
            let [malformed, severity, fcs, ..] = &row[..] else { panic!("{name}: {row:?}") };
            // A frame sent again is a note, of the lowest severity but one (0x400000); nothing else is remarked.
            let is_note = ["", "4194304"].contains(&&severity[..]);
            assert!(malformed.is_empty() && is_note && fcs == "1", "{name}: {row:?}");
        }
        let of = |kind: &str| rows.iter().filter(|row| row[3] == kind).map(|row| &row[4..]).collect::<Vec<_>>();
        let data = of("0x0028");
        assert_eq!(data.len() as u64, 2 * summary.tally.frames[FrameKind::Data as usize], "{name}");
        assert!(data.iter().all(|row| (&row[2][..], &row[5][..], &row[6][..]) == (rate, "0", "1")), "{name}: {data:?}");
        let aggregates: std::collections::BTreeSet<_> =
            data.iter().map(|row| &row[0]).filter(|id| !id.is_empty()).collect();
        assert_eq!(aggregates.len() as u64, summary.tally.ampdus, "{name}");
        // Of each A-MPDU the last MPDU says so, at the sender and at the receiver.
        assert_eq!(data.iter().filter(|row| row[1] == "1").count() as u64, 2 * summary.tally.ampdus, "{name}");
        let requests = of("0x0018");
        assert_eq!((requests.len(), &requests[0][3][..]), (2, "4090"), "{name}");
        let answers = of("0x0019");
        assert_eq!(answers.len() as u64, 2 * summary.tally.frames[FrameKind::BlockAck as usize], "{name}");
        // tshark names what has not come: 3 of 28 and all behind them, then all of 256 but the last.
        let missing = |row: &[String]| row[4].split(',').count();
        assert_eq!((&answers[0][3][..], missing(answers[0])), ("4090", 3 + 64 - 28), "{name}");
        let wide = answers[answers.len() - 1];
        assert_eq!((&wide[3][..], missing(wide)), ("22", 255), "{name}");
    }
}
