//! Medium access: the 802.11 distributed coordination function (IEEE 802.11-2020 clause 10.3).

pub mod collisions;
pub mod contention;
pub mod dcf;
pub mod dedup;
pub mod fragment;
pub mod frame;
mod nav;
mod outgoing;
pub mod rate;
pub mod retry;
pub mod rules;
pub mod timing;

pub use collisions::Collisions;
pub use dcf::{Dcf, MacEffects};
pub use frame::{Frame, FrameKind};
pub use rate::Rates;
pub use rules::{MacRules, Pacing};

#[cfg(test)]
mod tests;
