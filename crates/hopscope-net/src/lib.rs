//! The network layer of a node.
//!
//! [`iface`] has the interfaces: 802.11, wires, and the one for packets with octets; each has a port, which is a queue
//! ([`net::InterfaceQueue`]) with what a link layer ([`link`]) does to it. [`net`] has addresses, forwarding and the gateway's
//! window advertisement; [`routing`] the routing protocols, one machine a node, behind [`routing::Router`]. [`config`] has the
//! parameters of all.
//!
//! Below stand `hopscope-core`, `hopscope-packet`, `hopscope-phy` and `hopscope-mac`; above stands the world, which carries
//! effects from one machine to the next. Begin with [`routing`], whose contract all protocols share.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod config;
pub mod iface;
pub mod link;
pub mod net;
pub mod routing;
