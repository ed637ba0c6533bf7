//! TCP's part of profiles: assignments to documented parameters, nothing else.

use super::TcpConfig;
use super::tcp::{CubicArithmetic, Handshake, InitialSsthresh, LossWindow, RttEstimator, SynOptions, Undo};
use hopscope_core::config::profile::Profile;
use hopscope_core::units::Span;

/// TCP under a profile.
pub fn tcp(profile: Profile) -> TcpConfig {
    let mut tcp = TcpConfig::default();
    match profile {
        Profile::Standard => {}
        Profile::Ns2 => tcp.apply_ns2(),
        Profile::AsNs3 => tcp.apply_as_ns3(),
    }
    tcp
}

impl TcpConfig {
    /// The documented behaviour of ns-2.35; numbers are the items of docs/models/ns2.md.
    fn apply_ns2(&mut self) {
        self.handshake = Handshake::Ns2; // 34
        self.syn_options = SynOptions::None; // 31
        self.initial_window = 2; // 35
        self.initial_ssthresh = InitialSsthresh::Window; // 35
        self.initial_rto = Span::from_secs(3); // 36
        self.min_rto = Span::from_millis(200); // 36
        self.clock_granularity = Span::from_millis(10); // 36
        self.rtt_estimator = RttEstimator::Ns2; // 36
        self.loss_window = LossWindow::Window; // 37, 40
        self.set_recovery_rules(true); // 36 to 42
        self.sack_option_base = 0; // 41
        self.dsack = Some(false); // 41
        self.undo = Undo::None; // 41
        self.vegas_headers = false; // measured with 41
        self.cubic_beta = 819.0 / 1024.0; // 41
        self.cubic_hystart = false; // 41
        self.cubic_arithmetic = CubicArithmetic::Whole; // 41
    }

    /// The rules in which ns-2.35 departs from the RFCs of loss recovery: all of them or none. The numbers are the
    /// items of docs/models/ns2.md.
    pub(super) fn set_recovery_rules(&mut self, ns2: bool) {
        self.times_repetitions = ns2; // 36
        self.repeated_timeout_cuts = ns2; // 37
        self.idle_is_timeout = ns2; // 37
        self.syn_loss_cuts = ns2; // 34
        self.limited_after_timeout = ns2; // 38
        self.idle_duplicates_count = ns2; // 38
        self.first_segment_exempt = ns2; // 39
        self.one_recovery_per_window = ns2; // 39
        self.recovery_end_grows = ns2; // 40
        self.recovery_burst = if ns2 { 2 } else { 0 }; // 40
        self.sack_counts_pipe = ns2; // 41
        self.tahoe_counts_on = ns2; // 41
        self.vegas_backs_off = ns2; // 41
        self.vegas_keeps_start = ns2; // 41
        self.vegas_empty_expires = ns2; // 41
        self.vegas_clears_no_wrap = ns2; // 41
        self.growth_by_ack = ns2; // 42
    }

    /// The behaviour of ns-3.44 as measured for this project; numbers are the items of docs/models/as-ns3.md.
    fn apply_as_ns3(&mut self) {
        self.initial_window = 10; // 21
        self.initial_rto = Span::from_secs(3); // 21
        self.syn_options = SynOptions::WithoutMss; // 21
        self.timestamps = true; // 21
        self.dupacks_as_sack = true; // 23
        self.times_every_segment = true; // 24
        self.backoff_ends_by_ack = true; // 24
        self.repeated_timeout_cuts = true; // 24
        self.growth_by_ack = true; // 25
        self.growth_goes_on = true; // 25
        self.cubic_cuts_cwnd = true; // 25
        self.prr = true; // 21
        self.dsack = Some(false); // 21
        self.undo = Undo::None; // 21
        self.vegas_alpha = 2.0; // 21
        self.vegas_beta = 4.0; // 21
    }
}
