//! What a sender knows of losses: duplicate ACKs, the recovery under way, and how far back the last loss reaches.

use std::cmp::Ordering;

use super::recovery::{Frto, Reduction, Undo};
use crate::config::TcpConfig;

/// The loss state that every style of recovery shares. Numbers are sequence numbers.
#[derive(Debug, Clone)]
pub(super) struct LossState {
    dupacks: u32,
    /// Duplicate ACKs that declare a loss.
    threshold: u32,
    /// First number not sent when the last loss was found.
    recover: u64,
    /// Bytes that FlightSize leaves out.
    limited: u64,
    /// In fast recovery.
    recovering: bool,
    /// The last loss was found by the timer.
    after_timeout: bool,
    /// How the flight comes down in a recovery.
    pub(super) reduction: Reduction,
    /// Whether a timeout was spurious.
    pub(super) frto: Frto,
    /// What the last recovery changed; none: none is undone.
    pub(super) undo: Option<Box<Undo>>,
}

impl LossState {
    pub(super) fn new(cfg: &TcpConfig) -> Self {
        LossState {
            dupacks: 0,
            threshold: cfg.dupack_threshold.max(1),
            recover: 0,
            limited: 0,
            recovering: false,
            after_timeout: false,
            reduction: Reduction::new(cfg),
            frto: Frto::new(cfg),
            undo: None,
        }
    }

    // Duplicate ACKs.

    /// Duplicate ACKs since the last ACK of new data.
    pub(super) fn dupacks(&self) -> u32 {
        self.dupacks
    }

    /// Duplicate ACKs that declare a loss.
    pub(super) fn threshold(&self) -> u32 {
        self.threshold
    }

    /// Counts a duplicate ACK; gives how the count stands to the threshold.
    pub(super) fn count_dupack(&mut self) -> Ordering {
        self.dupacks += 1;
        self.dupacks_to_threshold()
    }

    /// How the count stands to the threshold.
    pub(super) fn dupacks_to_threshold(&self) -> Ordering {
        self.dupacks.cmp(&self.threshold)
    }

    /// A loss is known as if the threshold had been reached.
    pub(super) fn assume_threshold(&mut self) {
        self.dupacks = self.threshold;
    }

    /// Goes on counting from so many.
    pub(super) fn count_on_from(&mut self, dupacks: u32) {
        self.dupacks = dupacks;
    }

    /// The count begins anew: new data is acknowledged, or what is outstanding is sent again.
    pub(super) fn forget_dupacks(&mut self) {
        self.dupacks = 0;
        self.limited = 0;
    }

    // What FlightSize leaves out.

    /// Bytes sent by limited transmit since the last new ACK (RFC 5681 3.2 step 2), or what a style leaves out itself.
    pub(super) fn limited(&self) -> u64 {
        self.limited
    }

    /// So many bytes more.
    pub(super) fn add_limited(&mut self, bytes: u64) {
        self.limited += bytes;
    }

    /// So many bytes in all.
    pub(super) fn set_limited(&mut self, bytes: u64) {
        self.limited = bytes;
    }

    // Recoveries.

    /// In fast recovery.
    pub(super) fn is_recovering(&self) -> bool {
        self.recovering
    }

    /// The last loss was found by the timer.
    pub(super) fn after_timeout(&self) -> bool {
        self.after_timeout
    }

    /// First number not sent when the last loss was found.
    pub(super) fn recover(&self) -> u64 {
        self.recover
    }

    /// What was outstanding at a timeout is being sent again, with `una` as the first number of it.
    pub(super) fn is_behind_timeout(&self, una: u64) -> bool {
        self.after_timeout && una < self.recover
    }

    /// In a recovery, or behind a timeout.
    pub(super) fn repairs(&self, una: u64) -> bool {
        self.recovering || una < self.recover
    }

    /// A loss is found by other means than the timer while numbers below `max` have been sent.
    pub(super) fn note_loss(&mut self, max: u64) {
        self.recover = max;
        self.after_timeout = false;
    }

    /// Fast recovery begins.
    pub(super) fn enter_recovery(&mut self) {
        self.recovering = true;
    }

    /// It has repaired everything, or has failed; true where there was one.
    pub(super) fn end_recovery(&mut self) -> bool {
        self.reduction.end();
        std::mem::take(&mut self.recovering)
    }

    /// The timer has found a loss, or what counts as one, while numbers below `max` have been sent.
    pub(super) fn note_timeout(&mut self, max: u64) {
        self.recover = max;
        self.after_timeout = true;
    }

    /// The last loss was none: the one before it, which reached up to `recover`, is the last.
    pub(super) fn restore(&mut self, recover: u64) {
        self.recover = recover;
        self.after_timeout = false;
    }

    /// The timeout was spurious. Duplicates of what it repeated still start no recovery.
    pub(super) fn disprove_timeout(&mut self) {
        self.after_timeout = false;
    }

    /// A recovery may start once numbers from `recover` on are outstanding, whatever was so at the last loss.
    pub(super) fn set_recover(&mut self, recover: u64) {
        self.recover = recover;
    }
}
