//! Every input of the corpora once, without libFuzzer: what broke stays repaired, and the corpora reach what they are for.

use std::fs;
use std::path::PathBuf;

/// The inputs of a target, with their names.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let mut found: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a file").path())
        .map(|path| (path.display().to_string(), fs::read(&path).expect("a file that can be read")))
        .collect();
    found.sort();
    assert!(found.len() >= 10, "{target}: {} inputs", found.len());
    found
}

fn replay_texts(target: &str, body: fn(&str)) {
    for (name, input) in corpus(target) {
        println!("{name}");
        // libFuzzer passes over what is no text, too.
        if let Ok(text) = std::str::from_utf8(&input) {
            body(text);
        }
    }
}

#[test]
fn octets() {
    for (name, input) in corpus("octets") {
        println!("{name}");
        hopscope_fuzz::octets(&input);
    }
}

#[test]
fn files() {
    replay_texts("files", hopscope_fuzz::files);
}

#[test]
fn scenario() {
    replay_texts("scenario", hopscope_fuzz::scenario);
}

#[test]
#[cfg(feature = "scripts")]
fn script() {
    replay_texts("script", hopscope_fuzz::script);
}
