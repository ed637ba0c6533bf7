//! Who hears a transmission: precomputed links of static nodes, one list per transmitter.

use crate::channel::grid::Grid;
use crate::channel::propagation::PathLoss;
use crate::config::RadioConfig;
use crate::config::radio::Interference;
use crate::ids::NodeId;
use crate::phy::Arrival;

/// One direction between two nodes.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    /// Hearing node.
    pub to: NodeId,
    /// Received power, watts.
    pub power: f32,
    /// Propagation delay, nanoseconds; below SIFS, so 16 bits hold it.
    pub delay: u16,
    /// `Arrival` bits that follow from the distance.
    pub flags: u8,
}

/// All links, grouped by transmitter and sorted by distance, then by number.
#[derive(Debug)]
pub struct Medium {
    starts: Vec<u32>,
    links: Vec<Link>,
}

/// Allowance for rounding when a distance equals a range exactly, in metres.
const RANGE_SLACK: f64 = 1e-6;

impl Medium {
    /// Computes powers and delays of all pairs within reach of each other; `positions` in metres.
    pub fn new(positions: &[[f64; 2]], radio: &RadioConfig) -> Self {
        let loss = PathLoss::new(radio);
        let mut reach = radio.cs_range.max(radio.tx_range);
        if radio.interference == Interference::Range {
            reach = reach.max(radio.interference_range);
        }
        let grid = Grid::new(positions, reach + RANGE_SLACK);
        let mut starts = Vec::with_capacity(positions.len() + 1);
        let mut links: Vec<Link> = Vec::new();
        let mut near: Vec<(f64, u32)> = Vec::new();
        let limit = (reach + RANGE_SLACK) * (reach + RANGE_SLACK);
        starts.push(0);
        for (node, position) in positions.iter().enumerate() {
            near.clear();
            grid.around(position, |other| {
                let place = positions[other as usize];
                let (dx, dy) = (place[0] - position[0], place[1] - position[1]);
                let squared = dx * dx + dy * dy;
                if squared <= limit && other as usize != node {
                    near.push((squared, other));
                }
            });
            near.sort_unstable_by(|a, b| a.partial_cmp(b).expect("distances are finite"));
            links.extend(near.iter().map(|&(squared, other)| {
                let distance = squared.sqrt();
                let within = |range: f64, bit: u8| if distance <= range + RANGE_SLACK { bit } else { 0 };
                Link {
                    to: NodeId(other),
                    delay: (distance / radio.propagation_speed * 1e9).round() as u16,
                    power: loss.power(distance) as f32,
                    flags: within(radio.tx_range, Arrival::DECODABLE)
                        | within(radio.cs_range, Arrival::SENSED)
                        | within(radio.interference_range, Arrival::INTERFERES),
                }
            }));
            starts.push(links.len() as u32);
        }
        links.shrink_to_fit();
        Medium { starts, links }
    }

    /// Everyone who hears `node`.
    #[inline]
    pub fn hearers(&self, node: NodeId) -> &[Link] {
        &self.links[self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize]
    }

    /// Neighbours that can decode `node`, nearest first.
    pub fn neighbours(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.hearers(node).iter().filter(|l| l.flags & Arrival::DECODABLE != 0).map(|l| l.to)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Bytes held by the lists.
    pub fn memory(&self) -> usize {
        self.links.capacity() * std::mem::size_of::<Link>() + self.starts.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::presets;
    use crate::rng::{Purpose, Stream};

    fn radio() -> RadioConfig {
        presets::base("ns2", "wavelan-2M").expect("a profile").radio
    }

    #[test]
    fn a_chain_node_decodes_one_hop_and_senses_two() {
        let positions: Vec<[f64; 2]> = (0..8).map(|i| [200.0 * f64::from(i), 0.0]).collect();
        let medium = Medium::new(&positions, &radio());
        let heard: Vec<(u32, u8, u16)> =
            medium.hearers(NodeId(3)).iter().map(|l| (l.to.0, l.flags & Arrival::DECODABLE, l.delay)).collect();
        assert_eq!(heard, vec![(2, 1, 667), (4, 1, 667), (1, 0, 1333), (5, 0, 1333)]);
    }

    #[test]
    fn the_grid_finds_what_a_full_scan_finds() {
        let mut stream = Stream::derive(5, 0, 0, Purpose::Placement);
        let positions: Vec<[f64; 2]> =
            (0..300).map(|_| [stream.uniform() * 4000.0, stream.uniform() * 900.0]).collect();
        let radio = radio();
        let medium = Medium::new(&positions, &radio);
        for (node, a) in positions.iter().enumerate() {
            let mut expected: Vec<u32> = (0..positions.len())
                .filter(|&o| o != node && (positions[o][0] - a[0]).hypot(positions[o][1] - a[1]) <= 550.0)
                .map(|o| o as u32)
                .collect();
            let mut found: Vec<u32> = medium.hearers(NodeId(node as u32)).iter().map(|l| l.to.0).collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "node {node}");
        }
    }
}
