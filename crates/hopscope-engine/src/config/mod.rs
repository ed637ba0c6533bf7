//! Every parameter of the engine: one JSON document describes one run completely.

pub mod change;
pub mod host;
mod layers;
pub mod outage;
pub mod presets;
pub mod schema;
pub mod stations;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use change::{Change, ChangeKind, EventConfig};
pub use hopscope_core::config::params::Key;
pub(crate) use hopscope_core::config::section::{LONGEST, seconds};
use hopscope_mac::FailureRule;
pub use hopscope_mac::config::{MacConfig, mac};
use hopscope_net::config::net::RoutingProtocol;
pub use hopscope_net::config::{
    AodvConfig, BabelConfig, BatmanIvConfig, BatmanVConfig, DsdvConfig, DsrConfig, HwmpConfig, LinkConfig, NetConfig,
    OlsrConfig, Routing, RoutingConfig, WireConfig, aodv, babel, batman_iv, batman_v, dsdv, dsr, hwmp, link, net, olsr,
    wire,
};
pub use hopscope_phy::config::{
    LinkTraces, MobilityConfig, Movement, PathConfig, RadioConfig, mobility, radio, traces,
};
pub use hopscope_tcp::config::{
    AckName, AckPolicy, CongestionControl, ConnectionConfig, LossRecovery, TcpConfig, TcpKind, ack, tcp,
};
pub use hopscope_transport::config::{
    App, AtpConfig, Codec, ControlChoice, ControlName, DccpConfig, DccpControl, FlowConfig, Jitter, Transport, atp,
    dccp, flow,
};
pub use host::{HostConfig, RatesConfig};
pub use outage::Outage;
pub use stations::{InterfaceConfig, Stations};

use hopscope_core::error::BuildError;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};

/// One run, completely.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Seed of every random stream.
    pub seed: u64,
    /// End of the run (integer nanoseconds).
    pub duration: Time,
    /// Metrics count from here.
    #[serde(default)]
    pub warmup: Time,
    /// Positions of the nodes in metres.
    pub nodes: Vec<[f64; 2]>,
    /// Radio and channel.
    #[serde(default)]
    pub radio: RadioConfig,
    /// 802.11 DCF and interface queue.
    #[serde(default)]
    pub mac: MacConfig,
    /// Link layer between interface queue and MAC.
    #[serde(default)]
    pub link: LinkConfig,
    /// Link layers of the nodes that they name, in place of `link`.
    #[serde(default)]
    pub layers: Vec<LinkConfig>,
    /// What single nodes have in place of the common settings.
    #[serde(default)]
    pub hosts: Vec<HostConfig>,
    /// Further radios of nodes, and channels.
    #[serde(default)]
    pub interfaces: Vec<InterfaceConfig>,
    /// Wires between nodes.
    #[serde(default)]
    pub wires: Vec<WireConfig>,
    /// IPv4 and link adaptation.
    #[serde(default)]
    pub net: NetConfig,
    /// Routing.
    #[serde(default)]
    pub routing: RoutingConfig,
    /// AODV, where it is the protocol.
    #[serde(default)]
    pub aodv: AodvConfig,
    /// DSDV, where it is the protocol.
    #[serde(default)]
    pub dsdv: DsdvConfig,
    /// DSR, where it is the protocol.
    #[serde(default)]
    pub dsr: DsrConfig,
    /// OLSR, where it is the protocol.
    #[serde(default)]
    pub olsr: OlsrConfig,
    /// Babel, where it is the protocol.
    #[serde(default)]
    pub babel: BabelConfig,
    /// BATMAN_IV, where it is the protocol.
    #[serde(default)]
    pub batman_iv: BatmanIvConfig,
    /// BATMAN_V, where it is the protocol.
    #[serde(default)]
    pub batman_v: BatmanVConfig,
    /// HWMP, where it is the protocol.
    #[serde(default)]
    pub hwmp: HwmpConfig,
    /// Flows.
    pub flows: Vec<FlowConfig>,
    /// Times during which radios are off.
    #[serde(default)]
    pub outages: Vec<Outage>,
    /// What happens at instants of the run.
    #[serde(default)]
    pub events: Vec<EventConfig>,
    /// How nodes move.
    #[serde(default)]
    pub mobility: MobilityConfig,
    /// The ways of nodes that move as a file describes.
    #[serde(default)]
    pub paths: Vec<PathConfig>,
    /// What was measured of links.
    #[serde(default)]
    pub traces: LinkTraces,
    /// Time series to keep.
    #[serde(default)]
    pub series: SeriesConfig,
    /// A flow counts as starved while nothing of it has arrived for longer than this.
    #[serde(default = "starved_after")]
    pub starved_after: Span,
    /// Give the histograms behind the percentiles of delays and of gaps with the results.
    #[serde(default)]
    pub distributions: bool,
    /// Count the hops that packets take, and those of the shortest path when they arrive.
    #[serde(default)]
    pub path_lengths: bool,
    /// Keep the airtime ledger: whoever runs this gives the simulation a [`crate::ledger::Ledger`] as its observer.
    #[serde(default)]
    pub explain: bool,
}

impl Config {
    /// The configuration with each reply as a flow of its own behind the others: the flows that are measured.
    pub fn measured(&self) -> Cow<'_, Config> {
        let replies: Vec<FlowConfig> = self.flows.iter().filter_map(FlowConfig::reversed).collect();
        if replies.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut config = self.clone();
        // A reply is a flow of its own from here on; asked again, nothing is added.
        config.flows.iter_mut().for_each(|flow| flow.reply = None);
        config.flows.extend(replies);
        Cow::Owned(config)
    }
}

impl Config {
    /// The routing protocol with its parameters.
    pub fn routing(&self) -> Routing<'_> {
        let Config { routing, aodv, dsdv, dsr, olsr, babel, batman_iv, batman_v, hwmp, .. } = self;
        Routing { protocol: routing.protocol, aodv, dsdv, dsr, olsr, babel, batman_iv, batman_v, hwmp }
    }

    /// What each MAC keeps of frames that fail: nothing, unless the routing protocol goes by that.
    pub(crate) fn failure_rule(&self) -> Option<FailureRule> {
        self.has_mesh().then(|| self.hwmp.failure_rule())
    }

    /// Nodes form a mesh of 802.11s: its frames have headers of their own, and its routing messages are management frames.
    pub fn has_mesh(&self) -> bool {
        self.routing.protocol == RoutingProtocol::Hwmp
    }

    /// How the nodes move.
    pub fn movement(&self) -> Movement<'_> {
        let Config { seed, duration, ref nodes, ref mobility, ref paths, .. } = *self;
        Movement { seed, duration, nodes, radios: self.radios(), mobility, paths }
    }

    /// The configuration with the starts of its flows drawn, by its seed.
    #[must_use]
    pub fn with_starts_drawn(mut self) -> Config {
        for (number, flow) in self.flows.iter_mut().enumerate() {
            // Drawn once: whoever is given the result must not draw again.
            let jitter = std::mem::replace(&mut flow.start_jitter, Span::ZERO);
            if jitter > Span::ZERO {
                // A stream for each flow: one more flow leaves the starts of the others.
                let share = Stream::derive(self.seed, 0, number as u64, Purpose::Start).uniform();
                flow.start += Span((jitter.0 as f64 * share) as u64);
            }
        }
        self
    }

    /// Everything that lies outside its range.
    pub fn outside(&self) -> Vec<BuildError> {
        let mut found = Vec::new();
        self.radio.outside("radio", &mut found);
        self.mac.outside("mac", &mut found);
        self.link.outside("link", &mut found);
        self.net.outside("net", &mut found);
        self.routing.outside("routing", &mut found);
        self.aodv.outside("routing.aodv", &mut found);
        self.dsdv.outside("routing.dsdv", &mut found);
        self.dsr.outside("routing.dsr", &mut found);
        self.olsr.outside("routing.olsr", &mut found);
        self.babel.outside("routing.babel", &mut found);
        self.batman_iv.outside("routing.batman_iv", &mut found);
        self.batman_v.outside("routing.batman_v", &mut found);
        self.hwmp.outside("routing.hwmp", &mut found);
        self.mobility.outside("mobility", &mut found);
        for (number, layer) in self.layers.iter().enumerate() {
            layer.outside(&format!("layers.{number}"), &mut found);
        }
        for (number, host) in self.hosts.iter().enumerate() {
            host.mac.iter().for_each(|mac| mac.outside(&format!("hosts.{number}.mac"), &mut found));
        }
        for (number, interface) in self.interfaces.iter().enumerate() {
            interface.mac.iter().for_each(|mac| mac.outside(&format!("interfaces.{number}.mac"), &mut found));
        }
        for (number, flow) in self.flows.iter().enumerate() {
            flow.outside(&format!("flows.{number}"), &mut found);
        }
        found
    }
}

/// The default of [`Config::starved_after`].
pub const fn starved_after() -> Span {
    Span::from_secs(1)
}

/// Which time series a run keeps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SeriesConfig {
    /// Names of the series: `cwnd`, `ack_window`, `rtt`, `rate`, `queue`, `throughput`, `route`, `fairness`.
    pub keep: Vec<SeriesKind>,
    /// Sampling interval of `queue`, `throughput` and `fairness`; the others are kept at every change. Jain's index is
    /// computed over such intervals, too; zero stands for 1 s there.
    pub interval: Span,
}

impl SeriesConfig {
    /// True when a series is kept whose values are taken at the ends of intervals.
    pub fn is_sampled(&self) -> bool {
        // Fairness is not among them: deliveries close its intervals, without an event.
        self.keep.iter().any(|kind| matches!(kind, SeriesKind::Queue | SeriesKind::Throughput))
    }
}

hopscope_core::choice! {
    /// A time series.
    pub enum SeriesKind {
        /// Congestion window of each TCP flow, segments, at every change.
        Cwnd = "cwnd",
        /// Segments that the receiver of each TCP flow wants one ACK to stand for, at every change.
        AckWindow = "ack_window",
        /// Round-trip time samples of each TCP flow, seconds.
        Rtt = "rtt",
        /// Sending rate of each ATP flow, packets a second, at every change.
        Rate = "rate",
        /// Interface queue length of each node, packets, every `interval`.
        Queue = "queue",
        /// Throughput of each flow over each `interval`, kbit/s.
        Throughput = "throughput",
        /// Whether the source of each flow has a route to its destination, 1 or 0, at every change.
        Route = "route",
        /// Jain's fairness index of what the active flows got in each `interval`.
        Fairness = "fairness",
    }
}
