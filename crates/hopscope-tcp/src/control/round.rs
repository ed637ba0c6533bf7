//! Round trips, distinguished by the data sent in them.

/// The round under way: it ends when what was unsent at its start is acknowledged.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Round {
    end: u64,
}

impl Round {
    /// Everything below `una` is acknowledged, `nxt` goes out next; true once per round trip.
    pub(super) fn ended(&mut self, una: u64, nxt: u64) -> bool {
        let over = una > self.end;
        if over {
            self.end = nxt;
        }
        over
    }
}
