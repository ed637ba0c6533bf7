//! Values as TOML (1.0), readable as a scenario file again.

use crate::value::Value;

/// Larger tables inside a table get lines of their own.
const INLINE_KEYS: usize = 8;

/// A document: values first, then tables, then tables in double brackets; long tables inside a table apart.
pub fn document(keys: &[(String, Value)]) -> String {
    let mut lines: Vec<String> = Vec::new();
    let line = |(name, value): &(String, Value)| format!("{} = {}", key(name), inline(value));
    lines.extend(keys.iter().filter(|(_, value)| !is_table(value)).map(line));
    for (name, value) in keys.iter().filter(|(_, value)| is_table(value)) {
        match value {
            Value::Table(inner) => {
                // A header ends the keys of the table above it: long tables come after the rest.
                let is_apart = |value: &Value| matches!(value, Value::Table(keys) if keys.len() > INLINE_KEYS);
                lines.extend([String::new(), format!("[{}]", key(name))]);
                lines.extend(inner.iter().filter(|(_, value)| !is_apart(value)).map(line));
                for (below, table) in inner.iter().filter(|(_, value)| is_apart(value)) {
                    lines.extend([String::new(), format!("[{}.{}]", key(name), key(below))]);
                    lines.extend(entries(table).iter().map(line));
                }
            }
            Value::List(items) => {
                for item in items {
                    lines.extend([String::new(), format!("[[{}]]", key(name))]);
                    lines.extend(entries(item).iter().map(line));
                }
            }
            _ => {}
        }
    }
    lines.join("\n") + "\n"
}

/// A value in one line.
pub fn inline(value: &Value) -> String {
    match value {
        Value::Flag(flag) => flag.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Float(_, text) | Value::Huge(text) | Value::Other(text) => text.clone(),
        Value::Text(text) => quoted(text),
        Value::List(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Table(keys) if keys.is_empty() => "{}".to_string(),
        Value::Table(keys) => {
            let keys = keys.iter().map(|(name, value)| format!("{} = {}", key(name), inline(value)));
            format!("{{ {} }}", keys.collect::<Vec<_>>().join(", "))
        }
    }
}

fn is_table(value: &Value) -> bool {
    match value {
        Value::Table(_) => true,
        // An empty list has no header to stand under: it stays a value.
        Value::List(items) => !items.is_empty() && items.iter().all(|item| matches!(item, Value::Table(_))),
        _ => false,
    }
}

fn entries(value: &Value) -> &[(String, Value)] {
    match value {
        Value::Table(keys) => keys,
        _ => &[],
    }
}

fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) { name.to_string() } else { quoted(name) }
}

/// A basic string: what JSON escapes is escaped in TOML alike, and DEL too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(keys: &[(&str, Value)]) -> Value {
        Value::Table(keys.iter().map(|(name, value)| (name.to_string(), value.clone())).collect())
    }

    #[test]
    fn values_come_before_tables_and_long_tables_stand_apart() {
        let long: Vec<(String, Value)> = (0..9).map(|n| (format!("k{n}"), Value::Int(n))).collect();
        let keys = [
            ("radio", table(&[("long", Value::Table(long)), ("short", table(&[("a b", Value::Flag(true))]))])),
            ("flow", Value::List(vec![table(&[("from", Value::Int(1))]), table(&[])])),
            ("title", Value::Text("é\u{7f}\"\n".to_string())),
            ("x", Value::List(vec![Value::Float(0.5, "0.5".to_string()), table(&[])])),
        ];
        let Value::Table(keys) = table(&keys) else { unreachable!("it is one") };
        let lines = document(&keys);
        let expected = "title = \"é\\u007f\\\"\\n\"\nx = [0.5, {}]\n\n[radio]\nshort = { \"a b\" = true }\n\n[radio.long]\nk0 = 0\n";
        assert!(lines.starts_with(expected), "{lines}");
        assert!(lines.ends_with("k8 = 8\n\n[[flow]]\nfrom = 1\n\n[[flow]]\n"), "{lines}");
    }
}
