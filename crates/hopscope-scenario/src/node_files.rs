//! Node positions in files: CSV of x,y, ns-2 setdest scripts and BonnMotion traces. Where nodes move in a file that is read
//! for their positions, `movement_files.rs` is meant.

use std::collections::BTreeMap;

use crate::bonnmotion_files;
use crate::columns::{Fault, UNITS, cells, column, finite, header, is_number, lines, mark, shown};
use crate::fcd_files;
use crate::near::Position;
use crate::ns2::{self, At, Script};

/// The positions in the text of a file, in metres.
///
/// `form` is `csv` (x,y a line, separated by comma, semicolon, tab or blank; more columns need a header that names x and
/// y), `ns2` (lines `$node_(i) set X_ value`), `bonnmotion` (one node a line: `time x y ...`), `fcd` (SUMO), or `auto`;
/// `params` is the text of a `.params` next to it, which BonnMotion writes.
///
/// # Errors
/// It holds no positions of that form; the message names the file, `name`, and the line.
pub fn positions(text: &str, name: &str, form: &str, params: Option<&str>) -> Result<Positions, Fault> {
    let first = lines(text).next().map_or("", |(_, line)| line);
    // Two numbers, or any sign that separates columns, are a table; more numbers with blanks are BonnMotion's.
    let table = mark(first).is_some() || first.split_whitespace().count() <= 2;
    let places = match form {
        "ns2" => return ns2(text, name),
        "bonnmotion" => bonnmotion(text, name, params),
        "fcd" => fcd(text, name),
        "auto" if text.trim_start().starts_with('<') => fcd(text, name),
        "auto" if ns2::looks_like(text) => return ns2(text, name),
        // A line of a BonnMotion trace has at least three numbers with blanks between them.
        "auto" if !table => bonnmotion(text, name, params),
        // `form = "csv"` over three numbers with blanks: as one cell, so that the error shows all of them and takes
        // none for y.
        _ => csv(text, name, mark(first).or_else(|| (!table).then_some(','))),
    }?;
    if places.is_empty() {
        return Err(format!("{name}: holds no positions"));
    }
    Ok(Positions { places, ..Positions::default() })
}

/// What a file with movement is for.
const FOLLOW: &str = "[mobility] model = \"file\" follows it";
/// What one with traffic is for.
pub(crate) const SENDS: &str = "the file holds traffic; a [[flow]] with pattern = \"file\" and this path follows it";
/// Numbers below the highest that no node need have: each becomes a node whose radio is off.
const MOST_UNUSED: usize = 10_000;

/// The positions in a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Positions {
    /// Places of the nodes in metres.
    pub places: Vec<Position>,
    /// Numbers that no node has: their places mean nothing.
    pub unused: Vec<usize>,
    /// What else the file holds, which another key has to follow.
    pub other: Option<Fault>,
}

fn metres(name: &str, line: usize, cell: &str) -> Result<f64, Fault> {
    finite(cell).ok_or_else(|| format!("{name}:{line}: {}; expected a number of metres", shown(cell)))
}

fn csv(text: &str, name: &str, mark: Option<char>) -> Result<Vec<Position>, Fault> {
    let rows = lines(text).map(|(line, row)| (line, cells(row, mark)));
    let mut rows = rows.filter(|(_, row)| row.iter().any(|cell| !cell.is_empty())).peekable();
    let Some((line, first)) = rows.peek().cloned() else { return Ok(Vec::new()) };
    let (mut x, mut y) = (0, 1);
    if !is_number(&first[0]) {
        let place = |word: &str| column(&first, &[word], &UNITS);
        let (Some(column_x), Some(column_y)) = (place("x"), place("y")) else {
            return Err(format!("{name}:{line}: the header has no columns x and y, but {}", header(&first)));
        };
        (x, y) = (column_x, column_y);
        rows.next();
    } else if first.len() > 2 {
        // x,y,z and number,x,y look alike.
        let wanted = "expected x and y, or a header that names the columns x and y";
        return Err(format!("{name}:{line}: found {} columns without a header; {wanted}", first.len()));
    }
    rows.map(|(line, row)| {
        let columns = row.len();
        if columns <= x.max(y) {
            return Err(format!("{name}:{line}: found {columns} columns; expected x and y"));
        }
        // A decimal comma makes two columns of a number.
        if row.iter().skip(first.len()).any(|cell| !cell.is_empty()) {
            return Err(format!("{name}:{line}: found {columns} columns; the first line has {}", first.len()));
        }
        Ok([metres(name, line, &row[x])?, metres(name, line, &row[y])?])
    })
    .collect()
}

fn ns2(text: &str, name: &str) -> Result<Positions, Fault> {
    let script = ns2::read(text, name, &mut ns2::closed).part()?;
    if let Some(order) = script.nodes.values().flat_map(|node| &node.orders).min_by_key(|order| order.at) {
        return Err(script.fault(order.at, &format!("a node moves (setdest); {FOLLOW}")));
    }
    // Movement is looked at first: its message helps more than one about places.
    let begin = begin(&script, name)?;
    let places = (0..begin.count).map(|node| begin.places.get(&node).map_or([0.0; 2], |(_, place)| *place)).collect();
    let other = script.traffic().map(|at| script.fault(at, SENDS));
    Ok(Positions { places, unused: begin.unused().collect(), other })
}

/// Where the nodes of an ns-2 script begin.
pub(crate) struct Begin {
    /// The places with the statements that set them, by the numbers of the nodes.
    pub places: BTreeMap<usize, (At, Position)>,
    /// One more than the highest number.
    pub count: usize,
}

impl Begin {
    /// Numbers that no node has.
    pub fn unused(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.count).filter(|node| !self.places.contains_key(node))
    }
}

/// Where the nodes of a script begin.
///
/// # Errors
/// A position is missing, or too many numbers are not used.
pub(crate) fn begin(script: &Script, name: &str) -> Result<Begin, Fault> {
    let mut places = BTreeMap::new();
    for (number, node) in &script.nodes {
        match (node.position, node.orders.first()) {
            ([Some((at, x)), Some((other, y))], _) => {
                places.insert(*number, (at.max(other), [x, y]));
            }
            ([None, None], None) => {}
            ([None, None], Some(order)) => {
                return Err(script.fault(order.at, &format!("node {number} has no position")));
            }
            ([Some((at, _)), None] | [None, Some((at, _))], _) => {
                return Err(script.fault(at, &format!("node {number} needs both X_ and Y_")));
            }
        }
    }
    let Some(last) = places.keys().next_back().copied() else {
        return Err(format!("{name}: holds no line of the form $node_(0) set X_ 100.0"));
    };
    // Numbers are those of the script, gaps included, so that its traffic names the same nodes.
    let (count, unused) = (last + 1, last + 1 - places.len());
    if unused > MOST_UNUSED {
        return Err(format!(
            "{name}: the number {last} leaves {unused} numbers without a node; at most {MOST_UNUSED} may be"
        ));
    }
    Ok(Begin { places, count })
}

fn bonnmotion(text: &str, name: &str, params: Option<&str>) -> Result<Vec<Position>, Fault> {
    let node = |(line, row): bonnmotion_files::Row| match row.as_slice() {
        // A node that rests may have several times with one place.
        [(_, first), rest @ ..] if rest.iter().all(|(_, place)| place == first) => Ok(*first),
        _ => Err(format!("{name}:{line}: the node moves; {FOLLOW}")),
    };
    bonnmotion_files::rows(text, name, params)?.into_iter().map(node).collect()
}

fn fcd(text: &str, name: &str) -> Result<Vec<Position>, Fault> {
    fcd_files::places(fcd_files::movement(text, name)?).ok_or_else(|| format!("{name}: vehicles move; {FOLLOW}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_three_nodes_in_every_form() {
        let nodes = Ok(vec![[0.0, 0.0], [200.0, 0.0], [400.0, 10.0]]);
        let auto = |text: &str| positions(text, "f", "auto", None).map(|found| found.places);
        assert_eq!(auto("0,0\n200,0\n\n# note\n400,10\n"), nodes);
        assert_eq!(auto("0 0\n200  0\n400 10 \n"), nodes);
        assert_eq!(auto("id;x_m;y [m]\n0;0;0\n1;200;0\n2;400;10\n"), nodes);
        let script = "# n\n$node_(0) set X_ 0.0\n$node_(0) set Y_ 0.0\n$node_(1) set X_ 200; $node_(1) set Y_ 0\n";
        assert_eq!(auto(&format!("{script}$node_(2) set X_ \"400\"\n$node_(2) set Y_ 10\n")), nodes);
        assert_eq!(auto("0.0 0 0\n0.0 200 0 100.0 200 0\n0.0 400 10\n"), nodes);
    }

    #[test]
    fn a_number_without_a_node_is_left_out() {
        let found = positions("$node_(2) set X_ 1\n$node_(2) set Y_ 2\n", "f", "auto", None).expect("positions");
        assert_eq!((found.places, found.unused), (vec![[0.0; 2], [0.0; 2], [1.0, 2.0]], vec![0, 1]));
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_line() {
        let fault = |text: &str| positions(text, "f", "auto", None).expect_err(text);
        assert!(fault("0,0\n200\n").starts_with("f:2: found 1 columns"));
        assert!(fault("0,0\nabc,1\n").starts_with("f:2: found \"abc\"; expected a number"));
        assert!(fault("0,0\nnan,1\n").starts_with("f:2: found"));
        assert!(fault("0,0\n1,5,2,5\n").starts_with("f:2: found 4 columns; the first line has 2"));
        assert!(fault("1,2,3\n").starts_with("f:1: found 3 columns without a header"));
        assert!(fault("a,b\n1,2\n").starts_with("f:1: the header has no columns x and y"));
        assert_eq!(fault(""), "f: holds no positions");
        assert_eq!(fault("$node_(0) set X_ 1\n"), "f:1: node 0 needs both X_ and Y_");
        assert!(fault("$node_(0) set Z_ 7\n").starts_with("f:1: found a height of 7 m"));
        assert!(fault("$node_(0) sett X_ 7\n").starts_with("f:1: sett of a node is not followed"));
        assert!(
            fault("$node_(99999) set X_ 1; $node_(99999) set Y_ 1\n").contains("leaves 99999 numbers without a node")
        );
        assert!(fault("$ns_ at 1.0 \"$node_(0) setdest 1 2 3\"\n").starts_with("f:1: a node moves"));
        assert!(fault("0 1 2 5 9 9\n").starts_with("f:1: the node moves"));
        assert!(fault("0 1 2 3 4\n").starts_with("f:1: found 5 numbers"));
    }
}
