//! Lines and cells of text files of numbers: what separates the columns, which lines say something.

/// What is wrong with a file, with its name and line in front.
pub type Fault = String;

/// Longest text of a cell in a message.
const SHOWN: usize = 40;
/// Longest list of columns in a message.
const HEADER: usize = 100;

/// The lines that are neither empty nor notes (`#`), with their numbers from 1.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(n, line)| (n + 1, line)).filter(|(_, line)| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with('#')
    })
}

/// What separates the columns of a file that begins with this line; none where nothing but blanks could.
pub fn mark(line: &str) -> Option<char> {
    // The semicolon first: where it separates, a comma is one of decimals (and is refused as no number later).
    [';', ',', '\t'].into_iter().find(|&mark| line.contains(mark))
}

/// The cells of a line between marks, or between blanks; quotes around a cell are taken off.
pub fn cells(line: &str, mark: Option<char>) -> Vec<String> {
    let Some(mark) = mark else { return line.split_whitespace().map(str::to_string).collect() };
    let (mut found, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        // RFC 4180 2.7: a quote within quotes is written twice.
        if quoted && letter == '"' && letters.peek() == Some(&'"') {
            cell.push('"');
            letters.next();
        // A quote in the middle of a cell is a sign like any other, such as one for inches.
        } else if letter == '"' && (quoted || cell.trim().is_empty()) {
            quoted = !quoted;
        } else if letter == mark && !quoted {
            found.push(std::mem::take(&mut cell));
        } else {
            cell.push(letter);
        }
    }
    found.push(cell);
    found.iter().map(|cell| cell.trim().to_string()).collect()
}

/// Whether a cell is a plain number; a column's name is not.
pub fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok()
}

/// The number of a cell, if it is one and finite.
pub fn finite(cell: &str) -> Option<f64> {
    cell.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Seconds in nanoseconds, halves to even.
pub fn nanoseconds(seconds: f64) -> u64 {
    // Rounded and not cut, as products of decimal fractions often end a hair below a whole number; halves as
    // `Decimal` rounds them.
    (seconds * 1e9).round_ties_even() as u64
}

/// The place of the first cell of a header whose name, up to one of these signs, is one of these words in any case.
pub fn column(header: &[String], words: &[&str], signs: &[char]) -> Option<usize> {
    let name = |cell: &String| cell.to_lowercase().split(signs).next().unwrap_or_default().to_string();
    header.iter().map(name).position(|name| words.contains(&name.as_str()))
}

/// What ends the name of a column: a unit follows, as in `x_m` or `time (s)`.
pub const UNITS: [char; 4] = ['_', ' ', '(', '['];

/// A cell in a message.
pub fn shown(cell: &str) -> String {
    format!("found \"{}\"", cell.chars().take(SHOWN).collect::<String>())
}

/// The names of columns in a message.
pub fn header(cells: &[String]) -> String {
    cells.join(", ").chars().take(HEADER).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_what_stands_between_marks() {
        assert_eq!(cells(" 1; \"a;b\" ;\"c\"\"d\"", Some(';')), ["1", "a;b", "c\"d"]);
        assert_eq!(cells("  1 \t 2 ", None), ["1", "2"]);
        assert_eq!(mark("x;y,z"), Some(';'));
        let head = cells("n,Time (s),x_m,frame_type", Some(','));
        assert_eq!(column(&head, &["x"], &UNITS), Some(2));
        assert_eq!(column(&head, &["t", "time"], &UNITS), Some(1));
        assert_eq!([column(&head, &["frame"], &UNITS), column(&head, &["frame"], &[' ', '('])], [Some(3), None]);
        assert_eq!([finite("-1.5e3"), finite("inf"), finite("x")], [Some(-1500.0), None, None]);
        assert_eq!([nanoseconds(0.1), nanoseconds(2.5e-9), nanoseconds(3.5e-9)], [100_000_000, 2, 4]);
        assert_eq!(lines("# a\n\n1\n #2\n3").map(|(n, _)| n).collect::<Vec<_>>(), [3, 5]);
    }
}
