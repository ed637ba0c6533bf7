//! Decimal numbers, so that `0.1s` is exactly 100,000,000 ns.

use std::cmp::Ordering;

/// `mantissa * 10^exponent`, with at most [`DIGITS`] digits.
#[derive(Debug, Clone, Copy)]
pub struct Decimal {
    mantissa: i128,
    exponent: i32,
}

/// Digits that are kept.
const DIGITS: usize = 28;

impl Decimal {
    /// A whole number.
    pub const fn whole(number: i128) -> Decimal {
        Decimal { mantissa: number, exponent: 0 }
    }

    /// A number by its shortest decimal text.
    pub fn of(number: f64) -> Decimal {
        // The shortest text that reads back as this number is what somebody has typed.
        Decimal::parse(&format!("{number:e}")).unwrap_or(Decimal::whole(0))
    }

    /// Reads digits with an optional sign, point and exponent.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (number, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (sign, number) = match number.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, number.strip_prefix('+').unwrap_or(number)),
        };
        let (before, after) = number.split_once('.').unwrap_or((number, ""));
        let digits: String = before.chars().chain(after.chars()).collect();
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        // Zeros in front are no digits: 0.000…1 keeps as many as 1.
        let digits = digits.trim_start_matches('0');
        // Some digits more than are kept, so that rounding sees them; all of them fit 128 bits.
        let kept = digits.len().min(DIGITS + 6);
        let mantissa: i128 = if kept == 0 { 0 } else { digits[..kept].parse().ok()? };
        let exponent = exponent - after.len() as i32 + (digits.len() - kept) as i32;
        Some(Decimal { mantissa: sign * mantissa, exponent }.rounded())
    }

    /// True for zero.
    pub const fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// True for a whole number.
    pub fn is_whole(self) -> bool {
        self.to_whole().is_some()
    }

    /// The same number when it is whole and fits.
    pub fn to_whole(self) -> Option<i128> {
        let Decimal { mantissa, exponent } = self.shortest();
        if exponent < 0 {
            return None;
        }
        10_i128.checked_pow(exponent.unsigned_abs()).and_then(|power| mantissa.checked_mul(power))
    }

    /// The nearest whole number, the even one of two.
    pub fn nearest(self) -> Option<i128> {
        if self.exponent >= 0 {
            return self.to_whole();
        }
        Some(self.scaled_down(self.exponent.unsigned_abs()))
    }

    /// The product.
    pub fn times(self, other: Decimal) -> Decimal {
        let (a, b) = (self.rounded().shortest(), other.shortest());
        let exponent = a.exponent + b.exponent;
        match a.mantissa.checked_mul(b.mantissa) {
            Some(mantissa) => Decimal { mantissa, exponent }.rounded(),
            // Two long factors: a product of more than 38 digits, of which a double keeps what any key needs.
            None => Decimal::of(a.to_f64() * b.to_f64()),
        }
    }

    /// As a floating-point number, rounded once.
    pub fn to_f64(self) -> f64 {
        // By way of the text: the parser of the library rounds correctly, a division by a power of ten would round
        // twice.
        format!("{}e{}", self.mantissa, self.exponent).parse().unwrap_or(f64::NAN)
    }

    /// As text that any reader of decimal numbers takes.
    pub fn text(self) -> String {
        let Decimal { mantissa, exponent } = self.shortest();
        if exponent == 0 { mantissa.to_string() } else { format!("{mantissa}E{exponent:+}") }
    }

    /// The whole part, rounded down, and the rest as a whole number of parts of so many decimal places.
    pub fn parts(self) -> (i128, i128, u32) {
        let Decimal { mantissa, exponent } = self.shortest();
        let digits = exponent.min(0).unsigned_abs();
        match 10_i128.checked_pow(digits) {
            Some(_) if exponent > 0 => (self.to_whole().unwrap_or(0), 0, 0),
            // Down also below zero: -0.3 is -1 and 0.7, so that the rest is never negative.
            Some(power) => (mantissa.div_euclid(power), mantissa.rem_euclid(power), digits),
            None => (0, 0, 0),
        }
    }

    /// The mantissa divided by a power of ten, rounded half to even.
    fn scaled_down(self, digits: u32) -> i128 {
        // Divided by more than 10^38 nothing is left of 34 digits.
        let Some(power) = 10_i128.checked_pow(digits) else { return 0 };
        let (quotient, rest) = (self.mantissa.div_euclid(power), self.mantissa.rem_euclid(power));
        let up = rest > power / 2 || (rest == power / 2 && quotient % 2 != 0);
        quotient + i128::from(up)
    }

    /// With no more digits than are kept.
    fn rounded(self) -> Decimal {
        let digits = self.mantissa.unsigned_abs().checked_ilog10().map_or(0, |log| log as usize + 1);
        if digits <= DIGITS {
            return self;
        }
        let extra = (digits - DIGITS) as u32;
        Decimal { mantissa: self.scaled_down(extra), exponent: self.exponent + extra as i32 }
    }

    /// Without zeros at the end.
    fn shortest(self) -> Decimal {
        let Decimal { mut mantissa, mut exponent } = self;
        if mantissa == 0 {
            return Decimal::whole(0);
        }
        while mantissa % 10 == 0 {
            mantissa /= 10;
            exponent += 1;
        }
        Decimal { mantissa, exponent }
    }

    /// Place of the first digit.
    fn magnitude(self) -> i32 {
        self.mantissa.unsigned_abs().checked_ilog10().map_or(i32::MIN / 2, |log| log as i32) + self.exponent
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Decimal) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let (a, b) = (self.shortest(), other.shortest());
        let by_sign = a.mantissa.signum().cmp(&b.mantissa.signum());
        if by_sign.is_ne() || a.is_zero() {
            return by_sign;
        }
        let by_size = match a.magnitude().cmp(&b.magnitude()) {
            Ordering::Equal => {
                // Of one magnitude, the digits of both lie within those of the longer one.
                let least = a.exponent.min(b.exponent);
                let digits = |d: Decimal| {
                    10_i128.checked_pow((d.exponent - least).unsigned_abs()).and_then(|p| d.mantissa.checked_mul(p))
                };
                return digits(a).cmp(&digits(b));
            }
            order => order,
        };
        if a.mantissa < 0 { by_size.reverse() } else { by_size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Decimal {
        Decimal::parse(text).expect("a number")
    }

    #[test]
    fn products_are_exact() {
        assert_eq!(d("0.1").times(Decimal::whole(1_000_000_000)).to_whole(), Some(100_000_000));
        assert_eq!(d("5.5").times(d("1e6")).to_whole(), Some(5_500_000));
        assert_eq!(d("4").times(d("1e-2")).to_f64(), 0.04);
        assert_eq!(d("914").times(d("1e6")).text(), "914E+6");
        assert_eq!(d("1e30").times(d("1e30")).to_f64(), 1e60);
    }

    #[test]
    fn halves_go_to_the_even_neighbour() {
        for (text, whole) in [("0.5", 0), ("1.5", 2), ("2.5", 2), ("-0.5", 0), ("-1.5", -2), ("0.51", 1), ("2.4", 2)] {
            assert_eq!(d(text).nearest(), Some(whole), "{text}");
        }
    }

    #[test]
    fn order_is_that_of_numbers() {
        for (less, more) in [("1", "2"), ("-2", "1"), ("-2", "-1"), ("1e-400", "1e-3"), ("0", "1e-400"), ("9", "10")] {
            assert!(d(less) < d(more), "{less} < {more}");
        }
        assert_eq!(d("1.0").cmp(&d("1")), Ordering::Equal);
        assert!(Decimal::whole(i128::from(u64::MAX / 2)) < Decimal::whole(1 << 63));
        assert_eq!(d("1000000000000000000000000000000000000000").magnitude(), 39);
    }

    #[test]
    fn texts_that_are_no_numbers_are_none() {
        for text in ["", ".", "x", "1.2.3", "e5", "1e"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }
}
