//! Immediate Block Ack (HT-immediate, IEEE 802.11-2020 10.25.6): one agreement covers what one station sends to another
//! under one traffic identifier.
//!
//! [`Originator`] is its sending end, [`Recipient`] the receiving one. [`sequence`] has the arithmetic of sequence
//! numbers, [`Bitmap`] is what a Block Ack lists.

mod bitmap;
mod originator;
mod recipient;
mod scoreboard;
pub mod sequence;

pub use bitmap::Bitmap;
pub use originator::{Originator, Outstanding};
pub use recipient::{Arrival, Recipient, Waits};

/// Most MPDUs of an agreement: 64 in HT and VHT, 256 in HE (IEEE 802.11-2020 9.4.1.13, 802.11ax-2021 26.4).
pub const MAX_WINDOW: u16 = 256;

#[cfg(test)]
mod tests;
