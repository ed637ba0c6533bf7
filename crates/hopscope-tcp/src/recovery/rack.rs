//! RACK-TLP (RFC 8985): a segment is lost when one sent sufficiently later has arrived; when nothing comes back at all,
//! a probe asks before the retransmission timer does.

use super::super::core::Core;
use super::super::sent::Newest;
use super::super::timer::LazyTimer;
use super::super::{Cx, Timer};
use crate::control::Controller;
use hopscope_core::units::{Span, Time};
use hopscope_packet::tcp::TcpSegment;

/// Delay of an ACK that a probe of a lone segment allows for (RFC 8985 7.2).
const WORST_ACK_DELAY: Span = Span::from_millis(200);
/// Probe timeout before the first round-trip time.
const FIRST_PROBE: Span = Span::from_secs(1);
/// Segments reported above a hole that make waiting for reordering needless.
const SACKED_ENOUGH: u64 = 3;
/// Recoveries for which a wider reordering window lasts.
const WINDOW_LIFETIME: u32 = 16;

/// A tail-loss probe that is not answered yet.
#[derive(Debug, Clone, Copy)]
struct Probe {
    /// First number not sent when it left.
    end: u64,
    repetition: bool,
}

/// What was found lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lost {
    Nothing,
    /// In a recovery under way, or behind a timeout.
    More,
    /// A recovery has begun, and its first repetition is out.
    Anew,
}

/// State of RACK and TLP.
#[derive(Debug, Clone)]
pub(in super::super) struct Rack {
    /// The segment sent last of those that have arrived: its place among all that was sent.
    newest: u64,
    rtt: Span,
    min_rtt: Option<Span>,
    /// Highest number reported, and whether anything below it came later.
    highest: u64,
    reordering: bool,
    /// Quarters of the smallest round-trip time that reordering may take, and for how many recoveries more.
    quarters: u64,
    quarters_last: u32,
    /// Where the round ends in which a needless repetition has widened the window.
    widened: u64,
    reorder_timer: LazyTimer,
    probe_timer: LazyTimer,
    /// Least time from a segment to its probe.
    least_wait: Span,
    probe: Option<Probe>,
}

impl Rack {
    pub(super) fn new(least_wait: Span) -> Self {
        Rack {
            newest: 0,
            rtt: Span::ZERO,
            min_rtt: None,
            highest: 0,
            reordering: false,
            quarters: 1,
            quarters_last: 0,
            widened: 0,
            reorder_timer: LazyTimer::new(Timer::Reorder),
            probe_timer: LazyTimer::new(Timer::Probe),
            least_wait,
            probe: None,
        }
    }

    pub(super) fn on_new_ack(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) {
        self.note(core, seg);
        if !core.loss.is_recovering() {
            core.accept_and_grow(seg.ack, cx);
        } else if seg.ack >= core.loss.recover() {
            // After some recoveries the window is narrow again: what has reordered may be gone (6.2 step 4).
            core.loss.end_recovery();
            core.accept(seg.ack, cx);
            self.quarters_last = self.quarters_last.saturating_sub(1);
            if self.quarters_last == 0 {
                self.quarters = 1;
            }
        } else {
            core.advance(seg.ack);
            core.timing.restart(cx);
        }
        self.finish_probe(core, seg, false, cx.now);
        let lost = self.detect(core, core.report.delivered, cx);
        if lost != Lost::Anew {
            Self::reduce(core, core.report.delivered, lost == Lost::Nothing);
        }
        self.send(core, cx);
        self.arm_probe(core, cx);
    }

    pub(super) fn on_dup_ack(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) {
        self.note(core, seg);
        self.finish_probe(core, seg, true, cx.now);
        if self.detect(core, core.report.delivered, cx) != Lost::Anew {
            Self::reduce(core, core.report.delivered, false);
        }
        if reported(core) > 0 {
            self.probe_timer.stop(); // what is missing is for the reordering timer
        }
        let before = core.seq.max();
        self.send(core, cx);
        // What reported segments let out before a loss is known stands for limited transmit.
        if !core.loss.is_recovering() {
            core.loss.add_limited(core.seq.max() - before);
        }
    }

    /// Back from a timeout: what has had its time is lost (RFC 8985 6.3).
    pub(super) fn on_timeout(&mut self, core: &mut Core, now: Time) {
        core.seq.skip_to_new();
        self.probe = None;
        self.probe_timer.stop();
        let limit = self.rtt + self.reordering_window(core);
        let Core { sent, cc, window, .. } = core;
        if let Some(sent) = sent {
            // The timer vouches for the first segment, whatever its age (RFC 8985 6.3).
            sent.lose_first(|lost| cc.on_lost(window, lost, now));
            sent.lose(|slot_sent, _| now.saturating_since(slot_sent) >= limit, |lost| cc.on_lost(window, lost, now));
        }
    }

    /// The recovery under way, or the timeout, was needless: what was given up is in flight. An original that comes in
    /// a recovery has been overtaken, though it was sent again since (Linux takes it for reordering, too).
    pub(super) fn undo(&mut self, core: &mut Core, seg: &TcpSegment) {
        self.note(core, seg);
        self.reordering |= core.loss.is_recovering();
        self.reorder_timer.stop();
        if let Some(sent) = &mut core.sent {
            sent.find_again();
        }
    }

    /// What is restored has been sent.
    pub(super) fn after_undo(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) {
        self.finish_probe(core, seg, false, cx.now);
        self.arm_probe(core, cx);
    }

    /// A timer of RACK or TLP has expired.
    pub(super) fn on_timer(&mut self, core: &mut Core, timer: Timer, cx: &mut Cx) {
        match timer {
            Timer::Reorder if self.reorder_timer.fires(cx) => {
                self.detect(core, 0, cx);
                self.send(core, cx);
            }
            Timer::Probe if self.probe_timer.fires(cx) => self.send_probe(core, cx),
            _ => {}
        }
    }

    /// Nothing will be sent any more.
    pub(super) fn retire(&mut self, cx: &mut Cx) {
        self.reorder_timer.retire(cx);
        self.probe_timer.retire(cx);
    }

    /// Sends while what is in flight leaves room in the window: lost segments first, then new data.
    pub(super) fn send(&mut self, core: &mut Core, cx: &mut Cx) {
        core.restart_after_idle(cx.now);
        let before = core.seq.max();
        loop {
            let Some(sent) = &core.sent else { return };
            // Not the distance from `una`: what is reported or given up takes no room.
            if sent.flying() + core.mss > core.flight_limit() {
                break;
            }
            let lost = sent.first_lost().map(|seq| seq.max(core.seq.una()));
            if lost.is_none() && !core.has_room(core.peer.segments()) || !core.admits(cx) {
                break;
            }
            match lost {
                Some(seq) => {
                    core.transmit(seq, core.seq.max(), cx);
                }
                None => core.transmit_next(cx),
            }
        }
        core.note_limit();
        if core.seq.max() > before {
            self.arm_probe(core, cx);
        }
    }

    // Steps.

    /// RFC 8985 6.2 steps 1 to 3: what the ACK says about times and order.
    fn note(&mut self, core: &mut Core, seg: &TcpSegment) {
        let report = core.report;
        if let Some(rtt) = report.rtt {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        if let Some(Newest { order, rtt, again }) = report.newest {
            // The ACK of a repetition that comes too soon is that of the original.
            let believed = !again || self.min_rtt.is_none_or(|least| rtt >= least);
            if believed && order > self.newest {
                self.newest = order;
                self.rtt = rtt;
            }
        }
        // Something sent once has come below what had come before: it is the path that reorders, not a repetition.
        self.reordering |= report.lowest_sent_once.is_some_and(|end| end < self.highest);
        self.highest = self.highest.max(report.highest);
        if seg.is_dsack() && core.seq.una() >= self.widened {
            self.quarters += 1;
            // Needless repetitions show that it was too narrow.
            self.quarters_last = WINDOW_LIFETIME;
            self.widened = core.seq.max();
        }
    }

    fn reordering_window(&self, core: &Core) -> Span {
        let enough = reported(core) / core.mss >= SACKED_ENOUGH;
        if !self.reordering && (repairs(core) || enough) {
            return Span::ZERO;
        }
        let Some(min_rtt) = self.min_rtt else { return Span::ZERO };
        // SRTT bounds it, however often it was widened (6.2 step 4).
        Span(min_rtt.0 / 4 * self.quarters).min(core.timing.rtt.srtt().unwrap_or(min_rtt))
    }

    /// Proportional rate reduction hears of an ACK in recovery.
    fn reduce(core: &mut Core, arrived: u64, safe: bool) {
        let pipe = core.sent.as_ref().map_or(0, |sent| sent.flying());
        core.reduce(arrived, pipe, safe);
    }

    /// RFC 8985 6.2 steps 4 and 5: declares losses, and returns whether there are new ones; the timer looks again at
    /// what is not certain yet. An ACK just brought `arrived` bytes.
    fn detect(&mut self, core: &mut Core, arrived: u64, cx: &mut Cx) -> Lost {
        let patience = self.rtt + self.reordering_window(core);
        let newest = self.newest;
        let now = cx.now;
        let Core { sent: Some(sent), cc, window, .. } = core else { return Lost::Nothing };
        if sent.first_flying().is_none_or(|first| first > newest)
            && !core.loss.is_recovering()
            && core.seq.una() >= core.loss.recover()
        {
            return Lost::Nothing; // in order of sending, nothing older than the newest arrival is in flight
        }
        let mut again_at: Option<Time> = None;
        let is_lost = |slot_sent: Time, order: u64| {
            let older = order < newest;
            let due = slot_sent + patience;
            if older && due > now {
                // One expiry for all that are not certain, when the last of them is due.
                again_at = Some(again_at.map_or(due, |at| at.max(due)));
            }
            older && due <= now
        };
        let lost = sent.lose(is_lost, |lost| cc.on_lost(window, lost, now));
        match again_at {
            Some(at) => self.reorder_timer.set(at, cx),
            None => self.reorder_timer.stop(),
        }
        if !lost {
            return Lost::Nothing;
        }
        if !core.loss.is_recovering() && (core.seq.una() >= core.loss.recover() || !core.loss.after_timeout()) {
            let unreported = core.seq.outstanding() - reported(core);
            if core.start_recovery(cx) {
                core.loss.reduction.start_prr(unreported + arrived);
            }
            core.loss.enter_recovery();
            self.probe_timer.stop();
            Self::reduce(core, arrived, false); // the first repetition counts in what the ACK lets out (RFC 9937)
            // It does not wait for room in the smaller window.
            if let Some(seq) = core.sent.as_ref().and_then(|sent| sent.first_lost()) {
                core.transmit(seq.max(core.seq.una()), core.seq.max(), cx);
            }
            return Lost::Anew;
        }
        Lost::More
    }

    // Tail-loss probes (RFC 8985 7).

    fn arm_probe(&mut self, core: &Core, cx: &mut Cx) {
        if repairs(core) || self.probe.is_some() || core.seq.is_idle() || reported(core) > 0 {
            self.probe_timer.stop();
            return;
        }
        let mut wait = core.timing.rtt.srtt().map_or(FIRST_PROBE, |srtt| srtt * 2);
        // A lone segment may wait for the delayed ACK of the receiver.
        if core.seq.outstanding() <= core.mss {
            wait = wait + WORST_ACK_DELAY;
        }
        // A probe goes out in place of a timeout that would come first.
        let at = cx.now + Span(wait.0.max(self.least_wait.0));
        self.probe_timer.set(core.timing.deadline().map_or(at, |rto| rto.min(at)), cx);
    }

    /// The retransmission timer has expired; true when a probe is due just then and goes out in its place.
    pub(super) fn takes_timeout(&mut self, core: &mut Core, cx: &mut Cx) -> bool {
        let due = self.probe_timer.deadline().is_some_and(|at| at <= cx.now) && !repairs(core);
        if due {
            self.probe_timer.stop();
            self.send_probe(core, cx);
        }
        due
    }

    /// New data if there is any and the receiver has room, else the last segment once more.
    fn send_probe(&mut self, core: &mut Core, cx: &mut Cx) {
        if core.loss.is_recovering() || core.seq.is_idle() {
            return;
        }
        let fresh = core.has_room(core.peer.segments());
        if fresh {
            core.transmit_next(cx);
        } else {
            core.transmit(core.seq.last_segment(), core.seq.max(), cx);
        }
        // A probe takes the timer's place, which begins anew behind it (7.3).
        core.stats.probes += 1;
        self.probe = Some(Probe { end: core.seq.max(), repetition: !fresh });
        core.timing.restart(cx);
    }

    /// RFC 8985 7.4: was it a loss that the probe repaired? Not if the original has arrived as well.
    fn finish_probe(&mut self, core: &mut Core, seg: &TcpSegment, duplicate: bool, now: Time) {
        let Some(probe) = self.probe.filter(|probe| seg.ack >= probe.end) else { return };
        let both_arrived = seg.is_dsack() || (duplicate && seg.sack_blocks().is_empty());
        if probe.repetition && !both_arrived && seg.ack > probe.end {
            core.cut_window(now);
        }
        if !probe.repetition || both_arrived || seg.ack > probe.end {
            self.probe = None;
        }
    }
}

/// In a recovery, or behind a timeout.
fn repairs(core: &Core) -> bool {
    core.loss.repairs(core.seq.una())
}

/// Bytes above the cumulative ACK that are known to have arrived.
fn reported(core: &Core) -> u64 {
    core.sent.as_ref().map_or(0, |sent| sent.sacked())
}
