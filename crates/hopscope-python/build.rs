//! Gives the binding a build id: a hash of the engine's sources, so that stored results of another engine are not
//! mistaken for those of this one.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hopscope-engine/src");
    println!("cargo:rerun-if-changed={}", engine.display());
    let mut files = Vec::new();
    collect(&engine, &mut files);
    files.sort();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for file in &files {
        for byte in fs::read(file).expect("a listed source file can be read") {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    println!("cargo:rustc-env=HOPSCOPE_BUILD_ID={hash:016x}");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the engine's sources lie beside the binding") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}
