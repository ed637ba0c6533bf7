//! Traffic patterns: the ends of the flows that a `[[flow]]` table with `pattern` stands for.

use std::collections::BTreeSet;

use crate::draw::Draws;
use crate::near::{Position, components};
use crate::topology::{PlacementError, Topology};
use crate::words::general;

/// The first and the last node of each flow.
pub type Ends = Vec<(usize, usize)>;

/// The flows that cross a topology as is usual for its kind: as many as are usual where no number is given.
///
/// A chain has one flow from end to end; a cross one along each line; a grid some along its rows and as many along its
/// columns, spread evenly (fu2003, section 3); a parking lot one from each entrance to the exit; a Y one from each branch
/// to the end of the stem; an access point one from the first wired node to the end of each arm; a star one from the end of each arm to node 0; a ring some to the opposite node, from evenly
/// spread sources.
///
/// # Errors
/// The topology has no such flows, or is too small for so many.
pub fn across(topology: &Topology, kind: &str, flows: Option<usize>) -> Result<Ends, PlacementError> {
    let mut usual = None;
    let ends: Ends = match *topology {
        Topology::Grid { rows, cols, .. } => return grid(rows, cols, flows),
        Topology::Ring { nodes, .. } => {
            usual = Some(1);
            // All of them; which are taken follows from their number below.
            (0..nodes).map(|node| (node, (node + nodes / 2) % nodes)).collect()
        }
        Topology::Chain { hops, .. } => vec![(0, hops)],
        Topology::Cross { hops, .. } => vec![(0, hops), (hops + 1, 2 * hops)],
        Topology::ParkingLot { hops, .. } => {
            std::iter::once(0).chain(hops + 1..2 * hops).map(|node| (node, hops)).collect()
        }
        Topology::Y { hops, stem, .. } => {
            let last = hops + stem.unwrap_or(hops);
            vec![(0, last), (last + 1, last)]
        }
        Topology::Star { arms, hops, .. } => (1..=arms).map(|arm| (arm * hops, 0)).collect(),
        Topology::Access { arms, hops, .. } => {
            let host = arms * hops + 1;
            let far = [0, arms * hops].into_iter().skip(2 - arms);
            // A single arm ends at its last node alone: node 0 is the access point itself.
            far.map(|node| (host, node)).collect()
        }
        Topology::Random { .. } | Topology::Positions { .. } | Topology::Wired {} | Topology::File {} => {
            let message = "has no meaning for a topology of kind";
            return Err(PlacementError::new(
                "pattern",
                format!("\"across\" {message} \"{kind}\"; give from and to, or \"random\""),
            ));
        }
    };
    let flows = flows.or(usual).unwrap_or(ends.len());
    if flows > ends.len() {
        return Err(too_small(
            flows,
            &format!(
                "at most {} cross a {kind} of this size; more of them between the same nodes need tables of their own",
                ends.len()
            ),
        ));
    }
    // Spread over the sources, so that few flows on a ring do not all lie on one side of it.
    Ok((0..flows).map(|i| ends[i * ends.len() / flows]).collect())
}

/// Distinct pairs of nodes, each pair that reach each other over hops of at most `reach` metres as likely as any other.
/// The same seed gives the same pairs on every machine.
///
/// # Errors
/// Fewer pairs reach each other.
pub fn drawn(places: &[Position], reach: f64, flows: usize, seed: u64) -> Result<Ends, PlacementError> {
    let joined: Vec<Vec<usize>> = components(places, reach).into_iter().filter(|members| members.len() > 1).collect();
    let pairs: usize = joined.iter().map(|members| members.len() * (members.len() - 1)).sum();
    if flows > pairs {
        let reach = general(reach);
        let why =
            format!("it has {pairs} pairs of nodes that reach each other over hops within radio.tx_range = {reach} m");
        return Err(PlacementError::new("copies", format!("the topology is too small for {flows} flows: {why}")));
    }
    // A number for every pair, drawn again where it was drawn before: pairs are equally likely, and none is listed.
    let mut draws = Draws::new(seed);
    let (mut taken, mut ends) = (BTreeSet::new(), Ends::with_capacity(flows));
    while ends.len() < flows {
        let number = (draws.number() * pairs as f64) as usize;
        if taken.insert(number) {
            ends.extend(pair(&joined, number));
        }
    }
    Ok(ends)
}

/// The pair with this number when all pairs of all sets are counted through.
fn pair(joined: &[Vec<usize>], mut number: usize) -> Option<(usize, usize)> {
    for members in joined {
        let others = members.len() - 1;
        if number < members.len() * others {
            let (source, target) = (number / others, number % others);
            // The source itself is skipped: there are n - 1 targets for each.
            return Some((members[source], members[target + usize::from(target >= source)]));
        }
        number -= members.len() * others;
    }
    None
}

fn grid(rows: usize, cols: usize, flows: Option<usize>) -> Result<Ends, PlacementError> {
    let directions = usize::from(cols > 1) + usize::from(rows > 1);
    if directions == 0 {
        return Err(PlacementError::new("copies", "the topology is too small for a flow: it has one node"));
    }
    let flows = flows.unwrap_or(directions);
    let along_rows = match (rows, cols) {
        (_, 1) => 0,
        (1, _) => flows,
        // Of an odd number the rows have one more.
        _ => flows.div_ceil(2),
    };
    let along_cols = flows - along_rows;
    for (wanted, lines, name) in [(along_rows, rows, "rows"), (along_cols, cols, "columns")] {
        if wanted > lines {
            let why = "of them run along its rows or columns each on a line of its own, and it has";
            return Err(too_small(flows, &format!("{wanted} {why} {lines} {name}")));
        }
    }
    let across = spread(rows, along_rows).map(|row| (row * cols, row * cols + cols - 1));
    let down = spread(cols, along_cols).map(|col| (col, (rows - 1) * cols + col));
    Ok(across.chain(down).collect())
}

/// So many of the lines, evenly apart and as far from both edges.
fn spread(lines: usize, chosen: usize) -> impl Iterator<Item = usize> {
    // The middle of each of `chosen` equal shares.
    (0..chosen).map(move |i| (2 * i + 1) * lines / (2 * chosen))
}

fn too_small(flows: usize, why: &str) -> PlacementError {
    PlacementError::new("copies", format!("the topology is too small for {flows} flows: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_flows_of_each_kind() {
        let spacing = 200.0;
        let ends = |topology: Topology| across(&topology, "k", None).expect("flows");
        assert_eq!(ends(Topology::Chain { hops: 4, spacing }), [(0, 4)]);
        assert_eq!(ends(Topology::Cross { hops: 6, spacing }), [(0, 6), (7, 12)]);
        assert_eq!(ends(Topology::ParkingLot { hops: 3, spacing }), [(0, 3), (4, 3), (5, 3)]);
        assert_eq!(ends(Topology::Y { hops: 2, stem: Some(1), spacing }), [(0, 3), (4, 3)]);
        assert_eq!(ends(Topology::Star { arms: 3, hops: 2, spacing }), [(2, 0), (4, 0), (6, 0)]);
        assert_eq!(ends(Topology::Ring { nodes: 7, spacing }), [(0, 3)]);
        assert_eq!(ends(Topology::Grid { rows: 3, cols: 4, spacing }), [(4, 7), (2, 10)]);
        assert_eq!(across(&Topology::File {}, "file", None).expect_err("refused").key, "pattern");
    }

    #[test]
    fn random_pairs_are_distinct_and_within_reach() {
        let places: Vec<Position> = (0..5).map(|i| [200.0 * f64::from(i), 0.0]).chain([[9000.0, 0.0]]).collect();
        let ends = drawn(&places, 250.0, 20, 1).expect("all pairs of five nodes");
        assert_eq!(ends.iter().collect::<BTreeSet<_>>().len(), 20);
        assert!(ends.iter().all(|&(a, b)| a != b && a < 5 && b < 5));
        assert!(drawn(&places, 250.0, 21, 1).expect_err("refused").message.contains("it has 20 pairs"));
    }
}
