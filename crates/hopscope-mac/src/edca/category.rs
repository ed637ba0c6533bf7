//! Access categories and user priorities (IEEE 802.11-2020 10.2.4.2, table 10-1), and the EDCA parameters of each.

/// Access category, the least urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ac {
    /// AC_BK.
    Background,
    /// AC_BE.
    BestEffort,
    /// AC_VI.
    Video,
    /// AC_VO.
    Voice,
}

impl Ac {
    /// How many there are.
    pub const COUNT: usize = 4;
    /// Every category, by its index.
    pub const ALL: [Ac; Ac::COUNT] = [Ac::Background, Ac::BestEffort, Ac::Video, Ac::Voice];

    /// The category of a user priority, which is the TID (0 to 7), and of [`MANAGEMENT`].
    pub fn of_tid(tid: u8) -> Ac {
        match tid {
            1 | 2 => Ac::Background,
            4 | 5 => Ac::Video,
            6 | 7 | MANAGEMENT => Ac::Voice,
            _ => Ac::BestEffort,
        }
    }
}

/// Traffic identifier that stands for management frames, which have none: they go at the basic rate, under no agreement, in
/// AC_VO (10.2.3.2).
pub const MANAGEMENT: u8 = 8;

/// The user priority of a DSCP: its upper three bits, as in Linux and ns-3.
pub fn tid_of_dscp(dscp: u32) -> u8 {
    (dscp >> 3 & 7) as u8
}

/// AIFSN by category (IEEE 802.11-2020 table 9-155).
pub const AIFSN: [u32; Ac::COUNT] = [7, 3, 2, 2];

/// Contention windows by category (table 9-155) from those of the PHY: smallest and largest.
pub fn windows(cw_min: u32, cw_max: u32) -> [(u32, u32); Ac::COUNT] {
    let part = |of: u32| ((cw_min + 1) / of).saturating_sub(1);
    [(cw_min, cw_max), (cw_min, cw_max), (part(2), cw_min), (part(4), part(2))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_priorities_are_those_of_the_table() {
        let found: Vec<usize> = (0..8).map(|tid| Ac::of_tid(tid) as usize).collect();
        assert_eq!(found, [1, 0, 0, 1, 2, 2, 3, 3]);
        // Class selectors and expedited forwarding (46), which is 5: video, as Linux has it.
        assert_eq!([0, 8, 16, 46, 48, 56].map(tid_of_dscp), [0, 1, 2, 5, 6, 7]);
    }

    #[test]
    fn windows_are_those_of_the_table() {
        assert_eq!(windows(15, 1_023), [(15, 1_023), (15, 1_023), (7, 15), (3, 7)]);
        // A quarter of two slots: no back-off.
        assert_eq!(windows(1, 1), [(1, 1), (1, 1), (0, 1), (0, 0)]);
    }
}
