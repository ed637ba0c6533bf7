//! The transport of a flow: protocol, congestion control and loss recovery, and the keys that belong to each.
//!
//! `transport = "tcp"` leaves the axes to `control` and `recovery`; older words name several at once, such as `tcp-cubic`,
//! or `tcp:FILE.py:CLASS` for a congestion control of the user's own. `control` has three readings that cannot be
//! confused: text is a word or names a class; a table with `class` names a class and gives its parameters; a table without
//! it gives the parameters of the class that `transport` names.

use hopscope_engine::config::schema::PREFIX;
use serde_json::Value as Json;

use super::flows::{Control, Flow};
use super::outside::{Outside, OwnControl};
use super::reader::{Path, Reader, inside, written};
use crate::read::{CLASS, FILE_FORM, FORM, expected};
use crate::value::{Value, shown};
use crate::words::{did_you_mean, instead};

/// The transport that `control` and `recovery` are axes of.
pub(super) const TCP: &str = "tcp";
/// Its congestion control where none is named.
const DEFAULT: &str = "newreno";
/// The transport that has controls of its own, and the one that it has where none is named.
pub(super) const DCCP: &str = "dccp";
const DCCP_DEFAULT: &str = "ccid2";
/// The transport whose rate comes from the nodes of the path.
pub(super) const ATP: &str = "atp";
/// The recovery that leaves the choice to others.
const OWN_RECOVERY: &str = "own";

/// Completes the keys of a transport: classes are found, parameters filled in.
pub(super) fn read(reader: &mut Reader<'_>, path: &Path, table: &Value, flow: &mut Flow, outside: &mut dyn Outside) {
    ports(reader, path, table, flow);
    let is_sound = !reader.is_refused(path, "control");
    let given = written(table, "control").filter(|_| is_sound);
    // Taken out of the values: what it is stands in `flow.control` from here on.
    flow.values.take("control");
    // A control alone says that it is TCP.
    if written(table, "transport").is_none() && names_control(given) {
        flow.values.set("transport", TCP);
    }
    let transport = flow.values.text("transport").to_string();
    let at = inside(path, "control");
    if transport == DCCP && is_sound {
        of_dccp(reader, at, flow, given);
    } else if transport.starts_with(TCP) {
        recovery(reader, path, flow);
        policy(reader, path, written(table, "ack"), flow, outside);
        if is_sound {
            of_tcp(reader, path, flow, given, &transport, outside);
        }
    }
}

/// A port is for one flow; those of a pattern may begin and end at nodes that differ, which the engine looks at.
fn ports(reader: &mut Reader<'_>, path: &Path, table: &Value, flow: &Flow) {
    let copies = flow.values.whole("copies");
    if copies <= 1 || written(table, "pattern").is_some() {
        return;
    }
    for name in ["from_port", "to_port"] {
        if let Some(port) = flow.values.get(name).filter(|port| !port.is_null()) {
            let message =
                format!("found {port} for {copies} copies; a port belongs to one flow, absent each gets a free one");
            reader.refuse(inside(path, name), message);
        }
    }
}

fn names_control(given: Option<&Value>) -> bool {
    match given {
        Some(Value::Text(_)) => true,
        Some(table @ Value::Table(_)) => written(table, CLASS).is_some(),
        _ => false,
    }
}

/// One way of loss recovery is enough.
fn recovery(reader: &mut Reader<'_>, path: &Path, flow: &Flow) {
    let chosen = flow.values.text("recovery");
    let own =
        flow.values.get("tcp").and_then(|tcp| tcp.get("loss_recovery")).and_then(Json::as_str).unwrap_or_default();
    let says = |word: &str| !["", OWN_RECOVERY].contains(&word);
    // Two ways to name one thing, which may both be there as long as they agree.
    if says(chosen) && says(own) && chosen != own {
        let message = format!("found \"{chosen}\" together with tcp.loss_recovery = \"{own}\"; give one of them");
        reader.refuse(inside(path, "recovery"), message);
    }
}

/// The ACK policy: a word of the engine's, or a class.
fn policy(reader: &mut Reader<'_>, path: &Path, given: Option<&Value>, flow: &mut Flow, outside: &mut dyn Outside) {
    let (Some(given), Some(key)) = (given, reader.schema.key("flow", "ack")) else { return };
    if reader.is_refused(path, "ack") {
        return;
    }
    let at = inside(path, "ack");
    let named = match given {
        Value::Text(word) if key.choices.contains(word) => return,
        Value::Text(_) if outside.is_class(&at) => at.clone(),
        Value::Text(word) => {
            let expected = format!("expected {}", expected(key));
            let message = format!("found {}{}", shown(word), instead(word, &key.choices, &expected));
            return reader.refuse(at, message);
        }
        table => match written(table, CLASS) {
            Some(Value::Text(_)) => inside(&at, CLASS),
            Some(other) => {
                return reader.refuse(inside(&at, CLASS), format!("found {}; expected {FILE_FORM}", other.shown()));
            }
            None => return reader.refuse(at, format!("names no ACK policy; expected {}", expected(key))),
        },
    };
    flow.ack = found(reader, &named, &at, outside);
}

/// The control of `transport = "dccp"`: a word of the engine's, which says itself which ones go with it.
fn of_dccp(reader: &mut Reader<'_>, at: Path, flow: &mut Flow, given: Option<&Value>) {
    let words = choices(reader);
    match given {
        // RFC 4340 10: CCID 2 is what a connection has unless it negotiates another.
        None => flow.control = Control::Word(DCCP_DEFAULT.to_string()),
        Some(Value::Text(word)) if words.contains(word) => flow.control = Control::Word(word.clone()),
        Some(other) => {
            let meant = match other {
                Value::Text(word) => did_you_mean(word, words),
                _ => String::new(),
            };
            let found = other.shown();
            reader.refuse(at, format!("found {found}; a word is needed, such as {}{meant}", shown(DCCP_DEFAULT)));
        }
    }
}

fn choices<'a>(reader: &Reader<'a>) -> &'a [String] {
    reader.schema.key("flow", "control").map_or(&[], |key| &key.choices)
}

fn of_tcp(
    reader: &mut Reader<'_>,
    path: &Path,
    flow: &mut Flow,
    given: Option<&Value>,
    transport: &str,
    outside: &mut dyn Outside,
) {
    let at = inside(path, "control");
    if transport == TCP {
        axis(reader, at, flow, given, outside);
    } else if names_control(given) {
        let at = if matches!(given, Some(Value::Text(_))) { at } else { inside(&at, CLASS) };
        let message =
            format!("names a congestion control together with transport = \"{transport}\"; it goes with \"{TCP}\"");
        reader.without_use(at, message);
    } else if transport.starts_with(PREFIX) {
        own(reader, flow, &inside(path, "transport"), &at, outside);
    } else if given.is_some() {
        let message = format!("belongs to transport = {FORM}; found transport = \"{transport}\"");
        reader.without_use(at, message);
    }
}

/// The control of `transport = "tcp"`: a word of the engine's, or a class.
fn axis(reader: &mut Reader<'_>, at: Path, flow: &mut Flow, given: Option<&Value>, outside: &mut dyn Outside) {
    let (words, Some(key)) = (choices(reader), reader.schema.key("flow", "control")) else { return };
    match given {
        None => flow.control = Control::Word(DEFAULT.to_string()),
        Some(Value::Text(word)) if words.contains(word) => flow.control = Control::Word(word.clone()),
        Some(Value::Text(_)) if outside.is_class(&at) => own(reader, flow, &at, &at, outside),
        Some(Value::Text(word)) => {
            let message =
                format!("found {}{}", shown(word), instead(word, words, &format!("expected {}", expected(key))));
            reader.refuse(at, message);
        }
        Some(table) => match written(table, CLASS) {
            None => reader.refuse(at, format!("names no congestion control; expected {}", expected(key))),
            Some(Value::Text(_)) => own(reader, flow, &inside(&at, CLASS), &at, outside),
            Some(other) => reader.refuse(inside(&at, CLASS), format!("found {}; expected {FILE_FORM}", other.shown())),
        },
    }
}

/// Finds a class, with all its parameters.
fn own(reader: &mut Reader<'_>, flow: &mut Flow, named: &Path, parameters: &Path, outside: &mut dyn Outside) {
    if let Some(own) = found(reader, named, parameters, outside) {
        flow.control = Control::Own(own);
    }
}

fn found(reader: &mut Reader<'_>, named: &Path, parameters: &Path, outside: &mut dyn Outside) -> Option<OwnControl> {
    let found = outside.control(named, parameters);
    for (path, message) in found.refused {
        reader.refuse(path, message);
    }
    for (path, message) in found.unused {
        reader.without_use(path, message);
    }
    found.own
}
