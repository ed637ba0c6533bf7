//! Hopscope's engine: a pure, deterministic discrete-event model of multi-hop IEEE 802.11 networks.
//!
//! From the top: [`app`] decides when to send, [`transport`] carries it ([`hopscope_tcp`], UDP), [`net`] and
//! [`routing`] forward it, [`mac`] contends for the channel, [`phy`] hears, [`channel`] says who hears whom.
//! [`world`] is the only place where these machines meet. [`simulation`] runs a whole configuration and returns
//! its results.
//!
//! The engine does no input or output, reads no clock, uses no threads and no hash order. Time is integer
//! nanoseconds. The same configuration gives the same bytes on any machine.
//!
//! # Order
//! Events at one instant follow the order written in [`event`]; radio edges follow the rule in [`phy::radio`].
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
pub mod record;
pub mod results;
pub mod simulation;
pub mod trace;
pub mod world;

pub use config::Config;
pub use hopscope_core::error::BuildError;
pub use hopscope_core::{error, event, ids, queue, rng, units};
pub use hopscope_mac as mac;
pub use hopscope_net::{iface, link, net, routing};
pub use hopscope_packet as packet;
pub use hopscope_phy::{channel, mobility, phy};
pub use hopscope_transport as transport;
pub use simulation::Simulation;
pub use world::World;
