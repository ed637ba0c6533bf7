//! Network layer of a node: interface queue, address resolution, forwarding table, window advertisement.

pub mod arp;
pub mod gateway;
pub mod ifq;
pub mod ip;

pub use arp::Arp;
pub use gateway::Gateway;
pub use ifq::InterfaceQueue;
