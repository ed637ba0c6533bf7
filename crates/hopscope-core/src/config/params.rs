//! What gives every key one home: name, type, unit, range, condition, default, meaning and source in one place.
//!
//! From the lines of `params!` come the struct, its serde form (unknown keys refused), its default and its part of the
//! table that the Python package turns into scenario keys, the JSON Schema and the reference pages. Keys that only a
//! scenario file has are built by hand in the schema of the engine, of the same [`Key`].

use std::fmt::{self, Arguments};

use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::{Deserializer, Serialize};
use serde_json::Value;

use super::condition::When;
use crate::error::BuildError;
use crate::units::Span;

/// One key of a scenario as everybody sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Key {
    /// Name inside its table of the file.
    pub name: String,
    /// What it takes.
    pub kind: Kind,
    /// What it means.
    pub doc: String,
    /// Base unit of the number, empty for counts, flags and choices.
    pub unit: String,
    /// Default in engine form (times in integer nanoseconds); null: none.
    pub default: Value,
    /// Allowed words of a choice, or of the parts of a `parts`: the first stands alone, the others in this order.
    pub choices: Vec<String>,
    /// Pairs of words that exclude each other in a `parts`, with the reason.
    pub apart: Vec<[String; 3]>,
    /// Numbers it takes.
    pub range: Range,
    /// It must be given.
    pub required: bool,
    /// When it has an effect; none: always.
    pub when: Option<When>,
    /// How it is handed to the engine.
    pub lowered: Lowered,
    /// Where the default comes from: a clause, a paper key, or "a default".
    pub source: String,
    /// Keys of a table.
    pub fields: Vec<Key>,
}

/// Numbers that a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Range {
    /// Smallest, in the base unit.
    pub least: Option<f64>,
    /// Largest, in the base unit.
    pub most: Option<f64>,
    /// The smallest itself is refused.
    pub above: bool,
}

impl Range {
    /// Any number.
    pub const ANY: Range = Range { least: None, most: None, above: false };

    /// At least so much.
    pub const fn from(least: f64) -> Range {
        Range { least: Some(least), ..Range::ANY }
    }

    /// More than so much.
    pub const fn above(least: f64) -> Range {
        Range { above: true, ..Range::from(least) }
    }

    /// From so much to so much.
    pub const fn within(least: f64, most: f64) -> Range {
        Range { least: Some(least), most: Some(most), above: false }
    }

    /// The same up to so much.
    pub const fn up_to(self, most: f64) -> Range {
        Range { most: Some(most), ..self }
    }

    /// The error of a parameter whose number lies outside, with its dotted name.
    pub fn refuse(self, key: Arguments<'_>, unit: &str, number: f64) -> Option<BuildError> {
        let Range { least, most, above } = self;
        let enough = least.is_none_or(|least| number > least || (number == least && !above));
        // A range without an upper bound lets infinity through, with which nothing can be reckoned.
        if number.is_finite() && enough && most.is_none_or(|most| number <= most) {
            return None;
        }
        let least = least.map(|least| format!("{} {least}", if above { "more than" } else { "at least" }));
        let most = most.map(|most| format!("at most {most}"));
        let mut allowed = least.into_iter().chain(most).collect::<Vec<_>>().join(" and ");
        if allowed.is_empty() {
            allowed = "any finite number".to_string();
        }
        // "probability" names a quantity that has no unit.
        let unit = if matches!(unit, "" | "probability") { String::new() } else { format!(" {unit}") };
        Some(BuildError::new(key.to_string(), format!("found {number}; allowed is {allowed}{unit}")))
    }

    /// What a number of this unit takes where nothing else is said.
    fn of_unit(unit: &str) -> Range {
        match unit {
            // Powers and gains on a logarithmic scale may be negative.
            "dBm" | "dB" => Range::ANY,
            "probability" => Range::within(0.0, 1.0),
            _ => Range::from(0.0),
        }
    }
}

/// How a key of the file is handed to the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Lowered {
    /// Not under its name: it becomes something else.
    No,
    /// Always, under its name.
    Always,
    /// Under its name where it has a value.
    Given,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident = $word:literal),+ $(,)?) => {
        /// What a key takes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
        pub enum Kind { $($(#[doc = $doc])+ #[serde(rename = $word)] $variant),+ }

        impl Kind {
            const WORDS: &'static [(&'static str, Kind)] = &[$(($word, Kind::$variant)),+];
        }
    };
}

kinds! {
    /// A time.
    Time = "time",
    /// A whole number.
    Int = "int",
    /// A number.
    Float = "float",
    /// True or false.
    Flag = "flag",
    /// True, false or "own".
    FlagOrOwn = "flag-or-own",
    /// One of the words of `choices`.
    Choice = "choice",
    /// A whole number or "off".
    IntOrOff = "int-or-off",
    /// A whole number or "run".
    Seed = "seed",
    /// A list of whole numbers.
    IntList = "int-list",
    /// A list of numbers.
    FloatList = "float-list",
    /// A list of lists of numbers.
    FloatRows = "float-rows",
    /// A list of pairs of node numbers.
    NodePairs = "node-pairs",
    /// Words with `+` between them.
    Parts = "parts",
    /// Text.
    Text = "text",
    /// Text, or a list of texts.
    Texts = "texts",
    /// A name of letters, digits, `-` and `_`.
    Name = "name",
    /// A node number, "first" or "last".
    Node = "node",
    /// A list of nodes.
    Nodes = "nodes",
    /// Two lengths.
    Point = "point",
    /// A list of points.
    Points = "points",
    /// A list of words of `choices`.
    Words = "words",
    /// A choice, or a congestion control of the user's own.
    Transport = "transport",
    /// The same, or a table of its parameters.
    Control = "control",
    /// The same of an ACK policy.
    Policy = "policy",
    /// A table with the keys `fields`.
    Table = "table",
}

impl Kind {
    /// Its word.
    pub fn word(self) -> &'static str {
        // Words and variants come from one line each, so their order is the same.
        Kind::WORDS[self as usize].0
    }

    /// The kind of a word.
    pub fn of(word: &str) -> Option<Kind> {
        Kind::WORDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind)
    }
}

impl Key {
    /// A key without unit, default or source that takes numbers from 0 on.
    pub fn new(name: &str, kind: Kind, doc: &str) -> Key {
        Key {
            name: name.to_string(),
            kind,
            doc: doc.to_string(),
            unit: String::new(),
            default: Value::Null,
            choices: Vec::new(),
            apart: Vec::new(),
            // Most keys are lengths, times and counts: one that may be negative says so.
            range: Range::from(0.0),
            required: false,
            when: None,
            lowered: Lowered::No,
            source: String::new(),
            fields: Vec::new(),
        }
    }

    /// The same in a unit.
    pub fn unit(self, unit: &str) -> Key {
        Key { unit: unit.to_string(), ..self }
    }

    /// The same with a default, in engine form.
    pub fn default(self, default: impl Into<Value>) -> Key {
        Key { default: default.into(), ..self }
    }

    /// The same for these numbers.
    pub fn range(self, range: Range) -> Key {
        Key { range, ..self }
    }

    /// The same with words to choose from.
    pub fn choices<S: ToString>(self, words: impl IntoIterator<Item = S>) -> Key {
        Key { choices: words.into_iter().map(|word| word.to_string()).collect(), ..self }
    }

    /// The same with the source of its default.
    pub fn source(self, source: &str) -> Key {
        Key { source: source.to_string(), ..self }
    }

    /// The same, to be given.
    pub fn required(self) -> Key {
        Key { required: true, ..self }
    }

    /// The same, with an effect only under a condition, see [`crate::config::condition`].
    pub fn when(self, condition: &str) -> Key {
        Key { when: Some(When::parse(condition)), ..self }
    }

    /// The same, handed to the engine so.
    pub fn lowered(self, lowered: Lowered) -> Key {
        Key { lowered, ..self }
    }

    /// The same under another name.
    pub fn named(self, name: &str) -> Key {
        Key { name: name.to_string(), ..self }
    }

    /// The same as a table of keys.
    pub fn fields(self, fields: Vec<Key>) -> Key {
        Key { fields, ..self }
    }
}

/// How a Rust type appears in a scenario.
pub trait ParamType {
    /// What the key takes.
    const KIND: Kind;
    /// See [`Key::choices`].
    const CHOICES: &'static [&'static str] = &[];
    /// See [`Key::apart`].
    const APART: &'static [[&'static str; 3]] = &[];

    /// Its numbers in the base unit, those of a list each with its place (`.0`, `.2.1`); none where a range says nothing.
    fn numbers(&self) -> Vec<(String, f64)> {
        Vec::new()
    }
}

fn alone(number: f64) -> Vec<(String, f64)> {
    vec![(String::new(), number)]
}

fn placed(list: &[f64]) -> Vec<(String, f64)> {
    list.iter().enumerate().map(|(place, &number)| (format!(".{place}"), number)).collect()
}

macro_rules! param_types {
    ($($type:ty => $kind:ident $(, |$value:ident| $numbers:expr)?;)+) => {$(
        impl ParamType for $type {
            const KIND: Kind = Kind::$kind;
            $(fn numbers(&self) -> Vec<(String, f64)> {
                let $value = self;
                $numbers
            })?
        }
    )+};
}

param_types! {
    Span => Time, |span| alone(span.0 as f64 / 1e9);
    bool => Flag;
    u32 => Int, |number| alone(f64::from(*number));
    // Rounded beyond 2^53; bounds of ranges lie far below.
    u64 => Int, |number| alone(*number as f64);
    f64 => Float, |number| alone(*number);
    Option<u32> => IntOrOff, |number| number.map_or_else(Vec::new, |number| alone(f64::from(number)));
    Option<bool> => FlagOrOwn;
    Option<u64> => IntOrOff, |number| number.map_or_else(Vec::new, |number| alone(number as f64));
    Vec<u64> => IntList;
    Vec<u32> => IntList, |list| placed(&list.iter().map(|&number| f64::from(number)).collect::<Vec<_>>());
    Vec<f64> => FloatList, |list| placed(list);
    Vec<Vec<f64>> => FloatRows, |rows| {
        let row = |(place, row): (usize, &Vec<f64>)| placed(row).into_iter().map(move |(at, x)| (format!(".{place}{at}"), x));
        rows.iter().enumerate().flat_map(row).collect()
    };
    Vec<[u32; 2]> => NodePairs;
    [f64; 2] => Point, |point| placed(point);
}

/// A line of `params!` without its type.
///
/// Its texts are one, as references to five of each line would make the engine of pages larger.
#[derive(Debug)]
pub struct ParamRow {
    /// Name, unit, source, condition and meaning, each but the last with a `\n` behind it.
    pub text: &'static str,
    /// Its numbers, where they are not those of its unit.
    pub range: Option<&'static Range>,
}

impl ParamRow {
    fn texts(&self) -> [&'static str; 5] {
        let mut texts = self.text.splitn(5, '\n');
        std::array::from_fn(|_| texts.next().expect("five texts"))
    }

    fn is_named(&self, name: &str) -> bool {
        // The end of the name first: most rows differ there.
        self.text.as_bytes().get(name.len()) == Some(&b'\n') && self.text.starts_with(name)
    }

    fn range(&self) -> Range {
        self.range.copied().unwrap_or_else(|| Range::of_unit(self.texts()[1]))
    }

    fn key(&self, default: &dyn Parameter) -> Key {
        let [name, unit, source, when, doc] = self.texts();
        let (kind, choices, apart) = default.shape();
        Key {
            default: default.in_engine_form(),
            apart: apart.iter().map(|pair| pair.map(str::to_string)).collect(),
            lowered: Lowered::Always,
            when: (!when.is_empty()).then(|| When::parse(when)),
            ..Key::new(name, kind, doc.trim()).unit(unit).choices(choices).source(source)
        }
        .range(self.range())
    }
}

/// A parameter whose type is known only when it runs: what all sections do with theirs is compiled once.
pub trait Parameter {
    /// What its key takes, its words, and those that exclude each other.
    fn shape(&self) -> (Kind, &'static [&'static str], &'static [[&'static str; 3]]);
    /// See [`Key::default`].
    fn in_engine_form(&self) -> Value;
    /// Takes a value in engine form.
    fn take(&mut self, value: Value) -> serde_json::Result<()>;
    /// See [`ParamType::numbers`].
    fn all_numbers(&self) -> Vec<(String, f64)>;
}

impl<T: ParamType + Serialize + DeserializeOwned> Parameter for T {
    fn shape(&self) -> (Kind, &'static [&'static str], &'static [[&'static str; 3]]) {
        (T::KIND, T::CHOICES, T::APART)
    }

    fn in_engine_form(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn take(&mut self, value: Value) -> serde_json::Result<()> {
        *self = serde_json::from_value(value)?;
        Ok(())
    }

    fn all_numbers(&self) -> Vec<(String, f64)> {
        self.numbers()
    }
}

/// The keys of a section from its rows and its defaults.
pub fn describe(rows: &[ParamRow], defaults: &[&dyn Parameter]) -> Vec<Key> {
    rows.iter().zip(defaults).map(|(row, default)| row.key(*default)).collect()
}

/// Adds the errors of all parameters that lie outside their ranges; `section` stands before their names.
pub fn outside(rows: &[ParamRow], values: &[&dyn Parameter], section: &str, found: &mut Vec<BuildError>) {
    for (row, value) in rows.iter().zip(values) {
        let numbers = value.all_numbers();
        let refuse = |(place, number): (String, f64)| {
            let [name, unit, ..] = row.texts();
            row.range().refuse(format_args!("{section}.{name}{place}"), unit, number)
        };
        found.extend(numbers.into_iter().filter_map(refuse));
    }
}

/// Reads a section in its serde form: unknown keys are refused, and what is not given keeps its default.
pub fn read<'de, D: Deserializer<'de>>(
    from: D,
    rows: &[ParamRow],
    values: &mut [&mut dyn Parameter],
) -> Result<(), D::Error> {
    struct Section<'a, 'b> {
        rows: &'a [ParamRow],
        values: &'a mut [&'b mut dyn Parameter],
    }

    impl<'de> Visitor<'de> for Section<'_, '_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a section of parameters")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
            while let Some(name) = map.next_key::<String>()? {
                let Some(place) = self.rows.iter().position(|row| row.is_named(&name)) else {
                    let names =
                        self.rows.iter().map(|row| format!("`{}`", row.texts()[0])).collect::<Vec<_>>().join(", ");
                    return Err(M::Error::custom(format_args!("unknown field `{name}`, expected one of {names}")));
                };
                let taken = self.values[place].take(map.next_value()?);
                taken.map_err(|error| M::Error::custom(format_args!("{name}: {error}")))?;
            }
            Ok(())
        }
    }

    from.deserialize_map(Section { rows, values })
}

/// Reads one of some words and returns its place among them.
pub fn place_of_word<'de, D: Deserializer<'de>>(from: D, words: &'static [&'static str]) -> Result<usize, D::Error> {
    struct Words(&'static [&'static str]);

    impl Visitor<'_> for Words {
        type Value = usize;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "one of {}", self.0.join(", "))
        }

        fn visit_str<E: Error>(self, word: &str) -> Result<usize, E> {
            let place = self.0.iter().position(|known| *known == word);
            place.ok_or_else(|| E::unknown_variant(word, self.0))
        }
    }

    from.deserialize_str(Words(words))
}

/// Declares a closed set of words.
#[macro_export]
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[doc = $vdoc:literal])+ $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
        pub enum $name { $($(#[doc = $vdoc])+ #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// Every variant, by its index.
            pub const ALL: [$name; [$($word),+].len()] = [$($name::$variant),+];
            /// Every word with its meaning.
            pub const WORDS: &'static [(&'static str, &'static str)] = &[$(($word, concat!($($vdoc),+).trim_ascii())),+];

            /// Its word in a scenario.
            pub const fn word(self) -> &'static str {
                Self::WORDS[self as usize].0
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let words = <Self as $crate::config::params::ParamType>::CHOICES;
                $crate::config::params::place_of_word(from, words).map(|place| Self::ALL[place])
            }
        }

        impl $crate::config::params::ParamType for $name {
            const KIND: $crate::config::params::Kind = $crate::config::params::Kind::Choice;
            const CHOICES: &'static [&'static str] = &[$($word),+];
        }
    };
}

/// Declares a section of parameters: `name: type = default, "unit", "source"`, then `in RANGE` where there is something to
/// say, and `when "CONDITION"` where another parameter can switch it off (see [`crate::config::condition`]).
#[macro_export]
macro_rules! params {
    ($(#[doc = $sdoc:literal])* pub struct $name:ident {
        $($(#[doc = $doc:literal])+ $field:ident : $ty:ty = $default:expr, $unit:literal, $source:literal
            $(, in $range:expr)? $(, when $when:literal)?;)+
    }) => {
        $(#[doc = $sdoc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        pub struct $name { $($(#[doc = $doc])+ pub $field: $ty),+ }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default),+ }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let mut section = Self::default();
                $crate::config::params::read(from, Self::ROWS, &mut [$(&mut section.$field),+])?;
                Ok(section)
            }
        }

        impl $name {
            const ROWS: &'static [$crate::config::params::ParamRow] = &[$($crate::config::params::ParamRow {
                text: concat!(
                    stringify!($field), "\n", $unit, "\n", $source, "\n", $($when,)? "\n", $($doc),+
                ),
                // What the line says, if it says something.
                range: [$(Some(&$range),)? None][0],
            }),+];

            /// The values of its rows.
            fn values(&self) -> [&dyn $crate::config::params::Parameter; Self::ROWS.len()] {
                [$(&self.$field),+]
            }

            /// The parameters of this section, in order.
            pub fn describe() -> Vec<$crate::config::params::Key> {
                $crate::config::params::describe(Self::ROWS, &Self::default().values())
            }

            /// Adds the errors of all parameters that lie outside their ranges; `section` stands before their names.
            pub fn outside(&self, section: &str, found: &mut Vec<$crate::error::BuildError>) {
                $crate::config::params::outside(Self::ROWS, &self.values(), section, found);
            }
        }
    };
}
