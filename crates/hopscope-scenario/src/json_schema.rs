//! The JSON Schema (2020-12) of the scenario file, made from the same keys that read it.

use hopscope_engine::config::presets::{PRESETS, PROFILES};
use hopscope_engine::config::schema::{
    self, ENGINE_SECTIONS, Key, Kind, PREFIX, PROTOCOLS, Protocol, TOPOLOGIES, Table, tables, topology,
};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value as Json, json};

use crate::resolve::show;

/// An object whose keys keep their order: editors offer them in it.
#[derive(Debug, Clone, Default)]
struct Object(Vec<(String, Node)>);

/// A value of the schema.
#[derive(Debug, Clone)]
enum Node {
    Object(Object),
    List(Vec<Node>),
    Plain(Json),
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Node::Object(Object(entries)) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                entries.iter().try_for_each(|(name, node)| map.serialize_entry(name, node))?;
                map.end()
            }
            Node::List(nodes) => nodes.serialize(serializer),
            Node::Plain(value) => value.serialize(serializer),
        }
    }
}

impl From<Object> for Node {
    fn from(object: Object) -> Node {
        Node::Object(object)
    }
}

impl From<Json> for Node {
    fn from(value: Json) -> Node {
        Node::Plain(value)
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Node {
        Node::Plain(json!(text))
    }
}

impl<N: Into<Node>> From<Vec<N>> for Node {
    fn from(nodes: Vec<N>) -> Node {
        Node::List(nodes.into_iter().map(Into::into).collect())
    }
}

impl Object {
    fn with(mut self, name: &str, node: impl Into<Node>) -> Object {
        self.0.push((name.to_string(), node.into()));
        self
    }

    fn of(name: &str, node: impl Into<Node>) -> Object {
        Object::default().with(name, node)
    }
}

/// The schema.
pub fn schema() -> impl Serialize {
    of(tables())
}

/// That of these tables.
pub fn of(tables: Vec<Table>) -> impl Serialize {
    let mut properties = Object::default();
    for table in tables {
        properties = match table.name {
            "" => properties_of(&table.keys, properties).with("topology", topologies()),
            "flow" => properties.with("flow", flows(&table)),
            name if table.many => properties.with(name, listing(object(&table.keys, item_doc(name)), table.doc)),
            name if ENGINE_SECTIONS.contains(&name) => properties.with(name, section(&table)),
            // Tables that stand once and are no part of the engine: [mobility] and [series].
            name => properties.with(name, object(&table.keys, table.doc)),
        };
    }
    let document = Object::of("$schema", "https://json-schema.org/draft/2020-12/schema")
        .with("title", format!("Hopscope {} scenario", env!("CARGO_PKG_VERSION")).as_str())
        .with("description", "A network of 802.11 stations, its flows and how often and how long to run it.")
        .with("type", "object")
        .with("properties", properties.with("sweep", sweep()))
        .with("required", vec!["topology"])
        // With programs of its own, a network on real stacks needs no flow.
        .with("anyOf", json!([{"required": ["flow"]}, {"required": ["node"]}]))
        .with("additionalProperties", json!(false));
    Node::from(document)
}

/// What one table of a list is.
fn item_doc(name: &str) -> &'static str {
    match name {
        "interface" => "A radio of some nodes or of all, and its channel.",
        "layer" => "The link layer of some nodes; keys that are absent are those of [mac] and [link].",
        "outage" => "One outage.",
        "event" => "One event.",
        "node" => "Programs and the routing daemon of some nodes, for hopscope live.",
        _ => "One of them.",
    }
}

fn listing(item: Object, doc: &str) -> Object {
    Object::of("type", "array").with("items", item).with("description", doc)
}

fn section(table: &Table) -> Object {
    let text = format!(
        "[{}]: parameters of the engine; defaults as in profile {} with preset {}.",
        table.name, PROFILES[0], PRESETS[0].0
    );
    let section = object(&table.keys, &text);
    match table.name {
        "routing" => section.with("allOf", PROTOCOLS.iter().map(sets).collect::<Vec<_>>()),
        _ => section,
    }
}

/// A protocol takes its own parameter sets.
fn sets(protocol: &Protocol) -> Object {
    let names: Vec<&str> = protocol.sets.iter().map(|(name, _)| *name).collect();
    let usual: serde_json::Map<String, Json> =
        (protocol.parameters)().into_iter().map(|key| (key.name, key.default)).collect();
    let own = names.iter().find(|name| (protocol.set)(name) == Some(Json::Object(usual.clone())));
    let names = Object::of("enum", names.clone()).with("default", *own.unwrap_or(&names[0]));
    let chosen = Object::of("properties", Object::of("protocol", Object::of("const", protocol.word)))
        .with("required", vec!["protocol"]);
    Object::of("if", chosen).with("then", Object::of("properties", Object::of("parameters", names)))
}

fn topologies() -> Object {
    let branch = |kind: &schema::Topology| {
        let keys = kind.keys();
        let named = Object::of("kind", Object::of("const", kind.name).with("description", kind.doc));
        let required = std::iter::once("kind".to_string());
        let required = required.chain(keys.iter().filter(|key| key.required).map(|key| key.name.clone()));
        Object::of("type", "object")
            .with("description", kind.doc)
            .with("properties", properties_of(&keys, named))
            .with("additionalProperties", json!(false))
            .with("required", json!(required.collect::<Vec<_>>()))
    };
    Object::of("description", topology().doc.as_str()).with("oneOf", TOPOLOGIES.iter().map(branch).collect::<Vec<_>>())
}

/// A flow has two ends, or a pattern in their place.
fn flows(table: &Table) -> Object {
    let ends = || vec![json!({"required": ["from"]}), json!({"required": ["to"]})];
    let flow = object(&table.keys, "One flow, or several that differ in their ends and starts alone.").with(
        "oneOf",
        vec![
            // The reader refuses both forms together, and one end alone.
            Object::of("allOf", ends()).with("not", json!({"required": ["pattern"]})),
            Object::of("required", vec!["pattern"]).with("not", Object::of("anyOf", ends())),
        ],
    );
    Object::of("type", "array").with("minItems", json!(1)).with("items", flow).with("description", table.doc)
}

fn sweep() -> Object {
    // Text as well: steps have units like all quantities.
    let number = json!({"type": ["number", "string"]});
    let values = json!({"type": "array", "minItems": 1, "uniqueItems": true, "description": "The values."});
    let steps = json!({
        "type": "object",
        "description": "From start in steps up to and including stop.",
        "properties": {"start": number, "stop": number, "step": number},
        "required": ["start", "stop", "step"],
        "additionalProperties": false,
    });
    let text = json!({"type": "string", "description": "1..32, 1..32 by 4, 10ms..50ms by 10ms, or 1,2,4."});
    let nested = json!({"type": "object", "description": "A dotted key without quotes."});
    let mut equally_many = values.clone();
    // Keys that change together may repeat a value while another one changes.
    equally_many["uniqueItems"] = json!(false);
    let together = json!({
        "type": "array",
        "description": "Each table: keys that change together, with equally many values.",
        "items": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"anyOf": [equally_many, steps, text, nested]},
        },
    });
    let keys = "Dotted keys (\"flow.0.max_window\", \"flow.*.packet\", \"mac.queue\") and their values; every combination \
                is run with every seed.";
    Object::of("type", "object")
        .with("description", keys)
        .with("properties", Object::of("together", together))
        .with("additionalProperties", json!({"anyOf": [values, steps, text, nested]}))
}

fn object(keys: &[Key], text: &str) -> Object {
    let result = Object::of("type", "object")
        .with("description", text)
        .with("properties", properties_of(keys, Object::default()))
        .with("additionalProperties", json!(false));
    let required: Vec<&str> = keys.iter().filter(|key| key.required).map(|key| key.name.as_str()).collect();
    if required.is_empty() { result } else { result.with("required", required) }
}

fn properties_of(keys: &[Key], object: Object) -> Object {
    keys.iter().fold(object, |object, key| object.with(&key.name, property(key)))
}

fn property(key: &Key) -> Object {
    if key.kind == Kind::Table {
        return object(&key.fields, &key.doc);
    }
    let result = type_of(key).with("description", description(key).as_str());
    match shown(key) {
        Some(default) => result.with("default", default),
        None => result,
    }
}

/// The default as a file would hold it.
fn shown(key: &Key) -> Option<Json> {
    Some(show(key, &key.default)).filter(|default| !default.is_null())
}

fn description(key: &Key) -> String {
    let mut text = key.doc.clone();
    if let Some(when) = &key.when {
        text += &format!(" Used with {}.", when.in_words(str::to_string));
    }
    for (what, fact) in [("Unit", &key.unit), ("Source", &key.source)] {
        if !fact.is_empty() {
            text += &format!(" {what}: {fact}.");
        }
    }
    text
}

fn type_of(key: &Key) -> Object {
    let word = || Object::of("type", "string");
    let list = |items: Object| Object::of("type", "array").with("items", items);
    // Text is a quantity with a unit: bounds in other units are beyond a schema, the reader checks them.
    let either = || Object::of("anyOf", vec![number(key), word()]);
    let words = || Object::of("enum", json!(key.choices));
    let pair = |item: Object| {
        Object::of("type", "array")
            .with("prefixItems", vec![item.clone(), item])
            .with("items", json!(false))
            .with("minItems", json!(2))
    };
    match key.kind {
        Kind::Choice => words(),
        Kind::Words => list(words()),
        Kind::Parts => parts(key),
        Kind::Transport => Object::of("anyOf", vec![words(), word().with("pattern", format!("^{PREFIX}.").as_str())]),
        Kind::Control | Kind::Policy => {
            let parameters = Object::of("type", "object")
                .with("additionalProperties", json!({"type": ["number", "boolean", "string"]}));
            // A colon or the ending of a file: all that sets a class apart from a word with a slip.
            Object::of("anyOf", vec![words(), word().with("pattern", r":|\.py$"), parameters])
        }
        Kind::Flag => Object::of("type", "boolean"),
        Kind::FlagOrOwn => Object::of("enum", json!([true, false, "own"])),
        Kind::Text => word(),
        Kind::Texts => Object::of("anyOf", vec![word(), list(word())]),
        Kind::Name => word().with("pattern", "^[A-Za-z0-9_-]{1,64}$"),
        Kind::IntOrOff => Object::of("anyOf", vec![number(key), Object::of("const", "off"), word()]),
        Kind::Seed => Object::of("anyOf", vec![number(key), word()]),
        Kind::IntList | Kind::FloatList => list(either()),
        Kind::FloatRows => list(list(either())),
        Kind::NodePairs => list(pair(number(key))),
        Kind::Node => node(),
        Kind::Nodes => list(node()),
        Kind::Point => pair(either()),
        Kind::Points => list(pair(either())),
        Kind::Time | Kind::Int | Kind::Float | Kind::Table => either(),
    }
}

fn node() -> Object {
    let number = Object::of("type", "integer").with("minimum", json!(0)).with("maximum", json!(u32::MAX));
    Object::of("anyOf", vec![number, Object::of("enum", vec!["first", "last"])])
}

/// Words with `+` between them in any order: none twice, none with one that excludes it.
fn parts(key: &Key) -> Object {
    let (alone, words) = (&key.choices[0], &key.choices[1..]);
    let (word, gap) = (format!("(?:{})", words.join("|")), r" *\+ *");
    // A pattern that finds both words; under "not" it keeps them from standing together.
    let clash = |one: &str, other: &str| {
        Object::of("pattern", format!("(?:^|[ +]){one}(?:[ +].*)?[ +]{other}(?:[ +]|$)").as_str())
    };
    let mut clashes: Vec<Object> = words.iter().map(|word| clash(word, word)).collect();
    for [one, other, _] in &key.apart {
        clashes.extend([clash(one, other), clash(other, one)]);
    }
    let layers = Object::of("type", "string")
        .with("pattern", format!("^ *{word}(?:{gap}{word})* *$").as_str())
        .with("not", Object::of("anyOf", clashes));
    let single: Vec<&str> = std::iter::once(alone).chain(words).map(String::as_str).collect();
    Object::of("anyOf", vec![Object::of("enum", single), layers])
}

fn number(key: &Key) -> Object {
    let whole = matches!(key.kind, Kind::Int | Kind::IntOrOff | Kind::Seed | Kind::IntList | Kind::NodePairs);
    let mut result = Object::of("type", if whole { "integer" } else { "number" });
    let bound =
        // Whole bounds without a point: 65535, not 65535.0.
        |bound: f64| if bound.fract() == 0.0 && bound.abs() < 1e15 { json!(bound as i64) } else { json!(bound) };
    if let Some(least) = key.range.least {
        result = result.with(if key.range.above { "exclusiveMinimum" } else { "minimum" }, bound(least));
    }
    match key.range.most {
        Some(most) => result.with("maximum", bound(most)),
        None => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed() -> Json {
        serde_json::to_value(schema()).expect("JSON")
    }

    #[test]
    fn every_key_has_its_place_with_unit_default_and_source() {
        let schema = parsed();
        for table in tables() {
            let place = match (table.name, table.many) {
                ("", _) => &schema["properties"],
                (name, false) => &schema["properties"][name]["properties"],
                (name, true) => &schema["properties"][name]["items"]["properties"],
            };
            for key in &table.keys {
                let text = place[&key.name]["description"].as_str().unwrap_or_else(|| panic!("{}", key.name));
                assert!(text.contains(&key.doc), "{}", key.name);
                assert!(key.unit.is_empty() || text.contains(&format!("Unit: {}.", key.unit)), "{}", key.name);
            }
        }
        assert_eq!(schema["properties"]["mac"]["properties"]["queue"]["default"], json!(50));
        assert_eq!(schema["properties"]["topology"]["oneOf"].as_array().map(Vec::len), Some(TOPOLOGIES.len()));
        let radio = &schema["properties"]["radio"]["properties"]["error"]["properties"];
        assert!(
            radio["per"]["description"].as_str().expect("text").contains("Used with kind = \"uniform\" or \"sinr\".")
        );
    }

    #[test]
    fn protocols_take_their_own_sets() {
        let schema = parsed();
        let aodv = &schema["properties"]["routing"]["allOf"][0];
        assert_eq!(aodv["then"]["properties"]["parameters"]["default"], json!("rfc3561"));
    }
}
