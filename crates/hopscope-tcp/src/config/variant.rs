//! The variants that the literature names: a congestion control with a loss recovery.

use super::{CongestionControl, LossRecovery, TcpConfig, TcpKind};

/// A variant by the name that the literature and older scenario files give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TcpVariant {
    /// Slow start, congestion avoidance, fast retransmit.
    Tahoe,
    /// Fast recovery left at the first new ACK (RFC 5681).
    Reno,
    /// Fast recovery through partial ACKs (RFC 6582).
    NewReno,
    /// Selective acknowledgements (RFC 2018, RFC 6675).
    Sack,
    /// The congestion control of this name.
    Vegas,
    /// The congestion control of this name.
    Veno,
    /// The congestion control of this name.
    Westwood,
    /// The congestion control of this name.
    Tibet,
    /// The congestion control of this name.
    Fast,
    /// The congestion control of this name.
    Cubic,
    /// The congestion control of this name.
    Htcp,
    /// The congestion control of this name.
    Illinois,
    /// The congestion control of this name.
    Ap,
    /// The congestion control of this name.
    Bbr,
    /// The congestion control of this name.
    Bbr3,
    /// The congestion control of this name.
    Scalable,
    /// The congestion control of this name.
    HighSpeed,
    /// A congestion control from outside.
    External,
}

impl TcpVariant {
    const ALL: [TcpVariant; 18] = [
        TcpVariant::Tahoe,
        TcpVariant::Reno,
        TcpVariant::NewReno,
        TcpVariant::Sack,
        TcpVariant::Vegas,
        TcpVariant::Veno,
        TcpVariant::Westwood,
        TcpVariant::Tibet,
        TcpVariant::Fast,
        TcpVariant::Cubic,
        TcpVariant::Htcp,
        TcpVariant::Illinois,
        TcpVariant::Ap,
        TcpVariant::Bbr,
        TcpVariant::Bbr3,
        TcpVariant::Scalable,
        TcpVariant::HighSpeed,
        TcpVariant::External,
    ];

    /// Those whose congestion control is built in.
    pub fn built_in() -> impl Iterator<Item = TcpVariant> {
        TcpVariant::ALL.into_iter().filter(|variant| *variant != TcpVariant::External)
    }

    /// Its congestion control and its loss recovery, which is `Own` where the name leaves it open.
    pub const fn stands_for(self) -> (CongestionControl, LossRecovery) {
        let control = match self {
            TcpVariant::Tahoe => return (CongestionControl::NewReno, LossRecovery::Tahoe),
            TcpVariant::Reno => return (CongestionControl::NewReno, LossRecovery::Reno),
            TcpVariant::Sack => return (CongestionControl::NewReno, LossRecovery::Sack),
            TcpVariant::NewReno => CongestionControl::NewReno,
            TcpVariant::Vegas => CongestionControl::Vegas,
            TcpVariant::Veno => CongestionControl::Veno,
            TcpVariant::Westwood => CongestionControl::Westwood,
            TcpVariant::Tibet => CongestionControl::Tibet,
            TcpVariant::Fast => CongestionControl::Fast,
            TcpVariant::Cubic => CongestionControl::Cubic,
            TcpVariant::Htcp => CongestionControl::Htcp,
            TcpVariant::Illinois => CongestionControl::Illinois,
            TcpVariant::Ap => CongestionControl::Ap,
            TcpVariant::Bbr => CongestionControl::Bbr,
            TcpVariant::Bbr3 => CongestionControl::Bbr3,
            TcpVariant::Scalable => CongestionControl::Scalable,
            TcpVariant::HighSpeed => CongestionControl::HighSpeed,
            TcpVariant::External => CongestionControl::External,
        };
        (control, LossRecovery::Own)
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
