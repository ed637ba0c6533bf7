//! Segments: `> P. 1:1001(1000) ack 1 win 320 <sack 2001:3001>`.

use super::cursor::Cursor;
use super::options::options;
use super::{Action, Packet, ScriptError};

/// Protocols other than TCP.
const FOREIGN: [(&str, &str); 7] = [
    ("icmp", "ICMP"),
    ("udp", "UDP"),
    ("udplite", "UDP-Lite"),
    ("sctp", "SCTP"),
    ("ipv4", "tunnels"),
    ("ipv6", "tunnels"),
    ("encap", "PSP encryption"),
];

/// The cursor stands behind `<` (in) or `>` (`out`).
pub(super) fn packet(text: &mut Cursor, out: bool) -> Result<Action, ScriptError> {
    text.skip()?;
    let mut foreign = None;
    if text.eat("(") {
        text.take_past(")")?;
        foreign = Some("fields of the network header");
        text.skip()?;
    }
    let mut ecn = None;
    if text.eat("[") {
        ecn = Some(text.take_past("]")?.trim().to_string());
        text.skip()?;
    }
    for (name, what) in FOREIGN {
        let rest = text.rest();
        if rest.starts_with(name) && !rest[name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric()) {
            text.take_while(|c| c != '\n');
            return Ok(Action::Foreign(what));
        }
    }
    let flags = text.take_while(|c| "SFRPEWUAC.-".contains(c) || c.is_ascii_digit()).to_string();
    let ends = |c: char| c.is_whitespace() || c == '/' || c == '#';
    if flags.is_empty() || !text.peek().is_some_and(ends) {
        return text
            .error(format!("found {}; the flags of a segment are expected, of S F R P E W U A and .", text.found()));
    }
    text.skip()?;
    if text.eat("...") {
        text.take_while(|c| c != '\n');
        return Ok(Action::Foreign("any sequence number"));
    }
    let seq: u64 = text.number("first sequence number")?;
    text.token(":")?;
    let end: u64 = text.number("sequence number after the last")?;
    text.token("(")?;
    let len: u64 = text.number("payload bytes")?;
    text.token(")")?;
    text.eat("!"); // an absolute number is no offset from a SYN's
    // The end may have wrapped at 32 bits.
    if seq + len != end && (seq + len) % (1 << 32) != end {
        return text.error(format!("found {seq}:{end}({len}); {seq} + {len} is {}", seq + len));
    }
    let mut packet = Packet { out, flags, seq, len, ecn, foreign, ..Packet::default() };
    loop {
        text.skip()?;
        if text.eat_word("ack") {
            text.skip()?;
            packet.ack = Some(text.number("acknowledgement number")?);
        } else if text.eat_word("win") {
            text.skip()?;
            packet.win = Some(text.number("window")?);
        } else if text.eat_word("urg") {
            text.skip()?;
            text.number::<u64>("urgent pointer")?;
            packet.foreign = Some("urgent data");
        } else if text.eat("/udp") {
            text.take_past(")")?;
            packet.foreign = Some("TCP over UDP");
        } else if text.eat("<") {
            packet.options = options(text)?;
        } else {
            break;
        }
    }
    // What stands here begins the next event.
    let begins = |c: char| c.is_ascii_digit() || "+*.-`%".contains(c);
    if text.peek().is_some_and(|c| !begins(c)) {
        return text.error(format!("found {} behind a segment; allowed are ack, win, urg and options", text.found()));
    }
    Ok(Action::Packet(Box::new(packet)))
}
