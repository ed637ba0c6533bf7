//! A station as it stands at an instant, for those who show it. To ask changes nothing.

use hopscope_core::units::Time;

use crate::backoff::Access;
use crate::contention::Station;
use crate::edca::category::Ac;
use crate::rules::StationRules;

/// What an 802.11 interface does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterfaceState {
    /// Its frame is on the air.
    Transmitting,
    /// A frame holds its receiver.
    Receiving,
    /// It owes an answer, which follows after SIFS.
    Answering,
    /// It waits for an answer, or for the data that it has asked for.
    Waiting,
    /// It has a packet and wants the medium.
    Contending,
    /// Nothing of these.
    Idle,
}

impl InterfaceState {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            InterfaceState::Transmitting => "transmitting",
            InterfaceState::Receiving => "receiving",
            InterfaceState::Answering => "answering",
            InterfaceState::Waiting => "waiting",
            InterfaceState::Contending => "contending",
            InterfaceState::Idle => "idle",
        }
    }
}

/// A station as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StationState {
    /// End of the NAV; in the past where nothing is reserved.
    pub nav_until: Time,
    /// Contention window, slots; of a QoS station that of best effort.
    pub cw: u32,
    /// Slots of back-off that are left, if one runs; of a QoS station that of best effort.
    pub backoff: Option<u32>,
    /// What it does, its frame exchange being in `exchange`.
    pub doing: InterfaceState,
}

impl Station {
    /// The station as it stands, edges applied up to `now`; `exchange` is what its frame exchange does.
    pub fn state(&self, exchange: InterfaceState, now: Time, rules: &StationRules) -> StationState {
        let doing = if self.radio.tx_until() > now {
            InterfaceState::Transmitting
        } else if self.radio.receiving_until().is_some_and(|end| end > now) {
            InterfaceState::Receiving
        } else {
            exchange
        };
        let nav_until = self.nav_end();
        let best_effort = self.edcaf_of(Ac::BestEffort, rules);
        let (function, space) = best_effort.unwrap_or((&self.own().function, rules.timing.difs));
        let counts = matches!(function.access, Access::Backoff | Access::NonFreezing);
        let backoff = counts.then(|| {
            let end = function.expiry(self.medium(self.busy_until()), space, rules);
            // While the medium is busy or an inter-frame space runs, no slot is counted.
            let slots = end.saturating_since(now).0.div_ceil(rules.timing.slot.0);
            u32::try_from(slots).unwrap_or(u32::MAX).min(function.remaining)
        });
        StationState { nav_until, cw: function.cw(), backoff, doing }
    }
}
