//! Quantities with units: `300s`, `250m`, `2Mbps`, `25us`, `15dBm`. A number without a unit is in the base unit of its
//! key. Text is read with decimal arithmetic.

use crate::decimal::Decimal;
use crate::value::shown;
use crate::words::did_you_mean;

/// Units of a base unit with their factors to it.
type Units = &'static [(&'static str, &'static str)];

/// Base units that have other units of the same quantity.
const UNITS: &[(&str, Units)] = &[
    (
        "s",
        &[
            ("s", "1"),
            ("ns", "1e-9"),
            ("us", "1e-6"),
            ("µs", "1e-6"),
            ("μs", "1e-6"),
            ("ms", "1e-3"),
            ("min", "60"),
            ("h", "3600"),
        ],
    ),
    ("m", &[("m", "1"), ("mm", "1e-3"), ("cm", "1e-2"), ("km", "1e3")]),
    ("m/s", &[("m/s", "1"), ("km/s", "1e3")]),
    (
        "bit/s",
        &[
            ("bit/s", "1"),
            ("bps", "1"),
            ("kbit/s", "1e3"),
            ("kbps", "1e3"),
            ("Mbit/s", "1e6"),
            ("Mbps", "1e6"),
            ("Gbit/s", "1e9"),
            ("Gbps", "1e9"),
        ],
    ),
    (
        "bytes",
        &[
            ("bytes", "1"),
            ("byte", "1"),
            ("B", "1"),
            ("kB", "1e3"),
            ("KB", "1e3"),
            ("MB", "1e6"),
            ("GB", "1e9"),
            ("KiB", "1024"),
            ("MiB", "1048576"),
            ("GiB", "1073741824"),
        ],
    ),
    ("Hz", &[("Hz", "1"), ("kHz", "1e3"), ("MHz", "1e6"), ("GHz", "1e9")]),
    ("W", &[("W", "1"), ("mW", "1e-3"), ("uW", "1e-6")]),
    ("probability", &[("", "1"), ("%", "1e-2")]),
];

/// Logarithmic units: base unit, unit, exponent of ten between them (W and mW differ by 3 decades).
const LOGARITHMIC: &[(&str, &str, i32)] = &[("W", "dBm", -3), ("ratio", "dB", 0)];

/// What people write for a unit of time and a close match would not find.
const OTHER_TIMES: &[(&str, &str)] =
    &[("m", "\"min\" or \"ms\""), ("sec", "\"s\""), ("secs", "\"s\""), ("seconds", "\"s\""), ("hours", "\"h\"")];

/// Longest text that is looked at.
const LONGEST: usize = 100;

/// Splits `250m` into its number and its unit.
///
/// # Errors
/// The text does not start with a number; the message says so.
pub fn split(text: &str) -> Result<(Decimal, String), String> {
    let refused = || format!("{} is no number with a unit", shown(text));
    if text.chars().count() > LONGEST {
        return Err(refused());
    }
    let body = text.trim();
    let end = number_end(body).ok_or_else(refused)?;
    let unit = body[end..].trim_start();
    // `1 000` or `10 20s`: two numbers, of which neither is meant alone.
    if unit.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(refused());
    }
    // TOML's gaps between digits, in texts as well.
    let number = Decimal::parse(&body[..end].replace('_', "")).ok_or_else(refused)?;
    Ok((number, unit.to_string()))
}

/// Where the number ends that a text begins with.
fn number_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let digits = |mut at: usize, gaps: bool| {
        while bytes.get(at).is_some_and(|b| b.is_ascii_digit() || (gaps && *b == b'_')) {
            at += 1;
        }
        at
    };
    let first = at;
    if bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at = digits(at, true);
        if bytes.get(at) == Some(&b'.') {
            at = digits(at + 1, false);
        }
    } else if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1, false);
        if at == first + 1 {
            return None;
        }
    } else {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let end = digits(at + 1 + sign, false);
        // Without digits the e begins a unit; more than four of them are no exponent that anybody means.
        if (1..=4).contains(&(end - (at + 1 + sign).min(end))) {
            at = end;
        }
    }
    Some(at)
}

/// Reads a quantity into a base unit, which is empty for a pure number.
///
/// # Errors
/// No number, or a unit that does not fit; the message says what is allowed.
pub fn parse(text: &str, unit: &str) -> Result<Decimal, String> {
    let (number, found) = split(text)?;
    if let Some(&(_, _, exponent)) = LOGARITHMIC.iter().find(|&&(base, name, _)| base == unit && name == found) {
        // No power of a radio lies beyond, and the loop of `power_of_ten` takes a step for each decade.
        if number > Decimal::whole(1000) || number < Decimal::whole(-1000) {
            return Err(format!("{} is outside -1000 to 1000 {found}", shown(text)));
        }
        return Ok(Decimal::of(power_of_ten(number.times(Decimal::parse("0.1").unwrap_or(number)), exponent)));
    }
    let own = [(unit, "1")];
    let units: &[(&str, &str)] = UNITS.iter().find(|(base, _)| *base == unit).map_or(&own, |(_, units)| units);
    // Letters count, as between `mW` and `MW`. Only rates are written in so many ways that another case is taken,
    // where it cannot mean bytes.
    let exact = units.iter().find(|(name, _)| *name == found);
    let in_other_letters =
        || units.iter().rev().find(|(name, _)| unit == "bit/s" && !is_byte_rate(&found) && same(name, &found));
    match exact.or_else(in_other_letters) {
        Some((_, factor)) => Ok(number.times(Decimal::parse(factor).unwrap_or(Decimal::whole(1)))),
        None if found.is_empty() => Ok(number),
        None if units.iter().all(|(name, _)| name.is_empty()) => {
            Err(format!("unit \"{found}\" in {}, but this key has no unit", shown(text)))
        }
        None => {
            let logarithmic = LOGARITHMIC.iter().filter(|(base, ..)| *base == unit).map(|(_, name, _)| *name);
            let all = units.iter().map(|(name, _)| *name).chain(logarithmic);
            // The micro sign and the Greek letter look alike and are two code points: both are read, one is shown.
            let mut names: Vec<&str> = all.filter(|name| !name.is_empty() && *name != "μs").collect();
            names.sort_unstable();
            let hint = hint(&found, unit, &names);
            Err(format!("unknown unit \"{found}\"; allowed: {}{hint}", names.join(", ")))
        }
    }
}

fn same(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

/// What may have been meant by an unknown unit; never one that is eight times off.
fn hint(found: &str, unit: &str, names: &[&str]) -> String {
    if unit == "bit/s" && is_byte_rate(found) {
        return format!(" (\"{found}\" counts bytes; 1 byte is 8 bits)");
    }
    if unit == "bytes" && is_bits(found) {
        return format!(" (\"{found}\" counts bits; 1 byte is 8 bits)");
    }
    match OTHER_TIMES.iter().find(|(name, _)| unit == "s" && *name == found) {
        Some((_, other)) => format!(" (did you mean {other}?)"),
        None => did_you_mean(found, names),
    }
}

/// Bytes a second, which no rate is given in: `KBps`, `MB/s`, `bytes/s`.
fn is_byte_rate(unit: &str) -> bool {
    let rest = unit.strip_prefix(['k', 'K', 'm', 'M', 'g', 'G']);
    let rests = [Some(unit), rest, rest.and_then(|rest| rest.strip_prefix('i'))];
    rests.into_iter().flatten().any(|rest| {
        ["B", "byte", "bytes", "Byte", "Bytes"]
            .iter()
            .any(|word| rest.strip_prefix(word).is_some_and(|tail| ["", "/s", "ps", "PS"].contains(&tail)))
    })
}

/// Bits, which no size is given in.
fn is_bits(unit: &str) -> bool {
    let rest = unit.strip_prefix(['k', 'K', 'M', 'G']).unwrap_or(unit);
    let rest = rest.strip_prefix('i').unwrap_or(rest);
    ["b", "bit", "bits", "Bit", "Bits"].contains(&rest)
}

/// A short example of a quantity; empty for a pure number.
pub fn example(unit: &str) -> &'static str {
    match unit {
        "s" => "10ms",
        "m" => "250m",
        "m/s" => "3e8",
        "bit/s" => "2Mbps",
        "bytes" => "10MB",
        "Hz" => "2.4GHz",
        "W" => "15dBm",
        "ratio" => "10dB",
        "probability" => "4%",
        _ => "",
    }
}

/// The sum of two floating-point numbers with what its rounding loses.
#[derive(Clone, Copy)]
struct Double(f64, f64);

impl Double {
    fn sum(a: f64, b: f64) -> Double {
        // Knuth's two-sum: exact for any two numbers.
        let s = a + b;
        let v = s - a;
        Double(s, (a - (s - v)) + (b - v))
    }

    fn plus(self, other: Double) -> Double {
        let Double(s, e) = Double::sum(self.0, other.0);
        Double::sum(s, e + self.1 + other.1)
    }

    fn times(self, other: Double) -> Double {
        let p = self.0 * other.0;
        // A fused product: the rounding error of p, exactly.
        let e = self.0.mul_add(other.0, -p);
        Double::sum(p, e + (self.0 * other.1 + self.1 * other.0))
    }

    fn over(self, other: Double) -> Double {
        let q = self.0 / other.0;
        let rest = self.plus(other.times(Double(-q, 0.0)));
        Double::sum(q, rest.0 / other.0)
    }
}

/// `10^(x + more)`, correctly rounded for every number of decibels that is typed.
fn power_of_ten(x: Decimal, more: i32) -> f64 {
    let (whole, rest, digits) = x.parts();
    let exact = Double(rest as f64, 0.0).over(Double(10f64.powi(digits as i32), 0.0));
    // ln 10 in two parts; e^y by its series after halving y ten times.
    let y = exact.times(Double(std::f64::consts::LN_10, -2.170_756_223_382_249_4e-16));
    // Below 0.0023, where 14 terms are beyond the 106 bits of a pair.
    let small = Double(y.0 / 1024.0, y.1 / 1024.0);
    let mut term = Double(1.0, 0.0);
    let mut sum = term;
    for n in 1..=14 {
        term = term.times(small).over(Double(f64::from(n), 0.0));
        sum = sum.plus(term);
    }
    for _ in 0..10 {
        sum = sum.times(sum);
    }
    let exponent = whole as i32 + more;
    let ten = Double(10.0, 0.0);
    for _ in 0..exponent.abs() {
        sum = if exponent < 0 { sum.over(ten) } else { sum.times(ten) };
    }
    sum.0 + sum.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read() {
        for (text, unit, value) in [
            ("2 min", "s", "120"),
            ("0.1s", "s", "0.1"),
            ("2mbps", "bit/s", "2e6"),
            ("2 MBit/s", "bit/s", "2e6"),
            ("2KiB", "bytes", "2048"),
            ("4%", "probability", "0.04"),
            ("10dB", "ratio", "10"),
            ("0dBm", "W", "0.001"),
            ("-100dBm", "dBm", "-100"),
            ("50 packets", "packets", "50"),
            ("1_000", "", "1000"),
            (".5e1", "", "5"),
            ("+3", "", "3"),
        ] {
            assert_eq!(parse(text, unit), Ok(Decimal::parse(value).expect("a number")), "{text}");
        }
    }

    #[test]
    fn what_is_no_quantity_is_refused() {
        for (text, unit, part) in [
            ("fast", "bit/s", "no number with a unit"),
            ("", "s", "no number with a unit"),
            ("5Ms", "s", "did you mean \"ms\"?"),
            ("5m", "s", "did you mean \"min\" or \"ms\"?"),
            ("200 KBps", "bit/s", "kbit/s, kbps (\"KBps\" counts bytes; 1 byte is 8 bits)"),
            ("10Mb", "bytes", "counts bits"),
            ("3x", "", "has no unit"),
            ("1 2", "", "no number with a unit"),
            ("9999dBm", "W", "outside"),
        ] {
            let error = parse(text, unit).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn decibels_are_correctly_rounded() {
        // From 28 digits.
        for (text, unit, value) in [
            ("15dB", "ratio", 31.622_776_601_683_793),
            ("5.5dBm", "W", 0.003_548_133_892_335_754_5),
            ("3dB", "ratio", 1.995_262_314_968_879_5),
            ("-1dB", "ratio", 0.794_328_234_724_281_5),
            ("24.5dBm", "W", 0.281_838_293_126_445_37),
        ] {
            assert_eq!(parse(text, unit).map(Decimal::to_f64), Ok(value), "{text}");
        }
    }
}
