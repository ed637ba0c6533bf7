//! Segments: `> P. 1:1001(1000) ack 1 win 320 <sack 2001:3001>`.

use super::cursor::Cursor;
use super::options::options;
use super::{Packet, ScriptError, What};

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
pub(super) fn packet(text: &mut Cursor, out: bool) -> Result<What, ScriptError> {
    text.skip_blanks();
    let mut foreign = None;
    if text.eat("(") {
        text.take_past(")")?;
        foreign = Some("fields of the network header");
        text.skip_blanks();
    }
    let mut ecn = None;
    if text.eat("[") {
        ecn = Some(text.take_past("]")?.trim().to_string());
        text.skip_blanks();
    }
    for (name, what) in FOREIGN {
        let rest = text.rest();
        if rest.starts_with(name) && !rest[name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric()) {
            text.take_while(|c| c != '\n');
            return Ok(What::Foreign(what));
        }
    }
    let flags = text.take_while(|c| "SFRPEWUAC.-".contains(c) || c.is_ascii_digit()).to_string();
    if flags.is_empty() || !text.peek().is_some_and(char::is_whitespace) {
        return text
            .error(format!("found {}; the flags of a segment are expected, of S F R P E W U A and .", text.found()));
    }
    text.skip_blanks();
    if text.eat("...") {
        text.take_while(|c| c != '\n');
        return Ok(What::Foreign("any sequence number"));
    }
    let seq: u64 = text.number("first sequence number")?;
    text.expect(":")?;
    let end: u64 = text.number("sequence number after the last")?;
    text.expect("(")?;
    let len: u64 = text.number("payload bytes")?;
    text.expect(")")?;
    text.eat("!"); // an absolute number is no offset from a SYN's
    if seq + len != end && (seq + len) % (1 << 32) != end {
        return text.error(format!("found {seq}:{end}({len}); {seq} + {len} is {}", seq + len));
    }
    let mut packet = Packet { out, flags, seq, len, ecn, foreign, ..Packet::default() };
    loop {
        text.skip_blanks();
        let rest = text.rest();
        if rest.starts_with("ack ") {
            text.word();
            text.skip_blanks();
            packet.ack = Some(text.number("acknowledgement number")?);
        } else if rest.starts_with("win ") {
            text.word();
            text.skip_blanks();
            packet.win = Some(text.number("window")?);
        } else if rest.starts_with("urg ") {
            text.word();
            text.skip_blanks();
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
    if !(rest_of_line_is_empty(text)) {
        return text.error(format!("found {} behind a segment; allowed are ack, win, urg and options", text.found()));
    }
    Ok(What::Packet(Box::new(packet)))
}

fn rest_of_line_is_empty(text: &Cursor) -> bool {
    let rest = text.rest().split('\n').next().unwrap_or("").trim();
    rest.is_empty() || rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('#')
}
