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
    let mut text = block(flow, b"offset", offset - skipped as u64);
    let first = (BLOCK - skipped).min(len);
    out.extend_from_slice(&text[skipped..skipped + first]);
    let start = out.len();
    out.resize(start + len - first, 0);
    let mut blocks = out[start..].chunks_exact_mut(BLOCK);
    for place in &mut blocks {
        next(&mut text);
        place.copy_from_slice(&text);
    }
    let rest = blocks.into_remainder();
    next(&mut text);
    rest.copy_from_slice(&text[..rest.len()]);
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

/// Adds the length of a block to the number in a text. Its last four digits are enough but for one in three hundred times.
fn next(text: &mut [u8; BLOCK]) {
    const LOW: usize = NUMBER_END - 4;
    let digit = |place: usize| u32::from(text[place] - b'0');
    let low = digit(LOW) * 1_000 + digit(LOW + 1) * 100 + digit(LOW + 2) * 10 + digit(LOW + 3) + BLOCK as u32;
    if low >= 10_000 {
        let number =
            text[NUMBER_END - DIGITS..NUMBER_END].iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        write_digits(&mut text[NUMBER_END - DIGITS..NUMBER_END], number + BLOCK as u64);
        return;
    }
    let (high, low) = (low / 100, low % 100);
    let digits = [high / 10, high % 10, low / 10, low % 10].map(|digit| b'0' + digit as u8);
    text[LOW..NUMBER_END].copy_from_slice(&digits);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_stream_tells_where_one_is() {
        let mut out = Vec::new();
        stream(3, 1_460, 50, &mut out);
        // 1460 lies 20 octets behind the multiple 1440 of 32.
        assert_eq!(out, b"00000001440][flow 00003 offset 000000001472][flow ");
    }

    #[test]
    fn a_datagram_tells_which_one_it_is() {
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
