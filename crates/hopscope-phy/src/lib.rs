//! The radios of a network and what lies between them. Clauses named without a standard are of IEEE 802.11-2020.
//!
//! [`channel`] says who hears whom, how strongly and with which losses: its [`channel::Medium`] begins a frame and gives
//! the arrivals it makes. [`phy`] is what one radio makes of the arrivals: what it locks on, what it senses, what it can
//! decode ([`phy::Radio`]). [`mobility`] moves the nodes along straight legs. [`config`] has the parameters of all three.
//!
//! Below stands `hopscope-core`; above stands the MAC. Begin with [`phy::radio`], whose rule for edges at one instant is
//! part of every result.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod channel;
pub mod config;
pub mod mobility;
pub mod phy;
