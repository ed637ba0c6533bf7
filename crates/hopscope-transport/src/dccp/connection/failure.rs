//! The state Failure of zhang2006 (4.3): a timeout, or news of a failed route (ELFN), stops data; probes ask for the
//! way.
//!
//! No notice has a packet of its own: it comes with what the routing protocol sends anyway (see `tcp/route_failure`).

use super::super::state::State;
use super::Connection;
use hopscope_tcp::endpoint::{Cx, PathEvent};

impl Connection {
    /// The node knows something of the path.
    pub fn on_path_event(&mut self, event: PathEvent, cx: &mut Cx<'_>) {
        // During the handshake and the teardown repetition is all there is to do.
        let is_news = matches!(event, PathEvent::RouteFailed | PathEvent::Unreachable) && self.state == State::Open;
        if is_news && self.source.as_mut().is_some_and(|source| source.on_route_failed()) {
            self.rto.stop();
            self.probe(cx);
        }
    }

    /// Sends a probe where the control asks for one; the next leaves when the timer expires.
    pub(super) fn probe(&mut self, cx: &mut Cx<'_>) {
        let source = self.source.as_mut().filter(|source| source.is_probing());
        if let Some(probe) = source.filter(|_| self.state == State::Open).map(|source| source.probe()) {
            self.emit_data(probe, cx);
            self.watch(cx);
        }
    }
}
