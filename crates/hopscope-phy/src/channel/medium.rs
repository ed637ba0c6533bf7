//! Who hears a transmission: links worked out beforehand, one list per transmitter.
//!
//! Nodes may jump and change their power between two instants. What stands still costs nothing: positions become cells
//! and epochs at the first change. From then on a list is worked out again when it is asked for
//! ([`Medium::refresh`]) and a cell in its reach has changed since it was made. Once a node is under way (`travel.rs`) each
//! list that is asked for is worked out for that very instant.

mod traced;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::channel::grid::{Grid, Moving};
use crate::channel::law::{Law, Power, Ranges};
pub use crate::channel::links::Link;
use crate::channel::links::PackedLinks;
use crate::channel::travel::Travel;
use crate::config::RadioConfig;
use crate::mobility::Leg;
use crate::phy::Arrival;
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use traced::Traced;
pub use traced::TracedLink;

/// All links, grouped by transmitter and sorted by distance, then by number.
#[derive(Debug)]
pub struct Medium {
    /// Metres.
    positions: Vec<[f64; 2]>,
    law: Law,
    lists: PackedLinks,
    /// Where the state of each node lies; by number where nobody has said.
    places: Option<Arc<[u32]>>,
    /// What follows from changes; nothing while there was none.
    motion: Option<Box<Motion>>,
    /// Nodes near a transmitter by square of distance, kept for the next list.
    near: Vec<(f64, u32)>,
    /// A list in the making, kept for the next one.
    made: Vec<Link>,
}

/// What is known of nodes that move or have a power of their own.
#[derive(Debug)]
struct Motion {
    /// Changes so far.
    epoch: u64,
    cells: Moving,
    /// Epoch at which the list of each node was right.
    right_at: Vec<u64>,
    /// How often the list of each node was made again.
    #[cfg(test)]
    made: Vec<u32>,
    /// Power of each node.
    powers: Vec<Power>,
    /// Nodes under way; nothing before the first one.
    travel: Option<Travel>,
    /// Part of their power that comes over links that are not as usual, by their two ends, the lower number first.
    parts: BTreeMap<[u32; 2], f64>,
    /// Links that traces cover.
    traced: Traced,
    /// How long the list of each node is right, once nodes are under way.
    right_until: Vec<Right>,
}

/// How long a list is right.
#[derive(Debug, Clone, Copy)]
enum Right {
    /// It is not.
    Not,
    /// Until an instant, unless a node jumps before.
    Until(Time, u64),
}

impl Medium {
    /// The links of nodes at `positions` (metres) in seed 0; only shadowing depends on the seed.
    pub fn new(positions: &[[f64; 2]], radio: &RadioConfig) -> Self {
        Self::seeded(positions, radio, 0)
    }

    /// Computes powers and delays of all pairs within reach of each other; `positions` in metres.
    pub fn seeded(positions: &[[f64; 2]], radio: &RadioConfig, seed: u64) -> Self {
        let law = Law::new(radio, seed);
        let reach = law.full.reach;
        let grid = Grid::new(positions, reach);
        let mut lists = PackedLinks::with_capacity(positions.len());
        let mut near: Vec<(f64, u32)> = Vec::new();
        for (node, position) in positions.iter().enumerate() {
            law.near(node, grid.around(position, reach), positions, reach, &mut near);
            lists.push(near.iter().filter_map(|&at| law.link(node, at, 1.0, None)));
        }
        lists.seal();
        let positions = positions.to_vec();
        Medium { positions, law, lists, places: None, motion: None, near: Vec::new(), made: Vec::new() }
    }

    /// Notes where the state of each node lies; until then that is its number.
    pub fn place(&mut self, places: Arc<[u32]>) {
        // The lists of a network that stands still are never made again, so that they are changed where they lie.
        self.lists.all_mut().iter_mut().for_each(|link| link.place = places[link.to.index()]);
        self.places = Some(places);
    }

    /// A node is at `position` (metres) from now on and stays there. Frames on the air keep the power they began with.
    pub fn move_node(&mut self, node: NodeId, position: [f64; 2], now: Time) {
        let motion = motion(&mut self.motion, &self.positions, &self.law);
        motion.epoch += 1;
        if let Some(travel) = &mut motion.travel {
            travel.set_leg(node.index(), Leg::rest_for_good(now, position), now);
        }
        let from = std::mem::replace(&mut self.positions[node.index()], position);
        motion.cells.moved(node.0, &from, &self.positions, motion.epoch);
    }

    /// A node sends with so many watts from now on; it hears as before. Of a power other than `tx_power`, the thresholds
    /// decide what it reaches: they are the mean powers of `tx_power` at the ranges.
    pub fn set_power(&mut self, node: NodeId, watts: f64) {
        let power = self.law.power(watts);
        let motion = motion(&mut self.motion, &self.positions, &self.law);
        motion.powers[node.index()] = power;
        motion.right_until[node.index()] = Right::Not;
        // With nodes under way the list is worked out when it is next asked for.
        if motion.travel.is_none() {
            self.remake(node);
        }
    }

    /// Of what two nodes send, this part of the power comes to the other from now on; 1: as at the beginning.
    pub fn set_part(&mut self, ends: [NodeId; 2], part: f64) {
        let motion = motion(&mut self.motion, &self.positions, &self.law);
        let [a, b] = ends.map(|node| node.0);
        let key = [a.min(b), a.max(b)];
        if part == 1.0 {
            motion.parts.remove(&key);
        } else {
            motion.parts.insert(key, part);
        }
        ends.iter().for_each(|node| motion.right_until[node.index()] = Right::Not);
        if motion.travel.is_none() {
            ends.into_iter().for_each(|node| self.remake(node));
        }
    }

    /// No node will be faster, m/s: those that set out do so without a search for who comes near.
    pub fn expect_speed(&mut self, fastest: f64, now: Time) {
        self.travel(now).expect_speed(fastest, now);
    }

    /// A node goes by this leg from now on.
    pub fn set_leg(&mut self, node: NodeId, leg: Leg, now: Time) {
        self.travel(now).set_leg(node.index(), leg, now);
    }

    fn travel(&mut self, now: Time) -> &mut Travel {
        let motion = motion(&mut self.motion, &self.positions, &self.law);
        motion.travel.get_or_insert_with(|| Travel::new(&self.positions, self.law.full.reach, now))
    }

    /// Position of a node at an instant, metres.
    pub fn position(&self, node: NodeId, now: Time) -> [f64; 2] {
        let travel = self.motion.as_ref().and_then(|motion| motion.travel.as_ref());
        travel.map_or(self.positions[node.index()], |travel| travel.at(node.index(), now))
    }

    /// True when a node has moved or changed its power: its own list and those of others are right only after
    /// [`Medium::refresh`].
    #[inline(always)]
    pub fn has_changed(&self) -> bool {
        self.motion.is_some()
    }

    /// Brings the list of `node` up to date.
    #[inline]
    pub fn refresh(&mut self, node: NodeId, now: Time) {
        if let Some(motion) = &mut self.motion {
            if motion.travel.is_some() {
                return self.follow(node, now);
            }
            let right_at = std::mem::replace(&mut motion.right_at[node.index()], motion.epoch);
            if right_at != motion.epoch {
                let reach = motion.powers[node.index()].reach;
                // A change farther away than the node reaches leaves its list as it is.
                if motion.cells.changed(&self.positions[node.index()], reach) > right_at {
                    self.remake(node);
                }
            }
        }
    }

    /// Brings all lists up to date.
    pub fn refresh_all(&mut self, now: Time) {
        (0..self.nodes() as u32).for_each(|node| self.refresh(NodeId(node), now));
    }

    /// Works out the list of a node for this instant, where nodes are under way, unless the last one still holds: no range
    /// has been crossed since, and no distance is another by more than `travel::BLUR`. Nearest come first but for what has
    /// changed since the candidates were looked for.
    fn follow(&mut self, node: NodeId, now: Time) {
        let Medium { motion: Some(motion), law, lists, places, made, .. } = self else { return };
        let (Some(travel), n) = (&mut motion.travel, node.index()) else { return };
        if matches!(motion.right_until[n], Right::Until(until, jumps) if now <= until && jumps == travel.jumps()) {
            return;
        }
        let Power { gain, reach } = motion.powers[n];
        let ranges = Ranges { radio: &law.radio, reach };
        let until = travel.refresh(n, reach, &ranges, places.as_deref(), now);
        law.links(n, gain, travel.near(n, now), made);
        motion.right_until[n] = Right::Until(until, travel.jumps());
        let (at, places) = (|node: NodeId| travel.at(node.index(), now), places.as_deref());
        motion.traced.replay(node, made, |to, watts| law.traced([at(node), at(to)], to, watts, places));
        // After the traces: a part weakens a traced link as it does one of the model.
        if !motion.parts.is_empty() {
            law.weaken(node, &motion.parts, made);
        }
        lists.replace(node, made);
    }

    /// Works out the list of a node of a network that has changed.
    fn remake(&mut self, node: NodeId) {
        let Some(motion) = &mut self.motion else { return };
        let Power { gain, reach } = motion.powers[node.index()];
        let near = motion.cells.around(&self.positions[node.index()], reach);
        self.law.near(node.index(), near, &self.positions, reach, &mut self.near);
        self.made.clear();
        let places = self.places.as_deref();
        self.made.extend(self.near.iter().filter_map(|&at| self.law.link(node.index(), at, gain, places)));
        let at = |node: NodeId| self.positions[node.index()];
        motion.traced.replay(node, &mut self.made, |to, watts| self.law.traced([at(node), at(to)], to, watts, places));
        if !motion.parts.is_empty() {
            self.law.weaken(node, &motion.parts, &mut self.made);
        }
        self.lists.replace(node, &self.made);
        // Not `refresh` alone comes here: the next one need not look for changes that this list has.
        motion.right_at[node.index()] = motion.epoch;
        #[cfg(test)]
        {
            motion.made[node.index()] += 1;
        }
    }

    /// Everyone who hears `node`.
    #[inline]
    pub fn hearers(&self, node: NodeId) -> &[Link] {
        self.lists.of(node)
    }

    /// Neighbours that can decode `node`, nearest first; by mean power where it varies with time.
    pub fn neighbours(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.hearers(node).iter().filter(|l| l.flags & Arrival::DECODABLE != 0).map(|l| l.to)
    }

    /// True when a node can decode frames of another at this instant, by mean power. No list is made anew for it.
    pub fn decodes(&self, from: NodeId, to: NodeId, now: Time) -> bool {
        let [a, b] = [from, to].map(|node| self.position(node, now));
        let (dx, dy) = (a[0] - b[0], a[1] - b[1]);
        let motion = self.motion.as_deref();
        let Power { gain, reach } = motion.map_or(self.law.full, |motion| motion.powers[from.index()]);
        let squared = dx * dx + dy * dy;
        let model =
            // A list has only nodes within reach; a single link has to be held to that here.
            || if squared > reach * reach { None } else { self.law.link(from.index(), (squared, to.0), gain, None) };
        let link = match motion {
            None => model(),
            Some(motion) => motion.traced.one([from, to], model, |watts| self.law.traced([a, b], to, watts, None)),
        };
        let part = motion.and_then(|motion| motion.parts.get(&[from.0.min(to.0), from.0.max(to.0)]));
        let flags = |link: Link| part.map_or(link.flags, |part| self.law.budget.flags(part * f64::from(link.power)));
        link.is_some_and(|link| flags(link) & Arrival::DECODABLE != 0)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.lists.nodes()
    }
}

/// What is known of changes; the first one begins it.
fn motion<'a>(motion: &'a mut Option<Box<Motion>>, positions: &[[f64; 2]], law: &Law) -> &'a mut Motion {
    motion.get_or_insert_with(|| {
        let nodes = positions.len();
        let cells = Moving::new(positions, law.full.reach, 0);
        Box::new(Motion {
            epoch: 0,
            cells,
            right_at: vec![0; nodes],
            #[cfg(test)]
            made: vec![0; nodes],
            powers: vec![law.full; nodes],
            travel: None,
            parts: BTreeMap::new(),
            traced: Traced::default(),
            right_until: vec![Right::Not; nodes],
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::channel::budget::Budget;
    use crate::config::presets;
    use crate::config::radio::{Propagation, Shadowing};
    use hopscope_core::config::profile::Profile;
    use hopscope_core::rng::{Purpose, Stream};
    use hopscope_testing::property;

    fn radio() -> RadioConfig {
        presets::radio(Profile::Ns2, "wavelan-2M").expect("a preset")
    }

    /// Both ends of every link.
    fn ends(medium: &Medium) -> Vec<(u32, u32)> {
        let of = |n: u32| medium.hearers(NodeId(n)).iter().map(move |link| (n, link.to.0));
        (0..medium.nodes() as u32).flat_map(of).collect()
    }

    #[test]
    fn a_chain_node_decodes_one_hop_and_senses_two() {
        let positions: Vec<[f64; 2]> = (0..8).map(|i| [200.0 * f64::from(i), 0.0]).collect();
        let medium = Medium::new(&positions, &radio());
        let received: Vec<(u32, u8, u16)> =
            medium.hearers(NodeId(3)).iter().map(|l| (l.to.0, l.flags & Arrival::DECODABLE, l.delay_ns)).collect();
        assert_eq!(received, vec![(2, 1, 667), (4, 1, 667), (1, 0, 1333), (5, 0, 1333)]);
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
            let all: Vec<(u32, u32)> = ends(&medium);
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
        assert_eq!(ends(&fewer), among);
    }

    /// What may happen to a network.
    #[derive(Debug, Clone)]
    enum Change {
        Move(u32, [f64; 2]),
        Power(u32, f64),
        Ask(u32),
    }

    fn change(nodes: u32) -> impl Strategy<Value = Change> {
        let place = [-2_000.0..4_000.0, -500.0..1_500.0];
        prop_oneof![
            4 => (0..nodes, place).prop_map(|(node, to)| Change::Move(node, to)),
            1 => (0..nodes, prop_oneof![Just(1.0), Just(0.1), 0.01..6.0f64]).prop_map(|(node, gain)| Change::Power(node, gain)),
            3 => (0..nodes).prop_map(Change::Ask),
        ]
    }

    proptest! {
        #![proptest_config(property(300))]

        #[test]
        fn after_any_changes_the_links_are_those_of_a_medium_made_anew(
            changes in proptest::collection::vec(change(24), 1..60),
            shadowing in prop_oneof![Just(Shadowing::None), Just(Shadowing::Static)],
            log_distance in any::<bool>(),
        ) {
            let radio = RadioConfig {
                shadowing,
                propagation: if log_distance { Propagation::LogDistance } else { Propagation::TwoRay },
                ..RadioConfig::default()
            };
            let mut stream = Stream::derive(9, 0, 0, Purpose::Placement);
            let mut positions: Vec<[f64; 2]> = (0..24).map(|_| [stream.uniform() * 1_500.0, stream.uniform() * 600.0]).collect();
            let places: Arc<[u32]> = (0..24).rev().collect();
            let mut powers = [radio.tx_power; 24];
            let make = |positions: &[[f64; 2]], powers: &[f64]| {
                let mut medium = Medium::seeded(positions, &radio, 4);
                medium.place(places.clone());
                for (node, &watts) in powers.iter().enumerate().filter(|(_, watts)| **watts != radio.tx_power) {
                    medium.set_power(NodeId(node as u32), watts);
                }
                medium
            };
            let mut medium = make(&positions, &powers);
            for change in changes {
                match change {
                    Change::Move(node, to) => {
                        medium.move_node(NodeId(node), to, Time::ZERO);
                        positions[node as usize] = to;
                    }
                    Change::Power(node, gain) => {
                        powers[node as usize] = gain * radio.tx_power;
                        medium.set_power(NodeId(node), powers[node as usize]);
                    }
                    Change::Ask(node) => {
                        medium.refresh(NodeId(node), Time::ZERO);
                        let anew = make(&positions, &powers);
                        prop_assert_eq!(medium.hearers(NodeId(node)), anew.hearers(NodeId(node)));
                    }
                }
            }
            medium.refresh_all(Time::ZERO);
            let anew = make(&positions, &powers);
            for node in 0..24 {
                prop_assert_eq!(medium.hearers(NodeId(node)), anew.hearers(NodeId(node)));
            }
        }
    }

    #[test]
    fn a_list_is_made_again_only_where_something_near_has_changed() {
        // Two groups far from each other.
        let positions: Vec<[f64; 2]> =
            (0..40).map(|n| [f64::from(n % 20) * 50.0 + f64::from(n / 20) * 20_000.0, 0.0]).collect();
        let mut medium = Medium::new(&positions, &radio());
        medium.refresh(NodeId(30), Time::ZERO);
        assert!(!medium.has_changed());
        let before = medium.hearers(NodeId(30)).as_ptr();
        medium.move_node(NodeId(3), [140.0, 30.0], Time::ZERO);
        assert!(medium.has_changed());
        // The first move looks at all cells anew, the next only at its own.
        medium.refresh_all(Time::ZERO);
        let made = |medium: &Medium, node: usize| medium.motion.as_ref().expect("it has moved").made[node];
        let counted = [made(&medium, 5), made(&medium, 30)];
        medium.move_node(NodeId(3), [150.0, 40.0], Time::ZERO);
        medium.refresh_all(Time::ZERO);
        assert_eq!([made(&medium, 5), made(&medium, 30)], [counted[0] + 1, counted[1]]);
        assert_eq!(medium.hearers(NodeId(30)).as_ptr(), before, "it lies where it lay");
    }

    #[test]
    fn lists_that_grow_and_shrink_fill_no_more_than_twice_their_room() {
        let positions: Vec<[f64; 2]> = (0..60).map(|n| [f64::from(n) * 100.0, 0.0]).collect();
        let mut medium = Medium::new(&positions, &radio());
        for n in 0..3_000u32 {
            medium.move_node(NodeId(n % 60), [f64::from(n * 7 % 60) * 100.0, f64::from(n % 5) * 60.0], Time::ZERO);
            medium.refresh_all(Time::ZERO);
        }
        let links: usize = (0..60).map(|n| medium.hearers(NodeId(n)).len()).sum();
        assert!(medium.lists.stored() <= 2 * links + 60, "{} places for {links} links", medium.lists.stored());
    }

    #[test]
    fn a_louder_node_is_heard_farther_and_hears_as_before() {
        let mut medium = Medium::new(&[[0.0, 0.0], [400.0, 0.0], [900.0, 0.0]], &radio());
        let received = |medium: &Medium, node: u32| {
            medium.hearers(NodeId(node)).iter().map(|l| (l.to.0, l.flags & Arrival::DECODABLE)).collect::<Vec<_>>()
        };
        assert_eq!(received(&medium, 0), [(1, 0)]);
        // Twice the distance needs 12 dB under the fourth power.
        medium.set_power(NodeId(0), 16.01 * radio().tx_power);
        assert_eq!(received(&medium, 0), [(1, 1), (2, 0)]);
        assert_eq!(received(&medium, 1), [(0, 0), (2, 0)]);
        medium.set_power(NodeId(0), radio().tx_power);
        assert_eq!(received(&medium, 0), [(1, 0)]);
    }
}
