//! Where a Linux sender sets PSH (`tcp_sendmsg` and `tcp_write_xmit`, kernel 6.18).
//!
//! The send buffer is a row of chunks of half the peer's window, cut down to whole segments. The chunk that takes what
//! was written since the last mark past half the window is marked. Two segments at a time leave; a chunk that is
//! shorter is joined with its follower, one that is longer is split, and a mark always goes to the last segment sent of
//! what it was joined to. At the rates of multi-hop radio two segments are what the kernel sends at once.

/// Segments that leave together at most (`net.ipv4.tcp_min_tso_segs`).
const TOGETHER: u64 = 2;
/// Longest chunk in bytes.
const LONGEST_CHUNK: u64 = 65_536;

/// Marks in the send buffer. Numbers are sequence numbers; data starts at 1.
#[derive(Debug, Clone)]
pub(super) struct PushMarks {
    mss: u64,
    chunk: u64,
    /// Every chunk is marked; otherwise every second.
    each: bool,
    /// End of the chunk at the head, and whether it is marked.
    head: (u64, bool),
    /// End of what leaves together, and whether its last segment is marked.
    unit: (u64, bool),
}

impl PushMarks {
    /// Marks for segments of `mss` bytes towards a receiver with a window of `window` bytes.
    pub(super) fn new(mss: u64, window: u64) -> Self {
        let half = window / 2;
        let chunk = (half.min(LONGEST_CHUNK) / mss).max(1) * mss;
        PushMarks { mss, chunk, each: chunk > half, head: (1, false), unit: (1, false) }
    }

    /// The segment `[seq, after)` leaves for the first time, data being offered up to `end`; true when it carries PSH.
    /// From `seq` on the congestion window has room for `quota` segments and both windows for `room`.
    pub(super) fn mark(&mut self, seq: u64, after: u64, quota: u64, room: u64, end: u64) -> bool {
        if seq >= self.unit.0 {
            self.start_unit(seq, quota.clamp(1, TOGETHER) * self.mss, room.clamp(1, TOGETHER) * self.mss, end);
        }
        after == end || (after >= self.unit.0 && self.unit.1)
    }

    /// The kernel joins as much as the congestion window allows before it looks at the receiver's.
    fn start_unit(&mut self, seq: u64, quota: u64, room: u64, end: u64) {
        if seq >= self.head.0 {
            self.head = self.chunk_at(seq);
        }
        if self.head.0 - seq < quota && self.head.0 < end {
            let (next_end, marked) = self.chunk_at(self.head.0);
            let joined = next_end.min(seq + quota);
            self.head = (joined, self.head.1 || (marked && joined == next_end));
        }
        // Split: the mark stays with the rest.
        let most = quota.min(room);
        self.unit = if self.head.0 - seq > most { (seq + most, false) } else { self.head };
    }

    /// End and mark of the chunk that holds `seq`.
    fn chunk_at(&self, seq: u64) -> (u64, bool) {
        let number = (seq - 1) / self.chunk + 1;
        (1 + number * self.chunk, self.each || number % 2 == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marked segments among the first ones, sent in bursts of the given sizes, again and again.
    fn marked(window: u64, bursts: &[u64], segments: u64) -> Vec<u64> {
        let mut marks = PushMarks::new(1000, window * 1000);
        let mut found = Vec::new();
        let mut segment = 0;
        for burst in bursts.iter().cycle() {
            for left in (1..=*burst).rev() {
                segment += 1;
                if segment > segments {
                    return found;
                }
                let seq = 1 + (segment - 1) * 1000;
                if marks.mark(seq, seq + 1000, 9, left, u64::MAX) {
                    found.push(segment);
                }
            }
        }
        found
    }

    #[test]
    fn marks_move_to_the_end_of_what_leaves_together() {
        assert_eq!(marked(1, &[1], 4), [0_u64; 0], "every segment is joined and split again");
        assert_eq!(marked(3, &[2], 8), [2, 4, 6, 8], "pairs");
        assert_eq!(marked(3, &[3, 2], 10), [2, 5, 7, 10], "the odd one leaves its mark to the next");
        assert_eq!(marked(3, &[2, 2, 1], 15), [2, 4, 7, 9, 12, 14], "what a window of three leads to");
        assert_eq!(marked(4, &[2], 12), [4, 8, 12], "chunks of two, every second marked");
        assert_eq!(marked(8, &[2], 20), [8, 16], "chunks of four");
    }

    #[test]
    fn the_end_of_the_data_is_marked() {
        let mut marks = PushMarks::new(1000, 32_000);
        assert!(!marks.mark(1, 1001, 5, 5, 1401));
        assert!(marks.mark(1001, 1401, 4, 4, 1401));
    }
}
