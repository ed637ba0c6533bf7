//! How the congestion window grows and shrinks: congestion controls, for every transport that has a window.
//!
//! An algorithm keeps its own state in its own file and changes only the [`Window`] it is handed; when a segment is
//! sent or a loss is declared is decided elsewhere (TCP: `tcp/recovery/`). It knows of the sequence space only what the
//! hooks of [`Controller`] say: numbers that grow by one for each byte, so that a round trip can be recognized. The set
//! is closed.
//!
//! A new algorithm touches three files: its own in this folder; this one, with a line in `algorithms!` and an arm of
//! [`Cc::new`]; and `config/controls.rs`, with its line. Parameters are lines of `config/tcp.rs`.
//! [`outside`] is the boundary to one that lives outside the engine.

mod aimd;
mod ap;
mod bbr;
mod bbr3;
mod cubic;
mod external;
mod fast;
mod highspeed;
mod htcp;
mod hystart;
mod illinois;
pub mod outside;
mod round;
mod scalable;
mod tibet;
mod vegas;
mod veno;
mod westwood;
mod whole_cubic;

use aimd::Aimd;
use ap::Ap;
use bbr::Bbr;
use bbr3::Bbr3;
use cubic::Cubic;
use external::External;
use fast::Fast;
use highspeed::HighSpeed;
use htcp::Htcp;
use illinois::Illinois;
use scalable::Scalable;
use tibet::Tibet;
pub(super) use vegas::Vegas;
use veno::Veno;
use westwood::Westwood;
use whole_cubic::WholeCubic;

pub use outside::{Control, Hook, NodeState, PACING_RATES, Reaction, Sample, View};

use std::sync::Arc;

use crate::config::tcp::CubicArithmetic;
use crate::config::{CongestionControl, TcpConfig};
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};

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

impl Window {
    /// Back to what it was, as far as it has not grown beyond.
    fn restore(&mut self, to: &Window) {
        self.cwnd = self.cwnd.max(to.cwnd);
        self.ssthresh = self.ssthresh.max(to.ssthresh);
    }
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
    /// The usable window, cwnd or the receiver's, was filled when the ACK came.
    pub(super) window_limited: bool,
    /// It was cwnd, or the pacing of what it allows, that held data back.
    pub(super) cwnd_limited: bool,
}

/// Any ACK, duplicates and those of a recovery included, before it has changed anything else.
#[derive(Debug, Clone, Copy)]
pub(super) struct Feedback {
    pub(super) now: Time,
    /// First number not acknowledged, with this ACK.
    pub(super) una: u64,
    /// Next number to send.
    pub(super) nxt: u64,
    /// Numbers newly acknowledged; none in a duplicate.
    pub(super) bytes: u64,
    /// Round-trip time of the newest segment it reports, if that was sent once.
    pub(super) rtt: Option<Span>,
    /// Smoothed round-trip time; none before the first sample.
    pub(super) srtt: Option<Span>,
    /// Delivery rate over the last round trip.
    pub(super) rate: Option<RateSample>,
    /// Bytes known to have arrived, in all and by this ACK alone.
    pub(super) delivered: u64,
    pub(super) newly_delivered: u64,
    /// Bytes that this ACK leaves in flight.
    pub(super) in_flight: u64,
    /// Hops the ACK has travelled.
    pub(super) hops: u8,
    /// A recovery is under way.
    pub(super) recovering: bool,
    /// Bytes that its blocks were the first to name.
    pub(super) newly_sacked: u64,
    /// It echoes a mark.
    pub(super) marked: bool,
}

/// A delivery rate, measured over about one round trip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RateSample {
    /// Bytes delivered in `interval`.
    pub(super) bytes: u64,
    pub(super) interval: Span,
    /// Bytes delivered in all when the segment left.
    pub(super) prior_delivered: u64,
    /// The application could have been the limit.
    pub(super) app_limited: bool,
    /// Bytes in flight once the segment had left, and bytes given up since.
    pub(super) in_flight: u64,
    pub(super) lost: u64,
}

/// A segment given up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LostSegment {
    /// Numbers of its first byte and after its last.
    pub(super) start: u64,
    pub(super) end: u64,
    /// Bytes in flight once it had left, and bytes given up since, its own included.
    pub(super) in_flight: u64,
    pub(super) lost: u64,
    /// The application could have been the limit when it left.
    pub(super) app_limited: bool,
}

/// A loss, as the algorithm may judge it; windows in segments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loss {
    pub(super) now: Time,
    /// First number not acknowledged: where the lost segment starts.
    pub(super) una: u64,
    /// Duplicate ACKs that reported it.
    pub(super) dupacks: u32,
    /// Sent and not acknowledged, without what limited transmit added.
    pub(super) flight: f64,
    /// min(cwnd + inflation, receiver window).
    pub(super) window: f64,
    /// The same segment was lost to a timeout before.
    pub(super) repeated: bool,
    /// Nothing was lost: a packet was marked (ECN).
    pub(super) marked: bool,
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
    /// The algorithm wants `on_feedback`; asked once.
    fn wants_feedback(&self) -> bool {
        false
    }
    /// An ACK of any kind has come; the hooks above follow.
    fn on_feedback(&mut self, _w: &mut Window, _ack: &Feedback) {}
    /// A segment is given up; only where recovery judges segments one by one (RACK).
    fn on_lost(&mut self, _w: &mut Window, _lost: &LostSegment, _now: Time) {}
    /// The last loss or timeout was none: the window becomes `to`, as far as it has not grown beyond by itself.
    /// `before` is this algorithm as it was then; what it has measured since stands.
    fn on_undo(&mut self, w: &mut Window, to: &Window, _before: &Self) {
        w.restore(to);
    }
    /// An idle period longer than the RTO closes the window (RFC 5681 4.1).
    fn restarts_after_idle(&self) -> bool {
        true
    }
    /// The algorithm paces; asked once.
    fn paces(&self) -> bool {
        false
    }
    /// Time from a segment of `bytes` bytes to the next; none: at once.
    fn spacing(&self, _bytes: u64) -> Option<Span> {
        None
    }
    /// A timeout doubles the RTO.
    fn backs_off(&self) -> bool {
        true
    }
}

/// Slow start by an ACK of so many segments (RFC 5681 equation 2).
fn slow_start(w: &mut Window, segments: f64) {
    w.cwnd += segments.min(1.0);
}

macro_rules! algorithms {
    ($($(#[doc = $doc:literal])+ $name:ident($state:ty)),+ $(,)?) => {
        /// The algorithms.
        #[derive(Debug, Clone)]
        pub(super) enum Cc {
            $($(#[doc = $doc])+ $name($state)),+
        }

        impl Controller for Cc {
            fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
                match self { $(Cc::$name(a) => a.on_ack(w, ack)),+ }
            }

            fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
                match self { $(Cc::$name(a) => a.on_loss(w, loss)),+ }
            }

            fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
                match self { $(Cc::$name(a) => a.on_timeout(w, loss)),+ }
            }

            fn on_sent(&mut self, seq: u64, now: Time) {
                match self { $(Cc::$name(a) => a.on_sent(seq, now)),+ }
            }

            fn on_established(&mut self, w: &mut Window, now: Time) {
                match self { $(Cc::$name(a) => a.on_established(w, now)),+ }
            }

            fn wants_feedback(&self) -> bool {
                match self { $(Cc::$name(a) => a.wants_feedback()),+ }
            }

            fn on_feedback(&mut self, w: &mut Window, ack: &Feedback) {
                match self { $(Cc::$name(a) => a.on_feedback(w, ack)),+ }
            }

            fn on_lost(&mut self, w: &mut Window, lost: &LostSegment, now: Time) {
                match self { $(Cc::$name(a) => a.on_lost(w, lost, now)),+ }
            }

            fn on_undo(&mut self, w: &mut Window, to: &Window, before: &Self) {
                match (self, before) {
                    $((Cc::$name(a), Cc::$name(before)) => a.on_undo(w, to, before),)+
                    _ => w.restore(to),
                }
            }

            fn restarts_after_idle(&self) -> bool {
                match self { $(Cc::$name(a) => a.restarts_after_idle()),+ }
            }

            fn paces(&self) -> bool {
                match self { $(Cc::$name(a) => a.paces()),+ }
            }

            fn spacing(&self, bytes: u64) -> Option<Span> {
                match self { $(Cc::$name(a) => a.spacing(bytes)),+ }
            }

            fn backs_off(&self) -> bool {
                match self { $(Cc::$name(a) => a.backs_off()),+ }
            }
        }
    };
}

algorithms! {
    /// Slow start and congestion avoidance with halving: Tahoe, Reno, NewReno, SACK.
    Aimd(Aimd),
    /// Delay-based congestion avoidance.
    Vegas(Vegas),
    /// Reno that distinguishes random losses from congestion by Vegas' backlog.
    Veno(Veno),
    /// The window after a loss is the measured bandwidth times the smallest round-trip time.
    Westwood(Westwood),
    /// The same with another estimate.
    Tibet(Tibet),
    /// A set number of packets is kept queued.
    Fast(Fast),
    /// A cubic function of the time since the last loss.
    Cubic(Cubic),
    /// The same in whole segments, as Linux 2.6 has it.
    WholeCubic(Box<WholeCubic>),
    /// Growth by the time since the last loss.
    Htcp(Htcp),
    /// Growth and cut by the queueing delay.
    Illinois(Illinois),
    /// Growth and cut by shares.
    Scalable(Scalable),
    /// Growth and cut by the window.
    HighSpeed(HighSpeed),
    /// NewReno paced by the delay of four hops.
    Ap(Ap),
    /// Pace and window from a model of the path.
    Bbr(Bbr),
    /// The same with bounds learnt from losses and marks.
    Bbr3(Box<Bbr3>),
    /// One that lives outside the engine.
    External(Box<External>),
}

impl Cc {
    /// The algorithm that a word names, for segments of `mss` bytes.
    pub(super) fn new(cfg: &TcpConfig, control: CongestionControl, mss: u64, max_window: u32) -> Self {
        match control {
            CongestionControl::NewReno => Cc::Aimd(Aimd::new(cfg, mss)),
            CongestionControl::Vegas => Cc::Vegas(Vegas::new(cfg, mss, max_window)),
            CongestionControl::Veno => Cc::Veno(Veno::new(cfg, mss)),
            CongestionControl::Westwood => Cc::Westwood(Westwood::new(cfg, mss)),
            CongestionControl::Tibet => Cc::Tibet(Tibet::new(cfg, mss)),
            CongestionControl::Fast => Cc::Fast(Fast::new(cfg, mss)),
            CongestionControl::Cubic => match cfg.cubic_arithmetic {
                CubicArithmetic::Exact => Cc::Cubic(Cubic::new(cfg, mss)),
                CubicArithmetic::Whole => Cc::WholeCubic(Box::new(WholeCubic::new(cfg, mss))),
            },
            CongestionControl::Htcp => Cc::Htcp(Htcp::new(cfg, mss)),
            CongestionControl::Illinois => Cc::Illinois(Illinois::new(cfg, mss)),
            CongestionControl::Scalable => Cc::Scalable(Scalable::new(cfg, mss)),
            CongestionControl::HighSpeed => Cc::HighSpeed(HighSpeed::new(cfg, mss)),
            CongestionControl::Ap => Cc::Ap(Ap::new(cfg, mss)),
            CongestionControl::Bbr => Cc::Bbr(Bbr::new(mss)),
            CongestionControl::Bbr3 => Cc::Bbr3(Box::new(Bbr3::new(mss))),
            CongestionControl::External => Cc::External(Box::new(External::new(cfg, mss, max_window))),
        }
    }

    /// Gives the algorithm its random numbers, where it draws any.
    pub(super) fn set_stream(&mut self, stream: Stream) {
        match self {
            Cc::Bbr(bbr) => bbr.set_stream(stream),
            Cc::Bbr3(bbr) => bbr.set_stream(stream),
            _ => {}
        }
    }

    /// When an algorithm outside the engine wants to be asked.
    pub(super) fn wake_at(&self) -> Option<Time> {
        if let Cc::External(external) = self { external.wake_at() } else { None }
    }

    /// That instant has come.
    pub(super) fn on_wake(&mut self, w: &mut Window, now: Time) {
        if let Cc::External(external) = self {
            external.on_wake(w, now);
        }
    }

    /// What the node shows, for an algorithm outside the engine.
    pub(super) fn see_node(&mut self, node: NodeState) {
        if let Cc::External(external) = self {
            external.see_node(node);
        }
    }

    /// Hands over the algorithm itself, where it lives outside the engine.
    pub(super) fn set_control(&mut self, control: Arc<dyn Control>) {
        if let Cc::External(external) = self {
            external.set_control(control);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, inflation: 0.0 }
    }

    /// An ACK of `bytes` bytes while the window is full.
    pub(super) fn acked(bytes: u64) -> Acked {
        Acked { now: Time::ZERO, una: 1, nxt: 1, bytes, window_limited: true, cwnd_limited: true }
    }

    /// A loss found by three duplicates with `flight` segments outstanding.
    pub(super) fn loss(flight: f64) -> Loss {
        Loss { now: Time::ZERO, una: 1, dupacks: 3, flight, window: flight, repeated: false, marked: false }
    }

    /// Feedback at `ms` that acknowledges everything sent, up to `una`, with a round-trip time in milliseconds.
    pub(super) fn feedback(ms: u64, una: u64, rtt_ms: Option<u64>) -> Feedback {
        Feedback {
            now: Time(ms * 1_000_000),
            una,
            nxt: una,
            bytes: 0,
            rtt: rtt_ms.map(Span::from_millis),
            srtt: rtt_ms.map(Span::from_millis),
            rate: None,
            delivered: 0,
            newly_delivered: 0,
            in_flight: 0,
            hops: 1,
            recovering: false,
            newly_sacked: 0,
            marked: false,
        }
    }
}
