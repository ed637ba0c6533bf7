//! The interfaces of a node: a closed set.
//!
//! A node names its interfaces by their order; a packet on its way names the one that it leaves by. The state of each kind
//! lies in a table of its own, so that what a frame touches at its hearers stays packed.

pub mod air;
pub mod port;
pub mod wifi;

pub use air::AirSlots;
pub use port::Port;
pub use wifi::Wifi;
