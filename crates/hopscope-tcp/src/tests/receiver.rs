//! The receiving side.

use super::*;

pub(super) struct Receiver {
    tcp: TcpReceiver,
    timers: Expiries,
}

impl Receiver {
    pub(super) fn new(cfg: &TcpConfig, policy: AckPolicy, sack: bool) -> Self {
        let tcp = TcpReceiver::new(cfg, policy, Span::from_millis(200), sack, MSS, 16);
        Receiver { tcp, timers: Expiries::default() }
    }

    fn established(policy: AckPolicy, sack: bool) -> Self {
        let mut r = Receiver::new(&TcpConfig::default(), policy, sack);
        r.run("0 syn > synack").run("0 ack 0 >");
        r
    }

    pub(super) fn run(&mut self, table: &str) -> &mut Self {
        for line in table.lines().map(str::trim).filter(|l| !l.is_empty()) {
            let (input, expected) = line.split_once('>').expect("an exchange has a '>'");
            let (at, input) = input.trim().split_once(' ').expect("an instant and an input");
            let now = Time(at.parse::<u64>().expect("milliseconds") * MS);
            let mut out = Vec::new();
            let timer = match input.trim() {
                "delack" => Some(Timer::DelayedAck),
                "rto" => Some(Timer::Rto),
                _ => None,
            };
            let until = if timer.is_some() { now } else { Time(now.0 - u64::from(now.0 > 0)) };
            let mut fired = None;
            while let Some((kind, at)) = self.timers.due(until) {
                self.tcp.on_timer(kind, at, &mut out);
                out.iter().for_each(|e| self.timers.note(e));
                fired = Some((kind, at));
                if !show(&out).is_empty() {
                    assert_eq!((Some(kind), at), (timer, now), "a timer spoke before: {line}");
                    break;
                }
                out.clear();
            }
            match timer {
                Some(timer) => assert_eq!(fired, Some((timer, now)), "the timer of: {line}"),
                None => self.tcp.on_segment(&arrival(input.trim()), now, &mut out),
            }
            out.iter().for_each(|e| self.timers.note(e));
            assert_eq!(show(&out), expected.split_whitespace().collect::<Vec<_>>().join(" "), "output of: {line}");
        }
        self
    }
}

/// A segment of the sender as a table writes it.
fn arrival(text: &str) -> TcpSegment {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let mut seg = TcpSegment { ack: 1, ..TcpSegment::default() };
    seg.flags.ack = true;
    match word {
        "syn" => seg.flags = TcpFlags { syn: true, ..TcpFlags::default() },
        "ack" => {
            seg.seq = 1;
            seg.ack = rest.parse::<u64>().expect("our numbers") + 1;
        }
        "seg" | "fin" => {
            if let Some(unmarked) = rest.strip_suffix('!') {
                seg = arrival(&format!("{word} {unmarked}"));
                seg.ecn = Ecn::Ce;
                return seg;
            }
            // What the sender may have in flight.
            let (rest, window) = rest.split_once('~').unwrap_or((rest, "0"));
            seg.sender_window = window.parse().expect("segments");
            let (rest, fin) = rest.strip_suffix("+fin").map_or((rest, word == "fin"), |r| (r, true));
            let (number, len) = rest.split_once(':').unwrap_or((rest, "1000"));
            let number: u64 = number.parse().expect("a segment number");
            seg.flags.fin = fin;
            seg.len = if word == "fin" { 0 } else { len.parse().expect("bytes") };
            seg.seq = 1 + (number - u64::from(word == "seg")) * u64::from(MSS);
        }
        other => panic!("unknown input {other}"),
    }
    seg
}

fn show(out: &[TransportEffect]) -> String {
    let segments = |number: u64| (number - 1) / u64::from(MSS);
    let mut words = Vec::new();
    for effect in out {
        match effect {
            TransportEffect::Emit(Body::Tcp(seg)) if seg.flags.rst => words.push("rst".into()),
            TransportEffect::Emit(Body::Tcp(seg)) if seg.flags.syn => words.push("synack".into()),
            TransportEffect::Emit(Body::Tcp(seg)) if seg.flags.fin => words.push("fin".into()),
            TransportEffect::Emit(Body::Tcp(seg)) => {
                assert_eq!(seg.window, 16 * MSS);
                words.push(format!("ack {}", segments(seg.ack)));
                let blocks: Vec<String> = seg
                    .sack_blocks()
                    .iter()
                    .map(|b| format!("{}-{}", segments(b.start) + 1, segments(b.end)))
                    .collect();
                if !blocks.is_empty() {
                    words.push(format!("[{}]", blocks.join(" ")));
                }
            }
            TransportEffect::Deliver { bytes } => words.push(format!("up {bytes}")),
            TransportEffect::Note(Note::PeerClosed) => words.push("done".into()),
            TransportEffect::Arm(..) | TransportEffect::Disarm(_) | TransportEffect::Note(Note::AckWindow(_)) => {}
            TransportEffect::Note(_) | TransportEffect::Emit(_) => panic!("a receiver measures nothing"),
        }
    }
    words.join(" ")
}

#[test]
fn acknowledges_every_segment() {
    Receiver::established(AckPolicy::Every, false).run(
        "10 seg 1 > up 1000 ack 1
         11 seg 2 > up 1000 ack 2
         12 seg 4 > ack 2
         13 seg 2 > ack 2
         14 seg 3 > up 2000 ack 4",
    );
}

#[test]
fn counts_duplicates_and_out_of_order_segments() {
    let mut r = Receiver::established(AckPolicy::Every, false);
    r.run(
        "10 seg 1 > up 1000 ack 1
         11 seg 1 > ack 1
         12 seg 3 > ack 1
         13 seg 3 > ack 1
         14 seg 2 > up 2000 ack 3",
    );
    let expected =
        ReceiverStats { segments_received: 5, duplicates: 2, out_of_order: 1, bytes_delivered: 3000, acks_sent: 5 };
    assert_eq!(*r.tcp.stats(), expected);
}

#[test]
fn delays_the_ack_of_a_lone_segment() {
    for policy in [AckPolicy::Delayed, AckPolicy::Ns2Delack] {
        Receiver::established(policy, false).run(
            "10 seg 1 > up 1000
             20 seg 2 > up 1000 ack 2
             30 seg 3 > up 1000
             230 delack > ack 3
             300 seg 4 > up 1000
             310 seg 5 > up 1000 ack 5",
        );
    }
}

#[test]
fn acknowledges_at_once_out_of_order_duplicate_and_gap_filling_segments() {
    for policy in [AckPolicy::Delayed, AckPolicy::Ns2Delack] {
        Receiver::established(policy, false).run(
            "10 seg 1 > up 1000
             11 seg 3 > ack 1
             12 seg 5 > ack 1
             13 seg 2 > up 2000 ack 3
             14 seg 3 > ack 3
             15 seg 4 > up 2000 ack 5
             16 seg 6 > up 1000
             216 delack > ack 6",
        );
    }
}

#[test]
fn short_segments_are_held_until_two_full_ones_by_the_standard_and_by_count_in_ns2() {
    Receiver::established(AckPolicy::Delayed, false).run(
        "10 seg 1:400 > up 400
         210 delack > ack 0",
    );
    let small = |policy| {
        let mut r = Receiver::established(policy, false);
        let mut out = Vec::new();
        for k in 0..2 {
            let flags = TcpFlags { ack: true, ..TcpFlags::default() };
            let seg = TcpSegment { seq: 1 + 400 * k, len: 400, ack: 1, flags, ..TcpSegment::default() };
            r.tcp.on_segment(&seg, Time((10 + k) * MS), &mut out);
        }
        out.iter().filter(|e| matches!(e, TransportEffect::Emit(_))).count()
    };
    assert_eq!((small(AckPolicy::Delayed), small(AckPolicy::Ns2Delack)), (0, 1));
}

#[test]
fn sack_blocks_name_the_latest_arrival_first() {
    Receiver::established(AckPolicy::Every, true).run(
        "10 seg 1 > up 1000 ack 1
         11 seg 3 > ack 1 [3-3]
         12 seg 5 > ack 1 [5-5 3-3]
         13 seg 7 > ack 1 [7-7 5-5 3-3]
         14 seg 9 > ack 1 [9-9 7-7 5-5]
         15 seg 4 > ack 1 [3-5 9-9 7-7]
         16 seg 9 > ack 1 [9-9 3-5 7-7]
         17 seg 2 > up 4000 ack 5 [9-9 7-7]
         18 seg 6 > up 2000 ack 7 [9-9]
         19 seg 8 > up 2000 ack 9",
    );
}

#[test]
fn fewer_sack_blocks_when_configured() {
    let cfg = TcpConfig { max_sack_blocks: 1, ..TcpConfig::default() };
    Receiver::new(&cfg, AckPolicy::Every, true).run(
        "0 syn > synack
         1 seg 2 > ack 0 [2-2]
         2 seg 4 > ack 0 [4-4]",
    );
}

#[test]
fn blocks_leave_room_for_the_other_options() {
    for (timestamps, door, last) in
        [(true, false, "[7-7 5-5 3-3]"), (false, true, "[7-7 5-5 3-3]"), (true, true, "[7-7 5-5]")]
    {
        let cfg = TcpConfig { timestamps, door, ..TcpConfig::default() };
        Receiver::new(&cfg, AckPolicy::Every, true).run(&format!(
            "0 syn > synack
             1 seg 3 > ack 0 [3-3]
             2 seg 5 > ack 0 [5-5 3-3]
             3 seg 7 > ack 0 {last}"
        ));
    }
}

#[test]
fn a_lost_syn_ack_is_repeated_until_anything_is_acknowledged() {
    let mut r = Receiver::new(&TcpConfig::default(), AckPolicy::Every, false);
    r.run(
        "0 syn > synack
         1000 rto > synack
         1500 syn > synack
         3500 rto > synack
         3600 seg 1 > up 1000 ack 1
         3700 syn > ack 1",
    );
    assert_eq!(r.tcp.state(), ReceiverState::Established);
}

#[test]
fn tear_down_repeats_a_lost_fin() {
    for policy in [AckPolicy::Every, AckPolicy::Delayed, AckPolicy::Ns2Delack] {
        let mut r = Receiver::established(policy, true);
        r.run(
            "10 seg 2+fin > ack 0 [2-2]
             20 seg 1 > up 2000 done fin",
        );
        assert_eq!(r.tcp.state(), ReceiverState::LastAck);
        r.run(
            "500 seg 2+fin > ack 2
             1020 rto > fin
             1050 ack 1 >",
        );
        assert_eq!(r.tcp.state(), ReceiverState::Closed);
        r.run("1100 fin 2 > rst");
    }
}

#[test]
fn a_fin_of_its_own_is_answered_at_once() {
    Receiver::established(AckPolicy::Delayed, false).run(
        "10 seg 1 > up 1000
         11 fin 1 > done fin",
    );
}

#[test]
fn ns2_answers_the_syn_with_an_ordinary_ack() {
    for policy in [AckPolicy::Every, AckPolicy::Ns2Delack] {
        let mut r = Receiver::new(&ns2_config(), policy, false);
        r.run(
            "0 syn > ack 0
             10 syn > ack 0",
        );
        assert_eq!(r.tcp.state(), ReceiverState::Established);
    }
}

#[test]
fn data_before_the_syn_is_refused() {
    Receiver::new(&TcpConfig::default(), AckPolicy::Every, false).run("0 seg 1 > rst");
}
