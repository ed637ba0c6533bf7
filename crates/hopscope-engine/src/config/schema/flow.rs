//! Keys of one `[[flow]]`: its ends, its transport and its application.

use serde::Serialize;
use serde_json::{Value, json};

use super::super::{
    AckPolicy, AtpConfig, Codec, CongestionControl, DccpConfig, DccpControl, Jitter, LossRecovery, Transport,
};
use super::{Key, Kind, Lowered, Range, SECOND, parameters};
use hopscope_core::config::params::ParamType;
use hopscope_transport::config::flow::{ACK_DELAYS, WINDOWS};

/// What stands before the name of a congestion control of the user's own in `transport`.
pub const PREFIX: &str = "tcp:";
/// How messages write such a transport.
const FORM: &str = "\"tcp:FILE.py:CLASS\"";
/// How messages write the class of such a transport.
const FILE_FORM: &str = "\"FILE.py:CLASS\"";
/// Without the policies that have times of their own to hold an ACK back, or hold none.
const HELD_BACK: &str = "transport = tcp and ack != every | ada | daa | daap | mda | dca";
/// Ports are 16 bits wide; 0 is none.
const MAX_PORT: f64 = 65_535.0;
/// Most copies of one flow.
const MAX_COPIES: f64 = 100_000.0;

/// An application with one line of description, the keys it needs, and the engine's word for it.
#[derive(Debug, Clone, Serialize)]
pub struct App {
    /// Its word.
    pub name: &'static str,
    /// What it sends.
    pub doc: &'static str,
    /// The keys that it uses.
    pub keys: &'static [&'static str],
    /// The engine's word.
    pub engine: &'static str,
    /// Defaults of keys, in engine form, where they are not those of the key.
    pub defaults: &'static [(&'static str, f64)],
}

const fn app(name: &'static str, doc: &'static str, keys: &'static [&'static str]) -> App {
    App { name, doc, keys, engine: name, defaults: &[] }
}

/// The applications.
pub const APPS: &[App] = &[
    app("bulk", "always more to send", &[]),
    app("file", "a file of `bytes` bytes", &["bytes"]),
    app("cbr", "one packet every packet * 8 / rate seconds, with `jitter` in the mean", &["rate", "jitter", "packets"]),
    app("on-off", "CBR during on periods, silence during off periods, both exponential", &["rate", "on", "off"]),
    app("poisson", "packets with exponential gaps of mean packet * 8 / rate seconds", &["rate"]),
    App {
        // 64 kbit/s in packets of 20 ms (ITU-T G.711), mean talk spurt and pause of ITU-T P.59.
        engine: "on-off",
        defaults: &[("packet", 160.0), ("rate", 64_000.0), ("on", 1_004e6), ("off", 1_587e6)],
        ..app(
            "voice",
            "telephone speech (G.711): on-off with the means of talk spurts and pauses; its quality is reported",
            &["rate", "on", "off", "codec"],
        )
    },
    App {
        engine: "trace",
        defaults: &[("frame_rate", 25.0)],
        ..app(
            "video",
            "the frames of a trace, each cut into packets of at most `packet` bytes",
            &["trace", "frame_rate"],
        )
    },
];

/// Traffic patterns with one line each.
pub const PATTERNS: &[(&str, &str)] = &[
    ("across", "the flows usual for the topology, such as lines of a grid in both directions, spread evenly"),
    ("random", "pairs of nodes that reach each other over hops within radio.tx_range, drawn at random"),
    ("file", "the connections of an ns-2 traffic file (cbrgen), with their own starts, sizes and rates"),
];

/// Keys of one `[[flow]]`, in the order in which pages and messages list them.
pub fn flow() -> Vec<Key> {
    [ends(), connection(), times(), acknowledgements(), application_keys(), copies(), parameters_of_transports()]
        .concat()
}

/// Its two nodes, or the pattern that gives them.
fn ends() -> Vec<Key> {
    let mut pattern = "Ends of the flows instead of from and to: one flow for each of the copies.".to_string();
    PATTERNS.iter().for_each(|(name, text)| pattern += &format!(" \"{name}\": {text}."));
    vec![
        Key::new("from", Kind::Node, "Sending node; needed where no `pattern` is given."),
        Key::new("to", Kind::Node, "Receiving node; needed where no `pattern` is given."),
        Key::new("pattern", Kind::Choice, &pattern).choices(PATTERNS.iter().map(|(name, _)| *name)),
        Key::new("pattern_seed", Kind::Int, "Seed of a random pattern, apart from the seed of the run.")
            .default(1)
            .when("pattern = random"),
        Key::new("path", Kind::Text, "Traffic file of a pattern \"file\", relative to the scenario file.")
            .when("pattern = file"),
    ]
}

/// Its transport, the ports of that, and how much goes into a packet and a window.
fn connection() -> Vec<Key> {
    // A congestion control from outside is named by its class, not by this word.
    let external = Transport::TcpExternal.word();
    let transports = Transport::CHOICES.iter().filter(|word| **word != external);
    vec![
        Key::new(
            "transport",
            Kind::Transport,
            &format!("Transport protocol; {FORM} takes the congestion control from a Python class."),
        )
        .default(Transport::TcpNewReno.word())
        .choices(transports)
        .lowered(Lowered::Always),
        Key::new("from_port", Kind::Int, "Port at the sending node; absent: the lowest free one from 49152 on.")
            .range(Range::within(1.0, MAX_PORT))
            .lowered(Lowered::Given)
            .source("RFC 6335 6 (dynamic ports)"),
        Key::new("to_port", Kind::Int, "Port at the receiving node; absent: the lowest free one from 5001 on.")
            .range(Range::within(1.0, MAX_PORT))
            .lowered(Lowered::Given),
        Key::new("dscp", Kind::Int, "DSCP of its packets, both ways: the upper three bits are the user priority, which a QoS station takes the access category from.")
            .default(0)
            .range(Range::within(0.0, 63.0))
            .lowered(Lowered::Always)
            .when("mac.qos = true")
            .source("RFC 2474; IEEE 802.11-2020 table 10-1"),
        application(),
        Key::new("packet", Kind::Int, "Transport payload of a packet.")
            .unit("bytes")
            .default(1460)
            .range(Range::from(1.0))
            .lowered(Lowered::Always)
            .source("fu2003.table1"),
        of_tcp("max_window", Kind::Int, "Receiver window (MaxWin); TCP only.")
            .unit("packets")
            .default(32)
            .range(WINDOWS)
            .source("fu2003.table1"),
    ]
}

/// When its application offers data.
fn times() -> Vec<Key> {
    vec![
        Key::new("start", Kind::Time, "When the application starts.").unit("s").default(0).lowered(Lowered::Always),
        Key::new("start_jitter", Kind::Time, "The flow starts up to so much later, uniformly at random by the seed.")
            .unit("s")
            .range(Range::above(0.0))
            .lowered(Lowered::Given),
        Key::new("stop", Kind::Time, "When the application stops offering data; absent: at the end of the run.")
            .unit("s")
            .range(Range::above(0.0))
            .lowered(Lowered::Always),
    ]
}

fn acknowledgements() -> Vec<Key> {
    vec![
        ack(),
        of_tcp("ack_delay", Kind::Time, "Longest time an ACK is held back.")
            .unit("s")
            .default(SECOND / 5)
            .range(ACK_DELAYS)
            .when(HELD_BACK)
            .source("RFC 9293 allows 500 ms; 200 ms is common"),
    ]
}

/// A reply, and the flows that one table stands for.
fn copies() -> Vec<Key> {
    let back = "Application at the receiving node that sends back over the same TCP connection; its results are those of a \
                flow of its own, numbered after all others.";
    let copies = "Number of flows that this table stands for; with pattern = \"across\" by default as many as are usual for \
                  the topology.";
    vec![
        of_tcp("reply", Kind::Table, back).fields(reply()).lowered(Lowered::No),
        Key::new("copies", Kind::Int, copies).default(1).range(Range::within(1.0, MAX_COPIES)),
        Key::new("stagger", Kind::Time, "Time between the starts of the copies.")
            .unit("s")
            .default(0)
            .when("copies > 1 or pattern given"),
        Key::new("group", Kind::Name, "Name under which the results of flows are added up.").lowered(Lowered::Always),
    ]
}

/// What the transport of this flow does differently.
fn parameters_of_transports() -> Vec<Key> {
    let repair = "How losses are found and repaired; \"own\" leaves it to tcp.loss_recovery, and that to the congestion \
                  control.";
    vec![
        control(),
        of_tcp("recovery", Kind::Choice, repair).default(LossRecovery::Own.word()).choices(LossRecovery::CHOICES),
        of_tcp("tcp", Kind::Table, "TCP parameters of this flow alone; keys as in [tcp].").fields(parameters("tcp")),
        Key::new("dccp", Kind::Table, "DCCP parameters of this flow.")
            .fields(DccpConfig::describe())
            .when("transport = dccp | dccp-adhoc")
            .lowered(Lowered::Always),
        Key::new("atp", Kind::Table, "ATP parameters of this flow.")
            .fields(AtpConfig::describe())
            .when("transport = atp")
            .lowered(Lowered::Always),
    ]
}

/// Keys of the application that replies.
pub fn reply() -> Vec<Key> {
    std::iter::once(application()).chain(application_keys()).collect()
}

/// A key that only TCP has.
fn of_tcp(name: &str, kind: Kind, doc: &str) -> Key {
    Key::new(name, kind, doc).when("transport = tcp").lowered(Lowered::Always)
}

fn application() -> Key {
    Key::new("app", Kind::Choice, "Application.").default(APPS[0].name).choices(APPS.iter().map(|app| app.name))
}

/// The keys of applications, each of use to some of them.
fn application_keys() -> Vec<Key> {
    let trace = "CSV of a video trace, relative to the scenario file: time (s) or frame (number), and bytes.";
    let mut jitter = "Law of the gaps between packets.".to_string();
    Jitter::WORDS.iter().for_each(|(name, text)| jitter += &format!(" \"{name}\": {text}"));
    let mut codec =
        "What of speech a loss costs, which decides its quality; rate and packet stay as given.".to_string();
    Codec::WORDS.iter().for_each(|(name, text)| codec += &format!(" \"{name}\": {text}"));
    let keys = [
        Key::new("bytes", Kind::Int, "Size of the file.").unit("bytes").range(Range::from(1.0)),
        Key::new("rate", Kind::Float, "Payload bits per second (while on).").unit("bit/s").range(Range::above(0.0)),
        Key::new("on", Kind::Time, "Mean length of an on period.").unit("s").range(Range::above(0.0)),
        Key::new("off", Kind::Time, "Mean length of an off period.").unit("s").range(Range::above(0.0)),
        Key::new("trace", Kind::Text, trace),
        Key::new("frame_rate", Kind::Float, "Frames per second of a trace that numbers its frames.")
            .range(Range::above(0.0)),
        Key::new("jitter", Kind::Choice, &jitter)
            .default(Jitter::None.word())
            .choices(Jitter::CHOICES)
            .source("a default; \"uniform\" is ns-2's CBR with random_ 1"),
        Key::new("packets", Kind::Int, "Packets after which it stops; 0: it goes on.").unit("packets").default(0),
        Key::new("codec", Kind::Choice, &codec)
            .default(Codec::G711Plc.word())
            .choices(Codec::CHOICES)
            .source("a default; ITU-T G.113 Appendix I"),
    ];
    let used = |key: Key| {
        let users: Vec<&str> = APPS.iter().filter(|app| app.keys.contains(&&*key.name)).map(|app| app.name).collect();
        key.when(&format!("app = {}", users.join(" | ")))
    };
    keys.into_iter().map(used).collect()
}

/// The key that names the ACK policy of a flow.
fn ack() -> Key {
    let external = AckPolicy::External.word();
    let doc = format!(
        "When a TCP receiver acknowledges: a word, a Python class as {FILE_FORM}, or a table with class and parameters of \
         that class."
    );
    of_tcp("ack", Kind::Policy, &doc)
        .default(AckPolicy::ALL[0].word())
        .choices(AckPolicy::CHOICES.iter().filter(|word| **word != external))
}

/// The key that names the congestion control of a flow, or gives the parameters of one.
fn control() -> Key {
    let external = CongestionControl::External.word();
    let words: Vec<&str> = CongestionControl::CHOICES.iter().copied().filter(|word| *word != external).collect();
    let of_dccp = DccpControl::CHOICES;
    let doc = format!(
        "Congestion control of transport = \"tcp\", by default {}: a word, a Python class as {FILE_FORM}, or a table with \
         class and parameters of that class. With transport = {FORM}: parameters of its class. Of transport = \"dccp\": {}, \
         by default the first.",
        words[0],
        of_dccp.join(", ")
    );
    Key::new("control", Kind::Control, &doc)
        .choices(words.iter().chain(of_dccp))
        .when("transport = tcp | dccp")
        .lowered(Lowered::No)
}

impl App {
    /// Its defaults as JSON: whole numbers of times and bytes, else real ones.
    pub fn default_values(&self) -> Vec<(&'static str, Value)> {
        let keys = flow();
        let of = |name: &str| keys.iter().find(|key| key.name == name).map(|key| key.kind);
        let value = |name, number: f64| match of(name) {
            Some(Kind::Float) => json!(number),
            _ => json!(number as u64),
        };
        self.defaults.iter().map(|&(name, number)| (name, value(name, number))).collect()
    }
}
