//! Parameters of DCCP. A flow has its own copy.

use hopscope_core::config::params::Range;
use hopscope_core::units::Span;
use hopscope_core::{choice, params};

choice! {
    /// Congestion control of DCCP: the axis `control` of a flow with `transport = "dccp"`.
    pub enum DccpControl {
        /// CCID 2: the window of TCP with selective acknowledgements, in packets (RFC 4341).
        Ccid2 = "ccid2",
        /// CCID 3: TCP-friendly rate control (RFC 4342, RFC 5348).
        Ccid3 = "ccid3",
        /// CCID 4: the same for small packets (RFC 5622).
        Ccid4 = "ccid4",
        /// The delay-based control of zhang2006 for ad hoc access networks (number 248, of those for experiments).
        Adhoc = "adhoc",
    }
}

choice! {
    /// Congestion controls that the receiver of a DCCP flow knows.
    pub enum ReceiverCcid {
        /// That of the flow.
        Any = "any",
        /// CCID 2 alone.
        Ccid2 = "ccid2",
        /// CCID 3 alone.
        Ccid3 = "ccid3",
        /// CCID 4 alone.
        Ccid4 = "ccid4",
        /// CCID 248 alone.
        Adhoc = "adhoc",
    }
}

impl ReceiverCcid {
    /// The number of the one that it knows; none: any.
    pub const fn number(self) -> Option<u8> {
        Some(match self {
            ReceiverCcid::Any => return None,
            ReceiverCcid::Ccid2 => DccpControl::Ccid2.number(),
            ReceiverCcid::Ccid3 => DccpControl::Ccid3.number(),
            ReceiverCcid::Ccid4 => DccpControl::Ccid4.number(),
            ReceiverCcid::Adhoc => DccpControl::Adhoc.number(),
        })
    }
}

choice! {
    /// The retransmission timeout in the throughput equation of `ccid3` and `ccid4`.
    pub enum TfrcRto {
        /// Four round trips.
        FourRtt = "four-rtt",
        /// The same, at least a second.
        Second = "four-rtt-1s",
        /// That of TCP, at least `min_rto`.
        Rfc6298 = "rfc6298",
        /// That of TCP in whole ticks, as ns-2.
        Ticks = "ticks",
    }
}

choice! {
    /// When the window of `adhoc` moves.
    pub enum AdhocUpdate {
        /// By D / cwnd for each packet acknowledged, so by D in a round trip.
        PerAck = "per-ack",
        /// By D, once a round trip.
        PerRtt = "per-rtt",
        /// By the printed bracket for each packet acknowledged, without the bound of cwnd.
        PerAckLiteral = "per-ack-literal",
    }
}

choice! {
    /// What moves the window of `adhoc`.
    pub enum AdhocCount {
        /// Each packet newly acknowledged.
        Packet = "packet",
        /// Each acknowledgement that reports new packets.
        Ack = "ack",
    }
}

choice! {
    /// How the printed `(int)` of `adhoc` takes its number.
    pub enum AdhocInt {
        /// Towards zero, as C does: 2 to 3 packets stay queued.
        Trunc = "trunc",
        /// Downwards: 1 to 2 packets stay queued.
        Floor = "floor",
        /// Whole: 2 packets stay queued, as with FAST.
        Real = "real",
    }
}

choice! {
    /// The round trip that the queueing delay of `adhoc` is divided by.
    pub enum AdhocDelay {
        /// The average.
        Average = "average",
        /// The sample that the acknowledgement brings.
        Sample = "sample",
    }
}

choice! {
    /// When a lost packet of `adhoc` leaves the window.
    pub enum AdhocLeave {
        /// When it is reported.
        Report = "report",
        /// At a timeout.
        Rto = "rto",
    }
}

choice! {
    /// Which acknowledgement ends the probing of `adhoc`.
    pub enum AdhocReset {
        /// That of a probe.
        Probe = "probe",
        /// Any.
        Any = "any",
    }
}

choice! {
    /// What becomes of the window of `adhoc` when probing ends; base is the least round trip, old and new.
    pub enum AdhocResume {
        /// The window times old over new, as the simulated version.
        Window = "window",
        /// The rate times new over old, as the design: the window times the square of it.
        Rate = "rate",
        /// It stays.
        Keep = "keep",
    }
}

choice! {
    /// States of `adhoc`.
    pub enum AdhocStates {
        /// Normal, and Congestion after a timeout: the version that was simulated.
        Two = "two",
        /// Normal, Congestion (loss), Error (corruption) and Failure (timeout): the design.
        Four = "four",
    }
}

choice! {
    /// What the error rate of the state Error of `adhoc` is: the share of corrupt packets among those.
    pub enum AdhocErrors {
        /// That an acknowledgement reports.
        Report = "report",
        /// That all have reported, with a weight of 1/32 for the newest one.
        Average = "average",
    }
}

choice! {
    /// First variance of the round trip of `adhoc`.
    pub enum AdhocVariance {
        /// Half the first sample.
        Half = "half",
        /// None.
        Zero = "zero",
    }
}

choice! {
    /// How the averages of `adhoc` keep fractions of a tick.
    pub enum AdhocAverages {
        /// Whole.
        Exact = "exact",
        /// As ns-2's TCP keeps its own: quarters of a tick are carried on, whole ticks are what is read.
        FixedPoint = "fixed-point",
    }
}

impl DccpControl {
    /// Its number (RFC 4340 10).
    pub const fn number(self) -> u8 {
        match self {
            DccpControl::Ccid2 => 2,
            DccpControl::Ccid3 => 3,
            DccpControl::Ccid4 => 4,
            DccpControl::Adhoc => 248,
        }
    }

    /// It has a rate instead of a window.
    pub const fn is_by_rate(self) -> bool {
        matches!(self, DccpControl::Ccid3 | DccpControl::Ccid4)
    }

    /// Its sender has to know which packets have come.
    pub const fn needs_vectors(self, cfg: &DccpConfig) -> bool {
        cfg.reliable || !self.is_by_rate()
    }
}

choice! {
    /// What reliable DCCP with `adhoc` sends as a probe.
    pub enum ReliableProbe {
        /// A packet without data; what its answer does not report is repeated after it.
        Header = "header",
        /// The oldest data.
        Oldest = "oldest",
    }
}

params! {
    /// Both ends of a DCCP connection.
    pub struct DccpConfig {
        /// Data packets leave with a Timestamp, which acknowledgements echo. With `adhoc` they always do.
        timestamps: bool = false, "", "RFC 4340 13", when "flow.control != adhoc";
        /// Data and acknowledgements have headers with 24-bit sequence numbers.
        short_seq: bool = false, "", "RFC 4340 7.6.1";
        /// Least width of the windows in which sequence numbers are valid; it grows to five times the congestion
        /// window.
        sequence_window: u32 = 100, "packets", "RFC 4340 7.5.2", in Range::within(32.0, 1e6);
        /// Data packets for each acknowledgement, to begin with; 0: 2, and 1 with `adhoc`.
        ack_ratio: u32 = 0, "packets", "RFC 4340 11.3; zhang2006 7", in Range::within(0.0, 1e3);
        /// The ratio follows the window and the loss of acknowledgements; not with `adhoc`.
        adapt_ack_ratio: bool = true, "", "RFC 4341 6.1.2", when "flow.control = ccid2";
        /// Longest time an acknowledgement is held back.
        ack_delay: Span = Span::from_millis(200), "s", "a default, as of TCP", in Range::above(0.0).up_to(10.0);
        /// Packets that the receiver can keep for its application; 0: it takes everything.
        receive_buffer: u32 = 0, "packets", "RFC 4340 11.7", in Range::within(0.0, 1e6), when "read_rate > 0";
        /// What its application reads; 0: at once.
        read_rate: u64 = 0, "bit/s", "RFC 4340 11.6", in Range::within(0.0, 1e12), when "receive_buffer > 0";
        /// One in so many new data packets comes with errors in its data: the receiver drops it and reports it as corrupt.
        /// 0: none does.
        corrupt_period: u32 = 0, "packets", "RFC 4340 9.3, 11.7 (Drop Code 3)", in Range::within(0.0, 1e6);
        /// Congestion controls that the receiver knows. Without that of the flow the connection is reset.
        receiver_ccid: ReceiverCcid = ReceiverCcid::Any, "", "RFC 4340 6.3.1, 10";
        /// Packets say how many without data went before them.
        ndp_count: bool = false, "", "RFC 4340 7.7";
        /// Packets can be marked instead of dropped.
        ecn: bool = true, "", "RFC 4340 12";
        /// Initial window; 0 takes the rule of RFC 3390 (2, 3 or 4 by packet size), and 1 with `adhoc`.
        initial_window: u32 = 0, "packets", "RFC 4341 5", in Range::within(0.0, 1e3);
        /// Later packets reported received that make one lost; 0: 3, and 1 with `adhoc`.
        lost_after: u32 = 0, "packets", "RFC 4341 5; zhang2006 7", in Range::within(0.0, 1e3),
            when "flow.control != adhoc or adhoc_leave = report";
        /// Timeout before the first sample.
        initial_rto: Span = Span::from_secs(1), "s", "RFC 6298 2.1", in Range::above(0.0).up_to(3600.0),
            when "flow.control != adhoc";
        /// Lower bound of the timeout; that of TCP is not asked for, as nothing is repeated.
        min_rto: Span = Span::from_millis(200), "s", "a default (RFC 4341 5)", in Range::above(0.0).up_to(60.0);
        /// Time that the end that closes stays in TIMEWAIT.
        time_wait: Span = Span::from_secs(240), "s", "RFC 4340 8.3 (2 MSL)", in Range::above(0.0).up_to(86_400.0);
        /// `ccid3` and `ccid4`: the timeout in the throughput equation.
        tfrc_rto: TfrcRto = TfrcRto::FourRtt, "", "RFC 5348 3.1", when "flow.control = ccid3 | ccid4";
        /// Tick of that timeout with "ticks".
        tfrc_rto_tick: Span = Span::from_millis(100), "s", "ns-2", in Range::above(0.0).up_to(10.0),
            when "tfrc_rto = ticks";
        /// `ccid3` and `ccid4`: old loss intervals count less while the newest one is long.
        tfrc_discounting: bool = true, "", "RFC 5348 5.5", when "flow.control = ccid3 | ccid4";
        /// `ccid3` and `ccid4`: the rate follows the newest round trip at once, against swings.
        tfrc_damping: bool = true, "", "RFC 5348 4.5", when "flow.control = ccid3 | ccid4";
        /// `ccid3` and `ccid4`: feedback reports the newest loss intervals, too.
        tfrc_loss_intervals: bool = true, "", "RFC 4342 8.6", when "flow.control = ccid3 | ccid4";
        /// Data is repeated until it has come, and handed over in order: a layer over any control.
        reliable: bool = false, "", "zhang2006 7";
        /// `reliable` with `adhoc`: what is sent as a probe.
        reliable_probe: ReliableProbe = ReliableProbe::Header, "", "zhang2006 7.1 (a reading)",
            when "reliable = true and flow.control = adhoc";
        /// `adhoc`: when the window moves.
        adhoc_update: AdhocUpdate = AdhocUpdate::PerAck, "", "zhang2006 4.2 (a reading)", when "flow.control = adhoc";
        /// `adhoc`: what moves it.
        adhoc_count: AdhocCount = AdhocCount::Packet, "", "zhang2006 4.2 (a reading)", when "flow.control = adhoc";
        /// `adhoc`: how `(int)` takes its number.
        adhoc_int_mode: AdhocInt = AdhocInt::Trunc, "", "zhang2006 4.2 (a reading: C)", when "flow.control = adhoc";
        /// `adhoc`: the round trip below the queueing delay.
        adhoc_delay: AdhocDelay = AdhocDelay::Average, "", "zhang2006 4.2 (a reading)", when "flow.control = adhoc";
        /// `adhoc`: states.
        adhoc_states: AdhocStates = AdhocStates::Two, "", "zhang2006 6.1", when "flow.control = adhoc";
        /// `adhoc` with four states: the error rate, by which corrupt data lowers the rate.
        adhoc_errors: AdhocErrors = AdhocErrors::Report, "", "zhang2006 4.3 (a reading)", when "adhoc_states = four";
        /// `adhoc` with two states: a loss halves the window once a round trip; with four it always does.
        adhoc_halve_on_loss: bool = false, "", "zhang2006 6.1 (a reading)", when "adhoc_states = two";
        /// `adhoc`: when a lost packet leaves the window.
        adhoc_leave: AdhocLeave = AdhocLeave::Report, "", "zhang2006 7 (a reading)", when "flow.control = adhoc";
        /// `adhoc`: which acknowledgement ends the probing.
        adhoc_reset: AdhocReset = AdhocReset::Probe, "", "zhang2006 6.1 (a reading)", when "flow.control = adhoc";
        /// `adhoc`: what becomes of the window then.
        adhoc_resume: AdhocResume = AdhocResume::Window, "", "zhang2006 6.1; 4.3 has the other",
            when "flow.control = adhoc";
        /// `adhoc`: news of a failed route begins the probing, not a timeout alone.
        adhoc_elfn: bool = false, "", "zhang2006 4.3 (the design); 6.1 has none", when "flow.control = adhoc";
        /// `adhoc`: added to the round trip of a probe, which is shorter for want of payload.
        adhoc_probe_correction: Span = Span::ZERO, "s", "zhang2006 6.1 (as measured)", in Range::within(0.0, 10.0),
            when "flow.control = adhoc";
        /// `adhoc`: tick of the sender's clock; a round trip is the nearest number of ticks, at least one. 0: it is exact.
        adhoc_clock: Span = Span::ZERO, "s", "a reading: zhang2006 6.1 builds on ns-2's TCP, whose tick was 0.1 s, later 0.01 s",
            in Range::within(0.0, 1.0), when "flow.control = adhoc";
        /// `adhoc`: how average and variance of the round trip keep fractions of a tick.
        adhoc_averages: AdhocAverages = AdhocAverages::Exact, "", "a reading: zhang2006 6.1 builds on ns-2's TCP",
            when "adhoc_clock > 0";
        /// `adhoc`: timeout before the first sample; the others are the average and eight times the variance.
        adhoc_initial_rto: Span = Span::from_secs(6), "s", "zhang2006 7.1", in Range::above(0.0).up_to(3600.0),
            when "flow.control = adhoc";
        /// `adhoc`: variance at the first sample.
        adhoc_first_variance: AdhocVariance = AdhocVariance::Half, "", "zhang2006 7.1 (a reading)",
            when "flow.control = adhoc";
        /// `adhoc`: each timeout without an answer doubles the next one, as TCP's does.
        adhoc_backoff: bool = false, "", "zhang2006 6.1; true: a contrast to it (6.3 names it as a cause)",
            when "flow.control = adhoc";
    }
}

impl DccpConfig {
    /// Data packets for each acknowledgement that a control begins with.
    pub const fn first_ack_ratio(&self, control: DccpControl) -> u32 {
        match (self.ack_ratio, control) {
            (0, DccpControl::Ccid2 | DccpControl::Ccid3 | DccpControl::Ccid4) => 2,
            (0, DccpControl::Adhoc) => 1,
            (given, _) => given,
        }
    }

    /// Later packets reported received that make one lost.
    pub const fn losing_packets(&self, control: DccpControl) -> u32 {
        match (self.lost_after, control) {
            (0, DccpControl::Ccid2 | DccpControl::Ccid3 | DccpControl::Ccid4) => 3,
            (0, DccpControl::Adhoc) => 1,
            (given, _) => given,
        }
    }
}
