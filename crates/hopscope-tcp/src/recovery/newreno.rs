//! NewReno: fast recovery goes on through partial ACKs until everything outstanding at its start is acknowledged
//! (RFC 6582, the impatient variant: only the first partial ACK restarts the timer).

use super::super::Cx;
use super::super::core::Core;
use super::reno;

#[derive(Debug, Clone, Default)]
pub(in super::super) struct NewReno {
    /// A partial ACK has come in this recovery.
    partial: bool,
}

impl NewReno {
    pub(super) fn reset(&mut self) {
        self.partial = false;
    }

    pub(super) fn on_new_ack(&mut self, core: &mut Core, ack: u64, cx: &mut Cx) {
        if core.loss.is_recovering() && ack < core.loss.recover() {
            self.on_partial_ack(core, ack, cx);
            core.send(core.rules.recovery_burst, cx);
            return;
        }
        self.partial = false;
        let recovering = core.loss.end_recovery();
        core.window.inflation = 0.0;
        if recovering && !core.rules.recovery_end_grows {
            core.accept(ack, cx);
            // RFC 6582 3.2 step 3, full acknowledgements, option 1: no burst at the end.
            core.window.cwnd = core.window.ssthresh.min(core.flight().max(1.0) + 1.0);
        } else {
            core.accept_and_grow(ack, cx);
        }
        core.send(u32::MAX, cx);
    }

    fn on_partial_ack(&mut self, core: &mut Core, ack: u64, cx: &mut Cx) {
        if !self.partial {
            self.partial = true;
            core.timing.restart(cx);
        }
        // Deflate by what is acknowledged and put one segment back.
        let acked = (ack - core.seq.una()) as f64 / core.mss as f64;
        // One segment is put back only for an ACK of at least one (RFC 6582 3.2 step 3).
        let back = if acked < 1.0 { 0.0 } else { 1.0 };
        let w = &mut core.window;
        if w.inflation > acked {
            w.inflation -= acked - back;
        } else {
            w.cwnd = (w.cwnd - (acked - w.inflation)).max(1.0);
            w.inflation = back;
        }
        core.advance(ack);
        core.retransmit_first(cx);
    }

    pub(super) fn on_dup_ack(&mut self, core: &mut Core, cx: &mut Cx) {
        if reno::count_dup_ack(core, cx) && core.may_fast_retransmit() {
            self.partial = false;
            reno::enter(core, cx);
        }
        if core.loss.dupacks_to_threshold().is_ge() {
            core.send(core.rules.recovery_burst, cx);
        }
    }
}
