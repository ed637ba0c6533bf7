//! `hopscope-conformance FOLDER [--system linux|freebsd] [--expected FILE] [--only TEXT]`: plays the packetdrill scripts of a folder.
#![expect(clippy::print_stdout, reason = "a command talks to the terminal")]

use std::path::PathBuf;
use std::process::ExitCode;

use hopscope_conformance::player::System;
use hopscope_conformance::suite::{self, Options};

const USAGE: &str = "usage: hopscope-conformance FOLDER [--system linux|freebsd] [--expected FILE] [--only TEXT]

Plays every .pkt file below FOLDER against the TCP of the engine and prints pass, fail or not expressible with the reason.
--system NAME    whose defaults a script has that says nothing of its system by a sysctl: linux or freebsd (else the engine's)
--expected FILE  the known deviations (else expected.toml in FOLDER, where there is one)
--only TEXT      scripts whose path has TEXT in it
Status: 0 all as expected, 1 a verdict is not, 2 a script or the command cannot be read.";

fn main() -> ExitCode {
    let options = match read(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match suite::run(&options) {
        Ok(report) => {
            print!("{report}");
            for error in &report.errors {
                eprintln!("{error}");
            }
            if !report.errors.is_empty() {
                ExitCode::from(2)
            } else if report.is_as_expected() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// The command line; none: help is asked for.
fn read(words: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let (mut folder, mut expected, mut only, mut system) = (None, None, None, System::Engine);
    let mut words = words;
    while let Some(word) = words.next() {
        let mut value = |of: &str| words.next().ok_or_else(|| format!("{of}: a value is missing"));
        match word.as_str() {
            "-h" | "--help" => return Ok(None),
            "--expected" => expected = Some(PathBuf::from(value("--expected")?)),
            "--system" => {
                let found = value("--system")?;
                let known = System::WORDS.iter().find(|(word, _)| *word == found);
                system = known.ok_or_else(|| format!("--system: found {found}; linux or freebsd is allowed"))?.1;
            }
            "--only" => only = Some(value("--only")?),
            other if other.starts_with('-') => {
                return Err(format!("{other}: unknown; allowed are --system, --expected, --only, --help"));
            }
            path if folder.is_none() => folder = Some(PathBuf::from(path)),
            other => return Err(format!("{other}: one folder is played, and it is named already")),
        }
    }
    let folder = folder.ok_or("a folder of .pkt files is missing")?;
    Ok(Some(Options { folder, expected, only, system }))
}
