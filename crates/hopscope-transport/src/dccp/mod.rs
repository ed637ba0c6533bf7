//! DCCP (RFC 4340): datagrams over a connection with congestion control.
//!
//! Every packet has a number, acknowledgements show which numbers have come (Ack Vector), and nothing is repeated but
//! in the reliable layer of zhang2006. The parts, from the outside in:
//!
//! | file | idea |
//! |---|---|
//! | `connection.rs`, `connection/` | one end: sequence validity, handshake; teardown, failed routes |
//! | `state.rs` | the states and which may follow which |
//! | `features.rs` | what the ends agree upon |
//! | `source.rs` | the half that sends: what is in flight, what is lost |
//! | `sink.rs` | the half that receives: when it acknowledges |
//! | `inbox.rs` | a buffer that is full, and the options that say so |
//! | `history.rs` | what has come, and the Ack Vector |
//! | `repeat.rs` | the lists of reliable DCCP |
//! | `ack_ratio.rs` | how many packets an acknowledgement stands for |
//! | `ccid/` | how much may be in flight, or how fast; one file per congestion control |
//! | `tfrc/` | what both ends of a control by rate share: the equation, the loss event rate, feedback |
//! | `rtt.rs` | round-trip time, timeout, lazy timers |

mod ack_ratio;
mod ccid;
mod connection;
mod features;
mod history;
mod inbox;
mod repeat;
mod rtt;
mod sink;
mod source;
mod state;
#[cfg(test)]
mod tests;
mod tfrc;

pub use connection::Connection;
pub use state::State;
