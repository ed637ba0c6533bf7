//! Octets of packets: what the engine keeps as typed data, as it would stand on a wire, and back.
//!
//! The engine itself needs no octets. Captures and real stacks do; so do tests that throw octets at its machines.
//!
//! | module | protocol |
//! |---|---|
//! | [`dccp`] | DCCP (RFC 4340) |

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod dccp;
