//! Transport protocols.

pub mod bottleneck;
pub mod control;
pub mod tcp;
pub mod udp;
