//! Movement in files: ns-2 scripts (CMU's and other `setdest`, SUMO's ns-2 export) and BonnMotion traces.
//!
//! `$node_(i) setdest x y v` at a time begins at once from wherever the node is, also in the middle of another way, goes
//! straight at constant speed and stops there. A line of a BonnMotion trace is the way of one node: `time x y ...`.

use std::collections::BTreeMap;

use crate::columns::{self, Fault, finite, lines, nanoseconds, shown};
use crate::near::Place;
use crate::node_files;
use crate::read::LONGEST_S;

/// The way of a node: nanoseconds with its place in metres; straight lines in between.
pub type Path = Vec<(u64, Place)>;

/// CMU's setdest tells of a pause by a destination where the node is, at no speed; how far off it may be, metres.
const HERE: f64 = 0.1;
/// How far rounding may put a place beyond the border, metres.
const BORDER: f64 = 1e-3;

/// A destination that a node is sent to.
struct Order {
    line: usize,
    /// Seconds.
    at: f64,
    to: Place,
    /// m/s.
    speed: f64,
}

/// The area that nodes have to stay in, from the origin on: width and height in metres.
pub type Area = Option<[f64; 2]>;

/// The ways of all nodes in the text of a file; the first place of each is where it begins.
///
/// `form` is `ns2`, `bonnmotion`, or `auto`.
///
/// # Errors
/// A line is wrong, or a node leaves the area; the message names the file, `name`, and the line.
pub fn movement(text: &str, name: &str, form: &str, area: Area) -> Result<Vec<Path>, Fault> {
    match form {
        "ns2" => ns2(text, name, area),
        "bonnmotion" => bonnmotion(text, name, area),
        _ if text.contains("$node_(") => ns2(text, name, area),
        _ => bonnmotion(text, name, area),
    }
}

fn inside(place: Place, area: Area, name: &str, line: usize) -> Result<Place, Fault> {
    let Some([width, height]) = area else { return Ok(place) };
    let [x, y] = place;
    let fits = |length: f64, side: f64| (-BORDER..=side + BORDER).contains(&length);
    if fits(x, width) && fits(y, height) {
        return Ok([x.clamp(0.0, width), y.clamp(0.0, height)]);
    }
    Err(format!("{name}:{line}: the node is at {x}, {y}, outside the area of {width} m x {height} m"))
}

fn number(name: &str, line: usize, word: Option<&str>, wanted: &str) -> Result<f64, Fault> {
    let word = word.unwrap_or("").trim_matches(['"', ';']);
    finite(word).ok_or_else(|| format!("{name}:{line}: {}; expected {wanted}", shown(word)))
}

fn time(name: &str, line: usize, word: Option<&str>) -> Result<f64, Fault> {
    let seconds = number(name, line, word, "a time in seconds")?;
    if (0.0..=LONGEST_S as f64 / 2.0).contains(&seconds) {
        return Ok(seconds);
    }
    Err(format!("{name}:{line}: found {seconds} s; expected a time of at least 0 s"))
}

/// The number of a node in `$node_(3) ...`, and what follows it.
fn of_node<'t>(name: &str, line: usize, text: &'t str) -> Result<(usize, &'t str), Fault> {
    let bad = || format!("{name}:{line}: found {:?}; expected $node_(NUMBER) setdest X Y SPEED", text.trim());
    let (number, rest) = text.trim_start().strip_prefix("$node_(").and_then(|t| t.split_once(')')).ok_or_else(bad)?;
    Ok((number.trim().parse::<u32>().ok().ok_or_else(bad)? as usize, rest))
}

fn ns2(text: &str, name: &str, area: Area) -> Result<Vec<Path>, Fault> {
    let begin = node_files::begin(text, name)?;
    let mut orders: BTreeMap<usize, Vec<Order>> = BTreeMap::new();
    for (line, script) in lines(text).filter(|(_, script)| script.contains("setdest")) {
        // $ns_ at 2.0 "$node_(3) setdest 1.0 2.0 3.0"
        let (before, command) = script.split_once('"').unwrap_or(("", script));
        let mut words = before.split_whitespace().skip_while(|word| *word != "at").skip(1);
        let at = if before.is_empty() { 0.0 } else { time(name, line, words.next())? };
        let (node, rest) = of_node(name, line, command)?;
        let mut words = rest.split_whitespace();
        if words.next() != Some("setdest") {
            return Err(format!("{name}:{line}: found {:?}; expected setdest X Y SPEED", rest.trim()));
        }
        let mut metres = || number(name, line, words.next(), "a number of metres");
        let to = inside([metres()?, metres()?], area, name, line)?;
        let speed = number(name, line, words.next(), "a speed in m/s")?;
        if speed < 0.0 {
            return Err(format!("{name}:{line}: found a speed of {speed} m/s; it must be above 0"));
        }
        if node >= begin.len() {
            let last = begin.len() - 1;
            return Err(format!("{name}:{line}: node {node} has no position; nodes are 0 to {last}"));
        }
        orders.entry(node).or_default().push(Order { line, at, to, speed });
    }
    let way = |(node, (line, home)): (usize, (usize, Place))| {
        let home = inside(home, area, name, line)?;
        let mut given = orders.remove(&node).unwrap_or_default();
        given.sort_by(|a, b| a.at.total_cmp(&b.at));
        follow(home, &given, name)
    };
    begin.into_iter().enumerate().map(way).collect()
}

/// The way of a node that begins at a place and follows orders, in their order.
fn follow(home: Place, orders: &[Order], name: &str) -> Result<Path, Fault> {
    // Where and when it last set out, and for where.
    let (mut since, mut from, mut to, mut speed) = (0.0, home, home, 0.0);
    let mut path = vec![(0, home)];
    let put = |path: &mut Path, at: f64, place: Place| {
        let at = nanoseconds(at);
        if path.last() != Some(&(at, place)) {
            path.push((at, place));
        }
    };
    for order in orders {
        let way = distance(from, to);
        let arrival = if way > 0.0 { since + way / speed } else { since };
        let here = if order.at >= arrival {
            put(&mut path, arrival, to);
            to
        } else {
            let done = (order.at - since) / (arrival - since);
            [0, 1].map(|axis| from[axis] + done * (to[axis] - from[axis]))
        };
        let Order { line, at, .. } = *order;
        put(&mut path, at, here);
        (since, from, to, speed) = (at, here, order.to, order.speed);
        if speed == 0.0 {
            if distance(here, to) > HERE {
                let [x, y] = to;
                return Err(format!("{name}:{line}: found a speed of 0 m/s; {x}, {y} would never be reached"));
            }
            to = here;
        }
    }
    if distance(from, to) > 0.0 {
        put(&mut path, since + distance(from, to) / speed, to);
    }
    Ok(path)
}

fn distance(a: Place, b: Place) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

fn bonnmotion(text: &str, name: &str, area: Area) -> Result<Vec<Path>, Fault> {
    let node = |(line, row): (usize, &str)| {
        let cells = columns::cells(row, None);
        if cells.is_empty() || cells.len() % 3 != 0 {
            return Err(format!("{name}:{line}: found {} numbers; expected groups of time, x and y", cells.len()));
        }
        let mut path = Path::new();
        for way in cells.chunks(3) {
            let at = time(name, line, Some(&way[0]))?;
            let metres = |cell: &String| number(name, line, Some(cell), "a number of metres");
            let place = inside([metres(&way[1])?, metres(&way[2])?], area, name, line)?;
            let at = nanoseconds(at);
            if path.last().is_some_and(|&(before, _)| at < before) {
                return Err(format!("{name}:{line}: time {} comes after a later one", way[0]));
            }
            path.push((at, place));
        }
        Ok(path)
    };
    let paths: Vec<Path> = lines(text).map(node).collect::<Result<_, Fault>>()?;
    if paths.is_empty() { Err(format!("{name}: holds no movement")) } else { Ok(paths) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn fault(text: &str) -> String {
        movement(text, "f", "auto", Some([500.0, 300.0])).expect_err(text)
    }

    fn home(node: u32) -> String {
        format!("$node_({node}) set X_ 0.0\n$node_({node}) set Y_ 0.0\n$node_({node}) set Z_ 0.0\n")
    }

    #[test]
    fn destinations_are_followed_at_their_speeds_also_from_the_middle_of_a_way() {
        let text = format!(
            "{}$god_ set-dist 0 1 2\n$ns_ at 2.0 \"$node_(0) setdest 100.0 0.0 10.0\"\n$ns_ at 20.0 \"$node_(0) setdest 100 40 4\"\n$ns_ at 25.0 \"$node_(0) setdest 0.0 20.0 5.0\"\n",
            home(0)
        );
        let found = movement(&text, "f", "auto", None).expect("movement");
        let path = vec![
            (0, [0.0, 0.0]),
            (2 * S, [0.0, 0.0]),
            (12 * S, [100.0, 0.0]),
            (20 * S, [100.0, 0.0]),
            (25 * S, [100.0, 20.0]),
            (45 * S, [0.0, 20.0]),
        ];
        assert_eq!(found, [path]);
    }

    #[test]
    fn sumo_and_cmu_write_a_pause_as_no_speed() {
        let text = format!("{}$ns_ at 1.0 \"$node_(0) setdest 0.0 0.0 0.0\"\n", home(0));
        assert_eq!(movement(&text, "f", "ns2", None), Ok(vec![vec![(0, [0.0; 2]), (S, [0.0; 2])]]));
    }

    #[test]
    fn a_bonnmotion_line_is_the_way_of_a_node() {
        let found = movement("0 1 2 10 11 2\n0.5 3 4\n", "f", "auto", None);
        assert_eq!(found, Ok(vec![vec![(0, [1.0, 2.0]), (10 * S, [11.0, 2.0])], vec![(S / 2, [3.0, 4.0])]]));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let one = |line: &str| fault(&format!("{}{line}\n", home(0)));
        assert!(one("$ns_ at 1.0 \"$node_(0) setdest 100 x 5\"").starts_with("f:4: found \"x\"; expected a number"));
        assert!(one("$ns_ at -1.0 \"$node_(0) setdest 100 1 5\"").starts_with("f:4: found -1 s"));
        assert!(one("$ns_ at 1.0 \"$node_(0) setdest 100 1\"").starts_with("f:4: found \"\"; expected a speed"));
        assert!(one("$ns_ at 1.0 \"$node_(0) setdest 100 1 0\"").starts_with("f:4: found a speed of 0 m/s"));
        assert!(one("$ns_ at 1.0 \"$node_(0) setdest 100 1 -2\"").starts_with("f:4: found a speed of -2 m/s"));
        assert!(one("$ns_ at 1.0 \"$node_(0) setdest 501 1 2\"").starts_with("f:4: the node is at 501, 1, outside"));
        assert!(one("$ns_ at 1.0 \"$node_(7) setdest 1 1 2\"").starts_with("f:4: node 7 has no position"));
        assert!(one("$ns_ at 1.0 \"$nod(0) setdest 1 1 2\"").starts_with("f:4: found \"$nod(0) setdest"));
        assert!(fault("0 1 2 5 9\n").starts_with("f:1: found 5 numbers"));
        assert!(fault("0 1 2\n0 1 2 9 1 1 8 2 2\n").starts_with("f:2: time 8 comes after a later one"));
        assert!(fault("0 1 2\n0 1 301\n").starts_with("f:2: the node is at 1, 301, outside"));
        assert_eq!(fault(""), "f: holds no movement");
    }
}
