//! The example runs, needs no simulator, and is as short as the documentation says.

use hopscope_core::units::{Span, Time};

#[path = "../examples/lossy_pipe.rs"]
mod lossy_pipe;

#[test]
fn both_connections_deliver_a_megabyte_over_a_pipe_that_loses() {
    for seed in 1..=20 {
        let finished = lossy_pipe::run(seed);
        // Without loss 1000 segments take at least six round trips of 40 ms: 4, 8, 16, ... up to the window of 64.
        let least = Time::ZERO + Span::from_millis(6 * 40);
        assert!(
            finished.iter().all(|at| (least..Time::ZERO + Span::from_secs(60)).contains(at)),
            "{seed}: {finished:?}"
        );
    }
    assert_eq!(lossy_pipe::run(1), lossy_pipe::run(1));
}

#[test]
fn the_example_takes_at_most_sixty_lines_and_two_crates_below() {
    let text = include_str!("../examples/lossy_pipe.rs");
    assert!(text.lines().count() <= 60, "{} lines", text.lines().count());
    let used = text.lines().filter(|line| line.starts_with("use "));
    assert!(used.map(|line| &line[4..]).all(|path| {
        ["std::", "hopscope_core::", "hopscope_packet::", "hopscope_tcp::"].iter().any(|known| path.starts_with(known))
    }));
}
