//! What single nodes have in place of the common settings, and the addresses of interfaces.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use serde::{Deserialize, Serialize};

use super::{Config, InterfaceConfig, MacConfig, RadioConfig};
use hopscope_core::error::{BuildError, BuildErrors};
use hopscope_core::ids::NodeId;
use hopscope_net::iface::rules::InterfaceSet;

/// Settings of the nodes that it names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostConfig {
    /// The nodes.
    pub nodes: Vec<u32>,
    /// They have an 802.11 interface; without one a node has its wires alone.
    #[serde(default = "yes")]
    pub wifi: bool,
    /// Packets with octets enter and leave here (the door for real stacks).
    #[serde(default)]
    pub outside: bool,
    /// Addresses of the interfaces of one node, in their order: 802.11, then wires. Those left out follow from numbers:
    /// 10.0.0.0 plus that of the node plus 1; from 172.16.0.0 on, a subnet of four addresses for each wire.
    #[serde(default)]
    pub addresses: Vec<Ipv4Addr>,
    /// MAC and queue of their 802.11 interface, in place of the common section.
    #[serde(default)]
    pub mac: Option<MacConfig>,
    /// Rates of their 802.11 interface, in place of the common ones.
    #[serde(default)]
    pub rates: Option<RatesConfig>,
}

fn yes() -> bool {
    true
}

impl HostConfig {
    /// The common settings for these nodes, to be changed.
    pub fn of(nodes: &[u32]) -> Self {
        HostConfig { nodes: nodes.to_vec(), wifi: true, outside: false, addresses: Vec::new(), mac: None, rates: None }
    }

    /// The node, where it is one alone.
    fn only_node(&self) -> Option<u32> {
        match self.nodes[..] {
            [node] => Some(node),
            [] | [_, _, ..] => None,
        }
    }
}

/// Rates of an 802.11 interface (see [`RadioConfig`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatesConfig {
    /// Rate of unicast data frames, bit/s.
    pub data_rate: u64,
    /// Rate of RTS and broadcast frames, bit/s.
    pub basic_rate: u64,
    /// Rates allowed for CTS and ACK, bit/s; empty: `basic_rate` alone.
    #[serde(default)]
    pub response_rates: Vec<u64>,
}

/// Most wires of a network: their default addresses are subnets of four in 172.16.0.0/12.
const MAX_WIRES: usize = 1 << 18;

/// The address of an 802.11 interface: 10.0.0.1 for station 0 and so on (RFC 1918).
fn default_wifi_address(station: u32) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(Ipv4Addr::new(10, 0, 0, 0)) + station + 1)
}

/// The address of an end, 0 or 1, of a wire: each wire has a subnet of four addresses from 172.16.0.0 on (RFC 1918).
fn default_wire_address(wire: usize, end: usize) -> Ipv4Addr {
    // The first and the last of the four are the subnet itself and its broadcast (RFC 1122 3.2.1.3).
    Ipv4Addr::from(u32::from(Ipv4Addr::new(172, 16, 0, 0)) + 4 * wire as u32 + 1 + end as u32)
}

impl Config {
    /// The settings of a node that are not the common ones; at most one entry names it.
    pub fn host(&self, node: u32) -> Option<&HostConfig> {
        self.hosts.iter().find(|host| host.nodes.contains(&node))
    }

    /// True when the node has an 802.11 interface.
    pub fn has_wifi(&self, node: u32) -> bool {
        self.host(node).is_none_or(|host| host.wifi)
    }

    /// [`Config::host`] of each node, in a time that grows with the nodes alone.
    pub fn host_of_each(&self) -> Vec<Option<&HostConfig>> {
        let mut found = vec![None; self.nodes.len()];
        // From the last: the first that names a node counts, as in `host`.
        for host in self.hosts.iter().rev() {
            for &node in &host.nodes {
                if let Some(of) = found.get_mut(node as usize) {
                    *of = Some(host);
                }
            }
        }
        found
    }

    /// The settings of a node alone, to be changed; they are as before.
    pub(crate) fn own_settings(&mut self, node: u32) -> &mut HostConfig {
        let known = self.hosts.iter().position(|host| host.nodes.contains(&node));
        let own = match known {
            Some(place) if self.hosts[place].nodes == [node] => return &mut self.hosts[place],
            Some(place) => {
                let shared = &mut self.hosts[place];
                shared.nodes.retain(|&other| other != node);
                HostConfig { nodes: vec![node], ..shared.clone() }
            }
            None => HostConfig::of(&[node]),
        };
        self.hosts.push(own);
        self.hosts.last_mut().expect("one is there")
    }

    /// Whether each node has an 802.11 interface.
    pub fn radios(&self) -> Vec<bool> {
        self.host_of_each().into_iter().map(|host| host.is_none_or(|host| host.wifi)).collect()
    }

    /// The common radio with the rates of all interfaces among its own: how far interference matters follows from the
    /// fastest that is in use.
    pub fn radio_with_all_rates(&self) -> Cow<'_, RadioConfig> {
        let of_hosts = self.hosts.iter().filter_map(|host| host.rates.as_ref());
        let of_interfaces = self.interfaces.iter().filter_map(|interface| interface.rates.as_ref());
        let mut own: Vec<u64> = (of_hosts.chain(of_interfaces))
            .flat_map(|rates| {
                [rates.data_rate, rates.basic_rate].into_iter().chain(rates.response_rates.iter().copied())
            })
            .collect();
        own.extend(self.interface_sets().flat_map(|set| set.mac.rates.iter().copied()));
        if own.is_empty() {
            return Cow::Borrowed(&self.radio);
        }
        let mut radio = self.radio.clone();
        radio.response_rates.extend(own);
        Cow::Owned(radio)
    }

    /// Radio and MAC parameters of all kinds of 802.11 interfaces: the common ones, then those of single stations.
    pub fn interface_sets(&self) -> impl Iterator<Item = InterfaceSet<'_>> {
        let common = InterfaceSet {
            stations: None,
            radio: Cow::Borrowed(&self.radio),
            mac: &self.mac,
            rates_key: "radio".to_string(),
            mac_key: "mac".to_string(),
        };
        let own = self.hosts.iter().enumerate().filter(|(_, host)| host.mac.is_some() || host.rates.is_some());
        let sets = own.map(|(number, host)| InterfaceSet {
            stations: Some(Cow::Borrowed(&host.nodes[..])),
            radio: self.radio_at(host.rates.as_ref()),
            mac: host.mac.as_ref().unwrap_or(&self.mac),
            rates_key: host.rates.as_ref().map_or("radio".to_string(), |_| format!("hosts.{number}.rates")),
            mac_key: host.mac.as_ref().map_or("mac".to_string(), |_| format!("hosts.{number}.mac")),
        });
        let further = self.interfaces.iter().enumerate().filter_map(|(number, interface)| {
            let InterfaceConfig { mac, rates, .. } = interface;
            (mac.is_some() || rates.is_some()).then(|| InterfaceSet {
                stations: Some(self.stations_of(interface).into()),
                radio: self.radio_at(rates.as_ref()),
                mac: mac.as_ref().unwrap_or(&self.mac),
                rates_key: rates.as_ref().map_or("radio".to_string(), |_| format!("interfaces.{number}.rates")),
                mac_key: mac.as_ref().map_or("mac".to_string(), |_| format!("interfaces.{number}.mac")),
            })
        });
        std::iter::once(common).chain(further.collect::<Vec<_>>()).chain(sets)
    }

    /// The common radio, with other rates where there are some.
    fn radio_at(&self, rates: Option<&RatesConfig>) -> Cow<'_, RadioConfig> {
        match rates.cloned() {
            None => Cow::Borrowed(&self.radio),
            Some(RatesConfig { data_rate, basic_rate, response_rates }) => {
                Cow::Owned(RadioConfig { data_rate, basic_rate, response_rates, ..self.radio.clone() })
            }
        }
    }

    /// The MAC of a node with these settings of its own.
    pub fn mac_of<'a>(&'a self, host: Option<&'a HostConfig>) -> &'a MacConfig {
        host.and_then(|host| host.mac.as_ref()).unwrap_or(&self.mac)
    }

    /// The addresses of a node's interfaces, in their order.
    pub fn addresses(&self, node: u32) -> Vec<Ipv4Addr> {
        let mut addresses = Vec::new();
        if self.has_wifi(node) {
            addresses.extend(self.stations().of(NodeId(node)).map(|station| default_wifi_address(station.0)));
        }
        for (number, wire) in self.wires.iter().enumerate() {
            addresses.extend((0..2).filter(|&end| wire.ends[end] == node).map(|end| default_wire_address(number, end)));
        }
        if let Some(host) = self.host(node) {
            addresses.iter_mut().zip(&host.addresses).for_each(|(address, &own)| *address = own);
        }
        addresses
    }

    /// What is wrong with wires and the settings of single nodes, the parameters of MAC and radio aside.
    pub fn check_hosts(&self) -> Vec<BuildError> {
        let nodes = self.nodes.len();
        let mut found = BuildErrors::default();
        for (number, wire) in self.wires.iter().enumerate() {
            found.note_all(wire.check(number, nodes));
        }
        found.require(self.wires.len() <= MAX_WIRES, "wires", || {
            format!("found {} wires; at most {MAX_WIRES} are allowed", self.wires.len())
        });
        let mut named: BTreeMap<u32, usize> = BTreeMap::new();
        for (number, host) in self.hosts.iter().enumerate() {
            for (place, &node) in host.nodes.iter().enumerate() {
                let key = format!("hosts.{number}.nodes.{place}");
                if node as usize >= nodes {
                    found.note(Err(BuildError::no_such_node(key, node, nodes)));
                } else if let Some(earlier) = named.insert(node, number) {
                    let message =
                        format!("node {node} has its settings in hosts.{earlier}; one entry for each node is allowed");
                    found.note(Err(BuildError::new(key, message)));
                }
            }
            self.check_host_addresses(number, host, &mut found);
        }
        self.check_addresses(&mut found);
        found.0
    }

    /// The addresses given to a node are addresses of its interfaces.
    fn check_host_addresses(&self, number: usize, host: &HostConfig, found: &mut BuildErrors) {
        let key = format!("hosts.{number}.addresses");
        found.require(host.addresses.is_empty() || host.nodes.len() == 1, key.clone(), || {
            format!("they belong to one node, found {}", host.nodes.len())
        });
        for (place, address) in host.addresses.iter().enumerate() {
            let is_of_a_host = !address.is_unspecified() && !address.is_broadcast() && !address.is_multicast();
            found.require(is_of_a_host, format!("{key}.{place}"), || {
                format!("found {address}; the unicast address of one interface is needed (RFC 1122 3.2.1.3)")
            });
        }
        if let Some(node) = host.only_node().filter(|&node| (node as usize) < self.nodes.len()) {
            let interfaces = self.addresses(node).len();
            found.require(host.addresses.len() <= interfaces, key, || {
                format!("found {} addresses; node {node} has {interfaces} interfaces", host.addresses.len())
            });
        }
    }

    /// No two interfaces have one address. Only addresses given by hand can be the same as others.
    fn check_addresses(&self, found: &mut BuildErrors) {
        if self.hosts.iter().all(|host| host.addresses.is_empty()) {
            return;
        }
        // Where an address was given by hand, if it was, and to one node alone.
        let given = |(node, place): (u32, usize)| {
            let is_its = |host: &HostConfig| host.only_node() == Some(node) && host.addresses.len() > place;
            self.hosts.iter().position(is_its).map(|host| format!("hosts.{host}.addresses.{place}"))
        };
        let mut owners: BTreeMap<Ipv4Addr, (u32, usize)> = BTreeMap::new();
        for node in 0..self.nodes.len() as u32 {
            for (place, address) in self.addresses(node).into_iter().enumerate() {
                let Some(other) = owners.insert(address, (node, place)) else { continue };
                if let Some(key) = given((node, place)).or_else(|| given(other)) {
                    let other = other.0;
                    let message = format!(
                        "{address} is the address of two interfaces, one of node {other} and one of node {node}"
                    );
                    found.note(Err(BuildError::new(key, message)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{WireConfig, presets};
    use hopscope_core::units::Span;

    fn network() -> Config {
        let base = presets::base("standard", "wavelan-2M").expect("a profile and a preset");
        let mut config = base.config(vec![[0.0, 0.0], [200.0, 0.0], [400.0, 0.0]], Span::from_secs(1));
        config.wires = vec![WireConfig::between([2, 0], 10_000_000, Span::from_millis(1), 50)];
        config
    }

    fn own(nodes: &[u32], addresses: &[&str]) -> HostConfig {
        let addresses = addresses.iter().map(|address| address.parse().expect("an address")).collect();
        HostConfig { addresses, ..HostConfig::of(nodes) }
    }

    #[test]
    fn interfaces_have_addresses_of_their_own() {
        let mut config = network();
        let shown = |config: &Config, node| config.addresses(node).iter().map(Ipv4Addr::to_string).collect::<Vec<_>>();
        assert_eq!(shown(&config, 0), ["10.0.0.1", "172.16.0.2"]);
        assert_eq!(shown(&config, 1), ["10.0.0.2"]);
        config.hosts = vec![HostConfig { wifi: false, ..own(&[2], &["192.168.0.1"]) }];
        assert_eq!(shown(&config, 2), ["192.168.0.1"]);
        assert_eq!(config.check_hosts(), []);
        assert_eq!(config.radios(), (0..config.nodes.len() as u32).map(|n| config.has_wifi(n)).collect::<Vec<_>>());
    }

    #[test]
    fn every_address_in_use_twice_is_reported() {
        let mut config = network();
        config.wires[0].loss = 7.0;
        config.hosts = vec![own(&[1], &["10.0.0.1"]), own(&[2], &["10.9.9.9", "172.16.0.2"]), own(&[7], &["0.0.0.0"])];
        let keys: Vec<String> = config.check_hosts().into_iter().map(|error| error.key).collect();
        let expected =
            ["wires.0.loss", "hosts.2.nodes.0", "hosts.2.addresses.0", "hosts.0.addresses.0", "hosts.1.addresses.1"];
        assert_eq!(keys, expected);
    }

    #[test]
    fn what_cannot_be_is_named() {
        let error = |change: &dyn Fn(&mut Config)| {
            let mut config = network();
            change(&mut config);
            config.check_hosts().remove(0).to_string()
        };
        for (change, expected) in [
            (
                &(|c: &mut Config| c.hosts = vec![own(&[7], &[])]) as &dyn Fn(&mut Config),
                "hosts.0.nodes.0: node 7 does not exist",
            ),
            (&|c| c.hosts = vec![own(&[1, 2], &["10.1.1.1"])], "hosts.0.addresses: they belong to one node"),
            (&|c| c.hosts = vec![own(&[1], &["10.1.1.1", "10.1.1.2"])], "hosts.0.addresses: found 2 addresses"),
            (&|c| c.hosts = vec![own(&[1], &["10.0.0.1"])], "hosts.0.addresses.0: 10.0.0.1 is the address of two"),
            (&|c| c.hosts = vec![own(&[1], &["0.0.0.0"])], "hosts.0.addresses.0: found 0.0.0.0"),
            (&|c| c.hosts = vec![own(&[1], &["255.255.255.255"])], "hosts.0.addresses.0: found 255.255.255.255"),
            (&|c| c.hosts = vec![own(&[1], &["224.0.0.5"])], "hosts.0.addresses.0: found 224.0.0.5"),
            (
                &|c| c.hosts = vec![own(&[0, 1], &[]), own(&[1], &[])],
                "hosts.1.nodes.0: node 1 has its settings in hosts.0",
            ),
            (&|c| c.hosts = vec![own(&[2, 2], &[])], "hosts.0.nodes.1: node 2 has its settings in hosts.0"),
        ] {
            assert!(error(change).starts_with(expected), "{} for {expected}", error(change));
        }
    }
}
