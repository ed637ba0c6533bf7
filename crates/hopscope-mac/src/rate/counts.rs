//! How many frames went in each mode.

use std::collections::BTreeMap;

use hopscope_phy::phy::modes::Mode;

/// Frames by mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RateCounts([u64; Mode::TABLE]);

impl RateCounts {
    /// One more.
    pub fn count(&mut self, mode: Mode) {
        self.0[mode.index()] += 1;
    }

    /// Those since an earlier reading.
    #[must_use]
    pub fn since(self, earlier: RateCounts) -> RateCounts {
        RateCounts(std::array::from_fn(|place| self.0[place] - earlier.0[place]))
    }

    /// By rate in Mbit/s, those that there were.
    pub fn by_name(self) -> BTreeMap<&'static str, u64> {
        self.used().map(|(mode, frames)| (mode.rate_name(), frames)).collect()
    }

    /// Mean rate in Mbit/s; none without frames.
    pub fn mean(self) -> Option<f64> {
        let frames: u64 = self.0.iter().sum();
        let bits: f64 = self.used().map(|(mode, frames)| mode.rate() as f64 * frames as f64).sum();
        (frames > 0).then(|| bits / frames as f64 / 1e6)
    }

    fn used(self) -> impl Iterator<Item = (Mode, u64)> {
        Mode::ALL.into_iter().map(move |mode| (mode, self.0[mode.index()])).filter(|(_, frames)| *frames > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_add_up_to_a_mean() {
        let mode = |mbps: u64| Mode::of(mbps * 1_000_000).expect("a rate");
        let mut counts = RateCounts::default();
        assert_eq!((counts.mean(), counts.by_name().len()), (None, 0));
        counts.count(mode(2));
        let earlier = counts;
        for mbps in [1, 11, 11, 1] {
            counts.count(mode(mbps));
        }
        let found = counts.since(earlier);
        assert_eq!(found.mean(), Some(6.0));
        assert_eq!(found.by_name().into_iter().collect::<Vec<_>>(), [("1", 2), ("11", 2)]);
    }
}
