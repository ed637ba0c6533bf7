//! Tests of whole networks: one binary, one file per question.

mod determinism;
mod support;
