//! What a frame does to the receiver: it locks it, is lost against the frame that holds it, takes it over, or leaves no
//! more than its energy. The rules of capture and of interference by powers or by range; the additive model has its own.
//!
//! ```text
//!            start, decodable or `locks`            end
//!   FREE ------------------------------> LOCKED -----------> FREE  (RxOk | RxBad)
//!     |  start, `energy-only`              | overlap that survives: stays LOCKED
//!     +---> carrier sense only             + overlap that destroys: LOCKED, spoiled
//! ```

use crate::config::radio::{CaptureRule, IgnoredFrame, Interference};
use crate::phy::arrival::{Arrival, Packed, Signal};
use crate::phy::edge::Edge;
use crate::phy::outcome::RxOutcome;
use crate::phy::radio::{ColdState, Radio};
use crate::phy::rules::{RadioRules, RuleSet};
use crate::phy::shared::{BEGUN, DISTURBED, HELD, NOTES_ALL, SPOILED};
use hopscope_core::units::Time;

impl<O> Radio<O> {
    /// The frame being received, if any.
    #[inline(always)]
    fn received(&self) -> Option<&Packed> {
        if !self.shared.any(HELD | BEGUN) {
            None
        } else if self.shared.any(HELD) {
            Some(&self.rest.lock)
        } else {
            Some(&self.front)
        }
    }

    /// Start of the frame being received, if any.
    #[inline]
    pub fn receiving_since(&self) -> Option<Time> {
        self.received().map(Packed::start)
    }

    /// The same for a frame whose preamble was found, where one has to be.
    #[inline]
    pub fn kept_since(&self) -> Option<Time> {
        self.receiving_since().filter(|_| self.rest.additive.detection_until.is_none())
    }

    /// End of the frame being received, if any.
    #[inline]
    pub fn receiving_until(&self) -> Option<Time> {
        self.received().map(Packed::end)
    }

    /// True when the frame being received is addressed to this node (or broadcast) and could be decoded: its end is an
    /// event here.
    #[inline]
    pub fn receives_own(&self) -> bool {
        self.received().is_some_and(Packed::is_own)
    }

    #[inline(always)]
    pub(super) fn end_lock<S: RuleSet>(&mut self, at: Time, rules: &RadioRules) -> Edge {
        let lost = S::errors(rules).is_some_and(|errors| !self.survives(errors, rules));
        self.shared.clear(HELD);
        if self.tx_until > at {
            // Nothing is heard of the end either, so that no EIFS follows it.
            return Edge::Deaf;
        }
        if lost {
            self.spoil(RxOutcome::TooWeak { by: self.rest.additive.strongest() });
        }
        if self.shared.any(SPOILED) {
            return Edge::RxBad { at };
        }
        let lock = &self.rest.lock;
        Edge::RxOk { at, slot: lock.slot(), nav: lock.nav(), flags: lock.flags() }
    }

    #[inline(always)]
    pub(super) fn begin<S: RuleSet>(&mut self, frame: Packed, rules: &RadioRules) -> Edge {
        if S::interference(rules) == Interference::Sinr {
            let (start, times, signal) = frame.into_words();
            return self.begin_additive(start, times, signal, rules);
        }
        let edge = if self.begins_unheard::<S>(frame, rules) {
            self.add_energy::<S>(frame, rules)
        } else if self.shared.any(HELD) {
            self.overlap::<S>(frame, rules)
        } else {
            self.try_lock::<S>(frame, rules)
        };
        if matches!(edge, Edge::Busy { .. }) {
            self.extend_carrier(frame.end());
        }
        edge
    }

    /// A frame begins while no other holds the receiver.
    #[inline(always)]
    fn try_lock<S: RuleSet>(&mut self, frame: Packed, rules: &RadioRules) -> Edge {
        if !frame.locks::<S>(rules) {
            return self.add_energy::<S>(frame, rules);
        }
        let at = frame.start();
        let disturbs = |energy: &Signal| {
            S::interference(rules) == Interference::Range || frame.power() < rules.capture_threshold * energy.power()
        };
        // What cannot disturb leaves its energy all the same, as it may disturb a weaker frame later.
        let energy = self.rest.energies.strongest(at).filter(disturbs);
        let disturbed = || energy.map(|energy| RxOutcome::Collided { by: energy.slot() });
        // The first reason counts: what was lost on a free medium was not lost to a collision.
        let lost = frame.lost().or_else(|| self.deaf(at)).or_else(disturbed);
        self.take_lock(frame, lost);
        Edge::Busy { at }
    }

    /// A frame begins while another holds the receiver.
    fn overlap<S: RuleSet>(&mut self, frame: Packed, rules: &RadioRules) -> Edge {
        if S::interference(rules) == Interference::Range {
            // Graph models know no powers: who is within the range destroys, who is not does nothing, and is not
            // received either.
            if frame.has(Arrival::INTERFERES) {
                self.collide::<S>(frame, rules);
            } else {
                self.miss(frame);
                self.add_energy::<S>(frame, rules);
            }
            return frame.sensed();
        }
        let (at, power, threshold) = (frame.start(), frame.power(), rules.capture_threshold);
        let held = self.rest.lock.power();
        // A ratio of exactly the threshold is enough.
        if held >= threshold * power {
            self.miss(frame);
            return match S::ignored_frame(rules) {
                IgnoredFrame::NavEifs => Edge::Ignored { at, end: frame.end() },
                IgnoredFrame::CarrierSense => self.add_energy::<S>(frame, rules),
            };
        }
        // The newcomer has to beat what else is on the air, not only the frame that it takes the receiver from.
        let takes_over = S::capture_rule(rules) == CaptureRule::Strongest
            && frame.has(Arrival::DECODABLE)
            && power >= threshold * held
            && self.rest.energies.strongest(at).is_none_or(|energy| power >= threshold * energy.power());
        if takes_over {
            self.keep_as_energy(at);
            self.spoil(RxOutcome::Captured { by: frame.slot() });
            self.take_lock(frame, frame.lost().or_else(|| self.deaf(at)));
        } else {
            self.collide::<S>(frame, rules);
        }
        frame.sensed()
    }

    /// Both frames are lost; the receiver stays occupied until the later end where undecodable frames lock it.
    #[inline(always)]
    fn collide<S: RuleSet>(&mut self, frame: Packed, rules: &RadioRules) {
        self.spoil(RxOutcome::Collided { by: frame.slot() });
        let collided = RxOutcome::Collided { by: self.rest.lock.slot() };
        let occupies = frame.has(Arrival::DECODABLE) || S::undecodable_locks(rules);
        if occupies && frame.end() > self.rest.lock.end() {
            self.keep_as_energy(frame.start());
            self.take_lock(frame, Some(collided));
        } else {
            self.note(&frame, collided);
            self.add_energy::<S>(frame, rules);
        }
    }

    /// A frame holds the receiver from now on; it may be lost already.
    #[inline(always)]
    pub(super) fn take_lock(&mut self, frame: Packed, lost: Option<RxOutcome>) {
        self.shared.clear(SPOILED);
        self.shared.set(HELD);
        self.rest.lock = frame;
        if let Some(outcome) = lost {
            self.spoil(outcome);
        }
    }

    /// The frame that holds the receiver is lost, for the reason given unless it was lost before.
    #[inline(always)]
    pub(super) fn spoil(&mut self, outcome: RxOutcome) {
        if !self.shared.any(SPOILED) {
            self.shared.set(SPOILED);
            let all = self.shared.any(NOTES_ALL);
            let ColdState { lock, failed_receptions, .. } = &mut *self.rest;
            failed_receptions.note(lock, outcome, all);
        }
    }

    /// The receiver lets its frame go and is free.
    pub(super) fn let_go(&mut self) {
        self.shared.clear(HELD | SPOILED);
        self.rest.additive.detection_until = None;
    }

    /// A frame begins that cannot get the receiver from the one that holds it.
    #[inline(always)]
    pub(super) fn miss(&mut self, frame: Packed) {
        self.note(&frame, RxOutcome::Missed { by: self.rest.lock.slot() });
    }

    /// The frame that lost the receiver goes on disturbing later ones.
    fn keep_as_energy(&mut self, at: Time) {
        self.note_energy(at, self.rest.lock);
    }

    #[inline(always)]
    pub(super) fn add_energy<S: RuleSet>(&mut self, frame: Packed, rules: &RadioRules) -> Edge {
        if S::interference(rules) != Interference::Range || frame.has(Arrival::INTERFERES) {
            self.note_energy(frame.start(), frame);
        }
        frame.sensed()
    }

    /// An unlocked frame is on the air from `at` on.
    #[inline(always)]
    fn note_energy(&mut self, at: Time, frame: Packed) {
        self.shared.set(DISTURBED);
        self.rest.energies.add(at, frame.end(), frame.signal());
    }
}
