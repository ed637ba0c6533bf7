//! Times of one octet, as the messages of OLSR carry them and its parameters must heed.

use super::Span;

/// A time in one octet: `C (1 + a / 16) 2^b` with four bits each for `a` and `b`
/// (RFC 3626 3.3.2 and 18.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeCode(u8);

impl TimeCode {
    /// C, the shortest time.
    const SHORTEST: Span = Span(62_500_000);
    /// The longest time.
    pub const LONGEST: Span = TimeCode(0xff).span();

    /// The shortest time a message can carry that is not less than `span`; the longest one where there is none.
    pub fn at_least(span: Span) -> Self {
        let sixteenths = span.0.saturating_mul(16);
        let code = |b: u64| {
            // `a` counts beyond one whole, which is sixteen sixteenths; the first b with room for it gives the
            // shortest time.
            let a = sixteenths.div_ceil(Self::SHORTEST.0 << b).max(16) - 16;
            (a < 16).then_some(TimeCode((a << 4 | b) as u8))
        };
        (0..16).find_map(code).unwrap_or(TimeCode(0xff))
    }

    /// The octet that stands for it: a above b.
    pub const fn octet(self) -> u8 {
        self.0
    }

    /// What an octet stands for.
    pub const fn of_octet(octet: u8) -> Self {
        TimeCode(octet)
    }

    /// The time.
    pub const fn span(self) -> Span {
        let (a, b) = ((self.0 >> 4) as u64, (self.0 & 15) as u64);
        // C is a multiple of 16 ns, so nothing is rounded.
        Span((Self::SHORTEST.0 / 16 * (16 + a)) << b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_coded_as_the_rfc_does() {
        // Examples of RFC 3626 18.3: (a, b) of 2, 6, 15 and 30 s.
        for (s, a, b) in [(2, 0, 5), (6, 8, 6), (15, 14, 7), (30, 14, 8)] {
            let code = TimeCode::at_least(Span::from_secs(s));
            assert_eq!(code, TimeCode(a << 4 | b));
            assert_eq!(code.span(), Span::from_secs(s));
        }
        assert_eq!(TimeCode::LONGEST, Span::from_secs(3968));
        assert_eq!(TimeCode::at_least(Span::from_secs(9999)).span(), TimeCode::LONGEST);
        assert_eq!(TimeCode::at_least(Span::ZERO).span(), TimeCode::SHORTEST);
    }

    #[test]
    fn times_are_rounded_up_by_less_than_a_sixteenth() {
        let mut span = TimeCode::SHORTEST;
        while span < TimeCode::LONGEST {
            let coded = TimeCode::at_least(span).span();
            assert!(coded >= span && coded.0 - span.0 <= span.0 / 16, "{span:?} became {coded:?}");
            span = Span(span.0 * 101 / 100 + 7);
        }
        for code in 0..=0xff {
            assert_eq!(TimeCode::at_least(TimeCode(code).span()), TimeCode(code));
        }
    }
}
