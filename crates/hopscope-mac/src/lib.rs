//! Medium access: the 802.11 distributed coordination function (IEEE 802.11-2020 clause 10.3).
//! Clauses named without a standard are of that edition; others number them otherwise.
//!
//! [`Dcf`] is the machine of one station: it takes frames, timers and packets to send with the instant, and appends
//! [`MacEffects`]. [`contention`] is when it may send (carrier sense, NAV, back-off), [`retry`] how often, [`rate`] at which
//! rate, [`fragment`] and [`dedup`] what the receiver puts together and discards; [`timing`] has the times of frames and
//! [`rules`] everything that stations with the same parameters share.
//!
//! Below stand `hopscope-core` and `hopscope-phy`; above stands the network layer, whose packets are numbers here. Begin
//! with [`dcf`].

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod backoff;
pub mod block_ack;
pub mod collisions;
pub mod config;
pub mod contention;
pub mod dcf;
pub mod dedup;
pub mod edca;
mod ending;
pub mod failures;
pub mod fair;
pub mod fragment;
pub mod frame;
mod nav;
mod outgoing;
pub mod ppdu;
pub mod rate;
pub mod retry;
pub mod rules;
pub mod state;
pub mod timing;
mod view;

pub use collisions::Collisions;
pub use dcf::{Dcf, MacEffects};
pub use edca::{Edca, EdcaEffects};
pub use failures::{FailureRule, Failures};
pub use frame::{Frame, FrameKind};
pub use rate::Rates;
pub use rules::{MacRules, Pacing};
pub use view::MacView;

#[cfg(test)]
mod tests;
