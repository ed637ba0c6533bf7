//! Repairs of losses, after which the window returns to what it was (draft-ietf-ccwg-bbr 5.6): they stop what the model
//! would send for a while, and say nothing of the path that the model does not know.

use super::super::{Feedback, Window};
use super::State;

/// A repair under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repair {
    None,
    /// Fast recovery.
    Fast,
    /// Behind a timeout, until this number is acknowledged; none: not known yet.
    TimedOut(Option<u64>),
}

/// The window before a repair or PROBE_RTT changed it, and the repair.
#[derive(Debug, Clone)]
pub(super) struct SavedCwnd {
    cwnd: f64,
    pub(super) repair: Repair,
}

impl SavedCwnd {
    pub(super) fn new() -> Self {
        SavedCwnd { cwnd: 0.0, repair: Repair::None }
    }

    /// SaveCwnd: remembers the window before something changes it. While something has, it is not the window to return
    /// to.
    pub(super) fn save(&mut self, cwnd: f64, state: State) {
        let known_good = self.repair == Repair::None && state != State::ProbeRtt;
        self.cwnd = if known_good { cwnd } else { self.cwnd.max(cwnd) };
    }

    /// RestoreCwnd.
    pub(super) fn restore(&self, w: &mut Window) {
        w.cwnd = w.cwnd.max(self.cwnd);
    }

    /// An ACK: the repair may be over. The model still bounds the window that returns.
    pub(super) fn on_ack(&mut self, w: &mut Window, ack: &Feedback) {
        let over = match self.repair {
            Repair::None => false,
            Repair::Fast => !ack.recovering,
            Repair::TimedOut(None) => {
                // A timeout does not say how far was sent: the first ACK behind it does.
                self.repair = Repair::TimedOut(Some(ack.nxt));
                false
            }
            Repair::TimedOut(Some(end)) => ack.una >= end,
        };
        if over {
            self.repair = Repair::None;
            self.restore(w);
        }
    }
}
