//! The radio of a node: what it hears, what it can decode, when it senses a carrier.

pub mod arrival;
pub mod error_rate;
pub mod modes;
pub mod radio;

pub use arrival::{Arrival, Packed};
pub use radio::{Edge, Heard, Radio, RadioRules};

#[cfg(test)]
mod tests;
