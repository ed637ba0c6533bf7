//! The shortest ways of flows, and those that have none.

use super::{is_static, seeded_medium};
use crate::config::{Config, FlowConfig, Transport};
use crate::world::graph::{Graph, Radios};
use crate::world::{reach, replay};
use hopscope_core::error::BuildError;
use hopscope_core::ids::NodeId;
use hopscope_net::iface::Wires;
use hopscope_net::routing::{FixedRoutes, Table};
use hopscope_phy::config::radio::Shadowing;
use hopscope_phy::mobility::Mobility;

/// The flows of a sound configuration that cannot arrive, each once, by the links that a run begins with.
pub(in crate::world) fn unreachable_flows(config: &Config) -> Vec<BuildError> {
    let stations = config.stations();
    let mut medium = seeded_medium(config, &stations, &Mobility::new(&config.movement()));
    replay::announce(&config.traces, &mut medium);
    let (wires, radios) =
        (Wires::new(&config.wires, &config.link, config.nodes.len(), config.seed), Radios::new(config));
    let mut tables = vec![Table::default(); config.nodes.len()];
    install(config, &mut Graph::new(&medium, &wires, &radios, &stations).by_metric(config), &mut tables).2
}

/// The next hop from every node to every other by the links that a run begins with, as static routing chooses it; none: to
/// itself, or there is no way.
pub(in crate::world) fn next_hops(config: &Config) -> Vec<Vec<Option<NodeId>>> {
    let count = config.nodes.len();
    let nodes = || (0..count as u32).map(NodeId);
    let stations = config.stations();
    let mut medium = seeded_medium(config, &stations, &Mobility::new(&config.movement()));
    replay::announce(&config.traces, &mut medium);
    let (wires, radios) = (Wires::new(&config.wires, &config.link, count, config.seed), Radios::new(config));
    let mut graph = Graph::new(&medium, &wires, &radios, &stations).by_metric(config);
    let (mut routes, mut tables) = (FixedRoutes::new(count), vec![Table::default(); count]);
    for (from, to) in nodes().flat_map(|from| nodes().map(move |to| (from, to))).filter(|(from, to)| from != to) {
        routes.install(&mut graph, &mut tables, from, to);
    }
    nodes().map(|from| nodes().map(|to| tables[from.index()].lookup(to)).collect()).collect()
}

/// Finds the shortest way of every flow, and back where acknowledgements return: their lengths in hops, and the flows
/// without one. A routing protocol may find no way: the flow then says so in its results, and the length is 0.
pub(super) fn install(
    config: &Config,
    graph: &mut Graph<'_>,
    tables: &mut Vec<Table>,
) -> (FixedRoutes, Vec<u32>, Vec<BuildError>) {
    let mut routes = FixedRoutes::new(config.nodes.len());
    let fixed = is_static(config);
    let given = config.flows.len();
    // With the replies, which have figures of their own.
    let config = &*config.measured();
    let mut hops = Vec::with_capacity(config.flows.len());
    let mut lost = Vec::new();
    for (number, flow) in config.flows.iter().enumerate() {
        let (from, to) = (NodeId(flow.from), NodeId(flow.to));
        let found = routes.install(graph, tables, from, to);
        let back = match fixed && flow.transport != Transport::Udp && found.is_some() {
            // Acknowledgements need a way back; a routing protocol finds it when they do.
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
pub(in crate::world) fn check_reachable(
    config: &Config,
    number: usize,
    fixed: bool,
    routes: [Option<u32>; 2],
) -> Option<BuildError> {
    match routes {
        [None, _] | [_, None] if fixed => Some(unreachable(config, number, &config.flows[number])),
        [ahead, back] => reach::check(config, number, ahead.unwrap_or(0).max(back.unwrap_or(0))).err(),
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
