//! The bitmap of a compressed Block Ack (IEEE 802.11-2020 9.3.1.8.2).

use super::MAX_WINDOW;

const WORD: u16 = u64::BITS as u16;
const WORDS: usize = (MAX_WINDOW / WORD) as usize;

/// Which of up to 256 successive MPDUs have come: bit n is the MPDU n beyond the starting sequence number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bitmap([u64; WORDS]);

impl Bitmap {
    /// None has come.
    pub const EMPTY: Bitmap = Bitmap([0; WORDS]);

    /// The bitmap of four words, the first bit of the first word being that of offset 0.
    pub const fn of_words(words: [u64; WORDS]) -> Self {
        Bitmap(words)
    }

    /// Its words, as [`Bitmap::of_words`] takes them.
    pub const fn words(&self) -> [u64; WORDS] {
        self.0
    }

    /// True when the MPDU at this offset has come; none has beyond the last bit.
    #[inline]
    pub fn has(&self, offset: u16) -> bool {
        let word = self.0.get(usize::from(offset / WORD));
        word.is_some_and(|word| word >> (offset % WORD) & 1 == 1)
    }

    /// How many have come.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Marks the MPDU at this offset, below [`MAX_WINDOW`].
    #[inline]
    pub(super) fn set(&mut self, offset: u16) {
        self.0[usize::from(offset / WORD)] |= 1 << (offset % WORD);
    }

    /// Leaves out the first `by`: what was at this offset is now the first.
    pub(super) fn shift(&mut self, by: u16) {
        let (words, bits) = (usize::from(by / WORD), u32::from(by % WORD));
        let word = |index: usize| self.0.get(index).copied().unwrap_or(0);
        self.0 = std::array::from_fn(|index| {
            // Twice, as a shift by all the bits of a word is none.
            let carried = word(index + words + 1) << 1 << (WORD as u32 - 1 - bits);
            word(index + words) >> bits | carried
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_testing::property;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(property(1_000))]

        /// A bitmap is the set of its offsets.
        #[test]
        fn a_bitmap_is_a_set(offsets in proptest::collection::btree_set(0..MAX_WINDOW, 0..40), by in 0u16..400) {
            let mut bitmap = Bitmap::EMPTY;
            offsets.iter().for_each(|&offset| bitmap.set(offset));
            let plain = |bitmap: Bitmap| (0..600).filter(|&offset| bitmap.has(offset)).collect::<BTreeSet<u16>>();
            prop_assert_eq!(bitmap.count() as usize, offsets.len());
            prop_assert_eq!(plain(bitmap), offsets.clone());
            bitmap.shift(by);
            prop_assert_eq!(plain(bitmap), offsets.iter().filter_map(|offset| offset.checked_sub(by)).collect());
        }
    }
}
