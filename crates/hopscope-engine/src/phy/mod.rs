//! The radio of a node: what it hears, what it can decode, when it senses a carrier.

pub mod modes;
pub mod radio;

pub use radio::{Arrival, Edge, Heard, Packed, Radio, RadioRules};

#[cfg(test)]
mod tests;
