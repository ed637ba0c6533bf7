//! Duplicate filter (IEEE 802.11-2020 10.3.2.14): a cache of <address 2, sequence number, fragment number>, the last one
//! of each neighbour, which sends one packet after the other. Only a frame with the Retry bit can be a duplicate: the
//! numbers of a sender are one modulo-4096 counter over all its receivers, so that they come again. It also tells whether
//! a fragment continues the packet before it.

use smallvec::SmallVec;

use crate::ids::NodeId;
use crate::units::{Span, Time};

/// What was heard last from a neighbour.
#[derive(Debug, Clone, Copy)]
struct Last {
    from: NodeId,
    /// Fragment number (upper four bits) and sequence number.
    seq: u16,
    /// When the first fragment of the packet came, in units of 1024 us; it wraps after 67 s.
    since: u16,
}

const _: () = assert!(size_of::<Last>() == 8);

/// Last sequence control field heard from each neighbour.
#[derive(Debug, Default)]
pub struct Dedup {
    last: SmallVec<[Last; 2]>,
}

/// What a fragment is to its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fragment {
    /// The first of a packet, or the one that follows what was heard before.
    Continues,
    /// Heard before.
    Duplicate,
    /// One before it is missing, or its packet has been given up.
    Orphan,
}

/// Time unit of [`Last::since`] (IEEE 802.11-2016 3.1: TU).
const UNIT: Span = Span::from_micros(1_024);
/// One more in the fragment number.
const NEXT: u16 = 1 << 12;

impl Dedup {
    /// Notes a frame; true when it repeats the last one of that neighbour. `may_repeat`: it can be a repetition at all.
    pub fn is_duplicate(&mut self, from: NodeId, seq: u16, may_repeat: bool) -> bool {
        match self.last.iter_mut().find(|last| last.from == from) {
            Some(last) if last.seq == seq => may_repeat,
            Some(last) => {
                last.seq = seq;
                false
            }
            None => {
                self.last.push(Last { from, seq, since: 0 });
                false
            }
        }
    }

    /// Notes a fragment, `end`: the last of its packet; `may_repeat` as above. A packet is given up when its first fragment came more than
    /// `lifetime` (at most a minute) ago.
    pub fn take_fragment(
        &mut self,
        from: NodeId,
        (seq, end): (u16, bool),
        may_repeat: bool,
        now: Time,
        lifetime: Span,
    ) -> Fragment {
        let unit = (now.0 / UNIT.0) as u16;
        let first = seq < NEXT;
        let Some(last) = self.last.iter_mut().find(|last| last.from == from) else {
            if first || end {
                self.last.push(Last { from, seq, since: unit });
            }
            return if first { Fragment::Continues } else { Fragment::Orphan };
        };
        if last.seq == seq && may_repeat {
            return Fragment::Duplicate;
        }
        if first {
            (last.seq, last.since) = (seq, unit);
            return Fragment::Continues;
        }
        if last.seq == seq {
            // The same numbers anew, 4096 packets later: what came before it is missing.
            return Fragment::Orphan;
        }
        let continues = last.seq == seq - NEXT && UNIT * u64::from(unit.wrapping_sub(last.since)) <= lifetime;
        // An orphan leaves no trace, so that those behind it are orphans, too.
        if continues || end {
            last.seq = seq;
        }
        if continues { Fragment::Continues } else { Fragment::Orphan }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_frame_of_a_neighbour_is_a_duplicate() {
        let mut dedup = Dedup::default();
        assert!(!dedup.is_duplicate(NodeId(1), 7, true));
        assert!(dedup.is_duplicate(NodeId(1), 7, true));
        assert!(!dedup.is_duplicate(NodeId(2), 7, true));
        assert!(!dedup.is_duplicate(NodeId(1), 8, true));
        assert!(!dedup.is_duplicate(NodeId(1), 7, true), "an older number counts as new");
    }

    #[test]
    fn a_frame_that_cannot_be_a_repetition_is_new_whatever_its_number() {
        let mut dedup = Dedup::default();
        assert!(!dedup.is_duplicate(NodeId(1), 7, false));
        assert!(!dedup.is_duplicate(NodeId(1), 7, false), "4096 packets later");
        assert!(dedup.is_duplicate(NodeId(1), 7, true));
    }

    #[test]
    fn fragments_of_several_neighbours_continue_each_its_own_packet() {
        use Fragment::{Continues, Duplicate, Orphan};
        let mut dedup = Dedup::default();
        let mut take = |from, fragment: u16, seq, ms| {
            let now = Time::ZERO + Span::from_millis(ms);
            dedup.take_fragment(NodeId(from), (fragment << 12 | seq, fragment == 3), true, now, Span::from_millis(500))
        };
        let table = [
            (1, 0, 7, 0, Continues),
            (2, 0, 7, 1, Continues),
            (1, 1, 7, 2, Continues),
            (1, 1, 7, 3, Duplicate),
            (2, 2, 7, 4, Orphan), // fragment 1 never came,
            (2, 3, 7, 5, Orphan), // so that nothing behind it counts
            (1, 2, 7, 6, Continues),
            (1, 1, 8, 7, Orphan), // the first fragment of packet 8 was not heard
            (1, 0, 8, 10, Continues),
            (1, 1, 8, 500, Continues),
            (1, 2, 8, 520, Orphan), // too late
            (1, 3, 8, 521, Orphan),
            (1, 3, 8, 522, Duplicate), // the end of a lost packet is noted: it is lost once
            (1, 0, 9, 523, Continues),
            (3, 1, 1, 524, Orphan),
        ];
        for (from, fragment, seq, ms, expected) in table {
            assert_eq!(take(from, fragment, seq, ms), expected, "fragment {fragment} of {seq} from {from}");
        }
    }
}
