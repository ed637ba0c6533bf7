//! The transport of a flow, by its words: those of TCP stand for a congestion control with a loss recovery.

use hopscope_core::choice;
use hopscope_tcp::config::{CongestionControl, LossRecovery, TcpConfig, TcpKind, TcpVariant};
use hopscope_tcp::congestion_controls;

macro_rules! declare {
    ($($(#[doc = $doc:literal])+ $variant:ident = $_word:literal, $name:ident = $tcp:literal, $_recovery:ident;)+) => {
        choice! {
            /// Transport protocol of a flow; the words `tcp-...` stand for TCP with a congestion control and a
            /// recovery.
            pub enum Transport {
                /// NewReno's window; slow start after every loss (Jacobson 1988).
                TcpTahoe = "tcp-tahoe",
                /// NewReno's window; fast recovery left at the first new ACK (RFC 5681).
                TcpReno = "tcp-reno",
                /// NewReno's window; selective acknowledgements (RFC 2018, RFC 6675).
                TcpSack = "tcp-sack",
                $($(#[doc = $doc])+ $name = $tcp,)+
                /// TCP with a congestion control from outside the engine, which `control` names.
                TcpExternal = "tcp-external",
                /// TCP (RFC 9293) with the congestion control that `control` names, NewReno without one.
                Tcp = "tcp",
                /// UDP (RFC 768).
                Udp = "udp",
                /// DCCP (RFC 4340) with the congestion control that `control` names, CCID 2 without one.
                Dccp = "dccp",
                /// DCCP with the delay-based control for ad hoc networks: `dccp` with `control = "adhoc"` (zhang2006).
                DccpAdhoc = "dccp-adhoc",
                /// ATP: its rate is what the slowest node of the path reports, in feedback once an epoch (Sundaresan et
                /// al. 2003).
                Atp = "atp",
            }
        }

        impl Transport {
            /// What a word of TCP stands for.
            const fn variant(self) -> Option<TcpVariant> {
                match self {
                    Transport::TcpTahoe => Some(TcpVariant::Tahoe),
                    Transport::TcpReno => Some(TcpVariant::Reno),
                    Transport::TcpSack => Some(TcpVariant::Sack),
                    $(Transport::$name => Some(TcpVariant::$variant),)+
                    Transport::TcpExternal => Some(TcpVariant::External),
                    Transport::Tcp | Transport::Udp | Transport::Dccp | Transport::DccpAdhoc | Transport::Atp => None,
                }
            }
        }
    };
}

congestion_controls!(declare);

impl Transport {
    /// The protocol is DCCP.
    pub const fn is_dccp(self) -> bool {
        matches!(self, Transport::Dccp | Transport::DccpAdhoc)
    }

    /// Older words that stand for TCP with a congestion control and a recovery of the engine's own.
    pub fn built_in_tcp() -> impl Iterator<Item = Transport> {
        let is_built_in = |t: &Transport| t.variant().is_some_and(|v| v != TcpVariant::External);
        Transport::ALL.into_iter().filter(is_built_in)
    }

    /// The protocol is TCP.
    pub const fn is_tcp(self) -> bool {
        !matches!(self, Transport::Udp | Transport::Dccp | Transport::DccpAdhoc | Transport::Atp)
    }

    /// Its congestion control and recovery, which is `Own` where the word does not choose it.
    pub(super) fn stands_for(self) -> Option<(CongestionControl, LossRecovery)> {
        self.variant().map(TcpVariant::stands_for)
    }

    /// What a flow of this transport runs with a congestion control that it names, if it does, and a recovery, which
    /// may be `Own`; none where the protocol is not TCP.
    pub fn tcp_kind(self, control: Option<CongestionControl>, recovery: LossRecovery) -> Option<TcpKind> {
        let (control, own) = match (control, self.stands_for()) {
            _ if !self.is_tcp() => return None,
            (Some(control), _) => (control, LossRecovery::Own),
            (None, Some(pair)) => pair,
            (None, None) => (CongestionControl::NewReno, LossRecovery::Own),
        };
        Some(TcpKind::new(control, if recovery == LossRecovery::Own { own } else { recovery }))
    }

    /// What a flow of this transport runs that chooses nothing else than its `tcp` parameters; plain TCP for UDP.
    pub fn kind(self, tcp: &TcpConfig) -> TcpKind {
        let plain = TcpKind::new(CongestionControl::NewReno, tcp.loss_recovery);
        self.tcp_kind(None, tcp.loss_recovery).unwrap_or(plain)
    }

    /// Loss recovery is not part of what makes the variant.
    pub fn lets_choose_recovery(self) -> bool {
        self.is_tcp() && self.variant().is_none_or(TcpVariant::lets_choose_recovery)
    }
}
