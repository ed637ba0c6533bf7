//! Text to events.

use super::cursor::Cursor;
use super::packet::packet;
use super::{Action, At, Base, Call, Event, Script, ScriptError, Setting};

/// Reads a script.
///
/// # Errors
/// The first thing that is no part of the language, with its line.
pub fn parse(text: &str) -> Result<Script, ScriptError> {
    let mut text = Cursor::new(text);
    let mut script = Script::default();
    loop {
        text.skip()?;
        if text.is_done() {
            return Ok(script);
        }
        if text.eat("--") {
            script.settings.push(setting(&mut text)?);
            continue;
        }
        let line = text.line;
        let here = At { base: Base::Last, from: 0, to: 0 };
        let starts_apart = text.rest().starts_with('`') || text.rest().starts_with("%{");
        let at = if starts_apart { here } else { time(&mut text)? };
        text.skip()?;
        let what = what(&mut text)?;
        script.events.push(Event { line, at, what });
    }
}

/// `--name=value` or `--name`, behind the dashes.
fn setting(text: &mut Cursor) -> Result<Setting, ScriptError> {
    let line = text.line;
    let name = text.take_while(|c| !c.is_whitespace() && c != '=').to_string();
    if name.is_empty() {
        return text.error(format!("found {}; `--name=value` is expected", text.found()));
    }
    text.skip()?;
    let mut value = "";
    if text.eat("=") {
        text.skip()?;
        value = text.take_while(|c| !c.is_whitespace());
    } else if !text.is_done() && !text.rest().starts_with("--") && text.line == line {
        return text.error(format!("found {}; `--name=value` is expected", text.found()));
    }
    Ok(Setting { line, name, value: value.to_string() })
}

fn what(text: &mut Cursor) -> Result<Action, ScriptError> {
    if text.eat("`") {
        return Ok(Action::Command(text.take_past("`")?.trim().to_string()));
    }
    if text.eat("%{") {
        return Ok(Action::Code(text.take_past("}%")?.to_string()));
    }
    if text.eat("<") {
        return packet(text, false);
    }
    if text.eat(">") {
        return packet(text, true);
    }
    call(text)
}

// Instants.

fn time(text: &mut Cursor) -> Result<At, ScriptError> {
    if text.eat("*") {
        return Ok(At { base: Base::Any, from: 0, to: 0 });
    }
    let base = if text.eat("+") { Base::Last } else { Base::Start };
    text.skip()?;
    let from = micros(text)?;
    let mut to = from;
    text.skip()?;
    let wait = text.rest();
    if wait.starts_with('~') || wait.starts_with("...") {
        // `0...0.1` is how long a call takes, `0~0.1` between which instants a segment comes.
        let is_call = text.eat("...");
        if !is_call {
            text.expect("~")?;
        }
        let relative = {
            text.skip()?;
            text.eat("+")
        };
        text.skip()?;
        to = micros(text)?;
        // An end before the beginning can only be counted from the beginning.
        if (relative || base == Base::Last) && to < from {
            to += from;
        }
    }
    Ok(At { base, from, to })
}

fn micros(text: &mut Cursor) -> Result<i64, ScriptError> {
    let found = text.found();
    let whole = text.take_while(|c| c.is_ascii_digit());
    let mut fraction = "";
    if text.rest().starts_with('.') && !text.rest().starts_with("...") {
        text.take(1);
        fraction = text.take_while(|c| c.is_ascii_digit());
    }
    if whole.is_empty() && fraction.is_empty() {
        return text.error(format!("found {found}; an event starts with its instant, `+.1` or `0.250` or `*`"));
    }
    // Digits beyond microseconds are cut off: the clock of packetdrill has no finer ones.
    let digits: String = fraction.chars().chain("000000".chars()).take(6).collect();
    match (format!("0{whole}").parse::<i64>(), digits.parse::<i64>()) {
        (Ok(seconds), Ok(micros)) if seconds < 1_000_000_000 => Ok(seconds * 1_000_000 + micros),
        _ => text.error(format!("found {found}; up to 1e9 seconds are allowed")),
    }
}

// Calls.

/// `write(4, ..., 1000) = 1000`, `read(4, ..., 1) = -1 EAGAIN (Resource temporarily unavailable)`.
fn call(text: &mut Cursor) -> Result<Action, ScriptError> {
    let name = text.word().to_string();
    text.skip()?;
    if name.is_empty() || !text.eat("(") {
        return text.error(format!(
            "found {}; a segment (`<`, `>`), a socket call, `%{{` or a backtick is expected",
            text.found()
        ));
    }
    let args = arguments(text)?;
    text.skip()?;
    let (mut gives, mut error) = (None, None);
    if text.eat("=") {
        text.skip()?;
        if !text.eat("...") {
            gives = Some(integer(text)?);
        }
        text.skip()?;
        // The name of an error, not of what follows.
        if text.peek() == Some('E') {
            error = Some(text.word().to_string());
        }
        text.skip()?;
        if text.eat("(") {
            text.take_past(")")?;
        }
    }
    Ok(Action::Call(Call { name, args, gives, error }))
}

fn integer(text: &mut Cursor) -> Result<i64, ScriptError> {
    let negative = text.eat("-");
    let found = text.found();
    let number = if text.eat("0x") {
        i64::from_str_radix(text.take_while(|c| c.is_ascii_hexdigit()), 16)
    } else {
        text.take_while(|c| c.is_ascii_digit()).parse()
    };
    match number {
        Ok(number) => Ok(if negative { -number } else { number }),
        Err(_) => text.error(format!("found {found}; the result of a call is a number or `...`")),
    }
}

/// The arguments up to the closing bracket, split at the commas outside of inner brackets.
fn arguments(text: &mut Cursor) -> Result<Vec<String>, ScriptError> {
    let (mut args, mut depth, mut quoted, mut arg) = (Vec::new(), 0_u32, false, String::new());
    loop {
        let Some(next) = text.peek() else { return text.error("found no `)` that ends a call") };
        text.take(next.len_utf8());
        match next {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                if !(args.is_empty() && arg.trim().is_empty()) {
                    args.push(arg.trim().to_string());
                }
                return Ok(args);
            }
            ')' | ']' | '}' if depth == 0 => return text.error(format!("found `{next}` without its opening bracket")),
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                args.push(std::mem::take(&mut arg).trim().to_string());
                continue;
            }
            _ => {}
        }
        arg.push(next);
    }
}
