//! Tests of whole networks: one binary, one file per question.

mod analytic;
mod axes;
mod channel;
mod control;
mod determinism;
mod dsr;
mod errors;
mod fragments;
mod frames;
mod fuzz;
mod golden;
mod inject;
mod invariants;
mod ledger;
mod link;
mod motion;
mod order;
mod outage;
mod reach;
mod replies;
mod routes;
mod routing;
mod sources;
mod support;
mod transports;
mod wire;
