//! Words in messages: lists of them, and the one that was meant.

use crate::brought::{bare, meant, plain};

/// With a suggestion so many choices are listed too.
const FEW: usize = 6;
/// Least likeness of a word that is offered in place of another.
const CUTOFF: f64 = 0.6;
/// So many letters of a word are compared.
const MOST_LETTERS: usize = 200;

/// The choices as readable text for a message.
pub fn listed<S: AsRef<str>>(choices: &[S]) -> String {
    choices.iter().map(|choice| format!("\"{}\"", choice.as_ref())).collect::<Vec<_>>().join(", ")
}

/// ` (did you mean "x"?)` for the closest choice, or nothing.
pub fn did_you_mean<S: AsRef<str>>(word: &str, choices: &[S]) -> String {
    closest(word, choices).map_or(String::new(), |found| format!(" (did you mean \"{found}\"?)"))
}

/// What a message says of a word that is none of the choices: the one that was meant, with the others only where they are
/// few; else what the word means elsewhere; else all of them, in the words of `allowed`.
pub fn instead<S: AsRef<str>>(word: &str, choices: &[S], allowed: &str) -> String {
    if let Some(found) = closest(word, choices) {
        let others = if choices.len() <= FEW { format!("; {allowed}") } else { String::new() };
        return format!(" (did you mean \"{found}\"?){others}");
    }
    match elsewhere(word) {
        Some(found) => format!(" (did you mean {found}?); {allowed}"),
        None => format!("; {allowed}"),
    }
}

/// What a word that users bring from other tools means here, with its whole name.
fn elsewhere(word: &str) -> Option<String> {
    meant(word).first().map(|found| found.shown())
}

/// The choice that is meant: the same in another writing, what a word of other tools stands for, else the one with most
/// letters in common, in order.
fn closest<'a, S: AsRef<str>>(word: &str, choices: &'a [S]) -> Option<&'a str> {
    let choices = || choices.iter().map(AsRef::as_ref);
    // Other letters, then other signs, then other tools, and likeness last: each is surer than the next.
    if let Some(same) = choices().find(|choice| choice.to_lowercase() == word.to_lowercase()) {
        return Some(same);
    }
    let same = |word: &str| choices().find(|choice| !plain(word).is_empty() && plain(choice) == plain(word));
    if let Some(same) = same(word).or_else(|| same(bare(word))) {
        return Some(same);
    }
    let of_tools = meant(word);
    let is_meant = |choice: &&str| of_tools.iter().any(|meant| meant.last() == *choice || meant.whole() == *choice);
    if let Some(found) = choices().find(is_meant) {
        return Some(found);
    }
    if !of_tools.is_empty() {
        return None; // it means something else, whatever letters it shares
    }
    let letters: Vec<char> = word.chars().take(MOST_LETTERS).collect();
    let mut best: Option<(f64, &str)> = None;
    for choice in choices() {
        let other: Vec<char> = choice.chars().collect();
        let likeness = 2.0 * shared(&other, &letters) as f64 / (other.len() + letters.len()).max(1) as f64;
        // Of equally close ones the last in the alphabet, as Python's difflib orders them; the cutoff is its default
        // as well.
        if likeness >= CUTOFF && best.is_none_or(|found| found < (likeness, choice)) {
            best = Some((likeness, choice));
        }
    }
    best.map(|(_, choice)| choice)
}

/// Letters in common: the longest run that both have, and so on to its left and right (Ratcliff and Obershelp).
fn shared(a: &[char], b: &[char]) -> usize {
    let (mut at, mut there, mut longest) = (0, 0, 0);
    let mut row = vec![0; b.len() + 1];
    for (i, letter) in a.iter().enumerate() {
        let mut next = vec![0; b.len() + 1];
        for (j, other) in b.iter().enumerate() {
            if letter == other {
                next[j + 1] = row[j] + 1;
                if next[j + 1] > longest {
                    longest = next[j + 1];
                    (at, there) = (i + 1 - longest, j + 1 - longest);
                }
            }
        }
        row = next;
    }
    if longest == 0 {
        return 0;
    }
    longest + shared(&a[..at], &b[..there]) + shared(&a[at + longest..], &b[there + longest..])
}

/// A number as `printf("%g")` writes it.
pub fn general(number: f64) -> String {
    rounded(number, 6)
}

/// The same with so many digits.
pub fn rounded(number: f64, digits: usize) -> String {
    let places = digits - 1;
    if number == 0.0 || !number.is_finite() {
        return if number == 0.0 { "0".to_string() } else { number.to_string() };
    }
    let scientific = format!("{number:.places$e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    // The rule of C for %g: plain digits unless the exponent is below -4 or not below the precision.
    if (-4..digits as i32).contains(&exponent) {
        return trimmed(&format!("{number:.*}", (places as i32 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_word_is_offered() {
        assert_eq!(did_you_mean("AODV", &["aodv", "olsr"]), " (did you mean \"aodv\"?)");
        assert_eq!(did_you_mean("aodw", &["static", "aodv"]), " (did you mean \"aodv\"?)");
        assert_eq!(did_you_mean("unif", &["none", "uniform", "markov"]), " (did you mean \"uniform\"?)");
        assert_eq!(did_you_mean("x", &["aodv"]), "");
        assert_eq!(did_you_mean("", &["a"]), "");
        assert_eq!(listed(&["a", "b"]), "\"a\", \"b\"");
    }

    #[test]
    fn numbers_are_short() {
        for (number, text) in [(250.0, "250"), (0.1, "0.1"), (1e7, "1e+07"), (123_456.7, "123457"), (1e-5, "1e-05")] {
            assert_eq!(general(number), text);
        }
        assert_eq!([rounded(1.000_000_001, 9), rounded(123_456_789.0, 9)], ["1", "123456789"]);
    }
}
