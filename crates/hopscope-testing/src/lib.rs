//! What the tests of the crates share: the settings of property tests.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

use proptest::test_runner::{Config, RngSeed};

/// A fixed seed, so that a run repeats; `cases` unless PROPTEST_CASES asks for others.
pub fn property(cases: u32) -> Config {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    Config {
        cases: asked.unwrap_or(cases),
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    }
}
