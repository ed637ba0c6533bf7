//! What the rest of a node may know of its MAC: how far it is, what it counted, and what it found of neighbours.

use crate::dcf::{Attempts, Dcf, Phase, Reply};
use crate::failures::Failure;
use crate::frame::FrameKind;
use crate::rules::MacRules;
use crate::state::InterfaceState;
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use hopscope_phy::phy::modes::Mode;

/// What a MAC shows to link layer, network layer and transports of its node.
#[derive(Debug, Clone, Copy)]
pub struct MacView<'a> {
    /// Counters since the start: RTS and data frames, packets, retries, packets given up, data frames without ACK.
    pub attempts: &'a Attempts,
    /// Failed attempts of the last packet, the last one included when it was given up.
    pub last_retries: u32,
}

impl Dcf {
    /// True when the MAC can take a packet.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.current.is_none()
    }

    /// Kind of the frame that follows the SIFS under way.
    pub fn after_sifs(&self) -> FrameKind {
        match self.reply {
            Reply::Pending { kind, .. } => kind,
            Reply::None | Reply::AwaitData { .. } => FrameKind::Data,
        }
    }

    /// Until when it waits for the data frame that its CTS has asked for, if it does.
    pub fn awaits_data(&self) -> Option<Time> {
        match self.reply {
            Reply::AwaitData { until, .. } => Some(until),
            Reply::None | Reply::Pending { .. } => None,
        }
    }

    /// How far its exchanges are, for those who show it.
    pub fn doing(&self) -> InterfaceState {
        match (self.reply, self.phase) {
            (Reply::Pending { .. }, _) => InterfaceState::Answering,
            (Reply::AwaitData { .. }, _) => InterfaceState::Waiting,
            (Reply::None, Phase::Idle) => InterfaceState::Idle,
            (Reply::None, Phase::Contend) => InterfaceState::Contending,
            (Reply::None, Phase::WaitCts | Phase::SifsData | Phase::WaitAck | Phase::Broadcasting) => {
                InterfaceState::Waiting
            }
        }
    }

    /// Counters since the start.
    pub fn attempts(&self) -> &Attempts {
        &self.attempts
    }

    /// What layers above may know of it.
    #[inline]
    pub fn view(&self) -> MacView<'_> {
        MacView { attempts: &self.attempts, last_retries: self.retries.total() }
    }

    /// What is known of frames to a neighbour, where it is kept.
    pub fn failure(&self, to: NodeId) -> Failure {
        self.failures.as_ref().map_or_else(Failure::default, |failures| failures.of(to))
    }

    /// Mode of the next data frame to a neighbour.
    pub fn data_mode(&self, to: NodeId, rules: &MacRules) -> Mode {
        self.rates.choose(&rules.rates, to, FrameKind::Data, 0)
    }

    /// Bit/s of data that rate control expects to bring to a neighbour.
    pub fn expected_throughput(&self, to: NodeId, rules: &MacRules) -> Option<u64> {
        self.rates.expected_throughput(rules.rate_rules.as_deref(), to)
    }
}
