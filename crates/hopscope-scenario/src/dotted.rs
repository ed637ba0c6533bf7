//! Changes to a document by dotted keys: `mac.queue`, `flow.0.max_window`, `flow.*.max_window` (every flow), `outage.0.to`.

use crate::resolve::Path;
use crate::value::{Value, shown};

/// Where tables and axes of a sweep stand.
const SWEEP: &str = "sweep";
/// `[[sweep.together]]`: each table holds keys that change together.
pub const TOGETHER: &str = "together";

/// The key paths that a dotted key stands for: one, or one a table of double brackets. `numbered` are the names of these, and
/// `count` says how many of one there are.
///
/// # Errors
/// It names a table that does not exist.
pub fn key_paths(key: &str, numbered: &[&str], count: impl Fn(&str) -> usize) -> Result<Vec<Path>, String> {
    let parts: Path = key.split('.').map(str::to_string).collect();
    let [name, number, rest @ ..] = parts.as_slice() else { return Ok(vec![parts]) };
    if !numbered.contains(&name.as_str()) {
        return Ok(vec![parts]);
    }
    let tables = count(name);
    let path = |index: usize| {
        let mut path = vec![name.clone(), index.to_string()];
        path.extend_from_slice(rest);
        path
    };
    if number == "*" {
        return if tables > 0 {
            Ok((0..tables).map(path).collect())
        } else {
            Err(format!("the scenario has no {name}s"))
        };
    }
    if number.is_empty() || !number.bytes().all(|digit| digit.is_ascii_digit()) {
        let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        let found = shown(number);
        return Err(format!("found {found} after \"{name}.\"; expected the number of {article} {name} or \"*\""));
    }
    match number.parse().ok().filter(|&index: &usize| index < tables && number.len() <= 9) {
        Some(index) => Ok(vec![path(index)]),
        None => {
            let have = match tables {
                0 => format!("no {name}s"),
                _ => format!("{name}s 0 to {}", tables - 1),
            };
            let number: String = number.chars().take(12).collect();
            Err(format!("{name} {number} does not exist; the scenario has {have}"))
        }
    }
}

/// Sets a dotted key and gives the key paths that were set. Axes of a sweep over keys that have a fixed value now end.
///
/// # Errors
/// It names a table that does not exist, goes through something that is no table, or is one of several that are swept as one.
pub fn assign(values: &mut Value, key: &str, value: &Value, numbered: &[&str]) -> Result<Vec<Path>, String> {
    if key.split('.').next() == Some(SWEEP) {
        return Err("a sweep is not changed here; set the keys that it varies".to_string());
    }
    let paths = paths_in(values, key, numbered)?;
    for path in &paths {
        put(values, path, value.clone())?;
    }
    end_axes(values, &paths, numbered)?;
    Ok(paths)
}

/// The key paths that a dotted key stands for in a document.
fn paths_in(values: &Value, key: &str, numbered: &[&str]) -> Result<Vec<Path>, String> {
    let tables = |name: &str| match entry(values, name) {
        Some(Value::List(tables)) => tables.len(),
        _ => 0,
    };
    key_paths(key, numbered, tables)
}

fn entry<'a>(table: &'a Value, name: &str) -> Option<&'a Value> {
    match table {
        Value::Table(keys) => keys.iter().find(|(known, _)| known == name).map(|(_, value)| value),
        _ => None,
    }
}

/// Sets the value of a path; tables that are not there are made.
fn put(values: &mut Value, path: &[String], value: Value) -> Result<(), String> {
    let mut here = values;
    for (depth, part) in path.iter().enumerate() {
        let above = || path[..depth].join(".");
        here = match here {
            Value::List(items) => {
                let item = part.parse().ok().and_then(|index: usize| items.get_mut(index));
                item.ok_or_else(|| format!("{} has no element {}", above(), shown(part)))?
            }
            Value::Table(keys) => {
                let place = keys.iter().position(|(known, _)| known == part).unwrap_or_else(|| {
                    keys.push((part.clone(), Value::Table(Vec::new())));
                    keys.len() - 1
                });
                &mut keys[place].1
            }
            _ => return Err(format!("{} is no table", above())),
        };
    }
    *here = value;
    Ok(())
}

/// Takes axes out of a sweep whose keys have fixed values now.
fn end_axes(values: &mut Value, fixed: &[Path], numbered: &[&str]) -> Result<(), String> {
    let mut ended = Vec::new();
    for (path, axis, _) in axes(values) {
        // One that leads nowhere is refused with the sweep itself.
        let Ok(swept) = paths_in(values, &axis, numbered) else { continue };
        if fixed.iter().any(|path| (1..path.len()).any(|length| swept.iter().any(|other| *other == path[..length]))) {
            return Err(format!("is part of what is swept as {axis}; set that key instead"));
        }
        if !swept.iter().any(|path| fixed.contains(path)) {
            continue;
        }
        if !swept.iter().all(|path| fixed.contains(path)) {
            return Err(format!("is swept together with others as {axis}; set that key instead"));
        }
        ended.push(path);
    }
    let Value::Table(keys) = values else { return Ok(()) };
    if let Some((_, sweep)) = keys.iter_mut().find(|(name, _)| name == SWEEP) {
        // From the end, so that tables keep their numbers.
        ended.iter().rev().for_each(|path| remove(sweep, path));
    }
    Ok(())
}

/// Takes a key out, and tables that it leaves empty.
fn remove(table: &mut Value, path: &[String]) {
    let Some((first, rest)) = path.split_first() else { return };
    let place = match table {
        Value::Table(keys) => keys.iter().position(|(name, _)| name == first),
        Value::List(_) => first.parse().ok(),
        _ => None,
    };
    let Some(place) = place else { return };
    let inner = match table {
        Value::Table(keys) => &mut keys[place].1,
        Value::List(items) => &mut items[place],
        _ => return,
    };
    if !rest.is_empty() {
        remove(inner, rest);
    }
    let is_empty = match &*inner {
        Value::Table(keys) => keys.is_empty(),
        Value::List(items) => items.is_empty(),
        _ => false,
    };
    if rest.is_empty() || is_empty {
        match table {
            Value::Table(keys) => _ = keys.remove(place),
            Value::List(items) => _ = items.remove(place),
            _ => {}
        }
    }
}

/// The axes of the sweep of a document: the path inside `[sweep]`, the dotted key, and what stands there.
pub fn axes(values: &Value) -> Vec<(Path, String, Value)> {
    let mut found = Vec::new();
    let Some(Value::Table(sweep)) = entry(values, SWEEP) else { return found };
    for (name, value) in sweep {
        match value {
            Value::List(tables) if name == TOGETHER => {
                for (number, table) in tables.iter().enumerate() {
                    let before = [name.clone(), number.to_string()];
                    flat(table, &before, &[], &mut found);
                }
            }
            _ => flat(&Value::Table(vec![(name.clone(), value.clone())]), &[], &[], &mut found),
        }
    }
    found
}

/// Undoes nesting: `mac.queue = [1, 2]` without quotes is a table `mac` for TOML.
fn flat(table: &Value, before: &[String], inside: &[String], found: &mut Vec<(Path, String, Value)>) {
    const RANGE: [&str; 3] = ["start", "stop", "step"];
    let Value::Table(keys) = table else { return };
    for (name, value) in keys {
        let at = [inside, std::slice::from_ref(name)].concat();
        match value {
            Value::Table(inner)
                if !inner.is_empty() && !inner.iter().any(|(name, _)| RANGE.contains(&name.as_str())) =>
            {
                flat(value, before, &at, found);
            }
            _ => found.push(([before, &at].concat(), at.join("."), value.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document;

    const NUMBERED: [&str; 2] = ["flow", "outage"];

    fn read(text: &str) -> Value {
        document::parse(text).expect("TOML").values
    }

    fn set(text: &str, key: &str) -> Result<Value, String> {
        let mut values = read(text);
        assign(&mut values, key, &Value::Int(7), &NUMBERED)?;
        Ok(values)
    }

    #[test]
    fn a_key_is_set_in_every_table_that_it_names() {
        let flows = "[[flow]]\nto = 1\n[[flow]]\nto = 2\n";
        assert_eq!(set(flows, "flow.*.to"), Ok(read("[[flow]]\nto = 7\n[[flow]]\nto = 7\n")));
        assert_eq!(set(flows, "flow.01.tcp.mss"), Ok(read("[[flow]]\nto = 1\n[[flow]]\nto = 2\ntcp.mss = 7\n")));
        assert_eq!(set("", "mac.queue"), Ok(read("mac.queue = 7\n")));
    }

    #[test]
    fn a_key_that_leads_nowhere_is_refused() {
        let refused = |text: &str, key: &str| set(text, key).expect_err(key);
        assert_eq!(refused("", "flow.*.to"), "the scenario has no flows");
        assert_eq!(refused("", "outage.0.to"), "outage 0 does not exist; the scenario has no outages");
        assert_eq!(refused("[[flow]]\n", "flow.1.to"), "flow 1 does not exist; the scenario has flows 0 to 0",);
        assert_eq!(
            refused("", "outage.x.to"),
            "found \"x\" after \"outage.\"; expected the number of an outage or \"*\"",
        );
        assert_eq!(refused("mac = 1\n", "mac.queue"), "mac is no table");
        assert_eq!(refused("x = [1]\n", "x.2"), "x has no element \"2\"");
    }

    #[test]
    fn axes_end_where_their_keys_are_fixed() {
        let fixed = |sweep: &str, key: &str| set(&format!("[[flow]]\nto = 1\n[[flow]]\nto = 2\n[sweep]\n{sweep}"), key);
        let left = |values: Value| axes(&values).into_iter().map(|(_, axis, _)| axis).collect::<Vec<_>>();
        let sweep = "mac.queue = [1, 2]\n\"flow.*.to\" = [1, 2]\nduration = { start = 1, stop = 2, step = 1 }\n";
        assert_eq!(fixed(sweep, "mac.queue").map(left), Ok(vec!["flow.*.to".to_string(), "duration".to_string()]));
        assert_eq!(
            fixed(sweep, "flow.0.to"),
            Err("is swept together with others as flow.*.to; set that key instead".to_string()),
        );
        assert_eq!(
            fixed("mac = [{}]\n", "mac.queue"),
            Err("is part of what is swept as mac; set that key instead".to_string()),
        );
        let together = "[[sweep.together]]\nmac.queue = [1, 2]\nseed = [1, 2]\n";
        assert_eq!(fixed(together, "mac.queue").map(left), Ok(vec!["seed".to_string()]));
    }
}
