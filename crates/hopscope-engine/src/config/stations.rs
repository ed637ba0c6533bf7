//! Radios of nodes that have several, and the channels of all.
//!
//! Medium and MAC know stations: a radio on its channel. The first radio of a node has the number of the node. Further ones have
//! the numbers behind all nodes, in the order of their nodes, then in their own: where each node has one radio, stations
//! are nodes.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::radio::Phy;
use super::{Config, MacConfig, RadioConfig, RatesConfig};
use hopscope_core::error::{BuildError, BuildErrors};
use hopscope_core::ids::NodeId;

/// A radio of the nodes that it names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterfaceConfig {
    /// The nodes; empty: all.
    #[serde(default)]
    pub nodes: Vec<u32>,
    /// Which of their radios it is: 0 is the one that every node has.
    pub number: u8,
    /// Channel: number of its centre, in steps of 5 MHz.
    pub channel: u16,
    /// MAC and queue, in place of the common section.
    #[serde(default)]
    pub mac: Option<MacConfig>,
    /// Rates, in place of the common ones.
    #[serde(default)]
    pub rates: Option<RatesConfig>,
}

impl InterfaceConfig {
    /// It describes this radio of this node.
    fn is_of(&self, node: u32, number: u8) -> bool {
        self.number == number && (self.nodes.is_empty() || self.nodes.contains(&node))
    }
}

/// Channel of a radio that no [`InterfaceConfig`] names.
const DEFAULT_CHANNEL: u16 = 1;
/// Most radios of a node.
pub const MAX_RADIOS: u8 = 8;
/// Highest number of a channel (IEEE 802.11ax-2021 27.3.23.2).
pub const MAX_CHANNEL: u16 = 233;
/// Step between the centres of channels (IEEE 802.11-2020 17.3.8.4.2), MHz.
const CHANNEL_STEP: u32 = 5;

/// The stations of a configuration.
#[derive(Debug, Clone, Default)]
pub struct Stations {
    nodes: u32,
    /// Node and number of each further radio.
    further: Vec<(NodeId, u8)>,
    /// Channel of each station; empty where all share one.
    channels: Vec<u16>,
}

impl Stations {
    /// Number of stations.
    pub fn count(&self) -> usize {
        self.nodes as usize + self.further.len()
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// True where each node has one radio.
    #[inline(always)]
    pub fn are_nodes(&self) -> bool {
        self.further.is_empty()
    }

    /// The node that a station belongs to.
    #[inline]
    pub fn node(&self, station: NodeId) -> NodeId {
        self.further_radio(station).map_or(station, |(node, _)| node)
    }

    /// Number of a station among the radios of its node.
    pub fn number(&self, station: NodeId) -> u8 {
        self.further_radio(station).map_or(0, |(_, number)| number)
    }

    fn further_radio(&self, station: NodeId) -> Option<(NodeId, u8)> {
        // All that is no station, such as everybody, is its own node.
        let place = station.0.checked_sub(self.nodes)?;
        self.further.get(place as usize).copied()
    }

    /// The stations of a node, in the order of its radios.
    pub fn of(&self, node: NodeId) -> impl Iterator<Item = NodeId> + Clone + use<> {
        let begin = self.further.partition_point(|(of, _)| *of < node);
        let end = self.further.partition_point(|(of, _)| *of <= node);
        let first = self.nodes + begin as u32;
        std::iter::once(node).chain((first..self.nodes + end as u32).map(NodeId))
    }

    /// The radio of a node with this number.
    pub fn radio(&self, node: NodeId, number: u8) -> Option<NodeId> {
        self.of(node).nth(usize::from(number))
    }

    /// The radio of `node` on the channel of a station; none where it has none there.
    pub fn peer(&self, station: NodeId, node: NodeId) -> Option<NodeId> {
        self.of(node).find(|&other| self.channel(other) == self.channel(station))
    }

    /// Channel of a station.
    pub fn channel(&self, station: NodeId) -> u16 {
        self.channels.get(station.index()).copied().unwrap_or(DEFAULT_CHANNEL)
    }

    /// Channel of each station; none where all share one.
    pub fn channels(&self) -> Option<&[u16]> {
        (!self.channels.is_empty()).then_some(&self.channels)
    }

    /// What belongs to each node, for each station.
    pub fn spread<T: Clone>(&self, of_nodes: &[T]) -> Vec<T> {
        let further = self.further.iter().map(|(node, _)| of_nodes[node.index()].clone());
        of_nodes.iter().cloned().chain(further).collect()
    }
}

impl Config {
    /// The stations.
    pub fn stations(&self) -> Stations {
        let nodes = self.nodes.len() as u32;
        let mut further = BTreeSet::new();
        for interface in self.interfaces.iter().filter(|interface| interface.number > 0) {
            further.extend(self.nodes_of(interface).map(|node| (NodeId(node), interface.number)));
        }
        let further: Vec<_> = further.into_iter().collect();
        let mut stations = Stations { nodes, further, channels: Vec::new() };
        if self.interfaces.is_empty() {
            return stations;
        }
        let mut channels = vec![DEFAULT_CHANNEL; stations.count()];
        for interface in &self.interfaces {
            for node in self.nodes_of(interface) {
                if let Some(station) = stations.radio(NodeId(node), interface.number) {
                    channels[station.index()] = interface.channel;
                }
            }
        }
        stations.channels = channels;
        stations
    }

    /// The nodes that have a radio.
    fn nodes_of<'a>(&self, interface: &'a InterfaceConfig) -> impl Iterator<Item = u32> + use<'a> {
        let all = interface.nodes.is_empty().then_some(0..self.nodes.len() as u32);
        interface.nodes.iter().copied().chain(all.into_iter().flatten())
    }

    /// The stations that an interface describes.
    pub(super) fn stations_of(&self, interface: &InterfaceConfig) -> Vec<u32> {
        let stations = self.stations();
        let radio = |node| stations.radio(NodeId(node), interface.number);
        self.nodes_of(interface).filter_map(radio).map(|station| station.0).collect()
    }

    /// What is wrong with the radios of nodes.
    pub fn check_interfaces(&self) -> Vec<BuildError> {
        let mut found = BuildErrors::default();
        let mut named = BTreeSet::new();
        for (place, interface) in self.interfaces.iter().enumerate() {
            let key = |name: &str| format!("interfaces.{place}.{name}");
            found.require(interface.number < MAX_RADIOS, key("number"), || {
                format!("found {}; a node has at most {MAX_RADIOS} radios, numbered from 0", interface.number)
            });
            for node in self.nodes_of(interface) {
                if node as usize >= self.nodes.len() {
                    found.note(Err(BuildError::no_such_node(key("nodes"), node, self.nodes.len())));
                } else if !self.has_wifi(node) {
                    found.note(Err(BuildError::new(key("nodes"), format!("node {node} has wires alone"))));
                } else if !named.insert((node, interface.number)) {
                    let message = format!("radio {} of node {node} is described twice", interface.number);
                    found.note(Err(BuildError::new(key("nodes"), message)));
                }
            }
        }
        let is_sound = found.0.is_empty();
        if is_sound {
            found.0.extend(self.check_numbers(&named).into_iter().chain(self.check_channels()));
        }
        found.0
    }

    /// The radios of a node have the numbers from 0 on.
    fn check_numbers(&self, named: &BTreeSet<(u32, u8)>) -> Option<BuildError> {
        let (node, number) =
            *named.iter().find(|&&(node, number)| number > 1 && !named.contains(&(node, number - 1)))?;
        let place = self.place_of(node, number);
        let message = format!("found {number}; node {node} has no radio {}", number - 1);
        Some(BuildError::new(format!("interfaces.{place}.number"), message))
    }

    /// Two radios of one node are on channels that do not overlap; two radios of a network are on one channel or on such.
    fn check_channels(&self) -> Option<BuildError> {
        let stations = self.stations();
        let width = occupied_mhz(&self.radio);
        let key = |station| {
            format!("interfaces.{}.channel", self.place_of(stations.node(station).0, stations.number(station)))
        };
        let described = |station: &NodeId| self.is_described(stations.node(*station).0, stations.number(*station));
        let all = (0..stations.count() as u32).map(NodeId);
        for station in all.clone().filter(described) {
            let channel = stations.channel(station);
            let node = stations.node(station);
            if let Some(twin) = stations.of(node).find(|&other| other != station && stations.channel(other) == channel)
            {
                let numbers = [stations.number(station), stations.number(twin)];
                let message = format!(
                    "found {channel}; radios {} and {} of node {node} are both there, and each needs a channel of its own",
                    numbers[0].min(numbers[1]),
                    numbers[0].max(numbers[1])
                );
                return Some(BuildError::new(key(station), message));
            }
        }
        let in_use: BTreeSet<u16> = all.clone().map(|station| stations.channel(station)).collect();
        let (low, high) = in_use
            .iter()
            .zip(in_use.iter().skip(1))
            .find(|(low, high)| u32::from(**high - **low) * CHANNEL_STEP < width)?;
        let station = all.filter(described).find(|&station| [low, high].contains(&&stations.channel(station)))?;
        let message = format!(
            "channels {low} and {high} overlap in part: {width} MHz wide, their centres lie {} MHz apart; only equal channels and disjoint ones are possible",
            u32::from(high - low) * CHANNEL_STEP
        );
        Some(BuildError::new(key(station), message))
    }

    fn is_described(&self, node: u32, number: u8) -> bool {
        self.interfaces.iter().any(|interface| interface.is_of(node, number))
    }

    /// Where a radio is described; that of a neighbour of its number stands for one that is not.
    fn place_of(&self, node: u32, number: u8) -> usize {
        self.interfaces.iter().position(|interface| interface.is_of(node, number)).unwrap_or_default()
    }
}

/// What a channel takes of the spectrum, MHz.
fn occupied_mhz(radio: &RadioConfig) -> u32 {
    match radio.phy {
        // The main lobe of DSSS (IEEE 802.11-2020 15.4.6.5), which 5 MHz times 5 keeps apart.
        Phy::Dsss => 22,
        _ => radio.channel_width,
    }
}
