//! How needless recoveries are found, and by whom: words, and what they come to for a flow.

use super::ConnectionConfig;
use super::ack::AckPolicy;
use super::tcp::LossRecovery;
use hopscope_core::choice;
use hopscope_core::error::BuildError;

choice! {
    /// By what a sender finds that a recovery or a timeout was needless, to undo it.
    pub enum Undo {
        /// As `any` with ACK policy `linux-modern`, as `none` with the others.
        Own = "own",
        /// Nothing: what was cut stays cut.
        None = "none",
        /// Duplicates that the receiver reports (RFC 3708): with recovery `sack` or `rack`.
        Dsack = "dsack",
        /// The stamp that the first ACK of new data echoes (RFC 3522): with `timestamps`.
        Timestamps = "timestamps",
        /// Whatever ACKs carry of the two.
        Any = "any",
    }
}

/// By what a needless recovery is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detection {
    /// Duplicates that the receiver reports.
    pub dsack: bool,
    /// Stamps that it echoes.
    pub timestamps: bool,
}

impl ConnectionConfig<'_> {
    /// By what needless recoveries are found, and whether data that arrived twice is reported.
    pub(crate) fn undo_and_dsack(&self) -> (Detection, bool) {
        let kind = self.kind;
        let is_linux = self.ack == AckPolicy::LinuxModern;
        let any = self.tcp.undo == Undo::Any || (self.tcp.undo == Undo::Own && is_linux);
        let by_dsack = kind.uses_sack() && (any || self.tcp.undo == Undo::Dsack);
        let own = by_dsack || is_linux || kind.recovery == LossRecovery::Rack;
        let dsack = kind.uses_sack() && self.tcp.dsack.unwrap_or(own);
        let timestamps = self.tcp.timestamps && (any || self.tcp.undo == Undo::Timestamps);
        (Detection { dsack: by_dsack && dsack, timestamps }, dsack)
    }

    /// What is wrong with the words that choose how needless recoveries are found.
    pub fn check_undo(&self, key: impl Fn(&str) -> String) -> Option<BuildError> {
        let asked = self.tcp.undo;
        let kind = self.kind;
        let (found, _) = self.undo_and_dsack();
        let message = match asked {
            Undo::Dsack if !kind.uses_sack() => "needs a recovery with selective acknowledgements: sack or rack",
            Undo::Dsack if !found.dsack => "needs the reports of the receiver, which dsack = false turns off",
            Undo::Timestamps if !found.timestamps => "needs timestamps = true",
            Undo::Any if !found.dsack && !found.timestamps => {
                "needs timestamps = true, or recovery sack or rack with dsack"
            }
            _ => return None,
        };
        Some(BuildError::new(key("tcp.undo"), format!("found \"{}\"; it {message}", asked.word())))
    }
}
