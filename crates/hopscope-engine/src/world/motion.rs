//! Nodes that move or change their power between two instants of a run.

use super::{World, check};
use crate::error::{BuildError, require};
use crate::ids::NodeId;
use crate::record::{Classes, Record, Recorder};

impl<R: Recorder> World<R> {
    /// A node is at `position` (metres) from now on. Frames on the air keep the power they began with; static routes stay
    /// those of the beginning.
    ///
    /// # Errors
    /// When the node does not exist or the position is none.
    pub fn move_node(&mut self, node: NodeId, position: [f64; 2]) -> Result<(), BuildError> {
        self.must_exist(node)?;
        check::position("position", position)?;
        self.medium.move_node(node, position);
        self.note(Record::Moved { node, position });
        self.tell_of_change();
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
        self.medium.set_power(node, watts);
        self.note(Record::PowerSet { node, watts });
        self.tell_of_change();
        Ok(())
    }

    /// The medium has changed: observers of what becomes of frames, who ask for the links of any node, find them up to date.
    fn tell_of_change(&mut self) {
        if R::WANTS.has(Classes::FRAME_ENDS) {
            self.medium.refresh_all();
        }
    }

    fn must_exist(&self, node: NodeId) -> Result<(), BuildError> {
        let nodes = self.medium.nodes();
        if node.index() < nodes { Ok(()) } else { Err(BuildError::no_such_node("node", node, nodes)) }
    }
}
