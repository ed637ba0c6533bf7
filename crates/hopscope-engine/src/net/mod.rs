//! Network layer of a node: interface queue, address resolution, forwarding table.

pub mod arp;
pub mod ifq;

pub use arp::Arp;
pub use ifq::InterfaceQueue;
