//! What a radio reports with a frame, as radiotap has it (radiotap.org, version 0): flags, rate or what stands for it,
//! channel, signal, noise, and which A-MPDU the frame is a part of.
//!
//! ```text
//!  version 0, pad 0, length 2, present 4, flags 1, rate 1 (500 kbit/s), frequency 2 (MHz), channel flags 2,
//!  signal 1, noise 1 (dBm), MCS 3, A-MPDU status 8, VHT 12, HE 12
//! ```
//! Numbers have their low octet first. Signal and noise are absent where nothing was received. A mode that is not non-HT
//! has MCS, VHT or HE and no rate, which one octet could not hold. Fields stand at multiples of their alignment: behind
//! zeros, where need be.

use hopscope_phy::config::layout::PpduFormat;
use hopscope_phy::phy::modes::Mode;

use crate::octets::{Malformed, split, take};

mod modern;

pub use modern::AmpduStatus;

/// Bit of the fields in the word of what is present.
const FLAGS: u32 = 1 << 1;
const RATE: u32 = 1 << 2;
const CHANNEL: u32 = 1 << 3;
const SIGNAL: u32 = 1 << 5;
const NOISE: u32 = 1 << 6;
const MCS: u32 = 1 << 19;
const AMPDU: u32 = 1 << 20;
const VHT: u32 = 1 << 21;
const HE: u32 = 1 << 23;
/// Fields that always stand there.
const ALWAYS: u32 = FLAGS | CHANNEL;
/// Fields of which there is one: how the frame was sent.
const MODE: u32 = RATE | MCS | VHT | HE;

/// Octets without signal and noise, of a non-HT mode.
const LEAST: usize = 14;
/// The same with both.
const WORD: usize = LEAST + 2;
/// Octets with the most fields: A-MPDU status and one of the long fields, which need no padding behind signal and
/// noise.
const MOST: usize = WORD + modern::AMPDU_BYTES + modern::HE_BYTES;
/// Alignment of the fields of numbers with four and with two octets.
const BY_FOUR: usize = 4;
const BY_TWO: usize = 2;

/// Unit of the rate, bit/s.
const RATE_UNIT: u64 = 500_000;

/// Flags field: the frame has its check sequence, was sent behind a short preamble, or was spoiled.
const WITH_FCS: u8 = 0x10;
const SHORT_PREAMBLE: u8 = 0x02;
const BAD_FCS: u8 = 0x40;

/// Channel flags of 2.4 GHz with CCK.
pub const CCK: u16 = 0x00A0;
/// The same with OFDM.
pub const OFDM: u16 = 0x00C0;
/// OFDM at 5 GHz.
pub const OFDM_5_GHZ: u16 = 0x0140;

/// What is reported of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Radiotap {
    /// Mode that it was sent in.
    pub mode: Mode,
    /// Carrier frequency, MHz.
    pub frequency: u16,
    /// Kind of channel, [`CCK`], [`OFDM`] or [`OFDM_5_GHZ`].
    pub channel: u16,
    /// It was sent behind a short preamble.
    pub short_preamble: bool,
    /// It was spoiled on its way.
    pub spoiled: bool,
    /// Received power, dBm; none of the own frames.
    pub signal: Option<i8>,
    /// Noise floor, dBm; none where the model has none.
    pub noise: Option<i8>,
    /// The A-MPDU that it is a part of; none of a frame that is alone in its PPDU.
    pub ampdu: Option<AmpduStatus>,
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
        let is_non_ht = self.mode.is_non_ht();
        // A rate of non-HT fits into the octet; where there is none, the octet is the padding before the frequency.
        let rate = if is_non_ht { (self.mode.rate() / RATE_UNIT) as u8 } else { 0 };
        // Put together in one word of 16 octets, as this is written for every frame. Each field stands at a multiple
        // of its own size from the start, as radiotap asks: frequency and channel flags (two octets) at 10 and 12, so
        // that no padding is needed.
        let word = (length as u128) << 16
            | u128::from(present | RATE) << 32
            | u128::from(flags) << 64
            | u128::from(rate) << 72
            | u128::from(self.frequency) << 80
            | u128::from(self.channel) << 96
            | levels << 112;
        let mut octets = [0; MOST];
        octets[..WORD].copy_from_slice(&word.to_le_bytes());
        let is_plain = is_non_ht && self.ampdu.is_none();
        let length = if is_plain { length } else { self.extend(&mut octets, length, present) };
        (octets, length)
    }

    /// Adds the fields of modes after non-HT and of an A-MPDU; gives the new length.
    #[cold]
    fn extend(&self, octets: &mut [u8; MOST], mut length: usize, mut present: u32) -> usize {
        let mut put = |field: &[u8], bit: u32, alignment: usize| {
            let start = length.next_multiple_of(alignment);
            length = start + field.len();
            octets[start..length].copy_from_slice(field);
            present |= bit;
        };
        let number = self.mode.mcs().unwrap_or_default();
        let layout = self.mode.layout();
        let is = |format: PpduFormat| layout.filter(|layout| layout.format == format);
        if let Some(layout) = is(PpduFormat::Ht) {
            put(&modern::mcs(layout, number), MCS, 1);
        }
        if let Some(ampdu) = self.ampdu {
            put(&ampdu.octets(), AMPDU, BY_FOUR);
        }
        if let Some(layout) = is(PpduFormat::Vht) {
            put(&modern::vht(layout, number), VHT, BY_TWO);
        }
        if let Some(layout) = is(PpduFormat::He) {
            put(&modern::he(layout, number), HE, BY_TWO);
        }
        present |= if layout.is_none() { RATE } else { 0 };
        octets[2..4].copy_from_slice(&(length as u16).to_le_bytes());
        octets[4..8].copy_from_slice(&present.to_le_bytes());
        length
    }

    /// Reads its octets; gives the frame behind them too.
    ///
    /// # Errors
    /// They have other fields than Hopscope writes.
    pub fn read(octets: &[u8]) -> Result<(Self, &[u8]), Malformed> {
        let mut head = octets;
        let [version, pad, low, high]: [u8; 4] = take(WHAT, &mut head)?;
        if (version, pad) != (0, 0) {
            return Err(Malformed::field("radiotap version", version, "0"));
        }
        let present = u32::from_le_bytes(take(WHAT, &mut head)?);
        // Fields come in the order of their bits, without lengths: an unknown one would move all behind it.
        let known = ALWAYS | MODE | SIGNAL | NOISE | AMPDU;
        if present & ALWAYS != ALWAYS || present & !known != 0 || (present & MODE).count_ones() != 1 {
            let allowed = "flags, channel, signal, noise, A-MPDU status, and one of rate, MCS, VHT and HE";
            return Err(Malformed::field("radiotap fields", present, allowed));
        }
        let length = usize::from(u16::from_le_bytes([low, high]));
        let (own, frame) = split(WHAT, octets, length)?;
        let mut fields = Fields { octets: own, at: octets.len() - head.len(), present };
        let read = fields.read()?;
        if fields.at != length {
            return Err(Malformed::field("radiotap length", length as u64, "that of its fields"));
        }
        Ok((read, frame))
    }
}

const WHAT: &str = "radiotap";

/// The fields of a header that are not read yet.
struct Fields<'a> {
    octets: &'a [u8],
    at: usize,
    present: u32,
}

impl Fields<'_> {
    /// The next field of `N` octets, behind its padding, if it is present.
    fn next<const N: usize>(&mut self, bit: u32, alignment: usize) -> Result<Option<[u8; N]>, Malformed> {
        if self.present & bit == 0 {
            return Ok(None);
        }
        let start = self.at.next_multiple_of(alignment);
        let (before, mut rest) = split(WHAT, self.octets, start)?;
        if let Some(octet) = before[self.at..].iter().find(|octet| **octet != 0) {
            return Err(Malformed::field("radiotap padding", *octet, "0"));
        }
        self.at = start + N;
        take(WHAT, &mut rest).map(Some)
    }

    fn read(&mut self) -> Result<Radiotap, Malformed> {
        let [flags] = self.next(FLAGS, 1)?.unwrap_or_default();
        if flags & WITH_FCS == 0 || flags & !(WITH_FCS | SHORT_PREAMBLE | BAD_FCS) != 0 {
            return Err(Malformed::field("radiotap flags", flags, "FCS, short preamble, bad FCS"));
        }
        let rate: Option<[u8; 1]> = self.next(RATE, 1)?;
        let [low, high, kind_low, kind_high] = self.next(CHANNEL, BY_TWO)?.unwrap_or_default();
        let signal = self.next(SIGNAL, 1)?.map(|[level]| level as i8);
        let noise = self.next(NOISE, 1)?.map(|[level]| level as i8);
        let mut mode = rate.map(|[rate]| non_ht(rate)).transpose()?;
        if let Some(field) = self.next(MCS, 1)? {
            mode = Some(modern::read_mcs(field)?);
        }
        let ampdu = self.next(AMPDU, BY_FOUR)?.map(AmpduStatus::read).transpose()?;
        if let Some(field) = self.next(VHT, BY_TWO)? {
            mode = Some(modern::read_vht(field)?);
        }
        if let Some(field) = self.next(HE, BY_TWO)? {
            mode = Some(modern::read_he(field)?);
        }
        Ok(Radiotap {
            // One of the fields is there: `Radiotap::read` has refused all else.
            mode: mode.unwrap_or_default(),
            frequency: u16::from_le_bytes([low, high]),
            channel: u16::from_le_bytes([kind_low, kind_high]),
            short_preamble: flags & SHORT_PREAMBLE != 0,
            spoiled: flags & BAD_FCS != 0,
            signal,
            noise,
            ampdu,
        })
    }
}

/// The mode of a rate field.
fn non_ht(rate: u8) -> Result<Mode, Malformed> {
    Mode::of(u64::from(rate) * RATE_UNIT).ok_or(Malformed::field("radiotap rate", rate, "one of DSSS, CCK or OFDM"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use hopscope_phy::config::layout::{ChannelWidth, GuardInterval, Layout};

    use super::*;

    fn octets(reported: Radiotap) -> Vec<u8> {
        let mut out = Vec::new();
        reported.write(&mut out);
        out
    }

    /// An own frame in a mode.
    fn sent(format: PpduFormat, width: ChannelWidth, guard: GuardInterval, (mcs, streams): (u8, u8)) -> Radiotap {
        let mode = Mode::of_mcs(Layout { format, width, guard }, mcs, streams).expect("a mode");
        let (signal, noise) = (None, None);
        Radiotap {
            mode,
            frequency: 5_180,
            channel: OFDM,
            short_preamble: false,
            spoiled: false,
            signal,
            noise,
            ampdu: None,
        }
    }

    #[test]
    fn fields_stand_in_the_order_of_their_bits() {
        let reported = Radiotap {
            mode: Mode::of(11_000_000).expect("a rate of CCK"),
            frequency: 2_437,
            channel: CCK,
            short_preamble: false,
            spoiled: true,
            signal: Some(-64),
            noise: Some(-100),
            ampdu: None,
        };
        let mut octets = octets(reported);
        assert_eq!(octets, [0, 0, 16, 0, 0x6E, 0, 0, 0, 0x50, 22, 0x85, 0x09, 0xA0, 0, 0xC0, 0x9C]);
        octets.push(7);
        assert_eq!(Radiotap::read(&octets), Ok((reported, &[7][..])));
        let sent = Radiotap { signal: None, noise: None, spoiled: false, ..reported };
        octets.clear();
        sent.write(&mut octets);
        assert_eq!(octets, [0, 0, 14, 0, 0x0E, 0, 0, 0, 0x10, 22, 0x85, 0x09, 0xA0, 0]);
    }

    #[test]
    fn modes_after_non_ht_have_fields_instead_of_a_rate() {
        use ChannelWidth::{Mhz40, Mhz80, Mhz160};
        use GuardInterval::{Ns400, Ns800, Ns3200};
        let ampdu = Some(AmpduStatus { reference: 0x0102_0304, last: true });
        let ht = Radiotap { ampdu, ..sent(PpduFormat::Ht, Mhz40, Ns400, (7, 2)) };
        let head = [0x10, 0, 0x3C, 0x14, 0xC0, 0];
        // MCS 15 needs no alignment; the status stands at 20, behind three octets of padding.
        let expected = [0x7F, 0x05, 15, 0, 0, 0, 4, 3, 2, 1, 0x0C, 0, 0, 0];
        assert_eq!(octets(ht), [&[0, 0, 28, 0, 0x0A, 0, 0x18, 0][..], &head, &expected].concat());
        let vht = sent(PpduFormat::Vht, Mhz80, Ns800, (9, 2));
        let expected = [0x45, 0, 0, 4, 0x92, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(octets(vht), [&[0, 0, 26, 0, 0x0A, 0, 0x20, 0][..], &head, &expected].concat());
        let short = sent(PpduFormat::Vht, Mhz160, Ns400, (9, 1));
        assert_eq!(octets(short)[14..19], [0x45, 0, 4, 11, 0x91]);
        let he = Radiotap { signal: Some(-64), ..sent(PpduFormat::He, Mhz160, Ns3200, (11, 4)) };
        // One octet of padding behind the signal.
        let expected = [0xC0, 0, 0x60, 0x42, 2, 0, 0, 11, 0, 0, 0x23, 0, 4, 0];
        assert_eq!(octets(he), [&[0, 0, 28, 0, 0x2A, 0, 0x80, 0][..], &head, &expected].concat());
    }

    /// Any mode that there is.
    fn mode() -> impl Strategy<Value = Mode> {
        let number = (0..4usize, 0..4usize, 0..4usize, 0..12u8, 1..5u8);
        let modern = number.prop_filter_map("a mode that does not exist", |(format, width, guard, mcs, streams)| {
            let (format, guard) = (PpduFormat::ALL[format], GuardInterval::ALL[guard]);
            Mode::of_mcs(Layout { format, width: ChannelWidth::ALL[width], guard }, mcs, streams)
        });
        prop_oneof![(0..Mode::COUNT).prop_map(|index| Mode::ALL[index]), modern]
    }

    fn ampdu() -> impl Strategy<Value = Option<AmpduStatus>> {
        proptest::option::of(any::<(u32, bool)>().prop_map(|(reference, last)| AmpduStatus { reference, last }))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

        #[test]
        fn what_is_reported_comes_back(
            mode in mode(), frequency: u16, channel: u16, flags: (bool, bool), signal: Option<i8>, noise: Option<i8>, ampdu in ampdu(),
        ) {
            let (short_preamble, spoiled) = flags;
            let reported = Radiotap { mode, frequency, channel, short_preamble, spoiled, signal, noise, ampdu };
            let octets = octets(reported);
            prop_assert_eq!(Radiotap::read(&octets), Ok((reported, &[][..])));
        }

        #[test]
        fn any_octets_are_read_or_refused(present in 0..4u32, length in 0..18u8, rest in proptest::collection::vec(any::<u8>(), 0..20)) {
            let word = (ALWAYS | RATE | present << 5).to_le_bytes();
            let octets = [&[0, 0, length, 0][..], &word, &rest].concat();
            if let Ok((reported, frame)) = Radiotap::read(&octets) {
                let mut again = Vec::new();
                reported.write(&mut again);
                again.extend(frame);
                prop_assert_eq!(again, octets);
            }
            _ = Radiotap::read(&rest);
        }

        #[test]
        fn a_changed_octet_is_read_or_refused(mode in mode(), ampdu in ampdu(), place in 0..40usize, change in 1..=255u8) {
            let own = sent(PpduFormat::Ht, ChannelWidth::Mhz20, GuardInterval::Ns800, (0, 1));
            let mut changed = octets(Radiotap { mode, ampdu, ..own });
            let place = place % changed.len();
            changed[place] ^= change;
            if let Ok((reported, frame)) = Radiotap::read(&changed) {
                prop_assert_eq!([&octets(reported), frame].concat(), changed);
            }
        }
    }
}
