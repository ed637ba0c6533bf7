//! Where the keys of a TOML document (TOML 1.0) stand. A parser gives values and no places; this pass over a text that one
//! has accepted finds line and column of every key and of every item of a list.

use std::collections::BTreeMap;

/// The parts of a dotted key; tables in double brackets and items of lists by their number.
pub type Path = Vec<String>;

/// Line and column in characters, both from 1, of every key of a valid document whose lines end in a single line feed.
pub fn of_keys(text: &str) -> BTreeMap<Path, (usize, usize)> {
    let mut scanner = Scanner { text, at: 0, found: BTreeMap::new(), line: 1, column: 1, counted: 0 };
    scanner.document();
    scanner.found
}

struct Scanner<'a> {
    text: &'a str,
    /// Bytes read.
    at: usize,
    found: BTreeMap<Path, (usize, usize)>,
    /// Line and column of the byte `counted`.
    line: usize,
    column: usize,
    counted: usize,
}

impl Scanner<'_> {
    fn document(&mut self) {
        let mut base = Path::new();
        let mut counts: BTreeMap<Path, usize> = BTreeMap::new();
        self.gap();
        while let Some(first) = self.next() {
            if first == b'[' {
                let start = self.at;
                let is_array = self.rest().starts_with("[[");
                self.at += if is_array { 2 } else { 1 };
                base = numbered(self.key(), &mut counts, is_array);
                let place = self.place(start);
                if is_array {
                    self.found.entry(base[..base.len() - 1].to_vec()).or_insert(place);
                }
                self.found.entry(base.clone()).or_insert(place);
                self.at += self.rest().find(']').unwrap_or(self.rest().len());
                self.pass(if is_array { 2 } else { 1 });
            } else {
                self.assignment(&base);
            }
            let before = self.at;
            self.gap();
            if self.at == before {
                break; // nothing here that TOML allows: the places so far are still right
            }
        }
    }

    fn assignment(&mut self, base: &[String]) {
        let start = self.at;
        let path = [base, &self.key()].concat();
        let place = self.place(start);
        for length in base.len() + 1..=path.len() {
            self.found.entry(path[..length].to_vec()).or_insert(place);
        }
        self.blanks();
        self.pass(1); // the equals sign
        self.blanks();
        self.value(&path);
    }

    fn value(&mut self, path: &[String]) {
        let rest = self.rest();
        if rest.starts_with("'''") || rest.starts_with("\"\"\"") {
            let mark = if rest.starts_with("'") { "'''" } else { "\"\"\"" };
            self.long_text(mark);
        } else if rest.starts_with(['\'', '"']) {
            self.text_in_line();
        } else if rest.starts_with('[') {
            self.list(path);
        } else if rest.starts_with('{') {
            self.inline_table(path);
        } else {
            self.at += rest.find([',', ']', '}', '#', '\n']).unwrap_or(rest.len());
        }
    }

    fn list(&mut self, path: &[String]) {
        self.pass(1);
        self.gap();
        let mut index = 0_usize;
        while !matches!(self.next(), Some(b']') | None) {
            let item = [path, &[index.to_string()]].concat();
            let place = self.place(self.at);
            self.found.insert(item.clone(), place);
            let before = self.at;
            self.value(&item);
            if !self.comma(before) {
                return;
            }
            index += 1;
        }
        self.pass(1);
    }

    fn inline_table(&mut self, path: &[String]) {
        self.pass(1);
        self.gap();
        while !matches!(self.next(), Some(b'}') | None) {
            let before = self.at;
            self.assignment(path);
            if !self.comma(before) {
                return;
            }
        }
        self.pass(1);
    }

    /// Passes over a comma; false when nothing was read since `before`, which only broken text can cause.
    fn comma(&mut self, before: usize) -> bool {
        self.gap();
        if self.next() == Some(b',') {
            self.pass(1);
            self.gap();
        }
        self.at != before
    }

    /// Reads a dotted key.
    fn key(&mut self) -> Path {
        let mut parts = Path::new();
        loop {
            self.blanks();
            let start = self.at;
            if self.rest().starts_with(['\'', '"']) {
                let is_literal = self.next() == Some(b'\'');
                self.text_in_line();
                let inside = self.text.get(start + 1..self.at.saturating_sub(1)).unwrap_or_default();
                parts.push(if is_literal { inside.to_string() } else { unescaped(inside) });
            } else {
                let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                self.at += self.rest().find(|c| !is_bare(c)).unwrap_or(self.rest().len());
                parts.push(self.text[start..self.at].to_string());
            }
            self.blanks();
            if self.next() != Some(b'.') {
                return parts;
            }
            self.pass(1);
        }
    }

    /// Passes over a text within a line.
    fn text_in_line(&mut self) {
        let rest = self.rest().as_bytes();
        let mut at = 1;
        while rest.get(at).is_some_and(|&byte| byte != rest[0]) {
            at += if rest[at] == b'\\' && rest[0] == b'"' { 2 } else { 1 };
        }
        self.pass(at + 1);
    }

    /// Passes over a text between three marks; up to two more of them belong to it.
    fn long_text(&mut self, mark: &str) {
        let rest = self.rest();
        let mut at = 3;
        while !rest.as_bytes()[at.min(rest.len())..].starts_with(mark.as_bytes()) && at < rest.len() {
            at += if rest.as_bytes()[at] == b'\\' && mark != "'''" { 2 } else { 1 };
        }
        at += 3;
        while at < rest.len() && rest.as_bytes()[at] == mark.as_bytes()[0] {
            at += 1;
        }
        self.pass(at);
    }

    /// Passes over blanks, ends of lines, and comments.
    fn gap(&mut self) {
        while let Some(byte) = self.next() {
            match byte {
                b' ' | b'\t' | b'\n' => self.at += 1,
                b'#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    fn blanks(&mut self) {
        while matches!(self.next(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Passes over so many bytes, to the end of a character.
    fn pass(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.text.len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
    }

    /// Line and column of a byte; bytes are asked for in rising order.
    fn place(&mut self, at: usize) -> (usize, usize) {
        for c in self.text[self.counted.min(at)..at].chars() {
            (self.line, self.column) = if c == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        self.counted = self.counted.max(at);
        (self.line, self.column)
    }
}

/// Inserts the number of the current table after each name of tables in double brackets on the way.
fn numbered(path: Path, counts: &mut BTreeMap<Path, usize>, is_array: bool) -> Path {
    let mut found = Path::new();
    let last = path.len() - 1;
    for (depth, part) in path.into_iter().enumerate() {
        found.push(part);
        if depth == last && is_array {
            counts.entry(found.clone()).and_modify(|count| *count += 1).or_insert(0);
        }
        if let Some(count) = counts.get(&found) {
            found.push(count.to_string());
        }
    }
    found
}

/// What a basic string stands for (TOML 1.0, "String").
fn unescaped(text: &str) -> String {
    let mut found = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            found.push(c);
            continue;
        }
        let digits = match rest.next() {
            Some('b') => Err('\u{8}'),
            Some('t') => Err('\t'),
            Some('n') => Err('\n'),
            Some('f') => Err('\u{c}'),
            Some('r') => Err('\r'),
            Some('u') => Ok(4),
            Some('U') => Ok(8),
            other => Err(other.unwrap_or('\\')),
        };
        found.push(match digits {
            Err(known) => known,
            Ok(count) => {
                let digits: String = rest.by_ref().take(count).collect();
                u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, path: &[&str]) -> Option<(usize, usize)> {
        of_keys(text).get(&path.iter().map(ToString::to_string).collect::<Path>()).copied()
    }

    #[test]
    fn keys_stand_after_texts_of_every_kind() {
        let text = "a = \"é # \\\" ]\" # comment\nb = '''x\n]'''''\nc = \"\"\"\\\"\"\"\" \"\"\"\nd = 'it['\n é = 1";
        assert_eq!(place(text, &["b"]), Some((2, 1)));
        assert_eq!(place(text, &["c"]), Some((4, 1)));
        assert_eq!(place(text, &["d"]), Some((5, 1)));
    }

    #[test]
    fn items_and_numbered_tables_have_places_of_their_own() {
        let text = "[[flow]]\nx = ['é', [1, # one\n 2]]\n[[flow]]\n[flow.tcp]\ny = { \"a\\u0062\".c = 1, d = [] }\n";
        assert_eq!(place(text, &["flow"]), Some((1, 1)));
        assert_eq!(place(text, &["flow", "0", "x", "1"]), Some((2, 11)));
        assert_eq!(place(text, &["flow", "0", "x", "1", "1"]), Some((3, 2)));
        assert_eq!(place(text, &["flow", "1"]), Some((4, 1)));
        assert_eq!(place(text, &["flow", "1", "tcp"]), Some((5, 1)));
        assert_eq!(place(text, &["flow", "1", "tcp", "y", "ab", "c"]), Some((6, 7)));
        assert_eq!(place(text, &["flow", "1", "tcp", "y", "d"]), Some((6, 24)));
    }

    #[test]
    fn no_text_is_too_broken_to_end() {
        for text in ["[", "a", "a = [", "a = {", "a = '", "[[", "= =", "a = \"\"\"\\", "é", "a = [,", "\"", "a = \"\\é"]
        {
            of_keys(text);
        }
    }
}
