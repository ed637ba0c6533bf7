use hopscope_engine::config::tcp::TIMESTAMPS_OPTION;
use proptest::prelude::*;

use super::*;

const ENDS: Ends = ([10, 1, 0, 1], [10, 1, 0, 2]);

fn octets(tcp: &Tcp, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    tcp.write_head(&mut out);
    out.extend(payload);
    close(&mut out, 0, ENDS);
    out
}

fn ack(number: u64) -> TcpSegment {
    let flags = TcpFlags { ack: true, ..TcpFlags::default() };
    TcpSegment { seq: 1, ack: number, flags, window: 46_720, ..TcpSegment::default() }
}

fn plain(segment: TcpSegment) -> Tcp {
    Tcp { from: 49_152, to: 5_001, segment, shift: 0, has_order: false, opening: Opening::default() }
}

#[test]
fn a_segment_has_its_octets_where_the_standard_draws_them() {
    let data = TcpSegment { seq: 0x1_0000_0002, len: 2, ..ack(7) };
    // 0A01 + 0001 + 0A01 + 0002 + 0006 + 0016, then C000 + 1389 + 0002 + 0007 + 5010 + B680 + 0809 = 1 F64C
    let expected = [0xC0, 0, 0x13, 0x89, 0, 0, 0, 2, 0, 0, 0, 7, 0x50, 0x10, 0xB6, 0x80, 0x09, 0xB2, 0, 0, 8, 9];
    assert_eq!(octets(&plain(data), &[8, 9]), expected);
}

#[test]
fn options_stand_in_whole_words() {
    let of = |segment, opening| octets(&Tcp { opening, ..plain(segment) }, &[])[HEADER..].to_vec();
    let syn = TcpSegment { flags: TcpFlags { syn: true, ..TcpFlags::default() }, ..TcpSegment::default() };
    let all = Opening { segment_size: Some(1460), sack_permitted: true, window_scale: Some(7) };
    assert_eq!(of(syn, all), [2, 4, 0x05, 0xB4, 4, 2, 1, 1, 1, 3, 3, 7]);
    let stamped = TcpSegment { timestamps: Some(Timestamps { value: 1, echo: 2 }), ..syn };
    assert_eq!(of(stamped, all)[4..16], [4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2]);
    let mut sack = TcpSegment { n_sack: 2, timestamps: stamped.timestamps, ..ack(1) };
    sack.sack[0] = SackBlock { start: 1461, end: 2921 };
    sack.sack[1] = SackBlock { start: 5, end: 6 };
    let found = of(sack, Opening::default());
    assert_eq!(found[..12], [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2]);
    assert_eq!(found[12..24], [1, 1, 5, 18, 0, 0, 0x05, 0xB5, 0, 0, 0x0B, 0x69]);
    assert_eq!(of(TcpSegment { sender_window: 9, ..ack(1) }, Opening::default()), [254, 4, 0, 9]);
    let third = TcpSegment { order: 3, ..ack(1) };
    let ordered = Tcp { has_order: true, ..plain(third) };
    assert_eq!(octets(&ordered, &[])[HEADER..], [253, 4, 0, 3]);
    assert!(of(third, Opening::default()).is_empty(), "DOOR is not in use");
}

#[test]
fn a_window_beyond_the_field_is_scaled_or_cut() {
    let wide = TcpSegment { window: 1_000_000, ..ack(1) };
    let field = |shift| octets(&Tcp { shift, ..plain(wide) }, &[])[14..16].to_vec();
    assert_eq!([field(0), field(4)], [vec![0xFF, 0xFF], (1_000_000u32 >> 4).to_be_bytes()[2..].to_vec()]);
}

#[test]
fn others_write_and_read_the_same() {
    let mut segment = TcpSegment { seq: 77, len: 3, n_sack: 1, ..ack(99) };
    segment.sack[0] = SackBlock { start: 200, end: 300 };
    let octets = octets(&plain(segment), &[1, 2, 3]);
    let (header, payload) = etherparse::TcpHeader::from_slice(&octets).expect("their parser takes it");
    assert_eq!((header.sequence_number, header.acknowledgment_number, header.window_size), (77, 99, 46_720));
    let options: Vec<_> = header.options_iterator().map(|option| option.expect("they know it")).collect();
    let no_operation = etherparse::TcpOptionElement::Noop;
    let sack = etherparse::TcpOptionElement::SelectiveAcknowledgement((200, 300), [None; 3]);
    assert_eq!((options, payload), (vec![no_operation.clone(), no_operation, sack], &[1, 2, 3][..]));
    let ip = etherparse::Ipv4Header::new(35, 1, etherparse::IpNumber::TCP, ENDS.0, ENDS.1).expect("it fits");
    assert_eq!(header.calc_checksum_ipv4(&ip, payload), Ok(header.checksum));
}

#[test]
fn others_read_the_options_of_a_syn() {
    let flags = TcpFlags { syn: true, ..TcpFlags::default() };
    let stamps = Some(Timestamps { value: 3, echo: 0 });
    let syn = TcpSegment { flags, window: 200_000, timestamps: stamps, ..TcpSegment::default() };
    let opening = Opening { segment_size: Some(1460), sack_permitted: true, window_scale: Some(2) };
    let octets = octets(&Tcp { opening, ..plain(syn) }, &[]);
    let (header, _) = etherparse::TcpHeader::from_slice(&octets).expect("their parser takes it");
    assert_eq!((header.syn, header.window_size), (true, 65_535), "that of a SYN is never scaled");
    let options: Vec<_> = header.options_iterator().map(|option| option.expect("they know it")).collect();
    use etherparse::TcpOptionElement::{
        MaximumSegmentSize, Noop, SelectiveAcknowledgementPermitted, Timestamp, WindowScale,
    };
    let expected = [MaximumSegmentSize(1460), SelectiveAcknowledgementPermitted, Timestamp(3, 0), Noop, WindowScale(2)];
    assert_eq!(options, expected);
}

#[test]
fn what_is_wrong_is_named() {
    let good = octets(&plain(ack(1)), &[]);
    let with = |place: usize, octet: u8| {
        let mut changed = good.clone();
        changed[place] = octet;
        close(&mut changed, 0, ENDS);
        Tcp::read(&changed, ENDS, 0).expect_err("refused").to_string()
    };
    assert_eq!(with(12, 0x40), "TCP data offset: found 16; allowed: 20 to 60 octets");
    assert_eq!(with(13, 0x20), "TCP flags: found 32; allowed: FIN, SYN, RST, PSH, ACK, ECE and CWR");
    assert_eq!(with(12, 0x60), "TCP: 20 octets; at least 24 are needed");
    let mut damaged = good;
    damaged[3] ^= 1;
    assert!(matches!(Tcp::read(&damaged, ENDS, 0), Err(Malformed::Checksum { what: "TCP", .. })));
}

#[test]
fn of_two_sack_options_the_last_counts_and_nothing_of_the_first_is_left() {
    let mut one = TcpSegment { n_sack: 1, ..ack(1) };
    one.sack[0] = SackBlock { start: 5, end: 6 };
    let right = octets(&plain(one), &[]);
    // Two blocks in front of that one, whose header grows by their 20 octets.
    let first = [NO_OPERATION, NO_OPERATION, SACK, 18, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0, 10];
    let mut both = [&right[..HEADER], &first, &right[HEADER..]].concat();
    both[12] += 5 << 4;
    close(&mut both, 0, ENDS);
    assert_eq!(Tcp::read(&both, ENDS, 0).expect("a segment").0.segment, one);
}

prop_compose! {
    fn segments()(
        seq: u32, ack: u32, window: u16, flags: [bool; 7], shift in 0..=14u8, sender_window in prop_oneof![Just(0), any::<u16>()],
        stamps in proptest::option::of(any::<[u32; 2]>()), blocks in proptest::collection::vec(any::<[u32; 2]>(), 0..3),
        order: Option<u8>, segment_size: Option<u16>, sack_permitted: bool, window_scale in proptest::option::of(0..15u8),
    ) -> Tcp {
        let [syn, ack_flag, fin, rst, psh, ece, cwr] = flags;
        let shift = if syn { 0 } else { shift };
        let mut segment = TcpSegment {
            seq: seq.into(), ack: if ack_flag { ack.into() } else { 0 }, window: u32::from(window) << shift,
            flags: TcpFlags { syn, ack: ack_flag, fin, rst, psh, ece, cwr }, sender_window: if syn { 0 } else { sender_window },
            timestamps: stamps.map(|[value, echo]| Timestamps { value, echo }), order: order.unwrap_or(0),
            ..TcpSegment::default()
        };
        for [start, end] in blocks.into_iter().filter(|_| !syn) {
            segment.sack[usize::from(segment.n_sack)] = SackBlock { start: start.into(), end: end.into() };
            segment.n_sack += 1;
        }
        let opening = Opening { segment_size, sack_permitted, window_scale };
        Tcp { from: 1, to: 2, segment, shift, has_order: order.is_some(), opening: if syn { opening } else { Opening::default() } }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn segments_come_back(mut tcp in segments(), payload in proptest::collection::vec(any::<u8>(), 0..60)) {
        tcp.segment.len = payload.len() as u32;
        let octets = octets(&tcp, &payload);
        prop_assert_eq!(octets.len(), tcp.head_bytes() + payload.len());
        if tcp.segment.flags.syn && !tcp.has_order {
            let stamps = if tcp.segment.timestamps.is_some() { TIMESTAMPS_OPTION } else { 0 };
            let counted = tcp.opening.bytes(stamps > 0) + stamps;
            prop_assert_eq!(tcp.head_bytes() as u32, HEADER as u32 + counted, "what the engine counts");
        }
        prop_assert_eq!(Tcp::read(&octets, ENDS, tcp.shift), Ok((tcp, &payload[..])));
    }

    #[test]
    fn any_octets_are_read_or_refused(words in 5..9u8, octets in proptest::collection::vec(any::<u8>(), 0..70)) {
        _ = Tcp::read(&octets, ENDS, 0);
        if octets.len() >= HEADER {
            let mut octets = octets;
            (octets[12], octets[13]) = (words << 4, octets[13] & !UNKNOWN);
            octets[18..20].fill(0);
            close(&mut octets, 0, ENDS);
            if let Ok((tcp, payload)) = Tcp::read(&octets, ENDS, 3) {
                let again = self::octets(&tcp, payload);
                prop_assert_eq!(Tcp::read(&again, ENDS, 3), Ok((tcp, payload)));
            }
        }
    }
}
