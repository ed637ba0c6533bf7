//! The scenario's names of the engine's keys, for messages of the engine.

use hopscope_engine::config::schema::PROTOCOLS;

use super::reader::Path;

/// The scenario's name of a dotted engine key; flows keep the engine's number.
pub(super) fn of_scenario(key: &str) -> Path {
    let mut path: Path = key.split('.').filter(|part| !part.is_empty()).map(str::to_string).collect();
    let parts: Vec<&str> = key.split('.').filter(|part| !part.is_empty()).collect();
    let mut put = |at: usize, parts: &[&str]| {
        path.splice(at.., parts.iter().map(|part| part.to_string()));
    };
    match parts[..] {
        [] => {}
        ["link", "layer"] => put(0, &["mac", "link"]),
        ["nodes", ..] => put(0, &["topology"]),
        ["paths", ..] => put(0, &["mobility", "path"]),
        ["traces", untraced @ "untraced"] => put(0, &["radio", untraced]),
        ["traces", measured] => put(0, &["radio", &format!("{measured}_trace")]),
        ["radio", error, ref rest @ ..] if error.starts_with("error_") => {
            put(1, &[&["error", error.trim_start_matches("error_")], rest].concat());
        }
        [table @ ("flows" | "outages" | "layers" | "interfaces" | "wires" | "events"), ref rest @ ..] => {
            // The engine's lists are plural, the file's tables are not: `flows.0` is flow.0.
            let table = table.trim_end_matches('s');
            match *rest {
                [number, "app", "frames", ..] => put(0, &[table, number, "trace"]),
                // The file has the keys of an application in the flow itself.
                [number, "app", ref key @ ..] if !key.is_empty() => put(0, &[&[table, number], key].concat()),
                [number, "reply", "frames", ..] => put(0, &[table, number, "reply", "trace"]),
                [number, "ends", ref end @ ..] => {
                    put(0, &[table, number, if *end == ["0"] { "from" } else { "to" }]);
                }
                [number, "rates", ref rate @ ..] => put(0, &[&[table, number], rate].concat()),
                [number, "layer"] if table == "layer" => put(0, &[table, number, "link"]),
                _ => put(0, &[&[table], rest].concat()),
            }
        }
        [protocol, ref rest @ ..] if PROTOCOLS.iter().any(|known| known.word == protocol) => {
            put(0, &[&["routing", protocol], rest].concat());
        }
        _ => {}
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_engine_name_keys_of_the_file() {
        for (engine, scenario) in [
            ("flows.3.app.rate", "flow.3.rate"),
            ("flows.3.app.frames.2", "flow.3.trace"),
            ("flows.0.app", "flow.0.app"),
            ("flows.0.reply.frames", "flow.0.reply.trace"),
            ("flows.0.reply.bytes", "flow.0.reply.bytes"),
            ("wires.1.ends.0", "wire.1.from"),
            ("wires.1.ends", "wire.1.to"),
            ("layers.0.layer", "layer.0.link"),
            ("interfaces.1.rates.data_rate", "interface.1.data_rate"),
            ("interfaces.1.channel", "interface.1.channel"),
            ("outages.2.to", "outage.2.to"),
            ("link.layer", "mac.link"),
            ("link.lred_min", "link.lred_min"),
            ("nodes.7", "topology"),
            ("paths.7", "mobility.path"),
            ("mobility.nodes.1", "mobility.nodes.1"),
            ("traces.rssi", "radio.rssi_trace"),
            ("traces.untraced", "radio.untraced"),
            ("radio.error_per", "radio.error.per"),
            ("radio.cs_range", "radio.cs_range"),
            ("aodv.hello_interval", "routing.aodv.hello_interval"),
            ("duration", "duration"),
            ("", ""),
        ] {
            assert_eq!(of_scenario(engine).join("."), scenario);
        }
    }
}
