//! Proportional rate reduction (RFC 9937): what a recovery lets out keeps in proportion to what arrives, so that the
//! flight comes down to the new window over a round trip and not by a pause of half of one.
//!
//! Rate halving, which Linux had before, does the same in steps: see [`Core::halve_before`].

use super::super::core::Core;
use crate::config::TcpConfig;

/// One recovery. All figures are bytes.
#[derive(Debug, Clone, Copy)]
struct Prr {
    /// RecoverFS: in flight when the loss was found.
    flight: u64,
    /// prr_delivered: arrived since.
    delivered: u64,
    /// prr_out: sent since.
    out: u64,
    /// What may be in flight until the next ACK.
    window: u64,
}

impl Prr {
    fn new(flight: u64) -> Self {
        Prr { flight: flight.max(1), delivered: 0, out: 0, window: 0 }
    }

    fn on_sent(&mut self, bytes: u64) {
        self.out += bytes;
    }

    /// An ACK brought `arrived` bytes and leaves `pipe` in flight; `target` is the window the recovery ends with.
    /// `safe`: it acknowledged cumulatively and reported no further loss.
    fn on_ack(&mut self, arrived: u64, pipe: u64, target: u64, safe: bool, mss: u64) {
        if arrived == 0 {
            return; // a pure duplicate says nothing of what has left the network
        }
        self.delivered += arrived;
        let mut more = if pipe > target {
            (self.delivered * target).div_ceil(self.flight).saturating_sub(self.out)
        } else {
            // Slow start up to the target, or no faster than segments leave the network while losses go on.
            let owed = self.delivered.saturating_sub(self.out).max(arrived);
            (owed + if safe { mss } else { 0 }).min(target - pipe)
        };
        if self.out == 0 {
            more = more.max(mss); // the fast retransmit itself goes out in any case
        }
        self.window = pipe + more;
    }
}

/// What lets less and less be in flight while a recovery lasts; with neither of the two the window is cut at once.
#[derive(Debug, Clone)]
pub(in super::super) struct Reduction {
    uses_prr: bool,
    halves_rate: bool,
    /// The recovery that proportional rate reduction shapes.
    prr: Option<Prr>,
    /// Bytes that rate halving lets be in flight; 0: it does nothing.
    halving: u64,
}

impl Reduction {
    pub(in super::super) fn new(cfg: &TcpConfig) -> Self {
        Reduction { uses_prr: cfg.prr, halves_rate: cfg.rate_halving, prr: None, halving: 0 }
    }

    /// Recoveries will be shaped by proportional rate reduction.
    pub(super) fn uses_prr(&self) -> bool {
        self.uses_prr
    }

    /// One is.
    pub(super) fn is_by_prr(&self) -> bool {
        self.prr.is_some()
    }

    /// A recovery that cut the window begins, with `flight` bytes in flight before the ACK that reported the loss.
    pub(super) fn start_prr(&mut self, flight: u64) {
        self.prr = self.uses_prr.then(|| Prr::new(flight));
    }

    /// So many bytes leave.
    pub(in super::super) fn on_sent(&mut self, bytes: u64) {
        if let Some(prr) = &mut self.prr {
            prr.on_sent(bytes);
        }
    }

    /// The recovery is over.
    pub(in super::super) fn end(&mut self) {
        self.prr = None;
        self.halving = 0;
    }
}

impl Core {
    /// See [`Prr::on_ack`].
    pub(super) fn reduce(&mut self, arrived: u64, pipe: u64, safe: bool) {
        let target = self.cwnd_bytes();
        if let Some(prr) = &mut self.loss.reduction.prr {
            prr.on_ack(arrived, pipe, target, safe, self.mss);
        }
    }

    /// Bytes that may be in flight.
    pub(super) fn flight_limit(&self) -> u64 {
        let reduction = &self.loss.reduction;
        reduction.prr.map_or_else(|| self.cwnd_bytes().max(reduction.halving), |prr| prr.window)
    }

    /// Rate halving begins at a window of `cwnd` segments.
    pub(super) fn start_halving(&mut self, cwnd: f64) {
        let reduction = &mut self.loss.reduction;
        if reduction.halves_rate {
            reduction.halving = cwnd as u64 * self.mss;
        }
    }

    /// Before segments leave: no more than one beyond what is in flight.
    pub(super) fn halve_before(&mut self, in_flight: u64) {
        let halving = &mut self.loss.reduction.halving;
        *halving = (*halving).min(in_flight + self.mss);
    }

    /// One has left and is in flight: the next has to wait until two have arrived.
    pub(super) fn halve_after(&mut self, in_flight: u64) {
        let halving = &mut self.loss.reduction.halving;
        *halving = (*halving).min(in_flight.saturating_sub(self.mss).max(self.mss));
    }

    fn cwnd_bytes(&self) -> u64 {
        (self.window.cwnd.max(1.0) * self.mss as f64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    /// Each ACK brings one segment and what is allowed is sent: segments let out by each.
    fn sent(flight: u64, target: u64, lost: u64, acks: usize) -> Vec<u64> {
        let mut prr = Prr::new(flight * MSS);
        let mut pipe = (flight - lost) * MSS;
        let step = |_| {
            pipe -= MSS;
            prr.on_ack(MSS, pipe, target * MSS, false, MSS);
            let segments = prr.window.saturating_sub(pipe) / MSS;
            prr.on_sent(segments * MSS);
            pipe += segments * MSS;
            segments
        };
        (0..acks).map(step).collect()
    }

    #[test]
    fn half_the_window_is_one_segment_for_two_that_arrive() {
        assert_eq!(sent(20, 10, 1, 8), [1, 0, 0, 1, 0, 1, 0, 1], "the first goes at once");
        assert_eq!(sent(20, 14, 1, 10), [1, 0, 1, 0, 1, 1, 0, 1, 1, 1], "seven for ten");
    }

    #[test]
    fn below_the_target_as_many_leave_as_arrive() {
        assert_eq!(sent(20, 10, 15, 4), [1; 4]);
    }

    #[test]
    fn a_safe_ack_adds_one_up_to_the_target() {
        let mut prr = Prr::new(20 * MSS);
        prr.on_sent(MSS);
        prr.on_ack(MSS, 4 * MSS, 10 * MSS, true, MSS);
        assert_eq!(prr.window, 6 * MSS);
        prr.on_ack(MSS, 9 * MSS, 10 * MSS, true, MSS);
        assert_eq!(prr.window, 10 * MSS, "not beyond");
        prr.on_ack(0, 5 * MSS, 10 * MSS, true, MSS);
        assert_eq!(prr.window, 10 * MSS, "nothing arrived: nothing changes");
    }
}
