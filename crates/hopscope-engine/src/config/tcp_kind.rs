//! What kind of TCP a flow runs: how its window moves, and how it finds and repairs losses.

use super::params::choice;
use crate::error::BuildError;

choice! {
    /// How losses are found and repaired: the axis `recovery` of a flow.
    pub enum LossRecovery {
        /// The congestion control's own way: SACK for `cubic` (and the word `tcp-sack`), RACK-TLP for `htcp`, `illinois`, `scalable`, `highspeed`,
        /// `bbr` and `bbr3`, the one of its name for `vegas`, NewReno for the others.
        Own = "own",
        /// Partial ACKs (RFC 6582).
        NewReno = "newreno",
        /// Selective acknowledgements (RFC 2018, RFC 6675).
        Sack = "sack",
        /// Selective acknowledgements judged by time, and tail-loss probes (RFC 8985).
        Rack = "rack",
        /// A fast retransmit, then slow start; no fast recovery.
        Tahoe = "tahoe",
        /// Fast recovery left at the first new ACK (RFC 5681).
        Reno = "reno",
        /// Fine-grained timeouts; goes with `vegas` only (Brakmo and Peterson 1995).
        Vegas = "vegas",
    }
}

choice! {
    /// How the congestion window moves: the axis `control` of a flow. A new one is a file in `transport/control/`, its
    /// registration in `transport/control/mod.rs`, its word here and its parameters in `tcp.rs`; nothing else names it.
    pub enum CongestionControl {
        /// Additive increase, multiplicative decrease (RFC 5681).
        NewReno = "newreno",
        /// Follows the backlog estimated from the round-trip time (Brakmo and Peterson 1995).
        Vegas = "vegas",
        /// Reno that keeps 4/5 of the window after a loss without backlog (Fu and Liew 2003).
        Veno = "veno",
        /// After a loss the window is bandwidth times smallest RTT (Grieco and Mascolo 2004).
        Westwood = "westwood",
        /// The same with the bandwidth in use averaged over packets sent (Capone et al. 2004).
        Tibet = "tibet",
        /// Keeps a set number of packets queued (Wei et al. 2006).
        Fast = "fast",
        /// CUBIC (RFC 9438) with HyStart++ (RFC 9406).
        Cubic = "cubic",
        /// Growth by the time since the last loss (Leith and Shorten 2004).
        Htcp = "htcp",
        /// Growth and cut by the queueing delay (Liu et al. 2008).
        Illinois = "illinois",
        /// Growth by a share of what is acknowledged, cut by a share of the window (Kelly 2003).
        Scalable = "scalable",
        /// Growth and cut by the window (RFC 3649).
        HighSpeed = "highspeed",
        /// NewReno paced by the delay of four hops (ElRakabawy et al. 2005).
        Ap = "ap",
        /// Pace and window from a model of the path, version 1 (Cardwell et al. 2016).
        Bbr = "bbr",
        /// The same, bounded by what losses and marks say (draft-ietf-ccwg-bbr).
        Bbr3 = "bbr3",
        /// One from outside the engine, which the flow's `control` names.
        External = "external",
    }
}

impl CongestionControl {
    /// The recovery that `own` stands for.
    pub const fn own_recovery(self) -> LossRecovery {
        match self {
            CongestionControl::Cubic => LossRecovery::Sack,
            CongestionControl::Htcp
            | CongestionControl::Illinois
            | CongestionControl::Scalable
            | CongestionControl::HighSpeed
            | CongestionControl::Bbr
            | CongestionControl::Bbr3 => LossRecovery::Rack,
            CongestionControl::Vegas => LossRecovery::Vegas,
            CongestionControl::NewReno
            | CongestionControl::Veno
            | CongestionControl::Westwood
            | CongestionControl::Tibet
            | CongestionControl::Fast
            | CongestionControl::Ap
            | CongestionControl::External => LossRecovery::NewReno,
        }
    }

    /// The recoveries that go with it; none: any but that of Vegas.
    const fn only_with(self) -> Option<&'static [LossRecovery]> {
        match self {
            // Its fine-grained timeouts are part of it.
            CongestionControl::Vegas => Some(&[LossRecovery::Vegas]),
            // It sets its window itself and needs to know what has arrived.
            CongestionControl::Bbr => Some(&[LossRecovery::Sack, LossRecovery::Rack]),
            // It learns from every segment lost and when it was sent.
            CongestionControl::Bbr3 => Some(&[LossRecovery::Rack]),
            _ => None,
        }
    }
}

/// What kind of TCP a flow runs: two axes, chosen one by one or together by an older word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpKind {
    /// How the window moves.
    pub control: CongestionControl,
    /// How losses are found and repaired; never `Own`.
    pub recovery: LossRecovery,
}

impl TcpKind {
    /// A control with a recovery, which may be `Own`.
    pub const fn new(control: CongestionControl, recovery: LossRecovery) -> Self {
        let recovery = match recovery {
            LossRecovery::Own => control.own_recovery(),
            chosen => chosen,
        };
        TcpKind { control, recovery }
    }

    /// Selective acknowledgements are exchanged.
    pub const fn uses_sack(self) -> bool {
        matches!(self.recovery, LossRecovery::Sack | LossRecovery::Rack)
    }

    /// Control and recovery go together.
    pub fn is_sound(self) -> bool {
        match self.control.only_with() {
            Some(allowed) => allowed.contains(&self.recovery),
            None => self.recovery != LossRecovery::Vegas,
        }
    }

    /// Refuses a recovery that does not go with the control; `key` is where the recovery was chosen.
    ///
    /// # Errors
    /// What was found and what is allowed.
    pub fn check(self, key: String) -> Result<(), BuildError> {
        if self.is_sound() {
            return Ok(());
        }
        let all = LossRecovery::ALL.into_iter().filter(|r| TcpKind { recovery: *r, ..self }.is_sound());
        let own = all.filter(|r| *r != LossRecovery::Own).map(|r| format!("\"{}\"", r.word()));
        let allowed: Vec<String> = std::iter::once("\"own\"".to_string()).chain(own).collect();
        let (found, control) = (self.recovery.word(), self.control.word());
        Err(BuildError::new(
            key,
            format!("found \"{found}\"; with control \"{control}\" allowed are {}", allowed.join(", ")),
        ))
    }
}
