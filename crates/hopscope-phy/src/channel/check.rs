//! Checks of the channel's parameters.

use crate::config::RadioConfig;
use crate::config::radio::{CarrierSense, ErrorKind, Interference, MarkovChannel, Synchronization};
use hopscope_core::error::{BuildError, BuildErrors};

/// Largest number of states of an error process.
const MAX_STATES: usize = 64;
/// How far the sum of a row of probabilities may be from 1: a third written with six digits is near enough.
const SUM_SLACK: f64 = 1e-5;

/// Notes what does not go together among the parameters of the channel in a network of `nodes` nodes.
pub fn check(radio: &RadioConfig, nodes: usize, found: &mut BuildErrors) {
    if radio.error_kind == ErrorKind::Markov {
        check_markov(radio, found);
    }
    let adds = radio.interference == Interference::Sinr;
    found.require(adds || radio.error_kind != ErrorKind::Sinr, "radio.error_kind", || {
        "found sinr; it needs interference = \"sinr\", which knows the ratio".to_string()
    });
    found.require(adds || radio.carrier_sense == CarrierSense::Frames, "radio.carrier_sense", || {
        "found sum; it needs interference = \"sinr\", which adds powers up".to_string()
    });
    found.require(adds || radio.synchronization == Synchronization::Start, "radio.synchronization", || {
        "found preamble; it needs interference = \"sinr\", which knows the ratio".to_string()
    });
    check_choice(radio, nodes, found);
}

fn check_markov(r: &RadioConfig, found: &mut BuildErrors) {
    if r.error_channel != MarkovChannel::Given {
        let given = [
            ("error_transitions", !r.error_transitions.is_empty()),
            ("error_state_per", !r.error_state_per.is_empty()),
            ("error_state_ber", !r.error_state_ber.is_empty()),
            ("error_step", r.error_step != RadioConfig::default().error_step),
        ];
        for (key, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
            found.require(false, format!("radio.{key}"), || {
                let channel = r.error_channel.word();
                format!("stands together with channel = \"{channel}\", which sets it; give one of the two")
            });
        }
        return;
    }
    let states = r.error_transitions.len();
    let is_matrix = found.require((1..=MAX_STATES).contains(&states), "radio.error_transitions", || {
        format!(
            "found {states} rows; 1 to {MAX_STATES} are allowed, one for each state, each with the probabilities of moving to every state in one step"
        )
    });
    if !is_matrix {
        return;
    }
    for (row, rates) in r.error_transitions.iter().enumerate() {
        let key = format!("radio.error_transitions.{row}");
        found.require(rates.len() == states, key.clone(), || {
            format!("row {row} has {} probabilities; there are {states} states", rates.len())
        });
        let sum: f64 = rates.iter().sum();
        found.require((sum - 1.0).abs() <= SUM_SLACK, key, || {
            format!("row {row} sums to {}; each row must sum to 1", (sum * 1e9).round() / 1e9)
        });
    }
    found.require(!r.error_state_per.is_empty() || !r.error_state_ber.is_empty(), "radio.error_state_per", || {
        format!("is missing, and so is state_ber; one of them must give the {states} states their error rates")
    });
    for (key, rates) in [("error_state_per", &r.error_state_per), ("error_state_ber", &r.error_state_ber)] {
        found.require(rates.is_empty() || rates.len() == states, format!("radio.{key}"), || {
            format!("found {} rates; there are {states} states", rates.len())
        });
    }
}

fn check_choice(r: &RadioConfig, nodes: usize, found: &mut BuildErrors) {
    let exists = |key: String, node: u32| match (node as usize) < nodes {
        true => Ok(()),
        false => Err(BuildError::no_such_node(key, node, nodes)),
    };
    for (place, &node) in r.error_nodes.iter().enumerate() {
        found.note(exists(format!("radio.error_nodes.{place}"), node));
    }
    for (place, &[from, to]) in r.error_links.iter().enumerate() {
        let key = format!("radio.error_links.{place}");
        for node in [from, to] {
            found.note(exists(key.clone(), node));
        }
        found.require(from != to, key, || format!("a link needs two different nodes, found {from} twice"));
    }
}
