//! Each mistake of a QoS station is refused by its key, with what was found and what is allowed.

use super::problems;
use crate::config::{Config, HostConfig, LinkConfig, presets};
use hopscope_core::units::Span;
use hopscope_mac::config::mac::{BlockAckSetup, BusyAtExpiry, RateControlKind};
use hopscope_net::config::net::RoutingProtocol;
use hopscope_phy::config::layout::PpduFormat;
use hopscope_phy::config::radio::{ErrorKind, Phy};

/// Two nodes with a preset and one flow.
fn network(preset: &str) -> Config {
    let base = presets::base("standard", preset).expect("a profile and a preset");
    let mut config = base.clone().config(vec![[0.0, 0.0], [20.0, 0.0]], Span::from_secs(1));
    let flow = serde_json::json!({
        "from": 0, "to": 1, "transport": "tcp", "app": {"kind": "cbr", "rate": 160_000.0}, "packet": 1460,
        "max_window": 4, "start": 0, "ack": "every", "ack_delay": 1, "tcp": base.tcp,
    });
    config.flows.push(serde_json::from_value(flow).expect("a flow"));
    config
}

/// What is wrong with a preset that was changed.
fn after(preset: &str, change: impl FnOnce(&mut Config)) -> Vec<(String, String)> {
    let mut config = network(preset);
    change(&mut config);
    problems(&config).into_iter().map(|error| (error.key, error.message)).collect()
}

/// The keys, and the one message where there is one.
fn refused(preset: &str, change: impl FnOnce(&mut Config)) -> (String, String) {
    let found = after(preset, change);
    let [one] = &found[..] else { panic!("one mistake is expected: {found:?}") };
    one.clone()
}

fn assert_refused(found: (String, String), key: &str, message: &str) {
    assert_eq!((found.0.as_str(), found.1.as_str()), (key, message));
}

#[test]
fn every_preset_is_sound() {
    for (preset, _) in presets::PRESETS {
        for profile in ["standard", "as-ns3"] {
            let base = presets::base(profile, preset).expect("a profile and a preset");
            let mut config = network(preset);
            (config.radio, config.mac) = (base.radio, base.mac);
            assert_eq!(problems(&config), [], "{profile}, {preset}");
        }
    }
}

#[test]
fn a_format_has_widths_and_guard_intervals_of_its_own() {
    let found = refused("ht-20", |config| config.radio.channel_width = 80);
    assert_refused(found, "radio.channel_width", "found 80 MHz; ppdu_format = \"ht\" has 20, 40 MHz");
    let found = refused("he-20", |config| config.radio.channel_width = 30);
    assert_refused(found, "radio.channel_width", "found 30 MHz; ppdu_format = \"he\" has 20, 40, 80, 160 MHz");
    let found = refused("vht-80", |config| config.radio.guard_interval = Span(1_600));
    assert_refused(found, "radio.guard_interval", "found 1600 ns; ppdu_format = \"vht\" has 400, 800 ns");
    let found = refused("he-80", |config| config.radio.guard_interval = Span(400));
    assert_refused(found, "radio.guard_interval", "found 400 ns; ppdu_format = \"he\" has 800, 1600, 3200 ns");
}

#[test]
fn a_format_has_an_mcs_or_not() {
    let of = |preset: &str, mcs: u32| after(preset, |config| config.radio.mcs = mcs);
    let found = refused("ht-20", |config| config.radio.mcs = 8);
    let message = "found 8; ppdu_format = \"ht\" with 20 MHz and 1 stream has 0, 1, 2, 3, 4, 5, 6, 7";
    assert_refused(found, "radio.mcs", message);
    for (preset, mcs) in [
        ("vht-40", 10),
        ("vht-20", 9),
        ("vht-20-2ss", 9),
        ("vht-20-4ss", 9),
        ("vht-80-3ss", 6),
        ("vht-160-3ss", 9),
        ("he-20", 12),
    ] {
        let keys: Vec<String> = of(preset, mcs).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys.first().map(String::as_str), Some("radio.mcs"), "{preset}, {mcs}");
    }
    for (preset, mcs) in [("vht-20-3ss", 9), ("vht-80-3ss", 7), ("vht-160", 9), ("he-80-3ss", 6), ("he-20-4ss", 11)] {
        assert_eq!(of(preset, mcs), [], "{preset}, {mcs}");
    }
}

#[test]
fn a_format_has_its_bands() {
    let found = refused("vht-20", |config| config.radio.phy = Phy::ErpOfdm);
    let message = "found \"vht\" together with phy = \"erp-ofdm\"; it goes with phy = \"ofdm\"";
    assert_refused(found, "radio.ppdu_format", message);
    let found = refused("he-160", |config| config.radio.phy = Phy::ErpOfdm);
    let message = "found 160 MHz; phy = \"erp-ofdm\", at 2.4 GHz, has at most 40 MHz";
    assert_refused(found, "radio.channel_width", message);
    assert_eq!(after("ht-40", |config| config.radio.phy = Phy::ErpOfdm), []);
    let found = refused("dsss-2M", |config| config.radio.channel_width = 40);
    assert_refused(found, "radio.channel_width", "found 40 MHz; phy = \"dsss\" has 20 MHz alone");
    let found = after("dsss-2M", |config| {
        (config.radio.ppdu_format, config.mac.qos) = (PpduFormat::Ht, true);
    });
    assert_eq!(found[0].0, "radio.ppdu_format");
}

#[test]
fn lists_of_access_categories_have_four_entries() {
    let found = refused("ht-20", |config| config.mac.edca_aifsn = vec![7, 3, 2]);
    let message = "found 3 entries; background, best effort, video and voice need 4, or none for the usual";
    assert_refused(found, "mac.edca_aifsn", message);
    let found = after("ht-20", |config| {
        config.mac.edca_aifsn = vec![1, 3, 2, 16];
        config.mac.edca_cw_min = vec![15; 5];
        config.mac.edca_cw_max = vec![15];
        config.mac.edca_txop = vec![0, 0, 0, 32_768];
    });
    let keys: Vec<&str> = found.iter().map(|(key, _)| key.as_str()).collect();
    let expected = ["mac.edca_aifsn.0", "mac.edca_aifsn.3", "mac.edca_txop.3", "mac.edca_cw_min", "mac.edca_cw_max"];
    assert_eq!(keys, expected);
    assert_eq!(found[0].1, "found 1; allowed is at least 2 and at most 15 slots");
}

#[test]
fn no_category_begins_above_its_largest_window() {
    let found = refused("ht-20", |config| config.mac.edca_cw_min = vec![15, 15, 7, 15]);
    let message =
        "found a smallest window of 15 and a largest of 7 slots for voice; the smallest must not exceed the largest";
    assert_refused(found, "mac.edca_cw_min", message);
    let found = refused("ht-20", |config| config.mac.edca_cw_max = vec![1_023, 7, 15, 7]);
    assert_eq!(found.0, "mac.edca_cw_max");
    assert_eq!(after("ht-20", |config| config.mac.cw_min = 1), []);
}

#[test]
fn aggregates_stay_within_those_of_the_format() {
    for (preset, most) in [("ht-20", 65_535), ("vht-20", 1_048_575), ("he-20", 6_500_631)] {
        assert_eq!(after(preset, |config| config.mac.ampdu = Some(most)), []);
        let found = after(preset, |config| config.mac.ampdu = Some(most + 1));
        assert_eq!(found.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["mac.ampdu"]);
    }
    let found = refused("ht-20", |config| config.mac.ampdu = Some(65_536));
    let message = "found 65536 bytes; radio.ppdu_format = \"ht\" has A-MPDUs of at most 65535 bytes";
    assert_refused(found, "mac.ampdu", message);
    let found = refused("vht-20", |config| config.mac.block_ack_window = 65);
    let message = "found 65; radio.ppdu_format = \"vht\" has windows of at most 64 MPDUs";
    assert_refused(found, "mac.block_ack_window", message);
    assert_eq!(after("he-20", |config| config.mac.block_ack_window = 256), []);
}

#[test]
fn an_amsdu_is_one_of_the_format_and_no_longer_than_a_ppdu() {
    let with = |amsdu: u32| move |config: &mut Config| config.mac.amsdu = Some(amsdu);
    assert_eq!(after("ht-20", with(7_935)), []);
    let found = refused("ht-20", with(7_936));
    let message = "found 7936 bytes; radio.ppdu_format = \"ht\" has A-MSDUs of at most 7935 bytes";
    assert_refused(found, "mac.amsdu", message);
    assert_eq!(after("vht-20", with(11_398)), []);
    // 36 us and 26 bits a symbol of 4 us: 1362 symbols hold 35412 bits, 22 of them not of the PSDU, whose header and
    // FCS take 30 bytes.
    let slow = |amsdu: u32| {
        move |config: &mut Config| {
            config.radio.mcs = 0;
            config.mac.amsdu = Some(amsdu);
        }
    };
    assert_eq!(after("ht-20", slow(4_393)), []);
    let found = refused("ht-20", slow(4_394));
    let message = "found 4394 bytes; their PPDU takes 5488.0 us at this rate, longest_ppdu is 5484.0 us";
    assert_refused(found, "mac.amsdu", message);
}

#[test]
fn a_txop_has_room_for_the_largest_packet() {
    // HT 20 MHz, MCS 0: 1460 + 20 + 20 + 8 + 30 = 1538 bytes, 12326 bits with those around them, 26 a symbol: 475
    // symbols, 1900 us. With the preamble of 36 us, SIFS and an ACK of 44 us at 6 Mbit/s 1996 us.
    let with = |limit: u32, dscp: u32| {
        move |config: &mut Config| {
            config.radio.mcs = 0;
            config.mac.edca_txop = vec![0, limit, 0, 0];
            config.flows[0].dscp = dscp;
        }
    };
    assert_eq!(after("ht-20", with(1_996, 0)), []);
    let found = refused("ht-20", with(1_995, 0));
    let message = "found 1995 us for best effort; the exchange of a packet of 1538 bytes, headers included, takes 1996.0 us: at \
                   least so much is needed, or 0 for one exchange";
    assert_refused(found, "mac.edca_txop", message);
    // Another category's limit, and none.
    assert_eq!(after("ht-20", with(1_995, 48)), []);
    assert_eq!(after("ht-20", with(0, 0)), []);
    // With RTS and CTS at 6 Mbit/s: 52 + 44 us and two SIFS more.
    let with_rts = |limit: u32| {
        move |config: &mut Config| {
            with(limit, 0)(config);
            config.mac.rts_threshold = Some(0);
        }
    };
    assert_eq!(after("ht-20", with_rts(2_124)), []);
    assert_eq!(refused("ht-20", with_rts(2_123)).0, "mac.edca_txop");
}

#[test]
fn formats_need_qos_everywhere() {
    let found = refused("he-20", |config| config.mac.qos = false);
    let message = "found false together with radio.ppdu_format = \"he\"; its stations have QoS, true is needed";
    assert_refused(found, "mac.qos", message);
    let of_node_1 = |config: &mut Config, mac| config.hosts.push(HostConfig { mac: Some(mac), ..HostConfig::of(&[1]) });
    let found = refused("he-20", |config| {
        let mac = crate::config::MacConfig { qos: false, ..config.mac.clone() };
        of_node_1(config, mac);
    });
    assert_refused(found, "hosts.0.mac.qos", message);
    // Other formats go with both kinds of stations, but for fragments.
    for threshold in [None, Some(500)] {
        let found = after("ofdm-54M", |config| {
            config.mac.fragmentation_threshold = threshold;
            let mac = crate::config::MacConfig { qos: true, fragmentation_threshold: None, ..config.mac.clone() };
            of_node_1(config, mac);
        });
        let message =
            "found 500 bytes; a QoS station of the network puts no fragments together, it must be off".to_string();
        assert_eq!(
            found,
            threshold.map(|_| ("mac.fragmentation_threshold".to_string(), message)).into_iter().collect::<Vec<_>>()
        );
    }
    let found = refused("ht-20", |config| {
        let mac = crate::config::MacConfig { block_ack_setup: BlockAckSetup::Addba, ..config.mac.clone() };
        config.hosts.push(HostConfig { mac: Some(mac), ..HostConfig::of(&[1]) });
    });
    let message = "found \"addba\", and mac.block_ack_setup = \"given\"; all stations set agreements up in one way";
    assert_refused(found, "hosts.0.mac.block_ack_setup", message);
}

#[test]
fn what_edca_does_not_go_with_is_refused() {
    let found = after("ht-20", |config| {
        let red = || LinkConfig { layer: "red".parse().expect("a link layer"), ..LinkConfig::default() };
        config.link = red();
        config.layers = vec![LinkConfig { nodes: vec![0], ..red() }];
        config.mac.rate_control = RateControlKind::Arf;
        config.mac.fragmentation_threshold = Some(500);
        config.mac.busy_at_expiry = BusyAtExpiry::DoubleCw;
        config.mac.nonfreezing_defer = true;
        config.mac.data_needs_idle = true;
        config.mac.data_needs_cts = true;
        config.routing.protocol = RoutingProtocol::Dsr;
    });
    let keys: Vec<&str> = found.iter().map(|(key, _)| key.as_str()).collect();
    let expected = [
        "mac.rate_control",
        "mac.fragmentation_threshold",
        "mac.busy_at_expiry",
        "mac.nonfreezing_defer",
        "mac.data_needs_idle",
        "mac.data_needs_cts",
        "link.layer",
        "layers.0.layer",
        "dsr.promiscuous",
    ];
    assert_eq!(keys, expected);
    assert_eq!(
        found[6].1,
        "found \"red\"; the queues of a QoS station are in its MAC, where \"plain\" and \"fq-codel\" are allowed"
    );
    let deaf = |config: &mut Config| {
        config.routing.protocol = RoutingProtocol::Dsr;
        config.dsr.promiscuous = false;
    };
    assert_eq!(after("ht-20", deaf), []);
}

#[test]
fn a_rate_control_goes_with_the_modes_that_it_chooses_from() {
    let with = |control, change: fn(&mut Config)| {
        move |config: &mut Config| {
            config.mac.rate_control = control;
            change(config);
        }
    };
    let found = refused("ht-20", with(RateControlKind::Minstrel, |_| ()));
    assert_refused(
        found,
        "mac.rate_control",
        "found \"minstrel\"; QoS stations have \"fixed\", \"minstrel-ht\" and \"ideal\"",
    );
    let found = refused("ofdm-54M", with(RateControlKind::MinstrelHt, |_| ()));
    let message =
        "found \"minstrel-ht\" together with radio.ppdu_format = \"non-ht\"; it goes with \"ht\", \"vht\" and \"he\"";
    assert_refused(found, "mac.rate_control", message);
    let found = refused("ofdm-54M", with(RateControlKind::Ideal, |config| config.mac.qos = true));
    let message =
        "found \"ideal\" together with radio.ppdu_format = \"non-ht\"; it goes with \"ht\", \"vht\" and \"he\"";
    assert_refused(found, "mac.rate_control", message);
    let found = refused("vht-80", with(RateControlKind::Ideal, |config| config.radio.error_kind = ErrorKind::None));
    let message = "found \"ideal\" together with radio.error.kind = \"none\"; it goes by the error rates of \"sinr\"";
    assert_refused(found, "mac.rate_control", message);
    assert_eq!(after("he-80-2ss", with(RateControlKind::MinstrelHt, |_| ())), []);
}

#[test]
fn an_amsdu_has_to_fit_at_the_slowest_rate() {
    // 20 MHz, MCS 0: 7935 + 30 bytes of 26 bits a symbol take 36 + 2452 * 4 us.
    let found = refused("ht-20", |config| {
        config.mac.rate_control = RateControlKind::MinstrelHt;
        config.mac.amsdu = Some(7_935);
    });
    let message = "found 7935 bytes; their PPDU takes 9844.0 us at this rate, longest_ppdu is 5484.0 us";
    assert_refused(found, "mac.amsdu", message);
}

#[test]
fn ns2_has_no_qos() {
    let message = presets::conflict("ns2", "vht-80-2ss").expect("a conflict");
    assert!(message.starts_with("found \"vht-80-2ss\" together with profile = \"ns2\"; ns-2 has no QoS stations"));
    assert!(message.contains("ofdm-54M") && !message.contains("ht-20"));
    assert_eq!(presets::conflict("as-ns3", "vht-80-2ss"), None);
    assert_eq!(presets::conflict("ns2", "ofdm-54M"), None);
}
