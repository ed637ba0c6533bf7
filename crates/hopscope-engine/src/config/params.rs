//! The macro that gives every engine parameter one home: type, default, unit, meaning and source in one place.
//!
//! From the same lines come the struct, its serde form (unknown keys refused), its default and the table that the
//! Python package turns into scenario keys, the JSON Schema and the reference pages.

use serde::Serialize;

use crate::units::Span;

/// One parameter as the Python side and the documentation see it.
#[derive(Debug, Clone, Serialize)]
pub struct ParamInfo {
    /// Key inside its section.
    pub name: &'static str,
    /// What the parameter means.
    pub doc: String,
    /// Unit of the number, empty for counts, flags and choices. A time is given in integer nanoseconds.
    pub unit: &'static str,
    /// `time`, `int`, `float`, `flag`, `choice`, `int-or-off`, `int-list`, `float-list`, `float-rows` (a list of lists),
    /// `node-pairs` or `parts` (words with `+` between them).
    pub kind: &'static str,
    /// Allowed words of a `choice`, or of the parts of a `parts`: the first stands alone, the others in this order.
    pub choices: &'static [&'static str],
    /// Pairs of words that exclude each other in a `parts`, with the reason.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub apart: &'static [[&'static str; 3]],
    /// Where the default comes from: a clause, a paper key, or "a default".
    pub source: &'static str,
}

/// How a Rust type appears in a scenario.
pub trait ParamType {
    /// See [`ParamInfo::kind`].
    const KIND: &'static str;
    /// See [`ParamInfo::choices`].
    const CHOICES: &'static [&'static str] = &[];
    /// See [`ParamInfo::apart`].
    const APART: &'static [[&'static str; 3]] = &[];
}

impl ParamType for Span {
    const KIND: &'static str = "time";
}
impl ParamType for bool {
    const KIND: &'static str = "flag";
}
impl ParamType for u32 {
    const KIND: &'static str = "int";
}
impl ParamType for u64 {
    const KIND: &'static str = "int";
}
impl ParamType for f64 {
    const KIND: &'static str = "float";
}
impl ParamType for Option<u32> {
    const KIND: &'static str = "int-or-off";
}
impl ParamType for Vec<u64> {
    const KIND: &'static str = "int-list";
}
impl ParamType for Vec<u32> {
    const KIND: &'static str = "int-list";
}
impl ParamType for Vec<f64> {
    const KIND: &'static str = "float-list";
}
impl ParamType for Vec<Vec<f64>> {
    const KIND: &'static str = "float-rows";
}
impl ParamType for Vec<[u32; 2]> {
    const KIND: &'static str = "node-pairs";
}

/// Declares a closed set of words.
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[doc = $vdoc:literal])+ $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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

        impl $crate::config::params::ParamType for $name {
            const KIND: &'static str = "choice";
            const CHOICES: &'static [&'static str] = &[$($word),+];
        }
    };
}

/// Declares a section of parameters.
macro_rules! params {
    ($(#[doc = $sdoc:literal])* pub struct $name:ident {
        $($(#[doc = $doc:literal])+ $field:ident : $ty:ty = $default:expr, $unit:literal, $source:literal;)+
    }) => {
        $(#[doc = $sdoc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name { $($(#[doc = $doc])+ pub $field: $ty),+ }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default),+ }
            }
        }

        impl $name {
            /// The parameters of this section, in order.
            pub fn describe() -> Vec<$crate::config::params::ParamInfo> {
                use $crate::config::params::{ParamInfo, ParamType};
                vec![$(ParamInfo {
                    name: stringify!($field),
                    doc: [$($doc),+].join("").trim().to_string(),
                    unit: $unit,
                    kind: <$ty as ParamType>::KIND,
                    choices: <$ty as ParamType>::CHOICES,
                    apart: <$ty as ParamType>::APART,
                    source: $source,
                }),+]
            }
        }
    };
}

pub(crate) use {choice, params};
