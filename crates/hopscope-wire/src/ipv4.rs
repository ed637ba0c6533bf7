//! The header of IPv4 (RFC 791 3.1), and the option in which a packet learns of its way.
//!
//! Packets are not fragmented: DF is set and the identification is 0 (RFC 6864 4.1).
//!
//! The option of the way has the type of an experiment (RFC 4727: copied, class 0, number 30) and 16 bits of content:
//!
//! ```text
//!  type 158, length 4, probability 1, delay 1
//! ```
//! Probability is in units of 1/255; a delay of 0 means 1 us or less, and each step more an eighth of an octave. The engine keeps both
//! more exactly than they travel here.

use hopscope_core::units::Span;
use hopscope_packet::{Ecn, PathOption};

use crate::octets::{Malformed, Sum, split};

/// Octets of a header without options.
pub const HEADER: usize = 20;
/// Number of ICMP in headers (RFC 792).
pub const ICMP: u8 = 1;
/// Number of TCP.
pub const TCP: u8 = 6;
/// Number of UDP.
pub const UDP: u8 = 17;
/// Number of DSR (RFC 4728 9).
pub const DSR: u8 = 48;

/// Type of the option of the way.
const PATH_OPTION: u8 = 158;
/// Its length.
const PATH_BYTES: u8 = 4;
/// No Operation, and End of Option List.
const NO_OPERATION: u8 = 1;
const END: u8 = 0;
const DONT_FRAGMENT: u16 = 0x4000;

/// A header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ipv4 {
    /// Source.
    pub from: [u8; 4],
    /// Destination.
    pub to: [u8; 4],
    /// Time to live, hops.
    pub ttl: u8,
    /// What it carries, such as [`TCP`].
    pub protocol: u8,
    /// Differentiated services code point, 0 to 63 (RFC 2474 3).
    pub dscp: u8,
    /// Explicit congestion notification (RFC 3168 5).
    pub ecn: Ecn,
    /// What the packet has learnt of its way, where it carries the option.
    pub path: Option<Ipv4PathOption>,
}

/// Content of the option of the way as it travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ipv4PathOption {
    /// Probability that no transmission on the way collides, in units of 1/255.
    pub non_collision: u8,
    /// Longest time from one node's network layer to the next one's, as a code.
    pub delay: u8,
}

impl Ipv4PathOption {
    /// Of what the engine keeps.
    pub fn of(path: &PathOption) -> Self {
        let micros = path.largest_delay().0 / 1_000;
        // Eight steps an octave cover 1 us to over an hour in one octet, each within 4.5 %.
        let code = if micros <= 1 { 0.0 } else { ((micros as f64).log2() * 8.0).round() };
        Ipv4PathOption { non_collision: (path.non_collision() * 255.0).round() as u8, delay: code.min(255.0) as u8 }
    }

    /// The probability.
    pub fn probability(self) -> f64 {
        f64::from(self.non_collision) / 255.0
    }

    /// The delay, within half a step.
    pub fn longest(self) -> Span {
        Span((f64::from(self.delay) / 8.0).exp2().round() as u64 * 1_000)
    }
}

impl Ipv4 {
    /// Octets of the header.
    pub fn bytes(&self) -> usize {
        HEADER + if self.path.is_some() { usize::from(PATH_BYTES) } else { 0 }
    }

    /// Writes the header of a packet that carries `payload` octets.
    pub fn write(&self, payload: usize, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + self.bytes(), 0);
        self.write_at(&mut out[start..], payload);
    }

    /// The same into octets of the header's length.
    pub fn write_at(&self, place: &mut [u8], payload: usize) {
        let bytes = self.bytes();
        let ecn = match self.ecn {
            Ecn::NotEct => 0,
            Ecn::Ect => 2, // ECT(0)
            Ecn::Ce => 3,
        };
        let mut head = [0; HEADER + PATH_BYTES as usize];
        head[0] = 0x40 | (bytes / 4) as u8;
        head[1] = self.dscp << 2 | ecn;
        // Packets of a scenario may be longer than 16 bits hold: the field then says as much as it can.
        head[2..4].copy_from_slice(&((bytes + payload).min(0xFFFF) as u16).to_be_bytes());
        head[6..8].copy_from_slice(&DONT_FRAGMENT.to_be_bytes());
        head[8] = self.ttl;
        head[9] = self.protocol;
        head[12..16].copy_from_slice(&self.from);
        head[16..20].copy_from_slice(&self.to);
        if let Some(path) = self.path {
            head[20..24].copy_from_slice(&[PATH_OPTION, PATH_BYTES, path.non_collision, path.delay]);
        }
        // Last: the checksum covers the header as it will be sent, with zeros in its own place.
        let sum = Sum::default().with(&head[..bytes]).checksum();
        head[10..12].copy_from_slice(&sum.to_be_bytes());
        place.copy_from_slice(&head[..bytes]);
    }

    /// Reads a header; gives what it carries too.
    ///
    /// # Errors
    /// It is damaged, a fragment, or has other options than that of the way.
    pub fn read(octets: &[u8]) -> Result<(Self, &[u8]), Malformed> {
        const WHAT: &str = "IPv4";
        let (head, _) = split(WHAT, octets, HEADER)?;
        if head[0] >> 4 != 4 {
            return Err(Malformed::field("IP version", head[0] >> 4, "4"));
        }
        let bytes = usize::from(head[0] & 15) * 4;
        if bytes < HEADER {
            return Err(Malformed::field("IPv4 header length", bytes as u64, "20 to 60"));
        }
        let (head, _) = split(WHAT, octets, bytes)?;
        let sum = Sum::default().with(&head[..10]).with(&head[12..]).checksum();
        let found = u16::from_be_bytes([head[10], head[11]]);
        if found != sum {
            return Err(Malformed::Checksum { what: WHAT, found: found.into(), expected: sum.into() });
        }
        let length = usize::from(u16::from_be_bytes([head[2], head[3]]));
        if length < bytes {
            return Err(Malformed::field("IPv4 total length", length as u64, "at least that of the header"));
        }
        // Octets behind the total length are padding of a link layer.
        let (whole, _) = split(WHAT, octets, length)?;
        if u16::from_be_bytes([head[6], head[7]]) & !DONT_FRAGMENT != 0 {
            return Err(Malformed::field("IPv4 fragment", head[7], "none: packets are whole"));
        }
        let ecn = match head[1] & 3 {
            0 => Ecn::NotEct,
            3 => Ecn::Ce,
            _ => Ecn::Ect,
        };
        let [from, to] = [12, 16].map(|at| [head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let path = read_options(&head[HEADER..])?;
        Ok((Ipv4 { from, to, ttl: head[8], protocol: head[9], dscp: head[1] >> 2, ecn, path }, &whole[bytes..]))
    }
}

/// The option of the way, if it is there.
fn read_options(mut octets: &[u8]) -> Result<Option<Ipv4PathOption>, Malformed> {
    let mut path = None;
    while let Some((&kind, rest)) = octets.split_first() {
        octets = match kind {
            END => break,
            NO_OPERATION => rest,
            PATH_OPTION => {
                let (content, rest) = split("IPv4 option of the way", rest, 3)?;
                if content[0] != PATH_BYTES {
                    return Err(Malformed::field("length of the IPv4 option of the way", content[0], "4"));
                }
                path = Some(Ipv4PathOption { non_collision: content[1], delay: content[2] });
                rest
            }
            other => return Err(Malformed::field("IPv4 option", other, "158")),
        };
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use hopscope_core::units::Time;
    use proptest::prelude::*;

    use super::*;

    const PLAIN: Ipv4 =
        Ipv4 { from: [10, 1, 0, 1], to: [10, 1, 0, 2], ttl: 64, protocol: TCP, dscp: 46, ecn: Ecn::Ect, path: None };

    #[test]
    fn a_header_has_its_octets_where_the_standard_draws_them() {
        let mut octets = Vec::new();
        PLAIN.write(2, &mut octets);
        // 45BA + 0016 + 0000 + 4000 + 4006 + 0A01 + 0001 + 0A01 + 0002 = D9DB
        assert_eq!(octets, [0x45, 46 << 2 | 2, 0, 22, 0, 0, 0x40, 0, 64, 6, 0x26, 0x24, 10, 1, 0, 1, 10, 1, 0, 2]);
        octets.extend([8, 9, 0]);
        assert_eq!(Ipv4::read(&octets), Ok((PLAIN, &[8, 9][..])), "what is behind the packet is left out");
        let with = Ipv4 { path: Some(Ipv4PathOption { non_collision: 128, delay: 80 }), ..PLAIN };
        octets.clear();
        with.write(0, &mut octets);
        assert_eq!((octets[0], &octets[20..]), (0x46, &[158, 4, 128, 80][..]));
    }

    #[test]
    fn the_same_header_is_what_etherparse_writes() {
        let mut octets = Vec::new();
        PLAIN.write(100, &mut octets);
        let mut theirs =
            etherparse::Ipv4Header::new(100, 64, etherparse::IpNumber::TCP, PLAIN.from, PLAIN.to).expect("it fits");
        theirs.dscp = etherparse::IpDscp::try_new(46).expect("a code");
        theirs.ecn = etherparse::IpEcn::try_new(2).expect("a code");
        theirs.header_checksum = theirs.calc_header_checksum();
        assert_eq!(octets, theirs.to_bytes().as_slice());
    }

    #[test]
    fn a_path_option_loses_little_as_octets() {
        let mut path = PathOption::new(Time(0));
        path.pass(Time(4_000_000), 0.25);
        let path = Ipv4PathOption::of(&path);
        assert!((path.probability() - 0.75).abs() < 0.5 / 255.0 + 1e-9);
        let micros = path.longest().0 as f64 / 4e6;
        assert!((0.95..1.05).contains(&micros), "a step is 9 %: {micros}");
        assert_eq!(Ipv4PathOption::of(&PathOption::new(Time(7))).delay, 0);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let mut octets = Vec::new();
        PLAIN.write(0, &mut octets);
        let with = |place: usize, octet: u8| {
            let mut changed = octets.clone();
            changed[place] = octet;
            Ipv4::read(&changed).expect_err("refused").to_string()
        };
        assert_eq!(with(0, 0x65), "IP version: found 6; allowed: 4");
        assert_eq!(with(0, 0x44), "IPv4 header length: found 16; allowed: 20 to 60");
        assert_eq!(with(8, 63), "IPv4: found checksum 0x2626; the octets have 0x2726");
        assert_eq!(
            Ipv4::read(&octets[..12]).expect_err("short").to_string(),
            "IPv4: 12 octets; at least 20 are needed"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

        #[test]
        fn headers_come_back(
            from: [u8; 4], to: [u8; 4], ttl: u8, protocol: u8, dscp in 0..64u8, ecn in 0..3usize, path in proptest::option::of(any::<[u8; 2]>()),
            payload in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let ecn = [Ecn::NotEct, Ecn::Ect, Ecn::Ce][ecn];
            let path = path.map(|[non_collision, delay]| Ipv4PathOption { non_collision, delay });
            let header = Ipv4 { from, to, ttl, protocol, dscp, ecn, path };
            let mut octets = Vec::new();
            header.write(payload.len(), &mut octets);
            prop_assert_eq!(octets.len(), header.bytes());
            octets.extend(&payload);
            prop_assert_eq!(Ipv4::read(&octets), Ok((header, &payload[..])));
        }

        #[test]
        fn any_octets_are_read_or_refused(words in 5..8u8, length in 20..40u8, rest in proptest::collection::vec(any::<u8>(), 0..60)) {
            _ = Ipv4::read(&rest);
            // With a good checksum more of them get through.
            let mut octets = [&[0x40 | words, 0, 0, length, 0, 0, 0x40, 0][..], &rest].concat();
            let head = usize::from(words) * 4;
            if octets.len() >= head {
                let sum = Sum::default().with(&octets[..10]).with(&octets[12..head]).checksum();
                octets[10..12].copy_from_slice(&sum.to_be_bytes());
                if let Ok((header, payload)) = Ipv4::read(&octets) {
                    let mut again = Vec::new();
                    header.write(payload.len(), &mut again);
                    again.extend(payload);
                    prop_assert_eq!(Ipv4::read(&again), Ok((header, payload)));
                }
            }
        }
    }
}
