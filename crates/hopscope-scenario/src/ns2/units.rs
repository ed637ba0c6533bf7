//! Numbers with units as ns-2 reads them: rates (`0.1mb`, `100k`, `1MB`) and times (`40ms`).

use crate::columns::finite;

/// Digits, sign, point and exponent at the beginning of a text, and the rest.
fn split(text: &str) -> Option<(f64, &str)> {
    let is_number = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '+' | '-');
    let mut end = text.find(|letter| !is_number(letter)).unwrap_or(text.len());
    // An exponent needs digits; what follows otherwise is a unit.
    if let Some(rest) = text[end..].strip_prefix(['e', 'E']) {
        let digits = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        if digits.starts_with(|letter: char| letter.is_ascii_digit()) {
            let sign = rest.len() - digits.len();
            end += 1 + sign + digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
        }
    }
    Some((finite(&text[..end])?, &text[end..]))
}

/// Bits per second: a number, then nothing or `k`, `M` or `G` in either case, then nothing, `b` or `bps` for bits, `B` for bytes.
///
/// # Errors
/// It is no rate above zero.
pub fn rate(text: &str) -> Result<f64, String> {
    let wrong = || format!("found \"{text}\"; expected a rate above 0, such as 100k, 0.1Mb or 448Kb");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let (factor, unit) = match unit.chars().next() {
        Some('k' | 'K') => (1e3, &unit[1..]),
        Some('m' | 'M') => (1e6, &unit[1..]),
        Some('g' | 'G') => (1e9, &unit[1..]),
        _ => (1.0, unit),
    };
    let bits = match unit {
        "" | "b" | "bps" | "bit" => 1.0,
        // ns-2 reads the letter after the prefix: in bytes where it is a capital.
        "B" | "Bps" if factor > 1.0 => 8.0,
        _ => return Err(wrong()),
    };
    let found = number * factor * bits;
    if found > 0.0 && found <= 1e15 { Ok(found) } else { Err(wrong()) }
}

/// Seconds: a number, then nothing, `s`, `ms`, `us`, `ns` or `ps`, or its first letter.
///
/// # Errors
/// It is no time of at least zero.
pub fn seconds(text: &str) -> Result<f64, String> {
    let wrong = || format!("found \"{text}\"; expected a number that is not negative, in seconds or as 40ms");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let parts = match unit {
        "" | "s" => 1.0,
        "m" | "ms" => 1e3,
        "u" | "us" => 1e6,
        "n" | "ns" => 1e9,
        "p" | "ps" => 1e12,
        _ => return Err(wrong()),
    };
    if number >= 0.0 { Ok(number / parts) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_ns2() {
        // What ns-2.35 makes of them: `Application/Traffic/CBR set rate_ X` read back by the bandwidth of a link.
        for (text, bits) in
            [("100k", 1e5), ("0.1mb", 1e5), ("448Kb", 448e3), ("64000", 64e3), ("1MB", 8e6), ("1e6", 1e6)]
        {
            assert_eq!(rate(text), Ok(bits), "{text}");
        }
        for (text, time) in [("40ms", 0.04), ("0.25", 0.25), ("2s", 2.0), ("5u", 5e-6), ("1e-3", 1e-3), ("0", 0.0)] {
            assert_eq!(seconds(text), Ok(time), "{text}");
        }
        for text in ["", "many", "-1k", "0", "1x", "nan", "1e400"] {
            assert!(rate(text).is_err(), "{text}");
        }
        for text in ["", "-1", "1h", "inf"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
