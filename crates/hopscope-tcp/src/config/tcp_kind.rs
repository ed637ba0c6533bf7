//! What kind of TCP a flow runs: how its window moves, and how it finds and repairs losses.

use super::controls::CongestionControl;
use hopscope_core::choice;
use hopscope_core::error::BuildError;

choice! {
    /// How losses are found and repaired: the axis `recovery` of a flow.
    pub enum LossRecovery {
        /// The congestion control's usual one, which stands next to it in the list of controls; that of the word for
        /// `tcp-tahoe`, `tcp-reno` and `tcp-sack`.
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
