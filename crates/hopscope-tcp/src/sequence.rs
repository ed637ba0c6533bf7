//! The sequence space of a sender (RFC 9293 3.4): what is acknowledged, what was sent, and what there is to send.
//!
//! ```text
//!   acknowledged      under way        to be sent again       never sent
//! ------------------|----------------|----------------------|------------------|
//!                  una              nxt                    max               end
//! ```
//! `una <= nxt <= max` always holds; `nxt < max` only where a loss has taken the sender back. Number 0 is the SYN's,
//! data begins at 1, and the FIN has the number after the data.

/// Numbers of what a sender sends. They are bytes and do not wrap.
#[derive(Debug, Clone)]
pub(super) struct SequenceSpace {
    /// First number not acknowledged.
    una: u64,
    /// Next number to send.
    nxt: u64,
    /// First number never sent.
    max: u64,
    /// Number after the last byte offered; `u64::MAX`: without end.
    data_end: u64,
    /// Numbers of the FIN: one once it may go.
    fin: u64,
    mss: u64,
    /// No more data will be offered.
    closing: bool,
}

impl SequenceSpace {
    /// Nothing is sent yet, the SYN neither.
    pub(super) fn new(mss: u64) -> Self {
        SequenceSpace { una: 0, nxt: 0, max: 0, data_end: 1, fin: 0, mss, closing: false }
    }

    /// First number not acknowledged.
    pub(super) fn una(&self) -> u64 {
        self.una
    }

    /// Next number to send.
    pub(super) fn nxt(&self) -> u64 {
        self.nxt
    }

    /// First number never sent.
    pub(super) fn max(&self) -> u64 {
        self.max
    }

    /// Number after the last byte offered; `u64::MAX`: without end.
    pub(super) fn data_end(&self) -> u64 {
        self.data_end
    }

    /// Number after the last thing to send: data and, once it may go, the FIN.
    pub(super) fn end(&self) -> u64 {
        self.data_end.saturating_add(self.fin)
    }

    /// No more data will be offered.
    pub(super) fn is_closing(&self) -> bool {
        self.closing
    }

    /// Numbers sent and not acknowledged, without those to be sent again (FlightSize of RFC 5681).
    pub(super) fn in_flight(&self) -> u64 {
        self.nxt - self.una
    }

    /// Numbers sent once and not acknowledged.
    pub(super) fn outstanding(&self) -> u64 {
        self.max - self.una
    }

    /// All that was sent is acknowledged.
    pub(super) fn is_idle(&self) -> bool {
        self.una == self.max
    }

    /// There is something to send at `nxt`.
    pub(super) fn has_more(&self) -> bool {
        self.nxt < self.end()
    }

    /// What is next to send was sent before.
    pub(super) fn is_going_over(&self) -> bool {
        self.nxt < self.max
    }

    /// Number after the payload of the segment that starts at `seq`: segments end at multiples of the MSS.
    pub(super) fn segment_end(&self, seq: u64) -> u64 {
        let into = (seq - 1) % self.mss;
        // A FIN by itself starts behind the data and has no payload.
        (seq + self.mss - into).min(self.data_end).max(seq)
    }

    /// Numbers of the FIN that goes with a payload up to `payload_end`.
    pub(super) fn fin_after(&self, payload_end: u64) -> u64 {
        if payload_end == self.data_end { self.fin } else { 0 }
    }

    /// The last outstanding segment begins here, as segments were cut.
    pub(super) fn last_segment(&self) -> u64 {
        (self.max - 1).saturating_sub((self.max - 2) % self.mss).max(self.una)
    }

    // Moves.

    /// The application has `bytes` more; `u64::MAX`: without end.
    pub(super) fn offer(&mut self, bytes: u64) {
        self.data_end = self.data_end.saturating_add(bytes);
    }

    /// No more data will come; an endless offer ends with what has been sent. With `has_fin` a FIN follows.
    pub(super) fn close(&mut self, has_fin: bool) {
        if self.data_end == u64::MAX {
            self.data_end = self.max.max(1);
        }
        self.closing = true;
        self.fin = u64::from(has_fin);
    }

    /// The SYN has left, or was taken with that of the peer.
    pub(super) fn use_syn(&mut self) {
        (self.nxt, self.max) = (1, 1);
    }

    /// What ends before `after` has left, wherever it began.
    pub(super) fn note_sent(&mut self, after: u64) {
        self.max = self.max.max(after);
    }

    /// What was sent last ended before `after`: sending goes on there.
    pub(super) fn move_to(&mut self, after: u64) {
        debug_assert!(self.una <= after && after <= self.max);
        self.nxt = after;
    }

    /// The same where something may have been sent out of turn.
    pub(super) fn move_past(&mut self, after: u64) {
        self.move_to(self.nxt.max(after));
    }

    /// What is below `end` has arrived as a block says, and is not sent again. A block may lie.
    pub(super) fn skip_to(&mut self, end: u64) {
        self.nxt = end.min(self.max);
    }

    /// What was taken back is not sent again: new data is next.
    pub(super) fn skip_to_new(&mut self) {
        self.nxt = self.max;
    }

    /// Everything not acknowledged is to be sent again.
    pub(super) fn go_back(&mut self) {
        self.nxt = self.una;
    }

    /// Everything below `ack` is acknowledged; gives the bytes of data among it that were not before.
    pub(super) fn advance(&mut self, ack: u64) -> u64 {
        debug_assert!(self.una <= ack && ack <= self.max);
        // Neither the SYN nor the FIN is data.
        let data = ack.min(self.data_end) - self.una.clamp(1, self.data_end);
        self.una = ack;
        self.nxt = self.nxt.max(ack);
        data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_goes_through_its_numbers() {
        let mut seq = SequenceSpace::new(100);
        seq.use_syn();
        assert_eq!((seq.advance(1), seq.has_more()), (0, false), "the SYN is no data");
        seq.offer(250);
        assert_eq!([1, 101, 201, 150].map(|from| seq.segment_end(from)), [101, 201, 251, 201]);
        seq.note_sent(251);
        seq.move_to(251);
        assert_eq!((seq.in_flight(), seq.last_segment()), (250, 201));
        assert_eq!(seq.advance(101), 100);
        seq.go_back();
        assert_eq!((seq.in_flight(), seq.outstanding(), seq.is_going_over()), (0, 150, true));
        seq.skip_to(1000);
        assert_eq!(seq.nxt(), 251, "a block beyond what was sent is a lie");
        seq.close(true);
        assert_eq!((seq.end(), seq.fin_after(201), seq.fin_after(251)), (252, 0, 1));
        seq.note_sent(252);
        assert_eq!((seq.advance(252), seq.is_idle()), (150, true), "the FIN is no data");
    }

    #[test]
    fn an_endless_offer_ends_with_what_was_sent() {
        let mut seq = SequenceSpace::new(100);
        seq.use_syn();
        seq.offer(u64::MAX);
        seq.note_sent(301);
        seq.close(false);
        assert_eq!((seq.data_end(), seq.end(), seq.is_closing()), (301, 301, true));
    }
}
