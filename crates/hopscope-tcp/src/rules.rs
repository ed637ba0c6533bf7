//! The rules of loss recovery in which ns-2 departs from the RFCs, each a parameter of its own (`config/tcp.rs`).

use crate::config::TcpConfig;

/// What the machines read of them; see the parameters of the same names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) idle_is_timeout: bool,
    pub(super) limited_after_timeout: bool,
    pub(super) idle_duplicates_count: bool,
    pub(super) first_segment_exempt: bool,
    pub(super) duplicates_are_timed: bool,
    pub(super) one_recovery_per_window: bool,
    pub(super) syn_loss_cuts: bool,
    pub(super) recovery_end_grows: bool,
    /// Segments; no limit is `u32::MAX` here.
    pub(super) recovery_burst: u32,
    pub(super) sack_counts_pipe: bool,
    pub(super) tahoe_counts_on: bool,
    pub(super) vegas_backs_off: bool,
    pub(super) vegas_keeps_start: bool,
}

impl Rules {
    pub(super) fn new(cfg: &TcpConfig) -> Self {
        Rules {
            idle_is_timeout: cfg.idle_is_timeout,
            limited_after_timeout: cfg.limited_after_timeout,
            idle_duplicates_count: cfg.idle_duplicates_count,
            first_segment_exempt: cfg.first_segment_exempt,
            duplicates_are_timed: cfg.duplicates_are_timed,
            one_recovery_per_window: cfg.one_recovery_per_window,
            syn_loss_cuts: cfg.syn_loss_cuts,
            recovery_end_grows: cfg.recovery_end_grows,
            recovery_burst: if cfg.recovery_burst == 0 { u32::MAX } else { cfg.recovery_burst },
            sack_counts_pipe: cfg.sack_counts_pipe,
            tahoe_counts_on: cfg.tahoe_counts_on,
            vegas_backs_off: cfg.vegas_backs_off,
            vegas_keeps_start: cfg.vegas_keeps_start,
        }
    }
}
