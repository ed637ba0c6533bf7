//! What QoS stations and their PPDU formats must hold: modes that exist, access categories, aggregates, and what EDCA
//! does not go with.

use crate::config::{Config, MacConfig, RadioConfig, seconds};
use hopscope_core::error::BuildErrors;
use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;
use hopscope_mac::MacRules;
use hopscope_mac::config::mac::{BusyAtExpiry, RateControlKind};
use hopscope_mac::edca::category::{self, Ac};
use hopscope_net::config::link::LinkPart;
use hopscope_net::config::net::RoutingProtocol;
use hopscope_net::iface::rules::InterfaceSet;
use hopscope_phy::config::layout::{ChannelWidth, GuardInterval, Layout, PpduFormat};
use hopscope_phy::config::radio::{ErrorKind, Phy};

/// Widest channel of the 2.4 GHz band, MHz (IEEE 802.11ax-2021 27.1.1).
const WIDEST_2_4: u32 = 40;

/// Most bytes of an A-MSDU before VHT (9.2.4.7.1).
const LONGEST_AMSDU: u32 = 7_935;

/// Format, channel and MCS of the radio, then the MAC of all QoS stations.
pub(super) fn check_qos(config: &Config, found: &mut BuildErrors) {
    check_format(&config.radio, found);
    let has_qos = config.interface_sets().any(|set| set.mac.qos);
    for set in config.interface_sets() {
        let InterfaceSet { mac, mac_key, .. } = &set;
        let named = |key: &str| format!("{mac_key}.{key}");
        if !mac.qos && has_qos {
            // It would take each of them for a packet.
            found.require(mac.fragmentation_threshold.is_none(), named("fragmentation_threshold"), || {
                let bytes = mac.fragmentation_threshold.unwrap_or(0);
                format!("found {bytes} bytes; a QoS station of the network puts no fragments together, it must be off")
            });
        }
        found.require(mac.block_ack_setup == config.mac.block_ack_setup, named("block_ack_setup"), || {
            let [own, common] = [mac, &config.mac].map(|mac| mac.block_ack_setup.word());
            format!(
                "found \"{own}\", and mac.block_ack_setup = \"{common}\"; all stations set agreements up in one way"
            )
        });
        check_needs_qos(config.radio.ppdu_format, mac, &named, found);
        check_rate_control(&config.radio, mac, &named, found);
        if mac.qos {
            check_categories(mac, &named, found);
            check_aggregates(config.radio.ppdu_format, mac, &named, found);
            check_rules(mac, &named, found);
            check_amsdu(&set, &named, found);
        }
    }
    if has_qos {
        check_network(config, found);
    }
}

/// Words of a list in a message.
fn listed<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

/// The format goes with the PHY, and has the width, the guard interval and the MCS.
fn check_format(r: &RadioConfig, found: &mut BuildErrors) {
    let (format, phy) = (r.ppdu_format, r.phy.word());
    found.require(r.phy != Phy::Dsss || r.channel_width == 20, "radio.channel_width", || {
        format!("found {} MHz; phy = \"{phy}\" has 20 MHz alone", r.channel_width)
    });
    if format == PpduFormat::NonHt {
        return;
    }
    let word = format.word();
    let goes_with = match format {
        PpduFormat::NonHt | PpduFormat::Ht | PpduFormat::He => r.phy != Phy::Dsss,
        // Clause 21 is for bands below 6 GHz without 2.4 GHz.
        PpduFormat::Vht => r.phy == Phy::Ofdm,
    };
    found.require(goes_with, "radio.ppdu_format", || {
        let allowed = if format == PpduFormat::Vht { "\"ofdm\"" } else { "\"ofdm\" and \"erp-ofdm\"" };
        format!("found \"{word}\" together with phy = \"{phy}\"; it goes with phy = {allowed}")
    });
    let of = |width, guard| Layout { format, width, guard };
    let has_width = |width: &ChannelWidth| GuardInterval::ALL.into_iter().any(|guard| of(*width, guard).exists());
    let has_guard = |guard: &GuardInterval| ChannelWidth::ALL.into_iter().any(|width| of(width, *guard).exists());
    let is_wide = ChannelWidth::of_mhz(r.channel_width).is_some_and(|width| has_width(&width));
    found.require(is_wide, "radio.channel_width", || {
        let widths = listed(ChannelWidth::ALL.into_iter().filter(has_width).map(ChannelWidth::mhz));
        format!("found {} MHz; ppdu_format = \"{word}\" has {widths} MHz", r.channel_width)
    });
    found.require(r.phy != Phy::ErpOfdm || r.channel_width <= WIDEST_2_4, "radio.channel_width", || {
        format!("found {} MHz; phy = \"{phy}\", at 2.4 GHz, has at most {WIDEST_2_4} MHz", r.channel_width)
    });
    let is_guard = GuardInterval::of_span(r.guard_interval).is_some_and(|guard| has_guard(&guard));
    found.require(is_guard, "radio.guard_interval", || {
        let guards = listed(GuardInterval::ALL.into_iter().filter(has_guard).map(|guard| guard.span().0));
        format!("found {} ns; ppdu_format = \"{word}\" has {guards} ns", r.guard_interval.0)
    });
    let (Some(layout), Ok(streams)) = (r.layout(), u8::try_from(r.spatial_streams)) else { return };
    let allowed = || (0..=layout.highest_mcs()).filter(move |&mcs| layout.allows(mcs, streams));
    // What is wrong with the streams themselves has been said.
    found.require(allowed().next().is_none() || r.data_mode().is_some(), "radio.mcs", || {
        let (width, streams) = (r.channel_width, r.spatial_streams);
        let counted = format!("{streams} stream{}", if streams == 1 { "" } else { "s" });
        format!("found {}; ppdu_format = \"{word}\" with {width} MHz and {counted} has {}", r.mcs, listed(allowed()))
    });
}

fn check_needs_qos(format: PpduFormat, m: &MacConfig, named: &impl Fn(&str) -> String, found: &mut BuildErrors) {
    found.require(m.qos || format == PpduFormat::NonHt, named("qos"), || {
        format!(
            "found false together with radio.ppdu_format = \"{}\"; its stations have QoS, true is needed",
            format.word()
        )
    });
}

/// A rate control chooses among the modes of the format.
fn check_rate_control(r: &RadioConfig, m: &MacConfig, named: &impl Fn(&str) -> String, found: &mut BuildErrors) {
    let (key, word, format) = (named("rate_control"), m.rate_control.word(), r.ppdu_format.word());
    match m.rate_control {
        RateControlKind::Fixed => {}
        RateControlKind::Arf | RateControlKind::Aarf | RateControlKind::Minstrel => {
            found.require(!m.qos, key, || {
                format!("found \"{word}\"; QoS stations have \"fixed\", \"minstrel-ht\" and \"ideal\"")
            });
        }
        RateControlKind::MinstrelHt | RateControlKind::Ideal if r.ppdu_format == PpduFormat::NonHt => {
            found.require(false, key, || {
                format!("found \"{word}\" together with radio.ppdu_format = \"{format}\"; it goes with \"ht\", \"vht\" and \"he\"")
            });
        }
        RateControlKind::MinstrelHt => {}
        RateControlKind::Ideal => {
            found.require(r.error_kind == ErrorKind::Sinr, key, || {
                format!(
                    "found \"{word}\" together with radio.error.kind = \"{}\"; it goes by the error rates of \"sinr\"",
                    r.error_kind.word()
                )
            });
        }
    }
}

/// The lists of the four access categories.
fn check_categories(m: &MacConfig, named: &impl Fn(&str) -> String, found: &mut BuildErrors) {
    let lists = [
        ("edca_aifsn", &m.edca_aifsn),
        ("edca_cw_min", &m.edca_cw_min),
        ("edca_cw_max", &m.edca_cw_max),
        ("edca_txop", &m.edca_txop),
    ];
    for (key, list) in lists {
        found.require(list.is_empty() || list.len() == Ac::COUNT, named(key), || {
            format!(
                "found {} entries; background, best effort, video and voice need 4, or none for the usual",
                list.len()
            )
        });
    }
    let is_unclear = ["cw_min", "cw_max", "edca_cw_min", "edca_cw_max"].iter().any(|key| found.has(&named(key)));
    if is_unclear {
        return;
    }
    let usual = category::windows(m.cw_min, m.cw_max);
    for (place, ac) in Ac::ALL.into_iter().enumerate() {
        let least = m.edca_cw_min.get(place).copied().unwrap_or(usual[place].0);
        let most = m.edca_cw_max.get(place).copied().unwrap_or(usual[place].1);
        let key = if m.edca_cw_min.is_empty() { "edca_cw_max" } else { "edca_cw_min" };
        found.require(least <= most, named(key), || {
            let word = word_of(ac);
            format!("found a smallest window of {least} and a largest of {most} slots for {word}; the smallest must not exceed the largest")
        });
    }
}

fn word_of(ac: Ac) -> &'static str {
    match ac {
        Ac::Background => "background",
        Ac::BestEffort => "best effort",
        Ac::Video => "video",
        Ac::Voice => "voice",
    }
}

/// A-MPDUs and windows are no larger than the format has them.
fn check_aggregates(format: PpduFormat, m: &MacConfig, named: &impl Fn(&str) -> String, found: &mut BuildErrors) {
    // IEEE 802.11-2020 9.4.2.55.3 and 9.4.2.157.2, 802.11ax-2021 9.4.2.248: the longest by the capabilities.
    let (longest, window) = match format {
        PpduFormat::NonHt => return,
        PpduFormat::Ht => (65_535, 64),
        PpduFormat::Vht => (1_048_575, 64),
        PpduFormat::He => (6_500_631, 256),
    };
    let word = format.word();
    found.require(m.ampdu.is_none_or(|bytes| bytes <= longest), named("ampdu"), || {
        let bytes = m.ampdu.unwrap_or(0);
        format!("found {bytes} bytes; radio.ppdu_format = \"{word}\" has A-MPDUs of at most {longest} bytes")
    });
    found.require(m.ampdu.is_none() || m.block_ack_window <= window, named("block_ack_window"), || {
        format!("found {}; radio.ppdu_format = \"{word}\" has windows of at most {window} MPDUs", m.block_ack_window)
    });
}

/// The longest A-MSDU is one of the format, and its PPDU is none too long: an MPDU is not cut.
fn check_amsdu(set: &InterfaceSet<'_>, named: &impl Fn(&str) -> String, found: &mut BuildErrors) {
    let Some(bytes) = set.mac.amsdu else { return };
    let (word, format) = (set.radio.ppdu_format.word(), set.radio.ppdu_format);
    let is_short = bytes <= LONGEST_AMSDU || matches!(format, PpduFormat::Vht | PpduFormat::He);
    found.require(is_short, named("amsdu"), || {
        format!("found {bytes} bytes; radio.ppdu_format = \"{word}\" has A-MSDUs of at most {LONGEST_AMSDU} bytes")
    });
    if found.has_within("radio") || found.has_within(&set.mac_key) {
        return;
    }
    let Some((needed, longest)) = MacRules::new(&set.radio, set.mac).amsdu_airtime() else { return };
    found.require(needed <= longest, named("amsdu"), || {
        let [needed, longest] = [needed, longest].map(|span| 1e6 * seconds(span));
        format!("found {bytes} bytes; their PPDU takes {needed:.1} us at this rate, longest_ppdu is {longest:.1} us")
    });
}

/// Rules of the DCF that EDCA does not have, and limits that go together.
fn check_rules(m: &MacConfig, named: &impl Fn(&str) -> String, found: &mut BuildErrors) {
    let high = m.airtime_limit.unwrap_or(u32::MAX);
    found.require(m.airtime_limit_low <= high, named("airtime_limit_low"), || {
        format!("found {} us; it must not exceed airtime_limit, {high} us", m.airtime_limit_low)
    });
    found.require(m.fragmentation_threshold.is_none(), named("fragmentation_threshold"), || {
        format!(
            "found {} bytes; QoS stations do not cut packets, it must be off",
            m.fragmentation_threshold.unwrap_or(0)
        )
    });
    found.require(m.busy_at_expiry == BusyAtExpiry::Transmit, named("busy_at_expiry"), || {
        format!("found \"{}\"; EDCA has \"transmit\" alone", m.busy_at_expiry.word())
    });
    for (key, value) in [
        ("nonfreezing_defer", m.nonfreezing_defer),
        ("data_needs_idle", m.data_needs_idle),
        ("data_needs_cts", m.data_needs_cts),
    ] {
        found.require(!value, named(key), || "found true; EDCA has no such rule, it must be false".to_string());
    }
}

/// What stands above a MAC whose queues are its own, and hears its frames.
fn check_network(config: &Config, found: &mut BuildErrors) {
    let layers = config.layers.iter().enumerate().map(|(number, link)| (format!("layers.{number}.layer"), link));
    for (key, link) in std::iter::once(("link.layer".to_string(), &config.link)).chain(layers) {
        found.require(link.layer.is_plain() || link.layer == LinkPart::FqCodel.into(), key, || {
            format!(
                "found \"{}\"; the queues of a QoS station are in its MAC, where \"plain\" and \"fq-codel\" are allowed",
                link.layer
            )
        });
    }
    let overhears = config.routing.protocol == RoutingProtocol::Dsr && config.dsr.promiscuous;
    found.require(!overhears, "dsr.promiscuous", || {
        "found true; QoS stations hand up what is for them, it must be false".to_string()
    });
}

/// A TXOP that was given has room for the largest packet of a flow.
pub(super) fn check_txop(set: &InterfaceSet<'_>, to: u32, (dscp, bytes): (u32, u32), found: &mut BuildErrors) {
    let key = format!("{}.edca_txop", set.mac_key);
    if set.mac.edca_txop.len() != Ac::COUNT || found.has_within("radio") || found.has(&key) {
        return;
    }
    let Some((ac, limit, needed)) = MacRules::new(&set.radio, set.mac).txop_of(NodeId(to), dscp, bytes) else { return };
    found.require(limit == Span::ZERO || needed <= limit, key, || {
        format!(
            "found {} us for {}; the exchange of a packet of {bytes} bytes, headers included, takes {:.1} us: at least so much \
             is needed, or 0 for one exchange",
            limit.0 / 1_000,
            word_of(ac),
            1e6 * seconds(needed)
        )
    });
}
