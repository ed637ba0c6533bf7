//! The additive model: noise and everything else on the air decide what a radio receives, see `Interference::Sinr`.

use crate::config::radio::CaptureRule;
use crate::phy::arrival::{Arrival, Packed, Signal, Times};
use crate::phy::edge::Edge;
use crate::phy::error_rate::ErrorRules;
use crate::phy::modes::{self, Mode};
use crate::phy::outcome::RxOutcome;
use crate::phy::radio::Radio;
use crate::phy::rules::{AnyRules, PreambleRules, RadioRules};
use crate::phy::shared::HELD;
use hopscope_core::math;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};

/// A span of time with one ratio.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    from: Time,
    to: Time,
    sinr: f64,
    /// Air slot of the strongest frame that interferes.
    by: Option<u32>,
}

/// Spans of time, in order.
#[derive(Debug, Default)]
struct Stretches(Vec<Stretch>);

/// What a radio keeps for this model.
#[derive(Debug, Default)]
pub(super) struct Additive {
    /// End, power and air slot of everything on the air.
    on_air: Vec<(Time, f32, u32)>,
    /// Least ratio of the locked frame so far.
    min_sinr: f32,
    /// Names the draws of losses from the ratio.
    pub(super) draws: u64,
    /// How far the locked frame has been looked at for such losses, and the logarithm of its chances so far.
    integrated_until: Time,
    log_success: f64,
    /// Where the locked frame is not non-HT: from when to when it had which ratio. Kept after its end, until the next. Behind a
    /// pointer, as most radios never have one.
    stretches: Option<Box<Stretches>>,
    /// The frame that holds the receiver is only looked at: at this instant it is kept or let go.
    pub(super) detection_until: Option<Time>,
    /// Power and air slot of the strongest frame that has interfered with the locked one.
    worst: Option<(f32, u32)>,
}

impl Additive {
    /// Air slot of the strongest frame that has interfered with the locked one.
    pub(super) fn strongest(&self) -> Option<u32> {
        self.worst.map(|(_, slot)| slot)
    }

    /// Another frame interferes with the locked one.
    fn suffer(&mut self, power: f32, slot: u32) {
        if self.worst.is_none_or(|(most, _)| power > most) {
            self.worst = Some((power, slot));
        }
    }
}

impl<O> Radio<O> {
    /// A frame begins. It comes as words, see `Packed::into_words`.
    #[inline(never)]
    pub(super) fn begin_additive(&mut self, at: Time, times: Times, signal: Signal, rules: &RadioRules) -> Edge {
        let frame = Packed::from_words(at, times, signal);
        if let Some(errors) = rules.errors.as_ref().filter(|_| self.shared.any(HELD)) {
            // The ratio changes now: what lies behind has the old one.
            self.integrate_errors(at, errors, rules);
        }
        self.rest.additive.on_air.retain(|(end, ..)| *end > at);
        let edge = match rules.preamble {
            Some(preamble) => self.detect_preamble(frame, preamble, rules),
            None if self.begins_unheard::<AnyRules>(frame, rules) => self.add_energy::<AnyRules>(frame, rules),
            None if self.shared.any(HELD) => self.overlap_additive(frame, rules),
            None => self.try_lock_additive(frame, rules),
        };
        // Last, as every ratio above takes the newcomer apart from what was on the air.
        self.rest.additive.on_air.push((frame.end(), frame.power(), frame.slot()));
        match rules.busy_power {
            Some(power) => self.sense_sum(frame, power),
            None => {
                if matches!(edge, Edge::Busy { .. }) {
                    self.extend_carrier(frame.end());
                }
                edge
            }
        }
    }

    /// What the start of a frame means to carrier sense where the sum of powers counts.
    fn sense_sum(&mut self, frame: Packed, power: f64) -> Edge {
        let at = frame.start();
        let mut until = at;
        loop {
            let active = self.rest.additive.on_air.iter().filter(|(end, ..)| *end > until);
            let (sum, next) =
                active.fold((0.0, Time::NEVER), |(sum, next), &(end, p, _)| (sum + f64::from(p), next.min(end)));
            if sum < power || next == Time::NEVER {
                break;
            }
            // The sum only falls at the end of a frame: look on from there.
            until = next;
        }
        // A reception keeps the medium busy to its end however weak it is, a preamble until it is decided about.
        let lock = &self.rest.lock;
        if self.shared.any(HELD) && lock.start() == at && lock.slot() == frame.slot() {
            until = until.max(self.rest.additive.detection_until.unwrap_or(frame.end()));
        }
        if until == at {
            return Edge::Silent;
        }
        self.extend_carrier(until);
        Edge::Busy { at }
    }

    /// A frame begins at a receiver that looks at preambles.
    fn detect_preamble(&mut self, frame: Packed, preamble: PreambleRules, rules: &RadioRules) -> Edge {
        let at = frame.start();
        if self.tx_until() > at {
            // No preamble was heard: noise to its end.
            self.note(&frame, RxOutcome::Deaf);
            return frame.sensed();
        }
        let looking = self.rest.additive.detection_until.is_some();
        let chosen = !self.shared.any(HELD) || (looking && frame.power() > self.rest.lock.power());
        if !frame.has(Arrival::DECODABLE) || !chosen {
            if self.shared.any(HELD) {
                self.bear(frame, rules);
            }
            return frame.sensed();
        }
        if self.shared.any(HELD) {
            self.spoil(RxOutcome::Captured { by: frame.slot() });
        }
        // The ratio counts from the decision on: what is on the air now may have ended by then.
        self.take_lock_at(frame, frame.lost(), f32::INFINITY);
        self.rest.additive.detection_until = Some(at + preamble.time);
        Edge::Busy { at }
    }

    /// The frame looked at is kept or let go.
    pub(super) fn decide(&mut self, at: Time, preamble: PreambleRules, rules: &RadioRules) {
        self.rest.additive.detection_until = None;
        let lock = self.rest.lock;
        let active = self.rest.additive.on_air.iter().filter(|(end, ..)| *end > at);
        let others = active.map(|&(_, p, _)| f64::from(p)).sum::<f64>() - f64::from(lock.power());
        let ratio = (f64::from(lock.power()) / (rules.noise + others.max(0.0))) as f32;
        if ratio < preamble.threshold {
            self.spoil(RxOutcome::TooWeak { by: self.rest.additive.strongest() });
            // No frame was found, so that none ends in error and no EIFS follows.
            self.let_go();
        } else {
            self.extend_carrier(lock.end());
            let least = self.rest.additive.min_sinr.min(ratio);
            self.rest.additive.min_sinr = least;
            self.check_sinr(least, rules);
        }
    }

    fn try_lock_additive(&mut self, frame: Packed, rules: &RadioRules) -> Edge {
        if !frame.locks::<AnyRules>(rules) {
            return self.add_energy::<AnyRules>(frame, rules);
        }
        let at = frame.start();
        let ratio = self.sinr(frame.power(), None, rules);
        self.take_lock_at(frame, frame.lost().or_else(|| self.deaf(at)), ratio);
        self.check_sinr(ratio, rules);
        Edge::Busy { at }
    }

    fn overlap_additive(&mut self, frame: Packed, rules: &RadioRules) -> Edge {
        // The frame that holds the receiver is among what the newcomer has to overcome.
        let ratio = self.sinr(frame.power(), None, rules);
        if rules.capture_rule == CaptureRule::Strongest
            && frame.has(Arrival::DECODABLE)
            && ratio >= rules.capture_threshold
        {
            self.spoil(RxOutcome::Captured { by: frame.slot() });
            self.take_lock_at(frame, frame.lost().or_else(|| self.deaf(frame.start())), ratio);
            self.check_sinr(ratio, rules);
        } else {
            self.bear(frame, rules);
        }
        frame.sensed()
    }

    /// A frame begins during the one that holds the receiver.
    fn bear(&mut self, frame: Packed, rules: &RadioRules) {
        self.miss(frame);
        let now = self.sinr(self.rest.lock.power(), Some(frame.power()), rules);
        let least = self.rest.additive.min_sinr.min(now);
        self.rest.additive.min_sinr = least;
        self.rest.additive.suffer(frame.power(), frame.slot());
        self.check_sinr(least, rules);
    }

    fn take_lock_at(&mut self, frame: Packed, lost: Option<RxOutcome>, ratio: f32) {
        self.take_lock(frame, lost);
        let additive = &mut self.rest.additive;
        (additive.min_sinr, additive.integrated_until, additive.log_success) = (ratio, frame.start(), 0.0);
        (additive.worst, additive.detection_until) = (None, None);
        additive.stretches.iter_mut().for_each(|stretches| stretches.0.clear());
        for place in 0..additive.on_air.len() {
            let (_, power, slot) = additive.on_air[place];
            additive.suffer(power, slot);
        }
    }

    /// Spoils the locked frame where a threshold decides and the ratio stays below that of its mode.
    fn check_sinr(&mut self, ratio: f32, rules: &RadioRules) {
        if rules.errors.is_none() && f64::from(ratio) < modes::sinr_threshold(rules.mode(self.rest.lock.mode())) {
            self.spoil(RxOutcome::TooWeak { by: self.rest.additive.strongest() });
        }
    }

    /// Adds up the chances of the locked frame until `until`: the ratio is constant between the ends of other frames.
    fn integrate_errors(&mut self, until: Time, errors: &ErrorRules, rules: &RadioRules) {
        let lock = self.rest.lock;
        let power = f64::from(lock.power());
        let until = until.min(lock.end());
        let additive = &mut self.rest.additive;
        while additive.integrated_until < until {
            let from = additive.integrated_until;
            let active = additive.on_air.iter().filter(|(end, ..)| *end > from);
            let (all, to) = active.fold((0.0, until), |(sum, to), &(end, p, _)| (sum + f64::from(p), to.min(end)));
            // Rounding may leave less than nothing of a sum without one of its terms.
            let others = (all - power).max(0.0);
            let sinr = power / (rules.noise + others);
            let mode = rules.mode(lock.mode());
            additive.log_success += if mode.is_non_ht() {
                errors.log_success(mode, (lock.start(), lock.end()), (from, to), sinr)
            } else {
                let interfere = additive.on_air.iter().filter(|(end, _, slot)| *end > from && *slot != lock.slot());
                let by = interfere.max_by(|one, other| one.1.total_cmp(&other.1)).map(|&(.., slot)| slot);
                additive.stretches.get_or_insert_default().0.push(Stretch { from, to, sinr, by });
                errors.header_log_success(mode, lock.start(), (from, to), sinr)
            };
            additive.integrated_until = to;
        }
    }

    /// Draws whether the locked frame, at its end, came through. The draw follows from the radio, the frame and the
    /// time alone.
    #[inline(never)]
    pub(super) fn survives(&mut self, errors: &ErrorRules, rules: &RadioRules) -> bool {
        let lock = self.rest.lock;
        self.integrate_errors(lock.end(), errors, rules);
        let Additive { draws, log_success, .. } = self.rest.additive;
        let mut draw = Stream::derive(draws, lock.end().0, u64::from(lock.slot()), Purpose::Error);
        let mode = rules.mode(lock.mode());
        let has_header = draw.uniform() < math::exp(log_success);
        // A frame for this station is looked at MPDU by MPDU. What others may learn of one needs any of its MPDUs.
        if !has_header || mode.is_non_ht() || lock.is_own() {
            return has_header;
        }
        let begin = lock.start() + errors.data_field(mode);
        let parts = u64::from(lock.mpdus().max(1));
        let whole = lock.end().saturating_since(begin).0;
        (0..parts).any(|part| {
            let at = |part: u64| begin + Span(whole * part / parts);
            self.part_survives(mode, (at(part), at(part + 1)), part + 1, (errors, rules))
        })
    }

    /// Draws whether a part of the frame received last came through that was on the air from `part.0` to `part.1`: one MPDU of
    /// a PPDU that is not non-HT, sent in `mode`. `number` distinguishes the draws of one frame.
    pub fn mpdu_survives(&self, mode: Mode, part: (Time, Time), number: u64, rules: &RadioRules) -> bool {
        rules.errors.as_ref().is_none_or(|errors| self.part_survives(mode, part, number, (errors, rules)))
    }

    /// Ratio at the begin of the frame received last, which is not non-HT; none where frames are not lost by it.
    pub fn first_ratio(&self) -> Option<f64> {
        self.rest.additive.stretches.as_ref()?.0.first().map(|stretch| stretch.sinr)
    }

    /// Air slot of the frame that interfered most with a part of the frame received last: the strongest one where the ratio was
    /// least. None where nothing did. Its transmitter may have sent others since, and another one may have the slot.
    pub fn interferer(&self, part: (Time, Time)) -> Option<u32> {
        let stretches = self.rest.additive.stretches.iter().flat_map(|stretches| &stretches.0);
        let inside = stretches.filter(|stretch| stretch.from < part.1 && stretch.to > part.0);
        inside.min_by(|one, other| one.sinr.total_cmp(&other.sinr))?.by
    }

    fn part_survives(
        &self,
        mode: Mode,
        part: (Time, Time),
        number: u64,
        (errors, rules): (&ErrorRules, &RadioRules),
    ) -> bool {
        let lock = &self.rest.lock;
        let Additive { draws, stretches, .. } = &self.rest.additive;
        let narrow = rules.narrower_by(mode);
        let of =
            |&Stretch { from, to, sinr, .. }: &Stretch| errors.part_log_success(mode, part, (from, to), narrow * sinr);
        let log_success: f64 = stretches.iter().flat_map(|stretches| &stretches.0).map(of).sum();
        let name = u64::from(lock.slot()) | number << 32;
        Stream::derive(*draws, lock.end().0, name, Purpose::Error).uniform() < math::exp(log_success)
    }

    /// Ratio of `power` to noise and everything else on the air; `newcomer` is a frame not yet listed.
    fn sinr(&self, power: f32, newcomer: Option<f32>, rules: &RadioRules) -> f32 {
        let others: f64 = self.rest.additive.on_air.iter().map(|&(_, p, _)| f64::from(p)).sum();
        // The locked frame itself is on the list when its own ratio is asked for.
        let own = if newcomer.is_some() { f64::from(self.rest.lock.power()) } else { 0.0 };
        let interference = others - own + f64::from(newcomer.unwrap_or(0.0));
        (f64::from(power) / (rules.noise + interference.max(0.0))) as f32
    }
}
