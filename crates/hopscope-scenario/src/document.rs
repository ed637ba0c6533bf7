//! The text of a scenario file: its values, and where each of them stands. The one place where TOML is read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use ::toml::Spanned;
use ::toml::de::{DeArray, DeString, DeTable, DeValue, Error};
use toml_parser::Source;
use toml_parser::parser::{Event, EventKind, RecursionGuard, parse_document};

use crate::value::Value;

/// Deepest table or list; no key lies deeper than a few.
const DEEPEST: usize = 50;
/// A whole number of more digits is refused before anyone works with it.
const MOST_DIGITS: usize = 4_000;
/// Most errors of the parser that are looked at, and most faults that are named.
const MOST_ERRORS: usize = 1_000;
const MOST_FAULTS: usize = 5;
/// What is said of a text whose keys or values have too many levels.
const TOO_DEEP: &str = "is no TOML scenario: nested too deeply";

/// A scenario file as read.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The values as written.
    pub values: Value,
    /// Where they stand.
    pub locations: Locations,
}

/// Why a text is no scenario file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub message: String,
    /// Line and column in characters, both from 1.
    pub at: (usize, usize),
}

/// Where the keys of a document and the items of its lists stand.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Locations {
    text: String,
    root: Location,
}

/// Where a value stands: its key, its item, or the header of its table.
#[derive(Debug, Clone, Default, PartialEq)]
struct Location {
    /// The first octet.
    start: usize,
    keys: BTreeMap<String, Location>,
    items: Vec<Location>,
}

/// Reads a scenario file (TOML 1.1 in UTF-8).
///
/// # Errors
/// It is no UTF-8, no TOML, or nested more deeply than any scenario: the first fault of each line, in the order of the text.
pub fn read(octets: &[u8]) -> Result<Document, Vec<Fault>> {
    let octets = octets.strip_prefix(b"\xef\xbb\xbf").unwrap_or(octets); // editors on Windows put a mark before UTF-8
    let text = std::str::from_utf8(octets).map_err(|error| {
        let sound = String::from_utf8_lossy(&octets[..error.valid_up_to()]);
        vec![fault(&sound, sound.len(), "is no UTF-8 text; a scenario file is TOML in UTF-8")]
    })?;
    parse(text)
}

/// Reads the text of a scenario file.
///
/// # Errors
/// As of [`read`].
pub fn parse(text: &str) -> Result<Document, Vec<Fault>> {
    // Of lines that end as on Windows, texts over several lines keep what all others have.
    let text = &*if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) };
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(faults(text, errors));
    }
    let mut root = Location::default();
    let values = table_of(table.get_ref(), &mut root, 0).map_err(|(at, message)| vec![fault(text, at, &message)])?;
    Ok(Document { values, locations: Locations { text: text.to_string(), root } })
}

/// Reads a value as a file has it behind an equals sign; none where the text is no value.
pub fn value(text: &str) -> Option<Value> {
    let document = parse(&format!("value = {text}")).ok()?;
    match document.values {
        Value::Table(mut keys) if keys.len() == 1 && keys[0].0 == "value" => keys.pop().map(|(_, value)| value),
        _ => None,
    }
}

impl Locations {
    /// Line and column in characters, both from 1, of a key given by its parts; none for one that the file has not.
    pub fn at<T: AsRef<str>>(&self, path: &[T]) -> Option<(usize, usize)> {
        Some(line_and_column(&self.text, self.start_of(path)?))
    }

    /// The first octet of a key.
    fn start_of<T: AsRef<str>>(&self, path: &[T]) -> Option<usize> {
        let mut location = &self.root;
        for part in path {
            let part = part.as_ref();
            location = match part.parse::<usize>() {
                // A key may be a number as well, such as a node in quotes; only a list has places.
                Ok(index) if !location.items.is_empty() => location.items.get(index)?,
                _ => location.keys.get(part)?,
            };
        }
        Some(location.start)
    }
}

impl Locations {
    /// Line and column of the closest key that the file has: that of a path itself, or of a table that it lies in.
    pub fn nearest<T: AsRef<str>>(&self, path: &[T]) -> (usize, usize) {
        (0..=path.len()).rev().find_map(|length| self.at(&path[..length])).unwrap_or((1, 1))
    }

    /// Keys that a value of the file is put at stand where it does.
    pub fn stand_for<T: AsRef<str>>(&mut self, path: &[T], keys: &[Vec<T>]) {
        let Some(start) = self.start_of(path) else { return };
        for key in keys {
            let mut location = &mut self.root;
            for part in key {
                let part = part.as_ref();
                location = match part.parse::<usize>() {
                    Ok(index) if index < location.items.len() => &mut location.items[index],
                    _ => location.keys.entry(part.to_string()).or_insert(Location { start, ..Location::default() }),
                };
            }
            *location = Location { start, ..Location::default() };
        }
    }
}

type Refused = (usize, String);

fn table_of(table: &DeTable<'_>, location: &mut Location, depth: usize) -> Result<Value, Refused> {
    let entry = |(key, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| {
        // A table with a header of its own stands where that begins, before its name.
        let mut inner = Location { start: key.span().start.min(value.span().start), ..Location::default() };
        let read = value_of(value, &mut inner, depth + 1)?;
        location.keys.insert(key.get_ref().to_string(), inner);
        Ok((key.get_ref().to_string(), read))
    };
    table.iter().map(entry).collect::<Result<_, _>>().map(Value::Table)
}

fn list_of(list: &DeArray<'_>, location: &mut Location, depth: usize) -> Result<Value, Refused> {
    let item = |value: &Spanned<DeValue<'_>>| {
        let mut inner = Location { start: value.span().start, ..Location::default() };
        let read = value_of(value, &mut inner, depth + 1)?;
        location.items.push(inner);
        Ok(read)
    };
    list.iter().map(item).collect::<Result<_, _>>().map(Value::List)
}

fn value_of(value: &Spanned<DeValue<'_>>, location: &mut Location, depth: usize) -> Result<Value, Refused> {
    if depth > DEEPEST {
        return Err((location.start, TOO_DEEP.to_string()));
    }
    Ok(match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(date) => Value::Other(date.to_string()),
        DeValue::Array(list) => return list_of(list, location, depth),
        DeValue::Table(table) => return table_of(table, location, depth),
        // The nearest double; one beyond all of them is infinite, which no key takes.
        DeValue::Float(number) => match number.as_str().parse() {
            Ok(nearest) => Value::Float(nearest, number.as_str().to_string()),
            Err(_) => return Err((value.span().start, no_number(number.as_str()))),
        },
        // Python, which gets the values, makes no number of a text of more than 4300 digits.
        DeValue::Integer(number) if number.as_str().len() > MOST_DIGITS => {
            let message = format!("is no TOML scenario: a number of more than {MOST_DIGITS} digits");
            return Err((value.span().start, message));
        }
        DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(whole) => Value::Int(whole),
            // The parser does not look at all that stands behind an underscore: `1_000x`.
            Err(_) if !number.as_str().trim_start_matches(['+', '-']).chars().all(|c| c.is_digit(number.radix())) => {
                return Err((value.span().start, no_number(number.as_str())));
            }
            Err(_) => Value::Huge(number.to_string()),
        },
    })
}

/// What is said of a text that begins like a number and goes on otherwise.
fn no_number(text: &str) -> String {
    format!("is no TOML: {text} is no number")
}

/// What the parser says of a text that is no TOML.
fn faults(text: &str, mut errors: Vec<Error>) -> Vec<Fault> {
    let keys = keys(text);
    if let Some(error) = errors.iter().find(|error| error.message().contains("recurs")) {
        // Of a dotted key the parser gives no place.
        let long = || keys.iter().find(|parts| parts.len() > DEEPEST).map(|parts| whole(parts));
        return vec![fault(text, error.span().or_else(long).unwrap_or_default().start, TOO_DEEP)];
    }
    let place = |error: &Error| error.span().map_or(text.len(), |at| at.start);
    errors.sort_by_key(place);
    // Each costs a search through the text; five are shown in the end.
    errors.truncate(MOST_ERRORS);
    let mut found: Vec<Fault> = errors.iter().map(|error| refusal(text, &keys, error)).collect();
    found.dedup_by_key(|fault| fault.at.0); // what follows in a line is often there for what stands before it
    found.truncate(MOST_FAULTS);
    found
}

/// What the parser says, with the whole of a dotted key that is at fault.
fn refusal(text: &str, keys: &[Vec<Range<usize>>], error: &Error) -> Fault {
    match (error.message(), error.span()) {
        ("duplicate key", Some(at)) => {
            let key = keys.iter().find(|parts| parts.contains(&at)).map_or(at, |parts| whole(parts));
            fault(text, key.start, &format!("is no TOML: the key {} stands twice", &text[key.clone()]))
        }
        (message, at) => {
            let message = message.strip_suffix(", expected nothing").unwrap_or(message);
            fault(text, at.map_or(text.len(), |at| at.start), &format!("is no TOML: {message}"))
        }
    }
}

/// From the first to the last part of a key, which has at least one.
fn whole(parts: &[Range<usize>]) -> Range<usize> {
    parts[0].start..parts[parts.len() - 1].end
}

/// The parts of every dotted key of a text.
fn keys(text: &str) -> Vec<Vec<Range<usize>>> {
    let mut found: Vec<Vec<Range<usize>>> = Vec::new();
    let mut goes_on = false;
    let mut take = |event: Event| match event.kind() {
        EventKind::KeySep => goes_on = true,
        EventKind::Whitespace => {}
        EventKind::SimpleKey => {
            let part = event.span().start()..event.span().end();
            match found.last_mut().filter(|_| goes_on) {
                Some(key) => key.push(part),
                None => found.push(vec![part]),
            }
            goes_on = false;
        }
        _ => goes_on = false,
    };
    parse_document(&Source::new(text).lex().into_vec(), &mut RecursionGuard::new(&mut take, DEEPEST as u32), &mut ());
    found
}

fn fault(text: &str, at: usize, message: &str) -> Fault {
    Fault { message: message.to_string(), at: line_and_column(text, at) }
}

/// Of an octet, the first of a character.
fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    // The parser may point into a character of several octets.
    let whole = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default();
    let before = &text[..whole];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "title = 'a # é' # comment\n[topology]\n  kind = \"chain\"\npositions = [[0, 1], # é\n   [2,\n   3]]\n\
                        [[flow]]\nx = ['é', { y.z = 1 }]\n[[flow]]\n[flow.tcp]\na.b = 0xff\n[sweep]\n\"mac.queue\" = [1]\n";

    fn refused(text: &str) -> (String, (usize, usize)) {
        let faults = parse(text).expect_err("no scenario");
        (faults[0].message.clone(), faults[0].at)
    }

    #[test]
    fn keys_items_and_headers_have_places_in_characters() {
        let locations = parse(TEXT).expect("TOML").locations;
        for (path, at) in [
            ("title", Some((1, 1))),
            ("topology", Some((2, 1))),
            ("topology/kind", Some((3, 3))),
            ("topology/positions/1", Some((5, 4))),
            ("topology/positions/1/1", Some((6, 4))),
            ("flow", Some((7, 1))),
            ("flow/0", Some((7, 1))),
            ("flow/0/x/1", Some((8, 11))),
            ("flow/0/x/1/y/z", Some((8, 15))),
            ("flow/1", Some((9, 1))),
            ("flow/1/tcp", Some((10, 1))),
            ("flow/1/tcp/a/b", Some((11, 3))),
            ("sweep/mac.queue", Some((13, 1))),
            ("flow/2", None),
            ("flow/1/udp", None),
        ] {
            assert_eq!(locations.at(&path.split('/').collect::<Vec<_>>()), at, "{path}");
        }
        assert_eq!(locations.at::<&str>(&[]), Some((1, 1)));
    }

    #[test]
    fn what_only_begins_like_a_number_is_refused_at_its_place() {
        let faults = parse("a = [1_000standard\", 2]").expect_err("no number");
        assert_eq!((faults[0].at, faults[0].message.as_str()), ((1, 6), "is no TOML: 1000standard\" is no number"));
    }

    #[test]
    fn ends_of_lines_and_the_mark_before_utf_8_move_no_place() {
        let windows = TEXT.replace('\n', "\r\n");
        let marked = [b"\xef\xbb\xbf", TEXT.as_bytes()].concat();
        let [plain, windows, marked] =
            [TEXT.as_bytes(), windows.as_bytes(), &marked].map(|octets| read(octets).expect("TOML"));
        let path = ["flow", "0", "x", "1", "y", "z"];
        assert_eq!([&windows, &marked].map(|document| document.locations.at(&path)), [plain.locations.at(&path); 2]);
        assert_eq!((&windows.values, &marked.values), (&plain.values, &plain.values));
    }

    #[test]
    fn numbers_keep_what_was_written() {
        for (text, found) in [
            ("0x7f", Value::Int(127)),
            ("1_000", Value::Int(1000)),
            ("-170141183460469231731687303715884105728", Value::Int(i128::MIN)),
            ("170141183460469231731687303715884105728", Value::Huge("170141183460469231731687303715884105728".into())),
            ("0.10", Value::Float(0.1, "0.10".into())),
            ("1e400", Value::Float(f64::INFINITY, "1e400".into())),
            ("2001-01-01", Value::Other("2001-01-01".into())),
            ("[1, 'a'] # comment", Value::List(vec![Value::Int(1), Value::Text("a".into())])),
        ] {
            assert_eq!(value(text), Some(found), "{text}");
        }
        for text in ["", "tcp-vegas", "1\nother = 2", "[1"] {
            assert_eq!(value(text), None, "{text}");
        }
    }

    #[test]
    fn tables_keep_the_order_of_the_file() {
        let Value::Table(keys) = parse("z = 1\na = 2\n[m]\n[b]\n").expect("TOML").values else { panic!("no table") };
        assert_eq!(keys.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["z", "a", "m", "b"]);
    }

    #[test]
    fn a_key_that_stands_twice_is_named_with_all_its_parts() {
        let twice = |key: &str| format!("is no TOML: the key {key} stands twice");
        assert_eq!(refused("mac.queue = 1\nmac . queue = 2\n"), (twice("mac . queue"), (2, 1)));
        assert_eq!(refused("[mac.x]\n[mac.x]\n"), (twice("mac.x"), (2, 2)));
        assert_eq!(refused("'é' = { a = 1, \"b,c\" = 1, \"b,c\" = 2 }\n"), (twice("\"b,c\""), (1, 27)));
    }

    #[test]
    fn what_is_no_toml_has_a_place() {
        assert_eq!(refused("a = 1\nb = fast\n").1, (2, 5));
        assert_eq!(refused("a = 'x").1.0, 1);
        assert_eq!(read(b"a = 1\nb = '\xff'").map_err(|faults| faults[0].at), Err((2, 6)));
    }

    #[test]
    fn every_line_that_is_no_toml_is_named_once() {
        let faults = parse("a = fast\nb = 1\nb = 2\n[c\nd = 1\n").expect_err("no TOML");
        let lines: Vec<usize> = faults.iter().map(|fault| fault.at.0).collect();
        assert_eq!(lines, [1, 3, 4], "{faults:?}");
        assert_eq!(parse(&"a = =\n".repeat(5_000)).expect_err("no TOML").len(), MOST_FAULTS);
    }

    #[test]
    fn nesting_has_an_end() {
        let parts = |count: usize| vec!["a"; count].join(".");
        for (text, at) in [
            (format!("{} = 1\n", parts(100_000)), (1, 1)),
            (format!("x = 1\n[{}]\n", parts(100_000)), (2, 2)),
            (format!("x = 1\ny = {{ z = 2, {} = 1 }}\n", parts(100_000)), (2, 14)),
            (format!("x = {}", "[".repeat(100_000)), (1, 85)),
            (format!("{} = 1\n", parts(51)), (1, 101)),
            (format!("{0} = {{ {0} = 1 }}\n", parts(40)), (1, 105)),
        ] {
            assert_eq!(refused(&text), (TOO_DEEP.to_string(), at), "{}", &text[..60]);
        }
        assert!(parse(&format!("{} = 1\n", parts(50))).is_ok());
        let digits = format!("x = {}", "9".repeat(10_000));
        assert_eq!(refused(&digits), ("is no TOML scenario: a number of more than 4000 digits".to_string(), (1, 5)));
    }
}
