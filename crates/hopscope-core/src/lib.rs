//! What every layer of Hopscope stands on and what knows none of them.
//!
//! [`units`] and [`ids`] are the quantities and the numbers of things; [`rng`] derives a stream of random numbers from
//! (seed, owner, purpose); [`event`] is the closed set of what can happen, in the order of one instant, and [`queue`] keeps
//! what is pending; [`config`] is how a layer declares its parameters, once, with type, unit, range, condition, default and
//! source; [`error`] is how a caller's mistake is reported.
//!
//! Below stands nothing; above stand all other crates. Begin with [`event`], whose order is part of every result.
//!
//! Time is integer nanoseconds. Nothing here reads a clock, a file or the order of a hash.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod config;
pub mod error;
pub mod event;
pub mod ids;
pub mod math;
mod named;
pub mod queue;
pub mod rng;
pub mod units;
