//! BonnMotion's movement files: one node a line, groups of time, x and y, and of z in three dimensions.
//!
//! The file itself does not say how many dimensions it has. BonnMotion writes them into the `.params` next to it; without
//! that the numbers of each line, and times that must not go back, decide.

use crate::columns::{Fault, cells, finite, lines, shown};
use crate::near::Position;

/// The places of a node with their times in seconds, and the line on which they stand.
pub type Row = (usize, Vec<(f64, Position)>);

/// How many dimensions a `.params` of BonnMotion says: `J=3D`, or a depth `z` without `J`.
fn dimensions(params: &str) -> usize {
    let value = |name: &str| {
        let lines = params.lines().rev().filter_map(|line| line.trim().split_once('='));
        lines.filter(|(key, _)| *key == name).map(|(_, value)| value.trim()).next()
    };
    match value("J") {
        Some(word) => 2 + usize::from(word.eq_ignore_ascii_case("3D")),
        None => 2 + usize::from(value("z").is_some()),
    }
}

/// What stands in the text of a file; `params` is the text of the `.params` next to it.
///
/// # Errors
/// A line is wrong, or the movement is one in three dimensions; the message names the file, `name`, and the line.
pub fn rows(text: &str, name: &str, params: Option<&str>) -> Result<Vec<Row>, Fault> {
    let number = |line: usize, cell: &String| {
        finite(cell).ok_or_else(|| format!("{name}:{line}: {}; expected a number", shown(cell)))
    };
    let row = |(line, row): (usize, &str)| {
        let numbers = cells(row, None).iter().map(|cell| number(line, cell)).collect::<Result<Vec<f64>, Fault>>()?;
        Ok((line, numbers))
    };
    let found: Vec<(usize, Vec<f64>)> = lines(text).map(row).collect::<Result<_, Fault>>()?;
    let group = 1 + match params {
        Some(params) => dimensions(params),
        None => guessed(&found).ok_or_else(|| {
            format!(
                "{name}: its lines can be read in two and in three dimensions; put the .params that BonnMotion wrote \
                 next to it, with J=2D or J=3D"
            )
        })?,
    };
    found.into_iter().map(|(line, numbers)| places(name, line, &numbers, group)).collect()
}

/// The dimensions in which every line can be read; two where none is right, none where both are.
fn guessed(rows: &[(usize, Vec<f64>)]) -> Option<usize> {
    let fits = |group: usize| rows.iter().all(|(_, numbers)| !numbers.is_empty() && numbers.len() % group == 0);
    let goes_on = |group: usize| {
        rows.iter().all(|(_, numbers)| {
            let times: Vec<f64> = numbers.iter().step_by(group).copied().collect();
            times.is_sorted() && times.first().is_some_and(|first| *first >= 0.0)
        })
    };
    match [3, 4].map(|group| (fits(group), fits(group) && goes_on(group))) {
        _ if rows.is_empty() => Some(2),
        // Twelve numbers are four groups of three or three of four; a wrong guess would give another movement in
        // silence.
        [(_, true), (_, true)] => None,
        // Where no reading has its times in order, the one whose groups come out even shows the better error.
        [(_, false), (_, true)] | [(false, _), (true, _)] => Some(3),
        _ => Some(2),
    }
}

fn places(name: &str, line: usize, numbers: &[f64], group: usize) -> Result<Row, Fault> {
    if numbers.is_empty() || numbers.len() % group != 0 {
        let wanted = if group == 4 { "time, x, y and z" } else { "time, x and y" };
        return Err(format!("{name}:{line}: found {} numbers; expected groups of {wanted}", numbers.len()));
    }
    // A height of zero throughout leaves the plane as it is.
    if let Some(height) = numbers.chunks(group).filter_map(|one| one.get(3)).find(|height| **height != 0.0) {
        return Err(format!(
            "{name}:{line}: found a height of {height} m; movement in three dimensions is not simulated"
        ));
    }
    Ok((line, numbers.chunks(group).map(|one| (one[0], [one[1], one[2]])).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, params: Option<&str>) -> Result<Vec<Row>, Fault> {
        rows(text, "f", params)
    }

    #[test]
    fn three_dimensions_are_never_read_as_two() {
        let flat = Ok(vec![(1, vec![(0.0, [1.0, 2.0]), (9.0, [3.0, 4.0])])]);
        assert_eq!(found("0 1 2 9 3 4\n", None), flat);
        assert_eq!(found("0 1 2 0 9 3 4 0\n", None), flat, "four numbers each, at no height");
        let high = "f:1: found a height of 5 m; movement in three dimensions is not simulated";
        assert_eq!(found("0 1 2 5 9 3 4 5\n", None), Err(high.to_string()));
        // Twelve numbers: by their times, or by the .params.
        let twelve = "0 1 2 5 9 3 4 5 10 3 4 5\n";
        assert_eq!(found(twelve, None), Err(high.to_string()));
        let both = "0 1 2 5 6 7 8 9 10 11 12 13\n";
        assert!(found(both, None).expect_err("either").contains("can be read in two and in three dimensions"));
        assert_eq!(found(both, Some("model=RandomWaypoint\nz=100.0\n")), Err(high.to_string()));
        assert_eq!(found(both, Some("J=3D\n")), Err(high.to_string()));
        assert_eq!(found(both, Some("z=100.0\nJ=2D\n")).expect("two").first().map(|(_, row)| row.len()), Some(4));
        assert!(
            found("0 1 2\n", Some("J=3D"))
                .expect_err("three")
                .starts_with("f:1: found 3 numbers; expected groups of time, x, y and z")
        );
    }
}
