//! Traffic in files: ns-2 scripts as CMU's `cbrgen` writes them.

use std::collections::BTreeMap;

use crate::columns::{Fault, finite, lines, nanoseconds, shown};
use crate::read::LONGEST_S;

/// What one connection of a file sends.
#[derive(Debug, Clone, PartialEq)]
pub enum Sends {
    /// Datagrams of so many bytes, one every so many seconds.
    Cbr {
        /// Payload bits per second.
        rate: f64,
        /// Payload bytes.
        packet: u32,
        /// The gaps vary, uniformly (`random_ 1`).
        jitter: bool,
        /// It stops after so many packets.
        packets: Option<u64>,
    },
    /// Always more, over TCP.
    Ftp,
}

/// A connection of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// Sending node.
    pub from: usize,
    /// Receiving node.
    pub to: usize,
    /// When it starts, nanoseconds.
    pub start: u64,
    /// What it sends.
    pub sends: Sends,
}

/// What is known of a source while its lines are read, each with the line.
#[derive(Debug, Default)]
struct Draft {
    line: usize,
    from: Option<usize>,
    to: Option<usize>,
    start: Option<f64>,
    packet: Option<f64>,
    interval: Option<f64>,
    rate: Option<f64>,
    jitter: bool,
    packets: Option<f64>,
}

/// The connections in the text of a file: those of TCP, then CBR, each in the order of their numbers. `nodes`: how many
/// there are; 0: not known.
///
/// # Errors
/// A line is wrong or names a node that does not exist, or a connection is not complete; the message names the file,
/// `name`, and the line.
pub fn connections(text: &str, name: &str, nodes: usize) -> Result<Vec<Connection>, Fault> {
    let mut drafts: BTreeMap<(&str, usize), Draft> = BTreeMap::new();
    for (line, script) in lines(text) {
        let bad = |why: &str| format!("{name}:{line}: {why}");
        let node = |at: usize| -> Result<usize, Fault> {
            let found = script.match_indices("$node_(").nth(at);
            let number = found.and_then(|(start, mark)| script[start + mark.len()..].split_once(')'));
            let number = number.and_then(|(number, _)| number.trim().parse::<u32>().ok());
            match number.map(|number| number as usize) {
                Some(node) if nodes > 0 && node >= nodes => {
                    Err(bad(&format!("node {node} does not exist; nodes are 0 to {}", nodes - 1)))
                }
                Some(node) => Ok(node),
                None => Err(bad("expected a node, $node_(NUMBER)")),
            }
        };
        let value = |word: &str| -> Result<f64, Fault> {
            let found = script.split_once(word).map(|(_, rest)| rest.split_whitespace().next().unwrap_or(""));
            let text = found.unwrap_or("").trim_matches(['"', ';']);
            let text = text.strip_suffix("kb").map_or(text.to_string(), |number| format!("{number}e3"));
            let text = text.strip_suffix("Mb").map_or(text.clone(), |number| format!("{number}e6"));
            let number = finite(&text).filter(|number| *number >= 0.0);
            number.ok_or_else(|| bad(&format!("{}; expected a number that is not negative", shown(&text))))
        };
        let Some((kind, number)) = source(script) else { continue };
        let of = if kind == "ftp" || kind == "tcp" { "tcp" } else { "udp" };
        let draft = drafts.entry((of, number)).or_default();
        draft.line = line;
        match kind {
            "tcp" if script.contains("create-connection") => {
                (draft.from, draft.to) = (Some(node(0)?), Some(node(1)?));
            }
            "udp" if script.contains("attach-agent $node_(") => draft.from = Some(node(0)?),
            "null" if script.contains("attach-agent $node_(") => draft.to = Some(node(0)?),
            "cbr" | "ftp" if script.contains(" at ") && script.contains("start") => draft.start = Some(value(" at ")?),
            "cbr" if script.contains("packetSize_") => draft.packet = Some(value("packetSize_")?),
            "cbr" if script.contains("interval_") => draft.interval = Some(value("interval_")?),
            "cbr" if script.contains("rate_") => draft.rate = Some(value("rate_")?),
            "cbr" if script.contains("random_") => draft.jitter = value("random_")? != 0.0,
            "cbr" if script.contains("maxpkts_") => draft.packets = Some(value("maxpkts_")?),
            _ => {}
        }
    }
    let found: Result<Vec<Connection>, Fault> =
        drafts.into_iter().map(|((of, number), draft)| draft.finish(of, number, name)).collect();
    let found = found?;
    if found.is_empty() { Err(format!("{name}: holds no connection of cbrgen")) } else { Ok(found) }
}

/// What a line is about: the last of `cbr_(3)`, `udp_(3)`, `null_(3)`, `tcp_(3)` and `ftp_(3)` that is set, attached or started.
fn source(script: &str) -> Option<(&'static str, usize)> {
    // ns-2 sends data from udp_ (cbr_ attached to it) to null_; a connection joins two of the same number.
    let kinds = ["cbr", "ftp", "null", "tcp", "udp"];
    let first = kinds.into_iter().filter_map(|kind| {
        let place = script.find(&format!("{kind}_("))?;
        let (number, _) = script[place + kind.len() + 2..].split_once(')')?;
        Some((place, kind, number.trim().parse::<u32>().ok()? as usize))
    });
    first.min_by_key(|(place, ..)| *place).map(|(_, kind, number)| (kind, number))
}

impl Draft {
    fn finish(self, of: &str, number: usize, name: &str) -> Result<Connection, Fault> {
        let line = self.line;
        let missing = |what: &str| format!("{name}:{line}: {of}_({number}) has no {what}");
        let (from, to) = (self.from.ok_or_else(|| missing("source node"))?, self.to.ok_or_else(|| missing("sink"))?);
        let start = self.start.ok_or_else(|| missing("start"))?;
        if start > LONGEST_S as f64 / 2.0 {
            return Err(format!("{name}:{line}: {of}_({number}) starts too late, at {start} s"));
        }
        let start = nanoseconds(start);
        if of == "tcp" {
            return Ok(Connection { from, to, start, sends: Sends::Ftp });
        }
        let packet = self.packet.ok_or_else(|| missing("packetSize_"))?;
        let rate = match (self.interval, self.rate) {
            (Some(interval), _) if interval > 0.0 => packet * 8.0 / interval,
            (None, Some(rate)) if rate > 0.0 => rate,
            _ => return Err(missing("interval_ or rate_ above 0")),
        };
        if packet < 1.0 || packet > f64::from(u32::MAX) {
            return Err(missing("packetSize_ of at least 1 byte"));
        }
        let packets = self.packets.filter(|packets| *packets >= 1.0).map(|packets| packets as u64);
        let sends = Sends::Cbr { rate, packet: packet as u32, jitter: self.jitter, packets };
        Ok(Connection { from, to, start, sends })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CBR: &str = "\
# nodes: 3, max conn: 2
set udp_(0) [new Agent/UDP]
$ns_ attach-agent $node_(1) $udp_(0)
set null_(0) [new Agent/Null]
$ns_ attach-agent $node_(2) $null_(0)
set cbr_(0) [new Application/Traffic/CBR]
$cbr_(0) set packetSize_ 512
$cbr_(0) set interval_ 0.25
$cbr_(0) set random_ 1
$cbr_(0) set maxpkts_ 10000
$cbr_(0) attach-agent $udp_(0)
$ns_ connect $udp_(0) $null_(0)
$ns_ at 2.5568388786897245 \"$cbr_(0) start\"
";
    const TCP: &str = "\
set tcp_(0) [$ns_ create-connection  TCP $node_(4) TCPSink $node_(5) 0]
$tcp_(0) set window_ 32
$tcp_(0) set packetSize_ 512
set ftp_(0) [$tcp_(0) attach-source FTP]
$ns_ at 56.333118917575632 \"$ftp_(0) start\"
";

    #[test]
    fn both_kinds_of_connections_are_found() {
        let cbr = Sends::Cbr { rate: 16_384.0, packet: 512, jitter: true, packets: Some(10_000) };
        let first = Connection { from: 1, to: 2, start: 2_556_838_879, sends: cbr };
        assert_eq!(connections(CBR, "f", 0), Ok(vec![first.clone()]));
        let second = Connection { from: 4, to: 5, start: 56_333_118_918, sends: Sends::Ftp };
        assert_eq!(connections(TCP, "f", 0), Ok(vec![second.clone()]));
        assert_eq!(connections(&format!("{CBR}{TCP}"), "f", 0), Ok(vec![second, first]));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let fault = |text: String| connections(&text, "f", 6).expect_err("refused");
        assert!(fault(CBR.replace("512", "many")).starts_with("f:7: found \"many\"; expected a number"));
        assert!(fault(CBR.replace("$node_(2)", "$node_(x)")).starts_with("f:5: expected a node"));
        assert_eq!(fault(CBR.replace("$node_(2)", "$node_(7)")), "f:5: node 7 does not exist; nodes are 0 to 5");
        assert!(fault(CBR.replace("$cbr_(0) set interval_ 0.25\n", "")).contains("udp_(0) has no interval_"));
        assert!(fault(CBR.replace("at 2.5568388786897245", "at -1")).starts_with("f:13: found \"-1\""));
        assert!(fault(TCP.replace("start", "stop")).contains("tcp_(0) has no start"));
        assert_eq!(fault(String::new()), "f: holds no connection of cbrgen");
    }
}
