//! When a key has an effect: what other keys must be.
//!
//! A condition is data next to the definition of its key, written as text: `rate_control = arf | aarf`, `jitter > 0`,
//! `rts_threshold != off`, `rssi_trace given`, joined by `and`, and groups of those by `or`. A name without a dot is a key
//! of the same table; `flow.ack` is a key of the flow, and in a section of the network that of any flow; `mac.link` is the
//! link layer of the nodes in question, `event.kind` a key of any event; other names are those of a scenario file,
//! `radio.error.kind`. The transport `tcp` stands for its older words too, `control` and `recovery` of a flow for what all
//! its keys choose together. A key holds only while its own condition does.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// A condition: groups of which one must hold, each with all its needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct When {
    /// The groups.
    pub any: Vec<Vec<Need>>,
}

/// What one other key must be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Need {
    /// The other key.
    pub key: String,
    /// What it must be.
    pub is: Is,
}

/// What a value must be.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Is {
    /// One of these words; of several words, one of them must be among these.
    OneOf(Vec<String>),
    /// Another word than these; of several words, one of them must be another.
    NoneOf(Vec<String>),
    /// A number above this one.
    Above(f64),
    /// There.
    Given,
}

/// The word for a value that is not there.
const OFF: &str = "off";

impl When {
    /// The condition of a text.
    pub fn parse(text: &str) -> When {
        let group = |text: &str| text.split(" and ").map(Need::parse).collect();
        When { any: text.split(" or ").map(group).collect() }
    }

    /// All its needs.
    pub fn needs(&self) -> impl Iterator<Item = &Need> {
        self.any.iter().flatten()
    }

    /// The condition in words; `name` gives the names of keys.
    pub fn in_words(&self, name: impl Fn(&str) -> String) -> String {
        let need = |need: &Need| format!("{} {}", name(&need.key), need.is);
        let group = |group: &Vec<Need>| group.iter().map(need).collect::<Vec<_>>().join(" and ");
        // The comma shows what belongs together where a group has an "and".
        let separator = if self.any.iter().all(|group| group.len() == 1) { " or " } else { ", or " };
        self.any.iter().map(group).collect::<Vec<_>>().join(separator)
    }
}

impl Need {
    fn parse(text: &str) -> Need {
        let words = |text: &str| text.split('|').map(|word| word.trim().to_string()).collect();
        let of = |key: &str, is| Need { key: key.trim().to_string(), is };
        // Before `=`, which it contains.
        if let Some((key, rest)) = text.split_once("!=") {
            of(key, Is::NoneOf(words(rest)))
        } else if let Some((key, rest)) = text.split_once('=') {
            of(key, Is::OneOf(words(rest)))
        } else if let Some((key, rest)) = text.split_once('>') {
            // Nothing is above NaN: a condition that cannot be read never holds.
            of(key, Is::Above(rest.trim().parse().unwrap_or(f64::NAN)))
        } else {
            // What has no sign is a key that only has to be there.
            of(text.trim().trim_end_matches("given"), Is::Given)
        }
    }
}

impl Is {
    /// Whether a value is so.
    pub fn holds(&self, value: &Value) -> bool {
        match self {
            Is::OneOf(words) => words_of(value).iter().any(|word| words.contains(word)),
            Is::NoneOf(words) => words_of(value).iter().any(|word| !words.contains(word)),
            Is::Above(least) => value.as_f64().is_some_and(|number| number > *least),
            Is::Given => words_of(value) != [OFF],
        }
    }
}

/// A value as words: each of a list or of parts with `+` between them; "off" where it is not there.
fn words_of(value: &Value) -> Vec<String> {
    match value {
        Value::Null => vec![OFF.to_string()],
        // An absent key may come as null, as an empty text or as an empty list.
        Value::String(text) if text.is_empty() => vec![OFF.to_string()],
        Value::Array(items) if items.is_empty() => vec![OFF.to_string()],
        Value::Array(items) => items.iter().flat_map(words_of).collect(),
        Value::String(text) => text.split('+').map(|part| part.trim().to_string()).collect(),
        other => vec![other.to_string()],
    }
}

/// A value in a message.
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() => quoted(text),
        other => words_of(other).iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", "),
    }
}

/// A word in a message: text in quotes, flags and numbers as they are.
fn quoted(word: &str) -> String {
    // As a scenario file has them: only text is quoted there.
    let plain = matches!(word, "true" | "false") || word.parse::<f64>().is_ok();
    if plain { word.to_string() } else { format!("\"{word}\"") }
}

/// Words with `or` between the last two.
fn either(words: &[String]) -> String {
    let all: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}

impl fmt::Display for Is {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Is::OneOf(words) => write!(f, "= {}", either(words)),
            Is::NoneOf(words) => write!(f, "other than {}", either(words)),
            Is::Above(least) => write!(f, "above {least}"),
            Is::Given => f.write_str("given"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conditions_are_read_and_said() {
        let when = When::parse("interference = capture | range or interference = sinr and synchronization != preamble");
        let words = when.in_words(|key| format!("radio.{key}"));
        let first = "radio.interference = \"capture\" or \"range\"";
        let second = "radio.interference = \"sinr\" and radio.synchronization other than \"preamble\"";
        assert_eq!(words, format!("{first}, or {second}"));
        let said = |text: &str| When::parse(text).in_words(str::to_string);
        assert_eq!(said("hysteresis = true"), "hysteresis = true");
        assert_eq!(said("jitter > 0 or rssi_trace given"), "jitter above 0 or rssi_trace given");
        assert_eq!(said("a != x | y | z"), "a other than \"x\", \"y\" or \"z\"");
    }

    #[test]
    fn values_meet_their_needs() {
        let holds = |text: &str, value: Value| Need::parse(text).is.holds(&value);
        assert!(holds("link = red | codel", json!("lred+codel")) && !holds("link = red", json!("lred+codel")));
        assert!(holds("keep = queue", json!(["cwnd", "queue"])) && !holds("keep = rto", json!(["cwnd"])));
        assert!(holds("x != off", json!(0)) && !holds("x != off", json!(null)) && holds("x = off", json!(null)));
        assert!(holds("x = true", json!(true)) && !holds("x = true", json!(false)));
        assert!(holds("x > 0", json!(0.5)) && !holds("x > 0", json!(0)) && !holds("x > 0", json!(null)));
        assert!(holds("x given", json!([1])) && !holds("x given", json!([])) && !holds("x given", json!("")));
    }
}
