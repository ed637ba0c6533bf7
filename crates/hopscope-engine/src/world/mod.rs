//! The only place where machines meet.
//!
//! Two tables: `inputs.rs` turns each event and each item of work into the input of one machine, `effects.rs` each
//! effect of a machine into the input of its neighbour, an entry of the event queue or an item of work. What they call
//! stands with its layer, in `mac.rs`, `interface.rs`, `wire.rs`, `network.rs` and `transport.rs`. `radio.rs` brings
//! frames to their hearers, `work.rs` holds what waits for its turn. Packets and frames from outside come in by
//! `entry_points.rs`. Nothing else in the engine calls across layers.

mod build;
mod changes;
mod check;
mod controls;
mod edca;
mod effects;
mod entry_points;
pub mod flow;
mod graph;
mod inputs;
mod interface;
mod link_costs;
mod listeners;
mod mac;
mod meter;
mod motion;
mod network;
mod notices;
mod outages;
mod overhearing;
mod paths;
mod places;
mod radio;
mod reach;
mod reachability;
mod replay;
mod sifs;
mod state;
mod stations;
#[cfg(test)]
mod tests;
mod transport;
mod view;
mod wire;
mod work;

pub use check::{check, problems};
pub use controls::{Controls, OwnCode};
pub use entry_points::{Arrival, Doorkeeper, ETHERNET_HEADER, Loss};
pub use reachability::{Reachability, next_hops, out_of_reach};
pub use state::{FlowState, InterfaceState, NodeState};
pub use view::WorldView;

use std::collections::VecDeque;

use crate::config::{Config, Stations};
use crate::node::Node;
use crate::record::{DropReason, Record, Recorder};
use entry_points::EntryPoints;
use flow::Flow;
use graph::Radios;
use hopscope_core::error::BuildError;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::queue::EventQueue;
use hopscope_core::units::{Span, Time};
use hopscope_mac::Collisions;
use hopscope_mac::EdcaEffects;
use hopscope_mac::dcf::Frame;
use hopscope_mac::frame::Mpdu;
use hopscope_mac::rules::StationRules;
use hopscope_net::iface::port::PortEffect;
use hopscope_net::iface::{Wifi, WireEnd, Wires};
use hopscope_net::routing::{FixedRoutes, Machine, RoutingEffect};
use hopscope_packet::aodv::AodvEnvelope;
use hopscope_packet::{Body, Packet, PacketArena};
use hopscope_phy::channel::{Channel, Medium};
use hopscope_phy::mobility::Mobility;
use hopscope_phy::phy::RxOutcome;
use hopscope_tcp::TcpSender;
use hopscope_tcp::endpoint::TransportEffect;
use hopscope_transport::Sockets;
use listeners::Listeners;
use notices::Notices;
use outages::Outages;
use overhearing::Overhearing;
use places::PerNode;
use replay::Replay;
use sifs::PendingSifs;
use view::view;
use work::Work;

/// Parameters that the wiring itself needs.
#[derive(Debug)]
struct Wiring {
    link_delay: Span,
    /// Longest packet that the MAC takes, network header included, bytes.
    max_packet: u32,
    udp_header: u32,
    aodv: AodvEnvelope,
    /// Routing messages are management frames.
    has_mesh: bool,
    /// Every radio edge gets an event: slow, for tests that compare with the lazy way.
    eager: bool,
    /// Link layers measure the use of the channel.
    metered: bool,
    /// One of the two, or routing listens to frames for others: frames are reported to more than the radios.
    watched: bool,
    /// A flow refills the queue of its node (`BoundSockets::refilling`).
    saturating: bool,
    /// Hops of packets are counted.
    path_lengths: bool,
    sample_interval: Span,
}

impl Wiring {
    /// A packet goes as a management frame.
    #[inline(always)]
    fn is_management(&self, packet: &Packet) -> bool {
        self.has_mesh && matches!(packet.body, Body::Routing)
    }
}

/// A network in motion, observed by `R`.
#[derive(Debug)]
pub struct World<R: Recorder> {
    now: Time,
    events: EventQueue,
    sifs: PendingSifs,
    processed: u64,
    frames: u64,
    medium: Medium,
    listeners: Listeners,
    radios: Radios,
    channel: Channel,
    /// The rules of the stations that have none of their own, and whether that is all of them. They stand here once
    /// more, by value, as every frame needs them at each hearer.
    common_rules: StationRules,
    rules_are_shared: bool,
    /// Some stations have QoS.
    has_qos: bool,
    /// See `settle_air`.
    air_is_plain: bool,
    wiring: Wiring,
    /// Radios of nodes. Medium, MAC and interfaces know stations, everything above them nodes.
    stations: Stations,
    /// By station: of a further radio, what stands between its interface and its node.
    nodes: PerNode<Node>,
    wifi: PerNode<Wifi>,
    routes: FixedRoutes,
    outages: Outages,
    mobility: Mobility,
    /// The configuration as it stands after all changes, without the ways of nodes.
    settings: Box<Config>,
    /// By node, where packets ask for it.
    collisions: Vec<Collisions>,
    /// Inputs that wait for their turn.
    work: Vec<Work>,
    /// Emptied lists of effects, kept for the next inputs.
    routing_effects: Vec<RoutingEffect>,
    packets: PacketArena,
    /// Packets of broadcasts that have left, and when they have come to everyone.
    leaving: VecDeque<(Time, PacketId)>,
    flows: Vec<Flow>,
    port_effects: Vec<PortEffect>,
    sockets: Sockets,
    transport_effects: Vec<TransportEffect>,
    edca_effects: EdcaEffects,
    /// The QoS station at which a packet goes up while the PPDU that carries it is on the air.
    amid: Option<NodeId>,
    /// MPDUs of the frame at hand that were received.
    mpdus: Vec<Mpdu>,
    /// What became of each MPDU of the frame that has just ended, for observers.
    mpdu_outcomes: Vec<RxOutcome>,
    app_effects: Vec<crate::app::AppEffect>,
    overhearing: Overhearing,
    /// Where news of routes have packets of their own.
    notices: Option<Box<Notices>>,
    entry_points: EntryPoints,
    wires: Wires,
    /// What was measured of links.
    replay: Replay,
    recorder: R,
}

impl<R: Recorder> World<R> {
    /// Builds the network of a configuration.
    ///
    /// # Errors
    /// A [`BuildError`] names the parameter that cannot be run.
    pub fn new(config: &Config, recorder: R) -> Result<Self, BuildError> {
        Self::controlled(config, recorder, &Controls::new())
    }

    /// Builds the network of a configuration; `controls` holds the congestion control of each flow that has one from
    /// outside.
    ///
    /// # Errors
    /// A [`BuildError`] names the parameter that cannot be run, or the flow whose control is missing.
    pub fn controlled(config: &Config, recorder: R, controls: &Controls) -> Result<Self, BuildError> {
        build::build(config, recorder, controls)
    }

    /// Switches to the eager mode, in which every edge at every radio is an event, also at nodes that can never act.
    /// Must be called before the run.
    pub fn set_eager(&mut self) {
        self.wiring.eager = true;
        self.wiring.watched = true;
        self.settle_air();
        self.set_all_listen();
    }

    /// Announces every frame to every node in reach, also to those that can never act.
    fn set_all_listen(&mut self) {
        self.announce_to(self.radios.all(&self.stations));
    }

    /// Announces frames from now on to those nodes for which `listens` holds. Nobody else sends, so that no others have
    /// lists of hearers.
    fn announce_to(&mut self, listens: Vec<bool>) {
        self.listeners = Listeners::of(&self.medium, listens, self.nodes.places());
        let is_own_list = self.overhears() || matches!(self.listeners, Listeners::Everyone);
        // The list of a node under way is worked out for each of its frames.
        if is_own_list && self.mobility.is_none() {
            let senders = (0..self.nodes() as u32).map(NodeId).filter(|&node| self.listeners.include(node));
            senders.for_each(|node| self.medium.make_list(node));
        }
    }

    /// Advances to `until`, events at that very instant included, as long as the observer [goes on](Recorder::goes_on); false: it
    /// has ended before, at the instant of the last event.
    pub fn run_until(&mut self, until: Time) -> bool {
        while let Some((time, event)) = self.sifs.next_event(&mut self.events, until) {
            self.now = time;
            self.processed += 1;
            self.dispatch(event);
            self.work_off();
            if !self.recorder.goes_on() {
                return false;
            }
        }
        self.now = self.now.max(until);
        true
    }

    /// Current instant.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Instant of the next event; `None` when nothing will ever happen again.
    pub fn next_event(&mut self) -> Option<Time> {
        self.sifs.next_time(&mut self.events)
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.processed
    }

    /// Events waiting now.
    pub fn pending(&self) -> usize {
        self.events.len()
    }

    /// Packets under way now: held, queued or on the air.
    pub fn live_packets(&mut self) -> usize {
        self.release_arrived();
        self.packets.live()
    }

    /// Frames sent so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Radio edges so far: the start and the end of each frame at each of its hearers, which need no queue entry.
    pub fn edges(&self) -> u64 {
        let of = |node| match self.wifi[node].air.sent() {
            0 => 0,
            sent => 2 * sent * self.medium.count_hearers(node) as u64,
        };
        (0..self.nodes() as u32).map(NodeId).map(of).sum()
    }

    /// Number of stations: the nodes, and radios of theirs beyond the first.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The observer.
    pub fn recorder(&self) -> &R {
        &self.recorder
    }

    /// Lets the observer act at the present instant, with a look at the network.
    pub fn observe<T>(&mut self, act: impl FnOnce(&mut R, Time, &mut WorldView<'_>) -> T) -> T {
        act(&mut self.recorder, self.now, &mut view!(self))
    }

    /// The warm-up ends at `start`, before which nothing more happens: queues are measured from now on.
    pub fn begin_measure(&mut self, start: Time) {
        self.now = start;
        self.wifi.all().for_each(|wifi| wifi.restart_measure(start));
        self.wires.restart_measure(start);
        self.note(Record::MeasureBegan);
    }

    /// The sending half of a flow's connection; none of UDP.
    pub fn sender(&self, flow: &Flow) -> Option<&TcpSender> {
        self.sockets[flow.socket].endpoint.sender()
    }

    /// The ends of all wires.
    pub(crate) fn wires(&mut self) -> impl Iterator<Item = &mut WireEnd> {
        self.wires.ends()
    }

    /// The flows.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// Time that what is in the queue of the end of a wire and on its way out will take to leave.
    pub fn wire_backlog(&self, end: u32) -> Span {
        let wire = &self.wires[end];
        let waiting = wire.port.queue.iter().map(|id| wire.service(self.packets.get(id).bytes));
        waiting.fold(wire.remaining(self.now), |sum, one| sum + one)
    }

    /// Bytes held for nodes, links excluded (for the cost estimate and the benchmarks).
    pub fn node_memory(&self) -> usize {
        let of = |node| {
            let router = self.nodes[node].router().map_or(0, |_| size_of::<Machine>());
            size_of::<Node>() + self.wifi[node].memory() + router
        };
        (0..self.nodes() as u32).map(NodeId).map(of).sum()
    }

    /// The frame in an air slot.
    #[inline(always)]
    fn sent_in(&self, slot: u32) -> Frame {
        let src = NodeId(slot / 2);
        self.wifi[src].air.frame(slot % 2, src)
    }

    /// True while the node's radio is off.
    #[inline]
    fn is_off(&self, node: NodeId) -> bool {
        self.outages.is_off(node)
    }

    #[inline(always)]
    fn note(&mut self, record: Record) {
        if R::WANTS.has(record.class()) {
            self.recorder.record(self.now, &record, &mut view!(self));
        }
    }

    fn drop_packet(&mut self, node: NodeId, packet: PacketId, reason: DropReason) {
        self.note(Record::Dropped { node, packet, reason });
        if self.notices.is_some() && self.must_notify(node, packet, reason) {
            // Not released yet: the notice quotes it.
            self.work.push(Work::Unroutable { node, packet });
            return;
        }
        self.packets.release(packet);
    }
}
