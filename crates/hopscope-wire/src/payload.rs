//! What stands in place of the data of applications: a text that names the flow and where in it one is.
//!
//! ```text
//!  [flow 00003 offset 000000001472]    every 32 octets of a stream, at offsets that are multiples of 32
//!  [flow 00003 number 000000000007]    over and over in a datagram that belongs to no stream
//! ```

/// Octets of one text.
const BLOCK: usize = 32;
/// Where its number ends.
const NUMBER_END: usize = 31;
/// Digits of its number.
const DIGITS: usize = 12;

/// Writes `len` octets of the stream of `flow` from `offset` on.
pub fn stream(flow: u32, offset: u64, len: usize, out: &mut Vec<u8>) {
    let skipped = (offset % BLOCK as u64) as usize;
    let mut text = Text::new(flow, b"offset", offset - skipped as u64);
    let first = (BLOCK - skipped).min(len);
    let mut octets = [0; BLOCK];
    text.write(&mut octets);
    out.extend_from_slice(&octets[skipped..skipped + first]);
    let start = out.len();
    out.resize(start + len - first, 0);
    let mut blocks = out[start..].chunks_exact_mut(BLOCK);
    for place in &mut blocks {
        text.advance();
        text.write(place);
    }
    let rest = blocks.into_remainder();
    text.advance();
    text.write(&mut octets);
    rest.copy_from_slice(&octets[..rest.len()]);
}

/// Writes `len` octets of the datagram `number` of `flow`; of the number the last twelve digits.
pub fn datagram(flow: u32, number: u64, len: usize, out: &mut Vec<u8>) {
    let text = block(flow, b"number", number);
    let end = out.len() + len;
    while out.len() < end {
        out.extend_from_slice(&text[..BLOCK.min(end - out.len())]);
    }
}

fn block(flow: u32, what: &[u8; 6], number: u64) -> [u8; BLOCK] {
    let mut text = *b"[flow 00000 ?????? 000000000000]";
    text[12..18].copy_from_slice(what);
    write_digits(&mut text[6..11], flow.into());
    write_digits(&mut text[NUMBER_END - DIGITS..NUMBER_END], number);
    text
}

fn write_digits(place: &mut [u8], mut number: u64) {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// A text whose number goes up by the length of a block at a time: nearly all octets of a capture come from here.
struct Text {
    flow: u32,
    what: &'static [u8; 6],
    number: u64,
    /// The text with zeros for the last four digits of its number, as words with their low octet first.
    words: [u64; BLOCK / 8],
    /// These digits, two and two.
    low: [usize; 2],
}

impl Text {
    fn new(flow: u32, what: &'static [u8; 6], number: u64) -> Self {
        let text = block(flow, what, number / 10_000 * 10_000);
        let mut words = [0; BLOCK / 8];
        words.iter_mut().zip(text.chunks_exact(8)).for_each(|(word, octets)| {
            *word = octets.iter().rev().fold(0, |word, octet| word << 8 | u64::from(*octet));
        });
        // Only the last four digits change within a text's words: the others are made anew once in 10,000 octets.
        let low = (number % 10_000) as usize;
        Text { flow, what, number, words, low: [low / 100, low % 100] }
    }

    /// Writes it, word by word: what is read back in larger pieces than it was written in keeps a processor waiting.
    #[inline]
    fn write(&self, place: &mut [u8]) {
        let [high, low] = self.low.map(|two| u64::from(PAIRS[two]));
        let [a, b, c, d] = self.words;
        let words = [a, b, c, d + (high << LOW_BIT) + (low << (LOW_BIT + 16))];
        place.chunks_exact_mut(8).zip(words).for_each(|(place, word)| place.copy_from_slice(&word.to_le_bytes()));
    }

    /// Goes on by a block.
    #[inline]
    fn advance(&mut self) {
        self.number += BLOCK as u64;
        self.low[1] += BLOCK;
        if self.low[1] >= 100 {
            self.low[1] -= 100;
            self.low[0] += 1;
            if self.low[0] == 100 {
                *self = Text::new(self.flow, self.what, self.number);
            }
        }
    }
}

/// Where the last four digits begin in the last word of a text.
const LOW_BIT: u32 = 8 * (NUMBER_END - 4 - (BLOCK - 8)) as u32;

/// What two digits add to two zeros, the first one in the low octet.
const PAIRS: [u16; 100] = {
    let mut pairs = [0; 100];
    let mut two = 0;
    while two < 100 {
        pairs[two] = (two / 10 + ((two % 10) << 8)) as u16;
        two += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_stream_reports_where_one_is() {
        let mut out = Vec::new();
        stream(3, 1_460, 50, &mut out);
        // 1460 lies 20 octets behind the multiple 1440 of 32.
        assert_eq!(out, b"00000001440][flow 00003 offset 000000001472][flow ");
    }

    #[test]
    fn a_datagram_reports_which_one_it_is() {
        let mut out = Vec::new();
        datagram(12, 7, 40, &mut out);
        assert_eq!(out, b"[flow 00012 number 000000000007][flow 00");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        #[test]
        fn a_stream_is_the_same_in_whatever_parts(flow in 0..100_000u32, offset in 0..999_999_990_000u64, cut in 0..300usize) {
            let (mut whole, mut parts) = (Vec::new(), Vec::new());
            stream(flow, offset, 300, &mut whole);
            stream(flow, offset, cut, &mut parts);
            stream(flow, offset + cut as u64, 300 - cut, &mut parts);
            prop_assert_eq!(&whole, &parts);
            let skip = (32 - offset % 32) as usize % 32;
            let expected = format!("[flow {flow:05} offset {:012}]", offset + skip as u64);
            prop_assert_eq!(&whole[skip..skip + 32], expected.as_bytes());
        }
    }
}
