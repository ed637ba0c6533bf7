//! A timer that is restarted on every ACK but enters the event queue only when it must.

use super::{Cx, TcpEffect, TcpTimer};
use crate::units::Time;

/// A deadline and the expiry queued for it. See [`TcpTimer`] for the protocol with the caller.
#[derive(Debug, Clone, Copy)]
pub(super) struct LazyTimer {
    kind: TcpTimer,
    /// When the timer shall expire; none: stopped.
    deadline: Option<Time>,
    /// The expiry the caller holds; none: nothing queued.
    armed: Option<Time>,
}

impl LazyTimer {
    pub(super) fn new(kind: TcpTimer) -> Self {
        LazyTimer { kind, deadline: None, armed: None }
    }

    /// True between `set` and `stop` or the expiry.
    pub(super) fn running(&self) -> bool {
        self.deadline.is_some()
    }

    /// (Re)starts the timer.
    pub(super) fn set(&mut self, at: Time, cx: &mut Cx) {
        self.deadline = Some(at);
        if self.armed.is_none_or(|armed| armed > at) {
            self.armed = Some(at);
            cx.push(TcpEffect::Arm(self.kind, at));
        }
    }

    /// Stops the timer; a queued expiry stays queued and will be ignored.
    pub(super) fn stop(&mut self) {
        self.deadline = None;
    }

    /// Stops the timer for good: the queued expiry goes too.
    pub(super) fn retire(&mut self, cx: &mut Cx) {
        self.deadline = None;
        if self.armed.take().is_some() {
            cx.push(TcpEffect::Disarm(self.kind));
        }
    }

    /// Takes a queued expiry; true when the deadline is reached, which stops the timer.
    pub(super) fn fires(&mut self, cx: &mut Cx) -> bool {
        self.armed = None;
        match self.deadline {
            Some(at) if cx.now >= at => {
                self.deadline = None;
                true
            }
            Some(at) => {
                self.set(at, cx);
                false
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restart_costs_no_queue_entry_until_the_early_expiry() {
        let mut timer = LazyTimer::new(TcpTimer::Rto);
        let mut out = Vec::new();
        timer.set(Time(100), &mut Cx { now: Time(0), out: &mut out });
        timer.set(Time(150), &mut Cx { now: Time(50), out: &mut out });
        assert_eq!(out, [TcpEffect::Arm(TcpTimer::Rto, Time(100))]);
        out.clear();
        assert!(!timer.fires(&mut Cx { now: Time(100), out: &mut out }));
        assert_eq!(out, [TcpEffect::Arm(TcpTimer::Rto, Time(150))]);
        assert!(timer.fires(&mut Cx { now: Time(150), out: &mut out }));
        assert!(!timer.running());
    }

    #[test]
    fn an_earlier_deadline_replaces_the_queued_expiry() {
        let mut timer = LazyTimer::new(TcpTimer::DelayedAck);
        let mut out = Vec::new();
        let mut cx = Cx { now: Time(0), out: &mut out };
        timer.set(Time(100), &mut cx);
        timer.set(Time(40), &mut cx);
        timer.stop();
        assert!(!timer.running());
        timer.retire(&mut cx);
        timer.retire(&mut cx);
        let kind = TcpTimer::DelayedAck;
        assert_eq!(out, [TcpEffect::Arm(kind, Time(100)), TcpEffect::Arm(kind, Time(40)), TcpEffect::Disarm(kind)]);
    }
}
