//! Traffic in files: ns-2 scripts as CMU's `cbrgen` writes them, and others of the same statements.
//!
//! A connection is what ns-2.35 makes of the file: `connect` decides the pairs, the last one of an agent; an application
//! sends from each start to the next stop; sizes, windows and rates that are not set are ns-2's defaults.

use crate::columns::{Fault, nanoseconds};
use crate::ns2::{self, Agent, AgentKind, At, Event, Script, Source, SourceKind, Tcp};

/// What one connection of a file sends.
#[derive(Debug, Clone, PartialEq)]
pub enum TrafficKind {
    /// Datagrams of so many bytes, one every so many seconds.
    Cbr {
        /// Payload bits per second.
        rate: f64,
        /// The gaps vary, uniformly (`random_ 1`).
        jitter: bool,
        /// It stops after so many packets.
        packets: Option<u64>,
    },
    /// Over TCP: always more, or so many bytes.
    Ftp {
        /// Bytes; none: always more.
        bytes: Option<u64>,
        /// The TCP of the sender.
        transport: &'static str,
        /// `window_` in packets.
        window: u32,
        /// Initial window in packets, where the file sets it.
        initial: Option<u32>,
        /// Nanoseconds for which the receiver holds an ACK back; none: it does not.
        ack_delay: Option<u64>,
    },
}

/// A connection of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// Sending node.
    pub from: usize,
    /// Receiving node.
    pub to: usize,
    /// When it starts, nanoseconds.
    pub start: u64,
    /// When it stops, nanoseconds.
    pub stop: Option<u64>,
    /// Payload bytes of a packet.
    pub packet: u32,
    /// What it sends.
    pub sends: TrafficKind,
}

impl Connection {
    /// It runs over TCP.
    pub fn is_tcp(&self) -> bool {
        matches!(self.sends, TrafficKind::Ftp { .. })
    }

    /// The word of its transport.
    pub fn transport(&self) -> &'static str {
        match self.sends {
            TrafficKind::Ftp { transport, .. } => transport,
            TrafficKind::Cbr { .. } => "udp",
        }
    }
}

/// What a file says of traffic.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traffic {
    /// The connections, in the order of their applications.
    pub connections: Vec<Connection>,
    /// What else the file holds, which another key has to follow.
    pub other: Option<Fault>,
}

/// What a movement file is for.
const MOVES: &str = "a node is placed or moves here; [topology] or [mobility] with this path follows it";

/// The traffic in the text of a file. `nodes`: how many there are; 0: not known.
///
/// # Errors
/// A statement is not followed or names a node that does not exist, or a connection is not complete; the message names the
/// file, `name`, and the line.
pub fn traffic(text: &str, name: &str, nodes: usize) -> Result<Traffic, Fault> {
    let script = ns2::read(text, name, &mut ns2::closed).part()?;
    let found: Vec<Connection> = of_script(&script).into_iter().flat_map(to_list).collect::<Result<_, _>>()?;
    if let Some(agent) = script.agents.iter().find(|agent| nodes > 0 && agent.node.is_some_and(|node| node >= nodes)) {
        let node = agent.node.unwrap_or_default();
        return Err(script.fault(agent.at, &format!("node {node} does not exist; nodes are 0 to {}", nodes - 1)));
    }
    if found.is_empty() {
        return Err(format!("{name}: holds no connection that sends"));
    }
    Ok(Traffic { connections: found, other: script.movement().map(|at| script.fault(at, MOVES)) })
}

fn to_list(found: Result<Vec<Connection>, Fault>) -> Vec<Result<Connection, Fault>> {
    match found {
        Ok(connections) => connections.into_iter().map(Ok).collect(),
        Err(fault) => vec![Err(fault)],
    }
}

/// What each application of a script sends, one entry for each time that it starts, or why it is not followed.
pub fn of_script(script: &Script) -> Vec<Result<Vec<Connection>, Fault>> {
    script.sources.iter().map(|source| of_source(script, source)).collect()
}

fn of_source(script: &Script, source: &Source) -> Result<Vec<Connection>, Fault> {
    let wrong = |at: At, why: String| script.fault(at, &why);
    let name = &source.name;
    let agent = source.agent.ok_or_else(|| wrong(source.at, format!("{name} is attached to no agent")))?;
    let sender = &script.agents[agent];
    let (peer, connected) =
        sender.peer.ok_or_else(|| wrong(sender.at, format!("{} is connected with no agent", sender.name)))?;
    let receiver = &script.agents[peer];
    let node =
        |agent: &Agent| agent.node.ok_or_else(|| wrong(agent.at, format!("{} is attached to no node", agent.name)));
    let (from, to) = (node(sender)?, node(receiver)?);
    if from == to {
        return Err(wrong(connected, format!("{name} sends from node {from} to itself")));
    }
    let pair = Pair { script, source, sender, receiver, connected };
    let sends = match (source.kind, sender.kind, receiver.kind) {
        (SourceKind::Cbr { packet, .. }, AgentKind::Udp, AgentKind::Null | AgentKind::Udp) => {
            return pair.datagrams(packet, from, to);
        }
        (SourceKind::Ftp, AgentKind::Tcp { tcp, window, initial }, AgentKind::Sink { delay, sack }) => {
            pair.check_sink(agent, tcp, sack)?;
            let ack_delay = delay.map(nanoseconds);
            TrafficKind::Ftp { bytes: None, transport: tcp.word(), window, initial, ack_delay }
        }
        _ => {
            let why = format!(
                "{name} over {} to {} is not followed; CBR goes over Agent/UDP to Agent/Null, FTP over Agent/TCP to \
                 Agent/TCPSink",
                sender.name, receiver.name
            );
            return Err(wrong(connected, why));
        }
    };
    pair.stream(from, to, sends).map(|connection| vec![connection])
}

/// An application with its agents.
struct Pair<'s> {
    script: &'s Script,
    source: &'s Source,
    sender: &'s Agent,
    receiver: &'s Agent,
    connected: At,
}

impl Pair<'_> {
    fn wrong(&self, at: At, why: &str) -> Fault {
        self.script.fault(at, &format!("{} {why}", self.source.name))
    }

    /// A TCP sink answers the sender that it was connected with last, and knows one kind of SACK.
    fn check_sink(&self, sender: usize, tcp: Tcp, sack: bool) -> Result<(), Fault> {
        let last = self.receiver.peer.filter(|(peer, _)| *peer != sender);
        if let Some((_, at)) = last {
            let why = format!(
                "{} is connected with another sender here: ACKs for {} go to that one; each TCP needs a sink of its own",
                self.receiver.name, self.sender.name
            );
            return Err(self.script.fault(at, &why));
        }
        if (tcp == Tcp::Sack) != sack {
            let why = "Agent/TCP/Sack1 and a sink of Sack1 go together; one without the other is not followed";
            return Err(self.script.fault(self.connected, why));
        }
        Ok(())
    }

    /// CBR over UDP: from each start to the stop after it.
    fn datagrams(&self, packet: u32, from: usize, to: usize) -> Result<Vec<Connection>, Fault> {
        let SourceKind::Cbr { rate, random, mut packets, .. } = self.source.kind else { return Ok(Vec::new()) };
        // ns-2's UdpAgent cuts at packetSize_ without a word, which nobody means who sets the size of CBR alone.
        if packet > self.sender.packet {
            let why = format!(
                "sends {packet} bytes, which {} cuts into pieces of {} bytes; set packetSize_ of the agent too",
                self.sender.name, self.sender.packet
            );
            return Err(self.wrong(self.source.at, &why));
        }
        let gap = f64::from(packet) * 8.0 / rate;
        let unlimited = ns2::UNLIMITED;
        let mut found = Vec::new();
        let mut events = self.source.events.iter().peekable();
        let mut is_started = false;
        while let Some(&(start, at, event)) = events.next() {
            match event {
                Event::Start => is_started = true,
                Event::Stop => continue,
                Event::Produce(_) | Event::Send(_) => return Err(self.wrong(at, "can only start and stop")),
            }
            // Starting again sends at once and then goes on from there.
            let end = events.peek().map(|(time, ..)| *time);
            // Another event at this very instant: a stop that leaves nothing, or a start that takes over.
            if end == Some(start) {
                continue;
            }
            let sent = end.map_or(u64::MAX, |end| packets_before(start, gap, end));
            if sent == 0 {
                continue;
            }
            // With random gaps nobody can count them ahead; else the limit matters only below what the time allows.
            let limit = (packets < unlimited && (random || packets < sent)).then_some(packets);
            let stop = match end {
                Some(end) if random => Some(nanoseconds(end)),
                // Between its last packet and the one that would follow.
                Some(_) => Some(nanoseconds(start).saturating_add(nanoseconds((sent as f64 - 0.5) * gap).max(1))),
                None => None,
            };
            let sends = TrafficKind::Cbr { rate, jitter: random, packets: limit };
            found.push(Connection { from, to, start: nanoseconds(start), stop, packet, sends });
            // Each later start sends one packet at least.
            packets = if packets < unlimited { packets.saturating_sub(sent).max(1) } else { packets };
            if random && limit.is_some() && events.len() > 0 {
                return Err(self.wrong(at, "has maxpkts_ and random_ and starts more than once, which is not followed"));
            }
        }
        if !is_started {
            return Err(self.wrong(self.source.at, "has no start"));
        }
        Ok(found)
    }

    /// FTP over TCP: one start, and a stop.
    fn stream(&self, from: usize, to: usize, sends: TrafficKind) -> Result<Connection, Fault> {
        let packet = self.sender.packet;
        let mut begun: Option<(f64, Option<u64>)> = None;
        let mut stop = None;
        for &(time, at, event) in &self.source.events {
            let bytes = match event {
                // A stop before any start changes nothing.
                Event::Stop if begun.is_none() => continue,
                Event::Stop => {
                    // The first stop after the start ends it.
                    stop = stop.or(Some(time));
                    continue;
                }
                Event::Start => None,
                Event::Produce(packets) => Some(packets.saturating_mul(u64::from(packet))),
                // ns-2 sends whole packets.
                Event::Send(bytes) => Some(bytes.div_ceil(u64::from(packet)).saturating_mul(u64::from(packet))),
            };
            match begun {
                None => begun = Some((time, bytes)),
                Some((_, None)) if bytes.is_none() && stop.is_none() => {} // it sends without end already
                Some(_) => return Err(self.wrong(at, "starts again; a TCP connection starts once")),
            }
        }
        let (start, given) = begun.ok_or_else(|| self.wrong(self.source.at, "has no start"))?;
        if given == Some(0) {
            return Err(self.wrong(self.source.at, "has nothing to send"));
        }
        let sends = match sends {
            TrafficKind::Ftp { transport, window, initial, ack_delay, .. } => {
                TrafficKind::Ftp { bytes: given, transport, window, initial, ack_delay }
            }
            cbr => cbr,
        };
        // A scenario wants the stop after the start; what goes out at the start itself is sent in ns-2 as well.
        let stop = stop.map(nanoseconds).map(|stop| stop.max(nanoseconds(start) + 1));
        Ok(Connection { from, to, start: nanoseconds(start), stop, packet, sends })
    }
}

/// How close to a packet a stop decides by ns-2's own sum of gaps, in gaps.
const CLOSE: f64 = 1e-6;
/// Packets that are counted one by one for it.
const COUNTED: f64 = 1e7;

/// Packets that ns-2 sends from `start` on before `stop`: each a gap after the one before, in floating point.
fn packets_before(start: f64, gap: f64, stop: f64) -> u64 {
    let gaps = (stop - start) / gap;
    if (gaps - gaps.round()).abs() > CLOSE || gaps > COUNTED {
        return gaps.ceil() as u64;
    }
    let (mut time, mut sent) = (start, 0);
    // Summed as ns-2 sums: 0.1 added ten times is below 1, and one packet more goes out.
    while time < stop {
        sent += 1;
        time += gap;
    }
    sent
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;
    const CBR: &str = "\
# nodes: 3, max conn: 2
set udp_(0) [new Agent/UDP]
$ns_ attach-agent $node_(1) $udp_(0)
set null_(0) [new Agent/Null]
$ns_ attach-agent $node_(2) $null_(0)
set cbr_(0) [new Application/Traffic/CBR]
$cbr_(0) set packetSize_ 512
$cbr_(0) set interval_ 0.25
$cbr_(0) set random_ 1
$cbr_(0) set maxpkts_ 10000
$cbr_(0) attach-agent $udp_(0)
$ns_ connect $udp_(0) $null_(0)
$ns_ at 2.5568388786897245 \"$cbr_(0) start\"
";
    const TCP: &str = "\
set tcp_(0) [$ns_ create-connection  TCP $node_(4) TCPSink $node_(5) 0]
$tcp_(0) set window_ 32
$tcp_(0) set packetSize_ 512
set ftp_(0) [$tcp_(0) attach-source FTP]
$ns_ at 56.333118917575632 \"$ftp_(0) start\"
";

    fn cbr(rate: f64) -> TrafficKind {
        TrafficKind::Cbr { rate, jitter: false, packets: None }
    }

    fn connections(text: &str, name: &str, nodes: usize) -> Result<Vec<Connection>, Fault> {
        traffic(text, name, nodes).map(|found| found.connections)
    }

    fn one(text: &str) -> Connection {
        let mut found = connections(text, "f", 0).expect("connections");
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    fn refused(text: &str) -> String {
        connections(text, "f", 6).expect_err("refused")
    }

    #[test]
    fn both_kinds_of_connections_are_found() {
        let sends = TrafficKind::Cbr { rate: 16_384.0, jitter: true, packets: Some(10_000) };
        let first = Connection { from: 1, to: 2, start: 2_556_838_879, stop: None, packet: 512, sends };
        assert_eq!(connections(CBR, "f", 0), Ok(vec![first.clone()]));
        let sends =
            TrafficKind::Ftp { bytes: None, transport: "tcp-tahoe", window: 32, initial: None, ack_delay: None };
        let second = Connection { from: 4, to: 5, start: 56_333_118_918, stop: None, packet: 512, sends };
        assert_eq!(connections(TCP, "f", 0), Ok(vec![second.clone()]));
        assert_eq!(connections(&format!("{CBR}{TCP}"), "f", 0), Ok(vec![first, second]));
    }

    #[test]
    fn connect_decides_the_pairs_and_not_the_numbers() {
        let text = "\
for {set i 0} {$i < 2} {incr i} {
  set udp_($i) [new Agent/UDP]
  $ns_ attach-agent $node_($i) $udp_($i)
  set null_($i) [new Agent/Null]
  $ns_ attach-agent $node_([expr $i + 2]) $null_($i)
  set cbr_($i) [new Application/Traffic/CBR]
  $cbr_($i) attach-agent $udp_($i)
  $ns_ at 1.0 \"$cbr_($i) start\"
}
$ns_ connect $udp_(0) $null_(1)
$ns_ connect $udp_(1) $null_(0)
";
        let found = connections(text, "f", 4).expect("connections");
        let ends: Vec<_> = found.iter().map(|one| (one.from, one.to)).collect();
        assert_eq!(ends, [(0, 3), (1, 2)]);
        assert_eq!((found[0].packet, &found[0].sends), (210, &cbr(448e3)), "ns-2's defaults");
        let shared = text.replace("$null_(1)", "$null_(0)");
        let ends: Vec<_> =
            connections(&shared, "f", 4).expect("connections").iter().map(|one| (one.from, one.to)).collect();
        assert_eq!(ends, [(0, 2), (1, 2)], "one sink takes from two senders");
    }

    #[test]
    fn rates_and_gaps_have_units_and_the_order_of_ns2() {
        let with = |line: &str| {
            one(&CBR.replace("$cbr_(0) set interval_ 0.25\n$cbr_(0) set random_ 1\n$cbr_(0) set maxpkts_ 10000", line))
        };
        assert_eq!(with("$cbr_(0) set rate_ 0.1mb").sends, cbr(1e5));
        assert_eq!(with("$cbr_(0) set rate_ 100k").sends, cbr(1e5));
        assert_eq!(with("$cbr_(0) set interval_ 40ms").sends, cbr(512.0 * 8.0 / 0.04));
        let early = CBR
            .replace("$cbr_(0) set packetSize_ 512\n", "")
            .replace("random_ 1\n$cbr_(0) set maxpkts_ 10000", "packetSize_ 512");
        assert_eq!((one(&early).packet, one(&early).sends), (512, cbr(210.0 * 8.0 / 0.25)), "of the size at that time");
        let class = "Application/Traffic/CBR set packetSize_ 100\nApplication/Traffic/CBR set rate_ 64Kb\n";
        let plain = CBR.replace("$cbr_(0) set packetSize_ 512\n$cbr_(0) set interval_ 0.25\n$cbr_(0) set random_ 1\n$cbr_(0) set maxpkts_ 10000\n", "");
        let found = one(&format!("{class}{plain}"));
        assert_eq!((found.packet, found.sends), (100, cbr(64e3)));
    }

    #[test]
    fn a_stop_stops_and_a_later_start_goes_on() {
        let plain =
            CBR.replace("random_ 1\n$cbr_(0) set maxpkts_ 10000", "random_ 0").replace("2.5568388786897245", "0.0");
        let with = |lines: &str| connections(&format!("{plain}{lines}"), "f", 0).expect("connections");
        // ns-2.35 sends 101 packets of 0.1 s up to 10 s: its sum of gaps stays below.
        let tenths = plain.replace("0.25", "0.1");
        let found = one(&format!("{tenths}$ns_ at 10.0 \"$cbr_(0) stop\"\n"));
        assert_eq!(found.stop, Some(10_050_000_000));
        let found =
            with("$ns_ at 1.0 \"$cbr_(0) stop\"\n$ns_ at 5.0 \"$cbr_(0) start\"\n$ns_ at 6.1 \"$cbr_(0) stop\"\n");
        let times: Vec<_> = found.iter().map(|one| (one.start, one.stop)).collect();
        assert_eq!(times, [(0, Some(875 * S / 1000)), (5 * S, Some(5 * S + 4_500 * S / 4000))]);
        let stopped = one(&format!("{TCP}$ns_ at 60 \"$ftp_(0) stop\"\n"));
        assert_eq!(stopped.stop, Some(60 * S));
        assert_eq!(
            refused(&format!("{TCP}$ns_ at 60 \"$ftp_(0) stop\"\n$ns_ at 70 \"$ftp_(0) start\"\n")),
            "f:7: ftp_(0) starts again; a TCP connection starts once"
        );
    }

    #[test]
    fn agents_have_windows_sizes_and_sinks() {
        let text = TCP
            .replace("TCP $node_(4) TCPSink", "TCP/Newreno $node_(4) TCPSink/DelAck")
            .replace("$tcp_(0) set window_ 32\n", "");
        let TrafficKind::Ftp { transport, window, ack_delay, .. } = one(&text).sends else { panic!("FTP") };
        assert_eq!((transport, window, ack_delay), ("tcp-newreno", 20, Some(S / 10)));
        // ns-2.35 sends 10 data packets for the first, 3 for the second.
        for (order, packets) in [("produce 10", 10), ("send 1200", 3)] {
            let found = one(&TCP.replace("start", order));
            assert!(
                matches!(found.sends, TrafficKind::Ftp { bytes: Some(bytes), .. } if bytes == packets * 512),
                "{found:?}"
            );
        }
    }

    #[test]
    fn what_is_not_followed_is_refused_with_its_line() {
        assert!(refused(&CBR.replace("512", "many")).starts_with("f:7: found \"many\"; expected a number"));
        assert!(refused(&CBR.replace("$node_(2)", "$node_(x)")).starts_with("f:5: found $node_(x); expected a node"));
        assert_eq!(refused(&CBR.replace("$node_(2)", "$node_(7)")), "f:4: node 7 does not exist; nodes are 0 to 5");
        assert!(refused(&CBR.replace("at 2.5568388786897245", "at -1")).starts_with("f:13: found -1 s"));
        assert_eq!(refused(&TCP.replace("start", "stop")), "f:4: ftp_(0) has no start");
        assert_eq!(refused(""), "f: holds no connection that sends");
        for (line, why) in [
            ("$cbr_(0) set burst_ 3", "f:14: the variable burst_ of CBR is not followed"),
            ("$udp_(0) set ttl_ 3", "f:14: the variable ttl_ of UDP is not followed"),
            ("$ns_ at 9.0 \"$cbr_(0) set rate_ 1Mb\"", "f:14: rate_ of an application is set at a time"),
            ("$ns_ at 9.0 \"$ns_ connect $udp_(0) $null_(0)\"", "f:14: connect at a time is not followed"),
            ("$ns_ detach-agent $node_(1) $udp_(0)", "f:14: detach-agent of the simulator is not followed"),
            ("set x [new Agent/RTP]", "f:14: Agent/RTP is not followed; agents are Agent/TCP"),
            ("frobnicate", "f:14: the statement frobnicate is not followed"),
            ("set ns_ [new Simulator]", "f:14: this statement belongs to a whole script"),
            ("Mac/802_11 set dataRate_ 11Mb", "f:14: this statement belongs to a whole script"),
            ("source other.tcl", "f:14: source other.tcl: a file of movement or traffic opens no other"),
            ("$udp_(0) set packetSize_ 100", "f:6: cbr_(0) sends 512 bytes, which udp_(0) cuts into pieces of 100"),
        ] {
            let found = refused(&format!("{CBR}{line}\n"));
            assert!(found.starts_with(why), "{found}");
        }
        let unjoined = CBR.replace("$ns_ connect $udp_(0) $null_(0)\n", "");
        assert_eq!(refused(&unjoined), "f:2: udp_(0) is connected with no agent");
        let second = TCP.replace("_(0)", "_(1)").replace("$node_(4)", "$node_(3)");
        let shared = format!(
            "{TCP}{second}set sink [new Agent/TCPSink]\n$ns_ attach-agent $node_(5) $sink\n$ns_ connect $tcp_(0) \
             $sink\n$ns_ connect $tcp_(1) $sink\n"
        );
        assert!(
            refused(&shared).starts_with("f:14: sink is connected with another sender here"),
            "{}",
            refused(&shared)
        );
    }
}
