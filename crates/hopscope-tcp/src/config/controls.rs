//! The congestion controls of TCP, one line each.

use super::tcp_kind::LossRecovery;
use hopscope_core::choice;

/// Gives the table of congestion controls to a macro. A control is its name and word, the name and word of the
/// transport that stands for it, and its usual recovery; the enums [`CongestionControl`], [`super::TcpVariant`] and
/// that of the transports are made of it. A new control is a line here, a file in `control/` and its arm in
/// `control/mod.rs`.
#[macro_export]
macro_rules! congestion_controls {
    ($then:ident) => {
        $then! {
            /// Additive increase, multiplicative decrease (RFC 5681).
            NewReno = "newreno", TcpNewReno = "tcp-newreno", NewReno;
            /// Follows the backlog estimated from the round-trip time (Brakmo and Peterson 1995).
            Vegas = "vegas", TcpVegas = "tcp-vegas", Vegas;
            /// Reno that keeps 4/5 of the window after a loss with a backlog below `veno_beta` (Fu and Liew 2003;
            /// Linux).
            Veno = "veno", TcpVeno = "tcp-veno", NewReno;
            /// Westwood+: after a loss the window is bandwidth times smallest RTT (Grieco and Mascolo 2004; Linux).
            Westwood = "westwood", TcpWestwood = "tcp-westwood", NewReno;
            /// Westwood+ with the bandwidth in use averaged over packets sent (Capone et al. 2004; zhang2006).
            Tibet = "tibet", TcpTibet = "tcp-tibet", NewReno;
            /// Keeps `fast_alpha` packets queued (Wei et al. 2006; zhang2006).
            Fast = "fast", TcpFast = "tcp-fast", NewReno;
            /// Cubic in the time since the last loss, with HyStart++ (RFC 9438, RFC 9406).
            Cubic = "cubic", TcpCubic = "tcp-cubic", Sack;
            /// Growth by the time since the last loss; keeps RTTmin/RTTmax after one (Leith and Shorten 2004).
            Htcp = "htcp", TcpHtcp = "tcp-htcp", Rack;
            /// Growth and cut by the queueing delay (Liu et al. 2008).
            Illinois = "illinois", TcpIllinois = "tcp-illinois", Rack;
            /// Growth by 1/100 of what is acknowledged, cut by 1/8; AIMD up to 16 segments (Kelly 2003).
            Scalable = "scalable", TcpScalable = "tcp-scalable", Rack;
            /// Growth and cut by the window; AIMD up to 38 segments (RFC 3649).
            HighSpeed = "highspeed", TcpHighSpeed = "tcp-highspeed", Rack;
            /// NewReno paced by the delay of four hops; timeouts do not back off (ElRakabawy et al. 2005).
            Ap = "ap", TcpAp = "tcp-ap", NewReno;
            /// Version 1: pace and window from the bandwidth and smallest RTT of the path (Cardwell et al. 2016).
            Bbr = "bbr", TcpBbr = "tcp-bbr", Rack;
            /// Version 3: the same, bounded by what losses and marks say (draft-ietf-ccwg-bbr).
            Bbr3 = "bbr3", TcpBbr3 = "tcp-bbr3", Rack;
        }
    };
}

macro_rules! declare {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal, $_transport:ident = $_tcp:literal, $recovery:ident;)+) => {
        choice! {
            /// How the congestion window moves: the axis `control` of a flow.
            pub enum CongestionControl {
                $($(#[doc = $doc])+ $name = $word,)+
                /// One from outside the engine, which the flow's `control` names.
                External = "external",
            }
        }

        impl CongestionControl {
            /// The recovery that `own` stands for.
            pub const fn own_recovery(self) -> LossRecovery {
                match self {
                    $(CongestionControl::$name => LossRecovery::$recovery,)+
                    CongestionControl::External => LossRecovery::NewReno,
                }
            }
        }
    };
}

congestion_controls!(declare);

impl CongestionControl {
    /// The recoveries that go with it; none: any but that of Vegas.
    pub(super) const fn only_with(self) -> Option<&'static [LossRecovery]> {
        match self {
            // Its fine-grained timeouts are part of it.
            CongestionControl::Vegas => Some(&[LossRecovery::Vegas]),
            // It sets its window itself and needs to know what has arrived.
            CongestionControl::Bbr => Some(&[LossRecovery::Sack, LossRecovery::Rack]),
            // It learns from every segment lost and when it was sent.
            CongestionControl::Bbr3 => Some(&[LossRecovery::Rack]),
            _ => None,
        }
    }
}
