//! Hopscope's engine: a pure, deterministic discrete-event model of multi-hop IEEE 802.11 networks.
//!
//! The layers are crates of their own, arrows down: `hopscope-transport` and `hopscope-tcp` carry data, `hopscope-net`
//! forwards it, `hopscope-mac` contends for the channel, `hopscope-phy` receives and says who hears whom, on packets of
//! `hopscope-packet` and the time and events of `hopscope-core`. Here they meet: [`app`] decides when to send, [`node`] is
//! what a node is made of, and [`world`] carries events to machines and effects from one to the next. [`record`] is what can be
//! recorded of it; [`metrics`], [`ledger`] and [`trace`] listen. [`simulation`] runs a whole [`Config`] and returns its
//! [`results`].
//!
//! Above stand the scenario files, the octets of packets and the binding. Begin with [`world`].
//!
//! The engine does no input or output, reads no clock, uses no threads and no hash order. Time is integer
//! nanoseconds. The same configuration gives the same bytes on any machine.
//!
//! # Order
//! Events at one instant follow the order written in [`hopscope_core::event`]; radio edges follow the rule in [`hopscope_phy::phy::radio`].
//! Random streams are derived from (seed, owner, purpose), see [`hopscope_core::rng`].

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod app;
pub mod bottleneck;
pub mod config;
pub mod ledger;
pub mod metrics;
pub mod node;
pub mod probe;
#[macro_use]
pub mod record;
pub mod results;
pub mod simulation;
pub mod trace;
pub mod world;

pub use config::Config;
pub use hopscope_core::error::BuildError;
pub use simulation::Simulation;
pub use world::World;
