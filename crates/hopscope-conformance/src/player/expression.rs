//! Conditions of assertions: numbers, names, arithmetic, comparisons that may be chained, `and`, `or`, `not`.

/// Why a condition has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// A name that stands for nothing here.
    Unknown(String),
    /// It is no condition.
    Syntax(String),
}

/// A condition being read.
pub(super) struct Expression<'a> {
    text: &'a str,
}

type Names<'a> = dyn Fn(&str) -> Option<f64> + 'a;

impl<'a> Expression<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Expression { text }
    }

    /// Its value: 0 is false. What follows a comma is a message.
    pub(super) fn value(mut self, names: &Names) -> Result<f64, Refusal> {
        let value = self.any(names)?;
        let rest = self.text.trim();
        if rest.is_empty() || rest.starts_with(',') {
            Ok(value)
        } else {
            Err(Refusal::Syntax(format!("found `{rest}` behind a condition")))
        }
    }

    fn eat(&mut self, what: &str) -> bool {
        let rest = self.text.trim_start();
        // `or` is not the beginning of `order`.
        let is_word = what.starts_with(|c: char| c.is_ascii_alphabetic());
        let here = rest.starts_with(what)
            && !(is_word && rest[what.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        if here {
            self.text = &rest[what.len()..];
        }
        here
    }

    fn any(&mut self, names: &Names) -> Result<f64, Refusal> {
        let mut value = self.all(names)?;
        while self.eat("or") {
            // Read even where the value is known: the text has to be taken, and nothing has an effect.
            let other = self.all(names)?;
            value = f64::from(value != 0.0 || other != 0.0);
        }
        Ok(value)
    }

    fn all(&mut self, names: &Names) -> Result<f64, Refusal> {
        let mut value = self.not(names)?;
        while self.eat("and") {
            let other = self.not(names)?;
            value = f64::from(value != 0.0 && other != 0.0);
        }
        Ok(value)
    }

    fn not(&mut self, names: &Names) -> Result<f64, Refusal> {
        if self.eat("not") { Ok(f64::from(self.not(names)? == 0.0)) } else { self.comparison(names) }
    }

    fn comparison(&mut self, names: &Names) -> Result<f64, Refusal> {
        let mut left = self.sum(names)?;
        let (mut holds, mut compared) = (true, false);
        loop {
            // Longer signs before their beginnings: `<=` before `<`.
            let test: fn(&f64, &f64) -> bool = if self.eat("==") {
                |a, b| a == b
            } else if self.eat("!=") {
                |a, b| a != b
            } else if self.eat("<=") {
                |a, b| a <= b
            } else if self.eat(">=") {
                |a, b| a >= b
            } else if self.eat("<") {
                |a, b| a < b
            } else if self.eat(">") {
                |a, b| a > b
            } else {
                return Ok(if compared { f64::from(holds) } else { left });
            };
            let right = self.sum(names)?;
            // As in Python, `a < b < c` compares neighbours.
            holds &= test(&left, &right);
            compared = true;
            left = right;
        }
    }

    fn sum(&mut self, names: &Names) -> Result<f64, Refusal> {
        let mut value = self.product(names)?;
        loop {
            if self.eat("+") {
                value += self.product(names)?;
            } else if self.eat("-") {
                value -= self.product(names)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self, names: &Names) -> Result<f64, Refusal> {
        let mut value = self.factor(names)?;
        loop {
            if self.eat("*") {
                value *= self.factor(names)?;
            } else if self.eat("//") {
                value = (value / self.factor(names)?).floor();
            } else if self.eat("/") {
                value /= self.factor(names)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn factor(&mut self, names: &Names) -> Result<f64, Refusal> {
        if self.eat("-") {
            return Ok(-self.factor(names)?);
        }
        if self.eat("(") {
            let value = self.any(names)?;
            return if self.eat(")") { Ok(value) } else { Err(Refusal::Syntax("a `)` is missing".to_string())) };
        }
        if self.eat("abs(") {
            let value = self.any(names)?;
            return if self.eat(")") { Ok(value.abs()) } else { Err(Refusal::Syntax("a `)` is missing".to_string())) };
        }
        let rest = self.text.trim_start();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        if word.is_empty() {
            return Err(Refusal::Syntax(format!("found `{rest}`; a number or a name is expected")));
        }
        self.text = behind;
        match word.parse() {
            Ok(number) => Ok(number),
            Err(_) => names(word).ok_or_else(|| Refusal::Unknown(word.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_have_the_values_of_python() {
        let names = |name: &str| (name == "tcpi_snd_cwnd").then_some(7.0);
        for (text, value) in [
            ("tcpi_snd_cwnd == 7, tcpi_snd_cwnd", 1.0),
            (" 5 < tcpi_snd_cwnd <= 7 and not 0", 1.0),
            ("tcpi_snd_cwnd < 7 or 2 * (3 - 1) != 4", 0.0),
            ("-3 + 10 / 4", -0.5),
            ("7 // 2 == 3", 1.0),
        ] {
            assert_eq!(Expression::new(text).value(&names), Ok(value), "{text}");
        }
        assert_eq!(Expression::new("other == 1").value(&names), Err(Refusal::Unknown("other".to_string())));
        for text in ["", "(1", "1 1", "== 2"] {
            assert!(matches!(Expression::new(text).value(&names), Err(Refusal::Syntax(_))), "{text}");
        }
    }
}
