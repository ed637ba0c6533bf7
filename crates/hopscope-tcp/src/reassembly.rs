//! Data received out of order, and the SACK blocks that report it.

use hopscope_packet::tcp::{SackBlock, TcpSegment};

/// A run of data above a gap.
#[derive(Debug, Clone, Copy)]
struct Run {
    start: u64,
    end: u64,
    /// When it last grew or was sent again, as a count of arrivals.
    touched: u64,
}

/// The receiver's sequence space.
#[derive(Debug, Clone)]
pub(super) struct Reassembly {
    /// Next number expected in order.
    pub(super) next: u64,
    /// Disjoint, non-adjacent, in order.
    runs: Vec<Run>,
    arrivals: u64,
}

/// What a piece of data turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placed {
    /// Nothing new in it.
    Duplicate,
    /// New, above a gap.
    OutOfOrder,
    /// New in order: this many numbers can go up; `filled` when runs above a gap were or are waiting.
    InOrder { bytes: u64, filled: bool },
}

impl Reassembly {
    pub(super) fn new() -> Self {
        Reassembly { next: 0, runs: Vec::with_capacity(64), arrivals: 0 }
    }

    /// True while something above a gap is held.
    pub(super) fn has_gap(&self) -> bool {
        !self.runs.is_empty()
    }

    /// All of `[start, end)` has come.
    pub(super) fn holds(&self, start: u64, end: u64) -> bool {
        end <= self.next || self.runs.iter().any(|run| run.start <= start && end <= run.end)
    }

    /// The first stretch of `[start, end)` that has come before (RFC 2883 4).
    pub(super) fn known(&self, start: u64, end: u64) -> Option<SackBlock> {
        if start < self.next {
            return Some(SackBlock { start, end: end.min(self.next) });
        }
        let run = self.runs.iter().find(|run| run.start < end && run.end > start)?;
        Some(SackBlock { start: start.max(run.start), end: end.min(run.end) })
    }

    /// Takes `[start, end)`.
    pub(super) fn place(&mut self, start: u64, end: u64) -> Placed {
        self.arrivals += 1;
        if end <= self.next {
            return Placed::Duplicate;
        }
        if start > self.next {
            return self.insert(start, end);
        }
        let before = self.next;
        let filled = !self.runs.is_empty();
        self.next = end;
        let joined = self.runs.partition_point(|r| r.start <= self.next);
        if joined > 0 {
            self.next = self.next.max(self.runs[joined - 1].end);
            // A long piece may end inside or beyond runs joined only through it.
            let more = self.runs.partition_point(|r| r.start <= self.next);
            self.runs.drain(..more);
        }
        Placed::InOrder { bytes: self.next - before, filled }
    }

    fn insert(&mut self, start: u64, end: u64) -> Placed {
        let from = self.runs.partition_point(|r| r.end < start);
        let to = self.runs.partition_point(|r| r.start <= end);
        let touched = self.arrivals;
        if from == to {
            self.runs.insert(from, Run { start, end, touched });
            return Placed::OutOfOrder;
        }
        let (first, last) = (self.runs[from], self.runs[to - 1]);
        let known = to == from + 1 && first.start <= start && first.end >= end;
        self.runs[from] = Run { start: start.min(first.start), end: end.max(last.end), touched };
        self.runs.drain(from + 1..to);
        if known { Placed::Duplicate } else { Placed::OutOfOrder }
    }

    /// Writes blocks into an ACK up to `limit`, behind those it has: the run touched last comes first, then the others
    /// by age (RFC 2018 4).
    pub(super) fn report(&self, limit: usize, seg: &mut TcpSegment) {
        let mut reported = u64::MAX;
        let given = usize::from(seg.n_sack);
        for slot in seg.sack.iter_mut().take(limit).skip(given) {
            // Every run was touched by another arrival, so the stamps order them strictly.
            let Some(run) = self.runs.iter().filter(|r| r.touched < reported).max_by_key(|r| r.touched) else { break };
            *slot = SackBlock { start: run.start, end: run.end };
            seg.n_sack += 1;
            reported = run.touched;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(r: &Reassembly, limit: usize) -> Vec<(u64, u64)> {
        let mut seg = TcpSegment::default();
        r.report(limit, &mut seg);
        seg.sack_blocks().iter().map(|b| (b.start, b.end)).collect()
    }

    #[test]
    fn runs_join_and_go_up_once() {
        let mut r = Reassembly::new();
        assert_eq!(r.place(0, 10), Placed::InOrder { bytes: 10, filled: false });
        assert_eq!(r.place(20, 30), Placed::OutOfOrder);
        assert_eq!(r.place(40, 50), Placed::OutOfOrder);
        assert_eq!(r.place(20, 30), Placed::Duplicate);
        assert_eq!(r.place(0, 10), Placed::Duplicate);
        assert_eq!(r.place(30, 40), Placed::OutOfOrder);
        assert_eq!(report(&r, 3), [(20, 50)]);
        assert_eq!(r.place(5, 20), Placed::InOrder { bytes: 40, filled: true });
        assert!(!r.has_gap());
        assert_eq!(r.next, 50);
    }

    #[test]
    fn a_piece_longer_than_the_runs_it_covers() {
        let mut r = Reassembly::new();
        r.place(10, 12);
        r.place(14, 16);
        r.place(20, 22);
        assert_eq!(r.place(0, 18), Placed::InOrder { bytes: 18, filled: true });
        assert_eq!(report(&r, 3), [(20, 22)]);
    }

    #[test]
    fn the_block_of_the_latest_arrival_comes_first() {
        let mut r = Reassembly::new();
        for start in [20, 40, 60, 80] {
            r.place(start, start + 10);
        }
        assert_eq!(report(&r, 3), [(80, 90), (60, 70), (40, 50)]);
        assert_eq!(report(&r, 1), [(80, 90)]);
        r.place(45, 50);
        assert_eq!(report(&r, 3), [(40, 50), (80, 90), (60, 70)], "a repetition counts as an arrival");
        r.place(30, 40);
        assert_eq!(report(&r, 3), [(20, 50), (80, 90), (60, 70)]);
    }
}
