//! Transport protocols.

pub mod bottleneck;
pub mod tcp;
pub mod udp;
