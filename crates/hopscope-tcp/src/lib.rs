//! TCP as pure machines that know neither queue nor network: they run under a simulator, over a test's pipe or under a
//! script alike.
//!
//! [`Connection`] is one end of a connection; [`Connection::pair`] makes both from a [`config::ConnectionConfig`]. It
//! is made of a [`TcpSender`], a [`TcpReceiver`] or both. `examples/lossy_pipe.rs` runs two connections over a pipe
//! that loses.
//!
//! Below stand `hopscope-core` and `hopscope-packet`; above stand the other transports, the sockets and the world.
//! Begin with [`endpoint`], the contract of every endpoint, and `connection.rs`.
//!
//! Both have the same entry points: an input (`open`, `offer`, `close`, `on_segment`, `on_timer`) comes with the instant and
//! a list to which the machine appends its [`TransportEffect`]s in order. Inputs must come in non-decreasing time;
//! after each one the caller carries out all effects before the next input. Nothing is drawn at random and nothing is
//! allocated per segment once the buffers have grown to the window.
//!
//! The parts, from the outside in:
//!
//! | file | idea |
//! |---|---|
//! | `connection.rs` | one end of a connection: the endpoint that sockets hold |
//! | `sender/` | entry points, set-up and tear-down of the sending side, and what segments do to it |
//! | `core.rs` | what every variant shares, and the steps that need several of its parts |
//! | `sequence.rs` | what is acknowledged, sent, and to be sent |
//! | `peer_window.rs` | the window that the peer leaves |
//! | `loss_state.rs` | duplicate ACKs, and the recovery under way |
//! | `timed.rs` | the retransmission timer, and what is timed |
//! | `ecn.rs` | marks that come back |
//! | `header.rs` | what segments say besides their data |
//! | `cut.rs` | when the window is cut |
//! | `setup.rs` | the SYN and the initial window |
//! | `recovery/` | what an ACK, a duplicate ACK and a timeout make the sender send; one file per style |
//! | `control/` | how the window grows and shrinks; one file per algorithm |
//! | `rules.rs` | where ns-2 departs from the RFCs |
//! | `rtt.rs` | round-trip time and RTO |
//! | `sack.rs` | the sender's record of selectively acknowledged data |
//! | `pacing.rs` | sending spread over time |
//! | `sent.rs` | what is remembered of each segment in flight: round-trip times, delivery rate |
//! | `push.rs` | where PSH is set, for receivers that look at it |
//! | `receiver/`, `reassembly.rs` | the receiving side |
//! | `ack/` | when it acknowledges |
//! | `route_failure/` | what the sender does when its node has lost the route |
//! | `reading.rs` | an application that reads slowly, and the window that is left |
//! | `persist.rs` | probes of a window that the peer has closed |
//! | `reset.rs` | resets, and answers to segments that belong to no connection |
//! | `stats.rs` | the states and counters of a sender |
//! | `usage.rs` | whether the window is in use, and so may grow |
//! | `timer.rs` | a timer that is restarted often and queued seldom, and the expiries its caller holds |

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod ack;
pub mod config;
mod connection;
pub mod control;
mod core;
mod cut;
mod ecn;
pub mod endpoint;
mod header;
mod loss_state;
mod pacing;
mod peer_window;
mod persist;
mod push;
mod reading;
mod reassembly;
mod receiver;
mod recovery;
mod reset;
mod route_failure;
mod rtt;
mod rules;
mod sack;
mod sender;
mod sent;
mod sequence;
mod setup;
mod stats;
#[cfg(test)]
mod tests;
mod timed;
mod timer;
mod usage;

pub use connection::Connection;
pub use receiver::{Receipt, ReceiverState, ReceiverStats, TcpReceiver};
pub use sender::TcpSender;
pub use stats::{SenderState, SenderStats};
pub use timer::Expiries;

use config::{AckPolicy, ConnectionConfig};
use endpoint::{Note, Timer, TransportEffect};
use hopscope_core::rng::Stream;
use hopscope_core::units::Time;
use hopscope_packet::Body;
use hopscope_packet::tcp::TcpSegment;

/// The instant of an input and the list its effects go to.
struct Cx<'a> {
    now: Time,
    out: &'a mut Vec<TransportEffect>,
}

impl Cx<'_> {
    fn push(&mut self, effect: TransportEffect) {
        self.out.push(effect);
    }

    fn emit(&mut self, segment: TcpSegment) {
        self.push(TransportEffect::Emit(Body::Tcp(segment)));
    }
}

/// The two ends of a flow; `stream` is for what a congestion control draws.
pub fn ends(flow: &ConnectionConfig<'_>, stream: Stream) -> (TcpSender, TcpReceiver) {
    let kind = flow.kind;
    let mut sender = TcpSender::new(flow.tcp, kind, flow.packet, flow.max_window);
    sender.set_stream(stream);
    if flow.ack == AckPolicy::LinuxModern {
        sender.mark_pushes();
    }
    if flow.signals_window() {
        sender.signal_window();
    }
    let sack = kind.uses_sack();
    let (undo, dsack) = flow.undo_and_dsack();
    sender.undo_by(undo);
    let mut receiver = TcpReceiver::new(flow.tcp, flow.ack, flow.ack_delay, sack, flow.packet, flow.max_window);
    receiver.report_repeats(dsack);
    (sender, receiver)
}

/// Window field of a segment for a window of so many full segments.
fn window_field(segments: u64, mss: u64) -> u32 {
    u32::try_from(segments * mss).unwrap_or(u32::MAX)
}
