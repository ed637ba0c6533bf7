//! The sender's record of data acknowledged selectively (RFC 2018), with the questions RFC 6675 asks of it.

use hopscope_packet::tcp::SackBlock;

/// Disjoint, non-adjacent blocks above the cumulative ACK, in order.
#[derive(Debug, Clone)]
pub(super) struct Scoreboard {
    blocks: Vec<SackBlock>,
    /// Blocks whose count above a hole marks it lost, and the byte rule derived from it.
    threshold: u64,
    mss: u64,
    /// Losses are found by the highest segment reported (Mathis and Mahdavi 1996).
    pub(super) fack: bool,
    /// First number never retransmitted in this recovery (RFC 6675 HighRxt + 1).
    pub(super) high_rxt: u64,
}

impl Scoreboard {
    pub(super) fn new(threshold: u32, mss: u64, fack: bool) -> Self {
        Scoreboard { blocks: Vec::with_capacity(64), threshold: u64::from(threshold), mss, fack, high_rxt: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.high_rxt = 0;
    }

    /// Takes the blocks of an ACK; true when the record changed by more than the advance of `una`.
    pub(super) fn update(&mut self, una: u64, blocks: &[SackBlock]) -> bool {
        self.advance(una);
        let mut changed = false;
        for block in blocks {
            if block.end > block.start && block.start > una {
                changed |= self.insert(*block);
            }
        }
        changed
    }

    /// Forgets what the cumulative ACK covers.
    fn advance(&mut self, una: u64) {
        let gone = self.blocks.partition_point(|b| b.end <= una);
        self.blocks.drain(..gone);
        if let Some(first) = self.blocks.first_mut() {
            first.start = first.start.max(una);
        }
    }

    fn insert(&mut self, mut new: SackBlock) -> bool {
        // The run of blocks that touch or overlap the new one.
        let from = self.blocks.partition_point(|b| b.end < new.start);
        // Touching blocks join as well: there is no hole between them.
        let to = self.blocks.partition_point(|b| b.start <= new.end);
        if to > from {
            let (first, last) = (self.blocks[from], self.blocks[to - 1]);
            if to == from + 1 && first.start <= new.start && first.end >= new.end {
                return false;
            }
            new = SackBlock { start: new.start.min(first.start), end: new.end.max(last.end) };
            self.blocks.drain(from..to);
        }
        self.blocks.insert(from, new);
        true
    }

    /// End of the block that holds `seq`, if one does.
    pub(super) fn held_until(&self, seq: u64) -> Option<u64> {
        let at = self.blocks.partition_point(|b| b.end <= seq);
        self.blocks.get(at).filter(|b| b.start <= seq).map(|b| b.end)
    }

    /// The number after the highest byte held; 0 if none is.
    pub(super) fn highest(&self) -> u64 {
        self.blocks.last().map_or(0, |b| b.end)
    }

    /// Bytes held below `seq`.
    pub(super) fn held_below(&self, seq: u64) -> u64 {
        self.blocks.iter().take_while(|b| b.start < seq).map(|b| b.end.min(seq) - b.start).sum()
    }

    /// The first hole at or after `from` below the highest block: `[start, end)`.
    pub(super) fn next_hole(&self, from: u64) -> Option<SackBlock> {
        let start = self.held_until(from).unwrap_or(from);
        let at = self.blocks.partition_point(|b| b.end <= start);
        self.blocks.get(at).map(|b| SackBlock { start, end: b.start })
    }

    /// Forward acknowledgement: everything below it that is not held is lost. Segments end at multiples of the MSS.
    fn forward(&self) -> u64 {
        let highest = self.highest().saturating_sub(1);
        1 + (highest.div_ceil(self.mss) * self.mss).saturating_sub((self.threshold + 1) * self.mss)
    }

    /// RFC 6675 IsLost: enough data above `seq` has arrived to give it up.
    pub(super) fn is_lost(&self, seq: u64) -> bool {
        if self.fack {
            return seq < self.forward();
        }
        let above = self.blocks.partition_point(|b| b.end <= seq);
        let blocks = &self.blocks[above..];
        blocks.len() as u64 >= self.threshold
            || blocks.iter().map(|b| b.end - b.start.max(seq)).sum::<u64>() > (self.threshold - 1) * self.mss
    }

    /// Everything below the last hole given up: the number after that hole; 0 without one.
    pub(super) fn lost_below(&self) -> u64 {
        let lost = self.blocks.iter().rev().find(|block| self.is_lost(block.start - 1));
        lost.map_or(0, |block| block.start)
    }

    /// RFC 6675 SetPipe: bytes of `[una, nxt)` believed to be in the network.
    pub(super) fn pipe(&self, una: u64, nxt: u64) -> u64 {
        let mut pipe = 0;
        let mut seq = una;
        for block in &self.blocks {
            if block.start > seq {
                pipe += self.in_flight(seq, block.start);
            }
            seq = seq.max(block.end);
        }
        if nxt > seq {
            pipe += nxt - seq + self.repeated(seq, nxt);
        }
        pipe
    }

    /// Bytes of the hole in the network: the original unless given up, and the repetition if there was one.
    fn in_flight(&self, start: u64, end: u64) -> u64 {
        let lost_until = match self.fack {
            true => self.forward().clamp(start, end),
            false if self.is_lost(start) => end,
            false => start,
        };
        end - lost_until + self.repeated(start, end)
    }

    fn repeated(&self, start: u64, end: u64) -> u64 {
        self.high_rxt.clamp(start, end) - start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(start: u64, end: u64) -> SackBlock {
        SackBlock { start, end }
    }

    fn board(blocks: &[SackBlock]) -> Scoreboard {
        let mut board = Scoreboard::new(3, 100, false);
        board.update(0, blocks);
        board
    }

    #[test]
    fn blocks_merge_and_stay_in_order() {
        let mut b = board(&[block(500, 600), block(100, 200), block(300, 400)]);
        assert_eq!(b.blocks, [block(100, 200), block(300, 400), block(500, 600)]);
        assert!(b.update(0, &[block(200, 300)]), "fills the gap");
        assert_eq!(b.blocks, [block(100, 400), block(500, 600)]);
        assert!(!b.update(0, &[block(150, 350)]), "nothing new");
        assert!(b.update(0, &[block(50, 700)]));
        assert_eq!(b.blocks, [block(50, 700)]);
        assert!(!b.update(600, &[]));
        assert_eq!(b.blocks, [block(600, 700)]);
        assert!(!b.update(700, &[block(300, 400)]), "an old block below the cumulative ACK");
        assert_eq!(b.blocks, []);
    }

    #[test]
    fn holes_are_those_below_the_highest_block() {
        let b = board(&[block(100, 200), block(300, 400)]);
        assert_eq!(b.next_hole(0), Some(block(0, 100)));
        assert_eq!(b.next_hole(50), Some(block(50, 100)));
        assert_eq!(b.next_hole(100), Some(block(200, 300)));
        assert_eq!(b.next_hole(300), None);
        assert_eq!(b.held_until(150), Some(200));
        assert_eq!(b.held_until(200), None);
        assert_eq!((b.held_below(100), b.held_below(350), b.held_below(900)), (0, 150, 200));
    }

    #[test]
    fn lost_by_three_blocks_or_by_more_than_two_segments_above() {
        assert!(!board(&[block(100, 300)]).is_lost(0), "exactly two segments are not enough");
        assert!(board(&[block(100, 301)]).is_lost(0));
        let b = board(&[block(100, 110), block(200, 210), block(300, 310)]);
        assert!(b.is_lost(0));
        assert!(!b.is_lost(110), "two blocks above");
    }

    #[test]
    fn forward_acknowledgement_gives_up_what_lies_more_than_three_segments_below_the_highest() {
        let mut b = board(&[block(301, 401)]);
        b.fack = true;
        assert!(!b.is_lost(1), "three segments below");
        b.update(1, &[block(401, 501)]);
        assert!(b.is_lost(1) && !b.is_lost(101));
        assert_eq!(b.pipe(1, 601), 300, "one of three is lost, the tail is not");
        b.high_rxt = 101;
        assert_eq!(b.pipe(1, 601), 400, "and was sent again");
    }

    #[test]
    fn pipe_counts_originals_not_given_up_and_repetitions() {
        let mut b = board(&[block(100, 500)]);
        assert_eq!(b.pipe(0, 800), 300, "the hole is lost, the tail is not");
        b.high_rxt = 100;
        assert_eq!(b.pipe(0, 800), 400, "the hole was sent again");
        let b = board(&[block(100, 200)]);
        assert_eq!(b.pipe(0, 300), 200, "the hole is not lost yet");
    }
}
