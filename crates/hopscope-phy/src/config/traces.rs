//! What was measured of links, to be replayed over the radio.

use serde::{Deserialize, Serialize};

use hopscope_core::choice;
use hopscope_core::error::{BuildError, BuildErrors};
use hopscope_core::units::Time;

/// Lowest and highest power that a trace may report, dBm: below thermal noise, and above what radios send.
pub const RSSI: [f64; 2] = [-200.0, 60.0];

/// What one node receives of another from an instant on: instant, sender, receiver, value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sample(pub Time, pub u32, pub u32, pub f64);

choice! {
    /// What becomes of links while no trace covers them.
    pub enum Untraced {
        /// They are those of the propagation model.
        Model = "model",
        /// They are not there: neither heard nor sensed.
        Absent = "absent",
    }
}

/// Traces of links. Each value holds until the next one of the same link and kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinkTraces {
    /// Received powers in dBm, in order of time.
    pub rssi: Vec<Sample>,
    /// Probabilities with which a copy of a frame is lost, in order of time.
    pub loss: Vec<Sample>,
    /// What becomes of links while no trace covers them.
    pub untraced: Untraced,
}

impl Default for LinkTraces {
    fn default() -> Self {
        LinkTraces { rssi: Vec::new(), loss: Vec::new(), untraced: Untraced::Model }
    }
}

impl LinkTraces {
    /// There is none.
    pub fn is_empty(&self) -> bool {
        self.rssi.is_empty() && self.loss.is_empty()
    }

    /// What is wrong with them in a network of so many nodes, of which `has_radio` holds for those with a radio.
    pub fn check(&self, nodes: usize, has_radio: impl Fn(u32) -> bool) -> Vec<BuildError> {
        let mut found = BuildErrors::default();
        found.require(!self.is_empty() || self.untraced == Untraced::Model, "traces.untraced", || {
            "found \"absent\" without a trace; no link would be left".to_string()
        });
        let kinds = [("traces.rssi", &self.rssi, RSSI, "dBm"), ("traces.loss", &self.loss, [0.0, 1.0], "probability")];
        for (key, samples, [least, most], unit) in kinds {
            let wrong = samples.iter().enumerate().find_map(|(number, &Sample(at, from, to, value))| {
                let node = [from, to].into_iter().find(|node| *node as usize >= nodes);
                let silent = [from, to].into_iter().find(|node| !has_radio(*node));
                match (node, silent) {
                    (Some(node), _) => Some(BuildError::no_such_node(key, node, nodes)),
                    (_, Some(node)) => Some(BuildError::new(key, format!("node {node} has no radio"))),
                    _ if from == to => {
                        Some(BuildError::new(key, format!("a link needs two different nodes, found {from} twice")))
                    }
                    _ if !(least..=most).contains(&value) => {
                        let message = format!("found {value} {unit} at {} s; allowed: {least} to {most}", at.as_secs());
                        Some(BuildError::new(key, message))
                    }
                    _ if number > 0 && samples[number - 1].0 > at => {
                        Some(BuildError::new(key, format!("time {} s comes after a later one", at.as_secs())))
                    }
                    _ => None,
                }
            });
            found.0.extend(wrong);
        }
        found.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named() {
        let messages = |rssi: Vec<Sample>, loss: Vec<Sample>| {
            let traces = LinkTraces { rssi, loss, untraced: Untraced::Absent };
            traces.check(3, |node| node != 2).first().map_or(String::new(), ToString::to_string)
        };
        let at = |ns, from, to, value| vec![Sample(Time(ns), from, to, value)];
        assert_eq!(messages(at(0, 0, 1, -60.0), vec![]), "");
        assert_eq!(messages(at(0, 0, 3, -60.0), vec![]), "traces.rssi: node 3 does not exist; nodes are 0 to 2");
        assert_eq!(messages(at(0, 0, 2, -60.0), vec![]), "traces.rssi: node 2 has no radio");
        assert_eq!(messages(vec![], at(0, 1, 1, 0.5)), "traces.loss: a link needs two different nodes, found 1 twice");
        assert_eq!(
            messages(vec![], at(5, 0, 1, 1.5)),
            "traces.loss: found 1.5 probability at 0.000000005 s; allowed: 0 to 1"
        );
        assert_eq!(messages(at(0, 0, 1, f64::NAN), vec![]), "traces.rssi: found NaN dBm at 0 s; allowed: -200 to 60");
        let back = [at(2_000_000_000, 0, 1, 0.1), at(1_000_000_000, 1, 0, 0.1)].concat();
        assert_eq!(messages(vec![], back), "traces.loss: time 1 s comes after a later one");
        assert_eq!(
            messages(vec![], vec![]),
            "traces.untraced: found \"absent\" without a trace; no link would be left"
        );
    }
}
