//! Video traces in files: one frame a line, with its time or its number, and its size in bytes.

use crate::columns::{Fault, cells, column, header, is_number, lines, mark, nanoseconds, shown};
use crate::read::LONGEST_S;

/// Time since the start of the flow in nanoseconds, and bytes.
pub type Frame = (u64, u32);

/// Words of a header for each column.
const TIMES: [&str; 4] = ["time", "time_s", "t", "t_s"];
const NUMBERS: [&str; 3] = ["frame", "number", "frame_number"];
const SIZES: [&str; 2] = ["bytes", "size"];

/// The frames in the text of a CSV file, in order of time.
///
/// Columns are separated by comma, semicolon, tab or blank. A header names them: `time` (seconds) or `frame` (whole
/// numbers, at `frame_rate` frames per second from the first one on), and `bytes`; without a header the two columns are
/// time and bytes. Lines that begin with # are passed over.
///
/// # Errors
/// A line is no frame; the message names the file, `name`, and the line.
pub fn frames(text: &str, name: &str, frame_rate: f64) -> Result<Vec<Frame>, Fault> {
    let mark = lines(text).next().and_then(|(_, line)| mark(line));
    let mut rows = lines(text).map(|(line, row)| (line, cells(row, mark))).peekable();
    let none = || format!("{name}: holds no frames");
    let (line, first) = rows.peek().cloned().ok_or_else(none)?;
    let (at, size, numbered) = columns(name, line, &first)?;
    if !is_number(&first[0]) {
        rows.next();
    }
    let (mut frames, mut begin, mut last) = (Vec::new(), None, f64::NEG_INFINITY);
    for (line, row) in rows {
        let wanted = at.max(size) + 1;
        if row.len() < wanted {
            return Err(format!("{name}:{line}: found {} columns; expected {wanted}", row.len()));
        }
        let text = &row[at];
        let refuse = |why: &str| format!("{name}:{line}: {}; expected {why}", shown(text));
        let place = match numbered {
            true => f64::from(whole(name, line, text, "a frame number")?),
            false => text.parse::<f64>().map_err(|_| refuse("a time in seconds"))?,
        };
        // Equal ones may follow each other: slices of a frame, or several layers.
        if place < last {
            let what = if numbered { "frame" } else { "time" };
            return Err(format!("{name}:{line}: {what} {text} comes after a later one; expected ascending order"));
        }
        last = place;
        // Numbers of a cut may begin anywhere; the first frame of it goes at the start of the flow.
        let begin = *begin.get_or_insert(place);
        let seconds = if numbered { (place - begin) / frame_rate } else { place };
        if !(0.0..=LONGEST_S as f64 / 2.0).contains(&seconds) {
            return Err(refuse("a time of at least 0 s"));
        }
        frames.push((nanoseconds(seconds), whole(name, line, &row[size], "a number of bytes")?));
    }
    if frames.is_empty() { Err(none()) } else { Ok(frames) }
}

/// Columns of the time or number and of the size, and whether frames are numbered.
fn columns(name: &str, line: usize, first: &[String]) -> Result<(usize, usize, bool), Fault> {
    if is_number(&first[0]) {
        return match first.len() {
            2 => Ok((0, 1, false)),
            many => Err(format!(
                "{name}:{line}: found {many} columns without a header; expected time and bytes, or a header that names \
                 the columns"
            )),
        };
    }
    // Without the underscore, which belongs to `frame_number` and `time_s`.
    let place = |words: &[&str]| column(first, words, &[' ', '(']);
    let (times, numbers) = (place(&TIMES), place(&NUMBERS));
    // Traces with both give time and number of the same frame: the time is what was measured.
    match (times.or(numbers), place(&SIZES)) {
        (Some(at), Some(size)) => Ok((at, size, times.is_none())),
        _ => {
            let found = header(first);
            Err(format!("{name}:{line}: the header needs the columns time or frame, and bytes; found {found}"))
        }
    }
}

fn whole(name: &str, line: usize, cell: &str, what: &str) -> Result<u32, Fault> {
    cell.parse()
        .map_err(|_| format!("{name}:{line}: {}; expected {what} (a whole number from 0 to {})", shown(cell), u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_numbers_are_read() {
        assert_eq!(frames("0,10\n0.1,20\n", "f", 25.0), Ok(vec![(0, 10), (100_000_000, 20)]));
        let numbered = "Frame; Size (bytes)\n# note\n7;10\n9;20\n";
        assert_eq!(frames(numbered, "f", 25.0), Ok(vec![(0, 10), (80_000_000, 20)]));
    }

    #[test]
    fn what_is_no_frame_is_reported_with_its_line() {
        let fault = |text: &str| frames(text, "f", 25.0).expect_err(text);
        assert_eq!(fault("# nothing\n"), "f: holds no frames");
        assert_eq!(fault("time,bytes\n"), "f: holds no frames");
        assert!(fault("1,2,3\n").starts_with("f:1: found 3 columns without a header"));
        assert!(fault("time,length\n1,2\n").starts_with("f:1: the header needs"));
        assert!(fault("1,10\n0.5,10\n").starts_with("f:2: time 0.5 comes after a later one"));
        assert!(fault("0,-1\n").starts_with("f:1: found \"-1\"; expected a number of bytes"));
        assert!(fault("-1,1\n").contains("at least 0 s") && fault("nan,1\n").contains("at least 0 s"));
        assert!(fault("x,1\n").starts_with("f:1: the header needs"));
        assert!(fault("0,1\nx,1\n").contains("a time in seconds"));
    }
}
