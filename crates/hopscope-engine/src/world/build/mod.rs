//! Configuration to network: the only place that makes machines and random streams.

mod flows;
mod routes;

pub(super) use routes::{check_reachable, next_hops, unreachable_flows};

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

use super::entry_points::EntryPoints;
use super::graph::{Graph, Radios};
use super::listeners::Listeners;
use super::notices::Notices;
use super::outages::Outages;
use super::overhearing::Overhearing;
use super::places::{PerNode, Places};
use super::replay::{self, Replay};
use super::sifs::PendingSifs;
use super::{Controls, Wiring, World};
use smallvec::SmallVec;

use crate::config::{Config, HostConfig, LinkConfig, MacConfig, Stations, Transport};
use crate::node::Node;
use crate::record::Recorder;
use hopscope_core::error::BuildError;
use hopscope_core::event::Event;
use hopscope_core::ids::NodeId;
use hopscope_core::queue::EventQueue;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::Time;
use hopscope_mac::config::mac::QOS_CONTROL;
use hopscope_mac::contention::Station;
use hopscope_mac::rate::RateControl;
use hopscope_mac::rate::ht::HtRates;
use hopscope_mac::{Collisions, Dcf, Edca, EdcaEffects};
use hopscope_net::config::link::LinkPart;
use hopscope_net::config::net::RoutingProtocol;
use hopscope_net::iface::{AirSlots, Interface, Port, RuleSets, Wifi, Wires};
use hopscope_net::link::LinkLayer;
use hopscope_net::net::Gateway;
use hopscope_net::net::ip::Ip;
use hopscope_net::routing::{FixedRoutes, Forwarding, Machine, Router, Table};
use hopscope_packet::PacketArena;
use hopscope_phy::channel::{Channel, Medium};
use hopscope_phy::mobility::Mobility;
use hopscope_transport::Sockets;

/// What the nodes are put into: the medium, wires, and the static routes over both.
struct Layout {
    stations: Stations,
    mobility: Mobility,
    medium: Medium,
    rules: RuleSets,
    radios: Radios,
    wires: Wires,
    routes: FixedRoutes,
    /// By node; nobody reads them under a routing protocol.
    tables: Vec<Table>,
    places: Places,
}

pub(super) fn build<R: Recorder>(config: &Config, recorder: R, controls: &Controls) -> Result<World<R>, BuildError> {
    // All that is built below relies on a sound configuration.
    super::check(config)?;
    let (layout, hops) = lay_out(config)?;
    let mut world = assemble(config, layout, recorder);
    world.prepare_radios(config);
    world.settle_air();
    world.add_flows(config, hops, controls)?;
    world.begin_routing(config);
    world.begin_replay();
    world.begin_movement();
    world.add_gateways(config);
    if config.has_link_layers() {
        world.add_link_layers(config);
    }
    if config.flows.iter().any(|flow| flow.transport == Transport::Atp) {
        // After the link layers: it measures with those that are there, and adds plain ones elsewhere.
        world.measure_delays(config);
    }
    world.schedule(config);
    Ok(world)
}

/// The layout of a configuration, and the hops of its flows.
fn lay_out(config: &Config) -> Result<(Layout, Vec<u32>), BuildError> {
    let stations = config.stations();
    let nodes = stations.count();
    let mobility = Mobility::new(&config.movement());
    let mut medium = seeded_medium(config, &stations, &mobility);
    let rules = RuleSets::new(config.interface_sets());
    let mut tables = vec![Table::default(); nodes];
    let radios = Radios::new(config);
    let wires = Wires::new(&config.wires, &config.link, nodes, config.seed);
    // Before the routes, which follow the mean power of each traced link.
    replay::announce(&config.traces, &mut medium);
    let mut graph = Graph::new(&medium, &wires, &radios, &stations).by_metric(config);
    let (routes, hops, lost) = routes::install(config, &mut graph, &mut tables);
    lost.into_iter().next().map_or(Ok(()), Err)?;
    let places = if is_static(config) {
        let flows = config.flows.iter().map(|flow| (NodeId(flow.from), NodeId(flow.to)));
        Places::along(&tables, flows, nodes)
    } else {
        Places::by_number(nodes)
    };
    // Each link keeps the place of its far end: a frame finds its hearers without looking them up.
    medium.place(places.shared());
    Ok((Layout { stations, mobility, medium, rules, radios, wires, routes, tables, places }, hops))
}

/// Whether nodes keep to static routes.
fn is_static(config: &Config) -> bool {
    config.routing.protocol == RoutingProtocol::Static
}

/// A world without flows, in which nothing happens yet.
fn assemble<R: Recorder>(config: &Config, layout: Layout, recorder: R) -> World<R> {
    let Layout { stations, mobility, medium, rules, radios, wires, routes, mut tables, places } = layout;
    let hosts = config.host_of_each();
    let host = |station| hosts[stations.node(station).index()];
    let mut settings = Box::new(config.clone());
    // They are long and stand in `mobility` and `replay` already.
    settings.paths = Vec::new();
    let traces = std::mem::take(&mut settings.traces);
    World {
        now: Time::ZERO,
        events: EventQueue::new(),
        sifs: PendingSifs::default(),
        processed: 0,
        frames: 0,
        nodes: PerNode::new(&places, |n| match stations.number(n) {
            0 => node(config, host(n), n, &mut tables, (&wires, &stations)),
            _ => further_radio(config, n),
        }),
        wifi: PerNode::new(&places, |n| wifi(config, host(n), n, &rules)),
        channel: Channel::new(&config.radio, config.seed, stations.count()),
        wiring: wiring(config),
        common_rules: rules.common().station.clone(),
        has_qos: config.interface_sets().any(|set| set.mac.qos),
        rules_are_shared: rules.are_shared(),
        air_is_plain: false,
        packets: PacketArena::default(),
        leaving: VecDeque::new(),
        flows: Vec::with_capacity(config.flows.len()),
        port_effects: Vec::new(),
        sockets: Sockets::default(),
        transport_effects: Vec::new(),
        edca_effects: EdcaEffects::default(),
        amid: None,
        mpdus: Vec::new(),
        mpdu_outcomes: Vec::new(),
        app_effects: Vec::new(),
        overhearing: Overhearing::new(config),
        notices: Notices::new(&config.net),
        entry_points: EntryPoints::default(),
        replay: Replay::new(traces),
        medium,
        wires,
        radios,
        listeners: Listeners::Everyone,
        routes,
        outages: Outages::new(stations.count(), !config.outages.is_empty()),
        stations,
        mobility,
        settings,
        collisions: collisions(config),
        work: Vec::with_capacity(16),
        routing_effects: Vec::new(),
        recorder,
    }
}

/// What stands between a radio beyond the first and its node: address resolution alone.
fn further_radio(config: &Config, station: NodeId) -> Node {
    let interfaces = SmallVec::from_elem(Interface::Wifi { station }, 1);
    let node = Node::new(Forwarding::Static(Table::default()), ip(config, None, None), interfaces);
    Node { arp: config.net.arp.then(Box::default), ..node }
}

/// A node with its routes or its routing machine.
fn node(
    config: &Config,
    host: Option<&HostConfig>,
    n: NodeId,
    tables: &mut [Table],
    (wires, stations): (&Wires, &Stations),
) -> Node {
    let router = Router::new(n, config.routing());
    let ip = ip(config, host, router.as_ref());
    let forwarding = match router {
        None => Forwarding::Static(std::mem::take(&mut tables[n.index()])),
        Some(router) => {
            let rng = derive(config, n.index(), Purpose::RoutingJitter);
            Forwarding::Protocol(Box::new(Machine { router, rng }))
        }
    };
    let interfaces = interfaces(host, wires, stations, n);
    // A mesh forwards below IP: its nodes know each other by their MAC addresses.
    let has_arp = config.net.arp && !config.has_mesh();
    Node { arp: has_arp.then(Box::default), ..Node::new(forwarding, ip, interfaces) }
}

/// The 802.11 interface of a node; that of a node without a radio never listens.
fn wifi(config: &Config, host: Option<&HostConfig>, n: NodeId, rules: &RuleSets) -> Wifi {
    let rules = rules.of(n);
    let stream = |purpose| derive(config, n.index(), purpose);
    let rates = RateControl::new(rules.rate_rules.as_deref(), || stream(Purpose::RateControl));
    let edca = || {
        Edca::new(n)
            .with_rates(HtRates::new(rules, || stream(Purpose::RateControl)))
            .with_failures(config.failure_rule())
    };
    Wifi {
        station: Station::new(&rules.station, stream(Purpose::Backoff)),
        mac: Dcf::new(n).with_rates(rates).with_failures(config.failure_rule()),
        air: AirSlots::new(),
        port: Port::new(queue_of(config.mac_of(host))),
        rules: rules.clone(),
        edca: rules.station.edca.is_some().then(|| Box::new(edca())),
    }
}

/// What each node estimates of the collisions around it, where packets ask for that.
fn collisions(config: &Config) -> Vec<Collisions> {
    let is_asked = config.flows.iter().any(|flow| flow.transport.is_tcp() && flow.connection().reads_path());
    let stations = if is_asked { config.stations().count() } else { 0 };
    (0..stations).map(|_| Collisions::new(&config.mac)).collect()
}

/// Where the nodes are at the beginning, metres.
pub(super) fn begin<'a>(config: &'a Config, mobility: &Mobility) -> Cow<'a, [[f64; 2]]> {
    let mut places = Cow::Borrowed(&config.nodes[..]);
    if !mobility.is_none() {
        mobility.begin(places.to_mut());
    }
    places
}

/// The medium of the stations of a configuration, where they are at the beginning.
pub(super) fn seeded_medium(config: &Config, stations: &Stations, mobility: &Mobility) -> Medium {
    let places = stations.spread(&begin(config, mobility));
    let mut medium = Medium::seeded(&places, &config.radio_with_all_rates(), config.seed);
    stations.channels().into_iter().for_each(|channels| medium.set_channels(channels));
    medium
}

/// What packets that begin at a node get; its routing protocol may have a time to live and a header of its own.
fn ip(config: &Config, host: Option<&HostConfig>, router: Option<&Router>) -> Ip {
    // Data of a mesh is QoS data (IEEE 802.11-2020 4.3.21): a station whose MAC has no QoS sends that field, too.
    let qos = if config.has_mesh() && !config.mac_of(host).qos { QOS_CONTROL } else { 0 };
    Ip {
        ttl: router.and_then(Router::data_ttl).unwrap_or(config.net.ttl.min(255) as u8),
        header: config.net.ip_header,
        routing_header: router.map_or(0, Router::data_header) + qos,
    }
}

/// The interfaces of a node, in their order.
fn interfaces(host: Option<&HostConfig>, wires: &Wires, stations: &Stations, node: NodeId) -> SmallVec<[Interface; 1]> {
    let has_wifi = host.is_none_or(|host| host.wifi);
    let wifi = stations.of(node).filter(|_| has_wifi).map(|station| Interface::Wifi { station });
    let ends = wires.of(node).iter().map(|&end| Interface::Wire { end, peer: wires[end].peer });
    let outside = host.is_some_and(|host| host.outside).then_some(Interface::Outside);
    wifi.chain(ends).chain(outside).collect()
}

/// Places in the interface queue before a MAC.
pub(super) fn queue_of(mac: &MacConfig) -> u32 {
    mac.queue.saturating_sub(mac.queue_reserve).max(1)
}

/// The random numbers of `owner` (a node or a flow) for a purpose.
fn derive(config: &Config, owner: usize, purpose: Purpose) -> Stream {
    Stream::derive(config.seed, 0, owner as u64, purpose)
}

fn wiring(config: &Config) -> Wiring {
    let metered = std::iter::once(&config.link).chain(&config.layers).any(|section| section.layer.has(LinkPart::Nred));
    Wiring {
        link_delay: config.net.link_delay,
        max_packet: config.mac.max_msdu.saturating_sub(config.mac.llc_header),
        udp_header: config.net.udp_header,
        aodv: config.aodv.envelope(config.net.udp_header),
        has_mesh: config.has_mesh(),
        eager: false,
        metered,
        watched: metered || Overhearing::is_on(config),
        saturating: false,
        path_lengths: config.path_lengths,
        sample_interval: config.series.interval,
    }
}

impl<R: Recorder> World<R> {
    /// Has radios take note of what observers will ask, and of frames that bit errors destroy.
    fn prepare_radios(&mut self, config: &Config) {
        if self.overhears() || Overhearing::is_on(config) {
            self.wifi.all().for_each(|wifi| wifi.station.radio.note_all());
        }
        // Nodes differ in rates and MACs alone: one of them shows whether the channel has errors.
        if self.wifi[NodeId(0)].rules.station.radio.errors.is_some() {
            for node in 0..self.nodes.len() {
                let draws = derive(config, node, Purpose::Error).next_u64();
                self.wifi[NodeId(node as u32)].station.radio.name_draws(draws);
            }
        }
    }

    /// Who listens, and the first messages of routing protocols.
    fn begin_routing(&mut self, config: &Config) {
        if is_static(config) {
            self.announce_to(self.radios.that_may_act(&self.nodes, &self.stations));
        } else {
            // Those without a radio hear nothing; all others may act.
            self.set_all_listen();
            self.start_routing();
        }
    }

    /// What the configuration wants to happen at given instants.
    fn schedule(&mut self, config: &Config) {
        for outage in &config.outages {
            let node = NodeId(outage.node);
            self.events.push(outage.from, Event::Power { node, on: false });
            if let Some(to) = outage.to {
                self.events.push(to, Event::Power { node, on: true });
            }
        }
        for (number, event) in config.events.iter().enumerate() {
            self.events.push(event.at, Event::Change { number: number as u32 });
        }
        if config.series.is_sampled() {
            self.events.push(Time::ZERO + config.series.interval, Event::Sample);
        }
    }

    /// Puts gateways where the configuration wants them.
    fn add_gateways(&mut self, config: &Config) {
        let places: BTreeSet<u64> = config.net.window_gateways.iter().copied().collect();
        for node in places {
            let gateway =
                Gateway::new(config.mac.queue, config.net.window_idle, self.flows.iter().map(|flow| flow.packet));
            self.nodes[NodeId(node as u32)].gateway = Some(Box::new(gateway));
        }
    }

    /// Gives nodes their link layers, and these their first ticks.
    fn add_link_layers(&mut self, config: &Config) {
        for (n, section) in self.stations.spread(&config.link_layers()).into_iter().enumerate() {
            let Some(section) = section else { continue };
            let node = NodeId(n as u32);
            if let Some(edca) = &mut self.wifi[node].edca {
                // The only layer of a QoS station, which stands in its MAC.
                edca.order_by_flows(section.fair(), section.ecn);
                continue;
            }
            let layer = LinkLayer::new(section, derive(config, n, Purpose::Link));
            if let Some(at) = layer.first_tick() {
                self.events.push(at, Event::Link { node });
            }
            // Behind a pointer: most networks have none, and a plain interface stays small.
            self.wifi[node].port.layer = Some(Box::new(layer));
        }
    }

    /// Has every interface average what its packets take, which those of ATP carry to their receivers.
    fn measure_delays(&mut self, config: &Config) {
        let plain = |rng| Box::new(LinkLayer::new(&LinkConfig::default(), rng));
        for n in 0..self.nodes.len() {
            let layer = &mut self.wifi[NodeId(n as u32)].port.layer;
            layer.get_or_insert_with(|| plain(derive(config, n, Purpose::Link))).measure(&config.net);
        }
        for (n, wire) in self.wires.ends().enumerate() {
            let layer = &mut wire.port.layer;
            layer.get_or_insert_with(|| plain(derive(config, n, Purpose::WireLink))).measure(&config.net);
        }
    }
}
