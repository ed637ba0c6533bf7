//! The congestion control that a flow names: a word of TCP or of DCCP, or the name of one from outside the engine.

use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::dccp::DccpControl;
use hopscope_tcp::config::CongestionControl;

/// A congestion control as a flow names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ControlChoice {
    /// One of the engine's.
    BuiltIn(CongestionControl),
    /// One of DCCP's.
    Dccp(DccpControl),
    /// One from outside.
    External(ControlName),
}

impl ControlChoice {
    /// Its word or its name.
    pub fn word(&self) -> &str {
        match self {
            ControlChoice::BuiltIn(control) => control.word(),
            ControlChoice::Dccp(control) => control.word(),
            ControlChoice::External(name) => &name.name,
        }
    }
}

impl From<ControlName> for ControlChoice {
    fn from(name: ControlName) -> Self {
        ControlChoice::External(name)
    }
}

impl<'de> Deserialize<'de> for ControlChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ControlVisitor)
    }
}

/// Reads a word or the object of a [`ControlName`], with the error message of what was found.
struct ControlVisitor;

impl<'de> Visitor<'de> for ControlVisitor {
    type Value = ControlChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the word of a congestion control, or the name and identity of one from outside")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<ControlChoice, E> {
        // DCCP's words first: an unknown one is then reported with TCP's list, the longer one.
        if let Some(control) = DccpControl::ALL.into_iter().find(|control| control.word() == word) {
            return Ok(ControlChoice::Dccp(control));
        }
        CongestionControl::deserialize(de::value::StrDeserializer::new(word)).map(ControlChoice::BuiltIn)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ControlChoice, A::Error> {
        ControlName::deserialize(de::value::MapAccessDeserializer::new(map)).map(ControlChoice::External)
    }
}

/// A congestion control that lives outside the engine, as results name it and as stored runs distinguish it from
/// others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlName {
    /// Name in results.
    pub name: String,
    /// What changes with its code and its parameters; not read by the engine.
    pub identity: String,
}
