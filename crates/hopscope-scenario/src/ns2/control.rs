//! Statements that run others: loops, conditions and procedures.

use std::borrow::Cow;
use std::rc::Rc;

use super::At;
use super::read::{Flow, MOST_STEPS, Reader};
use crate::tcl::{self, Word};

/// A procedure: names of its arguments, and its body with file and line.
pub(super) struct Procedure {
    arguments: Vec<String>,
    body: String,
    at: At,
}

impl Reader<'_> {
    /// Statements that run others.
    pub(super) fn control(&mut self, head: &str, words: &[Word<'_>]) -> Result<Option<Flow>, String> {
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
            "proc" if count == 4 => self.define(words).map(Some),
            "for" | "while" | "foreach" | "proc" => Err(format!("found {} words after {head}", count - 1)),
            _ => Ok(None),
        }
    }

    fn repeat(&mut self, condition: &Word<'_>, step: Option<&Word<'_>>, body: &Word<'_>) -> Result<Flow, String> {
        let at = self.at;
        // In quotes a condition would be substituted once, before the loop, and never change: nobody means that.
        let (Word::Braced(condition, _) | Word::Plain(condition)) = condition else {
            return Err("the condition of a loop stands in braces".to_string());
        };
        let (body, line) = self.body(body)?;
        self.deeper(|reader| {
            loop {
                reader.at = at;
                // A pass counts as a statement: `while {1} {}` has none within.
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
                    // What is not followed in it is noted there; the condition then ends the loop, or the count does.
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
                // The last round may be short: Tcl fills up with empty texts.
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
            // Both `then` and `else` may be left out (if(n)).
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

    /// `proc name arguments body`.
    fn define(&mut self, words: &[Word<'_>]) -> Result<Flow, String> {
        let (name, arguments) = (self.word(&words[1])?, self.word(&words[2])?);
        let arguments = tcl::list(&arguments).map_err(|(_, why)| why)?;
        let (body, line) = self.body(&words[3])?;
        let at = At { line: line as u32, ..self.at };
        // Read anew at each call: what its words stand for may differ.
        let procedure = Procedure { arguments, body: body.into_owned(), at };
        self.spend(procedure.body.len())?;
        self.procedures.insert(name.into_owned(), Rc::new(procedure));
        Ok(Flow::Normal)
    }

    pub(super) fn call(&mut self, procedure: &Procedure, values: &[Cow<'_, str>]) -> Result<Flow, String> {
        let names = &procedure.arguments;
        // No `args` for the rest, and no defaults: {name value} is an argument with a blank in it.
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
}
