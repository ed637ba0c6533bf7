//! The states of a link (IEEE 802.11-2020 14.4.5, table 14-2).

use super::reason;
use crate::config::hwmp::HwmpConfig;
use hopscope_core::units::Time;
use hopscope_packet::hwmp::{Peering, PeeringAction};

/// How far a peering is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum State {
    /// IDLE.
    #[default]
    Idle,
    /// OPN_SNT: an Open was sent.
    OpenSent,
    /// CNF_RCVD: it was confirmed, and the neighbour's Open is missing.
    ConfirmReceived,
    /// OPN_RCVD: the neighbour's Open has come, and the confirmation is missing.
    OpenReceived,
    /// ESTAB.
    Established,
    /// HOLDING: it was closed, and nothing begins for a while.
    Holding,
}

/// What happens to a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A neighbour is there to peer with (ACTOPN).
    Begin,
    /// Its Open has come (OPN_ACPT).
    Open,
    /// Its Confirm has come (CNF_ACPT).
    Confirm,
    /// Its Close has come (CLS_ACPT).
    Close,
    /// The link is to be closed (CNCL).
    Cancel,
    /// The timer that runs is over (TOR, TOC, TOH).
    Timeout,
}

impl Event {
    pub(super) fn of(action: PeeringAction) -> Self {
        match action {
            PeeringAction::Open => Event::Open,
            PeeringAction::Confirm => Event::Confirm,
            PeeringAction::Close => Event::Close,
        }
    }
}

/// A frame that the link sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Open,
    Confirm,
    /// With its reason code.
    Close(u16),
}

/// One link.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) state: State,
    /// Its number here, and at the neighbour.
    pub(super) local: u16,
    pub(super) peer: Option<u16>,
    /// Open frames sent after the first one.
    pub(super) retries: u32,
    /// When the timer that runs is over.
    pub(super) deadline: Time,
}

impl Default for Link {
    fn default() -> Self {
        Link { state: State::Idle, local: 0, peer: None, retries: 0, deadline: Time::NEVER }
    }
}

impl Link {
    /// Whether a frame is about this link: a number that it names is that of this side, and the neighbour's own is the one
    /// that is known. One that opens a new link in place of one that stands here has another number.
    pub(super) fn matches(&self, frame: &Peering) -> bool {
        let is_ours = frame.peer.is_none_or(|peer| peer == self.local);
        let is_theirs = self.peer.is_none_or(|peer| peer == frame.local);
        // A neighbour that has lost the link begins again: its Open is taken as a new one.
        is_ours && (is_theirs || frame.action == PeeringAction::Open)
    }

    /// The next state, and the frames that go.
    pub(super) fn step(&mut self, event: Event, cfg: &HwmpConfig, now: Time) -> Vec<Said> {
        use Event::{Begin, Cancel, Close, Confirm, Open, Timeout};
        use State::{ConfirmReceived, Established, Holding, Idle, OpenReceived, OpenSent};
        match (self.state, event) {
            (Idle, Begin) => self.begin(OpenSent, vec![Said::Open], cfg, now),
            (Idle, Open) => self.begin(OpenReceived, vec![Said::Open, Said::Confirm], cfg, now),
            (OpenSent | OpenReceived, Timeout) if self.retries < cfg.max_retries => {
                self.retries += 1;
                self.deadline = now + cfg.retry_timeout;
                vec![Said::Open]
            }
            (OpenSent | OpenReceived, Timeout) => self.close(MAX_RETRIES, cfg, now),
            (OpenSent, Open) => {
                self.state = OpenReceived;
                vec![Said::Confirm]
            }
            (OpenSent, Confirm) => {
                (self.state, self.deadline) = (ConfirmReceived, now + cfg.confirm_timeout);
                vec![]
            }
            (ConfirmReceived, Open) => {
                (self.state, self.deadline) = (Established, Time::NEVER);
                vec![Said::Confirm]
            }
            (ConfirmReceived, Timeout) => self.close(CONFIRM_TIMEOUT, cfg, now),
            (OpenReceived, Confirm) => {
                (self.state, self.deadline) = (Established, Time::NEVER);
                vec![]
            }
            (OpenReceived | Established, Open) => vec![Said::Confirm],
            (OpenSent | ConfirmReceived | OpenReceived | Established, Cancel) => {
                self.close(reason::CANCELLED, cfg, now)
            }
            (OpenSent | ConfirmReceived | OpenReceived | Established, Close) => self.close(CLOSE_RECEIVED, cfg, now),
            (Holding, Open | Confirm) => vec![Said::Close(reason::CANCELLED)],
            (Holding, Timeout | Close) => {
                *self = Link::default();
                vec![]
            }
            (Idle, Confirm | Close | Cancel | Timeout)
            | (OpenSent | ConfirmReceived | OpenReceived | Established | Holding, Begin)
            | (ConfirmReceived | Established, Confirm)
            | (Established, Timeout)
            | (Holding, Cancel) => vec![],
        }
    }

    fn begin(&mut self, state: State, said: Vec<Said>, cfg: &HwmpConfig, now: Time) -> Vec<Said> {
        (self.state, self.retries, self.deadline) = (state, 0, now + cfg.retry_timeout);
        said
    }

    fn close(&mut self, reason: u16, cfg: &HwmpConfig, now: Time) -> Vec<Said> {
        (self.state, self.deadline) = (State::Holding, now + cfg.holding_timeout);
        vec![Said::Close(reason)]
    }
}

/// Reason codes of table 9-49.
const CLOSE_RECEIVED: u16 = 55;
const MAX_RETRIES: u16 = 56;
const CONFIRM_TIMEOUT: u16 = 57;
