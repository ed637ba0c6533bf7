//! What a page gets when it asks a live run.

use hopscope_core::units::Time;
use hopscope_engine::Simulation;
use hopscope_engine::record::Recorder;

use crate::feed::FeedPart;
use crate::setup::seconds;
use crate::state::{State, state};

/// The state of a run and the lines since the last answer, taken from the run as they are: they become text in another thread.
#[derive(Debug)]
pub struct Answer {
    now: Time,
    is_over: bool,
    state: State,
    lines: FeedPart,
}

impl Answer {
    /// The answer of a run now.
    pub fn new<R: Recorder>(simulation: &mut Simulation<R>, lines: FeedPart) -> Self {
        let state = state(simulation, &lines.received);
        Answer { now: simulation.world().now(), is_over: simulation.is_over(), state, lines }
    }

    /// As JSON, under the names of `LiveAnswer` in `web/src/engine/live.ts`.
    ///
    /// # Errors
    /// None but that of serde.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        let Answer { now, is_over, state, lines } = self;
        let head = format!(
            "{{\"now_s\":{:?},\"over\":{is_over},\"next\":{},\"lost\":{},\"state\":",
            seconds(*now),
            lines.next,
            !lines.is_whole
        );
        let records = list(lines.parts.iter().map(AsRef::as_ref));
        let (state, links) = (serde_json::to_string(state)?, serde_json::to_string(&lines.links)?);
        Ok(format!("{head}{state},\"links\":{links},\"records\":{records}}}"))
    }
}

/// Lines of JSON as one list.
pub fn list<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut list = String::from("[");
    for line in parts.into_iter().flat_map(str::lines) {
        if list.len() > 1 {
            list.push(',');
        }
        list.push_str(line);
    }
    list.push(']');
    list
}
