//! Words that parameters of TCP take.

use hopscope_core::choice;

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
    /// Options of the SYN and the SYN-ACK of a three-way handshake, besides time stamps (`tcp.timestamps`).
    pub enum SynOptions {
        /// Maximum segment size (4 bytes), window scale (3), and where the flow exchanges selective acknowledgements
        /// that they are permitted (2), in whole words of 4 bytes.
        All = "all",
        /// The same without the maximum segment size, as ns-3 has it.
        WithoutMss = "without-mss",
        /// None.
        None = "none",
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
    /// What the delay window of ACK policy `mda` does while the path's collision probability is at the threshold or
    /// above.
    pub enum MdaBusy {
        /// It is two segments at most.
        Reset = "reset",
        /// It stays as it is.
        Hold = "hold",
        /// It grows slowly: by `daa_growth` until it was full for the first time, by `mda_regrowth` afterwards.
        Grow = "grow",
    }
}

choice! {
    /// What TCP-DOOR looks at.
    pub enum DoorDetection {
        /// The order of ACKs at the sender, and that of data at the receiver.
        Both = "both",
        /// ACKs alone.
        Acks = "acks",
        /// Data alone.
        Data = "data",
    }
}

choice! {
    /// What a TCP sender does when its node learns that the route has failed: with any `control` and any `recovery`.
    /// The news comes with what the routing protocol sends; static routes never fail.
    pub enum RouteFailure {
        /// Nothing: it learns of losses only.
        Ignore = "ignore",
        /// TCP-ELFN: it stands by, sends one segment every `tcp.elfn_probe`, and goes on as before when one is
        /// acknowledged (Holland and Vaidya 1999).
        Elfn = "elfn",
        /// TCP-F: it snoozes until there is a route again, for `tcp.tcp_f_timer` at most, and sends again what is not
        /// acknowledged, with the window that it had (Chandran et al. 2001).
        TcpF = "tcp-f",
        /// ATCP: a layer below that probes until the other end is heard again, then starts from a window of one
        /// segment; losses without a mark of ECN are repaired there too, and do not cut the window (Liu and Singh
        /// 2001).
        Atcp = "atcp",
    }
}

choice! {
    /// When data counts as lost for recovery with SACK.
    pub enum SackLosses {
        /// Three blocks, or more than two segments, above it have been reported; what a timeout follows is forgotten.
        Rfc6675 = "rfc6675",
        /// Forward acknowledgement: the highest segment reported starts more than `dupack_threshold` segments above it.
        /// A repetition is lost once anything sent after it is reported. What has been reported stands over a timeout.
        Fack = "fack",
    }
}

choice! {
    /// What gives Westwood a bandwidth sample.
    pub enum WestwoodSamples {
        /// What a round trip acknowledges: Westwood+.
        Rtt = "rtt",
        /// Each ACK, over the time since the one before: Westwood as first published.
        Ack = "ack",
    }
}

choice! {
    /// Which packets TIBET averages.
    pub enum TibetSamples {
        /// Those that leave.
        Sent = "sent",
        /// Those that ACKs acknowledge.
        Ack = "ack",
    }
}

choice! {
    /// In what numbers CUBIC reckons.
    pub enum CubicArithmetic {
        /// Real ones: RFC 9438.
        Exact = "exact",
        /// Whole segments and milliseconds, as the module of Linux 2.6 that ns-2.35 runs: goals are rounded up, and an
        /// ACK of one segment counts for nearly two.
        Whole = "whole",
    }
}

choice! {
    /// An older word for the seventeen rules in which ns-2 departs from the RFCs, from `growth_by_ack` on.
    pub enum Recovery {
        /// Each of the rules is what its own parameter says.
        Named = "named",
        /// None of them, whatever the parameters say.
        Rfc = "rfc",
        /// All of them, whatever the parameters say (ns2-facts items 36 to 42).
        Ns2 = "ns2",
    }
}
