//! One radio: the inbox of the frames that reach it, carrier sense and the own transmitter. What a frame does to the
//! receiver is the matter of `receiver.rs`.
//!
//! Edges of frames on the air are not events. A transmitter posts an [`Arrival`] into the inbox of every radio that
//! can hear it; the radio applies the edges in order of time when something happens at its node ([`Radio::next_edge`]).
//! At an instant t ends at or before t are applied, starts strictly before t: what begins at t is not yet heard by
//! an action at t.

use crate::phy::additive::Additive;
use crate::phy::arrival::{Arrival, Packed, Signal, Times};
use crate::phy::edge::{Begin, Edge, LoneFrame};
use crate::phy::energy::Energies;
use crate::phy::outcome::{FailedReceptions, RxOutcome};
use crate::phy::rules::{RadioRules, RuleSet};
use crate::phy::shared::{BEGUN, DISTURBED, HELD, MORE, OwnerFlags, Shared};
use hopscope_core::units::{Span, Time};

/// The radio of one node.
///
/// A transmission writes to all its hearers, so the number of cache lines it touches at each decides the speed of a
/// large field: what most frames need lies here, the rest behind a pointer, and with it what the owner keeps.
#[derive(Debug)]
pub struct Radio<O = ()> {
    /// The earliest arrival that has not ended; `Packed::NONE` when there is none. Only `BEGUN` ones have begun.
    pub(super) front: Packed,
    /// End of the last sensed frame known to have begun.
    carrier_until: Time,
    /// Own transmission ends.
    pub(super) tx_until: Time,
    /// What most frames do not touch.
    pub rest: Box<ColdState<O>>,
    /// Flags, and what the owner keeps in this cache line.
    pub(super) shared: Shared,
}

/// The part of a radio that most frames do not touch.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ColdState<O> {
    /// What the owner keeps outside its line.
    pub own: O,
    /// The frame that holds the receiver, while `HELD` is set.
    pub(super) lock: Packed,
    /// Frames on the air that do not hold the receiver (capture and range models).
    pub(super) energies: Energies,
    /// Arrivals after the front, in order.
    later: Vec<Packed>,
    /// Beyond that, what the additive model needs.
    pub(super) additive: Additive,
    /// Frames that went wrong.
    pub(super) failed_receptions: FailedReceptions,
}

impl<O: Default> Default for Radio<O> {
    fn default() -> Self {
        Radio::new(O::default())
    }
}

impl<O> Radio<O> {
    /// Bytes behind the pointer.
    pub const REST_MEMORY: usize = size_of::<ColdState<O>>();

    /// A radio that hears nothing, of an owner that keeps `own` with it.
    pub fn new(own: O) -> Self {
        let rest = ColdState {
            own,
            lock: Packed::NONE,
            energies: Energies::default(),
            later: Vec::new(),
            additive: Additive::default(),
            failed_receptions: FailedReceptions::default(),
        };
        Radio {
            front: Packed::NONE,
            carrier_until: Time::ZERO,
            tx_until: Time::ZERO,
            rest: Box::new(rest),
            shared: Shared::default(),
        }
    }

    /// True when one of these flags of the owner is set.
    #[inline(always)]
    pub fn has(&self, flags: OwnerFlags) -> bool {
        self.shared.any(flags)
    }

    /// Sets flags of the owner.
    #[inline(always)]
    pub fn set(&mut self, flags: OwnerFlags) {
        self.shared.set(flags);
    }

    /// Clears flags of the owner.
    #[inline(always)]
    pub fn clear(&mut self, flags: OwnerFlags) {
        self.shared.clear(flags);
    }

    /// The span that the owner keeps in the radio's cache line.
    #[inline(always)]
    pub fn owner_span(&self) -> Span {
        self.shared.owner_span()
    }

    /// Keeps a span of the owner, at most 4.29 s.
    #[inline(always)]
    pub fn set_owner_span(&mut self, span: Span) {
        self.shared.set_owner_span(span);
    }

    /// Names the draws of this radio's losses (`RadioRules::errors`).
    pub fn name_draws(&mut self, name: u64) {
        self.rest.additive.draws = name;
    }

    /// Announces a frame that will arrive; order of calls does not matter between different start times.
    #[inline]
    pub fn post(&mut self, arrival: &Arrival) {
        self.post_packed(Packed::new(arrival));
    }

    /// The same for an arrival packed before. Its words go one by one, see `EventQueue::push_near`.
    #[inline(always)]
    pub fn post_packed(&mut self, packed: Packed) {
        if self.has_waiting() {
            let (start, times, signal) = packed.into_words();
            self.post_behind(start, times, signal);
        } else {
            self.post_first(packed);
        }
    }

    /// The same where no arrival waits.
    #[inline(always)]
    pub fn post_first(&mut self, packed: Packed) {
        self.front.set(packed);
    }

    /// Starts the own transmitter, on until `end`; a reception under way is lost.
    #[inline(always)]
    pub fn begin_tx(&mut self, end: Time) {
        // A station is half-duplex: what it was receiving is lost.
        if self.shared.any(HELD | BEGUN) {
            self.stop_listening();
        }
        // Frames that begin until `end` find the own transmission on the air, and have to look.
        self.tx_until = end;
        self.shared.set(DISTURBED);
    }

    #[cold]
    fn stop_listening(&mut self) {
        self.settle_begun();
        // Lost, but not let go: at its end the reception has failed, and EIFS follows if the station listens again by
        // then.
        self.spoil(RxOutcome::Deaf);
        // A preamble that was only looked at has taken no receiver yet.
        if self.rest.additive.detection_until.is_some() {
            self.let_go();
        }
    }

    /// The own transmission ends then.
    #[inline]
    pub fn tx_until(&self) -> Time {
        self.tx_until
    }

    /// When physical carrier sense ends, as far as the edges applied so far show.
    #[inline]
    pub fn carrier_until(&self) -> Time {
        self.carrier_until
    }

    /// End of a frame for this node that holds the receiver at `now`, where that can be known without applying edges:
    /// it began not later than `latest`, before `now`, with nothing else on the air.
    #[inline]
    pub fn own_frame_until(&mut self, now: Time, latest: Time) -> Option<Time> {
        let (start, end) = (self.front.start(), self.front.end());
        let own = start <= latest
            && end > now
            && self.front.is_own()
            && !self.shared.any(HELD | MORE)
            && !(self.shared.any(DISTURBED) && self.is_disturbed(start));
        own.then_some(end)
    }

    /// True when a frame was announced that has not begun for this radio yet, or has it to itself.
    #[inline]
    pub fn has_waiting(&self) -> bool {
        !self.front.is_none()
    }

    /// True when no edge is left to apply at any time.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        !self.has_waiting() && !self.shared.any(HELD)
    }

    /// The earliest arrival, if it began and ended by `limit` with nothing else on the air, as most do. Its two edges are
    /// then taken at once, at a fraction of the cost; it stays until it is dropped or another takes its place.
    #[inline(always)]
    pub fn lone_frame<S: RuleSet>(&mut self, limit: Time, rules: &RadioRules) -> Option<LoneFrame> {
        let front = self.front;
        // Of `NONE` the end is beyond every limit.
        let (start, end) = (front.start(), front.end());
        let alone = end <= limit
            && !self.shared.any(HELD | MORE)
            && S::isolated(rules)
            && !(self.shared.any(DISTURBED) && self.is_disturbed(start));
        alone.then(|| LoneFrame { start, end, slot: front.slot(), nav: front.nav(), flags: front.flags() })
    }

    /// True when the start of a lone frame is known already, or the owner has one of these flags.
    #[inline(always)]
    pub fn has_begun_or(&self, flags: OwnerFlags) -> bool {
        self.shared.any(BEGUN | flags)
    }

    /// Forgets that the start of a lone frame is known; true when it was.
    #[inline(always)]
    pub fn take_begun(&mut self) -> bool {
        let begun = self.shared.any(BEGUN);
        self.shared.clear(BEGUN);
        begun
    }

    /// A frame is sensed until `end`.
    #[inline(always)]
    pub fn extend_carrier(&mut self, end: Time) {
        self.carrier_until = self.carrier_until.max(end);
    }

    /// A lone frame was hit by a channel error.
    #[cold]
    pub fn note_errored(&mut self) {
        let frame = self.front;
        self.note(&frame, RxOutcome::Errored);
    }

    /// Drops a lone frame.
    #[inline(always)]
    pub fn drop_first(&mut self) {
        self.front = Packed::NONE;
    }

    /// True when energy or the own transmission reaches beyond `start`; else nothing disturbs any more.
    #[inline(never)]
    fn is_disturbed(&mut self, start: Time) -> bool {
        let disturbed = self.tx_until > start || self.rest.energies.last_beyond(start);
        // Only frames that have begun are asked about, in order of their starts: what ends before this one ends
        // before the next.
        if !disturbed {
            self.shared.clear(DISTURBED);
        }
        disturbed
    }

    /// Takes the start of a frame that holds the receiver beyond `limit` and has begun before with nothing else on the
    /// air: the outcome of that edge, without moving the frame. With the end of the carrier known before.
    #[inline]
    pub fn begin_alone<S: RuleSet>(&mut self, limit: Time, rules: &RadioRules) -> Begin {
        let (start, end) = (self.front.start(), self.front.end());
        if self.shared.any(HELD | MORE) || end <= limit {
            return Begin::Crowded;
        }
        if self.shared.any(BEGUN) || start >= limit {
            return Begin::Nothing;
        }
        if !S::isolated(rules)
            || !self.front.locks::<S>(rules)
            || (self.shared.any(DISTURBED) && self.is_disturbed(start))
        {
            return Begin::Crowded;
        }
        // It stays in front: most of these end as they began, alone, and are then taken as a whole.
        self.shared.set(BEGUN);
        let carrier_before = self.carrier_until;
        self.carrier_until = carrier_before.max(end);
        Begin::Busy { at: start, carrier_before }
    }

    /// Takes a frame that began before `limit` and cannot hold a receiver, while none is held: it leaves its energy.
    #[inline(always)]
    pub fn pass_energy<S: RuleSet>(&mut self, limit: Time, rules: &RadioRules) -> Begin {
        let frame = self.front;
        if self.shared.any(HELD | MORE) || frame.start() >= limit || !S::isolated(rules) || frame.locks::<S>(rules) {
            return Begin::Crowded;
        }
        self.front = Packed::NONE;
        let carrier_before = self.carrier_until;
        if self.add_energy::<S>(frame, rules) == Edge::Silent {
            return Begin::Nothing;
        }
        self.extend_carrier(frame.end());
        Begin::Busy { at: frame.start(), carrier_before }
    }

    /// A frame that has begun alone is no longer to be treated apart.
    #[inline(always)]
    fn settle_begun(&mut self) {
        if self.shared.any(BEGUN) {
            self.shared.clear(BEGUN);
            let frame = self.front;
            self.pop_front();
            self.take_lock(frame, frame.lost());
        }
    }

    /// Applies the next edge not later than `limit` (starts: strictly before it).
    #[inline]
    pub fn next_edge<S: RuleSet>(&mut self, limit: Time, rules: &RadioRules) -> Option<Edge> {
        self.settle_begun();
        let frame = self.front;
        if self.shared.any(HELD) {
            if let Some(preamble) = S::preamble(rules) {
                // Before a start of the same instant: that frame comes too late to be looked at.
                if let Some(at) = self.rest.additive.detection_until.filter(|&at| at <= limit && at <= frame.start()) {
                    self.decide(at, preamble, rules);
                    return Some(Edge::Silent);
                }
            }
            let end = self.rest.lock.end();
            // Ends come before starts of the same instant: frames back to back do not collide.
            if end <= frame.start() {
                return (end <= limit).then(|| self.end_lock::<S>(end, rules));
            }
        }
        if frame.start() < limit {
            self.pop_front();
            return Some(self.begin::<S>(frame, rules));
        }
        None
    }

    #[cold]
    fn post_behind(&mut self, start: Time, times: Times, signal: Signal) {
        let packed = Packed::from_words(start, times, signal);
        let later = if self.front.is_after(&packed) { std::mem::replace(&mut self.front, packed) } else { packed };
        let place = self.rest.later.partition_point(|a| !a.is_after(&later));
        self.rest.later.insert(place, later);
        self.shared.set(MORE);
    }

    fn pop_front(&mut self) {
        if self.shared.any(MORE) {
            // Few wait, so that moving them up is cheap.
            self.front = self.rest.later.remove(0);
            if self.rest.later.is_empty() {
                self.shared.clear(MORE);
            }
        } else {
            self.front = Packed::NONE;
        }
    }
}
