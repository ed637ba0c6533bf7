//! Named settings: radio presets and the two behaviour profiles.
//!
//! A preset or profile is a set of assignments to documented parameters, nothing else: each layer has its part in its own
//! `config/presets.rs`, put together here and read nowhere in the protocol machines.

use super::{
    AodvConfig, BabelConfig, BatmanIvConfig, BatmanVConfig, Config, DsdvConfig, DsrConfig, HwmpConfig, LinkConfig,
    LinkTraces, MacConfig, MobilityConfig, NetConfig, OlsrConfig, RadioConfig, RoutingConfig, SeriesConfig, TcpConfig,
};
use hopscope_core::config::params::ParamType;
use hopscope_core::config::profile::Profile;
use hopscope_core::units::{Span, Time};
use hopscope_mac::config::presets::mac;
use hopscope_net::config::presets::{aodv, dsdv, hwmp, net};
pub use hopscope_phy::config::presets::PRESETS;
use hopscope_phy::config::presets::radio;
use hopscope_tcp::config::presets::tcp;

/// Parameters shared by all nodes and, for `tcp`, by all flows unless a flow overrides them.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Base {
    /// Radio and channel.
    pub radio: RadioConfig,
    /// 802.11 DCF and interface queue.
    pub mac: MacConfig,
    /// Link layer between interface queue and MAC.
    pub link: LinkConfig,
    /// IPv4 and link adaptation.
    pub net: NetConfig,
    /// TCP.
    pub tcp: TcpConfig,
    /// AODV.
    pub aodv: AodvConfig,
    /// DSDV.
    pub dsdv: DsdvConfig,
    /// DSR.
    pub dsr: DsrConfig,
    /// OLSR.
    pub olsr: OlsrConfig,
    /// Babel.
    pub babel: BabelConfig,
    /// BATMAN_IV.
    pub batman_iv: BatmanIvConfig,
    /// BATMAN_V.
    pub batman_v: BatmanVConfig,
    /// HWMP.
    pub hwmp: HwmpConfig,
}

impl Base {
    /// A run of these nodes (positions in metres) with seed 1, without flows.
    pub fn config(self, nodes: Vec<[f64; 2]>, duration: Span) -> Config {
        Config {
            seed: 1,
            duration: Time::ZERO + duration,
            warmup: Time::ZERO,
            nodes,
            radio: self.radio,
            mac: self.mac,
            link: self.link,
            layers: Vec::new(),
            hosts: Vec::new(),
            interfaces: Vec::new(),
            wires: Vec::new(),
            net: self.net,
            routing: RoutingConfig::default(),
            aodv: self.aodv,
            dsdv: self.dsdv,
            dsr: self.dsr,
            olsr: self.olsr,
            babel: self.babel,
            batman_iv: self.batman_iv,
            batman_v: self.batman_v,
            hwmp: self.hwmp,
            flows: Vec::new(),
            outages: Vec::new(),
            events: Vec::new(),
            mobility: MobilityConfig::default(),
            paths: Vec::new(),
            traces: LinkTraces::default(),
            series: SeriesConfig::default(),
            starved_after: super::starved_after(),
            distributions: false,
            path_lengths: false,
            explain: false,
        }
    }
}

/// Names of the behaviour profiles.
pub const PROFILES: &[&str] = Profile::CHOICES;

/// Why a profile does not go with a radio preset; none where it does, or where one of them is unknown.
pub fn conflict(profile: &str, preset: &str) -> Option<String> {
    let needs_qos = base(profile, preset).is_some_and(|base| base.mac.qos);
    (needs_qos && Profile::of(profile) == Some(Profile::Ns2)).then(|| {
        let known = PRESETS.iter().filter(|(name, _)| base(profile, name).is_some_and(|base| !base.mac.qos));
        let known: Vec<&str> = known.map(|(name, _)| *name).collect();
        format!(
            "found \"{preset}\" together with profile = \"{profile}\"; ns-2 has no QoS stations; allowed there: {}",
            known.join(", ")
        )
    })
}

/// The parameters of a profile with a radio preset; `None` for an unknown name.
pub fn base(profile: &str, preset: &str) -> Option<Base> {
    let profile = Profile::of(profile)?;
    let radio = radio(profile, preset)?;
    Some(Base {
        // After the radio, whose PHY decides slots, SIFS and windows.
        mac: mac(profile, &radio),
        radio,
        net: net(profile),
        tcp: tcp(profile),
        aodv: aodv(profile),
        dsdv: dsdv(profile),
        hwmp: hwmp(profile),
        // DSR, OLSR, Babel, batman-adv and link layers are the same under every profile.
        ..Base::default()
    })
}
