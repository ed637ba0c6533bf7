//! The bounds that losses set on the model (draft-ietf-ccwg-bbr 5.5.10): for long a volume in flight, for the present
//! cycle a volume and a bandwidth.

use super::congestion::Congestion;
use super::{BETA, MIN_WINDOW, Sample};

/// Loss rate over a round trip that says that too much is in flight (LossThresh).
pub(super) const LOSS_THRESHOLD: f64 = 0.02;
/// Share of the volume known to be safe that is left to others (Headroom).
const HEADROOM: f64 = 0.15;

/// Infinite where nothing has set them.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    /// Largest volume that is safe, as far as probes have shown (inflight_longterm).
    pub(super) inflight_long: f64,
    /// What the losses of the present cycle leave (bw_shortterm, inflight_shortterm).
    pub(super) bw_short: f64,
    pub(super) inflight_short: f64,
}

impl Bounds {
    pub(super) fn new() -> Self {
        Bounds { inflight_long: f64::INFINITY, bw_short: f64::INFINITY, inflight_short: f64::INFINITY }
    }

    /// The safe volume less what is left to others, so that flows that join find room.
    pub(super) fn with_headroom(&self) -> f64 {
        let room = (HEADROOM * self.inflight_long).max(1.0);
        if self.inflight_long.is_finite() { (self.inflight_long - room).max(MIN_WINDOW) } else { f64::INFINITY }
    }

    /// Losses over a round trip outside of probes: the short-term bounds give way, to what the path still took at least
    /// (LossLowerBounds). The first loss of a cycle takes bandwidth and window as they are.
    pub(super) fn give_way(&mut self, max_bw: f64, cwnd: f64, seen: &Congestion) {
        if self.bw_short.is_infinite() {
            self.bw_short = max_bw;
        }
        if self.inflight_short.is_infinite() {
            self.inflight_short = cwnd;
        }
        self.bw_short = seen.bw.max(BETA * self.bw_short);
        self.inflight_short = seen.inflight.max(BETA * self.inflight_short);
    }

    /// ResetShortTermModel: before a probe, which would otherwise find no more than what they allow.
    pub(super) fn forget_short_term(&mut self) {
        self.bw_short = f64::INFINITY;
        self.inflight_short = f64::INFINITY;
    }

    /// The losses that have set them were none: back to those of `before`, where these allow more.
    pub(super) fn undo(&mut self, before: &Bounds) {
        self.bw_short = self.bw_short.max(before.bw_short);
        self.inflight_short = self.inflight_short.max(before.inflight_short);
        self.inflight_long = self.inflight_long.max(before.inflight_long);
    }
}

/// Losses over the last round trip say that too much was in flight (IsInflightTooHigh).
pub(super) fn loses_too_much(rs: &Sample) -> bool {
    rs.lost > rs.sent_in_flight * LOSS_THRESHOLD
}
