//! Parameters of reception, read once for all radios, and the sets of rules that the path of a frame is compiled for.

use crate::config::RadioConfig;
use crate::config::layout::Layout;
use crate::config::radio::{
    CaptureRule, DuringTransmission, ErrorKind, IgnoredFrame, Interference, Synchronization, Undecodable, watts,
};
use crate::phy::error_rate::ErrorRules;
use crate::phy::modes::Mode;
use hopscope_core::math;
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
    /// Layout of the PPDUs that are not non-HT, if there are any.
    pub layout: Option<Layout>,
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
}

/// A set of rules as the path of a frame asks for it. A frame comes to all its hearers, so what is asked there counts:
/// where a set of rules is known when the engine is compiled ([`Ns2Rules`], [`StandardRules`]), its path is without what the set never asks.
pub trait RuleSet {
    /// See [`RadioRules::interference`].
    #[inline(always)]
    fn interference(rules: &RadioRules) -> Interference {
        rules.interference
    }

    /// See [`RadioRules::capture_rule`].
    #[inline(always)]
    fn capture_rule(rules: &RadioRules) -> CaptureRule {
        rules.capture_rule
    }

    /// See [`RadioRules::ignored_frame`].
    #[inline(always)]
    fn ignored_frame(rules: &RadioRules) -> IgnoredFrame {
        rules.ignored_frame
    }

    /// See [`RadioRules::undecodable_locks`].
    #[inline(always)]
    fn undecodable_locks(rules: &RadioRules) -> bool {
        rules.undecodable_locks
    }

    /// See [`RadioRules::transmitting_locks`].
    #[inline(always)]
    fn transmitting_locks(rules: &RadioRules) -> bool {
        rules.transmitting_locks
    }

    /// See [`RadioRules::errors`].
    #[inline(always)]
    fn errors(rules: &RadioRules) -> Option<&ErrorRules> {
        rules.errors.as_ref()
    }

    /// See [`RadioRules::preamble`].
    #[inline(always)]
    fn preamble(rules: &RadioRules) -> Option<PreambleRules> {
        rules.preamble
    }

    /// See [`RadioRules::isolated`].
    #[inline(always)]
    fn isolated(rules: &RadioRules) -> bool {
        rules.isolated
    }
}

/// Whatever the parameters of the run say.
#[derive(Debug)]
pub struct AnyRules;

impl RuleSet for AnyRules {}

/// Declares a set of rules that is known when the engine is compiled, by its answers.
macro_rules! known_set {
    ($(#[$doc:meta])* $name:ident { $($rule:ident: $kind:ty = $answer:expr,)* }) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        impl RuleSet for $name {
            $(
                #[inline(always)]
                fn $rule(_: &RadioRules) -> $kind {
                    $answer
                }
            )*
        }
    };
}

known_set! {
    /// The rules of profile `ns2`.
    Ns2Rules {
        interference: Interference = Interference::Capture,
        capture_rule: CaptureRule = CaptureRule::FirstComes,
        ignored_frame: IgnoredFrame = IgnoredFrame::NavEifs,
        undecodable_locks: bool = true,
        transmitting_locks: bool = true,
        errors: Option<&ErrorRules> = None,
        preamble: Option<PreambleRules> = None,
        isolated: bool = true,
    }
}

known_set! {
    /// The rules of profile `standard`.
    StandardRules {
        interference: Interference = Interference::Capture,
        capture_rule: CaptureRule = CaptureRule::Strongest,
        ignored_frame: IgnoredFrame = IgnoredFrame::CarrierSense,
        undecodable_locks: bool = false,
        transmitting_locks: bool = false,
        errors: Option<&ErrorRules> = None,
        preamble: Option<PreambleRules> = None,
        isolated: bool = true,
    }
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
        RadioRules {
            interference: radio.interference,
            capture_rule: radio.capture_rule,
            capture_threshold: radio.capture_threshold as f32,
            ignored_frame: radio.ignored_frame,
            undecodable_locks: radio.undecodable == Undecodable::Locks,
            transmitting_locks: radio.during_transmission == DuringTransmission::Locks,
            layout: radio.layout(),
            noise: watts(radio.noise_floor),
            errors: (radio.error_kind == ErrorKind::Sinr).then(|| ErrorRules::new(radio)),
            preamble: (radio.synchronization == Synchronization::Preamble).then(|| PreambleRules {
                time: radio.preamble_time,
                threshold: math::pow(10.0, f64::from(radio.preamble_threshold as f32 / 10.0)) as f32,
            }),
            busy_power: None,
            isolated: radio.interference != Interference::Sinr,
        }
    }

    /// The mode of a number that an arrival carries.
    pub(super) fn mode(&self, number: u8) -> Mode {
        Mode::numbered(number, self.layout)
    }

    /// By how many times a PPDU in a mode is narrower than the channel: its power lies in so much less noise.
    pub(super) fn narrower_by(&self, mode: Mode) -> f64 {
        match (self.layout, mode.layout()) {
            (Some(channel), Some(ppdu)) => f64::from(channel.width.mhz()) / f64::from(ppdu.width.mhz()),
            _ => 1.0,
        }
    }

    /// True when the set `S` gives every answer that these rules give.
    pub fn are<S: RuleSet>(&self) -> bool {
        S::interference(self) == self.interference
            && S::capture_rule(self) == self.capture_rule
            && S::ignored_frame(self) == self.ignored_frame
            && S::undecodable_locks(self) == self.undecodable_locks
            && S::transmitting_locks(self) == self.transmitting_locks
            && S::errors(self).is_some() == self.errors.is_some()
            && S::preamble(self).is_some() == self.preamble.is_some()
            && S::isolated(self) == self.isolated
    }
}
