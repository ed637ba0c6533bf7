//! Parameters of reception, read once for all radios.

use crate::config::RadioConfig;
use crate::config::radio::{
    CaptureRule, DuringTransmission, ErrorKind, IgnoredFrame, Interference, Synchronization, Undecodable, watts,
};
use crate::phy::error_rate::ErrorRules;
use hopscope_core::units::Span;

/// Parameters of reception shared by all radios of a run.
#[derive(Debug, Clone)]
pub struct RadioRules {
    /// Interference model.
    pub interference: Interference,
    /// Which overlapping frame survives.
    pub capture_rule: CaptureRule,
    /// Power ratio of capture.
    pub capture_threshold: f32,
    /// Effect of a frame survived by capture.
    pub ignored_frame: IgnoredFrame,
    /// Undecodable frames occupy the receiver.
    pub undecodable_locks: bool,
    /// A frame that begins while the own transmitter is on occupies the receiver.
    pub transmitting_locks: bool,
    /// Noise power, watts.
    pub noise: f64,
    /// Losses drawn from the ratio instead of a threshold (`error = { kind = "sinr" }`).
    pub errors: Option<ErrorRules>,
    /// How a preamble is found, where one has to be (`synchronization = "preamble"`).
    pub preamble: Option<PreambleRules>,
    /// Sum of powers in watts that keeps the medium busy, where sums count (`carrier_sense = "sum"`); the channel knows it.
    pub busy_power: Option<f64>,
    /// Frames alone on the air may be taken at once (not where noise decides, nor where every edge is to be walked).
    pub isolated: bool,
    /// The same, and undecodable ones leave nothing.
    pub passing: bool,
}

/// When a receiver that looks at a preamble takes the frame.
#[derive(Debug, Clone, Copy)]
pub struct PreambleRules {
    /// So long after its start.
    pub time: Span,
    /// At least this ratio to noise and interference, linear.
    pub threshold: f32,
}

impl RadioRules {
    /// Rules from the configuration.
    pub fn new(radio: &RadioConfig) -> Self {
        let isolated = radio.interference != Interference::Sinr;
        let undecodable_locks = radio.undecodable == Undecodable::Locks;
        RadioRules {
            interference: radio.interference,
            capture_rule: radio.capture_rule,
            capture_threshold: radio.capture_threshold as f32,
            ignored_frame: radio.ignored_frame,
            undecodable_locks,
            transmitting_locks: radio.during_transmission == DuringTransmission::Locks,
            noise: watts(radio.noise_floor),
            errors: (radio.error_kind == ErrorKind::Sinr).then(|| ErrorRules::new(radio)),
            preamble: (radio.synchronization == Synchronization::Preamble).then(|| PreambleRules {
                time: radio.preamble_time,
                threshold: 10f32.powf(radio.preamble_threshold as f32 / 10.0),
            }),
            busy_power: None,
            isolated,
            passing: isolated && !undecodable_locks,
        }
    }
}
