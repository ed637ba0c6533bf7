//! TCP options in angle brackets.

use super::cursor::Cursor;
use super::{ScriptError, TcpOption};

/// `<mss 1000,sackOK,nop,wscale 7>`; the cursor stands behind the opening bracket. Dots alone mean any options: none are given then.
pub(super) fn options(text: &mut Cursor) -> Result<Option<Vec<TcpOption>>, ScriptError> {
    let mut found = Vec::new();
    text.skip()?;
    if text.eat("...") {
        text.skip()?;
        text.expect(">")?;
        return Ok(None);
    }
    loop {
        text.skip()?;
        if text.eat(">") {
            return Ok(Some(found));
        }
        let name = text.word();
        text.skip()?;
        found.push(match name {
            // A name stands for a value noted earlier.
            "mss" | "wscale" if !text.peek().is_some_and(|c| c.is_ascii_digit()) => {
                text.word();
                TcpOption::Other(name.to_string())
            }
            "mss" => TcpOption::Mss(text.number("segment size")?),
            "wscale" => TcpOption::Scale(text.number("window scale")?),
            "sackOK" => TcpOption::SackOk,
            "nop" | "eol" => TcpOption::Nop,
            "sack" => TcpOption::Sack(blocks(text)?),
            "TS" => stamps(text)?,
            "" => return text.error(format!("found {}; a TCP option or `>` is expected", text.found())),
            other => {
                text.take_while(|c| c != ',' && c != '>' && c != '\n');
                TcpOption::Other(other.to_string())
            }
        });
        text.skip()?;
        if !text.eat(",") && text.peek() != Some('>') {
            return text.error(format!("found {}; `,` or `>` is expected behind option {name}", text.found()));
        }
    }
}

fn blocks(text: &mut Cursor) -> Result<Vec<(u64, u64)>, ScriptError> {
    let mut blocks = Vec::new();
    loop {
        text.skip()?;
        if !text.peek().is_some_and(|c| c.is_ascii_digit()) {
            return if blocks.is_empty() { text.error("a SACK option without blocks") } else { Ok(blocks) };
        }
        let start = text.number("start of a block")?;
        text.skip()?;
        text.expect(":")?;
        text.skip()?;
        blocks.push((start, text.number("end of a block")?));
    }
}

fn stamps(text: &mut Cursor) -> Result<TcpOption, ScriptError> {
    let mut value = |name: &str| {
        text.skip()?;
        if !text.eat(name) {
            return Ok(None);
        }
        text.skip()?;
        // A name stands for a value noted earlier.
        if text.peek().is_some_and(|c| c.is_ascii_digit()) {
            text.number("timestamp").map(Some)
        } else {
            text.word();
            Ok(None)
        }
    };
    let sent = value("val")?;
    let echo = value("ecr")?;
    Ok(TcpOption::Stamps(sent, echo))
}
