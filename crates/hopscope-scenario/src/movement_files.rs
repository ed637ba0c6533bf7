//! Movement in files: ns-2 scripts (CMU's and other `setdest`, SUMO's ns-2 export), BonnMotion traces and SUMO's floating
//! car data.
//!
//! `$node_(i) setdest x y v` at a time begins at once from wherever the node is, also in the middle of another way, goes
//! straight at constant speed and stops there. A line of a BonnMotion trace is the way of one node: `time x y ...`.

use crate::bonnmotion_files;
use crate::columns::{Fault, nanoseconds};
use crate::fcd_files;
use crate::near::Position;
use crate::node_files;
use crate::ns2::{self, Order};
use crate::read::LONGEST_S;
use hopscope_core::math;

/// The way of a node: nanoseconds with its place in metres; straight lines in between.
pub type Path = Vec<(u64, Position)>;

/// How far rounding may put a place beyond the border, metres.
const BORDER: f64 = 1e-3;

/// A time in which a node is not there: its radio neither sends nor hears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Off {
    /// The node.
    pub node: usize,
    /// From when on, nanoseconds.
    pub from: u64,
    /// Up to when, nanoseconds; none: for good.
    pub to: Option<u64>,
}

/// What a file says of the movement of nodes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Movement {
    /// The ways of all nodes; the first place of each is where it begins.
    pub paths: Vec<Path>,
    /// Times in which nodes are not there.
    pub off: Vec<Off>,
    /// The earliest time, nanoseconds, of a file that says at all times where its nodes are.
    pub first: Option<u64>,
    /// What else the file holds, which another key has to follow.
    pub other: Option<Fault>,
}

impl Movement {
    /// The same with times that count from the earliest one.
    #[must_use]
    pub fn from_first(mut self) -> Movement {
        let Some(first) = self.first.replace(0) else { return self };
        self.paths.iter_mut().flatten().for_each(|(at, _)| *at -= first);
        // A time off that was over before the first step: nothing is left of it.
        self.off.retain(|off| off.to.is_none_or(|to| to > first));
        for off in &mut self.off {
            off.from = off.from.saturating_sub(first);
            off.to = off.to.map(|to| to - first);
        }
        self
    }
}

/// The area that nodes have to stay in, from the origin on: width and height in metres.
pub type Area = Option<[f64; 2]>;

/// The movement in the text of a file.
///
/// `form` is `ns2`, `bonnmotion`, `fcd`, or `auto`; `params` is the text of a `.params` next to it, which BonnMotion writes.
///
/// # Errors
/// A statement is not followed, or a node leaves the area; the message names the file, `name`, and the line.
pub fn movement(text: &str, name: &str, form: &str, area: Area, params: Option<&str>) -> Result<Movement, Fault> {
    match form {
        "ns2" => ns2(text, name, area),
        "bonnmotion" => bonnmotion(text, name, area, params),
        "fcd" => fcd(text, name, area),
        // XML is known by its first sign, a script by what it assigns; numbers alone are left for BonnMotion.
        _ if text.trim_start().starts_with('<') => fcd(text, name, area),
        _ if ns2::looks_like(text) => ns2(text, name, area),
        _ => bonnmotion(text, name, area, params),
    }
}

fn inside(place: Position, area: Area) -> Result<Position, String> {
    let Some([width, height]) = area else { return Ok(place) };
    let [x, y] = place;
    let fits = |length: f64, side: f64| (-BORDER..=side + BORDER).contains(&length);
    if fits(x, width) && fits(y, height) {
        // Files round to millimetres or less, and a node at the border then stands a hair outside.
        return Ok([x.clamp(0.0, width), y.clamp(0.0, height)]);
    }
    Err(format!("the node is at {x}, {y}, outside the area of {width} m x {height} m"))
}

fn ns2(text: &str, name: &str, area: Area) -> Result<Movement, Fault> {
    let script = ns2::read(text, name, &mut ns2::closed).part()?;
    let begin = node_files::begin(&script, name)?;
    // Not refused here: a [[flow]] may follow the same file, which only the resolver sees.
    let other = script.traffic().map(|at| script.fault(at, node_files::SENDS));
    let path = |node: usize| -> Result<Path, Fault> {
        let Some((at, home)) = begin.places.get(&node).copied() else { return Ok(vec![(0, [0.0; 2])]) };
        let orders = script.nodes.get(&node).map_or(&[][..], |node| &node.orders);
        let inside = |at, place| inside(place, area).map_err(|why| script.fault(at, &why));
        let orders: Vec<Order> = orders
            .iter()
            .map(|order| Ok(Order { to: inside(order.at, order.to)?, ..*order }))
            .collect::<Result<_, Fault>>()?;
        Ok(follow(inside(at, home)?, &orders))
    };
    let paths = (0..begin.count).map(path).collect::<Result<_, Fault>>()?;
    let off = begin.unused().map(|node| Off { node, from: 0, to: None }).collect();
    Ok(Movement { paths, off, first: None, other })
}

/// The way of a node that begins at a place and follows orders, in their order.
pub(crate) fn follow(home: Position, orders: &[Order]) -> Path {
    // Where and when it last set out, and for where.
    // Home to home: a length of zero, so that the speed of zero divides nothing.
    let (mut since, mut from, mut to, mut speed) = (0.0, home, home, 0.0);
    let mut path = vec![(0, home)];
    let put = |path: &mut Path, at: f64, place: Position| {
        let at = nanoseconds(at);
        // An arrival at the very instant of the next order is one point.
        if path.last() != Some(&(at, place)) {
            path.push((at, place));
        }
    };
    for order in orders {
        let length = distance(from, to);
        let arrival = if length > 0.0 { since + length / speed } else { since };
        let here = if order.time >= arrival {
            put(&mut path, arrival, to);
            to
        } else {
            // A new order overtakes the old one: it turns off from where it is by then, as ns-2's MobileNode does.
            let done = (order.time - since) / (arrival - since);
            [0, 1].map(|axis| from[axis] + done * (to[axis] - from[axis]))
        };
        put(&mut path, order.time, here);
        // At no speed it rests where it is, whatever the destination.
        let next = if order.speed == 0.0 { here } else { order.to };
        (since, from, to, speed) = (order.time, here, next, order.speed);
    }
    if distance(from, to) > 0.0 {
        put(&mut path, since + distance(from, to) / speed, to);
    }
    path
}

fn distance(a: Position, b: Position) -> f64 {
    math::hypot(a[0] - b[0], a[1] - b[1])
}

fn bonnmotion(text: &str, name: &str, area: Area, params: Option<&str>) -> Result<Movement, Fault> {
    let node = |(line, row): bonnmotion_files::Row| {
        let mut path = Path::new();
        for (seconds, place) in row {
            let wrong = |why: String| format!("{name}:{line}: {why}");
            if !(0.0..=LONGEST_S as f64 / 2.0).contains(&seconds) {
                return Err(wrong(format!("found {seconds} s; expected a time of at least 0 s")));
            }
            let (at, place) = (nanoseconds(seconds), inside(place, area).map_err(wrong)?);
            if path.last().is_some_and(|&(before, _)| at < before) {
                return Err(wrong(format!("time {seconds} comes after a later one")));
            }
            path.push((at, place));
        }
        Ok(path)
    };
    let rows = bonnmotion_files::rows(text, name, params)?;
    let paths: Vec<Path> = rows.into_iter().map(node).collect::<Result<_, Fault>>()?;
    let first = paths.iter().filter_map(|path| path.first()).map(|(at, _)| *at).min();
    if first.is_none() {
        return Err(format!("{name}: holds no movement"));
    }
    // BonnMotion's times say when a node is where; the first of them may lie far from zero, which `time_origin` can
    // cut off.
    Ok(Movement { paths, first, ..Movement::default() })
}

fn fcd(text: &str, name: &str, area: Area) -> Result<Movement, Fault> {
    let mut found = fcd_files::movement(text, name)?;
    for place in found.paths.iter_mut().flatten().map(|(_, place)| place) {
        // Without a line: the reader of XML has put the places of many lines into one way.
        *place = inside(*place, area).map_err(|why| format!("{name}: {why}"))?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn fault(text: &str) -> String {
        movement(text, "f", "auto", Some([500.0, 300.0]), None).expect_err(text)
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
        let found = movement(&text, "f", "auto", None, None).expect("movement");
        let path = vec![
            (0, [0.0, 0.0]),
            (2 * S, [0.0, 0.0]),
            (12 * S, [100.0, 0.0]),
            (20 * S, [100.0, 0.0]),
            (25 * S, [100.0, 20.0]),
            (45 * S, [0.0, 20.0]),
        ];
        assert_eq!(found.paths, [path]);
    }

    #[test]
    fn at_no_speed_a_node_rests_where_it_is() {
        let of = |text: &str| movement(text, "f", "ns2", None, None).expect("movement").paths;
        // SUMO and CMU write a pause so.
        let text = format!("{}$ns_ at 1.0 \"$node_(0) setdest 0.0 0.0 0.0\"\n", home(0));
        assert_eq!(of(&text), [vec![(0, [0.0; 2]), (S, [0.0; 2])]]);
        // ns-2.35 and ns-3 leave it where it is, on its way too, whatever the destination.
        let text = format!(
            "{}$ns_ at 0.0 \"$node_(0) setdest 100 0 10\"\n$ns_ at 5.0 \"$node_(0) setdest 90 0 0\"\n$ns_ at 8.0 \"$node_(0) setdest 60 0 5\"\n",
            home(0)
        );
        let path = vec![(0, [0.0; 2]), (5 * S, [50.0, 0.0]), (8 * S, [50.0, 0.0]), (10 * S, [60.0, 0.0])];
        assert_eq!(of(&text), [path]);
    }

    #[test]
    fn a_number_without_a_node_is_off() {
        let text = home(0) + &home(3);
        let found = movement(&text, "f", "auto", None, None).expect("movement");
        let off = |node| Off { node, from: 0, to: None };
        assert_eq!((found.paths.len(), found.off), (4, vec![off(1), off(2)]));
    }

    #[test]
    fn a_bonnmotion_line_is_the_way_of_a_node() {
        let found = movement("0 1 2 10 11 2\n0.5 3 4\n", "f", "auto", None, None).expect("movement");
        assert_eq!(found.paths, [vec![(0, [1.0, 2.0]), (10 * S, [11.0, 2.0])], vec![(S / 2, [3.0, 4.0])]]);
    }

    #[test]
    fn times_can_count_from_the_earliest() {
        let text = "5 1 2 10 11 2\n7 3 4\n";
        let found = movement(text, "f", "auto", None, None).expect("movement").from_first();
        assert_eq!(found.paths, [vec![(0, [1.0, 2.0]), (5 * S, [11.0, 2.0])], vec![(2 * S, [3.0, 4.0])]]);
        let off = |from, to| Off { node: 0, from, to };
        let both = Movement {
            off: vec![off(0, Some(3)), off(0, Some(8)), off(9, None)],
            first: Some(3),
            ..Movement::default()
        };
        assert_eq!(both.from_first().off, [off(0, Some(5)), off(6, None)]);
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_line() {
        let one = |line: &str| fault(&format!("{}{line}\n", home(0)));
        assert!(one("$ns_ at 1.0 \"$node_(0) setdest 100 x 5\"").starts_with("f:4: found \"x\"; expected a number"));
        assert!(one("$ns_ at -1.0 \"$node_(0) setdest 100 1 5\"").starts_with("f:4: found -1 s"));
        assert!(one("$ns_ at 1.0 \"$node_(0) setdest 100 1\"").starts_with("f:4: found \"\"; expected a speed"));
        assert!(one("$node_(0) set Z_ 2").starts_with("f:4: found a height of 2 m"));
        assert!(one("$node_(0) turn left").starts_with("f:4: turn of a node is not followed"));
        assert!(one("$ns_ at 1.0 \"$node_(0) setdest 100 1 -2\"").starts_with("f:4: found a speed of -2 m/s"));
        assert!(one("$ns_ at 1.0 \"$node_(0) setdest 501 1 2\"").starts_with("f:4: the node is at 501, 1, outside"));
        assert!(one("$ns_ at 1.0 \"$node_(7) setdest 1 1 2\"").starts_with("f:4: node 7 has no position"));
        assert!(one("$ns_ at 1.0 \"$nod(0) setdest 1 1 2\"").starts_with("f:4: the variable $nod(0) has no value"));
        assert!(fault("0 1 2 5 9\n").starts_with("f:1: found 5 numbers"));
        assert!(fault("0 1 2\n0 1 2 9 1 1 8 2 2\n").starts_with("f:2: time 8 comes after a later one"));
        assert!(fault("0 1 2\n0 1 301\n").starts_with("f:2: the node is at 1, 301, outside"));
        assert_eq!(fault(""), "f: holds no movement");
    }
}
