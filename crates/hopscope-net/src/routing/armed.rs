//! The expiries a machine has asked for.

use super::RoutingEffect;
use hopscope_core::units::Time;

/// The expiries the caller holds, one for each of `N` timers. A deadline later than the one held is asked for when that
/// one comes.
#[derive(Debug)]
pub(crate) struct Armed<const N: usize>([Time; N]);

impl<const N: usize> Armed<N> {
    pub(crate) fn new() -> Self {
        Armed([Time::NEVER; N])
    }

    /// Makes sure that an expiry comes at `at` or before.
    pub(crate) fn by(&mut self, timer: u8, at: Time, out: &mut Vec<RoutingEffect>) {
        let armed = &mut self.0[usize::from(timer)];
        if at < *armed {
            *armed = at;
            out.push(RoutingEffect::Arm(timer, at));
        }
    }

    /// Takes an expiry; false when a later `Arm` has replaced it.
    pub(crate) fn fires(&mut self, timer: u8, now: Time) -> bool {
        let armed = &mut self.0[usize::from(timer)];
        let due = *armed <= now;
        if due {
            *armed = Time::NEVER;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_earlier_deadline_is_asked_for() {
        let (mut armed, mut out) = (Armed::<3>::new(), Vec::new());
        armed.by(2, Time(50), &mut out);
        armed.by(2, Time(60), &mut out);
        armed.by(2, Time(40), &mut out);
        assert_eq!(out, [RoutingEffect::Arm(2, Time(50)), RoutingEffect::Arm(2, Time(40))]);
        assert!(armed.fires(2, Time(40)));
        assert!(!armed.fires(2, Time(50)), "the replaced expiry is ignored");
        assert!(!armed.fires(0, Time(50)), "never asked for");
    }
}
