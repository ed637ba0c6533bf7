//! Both sides of a timer: the machine's, restarted on every ACK but queued only when it must, and the caller's.

use super::{Cx, Timer, TransportEffect};
use hopscope_core::units::Time;

/// A deadline and the expiry queued for it. See [`Timer`] for the protocol with the caller.
#[derive(Debug, Clone, Copy)]
pub(super) struct LazyTimer {
    kind: Timer,
    /// When the timer shall expire; none: stopped.
    deadline: Option<Time>,
    /// The expiry the caller holds; none: nothing queued.
    armed: Option<Time>,
}

impl LazyTimer {
    pub(super) fn new(kind: Timer) -> Self {
        LazyTimer { kind, deadline: None, armed: None }
    }

    /// True between `set` and `stop` or the expiry.
    pub(super) fn running(&self) -> bool {
        self.deadline.is_some()
    }

    /// When it will expire; none: it is stopped.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// (Re)starts the timer.
    pub(super) fn set(&mut self, at: Time, cx: &mut Cx) {
        self.deadline = Some(at);
        if self.armed.is_none_or(|armed| armed > at) {
            self.armed = Some(at);
            cx.push(TransportEffect::Arm(self.kind, at));
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
            cx.push(TransportEffect::Disarm(self.kind));
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

/// The expiries that the caller of one machine holds, at most one of each kind.
#[derive(Debug, Clone, Copy, Default)]
pub struct Expiries([Option<Time>; Timer::COUNT]);

impl Expiries {
    /// Follows an effect of the machine; others than those of timers change nothing.
    pub fn note(&mut self, effect: &TransportEffect) {
        match *effect {
            TransportEffect::Arm(kind, at) => self.0[kind.index()] = Some(at),
            TransportEffect::Disarm(kind) => self.0[kind.index()] = None,
            _ => {}
        }
    }

    /// The earliest expiry at or before `until`; of several at one instant the first kind of [`Timer::ALL`].
    pub fn earliest(&self, until: Time) -> Option<(Timer, Time)> {
        let pending = Timer::ALL.into_iter().filter_map(|kind| Some((kind, self.0[kind.index()]?)));
        pending.filter(|(_, at)| *at <= until).min_by_key(|(_, at)| *at)
    }

    /// The same, and forgets it: `on_timer` is called now.
    pub fn due(&mut self, until: Time) -> Option<(Timer, Time)> {
        let found = self.earliest(until)?;
        self.take(found.0);
        Some(found)
    }

    /// Forgets the expiry of a kind.
    pub fn take(&mut self, kind: Timer) {
        self.0[kind.index()] = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restart_costs_no_queue_entry_until_the_early_expiry() {
        let mut timer = LazyTimer::new(Timer::Rto);
        let mut out = Vec::new();
        timer.set(Time(100), &mut Cx { now: Time(0), out: &mut out });
        timer.set(Time(150), &mut Cx { now: Time(50), out: &mut out });
        assert_eq!(out, [TransportEffect::Arm(Timer::Rto, Time(100))]);
        out.clear();
        assert!(!timer.fires(&mut Cx { now: Time(100), out: &mut out }));
        assert_eq!(out, [TransportEffect::Arm(Timer::Rto, Time(150))]);
        assert!(timer.fires(&mut Cx { now: Time(150), out: &mut out }));
        assert!(!timer.running());
    }

    #[test]
    fn an_earlier_deadline_replaces_the_queued_expiry() {
        let mut timer = LazyTimer::new(Timer::DelayedAck);
        let mut out = Vec::new();
        let mut cx = Cx { now: Time(0), out: &mut out };
        timer.set(Time(100), &mut cx);
        timer.set(Time(40), &mut cx);
        timer.stop();
        assert!(!timer.running());
        timer.retire(&mut cx);
        timer.retire(&mut cx);
        let kind = Timer::DelayedAck;
        assert_eq!(
            out,
            [
                TransportEffect::Arm(kind, Time(100)),
                TransportEffect::Arm(kind, Time(40)),
                TransportEffect::Disarm(kind)
            ]
        );
    }
}
