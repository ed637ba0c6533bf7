//! Nodes that move by themselves, are moved, or change their power.

use super::{World, check};
use crate::record::{Classes, Record, Recorder};
use hopscope_core::error::{BuildError, require};
use hopscope_core::event::Event;
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use hopscope_phy::mobility::Leg;

impl<R: Recorder> World<R> {
    /// The nodes that move by themselves set out.
    pub(super) fn begin_movement(&mut self) {
        if self.mobility.is_none() {
            return;
        }
        // Before any leg: nodes then set out without a search for who comes near.
        self.medium.expect_speed(self.mobility.fastest(), self.now);
        self.settle_air();
        let legs: Vec<(NodeId, Leg)> = self.mobility.legs().collect();
        legs.into_iter().for_each(|(node, leg)| self.set_out(node, leg));
    }

    /// A node has come to the end of its leg.
    pub(super) fn on_motion(&mut self, node: NodeId) {
        if let Some(leg) = self.mobility.next(node, self.now) {
            self.set_out(node, leg);
        }
    }

    fn set_out(&mut self, node: NodeId, leg: Leg) {
        self.stations.of(node).for_each(|station| self.medium.set_leg(station, leg, self.now));
        self.note(Record::SetOut { node, from: leg.at(self.now), to: leg.to, until: leg.until });
        // A node that rests for good has no end of its leg.
        if leg.until < Time::NEVER {
            self.events.push(leg.until, Event::Motion { node });
        }
    }

    /// Where a node is now, metres.
    pub fn position(&self, node: NodeId) -> [f64; 2] {
        self.medium.position(node, self.now)
    }

    /// A node is at `position` (metres) from now on and stays there, also where it moved by itself. Frames on the air
    /// keep the power they began with; static routes stay those of the beginning.
    ///
    /// # Errors
    /// When the node does not exist or the position is none.
    pub fn move_node(&mut self, node: NodeId, position: [f64; 2]) -> Result<(), BuildError> {
        self.must_exist(node)?;
        check::position("position", position)?;
        // Else its next leg would take it away again.
        self.mobility.stop(node, self.now);
        self.stations.of(node).for_each(|station| self.medium.move_node(station, position, self.now));
        self.note(Record::Moved { node, position });
        self.report_change();
        Ok(())
    }

    /// A node sends with `watts` from now on; it hears as before. What it reaches follows from its power and the
    /// thresholds, which are the mean powers of `radio.tx_power` at the ranges.
    ///
    /// # Errors
    /// When the node does not exist or the power is no positive number.
    pub fn set_power(&mut self, node: NodeId, watts: f64) -> Result<(), BuildError> {
        self.must_exist(node)?;
        require(watts.is_finite() && watts > 0.0, "watts", || format!("found {watts}; it must be a positive number"))?;
        self.stations.of(node).for_each(|station| self.medium.set_power(station, watts));
        self.note(Record::PowerSet { node, watts });
        self.report_change();
        Ok(())
    }

    /// The medium has changed: observers of what becomes of frames, who ask for the links of any node, find them up to
    /// date.
    pub(super) fn report_change(&mut self) {
        self.settle_air();
        // Where nodes are under way, links change all the time, and lists stand for a while.
        if R::WANTS.has(Classes::FRAME_ENDS) && !self.medium.is_under_way() {
            self.medium.refresh_all(self.now);
        }
    }

    fn must_exist(&self, node: NodeId) -> Result<(), BuildError> {
        let nodes = self.stations.nodes() as usize;
        if node.index() < nodes { Ok(()) } else { Err(BuildError::no_such_node("node", node, nodes)) }
    }
}
