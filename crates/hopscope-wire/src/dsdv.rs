//! Updates of DSDV as octets. Perkins and Bhagwat (1994) give no format, and nobody has assigned a port: updates go over UDP
//! between ports 20561, 12 octets for each destination, as many as ns-2 counts for one.
//!
//! ```text
//!  destination 4, metric 1, reserved 3, sequence number 4, for each destination
//! ```

use hopscope_packet::dsdv::{DsdvEntry, DsdvUpdate};

use crate::address;
use crate::octets::{Malformed, take, take32};

/// Writes the octets of an update.
pub fn write(update: &DsdvUpdate, out: &mut Vec<u8>) {
    for entry in update.entries.iter() {
        out.extend(address::ip(entry.dst));
        out.extend([entry.metric, 0, 0, 0]);
        out.extend(entry.seq.to_be_bytes());
    }
}

/// Reads the octets of an update.
///
/// # Errors
/// The last destination is cut off, or an address is none of a node.
pub fn read(mut octets: &[u8]) -> Result<DsdvUpdate, Malformed> {
    const WHAT: &str = "DSDV";
    let octets = &mut octets;
    let mut entries = Vec::new();
    while !octets.is_empty() {
        let dst = address::node(take(WHAT, octets)?)?;
        let [metric, reserved @ ..]: [u8; 4] = take(WHAT, octets)?;
        // Refused rather than skipped: whoever writes something there writes another format.
        if reserved != [0; 3] {
            return Err(Malformed::field("DSDV reserved octets", reserved[2], "0"));
        }
        entries.push(DsdvEntry { dst, metric, seq: take32(WHAT, octets)? });
    }
    Ok(DsdvUpdate { entries: entries.into() })
}

#[cfg(test)]
mod tests {
    use hopscope_core::ids::NodeId;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_update_as_octets() {
        let entries = [(1, 2, 258), (2, DsdvEntry::UNREACHABLE, 7)];
        let entries = entries.map(|(dst, metric, seq)| DsdvEntry { dst: NodeId(dst), metric, seq });
        let update = DsdvUpdate { entries: entries.into() };
        let mut octets = Vec::new();
        write(&update, &mut octets);
        let expected = [10, 0, 0, 2, 2, 0, 0, 0, 0, 0, 1, 2, 10, 0, 0, 3, 250, 0, 0, 0, 0, 0, 0, 7];
        assert_eq!(octets, expected);
        assert_eq!(read(&expected), Ok(update));
        assert!(read(&expected[..23]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn updates_come_back_and_weigh_what_they_say(entries in proptest::collection::vec((0..1_000u32, any::<u8>(), any::<u32>()), 0..9)) {
            let entries = entries.into_iter().map(|(dst, metric, seq)| DsdvEntry { dst: NodeId(dst), metric, seq });
            let update = DsdvUpdate { entries: entries.collect() };
            let mut octets = Vec::new();
            write(&update, &mut octets);
            prop_assert_eq!(octets.len() as u32, update.bytes(0));
            prop_assert_eq!(read(&octets), Ok(update));
        }

        #[test]
        fn any_octets_are_read_or_refused(octets in proptest::collection::vec(0..12u8, 0..36)) {
            if let Ok(update) = read(&octets) {
                let mut again = Vec::new();
                write(&update, &mut again);
                prop_assert_eq!(again, octets);
            }
        }
    }
}
