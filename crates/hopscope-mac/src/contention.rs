//! Carrier sense, NAV, inter-frame spaces and back-off of one station (IEEE 802.11-2020 10.3.4).
//!
//! No event marks a slot or an edge of the medium. The station applies the radio's edges when something happens at
//! its node ([`Station::catch_up`]); each start of a frame freezes the count of whole slots. One access event per
//! station stands at the earliest instant the back-off can end as far as is known; when it comes, the station has
//! either reached zero and sends, or names the next such instant.
//!
//! ```text
//!          draw                 medium idle since t          zero slots left
//!  (none) ------> PENDING ---------------------------> count -----------------> send
//!                    ^          slots from t + IFS        |
//!                    +------------------------------------+
//!                              a frame begins: freeze
//! ```

use crate::config::mac::{BusyAtExpiry, EifsRule};
use crate::rules::StationRules;
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};
use hopscope_phy::phy::{Arrival, Begin, Edge, OwnerFlags, Packed, Radio, Reception, RxOutcome};

/// Kind of pending access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
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

/// Lower half of the MAC: radio, NAV and back-off of one station. One cache line holds what an idle station needs of
/// most frames.
#[derive(Debug)]
#[repr(align(64))]
pub struct Station {
    /// The radio.
    pub radio: Radio<Contender>,
    /// End of the NAV; while `NAV_UNCONFIRMED` is set it falls back unless a frame begins in time. The span that
    /// the radio keeps for its owner says how long before the end of the NAV that decides.
    pub(super) nav_until: Time,
}

const _: () = assert!(std::mem::size_of::<Station>() == 64, "one cache line per station and frame");

/// What a station has beyond its cache line: the state of its own access. All but the stream fits another line.
#[derive(Debug)]
#[repr(C)]
pub struct Contender {
    armed_at: Time,
    /// The back-off ends here whatever begins now: it is too late to sense it. `NEVER` when still open.
    due: Time,
    hold_until: Time,
    /// The frame received in error keeps the medium busy until here, so that DIFS after it makes EIFS; counts while
    /// `EIFS` is set.
    eifs_until: Time,
    /// What was reserved before the RTS that set the NAV; counts while `NAV_BEFORE` is set.
    pub(super) nav_before: Time,
    /// Instant of the queued access event, `NEVER` when none is queued.
    queued_at: Time,
    remaining: u32,
    cw: u32,
    received: u32,
    access: Access,
    /// The pending back-off follows a frame and no other waits for it: its end needs no event.
    post_only: bool,
    rng: Stream,
}

/// No frame was received.
const NOTHING: u32 = u32::MAX;

/// Flags kept in the radio: the start of a frame changes the pending access.
const FREEZES: OwnerFlags = OwnerFlags::nth(0);
/// The last frame was received in error: `Contender::eifs_until` counts.
const EIFS: OwnerFlags = OwnerFlags::nth(1);
/// The NAV was set by an RTS and no frame has begun since.
pub(super) const NAV_UNCONFIRMED: OwnerFlags = OwnerFlags::nth(2);
/// Something was reserved beyond the instant at which such a NAV falls back: `Contender::nav_before` counts.
pub(super) const NAV_BEFORE: OwnerFlags = OwnerFlags::nth(3);

impl Station {
    /// Bytes that one station takes, the parts behind pointers included.
    pub const MEMORY: usize = size_of::<Station>() + Radio::<Contender>::REST_MEMORY;

    /// An idle station drawing its back-offs from `rng`.
    pub fn new(rules: &StationRules, rng: Stream) -> Self {
        let own = Contender {
            armed_at: Time::ZERO,
            due: Time::NEVER,
            hold_until: Time::ZERO,
            eifs_until: Time::ZERO,
            nav_before: Time::ZERO,
            queued_at: Time::NEVER,
            remaining: 0,
            cw: rules.cw_min,
            received: NOTHING,
            access: Access::None,
            post_only: false,
            rng,
        };
        Station { radio: Radio::new(own), nav_until: Time::ZERO }
    }

    /// A frame will arrive. What has ended by `now` is applied first, which keeps the inbox short.
    #[inline(always)]
    pub fn post(&mut self, now: Time, arrival: Packed, rules: &StationRules) {
        // From the most frequent case to the rarest, so that most stations pay for the first test alone.
        if self.radio.post_after_passing(now, arrival, FREEZES | NAV_UNCONFIRMED, &rules.radio) {
            return;
        }
        if self.take_isolated(now, rules) || self.take_energy(now, rules) {
            self.radio.post_first(arrival);
            return;
        }
        self.apply_edges(now, rules);
        self.radio.post_packed(arrival);
    }

    /// Applies every edge up to `now`.
    #[inline(always)]
    pub fn catch_up(&mut self, now: Time, rules: &StationRules) {
        if !self.radio.is_quiet() {
            self.apply_waiting(now, rules);
        }
    }

    #[inline(never)]
    fn apply_waiting(&mut self, now: Time, rules: &StationRules) {
        if self.take_isolated(now, rules) || self.take_energy(now, rules) {
            return;
        }
        let begin = self.radio.begin_alone(now, &rules.radio);
        if !self.begin(begin, true, rules) {
            self.apply_edges(now, rules);
        }
    }

    /// Applies the start of a frame, which `holds` the receiver or not; false when its edges have to be applied one by one.
    #[inline(always)]
    fn begin(&mut self, begin: Begin, holds: bool, rules: &StationRules) -> bool {
        if let Begin::Busy { at, carrier_before } = begin {
            if self.radio.has(FREEZES | NAV_UNCONFIRMED) {
                self.on_busy(at, carrier_before, holds, rules);
            }
        }
        begin != Begin::Crowded
    }

    /// Applies the next frame at once if it has begun and leaves nothing but energy.
    #[inline(always)]
    fn take_energy(&mut self, now: Time, rules: &StationRules) -> bool {
        let begin = self.radio.pass_energy(now, &rules.radio);
        self.begin(begin, false, rules)
    }

    /// Applies the next frame at once if it had the air to itself and has ended.
    #[inline(always)]
    fn take_isolated(&mut self, now: Time, rules: &StationRules) -> bool {
        let Some(frame) = self.radio.next_isolated(now, &rules.radio) else { return false };
        if frame.sensed && self.radio.has(FREEZES | NAV_UNCONFIRMED) {
            self.on_busy(frame.start, frame.carrier_before, frame.reception != Reception::Nothing, rules);
        }
        match frame.reception {
            Reception::Frame => self.on_rx_ok(frame.end, frame.slot, frame.nav, frame.flags, rules),
            Reception::Noise => self.on_rx_bad(frame.end, rules),
            Reception::Nothing => {}
        }
        true
    }

    /// Applies edge by edge, to begin with one that no isolated frame takes.
    #[inline(never)]
    fn apply_edges(&mut self, now: Time, rules: &StationRules) {
        loop {
            let carrier_before = self.radio.carrier_until();
            match self.radio.next_edge(now, &rules.radio) {
                Some(Edge::Busy { at }) => {
                    if self.radio.has(FREEZES | NAV_UNCONFIRMED) {
                        let holds = self.radio.kept_since() == Some(at);
                        self.on_busy(at, carrier_before, holds, rules);
                    }
                }
                // Only with `ignored_frame = "nav-eifs"`: ns-2 reserves the air for the frame that it could not take
                // and for EIFS.
                Some(Edge::Ignored { end, .. }) => self.extend_nav(end + rules.timing.eifs),
                Some(Edge::Silent) => {
                    if self.radio.has(NAV_UNCONFIRMED) {
                        self.confirm_nav_if_kept(rules);
                    }
                }
                Some(Edge::Deaf) => {}
                Some(Edge::RxOk { at, slot, nav, flags }) => self.on_rx_ok(at, slot, nav, flags, rules),
                Some(Edge::RxBad { at }) => self.on_rx_bad(at, rules),
                None => return,
            }
            // The crowd may have cleared: what follows can be alone again, and is taken at a fraction of the cost.
            self.take_isolated(now, rules);
            if self.radio.is_quiet() {
                return;
            }
        }
    }

    /// A sensed frame begins at `at`, which `holds` the receiver or not; the carrier known before ended at `carrier_before`.
    #[inline]
    fn on_busy(&mut self, at: Time, carrier_before: Time, holds: bool, rules: &StationRules) {
        if self.radio.has(FREEZES) {
            self.freeze(at, self.busy_after(carrier_before), rules.cca_delay, rules);
        }
        if holds || rules.nav_by_carrier {
            self.confirm_nav(at, rules);
        }
    }

    #[inline]
    pub(super) fn on_rx_bad(&mut self, at: Time, rules: &StationRules) {
        match rules.eifs {
            EifsRule::ReplacesDifs => {
                self.radio.set(EIFS);
                self.own_mut().eifs_until = at + (rules.timing.eifs - rules.timing.difs);
            }
            EifsRule::Nav => self.extend_nav(at + rules.timing.eifs),
            EifsRule::Off => {}
        }
    }

    /// What lies beyond the station's cache line.
    #[inline(always)]
    pub(super) fn own(&self) -> &Contender {
        &self.radio.rest.own
    }

    #[inline(always)]
    pub(super) fn own_mut(&mut self) -> &mut Contender {
        &mut self.radio.rest.own
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

    /// Takes the frame received at this very instant, if its air slot is `slot`.
    #[inline]
    pub fn take_received(&mut self, slot: u32) -> bool {
        let mine = self.own().received == slot;
        self.own_mut().received = NOTHING;
        mine
    }

    /// What became of the frame in air slot `slot` that ends at this very instant and was not received
    /// ([`Station::take_received`]).
    pub fn outcome(&self, now: Time, slot: u32) -> RxOutcome {
        self.radio.outcome(slot, now)
    }

    /// The own transmitter starts at `now` and is on until `end`.
    #[inline(always)]
    pub fn begin_tx(&mut self, now: Time, end: Time, rules: &StationRules) {
        if self.radio.has(FREEZES) {
            // The own transmission needs no time to be sensed.
            self.freeze(now, self.busy_until(), Span::ZERO, rules);
        }
        self.radio.begin_tx(end);
    }

    /// The station waits for an answer until `until` and contends for nothing meanwhile.
    #[inline]
    pub fn hold(&mut self, until: Time) {
        self.own_mut().hold_until = until;
    }

    /// True when neither carrier sense, NAV, own transmission nor a pending exchange occupies the medium.
    #[inline]
    pub fn is_idle(&self, now: Time) -> bool {
        self.busy_until() <= now && self.radio.receiving_until().is_none_or(|end| end <= now)
    }

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

    /// End of everything that occupies the medium, as far as is known.
    #[inline]
    fn busy_until(&self) -> Time {
        self.busy_after(self.radio.carrier_until())
    }

    /// The same for a given end of the carrier.
    #[inline]
    fn busy_after(&self, carrier_until: Time) -> Time {
        carrier_until.max(self.nav_end()).max(self.radio.tx_until()).max(self.own().hold_until)
    }

    /// Until then a frame received in error keeps the medium busy.
    #[inline]
    pub(super) fn eifs_until(&self) -> Time {
        if self.radio.has(EIFS) { self.own().eifs_until } else { Time::ZERO }
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
    fn freeze(&mut self, at: Time, busy_until: Time, unseen: Span, rules: &StationRules) {
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

    #[inline(always)]
    pub(super) fn on_rx_ok(&mut self, at: Time, slot: u32, nav: u32, flags: u8, rules: &StationRules) {
        // A frame without error shows the state of the medium again: EIFS ends with it.
        self.radio.clear(EIFS);
        // A frame reserves nothing against the station that it is for (10.3.2.4).
        if flags & Arrival::FOR_ME != 0 {
            self.own_mut().received = slot;
        } else if nav > 0 {
            if rules.nav_reset && flags & Arrival::RTS != 0 {
                self.extend_nav_by_rts(at, nav, rules);
            } else {
                self.extend_nav(at + Span(u64::from(nav)));
            }
        }
    }

    fn draw(&mut self, rules: &StationRules) -> u32 {
        let own = self.own_mut();
        // The standard draws from 0 to CW; some simulators leave CW out.
        own.rng.below(own.cw + u32::from(rules.backoff_includes_cw))
    }
}
