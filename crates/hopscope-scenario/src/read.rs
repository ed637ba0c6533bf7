//! Reading the value of a key: its kind, its unit and its range; and what a message says of a key.

use hopscope_engine::config::schema::{Key, Kind, PREFIX, Range};
use serde_json::{Value as Json, json};

use crate::decimal::Decimal;
use crate::quantity;
use crate::value::Value;
use crate::words::{did_you_mean, general, instead, listed};

/// How messages write a transport of the user's own.
pub const FORM: &str = "\"tcp:FILE.py:CLASS\"";
/// How messages write the class of such a transport.
pub const FILE_FORM: &str = "\"FILE.py:CLASS\"";
/// The key of a table that names the class next to its parameters.
pub const CLASS: &str = "class";

/// Longest time a scenario can name: 200 years, within the engine's 64-bit nanoseconds.
pub const LONGEST_S: i128 = 200 * 366 * 86_400;
/// Nanoseconds in a second.
const NS: i128 = 1_000_000_000;
/// Largest number of most keys.
const U32_MAX: i128 = u32::MAX as i128;
/// Largest seed, rate and size.
const U63_MAX: i128 = i64::MAX as i128;
/// Longest name.
const NAME: usize = 64;

/// What a value is refused for: what was found and what is allowed.
pub type Refusal = String;

/// The value of a key in engine form: times in nanoseconds, quantities in base units.
///
/// # Errors
/// It does not fit.
pub fn read(key: &Key, value: &Value) -> Result<Json, Refusal> {
    match key.kind {
        Kind::Time => time(key, value),
        Kind::Int => Ok(json!(int(key, value)?)),
        Kind::Float => Ok(json!(float(key, value)?)),
        Kind::Flag => flag(key, value),
        // Null is the engine's word for what follows from other keys.
        Kind::FlagOrOwn if *value == Value::Text("own".to_string()) => Ok(Json::Null),
        Kind::FlagOrOwn => flag(key, value),
        Kind::Choice => Ok(json!(choice(key, value, "")?)),
        Kind::Transport => match value {
            // The class is found where the folder of the scenario is known.
            Value::Text(text) if text.starts_with(PREFIX) => Ok(json!(text)),
            _ => Ok(json!(choice(key, value, &format!(", or {FORM}"))?)),
        },
        Kind::Control => control(key, value),
        Kind::Policy => match (control(key, value)?, value) {
            // Kept as text: a word of the engine's is handed on as it stands, a class is found later.
            (_, Value::Text(text)) => Ok(json!(text)),
            (read, _) => Ok(read),
        },
        Kind::IntOrOff if *value == Value::Text("off".to_string()) => Ok(Json::Null),
        Kind::IntOrOff => Ok(json!(int(key, value)?)),
        Kind::Seed if *value == Value::Text("run".to_string()) => Ok(json!("run")),
        Kind::Seed => Ok(json!(int(key, value)?)),
        Kind::IntList => Ok(json!(each(key, items(key, value)?, int)?)),
        Kind::FloatList => Ok(json!(each(key, items(key, value)?, float)?)),
        Kind::FloatRows => rows(items(key, value)?, "row", |row| Ok(json!(each(key, items(key, row)?, float)?))),
        Kind::NodePairs => node_pairs(key, value),
        Kind::Parts => parts(key, value),
        Kind::Text => Ok(json!(text(key, value)?)),
        Kind::Texts if matches!(value, Value::Text(_)) => Ok(json!([text(key, value)?])),
        Kind::Texts => Ok(json!(each(key, items(key, value)?, text)?)),
        Kind::Name => name(key, value),
        Kind::Node => node(key, value),
        Kind::Nodes => {
            let one = Key { kind: Kind::Node, ..key.clone() };
            Ok(json!(each(&one, items(key, value)?, node)?))
        }
        Kind::Point => point(key, value),
        Kind::Points => {
            rows(items(key, value)?, "position", |item| point(&Key { kind: Kind::Point, ..key.clone() }, item))
        }
        Kind::Words => words(key, value),
        Kind::Table => match value {
            Value::Table(_) => Ok(Json::Null),
            _ => Err(refusal(key, value, " of keys")),
        },
    }
}

/// What a key takes, for messages.
pub fn expected(key: &Key) -> String {
    let choices = listed(&key.choices);
    let mut text = match key.kind {
        Kind::Parts => {
            let joined = listed(&key.choices[1.min(key.choices.len())..]);
            return format!("\"{}\", or one or more of {joined} with + between them", key.choices[0]);
        }
        Kind::Choice => return format!("one of {choices}"),
        Kind::Words => return format!("a list of {choices}"),
        Kind::Transport => return format!("one of {choices}, or {FORM}"),
        Kind::Control => {
            return format!(
                "one of {choices}, {FILE_FORM}, or a table of parameters, with {CLASS} = {FILE_FORM} unless the transport \
                 names the class"
            );
        }
        Kind::Time => "a time in seconds",
        Kind::Policy => {
            return format!("one of {choices}, {FILE_FORM}, or a table of parameters with {CLASS} = {FILE_FORM}");
        }
        Kind::Int | Kind::IntOrOff => "a whole number",
        Kind::Seed => "a whole number or \"run\"",
        Kind::Float => "a number",
        Kind::Flag => "true or false",
        Kind::FlagOrOwn => "true, false or \"own\"",
        Kind::IntList => "a list of whole numbers",
        Kind::FloatList => "a list of numbers",
        Kind::FloatRows => "a list of rows, each a list of numbers",
        Kind::NodePairs => "a list of [from, to], each a node number",
        Kind::Text => "text",
        Kind::Texts => "text or a list of texts",
        Kind::Name => "a name of letters, digits, - and _",
        Kind::Node => "a node number, \"first\" or \"last\"",
        Kind::Nodes => "a list of node numbers, \"first\" and \"last\"",
        Kind::Point => "two lengths in metres [x, y]",
        Kind::Points => "a list of [x, y] in metres",
        Kind::Table => "a table",
    }
    .to_string();
    let counted = matches!(key.kind, Kind::Int | Kind::Float | Kind::IntOrOff | Kind::IntList);
    if counted && !key.unit.is_empty() {
        text += &format!(" in {}", key.unit);
    }
    if key.kind == Kind::IntOrOff {
        text += " or \"off\"";
    }
    match quantity::example(&key.unit) {
        "" => text,
        sample => format!("{text} or text with a unit (\"{sample}\")"),
    }
}

/// The error for a value of another kind.
fn refusal(key: &Key, value: &Value, hint: &str) -> Refusal {
    format!("found {}; expected {}{hint}", value.shown(), expected(key))
}

fn refused<T>(key: &Key, value: &Value) -> Result<T, Refusal> {
    Err(refusal(key, value, ""))
}

/// A bare number or a quantity in the base unit.
fn number(key: &Key, value: &Value) -> Result<Decimal, Refusal> {
    match value {
        // As many digits as a Decimal keeps; longer ones are rounded by its parser.
        Value::Int(number) if number.unsigned_abs() < 10_u128.pow(28) => Ok(Decimal::whole(*number)),
        Value::Int(number) => Decimal::parse(&number.to_string()).map_or_else(|| refused(key, value), Ok),
        Value::Huge(digits) => Decimal::parse(digits).map_or_else(|| refused(key, value), Ok),
        Value::Float(number, text) if number.is_finite() => {
            Decimal::parse(text).map_or_else(|| refused(key, value), Ok)
        }
        Value::Text(text) => {
            quantity::parse(text, &key.unit).map_err(|error| format!("{error}; expected {}", expected(key)))
        }
        _ => refused(key, value),
    }
}

fn bounded(key: &Key, value: &Value, number: Decimal, most: Decimal) -> Result<(), Refusal> {
    let unit = match &*key.unit {
        "" | "probability" => String::new(),
        unit => format!(" {unit}"),
    };
    let Range { least, most: own, above } = key.range;
    if let Some(least) = least.map(Decimal::of).filter(|&least| number < least || (above && number == least)) {
        let word = if above { "above" } else { "at least" };
        let most = own.map_or_else(String::new, |most| format!(" and at most {}", limit(Decimal::of(most))));
        return Err(format!("found {}; must be {word} {}{unit}{most}", value.shown(), limit(least)));
    }
    // The lesser of the key's own bound and of what the engine's type holds.
    let most = own.map_or(most, |own| Decimal::of(own).min(most));
    if number > most {
        return Err(format!("found {}; must be at most {}{unit}", value.shown(), limit(most)));
    }
    Ok(())
}

/// A bound as a user could type it: whole numbers with all their digits.
fn limit(number: Decimal) -> String {
    match number.to_whole().filter(|whole| whole.unsigned_abs() < 10_u128.pow(19)) {
        Some(whole) => whole.to_string(),
        None => general(number.to_f64()),
    }
}

fn time(key: &Key, value: &Value) -> Result<Json, Refusal> {
    let number = number(key, value)?;
    bounded(key, value, number, Decimal::whole(LONGEST_S))?;
    let nanoseconds = number.times(Decimal::whole(NS)).nearest().unwrap_or(0);
    // Rounded to nothing, a time would switch off what it was given for.
    if nanoseconds == 0 && number > Decimal::whole(0) {
        return Err(format!("found {}; the finest time is 1 ns", value.shown()));
    }
    // A bound below zero is nobody's: times are whole numbers of nanoseconds from 0 on.
    Ok(json!(nanoseconds as i64))
}

fn int(key: &Key, value: &Value) -> Result<i64, Refusal> {
    let number = number(key, value)?;
    // Rates, seeds and sizes of files have 64 bits in the engine.
    let large = key.unit == "bit/s" || matches!(&*key.name, "seed" | "bytes");
    bounded(key, value, number, Decimal::whole(if large { U63_MAX } else { U32_MAX }))?;
    match number.to_whole() {
        Some(whole) => Ok(whole as i64),
        None => refused(key, value),
    }
}

fn float(key: &Key, value: &Value) -> Result<f64, Refusal> {
    let number = number(key, value)?;
    bounded(key, value, number, Decimal::of(1e300))?;
    match value {
        Value::Float(exact, _) => Ok(*exact), // the zero below zero is kept
        _ => Ok(number.to_f64()),
    }
}

fn text(key: &Key, value: &Value) -> Result<String, Refusal> {
    match value {
        Value::Text(text) => Ok(text.clone()),
        _ => refused(key, value),
    }
}

fn flag(key: &Key, value: &Value) -> Result<Json, Refusal> {
    match value {
        Value::Flag(flag) => Ok(json!(flag)),
        _ => refused(key, value),
    }
}

/// A name of letters, digits, - and _, neither empty nor long.
fn name(key: &Key, value: &Value) -> Result<Json, Refusal> {
    let name = text(key, value)?;
    let fits =
        (1..=NAME).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if fits { Ok(json!(name)) } else { refused(key, value) }
}

fn items<'a>(key: &Key, value: &'a Value) -> Result<&'a [Value], Refusal> {
    match value {
        Value::List(items) => Ok(items),
        _ => refused(key, value),
    }
}

fn each<T>(key: &Key, items: &[Value], read: impl Fn(&Key, &Value) -> Result<T, Refusal>) -> Result<Vec<T>, Refusal> {
    items.iter().map(|item| read(key, item)).collect()
}

/// Each word once, at the place where it stands first.
fn words(key: &Key, value: &Value) -> Result<Json, Refusal> {
    let mut words: Vec<String> = Vec::new();
    for item in items(key, value)? {
        let word = choice(key, item, "")?;
        if !words.contains(&word) {
            words.push(word);
        }
    }
    Ok(json!(words))
}

/// Pairs of node numbers. A pair that is none is refused with the whole list, whose form the message shows.
fn node_pairs(key: &Key, value: &Value) -> Result<Json, Refusal> {
    let pairs = items(key, value)?;
    if pairs.iter().any(|pair| !matches!(pair, Value::List(nodes) if nodes.len() == 2)) {
        return refused(key, value);
    }
    Ok(json!(each(key, pairs, |key, pair| each(key, items(key, pair)?, int))?))
}

/// Every row; an error says which one it is.
fn rows(items: &[Value], what: &str, read: impl Fn(&Value) -> Result<Json, Refusal>) -> Result<Json, Refusal> {
    let row = |(index, item)| read(item).map_err(|error| format!("{what} {index}: {error}"));
    items.iter().enumerate().map(row).collect::<Result<Vec<Json>, Refusal>>().map(Json::Array)
}

fn choice(key: &Key, value: &Value, others: &str) -> Result<String, Refusal> {
    let word = match value {
        Value::Text(word) if key.choices.contains(word) => return Ok(word.clone()),
        Value::Text(word) => word,
        _ => "",
    };
    let allowed = format!("allowed: {}{others}", listed(&key.choices));
    Err(match value {
        Value::Text(_) => format!("found {}{}", value.shown(), instead(word, &key.choices, &allowed)),
        _ => format!("found {}; {allowed}", value.shown()),
    })
}

/// The parts in their usual order, so that one layer has one name.
fn parts(key: &Key, value: &Value) -> Result<Json, Refusal> {
    let Value::Text(text) = value else { return refused(key, value) };
    let words: Vec<&str> = text.split('+').map(str::trim).collect();
    let found = format!("found {}", value.shown());
    for word in &words {
        if !key.choices.iter().any(|choice| choice == word) {
            let what = match words[..] {
                [_] => found,
                _ => format!("{found} with the part {}", crate::value::shown(word)),
            };
            return Err(format!("{what}{}", instead(word, &key.choices, &format!("expected {}", expected(key)))));
        }
        if words.iter().filter(|other| *other == word).count() > 1 {
            return Err(format!("{found}; {word} stands twice"));
        }
    }
    let alone = &key.choices[0];
    if words.len() > 1 && words.contains(&alone.as_str()) {
        return Err(format!("{found}; \"{alone}\" stands alone"));
    }
    for [one, other, reason] in &key.apart {
        if words.contains(&one.as_str()) && words.contains(&other.as_str()) {
            return Err(format!("{found}; {one} and {other} exclude each other, as {reason}"));
        }
    }
    // In the order of the choices: one layer written in two ways is one run, also for what keeps results.
    let ordered: Vec<&str> = key.choices.iter().map(String::as_str).filter(|word| words.contains(word)).collect();
    Ok(json!(ordered.join("+")))
}

/// What it names is found where the transport and the folder of the scenario are known; here only its form is looked at.
fn control(key: &Key, value: &Value) -> Result<Json, Refusal> {
    let keys = match value {
        Value::Text(text) if !text.is_empty() => return Ok(Json::Null),
        Value::Table(keys) => keys,
        _ => return refused(key, value),
    };
    for (name, item) in keys {
        let fits = match item {
            Value::Flag(_) | Value::Int(_) | Value::Huge(_) | Value::Text(_) => true,
            Value::Float(number, _) => number.is_finite(),
            // Parameters of a class are its attributes, and these are numbers, flags and texts.
            Value::List(_) | Value::Table(_) | Value::Other(_) => false,
        };
        if !fits {
            return Err(format!("{name}: found {}; expected a number, true or false, or text", item.shown()));
        }
    }
    Ok(Json::Null)
}

fn node(key: &Key, value: &Value) -> Result<Json, Refusal> {
    const ENDS: [&str; 2] = ["first", "last"];
    match value {
        Value::Text(word) if ENDS.contains(&word.as_str()) => Ok(json!(word)),
        Value::Text(word) => Err(refusal(key, value, &did_you_mean(word, &ENDS))),
        _ => Ok(json!(int(key, value)?)),
    }
}

fn point(key: &Key, value: &Value) -> Result<Json, Refusal> {
    match value {
        Value::List(lengths) if lengths.len() == 2 => Ok(json!(each(key, lengths, float)?)),
        _ => refused(key, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(kind: Kind, unit: &str) -> Key {
        Key::new("n", kind, "A number.").unit(unit)
    }

    fn typed(text: &str) -> Value {
        Value::Text(text.to_string())
    }

    #[test]
    fn times_are_exact_nanoseconds() {
        let key = whole(Kind::Time, "s");
        assert_eq!(read(&key, &typed("0.1s")), Ok(json!(100_000_000)));
        assert_eq!(read(&key, &Value::Float(0.1, "0.1".to_string())), Ok(json!(100_000_000)));
        assert_eq!(read(&key, &Value::Int(300)), Ok(json!(300_000_000_000_i64)));
        assert_eq!(read(&key, &typed("0.1ns")), Err("found \"0.1ns\"; the finest time is 1 ns".to_string()));
        assert_eq!(read(&key, &Value::Int(-1)), Err("found -1; must be at least 0 s".to_string()));
        assert!(read(&key, &Value::Int(1_000_000_000_000)).expect_err("too long").contains("at most 6324480000 s"));
    }

    #[test]
    fn ranges_are_reported() {
        let key = whole(Kind::Float, "m").range(Range::above(0.0).up_to(1e6));
        assert_eq!(read(&key, &Value::Int(0)), Err("found 0; must be above 0 m and at most 1000000".to_string()));
        let position = whole(Kind::Float, "m").range(Range::ANY);
        let zero = read(&position, &Value::Float(-0.0, "-0.0".to_string())).expect("a number");
        assert!(zero.as_f64().is_some_and(|zero| zero == 0.0 && zero.is_sign_negative()));
        assert_eq!(read(&key, &typed("2000km")), Err("found \"2000km\"; must be at most 1000000 m".to_string()));
        let packet = Key::new("packet", Kind::Int, "A size.").unit("bytes");
        let error = read(&packet, &Value::Int(5_000_000_000)).expect_err("too large");
        assert_eq!(error, "found 5000000000; must be at most 4294967295 bytes");
        let seed = Key::new("seed", Kind::Int, "A seed.");
        assert_eq!(read(&seed, &Value::Int(U63_MAX)), Ok(json!(i64::MAX)));
        assert!(read(&seed, &Value::Int(U63_MAX + 1)).expect_err("too large").contains("at most 9223372036854775807"));
    }

    #[test]
    fn parts_have_one_order_and_one_name() {
        let key = Key::new("link", Kind::Parts, "A layer.").choices(["plain", "red", "codel"]);
        assert_eq!(read(&key, &typed("codel + red")), Ok(json!("red+codel")));
        assert!(read(&key, &typed("red+red")).expect_err("twice").contains("red stands twice"));
        assert!(read(&key, &typed("plain+red")).expect_err("alone").contains("\"plain\" stands alone"));
        assert!(read(&key, &typed("rde")).expect_err("unknown").contains("did you mean \"red\"?"));
    }

    #[test]
    fn a_flag_may_leave_it_to_what_is_usual() {
        let key = whole(Kind::FlagOrOwn, "");
        assert_eq!(read(&key, &Value::Flag(false)), Ok(json!(false)));
        assert_eq!(read(&key, &typed("own")), Ok(Json::Null));
        let refused = read(&key, &typed("yes")).expect_err("no such word");
        assert!(refused.contains("found \"yes\"; expected true, false or \"own\""), "{refused}");
    }

    #[test]
    fn other_kinds_are_refused_with_what_is_expected() {
        for (key, value, text) in [
            (whole(Kind::Int, "bytes"), Value::Flag(true), "found true; expected a whole number in bytes or text with"),
            (
                whole(Kind::IntOrOff, ""),
                typed("on"),
                "\"on\" is no number with a unit; expected a whole number or \"off\"",
            ),
            (whole(Kind::Table, ""), Value::Int(1), "found 1; expected a table of keys"),
            (whole(Kind::Node, ""), typed("lst"), "or \"last\" (did you mean \"last\"?)"),
            (
                whole(Kind::NodePairs, ""),
                Value::List(vec![Value::Int(1)]),
                "found a list of 1 values; expected a list of",
            ),
            (whole(Kind::FloatRows, ""), Value::List(vec![Value::Int(1)]), "row 0: found 1; expected a list of rows"),
            (whole(Kind::Int, ""), Value::Float(1.5, "1.5".to_string()), "found 1.5; expected a whole number"),
        ] {
            let error = read(&key, &value).expect_err(text);
            assert!(error.contains(text), "{error}");
        }
    }
}
