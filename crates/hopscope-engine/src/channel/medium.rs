//! Who hears a transmission: precomputed links of static nodes, one list per transmitter.

use crate::channel::budget::{Budget, RANGE_SLACK};
use crate::channel::fading::BlockFading;
use crate::channel::grid::Grid;
use crate::channel::shadowing::factor;
use crate::config::RadioConfig;
use crate::config::radio::Shadowing;
use crate::ids::NodeId;
use crate::phy::Arrival;
use crate::rng::{Purpose, Stream};
use crate::units::Span;

/// One direction between two nodes.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    /// Hearing node.
    pub to: NodeId,
    /// Where its state lies, see [`Medium::place`].
    pub place: u32,
    /// Received power, watts; its mean where it varies with time.
    pub power: f32,
    /// Propagation delay, nanoseconds; below SIFS, so 16 bits hold it.
    pub delay_ns: u16,
    /// `Arrival` bits that follow from the distance, or from `power` where there is shadowing.
    pub flags: u8,
}

impl Link {
    /// Propagation delay.
    #[inline(always)]
    pub fn delay(&self) -> Span {
        Span(u64::from(self.delay_ns))
    }
}

/// All links, grouped by transmitter and sorted by distance, then by number.
#[derive(Debug)]
pub struct Medium {
    starts: Vec<u32>,
    links: Vec<Link>,
}

/// Name of the pair of two nodes, the same for both directions.
pub fn pair(a: NodeId, b: NodeId) -> u64 {
    (u64::from(a.0.min(b.0)) << 32) | u64::from(a.0.max(b.0))
}

impl Medium {
    /// The links of nodes at `positions` (metres) in seed 0; only shadowing depends on the seed.
    pub fn new(positions: &[[f64; 2]], radio: &RadioConfig) -> Self {
        Self::seeded(positions, radio, 0)
    }

    /// Computes powers and delays of all pairs within reach of each other; `positions` in metres.
    pub fn seeded(positions: &[[f64; 2]], radio: &RadioConfig, seed: u64) -> Self {
        let budget = Budget::new(radio);
        let reach = budget.reach(radio);
        let shadowed = radio.shadowing == Shadowing::Static;
        // A link that fades counts while its peaks are heard.
        let peak = BlockFading::new(radio).map_or(1.0, |fading| fading.peak());
        let least = budget.floor(radio) / peak;
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
            links.extend(near.iter().filter_map(|&(squared, other)| {
                let distance = squared.sqrt();
                let within = |range: f64, bit: u8| if distance <= range + RANGE_SLACK { bit } else { 0 };
                let mut power = budget.loss.power(distance);
                let mut flags = within(radio.tx_range, Arrival::DECODABLE)
                    | within(radio.cs_range, Arrival::SENSED)
                    | within(radio.interference_range, Arrival::INTERFERES);
                if shadowed {
                    let name = pair(NodeId(node as u32), NodeId(other));
                    let level = Stream::derive(seed, 0, name, Purpose::Shadowing).normal();
                    power *= factor(radio.shadowing_sigma * level);
                    flags = budget.flags(power);
                    if power < least {
                        return None;
                    }
                }
                let delay_ns = (distance / radio.propagation_speed * 1e9).round() as u16;
                Some(Link { to: NodeId(other), place: other, delay_ns, power: power as f32, flags })
            }));
            starts.push(links.len() as u32);
        }
        links.shrink_to_fit();
        Medium { starts, links }
    }

    /// Notes where the state of each node lies; until then that is its number.
    pub fn place(&mut self, place_of: impl Fn(NodeId) -> u32) {
        self.links.iter_mut().for_each(|link| link.place = place_of(link.to));
    }

    /// Place of the first link of `node` in the list of all; those of its hearers follow.
    #[inline]
    pub fn first(&self, node: NodeId) -> usize {
        self.starts[node.index()] as usize
    }

    /// Both ends of every link with their order in the list of all.
    pub fn ends(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        (0..self.nodes() as u32).flat_map(|n| self.hearers(NodeId(n)).iter().map(move |link| (NodeId(n), link.to)))
    }

    /// Everyone who hears `node`.
    #[inline]
    pub fn hearers(&self, node: NodeId) -> &[Link] {
        &self.links[self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize]
    }

    /// Neighbours that can decode `node`, nearest first; by mean power where it varies with time.
    pub fn neighbours(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.hearers(node).iter().filter(|l| l.flags & Arrival::DECODABLE != 0).map(|l| l.to)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
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
            medium.hearers(NodeId(3)).iter().map(|l| (l.to.0, l.flags & Arrival::DECODABLE, l.delay_ns)).collect();
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

    #[test]
    fn static_shadowing_is_normal_in_decibels_and_the_same_both_ways() {
        // Pairs 100 m apart, pairs of their own far from each other.
        let positions: Vec<[f64; 2]> =
            (0..20_000).map(|n| [f64::from(n / 2) * 20_000.0 + f64::from(n % 2) * 100.0, 0.0]).collect();
        let radio = RadioConfig { shadowing: Shadowing::Static, shadowing_sigma: 6.0, ..radio() };
        let medium = Medium::seeded(&positions, &radio, 3);
        let mean = Budget::new(&radio).loss.power(100.0);
        let mut levels = Vec::new();
        for n in (0..20_000).step_by(2) {
            let (there, back) = (medium.hearers(NodeId(n)), medium.hearers(NodeId(n + 1)));
            // At 100 m sigma is far too small to silence a link.
            assert_eq!((there.len(), back.len()), (1, 1));
            assert_eq!((there[0].power, there[0].flags), (back[0].power, back[0].flags));
            let decodable = there[0].flags & Arrival::DECODABLE != 0;
            assert_eq!(decodable, f64::from(there[0].power) >= Budget::new(&radio).loss.power(250.0));
            levels.push(10.0 * (f64::from(there[0].power) / mean).log10());
        }
        let average = levels.iter().sum::<f64>() / 1e4;
        let deviation = (levels.iter().map(|x| (x - average).powi(2)).sum::<f64>() / 1e4).sqrt();
        assert!(average.abs() < 0.2, "mean {average} dB");
        assert!((deviation - 6.0).abs() < 0.15, "standard deviation {deviation} dB");
        // 100 m to 250 m cost 15.9 dB: 0.4 % of the links are below.
        let lost = levels.iter().filter(|x| **x < -15.9).count();
        assert!((15..80).contains(&lost), "{lost} links lost");
    }

    #[test]
    fn shadowing_reaches_beyond_the_ranges_and_another_seed_is_another_field() {
        let mut stream = Stream::derive(8, 0, 0, Purpose::Placement);
        let positions: Vec<[f64; 2]> =
            (0..200).map(|_| [stream.uniform() * 3000.0, stream.uniform() * 3000.0]).collect();
        let shadowed = RadioConfig { shadowing: Shadowing::Static, shadowing_sigma: 6.0, ..radio() };
        let sensed = |seed| {
            let medium = Medium::seeded(&positions, &shadowed, seed);
            let all: Vec<(u32, u32)> = medium.ends().map(|(a, b)| (a.0, b.0)).collect();
            assert!(all.iter().all(|&(a, b)| all.contains(&(b, a))), "every link has two directions");
            all
        };
        let (one, two) = (sensed(1), sensed(2));
        assert_ne!(one, two);
        let distance = |(a, b): (u32, u32)| {
            let (p, q) = (positions[a as usize], positions[b as usize]);
            (p[0] - q[0]).hypot(p[1] - q[1])
        };
        assert!(one.iter().any(|&link| distance(link) > 600.0), "lucky links are longer than the sense range");
        let short = positions.len() * (positions.len() - 1);
        let missing = (0..short)
            .map(|n| ((n / 199) as u32, (n % 199) as u32))
            .filter(|&(a, b)| a != b && distance((a, b)) < 500.0 && !one.contains(&(a, b)))
            .count();
        assert!(missing > 0, "unlucky links are shorter");
        // The draws of a link do not depend on who else is there.
        let fewer = Medium::seeded(&positions[..50], &shadowed, 1);
        let among: Vec<(u32, u32)> = one.iter().copied().filter(|&(a, b)| a < 50 && b < 50).collect();
        assert_eq!(fewer.ends().map(|(a, b)| (a.0, b.0)).collect::<Vec<_>>(), among);
    }
}
