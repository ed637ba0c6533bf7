//! Checks of the channel's parameters.

use crate::config::RadioConfig;
use crate::config::radio::{CarrierSense, ErrorKind, Interference, Synchronization};
use crate::error::{BuildError, require};
use crate::units::Span;

/// States that drawn times of at least this length cannot make slow: shorter than any frame.
const SHORTEST: Span = Span::from_micros(10);
const LONGEST: Span = Span::from_secs(1_000_000);
/// The shortest training sequence, that of OFDM: no frame is shorter.
const LONGEST_PREAMBLE: Span = Span::from_micros(16);
/// Largest number of states of an error process.
const MAX_STATES: usize = 64;
/// How far the sum of a row of probabilities may be from 1: a third written with six digits is near enough.
const SUM_SLACK: f64 = 1e-5;

/// Checks shadowing, fading and channel errors in a network of `nodes` nodes.
///
/// # Errors
/// The first parameter at fault, with what was found and what is allowed.
pub fn check(radio: &RadioConfig, nodes: usize) -> Result<(), BuildError> {
    check_propagation(radio)?;
    check_rates(radio)?;
    if radio.error_kind == ErrorKind::Markov {
        check_markov(radio)?;
    }
    require(
        radio.error_kind != ErrorKind::Sinr || radio.interference == Interference::Sinr,
        "radio.error_kind",
        || "found sinr; it needs interference = \"sinr\", which knows the ratio".to_string(),
    )?;
    let adds = radio.interference == Interference::Sinr;
    require(adds || radio.carrier_sense == CarrierSense::Frames, "radio.carrier_sense", || {
        "found sum; it needs interference = \"sinr\", which adds powers up".to_string()
    })?;
    require(adds || radio.synchronization == Synchronization::Start, "radio.synchronization", || {
        "found preamble; it needs interference = \"sinr\", which knows the ratio".to_string()
    })?;
    check_receiver(radio)?;
    check_choice(radio, nodes)
}

fn check_receiver(r: &RadioConfig) -> Result<(), BuildError> {
    require(r.preamble_time > Span::ZERO && r.preamble_time <= LONGEST_PREAMBLE, "radio.preamble_time", || {
        format!("found {} us; more than zero and at most 16 us is allowed", r.preamble_time.0 as f64 / 1e3)
    })?;
    require((-20.0..=60.0).contains(&r.preamble_threshold), "radio.preamble_threshold", || {
        format!("found {} dB; allowed are -20 to 60 dB", r.preamble_threshold)
    })?;
    require((0.0..=1e9).contains(&r.energy_range), "radio.energy_range", || {
        format!("found {} m; allowed are 0 (cs_range) to 1e9 m", r.energy_range)
    })
}

fn check_propagation(r: &RadioConfig) -> Result<(), BuildError> {
    require((1.0..=10.0).contains(&r.path_loss_exponent), "radio.path_loss_exponent", || {
        format!("found {}; allowed are 1 to 10", r.path_loss_exponent)
    })?;
    require(
        r.reference_distance.is_finite() && r.reference_distance > 0.0 && r.reference_distance <= 1e6,
        "radio.reference_distance",
        || format!("found {} m; more than zero and at most 1e6 m is allowed", r.reference_distance),
    )?;
    require((0.0..=30.0).contains(&r.shadowing_sigma), "radio.shadowing_sigma", || {
        format!("found {} dB; allowed are 0 to 30 dB", r.shadowing_sigma)
    })?;
    require((0.5..=1000.0).contains(&r.nakagami_m), "radio.nakagami_m", || {
        format!("found {}; allowed are 0.5 to 1000", r.nakagami_m)
    })?;
    let times = [
        ("shadowing_time", r.shadowing_time),
        ("coherence_time", r.coherence_time),
        ("error_good_time", r.error_good_time),
        ("error_bad_time", r.error_bad_time),
        ("error_step", r.error_step),
    ];
    for (key, time) in times {
        require((SHORTEST..=LONGEST).contains(&time), format!("radio.{key}"), || {
            format!("found {} us; allowed are 10 us to 1e6 s", time.0 as f64 / 1e3)
        })?;
    }
    Ok(())
}

fn check_rates(r: &RadioConfig) -> Result<(), BuildError> {
    let single = [
        ("error_per", r.error_per),
        ("error_ber", r.error_ber),
        ("error_good_per", r.error_good_per),
        ("error_bad_per", r.error_bad_per),
        ("error_good_ber", r.error_good_ber),
        ("error_bad_ber", r.error_bad_ber),
    ];
    for (key, rate) in single {
        check_probability(format!("radio.{key}"), rate)?;
    }
    for (key, rates) in [("error_state_per", &r.error_state_per), ("error_state_ber", &r.error_state_ber)] {
        for (place, &rate) in rates.iter().enumerate() {
            check_probability(format!("radio.{key}.{place}"), rate)?;
        }
    }
    for (row, rates) in r.error_transitions.iter().enumerate() {
        for (column, &rate) in rates.iter().enumerate() {
            check_probability(format!("radio.error_transitions.{row}.{column}"), rate)?;
        }
    }
    Ok(())
}

fn check_probability(key: String, rate: f64) -> Result<(), BuildError> {
    require((0.0..=1.0).contains(&rate), key, || format!("found {rate}; a probability from 0 to 1 is allowed"))
}

fn check_markov(r: &RadioConfig) -> Result<(), BuildError> {
    let states = r.error_transitions.len();
    require((1..=MAX_STATES).contains(&states), "radio.error_transitions", || {
        format!(
            "found {states} rows; 1 to {MAX_STATES} are allowed, one for each state, each with the probabilities of moving to every state in one step"
        )
    })?;
    for (row, rates) in r.error_transitions.iter().enumerate() {
        let key = format!("radio.error_transitions.{row}");
        require(rates.len() == states, key.clone(), || {
            format!("row {row} has {} probabilities; there are {states} states", rates.len())
        })?;
        let sum: f64 = rates.iter().sum();
        require((sum - 1.0).abs() <= SUM_SLACK, key, || {
            format!("row {row} sums to {}; each row must sum to 1", (sum * 1e9).round() / 1e9)
        })?;
    }
    require(!r.error_state_per.is_empty() || !r.error_state_ber.is_empty(), "radio.error_state_per", || {
        format!("is missing, and so is state_ber; one of them must give the {states} states their error rates")
    })?;
    for (key, rates) in [("error_state_per", &r.error_state_per), ("error_state_ber", &r.error_state_ber)] {
        require(rates.is_empty() || rates.len() == states, format!("radio.{key}"), || {
            format!("found {} rates; there are {states} states", rates.len())
        })?;
    }
    Ok(())
}

fn check_choice(r: &RadioConfig, nodes: usize) -> Result<(), BuildError> {
    let exists = |key: String, node: u32| match (node as usize) < nodes {
        true => Ok(()),
        false => Err(BuildError::no_such_node(key, node, nodes)),
    };
    for (place, &node) in r.error_nodes.iter().enumerate() {
        exists(format!("radio.error_nodes.{place}"), node)?;
    }
    for (place, &[from, to]) in r.error_links.iter().enumerate() {
        let key = format!("radio.error_links.{place}");
        for node in [from, to] {
            exists(key.clone(), node)?;
        }
        require(from != to, key, || format!("a link needs two different nodes, found {from} twice"))?;
    }
    Ok(())
}
