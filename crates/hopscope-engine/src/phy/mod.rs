//! The radio of a node: what it hears, what it can decode, when it senses a carrier.

pub mod inbox;
pub mod modes;
pub mod radio;

pub use radio::{Arrival, Edge, Heard, Radio, RadioRules};
