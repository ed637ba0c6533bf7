//! Tcl of a script, statement by statement: what is followed, what words stand for, and what `at` puts off.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::control::Procedure;
use super::objects::Object;
use super::{At, Script, Setting, Unread};
use crate::read::LONGEST_S;
use crate::tcl::{self, Commands, Part, Word, expr};

/// Statements that loops and procedures may run.
pub(super) const MOST_STEPS: usize = 1_000_000;
/// Bytes that substitution may make: so many, and for each byte of the text so many more.
const MOST_BYTES: usize = 64_000_000;
pub(super) const BYTES_PER_BYTE: usize = 4;
/// Deepest nesting of loops, procedures and brackets.
const DEEPEST: usize = 30;
/// Statements that are listed as not followed.
const MOST_UNREAD: usize = 1000;
/// Longest beginning of a statement in a message.
const SHOWN: usize = 60;
/// What stands before the number of an object in a value.
pub(super) const HANDLE: char = '\u{1}';

/// Opens a file that a script names: the name for messages, and the text.
pub type Opener<'o> = &'o mut dyn FnMut(&str) -> Result<(String, String), String>;

/// How a list of statements ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Normal,
    Break,
    Continue,
    Return,
    /// The run has ended or begun.
    Exit,
}

/// The state of a script while it is read.
pub(super) struct Reader<'o> {
    pub(super) script: Script,
    pub(super) objects: Vec<Object>,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) procedures: BTreeMap<String, Rc<Procedure>>,
    /// Variables of classes of agents and applications, in their order: class, name, value.
    pub(super) classes: Vec<(String, String, String)>,
    /// What `at` has put off, by time and order.
    later: BTreeMap<(u64, usize), (At, String)>,
    /// The statement that is read.
    pub(super) at: At,
    /// Seconds, once the run has begun.
    pub(super) now: Option<f64>,
    pub(super) open: Opener<'o>,
    pub(super) result: String,
    depth: usize,
    pub(super) steps: usize,
    /// Bytes that substitution may still make.
    pub(super) bytes: usize,
}

/// What a script says. `open` opens the files that it names with `source`.
pub fn read(text: &str, name: &str, open: Opener<'_>) -> Script {
    let script = Script { files: vec![name.to_string()], ..Script::default() };
    let mut reader = Reader {
        script,
        objects: Vec::new(),
        variables: BTreeMap::new(),
        procedures: BTreeMap::new(),
        classes: Vec::new(),
        later: BTreeMap::new(),
        at: At::default(),
        now: None,
        open,
        result: String::new(),
        depth: 0,
        steps: 0,
        bytes: MOST_BYTES + BYTES_PER_BYTE * text.len(),
    };
    reader.run(text, 0, 1);
    reader.times();
    reader.script.sort();
    reader.script
}

impl Reader<'_> {
    /// Runs statements; those that are not followed are noted.
    pub(super) fn run(&mut self, text: &str, file: u32, line: usize) -> Flow {
        let mut commands = Commands::new(text, line);
        while let Some(command) = commands.next() {
            let (at, text, found) = match &command {
                Ok(command) => (command.line, command.text, self.statement(command, file)),
                Err((line, why)) => (*line, "", Err(why.clone())),
            };
            match found {
                Ok(Flow::Normal) => {}
                Ok(flow) => {
                    // The script ended by itself and not at a time: what stands behind `$ns run` would come after the
                    // run.
                    if let (Flow::Exit, None, 0, Some(Ok(next))) = (flow, self.now, self.depth, commands.next()) {
                        let at = At { file, line: next.line as u32 };
                        self.unread(at, next.text, "what follows the run is not followed".to_string());
                    }
                    return flow;
                }
                Err(why) => self.unread(At { file, line: at as u32 }, text, why),
            }
        }
        Flow::Normal
    }

    fn unread(&mut self, at: At, text: &str, why: String) {
        let known = &mut self.script.unread;
        // A loop meets the same statement again and again: one mention of a line is enough, and a look at the last
        // ones finds it.
        if known.len() < MOST_UNREAD && !known.iter().rev().take(100).any(|unread| unread.at == at) {
            let text = text.lines().next().unwrap_or("").chars().take(SHOWN).collect();
            known.push(Unread { at, text, why });
        }
    }

    /// What `at` has put off, in the order of time.
    fn times(&mut self) {
        while let Some(((time, _), (at, text))) = self.later.pop_first() {
            let time = f64::from_bits(time);
            if self.script.end.is_some_and(|(_, end)| time > end) {
                return;
            }
            self.now = Some(time);
            self.run(&text, at.file, at.line as usize);
        }
    }

    /// Puts statements off to a time.
    pub(super) fn put_off(&mut self, time: f64, text: &str) -> Result<(), String> {
        self.spend(text.len())?;
        // A number that only rises: events of one time keep their order, and none takes the place of another.
        let number = self.steps;
        self.steps += 1;
        // Times are not negative: their bits are in order.
        self.later.insert((time.to_bits(), number), (self.at, text.to_string()));
        Ok(())
    }

    /// A time of `at`: a plain number, as the scheduler reads it.
    pub(super) fn time(text: &str) -> Result<f64, String> {
        let seconds = crate::columns::finite(text)
            .ok_or_else(|| format!("{}; expected a time in seconds", crate::columns::shown(text)))?;
        if (0.0..=LONGEST_S as f64 / 2.0).contains(&seconds) {
            // Adding zero makes -0 a 0, whose bits would sort behind all other times.
            return Ok(seconds + 0.0);
        }
        Err(format!("found {seconds} s; expected a time of at least 0 s"))
    }

    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), String> {
        let left = self.bytes.checked_sub(bytes).ok_or("the values of the script need too much memory")?;
        self.bytes = left;
        Ok(())
    }

    pub(super) fn deeper<T>(&mut self, what: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        if self.depth >= DEEPEST {
            return Err("loops, procedures or brackets are nested too deeply".to_string());
        }
        self.depth += 1;
        let found = what(self);
        self.depth -= 1;
        found
    }

    fn statement(&mut self, command: &tcl::Command<'_>, file: u32) -> Result<Flow, String> {
        self.at = At { file, line: command.line as u32 };
        // The text itself is read once, however long it is; only what repeats has a limit.
        if self.depth > 0 {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return Err(format!("loops and procedures run more than {MOST_STEPS} statements"));
            }
        }
        let words = &command.words;
        let head = self.word(&words[0])?;
        self.result.clear();
        // Before the words get their values: those of a loop are substituted at each pass.
        if let Some(flow) = self.control(&head, words)? {
            return Ok(flow);
        }
        let mut values = Vec::with_capacity(words.len());
        values.push(head);
        for word in &words[1..] {
            values.push(self.word(word)?);
        }
        self.at = At { file, line: command.line as u32 };
        self.plain(&values)
    }

    /// The value of a word.
    pub(super) fn word<'w>(&mut self, word: &'w Word<'_>) -> Result<Cow<'w, str>, String> {
        match word {
            Word::Braced(text, _) | Word::Plain(text) => Ok(Cow::Borrowed(text)),
            Word::Mixed(parts) => self.parts(parts).map(Cow::Owned),
        }
    }

    fn parts(&mut self, parts: &[Part<'_>]) -> Result<String, String> {
        let mut value = String::new();
        for part in parts {
            match part {
                Part::Text(text) => value.push_str(text),
                Part::Variable(name, None) => value.push_str(&self.variable(name)?),
                Part::Variable(name, Some(index)) => {
                    let index = self.parts(index)?;
                    value.push_str(&self.variable(&format!("{name}({index})"))?);
                }
                Part::Script(text, line) => value.push_str(&self.bracket(text, *line)?),
            }
        }
        self.spend(value.len())?;
        Ok(value)
    }

    /// The value of a variable; those that a file of movement or traffic takes from its script are there without it.
    pub(super) fn variable(&mut self, name: &str) -> Result<String, String> {
        if let Some(value) = self.variables.get(name) {
            return Ok(value.clone());
        }
        // Files of movement and traffic are read inside a script that has made these objects.
        let of_node = name.strip_prefix("node_(").or_else(|| name.strip_prefix("node("));
        let object = match (name, of_node.and_then(|rest| rest.strip_suffix(')'))) {
            ("ns_" | "ns", _) => Object::Simulator,
            ("god_" | "god", _) => Object::God,
            (_, Some(number)) => {
                let number = number.trim().parse::<u32>().ok().filter(|number| *number < super::objects::MOST_NODES);
                let number = number.ok_or_else(|| format!("found ${name}; expected a node, $node_(NUMBER)"))?;
                Object::Node(number as usize)
            }
            _ => return Err(format!("the variable ${name} has no value here")),
        };
        let handle = self.handle(object);
        self.variables.insert(name.to_string(), handle.clone());
        Ok(handle)
    }

    /// The value that stands for an object.
    pub(super) fn handle(&mut self, object: Object) -> String {
        self.objects.push(object);
        // A control character, which no script writes: text cannot be taken for an object.
        format!("{HANDLE}{}", self.objects.len() - 1)
    }

    /// The object that a value stands for.
    pub(super) fn object(&self, value: &str) -> Option<Object> {
        let number = value.strip_prefix(HANDLE)?.parse::<usize>().ok()?;
        self.objects.get(number).copied()
    }

    /// The value of the last statement between brackets.
    fn bracket(&mut self, text: &str, line: usize) -> Result<String, String> {
        let at = self.at;
        let value = self.deeper(|reader| {
            let mut value = String::new();
            for command in Commands::new(text, line) {
                let command = command.map_err(|(_, why)| why)?;
                reader.statement(&command, at.file)?;
                // Of several statements between brackets the last one has the value.
                value = std::mem::take(&mut reader.result);
            }
            Ok(value)
        });
        self.at = at;
        value
    }

    /// The value of an expression, after substitution.
    pub(super) fn expression(&mut self, text: &str) -> Result<expr::Number, String> {
        let parts = tcl::parts(text, self.at.line as usize).map_err(|(_, why)| why)?;
        let text = self.parts(&parts)?;
        expr::value(&text)
    }

    /// The value of a statement.
    pub(super) fn answers(&mut self, value: &str) {
        self.result = value.to_string();
    }

    /// Keeps a value that the configuration of nodes sets.
    pub(super) fn setting(&self, value: &str) -> Setting {
        Setting { at: self.at, value: value.to_string() }
    }
}
