//! The commands and words of a Tcl script (the rules of Tcl(n), "the dodekalogue"), without executing anything.
//!
//! Words keep slices of the text, so that a long file costs no more than its own memory.

pub mod expr;

use std::borrow::Cow;

/// What is wrong, and the line of it.
pub type TclError = (usize, String);

/// One command: its words, its text, and the line on which it begins, counted from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Command<'t> {
    /// Line of its first word.
    pub line: usize,
    /// Its text.
    pub text: &'t str,
    /// Its words.
    pub words: Vec<Word<'t>>,
}

/// A word before substitution.
#[derive(Debug, Clone, PartialEq)]
pub enum Word<'t> {
    /// What stands between braces, and the line on which it begins; nothing in it is substituted.
    Braced(&'t str, usize),
    /// A word in which nothing is to be substituted.
    Plain(&'t str),
    /// A word of several parts.
    Mixed(Vec<Part<'t>>),
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq)]
pub enum Part<'t> {
    /// Text as it stands, with what backslashes stand for.
    Text(Cow<'t, str>),
    /// `$name` or `$name(index)`.
    Variable(&'t str, Option<Vec<Part<'t>>>),
    /// `[script]` with the line on which it begins.
    Script(&'t str, usize),
}

/// Reads one command after the other.
pub struct Commands<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> Commands<'t> {
    /// The commands of a text that begins on a line.
    pub fn new(text: &'t str, line: usize) -> Commands<'t> {
        Commands { text, at: 0, line }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes over so many bytes and counts the lines in them.
    fn pass(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.text.len());
        self.line += self.text.as_bytes()[self.at..end].iter().filter(|byte| **byte == b'\n').count();
        self.at = end;
    }

    /// Passes over blanks, and over ends of lines after a backslash.
    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.text[self.at..].starts_with("\\\n") => self.pass(2),
                _ => return,
            }
        }
    }

    /// Passes over a comment, which a backslash continues on the next line.
    fn comment(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => return,
                b'\\' => self.pass(2),
                _ => self.at += 1,
            }
        }
    }

    fn command(&mut self) -> Result<Command<'t>, TclError> {
        let (start, line) = (self.at, self.line);
        let mut words = Vec::new();
        let mut end = self.at;
        loop {
            self.blanks();
            match self.peek() {
                None | Some(b'\n' | b';') => break,
                Some(_) => words.push(self.word(line)?),
            }
            end = self.at;
        }
        Ok(Command { line, text: &self.text[start..end], words })
    }

    fn word(&mut self, first: usize) -> Result<Word<'t>, TclError> {
        let word = match self.peek() {
            Some(b'{') => {
                let line = self.line;
                let inside = self.closed(b'{', b'}').ok_or_else(|| (first, "a brace is never closed".to_string()))?;
                Word::Braced(inside, line)
            }
            Some(b'"') => {
                self.at += 1;
                let parts = self.parts(|byte| byte == b'"')?;
                if self.peek() != Some(b'"') {
                    return Err((first, "a quote is never closed".to_string()));
                }
                self.at += 1;
                of_parts(parts)
            }
            // Bare words end at blanks and need no look at what follows.
            _ => return Ok(of_parts(self.parts(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';'))?)),
        };
        match self.peek() {
            // The carriage return of files from Windows is a blank here.
            None | Some(b' ' | b'\t' | b'\r' | b'\n' | b';') => Ok(word),
            Some(b'\\') if self.text[self.at..].starts_with("\\\n") => Ok(word),
            Some(_) => Err((self.line, "text follows a closing brace or quote without a blank".to_string())),
        }
    }

    /// The parts up to a byte that ends them; none is passed over.
    fn parts(&mut self, ends: fn(u8) -> bool) -> Result<Vec<Part<'t>>, TclError> {
        let mut parts = Vec::new();
        let mut from = self.at;
        loop {
            let byte = self.peek().filter(|byte| !ends(*byte));
            if !matches!(byte, None | Some(b'$' | b'[' | b'\\')) {
                self.pass(1);
                continue;
            }
            if from < self.at {
                parts.push(Part::Text(Cow::Borrowed(&self.text[from..self.at])));
            }
            match byte {
                None => return Ok(parts),
                Some(b'\\') => match self.escape() {
                    None => return Ok(parts),
                    Some(text) => parts.push(Part::Text(text)),
                },
                Some(b'$') => parts.push(self.variable()?),
                Some(_) => {
                    let line = self.line;
                    let inside =
                        self.closed(b'[', b']').ok_or_else(|| (line, "a bracket is never closed".to_string()))?;
                    parts.push(Part::Script(inside, line));
                }
            }
            from = self.at;
        }
    }

    /// What a backslash and what follows stand for; none where a line goes on, which ends a word.
    fn escape(&mut self) -> Option<Cow<'t, str>> {
        let letter = self.text[self.at + 1..].chars().next();
        let found = match letter {
            None => Cow::Borrowed("\\"),
            Some('\n') => return None,
            Some('n') => Cow::Borrowed("\n"),
            Some('t') => Cow::Borrowed("\t"),
            Some(letter) => Cow::Borrowed(&self.text[self.at + 1..self.at + 1 + letter.len_utf8()]),
        };
        self.pass(1 + letter.map_or(0, char::len_utf8));
        Some(found)
    }

    fn variable(&mut self) -> Result<Part<'t>, TclError> {
        self.at += 1;
        if self.peek() == Some(b'{') {
            let line = self.line;
            let name = self.closed(b'{', b'}').ok_or_else(|| (line, "a brace is never closed".to_string()))?;
            return Ok(Part::Variable(name, None));
        }
        let from = self.at;
        while matches!(self.peek(), Some(b'_' | b':' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z')) {
            self.at += 1;
        }
        let name = &self.text[from..self.at];
        // A dollar without a name stands for itself.
        if name.is_empty() {
            return Ok(Part::Text(Cow::Borrowed("$")));
        }
        if self.peek() != Some(b'(') {
            return Ok(Part::Variable(name, None));
        }
        let line = self.line;
        self.at += 1;
        let index = self.parts(|byte| matches!(byte, b')' | b'\n'))?;
        if self.peek() != Some(b')') {
            return Err((line, format!("the index of ${name} is never closed")));
        }
        self.at += 1;
        Ok(Part::Variable(name, Some(index)))
    }

    /// What stands between two bytes that may be nested; the closing one is passed over.
    fn closed(&mut self, open: u8, close: u8) -> Option<&'t str> {
        let bytes = self.text.as_bytes();
        let (mut depth, mut at) = (0_usize, self.at);
        loop {
            match *bytes.get(at)? {
                // What follows a backslash closes nothing, neither a brace nor a bracket (Tcl(n), rule 6).
                b'\\' => at += 1,
                byte if byte == open => depth += 1,
                byte if byte == close => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                break;
            }
        }
        let inside = &self.text[self.at + 1..at - 1];
        self.pass(at - self.at);
        Some(inside)
    }
}

impl<'t> Iterator for Commands<'t> {
    type Item = Result<Command<'t>, TclError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.peek()? {
                b' ' | b'\t' | b'\r' | b'\n' | b';' => self.pass(1),
                b'\\' if self.text[self.at..].starts_with("\\\n") => self.pass(2),
                b'#' => self.comment(),
                _ => break,
            }
        }
        let found = self.command();
        if found.is_err() {
            self.at = self.text.len(); // where one word never ends, no other begins
        }
        Some(found)
    }
}

/// The parts of a text in which variables and scripts are substituted, as between quotes.
///
/// # Errors
/// A bracket or an index is never closed.
pub fn parts(text: &str, line: usize) -> Result<Vec<Part<'_>>, TclError> {
    let mut reader = Commands::new(text, line);
    let mut found = Vec::new();
    while reader.at < text.len() {
        found.extend(reader.parts(|_| false)?);
        if reader.at < text.len() {
            reader.pass(2); // a line that goes on
            found.push(Part::Text(Cow::Borrowed(" ")));
        }
    }
    Ok(found)
}

fn of_parts(mut parts: Vec<Part<'_>>) -> Word<'_> {
    if parts.is_empty() {
        return Word::Plain("");
    }
    if let [Part::Text(Cow::Borrowed(text))] = parts[..] {
        return Word::Plain(text);
    }
    parts.shrink_to_fit();
    Word::Mixed(parts)
}

/// The elements of a list; braces and quotes around one are taken off.
///
/// # Errors
/// It is no list.
pub fn list(text: &str) -> Result<Vec<String>, TclError> {
    // In a list both are like blanks; in a script they would end the command.
    let flat = text.replace(['\n', ';'], " ");
    let Some(command) = Commands::new(&flat, 1).next() else { return Ok(Vec::new()) };
    let element = |word: Word<'_>| match word {
        Word::Braced(text, _) | Word::Plain(text) => Ok(text.to_string()),
        Word::Mixed(_) => Err((1, "a list of constants is expected".to_string())),
    };
    command?.words.into_iter().map(element).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word<'_>> {
        Commands::new(text, 1).next().expect("a command").expect("words").words
    }

    #[test]
    fn words_are_those_of_tcl() {
        let text = "set a(1) {b {c}} \"d \\\"$e(f $g) h\" [i [j]]k ${l m}";
        let index = vec![Part::Text(Cow::Borrowed("f ")), Part::Variable("g", None)];
        let quoted = vec![
            Part::Text(Cow::Borrowed("d ")),
            Part::Text(Cow::Borrowed("\"")),
            Part::Variable("e", Some(index)),
            Part::Text(Cow::Borrowed(" h")),
        ];
        let expected = vec![
            Word::Plain("set"),
            Word::Plain("a(1)"),
            Word::Braced("b {c}", 1),
            Word::Mixed(quoted),
            Word::Mixed(vec![Part::Script("i [j]", 1), Part::Text(Cow::Borrowed("k"))]),
            Word::Mixed(vec![Part::Variable("l m", None)]),
        ];
        assert_eq!(words(text), expected);
    }

    #[test]
    fn commands_end_with_lines_and_semicolons_and_know_their_lines() {
        let text = "# a \\\n still a comment\n\na b; c \\\n  d\nfor {x\ny} {z}\ne";
        let found: Vec<(usize, usize, &str)> = Commands::new(text, 1)
            .map(|command| command.expect("a command"))
            .map(|command| (command.line, command.words.len(), command.text))
            .collect();
        assert_eq!(found, [(4, 2, "a b"), (4, 2, "c \\\n  d"), (6, 3, "for {x\ny} {z}"), (8, 1, "e")]);
    }

    #[test]
    fn what_never_ends_is_an_error_of_its_line() {
        for (text, line, why) in [
            ("\na {b", 2, "a brace is never closed"),
            ("a \"b", 1, "a quote is never closed"),
            ("a [b", 1, "a bracket is never closed"),
            ("a $b(c", 1, "the index of $b is never closed"),
            ("a {b}c", 1, "text follows a closing brace or quote without a blank"),
        ] {
            let found: Vec<_> = Commands::new(text, 1).collect();
            assert_eq!(found, [Err((line, why.to_string()))], "{text}");
        }
    }

    #[test]
    fn lists_are_split_by_the_same_rules() {
        assert_eq!(list("a {b c}\n d").expect("a list"), ["a", "b c", "d"]);
        assert_eq!(list(" ").expect("a list"), Vec::<String>::new());
        assert!(list("a $b").is_err());
    }
}
