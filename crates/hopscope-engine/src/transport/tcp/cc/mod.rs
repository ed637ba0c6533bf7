//! How the congestion window grows and shrinks.
//!
//! An algorithm keeps its own state in its own file and changes only the [`Window`] it is handed; when a segment is
//! sent or a loss is declared is decided elsewhere (`recovery/`). The set is closed: a new algorithm is one file, one
//! variant of [`Cc`] and one arm per hook below.

mod aimd;
mod vegas;

pub(super) use aimd::Aimd;
pub(super) use vegas::Vegas;

use crate::units::Time;

/// The window as every algorithm and every recovery style shares it, in segments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// Congestion window, without inflation.
    pub(super) cwnd: f64,
    /// Slow-start threshold.
    pub(super) ssthresh: f64,
    /// Segments known to have left the network during fast recovery (RFC 5681 3.2 steps 3 and 4).
    pub(super) inflation: f64,
}

/// An ACK of new data.
#[derive(Debug, Clone, Copy)]
pub(super) struct Acked {
    pub(super) now: Time,
    /// First number not yet acknowledged, after the ACK.
    pub(super) una: u64,
    /// Next number to send, after the ACK.
    pub(super) nxt: u64,
    /// Numbers newly acknowledged.
    pub(super) bytes: u64,
    /// The window was filled when the ACK came.
    pub(super) window_limited: bool,
}

/// A loss, as the algorithm may judge it; windows in segments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loss {
    pub(super) now: Time,
    /// First number not acknowledged: where the lost segment starts.
    pub(super) una: u64,
    /// Duplicate ACKs that told of it.
    pub(super) dupacks: u32,
    /// Sent and not acknowledged, without what limited transmit added.
    pub(super) flight: f64,
    /// min(cwnd + inflation, receiver window).
    pub(super) window: f64,
    /// The same segment was lost to a timeout before.
    pub(super) repeated: bool,
}

/// The contract of an algorithm. Every hook may change the window; hooks not needed keep their empty default.
pub(super) trait Controller {
    /// New data is acknowledged outside of recovery.
    fn on_ack(&mut self, w: &mut Window, ack: &Acked);
    /// A loss was found before the timer; true when the window was cut.
    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool;
    /// The retransmission timer expired.
    fn on_timeout(&mut self, w: &mut Window, loss: &Loss);
    /// The segment that starts at `seq` (0: the SYN) leaves at `now`, first time or again.
    fn on_sent(&mut self, _seq: u64, _now: Time) {}
    /// The SYN, the last one sent if there were several, is acknowledged; cwnd is the initial window.
    fn on_established(&mut self, _w: &mut Window, _now: Time) {}
}

/// The algorithms.
#[derive(Debug, Clone)]
pub(super) enum Cc {
    /// Slow start and congestion avoidance with halving: Tahoe, Reno, NewReno, SACK.
    Aimd(Aimd),
    /// Delay-based congestion avoidance.
    Vegas(Vegas),
}

macro_rules! dispatch {
    ($self:ident, $algorithm:ident => $call:expr) => {
        match $self {
            Cc::Aimd($algorithm) => $call,
            Cc::Vegas($algorithm) => $call,
        }
    };
}

impl Controller for Cc {
    fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
        dispatch!(self, a => a.on_ack(w, ack));
    }

    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        dispatch!(self, a => a.on_loss(w, loss))
    }

    fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
        dispatch!(self, a => a.on_timeout(w, loss));
    }

    fn on_sent(&mut self, seq: u64, now: Time) {
        dispatch!(self, a => a.on_sent(seq, now));
    }

    fn on_established(&mut self, w: &mut Window, now: Time) {
        dispatch!(self, a => a.on_established(w, now));
    }
}
