//! What both ends of TCP-friendly rate control share (RFC 5348, RFC 4342): the equation, the receiver, and its options.
//!
//! | file | idea |
//! |---|---|
//! | `equation.rs` | the rate of a TCP with the same losses |
//! | `intervals.rs` | the loss event rate |
//! | `receiver.rs` | when feedback leaves, and what it reports |
//! | `timeout.rs` | the retransmission timeout that the equation asks for |

pub(super) mod equation;
mod intervals;
mod receiver;
mod timeout;

pub(super) use receiver::{NOMINAL, Receiver};
pub(super) use timeout::Timeout;

use hopscope_core::units::Span;
use hopscope_packet::dccp::DccpPacket;

/// Option: one over the loss event rate, rounded up (RFC 4342 8.5).
pub(super) const LOSS_EVENT_RATE: u8 = 192;
/// Option: the newest loss intervals (RFC 4342 8.6).
pub(super) const LOSS_INTERVALS: u8 = 193;
/// Option: payload received, bytes/s (RFC 4342 8.3).
pub(super) const RECEIVE_RATE: u8 = 194;
/// Octets of the first and the last of them.
pub(super) const FEEDBACK_OCTETS: usize = 12;
/// The inverse of a loss event rate of 0.
const NO_LOSS: u32 = u32::MAX;

/// A round trip of which nothing is known (RFC 4340 3.4).
pub(super) const DEFAULT_RTT: Span = Span::from_millis(200);

/// What an acknowledgement reports to a sender that goes by rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Feedback {
    /// Loss event rate; 0 before the first loss.
    pub(super) p: f64,
    /// Payload received, bytes/s.
    pub(super) receive_rate: f64,
}

impl Feedback {
    /// What the options of a packet say; none without the rate received. Without a loss event rate nothing was lost.
    pub(super) fn read(packet: &DccpPacket) -> Option<Feedback> {
        let number = |wanted: u8| {
            let mut found = packet.each_option().filter(|(kind, _)| *kind == wanted);
            found.find_map(|(_, content)| <[u8; 4]>::try_from(content).ok()).map(u32::from_be_bytes)
        };
        let receive_rate = f64::from(number(RECEIVE_RATE)?);
        let p = match number(LOSS_EVENT_RATE) {
            None | Some(NO_LOSS) => 0.0,
            Some(inverse) => 1.0 / f64::from(inverse.max(1)),
        };
        Some(Feedback { p, receive_rate })
    }

    /// Writes both options; true where there was room.
    pub(super) fn write(self, packet: &mut DccpPacket) -> bool {
        // Rounded up, so that the sender never reads a higher loss event rate than there is.
        let inverse = if self.p > 0.0 { (1.0 / self.p).ceil() as u32 } else { NO_LOSS };
        packet.push_option(LOSS_EVENT_RATE, &inverse.to_be_bytes())
            && packet.push_option(RECEIVE_RATE, &(self.receive_rate as u32).to_be_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feedback_comes_back_from_its_options() {
        let reported = |p, receive_rate| {
            let mut packet = DccpPacket::default();
            assert!(Feedback { p, receive_rate }.write(&mut packet));
            assert_eq!(packet.option_bytes(), 12);
            Feedback::read(&packet)
        };
        assert_eq!(reported(0.0, 1_000.0), Some(Feedback { p: 0.0, receive_rate: 1_000.0 }));
        assert_eq!(reported(0.01, 5.7), Some(Feedback { p: 0.01, receive_rate: 5.0 }));
        assert_eq!(reported(0.3, 0.0).map(|reported| reported.p), Some(0.25), "the inverse is rounded up");
        assert_eq!(Feedback::read(&DccpPacket::default()), None);
    }
}
