//! The variants that the literature names: a congestion control with a loss recovery.

use super::{CongestionControl, LossRecovery, TcpConfig, TcpKind};
use crate::congestion_controls;

macro_rules! declare {
    ($($(#[doc = $_doc:literal])+ $name:ident = $_word:literal, $_transport:ident = $_tcp:literal, $_recovery:ident;)+) => {
        /// A variant by the name that the literature gives it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum TcpVariant {
            /// Slow start, congestion avoidance, fast retransmit.
            Tahoe,
            /// Fast recovery left at the first new ACK (RFC 5681).
            Reno,
            /// Selective acknowledgements (RFC 2018, RFC 6675).
            Sack,
            $(
                /// The congestion control of this name.
                $name,
            )+
            /// A congestion control from outside.
            External,
        }

        impl TcpVariant {
            const BUILT_IN: &'static [TcpVariant] =
                &[TcpVariant::Tahoe, TcpVariant::Reno, TcpVariant::Sack, $(TcpVariant::$name),+];

            /// Its congestion control and its loss recovery, which is `Own` where the name leaves it open.
            pub const fn stands_for(self) -> (CongestionControl, LossRecovery) {
                match self {
                    TcpVariant::Tahoe => (CongestionControl::NewReno, LossRecovery::Tahoe),
                    TcpVariant::Reno => (CongestionControl::NewReno, LossRecovery::Reno),
                    TcpVariant::Sack => (CongestionControl::NewReno, LossRecovery::Sack),
                    $(TcpVariant::$name => (CongestionControl::$name, LossRecovery::Own),)+
                    TcpVariant::External => (CongestionControl::External, LossRecovery::Own),
                }
            }
        }
    };
}

congestion_controls!(declare);

impl TcpVariant {
    /// Those whose congestion control is built in.
    pub fn built_in() -> impl Iterator<Item = TcpVariant> {
        Self::BUILT_IN.iter().copied()
    }

    /// What it runs with these parameters.
    pub fn kind(self, tcp: &TcpConfig) -> TcpKind {
        let (control, own) = self.stands_for();
        TcpKind::new(control, if tcp.loss_recovery == LossRecovery::Own { own } else { tcp.loss_recovery })
    }

    /// Loss recovery is not part of what makes the variant.
    pub const fn lets_choose_recovery(self) -> bool {
        !matches!(self, TcpVariant::Tahoe | TcpVariant::Reno | TcpVariant::Vegas)
    }
}
