//! Recovery with selective acknowledgements: RFC 6675 with its scoreboard, what Linux 2.6 adds to it as ns-2 has it,
//! and ns-2's Sack1 with its counted pipe.

use super::super::Cx;
use super::super::core::Core;
use super::super::sack::Scoreboard;
use crate::config::TcpConfig;
use crate::config::tcp::SackLosses;
use hopscope_packet::tcp::{SackBlock, TcpSegment};

#[derive(Debug, Clone)]
pub(in super::super) struct Sack {
    board: Scoreboard,
    /// RFC 6675 RescueRxt: the one repetition of the last segment is spent until this number is acknowledged.
    rescue: Option<u64>,
    /// What was sent again in this recovery, where repetitions that are lost are to be found.
    repeated: Vec<Repetition>,
    /// ns-2: segments believed to be in the network.
    pipe: i64,
    /// ns-2: a timeout's repetitions are under way; duplicate ACKs mean nothing.
    deaf: bool,
}

/// Data that was sent again: lost once anything from `next` on is reported, which was sent after it.
#[derive(Debug, Clone, Copy)]
struct Repetition {
    data: SackBlock,
    next: u64,
}

impl Sack {
    pub(super) fn new(cfg: &TcpConfig, mss: u64) -> Self {
        let board = Scoreboard::new(cfg.dupack_threshold.max(1), mss, cfg.sack_losses == SackLosses::Fack);
        Sack { board, rescue: None, repeated: Vec::new(), pipe: 0, deaf: false }
    }

    pub(super) fn on_new_ack(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) {
        if core.rules.sack_counts_pipe {
            return self.ns2_new_ack(core, seg, cx);
        }
        let shaped = core.loss.reduction.is_by_prr();
        let before = shaped.then(|| (self.arrived(core.seq.una()), self.board.lost_below()));
        self.board.update(seg.ack, seg.sack_blocks());
        self.forget_arrived(seg.ack);
        if !core.loss.is_recovering() {
            core.accept_and_grow(seg.ack, cx);
        } else if seg.ack >= core.loss.recover() {
            core.loss.end_recovery();
            core.accept(seg.ack, cx);
            // The next recovery may repeat what this one did.
            self.board.high_rxt = 0;
            self.repeated.clear();
        } else {
            core.advance(seg.ack);
            core.timing.restart(cx);
            if let Some((arrived, lost)) = before {
                self.reduce(core, Some(arrived), self.board.lost_below() <= lost);
            }
        }
        self.send(core, cx);
    }

    pub(super) fn on_dup_ack(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) {
        if core.rules.sack_counts_pipe {
            return self.ns2_dup_ack(core, seg, cx);
        }
        // Before the record takes the blocks in: what this ACK brings is the difference.
        let before = core.loss.reduction.uses_prr().then(|| self.arrived(core.seq.una()));
        // RFC 6675 2: a duplicate ACK is one that brings new SACK information.
        if self.board.update(core.seq.una(), seg.sack_blocks()) {
            self.forget_arrived(core.seq.una());
            let count = core.loss.count_dupack();
            let counted = count.is_ge() && !self.board.fack;
            let lost = counted || self.board.is_lost(core.seq.una());
            // RFC 6675 5.1: from HighACK = RecoveryPoint on; new blocks are no echo of what was sent again.
            let allowed = core.may_fast_retransmit() || core.seq.una() == core.loss.recover();
            if !core.loss.is_recovering() && lost && allowed {
                let cwnd = core.window.cwnd;
                let cut = core.start_recovery(cx);
                core.start_halving(cwnd);
                if let Some(arrived) = before.filter(|_| cut) {
                    core.loss.reduction.start_prr(core.seq.max() - arrived);
                }
                core.loss.enter_recovery();
                self.rescue = None;
                self.reduce(core, before, false);
                let end = self.board.next_hole(core.seq.una()).map_or(u64::MAX, |h| h.end);
                self.repeat(core, core.seq.una(), end, cx);
                core.halve_after(self.in_flight(core));
            } else if core.loss.is_recovering() {
                self.reduce(core, before, false);
            } else if count.is_lt() || self.board.fack {
                core.limited_transmit(cx);
            }
        }
        if core.loss.is_recovering() || core.loss.dupacks() == 0 {
            self.send(core, cx);
        }
    }

    pub(super) fn on_timeout(&mut self, core: &Core) {
        if self.board.fack {
            self.board.high_rxt = 0;
        } else {
            self.board.clear(); // the receiver may have dropped what it reported (RFC 2018 8)
        }
        self.rescue = None;
        self.repeated.clear();
        self.deaf = core.rules.sack_counts_pipe;
    }

    /// The recovery under way was needless.
    pub(super) fn undo(&mut self, core: &Core, seg: &TcpSegment) {
        self.board.update(seg.ack, seg.sack_blocks());
        self.board.high_rxt = 0;
        self.rescue = None;
        self.repeated.clear();
        if core.rules.sack_counts_pipe {
            self.settle();
        }
    }

    /// Sends what the window (in recovery: the pipe) allows.
    pub(super) fn send(&mut self, core: &mut Core, cx: &mut Cx) {
        if core.loss.is_recovering() {
            if core.rules.sack_counts_pipe {
                self.ns2_send(core, cx)
            } else {
                self.send_in_recovery(core, cx)
            }
            return;
        }
        if core.rules.sack_counts_pipe || !core.seq.is_going_over() {
            return core.send(u32::MAX, cx);
        }
        // Behind a timeout: what has been reported since is not sent again.
        let usable = core.usable();
        loop {
            if let Some(end) = self.board.held_until(core.seq.nxt()) {
                core.seq.skip_to(end);
            }
            if !core.has_room_but_for(self.board.held_below(core.seq.nxt()), usable) || !core.admits(cx) {
                return;
            }
            let limit = self.board.next_hole(core.seq.nxt()).map_or(u64::MAX, |h| h.end);
            let after = core.transmit(core.seq.nxt(), limit, cx);
            core.seq.move_to(after);
        }
    }

    /// Proportional rate reduction hears of an ACK in recovery, `before` which so many bytes had arrived.
    fn reduce(&self, core: &mut Core, before: Option<u64>, safe: bool) {
        if let Some(before) = before {
            core.reduce(self.arrived(core.seq.una()) - before, self.in_flight(core), safe);
        }
    }

    /// The number of bytes that are known to have arrived.
    fn arrived(&self, una: u64) -> u64 {
        una + self.board.held_below(u64::MAX)
    }

    /// RFC 6675's pipe, without repetitions that are lost.
    fn in_flight(&self, core: &Core) -> u64 {
        let highest = self.board.highest();
        let lost: u64 = self.repeated.iter().filter(|r| highest > r.next).map(|r| r.data.end - r.data.start).sum();
        self.board.pipe(core.seq.una(), core.seq.max()).saturating_sub(lost)
    }

    /// Sends the data from `start` to the end of its segment, or of the hole, again.
    fn repeat(&mut self, core: &mut Core, start: u64, end: u64, cx: &mut Cx) {
        let end = core.transmit(start, end, cx);
        self.board.high_rxt = end;
        if self.board.fack {
            self.repeated.push(Repetition { data: SackBlock { start, end }, next: core.seq.max() });
        }
    }

    /// The record has changed: repetitions that have come are no longer looked at.
    fn forget_arrived(&mut self, una: u64) {
        let board = &self.board;
        self.repeated.retain(|r| r.data.start >= una && board.held_until(r.data.start).is_none());
    }

    /// RFC 6675 5 step C: one segment at a time while cwnd - pipe has room for it.
    fn send_in_recovery(&mut self, core: &mut Core, cx: &mut Cx) {
        core.halve_before(self.in_flight(core));
        while self.in_flight(core) + core.mss <= core.flight_limit() {
            if !core.admits(cx) || !self.send_next(core, cx) {
                return;
            }
            core.halve_after(self.in_flight(core));
        }
    }

    /// NextSeg: lost repetitions and lost data first, then new data, then holes not yet given up, then the rescue of
    /// the tail.
    fn send_next(&mut self, core: &mut Core, cx: &mut Cx) -> bool {
        let highest = self.board.highest();
        if let Some(lost) = self.repeated.iter_mut().find(|r| highest > r.next) {
            core.transmit(lost.data.start, lost.data.end, cx);
            lost.next = core.seq.max();
            return true;
        }
        let hole = self.board.next_hole(self.board.high_rxt.max(core.seq.una()));
        if let Some(hole) = hole.filter(|h| self.board.is_lost(h.start)) {
            self.repeat(core, hole.start, hole.end, cx);
        } else if !core.seq.is_going_over() && core.has_room(core.peer.segments()) {
            core.transmit_next(cx);
        } else if let Some(hole) = hole {
            self.repeat(core, hole.start, hole.end, cx);
        } else if self.rescue.is_none_or(|rescue| core.seq.una() > rescue) && core.seq.una() < core.loss.recover() {
            return self.rescue_tail(core, cx);
        } else {
            return false;
        }
        true
    }

    /// Repeats the last outstanding segment: the tail of the window may be lost with nothing above to show it.
    fn rescue_tail(&mut self, core: &mut Core, cx: &mut Cx) -> bool {
        let start = core.seq.last_segment();
        if self.board.held_until(start).is_some() {
            return false;
        }
        core.transmit(start, core.seq.max(), cx);
        self.rescue = Some(core.loss.recover());
        false // NextSeg gives it once, and it does not move HighRxt
    }

    // ns-2's Sack1.

    fn ns2_new_ack(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) {
        if !core.loss.is_recovering() {
            core.accept_and_grow(seg.ack, cx);
            self.settle();
        } else if seg.ack >= core.loss.recover() {
            core.loss.end_recovery();
            core.loss.set_recover(0); // the next loss may start a recovery at once
            core.accept(seg.ack, cx);
            self.settle();
        } else {
            // A partial ACK takes two segments out of the pipe: the lost original and its repetition.
            self.pipe -= 2;
            self.board.update(seg.ack, seg.sack_blocks());
            core.advance(seg.ack);
            core.timing.rtt.end_back_off();
            core.timing.restart(cx);
        }
        self.send(core, cx);
    }

    fn settle(&mut self) {
        self.deaf = false;
        self.board.clear();
    }

    fn ns2_dup_ack(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) {
        // Behind a timeout ns-2 gets reports of what it is sending again, and acts on none.
        let is_new = !self.deaf && self.board.update(core.seq.una(), seg.sack_blocks());
        if core.loss.is_recovering() {
            self.pipe -= 1;
            self.send(core, cx);
            return;
        }
        if is_new {
            let count = core.loss.count_dupack();
            if count.is_eq() && core.may_fast_retransmit() {
                let outstanding = (core.seq.outstanding()).div_ceil(core.mss) as i64;
                // Each duplicate that led here is a segment that has left the network.
                self.pipe = outstanding - i64::from(core.loss.threshold());
                core.start_recovery(cx);
                core.loss.enter_recovery();
                self.board.high_rxt = core.transmit(core.seq.una(), u64::MAX, cx);
            } else if count.is_lt() {
                core.limited_transmit(cx);
            }
        }
        if core.loss.dupacks() == 0 {
            core.send(u32::MAX, cx);
        }
    }

    /// Holes first, each once, then new data, while the pipe is below the window.
    fn ns2_send(&mut self, core: &mut Core, cx: &mut Cx) {
        let cwnd = core.window.cwnd as i64;
        while self.pipe < cwnd {
            if let Some(hole) = self.board.next_hole(self.board.high_rxt.max(core.seq.una())) {
                self.board.high_rxt = core.transmit(hole.start, hole.end, cx);
            } else if core.has_room(core.peer.segments()) {
                core.transmit_next(cx);
            } else {
                return;
            }
            self.pipe += 1;
        }
    }
}
