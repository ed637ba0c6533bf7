//! The scenarios of `bench` with the airtime ledger: what it costs. A program of its own, so that the other one is
//! compiled without it.

use hopscope_engine::ledger::Ledger;

#[allow(dead_code, reason = "its main does not run here")]
#[path = "bench.rs"]
mod bench;

fn main() {
    bench::run(|name, config| {
        let ledger = Ledger::new(&config);
        bench::measure(name, config, ledger);
    });
}
