//! What a configuration, or a caller between two instants, wants changed in a run.

use super::World;
use super::build::queue_of;
use crate::config::change::CHANGEABLE;
use crate::config::{Change, ChangeKind};
use crate::record::{Record, Recorder};
use hopscope_core::error::BuildError;
use hopscope_core::event::Event;
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::math;
use hopscope_net::iface::RuleSets;
use hopscope_phy::mobility::Leg;

impl<R: Recorder> World<R> {
    /// Changes something now, as an event of the configuration does at its instant.
    ///
    /// # Errors
    /// When a value is missing, does not belong, or names what does not exist; or a flow cannot start.
    pub fn change(&mut self, change: &Change) -> Result<(), BuildError> {
        let problems = change.check(&self.settings, str::to_string);
        problems.into_iter().next().map_or(Ok(()), Err)?;
        if let (ChangeKind::FlowStart, Some(flow)) = (change.kind, change.flow) {
            if let Some(why) = self.cannot_start(FlowId(flow)) {
                return Err(BuildError::new("flow", why));
            }
        }
        self.carry_out(change);
        self.work_off();
        Ok(())
    }

    /// An event of the configuration. A flow that cannot start any more does not.
    pub(super) fn on_change(&mut self, number: u32) {
        let change = self.settings.events[number as usize].change.clone();
        let starts = change.flow.filter(|_| change.kind == ChangeKind::FlowStart);
        if starts.is_none_or(|flow| self.cannot_start(FlowId(flow)).is_none()) {
            self.carry_out(&change);
        }
    }

    /// Carries out a sound change.
    fn carry_out(&mut self, change: &Change) {
        let node = NodeId(change.node.unwrap_or_default());
        let flow = FlowId(change.flow.unwrap_or_default());
        let ends = [change.from, change.to].map(|end| NodeId(end.unwrap_or_default()));
        match change.kind {
            ChangeKind::NodeDown => self.switch(node, false),
            ChangeKind::NodeUp => self.switch(node, true),
            ChangeKind::LinkCut => self.set_link(ends, Some(0.0)),
            ChangeKind::LinkRestore => self.set_link(ends, None),
            ChangeKind::LinkDegrade => {
                // One of the two is given: attenuation for a radio link, loss for a wire (`Change::check`).
                let power = change.attenuation.map(|decibels| math::pow(10.0, -0.1 * decibels));
                self.set_link(ends, power.or(change.loss.map(|loss| 1.0 - loss)));
            }
            ChangeKind::Move => self.go(node, change.position.unwrap_or_default(), change.speed),
            ChangeKind::Power => {
                let watts = change.power.unwrap_or_default();
                self.stations.of(node).for_each(|station| self.medium.set_power(station, watts));
                self.note(Record::PowerSet { node, watts });
                self.report_change();
            }
            ChangeKind::FlowStart => {
                self.flows[flow.index()].source.start_at(self.now);
                self.on_app(flow);
            }
            ChangeKind::FlowStop => self.stop_flow(flow),
            ChangeKind::FlowRate => {
                let rate = change.rate.unwrap_or_default();
                self.note(Record::RateSet { flow, rate });
                let source = &mut self.flows[flow.index()].source;
                if let Some(at) = source.set_rate(rate, self.now) {
                    source.armed(at);
                    self.events.push(at, Event::App { flow });
                }
            }
            ChangeKind::Set => self.set_parameter(change),
        }
    }

    /// The radio of a node goes off or comes back.
    fn switch(&mut self, node: NodeId, on: bool) {
        self.outages.expect(self.nodes.len());
        self.settle_air();
        // A change names a state, not one more outage: twice off is off once.
        if self.is_off(node) == on {
            self.stations.of(node).for_each(|station| self.outages.change(station, on));
            self.note(Record::Power { node, on });
        }
    }

    /// This part of the power (radio) or of the packets (wire) comes over a link; none: as at the beginning.
    fn set_link(&mut self, ends: [NodeId; 2], part: Option<f64>) {
        let [node, peer] = ends;
        let seed = self.settings.seed;
        let mut wired = false;
        for (number, end) in self.wires.ends().enumerate() {
            if ends == [end.node, end.peer] || ends == [end.peer, end.node] {
                end.set_loss(part.map(|part| 1.0 - part), (seed, number as u64));
                wired = true;
            }
        }
        // Where a wire joins two nodes that hear each other as well, the wire is meant.
        if !wired {
            for station in self.stations.of(node) {
                let other = self.stations.peer(station, peer);
                other.into_iter().for_each(|other| self.medium.set_part([station, other], part.unwrap_or(1.0)));
            }
        }
        self.note(Record::LinkChanged { node, peer, part: part.unwrap_or(1.0) });
        self.report_change();
    }

    /// A node is at a place, or sets out for it.
    fn go(&mut self, node: NodeId, place: [f64; 2], speed: Option<f64>) {
        self.mobility.stop(node, self.now);
        match speed {
            None => {
                self.stations.of(node).for_each(|station| self.medium.move_node(station, place, self.now));
                self.note(Record::Moved { node, position: place });
            }
            Some(speed) => {
                let leg = Leg::at_speed(self.now, self.medium.position(node, self.now), place, speed);
                self.stations.of(node).for_each(|station| self.medium.set_leg(station, leg, self.now));
                self.note(Record::SetOut { node, from: leg.from, to: place, until: leg.until });
            }
        }
        self.report_change();
    }

    fn stop_flow(&mut self, flow: FlowId) {
        let source = &mut self.flows[flow.index()].source;
        if source.is_stopped(self.now) {
            return;
        }
        let has_begun = source.has_begun();
        source.stop_at(self.now);
        // `on_app` passes over all instants but the one armed last.
        source.armed(self.now);
        // One that has not begun has nothing to close.
        if has_begun {
            self.on_app(flow);
        }
    }

    /// Why a flow cannot start now.
    fn cannot_start(&self, flow: FlowId) -> Option<String> {
        let state = &self.flows[flow.index()];
        let source = &state.source;
        if !source.has_begun() && !source.is_stopped(self.now) {
            return None;
        }
        if !source.is_stopped(self.now) {
            return Some(format!("flow {flow} runs already"));
        }
        let again = state.transport == crate::config::Transport::Udp;
        (!again)
            .then(|| format!("flow {flow} was stopped: its connection is closed, only a flow over UDP starts again"))
    }

    fn set_parameter(&mut self, change: &Change) {
        *self.settings = change.applied_to(&self.settings);
        let name = change.key.as_deref().unwrap_or_default();
        let Some(key) = CHANGEABLE.into_iter().find(|known| *known == name) else { return };
        let node = change.node.map(NodeId);
        if key == "radio.error.per" {
            self.channel.set_errors(&self.settings.radio, self.settings.seed, self.nodes.len());
        } else if key == "mac.queue" {
            for station in (0..self.nodes.len() as u32).map(NodeId) {
                let of = self.stations.node(station);
                if node.is_none_or(|only| only == of) {
                    let places = queue_of(self.settings.mac_of(self.settings.host(of.0)));
                    self.wifi[station].port.queue.set_limit(places);
                }
            }
        } else {
            // All else are rules of interfaces.
            let rules = RuleSets::new(self.settings.interface_sets());
            self.common_rules = rules.common().station.clone();
            self.rules_are_shared = rules.are_shared();
            for node in (0..self.nodes.len() as u32).map(NodeId) {
                self.wifi[node].rules = rules.of(node).clone();
            }
        }
        self.settle_air();
        self.note(Record::ParameterSet { key, value: change.value.unwrap_or_default() });
    }
}
