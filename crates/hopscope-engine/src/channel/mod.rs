//! The channel between radios: who hears whom, how strongly, how late, and what is lost on the way.

pub mod budget;
pub mod check;
pub mod fading;
pub mod grid;
pub mod loss;
pub mod medium;
pub mod propagation;
pub mod shadowing;
pub mod variation;

use crate::config::RadioConfig;
use crate::phy::Arrival;
use crate::units::Time;
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
    /// The channel of a run over the links of `medium`.
    pub fn new(radio: &RadioConfig, seed: u64, medium: &Medium) -> Self {
        Channel { variation: Variation::new(radio, seed, medium), losses: Losses::new(radio, seed, medium) }
    }

    /// True when frames arrive with the power and bits of their link and none is lost: nothing needs to be asked.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.variation.is_none() && self.losses.is_none()
    }

    /// Power and `Arrival` bits with which a frame of `bits` bits that leaves now arrives over the link at `index` of
    /// the medium's list; `None` when nothing of it arrives.
    #[inline]
    pub fn carry(&mut self, index: usize, link: &Link, frame: &Carried, now: Time) -> Option<(f32, u8)> {
        let (power, mut flags) = match &mut self.variation {
            Some(variation) => variation.hear(index, link, now)?,
            None => (link.power, link.flags),
        };
        if let Some(losses) = &mut self.losses {
            if losses.concern(frame.is_data) && losses.hit(index, link.to, frame.bits, now) {
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
pub struct Carried {
    /// Bits of the MAC frame, header and FCS included.
    pub bits: u32,
    /// A data frame.
    pub is_data: bool,
}
