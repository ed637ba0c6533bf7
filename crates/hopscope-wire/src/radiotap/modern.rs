//! What radiotap says of PPDUs after non-HT: the fields MCS, A-MPDU status, VHT and HE (radiotap.org).
//!
//! ```text
//!  MCS            known 1, flags 1, index 1
//!  A-MPDU status  reference number 4, flags 2, delimiter CRC 1, reserved 1
//!  VHT            known 2, flags 1, bandwidth 1, MCS and streams of four users 4, coding 1, group 1, partial AID 2
//!  HE             data1 to data6, 2 each: what is known, and its values
//! ```
//! Only what a mode has is known; no field says how a receiver was addressed in the preamble.

use hopscope_phy::config::layout::{ChannelWidth, GuardInterval, Layout, PpduFormat};
use hopscope_phy::phy::modes::Mode;

use crate::octets::Malformed;

/// Octets of the fields.
pub(super) const MCS_BYTES: usize = 3;
pub(super) const AMPDU_BYTES: usize = 8;
pub(super) const VHT_BYTES: usize = 12;
pub(super) const HE_BYTES: usize = 12;

/// MCS: bandwidth, index, guard interval, HT format, FEC, STBC and extension streams are known. Format 0 is HT-mixed,
/// FEC 0 the binary convolutional code; there is no STBC and no extension stream.
const MCS_KNOWN: u8 = 0x7F;
const MCS_WIDTH: u8 = 0x03;
const MCS_SHORT_GUARD: u8 = 0x04;
/// MCS of one number of streams in the index of HT.
const MCS_OF_STREAMS: u8 = 8;

/// VHT: STBC (none), guard interval and bandwidth are known.
const VHT_KNOWN: u16 = 0x0045;
const VHT_SHORT_GUARD: u8 = 0x04;
/// Numbers of 20, 40, 80 and 160 MHz; those between name parts of a wider channel.
const VHT_WIDTHS: [u8; 4] = [0, 1, 4, 11];

/// HE: format SU (0), MCS, DCM (none), STBC (none) and bandwidth are known, of data2 the guard interval.
const HE_DATA1: u16 = 0x4260;
const HE_DATA2: u16 = 0x0002;
const HE_MCS_AT: u32 = 8;
const HE_GUARD_AT: u32 = 4;

/// The last subframe is known, and this is the last one.
const LAST_KNOWN: u16 = 0x0004;
const IS_LAST: u16 = 0x0008;

/// Which A-MPDU an MPDU is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AmpduStatus {
    /// The same for all MPDUs of an A-MPDU.
    pub reference: u32,
    /// It is the last one.
    pub last: bool,
}

impl AmpduStatus {
    pub(super) fn octets(self) -> [u8; AMPDU_BYTES] {
        let flags = LAST_KNOWN | if self.last { IS_LAST } else { 0 };
        (u64::from(self.reference) | u64::from(flags) << 32).to_le_bytes()
    }

    pub(super) fn read(octets: [u8; AMPDU_BYTES]) -> Result<Self, Malformed> {
        let field = u64::from_le_bytes(octets);
        let flags = field >> 32;
        if flags & !u64::from(IS_LAST) != u64::from(LAST_KNOWN) {
            return Err(Malformed::field(
                "radiotap A-MPDU status",
                flags,
                "the last subframe is known, and is this one",
            ));
        }
        Ok(AmpduStatus { reference: field as u32, last: flags & u64::from(IS_LAST) != 0 })
    }
}

/// Number of a width in a list.
fn width(index: Option<usize>) -> Option<ChannelWidth> {
    ChannelWidth::ALL.get(index?).copied()
}

/// The guard interval of HT and VHT.
fn guard(is_short: bool) -> GuardInterval {
    if is_short { GuardInterval::Ns400 } else { GuardInterval::Ns800 }
}

/// The MCS field of a mode of HT.
pub(super) fn mcs(layout: Layout, (mcs, streams): (u8, u8)) -> [u8; MCS_BYTES] {
    let short = if layout.guard == GuardInterval::Ns400 { MCS_SHORT_GUARD } else { 0 };
    [MCS_KNOWN, layout.width as u8 | short, MCS_OF_STREAMS * (streams - 1) + mcs]
}

/// The mode of an MCS field.
pub(super) fn read_mcs([known, flags, index]: [u8; MCS_BYTES]) -> Result<Mode, Malformed> {
    let guard = guard(flags & MCS_SHORT_GUARD != 0);
    let layout =
        width(Some(usize::from(flags & MCS_WIDTH))).map(|width| Layout { format: PpduFormat::Ht, width, guard });
    let is_known = known == MCS_KNOWN && flags & !(MCS_WIDTH | MCS_SHORT_GUARD) == 0;
    let mode = layout.and_then(|layout| Mode::of_mcs(layout, index % MCS_OF_STREAMS, index / MCS_OF_STREAMS + 1));
    let field = u32::from_le_bytes([known, flags, index, 0]);
    mode.filter(|_| is_known).ok_or(Malformed::field("radiotap MCS", field, "a mode of HT-mixed PPDUs"))
}

/// The VHT field of a mode of VHT.
pub(super) fn vht(layout: Layout, (mcs, streams): (u8, u8)) -> [u8; VHT_BYTES] {
    let [low, high] = VHT_KNOWN.to_le_bytes();
    let short = if layout.guard == GuardInterval::Ns400 { VHT_SHORT_GUARD } else { 0 };
    [low, high, short, VHT_WIDTHS[layout.width as usize], mcs << 4 | streams, 0, 0, 0, 0, 0, 0, 0]
}

/// The mode of a VHT field.
pub(super) fn read_vht(octets: [u8; VHT_BYTES]) -> Result<Mode, Malformed> {
    let [low, high, flags, bandwidth, user, rest @ ..] = octets;
    let guard = guard(flags & VHT_SHORT_GUARD != 0);
    let place = VHT_WIDTHS.iter().position(|number| *number == bandwidth);
    let layout = width(place).map(|width| Layout { format: PpduFormat::Vht, width, guard });
    let is_known = u16::from_le_bytes([low, high]) == VHT_KNOWN && flags & !VHT_SHORT_GUARD == 0 && rest == [0; 7];
    let mode = layout.and_then(|layout| Mode::of_mcs(layout, user >> 4, user & 15));
    mode.filter(|_| is_known).ok_or(Malformed::field("radiotap VHT", user, "a mode of VHT PPDUs for one station"))
}

/// The HE field of a mode of HE.
pub(super) fn he(layout: Layout, (mcs, streams): (u8, u8)) -> [u8; HE_BYTES] {
    // Of guard intervals, 0.8 microseconds are 0; a shorter one there is not.
    let guard = (layout.guard as u16).saturating_sub(GuardInterval::Ns800 as u16);
    let data5 = layout.width as u16 | guard << HE_GUARD_AT;
    let mut octets = [0; HE_BYTES];
    let data = [HE_DATA1, HE_DATA2, u16::from(mcs) << HE_MCS_AT, 0, data5, streams.into()];
    for (place, value) in octets.chunks_exact_mut(2).zip(data) {
        place.copy_from_slice(&value.to_le_bytes());
    }
    octets
}

/// The mode of an HE field.
pub(super) fn read_he(octets: [u8; HE_BYTES]) -> Result<Mode, Malformed> {
    let data: [u16; 6] = std::array::from_fn(|place| u16::from_le_bytes([octets[2 * place], octets[2 * place + 1]]));
    let [data1, data2, data3, data4, data5, data6] = data;
    let guard = GuardInterval::ALL.get(usize::from(data5 >> HE_GUARD_AT) + GuardInterval::Ns800 as usize);
    let layout = width(Some(usize::from(data5 & 15))).zip(guard.copied());
    let layout = layout.map(|(width, guard)| Layout { format: PpduFormat::He, width, guard });
    let number = u8::try_from(data3 >> HE_MCS_AT).ok().zip(u8::try_from(data6).ok());
    let is_known = (data1, data2, data3 & 0xFF, data4) == (HE_DATA1, HE_DATA2, 0, 0);
    let mode = layout.zip(number).and_then(|(layout, (mcs, streams))| Mode::of_mcs(layout, mcs, streams));
    mode.filter(|_| is_known).ok_or(Malformed::field("radiotap HE", data3, "a mode of HE SU PPDUs"))
}
