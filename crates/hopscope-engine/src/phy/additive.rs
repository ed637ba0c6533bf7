//! The additive model: noise and everything else on the air decide what a radio receives, see `Interference::Sinr`.

use crate::config::radio::CaptureRule;
use crate::phy::arrival::{Arrival, Packed};
use crate::phy::edge::Edge;
use crate::phy::error_rate::ErrorRules;
use crate::phy::modes;
use crate::phy::radio::{HELD, Radio, SPOILED};
use crate::phy::rules::RadioRules;
use crate::rng::{Purpose, Stream};
use crate::units::Time;

/// What a radio keeps for this model.
#[derive(Debug, Default)]
pub(super) struct Additive {
    /// End and power of everything on the air.
    on_air: Vec<(Time, f32)>,
    /// Least ratio of the locked frame so far.
    min_sinr: f32,
    /// Names the draws of losses from the ratio.
    pub(super) draws: u64,
    /// How far the locked frame has been looked at for such losses, and the logarithm of its chances so far.
    judged: Time,
    log_success: f64,
}

impl<O> Radio<O> {
    /// A frame begins.
    #[inline(never)]
    pub(super) fn begin_additive(&mut self, frame: Packed, rules: &RadioRules) -> Edge {
        let at = frame.start;
        if let Some(errors) = rules.errors.as_ref().filter(|_| self.has(HELD)) {
            self.judge(at, errors, rules);
        }
        self.rest.additive.on_air.retain(|(end, _)| *end > at);
        let edge =
            if self.has(HELD) { self.overlap_additive(frame, rules) } else { self.try_lock_additive(frame, rules) };
        self.rest.additive.on_air.push((frame.end(), frame.power()));
        if matches!(edge, Edge::Busy { .. }) {
            self.extend_carrier(frame.end());
        }
        edge
    }

    fn try_lock_additive(&mut self, frame: Packed, rules: &RadioRules) -> Edge {
        if !frame.locks(rules) {
            return self.add_energy(frame, rules);
        }
        let at = frame.start;
        let ratio = self.sinr(frame.power(), None, rules);
        let spoiled = frame.is_lost() || self.tx_until() > at || self.is_too_weak(ratio, frame.mode(), rules);
        self.take_lock_at(frame, spoiled, ratio);
        Edge::Busy { at }
    }

    fn overlap_additive(&mut self, frame: Packed, rules: &RadioRules) -> Edge {
        let ratio = self.sinr(frame.power(), None, rules);
        if rules.capture_rule == CaptureRule::Strongest
            && frame.has(Arrival::DECODABLE)
            && ratio >= rules.capture_threshold
        {
            let spoiled = frame.has(Arrival::ERRORED) || self.tx_until() > frame.start;
            self.take_lock_at(frame, spoiled, ratio);
        } else {
            let lock = self.rest.lock;
            let now = self.sinr(lock.power(), Some(frame.power()), rules);
            let least = self.rest.additive.min_sinr.min(now);
            self.rest.additive.min_sinr = least;
            if self.is_too_weak(least, lock.mode(), rules) {
                self.bits |= SPOILED;
            }
        }
        frame.sensed()
    }

    fn take_lock_at(&mut self, frame: Packed, spoiled: bool, ratio: f32) {
        self.take_lock(frame, spoiled);
        let additive = &mut self.rest.additive;
        (additive.min_sinr, additive.judged, additive.log_success) = (ratio, frame.start, 0.0);
    }

    /// True when a threshold decides, and a frame of this mode stays below it.
    fn is_too_weak(&self, ratio: f32, mode: u8, rules: &RadioRules) -> bool {
        rules.errors.is_none() && f64::from(ratio) < modes::sinr_threshold(mode)
    }

    /// Adds up the chances of the locked frame until `until`: the ratio is constant between the ends of other frames.
    fn judge(&mut self, until: Time, errors: &ErrorRules, rules: &RadioRules) {
        let lock = self.rest.lock;
        let power = f64::from(lock.power());
        let until = until.min(lock.end());
        let additive = &mut self.rest.additive;
        while additive.judged < until {
            let from = additive.judged;
            let active = additive.on_air.iter().filter(|(end, _)| *end > from);
            let (all, to) = active.fold((0.0, until), |(sum, to), &(end, p)| (sum + f64::from(p), to.min(end)));
            let others = (all - power).max(0.0);
            let sinr = power / (rules.noise + others);
            additive.log_success += errors.log_success(lock.mode(), (lock.start, lock.end()), (from, to), sinr);
            additive.judged = to;
        }
    }

    /// Draws whether the locked frame, at its end, came through. The draw follows from the radio, the frame and the
    /// time alone.
    #[inline(never)]
    pub(super) fn survives(&mut self, errors: &ErrorRules, rules: &RadioRules) -> bool {
        let lock = self.rest.lock;
        self.judge(lock.end(), errors, rules);
        let Additive { draws, log_success, .. } = self.rest.additive;
        let mut draw = Stream::derive(draws, lock.end().0, u64::from(lock.slot()), Purpose::Error);
        draw.uniform() < log_success.exp()
    }

    /// Ratio of `power` to noise and everything else on the air; `extra` is a frame not yet listed.
    fn sinr(&self, power: f32, extra: Option<f32>, rules: &RadioRules) -> f32 {
        let others: f64 = self.rest.additive.on_air.iter().map(|&(_, p)| f64::from(p)).sum();
        // The locked frame itself is on the list when its own ratio is asked for.
        let own = if extra.is_some() { f64::from(self.rest.lock.power()) } else { 0.0 };
        let interference = others - own + f64::from(extra.unwrap_or(0.0));
        (f64::from(power) / (rules.noise + interference.max(0.0))) as f32
    }
}
