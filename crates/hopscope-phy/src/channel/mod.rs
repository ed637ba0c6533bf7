//! The channel between radios: who hears whom, how strongly, how late, and what is lost on the way.

pub mod budget;
pub mod check;
pub mod decoding;
pub mod delivery;
pub mod fading;
pub mod grid;
mod law;
mod links;
pub mod loss;
pub mod medium;
pub mod pairs;
pub mod propagation;
pub mod sensitivity;
pub mod shadowing;
mod travel;
pub mod variation;

use crate::config::RadioConfig;
use crate::phy::Arrival;
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use loss::Losses;
pub use medium::{Link, Medium};
use variation::Variation;

/// What happens to a frame beyond the mean powers of the [`Medium`].
#[derive(Debug)]
pub struct Channel {
    variation: Option<Variation>,
    losses: Option<Losses>,
}

impl Channel {
    /// The channel of a run with so many nodes.
    pub fn new(radio: &RadioConfig, seed: u64, nodes: usize) -> Self {
        Channel { variation: Variation::new(radio, seed), losses: Losses::new(radio, seed, nodes) }
    }

    /// Frames are lost with the `error_per` of these parameters from now on.
    pub fn set_errors(&mut self, radio: &RadioConfig, seed: u64, nodes: usize) {
        match &mut self.losses {
            Some(losses) => losses.set_per(radio.error_per),
            None => self.losses = Losses::new(radio, seed, nodes),
        }
    }

    /// A trace gives the probability with which links lose a copy of a frame.
    pub fn set_link_loss(
        &mut self,
        ends: [NodeId; 2],
        probability: f64,
        (radio, seed, nodes): (&RadioConfig, u64, usize),
    ) {
        self.losses.get_or_insert_with(|| Losses::of_traces(radio, seed, nodes)).set_link(ends, probability);
    }

    /// True when frames arrive with the power and bits of their link and none is lost: nothing needs to be asked.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.variation.is_none() && self.losses.is_none()
    }

    /// Power and `Arrival` bits with which a frame of `bits` bits that leaves `from` now arrives over a link; `None`
    /// when nothing of it arrives.
    #[inline]
    pub fn carry(&mut self, from: NodeId, link: &Link, frame: &FrameSummary, now: Time) -> Option<(f32, u8)> {
        let (power, mut flags) = match &mut self.variation {
            Some(variation) => variation.hear(from, link, now)?,
            None => (link.power, link.flags),
        };
        // What is not heard draws no loss: who is too far away moves nobody's draws.
        if let Some(losses) = &mut self.losses {
            if losses.concern(frame.is_data) && losses.hit(from, link.to, frame.bits, now) {
                if losses.drops() {
                    return None;
                }
                flags |= Arrival::ERRORED;
            }
        }
        Some((power, flags))
    }
}

/// What the channel needs to know of a frame.
#[derive(Debug, Clone, Copy)]
pub struct FrameSummary {
    /// Bits of the MAC frame, header and FCS included.
    pub bits: u32,
    /// A data frame.
    pub is_data: bool,
}
