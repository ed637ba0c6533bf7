//! The model of the path: bandwidth and round-trip time, and the volumes in flight that follow (draft-ietf-ccwg-bbr
//! 5.5).

use super::{Bbr3, MIN_WINDOW, Sample, State};
use hopscope_core::units::{Span, Time};

/// How long the smallest round-trip time holds (MinRTTFilterLen).
const MIN_RTT_LIFETIME: Span = Span::from_secs(10);
/// Time between two PROBE_RTT.
const PROBE_RTT_INTERVAL: Span = Span::from_secs(5);

/// Largest rate of the last probing cycle and of this one: one cycle alone may have found others on the path.
#[derive(Debug, Clone)]
pub(super) struct MaxBw([f64; 2]);

impl MaxBw {
    pub(super) fn new() -> Self {
        MaxBw([0.0; 2])
    }

    pub(super) fn get(&self) -> f64 {
        self.0[0].max(self.0[1])
    }

    /// UpdateMaxBw. A rate that the application has limited says what the path can do at least, and not at most.
    pub(super) fn update(&mut self, rs: &Sample) {
        if rs.rate >= self.get() || !rs.app_limited {
            self.0[1] = self.0[1].max(rs.rate);
        }
    }

    /// The probing cycle is over: the cycle before it is forgotten, unless this one has measured nothing in its place.
    pub(super) fn advance(&mut self) {
        if self.0[1] > 0.0 {
            self.0 = [self.0[1], 0.0];
        }
    }
}

/// Smallest round-trip time over two windows: the long one makes the volumes, the end of the short one asks for a
/// probe. So the value of a probe is there when the long one ends.
#[derive(Debug, Clone)]
pub(super) struct MinRtt {
    long: Option<Span>,
    long_at: Time,
    /// Since the last PROBE_RTT (probe_rtt_min_delay).
    probed: Option<Span>,
    pub(super) probed_at: Time,
    /// PROBE_RTT is due.
    pub(super) is_due: bool,
}

impl MinRtt {
    pub(super) fn new() -> Self {
        MinRtt { long: None, long_at: Time::ZERO, probed: None, probed_at: Time::ZERO, is_due: false }
    }

    pub(super) fn get(&self) -> Option<Span> {
        self.long
    }

    /// UpdateMinRTT.
    pub(super) fn update(&mut self, rs: &Sample) {
        // Before the first sample there is nothing that could have grown old.
        self.is_due = self.probed.is_some() && rs.now.saturating_since(self.probed_at) > PROBE_RTT_INTERVAL;
        if let Some(rtt) = rs.rtt {
            if self.is_due || self.probed.is_none_or(|least| rtt < least) {
                (self.probed, self.probed_at) = (Some(rtt), rs.now);
            }
        }
        let expired = rs.now.saturating_since(self.long_at) > MIN_RTT_LIFETIME;
        if let Some(least) = self.probed {
            if expired || self.long.is_none_or(|known| least < known) {
                (self.long, self.long_at) = (Some(least), self.probed_at);
            }
        }
    }
}

impl Bbr3 {
    /// `gain` times the bandwidth-delay product at bandwidth `bw`; the initial window before there is one.
    pub(super) fn bdp_times(&self, bw: f64, gain: f64) -> f64 {
        self.min_rtt.get().map_or(self.initial_cwnd, |rtt| gain * bw * rtt.as_secs() / self.mss)
    }

    /// A volume that keeps the path busy: segments on their way in both directions, and room for a probe.
    pub(super) fn at_least_the_minimum(&self, volume: f64) -> f64 {
        // A quarter more of a small product is less than a segment: a probe has two in any case.
        volume.max(MIN_WINDOW) + if self.state == State::Up { 2.0 } else { 0.0 }
    }

    /// The bandwidth-delay product at `bw` as a volume in flight.
    pub(super) fn inflight(&self, bw: f64) -> f64 {
        self.at_least_the_minimum(self.bdp_times(bw, 1.0))
    }
}
