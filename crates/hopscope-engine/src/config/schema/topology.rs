//! Kinds of topologies and their keys.

use super::network::wire;
use super::{Key, Kind, MAX_NODES, Range};
use crate::config::wire;

/// A kind of topology.
pub struct Topology {
    /// Its word.
    pub name: &'static str,
    /// One line of description.
    pub doc: &'static str,
    /// Its own keys.
    own: fn() -> Vec<Key>,
}

impl Topology {
    /// Its keys besides `kind`.
    pub fn keys(&self) -> Vec<Key> {
        let mut keys = (self.own)();
        // A kind with the key of its own says what it means there.
        if keys.iter().all(|key| key.name != "wired") {
            let wired = "Nodes without a radio, numbered after the others; [[wire]] tables join them.";
            let wired = Key { required: false, ..count("wired", wired, "", 0, 1) };
            keys.push(wired.default(0));
        }
        keys
    }
}

/// The kinds.
pub const TOPOLOGIES: &[Topology] = &[
    Topology {
        name: "chain",
        doc: "nodes 0..hops on a line, left to right",
        own: || vec![hops("Number of hops of the line.", 1, 1), spacing()],
    },
    Topology {
        name: "cross",
        doc: "a horizontal and a vertical line that share their middle node: 0..hops along the first, then the rest of the second from end to end",
        own: || vec![hops("Number of hops of each line.", 2, 2), spacing()],
    },
    Topology {
        name: "parking-lot",
        doc: "a line to an exit, with a lane that joins at every inner node: 0..hops along the line, then node hops + i, whose lane joins at node i",
        own: || vec![hops("Number of hops of the line.", 2, 2), spacing()],
    },
    Topology {
        name: "y",
        doc: "two branches that join into a stem: 0..hops + stem from the end of one over the junction, node hops, to that of the stem; then the other, inwards",
        own: || {
            let stem = "Number of hops of the stem; absent: as many as a branch.";
            let stem = Key { required: false, ..count("stem", stem, "hops", 1, 1) };
            vec![hops("Number of hops of each branch.", 1, 2), stem, spacing()]
        },
    },
    Topology {
        name: "star",
        doc: "arms that leave node 0 at equal angles, numbered arm by arm, each from the inside out",
        own: || {
            let hops = Key { required: false, ..hops("Number of hops of each arm.", 1, 1) };
            vec![count("arms", "Number of arms.", "", 3, 1), hops.default(1), spacing()]
        },
    },
    Topology {
        name: "ring",
        doc: "nodes on a circle, counter-clockwise",
        own: || vec![count("nodes", "Number of nodes.", "", 3, 1), spacing()],
    },
    Topology {
        name: "grid",
        doc: "rows of nodes, numbered row by row",
        own: || {
            vec![count("rows", "Number of rows.", "", 1, 1), count("cols", "Number of columns.", "", 1, 1), spacing()]
        },
    },
    Topology {
        name: "random",
        doc: "nodes placed evenly at random over a rectangle, in the order they are drawn",
        own: || {
            let seed = "Seed of the placement, apart from the seed of the run; \"run\" draws a field for each seed of the run.";
            let connected = "Draw again until every node reaches every other over hops within radio.tx_range.";
            vec![
                count("nodes", "Number of nodes.", "", 2, 1),
                Key::new("area", Kind::Point, "Width and height of the rectangle.")
                    .unit("m")
                    .required()
                    .range(Range::above(0.0)),
                Key::new("seed", Kind::Seed, seed).default(1),
                Key::new("connected", Kind::Flag, connected).default(false),
            ]
        },
    },
    Topology {
        name: "positions",
        doc: "nodes at the given positions",
        own: || {
            let doc = "Position of each node, in the order of their numbers.";
            vec![Key::new("positions", Kind::Points, doc).unit("m").required().range(Range::ANY)]
        },
    },
    Topology {
        name: "access",
        doc: "an access point with arms of radio nodes: 0..arms * hops on a line, the access point in the middle or first of a single arm; then the wired nodes behind it",
        own: || {
            let arms = "Number of arms: one to the right of the access point, or one to each side.";
            let hops = Key { required: false, ..hops("Number of hops of each arm.", 1, 2) };
            let wired = "Wired nodes, numbered after the others, each with a wire to the access point.";
            let optional = |name, doc| Key { required: false, ..count(name, doc, "", 1, 2) };
            let mut keys = vec![
                optional("arms", arms).default(2).range(Range::within(1.0, 2.0)),
                hops.default(2).source("zhang2006, figure 6-1"),
                spacing().default(150.0).source("zhang2006, section 6.1"),
                optional("wired", wired).default(1),
            ];
            keys.extend(wire().into_iter().filter_map(|key| {
                let default = match key.name.as_str() {
                    "rate" => 100_000_000,
                    "delay" => 50_000_000,
                    "queue" => u64::from(wire::QUEUE),
                    _ => return None,
                };
                let name = format!("wire_{}", key.name);
                Some(Key { required: false, ..key.named(&name).default(default) })
            }));
            keys
        },
    },
    Topology {
        name: "wired",
        doc: "nodes without radios, which [[wire]] tables join",
        own: || vec![Key { required: true, ..count("wired", "Number of nodes.", "", 2, 1) }],
    },
    Topology {
        name: "file",
        doc: "positions read from a file: CSV of x,y, ns-2 setdest, BonnMotion, or SUMO's FCD",
        own: || {
            vec![
                Key::new("path", Kind::Text, "The file, relative to the scenario file.").required(),
                Key::new("format", Kind::Choice, "Form of the file; \"auto\" recognizes it by the content.")
                    .default("auto")
                    .choices(["auto", "csv", "ns2", "bonnmotion", "fcd"]),
            ]
        },
    },
];

/// The key that names the kind.
pub fn topology() -> Key {
    let names = TOPOLOGIES.iter().map(|topology| topology.name);
    Key::new("kind", Kind::Choice, "How the nodes are placed.").required().choices(names)
}

/// A number of nodes or hops, to be given, of which at most the given part of all nodes is possible.
fn count(name: &str, doc: &str, unit: &str, least: u32, share: u32) -> Key {
    // Each of them stands for about `share` nodes of the field.
    let range = Range::within(f64::from(least), f64::from(MAX_NODES / share));
    Key::new(name, Kind::Int, doc).unit(unit).required().range(range)
}

fn hops(doc: &str, least: u32, share: u32) -> Key {
    count("hops", doc, "hops", least, share)
}

fn spacing() -> Key {
    Key::new("spacing", Kind::Float, "Distance between neighbours.")
        .unit("m")
        .default(200.0)
        .range(Range::above(0.0))
        .source("fu2003.table1")
}
