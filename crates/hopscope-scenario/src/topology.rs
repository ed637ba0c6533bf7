//! Where the nodes of each kind of topology stand; the order of the places gives the node numbers.

use hopscope_core::math;
use std::f64::consts::PI;

use hopscope_core::units::Span;
use hopscope_engine::config::WireConfig;
use hopscope_engine::config::schema::MAX_NODES;
use serde::Deserialize;

use crate::draw::Draws;
use crate::near::{Position, is_connected};
use crate::words::general;

/// Placements tried before a connected random field is given up.
const CONNECTED_TRIES: usize = 1000;
/// Work spent on those tries at most, in placed nodes.
const CONNECTED_WORK: usize = 5_000_000;

/// What cannot be placed, by the key of its table that is at fault.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacementError {
    /// The key.
    pub key: &'static str,
    /// What was found and what is allowed.
    pub message: String,
}

impl PlacementError {
    /// The error of a key.
    pub fn new(key: &'static str, message: impl Into<String>) -> PlacementError {
        PlacementError { key, message: message.into() }
    }
}

/// A `[topology]` table that was read: the keys of its kind, in base units.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "keys of the schema, with their meanings there")]
pub enum Topology {
    Chain { hops: usize, spacing: f64 },
    Cross { hops: usize, spacing: f64 },
    ParkingLot { hops: usize, spacing: f64 },
    Y { hops: usize, stem: Option<usize>, spacing: f64 },
    Star { arms: usize, hops: usize, spacing: f64 },
    Ring { nodes: usize, spacing: f64 },
    Grid { rows: usize, cols: usize, spacing: f64 },
    Random { nodes: usize, area: [f64; 2], seed: u64, connected: bool },
    Positions { positions: Vec<Position> },
    Access { arms: usize, hops: usize, spacing: f64, wire_rate: u64, wire_delay: Span, wire_queue: u32 },
    Wired {},
    File {},
}

/// A `[topology]` table: the kind with its keys, and the nodes without radios.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Layout {
    /// The kind.
    #[serde(flatten)]
    pub kind: Topology,
    /// Nodes without a radio, numbered after the others.
    #[serde(default)]
    pub wired: usize,
}

/// Nodes in their places.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// The place of every node in metres; those without a radio come last.
    pub places: Vec<Position>,
    /// How many have no radio.
    pub wired: usize,
    /// The wires that the kind brings along.
    pub wires: Vec<WireConfig>,
    /// Numbers of a file that no node has.
    pub unused: Vec<usize>,
    /// What else the file holds, which another key has to follow.
    pub other: Option<String>,
}

/// Distance between drawn places of nodes without radios, and from the field, metres: their places have no meaning.
const APART: f64 = 200.0;

impl Layout {
    /// The place of every node; `found` are those of a file, `tx_range` is the receive range for `connected`.
    ///
    /// # Errors
    /// Too many nodes or fewer than two, or no connected placement.
    pub fn place(&self, found: Vec<Position>, tx_range: f64) -> Result<Placement, PlacementError> {
        let radios = self.kind.count().unwrap_or(found.len());
        let nodes = radios.saturating_add(self.wired);
        let (key, verb) = match self.kind {
            // The nodes with radios fit by themselves, so it is the others that are too many.
            _ if radios <= MAX_NODES as usize && nodes > MAX_NODES as usize => ("wired", "makes"),
            Topology::File {} => ("path", "holds"),
            _ => (self.kind.size_key(), "makes"),
        };
        if nodes > MAX_NODES as usize {
            return Err(PlacementError::new(key, format!("{verb} {nodes} nodes; at most {MAX_NODES} fit")));
        }
        if nodes < 2 {
            return Err(PlacementError::new(key, format!("gives {nodes} nodes; a network has at least 2")));
        }
        // After the count: many nodes are refused before they take memory.
        let mut places = self.kind.place(found, tx_range)?;
        // Above the field and apart from each other, for pictures; no range is measured to them.
        let top = places.iter().map(|&[_, y]| y).fold(0.0, f64::max) + APART;
        let left = places.iter().map(|&[x, _]| x).fold(f64::INFINITY, f64::min);
        let left = if left.is_finite() { left } else { 0.0 };
        places.extend((0..self.wired).map(|n| [left + APART * n as f64, top]));
        let wires = match self.kind {
            Topology::Access { arms, hops, wire_rate, wire_delay, wire_queue, .. } => (radios..nodes)
                .map(|host| {
                    let ends = [access_point(arms, hops), host].map(|node| node as u32);
                    WireConfig::between(ends, wire_rate, wire_delay, wire_queue)
                })
                .collect(),
            _ => Vec::new(),
        };
        Ok(Placement { places, wired: self.wired, wires, unused: Vec::new(), other: None })
    }
}

impl Topology {
    /// How many nodes with a radio it has, without placing them; none for a file.
    pub fn count(&self) -> Option<usize> {
        Some(match *self {
            Topology::Chain { hops, .. } => hops + 1,
            Topology::Cross { hops, .. } => 2 * hops + 1,
            Topology::ParkingLot { hops, .. } => 2 * hops,
            Topology::Y { hops, stem, .. } => 2 * hops + stem.unwrap_or(hops) + 1,
            Topology::Star { arms, hops, .. } => arms * hops + 1,
            Topology::Ring { nodes, .. } | Topology::Random { nodes, .. } => nodes,
            Topology::Grid { rows, cols, .. } => rows * cols,
            Topology::Positions { ref positions } => positions.len(),
            Topology::Access { arms, hops, .. } => arms * hops + 1,
            Topology::Wired {} => 0,
            Topology::File {} => return None,
        })
    }

    /// The key that decides its size.
    fn size_key(&self) -> &'static str {
        match self {
            Topology::Chain { .. }
            | Topology::Cross { .. }
            | Topology::ParkingLot { .. }
            | Topology::Y { .. }
            | Topology::Access { .. } => "hops",
            Topology::Star { .. } => "arms",
            Topology::Ring { .. } | Topology::Random { .. } => "nodes",
            Topology::Grid { .. } => "rows",
            Topology::Positions { .. } => "positions",
            Topology::Wired {} => "wired",
            Topology::File {} => "path",
        }
    }

    /// The place of every node with a radio.
    fn place(&self, found: Vec<Position>, tx_range: f64) -> Result<Vec<Position>, PlacementError> {
        Ok(match *self {
            Topology::Chain { hops, spacing } => line(hops, spacing, 0.0),
            Topology::Cross { hops, spacing } => cross(hops, spacing),
            Topology::ParkingLot { hops, spacing } => parking_lot(hops, spacing),
            Topology::Y { hops, stem, spacing } => y(hops, stem.unwrap_or(hops), spacing),
            Topology::Star { arms, hops, spacing } => star(arms, hops, spacing),
            Topology::Ring { nodes, spacing } => ring(nodes, spacing),
            Topology::Grid { rows, cols, spacing } => {
                (0..rows * cols).map(|n| [spacing * (n % cols) as f64, spacing * (n / cols) as f64]).collect()
            }
            Topology::Random { nodes, area, seed, connected } => {
                return scatter(nodes, area, seed, connected.then_some(tx_range));
            }
            Topology::Positions { ref positions } => positions.clone(),
            Topology::Access { arms, hops, spacing, .. } => line(arms * hops, spacing, 0.0),
            Topology::Wired {} => Vec::new(),
            Topology::File {} => found,
        })
    }
}

/// The access point: the first node of a single arm, or the middle one of two (zhang2006, figure 6-1: 1 - 2 - AP - 3 - 4).
pub(crate) fn access_point(arms: usize, hops: usize) -> usize {
    (arms - 1) * hops
}

/// Nodes 0..hops from left to right.
fn line(hops: usize, spacing: f64, y: f64) -> Vec<Position> {
    (0..=hops).map(|i| [spacing * i as f64, y]).collect()
}

/// Two lines that share a node.
///
/// Nodes 0..hops are the horizontal line; the crossing is node `hops / 2`. The other nodes of the vertical line follow
/// from its lower to its upper end: with 6 hops 0-6 and 7-12 with the crossing at 3 (fu2003, section 3).
fn cross(hops: usize, spacing: f64) -> Vec<Position> {
    let middle = hops / 2;
    let centre = spacing * middle as f64;
    let mut places = line(hops, spacing, centre);
    places.extend((0..=hops).filter(|&i| i != middle).map(|i| [centre, spacing * i as f64]));
    places
}

/// A line to an exit, with a lane that joins at every inner node.
///
/// Nodes 0..hops are the line, the exit is node `hops`. Node `hops + i` joins the line at node `i`, for i = 1..hops - 1,
/// by turns above and below, so that no two lanes are neighbours of each other.
fn parking_lot(hops: usize, spacing: f64) -> Vec<Position> {
    let mut places = line(hops, spacing, 0.0);
    places.extend((1..hops).map(|i| [spacing * i as f64, if i % 2 == 1 { spacing } else { -spacing }]));
    places
}

/// Two branches that join into a stem, 120 degrees apart from each other.
///
/// Nodes 0..hops + stem run from the end of the upper branch over the junction, node `hops`, to the end of the stem; the
/// lower branch follows from its end to the node before the junction.
fn y(hops: usize, stem: usize, spacing: f64) -> Vec<Position> {
    let (across, up) = (spacing / 2.0, spacing * 0.75_f64.sqrt());
    let upper: Vec<Position> = (0..=hops).map(|i| (hops - i) as f64).map(|left| [-across * left, up * left]).collect();
    let stem = (1..=stem).map(|i| [spacing * i as f64, 0.0]);
    let lower = upper[..hops].iter().map(|&[x, y]| [x, -y]);
    upper.iter().copied().chain(stem).chain(lower).collect()
}

/// Lines that leave node 0 at equal angles, numbered arm by arm from the inside out.
fn star(arms: usize, hops: usize, spacing: f64) -> Vec<Position> {
    let node = |n: usize| polar(spacing * (n % hops + 1) as f64, (n / hops) as f64 / arms as f64);
    std::iter::once([0.0; 2]).chain((0..arms * hops).map(node)).collect()
}

/// Nodes on a circle, `spacing` apart in a straight line, numbered counter-clockwise.
fn ring(nodes: usize, spacing: f64) -> Vec<Position> {
    let radius = spacing / (2.0 * math::sin(PI / nodes as f64));
    (0..nodes).map(|node| polar(radius, node as f64 / nodes as f64)).collect()
}

/// A place at a part of a full turn; sine and cosine differ in the last digit between machines, a micrometre not.
fn polar(radius: f64, turn: f64) -> Position {
    let angle = 2.0 * PI * turn;
    [radius * math::cos(angle), radius * math::sin(angle)]
        // Through decimal text, which rounds alike everywhere; adding zero makes -0 a 0.
        .map(|length| format!("{length:.6}").parse::<f64>().unwrap_or(length) + 0.0)
}

/// Nodes placed uniformly over a rectangle; the same seed gives the same field on every machine.
fn scatter(
    nodes: usize,
    [width, height]: [f64; 2],
    seed: u64,
    reach: Option<f64>,
) -> Result<Vec<Position>, PlacementError> {
    let mut draws = Draws::new(seed);
    let mut field =
        || -> Vec<Position> { (0..nodes).map(|_| [width * draws.number(), height * draws.number()]).collect() };
    let Some(reach) = reach else { return Ok(field()) };
    // Placements come from one stream: the first connected one of it is the field of the seed.
    let tries = (CONNECTED_WORK / nodes).clamp(1, CONNECTED_TRIES);
    if let Some(field) = (0..tries).map(|_| field()).find(|field| is_connected(field, reach)) {
        return Ok(field);
    }
    let neighbours = nodes as f64 * PI * reach * reach / (width * height);
    let [width, height, reach] = [width, height, reach].map(general);
    Err(PlacementError::new(
        "connected",
        format!(
            "no connected field in {tries} placements of {nodes} nodes over {width} m x {height} m with radio.tx_range = \
             {reach} m (about {neighbours:.1} neighbours a node); use more nodes or a smaller area"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(topology: &Topology) -> Vec<Position> {
        topology.place(Vec::new(), 250.0).expect("a topology")
    }

    #[test]
    fn an_access_point_has_arms_and_wired_nodes_behind_it() {
        let layout = |arms, wired| {
            let wire_delay = Span::from_millis(50);
            let kind = Topology::Access { arms, hops: 2, spacing: 150.0, wire_rate: 1, wire_delay, wire_queue: 9 };
            Layout { kind, wired }.place(Vec::new(), 200.0).expect("a topology")
        };
        let study = layout(2, 1);
        assert_eq!((study.places.len(), study.wired), (6, 1));
        assert_eq!(study.places[4], [600.0, 0.0]);
        let wire = WireConfig::between([2, 5], 1, Span::from_millis(50), 9);
        assert_eq!(study.wires, [wire]);
        let ends: Vec<[u32; 2]> = layout(1, 2).wires.iter().map(|wire| wire.ends).collect();
        assert_eq!(ends, [[0, 3], [0, 4]]);
    }

    #[test]
    fn nodes_without_radios_come_after_the_others() {
        let layout = |kind, wired| Layout { kind, wired }.place(Vec::new(), 250.0);
        let mixed = layout(Topology::Chain { hops: 2, spacing: 200.0 }, 2).expect("a topology");
        assert_eq!(mixed.places.len(), 5);
        assert!(mixed.places[3..].iter().all(|&[_, y]| y > 0.0));
        assert_eq!(layout(Topology::Wired {}, 3).expect("a topology").places.len(), 3);
        assert_eq!(layout(Topology::Wired {}, 1).expect_err("refused").key, "wired");
        let chain = Topology::Chain { hops: 2, spacing: 200.0 };
        assert_eq!(layout(chain, MAX_NODES as usize).expect_err("refused").key, "wired");
    }

    #[test]
    fn every_kind_of_the_schema_is_known_and_has_as_many_nodes_as_it_says() {
        use hopscope_engine::config::schema::TOPOLOGIES;
        for kind in TOPOLOGIES {
            let mut table = serde_json::json!({"kind": kind.name, "positions": [[0, 0], [1, 0]], "area": [9, 9]});
            for key in kind.keys() {
                if table.get(&key.name).is_none() {
                    table[&key.name] = if key.required { serde_json::json!(4) } else { key.default };
                }
            }
            let layout: Layout = serde_json::from_value(table).expect(kind.name);
            let found = layout.place(vec![[0.0; 2]; 3], 250.0).expect(kind.name);
            assert_eq!(found.places.len(), layout.kind.count().unwrap_or(3) + layout.wired, "{}", kind.name);
        }
    }

    #[test]
    fn a_cross_is_numbered_as_in_the_study() {
        let places = placed(&Topology::Cross { hops: 6, spacing: 200.0 });
        assert_eq!(places[3], [600.0, 600.0]);
        assert_eq!([places[7], places[9], places[10], places[12]].map(|[_, y]| y), [0.0, 400.0, 800.0, 1200.0]);
        assert!(places[7..].iter().all(|&[x, _]| x == 600.0));
    }

    #[test]
    fn a_field_depends_on_its_seed_alone() {
        let field = |seed| placed(&Topology::Random { nodes: 20, area: [300.0; 2], seed, connected: false });
        assert_eq!(field(3), field(3));
        assert_ne!(field(3), field(4));
        assert_eq!(field(3)[0], [71.389_388_127_567_41, 163.268_767_588_785_55]); // as Python draws it
    }

    #[test]
    fn sizes_that_no_network_has_are_refused_by_their_key() {
        let key = |kind: Topology| Layout { kind, wired: 0 }.place(Vec::new(), 250.0).expect_err("refused").key;
        assert_eq!(key(Topology::Grid { rows: 1_000_000, cols: 1_000_000, spacing: 1.0 }), "rows");
        assert_eq!(key(Topology::Grid { rows: 1, cols: 1, spacing: 1.0 }), "rows");
        assert_eq!(key(Topology::Star { arms: 2_000_000, hops: 2_000_000, spacing: 1.0 }), "arms");
        assert_eq!(key(Topology::Positions { positions: vec![[0.0; 2]] }), "positions");
        assert_eq!(key(Topology::File {}), "path");
        assert_eq!(key(Topology::Random { nodes: 9, area: [1e6; 2], seed: 1, connected: true }), "connected");
    }
}
