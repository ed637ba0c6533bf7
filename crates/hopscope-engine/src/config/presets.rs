//! Named settings: radio presets and the two behaviour profiles.
//!
//! A preset or profile is a set of assignments to documented parameters, nothing else; what a profile switches is
//! read here and nowhere in the protocol machines.

use super::tcp::{CubicArithmetic, Handshake, InitialSsthresh, LossWindow, RttEstimator, SynOptions, Undo};
use super::{
    AodvConfig, Config, DsdvConfig, DsrConfig, LinkConfig, LinkTraces, MacConfig, MobilityConfig, NetConfig,
    OlsrConfig, RadioConfig, RoutingConfig, SeriesConfig, TcpConfig,
};
use hopscope_core::config::params::ParamType;
use hopscope_core::config::profile::Profile;
use hopscope_core::units::{Span, Time};
use hopscope_mac::config::presets::mac;
pub use hopscope_phy::config::presets::PRESETS;
use hopscope_phy::config::presets::radio;

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
            wires: Vec::new(),
            net: self.net,
            routing: RoutingConfig::default(),
            aodv: self.aodv,
            dsdv: self.dsdv,
            dsr: self.dsr,
            olsr: self.olsr,
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

/// The parameters of a profile with a radio preset; `None` for an unknown name.
pub fn base(profile: &str, preset: &str) -> Option<Base> {
    let profile = Profile::of(profile)?;
    let radio = radio(profile, preset)?;
    let mut base = Base { mac: mac(profile, &radio), radio, ..Base::default() };
    match profile {
        Profile::Standard => {}
        Profile::Ns2 => apply_ns2(&mut base),
        Profile::AsNs3 => apply_as_ns3(&mut base),
    }
    Some(base)
}

/// The documented behaviour of ns-2.35; numbers are the items of docs/models/ns2.md.
fn apply_ns2(base: &mut Base) {
    let Base { net, tcp, aodv, dsdv, .. } = base;
    if let Some(set) = AodvConfig::set("ns2") {
        *aodv = set; // 44 to 46
    }
    if let Some(set) = DsdvConfig::set("ns2") {
        *dsdv = set; // its agent, item for item
    }
    net.link_delay = Span::from_micros(25); // 28
    net.arp = true; // 29
    net.udp_header = 0; // 32
    net.ttl = 32; // the IP default of ns-2
    tcp.handshake = Handshake::Ns2; // 34
    tcp.syn_options = SynOptions::None; // 31
    tcp.initial_window = 2; // 35
    tcp.initial_ssthresh = InitialSsthresh::Window; // 35
    tcp.initial_rto = Span::from_secs(3); // 36
    tcp.min_rto = Span::from_millis(200); // 36
    tcp.clock_granularity = Span::from_millis(10); // 36
    tcp.rtt_estimator = RttEstimator::Ns2; // 36
    tcp.loss_window = LossWindow::Window; // 37, 40
    set_recovery_rules(tcp, true); // 36 to 42
    tcp.sack_option_base = 0; // 41
    tcp.dsack = Some(false); // 41
    tcp.undo = Undo::None; // 41
    tcp.vegas_headers = false; // measured beside 41
    tcp.cubic_beta = 819.0 / 1024.0; // 41
    tcp.cubic_hystart = false; // 41
    tcp.cubic_arithmetic = CubicArithmetic::Whole; // 41
}

/// The rules in which ns-2.35 departs from the RFCs of loss recovery: all of them or none. The numbers are the items of
/// docs/models/ns2.md.
pub(super) fn set_recovery_rules(tcp: &mut TcpConfig, ns2: bool) {
    tcp.times_repetitions = ns2; // 36
    tcp.repeated_timeout_cuts = ns2; // 37
    tcp.idle_is_timeout = ns2; // 37
    tcp.syn_loss_cuts = ns2; // 34
    tcp.limited_after_timeout = ns2; // 38
    tcp.idle_duplicates_count = ns2; // 38
    tcp.first_segment_exempt = ns2; // 39
    tcp.one_recovery_per_window = ns2; // 39
    tcp.recovery_end_grows = ns2; // 40
    tcp.recovery_burst = if ns2 { 2 } else { 0 }; // 40
    tcp.sack_counts_pipe = ns2; // 41
    tcp.tahoe_counts_on = ns2; // 41
    tcp.vegas_backs_off = ns2; // 41
    tcp.vegas_keeps_start = ns2; // 41
    tcp.vegas_empty_expires = ns2; // 41
    tcp.vegas_clears_no_wrap = ns2; // 41
    tcp.growth_by_ack = ns2; // 42
}

/// The behaviour of ns-3.44 as measured for this project; numbers are the items of docs/models/as-ns3.md.
fn apply_as_ns3(base: &mut Base) {
    let tcp = &mut base.tcp;
    tcp.initial_window = 10; // 21
    tcp.initial_rto = Span::from_secs(3); // 21
    tcp.syn_options = SynOptions::WithoutMss; // 21
    tcp.timestamps = true; // 21
    tcp.dupacks_as_sack = true; // 23
    tcp.times_every_segment = true; // 24
    tcp.backoff_ends_by_ack = true; // 24
    tcp.repeated_timeout_cuts = true; // 24
    tcp.growth_by_ack = true; // 25
    tcp.growth_goes_on = true; // 25
    tcp.cubic_cuts_cwnd = true; // 25
    tcp.prr = true; // 21
    tcp.dsack = Some(false); // 21
    tcp.undo = Undo::None; // 21
    tcp.vegas_alpha = 2.0; // 21
    tcp.vegas_beta = 4.0; // 21
}
