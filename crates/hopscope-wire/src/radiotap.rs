//! What a radio reports with a frame, as radiotap has it (radiotap.org, version 0): flags, rate, channel, signal, noise.
//!
//! ```text
//!  version 0, pad 0, length 2, present 4, flags 1, rate 1 (500 kbit/s), frequency 2 (MHz), channel flags 2, signal 1, noise 1 (dBm)
//! ```
//! Numbers have their low octet first. Signal and noise are absent where nothing was received.

use crate::octets::{Malformed, split, take};

/// Bit of the fields in the word of what is present.
const FLAGS: u32 = 1 << 1;
const RATE: u32 = 1 << 2;
const CHANNEL: u32 = 1 << 3;
const SIGNAL: u32 = 1 << 5;
const NOISE: u32 = 1 << 6;
/// Fields that always stand there.
const ALWAYS: u32 = FLAGS | RATE | CHANNEL;

/// Octets without signal and noise.
const LEAST: usize = 14;
/// Octets with both.
const MOST: usize = LEAST + 2;

/// Flags field: the frame has its check sequence, was sent behind a short preamble, or was spoiled.
const WITH_FCS: u8 = 0x10;
const SHORT_PREAMBLE: u8 = 0x02;
const BAD_FCS: u8 = 0x40;

/// Channel flags of 2.4 GHz with CCK, and with OFDM.
pub const CCK: u16 = 0x00A0;
/// The same with OFDM.
pub const OFDM: u16 = 0x00C0;

/// What is reported of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Radiotap {
    /// Rate, in units of 500 kbit/s.
    pub rate: u8,
    /// Carrier frequency, MHz.
    pub frequency: u16,
    /// Kind of channel, [`CCK`] or [`OFDM`].
    pub channel: u16,
    /// It was sent behind a short preamble.
    pub short_preamble: bool,
    /// It was spoiled on its way.
    pub spoiled: bool,
    /// Received power, dBm; none of the own frames.
    pub signal: Option<i8>,
    /// Noise floor, dBm; none where the model has none.
    pub noise: Option<i8>,
}

impl Radiotap {
    /// Writes its octets.
    pub fn write(&self, out: &mut Vec<u8>) {
        let (octets, length) = self.octets();
        out.extend_from_slice(&octets[..length]);
    }

    /// Its octets, and how many of them there are.
    #[inline]
    pub fn octets(&self) -> ([u8; MOST], usize) {
        let level = |value: i8| u128::from(value as u8);
        let (levels, present, length) = match (self.signal, self.noise) {
            (Some(signal), Some(noise)) => (level(signal) | level(noise) << 8, ALWAYS | SIGNAL | NOISE, LEAST + 2),
            (Some(signal), None) => (level(signal), ALWAYS | SIGNAL, LEAST + 1),
            (None, Some(noise)) => (level(noise), ALWAYS | NOISE, LEAST + 1),
            (None, None) => (0, ALWAYS, LEAST),
        };
        let flags =
            WITH_FCS | if self.short_preamble { SHORT_PREAMBLE } else { 0 } | if self.spoiled { BAD_FCS } else { 0 };
        // Put together in one word of 16 octets, as this is written for every frame. Each field stands at a multiple
        // of its own size from the start, as radiotap asks: frequency and channel flags (two octets) at 10 and 12, so
        // that no padding is needed.
        let octets = (length as u128) << 16
            | u128::from(present) << 32
            | u128::from(flags) << 64
            | u128::from(self.rate) << 72
            | u128::from(self.frequency) << 80
            | u128::from(self.channel) << 96
            | levels << 112;
        (octets.to_le_bytes(), length)
    }

    /// Reads its octets; gives the frame behind them too.
    ///
    /// # Errors
    /// They have other fields than Hopscope writes.
    pub fn read(octets: &[u8]) -> Result<(Self, &[u8]), Malformed> {
        const WHAT: &str = "radiotap";
        let mut head = octets;
        let [version, pad, low, high]: [u8; 4] = take(WHAT, &mut head)?;
        if (version, pad) != (0, 0) {
            return Err(Malformed::field("radiotap version", version, "0"));
        }
        let present = u32::from_le_bytes(take(WHAT, &mut head)?);
        // Fields come in the order of their bits, without lengths: an unknown one would move all behind it.
        if present & ALWAYS != ALWAYS || present & !(ALWAYS | SIGNAL | NOISE) != 0 {
            return Err(Malformed::field("radiotap fields", present, "flags, rate, channel, signal and noise"));
        }
        let count = |bit| usize::from(present & bit != 0);
        let length = usize::from(u16::from_le_bytes([low, high]));
        if length != LEAST + count(SIGNAL) + count(NOISE) {
            return Err(Malformed::field("radiotap length", length as u64, "that of its fields"));
        }
        let (_, frame) = split(WHAT, octets, length)?;
        let [flags, rate]: [u8; 2] = take(WHAT, &mut head)?;
        if flags & WITH_FCS == 0 || flags & !(WITH_FCS | SHORT_PREAMBLE | BAD_FCS) != 0 {
            return Err(Malformed::field("radiotap flags", flags, "FCS, short preamble, bad FCS"));
        }
        let frequency = u16::from_le_bytes(take(WHAT, &mut head)?);
        let channel = u16::from_le_bytes(take(WHAT, &mut head)?);
        let mut level = |bit| -> Result<Option<i8>, Malformed> {
            Ok(if present & bit != 0 { Some(take::<1>(WHAT, &mut head)?[0] as i8) } else { None })
        };
        let (signal, noise) = (level(SIGNAL)?, level(NOISE)?);
        let (short_preamble, spoiled) = (flags & SHORT_PREAMBLE != 0, flags & BAD_FCS != 0);
        Ok((Radiotap { rate, frequency, channel, short_preamble, spoiled, signal, noise }, frame))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_stand_in_the_order_of_their_bits() {
        let reported = Radiotap {
            rate: 22,
            frequency: 2_437,
            channel: CCK,
            short_preamble: false,
            spoiled: true,
            signal: Some(-64),
            noise: Some(-100),
        };
        let mut octets = Vec::new();
        reported.write(&mut octets);
        assert_eq!(octets, [0, 0, 16, 0, 0x6E, 0, 0, 0, 0x50, 22, 0x85, 0x09, 0xA0, 0, 0xC0, 0x9C]);
        octets.push(7);
        assert_eq!(Radiotap::read(&octets), Ok((reported, &[7][..])));
        let sent = Radiotap { signal: None, noise: None, spoiled: false, ..reported };
        octets.clear();
        sent.write(&mut octets);
        assert_eq!(octets, [0, 0, 14, 0, 0x0E, 0, 0, 0, 0x10, 22, 0x85, 0x09, 0xA0, 0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

        #[test]
        fn what_is_reported_comes_back(
            rate: u8, frequency: u16, channel: u16, short_preamble: bool, spoiled: bool, signal: Option<i8>, noise: Option<i8>,
        ) {
            let reported = Radiotap { rate, frequency, channel, short_preamble, spoiled, signal, noise };
            let mut octets = Vec::new();
            reported.write(&mut octets);
            prop_assert_eq!(Radiotap::read(&octets), Ok((reported, &[][..])));
        }

        #[test]
        fn any_octets_are_read_or_refused(present in 0..4u32, length in 0..18u8, rest in proptest::collection::vec(any::<u8>(), 0..20)) {
            let word = (ALWAYS | present << 5).to_le_bytes();
            let octets = [&[0, 0, length, 0][..], &word, &rest].concat();
            if let Ok((reported, frame)) = Radiotap::read(&octets) {
                let mut again = Vec::new();
                reported.write(&mut again);
                again.extend(frame);
                prop_assert_eq!(again, octets);
            }
            _ = Radiotap::read(&rest);
        }
    }
}
