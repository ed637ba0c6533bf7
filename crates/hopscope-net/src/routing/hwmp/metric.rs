//! The airtime metric (IEEE 802.11-2020 14.9): `(O + B_t / r) / (1 - e)`, in units of 0.01 TU.

use crate::config::hwmp::HwmpConfig;
use crate::routing::LinkEstimate;

/// The metric of a link: 1 at least, [`NO_METRIC`](hopscope_packet::hwmp::NO_METRIC) where nothing comes through.
pub(super) fn airtime(link: LinkEstimate, cfg: &HwmpConfig) -> u32 {
    let bits = f64::from(cfg.test_frame) / link.data_rate as f64;
    let time = (cfg.overhead.as_secs() + bits) / (1.0 - link.failed).max(0.0);
    let units = time / cfg.metric_unit.as_secs();
    // What is too large, or infinite, becomes the largest number: NO_METRIC.
    units.ceil().max(1.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::units::Span;
    use hopscope_packet::hwmp::NO_METRIC;

    #[test]
    fn it_is_the_airtime_of_a_frame_that_comes_through() {
        let link = |data_rate, failed| LinkEstimate { data_rate, failed, ..LinkEstimate::default() };
        let cfg = HwmpConfig { overhead: Span::from_micros(94), ..HwmpConfig::default() };
        // 94 us and 8192 bits at 24 Mbit/s: 435.3 us, 42.5 units of 10.24 us.
        assert_eq!(airtime(link(24_000_000, 0.0), &cfg), 43);
        assert_eq!(airtime(link(24_000_000, 0.5), &cfg), 86);
        // 1459.3 us.
        assert_eq!(airtime(link(6_000_000, 0.0), &cfg), 143);
        assert_eq!(airtime(link(6_000_000, 1.0), &cfg), NO_METRIC);
        let linux = HwmpConfig::set("linux").expect("a set");
        assert_eq!(airtime(link(8_192_000, 0.0), &linux), 1_001, "1 us and 1000 us, in us");
    }
}
