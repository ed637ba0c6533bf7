//! Expressions of constants, as Tcl's `expr` computes them: whole numbers, real ones and texts (expr(n)).

use hopscope_core::math;

/// Deepest nesting of parentheses and signs.
const DEEPEST: usize = 50;

/// A value; Tcl keeps whole numbers and real ones apart.
#[derive(Debug, Clone, PartialEq)]
pub enum Number {
    /// A whole number.
    Whole(i64),
    /// A real number.
    Real(f64),
    /// What is no number.
    Text(String),
}

impl Number {
    /// What a text stands for.
    pub fn of(text: &str) -> Number {
        let trimmed = text.trim();
        // Base ten alone, although Tcl 8 takes 010 for eight: scripts pad numbers with zeros.
        if let Ok(whole) = trimmed.parse::<i64>() {
            return Number::Whole(whole);
        }
        match trimmed.parse::<f64>() {
            Ok(real) if real.is_finite() => Number::Real(real),
            _ => Number::Text(text.to_string()),
        }
    }

    /// The value as Tcl writes it.
    pub fn written(&self) -> String {
        match self {
            Number::Whole(whole) => whole.to_string(),
            // With ".0" where it is whole, as Tcl writes real numbers: 2.0 / 4 is 0.5, and 2 / 4 is 0.
            Number::Real(real) => format!("{real:?}"),
            Number::Text(text) => text.clone(),
        }
    }

    fn real(&self) -> Result<f64, String> {
        match self {
            Number::Whole(whole) => Ok(*whole as f64),
            Number::Real(real) => Ok(*real),
            Number::Text(text) => Err(format!("found \"{text}\" where a number is expected")),
        }
    }

    /// Whether a condition holds.
    ///
    /// # Errors
    /// It is no truth value.
    pub fn is_true(&self) -> Result<bool, String> {
        match self {
            Number::Text(text) => match text.to_lowercase().as_str() {
                "true" | "yes" | "on" => Ok(true),
                "false" | "no" | "off" => Ok(false),
                _ => Err(format!("found \"{text}\" where a condition is expected")),
            },
            number => Ok(number.real()? != 0.0),
        }
    }
}

fn checked(real: f64) -> Result<Number, String> {
    if real.is_finite() { Ok(Number::Real(real)) } else { Err("a number has no finite value".to_string()) }
}

/// Operators of two operands by how strongly they bind, the weakest first.
const BINDING: &[&[&str]] =
    &[&["||"], &["&&"], &["==", "!=", "eq", "ne"], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

/// The value of an expression whose variables and scripts have been substituted.
///
/// # Errors
/// It is no expression of constants.
pub fn value(text: &str) -> Result<Number, String> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let found = parser.choice()?;
    parser.blanks();
    if parser.at < text.len() {
        return Err(format!("found \"{}\" after an expression", &text[parser.at..]));
    }
    Ok(found)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn takes(&mut self, token: &str) -> bool {
        self.blanks();
        let is_there = self.rest().starts_with(token);
        if is_there {
            self.at += token.len();
        }
        is_there
    }

    /// `a ? b : c`, or what binds more strongly.
    fn choice(&mut self) -> Result<Number, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("an expression is nested too deeply".to_string());
        }
        let condition = self.binary(0)?;
        let found = if self.takes("?") {
            let first = self.choice()?;
            if !self.takes(":") {
                return Err("found ? without :".to_string());
            }
            let second = self.choice()?;
            // Both have their values by then, since the text has to be read anyway: a division by zero in the part
            // that is not taken is an error here.
            if condition.is_true()? { first } else { second }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(found)
    }

    fn binary(&mut self, level: usize) -> Result<Number, String> {
        let Some(operators) = BINDING.get(level) else { return self.power() };
        let mut left = self.binary(level + 1)?;
        loop {
            self.blanks();
            let rest = self.rest();
            // The longer of two that begin alike stands first in each row, so that <= is not taken for <.
            let found = operators
                .iter()
                .find(|operator| rest.starts_with(**operator) && !(**operator == "*" && rest.starts_with("**")));
            let Some(operator) = found else { return Ok(left) };
            self.at += operator.len();
            let right = self.binary(level + 1)?;
            left = two(&left, operator, &right)?;
        }
    }

    fn power(&mut self) -> Result<Number, String> {
        let base = self.single()?;
        if !self.takes("**") {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("an expression is nested too deeply".to_string());
        }
        // From the right: 2**3**2 is 2**9.
        let exponent = self.power()?;
        self.depth -= 1;
        match (&base, &exponent) {
            (Number::Whole(base), Number::Whole(exponent)) if *exponent >= 0 => {
                let power = u32::try_from(*exponent).ok().and_then(|exponent| base.checked_pow(exponent));
                power.map(Number::Whole).ok_or_else(|| "a whole number is too large".to_string())
            }
            _ => checked(math::pow(base.real()?, exponent.real()?)),
        }
    }

    fn single(&mut self) -> Result<Number, String> {
        self.blanks();
        let sign = self.rest().chars().next().filter(|letter| matches!(letter, '-' | '+' | '!'));
        if let Some(sign) = sign {
            self.at += 1;
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err("an expression is nested too deeply".to_string());
            }
            let operand = self.single()?;
            self.depth -= 1;
            return match (sign, operand) {
                ('!', operand) => Ok(Number::Whole(i64::from(!operand.is_true()?))),
                // Only the least number has no opposite.
                ('-', Number::Whole(whole)) => Ok(Number::Whole(whole.wrapping_neg())),
                ('-', operand) => checked(-operand.real()?),
                (_, operand) => operand.real().map(|_| operand),
            };
        }
        if self.takes("(") {
            let found = self.choice()?;
            return if self.takes(")") { Ok(found) } else { Err("a parenthesis is never closed".to_string()) };
        }
        if self.takes("\"") {
            let end = self.rest().find('"').ok_or("a quote is never closed")?;
            // Tcl compares "10" in quotes as a number, too.
            let found = Number::of(&self.rest()[..end]);
            self.at += end + 1;
            return Ok(found);
        }
        self.operand()
    }

    /// A number, a bare word, or a function with its arguments.
    fn operand(&mut self) -> Result<Number, String> {
        let bytes = self.rest().as_bytes();
        let is_number = bytes.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.');
        let mut end = 0;
        while let Some(byte) = bytes.get(end) {
            // The sign of an exponent belongs to the number: 1e-3.
            let after_e = end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            let goes_on = match byte {
                b'0'..=b'9' | b'.' | b'a'..=b'z' | b'A'..=b'Z' => true,
                b'+' | b'-' => is_number && after_e,
                b'_' | b'/' | b':' | b'\x01' => !is_number,
                _ => false,
            };
            if !goes_on {
                break;
            }
            end += 1;
        }
        if end == 0 {
            return Err(match self.rest().chars().next() {
                Some(letter) => format!("found \"{letter}\" in an expression"),
                None => "an expression ends too early".to_string(),
            });
        }
        let word = self.rest()[..end].to_string();
        self.at += end;
        if is_number || !self.takes("(") {
            return Ok(Number::of(&word));
        }
        let mut arguments = Vec::new();
        while !self.takes(")") {
            if !arguments.is_empty() && !self.takes(",") {
                return Err(format!("the arguments of {word}() are never closed"));
            }
            arguments.push(self.choice()?);
        }
        function(&word, &arguments)
    }
}

fn two(left: &Number, operator: &str, right: &Number) -> Result<Number, String> {
    let truth = |is_true: bool| Ok(Number::Whole(i64::from(is_true)));
    match operator {
        "||" => return truth(left.is_true()? || right.is_true()?),
        "&&" => return truth(left.is_true()? && right.is_true()?),
        "eq" => return truth(left.written() == right.written()),
        "ne" => return truth(left.written() != right.written()),
        _ => {}
    }
    if let (Number::Whole(a), Number::Whole(b)) = (left, right) {
        let (a, b) = (*a, *b);
        let whole = match operator {
            "+" => a.checked_add(b),
            "-" => a.checked_sub(b),
            "*" => a.checked_mul(b),
            "/" | "%" if b == 0 => return Err("a division by zero".to_string()),
            // Tcl rounds down, whatever the signs.
            "/" => a.checked_div_euclid(b).map(|q| if b < 0 && a.rem_euclid(b) != 0 { q - 1 } else { q }),
            "%" => a.checked_rem_euclid(b).map(|r| if b < 0 && r != 0 { r + b } else { r }),
            _ => Some(i64::from(compared(&a.cmp(&b), operator))),
        };
        return whole.map(Number::Whole).ok_or_else(|| "a whole number is too large".to_string());
    }
    if let (Ok(a), Ok(b)) = (left.real(), right.real()) {
        return match operator {
            "+" => checked(a + b),
            "-" => checked(a - b),
            "*" => checked(a * b),
            "/" if b == 0.0 => Err("a division by zero".to_string()),
            "/" => checked(a / b),
            "%" => Err("% needs whole numbers".to_string()),
            _ => truth(compared(&a.total_cmp(&b), operator)),
        };
    }
    match operator {
        "+" | "-" | "*" | "/" | "%" => left.real().and(right.real()).map(Number::Real),
        // Where one side is no number both are compared as texts (expr(n)).
        _ => truth(compared(&left.written().cmp(&right.written()), operator)),
    }
}

fn compared(order: &std::cmp::Ordering, operator: &str) -> bool {
    match operator {
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "<=" => order.is_le(),
        ">=" => order.is_ge(),
        "<" => order.is_lt(),
        _ => order.is_gt(),
    }
}

fn function(name: &str, arguments: &[Number]) -> Result<Number, String> {
    let real = |at: usize| arguments.get(at).ok_or_else(|| format!("{name}() has no argument")).and_then(Number::real);
    let whole = |real: f64| {
        if real.abs() < 9e15 { Ok(Number::Whole(real as i64)) } else { Err("a whole number is too large".to_string()) }
    };
    match (name, arguments.len()) {
        ("int" | "wide", 1) => whole(real(0)?.trunc()),
        ("round", 1) => whole(real(0)?.round()),
        ("double", 1) => checked(real(0)?),
        ("abs", 1) => match &arguments[0] {
            Number::Whole(number) => Ok(Number::Whole(number.wrapping_abs())),
            other => checked(other.real()?.abs()),
        },
        ("floor", 1) => checked(real(0)?.floor()),
        ("ceil", 1) => checked(real(0)?.ceil()),
        ("sqrt", 1) => checked(real(0)?.sqrt()),
        ("exp", 1) => checked(math::exp(real(0)?)),
        ("log", 1) => checked(math::ln(real(0)?)),
        ("log10", 1) => checked(math::log10(real(0)?)),
        ("sin", 1) => checked(math::sin(real(0)?)),
        ("cos", 1) => checked(math::cos(real(0)?)),
        ("tan", 1) => checked(math::tan(real(0)?)),
        ("atan", 1) => checked(math::atan(real(0)?)),
        ("pow", 2) => checked(math::pow(real(0)?, real(1)?)),
        ("hypot", 2) => checked(math::hypot(real(0)?, real(1)?)),
        ("fmod", 2) => checked(real(0)? % real(1)?),
        ("rand" | "srand", _) => Err(format!("{name}() is random; the value is not in the file")),
        _ => Err(format!("the function {name}() with {} arguments is not known", arguments.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_computed_as_tcl_computes_them() {
        // Each value was asked of tclsh 8.6.
        for (text, expected) in [
            ("1+2*3", "7"),
            ("7/2", "3"),
            ("-7/2", "-4"),
            ("7/-2", "-4"),
            ("-7 % 3", "2"),
            ("7 % -3", "-2"),
            ("7/2.0", "3.5"),
            ("(1+2)*3", "9"),
            ("2**3**2", "512"),
            ("-2**2", "4"),
            ("3 > 2 && 2 >= 2", "1"),
            ("1 ? 5 : 6", "5"),
            ("\"DSR\" == \"DSR\"", "1"),
            ("AODV eq DSR", "0"),
            ("int(3.9)", "3"),
            ("round(2.5)", "3"),
            ("sqrt(16)", "4.0"),
            ("pow(2, 3)", "8.0"),
            ("1e3*2", "2000.0"),
            ("!0", "1"),
        ] {
            assert_eq!(value(text).map(|found| found.written()), Ok(expected.to_string()), "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_named() {
        for (text, why) in [
            ("1/0", "a division by zero"),
            ("1+", "an expression ends too early"),
            ("1 2", "found \"2\" after an expression"),
            ("(1", "a parenthesis is never closed"),
            ("rand()", "rand() is random; the value is not in the file"),
            ("a+1", "found \"a\" where a number is expected"),
            ("9223372036854775807+1", "a whole number is too large"),
        ] {
            assert_eq!(value(text), Err(why.to_string()), "{text}");
        }
        assert_eq!(value(&"(".repeat(100_000)), Err("an expression is nested too deeply".to_string()));
        assert_eq!(value(&"-".repeat(100_000)), Err("an expression is nested too deeply".to_string()));
    }
}
