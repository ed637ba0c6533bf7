//! An IEEE 802.11 interface: radio and back-off, frame exchange, frames on the air, queue and link layer.

use std::sync::Arc;

use super::Port;
use super::air::AirSlots;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Time;
use hopscope_mac::MacView;
use hopscope_mac::contention::{QuietPlan, Station};
use hopscope_mac::dcf::{Attempts, MacCx};
use hopscope_mac::edca::EdcaCx;
use hopscope_mac::failures::Failure;
use hopscope_mac::frame::FrameKind;
use hopscope_mac::state::StationState;
use hopscope_mac::{Dcf, Edca, EdcaEffects, MacEffects, MacRules};
use hopscope_phy::phy::modes::Mode;

/// One 802.11 interface. Each part begins a cache line: a frame touches the first of each hearer, and no other.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Wifi {
    /// Radio, carrier sense, NAV and back-off.
    pub station: Station,
    /// Frame exchange of a station without QoS.
    pub mac: Dcf,
    /// What it has put on the air.
    pub air: AirSlots,
    /// Queue and link layer.
    pub port: Port,
    /// Parameters of MAC, radio and rates, shared by all interfaces that have the same.
    pub rules: Arc<MacRules>,
    /// Frame exchange of a QoS station, which leaves `mac` and the queue of `port` alone.
    pub edca: Option<Box<Edca>>,
}

impl Wifi {
    /// Bytes that it takes, the parts behind pointers included, without a link layer.
    pub fn memory(&self) -> usize {
        size_of::<Wifi>() - size_of::<Station>() + Station::MEMORY + self.port.queue.memory()
    }

    /// One input to the MAC of a station without QoS, the radio's edges applied up to `now`.
    #[inline(always)]
    pub fn mac_input(&mut self, now: Time, out: &mut MacEffects, input: impl FnOnce(&mut Dcf, &mut MacCx<'_>)) {
        let Wifi { mac, station, rules, .. } = self;
        input(mac, &mut MacCx { now, station, rules, out });
    }

    /// One input to the MAC of a QoS station, the radio's edges applied up to `now`.
    pub fn edca_input(&mut self, now: Time, out: &mut EdcaEffects, input: impl FnOnce(&mut Edca, &mut EdcaCx<'_>)) {
        let Wifi { edca, station, rules, .. } = self;
        if let Some(edca) = edca {
            input(edca, &mut EdcaCx { now, station, rules, out });
        }
    }

    /// Counters of the frame exchange since the start.
    #[inline]
    pub fn attempts(&self) -> &Attempts {
        self.edca.as_ref().map_or_else(|| self.mac.attempts(), |edca| edca.attempts())
    }

    /// What layers above may know of the frame exchange.
    #[inline]
    pub fn mac_view(&self) -> MacView<'_> {
        self.edca.as_ref().map_or_else(|| self.mac.view(), |edca| edca.view())
    }

    /// Until when it waits for the data frame that its CTS has asked for, if it does.
    pub fn awaits_data(&self) -> Option<Time> {
        self.edca.as_ref().map_or_else(|| self.mac.awaits_data(), |edca| edca.awaits_data())
    }

    /// Kind of the frame that follows the SIFS under way.
    pub fn after_sifs(&self) -> FrameKind {
        self.edca.as_ref().map_or_else(|| self.mac.after_sifs(), |edca| edca.after_sifs())
    }

    /// Rate in bit/s of the next data frame to a neighbour.
    pub fn data_rate(&self, neighbour: NodeId) -> u64 {
        let mode = match &self.edca {
            None => self.mac.data_mode(neighbour, &self.rules),
            Some(edca) => edca.data_mode(neighbour, &self.rules),
        };
        mode.rate()
    }

    /// Bit/s of data that rate control expects to bring to a neighbour; none where it knows nothing of it.
    pub fn expected_throughput(&self, neighbour: NodeId) -> Option<u64> {
        match &self.edca {
            None => self.mac.expected_throughput(neighbour, &self.rules),
            Some(edca) => edca.expected_throughput(neighbour),
        }
    }

    /// What is known of frames to a neighbour that failed, where that is kept.
    pub fn failure(&self, neighbour: NodeId) -> Failure {
        self.edca.as_ref().map_or_else(|| self.mac.failure(neighbour), |edca| edca.failure(neighbour))
    }

    /// The neighbour and the mode that rate control has changed to since the last call.
    pub fn take_rate_change(&mut self) -> Option<(NodeId, Mode)> {
        match &mut self.edca {
            None => self.mac.rate_control().take_change(),
            Some(edca) => edca.rates().take_change(),
        }
    }

    /// Packets that a neighbour has sent, each once, broadcast left out.
    pub fn received_from(&self) -> Vec<(NodeId, u64)> {
        let Some(edca) = &self.edca else { return self.mac.received_from(&self.rules) };
        let mut received = edca.received_from().to_vec();
        received.sort_unstable();
        received
    }

    /// Packets that wait for their first transmission.
    pub fn queued(&self) -> usize {
        self.edca.as_ref().map_or_else(|| self.port.queue.len(), |edca| edca.waiting())
    }

    /// Mean number of packets that waited from `from` to `now`, and the greatest.
    pub fn occupancy(&mut self, from: Time, now: Time) -> (f64, u32) {
        match &mut self.edca {
            None => self.port.queue.occupancy(from, now),
            Some(edca) => edca.occupancy(from, now),
        }
    }

    /// Starts the measured time: forgets how many packets have waited so far.
    pub fn restart_measure(&mut self, now: Time) {
        self.port.queue.restart_measure(now);
        if let Some(edca) = &mut self.edca {
            edca.restart_measure(now);
        }
    }

    /// Takes out the first packet for which `wanted` holds of those that wait.
    pub fn take_waiting(&mut self, now: Time, wanted: impl FnMut(PacketId) -> bool) -> Option<PacketId> {
        match &mut self.edca {
            None => self.port.take(now, wanted),
            Some(edca) => edca.take_waiting(now, wanted),
        }
    }

    /// The interface as it stands now.
    pub fn state(&mut self, now: Time) -> StationState {
        let Wifi { station, rules, mac, edca, .. } = self;
        station.catch_up(now, &rules.station);
        let exchange = edca.as_ref().map_or_else(|| mac.doing(), |edca| edca.doing(station));
        station.state(exchange, now, &rules.station)
    }

    /// Writes to `plan` how the time since the medium has become idle is spent, the radio's edges applied up to `now`.
    #[inline(never)]
    pub fn quiet_plan(&mut self, now: Time, plan: &mut QuietPlan) {
        if !self.station.radio.is_quiet() {
            self.quiet_plan_after(now, plan);
            return;
        }
        *plan = self.station.quiet_plan(&self.rules.station);
    }

    /// The same where edges wait to be applied. Apart, as what makes a call has registers to save.
    #[inline(never)]
    fn quiet_plan_after(&mut self, now: Time, plan: &mut QuietPlan) {
        let Wifi { station, rules, .. } = self;
        station.catch_up(now, &rules.station);
        *plan = station.quiet_plan(&rules.station);
    }
}
