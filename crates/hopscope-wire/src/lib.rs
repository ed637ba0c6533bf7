//! Octets of packets: what the engine keeps as typed data, as it would stand on a wire, and back.
//!
//! The engine itself needs no octets. Captures and real stacks do; so do tests that throw octets at its machines.
//!
//! | module | protocol |
//! |---|---|
//! | [`radiotap`], [`dot11`] | what a radio reports of a frame, and MAC frames (IEEE 802.11-2020 9) |
//! | [`mesh`] | frames of a mesh, with the messages of HWMP (IEEE 802.11-2020 9) |
//! | [`link`] | LLC/SNAP (RFC 1042), address resolution (RFC 826) |
//! | [`ipv4`], [`icmp`] | IPv4 (RFC 791) with the option of the way, ICMP (RFC 792) |
//! | [`tcp`], [`udp`], [`dccp`], [`atp`] | transports (RFC 9293, RFC 768, RFC 4340, own format) |
//! | [`aodv`], [`dsdv`], [`dsr`], [`olsr`], [`babel`] | routing (RFC 3561, own format, RFC 4728, RFC 3626, RFC 8966) |
//! | [`batman`] | routing below IP (batman-adv of Linux) |
//! | [`notice`], [`path_notice`] | what link layers report to their neighbours, notifications of TCP-F (own formats) |
//! | [`address`], [`payload`] | addresses of nodes, and what stands for the data of applications |
//! | [`packet`] | a packet of the engine as octets |

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod address;
pub mod aodv;
pub mod atp;
pub mod babel;
pub mod batman;
pub mod dccp;
pub mod dot11;
pub mod dsdv;
pub mod dsr;
pub mod icmp;
pub mod ipv4;
pub mod link;
pub mod mesh;
pub mod notice;
mod octets;
pub mod olsr;
pub mod packet;
pub mod path_notice;
pub mod payload;
pub mod radiotap;
pub mod tcp;
pub mod udp;

pub use octets::{Malformed, Sum, fcs};
