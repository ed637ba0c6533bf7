//! How nodes move.

use hopscope_core::math;
use serde::{Deserialize, Serialize};

use hopscope_core::config::params::Range;
use hopscope_core::config::section::seconds;
use hopscope_core::error::{BuildError, BuildErrors};
use hopscope_core::units::{Span, Time};
use hopscope_core::{choice, params};

/// Fastest node, m/s: on a way of 100 years it stays within the space that there is.
const FASTEST: f64 = 1e4;

choice! {
    /// How nodes move.
    pub enum MobilityModel {
        /// They stay where they are.
        Static = "static",
        /// Straight to a place drawn evenly over the area, at a speed drawn evenly, then a pause.
        RandomWaypoint = "random-waypoint",
        /// For `step` in a direction and at a speed drawn evenly; the border reflects.
        RandomWalk = "random-walk",
        /// Every `step` a new speed and direction, which remember the old ones; the border reflects.
        GaussMarkov = "gauss-markov",
        /// Along the streets of a grid, turning at crossings.
        Manhattan = "manhattan",
        /// Groups of nodes, each about a point that moves by random waypoint.
        Group = "group",
        /// As a file describes.
        File = "file",
    }
}

choice! {
    /// Where nodes that move begin.
    pub enum MobilityStart {
        /// As after a long time: places, speeds and pauses drawn from the distribution that the model keeps.
        Steady = "steady",
        /// At the places of the topology, setting out.
        Topology = "topology",
    }
}

params! {
    /// How nodes move. Which keys count depends on `model`.
    pub struct MobilityConfig {
        /// How nodes move; the movement of a run follows from its seed alone.
        model: MobilityModel = MobilityModel::Static, "", "a default";
        /// Where nodes begin.
        start: MobilityStart = MobilityStart::Steady, "", "Navidi and Camp 2004 (no decay of the speed)",
            when "model = random-waypoint | random-walk | gauss-markov | manhattan | group";
        /// Width and height of the area, from the origin.
        area: [f64; 2] = [0.0; 2], "m", "",
            when "model = random-waypoint | random-walk | gauss-markov | manhattan | group | file";
        /// The nodes that move; none given: all that have a radio.
        nodes: Vec<u32> = Vec::new(), "", "a default",
            when "model = random-waypoint | random-walk | gauss-markov | manhattan | group";
        /// Least speed.
        speed_min: f64 = 1.0, "m/s", "a default", in Range::above(0.0).up_to(FASTEST),
            when "model = random-waypoint | random-walk | gauss-markov | manhattan | group";
        /// Greatest speed.
        speed_max: f64 = 20.0, "m/s", "Broch et al. 1998, section 4.2", in Range::above(0.0).up_to(FASTEST),
            when "model = random-waypoint | random-walk | gauss-markov | manhattan | group";
        /// Pause at each place reached, under manhattan at each crossing.
        pause: Span = Span::ZERO, "s", "a default", when "model = random-waypoint | manhattan | group";
        /// A pause lasts up to so much longer, evenly.
        pause_jitter: Span = Span::ZERO, "s", "a default", when "model = random-waypoint | manhattan | group";
        /// Time between two changes of speed and direction.
        step: Span = Span::from_secs(1), "s", "a default", in Range::above(0.0),
            when "model = random-walk | gauss-markov";
        /// Part of the last speed and direction that the next ones keep (alpha): 0 forgets, 1 goes straight on.
        memory: f64 = 0.75, "", "Camp et al. 2002, section 2.6", in Range::within(0.0, 1.0),
            when "model = gauss-markov";
        /// Standard deviation of the speed about the middle of speed_min and speed_max.
        speed_deviation: f64 = 1.0, "m/s", "Camp et al. 2002, section 2.6", in Range::from(0.0),
            when "model = gauss-markov";
        /// Standard deviation of the direction about that of the node.
        direction_deviation: f64 = 1.0, "rad", "Camp et al. 2002, section 2.6", in Range::from(0.0),
            when "model = gauss-markov";
        /// Distance between two parallel streets.
        block: f64 = 100.0, "m", "a default", in Range::above(0.0), when "model = manhattan";
        /// Probability that a node goes straight on at a crossing of four streets; it turns left or right alike.
        straight: f64 = 0.5, "probability", "ETSI TR 101 112, B.1.4.2", when "model = manhattan";
        /// Number of groups of equal size, by the numbers of their nodes.
        groups: u32 = 1, "", "a default", in Range::from(1.0), when "model = group";
        /// Farthest that a node is from the point of its group on either axis.
        radius: f64 = 50.0, "m", "a default", in Range::above(0.0), when "model = group";
    }
}

/// The way of one node: instants in order with its places in metres; in between it moves in a straight line.
pub type Path = Vec<(Time, [f64; 2])>;

/// The way of a node that a file describes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathConfig {
    /// Node.
    pub node: u32,
    /// Where it is when; before the first instant at the first place, after the last one at the last.
    pub path: Path,
}

/// What the movement of a run is made of.
#[derive(Debug, Clone)]
pub struct Movement<'a> {
    /// Seed of the run.
    pub seed: u64,
    /// End of the run.
    pub duration: Time,
    /// Places of the nodes in the topology, metres.
    pub nodes: &'a [[f64; 2]],
    /// Which nodes have a radio.
    pub radios: Vec<bool>,
    /// The model and its parameters.
    pub mobility: &'a MobilityConfig,
    /// The ways of nodes that move as a file describes.
    pub paths: &'a [PathConfig],
}

impl Movement<'_> {
    /// The nodes that a model moves, in order.
    pub fn movers(&self) -> Vec<u32> {
        match self.mobility.model {
            MobilityModel::Static => Vec::new(),
            MobilityModel::File => self.paths.iter().map(|path| path.node).collect(),
            _ if self.mobility.nodes.is_empty() => {
                (0..).zip(&self.radios).filter_map(|(node, &has)| has.then_some(node)).collect()
            }
            _ => self.mobility.nodes.clone(),
        }
    }

    /// What is wrong with the movement.
    pub fn check(&self) -> Vec<BuildError> {
        let mut found = BuildErrors::default();
        let m = self.mobility;
        match m.model {
            MobilityModel::Static => {}
            MobilityModel::File => self.check_paths(&mut found),
            _ => self.check_model(&mut found),
        }
        found.require(m.model == MobilityModel::File || self.paths.is_empty(), "paths", || {
            format!(
                "found paths of nodes together with mobility.model = \"{}\"; they belong to \"file\"",
                m.model.word()
            )
        });
        found.0
    }

    fn check_model(&self, found: &mut BuildErrors) {
        let m = self.mobility;
        let nodes = self.nodes.len();
        let mut named = vec![false; nodes];
        for (place, &node) in m.nodes.iter().enumerate() {
            let key = format!("mobility.nodes.{place}");
            if node as usize >= nodes {
                found.note(Err(BuildError::no_such_node(key, node, nodes)));
                continue;
            }
            let again = std::mem::replace(&mut named[node as usize], true);
            found.require(!again, key.clone(), || format!("node {node} is named twice"));
            found.require(self.radios[node as usize], key, || format!("node {node} has no radio; it stays"));
        }
        let [width, height] = m.area;
        found.require(width > 0.0 && height > 0.0 && width <= 1e9 && height <= 1e9, "mobility.area", || {
            format!("found {width} m x {height} m; the area in which nodes move needs both sides, up to 1e9 m")
        });
        found.require(m.speed_min <= m.speed_max, "mobility.speed_min", || {
            format!("found {} m/s; it must not exceed speed_max, {} m/s", m.speed_min, m.speed_max)
        });
        let longest = Span(m.pause.0.saturating_add(m.pause_jitter.0));
        for (key, pause) in [("mobility.pause", m.pause), ("mobility.pause_jitter", longest)] {
            found.require(pause.0 <= self.duration.0, key, || {
                format!("a pause of {} s is longer than the run, {} s", seconds(pause), self.duration.as_secs())
            });
        }
        if m.model == MobilityModel::Manhattan {
            found.require(m.block <= width && m.block <= height, "mobility.block", || {
                format!("found {} m; an area of {width} m x {height} m has no crossings at this distance", m.block)
            });
        }
        if m.model == MobilityModel::Group {
            found.require(2.0 * m.radius < width && 2.0 * m.radius < height, "mobility.radius", || {
                format!("found {} m; a group has no room to move in {width} m x {height} m", m.radius)
            });
            let movers = self.movers().len();
            found.require(m.groups as usize <= movers, "mobility.groups", || {
                format!("found {} groups of {movers} nodes; a group has at least one", m.groups)
            });
        }
        if m.start == MobilityStart::Topology && m.model != MobilityModel::Manhattan && m.model != MobilityModel::Group
        {
            let is_out = |&&node: &&u32| {
                let [x, y] = self.nodes.get(node as usize).copied().unwrap_or_default();
                !((0.0..=width).contains(&x) && (0.0..=height).contains(&y))
            };
            let movers = self.movers();
            if let Some(&node) = movers.iter().find(is_out) {
                let [x, y] = self.nodes[node as usize];
                let message = format!("node {node} begins at {x}, {y}, outside the area of {width} m x {height} m");
                found.note(Err(BuildError::new("mobility.start", message)));
            }
        }
        let on_place = m.start == MobilityStart::Topology;
        let own_places = matches!(m.model, MobilityModel::Manhattan | MobilityModel::Group);
        found.require(!(on_place && own_places), "mobility.start", || {
            format!("found \"topology\"; under \"{}\" nodes begin on places of the model, \"steady\"", m.model.word())
        });
    }

    fn check_paths(&self, found: &mut BuildErrors) {
        let [width, height] = self.mobility.area;
        let bounded = width > 0.0 && height > 0.0;
        for (number, PathConfig { node, path }) in self.paths.iter().enumerate() {
            let key = format!("paths.{number}");
            if *node as usize >= self.nodes.len() {
                found.note(Err(BuildError::no_such_node(key, node, self.nodes.len())));
                continue;
            }
            found.require(!self.paths[..number].iter().any(|other| other.node == *node), key.clone(), || {
                format!("node {node} has two ways")
            });
            found.require(!path.is_empty(), key.clone(), || format!("the way of node {node} has no place"));
            found.require(path.windows(2).all(|pair| pair[0].0 <= pair[1].0), key.clone(), || {
                format!("the way of node {node} goes back in time")
            });
            let lies_out = |[x, y]: [f64; 2]| {
                let endless = !x.is_finite() || !y.is_finite() || x.abs() > 1e9 || y.abs() > 1e9;
                endless || (bounded && !((0.0..=width).contains(&x) && (0.0..=height).contains(&y)))
            };
            if let Some((at, [x, y])) = path.iter().find(|(_, place)| lies_out(*place)) {
                let area = if bounded { format!("the area of {width} m x {height} m") } else { "1e9 m".to_string() };
                let message = format!("node {node} is at {x}, {y} at {} s, outside {area}", at.as_secs());
                found.note(Err(BuildError::new("mobility.path", message)));
            }
            let too_fast = |pair: &[(Time, [f64; 2])]| {
                let distance = math::hypot(pair[0].1[0] - pair[1].1[0], pair[0].1[1] - pair[1].1[1]);
                let time = pair[1].0.0.saturating_sub(pair[0].0.0) as f64 * 1e-9;
                (time > 0.0 && distance / time > FASTEST).then_some(distance / time)
            };
            if let Some(speed) = path.windows(2).find_map(too_fast) {
                let message = format!("node {node} moves at {speed:.0} m/s; at most {FASTEST} m/s are possible");
                found.note(Err(BuildError::new("mobility.path", message)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Config {
        mobility: MobilityConfig,
        paths: Vec<PathConfig>,
    }

    /// What is wrong first with a change of a movement of three nodes with radios.
    fn messages(change: impl FnOnce(&mut Config)) -> String {
        let mobility =
            MobilityConfig { model: MobilityModel::RandomWaypoint, area: [500.0, 300.0], ..MobilityConfig::default() };
        let mut config = Config { mobility, paths: Vec::new() };
        change(&mut config);
        let Config { mobility, paths } = &config;
        let nodes = &[[0.0, 0.0], [200.0, 0.0], [400.0, 0.0]];
        let duration = Time::ZERO + Span::from_secs(10);
        let mut found = Vec::new();
        mobility.outside("mobility", &mut found);
        found.extend(Movement { seed: 1, duration, nodes, radios: vec![true; 3], mobility, paths }.check());
        found.first().expect("refused").to_string()
    }

    fn path(config: &mut Config, node: u32, path: &[(u64, [f64; 2])]) {
        config.mobility.model = MobilityModel::File;
        let path = path.iter().map(|&(at, place)| (Time::ZERO + Span::from_secs(at), place)).collect();
        config.paths.push(PathConfig { node, path });
    }

    #[test]
    fn what_no_movement_can_be_is_named() {
        for (found, expected) in [
            (messages(|c| c.mobility.speed_min = 0.0), "mobility.speed_min: found 0; allowed is more than 0"),
            (messages(|c| c.mobility.speed_max = -2.0), "mobility.speed_max: found -2; allowed is more than 0"),
            (messages(|c| c.mobility.speed_max = 0.5), "mobility.speed_min: found 1 m/s; it must not exceed"),
            (
                messages(|c| c.mobility.pause = Span::from_secs(11)),
                "mobility.pause: a pause of 11 s is longer than the run",
            ),
            (messages(|c| c.mobility.area = [0.0; 2]), "mobility.area: found 0 m x 0 m"),
            (messages(|c| c.mobility.nodes = vec![1, 3]), "mobility.nodes.1: node 3 does not exist"),
            (messages(|c| c.mobility.nodes = vec![1, 1]), "mobility.nodes.1: node 1 is named twice"),
            (
                messages(|c| {
                    c.mobility.model = MobilityModel::Manhattan;
                    c.mobility.block = 400.0;
                }),
                "mobility.block: found 400 m",
            ),
            (
                messages(|c| {
                    c.mobility.model = MobilityModel::Group;
                    c.mobility.groups = 4;
                }),
                "mobility.groups: found 4 groups of 3 nodes",
            ),
            (
                messages(|c| {
                    c.mobility.start = MobilityStart::Topology;
                    c.mobility.area = [300.0, 300.0];
                }),
                "mobility.start: node 2 begins at 400, 0, outside",
            ),
            (messages(|c| path(c, 3, &[(0, [0.0; 2])])), "paths.0: node 3 does not exist"),
            (
                messages(|c| path(c, 1, &[(0, [0.0; 2]), (9, [501.0, 1.0])])),
                "mobility.path: node 1 is at 501, 1 at 9 s, outside",
            ),
            (
                messages(|c| path(c, 1, &[(2, [0.0; 2]), (1, [1.0, 1.0])])),
                "paths.0: the way of node 1 goes back in time",
            ),
        ] {
            assert!(found.starts_with(expected), "{found} for {expected}");
        }
    }
}
