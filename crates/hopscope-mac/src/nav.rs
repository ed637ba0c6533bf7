//! The network allocation vector of a station (IEEE 802.11-2020 10.3.2.4): one that an RTS has set falls back unless a frame
//! follows it within NAVTimeout.

use super::contention::{NAV_BEFORE, NAV_UNCONFIRMED, Station};
use super::rules::{StationRuleSet, StationRules};
use hopscope_core::units::{Span, Time};

impl Station {
    /// Extends the NAV to `until`; a shorter value changes nothing.
    #[inline]
    pub(super) fn extend_nav<S: StationRuleSet>(&mut self, until: Time, rules: &StationRules) {
        if until > self.nav_until {
            self.nav_until = until;
            // Longer than the NAV of the RTS, if that is why it runs: this reservation does not fall back.
            if S::nav_reset(rules) {
                self.radio.clear(NAV_UNCONFIRMED);
            }
        }
    }

    /// Extends the NAV by the `nav` nanoseconds of an RTS that ended at `end`; unless a frame begins in time, it will
    /// fall back.
    #[inline]
    pub(super) fn extend_nav_by_rts(&mut self, end: Time, nav: u32, rules: &StationRules) {
        let until = end + Span(u64::from(nav));
        if until <= self.nav_until {
            return;
        }
        let before = self.nav_end();
        // A NAV that ends before it could fall back never does.
        let ahead = Span(u64::from(nav)).saturating_sub(rules.timing.nav_reset);
        self.nav_until = until;
        self.radio.set_owner_span(ahead);
        self.radio.set(NAV_UNCONFIRMED);
        // A reservation that ends by the instant of decision is over by then; only a longer one has to be remembered.
        if before > self.nav_reset_at() {
            self.own_mut().nav_before = before;
            self.radio.set(NAV_BEFORE);
        } else {
            self.radio.clear(NAV_BEFORE);
        }
    }

    /// A CF-End has come: nothing is reserved any more (10.23.2.9).
    pub(super) fn free_nav(&mut self, at: Time) {
        self.radio.clear(NAV_UNCONFIRMED | NAV_BEFORE);
        self.nav_until = at;
    }

    /// Without a frame until then, a NAV set by an RTS falls back.
    #[inline]
    fn nav_reset_at(&self) -> Time {
        Time(self.nav_until.0 - self.radio.owner_span().0)
    }

    /// What an unconfirmed NAV falls back to.
    #[inline]
    fn nav_fallback(&self) -> Time {
        if self.radio.has(NAV_BEFORE) { self.own().nav_before } else { self.nav_reset_at() }
    }

    /// A frame begins at `at` that can confirm a NAV set by an RTS: it does, or comes after its reset.
    #[inline]
    pub(super) fn confirm_nav(&mut self, at: Time, rules: &StationRules) {
        if self.radio.has(NAV_UNCONFIRMED) {
            self.radio.clear(NAV_UNCONFIRMED);
            let reset_at = self.nav_reset_at();
            // The standard asks for PHY-RXSTART.indication in time, which comes after preamble and header (10.3.2.4).
            let latest = if rules.nav_by_carrier { reset_at } else { rules.timing.announced_by(reset_at) };
            if at > latest {
                self.nav_until = self.nav_fallback();
            }
        }
    }

    /// The receiver may have decided to keep the frame whose preamble it has heard.
    #[cold]
    pub(super) fn confirm_nav_if_kept(&mut self, rules: &StationRules) {
        if let Some(since) = self.radio.kept_since() {
            self.confirm_nav(since, rules);
        }
    }

    /// The end of the NAV, if no frame begins from now on: the earliest instant it can end.
    #[inline]
    pub(super) fn nav_end(&self) -> Time {
        if self.radio.has(NAV_UNCONFIRMED) { self.nav_fallback() } else { self.nav_until }
    }

    /// True when the NAV has ended.
    #[inline]
    pub fn nav_idle(&self, now: Time) -> bool {
        self.nav_end() <= now
    }
}
