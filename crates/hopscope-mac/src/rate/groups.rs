//! The modes that a rate control of HT, VHT and HE chooses from, in groups of the same streams, guard interval and width.

use hopscope_phy::config::RadioConfig;
use hopscope_phy::config::layout::{ChannelWidth, GuardInterval, Layout};
use hopscope_phy::phy::modes::Mode;

/// Modes of the same streams, guard interval and width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// Spatial streams.
    pub streams: u8,
    /// By MCS; none where the format leaves one out.
    pub modes: Vec<Option<Mode>>,
}

/// The groups of a radio in the order of Linux and ns-3: by width, then the longest guard interval first, then by streams.
/// Width and guard interval are those of the radio; `all`: narrower widths and longer guard intervals as well.
pub(crate) fn groups(radio: &RadioConfig, all: bool) -> Vec<Group> {
    let Some(most) = radio.layout() else { return Vec::new() };
    let widths = ChannelWidth::ALL.into_iter().filter(|&width| width == most.width || all && width < most.width);
    let layouts = widths.flat_map(|width| {
        let guards = GuardInterval::ALL.into_iter().rev();
        let guards = guards.filter(move |&guard| guard == most.guard || all && guard > most.guard);
        guards.map(move |guard| Layout { width, guard, ..most }).filter(|layout| layout.exists())
    });
    let streams = u8::try_from(radio.spatial_streams).unwrap_or(1);
    let of = |layout: Layout| {
        let modes = move |streams| (0..=layout.highest_mcs()).map(|mcs| Mode::of_mcs(layout, mcs, streams)).collect();
        (1..=streams).map(move |streams| Group { streams, modes: modes(streams) })
    };
    layouts.flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::presets;
    use hopscope_core::units::Span;

    fn names(preset: &str, guard: u64, all: bool) -> Vec<String> {
        let mut radio = presets::base("standard", preset).expect("a preset").radio;
        radio.guard_interval = Span(guard);
        let of = |group: Group| {
            let first = group.modes[0].expect("MCS 0");
            let layout = first.layout().expect("a layout");
            let count = group.modes.iter().flatten().count();
            format!("{} {} {}: {count}", layout.width.mhz(), layout.guard.span().0, group.streams)
        };
        groups(&radio, all).into_iter().map(of).collect()
    }

    #[test]
    fn groups_are_those_of_the_radio() {
        assert_eq!(names("ht-40-2ss", 800, false), ["40 800 1: 8", "40 800 2: 8"]);
        // 9 MCS with one and two streams at 20 MHz (21.5).
        assert_eq!(names("vht-20-2ss", 400, false), ["20 400 1: 9", "20 400 2: 9"]);
        assert_eq!(names("ofdm-54M", 800, true), [""; 0], "non-HT has none");
    }

    #[test]
    fn all_groups_are_narrower_and_have_longer_guard_intervals() {
        assert_eq!(names("ht-20", 400, true), ["20 800 1: 8", "20 400 1: 8"]);
        assert_eq!(names("ht-20", 800, true), ["20 800 1: 8"], "a short one is not allowed");
        let found = names("vht-80-2ss", 400, true);
        assert_eq!((found.len(), found[0].as_str(), found[11].as_str()), (12, "20 800 1: 9", "80 400 2: 10"));
        assert_eq!(names("he-20", 800, true), ["20 3200 1: 12", "20 1600 1: 12", "20 800 1: 12"]);
    }
}
