//! The radio of a node: what it hears, what it can decode, when it senses a carrier.

mod additive;
pub mod arrival;
pub mod edge;
mod energy;
mod error_dsss;
mod error_function;
mod error_ofdm;
pub mod error_rate;
mod error_table;
pub mod modes;
pub mod outcome;
pub mod radio;
mod receiver;
pub mod rules;
mod shared;

pub use arrival::{Arrival, Packed};
pub use edge::{Begin, Edge, LoneFrame};
pub use outcome::RxOutcome;
pub use radio::Radio;
pub use rules::{AnyRules, Ns2Rules, RadioRules, RuleSet, StandardRules};
pub use shared::OwnerFlags;

#[cfg(test)]
mod error_curve_tests;
#[cfg(test)]
mod outcome_tests;
#[cfg(test)]
mod plain_tests;
#[cfg(test)]
mod receiver_tests;
#[cfg(test)]
mod tests;
