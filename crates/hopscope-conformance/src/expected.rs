//! The deviations that are known: which scripts, what they give, and why.

use std::path::Path;

use serde::Deserialize;

use crate::player::Verdict;

/// The file `expected.toml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The deviations; the first that names a script counts.
    #[serde(default)]
    pub deviation: Vec<Deviation>,
}

/// Scripts that do not pass, and the reason.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// Paths below the folder; `*` stands for anything.
    pub scripts: Vec<String>,
    /// What they give.
    pub verdict: Outcome,
    /// Why: the clause of an RFC, or the rule of one system alone.
    pub reason: String,
}

/// A verdict without its particulars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It passes.
    Pass,
    /// It fails.
    Fail,
    /// It is not expressible.
    NotExpressible,
}

impl Outcome {
    /// Of a verdict.
    pub fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Pass => Outcome::Pass,
            Verdict::Fail { .. } => Outcome::Fail,
            Verdict::NotExpressible { .. } => Outcome::NotExpressible,
        }
    }

    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::NotExpressible => "not expressible",
        }
    }
}

impl Expected {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong, with the file and the line.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let expected: Expected = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            format!("{}:{line}: {}", path.display(), error.message())
        })?;
        // A deviation without a reason would make a fault look known.
        match expected.deviation.iter().find(|deviation| deviation.reason.trim().is_empty()) {
            Some(deviation) => {
                Err(format!("{}: {} deviate without a reason", path.display(), deviation.scripts.join(", ")))
            }
            None => Ok(expected),
        }
    }

    /// What is known of a script, by its path below the folder.
    pub fn of(&self, script: &str) -> Option<&Deviation> {
        self.deviation.iter().find(|deviation| deviation.scripts.iter().any(|pattern| matches(pattern, script)))
    }
}

/// A path against a pattern in which `*` stands for anything.
fn matches(pattern: &str, path: &str) -> bool {
    let Some((before, behind)) = pattern.split_once('*') else { return pattern == path };
    let Some(rest) = path.strip_prefix(before) else { return false };
    // A `*` may take any number of bytes: every place where the rest could begin is tried.
    (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| matches(behind, &rest[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, path, does) in [
            ("sack/*.pkt", "sack/a.pkt", true),
            ("sack/*.pkt", "rack/a.pkt", false),
            ("*", "a/b.pkt", true),
            ("a/*-ipv*.pkt", "a/x-ipv6.pkt", true),
            ("a.pkt", "a.pkt", true),
            ("a.pkt", "b/a.pkt", false),
        ] {
            assert_eq!(matches(pattern, path), does, "{pattern} {path}");
        }
    }
}
