//! Plays a script against one end of a connection.
//!
//! The end is the engine's [`Connection`] with both halves. Instants are virtual: before each event its timers run, and what it
//! sends waits for the `>` that expects it. A segment of several MSS in a script stands for that many of the engine's, which cuts
//! nothing into larger pieces. Numbers count from each end's SYN in both, windows are scaled as the SYNs say.

mod calls;
mod compare;
mod expression;
mod info;
mod setup;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::Time;
use hopscope_packet::dccp::ResetCode;
use hopscope_packet::tcp::{SackBlock, TcpFlags, TcpSegment, Timestamps};
use hopscope_packet::{Body, Ecn};
use hopscope_tcp::endpoint::{Cx, Note, TransportEffect};
use hopscope_tcp::{Connection, Expiries, SenderState};

use crate::script::{Action, At, Base, Event, Packet, Script, ScriptError, TcpOption};
use calls::Sockets;
use setup::{Setup, setup};
pub use setup::{System, system_of};

/// What becomes of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Everything was as the script has it.
    Pass,
    /// Something was not.
    Fail {
        /// Line of the event.
        line: usize,
        /// What happened in its place.
        what: String,
    },
    /// The engine leaves out something that the script needs.
    NotExpressible {
        /// Line of the event.
        line: usize,
        /// What it needs.
        reason: String,
    },
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Pass => write!(f, "pass"),
            Verdict::Fail { line, what } => write!(f, "fail at line {line}: {what}"),
            Verdict::NotExpressible { line, reason } => write!(f, "not expressible at line {line}: {reason}"),
        }
    }
}

/// Why playing stops.
#[derive(Debug)]
pub(crate) enum Stop {
    Verdict(Verdict),
    Error(ScriptError),
}

impl Stop {
    fn fail(line: usize, what: impl Into<String>) -> Self {
        Stop::Verdict(Verdict::Fail { line, what: what.into() })
    }

    fn foreign(line: usize, reason: impl Into<String>) -> Self {
        Stop::Verdict(Verdict::NotExpressible { line, reason: reason.into() })
    }

    fn error(line: usize, message: impl Into<String>) -> Self {
        Stop::Error(ScriptError { line, message: message.into() })
    }
}

/// Plays a script; `system` stands in where the script says none.
///
/// # Errors
/// A setting that is none, with its line.
pub fn play(script: &Script, system: System) -> Result<Verdict, ScriptError> {
    let played =
        setup(script, system_of(script).unwrap_or(system)).and_then(|setup| Player::new(setup).play(&script.events));
    match played {
        Ok(()) => Ok(Verdict::Pass),
        Err(Stop::Verdict(verdict)) => Ok(verdict),
        Err(Stop::Error(error)) => Err(error),
    }
}

/// One end of a connection, and the script's other end.
struct Player {
    setup: Setup,
    end: Connection,
    /// An end that nobody has opened.
    nobody: Connection,
    timers: Expiries,
    /// The instant of the last event, and where the end's clock stands, in microseconds.
    now: i64,
    clock: i64,
    /// What has gone out and was not expected yet.
    sent: VecDeque<(i64, TcpSegment)>,
    /// What went out last of what was expected.
    last: Option<(i64, TcpSegment)>,
    sockets: Sockets,
    /// Numbers of a clock of the script that stand for the end's.
    stamp_shift: Option<u32>,
    /// The SYN has been taken or sent.
    open: bool,
    delivered: u64,
    peer_closed: bool,
}

impl Player {
    fn new(setup: Setup) -> Self {
        let stream = |owner| Stream::derive(1, 0, owner, Purpose::Clock);
        let (mut active, mut passive) = Connection::pair(&setup.flow.connection(), 20, stream(0));
        Connection::join((&mut active, &mut passive), &setup.flow.connection(), stream(1));
        if let Some(window) = setup.window {
            passive.advertise(window);
        }
        if let Some(buffer) = setup.buffer {
            for end in [&mut active, &mut passive] {
                end.read_on_request(buffer, setup.flow.packet);
            }
        }
        let (nobody, _) = Connection::pair(&setup.flow.connection(), 20, stream(2));
        Player {
            end: if setup.active { active } else { passive },
            nobody,
            setup,
            timers: Expiries::default(),
            now: 0,
            clock: 0,
            sent: VecDeque::new(),
            last: None,
            sockets: Sockets::default(),
            stamp_shift: None,
            open: false,
            delivered: 0,
            peer_closed: false,
        }
    }

    fn play(mut self, events: &[Event]) -> Result<(), Stop> {
        for event in events {
            let (from, to) = self.instants(event.at);
            match &event.what {
                Action::Packet(packet) if packet.out => {
                    if let Some(foreign) = packet.foreign {
                        return Err(Stop::foreign(event.line, foreign));
                    }
                    // Without the timers up to then: `expect` lets them expire one by one until something goes out.
                    self.now = self.expect(event.line, packet, from, to)?.max(from);
                    continue;
                }
                Action::Foreign(reason) => return Err(Stop::foreign(event.line, *reason)),
                _ => {}
            }
            self.run_until(from, true);
            self.now = from;
            match &event.what {
                Action::Packet(packet) => self.arrive(event.line, packet)?,
                Action::Call(call) => self.call(event.line, call, to)?,
                Action::Code(code) => self.check_code(event.line, code)?,
                Action::Command(_) | Action::Foreign(_) => {}
            }
        }
        Ok(())
    }

    fn instants(&self, at: At) -> (i64, i64) {
        match at.base {
            // The event before may have come late within the tolerance; time does not go back for this one.
            Base::Start => (at.from.max(self.now), at.to.max(self.now)),
            Base::Last => (self.now + at.from, self.now + at.to),
            // Far away, and tolerances can still be added to it.
            Base::Any => (self.now, i64::MAX / 4),
        }
    }

    // The end.

    /// Gives the end an input at the present instant.
    fn input<T>(&mut self, input: impl FnOnce(&mut Connection, &mut Cx<'_>) -> T) -> T {
        let mut out = Vec::new();
        let now = time(self.clock);
        let given = input(&mut self.end, &mut Cx { now, out: &mut out, node: None, path_info: None });
        for effect in out {
            self.timers.note(&effect);
            match effect {
                TransportEffect::Emit(Body::Tcp(segment)) => self.sent.push_back((self.clock, segment)),
                TransportEffect::Deliver { bytes } => self.delivered += u64::from(bytes),
                TransportEffect::Note(Note::PeerClosed) => self.peer_closed = true,
                TransportEffect::Note(Note::Reset(code)) => {
                    let refused = code == ResetCode::ConnectionRefused;
                    self.sockets.on_reset(refused, self.peer_closed && self.setup.system == System::Linux);
                }
                _ => {}
            }
        }
        given
    }

    /// Runs the timers up to an instant, those that expire just then where `all`.
    fn run_until(&mut self, until: i64, all: bool) {
        // An instant of a script is in whole microseconds: one less is the instant before.
        let last = if all { time(until) } else { time(until - 1) };
        while let Some((timer, at)) = self.timers.due(last) {
            self.clock = (at.0 / 1_000) as i64;
            self.input(|end, cx| end.on_timer(timer, cx));
        }
        self.clock = self.clock.max(until);
    }

    // Packets.

    fn arrive(&mut self, line: usize, packet: &Packet) -> Result<(), Stop> {
        if let Some(foreign) = packet.foreign {
            return Err(Stop::foreign(line, foreign));
        }
        for (flag, reason) in [('U', "urgent data"), ('A', "accurate ECN")] {
            if packet.has(flag) {
                return Err(Stop::foreign(line, reason));
            }
        }
        if packet.has('S') && packet.has('F') {
            return Err(Stop::foreign(line, "a SYN with a FIN"));
        }
        if packet.has('S') && packet.len > 0 {
            return Err(Stop::foreign(line, "data in a SYN"));
        }
        if packet.has('S') && !packet.has('.') && !packet.has('R') && self.setup.active && !self.synchronised() {
            return Err(Stop::foreign(line, "simultaneous open (RFC 9293 3.5)"));
        }
        // Numbers in the upper half are those before the SYN, on the circle of 32 bits.
        if packet.seq + packet.len > u64::from(u32::MAX) / 2
            || packet.ack.is_some_and(|ack| ack > u64::from(u32::MAX) / 2)
        {
            return Err(Stop::foreign(line, "sequence numbers that wrap, which are 64 bits wide in the engine"));
        }
        if !packet.has('S') && !packet.has('.') && !packet.has('F') && !packet.has('R') {
            return Err(Stop::foreign(line, "a segment without ACK"));
        }
        self.open |= packet.has('S') && self.sockets.is_asked();
        let segment = self.segment(packet);
        let ecn = match packet.ecn.as_deref() {
            Some("ce") => Ecn::Ce,
            Some("ect0" | "ect1" | "ect01") => Ecn::Ect,
            _ => Ecn::NotEct,
        };
        // Before a call to listen or connect there is nothing that a segment could be for.
        let mut nobody = !self.sockets.is_asked();
        // Data for a socket that is closed ends the connection (RFC 9293 3.6.1), and is answered as what belongs to none.
        if self.comes_too_late(packet.seq, packet.len) {
            let mut out = Vec::new();
            self.end.abort(&mut Cx { now: time(self.clock), out: &mut out, node: None, path_info: None });
            out.iter().for_each(|effect| self.timers.note(effect));
            nobody = true;
        }
        if nobody {
            std::mem::swap(&mut self.end, &mut self.nobody);
        }
        self.input(|end, cx| end.on_segment(&segment, ecn, cx));
        if nobody {
            std::mem::swap(&mut self.end, &mut self.nobody);
        }
        Ok(())
    }

    /// Both SYNs are acknowledged.
    fn synchronised(&self) -> bool {
        let sending = self.end.sender().map(|half| half.state());
        !matches!(sending, None | Some(SenderState::Idle | SenderState::SynSent))
    }

    /// A segment of the script as one of the engine.
    fn segment(&self, packet: &Packet) -> TcpSegment {
        // The window of a SYN is never scaled (RFC 7323 2.2).
        let scale = if packet.has('S') { 0 } else { self.setup.scale };
        let mut segment = TcpSegment {
            seq: packet.seq,
            len: packet.len as u32,
            ack: packet.ack.unwrap_or(0),
            window: u32::try_from(packet.win.unwrap_or(0) << scale).unwrap_or(u32::MAX),
            flags: TcpFlags {
                syn: packet.has('S'),
                ack: packet.has('.'),
                fin: packet.has('F'),
                rst: packet.has('R'),
                psh: packet.has('P'),
                ece: packet.has('E'),
                cwr: packet.has('W'),
            },
            ..TcpSegment::default()
        };
        for option in packet.options.iter().flatten() {
            match option {
                TcpOption::Sack(blocks) => {
                    for (slot, (start, end)) in segment.sack.iter_mut().zip(blocks) {
                        *slot = SackBlock { start: *start, end: *end };
                        segment.n_sack += 1;
                    }
                }
                TcpOption::Stamps(value, echo) if self.setup.stamps => {
                    // The script echoes its own numbers of the clock; the end knows those that it sent.
                    let shift = self.stamp_shift.unwrap_or(0);
                    segment.timestamps =
                        Some(Timestamps { value: value.unwrap_or(0), echo: echo.unwrap_or(0).wrapping_add(shift) });
                }
                _ => {}
            }
        }
        segment
    }

    /// Nothing has gone out by an instant: what did before, and what will.
    fn silence(&mut self, packet: &Packet, to: i64) -> String {
        let mut text = format!("nothing goes out; {} is expected", compare::shown(packet));
        let said =
            |(at, segment): (i64, TcpSegment)| format!("{} at {:.6} s", compare::describe(&segment), at as f64 / 1e6);
        if let Some(last) = self.last {
            text += &format!("; the last was {}", said(last));
        }
        while let Some((timer, due)) = self.timers.due(time(to.saturating_add(LOOKAHEAD))) {
            self.clock = self.clock.max((due.0 / 1_000) as i64);
            self.input(|end, cx| end.on_timer(timer, cx));
            if let Some(next) = self.sent.pop_front() {
                return text + &format!("; the next is {}", said(next));
            }
        }
        text + "; nor does anything later"
    }

    /// Waits for what a script expects between two instants; gives when it went out.
    fn expect(&mut self, line: usize, packet: &Packet, from: i64, to: i64) -> Result<i64, Stop> {
        let tolerance = self.setup.tolerance;
        let mut rest = packet.clone();
        let mut at = from;
        let mut first = true;
        loop {
            while self.sent.is_empty() {
                let Some((timer, due)) = self.timers.due(time(to.saturating_add(tolerance))) else {
                    return Err(Stop::fail(line, self.silence(packet, to)));
                };
                self.clock = self.clock.max((due.0 / 1_000) as i64);
                self.input(|end, cx| end.on_timer(timer, cx));
            }
            let Some((when, segment)) = self.sent.pop_front() else { continue };
            at = at.max(when);
            if when < from - tolerance || when > to.saturating_add(tolerance) {
                let (found, wanted) = (when as f64 / 1e6, from as f64 / 1e6);
                return Err(Stop::fail(
                    line,
                    format!(
                        "{} goes out at {found:.6} s; {wanted:.6} s is expected for {}",
                        compare::describe(&segment),
                        compare::shown(packet)
                    ),
                ));
            }
            // What the script has as one segment may be several here: the first part is compared, the rest waits.
            let more =
                rest.len > u64::from(segment.len) && segment.len > 0 && segment.seq == rest.seq && !segment.flags.fin;
            let wanted = if more { Packet { len: u64::from(segment.len), ..rest.clone() } } else { rest.clone() };
            if let Some(difference) = self.difference(&wanted, &segment, first, more) {
                return Err(Stop::fail(
                    line,
                    format!(
                        "{difference}: {} goes out, {} is expected",
                        compare::describe(&segment),
                        compare::shown(packet)
                    ),
                ));
            }
            first = false;
            self.last = Some((when, segment));
            if !more {
                return Ok(when);
            }
            rest.seq += u64::from(segment.len);
            rest.len -= u64::from(segment.len);
        }
    }
}

/// How long after a failure the next segment is looked for, in microseconds.
const LOOKAHEAD: i64 = 200_000_000;

/// An instant of a script as the engine's.
fn time(micros: i64) -> Time {
    Time(u64::try_from(micros).unwrap_or(0).saturating_mul(1_000))
}

/// Sockets by their numbers.
type Numbers = BTreeMap<i64, calls::Kind>;
