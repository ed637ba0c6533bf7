//! Configuration to network: the only place that makes machines and random streams.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

use super::flow::Flow;
use super::graph::{Graph, Radios};
use super::listeners::Listeners;
use super::notices::Notices;
use super::outages::Outages;
use super::overhearing::Overhearing;
use super::places::{PerNode, Places};
use super::replay::{self, Replay};
use super::sifs::PendingSifs;
use super::{Controls, OwnCode, Wiring, World};
use smallvec::SmallVec;

use crate::app::Source;
use crate::config::{AckPolicy, Config, FlowConfig, HostConfig, LinkConfig, MacConfig, Transport};
use crate::node::Node;
use crate::record::Recorder;
use hopscope_core::error::BuildError;
use hopscope_core::event::Event;
use hopscope_core::ids::{FlowId, NodeId, SocketId};
use hopscope_core::queue::EventQueue;
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::Time;
use hopscope_mac::contention::Station;
use hopscope_mac::rate::RateControl;
use hopscope_mac::{Collisions, Dcf};
use hopscope_net::config::link::LinkPart;
use hopscope_net::config::net::RoutingProtocol;
use hopscope_net::iface::{AirSlots, Interface, Outside, Port, RuleSets, Wifi, Wires};
use hopscope_net::link::LinkLayer;
use hopscope_net::net::Gateway;
use hopscope_net::net::ip::Ip;
use hopscope_net::routing::{FixedRoutes, Forwarding, Machine, Router, Table};
use hopscope_packet::{PacketArena, Ports};
use hopscope_phy::channel::{Channel, Medium};
use hopscope_phy::config::radio::Shadowing;
use hopscope_phy::mobility::Mobility;
use hopscope_tcp::Connection;
use hopscope_transport::udp::Udp;
use hopscope_transport::{Endpoint, Socket, Sockets, atp, dccp, sockets};

pub(super) fn build<R: Recorder>(config: &Config, recorder: R, controls: &Controls) -> Result<World<R>, BuildError> {
    super::check(config)?;
    let nodes = config.nodes.len();
    let mobility = Mobility::new(&config.movement());
    let mut medium = Medium::seeded(&begin(config, &mobility), &config.radio_with_all_rates(), config.seed);
    let rules = RuleSets::new(config.interfaces());
    let fixed = config.routing.protocol == RoutingProtocol::Static;
    let mut tables = vec![Table::default(); nodes];
    let radios = Radios::new(config);
    let wires = Wires::new(&config.wires, &config.link, config.nodes.len(), config.seed);
    replay::announce(&config.traces, &mut medium);
    let (routes, hops, lost) = install_routes(config, &Graph::new(&medium, &wires, &radios), &mut tables);
    lost.into_iter().next().map_or(Ok(()), Err)?;
    let places = if fixed {
        let flows = config.flows.iter().map(|flow| (NodeId(flow.from), NodeId(flow.to)));
        Places::along(&tables, flows, nodes)
    } else {
        Places::by_number(nodes)
    };
    medium.place(places.shared());
    let stream = |node: usize, purpose| derive(config, node, purpose);
    let mut settings = Box::new(config.clone());
    settings.paths = Vec::new();
    let traces = std::mem::take(&mut settings.traces);
    let hosts = config.host_of_each();
    let mut world = World {
        now: Time::ZERO,
        events: EventQueue::new(),
        sifs: PendingSifs::default(),
        processed: 0,
        frames: 0,
        nodes: PerNode::new(&places, |n| {
            let router = Router::new(n, config.routing());
            let ip = ip(config, router.as_ref());
            let forwarding = match router {
                None => Forwarding::Static(std::mem::take(&mut tables[n.index()])),
                Some(router) => {
                    Forwarding::Protocol(Box::new(Machine { router, rng: stream(n.index(), Purpose::RoutingJitter) }))
                }
            };
            let interfaces = interfaces(hosts[n.index()], &wires, n);
            Node { arp: config.net.arp.then(Box::default), ..Node::new(forwarding, ip, interfaces) }
        }),
        wifi: PerNode::new(&places, |n| Wifi {
            station: Station::new(&rules.of(n).station, stream(n.index(), Purpose::Backoff)),
            mac: Dcf::new(n).with_rates(RateControl::new(rules.of(n).rate_rules.as_deref(), || {
                stream(n.index(), Purpose::RateControl)
            })),
            air: AirSlots::new(),
            port: Port::new(queue_of(config.mac_of(hosts[n.index()]))),
            rules: rules.of(n).clone(),
        }),
        channel: Channel::new(&config.radio, config.seed, nodes),
        wiring: wiring(config),
        common_rules: rules.common().station.clone(),
        rules_are_shared: rules.are_shared(),
        air_is_plain: false,
        packets: PacketArena::default(),
        leaving: VecDeque::new(),
        flows: Vec::with_capacity(config.flows.len()),
        port_effects: Vec::new(),
        sockets: Sockets::default(),
        transport_effects: Vec::new(),
        app_effects: Vec::new(),
        overhearing: Overhearing::new(config),
        notices: Notices::new(&config.net),
        outside: Outside::default(),
        replay: Replay::new(traces),
        medium,
        wires,
        radios,
        listeners: Listeners::Everyone,
        routes,
        outages: Outages::new(nodes, !config.outages.is_empty()),
        mobility,
        settings,
        collisions: if config.flows.iter().any(|flow| flow.transport.is_tcp() && flow.connection().reads_path()) {
            (0..nodes).map(|_| Collisions::new(&config.mac)).collect()
        } else {
            Vec::new()
        },
        work: Vec::with_capacity(16),
        routing_effects: Vec::new(),
        recorder,
    };
    if World::<R>::OVERHEARS || Overhearing::is_on(config) {
        world.wifi.all().for_each(|wifi| wifi.station.radio.note_all());
    }
    if rules.of(NodeId(0)).station.radio.errors.is_some() {
        for node in 0..nodes {
            let draws = stream(node, Purpose::Error).next_u64();
            world.wifi[NodeId(node as u32)].station.radio.name_draws(draws);
        }
    }
    world.settle_air();
    world.add_flows(config, hops, controls)?;
    if fixed {
        world.listeners = Listeners::of(&world.medium, world.radios.that_may_act(&world.nodes), &places);
    } else {
        // Those without a radio hear nothing; all others may act.
        world.set_all_listen();
        world.start_routing();
    }
    world.begin_replay();
    world.begin_movement();
    world.add_gateways(config);
    if config.has_link_layers() {
        world.add_link_layers(config);
    }
    if config.flows.iter().any(|flow| flow.transport == Transport::Atp) {
        world.measure_delays(config);
    }
    for outage in &config.outages {
        let node = NodeId(outage.node);
        world.events.push(outage.from, Event::Power { node, on: false });
        if let Some(to) = outage.to {
            world.events.push(to, Event::Power { node, on: true });
        }
    }
    for (number, event) in config.events.iter().enumerate() {
        world.events.push(event.at, Event::Change { number: number as u32 });
    }
    if config.series.is_sampled() {
        world.events.push(Time::ZERO + config.series.interval, Event::Sample);
    }
    Ok(world)
}

/// Where the nodes are at the beginning, metres.
pub(super) fn begin<'a>(config: &'a Config, mobility: &Mobility) -> Cow<'a, [[f64; 2]]> {
    let mut places = Cow::Borrowed(&config.nodes[..]);
    if !mobility.is_none() {
        mobility.begin(places.to_mut());
    }
    places
}

/// What packets that begin at a node get; its routing protocol may have a time to live and a header of its own.
fn ip(config: &Config, router: Option<&Router>) -> Ip {
    Ip {
        ttl: router.and_then(Router::data_ttl).unwrap_or(config.net.ttl.min(255) as u8),
        header: config.net.ip_header,
        routing_header: router.map_or(0, Router::data_header),
    }
}

/// The interfaces of a node, in their order.
fn interfaces(host: Option<&HostConfig>, wires: &Wires, node: NodeId) -> SmallVec<[Interface; 1]> {
    let wifi = host.is_none_or(|host| host.wifi).then_some(Interface::Wifi);
    let ends = wires.of(node).iter().map(|&end| Interface::Wire { end, peer: wires[end].peer });
    let outside = host.is_some_and(|host| host.outside).then_some(Interface::Outside);
    wifi.into_iter().chain(ends).chain(outside).collect()
}

/// Places in the interface queue before a MAC.
fn queue_of(mac: &MacConfig) -> u32 {
    mac.queue.saturating_sub(mac.queue_reserve).max(1)
}

/// The random numbers of `owner` (a node or a flow) for a purpose.
fn derive(config: &Config, owner: usize, purpose: Purpose) -> Stream {
    Stream::derive(config.seed, 0, owner as u64, purpose)
}

/// The flows of a sound configuration that cannot arrive, each once, by the links that a run begins with.
pub(super) fn unreachable_flows(config: &Config) -> Vec<BuildError> {
    let places = begin(config, &Mobility::new(&config.movement()));
    let mut medium = Medium::seeded(&places, &config.radio_with_all_rates(), config.seed);
    replay::announce(&config.traces, &mut medium);
    let (wires, radios) =
        (Wires::new(&config.wires, &config.link, config.nodes.len(), config.seed), Radios::new(config));
    let mut tables = vec![Table::default(); config.nodes.len()];
    install_routes(config, &Graph::new(&medium, &wires, &radios), &mut tables).2
}

/// Finds the shortest way of every flow, and back where acknowledgements return: their lengths in hops, and the flows
/// without one. A routing protocol may find no way: the flow then says so in its results, and the length is 0.
fn install_routes(
    config: &Config,
    graph: &Graph<'_>,
    tables: &mut Vec<Table>,
) -> (FixedRoutes, Vec<u32>, Vec<BuildError>) {
    let mut routes = FixedRoutes::new(config.nodes.len());
    let fixed = config.routing.protocol == RoutingProtocol::Static;
    let given = config.flows.len();
    let config = &*config.measured();
    let mut hops = Vec::with_capacity(config.flows.len());
    let mut lost = Vec::new();
    for (number, flow) in config.flows.iter().enumerate() {
        let (from, to) = (NodeId(flow.from), NodeId(flow.to));
        let found = routes.install(graph, tables, from, to);
        let back = match fixed && flow.transport != Transport::Udp && found.is_some() {
            true => routes.install(graph, tables, to, from),
            false => Some(0),
        };
        let wrong = check_reachable(config, number, fixed, [found, back]);
        lost.extend(wrong.filter(|_| number < given)); // a reply has the way of its flow
        hops.push(found.unwrap_or(0));
    }
    (routes, hops, lost)
}

/// What is wrong with a flow whose shortest ways, there and back, have so many hops; none: there is no way.
pub(super) fn check_reachable(
    config: &Config,
    number: usize,
    fixed: bool,
    routes: [Option<u32>; 2],
) -> Option<BuildError> {
    match routes {
        [None, _] | [_, None] if fixed => Some(unreachable(config, number, &config.flows[number])),
        [ahead, back] => super::reach::check(config, number, ahead.unwrap_or(0).max(back.unwrap_or(0))).err(),
    }
}

impl<R: Recorder> World<R> {
    /// Adds the flows, whose shortest ways have so many hops.
    fn add_flows(&mut self, config: &Config, hops: Vec<u32>, controls: &Controls) -> Result<(), BuildError> {
        let ports = sockets::assign_ports(&config.flows)?;
        let mut replies = Vec::new();
        for (number, flow) in config.flows.iter().enumerate() {
            let mut flow = flow.clone();
            if flow.tcp.ap_link_rate == 0 {
                flow.tcp.ap_link_rate = config.radio.data_rate;
            }
            let own = controls.of(number as u32);
            if flow.external().is_some() && own.control.is_none() {
                return Err(without_control(number));
            }
            if flow.ack == AckPolicy::External && own.ack.is_none() {
                return Err(without_rule(number));
            }
            let reply = config.flows.len() + replies.len();
            replies.extend(self.add_flow(config, (number, reply), &flow, ports[number], own));
        }
        self.flows.extend(replies);
        for (flow, hops) in self.flows.iter_mut().zip(hops) {
            flow.hops = hops;
        }
        Ok(())
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
        for (n, section) in config.link_layers().into_iter().enumerate() {
            let Some(section) = section else { continue };
            let (node, layer) = (NodeId(n as u32), LinkLayer::new(section, derive(config, n, Purpose::Link)));
            if let Some(at) = layer.first_tick() {
                self.events.push(at, Event::Link { node });
            }
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

    /// Adds a flow and its two sockets; gives the flow of its reply, which has a number of its own.
    fn add_flow(
        &mut self,
        config: &Config,
        (number, reply): (usize, usize),
        flow: &FlowConfig,
        ports: [u16; 2],
        own: OwnCode,
    ) -> Option<Flow> {
        let (from, to) = (NodeId(flow.from), NodeId(flow.to));
        let id = FlowId(number as u32);
        let back_id = if flow.reply.is_some() { FlowId(reply as u32) } else { id };
        let [socket, other] = [0, 1].map(|end| SocketId(2 * id.0 + end));
        let source = source_of(flow);
        let (near, far) = if flow.transport.is_tcp() {
            let clock = derive(config, number, Purpose::Clock);
            let (mut active, mut passive) = Connection::pair(&flow.connection(), config.net.ip_header, clock);
            if flow.reply.is_some() {
                Connection::join(
                    (&mut active, &mut passive),
                    &flow.connection(),
                    derive(config, reply, Purpose::Clock),
                );
            }
            if let Some(control) = own.control {
                active.set_control(control);
            }
            if let Some(rule) = own.ack {
                passive.set_rule(rule);
            }
            (Endpoint::Tcp(active), Endpoint::Tcp(passive))
        } else if flow.transport.is_dccp() {
            let stream = derive(config, number, Purpose::InitialSequence);
            let (client, server) = dccp::Connection::pair(flow, config.net.ip_header, stream);
            (Endpoint::Dccp(Box::new(client)), Endpoint::Dccp(Box::new(server)))
        } else if flow.transport == Transport::Atp {
            let (sender, receiver) = atp::Connection::pair(flow, config.net.ip_header);
            (Endpoint::Atp(sender), Endpoint::Atp(receiver))
        } else {
            let headers = config.net.ip_header + config.net.udp_header;
            let udp = |refills| Endpoint::Udp(Udp::new(flow.packet, headers, refills));
            (udp(!source.is_paced()), udp(false))
        };
        self.wiring.saturating |= near.wants_view();
        let there = Ports { from: ports[0], to: ports[1], found: other };
        let back = Ports { from: ports[1], to: ports[0], found: socket };
        let near = Socket::new(from, to, there, (id, back_id), near);
        let far = Socket::new(to, from, back, (back_id, id), far);
        for (id, socket) in [(socket, near), (other, far)] {
            self.nodes[socket.node].sockets.bind(id, &socket);
            self.sockets.add(id, socket);
        }
        let label = |from, to, number: usize, socket, source, reply_to| Flow {
            from,
            to,
            transport: flow.transport,
            packet: flow.packet,
            hops: 0,
            reply_to,
            socket,
            source,
            window: (0.0, 0.0),
            rng: derive(config, number, Purpose::Traffic),
        };
        self.flows.push(label(from, to, number, socket, source, None));
        self.events.push(flow.start, Event::App { flow: id });
        let answer = flow.reversed()?;
        self.events.push(flow.start, Event::App { flow: back_id });
        Some(label(to, from, reply, other, source_of(&answer), Some(id)))
    }
}

fn source_of(flow: &FlowConfig) -> Source {
    Source::new(flow.app.clone(), flow.packet, flow.start, flow.stop.unwrap_or(Time::NEVER))
}

fn wiring(config: &Config) -> Wiring {
    let metered = std::iter::once(&config.link).chain(&config.layers).any(|section| section.layer.has(LinkPart::Nred));
    Wiring {
        link_delay: config.net.link_delay,
        max_packet: config.mac.max_msdu.saturating_sub(config.mac.llc_header),
        udp_header: config.net.udp_header,
        aodv: config.aodv.envelope(config.net.udp_header),
        eager: false,
        metered,
        watched: metered || Overhearing::is_on(config),
        saturating: false,
        path_lengths: config.path_lengths,
        sample_interval: config.series.interval,
    }
}

fn unreachable(config: &Config, number: usize, flow: &FlowConfig) -> BuildError {
    let shadowed = config.radio.shadowing == Shadowing::Static;
    BuildError::new(
        format!("flows.{number}.to"),
        format!(
            "node {} cannot be reached from node {}: no chain of neighbours within tx_range{} joins them{}",
            flow.to,
            flow.from,
            if config.wires.is_empty() { "" } else { " and wires" },
            if shadowed { " under the shadowing of this seed" } else { "" }
        ),
    )
}

fn without_control(number: usize) -> BuildError {
    let message = "tcp-external needs a congestion control handed over with the configuration";
    BuildError::new(format!("flows.{number}.transport"), message)
}

fn without_rule(number: usize) -> BuildError {
    let message = "\"external\" needs an ACK policy handed over with the configuration";
    BuildError::new(format!("flows.{number}.ack"), message)
}
