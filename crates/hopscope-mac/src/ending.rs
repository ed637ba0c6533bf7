//! How an attempt and an exchange end: what an ACK or its absence means for counts, contention window, rate and the packet
//! (IEEE 802.11-2020 10.3.3 and 10.3.4.4).

use crate::config::mac::PacingClock;
use crate::dcf::{Dcf, FrameKind, MacCx, Outcome, Phase};
use crate::outgoing::Outgoing;
use crate::rate::Attempt;
use crate::retry::Failure;
use crate::rules::Pacing;
use hopscope_core::ids::NodeId;

impl Dcf {
    #[inline]
    pub(super) fn on_success(&mut self, cx: &mut MacCx<'_>) {
        if let Some(out) = &self.current {
            self.retries.on_ack(out.rts);
            self.rates.report(cx.rules.rate_rules.as_deref(), out.to, Attempt::Acknowledged, cx.now);
            if let Some(failures) = &mut self.failures {
                failures.on_acknowledged(out.to, cx.now);
            }
        }
        // The ACK of a fragment resets the window like any other (10.3.3).
        cx.station.reset_cw(&cx.rules.station);
        if cx.rules.fragmentation.is_none() || !self.next_fragment(cx) {
            self.finish(Outcome::Sent, true, cx);
        }
    }

    pub(super) fn on_failure(&mut self, cx: &mut MacCx<'_>) {
        let Some(out) = &mut self.current else { return };
        let frame = if self.phase == Phase::WaitCts { FrameKind::Rts } else { FrameKind::Data };
        let rate_rules = cx.rules.rate_rules.as_deref();
        // The rate control first: one with a chain of rates has the say over the packet, whatever the retry limits
        // are.
        let decided = self.rates.report(rate_rules, out.to, Attempt::Unanswered(frame), cx.now);
        self.attempts.data_failures += u64::from(frame == FrameKind::Data);
        if let Some(failures) = &mut self.failures {
            failures.on_unanswered(out.to, 1);
        }
        let Failure { gives_up, resets_cw } =
            self.retries.on_failure(frame == FrameKind::Data && out.rts, &cx.rules.retry, decided);
        if resets_cw {
            cx.station.reset_cw(&cx.rules.station);
        } else {
            cx.station.double_cw(&cx.rules.station);
        }
        if gives_up {
            self.attempts.retry_drops += 1;
            if let Some(failures) = &mut self.failures {
                failures.on_given_up(out.to, cx.now);
            }
            if frame == FrameKind::Rts {
                // It has seen the failures of data frames only, and would take the packet for one under way.
                self.rates.report(rate_rules, out.to, Attempt::Abandoned, cx.now);
            }
            self.finish(Outcome::RetryLimit, cx.rules.backoff_after_drop, cx);
        } else {
            // After the report: the rate may have changed, and airtime and RTS with it.
            out.prepare(&self.rates, cx.rules);
            self.attempts.retries += 1;
            self.phase = Phase::Contend;
            cx.out.failed = true;
            cx.station.start_backoff(cx.now, &cx.rules.station);
        }
    }

    pub(super) fn finish(&mut self, outcome: Outcome, post_backoff: bool, cx: &mut MacCx<'_>) {
        let Some(out) = self.current.take() else { return };
        self.phase = Phase::Idle;
        // A timer that still runs for this packet must mean nothing to the next one.
        self.response_timer.renew();
        if post_backoff {
            cx.station.start_post_backoff(cx.now, &cx.rules.station);
            if let Some(pacing) = out.pacing.filter(|_| outcome == Outcome::Sent && out.to != NodeId::BROADCAST) {
                self.pace(&out, pacing, cx);
            }
        }
        cx.out.done = Some((out.packet, outcome));
    }

    /// Lengthens the back-off by one exchange (fu2003, algorithm 2).
    fn pace(&self, out: &Outgoing, pacing: Pacing, cx: &mut MacCx<'_>) {
        let added = match (&cx.rules.fragmentation, pacing.overhead) {
            (None, false) => out.airtime(),
            (None, true) => out.airtime() + cx.rules.overhead(out.to, out.mode, out.rts),
            (Some(cut), false) => cx.rules.fragments_airtime(cut, out.mode, out.bytes),
            (Some(_), true) => cx.rules.exchange(out.to, out.bytes - cx.rules.header),
        };
        match pacing.clock {
            PacingClock::Backoff => cx.station.lengthen_backoff(added, &cx.rules.station),
            PacingClock::Wall => cx.station.delay_backoff(cx.now + added),
        }
    }
}
