//! What links cost under static routes by a metric: an oracle, from what the channel delivers of single frames.

use crate::config::Config;
use hopscope_core::error::{BuildError, BuildErrors};
use hopscope_core::ids::NodeId;
use hopscope_mac::config::mac::RateControlKind;
use hopscope_net::config::net::{RoutingMetric, RoutingProtocol};
use hopscope_net::routing::quality::{airtime, ett, etx};
use hopscope_phy::channel::Medium;
use hopscope_phy::channel::delivery::Delivery;
use hopscope_phy::config::mobility::MobilityModel;
use hopscope_phy::config::radio::{Fading, Shadowing};
use hopscope_phy::phy::modes::Mode;

/// Bits of the frame that the airtime metric is of (IEEE 802.11-2020 14.9), and of the packet whose time ETT is (Draves et al.
/// 2004: 1024 bytes).
const DATA_BITS: u32 = 8192;
/// Seconds that the airtime metric adds to each frame, as of ns-3.44 at 5 GHz. With one rate for all it is a factor of all
/// paths.
const AIRTIME_OVERHEAD: f64 = 94e-6;

/// The costs of links.
#[derive(Debug)]
pub(super) struct LinkCosts {
    metric: RoutingMetric,
    delivery: Delivery,
    /// Mode and bits of a probe.
    probe: (Mode, u32),
    data: Mode,
}

impl LinkCosts {
    /// As a configuration has them; none: routes are short by hops, or a protocol finds them.
    pub(super) fn new(config: &Config) -> Option<Self> {
        let routing = &config.routing;
        if !is_by_quality(config) {
            return None;
        }
        let radio = &config.radio;
        let mode = |rate: u64| Mode::of(rate).unwrap_or_default();
        Some(LinkCosts {
            metric: routing.metric,
            delivery: Delivery::new(radio, config.nodes.len()),
            probe: (mode(radio.basic_rate), routing.probe_size * 8),
            data: radio.data_mode().unwrap_or_else(|| mode(radio.data_rate)),
        })
    }

    /// The cost of the link of a node to another one; infinite where nothing arrives.
    pub(super) fn of(&self, medium: &Medium, from: NodeId, to: NodeId) -> f64 {
        let share = |ends: [NodeId; 2], mode: Mode, bits: u32| {
            let link = medium.hearers(ends[0]).iter().find(|link| link.to == ends[1]);
            link.map_or(0.0, |link| self.delivery.share(ends, f64::from(link.power), mode, bits))
        };
        let of_probes = |ends| share(ends, self.probe.0, self.probe.1);
        let rate = self.data.rate() as f64;
        match self.metric {
            RoutingMetric::Hops => 1.0,
            RoutingMetric::Etx => etx(of_probes([from, to]), of_probes([to, from])),
            RoutingMetric::Ett => ett(etx(of_probes([from, to]), of_probes([to, from])), f64::from(DATA_BITS), rate),
            RoutingMetric::Airtime => {
                let loss = 1.0 - share([from, to], self.data, DATA_BITS);
                airtime(AIRTIME_OVERHEAD, f64::from(DATA_BITS), rate, loss)
            }
        }
    }
}

fn is_by_quality(config: &Config) -> bool {
    config.routing.protocol == RoutingProtocol::Static && config.routing.metric != RoutingMetric::Hops
}

/// What a metric of static routes cannot be worked out from before the run.
pub(super) fn check(config: &Config, found: &mut BuildErrors) {
    if !is_by_quality(config) {
        return;
    }
    let radio = &config.radio;
    let by_rate = matches!(config.routing.metric, RoutingMetric::Ett | RoutingMetric::Airtime);
    let refusals = [
        (radio.fading != Fading::None, "radio.fading, which moves the power of links"),
        (radio.shadowing == Shadowing::Correlated, "radio.shadowing = \"correlated\", which moves the power of links"),
        (config.mobility.model != MobilityModel::Static || !config.paths.is_empty(), "mobility, which moves the links"),
        (!config.traces.is_empty(), "traces of links, which change with time"),
        (!config.wires.is_empty(), "[[wire]], for which it is not defined"),
        (!config.stations().are_nodes(), "[[interface]] with further radios, among which it does not choose"),
        (config.interface_sets().count() > 1, "nodes with rates or MAC parameters of their own"),
        (
            by_rate && config.mac.rate_control != RateControlKind::Fixed,
            "mac.rate_control, as rates are found in the run",
        ),
    ];
    for (_, what) in refusals.into_iter().filter(|(applies, _)| *applies) {
        let metric = config.routing.metric.word();
        found.note(Err(BuildError::new(
            "routing.metric",
            format!("found \"{metric}\", which is worked out before the run; it does not go with {what}"),
        )));
    }
}
