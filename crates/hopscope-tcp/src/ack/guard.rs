//! A guard for any policy: an ACK never stands for more than half of what the sender may have in flight.
//!
//! Where a policy asks for more segments than there are in flight, the receiver's timer sends every ACK and each round
//! lasts as long as that. Half of the window is the safety factor of ns-2's `TCPSink/Asym`. What the sender may have in
//! flight it says itself, in each data segment ([`hopscope_packet::tcp::TcpSegment::sender_window`]).

/// Segments held since the last ACK.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct Guard {
    held: u32,
}

impl Guard {
    /// A segment is held whose sender may have so many in flight (0: it did not say): is that enough?
    pub(in super::super) fn has_enough(&mut self, sender_window: u16) -> bool {
        self.held += 1;
        sender_window > 0 && self.held >= (u32::from(sender_window) / 2).max(1)
    }

    /// An ACK has been sent, for whatever reason.
    pub(in super::super) fn on_ack_sent(&mut self) {
        self.held = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_window_is_enough() {
        for (window, enough) in [(0, None), (1, Some(1)), (2, Some(1)), (3, Some(1)), (4, Some(2)), (9, Some(4))] {
            let mut guard = Guard::default();
            let first = (1..=20).find(|_| guard.has_enough(window));
            assert_eq!(first, enough, "{window}");
            guard.on_ack_sent();
            assert_eq!((1..=20).find(|_| guard.has_enough(window)), enough, "{window}, again");
        }
    }
}
