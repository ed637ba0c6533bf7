//! Sequence numbers of MPDUs: they count modulo 4096, and what lies half of that ahead or more is behind (10.25.6.1).

/// Sequence numbers count modulo this.
pub const SEQUENCES: u16 = 4096;
/// From this distance on a sequence number is old.
const HALF: u16 = SEQUENCES / 2;

/// The sequence number `by` numbers after `seq`.
#[inline]
pub fn advance(seq: u16, by: u16) -> u16 {
    seq.wrapping_add(by) % SEQUENCES
}

/// How far `seq` lies ahead of `start`; none where it is old.
#[inline]
pub fn ahead(start: u16, seq: u16) -> Option<u16> {
    let distance = seq.wrapping_sub(start) % SEQUENCES;
    (distance < HALF).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_testing::property;
    use proptest::prelude::*;

    #[test]
    fn half_of_the_numbers_are_ahead() {
        for (start, seq, distance) in [
            (0, 0, Some(0)),
            (0, 2047, Some(2047)),
            (0, 2048, None),
            (0, 4095, None),
            (4095, 0, Some(1)),
            (4000, 1951, Some(2047)),
            (4000, 1952, None),
            (4000, 3999, None),
        ] {
            assert_eq!(ahead(start, seq), distance, "{seq} from {start}");
        }
    }

    proptest! {
        #![proptest_config(property(1_000))]

        #[test]
        fn advancing_goes_ahead(start in 0..SEQUENCES, by in 0u16..HALF) {
            let seq = advance(start, by);
            prop_assert_eq!(ahead(start, seq), Some(by));
            prop_assert_eq!(ahead(seq, start), (by == 0).then_some(0));
        }
    }
}
