//! The back-off of a station: when the medium, which [`contention`](super::contention) follows, is its own (IEEE
//! 802.11-2020 10.3.4.2 and 10.3.4.3).
//!
//! One access event per station stands at the earliest instant the back-off can end as far as is known; when it comes,
//! the station has either reached zero and sends, or names the next such instant.
//!
//! ```text
//!          draw                 medium idle since t          zero slots left
//!  (none) ------> PENDING ---------------------------> count -----------------> send
//!                    ^          slots from t + IFS        |
//!                    +------------------------------------+
//!                              a frame begins: freeze
//! ```

use super::contention::{EIFS, FREEZES, Station};
use crate::config::mac::BusyAtExpiry;
use crate::rules::StationRules;
use hopscope_core::units::{Span, Time};

/// Kind of pending access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Nothing to send and no post-back-off.
    None,
    /// Idle medium: send after the IFS unless a frame begins first.
    Immediate,
    /// Back-off that freezes.
    Backoff,
    /// Back-off that runs on while the medium is busy (older simulators).
    NonFreezing,
}

/// Answer of [`Station::poll_access`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessAnswer {
    /// Nothing is pending.
    Nothing,
    /// The medium is ours now.
    Granted,
    /// Not yet: ask again then. The caller queues the access event.
    Later(Time),
}

/// How a station with a packet spends the time since the medium has become idle: what observers receive and may ask for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuietPlan {
    /// The medium is reserved until then.
    pub nav_until: Time,
    /// Then the inter-frame space lasts until here; slots are counted from here on.
    pub ifs_until: Time,
    /// It is EIFS.
    pub eifs: bool,
}

impl QuietPlan {
    /// For times that hold no more than the beginning of an inter-frame space.
    pub const NONE: QuietPlan = QuietPlan { nav_until: Time::ZERO, ifs_until: Time::NEVER, eifs: false };
}

impl Station {
    /// What the quiet time since the medium has become idle consists of; edges must be applied up to now.
    #[inline]
    pub fn quiet_plan(&self, rules: &StationRules) -> QuietPlan {
        let busy_until = self.busy_until();
        let eifs_until = self.eifs_until();
        let from = match self.own().access {
            Access::NonFreezing => self.own().armed_at,
            _ if rules.ifs_from_start => busy_until.max(eifs_until).max(self.own().armed_at),
            _ => busy_until.max(eifs_until),
        };
        QuietPlan { nav_until: self.nav_end(), ifs_until: from + rules.timing.difs, eifs: eifs_until > busy_until }
    }

    /// Contention window, slots.
    #[inline]
    pub fn cw(&self) -> u32 {
        self.own().cw
    }

    /// Doubles the contention window after a failure.
    #[inline]
    pub fn double_cw(&mut self, rules: &StationRules) {
        // Windows are powers of two less one (10.3.3): this is the next one.
        self.own_mut().cw = (2 * self.own().cw + 1).min(rules.cw_max);
    }

    /// Contention window back to its least value.
    #[inline]
    pub fn reset_cw(&mut self, rules: &StationRules) {
        self.own_mut().cw = rules.cw_min;
    }

    /// A frame to send has come: true when a back-off is already running that it can use.
    pub fn adopt_post_backoff(&mut self, now: Time, rules: &StationRules) -> bool {
        if self.own().post_only && self.own().access != Access::None {
            // No event stands at the end of a back-off that nobody waits for: it may have ended long ago.
            let is_over = self.expiry(self.busy_until(), rules) <= now;
            let has_no_slot = rules.draws_if_found_busy && self.own().remaining == 0;
            if is_over || has_no_slot {
                self.set_access(Access::None);
            }
        }
        self.own_mut().post_only = false;
        self.own().access != Access::None
    }

    /// Draws the back-off that follows a finished frame exchange.
    pub fn start_post_backoff(&mut self, now: Time, rules: &StationRules) {
        self.start_backoff(now, rules);
        self.own_mut().post_only = true;
    }

    /// Adds the slots that make up `added` to the pending back-off.
    pub fn lengthen_backoff(&mut self, added: Span, rules: &StationRules) {
        // Only whole slots are counted down; rounded up, the back-off is never shorter than what was added.
        self.own_mut().remaining += added.0.div_ceil(rules.timing.slot.0) as u32;
    }

    /// The pending back-off counts from `at` on.
    pub fn delay_backoff(&mut self, at: Time) {
        self.own_mut().armed_at = at;
    }

    /// Draws a back-off that counts from `now` on.
    pub fn start_backoff(&mut self, now: Time, rules: &StationRules) {
        self.set_access(Access::Backoff);
        self.own_mut().post_only = false;
        self.own_mut().armed_at = now;
        self.own_mut().remaining = self.draw(rules);
    }

    /// Draws a back-off that does not freeze.
    pub fn start_nonfreezing(&mut self, now: Time, rules: &StationRules) {
        self.start_backoff(now, rules);
        // After the draw, which has made it a back-off that freezes.
        self.set_access(Access::NonFreezing);
    }

    /// Waits for the rest of the IFS only; a frame that begins first makes it a back-off.
    pub fn start_immediate(&mut self, now: Time) {
        self.set_access(Access::Immediate);
        self.own_mut().armed_at = now;
        self.own_mut().remaining = 0;
    }

    /// At `now` with all edges applied: is access granted, and if not, when to ask again?
    #[inline]
    pub fn poll_access(&mut self, now: Time, rules: &StationRules) -> AccessAnswer {
        if self.own().access == Access::None || self.own().post_only {
            return AccessAnswer::Nothing;
        }
        let busy_until = self.busy_until();
        let expiry = self.expiry(busy_until, rules);
        if expiry > now {
            return self.ask_at(self.with_eifs_ended(expiry, busy_until, now, rules));
        }
        // By the standard the count is over only where the medium is idle. ns-2 asks at the end, and takes a busy
        // medium for a failed attempt (docs/models/ns2.md, 22).
        if rules.busy_at_expiry == BusyAtExpiry::DoubleCw && !self.is_idle(now) {
            self.double_cw(rules);
            self.start_backoff(now, rules);
            return self.ask_at(self.earliest_access(now, rules).max(now));
        }
        self.set_access(Access::None);
        AccessAnswer::Granted
    }

    fn ask_at(&mut self, at: Time) -> AccessAnswer {
        debug_assert!(self.own().queued_at == Time::NEVER, "the access event has just come up");
        self.own_mut().queued_at = at;
        AccessAnswer::Later(at)
    }

    /// The access event to queue now, if a frame waits and none stands early enough.
    #[inline]
    pub fn access_to_queue(&mut self, now: Time, rules: &StationRules) -> Option<Time> {
        if self.own().access == Access::None || self.own().post_only {
            return None;
        }
        let at = self.earliest_access(now, rules).max(now);
        // The event that stands will find out by itself that it came too early.
        if self.own().queued_at <= at {
            return None;
        }
        self.own_mut().queued_at = at;
        Some(at)
    }

    /// An access event came up at `now`; false when a later decision made it stale.
    #[inline]
    pub fn access_event(&mut self, now: Time) -> bool {
        // No event is taken out of the queue. One that an earlier one has replaced finds another instant noted, or
        // none.
        let live = self.own().queued_at == now;
        if live {
            self.own_mut().queued_at = Time::NEVER;
        }
        live
    }

    fn set_access(&mut self, access: Access) {
        self.own_mut().access = access;
        self.own_mut().due = Time::NEVER;
        if matches!(access, Access::Immediate | Access::Backoff) {
            self.radio.set(FREEZES);
        } else {
            self.radio.clear(FREEZES);
        }
    }

    /// First instant of the count of slots, the medium being idle from `busy_until` on.
    #[inline]
    fn count_from(&self, busy_until: Time, rules: &StationRules) -> Time {
        let difs = rules.timing.difs;
        match self.own().access {
            Access::NonFreezing => self.own().armed_at + difs,
            // ns-2 and ns-3 let DIFS begin with the back-off. By the standard idle time before it counts (10.3.4.3),
            // so that only the slots wait for it.
            _ if rules.ifs_from_start => busy_until.max(self.eifs_until()).max(self.own().armed_at) + difs,
            _ => (busy_until.max(self.eifs_until()) + difs).max(self.own().armed_at),
        }
    }

    /// The earliest instant at which access can be granted, whatever begins from `now` on.
    #[inline]
    fn earliest_access(&self, now: Time, rules: &StationRules) -> Time {
        let busy_until = self.busy_until();
        self.with_eifs_ended(self.expiry(busy_until, rules), busy_until, now, rules)
    }

    /// The same for a back-off that ends at `expiry` if nothing begins any more.
    ///
    /// Later frames only put it off, with one exception: a correct frame ends EIFS. It has to begin first and to last,
    /// unless it is on the air already.
    #[inline]
    fn with_eifs_ended(&self, expiry: Time, busy_until: Time, now: Time, rules: &StationRules) -> Time {
        if !self.radio.has(EIFS) {
            return expiry;
        }
        let shortest = if self.radio.is_quiet() { rules.timing.shortest_response } else { Span::ZERO };
        let after_frame = busy_until.max(now + shortest) + rules.timing.difs;
        expiry.min(after_frame + rules.timing.slot * u64::from(self.own().remaining)).max(now)
    }

    #[inline]
    fn expiry(&self, busy_until: Time, rules: &StationRules) -> Time {
        if self.own().due != Time::NEVER {
            return self.own().due;
        }
        self.count_from(busy_until, rules) + rules.timing.slot * u64::from(self.own().remaining)
    }

    /// A frame begins at `at`; `busy_until` is what was known just before. `unseen` is the time it takes to sense it.
    pub(super) fn freeze(&mut self, at: Time, busy_until: Time, unseen: Span, rules: &StationRules) {
        // Most frames begin before the count does: they leave it as it is.
        let before_count = self.own().access == Access::Backoff && at + unseen < busy_until + rules.timing.difs;
        if before_count || self.own().due != Time::NEVER {
            return;
        }
        let count_from = self.count_from(busy_until, rules);
        let expiry = count_from + rules.timing.slot * u64::from(self.own().remaining);
        if expiry <= at + unseen {
            // Nothing waits for the end of a post-back-off: it has ended. A frame that waits goes out whatever begins
            // from here on.
            if self.own().post_only {
                self.set_access(Access::None);
            } else {
                self.own_mut().due = expiry;
            }
            return;
        }
        // Whoever has to defer draws a back-off (10.3.4.3); in ns-3 one of no slots, as the packet had found the
        // medium idle.
        if self.own().access == Access::Immediate {
            self.set_access(Access::Backoff);
            self.own_mut().remaining = if rules.draws_if_found_busy { 0 } else { self.draw(rules) };
        } else if at > count_from {
            // Whole slots alone count; the one in which the frame begins is waited for again.
            self.own_mut().remaining -= ((at + rules.slot_rounding - count_from).0 / rules.timing.slot.0) as u32;
        }
    }

    fn draw(&mut self, rules: &StationRules) -> u32 {
        let own = self.own_mut();
        // The standard draws from 0 to CW; some simulators leave CW out.
        own.rng.below(own.cw + u32::from(rules.backoff_includes_cw))
    }
}
