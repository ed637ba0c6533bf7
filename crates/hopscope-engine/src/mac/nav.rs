//! The network allocation vector (IEEE 802.11-2020 10.3.2.4).

use crate::units::Time;

/// Virtual carrier sense of one station.
#[derive(Debug, Clone, Copy)]
pub struct Nav {
    until: Time,
    /// Set by an RTS and not yet confirmed by a following frame: may be reset then.
    reset_at: Time,
}

impl Default for Nav {
    fn default() -> Self {
        Nav { until: Time::ZERO, reset_at: Time::NEVER }
    }
}

impl Nav {
    /// Extends the NAV to `until`; a shorter value changes nothing.
    #[inline]
    pub fn extend(&mut self, until: Time) {
        if until > self.until {
            self.until = until;
            self.reset_at = Time::NEVER;
        }
    }

    /// Extends the NAV because of an RTS; unless a frame begins by `reset_at`, it falls back to that instant.
    #[inline]
    pub fn extend_by_rts(&mut self, until: Time, reset_at: Time) {
        if until > self.until {
            self.until = until;
            self.reset_at = reset_at;
        }
    }

    /// A frame begins at `at`: it either confirms the NAV or comes after its reset.
    #[inline]
    pub fn on_frame_start(&mut self, at: Time) {
        if self.reset_at != Time::NEVER {
            if at > self.reset_at {
                self.until = self.until.min(self.reset_at);
            }
            self.reset_at = Time::NEVER;
        }
    }

    /// The end of the NAV, if no frame begins from now on: the earliest instant it can end.
    #[inline]
    pub fn until(&self) -> Time {
        self.until.min(self.reset_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_longer_values_count() {
        let mut nav = Nav::default();
        nav.extend(Time(100));
        nav.extend(Time(50));
        assert_eq!(nav.until(), Time(100));
    }

    #[test]
    fn an_rts_without_a_following_frame_is_forgotten() {
        let mut nav = Nav::default();
        nav.extend_by_rts(Time(1_000), Time(300));
        assert_eq!(nav.until(), Time(300));
        nav.on_frame_start(Time(400));
        assert_eq!(nav.until(), Time(300), "the reset had happened before the frame");
    }

    #[test]
    fn a_following_frame_confirms_the_nav() {
        let mut nav = Nav::default();
        nav.extend_by_rts(Time(1_000), Time(300));
        nav.on_frame_start(Time(200));
        assert_eq!(nav.until(), Time(1_000));
    }
}
