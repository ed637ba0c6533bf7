//! Every key of a scenario file, table by table: those of the engine's sections as the file has them, and those that
//! only the file has.

mod flow;
mod network;
mod topology;

use serde::Serialize;

pub use flow::{APPS, App, PATTERNS, PREFIX, flow, reply};
pub use hopscope_core::config::condition::{Is, Need, When, shown};
pub use hopscope_core::config::params::{Key, Kind, Lowered, Range};
pub use network::STATIC;
pub use topology::{TOPOLOGIES, Topology, topology};

use super::presets::{PRESETS, PROFILES};
use super::{
    AodvConfig, BabelConfig, BatmanIvConfig, BatmanVConfig, DsdvConfig, DsrConfig, HwmpConfig, LinkConfig, MacConfig,
    MobilityConfig, NetConfig, OlsrConfig, RadioConfig, RoutingConfig, SeriesConfig, SeriesKind, TcpConfig,
    starved_after,
};
use hopscope_core::config::params::ParamType;
use hopscope_phy::config::traces::Untraced;
use network::{event, interface, layer, node, outage, wire};

/// Most nodes of a scenario: the positions of more would fill the memory of an ordinary machine.
pub const MAX_NODES: u32 = 2_000_000;

/// Sections whose parameters belong to the engine, in the order of the file.
pub const ENGINE_SECTIONS: &[&str] = &["radio", "mac", "link", "net", "routing", "tcp"];

/// Keys of `[radio]` for traces of links: powers, losses, what becomes of other links, and what their times count from.
pub const LINK_TRACES: [&str; 4] = ["rssi_trace", "loss_trace", "untraced", "time_origin"];

/// What the times of a file count from, with one line each.
const TIME_ORIGINS: [(&str, &str); 2] =
    [("run", "the start of the run"), ("first", "the earliest time in the files, which is then that start")];

/// When what is said of traces has an effect.
const TRACED: &str = "rssi_trace given or loss_trace given";

/// A second in engine form.
const SECOND: u64 = 1_000_000_000;

/// A routing protocol that has parameters of its own, and named sets of them.
pub struct Protocol {
    /// Its word.
    pub word: &'static str,
    /// Its parameters.
    pub parameters: fn() -> Vec<Key>,
    /// Its sets with one line each.
    pub sets: &'static [(&'static str, &'static str)],
    /// A set as JSON.
    pub set: fn(&str) -> Option<serde_json::Value>,
}

macro_rules! protocols {
    ($($word:literal = $config:ident),+ $(,)?) => {
        /// The routing protocols with parameters of their own.
        pub const PROTOCOLS: &[Protocol] = &[$(Protocol {
            word: $word,
            parameters: $config::describe,
            sets: $config::SETS,
            set: |name| serde_json::to_value($config::set(name)?).ok(),
        }),+];
    };
}

protocols! {
    "aodv" = AodvConfig, "dsdv" = DsdvConfig, "dsr" = DsrConfig, "olsr" = OlsrConfig, "babel" = BabelConfig,
    "batman_iv" = BatmanIvConfig, "batman_v" = BatmanVConfig, "hwmp" = HwmpConfig
}

/// The parameters of an engine section or of a routing protocol, under the engine's names.
pub fn parameters(section: &str) -> Vec<Key> {
    match section {
        "radio" => RadioConfig::describe(),
        "mac" => MacConfig::describe(),
        "link" => LinkConfig::describe(),
        "net" => NetConfig::describe(),
        "routing" => RoutingConfig::describe(),
        "tcp" => TcpConfig::describe(),
        _ => PROTOCOLS.iter().find(|p| p.word == section).map_or(Vec::new(), |p| (p.parameters)()),
    }
}

/// A table of the file with its keys.
#[derive(Debug, Clone, Serialize)]
pub struct Table {
    /// Its name; empty for the top of the file.
    pub name: &'static str,
    /// It stands in double brackets, as often as wanted.
    pub many: bool,
    /// What it is.
    pub doc: &'static str,
    /// When its keys have an effect; none: always.
    pub when: Option<When>,
    /// Its keys.
    pub keys: Vec<Key>,
}

/// Every table but the topology, whose keys depend on its kind, and the sweep, whose keys are all others.
pub fn tables() -> Vec<Table> {
    let one = |name, doc, keys| Table { name, many: false, doc, when: None, keys };
    let many = |name, doc, keys| Table { many: true, ..one(name, doc, keys) };
    let only = |when: &str, table| Table { when: Some(When::parse(when)), ..table };
    let radios = "topology.kind != wired";
    vec![
        one("", "The run.", run()),
        only(radios, one("radio", "Radio and channel.", radio())),
        only(radios, one("mac", "802.11 DCF and queue.", mac())),
        one("link", "Link layers.", link()),
        one("net", "Network layer.", parameters("net")),
        one("routing", "Routing.", routing()),
        only("flow.transport = tcp", one("tcp", "TCP.", parameters("tcp"))),
        many("flow", "The flows, one [[flow]] each.", flow()),
        many("event", "What happens at instants of the run.", event()),
        many("outage", "Times during which radios are off.", outage()),
        many("wire", "Wires between two nodes.", wire()),
        many("layer", "Link layers of some nodes of their own.", layer()),
        only(radios, many("interface", "Further radios of nodes, and channels.", interface())),
        many("node", "What runs on real stacks at nodes; hopscope live alone follows it.", node()),
        one("mobility", "How nodes move.", mobility()),
        one("series", "Time series to keep.", series()),
    ]
}

fn run() -> Vec<Key> {
    let behaviour = "Behaviour: \"standard\" (IEEE and RFC rules), \"ns2\" (as ns-2.35 documents) or \"as-ns3\" (as ns-3.44 \
                     does).";
    vec![
        Key::new("title", Kind::Text, "Name of the scenario; absent: that of its file.").default(""),
        Key::new("duration", Kind::Time, "End of the run.")
            .unit("s")
            .default(300 * SECOND)
            .range(Range::above(0.0))
            .lowered(Lowered::Always)
            .source("fu2003.table1"),
        Key::new("warmup", Kind::Time, "Metrics count from here.").unit("s").default(0).lowered(Lowered::Always),
        Key::new("seed", Kind::Int, "First seed of the replications.").default(1),
        Key::new("seeds", Kind::Int, "Number of replications: seeds seed .. seed + seeds - 1.")
            .default(1)
            .range(Range::within(1.0, 1e6)),
        Key::new("starved_after", Kind::Time, "A flow counts as starved while nothing of it has arrived for longer.")
            .unit("s")
            .default(starved_after().0)
            .range(Range::above(0.0))
            .lowered(Lowered::Always),
        Key::new("explain", Kind::Flag, "Keep the airtime ledger: where the time of nodes, links and packets goes.")
            .default(false)
            .lowered(Lowered::Always),
        Key::new(
            "distributions",
            Kind::Flag,
            "Keep the histograms of the delays and of the gaps between arrivals of each flow.",
        )
        .default(false)
        .lowered(Lowered::Always),
        Key::new(
            "path_lengths",
            Kind::Flag,
            "Count the hops that packets take, and those of the shortest path by radio when they arrive.",
        )
        .default(false)
        .lowered(Lowered::Always),
        Key::new("profile", Kind::Choice, behaviour).default(PROFILES[0]).choices(PROFILES),
    ]
}

/// Keys of `[radio]`: a named set of them, and the channel errors in a table of their own.
fn radio() -> Vec<Key> {
    let (errors, mut keys): (Vec<Key>, _) =
        parameters("radio").into_iter().partition(|key| key.name.starts_with("error_"));
    let errors = errors.into_iter().map(|key| {
        let name = key.name.trim_start_matches("error_").to_string();
        // [radio.error] is a table of the file alone: in the engine its keys stand next to the others.
        key.named(&name)
    });
    let presets = PRESETS.iter().map(|(name, _)| *name);
    let preset = Key::new("preset", Kind::Choice, "Named radio settings; the other keys override them.");
    keys.insert(0, preset.default(PRESETS[0].0).choices(presets));
    keys.push(Key::new("error", Kind::Table, "Channel errors.").fields(errors.collect()));
    let [rssi, loss, untraced, origin] = LINK_TRACES;
    let csv = |what: &str| format!("CSV of measured links, relative to the scenario file: time (s), from, to, {what}.");
    keys.extend([
        Key::new(rssi, Kind::Text, &csv("rssi (dBm), which is then the received power of that link, one way")),
        Key::new(
            loss,
            Kind::Text,
            &csv("loss (probability for each copy of a frame), in place of `error` for that link"),
        ),
        Key::new(
            untraced,
            Kind::Choice,
            "What becomes of links while no trace covers them: as the model says, or not there.",
        )
        .default(Untraced::Model.word())
        .choices(Untraced::CHOICES)
        .when(TRACED),
        time_origin(origin).when(TRACED),
    ]);
    keys
}

/// The key that says what the times of a file count from.
fn time_origin(name: &str) -> Key {
    let mut doc = "What the times of the files count from.".to_string();
    TIME_ORIGINS.iter().for_each(|(word, text)| doc += &format!(" \"{word}\": {text}."));
    Key::new(name, Kind::Choice, &doc).default(TIME_ORIGINS[0].0).choices(TIME_ORIGINS.map(|(word, _)| word))
}

/// Keys of `[mac]`, which names the link layer too.
fn mac() -> Vec<Key> {
    let mut keys = parameters("mac");
    // The file names the link layer where the interface is, and has its parameters in [link].
    keys.extend(parameters("link").into_iter().filter(|key| key.name == "layer").map(|key| key.named("link")));
    keys
}

fn link() -> Vec<Key> {
    parameters("link").into_iter().filter(|key| key.name != "layer").collect()
}

/// Keys of `[routing]`: the protocol, a named set of its parameters, and these in a table of their own.
fn routing() -> Vec<Key> {
    let mut sets: Vec<&str> = Vec::new();
    for (name, _) in PROTOCOLS.iter().flat_map(|protocol| protocol.sets) {
        // Several protocols have a set of the same name.
        if !sets.contains(name) {
            sets.push(name);
        }
    }
    let tables: Vec<String> = PROTOCOLS.iter().map(|protocol| format!("[routing.{}]", protocol.word)).collect();
    let doc = format!(
        "Named parameter set of the protocol, by default that of the profile; keys of {} override it.",
        tables.join(" and ")
    );
    let mut keys = parameters("routing");
    keys.push(Key::new("parameters", Kind::Choice, &doc).choices(sets));
    keys.extend(PROTOCOLS.iter().map(|protocol| {
        let doc = format!("Parameters of {}.", protocol.word.to_uppercase());
        Key::new(protocol.word, Kind::Table, &doc)
            .fields((protocol.parameters)())
            .when(&format!("protocol = {}", protocol.word))
    }));
    keys
}

/// Keys of `[mobility]`, which can name a file.
fn mobility() -> Vec<Key> {
    let mut keys: Vec<Key> = MobilityConfig::describe()
        .into_iter()
        .map(|key| match key.name.as_str() {
            "area" => {
                let doc = "Width and height of the area, from the origin; absent: that of a random topology.";
                Key { doc: doc.to_string(), ..key.default(serde_json::Value::Null).range(Range::above(0.0)) }
            }
            // Words as well, "first" and "last", which the engine does not know.
            "nodes" => Key { kind: Kind::Nodes, ..key },
            _ => key,
        })
        .collect();
    let path = "The file, relative to the scenario file; absent: that of the topology.";
    keys.extend([
        time_origin("time_origin").when("model = file"),
        Key::new("path", Kind::Text, path).when("model = file"),
        Key::new("format", Kind::Choice, "Form of the file; \"auto\" recognizes it by the content.")
            .default("auto")
            .choices(["auto", "ns2", "bonnmotion", "fcd"])
            .when("model = file"),
    ]);
    keys
}

fn series() -> Vec<Key> {
    let keep: Vec<&str> = SeriesConfig::default().keep.iter().map(|kind| kind.word()).collect();
    vec![
        Key::new("keep", Kind::Words, "Time series to keep.")
            .default(keep)
            .choices(SeriesKind::CHOICES)
            .lowered(Lowered::Always),
        Key::new("interval", Kind::Time, "Sampling interval of queue, throughput and fairness.")
            .unit("s")
            .default(SECOND)
            .range(Range::above(0.0))
            .when("keep = queue | throughput | fairness")
            .lowered(Lowered::Always),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key that a condition names.
    fn named(keys: &[Key], name: &str) -> Option<Key> {
        let find = |keys: &[Key], name: &str| keys.iter().find(|key| key.name == name).cloned();
        match name.split('.').collect::<Vec<_>>()[..] {
            [name] => find(keys, name),
            ["topology", "kind"] => Some(topology()),
            ["topology", name] => TOPOLOGIES.iter().find_map(|kind| find(&kind.keys(), name)),
            ["tcp", name] => find(&parameters("tcp"), name),
            [table, name] => find(&tables().into_iter().find(|known| known.name == table)?.keys, name),
            [table, inner, name] => find(&named(keys, &format!("{table}.{inner}"))?.fields, name),
            _ => None,
        }
    }

    /// A condition asks for words that the other key has, and for numbers of keys that take them.
    fn check_need(place: &str, other: &Key, is: &Is) {
        let known = |word: &String| match other.kind {
            Kind::Flag => matches!(word.as_str(), "true" | "false"),
            Kind::IntOrOff | Kind::Node => word == "off",
            _ => other.choices.contains(word) || word == "external",
        };
        let numbers = [Kind::Int, Kind::IntOrOff, Kind::Float, Kind::Time, Kind::Seed];
        match is {
            Is::OneOf(words) | Is::NoneOf(words) => assert!(words.iter().all(known), "{place}: {} {is}", other.name),
            Is::Above(least) => assert!(numbers.contains(&other.kind) && least.is_finite(), "{place}: {}", other.name),
            Is::Given => assert!(other.kind != Kind::Flag, "{place}: {}", other.name),
        }
    }

    #[test]
    fn every_key_says_what_it_is() {
        fn check(table: &str, keys: &[Key]) {
            for key in keys {
                let place = format!("{table}.{}", key.name);
                assert!(key.doc.ends_with('.') && key.doc.len() > 5, "{place}: {}", key.doc);
                assert_eq!(key.kind == Kind::Table, !key.fields.is_empty(), "{place}");
                assert_eq!(keys.iter().filter(|other| other.name == key.name).count(), 1, "{place} stands twice");
                let worded = matches!(key.kind, Kind::Choice | Kind::Parts | Kind::Words)
                    || matches!(key.kind, Kind::Transport | Kind::Control | Kind::Policy);
                assert_eq!(worded, !key.choices.is_empty(), "{place}");
                for need in key.when.iter().flat_map(When::needs) {
                    let other = named(keys, &need.key);
                    let other = other.unwrap_or_else(|| panic!("{place}: no key {}", need.key));
                    check_need(&place, &other, &need.is);
                }
                check(&place, &key.fields);
            }
        }
        for table in tables() {
            check(table.name, &table.keys);
        }
        for kind in TOPOLOGIES {
            check(kind.name, &kind.keys());
        }
    }

    #[test]
    fn every_parameter_of_a_flow_that_the_file_has_reaches_the_engine() {
        // The engine refuses keys that it does not know: what is lowered is what it has.
        let known = ["transport", "packet", "max_window", "start", "stop", "ack", "ack_delay", "recovery", "group"];
        let lowered: Vec<String> =
            flow().into_iter().filter(|key| key.lowered == Lowered::Always).map(|key| key.name).collect();
        assert!(known.iter().all(|name| lowered.iter().any(|found| found == name)), "{lowered:?}");
    }

    #[test]
    fn defaults_lie_in_their_ranges() {
        fn check(keys: &[Key]) {
            for key in keys {
                if let Some(number) = key.default.as_f64() {
                    let number = if key.kind == Kind::Time { number / 1e9 } else { number };
                    let Range { least, most, above } = key.range;
                    assert!(least.is_none_or(|l| number > l || (number == l && !above)), "{}: {number}", key.name);
                    assert!(most.is_none_or(|m| number <= m), "{}: {number}", key.name);
                }
                check(&key.fields);
            }
        }
        tables().iter().for_each(|table| check(&table.keys));
    }
}
