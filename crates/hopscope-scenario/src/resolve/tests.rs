//! A key that is new in the schema is one of the file, of its JSON Schema and of the messages; and what a point without
//! files or classes resolves to.

use hopscope_engine::config::schema::{Key, Kind, Lowered, Range, Table, tables};
use serde_json::{Value as Json, json};

use super::*;
use crate::json_schema;

/// Nothing lies outside.
struct Nowhere;

impl Outside for Nowhere {
    fn text(&mut self, key: &[String], _: &str) -> Result<(String, String), String> {
        Err(format!("no file {}", key.join(".")))
    }

    fn sibling(&mut self, _: &[String], _: &str) -> Option<String> {
        None
    }

    fn is_class(&mut self, _: &[String]) -> bool {
        false
    }

    fn control(&mut self, _: &[String], _: &[String]) -> UserControl {
        UserControl::default()
    }
}

/// A document of JSON as it would be written.
fn written(json: &Json) -> Value {
    match json {
        Json::Null => Value::Other("None".to_string()),
        Json::Bool(flag) => Value::Flag(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Value::Int(whole.into()),
            None => Value::Float(number.as_f64().unwrap_or_default(), number.to_string()),
        },
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(written).collect()),
        Json::Object(keys) => Value::Table(keys.iter().map(|(name, value)| (name.clone(), written(value))).collect()),
    }
}

fn resolved(schema: &Schema, sections: &Json) -> Resolved {
    let mut document =
        json!({"topology": {"kind": "chain", "hops": 2}, "flow": [{"from": 0, "to": "last"}], "duration": 9});
    for (name, value) in sections.as_object().expect("a table") {
        document[name] = value.clone();
    }
    resolve(schema, &written(&document), &mut Nowhere, &mut Shared::default())
}

fn reported(schema: &Schema, sections: &Json) -> Vec<String> {
    let findings = resolved(schema, sections).findings;
    findings.into_iter().map(|(path, message)| format!("{}: {message}", path.join("."))).collect()
}

fn beacon_gap() -> Key {
    Key::new("beacon_gap", Kind::Time, "Time between beacons.")
        .unit("s")
        .default(5_000_000_000_u64)
        .range(Range::within(0.0, 9.0))
        .lowered(Lowered::Always)
        .source("a test")
}

/// The engine's tables, one of them with a key more.
fn with_new_key(name: &str) -> Vec<Table> {
    let mut tables = tables();
    tables.iter_mut().filter(|table| table.name == name).for_each(|table| table.keys.push(beacon_gap()));
    tables
}

#[test]
fn a_new_key_is_read_lowered_and_shown() {
    for name in ["mac", "tcp", "series", "flow", "outage", ""] {
        let schema = Schema::of(with_new_key(name));
        let flow = json!([{"from": 0, "to": 2, "beacon_gap": "250ms"}]);
        let outage = json!([{"node": 1, "from": 1, "beacon_gap": "250ms"}]);
        let sections = match name {
            "" => json!({"beacon_gap": "250ms"}),
            "flow" => json!({"flow": flow}),
            "outage" => json!({"outage": outage}),
            _ => json!({name: {"beacon_gap": "250ms"}}),
        };
        let point = resolved(&schema, &sections);
        assert_eq!(point.findings, [], "{name}");
        let config = point.config(&schema, 1);
        let lowered = match name {
            "" => &config,
            "tcp" => &config["flows"][0]["tcp"],
            "flow" => &config["flows"][0],
            "outage" => &config["outages"][0],
            _ => &config[name],
        };
        assert_eq!(lowered["beacon_gap"], json!(250_000_000), "{name}");
        assert!(format!("{:?}", point.document(&schema)).contains("(\"beacon_gap\", Plain(Number(0.25)))"), "{name}");
    }
}

#[test]
fn mistakes_with_a_new_key_are_reported_without_a_line_for_it() {
    for name in ["mac", "tcp", "series"] {
        let schema = Schema::of(with_new_key(name));
        let one = |key: &str, value: Json| reported(&schema, &json!({name: {key: value}})).join("\n");
        let at = format!("{name}.beacon_gap: found");
        assert_eq!(one("beacon_gap", json!(10)), format!("{at} 10; must be at most 9 s"));
        assert_eq!(
            one("beacon_gap", json!(true)),
            format!("{at} true; expected a time in seconds or text with a unit (\"10ms\")")
        );
        assert!(one("beacon_gap", json!("1m")).contains("unknown unit \"m\"; allowed: "), "{name}");
        let misspelt = one("beacon_gab", json!(1));
        assert!(misspelt.starts_with(&format!("{name}.beacon_gab: unknown key")), "{misspelt}");
        assert!(misspelt.ends_with("(did you mean \"beacon_gap\"?)"), "{misspelt}");
    }
    let schema = Schema::of(with_new_key("mac"));
    let elsewhere = reported(&schema, &json!({"radio": {"beacon_gap": 1}}));
    assert_eq!(elsewhere, ["radio.beacon_gap: unknown key here; beacon_gap is mac.beacon_gap"]);
}

#[test]
fn editors_complete_a_new_key_from_the_schema() {
    let schema: Json = serde_json::to_value(json_schema::of(with_new_key("mac"))).expect("JSON");
    let key = &schema["properties"]["mac"]["properties"]["beacon_gap"];
    assert_eq!(key["description"], json!("Time between beacons. Unit: s. Source: a test."));
    assert_eq!((&key["default"], &key["anyOf"][0]["maximum"]), (&json!(5), &json!(9)));
}

#[test]
fn everything_that_is_wrong_is_reported_at_once() {
    let wrong = json!({
        "topology2": {},
        "radio": {"error": {"per": 0.1}},
        "routing": {"protocol": "olsr", "parameters": "rfc3561", "dsr": {}},
        "flow": [{"from": 0, "to": 7, "app": "cbr", "transport": "udp", "max_window": 3}, {"pattern": "across", "to": 1}],
        "outage": [{"node": 1}],
        "wire": {},
    });
    let schema = Schema::engine();
    let point = resolved(schema, &wrong);
    let keys: Vec<String> = point.findings.iter().map(|(path, _)| path.join(".")).collect();
    let expected = ["topology2", "radio.error.kind", "wire", "flow.0.rate", "flow.1.to", "outage.0.from", "flow.0.to"];
    assert_eq!(keys, expected, "{:?}", point.findings);
    let idle: Vec<String> = point.idle.iter().map(|(path, _)| path.join(".")).collect();
    assert_eq!(idle, ["routing.parameters", "routing.dsr"]);
    assert_eq!(point.sound(schema), None, "the network is at fault");
}

#[test]
fn sound_flows_are_looked_at_with_those_at_fault_and_keep_their_numbers() {
    let schema = Schema::engine();
    let flows = json!([{"from": 0, "to": 9}, {"from": 0, "to": 1, "copies": 2}, {"from": 1, "to": 2}]);
    let point = resolved(schema, &json!({"flow": flows}));
    let sound = point.sound(schema).expect("the network is sound");
    let mut whole = point.config(schema, 1);
    assert_eq!(
        point.engine_config(schema, 1),
        serde_json::from_value(whole.clone()).map_err(|error| error.to_string())
    );
    whole["flows"].as_array_mut().expect("flows").remove(0);
    assert_eq!(sound.config, Ok(serde_json::from_value(whole).expect("a configuration")));
    let key = |engine| point.reported(&sound, engine, "").0.join(".");
    assert_eq!([key("flows.1.packet"), key("flows.2.app.rate")], ["flow.1.packet", "flow.2.rate"]);
    assert_eq!(point.key_of("flows.3.to").join("."), "flow.2.to");
}

#[test]
fn programs_of_real_stacks_are_shown_and_named_but_no_part_of_a_simulation() {
    let schema = Schema::engine();
    let tables = json!({"node": [{"nodes": ["last"], "run": "iperf3 -s"}, {"routing": "babeld", "node": 0}]});
    let with = resolved(schema, &tables);
    assert_eq!(with.findings, []);
    assert_eq!(with.config(schema, 1), resolved(schema, &json!({})).config(schema, 1));
    let Shown::Table(document) = with.document(schema) else { panic!("a table") };
    let node = document.iter().find(|(name, _)| name == "node");
    let Some((_, Shown::Tables(shown))) = node else { panic!("tables") };
    let key = |name: &str, value: Json| (name.to_string(), Shown::Plain(value));
    assert_eq!(
        shown[0],
        Shown::Table(vec![
            key("nodes", json!([2])),
            key("run", json!(["iperf3 -s"])),
            key("routing", json!("static")),
            key("on_exit", json!("failure")),
        ]),
    );
    let [(about, text)] = &with.warnings()[..] else { panic!("one warning") };
    assert_eq!(
        (*about, text.as_str()),
        (
            "left out",
            "node: \"run\", \"routing\" of [[node]] run on real stacks (hopscope live); a simulation leaves them out"
        ),
    );
}

#[test]
fn a_node_has_one_routing_and_is_there() {
    let tables = json!({"node": [{"routing": "babeld"}, {"node": 2, "routing": "bird"}, {"node": 7}, {"node": 0, "nodes": [1]}]});
    assert_eq!(
        reported(Schema::engine(), &tables),
        [
            "node.1.routing: node 2 has the routing of node.0 already",
            "node.2.node: node 7 does not exist; nodes are 0 to 2",
            "node.3: has both node and nodes; one of them says where it runs",
        ],
    );
}
