//! TCP-DOOR (Wang and Zhang 2002): packets that overtake each other show that the route has changed, and that what
//! looked like congestion was none.
//!
//! | seen | by |
//! |---|---|
//! | an ACK that an earlier one of a later state has overtaken | the sender: an older ACK number, or an older number among duplicates, which count in an option of theirs |
//! | a data segment that a later one has overtaken | the receiver: each transmission has a number in an option; the ACK of the late segment says so by a bit |
//!
//! Then (1) the window and the RTO stay as they are for T1: losses are repaired, nothing is cut, nothing grows; and (2)
//! what a cut within the last T2 has changed is restored. A recovery under way when T1 ends keeps its window to its
//! end.
//!
//! The engine keeps the low eight bits of the 16 of a segment's number, and seven of the eight of a duplicate's: what
//! is more than 127 segments, or 63 duplicates, late looks like what is early.

use super::super::Cx;
use super::super::core::Core;
use super::super::rtt::Rtt;
use crate::config::TcpConfig;
use crate::config::tcp::DoorDetection;
use crate::control::{Cc, Window};
use hopscope_core::units::{Span, Time};
use hopscope_packet::tcp::TcpSegment;

/// The sender's part.
#[derive(Debug, Clone)]
pub(in super::super) struct TcpDoor {
    /// T1 and T2 in round trips.
    hold: f64,
    recover: f64,
    /// ACKs are looked at, and not only their bit.
    sees_acks: bool,
    /// The latest ACK, and which duplicate it was.
    ack: u64,
    duplicate: u8,
    /// When the window was cut last, and what it was before.
    last_cut: Option<(Time, State)>,
    /// What stays as it is, until then at least.
    held: Option<(Time, State)>,
}

/// What a congestion response changes.
#[derive(Debug, Clone)]
pub(in super::super) struct State {
    window: Window,
    cc: Cc,
    rtt: Rtt,
    cuts: u64,
    timeouts: u64,
}

impl State {
    fn of(core: &Core) -> Self {
        State {
            window: core.window,
            cc: core.cc.clone(),
            rtt: core.timing.rtt.clone(),
            cuts: core.stats.window_cuts,
            timeouts: core.stats.timeouts,
        }
    }

    /// The inflation of a fast recovery is the recovery's.
    fn restore(&self, core: &mut Core) {
        core.window = Window { inflation: core.window.inflation, ..self.window };
        core.cc = self.cc.clone();
        core.timing.rtt = self.rtt.clone();
    }
}

impl TcpDoor {
    /// The part of a configuration, if it wants one.
    pub(in super::super) fn new(cfg: &TcpConfig) -> Option<Box<Self>> {
        cfg.door.then(|| {
            Box::new(TcpDoor {
                hold: cfg.door_hold,
                recover: cfg.door_recover,
                sees_acks: cfg.door_detection != DoorDetection::Data,
                ack: 0,
                duplicate: 0,
                last_cut: None,
                held: None,
            })
        })
    }

    /// An ACK has come; gives the state before the recovery sees it.
    pub(in super::super) fn on_ack(&mut self, core: &mut Core, seg: &TcpSegment, now: Time) -> State {
        if self.is_late(seg) {
            self.respond(core, now);
        }
        self.before(core, now)
    }

    /// The state before an input that may cut the window.
    pub(in super::super) fn before(&mut self, core: &Core, now: Time) -> State {
        // A recovery keeps what it began with, though the time is over while it lasts.
        self.held.take_if(|(until, _)| *until <= now && !core.loss.is_recovering());
        State::of(core)
    }

    /// The input is dealt with.
    pub(in super::super) fn settle(&mut self, core: &mut Core, before: State, cx: &mut Cx) {
        let has_timed_out = core.stats.timeouts > before.timeouts;
        match &self.held {
            Some((until, _)) if has_timed_out && *until <= cx.now => self.held = None,
            Some((until, held)) => {
                held.restore(core);
                // A cut that is taken back has not been one.
                core.stats.window_cuts = before.cuts;
                if has_timed_out {
                    core.timing.restart(cx);
                }
                if *until <= cx.now && !core.loss.is_recovering() {
                    self.held = None;
                }
            }
            None => {}
        }
        if self.held.is_none() && core.stats.window_cuts > before.cuts {
            self.last_cut = Some((cx.now, before));
        }
    }

    fn is_late(&mut self, seg: &TcpSegment) -> bool {
        // Where data flows both ways a segment with data has a number of its own there.
        let (duplicate, reported) = if seg.len == 0 { (seg.order >> 1, seg.order & 1 == 1) } else { (0, false) };
        let overtaken = match seg.ack.cmp(&self.ack) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal if seg.len > 0 => false,
            std::cmp::Ordering::Equal => {
                // Numbers wrap: more than half a circle ahead is behind.
                let late = duplicate.wrapping_sub(self.duplicate) & DUPLICATES > DUPLICATES / 2;
                if !late {
                    self.duplicate = duplicate;
                }
                late
            }
            std::cmp::Ordering::Greater => {
                (self.ack, self.duplicate) = (seg.ack, duplicate);
                false
            }
        };
        reported || (self.sees_acks && overtaken)
    }

    fn respond(&mut self, core: &mut Core, now: Time) {
        core.stats.overtaken += 1;
        let round = core.timing.rtt.srtt().unwrap_or_else(|| core.timing.rtt.rto());
        if let Some((at, before)) = self.last_cut.take() {
            if now.saturating_since(at) <= rounds(round, self.recover) {
                before.restore(core);
            }
        }
        self.held = Some((now + rounds(round, self.hold), State::of(core)));
    }
}

/// So many round trips.
fn rounds(round: Span, count: f64) -> Span {
    Span::from_secs_f64(round.as_secs() * count)
}

/// Largest number of a duplicate.
const DUPLICATES: u8 = 0x7f;

/// The receiver's part: the numbers of the segments that come, and of the duplicates that go.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Order {
    /// Late segments are reported.
    reports_late: bool,
    latest: Option<u8>,
    is_late: bool,
    duplicate: u8,
}

impl Order {
    /// The part of a configuration, if it wants one.
    pub(in super::super) fn new(cfg: &TcpConfig) -> Option<Self> {
        cfg.door.then(|| Order { reports_late: cfg.door_detection != DoorDetection::Acks, ..Order::default() })
    }

    /// A data segment with this number has come.
    pub(in super::super) fn on_data(&mut self, number: u8) {
        match self.latest {
            Some(latest) if number.wrapping_sub(latest) > u8::MAX / 2 => self.is_late |= self.reports_late,
            Some(_) | None => self.latest = Some(number),
        }
    }

    /// What the ACK that leaves now says; `repeats`: it has the number of the last one.
    pub(in super::super) fn of_ack(&mut self, repeats: bool) -> u8 {
        self.duplicate = if repeats { (self.duplicate + 1) & DUPLICATES } else { 0 };
        self.duplicate << 1 | u8::from(std::mem::take(&mut self.is_late))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(detection: DoorDetection) -> Order {
        let cfg = TcpConfig { door: true, door_detection: detection, ..TcpConfig::default() };
        Order::new(&cfg).expect("a part")
    }

    #[test]
    fn the_receiver_reports_of_a_late_segment_once() {
        let mut watch = order(DoorDetection::Both);
        for number in [250, 251, 253] {
            watch.on_data(number);
        }
        assert_eq!(watch.of_ack(false) & 1, 0);
        watch.on_data(252);
        assert_eq!([watch.of_ack(false) & 1, watch.of_ack(true) & 1], [1, 0]);
        watch.on_data(2);
        assert_eq!(watch.of_ack(false) & 1, 0, "numbers wrap");
        let mut deaf = order(DoorDetection::Acks);
        [2, 1].into_iter().for_each(|number| deaf.on_data(number));
        assert_eq!(deaf.of_ack(false) & 1, 0);
    }

    #[test]
    fn duplicates_are_numbered() {
        let mut watch = order(DoorDetection::Both);
        let numbers: Vec<u8> = [false, true, true, false, true].map(|repeats| watch.of_ack(repeats) >> 1).to_vec();
        assert_eq!(numbers, [0, 1, 2, 0, 1]);
    }
}
