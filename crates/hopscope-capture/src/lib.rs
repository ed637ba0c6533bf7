//! Captures: a run as a pcapng file that Wireshark, tshark and tcptrace read.
//!
//! [`Capture`] is a recorder like any other (decision 012): it writes what the records report as it happens, in constant memory. There
//! is an interface for the radio of each node, with the frames that it sends and receives behind radiotap, and one for each host, with
//! the IP packets that begin there and that come to it.
//!
//! | file | idea |
//! |---|---|
//! | `choice.rs` | what of a run is captured |
//! | `capture.rs` | the recorder |
//! | `air.rs` | frames of 802.11 as octets, and what radiotap says of them |
//! | `comment.rs` | why a frame was lost, in words |
//! | `tally.rs` | what the engine itself counts of what was captured, to compare with the counts of other tools |
//! | `connection.rs` | the same for each connection: packets, bytes, round-trip times |
//! | `pcapng.rs` | blocks of the file |
//! | `sink.rs` | where they go: files, compression |

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod air;
mod capture;
mod choice;
mod comment;
mod connection;
mod pcapng;
mod sink;
mod tally;

pub use capture::{Capture, Ended, Summary};
pub use choice::Choice;
pub use connection::Connection;
pub use sink::Sink;
pub use tally::Tally;
