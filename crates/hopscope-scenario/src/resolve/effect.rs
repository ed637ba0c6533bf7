//! Keys without effect: those whose condition (`Key::when`) no other value of the scenario meets.
//!
//! A key of `[tcp]`, which all flows share, has an effect where one flow meets its condition; one of `[link]` where the
//! link layer of the radio nodes, of a `[[layer]]` or of a `[[wire]]` does. A key that is given without effect is reported,
//! and its value dropped: points of a sweep that differ in nothing else are one run.

use hopscope_engine::config::schema::{ENGINE_SECTIONS, Key, Kind, Need, When, shown};
use serde_json::Value as Json;

use super::Resolved;
use super::home::Home;
use super::reader::{Path, Reader, inside, written};
use super::schema::Schema;
use crate::value::Value;

/// Conditions of conditions are followed so far: two keys can need each other.
const DEPTH: u32 = 4;

/// Where the names in a condition are looked up.
#[derive(Debug, Clone, Copy)]
struct Scope {
    /// Names without a dot.
    home: Home,
    /// Keys of a flow; none: of any flow.
    flow: Option<usize>,
    /// The link layer.
    link: Home,
}

/// What a condition names: the table and the key, where it is one of the file, and its values.
struct Subject<'a> {
    home: Home,
    key: Option<&'a Key>,
    values: Vec<Json>,
}

/// Finds the keys without effect and takes their values away.
pub(super) fn check(reader: &mut Reader<'_>, document: &Value, result: &mut Resolved) {
    let decides = [&["profile"][..], &["radio", "preset"]];
    if result.placed.is_none() || reader.refused.iter().any(|path| decides.iter().any(|known| path == known)) {
        return; // what is wrong there decides what has an effect
    }
    let mut found = Vec::new();
    let once = ["mobility", "series", "topology"].into_iter().chain(ENGINE_SECTIONS.iter().copied());
    let routing = ["protocol", "parameters"].map(|name| inside(&["routing".to_string()], name));
    // With a wrong protocol every parameter of a routing protocol would count as idle.
    let unclear = routing.iter().any(|path| reader.refused.contains(path));
    for name in once.filter(|name| *name != "routing" || !unclear) {
        let (path, home) = (vec![name.to_string()], Home::Section(name));
        match written(document, name) {
            Some(Value::Table(given)) if given.is_empty() => {}
            Some(table) => match reader.schema.condition(name).filter(|when| !result.may_meet(reader, home, when)) {
                Some(when) => found.push((path, result.refusal(reader.schema, home, when))),
                None => result.unused(reader, (path, home), table, &mut found),
            },
            None => {}
        }
    }
    for name in ["flow", "wire", "layer", "interface"] {
        let Some(Value::List(tables)) = written(document, name) else { continue };
        for (number, table) in tables.iter().enumerate() {
            let path = vec![name.to_string(), number.to_string()];
            let home = match name {
                "flow" => Home::Flow(number),
                "wire" => Home::Wire(number),
                "interface" => Home::Interface(number),
                _ => Home::Layer(number),
            };
            result.unused(reader, (path, home), table, &mut found);
        }
    }
    for (path, message) in found {
        // After all have been found: a value that is dropped could meet the condition of another by its default.
        result.drop_value(&path);
        reader.without_use(path, message);
    }
}

impl Resolved {
    /// The keys of a written table, and of tables in it, that have no effect.
    fn unused(&self, reader: &Reader<'_>, (path, home): (Path, Home), table: &Value, found: &mut Vec<(Path, String)>) {
        let Value::Table(given) = table else { return };
        let keys = self.keys(reader.schema, home);
        for (name, value) in given {
            let at = inside(&path, name);
            let Some(key) = keys.iter().find(|key| key.name == *name) else { continue };
            if reader.refused.contains(&at) {
                continue;
            }
            if let Some(when) = key.when.as_ref().filter(|when| !self.may_meet(reader, home, when)) {
                found.push((at, self.refusal(reader.schema, home, when)));
            } else if let (Kind::Table, Some(inner)) = (key.kind, home.inner(&key.name)) {
                self.unused(reader, (at, inner), value, found);
            }
        }
    }

    /// Whether a condition holds, or a key that it names is itself at fault.
    fn may_meet(&self, reader: &Reader<'_>, home: Home, when: &When) -> bool {
        let is_at_fault = |need: &Need| {
            let path: Path = home.full_name(&need.key).split('.').map(str::to_string).collect();
            let is_it = |refused: &Path| match path[0].as_str() {
                // Which of them it would be is not known.
                "flow" => refused[0] == "flow",
                _ => *refused == path,
            };
            reader.refused.iter().any(is_it)
        };
        self.meets(reader.schema, home, when)
            || when.needs().any(is_at_fault)
            // A flow at fault may be the one that uses it.
            || home == Home::Section("tcp") && reader.refused.iter().any(|refused| refused[0] == "flow")
    }

    /// Whether the value of a key of a table matters.
    pub(super) fn has_effect(&self, schema: &Schema, home: Home, key: &Key) -> bool {
        key.when.as_ref().is_none_or(|when| self.meets(schema, home, when))
    }

    /// The keys of a table that matter.
    pub(super) fn effective(&self, schema: &Schema, home: Home) -> Vec<Key> {
        let of_table = match home {
            Home::Section(name) => schema.condition(name),
            _ => None,
        };
        if of_table.is_some_and(|when| !self.meets(schema, home, when)) {
            return Vec::new();
        }
        self.keys(schema, home).iter().filter(|key| self.has_effect(schema, home, key)).cloned().collect()
    }

    /// Whether a condition of a key of a table holds.
    fn meets(&self, schema: &Schema, home: Home, when: &When) -> bool {
        let mut scopes = self.scopes(home, when);
        scopes.any(|scope| self.holds(schema, scope, when, DEPTH))
    }

    fn holds(&self, schema: &Schema, scope: Scope, when: &When, depth: u32) -> bool {
        let holds = |need: &Need| self.need_holds(schema, scope, need, depth);
        when.any.iter().any(|group| group.iter().all(holds))
    }

    fn need_holds(&self, schema: &Schema, scope: Scope, need: &Need, depth: u32) -> bool {
        let mut subject = self.subject(schema, scope, &need.key);
        subject.values.extend(self.changed(&subject.home.full_name(need.key.rsplit('.').next().unwrap_or_default())));
        // The condition of a condition is looked up where that key stands, with the same flow and link layer.
        let inner = Scope { home: subject.home, ..scope };
        let is_used = |key: &Key| key.when.as_ref().is_none_or(|when| self.holds(schema, inner, when, depth - 1));
        subject.values.iter().any(|value| need.is.holds(value)) && (depth == 0 || subject.key.is_none_or(is_used))
    }

    /// The values that events give a key of the network.
    fn changed(&self, key: &str) -> Vec<Json> {
        let sets = |name: &str| -> Vec<Json> {
            self.events.iter().filter(|event| event.text("key") == name).map(|event| event.value("value")).collect()
        };
        match key {
            // Channel errors that begin in the run are of this kind.
            "radio.error.kind" => sets("radio.error.per").iter().map(|_| Json::from("uniform")).collect(),
            key => sets(key),
        }
    }

    /// What can meet the condition of a key of a table: for one that flows or link layers share, any of them.
    fn scopes<'s>(&'s self, home: Home, when: &When) -> Box<dyn Iterator<Item = Scope> + 's> {
        let usual = Scope { home, flow: None, link: Home::Section("mac") };
        let of_flows = when.needs().any(|need| need.key.starts_with("flow."));
        match home {
            Home::Section("tcp") => {
                let scope = move |flow: usize| Scope { home: Home::Inner(flow, "tcp"), flow: Some(flow), ..usual };
                let is_tcp = |flow: &usize| self.flows[*flow].is_tcp();
                // Without a TCP flow all of them stand for what is found, so that the message names their transports.
                let any = self.distinct.iter().any(is_tcp);
                Box::new(self.distinct.iter().copied().filter(move |flow| !any || is_tcp(flow)).map(scope))
            }
            Home::Section("link") => {
                let layers = (0..self.layers.len()).map(Home::Layer);
                let all = std::iter::once(usual.link).chain(layers).chain((0..self.wires.len()).map(Home::Wire));
                Box::new(all.map(move |link| Scope { link, ..usual }))
            }
            Home::Section(_) | Home::Error | Home::Protocol(_) if of_flows => {
                Box::new(self.distinct.iter().map(move |&flow| Scope { flow: Some(flow), ..usual }))
            }
            Home::Flow(flow) | Home::Inner(flow, _) | Home::Reply(flow) => {
                Box::new(std::iter::once(Scope { flow: Some(flow), ..usual }))
            }
            Home::Layer(_) | Home::Wire(_) => Box::new(std::iter::once(Scope { link: home, ..usual })),
            Home::Section(_) | Home::Error | Home::Protocol(_) | Home::Interface(_) => Box::new(std::iter::once(usual)),
        }
    }

    /// What a name in a condition stands for.
    fn subject<'a>(&self, schema: &'a Schema, scope: Scope, name: &str) -> Subject<'a> {
        let in_home = |home: Home, name: &str, values: Vec<Json>| Subject {
            home,
            key: self.keys(schema, home).iter().find(|key| key.name == name),
            values,
        };
        let one = |home: Home, name: &str| match (home, name) {
            // What follows from several keys.
            (Home::Flow(_), "control" | "recovery") => {
                Subject { home, key: None, values: vec![self.value_at(home, name)] }
            }
            _ => in_home(home, name, vec![self.value_at(home, name)]),
        };
        match name.split('.').collect::<Vec<_>>()[..] {
            ["flow", name] => match scope.flow {
                Some(flow) => one(Home::Flow(flow), name),
                None => Subject {
                    home: scope.home,
                    key: None,
                    values: self.distinct.iter().map(|&flow| self.value_at(Home::Flow(flow), name)).collect(),
                },
            },
            ["event", name] => Subject {
                home: scope.home,
                key: None,
                values: self.events.iter().map(|event| event.value(name)).collect(),
            },
            ["mac", "link"] => Subject { home: scope.link, key: None, values: vec![self.link_of(scope.link)] },
            [table @ ("tcp" | "dccp" | "atp"), name] => {
                let table = ["tcp", "dccp", "atp"].into_iter().find(|known| *known == table).unwrap_or("tcp");
                one(scope.flow.map_or(Home::Section(table), |flow| Home::Inner(flow, table)), name)
            }
            ["radio", "error", name] => one(Home::Error, name),
            ["routing", protocol, name] => match schema.section_name(protocol) {
                Some(protocol) => one(Home::Protocol(protocol), name),
                None => one(scope.home, name),
            },
            [table, name] => match schema.section_name(table) {
                Some(table) => one(Home::Section(table), name),
                None => one(scope.home, name),
            },
            _ => one(scope.home, name),
        }
    }

    /// What a message says of a key whose condition does not hold: the least that is missing, and what is found.
    fn refusal(&self, schema: &Schema, home: Home, when: &When) -> String {
        let scopes: Vec<Scope> = self.scopes(home, when).collect();
        let Some(&first) = scopes.first() else { return "has no effect".to_string() };
        let groups = self.missing(schema, first, when, DEPTH);
        let least = groups.iter().map(Vec::len).min().unwrap_or_default();
        let mut needed: Vec<String> = Vec::new();
        let mut found: Vec<String> = Vec::new();
        // The shortest way to an effect; ways that need more would only confuse.
        for group in groups.iter().filter(|group| group.len() == least) {
            let mut words: Vec<String> = Vec::new();
            for (of, need) in group {
                keep(&mut words, format!("{} {}", of.full_name(&need.key), need.is));
            }
            keep(&mut needed, words.join(" and "));
            for (of, need) in group.iter().filter(|(_, need)| !need.key.starts_with("event.")) {
                let same = |scope: &Scope| if *of == first.home { *scope } else { Scope { home: *of, ..*scope } };
                let mut words: Vec<String> = Vec::new();
                for value in scopes.iter().flat_map(|scope| self.subject(schema, same(scope), &need.key).values) {
                    keep(&mut words, shown(&value));
                }
                keep(&mut found, format!("{} = {}", of.full_name(&need.key), words.join(", ")));
            }
        }
        // A key of a section that flows share is named as such.
        let shared = |text: String| match home {
            Home::Section("tcp") => text.replace(&format!("flow.{}.", first.flow.unwrap_or_default()), "flow.*."),
            _ => text,
        };
        shared(format!("has no effect: it needs {}; found {}", needed.join(" or "), found.join(", ")))
    }

    /// What each group of a condition lacks: needs with the tables of their names. A key that is as wanted but has no effect
    /// itself stands for what it lacks.
    fn missing<'w>(&self, schema: &'w Schema, scope: Scope, when: &'w When, depth: u32) -> Vec<Vec<(Home, &'w Need)>> {
        let of_group = |group: &'w Vec<Need>| {
            let mut lacking = Vec::new();
            for need in group.iter().filter(|need| !self.need_holds(schema, scope, need, depth)) {
                let subject = self.subject(schema, scope, &need.key);
                let inner = subject.key.and_then(|key| key.when.as_ref()).filter(|_| depth > 0);
                match inner.filter(|_| subject.values.iter().any(|value| need.is.holds(value))) {
                    Some(inner) => {
                        let scope = Scope { home: subject.home, ..scope };
                        let groups = self.missing(schema, scope, inner, depth - 1);
                        lacking.extend(groups.into_iter().min_by_key(Vec::len).unwrap_or_default());
                    }
                    None => lacking.push((scope.home, need)),
                }
            }
            lacking
        };
        when.any.iter().map(of_group).collect()
    }
}

/// Adds a text that is not there yet.
fn keep(texts: &mut Vec<String>, text: String) {
    if !texts.contains(&text) {
        texts.push(text);
    }
}
