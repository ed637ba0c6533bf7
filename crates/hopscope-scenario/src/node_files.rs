//! Node positions in files: CSV of x,y, ns-2 setdest scripts and BonnMotion traces. Where nodes move in a file that is read
//! for their positions, `movement_files.rs` is meant.

use std::collections::BTreeMap;

use crate::columns::{self, Fault, UNITS, cells, column, finite, header, is_number, lines, mark, shown};
use crate::near::Place;

/// The positions in the text of a file, in metres.
///
/// `form` is `csv` (x,y a line, separated by comma, semicolon, tab or blank; more columns need a header that names x and
/// y), `ns2` (lines `$node_(i) set X_ value`), `bonnmotion` (one node a line: `time x y ...`), or `auto`.
///
/// # Errors
/// It holds no positions of that form; the message names the file, `name`, and the line.
pub fn positions(text: &str, name: &str, form: &str) -> Result<Vec<Place>, Fault> {
    let first = lines(text).next().map_or("", |(_, line)| line);
    let table = mark(first).is_some() || first.split_whitespace().count() <= 2;
    let found = match form {
        "ns2" => ns2(text, name),
        "bonnmotion" => bonnmotion(text, name),
        "auto" if text.contains("$node_(") => ns2(text, name),
        // A line of a BonnMotion trace has at least three numbers with blanks between them.
        "auto" if !table => bonnmotion(text, name),
        _ => csv(text, name, mark(first).or_else(|| (!table).then_some(','))),
    }?;
    if found.is_empty() { Err(format!("{name}: holds no positions")) } else { Ok(found) }
}

/// What a file with movement is for.
const FOLLOW: &str = "[mobility] model = \"file\" follows it";

fn metres(name: &str, line: usize, cell: &str) -> Result<f64, Fault> {
    finite(cell).ok_or_else(|| format!("{name}:{line}: {}; expected a number of metres", shown(cell)))
}

fn csv(text: &str, name: &str, mark: Option<char>) -> Result<Vec<Place>, Fault> {
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

/// What a line of a script does to a node.
enum Order<'a> {
    /// It moves.
    Moves,
    /// One of its coordinates is set.
    Set(usize, char, &'a str),
}

/// `$node_(3) set X_ 100.0` or `$node_(3) setdest ...`, wherever it stands in the line.
fn orders(line: &str) -> impl Iterator<Item = Order<'_>> {
    line.split("$node_(").skip(1).filter_map(|part| {
        let (number, rest) = part.split_once(')')?;
        if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) || !rest.starts_with(char::is_whitespace) {
            return None;
        }
        let mut words = rest.split_whitespace();
        match words.next()? {
            "set" => {
                let axis = words.next()?.strip_suffix('_')?;
                let ("X" | "Y" | "Z") = axis else { return None };
                let node = number.parse::<u32>().ok().filter(|&node| node < 1_000_000_000)?;
                Some(Order::Set(node as usize, axis.chars().next()?, words.next()?))
            }
            word => (word == "setdest").then_some(Order::Moves),
        }
    })
}

fn ns2(text: &str, name: &str) -> Result<Vec<Place>, Fault> {
    let moves = |script: &str| orders(script).any(|order| matches!(order, Order::Moves));
    if let Some((line, _)) = lines(text).find(|(_, script)| moves(script)) {
        return Err(format!("{name}:{line}: a node moves (setdest); {FOLLOW}"));
    }
    Ok(begin(text, name)?.into_iter().map(|(_, place)| place).collect())
}

/// Where the nodes of an ns-2 script begin, in the order of their numbers, each with the line that said so last.
///
/// # Errors
/// A position is no number or missing.
pub(crate) fn begin(text: &str, name: &str) -> Result<Vec<(usize, Place)>, Fault> {
    let mut found: BTreeMap<usize, (usize, [Option<f64>; 2])> = BTreeMap::new();
    for (line, script) in lines(text) {
        for order in orders(script) {
            let Order::Set(node, axis, value) = order else { continue };
            let value = metres(name, line, value.trim_matches(['"', ';']))?;
            let (last, place) = found.entry(node).or_default();
            *last = line;
            match axis {
                'X' => place[0] = Some(value),
                'Y' => place[1] = Some(value),
                _ => {}
            }
        }
    }
    let Some(last) = found.keys().next_back().copied() else {
        return Err(format!("{name}: holds no line of the form $node_(0) set X_ 100.0"));
    };
    if let Some(missing) = (0..found.len()).find(|node| !found.contains_key(node)) {
        return Err(format!("{name}: node {missing} has no position, but node {last} has one"));
    }
    let both = |(node, (line, place)): (usize, (usize, [Option<f64>; 2]))| match place {
        [Some(x), Some(y)] => Ok((line, [x, y])),
        _ => Err(format!("{name}: node {node} needs both X_ and Y_")),
    };
    found.into_iter().map(both).collect()
}

fn bonnmotion(text: &str, name: &str) -> Result<Vec<Place>, Fault> {
    let node = |(line, row): (usize, &str)| {
        let cells = columns::cells(row, None);
        if cells.len() % 3 != 0 {
            return Err(format!("{name}:{line}: found {} numbers; expected groups of time, x and y", cells.len()));
        }
        let numbers = cells.iter().map(|cell| metres(name, line, cell)).collect::<Result<Vec<f64>, Fault>>()?;
        if numbers.chunks(3).any(|way| way[1..] != numbers[1..3]) {
            return Err(format!("{name}:{line}: the node moves; {FOLLOW}"));
        }
        Ok([numbers[1], numbers[2]])
    };
    lines(text).map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_three_nodes_in_every_form() {
        let nodes = Ok(vec![[0.0, 0.0], [200.0, 0.0], [400.0, 10.0]]);
        let auto = |text: &str| positions(text, "f", "auto");
        assert_eq!(auto("0,0\n200,0\n\n# note\n400,10\n"), nodes);
        assert_eq!(auto("0 0\n200  0\n400 10 \n"), nodes);
        assert_eq!(auto("id;x_m;y [m]\n0;0;0\n1;200;0\n2;400;10\n"), nodes);
        let script = "# n\n$node_(0) set X_ 0.0\n$node_(0) set Y_ 0.0\n$node_(1) set X_ 200; $node_(1) set Y_ 0\n";
        assert_eq!(auto(&format!("{script}$node_(2) set X_ \"400\"\n$node_(2) set Y_ 10\n")), nodes);
        assert_eq!(auto("0.0 0 0\n0.0 200 0 100.0 200 0\n0.0 400 10\n"), nodes);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let fault = |text: &str| positions(text, "f", "auto").expect_err(text);
        assert!(fault("0,0\n200\n").starts_with("f:2: found 1 columns"));
        assert!(fault("0,0\nabc,1\n").starts_with("f:2: found \"abc\"; expected a number"));
        assert!(fault("0,0\nnan,1\n").starts_with("f:2: found"));
        assert!(fault("0,0\n1,5,2,5\n").starts_with("f:2: found 4 columns; the first line has 2"));
        assert!(fault("1,2,3\n").starts_with("f:1: found 3 columns without a header"));
        assert!(fault("a,b\n1,2\n").starts_with("f:1: the header has no columns x and y"));
        assert_eq!(fault(""), "f: holds no positions");
        assert!(fault("$node_(1) set X_ 1\n$node_(1) set Y_ 1\n").contains("node 0 has no position"));
        assert!(fault("$node_(0) set X_ 1\n").contains("needs both X_ and Y_"));
        assert!(fault("$ns_ at 1.0 \"$node_(0) setdest 1 2 3\"\n").starts_with("f:1: a node moves"));
        assert!(fault("0 1 2 5 9 9\n").starts_with("f:1: the node moves"));
        assert!(fault("0 1 2 3\n").starts_with("f:1: found 4 numbers"));
    }
}
