//! A script as data. See the packetdrill manual for the language; the grammar is read by [`parse`].

mod cursor;
mod options;
mod packet;
mod parse;

pub use parse::parse;

use std::fmt;

/// Why a text is no script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError {
    /// Line, from 1.
    pub line: usize,
    /// What was found and what is allowed.
    pub message: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

impl std::error::Error for ScriptError {}

/// A whole script.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Script {
    /// Lines `--name=value`.
    pub settings: Vec<Setting>,
    /// Everything else, in order.
    pub events: Vec<Event>,
}

/// A line `--name=value`.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Line, from 1.
    pub line: usize,
    /// Name without the dashes.
    pub name: String,
    /// Value; empty without one.
    pub value: String,
}

/// Something that happens or has to.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Line, from 1.
    pub line: usize,
    /// When.
    pub at: At,
    /// What.
    pub what: Action,
}

/// When an event happens, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// What `from` counts from.
    pub base: Base,
    /// Earliest instant.
    pub from: i64,
    /// Latest instant; `from` where one instant is given.
    pub to: i64,
}

/// What an instant counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The start of the script.
    Start,
    /// The event before.
    Last,
    /// Any instant will do.
    Any,
}

/// What happens.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// A segment comes in or has to go out.
    Packet(Box<Packet>),
    /// A socket call and its result.
    Call(Call),
    /// Python between `%{` and `}%`.
    Code(String),
    /// A command of the shell, between backticks.
    Command(String),
    /// Something of the language that TCP over a simulated network has no place for.
    Foreign(&'static str),
}

/// A TCP segment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Packet {
    /// It has to go out; otherwise it comes in.
    pub out: bool,
    /// Control bits, in the letters of the language (`S`, `F`, `R`, `P`, `.`, `U`, `E`, `W`, `A`).
    pub flags: String,
    /// First number.
    pub seq: u64,
    /// Payload bytes.
    pub len: u64,
    /// Acknowledgement number.
    pub ack: Option<u64>,
    /// Window field.
    pub win: Option<u64>,
    /// Options; none: not said.
    pub options: Option<Vec<TcpOption>>,
    /// ECN field of the network header.
    pub ecn: Option<String>,
    /// What of it cannot be carried over (urgent pointers, times to live).
    pub foreign: Option<&'static str>,
}

impl Packet {
    /// A control bit is set.
    pub fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// Number after the payload.
    pub fn end(&self) -> u64 {
        self.seq + self.len
    }

    /// The option that `pick` takes.
    pub fn option<T>(&self, pick: impl Fn(&TcpOption) -> Option<T>) -> Option<T> {
        self.options.iter().flatten().find_map(pick)
    }
}

/// A TCP option.
#[derive(Debug, Clone, PartialEq)]
pub enum TcpOption {
    /// Maximum segment size.
    Mss(u64),
    /// Window scale.
    Scale(u8),
    /// SACK permitted.
    SackOk,
    /// SACK blocks.
    Sack(Vec<(u64, u64)>),
    /// Timestamps: value and echo; none: any.
    Stamps(Option<u32>, Option<u32>),
    /// Padding.
    Nop,
    /// Another one, by its name.
    Other(String),
}

/// A socket call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// Its arguments as they stand.
    pub args: Vec<String>,
    /// What it gives; none: anything (`...`).
    pub gives: Option<i64>,
    /// Name of the error, where it fails.
    pub error: Option<String>,
}
