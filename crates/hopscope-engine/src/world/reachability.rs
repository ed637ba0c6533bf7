//! How many hops lie between the ends of flows, found without building the network.
//!
//! Links hold in both directions at the beginning of a run, so that one search from a destination serves every flow that
//! ends there, both ways. What was found is kept for configurations with the same links, such as the points of a sweep.

use std::collections::{BTreeMap, VecDeque};

use super::build::{self, begin, check_reachable, unreachable_flows};
use crate::config::{Config, HostConfig};
use hopscope_core::error::BuildError;
use hopscope_core::ids::NodeId;
use hopscope_net::config::net::RoutingProtocol;
use hopscope_phy::channel::decoding::Decoding;
use hopscope_phy::mobility::Mobility;

/// Hop counts between the ends of flows, kept for configurations with the same links.
#[derive(Debug, Default)]
pub struct Reachability(Option<NetworkSummary>);

/// A network, and what is known of it.
#[derive(Debug)]
struct NetworkSummary {
    decoding: Decoding,
    /// Nodes without a radio.
    silent: Vec<bool>,
    /// The other ends of the wires of each node that has some.
    wires: BTreeMap<u32, Vec<u32>>,
    /// Hops between the ends of a flow; none where no chain of neighbours joins them.
    hops: BTreeMap<[u32; 2], Option<u32>>,
    /// Hops to the destination of the search under way.
    level: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;

/// The next hop from every node to every other, as static routing chooses it at the beginning of a run; none: to itself, or
/// there is no way.
///
/// # Errors
/// The configuration cannot be run.
pub fn next_hops(config: &Config) -> Result<Vec<Vec<Option<NodeId>>>, BuildError> {
    super::check(config)?;
    Ok(build::next_hops(config))
}

/// The flows of a sound configuration that cannot arrive, each once.
pub fn out_of_reach(config: &Config, reachability: &mut Reachability) -> Vec<BuildError> {
    if !config.traces.is_empty() || !config.interfaces.is_empty() {
        return unreachable_flows(config); // traces cover each direction alone; a search by distance knows no channels
    }
    let known = reachability.of(config);
    known.search(config);
    let fixed = config.routing.protocol == RoutingProtocol::Static;
    let measured = config.measured();
    let flows = config.flows.iter().enumerate(); // a reply has the way of its flow
    flows
        .filter_map(|(number, flow)| {
            let hops = known.hops.get(&[flow.from, flow.to]).copied().flatten();
            check_reachable(&measured, number, fixed, [hops, hops])
        })
        .collect()
}

impl Reachability {
    /// What is known of the network of a configuration.
    fn of(&mut self, config: &Config) -> &mut NetworkSummary {
        let radio = config.radio_with_all_rates();
        let places = begin(config, &Mobility::new(&config.movement()));
        let (silent, wires) = (silent(config), wires(config));
        let is_same = |known: &NetworkSummary| {
            known.silent == silent && known.wires == wires && known.decoding.is_of(&places, &radio, config.seed)
        };
        // Points of a sweep follow each other with the same links: one network is enough to keep.
        let kept = self.0.take().filter(is_same);
        self.0.insert(kept.unwrap_or_else(|| NetworkSummary {
            decoding: Decoding::new(&places, &radio, config.seed),
            silent,
            wires,
            hops: BTreeMap::new(),
            level: vec![UNSEEN; places.len()],
        }))
    }
}

/// True for each node without a radio; empty where all have one.
fn silent(config: &Config) -> Vec<bool> {
    if config.hosts.iter().all(|host: &HostConfig| host.wifi) {
        return Vec::new();
    }
    config.radios().into_iter().map(|has| !has).collect()
}

fn wires(config: &Config) -> BTreeMap<u32, Vec<u32>> {
    let mut found: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for [one, other] in config.wires.iter().map(|wire| wire.ends) {
        found.entry(one).or_default().push(other);
        found.entry(other).or_default().push(one);
    }
    found
}

impl NetworkSummary {
    /// Finds the ways of all flows of which nothing is known yet.
    fn search(&mut self, config: &Config) {
        let mut sources: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for flow in &config.flows {
            if !self.hops.contains_key(&[flow.from, flow.to]) {
                sources.entry(flow.to).or_default().push(flow.from);
            }
        }
        for (to, mut from) in sources {
            from.sort_unstable();
            from.dedup();
            self.search_from(to, &from);
        }
    }

    /// Goes outwards from a destination, nearest first, until all these sources are met.
    fn search_from(&mut self, to: u32, sources: &[u32]) {
        let NetworkSummary { decoding, silent, wires, hops, level } = self;
        let is_silent = |node: u32| silent.get(node as usize).copied().unwrap_or(false);
        let mut met = vec![to];
        let mut frontier = VecDeque::from([to]);
        level[to as usize] = 0;
        let mut awaited = sources.len() - usize::from(sources.binary_search(&to).is_ok());
        while let Some(at) = frontier.pop_front().filter(|_| awaited > 0) {
            let next = level[at as usize] + 1;
            let mut meet = |node: u32| {
                if level[node as usize] == UNSEEN {
                    level[node as usize] = next;
                    met.push(node);
                    frontier.push_back(node);
                    awaited -= usize::from(sources.binary_search(&node).is_ok());
                }
            };
            wires.get(&at).into_iter().flatten().for_each(|&peer| meet(peer));
            if !is_silent(at) {
                decoding.meet(at as usize, |node| {
                    if !is_silent(node) {
                        meet(node);
                    }
                    true
                });
            }
        }
        let found = |from: u32| Some(level[from as usize]).filter(|&level| level != UNSEEN);
        hops.extend(sources.iter().map(|&from| ([from, to], found(from))));
        met.into_iter().for_each(|node| level[node as usize] = UNSEEN);
        decoding.begin_again();
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::config::{Transport, WireConfig, presets};
    use hopscope_core::rng::{Purpose, Stream};
    use hopscope_core::units::Span;
    use hopscope_phy::config::radio::{Propagation, Shadowing};

    /// 60 nodes over 2 km2, ten flows between any of them, and as given a few wires, wired nodes and shadowing.
    pub(in crate::world) fn network(number: u64) -> Config {
        let mut stream = Stream::derive(number, 0, 0, Purpose::Placement);
        let mut draw = |count: f64| (stream.uniform() * count) as u32;
        let base = presets::base("standard", "wavelan-2M").expect("a profile and a preset");
        let places = (0..60).map(|_| [f64::from(draw(2000.0)), f64::from(draw(1000.0))]).collect();
        let mut config = base.clone().config(places, Span::from_secs(1));
        config.seed = number;
        config.net.ttl = 1 + draw(7.0);
        config.routing.protocol = [RoutingProtocol::Static, RoutingProtocol::Aodv][draw(2.0) as usize];
        if draw(2.0) == 1 {
            config.radio.propagation = Propagation::LogDistance;
            config.radio.shadowing = Shadowing::Static;
            config.radio.shadowing_sigma = 8.0;
        }
        if draw(2.0) == 1 {
            config.hosts = vec![HostConfig { wifi: false, ..HostConfig::of(&[0, 1, 2]) }];
        }
        for _ in 0..draw(6.0) {
            let ends = [draw(30.0), 30 + draw(30.0)];
            config.wires.push(WireConfig::between(ends, 1_000_000, Span::ZERO, 5));
        }
        for _ in 0..10 {
            let flow = serde_json::json!({
                "from": draw(30.0), "to": 30 + draw(30.0), "transport": "udp", "packet": 1000, "max_window": 4, "start": 0,
                "app": {"kind": "cbr", "rate": 160_000.0}, "ack": "every", "ack_delay": 1, "tcp": base.tcp,
            });
            let mut flow: crate::config::FlowConfig = serde_json::from_value(flow).expect("a flow");
            if draw(2.0) == 1 {
                flow.transport = Transport::TcpReno;
            }
            config.flows.push(flow);
        }
        config
    }

    #[test]
    fn a_search_finds_what_the_links_of_the_built_network_say() {
        let mut wrong = 0;
        for number in 0..60 {
            let config = network(number);
            assert_eq!(super::super::problems(&config), []);
            let messages =
                |errors: Vec<BuildError>| -> Vec<String> { errors.iter().map(ToString::to_string).collect() };
            let expected = messages(unreachable_flows(&config));
            let mut reachability = Reachability::default();
            assert_eq!(messages(out_of_reach(&config, &mut reachability)), expected, "network {number}");
            assert_eq!(messages(out_of_reach(&config, &mut reachability)), expected, "network {number}, from memory");
            wrong += expected.len();
        }
        assert!((100..500).contains(&wrong), "{wrong} of 600 flows cannot arrive");
    }

    #[test]
    fn what_is_known_of_other_links_is_forgotten() {
        let mut reachability = Reachability::default();
        let mut config = network(1);
        (config.hosts, config.wires, config.net.ttl) = (Vec::new(), Vec::new(), 64);
        (config.radio.shadowing, config.routing.protocol) = (Shadowing::None, RoutingProtocol::Static);
        let mut check =
            |config: &Config| assert_eq!(out_of_reach(config, &mut reachability), unreachable_flows(config));
        check(&config);
        for change in [
            |config: &mut Config| config.radio.tx_range = 120.0,
            |config: &mut Config| config.wires.push(WireConfig::between([0, 59], 1_000_000, Span::ZERO, 5)),
            |config: &mut Config| config.hosts = vec![HostConfig { wifi: false, ..HostConfig::of(&[4, 40]) }],
            |config: &mut Config| config.nodes.reverse(),
            |config: &mut Config| config.radio.shadowing = Shadowing::Static,
            |config: &mut Config| config.seed = 2,
        ] {
            change(&mut config);
            check(&config);
        }
    }
}
