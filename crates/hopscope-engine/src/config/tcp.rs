//! Parameters of TCP. A flow has its own copy.

use super::params::{choice, params};
use crate::units::Span;

choice! {
    /// Connection set-up and tear-down.
    pub enum Handshake {
        /// SYN, SYN-ACK, ACK; FIN in both directions.
        ThreeWay = "three-way",
        /// The SYN is a numbered segment of its own, answered by an ordinary ACK; no third ACK, no FIN.
        Ns2 = "ns2",
    }
}

choice! {
    /// Start value of ssthresh.
    pub enum InitialSsthresh {
        /// Arbitrarily high.
        Unlimited = "unlimited",
        /// The flow's `max_window`.
        Window = "window",
    }
}

choice! {
    /// How the round-trip time is measured and the RTO kept.
    pub enum RttEstimator {
        /// Exact times, RFC 6298.
        Rfc6298 = "rfc6298",
        /// Whole ticks of `clock_granularity` (rounded down, at least one) in 1/8 and 1/4 fixed point; the lower bound
        /// applies before the back-off factor; beyond a factor of 8 SRTT is folded into RTTVAR.
        Ns2 = "ns2",
    }
}

choice! {
    /// What is halved when a loss is found.
    pub enum LossWindow {
        /// FlightSize (RFC 5681 equation 4).
        Flight = "flight",
        /// min(cwnd plus inflation, max_window), kept as a real number in cwnd and truncated in ssthresh.
        Window = "window",
    }
}

choice! {
    /// Rules of fast recovery.
    pub enum Recovery {
        /// RFC 6582 (NewReno), RFC 5681 (Reno), RFC 6675 (SACK).
        Rfc = "rfc",
        /// The documented variants of ns-2.35 (ns2-facts items 38 to 42).
        Ns2 = "ns2",
    }
}

params! {
    /// TCP sender and receiver.
    pub struct TcpConfig {
        /// TCP header.
        header: u32 = 20, "bytes", "RFC 9293 3.1";
        /// Connection set-up and tear-down.
        handshake: Handshake = Handshake::ThreeWay, "", "RFC 9293 3.5";
        /// Initial window in segments; 0 takes the rule of RFC 5681 (2, 3 or 4 by segment size).
        initial_window: u32 = 0, "segments", "RFC 5681 3.1";
        /// Start value of ssthresh.
        initial_ssthresh: InitialSsthresh = InitialSsthresh::Unlimited, "", "RFC 5681 3.1";
        /// RTO before the first sample.
        initial_rto: Span = Span::from_secs(1), "s", "RFC 6298 2.1";
        /// Lower bound of the RTO.
        min_rto: Span = Span::from_secs(1), "s", "RFC 6298 2.4";
        /// Upper bound of the RTO.
        max_rto: Span = Span::from_secs(60), "s", "RFC 6298 2.5";
        /// Clock granularity G.
        clock_granularity: Span = Span::from_millis(1), "s", "a default (RFC 6298 4 asks for 100 ms or finer)";
        /// RTT measurement and RTO rules.
        rtt_estimator: RttEstimator = RttEstimator::Rfc6298, "", "RFC 6298";
        /// Limited transmit: a new segment on each of the first two duplicate ACKs.
        limited_transmit: bool = true, "", "RFC 3042";
        /// Duplicate ACKs that trigger a fast retransmit.
        dupack_threshold: u32 = 3, "ACKs", "RFC 5681 3.2";
        /// What is halved when a loss is found.
        loss_window: LossWindow = LossWindow::Flight, "", "RFC 5681 equation 4";
        /// The halved window is truncated to whole segments (older ns-2).
        integer_reduction: bool = false, "", "ns2-facts item 36";
        /// Rules of fast recovery.
        recovery: Recovery = Recovery::Rfc, "", "RFC 6582";
        /// ACK policies `linux` and `linux-modern`: shortest time an ACK is held back.
        linux_ack_min: Span = Span::from_millis(40), "s", "Linux include/net/tcp.h, TCP_DELACK_MIN and TCP_ATO_MIN";
        /// ACK policies `linux` and `linux-modern`: segments acknowledged at once at the start, at most; half the
        /// receiver window in segments if that is less.
        linux_quickacks: u32 = 16, "ACKs", "Linux include/net/tcp.h, TCP_MAX_QUICKACKS";
        /// SACK blocks per ACK at most.
        max_sack_blocks: u32 = 3, "blocks", "RFC 2018 3";
        /// Bytes of the SACK option beyond its blocks (kind, length, padding).
        sack_option_base: u32 = 4, "bytes", "RFC 2018 3";
        /// Vegas: lower bound of the backlog.
        vegas_alpha: f64 = 1.0, "packets", "ns2-facts item 41";
        /// Vegas: upper bound of the backlog.
        vegas_beta: f64 = 3.0, "packets", "ns2-facts item 41";
        /// Vegas: backlog that ends slow start.
        vegas_gamma: f64 = 1.0, "packets", "ns2-facts item 41";
        /// Segments of the Vegas sender carry their headers on the air; ns-2.35's Vegas agent leaves them out and sends
        /// its SYN at full packet size.
        vegas_headers: bool = true, "", "ns-2.35 behaviour, measured for this project";
        /// How long the end that closed first stays in TIME-WAIT.
        time_wait: Span = Span::from_secs(60), "s", "RFC 9293 3.4.2 (2 MSL, MSL shortened: a default)";
    }
}
