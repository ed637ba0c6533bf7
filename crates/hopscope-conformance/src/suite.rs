//! A folder of scripts, each played, and what came of them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::expected::{Expected, Outcome};
use crate::player::{System, Verdict, play, system_of};
use crate::script::parse;

/// What is to be played.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The folder.
    pub folder: PathBuf,
    /// The known deviations; none: `expected.toml` in the folder, where there is one.
    pub expected: Option<PathBuf>,
    /// Only scripts whose path has this in it.
    pub only: Option<String>,
    /// Whose defaults scripts have that say nothing of their system.
    pub system: System,
}

/// A script and its verdict.
#[derive(Debug, Clone)]
pub struct ScriptResult {
    /// Path below the folder.
    pub name: String,
    /// What came of it.
    pub verdict: Verdict,
    /// Whose defaults were taken, where the script says nothing of its system.
    pub assumed: Option<System>,
    /// What was expected, and why it deviates.
    pub expected: (Outcome, String),
}

impl ScriptResult {
    /// What is not expressible names what is missing: no surprise.
    fn is_as_expected(&self) -> bool {
        let outcome = Outcome::of(&self.verdict);
        outcome == Outcome::NotExpressible || outcome == self.expected.0
    }
}

/// All of them, in the order of their paths.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The scripts.
    pub played: Vec<ScriptResult>,
    /// What is no script, with file and line.
    pub errors: Vec<String>,
}

/// Plays a folder.
///
/// # Errors
/// A folder or file that cannot be read; a folder without scripts.
pub fn run(options: &Options) -> Result<Report, String> {
    let mut paths = Vec::new();
    collect(&options.folder, &mut paths)?;
    // Folders list their files in any order; the report has one.
    paths.sort();
    let in_folder = options.folder.join("expected.toml");
    let file = options.expected.clone().or_else(|| in_folder.is_file().then_some(in_folder));
    let expected = file.as_deref().map(Expected::read).transpose()?;
    let mut report = Report::default();
    for path in paths {
        let name = path.strip_prefix(&options.folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        if options.only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        // Octets, since comments need not be UTF-8.
        let text = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let played = parse(&String::from_utf8_lossy(&text)).and_then(|script| {
            let assumed = system_of(&script).is_none().then_some(options.system);
            Ok((play(&script, options.system)?, assumed))
        });
        let known = expected.as_ref().and_then(|expected| expected.of(&name));
        match played {
            Ok((verdict, assumed)) => {
                let pass = (Outcome::Pass, String::new());
                let expected = known.map_or(pass, |known| (known.verdict, known.reason.clone()));
                report.played.push(ScriptResult { name, verdict, assumed, expected });
            }
            Err(error) => report.errors.push(format!("{}:{error}", path.display())),
        }
    }
    // A wrong folder must not end like a success.
    if report.played.is_empty() && report.errors.is_empty() {
        return Err(format!("{}: no .pkt file to play", options.folder.display()));
    }
    Ok(report)
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
        if path.is_dir() {
            collect(&path, into)?;
        } else if path.extension().is_some_and(|extension| extension == "pkt") {
            into.push(path);
        }
    }
    Ok(())
}

impl Report {
    /// Every verdict is the expected one.
    pub fn is_as_expected(&self) -> bool {
        self.played.iter().all(ScriptResult::is_as_expected)
    }

    /// How many gave this.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.played.iter().filter(|played| Outcome::of(&played.verdict) == outcome).count()
    }

    /// Reasons with their scripts, those of most scripts first.
    fn reasons(&self, outcome: Outcome) -> Vec<(String, usize)> {
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for played in self.played.iter().filter(|played| Outcome::of(&played.verdict) == outcome) {
            let reason = match &played.verdict {
                Verdict::NotExpressible { reason, .. } => reason.clone(),
                _ if played.expected.1.is_empty() => "no reason is known".to_string(),
                _ => played.expected.1.clone(),
            };
            *reasons.entry(reason).or_insert(0) += 1;
        }
        let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
        reasons.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        reasons
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for played in &self.played {
            let mark = if played.is_as_expected() { "" } else { "  NOT AS EXPECTED" };
            let system = played.assumed.map(|system| format!(" (no sysctl: defaults of {})", system.name()));
            writeln!(f, "{}: {}{}{mark}", played.name, played.verdict, system.unwrap_or_default())?;
        }
        for outcome in [Outcome::Fail, Outcome::NotExpressible] {
            for (reason, scripts) in self.reasons(outcome) {
                writeln!(f, "{} {scripts}: {reason}", outcome.word())?;
            }
        }
        let counts = [Outcome::Pass, Outcome::Fail, Outcome::NotExpressible];
        let counts: Vec<String> = counts.map(|outcome| format!("{} {}", self.count(outcome), outcome.word())).into();
        let unexpected = self.played.iter().filter(|played| !played.is_as_expected()).count();
        writeln!(f, "{} scripts: {}; {unexpected} not as expected", self.played.len(), counts.join(", "))
    }
}
