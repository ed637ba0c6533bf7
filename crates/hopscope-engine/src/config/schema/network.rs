//! Keys of what a network has besides nodes and flows, each table as often as wanted: outages, events, wires, link layers
//! of some nodes, and what runs on real stacks.

use super::{Key, Kind, Lowered, Range, link, mac, radio};
use crate::config::change::CHANGEABLE;
use crate::config::link::{LinkPart, LinkParts, PLAIN};
use crate::config::stations::{MAX_CHANNEL, MAX_RADIOS};
use crate::config::{Change, ChangeKind, wire};
use hopscope_core::config::params::ParamType;

/// The routing of a node on real stacks that has no daemon.
pub const STATIC: &str = "static";

/// Daemons that find the routes of a node on real stacks, with one line each.
const DAEMONS: [(&str, &str); 5] = [
    ("babeld", "Babel (RFC 8966)"),
    ("bird", "Babel by BIRD 2"),
    ("batmand", "B.A.T.M.A.N. in user space"),
    ("olsrd", "OLSR (RFC 3626)"),
    ("batman-adv", "B.A.T.M.A.N. in the kernel"),
];

/// What becomes of a run whose program ends, with one line each.
const ON_EXIT: [(&str, &str); 3] = [
    ("failure", "a routing daemon that ends, or a program that ends with another status than 0, ends the run"),
    ("end", "the first program that ends is the end of the run"),
    ("go-on", "the run goes on"),
];

/// Keys of one `[[node]]`.
pub(super) fn node() -> Vec<Key> {
    let said = |what: &str, words: &[(&str, &str)]| {
        let each = |(word, text): &(&str, &str)| format!(" \"{word}\": {text}.");
        format!("{what}{}", words.iter().map(each).collect::<String>())
    };
    let routing = format!("What finds the routes. \"{STATIC}\": the shortest ways, set before the start.");
    vec![
        Key::new("node", Kind::Node, "The node."),
        Key::new("nodes", Kind::Nodes, "Several nodes, in place of `node`; both absent: all of them."),
        Key::new("run", Kind::Texts, "Commands that run there, each in a shell and with a log of its own."),
        Key::new("routing", Kind::Choice, &said(&routing, &DAEMONS))
            .default(STATIC)
            .choices(std::iter::once(STATIC).chain(DAEMONS.map(|(word, _)| word))),
        Key::new("on_exit", Kind::Choice, &said("What becomes of the run when a program ends.", &ON_EXIT))
            .default(ON_EXIT[0].0)
            .choices(ON_EXIT.map(|(word, _)| word)),
    ]
}

/// Keys of one `[[outage]]`.
pub(super) fn outage() -> Vec<Key> {
    vec![
        Key::new("node", Kind::Node, "The node whose radio neither sends nor hears.")
            .required()
            .lowered(Lowered::Always),
        Key::new("from", Kind::Time, "When the radio goes off.").unit("s").required().lowered(Lowered::Always),
        Key::new("to", Kind::Time, "When it comes back; absent: never.")
            .unit("s")
            .range(Range::above(0.0))
            .lowered(Lowered::Always),
    ]
}

/// Keys of one `[[event]]`: what the kinds need and can have.
pub(super) fn event() -> Vec<Key> {
    let mut what = "What happens.".to_string();
    ChangeKind::WORDS.iter().for_each(|(name, text)| what += &format!(" \"{name}\": {text}"));
    let of = |key: Key| {
        let uses = |kind: &ChangeKind| {
            let (needed, possible) = Change::values(*kind);
            needed.contains(&&*key.name) || possible.contains(&&*key.name)
        };
        let words: Vec<&str> = ChangeKind::ALL.into_iter().filter(uses).map(ChangeKind::word).collect();
        // From the table that the engine checks by: one of both cannot forget a kind.
        key.when(&format!("kind = {}", words.join(" | ")))
    };
    let keys = [
        Key::new("node", Kind::Node, "The node."),
        Key::new("from", Kind::Node, "One end of the link."),
        Key::new("to", Kind::Node, "Its other end."),
        Key::new("attenuation", Kind::Float, "Power that a radio link loses.").unit("dB"),
        Key::new("loss", Kind::Float, "Probability with which a wire loses a packet.")
            .unit("probability")
            .range(Range::within(0.0, 1.0)),
        Key::new("position", Kind::Point, "Where the node is or goes.").unit("m").range(Range::ANY),
        Key::new("speed", Kind::Float, "How fast it goes there; absent: it is there at once.")
            .unit("m/s")
            .range(Range::above(0.0)),
        Key::new("power", Kind::Float, "Transmit power.").unit("W").range(Range::above(0.0)),
        Key::new("flow", Kind::Int, "Number of the flow, as in results."),
        Key::new("rate", Kind::Float, "Payload bits per second.").unit("bit/s").range(Range::above(0.0)),
        Key::new("key", Kind::Choice, "The parameter.").choices(CHANGEABLE),
        Key::new("value", Kind::Float, "Its value, in the base unit."),
    ];
    let mut all = vec![
        Key::new("at", Kind::Time, "When it happens.").unit("s").required(),
        Key::new("kind", Kind::Choice, &what).required().choices(ChangeKind::CHOICES),
    ];
    all.extend(keys.map(of));
    all
}

/// Keys of one `[[wire]]`.
pub(super) fn wire() -> Vec<Key> {
    let always = |key: Key| key.lowered(Lowered::Always);
    let share = |name, doc| always(Key::new(name, Kind::Float, doc).unit("probability").range(Range::within(0.0, 1.0)));
    let rate = |name, doc| {
        always(Key::new(name, Kind::Int, doc).unit("bit/s").range(Range::within(1.0, wire::MAX_RATE as f64)))
    };
    let parts = std::iter::once(PLAIN).chain(wire::PARTS.map(LinkPart::word));
    let link = "What stands between queue and transmitter at each end: parts with `+` between them, with the parameters \
                of [link].";
    let time = |name, doc| always(Key::new(name, Kind::Time, doc).unit("s").default(0));
    let overtakes = "Jitter lets packets overtake each other; otherwise they keep their order.";
    let period = "One packet in so many from the first node to the second is lost; 0: none.";
    let first = "Number of the first packet that loss_period loses, counted from 1; 0: the last of the first period.";
    vec![
        Key::new("from", Kind::Node, "One end.").required(),
        Key::new("to", Kind::Node, "The other end.").required(),
        rate("rate", "Bit rate, both ways.").required(),
        rate("back_rate", "Bit rate from the second node to the first; absent: the same."),
        always(Key::new("delay", Kind::Time, "Propagation delay, each way.").unit("s").required()),
        always(
            Key::new("queue", Kind::Int, "Packets that can wait at each end behind the one being sent.")
                .unit("packets")
                .default(wire::QUEUE)
                .range(Range::within(0.0, f64::from(wire::MAX_QUEUE))),
        ),
        always(Key::new("link", Kind::Parts, link).default(LinkParts::PLAIN.to_string()).choices(parts)),
        share("loss", "Probability that a packet is lost on the way, both ways.").default(0.0),
        share("back_loss", "The same from the second node to the first; absent: the same."),
        always(Key::new("loss_period", Kind::Int, period).unit("packets").default(0).range(Range::within(0.0, 1e9))),
        always(
            Key::new("loss_offset", Kind::Int, first)
                .unit("packets")
                .default(0)
                .range(Range::within(0.0, 1e9))
                .when("loss_period > 0"),
        ),
        time("jitter", "What a packet may take longer than `delay`, each way: drawn evenly from 0 up to this."),
        always(Key::new("jitter_reorders", Kind::Flag, overtakes).default(false).when("jitter > 0")),
        share("reorder", "Probability that a packet leaves its order, each way.").default(0.0),
        time("reorder_delay", "How much longer such a packet takes; 0: it takes no delay at all, as netem's.")
            .when("reorder > 0"),
    ]
}

/// Keys of one `[[interface]]`; rates without a value are those of `[radio]`.
pub(super) fn interface() -> Vec<Key> {
    let inherited = |key: Key| {
        let doc = format!("{}; absent: as in [radio].", key.doc.trim_end_matches('.'));
        let key = Key { doc, ..key.default(serde_json::Value::Null).source("") };
        // The condition names keys next to it, which stand in another table here.
        match key.when.is_some() {
            true => key.when("radio.phy = dsss or radio.ppdu_format = non-ht"),
            false => key,
        }
    };
    let number = "Which of their radios: 0 is the one that every node has, 1 the first of further ones, and so on.";
    let channel = "Its channel: the number of the centre, 5 MHz apart. Channels are equal or do not overlap; a radio that no table \
                   names is on channel 1.";
    let mut keys = vec![
        Key::new("nodes", Kind::Nodes, "The nodes; absent: all."),
        Key::new("number", Kind::Int, number).default(1).range(Range::within(0.0, f64::from(MAX_RADIOS - 1))),
        Key::new("channel", Kind::Int, channel)
            .range(Range::within(1.0, f64::from(MAX_CHANNEL)))
            .source("IEEE 802.11-2020 17.3.8.4.2")
            .required(),
    ];
    let rates = ["data_rate", "basic_rate", "response_rates"];
    keys.extend(radio().into_iter().filter(|key| rates.contains(&key.name.as_str())).map(inherited));
    keys
}

/// Keys of one `[[layer]]`; those without a value have that of `[link]`.
pub(super) fn layer() -> Vec<Key> {
    // Null, so that a key that is absent is that of [link].
    let inherited = |key: Key| key.default(serde_json::Value::Null).source("");
    let mut keys = vec![
        Key::new("nodes", Kind::Nodes, "The nodes that have this layer; each node at most one.")
            .required()
            .lowered(Lowered::Always),
    ];
    keys.extend(mac().into_iter().filter(|key| key.name == "link").map(|key| {
        let doc = format!("{}; absent: as in [mac].", key.doc.trim_end_matches('.'));
        inherited(Key { doc, ..key })
    }));
    keys.extend(link().into_iter().filter(|key| key.name != "nodes").map(inherited));
    keys
}
