//! The network layer's part of profiles: assignments to documented parameters, nothing else.

use super::{AodvConfig, DsdvConfig, HwmpConfig, NetConfig};
use hopscope_core::config::profile::Profile;
use hopscope_core::units::Span;

/// The network layer under a profile; the numbers are the items of docs/models/ns2.md.
pub fn net(profile: Profile) -> NetConfig {
    let mut net = NetConfig::default();
    if profile == Profile::Ns2 {
        net.link_delay = Span::from_micros(25); // 28
        net.arp = true; // 29
        net.udp_header = 0; // 32
        net.ttl = 32; // the IP default of ns-2
    }
    net
}

/// AODV under a profile: items 44 to 46 of docs/models/ns2.md.
pub fn aodv(profile: Profile) -> AodvConfig {
    let own = if profile == Profile::Ns2 { AodvConfig::set("ns2") } else { None };
    own.unwrap_or_default()
}

/// DSDV under a profile: the agent of ns-2.35, item for item.
pub fn dsdv(profile: Profile) -> DsdvConfig {
    let own = if profile == Profile::Ns2 { DsdvConfig::set("ns2") } else { None };
    own.unwrap_or_default()
}

/// The mesh under a profile: that of ns-3.44 has limits that close links.
pub fn hwmp(profile: Profile) -> HwmpConfig {
    let own = if profile == Profile::AsNs3 { HwmpConfig::set("ns3") } else { None };
    own.unwrap_or_default()
}
