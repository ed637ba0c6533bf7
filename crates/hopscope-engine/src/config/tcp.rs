//! Parameters of TCP. A flow has its own copy.

use super::params::{choice, params};
use crate::error::BuildError;
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

choice! {
    /// How losses are found and repaired.
    pub enum LossRecovery {
        /// The variant's own way: SACK for `tcp-sack` and `tcp-cubic`, RACK-TLP for `tcp-htcp`, `tcp-illinois`,
        /// `tcp-bbr` and `tcp-bbr3`, NewReno for the other ones that leave it open.
        Own = "own",
        /// Partial ACKs (RFC 6582).
        NewReno = "newreno",
        /// Selective acknowledgements (RFC 2018, RFC 6675).
        Sack = "sack",
        /// Selective acknowledgements judged by time, and tail-loss probes (RFC 8985).
        Rack = "rack",
    }
}

choice! {
    /// Whether segments are spread over time.
    pub enum Pacing {
        /// Where the variant does it: `tcp-ap`, `tcp-bbr` and `tcp-bbr3`.
        Own = "own",
        /// Every variant: by the window and the smoothed round-trip time, unless the variant has its own pace.
        Window = "window",
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
        /// How losses are found and repaired; Tahoe, Reno and Vegas are what they are by their own way.
        loss_recovery: LossRecovery = LossRecovery::Own, "", "RFC 6582, RFC 6675, RFC 8985";
        /// Whether segments are spread over time.
        pacing: Pacing = Pacing::Own, "", "a default";
        /// Pacing by window: rate in slow start over cwnd per SRTT.
        pacing_slow_start: f64 = 2.0, "", "Linux net.ipv4.tcp_pacing_ss_ratio";
        /// Pacing by window: the same in congestion avoidance.
        pacing_avoidance: f64 = 1.2, "", "Linux net.ipv4.tcp_pacing_ca_ratio";
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
        /// The receiver reports data that arrived twice in the first SACK block.
        dsack: bool = false, "", "RFC 2883";
        /// Explicit congestion notification: marked packets halve the window as a loss would.
        ecn: bool = false, "", "RFC 3168";
        /// Every segment carries the timestamps option (12 bytes), and every ACK of new data gives a round-trip time.
        timestamps: bool = false, "", "RFC 7323";
        /// Tick of the clock in the timestamps option.
        timestamp_clock: Span = Span::from_millis(1), "s", "RFC 7323 5.4 (1 ms to 1 s)";
        /// Proportional rate reduction: a recovery by SACK or RACK-TLP comes down to the cut window over a round trip.
        prr: bool = false, "", "RFC 9937";
        /// F-RTO: after a timeout new data tells whether anything was lost at all; not together with RACK-TLP.
        frto: bool = false, "", "RFC 5682 2.1";
        /// Vegas: lower bound of the backlog.
        vegas_alpha: f64 = 1.0, "packets", "ns2-facts item 41";
        /// Vegas: upper bound of the backlog.
        vegas_beta: f64 = 3.0, "packets", "ns2-facts item 41";
        /// Vegas: backlog that ends slow start.
        vegas_gamma: f64 = 1.0, "packets", "ns2-facts item 41";
        /// Segments of the Vegas sender carry their headers on the air; ns-2.35's Vegas agent leaves them out and sends
        /// its SYN at full packet size.
        vegas_headers: bool = true, "", "ns-2.35 behaviour, measured for this project";
        /// Veno: backlog from which on a loss means congestion.
        veno_beta: f64 = 3.0, "packets", "Fu and Liew 2003";
        /// Westwood+: shortest time a bandwidth sample is taken over; a round trip if that is longer.
        westwood_interval: Span = Span::from_millis(50), "s", "Linux net/ipv4/tcp_westwood.c";
        /// Westwood+: weight of the old value in each of the two bandwidth filters.
        westwood_filter: f64 = 0.875, "", "Linux net/ipv4/tcp_westwood.c";
        /// TIBET: weight of the old averages of packet length and time between packets.
        tibet_alpha: f64 = 0.99, "", "zhang2006";
        /// FAST: packets each flow keeps queued.
        fast_alpha: f64 = 2.0, "packets", "a default (published ones are for wide-area links, 100 and more)";
        /// FAST: share of the way to its target that the window goes at an update.
        fast_gamma: f64 = 0.5, "", "Wei et al. 2006";
        /// CUBIC: aggressiveness C.
        cubic_c: f64 = 0.4, "segments/s^3", "RFC 9438 4.1";
        /// CUBIC: share of the window kept after a loss.
        cubic_beta: f64 = 0.7, "", "RFC 9438 4.6";
        /// CUBIC: a flow that loses before its plateau lowers it.
        cubic_fast_convergence: bool = true, "", "RFC 9438 4.7";
        /// CUBIC: slow start ends when the round-trip time rises (HyStart++).
        cubic_hystart: bool = true, "", "RFC 9406";
        /// H-TCP: time after a loss in which the window grows as Reno's (Delta_L).
        htcp_low_speed: Span = Span::from_secs(1), "s", "draft-leith-tcp-htcp-06 2.1";
        /// Illinois: growth per round trip at the largest queueing delay.
        illinois_alpha_min: f64 = 0.3, "segments", "Liu et al. 2008";
        /// Illinois: growth per round trip without queueing delay.
        illinois_alpha_max: f64 = 10.0, "segments", "Liu et al. 2008";
        /// Illinois: share of the window taken by a loss without queueing delay.
        illinois_beta_min: f64 = 0.125, "", "Liu et al. 2008";
        /// Illinois: share of the window taken by a loss at the largest queueing delay.
        illinois_beta_max: f64 = 0.5, "", "Liu et al. 2008";
        /// Illinois: window below which it is Reno (W_thresh).
        illinois_window: f64 = 15.0, "segments", "Liu et al. 2008; Linux net/ipv4/tcp_illinois.c";
        /// TCP-AP: bit rate of the links; 0 takes the radio's `data_rate`.
        ap_link_rate: u64 = 0, "bit/s", "ElRakabawy et al. 2005 (an input of the scheme)";
        /// TCP-AP: weight of the old average of the four-hop delay.
        ap_alpha: f64 = 0.7, "", "ElRakabawy et al. 2005, agent for ns-2";
        /// TCP-AP: samples that the variation of the delay is taken over.
        ap_history: u32 = 50, "samples", "ElRakabawy et al. 2005, agent for ns-2";
        /// TCP-AP: time between segments before the first sample.
        ap_first_spacing: Span = Span::from_millis(50), "s", "ElRakabawy et al. 2005, agent for ns-2";
        /// How long the end that closed first stays in TIME-WAIT.
        time_wait: Span = Span::from_secs(60), "s", "RFC 9293 3.4.2 (2 MSL, MSL shortened: a default)";
    }
}

impl TcpConfig {
    /// Checks the parameters of the congestion controls; `key` names one in full.
    ///
    /// # Errors
    /// The first parameter at fault, with what was found and what is allowed.
    pub fn check(&self, key: impl Fn(&str) -> String) -> Result<(), BuildError> {
        let numbers = [
            ("veno_beta", self.veno_beta, 0.0, 1e6),
            ("westwood_filter", self.westwood_filter, 0.0, 0.999_999),
            ("tibet_alpha", self.tibet_alpha, 0.0, 0.999_999),
            ("fast_alpha", self.fast_alpha, 0.1, 1e6),
            ("fast_gamma", self.fast_gamma, 0.001, 1.0),
            ("illinois_alpha_min", self.illinois_alpha_min, 0.001, 1e3),
            ("illinois_alpha_max", self.illinois_alpha_max, 0.001, 1e3),
            ("illinois_beta_min", self.illinois_beta_min, 0.0, 0.9),
            ("illinois_beta_max", self.illinois_beta_max, 0.0, 0.9),
            ("illinois_window", self.illinois_window, 0.0, 1e6),
            ("ap_alpha", self.ap_alpha, 0.0, 0.999_999),
            ("ap_history", f64::from(self.ap_history), 1.0, 10_000.0),
            ("ap_link_rate", self.ap_link_rate as f64, 0.0, 1e12),
            ("pacing_slow_start", self.pacing_slow_start, 0.01, 1e3),
            ("pacing_avoidance", self.pacing_avoidance, 0.01, 1e3),
            ("cubic_c", self.cubic_c, 1e-6, 1e6),
            ("cubic_beta", self.cubic_beta, 0.01, 0.999),
        ];
        for (name, value, least, most) in numbers {
            if !(least..=most).contains(&value) {
                return Err(BuildError::new(key(name), format!("found {value}; allowed are {least} to {most}")));
            }
        }
        let pairs = [
            ("illinois_alpha_min", self.illinois_alpha_min, "illinois_alpha_max", self.illinois_alpha_max),
            ("illinois_beta_min", self.illinois_beta_min, "illinois_beta_max", self.illinois_beta_max),
        ];
        for (low, least, high, most) in pairs {
            if least >= most {
                return Err(BuildError::new(key(low), format!("found {least}; less than {high} ({most}) is allowed")));
            }
        }
        let minute = Span::from_secs(60);
        let spans = [
            ("westwood_interval", self.westwood_interval, Span(1), minute),
            ("htcp_low_speed", self.htcp_low_speed, Span::ZERO, minute),
            ("timestamp_clock", self.timestamp_clock, Span::from_micros(1), Span::from_secs(1)),
            ("ap_first_spacing", self.ap_first_spacing, Span::ZERO, minute),
        ];
        for (name, value, least, most) in spans {
            if !(least..=most).contains(&value) {
                let [value, least, most] = [value, least, most].map(|span| span.0 as f64 / 1e9);
                return Err(BuildError::new(key(name), format!("found {value} s; allowed are {least} to {most} s")));
            }
        }
        Ok(())
    }
}
