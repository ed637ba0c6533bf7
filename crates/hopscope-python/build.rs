//! Gives the binding a build id: a hash of the engine's sources, so that stored results of another engine are not
//! mistaken for those of this one; and says whether the build is profile-guided, by the flags of the compiler.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Crates that no result depends on. Any other crate counts, so that a new one is not forgotten.
const OUTSIDE: [&str; 7] = ["capture", "conformance", "python", "scenario", "testing", "web", "wire"];

fn main() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for entry in fs::read_dir(&crates).expect("the binding lies next to the engine") {
        let name = entry.expect("a readable entry").file_name().into_string().unwrap_or_default();
        if name.strip_prefix("hopscope-").is_some_and(|layer| !OUTSIDE.contains(&layer)) {
            let sources = crates.join(name).join("src");
            println!("cargo:rerun-if-changed={}", sources.display());
            collect(&sources, &mut files);
        }
    }
    files.sort();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for file in &files {
        for byte in fs::read(file).expect("a listed source file can be read") {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    println!("cargo:rustc-env=HOPSCOPE_BUILD_ID={hash:016x}");
    println!("cargo:rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    println!("cargo:rustc-check-cfg=cfg(guided)");
    if env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("profile-use=")) {
        println!("cargo:rustc-cfg=guided");
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a crate has sources") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}
