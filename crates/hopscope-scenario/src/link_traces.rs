//! Traces of links in CSV files: instant, sender, receiver, and what was measured there.

use hopscope_core::units::Time;
use hopscope_engine::config::traces::{RSSI, Sample};

use crate::columns::{Fault, UNITS, cells, column, finite, header, is_number, lines, mark, nanoseconds, shown};
use crate::read::LONGEST_S;

/// Most lines with values: more would fill the memory of an ordinary machine.
pub const MOST_SAMPLES: usize = 2_000_000;

/// What a trace reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkQuantity {
    /// Received power in dBm.
    Rssi,
    /// Probability with which a copy of a frame is lost.
    Loss,
}

impl LinkQuantity {
    /// Names of the column.
    fn names(self) -> &'static [&'static str] {
        match self {
            LinkQuantity::Rssi => &["rssi", "dbm", "power", "value"],
            LinkQuantity::Loss => &["loss", "per", "value"],
        }
    }

    /// The values that it can have, and in words.
    fn allowed(self) -> ([f64; 2], &'static str) {
        match self {
            LinkQuantity::Rssi => (RSSI, "a received power of -200 to 60 dBm"),
            LinkQuantity::Loss => ([0.0, 1.0], "a probability of 0 to 1"),
        }
    }
}

/// Names of the other columns.
const COLUMNS: [&[&str]; 3] =
    [&["time", "t"], &["from", "sender", "tx", "src", "source"], &["to", "receiver", "rx", "dst", "destination"]];

/// What a file says of links.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    /// Its name in messages.
    pub name: String,
    /// Its values, in order of time.
    pub samples: Vec<Sample>,
    /// The line of each.
    pub lines: Vec<u32>,
}

/// What the text of a file says of the links between so many nodes, in order of time.
///
/// Columns are separated by comma, semicolon, tab or blank. A header names them: `time` (seconds), `from`, `to`, and `rssi` (dBm) or
/// `loss` (probability); without one they stand in this order. Lines that begin with # are passed over.
///
/// # Errors
/// A line says nothing of a link; the message names the file, `name`, and the line.
pub fn samples(text: &str, name: &str, measured: LinkQuantity, nodes: usize) -> Result<Trace, Fault> {
    let mark = lines(text).next().and_then(|(_, line)| mark(line));
    let mut rows = lines(text).map(|(line, row)| (line, cells(row, mark))).peekable();
    let none = || format!("{name}: holds no values of links");
    let (line, first) = rows.peek().cloned().ok_or_else(none)?;
    let places = columns(name, line, &first, measured)?;
    if !is_number(&first[0]) {
        rows.next();
    }
    let wanted = places.iter().max().map_or(0, |most| most + 1);
    let (range, allowed) = measured.allowed();
    let (mut found, mut places_of): (Vec<Sample>, Vec<u32>) = (Vec::new(), Vec::new());
    for (line, row) in rows {
        let refuse = |place: usize, why: &str| format!("{name}:{line}: {}; expected {why}", shown(&row[place]));
        // As many as the first line: a decimal comma adds one, a lost value takes one away, and both would shift the
        // rest.
        if row.len() != first.len() {
            return Err(format!("{name}:{line}: found {} columns; expected {}", row.len(), first.len().max(wanted)));
        }
        // Before the line is read: the message names the first line that is too many.
        if found.len() == MOST_SAMPLES {
            return Err(format!("{name}:{line}: found more than {MOST_SAMPLES} values; take a part of the trace"));
        }
        let [at, from, to, value] = places;
        let seconds = finite(&row[at]).filter(|seconds| (0.0..=LONGEST_S as f64 / 2.0).contains(seconds));
        let seconds = seconds.ok_or_else(|| refuse(at, "a time in seconds, at least 0"))?;
        let node = |place: usize| {
            let node = row[place].parse::<u32>().map_err(|_| refuse(place, "the number of a node"))?;
            if (node as usize) < nodes {
                return Ok(node);
            }
            Err(format!("{name}:{line}: node {node} does not exist; nodes are 0 to {}", nodes.saturating_sub(1)))
        };
        let (from, to) = (node(from)?, node(to)?);
        if from == to {
            return Err(format!("{name}:{line}: a link needs two different nodes, found {from} twice"));
        }
        let value_of = finite(&row[value]).filter(|number| (range[0]..=range[1]).contains(number));
        let sample = Sample(Time(nanoseconds(seconds)), from, to, value_of.ok_or_else(|| refuse(value, allowed))?);
        // The engine follows the values in their order; sorted here, a file of several runs one after the other would
        // pass.
        if found.last().is_some_and(|last| last.0 > sample.0) {
            let time = &row[at];
            return Err(format!("{name}:{line}: time {time} comes after a later one; expected ascending order"));
        }
        found.push(sample);
        places_of.push(line as u32);
    }
    if found.is_empty() {
        return Err(none());
    }
    Ok(Trace { name: name.to_string(), samples: found, lines: places_of })
}

/// Columns of instant, sender, receiver and value.
fn columns(name: &str, line: usize, first: &[String], measured: LinkQuantity) -> Result<[usize; 4], Fault> {
    let [value, ..] = measured.names() else { unreachable!("a name at least") };
    if is_number(&first[0]) {
        return match first.len() {
            4 => Ok([0, 1, 2, 3]),
            many => Err(format!(
                "{name}:{line}: found {many} columns without a header; expected time, from, to and {value}"
            )),
        };
    }
    let place = |words: &[&str]| column(first, words, &UNITS);
    let [at, from, to] = COLUMNS.map(place);
    match (at, from, to, place(measured.names())) {
        (Some(at), Some(from), Some(to), Some(value)) => Ok([at, from, to, value]),
        _ => {
            let found = header(first);
            Err(format!("{name}:{line}: the header needs the columns time, from, to and {value}; found {found}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn columns_stand_in_order_or_are_named() {
        let samples =
            |text: &str, measured| super::samples(text, "f", measured, 2).map(|trace| (trace.samples, trace.lines));
        let values = vec![Sample(Time(0), 0, 1, -60.5), Sample(Time(S / 2), 1, 0, -71.0)];
        assert_eq!(samples("0,0,1,-60.5\n0.5,1,0,-71\n", LinkQuantity::Rssi), Ok((values.clone(), vec![1, 2])));
        let named = "To; From; RSSI (dBm); n; time_s\n# note\n1;0;-60.5;7;0\n0;1;-71;8;0.5\n";
        assert_eq!(samples(named, LinkQuantity::Rssi), Ok((values, vec![3, 4])));
        assert_eq!(
            samples("t tx rx loss\n2 1 0 0.25\n", LinkQuantity::Loss),
            Ok((vec![Sample(Time(2 * S), 1, 0, 0.25)], vec![2]))
        );
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_line() {
        let fault = |text: &str| samples(text, "f", LinkQuantity::Rssi, 3).expect_err(text);
        assert_eq!(fault("# nothing\n"), "f: holds no values of links");
        assert_eq!(fault("time,from,to,rssi\n"), "f: holds no values of links");
        assert!(
            fault("0,0,1\n").starts_with("f:1: found 3 columns without a header; expected time, from, to and rssi")
        );
        assert!(
            fault("time,from,to,loss\n0,0,1,0\n")
                .starts_with("f:1: the header needs the columns time, from, to and rssi")
        );
        assert_eq!(fault("0,0,1,-60\n0,0,1\n"), "f:2: found 3 columns; expected 4");
        assert!(fault("0,0,1,-60\nx,0,1,-60\n").starts_with("f:2: found \"x\"; expected a time in seconds"));
        assert!(fault("-1,0,1,-60\n").starts_with("f:1: found \"-1\"; expected a time in seconds, at least 0"));
        assert!(fault("0,a,1,-60\n").starts_with("f:1: found \"a\"; expected the number of a node"));
        assert_eq!(fault("0,0,3,-60\n"), "f:1: node 3 does not exist; nodes are 0 to 2");
        assert_eq!(fault("0,1,1,-60\n"), "f:1: a link needs two different nodes, found 1 twice");
        assert_eq!(fault("0,0,1,61\n"), "f:1: found \"61\"; expected a received power of -200 to 60 dBm");
        assert_eq!(fault("0,0,1,nan\n"), "f:1: found \"nan\"; expected a received power of -200 to 60 dBm");
        assert_eq!(
            fault("1,0,1,-60\n0.5,0,1,-60\n"),
            "f:2: time 0.5 comes after a later one; expected ascending order"
        );
        let loss = samples("0,0,1,1.5\n", "f", LinkQuantity::Loss, 3).expect_err("above one");
        assert_eq!(loss, "f:1: found \"1.5\"; expected a probability of 0 to 1");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn any_text_is_read_or_refused_by_name(text in "[0-9a-z,;. \\-\n#\"]{0,80}") {
            match samples(&text, "f", LinkQuantity::Loss, 3) {
                Ok(found) => prop_assert!(found.samples.iter().all(|sample| sample.1 < 3 && sample.2 < 3)),
                Err(fault) => prop_assert!(fault.starts_with("f:"), "{}", fault),
            }
        }
    }
}
