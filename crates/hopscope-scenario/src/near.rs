//! Which nodes are within reach of each other.

use hopscope_core::math;
use std::collections::BTreeMap;

/// A place in metres.
pub type Position = [f64; 2];

/// The nodes in each square of a checkerboard.
type Cells = BTreeMap<(i64, i64), Vec<usize>>;

/// The sets of nodes that reach each other over hops of at most `reach` metres: each in rising order, and in the order
/// of their first nodes.
pub fn components(places: &[Position], reach: f64) -> Vec<Vec<usize>> {
    // Squares of no size would hold nothing.
    if reach <= 0.0 {
        return (0..places.len()).map(|node| vec![node]).collect();
    }
    let mut cells = cells(places, reach);
    let mut seen = vec![false; places.len()];
    let mut found = Vec::new();
    for first in 0..places.len() {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let (mut frontier, mut members) = (vec![first], vec![first]);
        while let Some(node) = frontier.pop() {
            for cell in around(places[node], reach) {
                let Some(left) = cells.get_mut(&cell) else { continue };
                // A node that was reached leaves its square, so that a crowd in one place is looked through once, not
                // once a member.
                left.retain(|&other| {
                    let close = distance(places[node], places[other]) <= reach;
                    if close && !std::mem::replace(&mut seen[other], true) {
                        frontier.push(other);
                        members.push(other);
                    }
                    !close
                });
            }
        }
        members.sort_unstable();
        found.push(members);
    }
    found
}

/// The same where the last `wired` nodes have no radio and these wires join nodes.
pub fn joined(places: &[Position], reach: f64, wired: usize, wires: &[[usize; 2]]) -> Vec<Vec<usize>> {
    let radios = places.len().saturating_sub(wired);
    let mut leaders: Vec<usize> = (0..places.len()).collect();
    for nodes in components(&places[..radios], reach) {
        nodes.iter().for_each(|&node| leaders[node] = nodes[0]);
    }
    for &[one, other] in wires {
        let ends = [one, other].map(|node| leader(&mut leaders, node));
        // The smaller number leads, so that sets come out in the order of their first nodes.
        leaders[ends[0].max(ends[1])] = ends[0].min(ends[1]);
    }
    let mut sets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for node in 0..places.len() {
        sets.entry(leader(&mut leaders, node)).or_default().push(node);
    }
    sets.into_values().collect()
}

/// The first node of the set of a node; the way there becomes shorter.
fn leader(leaders: &mut [usize], mut node: usize) -> usize {
    while leaders[node] != node {
        leaders[node] = leaders[leaders[node]];
        node = leaders[node];
    }
    node
}

/// Whether every node reaches every other over hops of at most `reach` metres.
pub fn is_connected(places: &[Position], reach: f64) -> bool {
    components(places, reach).len() <= 1
}

/// For every node the others at most `reach` metres (above 0) away, in rising order.
pub fn near(places: &[Position], reach: f64) -> Vec<Vec<usize>> {
    let cells = cells(places, reach);
    let others = |node: usize| {
        let candidates = around(places[node], reach).filter_map(|cell| cells.get(&cell)).flatten();
        let close = |&other: &usize| other != node && distance(places[node], places[other]) <= reach;
        let mut close: Vec<usize> = candidates.copied().filter(close).collect();
        // Squares come row by row; numbers in rising order keep results apart from how the plane is cut.
        close.sort_unstable();
        close
    };
    (0..places.len()).map(others).collect()
}

fn distance([x, y]: Position, [u, v]: Position) -> f64 {
    math::hypot(u - x, v - y)
}

fn cell([x, y]: Position, size: f64) -> (i64, i64) {
    ((x / size).floor() as i64, (y / size).floor() as i64)
}

fn cells(places: &[Position], size: f64) -> Cells {
    let mut cells = Cells::new();
    for (node, &place) in places.iter().enumerate() {
        cells.entry(cell(place, size)).or_default().push(node);
    }
    cells
}

/// The square of a place and those next to it.
fn around(place: Position, size: f64) -> impl Iterator<Item = (i64, i64)> {
    let (column, row) = cell(place, size);
    // Places may be as far out as a double goes, where the cast to a square has met its end already.
    (0..9).map(move |n| (column.saturating_add(n / 3 - 1), row.saturating_add(n % 3 - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wires_join_what_radio_does_not() {
        let places = [[0.0, 0.0], [200.0, 0.0], [900.0, 0.0], [0.0, 0.0], [0.0, 0.0]];
        let sets = |wires: &[[usize; 2]]| joined(&places, 250.0, 2, wires);
        assert_eq!(sets(&[]), [vec![0, 1], vec![2], vec![3], vec![4]]);
        assert_eq!(sets(&[[2, 3], [3, 1]]), [vec![0, 1, 2, 3], vec![4]]);
        assert_eq!(sets(&[[4, 3], [2, 4], [4, 3]]), [vec![0, 1], vec![2, 3, 4]]);
    }

    #[test]
    fn every_node_is_needed_to_be_connected() {
        assert!(is_connected(&[[0.0, 0.0], [10.0, 0.0], [20.0, 0.0]], 10.0));
        assert!(!is_connected(&[[0.0, 0.0], [10.0, 0.0], [20.1, 0.0]], 10.0));
        assert!(!is_connected(&[[0.0; 2]; 2], 0.0));
    }

    #[test]
    fn sets_and_neighbours_are_in_order() {
        let places = [[900.0, 0.0], [0.0, 0.0], [-9.0, 0.0], [905.0, 3.0], [-18.0, 0.0]];
        assert_eq!(components(&places, 10.0), [vec![0, 3], vec![1, 2, 4]]);
        assert_eq!(near(&places, 10.0), [vec![3], vec![2], vec![1, 4], vec![0], vec![2]]);
    }
}
