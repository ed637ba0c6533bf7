//! Tcl of a script, statement by statement: variables, expressions of constants, loops and procedures; and its times.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::objects::Object;
use super::{At, Script, Setting, Unread};
use crate::read::LONGEST_S;
use crate::tcl::{self, Commands, Part, Word, expr};

/// Statements that loops and procedures may run.
const MOST_STEPS: usize = 1_000_000;
/// Bytes that substitution may make: so many, and for each byte of the text so many more.
const MOST_BYTES: usize = 64_000_000;
const BYTES_PER_BYTE: usize = 4;
/// Deepest nesting of loops, procedures and brackets.
const DEEPEST: usize = 30;
/// Statements that are listed as not followed.
const MOST_UNREAD: usize = 1000;
/// Files that may be opened by `source`.
const MOST_FILES: usize = 20;
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

/// A procedure: names of its arguments, and its body with file and line.
struct Procedure {
    arguments: Vec<String>,
    body: String,
    at: At,
}

/// The state of a script while it is read.
pub(super) struct Reader<'o> {
    pub(super) script: Script,
    pub(super) objects: Vec<Object>,
    variables: BTreeMap<String, String>,
    procedures: BTreeMap<String, std::rc::Rc<Procedure>>,
    /// Variables of classes of agents and applications, in their order: class, name, value.
    pub(super) classes: Vec<(String, String, String)>,
    /// What `at` has put off, by time and order.
    later: BTreeMap<(u64, usize), (At, String)>,
    /// The statement that is read.
    pub(super) at: At,
    /// Seconds, once the run has begun.
    pub(super) now: Option<f64>,
    open: Opener<'o>,
    result: String,
    depth: usize,
    steps: usize,
    /// Bytes that substitution may still make.
    bytes: usize,
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
        let number = self.later.len() + self.steps;
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
            return Ok(seconds + 0.0);
        }
        Err(format!("found {seconds} s; expected a time of at least 0 s"))
    }

    fn spend(&mut self, bytes: usize) -> Result<(), String> {
        let left = self.bytes.checked_sub(bytes).ok_or("the values of the script need too much memory")?;
        self.bytes = left;
        Ok(())
    }

    fn deeper<T>(&mut self, what: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
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
        if self.depth > 0 {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return Err(format!("loops and procedures run more than {MOST_STEPS} statements"));
            }
        }
        let words = &command.words;
        let head = self.word(&words[0])?;
        self.result.clear();
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
    fn word<'w>(&mut self, word: &'w Word<'_>) -> Result<Cow<'w, str>, String> {
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
    fn variable(&mut self, name: &str) -> Result<String, String> {
        if let Some(value) = self.variables.get(name) {
            return Ok(value.clone());
        }
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
                value = std::mem::take(&mut reader.result);
            }
            Ok(value)
        });
        self.at = at;
        value
    }

    /// The value of an expression, after substitution.
    fn expression(&mut self, text: &str) -> Result<expr::Number, String> {
        let parts = tcl::parts(text, self.at.line as usize).map_err(|(_, why)| why)?;
        let text = self.parts(&parts)?;
        expr::value(&text)
    }

    /// The text and first line of a body, which braces keep from substitution.
    fn body<'w>(&mut self, word: &'w Word<'_>) -> Result<(Cow<'w, str>, usize), String> {
        match word {
            Word::Braced(text, line) => Ok((Cow::Borrowed(text), *line)),
            other => Ok((self.word(other)?, self.at.line as usize)),
        }
    }

    fn nested(&mut self, body: &str, line: usize) -> Result<Flow, String> {
        let file = self.at.file;
        self.deeper(|reader| Ok(reader.run(body, file, line)))
    }

    /// Statements that run others.
    fn control(&mut self, head: &str, words: &[Word<'_>]) -> Result<Option<Flow>, String> {
        let count = words.len();
        match head {
            "for" if count == 5 => {
                let (start, line) = self.body(&words[1])?;
                self.nested(&start, line)?;
                self.repeat(&words[2], Some(&words[3]), &words[4]).map(Some)
            }
            "while" if count == 3 => self.repeat(&words[1], None, &words[2]).map(Some),
            "foreach" if count == 4 => self.each(words).map(Some),
            "if" => self.choice(&words[1..]).map(Some),
            "proc" if count == 4 => {
                let (name, arguments) = (self.word(&words[1])?, self.word(&words[2])?);
                let arguments = tcl::list(&arguments).map_err(|(_, why)| why)?;
                let (body, line) = self.body(&words[3])?;
                let at = At { line: line as u32, ..self.at };
                let procedure = Procedure { arguments, body: body.into_owned(), at };
                self.spend(procedure.body.len())?;
                self.procedures.insert(name.into_owned(), std::rc::Rc::new(procedure));
                Ok(Some(Flow::Normal))
            }
            "for" | "while" | "foreach" | "proc" => Err(format!("found {} words after {head}", count - 1)),
            _ => Ok(None),
        }
    }

    fn repeat(&mut self, condition: &Word<'_>, step: Option<&Word<'_>>, body: &Word<'_>) -> Result<Flow, String> {
        let at = self.at;
        let (Word::Braced(condition, _) | Word::Plain(condition)) = condition else {
            return Err("the condition of a loop stands in braces".to_string());
        };
        let (body, line) = self.body(body)?;
        self.deeper(|reader| {
            loop {
                reader.at = at;
                reader.steps += 1;
                if reader.steps > MOST_STEPS {
                    return Err(format!("loops and procedures run more than {MOST_STEPS} statements"));
                }
                if !reader.expression(condition)?.is_true()? {
                    return Ok(Flow::Normal);
                }
                match reader.run(&body, at.file, line) {
                    Flow::Normal | Flow::Continue => {}
                    Flow::Break => return Ok(Flow::Normal),
                    flow => return Ok(flow),
                }
                reader.at = at;
                if let Some(step) = step {
                    let (step, line) = reader.body(step)?;
                    reader.run(&step, at.file, line);
                }
            }
        })
    }

    fn each(&mut self, words: &[Word<'_>]) -> Result<Flow, String> {
        let at = self.at;
        let (names, items) = (self.word(&words[1])?, self.word(&words[2])?);
        let [names, items] = [names, items].map(|text| tcl::list(&text).map_err(|(_, why)| why));
        let (names, items) = (names?, items?);
        if names.is_empty() {
            return Err("found foreach without a variable".to_string());
        }
        let (body, line) = self.body(&words[3])?;
        for items in items.chunks(names.len()) {
            for (place, name) in names.iter().enumerate() {
                self.variables.insert(name.clone(), items.get(place).cloned().unwrap_or_default());
            }
            self.at = at;
            match self.nested(&body, line)? {
                Flow::Normal | Flow::Continue => {}
                Flow::Break => break,
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Normal)
    }

    /// `if condition then? body elseif condition body else? body`.
    fn choice(&mut self, words: &[Word<'_>]) -> Result<Flow, String> {
        let mut rest = words;
        let is_word = |word: Option<&Word<'_>>, text: &str| matches!(word, Some(Word::Plain(found)) if *found == text);
        loop {
            let [condition, after @ ..] = rest else { return Err("found if without a condition".to_string()) };
            let after = if is_word(after.first(), "then") { &after[1..] } else { after };
            let [body, after @ ..] = after else { return Err("found if without a body".to_string()) };
            let (Word::Braced(condition, _) | Word::Plain(condition)) = condition else {
                return Err("a condition stands in braces".to_string());
            };
            if self.expression(condition)?.is_true()? {
                let (body, line) = self.body(body)?;
                return self.nested(&body, line);
            }
            match after {
                [] => return Ok(Flow::Normal),
                [word, next @ ..] if is_word(Some(word), "elseif") => rest = next,
                [word, body] if is_word(Some(word), "else") => {
                    let (body, line) = self.body(body)?;
                    return self.nested(&body, line);
                }
                [body] => {
                    let (body, line) = self.body(body)?;
                    return self.nested(&body, line);
                }
                _ => return Err("found more after the body of if; expected elseif or else".to_string()),
            }
        }
    }

    fn call(&mut self, procedure: &Procedure, values: &[Cow<'_, str>]) -> Result<Flow, String> {
        let names = &procedure.arguments;
        if names.len() != values.len() || names.iter().any(|name| name == "args" || name.contains(' ')) {
            return Err(format!("the procedure takes {} arguments, found {}", names.len(), values.len()));
        }
        // Names inside a procedure hide those outside.
        let mut hidden = Vec::new();
        for (name, value) in names.iter().zip(values) {
            hidden.push((name, self.variables.insert(name.clone(), value.to_string())));
        }
        let at = self.at;
        let flow = self.deeper(|reader| Ok(reader.run(&procedure.body, procedure.at.file, procedure.at.line as usize)));
        for (name, value) in hidden {
            match value {
                Some(value) => self.variables.insert(name.clone(), value),
                None => self.variables.remove(name),
            };
        }
        self.at = at;
        Ok(if flow? == Flow::Exit { Flow::Exit } else { Flow::Normal })
    }

    /// A statement whose words have their values.
    fn plain(&mut self, words: &[Cow<'_, str>]) -> Result<Flow, String> {
        let head: &str = &words[0];
        if head.starts_with(HANDLE) {
            return self.of_object(words);
        }
        if let Some(procedure) = self.procedures.get(head).cloned() {
            return self.call(&procedure, &words[1..]);
        }
        let rest: Vec<&str> = words[1..].iter().map(|word| &**word).collect();
        match (head, rest.as_slice()) {
            ("set", [name]) => self.result = self.variable(name)?,
            ("set", [name, value]) => {
                self.named(value, name);
                self.variables.insert(name.to_string(), value.to_string());
                self.result = value.to_string();
            }
            ("unset", names) => names.iter().for_each(|name| {
                self.variables.remove(*name);
            }),
            ("incr", [name, by @ ..]) => {
                let by = by.first().unwrap_or(&"1");
                let sum = format!("{} + {by}", self.variable(name)?);
                self.result = expr::value(&sum)?.written();
                self.variables.insert(name.to_string(), self.result.clone());
            }
            ("append", [name, values @ ..]) => {
                let value = self.variables.get(*name).cloned().unwrap_or_default() + &values.concat();
                self.spend(value.len())?;
                self.variables.insert(name.to_string(), value.clone());
                self.result = value;
            }
            ("array", ["set", name, values]) => {
                let values = tcl::list(values).map_err(|(_, why)| why)?;
                for pair in values.chunks_exact(2) {
                    self.variables.insert(format!("{name}({})", pair[0]), pair[1].clone());
                }
            }
            ("expr", parts) => self.result = self.expression(&parts.join(" "))?.written(),
            ("list", items) => self.result = items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(" "),
            ("lindex", [items, index]) => {
                let items = tcl::list(items).map_err(|(_, why)| why)?;
                let item = index.parse::<usize>().ok().and_then(|index| items.get(index).cloned());
                self.result = item.unwrap_or_default();
            }
            ("llength", [items]) => self.result = tcl::list(items).map_err(|(_, why)| why)?.len().to_string(),
            ("info", ["exists", name]) => self.result = u8::from(self.variables.contains_key(*name)).to_string(),
            ("break", []) => return Ok(Flow::Break),
            ("continue", []) => return Ok(Flow::Continue),
            ("return", values) => {
                self.result = values.first().map(ToString::to_string).unwrap_or_default();
                return Ok(Flow::Return);
            }
            ("exit", _) => return Ok(self.ends()),
            ("source", [file]) => return self.opened(file),
            ("open", _) => self.result = self.handle(Object::Output),
            // They write traces or show something; none changes what nodes do.
            ("puts" | "close" | "flush" | "exec" | "global" | "remove-all-packet-headers" | "add-packet-header", _) => {
            }
            ("create-god", [_]) => self.result = self.handle(Object::God),
            ("new", [class, arguments @ ..]) => self.result = self.made(class, arguments)?,
            (class, ["set", name, value]) => self.of_class(class, name, value)?,
            (class, ["set", name]) => return Err(format!("the value of {name} of {class} is not known here")),
            ("God", ["instance"]) => self.result = self.handle(Object::God),
            ("Simulator", ["instance"]) => self.result = self.handle(Object::Simulator),
            _ => return Err(format!("the statement {head} is not followed")),
        }
        Ok(Flow::Normal)
    }

    /// The run ends now, if it has begun.
    pub(super) fn ends(&mut self) -> Flow {
        if let (Some(now), None) = (self.now, self.script.end) {
            self.script.end = Some((self.at, now));
        }
        Flow::Exit
    }

    fn opened(&mut self, file: &str) -> Result<Flow, String> {
        if self.script.files.len() > MOST_FILES {
            return Err(format!("source {file}: a script opens at most {MOST_FILES} files"));
        }
        let (name, text) = (self.open)(file)?;
        self.script.files.push(name);
        self.bytes += BYTES_PER_BYTE * text.len();
        let number = (self.script.files.len() - 1) as u32;
        let at = self.at;
        // Files that open each other come to an end by their number.
        let flow = self.run(&text, number, 1);
        self.at = at;
        Ok(if flow == Flow::Exit { Flow::Exit } else { Flow::Normal })
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

/// An element of a list.
fn quoted(item: &str) -> Cow<'_, str> {
    if item.is_empty() || item.contains([' ', '\t', '\n', ';', '"']) {
        Cow::Owned(format!("{{{item}}}"))
    } else {
        Cow::Borrowed(item)
    }
}
