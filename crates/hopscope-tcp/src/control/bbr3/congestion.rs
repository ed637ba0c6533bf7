//! Signals of congestion, gathered over a round trip that begins with a loss (draft-ietf-ccwg-bbr 5.5.10).
//!
//! These rounds are not those of `rounds.rs`: an answer to a loss comes a whole round trip after it, when the rate and
//! the volume that the path still took are known.

use super::Sample;

/// What a round trip with losses has shown so far.
#[derive(Debug, Clone)]
pub(super) struct Congestion {
    /// The round ends when a segment sent after this many delivered bytes is acknowledged.
    end: u64,
    /// The ACK at hand has ended one.
    pub(super) ends: bool,
    /// Something was lost or marked in it.
    pub(super) seen: bool,
    /// Ranges lost in it, and where the last one ended.
    ranges: u32,
    last_end: u64,
    /// Largest rate and volume delivered in it (bw_latest, inflight_latest).
    pub(super) bw: f64,
    pub(super) inflight: f64,
}

impl Congestion {
    pub(super) fn new() -> Self {
        Congestion { end: 0, ends: false, seen: false, ranges: 0, last_end: 0, bw: 0.0, inflight: 0.0 }
    }

    /// A loss or a mark while so many bytes are delivered; true for the first of a round, which it starts.
    pub(super) fn note(&mut self, delivered: u64) -> bool {
        let first = !std::mem::replace(&mut self.seen, true);
        if first {
            self.end = delivered;
        }
        first
    }

    /// The segment that was lost begins and ends here. Neighbours that are lost together are one range.
    pub(super) fn count_range(&mut self, start: u64, end: u64) {
        self.ranges += u32::from(start != self.last_end);
        self.last_end = end;
    }

    /// Ranges lost in the round, which are forgotten at its end.
    pub(super) fn lost_ranges(&mut self) -> u32 {
        let ranges = self.ranges;
        if self.ends {
            self.ranges = 0;
        }
        ranges
    }

    /// UpdateLatestDeliverySignals: an ACK while so many bytes are delivered.
    pub(super) fn update(&mut self, rs: &Sample, delivered: u64) {
        self.bw = self.bw.max(rs.rate);
        self.inflight = self.inflight.max(rs.delivered);
        self.ends = rs.prior.is_some_and(|prior| prior >= self.end);
        if self.ends {
            self.end = delivered;
        }
    }

    /// AdvanceLatestDeliverySignals: the last step of an ACK, since those before it look at the round that ends.
    pub(super) fn advance(&mut self, rs: &Sample) {
        if self.ends {
            (self.bw, self.inflight) = (rs.rate, rs.delivered);
        }
    }

    /// ResetCongestionSignals: what follows is not to answer for what came before.
    pub(super) fn reset(&mut self) {
        self.seen = false;
        (self.bw, self.inflight) = (0.0, 0.0);
    }
}
