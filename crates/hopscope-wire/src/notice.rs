//! Notices of Neighborhood RED as octets. Xu et al. (2003) give no format, and nobody has assigned a port: the drop probability as a
//! number of four octets (IEEE 754), over UDP between ports 20562. The engine keeps it more exactly.

use hopscope_packet::Notice;

use crate::octets::{Malformed, take};

/// Writes the octets of a notice.
pub fn write(notice: &Notice, out: &mut Vec<u8>) {
    out.extend((notice.probability as f32).to_be_bytes());
}

/// Reads the octets of a notice.
///
/// # Errors
/// They are cut off, or no number.
pub fn read(mut octets: &[u8]) -> Result<Notice, Malformed> {
    let probability = f32::from_be_bytes(take("notice", &mut octets)?);
    if !probability.is_finite() {
        return Err(Malformed::field("notice", probability.to_bits(), "a finite number"));
    }
    Ok(Notice { probability: probability.into() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_notice_as_octets() {
        let mut octets = Vec::new();
        write(&Notice { probability: 0.5 }, &mut octets);
        assert_eq!(octets, [0x3F, 0, 0, 0]);
        assert_eq!(read(&octets), Ok(Notice { probability: 0.5 }));
        assert!(read(&octets[..3]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn any_octets_are_read_or_refused(octets in proptest::collection::vec(any::<u8>(), 0..12)) {
            if let Ok(notice) = read(&octets) {
                let mut again = Vec::new();
                write(&notice, &mut again);
                prop_assert_eq!(&again[..], &octets[..4]);
            }
        }
    }
}
