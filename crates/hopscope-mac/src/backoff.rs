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

use super::contention::{Contender, EIFS, FREEZES, Station};
use crate::config::mac::BusyAtExpiry;
use crate::rules::StationRules;
use hopscope_core::rng::Stream;
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

/// The back-off of one contender of a station: that of the DCF, or of one EDCA function (EDCAF).
#[derive(Debug, Clone)]
#[repr(C)]
pub(super) struct Function {
    pub(super) armed_at: Time,
    /// The back-off ends here whatever begins now: it is too late to sense it. `NEVER` when still open.
    pub(super) due: Time,
    pub(super) remaining: u32,
    cw: u16,
    pub(super) access: Access,
    /// The pending back-off follows a frame and no other waits for it: its end needs no event.
    pub(super) post_only: bool,
}

/// What a function knows of the medium: until when it is busy, and until when a frame received in error keeps it busy.
#[derive(Debug, Clone, Copy)]
pub(super) struct Medium {
    pub(super) busy_until: Time,
    pub(super) eifs_until: Time,
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

impl Function {
    /// One with nothing to send.
    pub(super) fn new(cw_min: u32) -> Self {
        Function {
            armed_at: Time::ZERO,
            due: Time::NEVER,
            remaining: 0,
            cw: window(cw_min),
            access: Access::None,
            post_only: false,
        }
    }

    /// Contention window, slots.
    #[inline]
    pub(super) fn cw(&self) -> u32 {
        u32::from(self.cw)
    }

    /// Doubles the contention window after a failure.
    #[inline]
    pub(super) fn double_cw(&mut self, cw_max: u32) {
        // Windows are powers of two less one (10.3.3): this is the next one.
        self.cw = window((2 * self.cw() + 1).min(cw_max));
    }

    /// Contention window back to its least value.
    #[inline]
    pub(super) fn reset_cw(&mut self, cw_min: u32) {
        self.cw = window(cw_min);
    }

    #[inline]
    pub(super) fn set_access(&mut self, access: Access) {
        self.access = access;
        self.due = Time::NEVER;
    }

    /// True when a frame that begins changes the pending access.
    #[inline]
    pub(super) fn freezes(&self) -> bool {
        matches!(self.access, Access::Immediate | Access::Backoff)
    }

    /// Draws a back-off that counts from `now` on.
    #[inline]
    pub(super) fn start_backoff(&mut self, now: Time, rules: &StationRules, rng: &mut Stream) {
        self.set_access(Access::Backoff);
        self.post_only = false;
        self.armed_at = now;
        self.remaining = self.draw(rules, rng);
    }

    /// Waits for the rest of the IFS only; a frame that begins first makes it a back-off.
    #[inline]
    pub(super) fn start_immediate(&mut self, now: Time) {
        self.set_access(Access::Immediate);
        self.armed_at = now;
        self.remaining = 0;
    }

    /// A frame to send has come: true when a back-off is already running that it can use.
    #[inline]
    pub(super) fn adopt_post_backoff(&mut self, now: Time, medium: Medium, space: Span, rules: &StationRules) -> bool {
        if self.post_only && self.access != Access::None {
            // No event stands at the end of a back-off that nobody waits for: it may have ended long ago.
            let is_over = self.expiry(medium, space, rules) <= now;
            let has_no_slot = rules.draws_if_found_busy && self.remaining == 0;
            if is_over || has_no_slot {
                self.set_access(Access::None);
            }
        }
        self.post_only = false;
        self.access != Access::None
    }

    /// First instant of the count of slots behind an inter-frame space.
    #[inline]
    fn count_from(&self, Medium { busy_until, eifs_until }: Medium, space: Span, rules: &StationRules) -> Time {
        match self.access {
            Access::NonFreezing => self.armed_at + space,
            // ns-2 and ns-3 let DIFS begin with the back-off. By the standard idle time before it counts (10.3.4.3),
            // so that only the slots wait for it.
            _ if rules.ifs_from_start => busy_until.max(eifs_until).max(self.armed_at) + space,
            _ => (busy_until.max(eifs_until) + space).max(self.armed_at),
        }
    }

    /// End of the back-off if nothing begins any more.
    #[inline]
    pub(super) fn expiry(&self, medium: Medium, space: Span, rules: &StationRules) -> Time {
        if self.due != Time::NEVER {
            return self.due;
        }
        self.count_from(medium, space, rules) + rules.timing.slot * u64::from(self.remaining)
    }

    /// A frame begins at `at`; `medium` is what was known just before. `unseen` is the time it takes to sense it.
    #[inline]
    pub(super) fn freeze(
        &mut self,
        at: Time,
        (medium, space): (Medium, Span),
        unseen: Span,
        rules: &StationRules,
        rng: &mut Stream,
    ) {
        let count_from = self.count_from(medium, space, rules);
        let expiry = count_from + rules.timing.slot * u64::from(self.remaining);
        if expiry <= at + unseen {
            // Nothing waits for the end of a post-back-off: it has ended. A frame that waits goes out whatever begins
            // from here on.
            if self.post_only {
                self.set_access(Access::None);
            } else {
                self.due = expiry;
            }
            return;
        }
        // Whoever has to defer draws a back-off (10.3.4.3); in ns-3 one of no slots, as the packet had found the
        // medium idle.
        if self.access == Access::Immediate {
            self.set_access(Access::Backoff);
            self.remaining = if rules.draws_if_found_busy { 0 } else { self.draw(rules, rng) };
        } else if at > count_from {
            // Whole slots alone count; the one in which the frame begins is waited for again.
            self.remaining -= ((at + rules.slot_rounding - count_from).0 / rules.timing.slot.0) as u32;
        }
    }

    fn draw(&self, rules: &StationRules, rng: &mut Stream) -> u32 {
        // The standard draws from 0 to CW; some simulators leave CW out.
        rng.below(self.cw() + u32::from(rules.backoff_includes_cw))
    }
}

/// A contention window as it is kept: the widest has 65,535 slots (`mac.cw_max`).
fn window(slots: u32) -> u16 {
    u16::try_from(slots).unwrap_or(u16::MAX)
}

impl Station {
    /// What the quiet time since the medium has become idle consists of; edges must be applied up to now.
    #[inline]
    pub fn quiet_plan(&self, rules: &StationRules) -> QuietPlan {
        let busy_until = self.busy_until();
        let eifs_until = self.eifs_until();
        let function = &self.own().function;
        let from = match function.access {
            Access::NonFreezing => function.armed_at,
            _ if rules.ifs_from_start => busy_until.max(eifs_until).max(function.armed_at),
            _ => busy_until.max(eifs_until),
        };
        let space = if rules.edca.is_some() { self.shortest_aifs(rules) } else { rules.timing.difs };
        QuietPlan { nav_until: self.nav_end(), ifs_until: from + space, eifs: eifs_until > busy_until }
    }

    /// Contention window, slots.
    #[inline]
    pub fn cw(&self) -> u32 {
        self.own().function.cw()
    }

    /// Doubles the contention window after a failure.
    #[inline]
    pub fn double_cw(&mut self, rules: &StationRules) {
        self.own_mut().function.double_cw(rules.cw_max);
    }

    /// Contention window back to its least value.
    #[inline]
    pub fn reset_cw(&mut self, rules: &StationRules) {
        self.own_mut().function.reset_cw(rules.cw_min);
    }

    /// A frame to send has come: true when a back-off is already running that it can use.
    pub fn adopt_post_backoff(&mut self, now: Time, rules: &StationRules) -> bool {
        let function = &mut self.own_mut().function;
        if !function.post_only {
            return function.access != Access::None;
        }
        let medium = self.medium(self.busy_until());
        let adopted = self.own_mut().function.adopt_post_backoff(now, medium, rules.timing.difs, rules);
        if !adopted {
            self.radio.clear(FREEZES);
        }
        adopted
    }

    /// Draws the back-off that follows a finished frame exchange.
    pub fn start_post_backoff(&mut self, now: Time, rules: &StationRules) {
        self.start_backoff(now, rules);
        self.own_mut().function.post_only = true;
    }

    /// Adds the slots that make up `added` to the pending back-off.
    pub fn lengthen_backoff(&mut self, added: Span, rules: &StationRules) {
        // Only whole slots are counted down; rounded up, the back-off is never shorter than what was added.
        self.own_mut().function.remaining += added.0.div_ceil(rules.timing.slot.0) as u32;
    }

    /// The pending back-off counts from `at` on.
    pub fn delay_backoff(&mut self, at: Time) {
        self.own_mut().function.armed_at = at;
    }

    /// Draws a back-off that counts from `now` on.
    pub fn start_backoff(&mut self, now: Time, rules: &StationRules) {
        let Contender { function, rng, .. } = self.own_mut();
        function.start_backoff(now, rules, rng);
        self.radio.set(FREEZES);
    }

    /// Draws a back-off that does not freeze.
    pub fn start_nonfreezing(&mut self, now: Time, rules: &StationRules) {
        self.start_backoff(now, rules);
        // After the draw, which has made it a back-off that freezes.
        self.own_mut().function.set_access(Access::NonFreezing);
        self.radio.clear(FREEZES);
    }

    /// Waits for the rest of the IFS only; a frame that begins first makes it a back-off.
    pub fn start_immediate(&mut self, now: Time) {
        self.own_mut().function.start_immediate(now);
        self.radio.set(FREEZES);
    }

    /// At `now` with all edges applied: is access granted, and if not, when to ask again?
    #[inline]
    pub fn poll_access(&mut self, now: Time, rules: &StationRules) -> AccessAnswer {
        if !self.waits() {
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
        self.own_mut().function.set_access(Access::None);
        self.radio.clear(FREEZES);
        AccessAnswer::Granted
    }

    /// True when a frame waits for the end of the pending access.
    #[inline(always)]
    fn waits(&self) -> bool {
        let function = &self.own().function;
        function.access != Access::None && !function.post_only
    }

    pub(super) fn ask_at(&mut self, at: Time) -> AccessAnswer {
        debug_assert!(self.own().queued_at == Time::NEVER, "the access event has just come up");
        self.own_mut().queued_at = at;
        AccessAnswer::Later(at)
    }

    /// The access event to queue now, if a frame waits and none stands early enough.
    #[inline]
    pub fn access_to_queue(&mut self, now: Time, rules: &StationRules) -> Option<Time> {
        if !self.waits() {
            return None;
        }
        let busy_until = self.busy_until();
        let expiry = self.expiry(busy_until, rules);
        if self.radio.has(EIFS) {
            return self.access_behind_eifs(expiry, busy_until, now, rules);
        }
        self.queue_at(expiry.max(now))
    }

    /// The same while a frame received in error keeps the medium busy. Called last, so that its caller saves no registers.
    #[inline(never)]
    fn access_behind_eifs(&mut self, expiry: Time, busy_until: Time, now: Time, rules: &StationRules) -> Option<Time> {
        self.queue_at(self.with_eifs_ended(expiry, busy_until, now, rules).max(now))
    }

    /// The access event at `at`, unless one stands early enough.
    #[inline]
    pub(super) fn queue_at(&mut self, at: Time) -> Option<Time> {
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

    /// The earliest instant at which access can be granted, whatever begins from `now` on.
    #[inline]
    fn earliest_access(&self, now: Time, rules: &StationRules) -> Time {
        let busy_until = self.busy_until();
        self.with_eifs_ended(self.expiry(busy_until, rules), busy_until, now, rules)
    }

    #[inline]
    fn with_eifs_ended(&self, expiry: Time, busy_until: Time, now: Time, rules: &StationRules) -> Time {
        if !self.radio.has(EIFS) {
            return expiry;
        }
        let behind = rules.timing.difs + rules.timing.slot * u64::from(self.own().function.remaining);
        self.if_eifs_ends(expiry, (busy_until, behind), now, rules)
    }

    /// The earliest end of a back-off that ends at `expiry` if nothing begins any more, and `behind` after the medium has
    /// become idle.
    ///
    /// Later frames only put it off, with one exception: a correct frame ends EIFS. It has to begin first and to last,
    /// unless it is on the air already.
    #[inline]
    pub(super) fn if_eifs_ends(
        &self,
        expiry: Time,
        (busy_until, behind): (Time, Span),
        now: Time,
        rules: &StationRules,
    ) -> Time {
        if !self.radio.has(EIFS) {
            return expiry;
        }
        let shortest = if self.radio.is_quiet() { rules.timing.shortest_response } else { Span::ZERO };
        expiry.min(busy_until.max(now + shortest) + behind).max(now)
    }

    #[inline]
    fn expiry(&self, busy_until: Time, rules: &StationRules) -> Time {
        self.own().function.expiry(self.medium(busy_until), rules.timing.difs, rules)
    }

    /// What a function knows of the medium that is busy until then.
    #[inline(always)]
    pub(super) fn medium(&self, busy_until: Time) -> Medium {
        Medium { busy_until, eifs_until: self.eifs_until() }
    }

    /// A frame begins at `at`; `busy_until` is what was known just before. `unseen` is the time it takes to sense it.
    pub(super) fn freeze(&mut self, at: Time, busy_until: Time, unseen: Span, rules: &StationRules) {
        // Most frames begin before the count does: they leave it as it is.
        let function = &self.own().function;
        let before_count = function.access == Access::Backoff && at + unseen < busy_until + rules.timing.difs;
        if before_count || function.due != Time::NEVER {
            return;
        }
        if rules.edca.is_some() {
            self.freeze_edcafs(at, busy_until, unseen, rules);
            return;
        }
        let medium = self.medium(busy_until);
        let Contender { function, rng, .. } = self.own_mut();
        function.freeze(at, (medium, rules.timing.difs), unseen, rules, rng);
        if function.access == Access::None {
            self.radio.clear(FREEZES);
        }
    }
}
