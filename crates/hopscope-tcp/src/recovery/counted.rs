//! NewReno whose duplicate ACKs stand for selective ones, as in ns-3: each counts as a report of the next segment above
//! the first outstanding one, and the sender works with RFC 6675's pipe.
//!
//! What is counted is a guess and outlives the recovery. When an ACK comes to a segment that counts as reported, the
//! report moves to the next one and the segment at hand is taken for lost: it is sent again, mostly without need, and
//! its echoes count as reports in turn. So one loss of several segments can keep a sender repeating until a timeout
//! clears the record.

use super::super::Cx;
use super::super::core::Core;

/// What is believed of the first outstanding segment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum First {
    /// It is under way.
    #[default]
    Flying,
    /// It is lost.
    Lost,
    /// It is lost, and was sent again.
    Repeated,
}

#[derive(Debug, Clone, Default)]
pub(in super::super) struct Counted {
    /// Segments that count as reported: so many in a row from the second outstanding one on.
    reported: u64,
    first: First,
    /// A partial ACK has come in this recovery.
    partial: bool,
}

impl Counted {
    pub(super) fn on_new_ack(&mut self, core: &mut Core, ack: u64, cx: &mut Cx) {
        if is_behind_timeout(core) {
            // Only what is acknowledged beyond the repair grows the window at its end.
            if ack == core.loss.recover() {
                core.accept(ack, cx);
            } else {
                core.accept_and_grow(ack, cx);
            }
        } else {
            self.move_to(core, ack);
            if core.loss.is_recovering() && ack < core.loss.recover() {
                self.on_partial_ack(core, ack, cx);
            } else {
                self.partial = false;
                if core.loss.end_recovery() {
                    core.window.cwnd = core.window.ssthresh;
                }
                core.accept_and_grow(ack, cx);
            }
        }
        self.send(core, cx);
    }

    fn on_partial_ack(&mut self, core: &mut Core, ack: u64, cx: &mut Cx) {
        core.advance(ack);
        core.timing.take_sample(ack, cx);
        if !std::mem::replace(&mut self.partial, true) {
            core.timing.end_back_off();
            core.timing.restart(cx);
        }
        self.repeat(core, cx);
    }

    pub(super) fn on_dup_ack(&mut self, core: &mut Core, cx: &mut Cx) {
        if is_behind_timeout(core) {
            return; // it may be the echo of what was sent again
        }
        if core.loss.is_recovering() {
            self.report(core);
        } else {
            let is_threshold = core.loss.count_dupack().is_ge();
            // A loss that is known already needs no further duplicates.
            let known = self.first != First::Flying && self.reported > 0;
            if known || is_threshold {
                self.enter(core, cx);
            } else if core.limited_transmit {
                self.report(core);
            }
        }
        self.send(core, cx);
    }

    /// Fast retransmit and the start of the recovery. The timer runs on; FlightSize is the pipe and the lost segment.
    fn enter(&mut self, core: &mut Core, cx: &mut Cx) {
        self.report(core);
        self.partial = false;
        core.stats.fast_retransmits += 1;
        core.loss.note_loss(core.seq.max());
        core.loss.enter_recovery();
        core.loss.set_limited(self.reported * core.mss);
        core.cut_window(cx.now);
        core.loss.set_limited(0);
        self.repeat(core, cx);
    }

    /// What was counted means nothing any more.
    pub(super) fn reset(&mut self) {
        *self = Counted::default();
    }

    /// The same at a timeout, whose FlightSize is the pipe.
    pub(super) fn on_timeout(&mut self, core: &mut Core) {
        core.loss.set_limited(self.left_out(core));
        self.reset();
    }

    /// Sends what the window allows.
    pub(super) fn send(&mut self, core: &mut Core, cx: &mut Cx) {
        if is_behind_timeout(core) {
            return core.send(u32::MAX, cx);
        }
        core.restart_after_idle(cx.now);
        let usable = core.usable();
        loop {
            let left_out = self.left_out(core);
            let lost = self.first == First::Lost;
            let room = match lost {
                true => core.seq.outstanding() + core.mss <= usable * core.mss + left_out,
                false => core.has_room_but_for(left_out, usable),
            };
            if !room {
                break;
            }
            if !core.admits(cx) {
                return;
            }
            match lost {
                true => self.repeat(core, cx),
                false => core.transmit_next(cx),
            }
        }
        core.note_limit();
    }

    /// Sends the first outstanding segment again.
    fn repeat(&mut self, core: &mut Core, cx: &mut Cx) {
        self.first = First::Repeated;
        core.retransmit_first(cx);
    }

    /// Bytes outstanding that are not in the pipe: reported, or lost and not sent again.
    fn left_out(&self, core: &Core) -> u64 {
        (self.reported + u64::from(self.first == First::Lost)) * core.mss
    }

    /// A duplicate ACK reports one more segment, if there is one.
    fn report(&mut self, core: &Core) {
        self.reported = (self.reported + 1).min(outstanding(core, core.seq.una()) - 1);
    }

    /// The first outstanding segment will be the one at `ack`.
    fn move_to(&mut self, core: &Core, ack: u64) {
        let (before, after) = (outstanding(core, core.seq.una()), outstanding(core, ack));
        let acked = before - after;
        if acked > self.reported {
            (self.reported, self.first) = (0, First::Flying);
        } else if acked > 0 {
            self.reported = (self.reported + 1 - acked).min(after - 1);
            self.first = First::Lost;
        }
    }
}

/// Segments from `from` on that were sent.
fn outstanding(core: &Core, from: u64) -> u64 {
    (core.seq.max() - from).div_ceil(core.mss)
}

/// Everything that was outstanding at a timeout is being sent again.
fn is_behind_timeout(core: &Core) -> bool {
    core.loss.after_timeout() && core.seq.una() < core.loss.recover()
}
