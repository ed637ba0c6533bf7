//! The TCP machines against smoltcp's, an independent stack, in virtual time over the same scripted losses: every pairing
//! of senders and receivers delivers the same bytes, and where the senders count differently the reason is given.
//!
//! smoltcp is a Reno (RFC 5681) without limited transmit, selective acknowledgements or memory of the last recovery.

mod ours;
mod theirs;

use std::collections::BTreeMap;

use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};
use hopscope_engine::config::{AckPolicy, TcpConfig, Transport};
use hopscope_packet::Body;
use hopscope_packet::tcp::{SackBlock, TcpFlags, TcpSegment};
use hopscope_tcp::endpoint::TransportEffect;
use hopscope_tcp::{Expiries, TcpReceiver, TcpSender};
use ours::{Machine, Ours};
use theirs::Theirs;

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

/// What happens on the way to the copy, counted from 1, of a segment of data, counted from 1, or of the ACK of everything
/// through a segment; none: nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Impairment {
    Lost,
    Late(Span),
}

type Script<'a> = &'a dyn Fn(bool, usize, usize) -> Option<Impairment>;

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
    let mut in_transit: BTreeMap<(Time, u64), (bool, Wire)> = BTreeMap::new();
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
                let mut impairment = None;
                if counted {
                    let number = if data { place.div_ceil(MSS) } else { (place - 1) / MSS };
                    let copy = copies.entry((data, place)).or_insert(0);
                    *copy += 1;
                    impairment = script(data, number, *copy);
                }
                if data && counted {
                    counts.segments += 1;
                    counts.repeated += u32::from(place < highest);
                    counts.uncalled += u32::from(place < highest && !called);
                    counts.short += u32::from(place >= highest && wire.payload.len() < MSS);
                    highest = highest.max(place + wire.payload.len());
                }
                serial += 1;
                let late = match impairment {
                    Some(Impairment::Lost) => continue,
                    Some(Impairment::Late(by)) => by,
                    None => Span::ZERO,
                };
                in_transit.insert((now + DELAY + late, serial), (data, wire));
            }
        }
        if sender.done() && receiver.received().len() == SEGMENTS * MSS {
            break;
        }
        let timers = [sender.next(now), receiver.next(now)];
        let timer = timers.iter().flatten().min().copied();
        let arrival = in_transit.keys().next().copied();
        match (arrival, timer) {
            (Some(key), timer) if timer.is_none_or(|at| key.0 <= at) => {
                now = key.0;
                let (data, wire) = in_transit.remove(&key).expect("the first");
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
    Box::new(Ours::new(Machine::Sender(Box::new(TcpSender::new(cfg, variant.kind(cfg), MSS as u32, WINDOW as u32)))))
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

fn lost(copies: Copies) -> impl Fn(bool, usize, usize) -> Option<Impairment> {
    move |data, number, copy| (data && copies.contains(&(number, copy))).then_some(Impairment::Lost)
}

/// A seeded share of everything is lost.
fn random(seed: u64, share: f64) -> impl Fn(bool, usize, usize) -> Option<Impairment> {
    move |data, number, copy| {
        let mut stream = Stream::derive(seed, u64::from(data), (number * 64 + copy) as u64, Purpose::Traffic);
        (stream.uniform() < share).then_some(Impairment::Lost)
    }
}

/// The first copies of the ACKs of segments 20 to 26 are lost.
fn lost_acks(data: bool, number: usize, copy: usize) -> Option<Impairment> {
    (!data && (20..=26).contains(&number) && copy == 1).then_some(Impairment::Lost)
}

/// Segment 20 is overtaken by more than three others.
fn overtaken(data: bool, number: usize, copy: usize) -> Option<Impairment> {
    (data && (number, copy) == (20, 1)).then_some(Impairment::Late(Span::from_millis(30)))
}

/// The path stops for a time longer than the RTO: nothing is lost, and a timeout finds nothing to repair.
fn stalled(data: bool, number: usize, copy: usize) -> Option<Impairment> {
    (data && (20..=24).contains(&number) && copy == 1).then_some(Impairment::Late(Span::from_millis(1500)))
}

fn nothing(_: bool, _: usize, _: usize) -> Option<Impairment> {
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
            run(our_sender(&cfg, variant), our_receiver(variant.kind(&cfg).uses_sack()), script);
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
        // Neither sender can distinguish the receivers.
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
fn what_the_other_recoveries_save_over_reno() {
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
        // Here the probe's ACK reports the other two.
        ("the last three", &lost(&[(58, 1), (59, 1), (60, 1)]), [(3, 1); 4]),
    ];
    for (what, script, expected) in table {
        for (variant, (repeated, uncalled)) in [TcpReno, TcpNewReno, TcpSack, TcpIllinois].into_iter().zip(expected) {
            let sack = variant.kind(&alike()).uses_sack();
            for receiver in [our_receiver(sack), their_receiver()] {
                let found = run(our_sender(&alike(), variant), receiver, script);
                assert_eq!((found.repeated, found.uncalled), (repeated, uncalled), "{variant:?}: {what}");
                assert_eq!(found.segments, 60 + repeated, "{variant:?}: {what}");
            }
        }
    }
}
