//! A place in the text of a script.

use super::ScriptError;

/// The rest of a text, and the line it starts on.
pub(super) struct Cursor<'a> {
    text: &'a str,
    pub(super) line: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Cursor { text, line: 1 }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text
    }

    pub(super) fn is_done(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.text.chars().next()
    }

    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T, ScriptError> {
        Err(ScriptError { line: self.line, message: message.into() })
    }

    /// What stands here, for a message.
    pub(super) fn found(&self) -> String {
        let shown: String = self.text.lines().next().unwrap_or("").trim().chars().take(40).collect();
        if shown.is_empty() { "nothing".to_string() } else { format!("`{shown}`") }
    }

    /// Takes so many bytes.
    pub(super) fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.text.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.text = rest;
        taken
    }

    /// Takes what stands here, if it does.
    pub(super) fn eat(&mut self, what: &str) -> bool {
        let here = self.text.starts_with(what);
        if here {
            self.take(what.len());
        }
        here
    }

    pub(super) fn expect(&mut self, what: &str) -> Result<(), ScriptError> {
        if self.eat(what) { Ok(()) } else { self.error(format!("found {}; `{what}` is expected", self.found())) }
    }

    /// Takes characters while they please.
    pub(super) fn take_while(&mut self, pleases: impl Fn(char) -> bool) -> &'a str {
        let end = self.text.find(|c| !pleases(c)).unwrap_or(self.text.len());
        self.take(end)
    }

    /// Takes everything before `mark`, and the mark.
    pub(super) fn take_past(&mut self, mark: &str) -> Result<&'a str, ScriptError> {
        match self.text.find(mark) {
            Some(end) => {
                let taken = self.take(end);
                self.take(mark.len());
                Ok(taken)
            }
            None => self.error(format!("found no `{mark}` that ends what starts here")),
        }
    }

    /// Passes blanks and comments.
    pub(super) fn skip(&mut self) -> Result<(), ScriptError> {
        loop {
            self.take_while(char::is_whitespace);
            // What is meant for one system alone is not played: the standard is.
            if self.text.starts_with("#ifdef") && !self.text.starts_with("#ifdef STANDARD") {
                self.take_past("#endif")?;
            } else if self.text.starts_with("//") || self.text.starts_with('#') {
                self.take_while(|c| c != '\n');
            } else if self.eat("/*") {
                self.take_past("*/")?;
            } else {
                return Ok(());
            }
        }
    }

    /// Takes a sign that blanks may surround.
    pub(super) fn token(&mut self, what: &str) -> Result<(), ScriptError> {
        self.skip()?;
        self.expect(what)?;
        self.skip()
    }

    /// Takes a word, if it stands here whole.
    pub(super) fn eat_word(&mut self, what: &str) -> bool {
        let rest = self.text.strip_prefix(what);
        let whole = rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        whole && self.eat(what)
    }

    pub(super) fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, ScriptError> {
        let found = self.found();
        let digits = self.take_while(|c| c.is_ascii_digit());
        match digits.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.error(format!("found {found}; a number is expected ({what})")),
        }
    }

    /// A name of letters, digits and underscores; empty if none stands here.
    pub(super) fn word(&mut self) -> &'a str {
        self.take_while(|c| c.is_ascii_alphanumeric() || c == '_')
    }
}
