//! The channel between radios: who hears whom, how strongly and how late.

pub mod grid;
pub mod medium;
pub mod propagation;

pub use medium::{Link, Medium};
