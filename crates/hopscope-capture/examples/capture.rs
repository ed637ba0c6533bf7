//! The scenarios of the engine's `bench` with a capture of every frame and packet: what it costs. `CAPTURE=FILE` names where it
//! goes (default `/dev/null`).

use std::path::PathBuf;

use hopscope_capture::{Capture, Choice, Sink};

#[allow(dead_code, reason = "its main does not run here")]
#[path = "../../hopscope-engine/examples/bench.rs"]
mod bench;

fn main() {
    let path = PathBuf::from(std::env::var_os("CAPTURE").unwrap_or_else(|| "/dev/null".into()));
    bench::run(|name, config| {
        let sink = Sink::open(&path, true).expect("a place to write to");
        let capture = Capture::<false>::new(&config, Choice::default(), sink, name).expect("everything is captured");
        bench::measure(name, config, capture);
    });
}
