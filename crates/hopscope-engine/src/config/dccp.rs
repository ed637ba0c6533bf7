//! Parameters of DCCP. A flow has its own copy.

use super::params::{Range, choice, params};
use crate::units::Span;

choice! {
    /// Congestion control of DCCP: the axis `control` of a flow with `transport = "dccp"`.
    pub enum DccpControl {
        /// CCID 2: the window of TCP with selective acknowledgements, in packets (RFC 4341).
        Ccid2 = "ccid2",
    }
}

impl DccpControl {
    /// Its number (RFC 4340 10).
    pub const fn number(self) -> u8 {
        match self {
            DccpControl::Ccid2 => 2,
        }
    }
}

params! {
    /// Both ends of a DCCP connection.
    pub struct DccpConfig {
        /// Data packets leave with a Timestamp, which acknowledgements echo.
        timestamps: bool = false, "", "RFC 4340 13";
        /// Data and acknowledgements have headers with 24-bit sequence numbers.
        short_seq: bool = false, "", "RFC 4340 7.6.1";
        /// Least width of the windows in which sequence numbers are valid; it grows to five times the congestion window.
        sequence_window: u32 = 100, "packets", "RFC 4340 7.5.2", in Range::within(32.0, 1e6);
        /// Data packets for each acknowledgement, to begin with.
        ack_ratio: u32 = 2, "packets", "RFC 4340 11.3", in Range::within(1.0, 1e3);
        /// The ratio follows the window and the loss of acknowledgements.
        adapt_ack_ratio: bool = true, "", "RFC 4341 6.1.2";
        /// Longest time an acknowledgement is held back.
        ack_delay: Span = Span::from_millis(200), "s", "a default, as of TCP", in Range::above(0.0).up_to(10.0);
        /// Packets that the receiver can keep for its application; 0: it takes everything.
        receive_buffer: u32 = 0, "packets", "RFC 4340 11.7", in Range::within(0.0, 1e6);
        /// What its application reads; 0: at once.
        read_rate: u64 = 0, "bit/s", "RFC 4340 11.6", in Range::within(0.0, 1e12);
        /// Packets tell how many without data went before them.
        ndp_count: bool = false, "", "RFC 4340 7.7";
        /// Packets can be marked instead of dropped.
        ecn: bool = true, "", "RFC 4340 12";
        /// Initial window; 0 takes the rule of RFC 3390 (2, 3 or 4 by packet size).
        initial_window: u32 = 0, "packets", "RFC 4341 5", in Range::within(0.0, 1e3);
        /// Later packets reported received that make one lost.
        lost_after: u32 = 3, "packets", "RFC 4341 5", in Range::within(1.0, 1e3);
        /// Timeout before the first sample.
        initial_rto: Span = Span::from_secs(1), "s", "RFC 6298 2.1", in Range::above(0.0).up_to(3600.0);
        /// Lower bound of the timeout; that of TCP is not asked for, as nothing is repeated.
        min_rto: Span = Span::from_millis(200), "s", "a default (RFC 4341 5)", in Range::above(0.0).up_to(60.0);
        /// Time that the end that closes stays in TIMEWAIT.
        time_wait: Span = Span::from_secs(240), "s", "RFC 4340 8.3 (2 MSL)", in Range::above(0.0).up_to(86_400.0);
    }
}
