//! Transport protocols.

pub mod tcp;
pub mod udp;
