//! A value as it was written, and how a message shows it.

use serde_json::{Value as Json, json};

/// A value of a scenario file, before anything is known of its key.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// True or false.
    Flag(bool),
    /// A whole number.
    Int(i128),
    /// A whole number beyond 128 bits: its digits as written, `0x` and its like in front.
    Huge(String),
    /// A number and its shortest text.
    Float(f64, String),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A table; keys in the order of the file.
    Table(Vec<(String, Value)>),
    /// Anything else, such as a date: its text.
    Other(String),
}

/// Longest text of a value in a message.
const LIMIT: usize = 60;
/// From so many digits on a number is reported by their count.
const DIGITS: usize = 61;

impl Value {
    /// It is nothing at all, which a document built by a program can hold.
    pub fn is_none(&self) -> bool {
        matches!(self, Value::Other(text) if text == "None")
    }

    /// The same as JSON; what JSON has no number for is text.
    pub fn json(&self) -> Json {
        match self {
            Value::Flag(flag) => json!(flag),
            Value::Int(number) => {
                i64::try_from(*number).map_or_else(|_| json!(number.to_string()), |whole| json!(whole))
            }
            Value::Float(number, _) => json!(number),
            Value::Huge(text) | Value::Text(text) | Value::Other(text) => json!(text),
            Value::List(items) => items.iter().map(Value::json).collect(),
            Value::Table(keys) => keys.iter().map(|(name, item)| (name.clone(), item.json())).collect(),
        }
    }

    /// The value as a user would have typed it, shortened for a message.
    pub fn shown(&self) -> String {
        let text = match self {
            Value::Flag(flag) => flag.to_string(),
            Value::Int(number) => number.to_string(),
            Value::Huge(digits) if digits.trim_start_matches('-').len() >= DIGITS => {
                "a number of more than 60 digits".to_string()
            }
            Value::Huge(text) | Value::Other(text) | Value::Float(_, text) => text.clone(),
            Value::Text(text) => quoted(text),
            Value::List(items) => format!("a list of {} values", items.len()),
            Value::Table(keys) => format!("a table of {} keys", keys.len()),
        };
        if text.chars().count() <= LIMIT { text } else { text.chars().take(LIMIT - 3).chain("...".chars()).collect() }
    }
}

/// Text in quotes with everything escaped that is not printable ASCII.
fn quoted(text: &str) -> String {
    let mut result = String::from("\"");
    for c in text.chars() {
        match c {
            '\\' => result += "\\\\",
            '\n' => result += "\\n",
            '\r' => result += "\\r",
            '\t' => result += "\\t",
            ' '..='~' => result.push(c),
            _ if (c as u32) < 0x100 => result += &format!("\\x{:02x}", c as u32),
            _ if (c as u32) < 0x1_0000 => result += &format!("\\u{:04x}", c as u32),
            _ => result += &format!("\\U{:08x}", c as u32),
        }
    }
    result.push('"');
    result
}

/// Text as a message shows it.
pub fn shown(text: &str) -> String {
    Value::Text(text.to_string()).shown()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_typed_and_never_at_length() {
        let text = |t: &str| Value::Text(t.to_string()).shown();
        assert_eq!(text("a\"b"), "\"a\"b\"");
        assert_eq!(text("µ\n\u{1f600}"), "\"\\xb5\\n\\U0001f600\"");
        assert_eq!(text(&"x".repeat(100)).len(), 60);
        assert_eq!(Value::Huge("9".repeat(90)).shown(), "a number of more than 60 digits");
        assert_eq!(Value::List(vec![Value::Flag(true)]).shown(), "a list of 1 values");
        assert_eq!(Value::Float(1e16, "1e+16".to_string()).shown(), "1e+16");
    }
}
