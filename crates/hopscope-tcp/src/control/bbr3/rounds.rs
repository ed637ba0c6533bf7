//! Round trips counted by packets (draft-ietf-ccwg-bbr 5.5.1): a round lasts from a segment's departure to its ACK,
//! however long that takes, so that what is decided once a round has seen the answer to what was decided before.

/// The count of rounds.
#[derive(Debug, Clone)]
pub(super) struct Rounds {
    /// Bytes known to have arrived.
    pub(super) delivered: u64,
    /// The round ends when a segment sent after this many delivered bytes is acknowledged.
    end: u64,
    /// The ACK at hand has started one.
    pub(super) starts: bool,
    pub(super) count: u64,
}

impl Rounds {
    pub(super) fn new() -> Self {
        Rounds { delivered: 0, end: 0, starts: false, count: 0 }
    }

    /// The round begins anew, with what leaves from now on (StartRound).
    pub(super) fn restart(&mut self) {
        self.end = self.delivered;
    }

    /// An ACK of a segment that left when `prior` bytes were delivered; true where it starts a round (UpdateRound).
    pub(super) fn update(&mut self, prior: Option<u64>) -> bool {
        self.starts = prior.is_some_and(|prior| prior >= self.end);
        if self.starts {
            self.restart();
            self.count += 1;
        }
        self.starts
    }
}
