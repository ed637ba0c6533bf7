//! The TCP machines beside smoltcp's, an independent stack, in virtual time over the same scripted losses: every pairing
//! of senders and receivers delivers the same bytes, and where the senders count differently the reason is given.
//!
//! smoltcp is a Reno (RFC 5681) without limited transmit, selective acknowledgements or memory of the last recovery.

use std::collections::BTreeMap;

use ::smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use ::smoltcp::phy::{ChecksumCapabilities, Device, DeviceCapabilities, Medium, RxToken, TxToken};
use ::smoltcp::socket::tcp::{CongestionControl, Socket, SocketBuffer};
use ::smoltcp::time::Instant;
use ::smoltcp::wire::{
    HardwareAddress, IpAddress, IpCidr, IpProtocol, Ipv4Address, Ipv4Packet, Ipv4Repr, TcpControl, TcpPacket, TcpRepr,
    TcpSeqNumber,
};
use hopscope_engine::config::{AckPolicy, TcpConfig, Transport};
use hopscope_engine::packet::tcp::{SackBlock, TcpFlags, TcpSegment};
use hopscope_engine::rng::{Purpose, Stream};
use hopscope_engine::transport::tcp::{TcpEffect, TcpReceiver, TcpSender, TcpTimer};
use hopscope_engine::units::{Span, Time};

const MSS: usize = 1024;
/// Segments of the transfer, and of the receiver's window.
const SEGMENTS: usize = 60;
const WINDOW: usize = 48;
/// One way.
const DELAY: Span = Span::from_millis(50);
const PORTS: (u16, u16) = (1000, 80);

/// The byte of the stream at a place.
fn byte(at: usize) -> u8 {
    (at * 31 + at / 251) as u8
}

/// A segment on its way. Numbers count from each end's SYN.
#[derive(Debug, Clone, Default)]
struct Wire {
    seq: u64,
    ack: Option<u64>,
    syn: bool,
    window: u32,
    sack: Vec<(u64, u64)>,
    payload: Vec<u8>,
}

/// An end of the connection under test.
trait End {
    fn on_segment(&mut self, seg: &Wire, now: Time);
    /// Time has come for what `next` announced; the first call opens the connection.
    fn on_time(&mut self, now: Time);
    fn next(&mut self, now: Time) -> Option<Time>;
    /// What the end has sent since the last call.
    fn take(&mut self) -> Vec<Wire>;
    /// Bytes handed up.
    fn received(&self) -> &[u8];
    /// Everything is sent and acknowledged.
    fn done(&self) -> bool;
}

// --- this engine's machines -----------------------------------------------------------------------------------------

enum Machine {
    Sender(Box<TcpSender>),
    Receiver(Box<TcpReceiver>),
}

struct Ours {
    machine: Machine,
    timers: [Option<Time>; TcpTimer::COUNT],
    opened: bool,
    out: Vec<Wire>,
    /// Payload that came in, by its place; the machine itself knows only lengths.
    arrived: Vec<u8>,
    received: Vec<u8>,
}

impl Ours {
    fn new(machine: Machine) -> Self {
        let timers = [None; TcpTimer::COUNT];
        Ours { machine, timers, opened: false, out: Vec::new(), arrived: vec![0; SEGMENTS * MSS], received: Vec::new() }
    }

    fn settle(&mut self, effects: Vec<TcpEffect>) {
        for effect in effects {
            match effect {
                TcpEffect::Emit(seg) => {
                    let from = (seg.seq as usize).saturating_sub(1);
                    self.out.push(Wire {
                        seq: seg.seq,
                        ack: (seg.flags.ack || !seg.flags.syn).then_some(seg.ack),
                        syn: seg.flags.syn,
                        window: seg.window,
                        sack: seg.sack_blocks().iter().map(|b| (b.start, b.end)).collect(),
                        payload: (from..from + seg.len as usize).map(byte).collect(),
                    });
                }
                TcpEffect::Arm(timer, at) => self.timers[timer.index()] = Some(at),
                TcpEffect::Disarm(timer) => self.timers[timer.index()] = None,
                TcpEffect::Deliver { bytes } => {
                    let from = self.received.len();
                    self.received.extend_from_slice(&self.arrived[from..from + bytes as usize]);
                }
                TcpEffect::Completed | TcpEffect::RttSample(_) => {}
            }
        }
    }
}

impl End for Ours {
    fn on_segment(&mut self, wire: &Wire, now: Time) {
        let from = (wire.seq as usize).saturating_sub(1);
        self.arrived[from..from + wire.payload.len()].copy_from_slice(&wire.payload);
        let mut seg = TcpSegment {
            seq: wire.seq,
            len: wire.payload.len() as u32,
            ack: wire.ack.unwrap_or(0),
            flags: TcpFlags { syn: wire.syn, ack: wire.ack.is_some(), ..TcpFlags::default() },
            window: wire.window,
            ..TcpSegment::default()
        };
        for (slot, &(start, end)) in seg.sack.iter_mut().zip(&wire.sack) {
            *slot = SackBlock { start, end };
            seg.n_sack += 1;
        }
        let mut effects = Vec::new();
        match &mut self.machine {
            Machine::Sender(tcp) => tcp.on_segment(&seg, 1, now, &mut effects),
            Machine::Receiver(tcp) => tcp.on_segment(&seg, now, &mut effects),
        }
        self.settle(effects);
    }

    fn on_time(&mut self, now: Time) {
        let mut effects = Vec::new();
        if let (Machine::Sender(tcp), false) = (&mut self.machine, self.opened) {
            tcp.open(now, &mut effects);
            tcp.offer((SEGMENTS * MSS) as u64, now, &mut effects);
        }
        self.opened = true;
        for timer in TcpTimer::ALL {
            if self.timers[timer.index()].is_some_and(|at| at <= now) {
                self.timers[timer.index()] = None;
                match &mut self.machine {
                    Machine::Sender(tcp) => tcp.on_timer(timer, now, &mut effects),
                    Machine::Receiver(tcp) => tcp.on_timer(timer, now, &mut effects),
                }
            }
        }
        self.settle(effects);
    }

    fn next(&mut self, _now: Time) -> Option<Time> {
        self.timers.iter().flatten().min().copied()
    }

    fn take(&mut self) -> Vec<Wire> {
        std::mem::take(&mut self.out)
    }

    fn received(&self) -> &[u8] {
        &self.received
    }

    fn done(&self) -> bool {
        match &self.machine {
            Machine::Sender(tcp) => tcp.outstanding() == 0 && tcp.backlog() == 0,
            Machine::Receiver(_) => true,
        }
    }
}

// --- smoltcp's ------------------------------------------------------------------------------------------------------

/// A device that hands packets over one by one.
#[derive(Default)]
struct Port {
    inward: Vec<Vec<u8>>,
    outward: Vec<Vec<u8>>,
}

struct Rx(Vec<u8>);
struct Tx<'a>(&'a mut Vec<Vec<u8>>);

impl RxToken for Rx {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

impl TxToken for Tx<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        let mut packet = vec![0; len];
        let result = f(&mut packet);
        self.0.push(packet);
        result
    }
}

impl Device for Port {
    type RxToken<'a> = Rx;
    type TxToken<'a> = Tx<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Rx, Tx<'_>)> {
        let packet = self.inward.pop()?;
        Some((Rx(packet), Tx(&mut self.outward)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Tx<'_>> {
        Some(Tx(&mut self.outward))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut caps = DeviceCapabilities::default();
        caps.medium = Medium::Ip;
        caps.max_transmission_unit = MSS + 40;
        caps
    }
}

struct Theirs {
    sends: bool,
    iface: Interface,
    port: Port,
    sockets: SocketSet<'static>,
    handle: SocketHandle,
    offered: usize,
    received: Vec<u8>,
    /// First numbers of this end and of the other one.
    isn: Option<i32>,
    peer_isn: i32,
    addresses: (Ipv4Address, Ipv4Address),
}

fn instant(now: Time) -> Instant {
    Instant::from_micros((now.0 / 1000) as i64)
}

impl Theirs {
    fn new(sends: bool) -> Self {
        let (a, b) = (Ipv4Address::new(10, 0, 0, 1), Ipv4Address::new(10, 0, 0, 2));
        let addresses = if sends { (a, b) } else { (b, a) };
        let mut port = Port::default();
        let mut config = Config::new(HardwareAddress::Ip);
        config.random_seed = 7;
        let mut iface = Interface::new(config, &mut port, Instant::ZERO);
        iface.update_ip_addrs(|list| list.push(IpCidr::new(IpAddress::Ipv4(addresses.0), 24)).expect("room"));
        let buffer = |segments: usize| SocketBuffer::new(vec![0; segments * MSS]);
        let mut socket = Socket::new(buffer(WINDOW), buffer(SEGMENTS));
        socket.set_congestion_control(CongestionControl::Reno);
        socket.set_nagle_enabled(false);
        socket.set_ack_delay(None);
        if sends {
            let peer = (IpAddress::Ipv4(addresses.1), PORTS.1);
            socket.connect(iface.context(), peer, PORTS.0).expect("a fresh socket");
        } else {
            socket.listen(PORTS.1).expect("a fresh socket");
        }
        let mut sockets = SocketSet::new(Vec::new());
        let handle = sockets.add(socket);
        let received = Vec::new();
        Theirs { sends, iface, port, sockets, handle, offered: 0, received, isn: None, peer_isn: 5000, addresses }
    }

    /// The application reads and writes what it can, then the stack sends.
    fn work(&mut self, now: Time) {
        let socket = self.sockets.get_mut::<Socket>(self.handle);
        while socket.can_recv() {
            let taken = socket.recv(|data| (data.len(), data.to_vec())).expect("data");
            self.received.extend(taken);
        }
        while self.sends && socket.can_send() && self.offered < SEGMENTS * MSS {
            let rest: Vec<u8> = (self.offered..SEGMENTS * MSS).map(byte).collect();
            self.offered += socket.send_slice(&rest).expect("room");
        }
        // Each poll sends one segment.
        let mut sent = usize::MAX;
        while sent != self.port.outward.len() {
            sent = self.port.outward.len();
            self.iface.poll_egress(instant(now), &mut self.port, &mut self.sockets);
        }
    }

    /// The packet that a segment is for this stack.
    fn packet(&self, wire: &Wire) -> Vec<u8> {
        let (us, peer) = if self.sends { PORTS } else { (PORTS.1, PORTS.0) };
        let isn = self.isn.unwrap_or(0);
        let number = |first: i32, at: u64| TcpSeqNumber(first.wrapping_add(at as i32));
        let control = match (wire.syn, wire.payload.is_empty()) {
            (true, _) => TcpControl::Syn,
            (_, false) => TcpControl::Psh,
            _ => TcpControl::None,
        };
        let mut sack_ranges = [None; 3];
        for (slot, &(start, end)) in sack_ranges.iter_mut().zip(&wire.sack) {
            *slot = Some((number(isn, start).0 as u32, number(isn, end).0 as u32));
        }
        let tcp = TcpRepr {
            src_port: peer,
            dst_port: us,
            control,
            seq_number: number(self.peer_isn, wire.seq),
            ack_number: wire.ack.map(|ack| number(isn, ack)),
            window_len: wire.window.min(65_535) as u16,
            window_scale: None,
            max_seg_size: wire.syn.then_some(MSS as u16),
            sack_permitted: wire.syn,
            sack_ranges,
            timestamp: None,
            payload: &wire.payload,
        };
        let ip = Ipv4Repr {
            src_addr: self.addresses.1,
            dst_addr: self.addresses.0,
            next_header: IpProtocol::Tcp,
            payload_len: tcp.buffer_len(),
            hop_limit: 64,
        };
        let checksums = ChecksumCapabilities::default();
        let mut bytes = vec![0; ip.buffer_len() + tcp.buffer_len()];
        let mut packet = Ipv4Packet::new_unchecked(&mut bytes);
        ip.emit(&mut packet, &checksums);
        let (src, dst) = (IpAddress::Ipv4(ip.src_addr), IpAddress::Ipv4(ip.dst_addr));
        tcp.emit(&mut TcpPacket::new_unchecked(packet.payload_mut()), &src, &dst, &checksums);
        bytes
    }

    fn wire(&mut self, bytes: &[u8]) -> Wire {
        let packet = Ipv4Packet::new_checked(bytes).expect("a sound packet");
        let (src, dst) = (IpAddress::Ipv4(packet.src_addr()), IpAddress::Ipv4(packet.dst_addr()));
        let tcp = TcpPacket::new_checked(packet.payload()).expect("a sound segment");
        let repr = TcpRepr::parse(&tcp, &src, &dst, &ChecksumCapabilities::default()).expect("a sound segment");
        assert_ne!(repr.control, TcpControl::Rst, "the connection was refused");
        let isn = *self.isn.get_or_insert(repr.seq_number.0);
        let since = |first: i32, number: TcpSeqNumber| u64::from(number.0.wrapping_sub(first) as u32);
        let place = |number: u32| since(self.peer_isn, TcpSeqNumber(number as i32));
        Wire {
            seq: since(isn, repr.seq_number),
            ack: repr.ack_number.map(|ack| since(self.peer_isn, ack)),
            syn: repr.control == TcpControl::Syn,
            window: u32::from(repr.window_len),
            sack: repr.sack_ranges.iter().flatten().map(|&(start, end)| (place(start), place(end))).collect(),
            payload: repr.payload.to_vec(),
        }
    }
}

impl End for Theirs {
    fn on_segment(&mut self, seg: &Wire, now: Time) {
        if self.isn.is_none() && seg.syn {
            assert!(!self.sends, "its own SYN went out first");
        }
        let packet = self.packet(seg);
        self.port.inward.push(packet);
        self.iface.poll_ingress_single(instant(now), &mut self.port, &mut self.sockets);
        self.work(now);
    }

    fn on_time(&mut self, now: Time) {
        self.work(now);
    }

    fn next(&mut self, now: Time) -> Option<Time> {
        let at = self.iface.poll_at(instant(now), &self.sockets)?;
        Some(Time(at.total_micros().max(0) as u64 * 1000).max(now + Span::from_micros(1)))
    }

    fn take(&mut self) -> Vec<Wire> {
        let packets = std::mem::take(&mut self.port.outward);
        packets.iter().map(|bytes| self.wire(bytes)).collect()
    }

    fn received(&self) -> &[u8] {
        &self.received
    }

    fn done(&self) -> bool {
        self.offered == SEGMENTS * MSS && self.sockets.get::<Socket>(self.handle).send_queue() == 0
    }
}

// --- the pipe -------------------------------------------------------------------------------------------------------

/// What happens on the way to the copy, counted from 1, of a segment of data, counted from 1, or of the ACK of everything
/// through a segment; none: nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Lost,
    Late(Span),
}

type Script<'a> = &'a dyn Fn(bool, usize, usize) -> Option<Fate>;

/// What was seen on the way out of the sender.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    segments: u32,
    repeated: u32,
    /// Repetitions that no segment from the receiver called for: timeouts, and tail-loss probes that repeat.
    uncalled: u32,
    /// First copies of less than a whole segment.
    short: u32,
}

fn run(mut sender: Box<dyn End>, mut receiver: Box<dyn End>, script: Script<'_>) -> Counts {
    let mut counts = Counts::default();
    let mut highest = 0;
    let mut copies: BTreeMap<(bool, usize), usize> = BTreeMap::new();
    let mut way: BTreeMap<(Time, u64), (bool, Wire)> = BTreeMap::new();
    let (mut now, mut serial) = (Time::ZERO, 0);
    sender.on_time(now);
    receiver.on_time(now);
    let mut called = false;
    for step in 0.. {
        assert!(step < 20_000, "no end");
        for (data, end) in [(true, &mut sender), (false, &mut receiver)] {
            for wire in end.take() {
                let place = if data { wire.seq as usize } else { wire.ack.unwrap_or(0) as usize };
                let counted = if data { !wire.payload.is_empty() } else { !wire.syn };
                let mut fate = None;
                if counted {
                    let number = if data { place.div_ceil(MSS) } else { (place - 1) / MSS };
                    let copy = copies.entry((data, place)).or_insert(0);
                    *copy += 1;
                    fate = script(data, number, *copy);
                }
                if data && counted {
                    counts.segments += 1;
                    counts.repeated += u32::from(place < highest);
                    counts.uncalled += u32::from(place < highest && !called);
                    counts.short += u32::from(place >= highest && wire.payload.len() < MSS);
                    highest = highest.max(place + wire.payload.len());
                }
                serial += 1;
                let late = match fate {
                    Some(Fate::Lost) => continue,
                    Some(Fate::Late(by)) => by,
                    None => Span::ZERO,
                };
                way.insert((now + DELAY + late, serial), (data, wire));
            }
        }
        if sender.done() && receiver.received().len() == SEGMENTS * MSS {
            break;
        }
        let timers = [sender.next(now), receiver.next(now)];
        let timer = timers.iter().flatten().min().copied();
        let arrival = way.keys().next().copied();
        match (arrival, timer) {
            (Some(key), timer) if timer.is_none_or(|at| key.0 <= at) => {
                now = key.0;
                let (data, wire) = way.remove(&key).expect("the first");
                called = !data;
                let end = if data { &mut receiver } else { &mut sender };
                end.on_segment(&wire, now);
            }
            (_, Some(at)) => {
                now = at;
                called = false;
                sender.on_time(now);
                receiver.on_time(now);
            }
            _ => panic!("nothing more happens"),
        }
    }
    let stream: Vec<u8> = (0..SEGMENTS * MSS).map(byte).collect();
    assert_eq!(receiver.received(), stream, "the same bytes");
    counts
}

/// What smoltcp does as well: no limited transmit, two segments at first.
fn alike() -> TcpConfig {
    TcpConfig { limited_transmit: false, initial_window: 2, ..TcpConfig::default() }
}

fn our_sender(cfg: &TcpConfig, variant: Transport) -> Box<dyn End> {
    Box::new(Ours::new(Machine::Sender(Box::new(TcpSender::new(cfg, variant, MSS as u32, WINDOW as u32)))))
}

fn our_receiver(sack: bool) -> Box<dyn End> {
    let delay = Span::from_millis(100);
    let tcp = TcpReceiver::new(&alike(), AckPolicy::Every, delay, sack, MSS as u32, WINDOW as u32);
    Box::new(Ours::new(Machine::Receiver(Box::new(tcp))))
}

fn their_sender() -> Box<dyn End> {
    Box::new(Theirs::new(true))
}

fn their_receiver() -> Box<dyn End> {
    Box::new(Theirs::new(false))
}

/// Copies of segments of data: (segment, copy).
type Copies = &'static [(usize, usize)];

fn lost(copies: Copies) -> impl Fn(bool, usize, usize) -> Option<Fate> {
    move |data, number, copy| (data && copies.contains(&(number, copy))).then_some(Fate::Lost)
}

/// A seeded share of everything is lost.
fn random(seed: u64, share: f64) -> impl Fn(bool, usize, usize) -> Option<Fate> {
    move |data, number, copy| {
        let mut stream = Stream::derive(seed, u64::from(data), (number * 64 + copy) as u64, Purpose::Traffic);
        (stream.uniform() < share).then_some(Fate::Lost)
    }
}

/// The first copies of the ACKs of segments 20 to 26 are lost.
fn lost_acks(data: bool, number: usize, copy: usize) -> Option<Fate> {
    (!data && (20..=26).contains(&number) && copy == 1).then_some(Fate::Lost)
}

/// Segment 20 is overtaken by more than three others.
fn overtaken(data: bool, number: usize, copy: usize) -> Option<Fate> {
    (data && (number, copy) == (20, 1)).then_some(Fate::Late(Span::from_millis(30)))
}

/// The path stops for a time longer than the RTO: nothing is lost, and a timeout finds nothing to repair.
fn stalled(data: bool, number: usize, copy: usize) -> Option<Fate> {
    (data && (20..=24).contains(&number) && copy == 1).then_some(Fate::Late(Span::from_millis(1500)))
}

fn nothing(_: bool, _: usize, _: usize) -> Option<Fate> {
    None
}

#[test]
fn every_pairing_delivers_the_same_bytes() {
    use Transport::*;
    let scripted: [(&str, Script<'_>); 9] = [
        ("nothing", &nothing),
        ("single", &lost(&[(20, 1)])),
        ("burst", &lost(&[(20, 1), (21, 1), (22, 1)])),
        ("ACKs", &lost_acks),
        ("tail", &lost(&[(58, 1), (59, 1), (60, 1)])),
        ("repetition", &lost(&[(20, 1), (20, 2)])),
        ("overtaken", &overtaken),
        ("stalled", &stalled),
        ("first and last", &lost(&[(1, 1), (1, 2), (60, 1), (60, 2)])),
    ];
    let check = |script: Script<'_>| {
        run(their_sender(), our_receiver(false), script);
        run(their_sender(), their_receiver(), script);
        for variant in [TcpTahoe, TcpReno, TcpNewReno, TcpSack, TcpVegas, TcpCubic, TcpIllinois, TcpBbr, TcpBbr3] {
            let cfg = TcpConfig::default();
            run(our_sender(&cfg, variant), our_receiver(variant.uses_sack(&cfg)), script);
            run(our_sender(&cfg, variant), their_receiver(), script);
        }
    };
    scripted.iter().for_each(|(_, script)| check(*script));
    for seed in 1..=2 {
        check(&random(seed, 0.01));
        check(&random(seed, 0.05));
    }
}

#[test]
fn both_renos_repeat_and_time_out_alike() {
    // What RFC 5681 and RFC 6298 ask for: repetitions, and timeouts among them.
    let table: [(&str, Script<'_>, u32, u32); 9] = [
        ("nothing", &nothing, 0, 0),
        ("one segment: fast retransmit", &lost(&[(20, 1)]), 1, 0),
        ("two, far enough apart: a fast retransmit for each", &lost(&[(20, 1), (22, 1)]), 2, 0),
        ("three in a row: two fast retransmits, then too few duplicates", &lost(&[(20, 1), (21, 1), (22, 1)]), 3, 1),
        ("ACKs: later ones stand for them", &lost_acks, 0, 0),
        ("the last segment: no duplicates", &lost(&[(60, 1)]), 1, 1),
        ("the last three: slow start from the first", &lost(&[(58, 1), (59, 1), (60, 1)]), 3, 1),
        ("a repetition", &lost(&[(20, 1), (20, 2)]), 2, 1),
        ("overtaken by more than three", &overtaken, 1, 0),
    ];
    for (what, script, repeated, timeouts) in table {
        let ours = run(our_sender(&alike(), Transport::TcpReno), our_receiver(false), script);
        let theirs = run(their_sender(), our_receiver(false), script);
        assert_eq!(ours, Counts { segments: 60 + repeated, repeated, uncalled: timeouts, short: 0 }, "{what}");
        assert_eq!((theirs.repeated, theirs.uncalled), (repeated, timeouts), "smoltcp: {what}");
        // smoltcp fills what room the window leaves with short segments: it does nothing against silly windows.
        assert_eq!(theirs.segments == ours.segments, theirs.short == 0, "{what}: {theirs:?}");
        // Neither sender can tell the receivers apart.
        assert_eq!(run(our_sender(&alike(), Transport::TcpReno), their_receiver(), script), ours, "{what}");
        assert_eq!(run(their_sender(), their_receiver(), script), theirs, "{what}");
    }
    // After a needless timeout both repeat what had arrived; smoltcp takes the duplicates that its own repetitions cause
    // for another loss, against which RFC 6582 remembers how far the last one reached.
    let ours = run(our_sender(&alike(), Transport::TcpReno), our_receiver(false), &stalled);
    let theirs = run(their_sender(), our_receiver(false), &stalled);
    assert_eq!((ours.uncalled, theirs.uncalled), (1, 1));
    assert!(ours.repeated > 4 && theirs.repeated > ours.repeated, "{ours:?}, {theirs:?}");
}

#[test]
fn what_the_other_recoveries_save_beside_reno() {
    use Transport::{TcpIllinois, TcpNewReno, TcpReno, TcpSack};
    // Repetitions and timeouts (or probes) of Reno, as above, NewReno, SACK and RACK-TLP.
    type Row<'a> = (&'a str, Script<'a>, [(u32, u32); 4]);
    let table: [Row<'_>; 5] = [
        ("one segment", &lost(&[(20, 1)]), [(1, 0); 4]),
        // Partial ACKs, or blocks, do without the timer.
        ("three in a row", &lost(&[(20, 1), (21, 1), (22, 1)]), [(3, 1), (3, 0), (3, 0), (3, 0)]),
        // Only RACK sees that a repetition is lost. SACK, with nothing else left to send, repeats the last segment too
        // (RFC 6675 NextSeg rule 4).
        ("a repetition", &lost(&[(20, 1), (20, 2)]), [(2, 1), (2, 1), (3, 1), (2, 0)]),
        // The probe repeats the last segment before the timer does.
        ("the last segment", &lost(&[(60, 1)]), [(1, 1); 4]),
        // Here the probe's ACK tells of the other two.
        ("the last three", &lost(&[(58, 1), (59, 1), (60, 1)]), [(3, 1); 4]),
    ];
    for (what, script, expected) in table {
        for (variant, (repeated, uncalled)) in [TcpReno, TcpNewReno, TcpSack, TcpIllinois].into_iter().zip(expected) {
            let sack = variant.uses_sack(&alike());
            for receiver in [our_receiver(sack), their_receiver()] {
                let found = run(our_sender(&alike(), variant), receiver, script);
                assert_eq!((found.repeated, found.uncalled), (repeated, uncalled), "{variant:?}: {what}");
                assert_eq!(found.segments, 60 + repeated, "{variant:?}: {what}");
            }
        }
    }
}
