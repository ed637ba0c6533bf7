//! Flows: their applications, what replies, and the flows that a pattern lays.

use std::collections::BTreeSet;
use std::sync::Arc;

use hopscope_engine::config::schema::Key;
use hopscope_engine::config::{AckPolicy, CongestionControl, DccpControl, LossRecovery, TcpKind, Transport};
use serde_json::{Value as Json, json};

use super::Resolved;
use super::outside::{Outside, OwnControl, Shared};
use super::reader::{Path, Reader, inside, written};
use super::tables::number_nodes;
use super::values::{Layered, Values};
use crate::frames::{self, Frame};
use crate::patterns::{self, Ends};
use crate::read::expected;
use crate::topology::PlacementError;
use crate::traffic_files::{self, Connection, Traffic};
use crate::value::Value;

/// The pattern whose connections stand in a file.
pub(super) const FILE: &str = "file";
/// Keys that such a file sets for each of its connections.
pub(super) const SET_BY_FILE: &[&str] = &[
    "app",
    "bytes",
    "copies",
    "jitter",
    "packet",
    "packets",
    "pattern_seed",
    "rate",
    "reply",
    "stagger",
    "start",
    "stop",
];
/// Keys that it sets where the table does not.
pub(super) const LEFT_TO_FILE: &[&str] = &["ack", "ack_delay", "max_window"];

/// The frames of a trace.
pub(super) type Frames = Option<Arc<Vec<Frame>>>;

/// One `[[flow]]` table.
#[derive(Debug, Clone, Default)]
pub struct Flow {
    /// Its keys.
    pub values: Layered,
    pub(super) tcp: Layered,
    pub(super) dccp: Layered,
    pub(super) atp: Layered,
    pub(super) frames: Frames,
    pub(super) reply: Option<(Layered, Frames)>,
    /// Its congestion control.
    pub control: Control,
    /// Its ACK policy, where that is of a user's own.
    pub ack: Option<OwnControl>,
    /// Ends of the flows that it stands for.
    pub ends: Ends,
    /// What each of them sends, where a file says it.
    pub(super) traffic: Vec<Connection>,
    /// The file chooses their transports.
    pub(super) follows_transport: bool,
    /// What else that file holds, which another key has to follow.
    pub(super) other: Option<String>,
    /// That some of them start after the end of the run.
    pub(super) late: Option<String>,
}

impl Flow {
    /// What a key is, in the words of all connections of a traffic file; of congestion control and loss recovery, which several
    /// keys choose, what they are.
    pub(super) fn chosen(&self, name: &str) -> Json {
        let own = self.values.text("transport");
        let of_file = self.traffic.iter().map(Connection::transport).filter(|_| self.follows_transport);
        let mut transports: Vec<&str> = of_file.collect();
        transports.sort_unstable();
        transports.dedup();
        let transports = if transports.is_empty() { vec![own] } else { transports };
        match name {
            "transport" => transports.into_iter().map(protocol).collect(),
            "ack" if self.ack.is_some() => json!(AckPolicy::External.word()),
            "ack" if !self.traffic.is_empty() && !self.values.has_own(name) => {
                AckPolicy::ALL.map(AckPolicy::word).into_iter().collect()
            }
            "control" | "recovery" => transports.into_iter().map(|word| self.part(word, name)).collect(),
            _ => self.values.value(name),
        }
    }

    /// It has a TCP connection.
    pub(super) fn is_tcp(&self) -> bool {
        self.chosen("transport").as_array().is_some_and(|words| words.contains(&json!("tcp")))
    }

    /// Congestion control or loss recovery with a transport.
    fn part(&self, transport: &str, name: &str) -> Json {
        let found = Transport::ALL.into_iter().find(|known| known.word() == transport);
        let kind = tcp_kind(found.unwrap_or(Transport::Tcp), &self.control, self.recovery());
        match (&self.control, kind) {
            // What the flow comes to have, not what was written: conditions ask for NewReno wherever that came from.
            (_, Some(kind)) if name == "recovery" => json!(kind.recovery.word()),
            (Control::Word(word), _) if name == "control" => json!(word),
            (_, Some(kind)) => json!(kind.control.word()),
            _ if found == Some(Transport::DccpAdhoc) && name == "control" => json!(DccpControl::Adhoc.word()),
            _ => Json::Null,
        }
    }

    /// The recovery that its keys name.
    fn recovery(&self) -> LossRecovery {
        let own = LossRecovery::Own.word();
        // The flow's own key goes before that of its tcp table; "own" passes the question on.
        let named =
            [self.values.text("recovery"), self.tcp.text("loss_recovery")].into_iter().find(|word| *word != own);
        let known = |word: &str| LossRecovery::ALL.into_iter().find(|known| known.word() == word);
        named.and_then(known).unwrap_or(LossRecovery::Own)
    }

    /// What distinguishes it from others in conditions.
    fn signature(&self) -> String {
        let of_flow = ["transport", "control", "recovery", "ack", "app"].map(|name| self.chosen(name));
        json!([of_flow, self.tcp.own(), self.dccp.own(), self.atp.own()]).to_string()
    }
}

/// The protocol of a transport: older words, or a congestion control of the user's own, are TCP.
fn protocol(transport: &str) -> &str {
    if transport.starts_with("tcp") { "tcp" } else { transport }
}

/// What kind of TCP the words of a flow choose; none: it is no TCP.
fn tcp_kind(transport: Transport, control: &Control, recovery: LossRecovery) -> Option<TcpKind> {
    let control = match control {
        Control::None => None,
        Control::Word(word) => CongestionControl::ALL.into_iter().find(|known| known.word() == word),
        Control::Own(_) => Some(CongestionControl::External),
    };
    transport.tcp_kind(control, recovery)
}

/// The congestion control of a flow.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Control {
    /// That of the transport.
    #[default]
    None,
    /// One of the engine's.
    Word(String),
    /// One of a user's own.
    Own(OwnControl),
}

pub(super) fn read(
    reader: &mut Reader<'_>,
    document: &Value,
    outside: &mut dyn Outside,
    shared: &mut Shared,
    result: &mut Resolved,
) {
    let is_empty = |flows: &Value| flows.is_none() || *flows == Value::List(Vec::new());
    if written(document, "flow").is_none_or(is_empty) {
        if written(document, "flow").is_none() && written(document, "node").is_some() {
            return; // programs of its own use the network
        }
        let message = "is missing; a scenario has at least one [[flow]] with from and to";
        return reader.refuse(vec!["flow".to_string()], message);
    }
    let schema = reader.schema;
    let tcp = result.section("tcp").shared();
    let [dccp, atp] = ["dccp", "atp"].map(|name| Arc::new(super::schema::defaults(schema.inner("flow", name))));
    for (path, table) in reader.tables(document, "flow") {
        let mut flow = Flow {
            values: reader.complete(&path, table, schema.table("flow"), schema.defaults("flow")),
            ..Flow::default()
        };
        if matches!(table, Value::Table(_)) {
            let mut files = Files { outside: &mut *outside, shared: &mut *shared };
            if !reader.is_refused(&path, "app") {
                app_keys(reader, &path, table, &mut flow.values);
                flow.frames = files.trace(reader, &path, &flow.values);
            }
            of_file(reader, &path, table, &mut flow, (&*result, files.outside));
            if !reader.is_refused(&path, "transport") {
                super::transport::read(reader, &path, table, &mut flow, files.outside);
                reply(reader, &path, table, &mut flow, &mut files);
            }
            let inner = |values: &mut Layered, name: &str| match values.take(name) {
                Some(Json::Object(given)) => given,
                _ => Values::new(),
            };
            flow.tcp = Layered::new(Arc::clone(&tcp), inner(&mut flow.values, "tcp"));
            flow.dccp = Layered::new(Arc::clone(&dccp), inner(&mut flow.values, "dccp"));
            flow.atp = Layered::new(Arc::clone(&atp), inner(&mut flow.values, "atp"));
            number_nodes(result, &mut flow.values, &["from", "to"]);
            lay(reader, &path, table, &mut flow, &*result);
        }
        result.flows.push(flow);
    }
    let mut known = BTreeSet::new();
    // Conditions are looked at once for each kind of flow: a file with thousands of them has a handful.
    result.distinct = (0..result.flows.len()).filter(|&flow| known.insert(result.flows[flow].signature())).collect();
}

/// The keys of an application that are missing are filled in or named.
fn app_keys(reader: &mut Reader<'_>, path: &[String], table: &Value, values: &mut Layered) {
    let schema = reader.schema;
    let app = schema.application(values.text("app"));
    for (name, default) in app.defaults.iter().filter(|(name, _)| written(table, name).is_none()) {
        values.set(name, default.clone());
    }
    let needed = |key: &&Key| app.keys.contains(&&*key.name) && key.default.is_null();
    let asked: Vec<&str> = schema.inner("flow", "reply").iter().filter(needed).map(|key| key.name.as_str()).collect();
    for name in asked.iter().filter(|name| written(table, name).is_none() && !app.defaults.contains_key(**name)) {
        let message = format!("is missing; app = \"{}\" needs {}", app.word, asked.join(", "));
        reader.refuse(inside(path, name), message);
    }
}

/// Completes the application that replies; its packets are as large as those of the flow.
fn reply(reader: &mut Reader<'_>, path: &[String], table: &Value, flow: &mut Flow, files: &mut Files<'_>) {
    let given = flow.values.take("reply");
    let Some(written @ Value::Table(_)) = written(table, "reply") else { return };
    let Some(Json::Object(given)) = given.filter(|_| flow.values.text("transport").starts_with("tcp")) else { return };
    let defaults = super::schema::defaults(reader.schema.inner("flow", "reply"));
    let mut reply = Layered::new(Arc::new(defaults), given);
    let at = inside(path, "reply");
    let mut frames = None;
    if !reader.is_refused(&at, "app") {
        app_keys(reader, &at, written, &mut reply);
        reply.take("packet");
        frames = files.trace(reader, &at, &reply);
    }
    flow.reply = Some((reply, frames));
}

struct Files<'a> {
    outside: &'a mut dyn Outside,
    shared: &'a mut Shared,
}

impl Files<'_> {
    /// The frames of a video flow.
    fn trace(&mut self, reader: &mut Reader<'_>, path: &[String], values: &Layered) -> Frames {
        let rate = values.get("frame_rate").and_then(Json::as_f64)?;
        if values.text("app") != "video" || values.get("trace").is_none_or(Json::is_null) {
            return None;
        }
        let at = inside(path, "trace");
        let name = (values.text("trace").to_string(), rate.to_bits());
        if let Some(known) = self.shared.frames.get(&name) {
            return Some(Arc::clone(known));
        }
        let file = self.outside.text(&at, "a CSV file");
        match file.and_then(|(file, text)| frames::frames(&text, &file, rate)) {
            Ok(frames) => Some(Arc::clone(self.shared.frames.entry(name).or_insert(Arc::new(frames)))),
            Err(message) => {
                reader.refuse(at, message);
                None
            }
        }
    }
}

/// Puts the ends of the flows that the table stands for into `ends`.
fn lay(reader: &mut Reader<'_>, path: &Path, table: &Value, flow: &mut Flow, result: &Resolved) {
    let is_given = |name: &str| written(table, name).is_some();
    let copies = flow.values.whole("copies") as usize;
    if !is_given("pattern") {
        let schema = reader.schema;
        for key in ["from", "to"].into_iter().filter(|name| !is_given(name)).filter_map(|name| schema.key("flow", name))
        {
            let message = format!("is missing; expected {}, or a pattern for both ends", expected(key));
            reader.refuse(inside(path, &key.name), message);
        }
        let [from, to] = ["from", "to"].map(|name| flow.values.whole(name) as usize);
        // Copies run between the same ends and differ in their starts (`stagger`).
        flow.ends = vec![(from, to); copies];
        return;
    }
    for name in ["from", "to"].into_iter().filter(|name| is_given(name)) {
        let message = "found together with pattern, which says where the flows run; leave out one of them";
        reader.refuse(inside(path, name), message);
    }
    if flow.values.text("pattern") == FILE {
        return;
    }
    let Some(placed) = &result.placed else { return };
    let found = match flow.values.text("pattern") {
        "" => return,
        "across" => across(result, is_given("copies").then_some(copies)),
        _ => {
            let radios = &placed.places[..placed.places.len() - placed.wired];
            patterns::drawn(radios, result.reach(), copies, flow.values.whole("pattern_seed"))
        }
    };
    match found {
        Ok(ends) => {
            // Where no number was given, the usual one of the pattern takes its place.
            flow.values.set("copies", json!(ends.len()));
            flow.ends = ends;
        }
        Err(error) => reader.refuse(inside(path, error.key), error.message),
    }
}

/// The connections of a traffic file: each has its own ends, times, sizes, transport and application.
fn of_file(
    reader: &mut Reader<'_>,
    path: &Path,
    table: &Value,
    flow: &mut Flow,
    (result, outside): (&Resolved, &mut dyn Outside),
) {
    if flow.values.text("pattern") != FILE {
        return;
    }
    let is_given = |name: &str| written(table, name).is_some();
    for name in SET_BY_FILE.iter().filter(|name| is_given(name)) {
        reader.refuse(inside(path, name), "found together with pattern = \"file\", which sets it; leave it out");
    }
    let at = inside(path, "path");
    if !is_given("path") {
        return reader.refuse(at, "is missing; expected the traffic file of the pattern");
    }
    let nodes = result.nodes().len();
    let found = outside
        .text(&at, "a traffic file")
        .and_then(|(name, text)| traffic_files::traffic(&text, &name, nodes).map(|found| (name, found)));
    let (name, Traffic { connections: mut found, other }) = match found {
        Ok(found) => found,
        Err(message) => return reader.refuse(at, message),
    };
    let names_transport = is_given("transport") || is_given("control");
    let transport = if is_given("transport") { flow.values.text("transport") } else { "tcp" }.to_string();
    if let Some(one) = found.iter().find(|one| names_transport && one.is_tcp() != transport.starts_with("tcp")) {
        let (kind, wanted) = if one.is_tcp() { ("TCP", "a TCP") } else { ("CBR", "\"udp\"") };
        let message = format!("found \"{transport}\"; the {kind} connections of {name} need {wanted}");
        return reader.refuse(inside(path, "transport"), message);
    }
    flow.follows_transport = !names_transport;
    if flow.follows_transport {
        let of_tcp = found.iter().find(|one| one.is_tcp());
        // One word for the table, though connections have their own: that of TCP where there is one, since its keys
        // need it.
        flow.values.set("transport", json!(of_tcp.or(found.first()).map_or("udp", Connection::transport)));
    }
    let end = result.top.whole("duration");
    let late = found.iter().filter(|one| one.start >= end).count();
    let of_all = format!("{late} of {} connections of {name} start after the end of the run", found.len());
    if late == found.len() {
        return reader.refuse(at, format!("{of_all} ({} s); none sends anything", end as f64 / 1e9));
    }
    flow.late = (late > 0).then(|| format!("{of_all} ({} s): they are left out", end as f64 / 1e9));
    // After the count: the message says how many of all are left out.
    found.retain(|one| one.start < end);
    flow.values.set("copies", json!(found.len()));
    flow.ends = found.iter().map(|one| (one.from, one.to)).collect();
    flow.traffic = found;
    flow.other = other;
}

fn across(result: &Resolved, flows: Option<usize>) -> Result<Ends, PlacementError> {
    let layout = result.layout(result.top.whole("seed"))?;
    let kind = result.topology.get("kind").and_then(Json::as_str).unwrap_or_default();
    patterns::across(&layout.kind, kind, flows)
}
