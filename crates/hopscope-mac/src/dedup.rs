//! Duplicate filter (IEEE 802.11-2020 10.3.2.14): a cache of <address 2, sequence number, fragment number>, the last one
//! of each neighbour, which sends one packet after the other. Only a frame with the Retry bit can be a duplicate: the
//! numbers of a sender are one modulo-4096 counter over all its receivers, so that they come again. It also shows whether
//! a fragment continues the packet before it, and counts the packets of each neighbour.

use smallvec::SmallVec;

use crate::frame::SequenceControl;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};

/// What was heard last from a neighbour. Eight bytes: two neighbours fit the first cache line of a MAC, and a node of a chain
/// has no more.
#[derive(Debug, Clone, Copy)]
struct Last {
    from: NodeId,
    control: SequenceControl,
    packets: CountOrStart,
}

const _: () = assert!(size_of::<Last>() == 8);

/// What a neighbour's packets leave besides the number of the last one, in 16 bits. It means one of two things, the same for all
/// neighbours of a MAC: whoever takes whole packets counts them here, whoever takes fragments keeps when the first one came.
/// Nobody needs both: fragments are counted in [`PacketCounts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CountOrStart(u16);

impl CountOrStart {
    /// Packets that make the count begin again.
    const ROUND: u64 = 1 << 16;
    /// Unit of the start (IEEE 802.11-2020 3: TU). It wraps after 67 s; no packet is waited for longer than a minute.
    const UNIT: Span = Span::from_micros(1_024);

    /// The first packet has come.
    fn counting() -> Self {
        CountOrStart(1)
    }

    /// One more has come; true when that makes a round.
    #[inline(always)]
    fn count(&mut self) -> bool {
        self.0 = self.0.wrapping_add(1);
        self.0 == 0
    }

    /// The packets of the round under way.
    fn counted(self) -> u64 {
        u64::from(self.0)
    }

    /// The first fragment of a packet comes now.
    fn starting(now: Time) -> Self {
        CountOrStart((now.0 / Self::UNIT.0) as u16)
    }

    /// Time since then, in whole units.
    fn age(self, now: Time) -> Span {
        Self::UNIT * u64::from(Self::starting(now).0.wrapping_sub(self.0))
    }
}

/// Last sequence control field heard from each neighbour.
#[derive(Debug, Default)]
pub struct Dedup {
    last: SmallVec<[Last; 2]>,
}

/// Packets of each neighbour that [`Last`] has no room for: all that came in fragments, otherwise 65,536 at a time. It lies apart
/// so that the filter keeps its place in the first cache line of a MAC.
#[derive(Debug, Default)]
pub struct PacketCounts(Vec<(NodeId, u64)>);

impl PacketCounts {
    #[cold]
    fn add(&mut self, from: NodeId, packets: u64) {
        match self.0.iter_mut().find(|(node, _)| *node == from) {
            Some((_, sum)) => *sum += packets,
            None => self.0.push((from, packets)),
        }
    }
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

impl Dedup {
    /// Notes a frame; true when it repeats the last one of that neighbour. `may_repeat` says whether it can be a repetition at
    /// all; other frames count as packets of the neighbour.
    #[inline(always)]
    pub fn is_duplicate(
        &mut self,
        from: NodeId,
        control: SequenceControl,
        may_repeat: impl FnOnce() -> bool,
        packet_counts: &mut PacketCounts,
    ) -> bool {
        let Some(last) = self.last.iter_mut().find(|last| last.from == from) else {
            self.last.push(Last { from, control, packets: CountOrStart::counting() });
            return false;
        };
        if last.control == control && may_repeat() {
            return true;
        }
        last.control = control;
        // Rare: once in 65,536 packets of a neighbour.
        if last.packets.count() {
            packet_counts.add(from, CountOrStart::ROUND);
        }
        false
    }

    /// The packets of each neighbour so far, by its number; `cut`: they come in fragments.
    pub fn packets(&self, packet_counts: &PacketCounts, cut: bool) -> Vec<(NodeId, u64)> {
        let beyond = |from| packet_counts.0.iter().find(|(node, _)| *node == from).map_or(0, |(_, sum)| *sum);
        let own = |last: &Last| if cut { 0 } else { last.packets.counted() };
        let mut found: Vec<_> = self.last.iter().map(|last| (last.from, own(last) + beyond(last.from))).collect();
        found.sort_unstable();
        found
    }

    /// Notes a fragment, `end`: the last of its packet; `may_repeat` as above. A packet is given up when its first fragment came more than
    /// `lifetime` (at most a minute) ago.
    pub fn take_fragment(
        &mut self,
        from: NodeId,
        (control, end): (SequenceControl, bool),
        may_repeat: bool,
        now: Time,
        lifetime: Span,
        packet_counts: &mut PacketCounts,
    ) -> Fragment {
        let what = self.classify_fragment(from, (control, end), may_repeat, now, lifetime);
        if end && what == Fragment::Continues {
            packet_counts.add(from, 1);
        }
        what
    }

    fn classify_fragment(
        &mut self,
        from: NodeId,
        (control, end): (SequenceControl, bool),
        may_repeat: bool,
        now: Time,
        lifetime: Span,
    ) -> Fragment {
        let first = control.is_first();
        let Some(last) = self.last.iter_mut().find(|last| last.from == from) else {
            if first || end {
                self.last.push(Last { from, control, packets: CountOrStart::starting(now) });
            }
            return if first { Fragment::Continues } else { Fragment::Orphan };
        };
        if last.control == control && may_repeat {
            return Fragment::Duplicate;
        }
        if first {
            (last.control, last.packets) = (control, CountOrStart::starting(now));
            return Fragment::Continues;
        }
        if last.control == control {
            // The same numbers anew, 4096 packets later: what came before it is missing.
            return Fragment::Orphan;
        }
        let continues = last.control.next_fragment() == Some(control) && last.packets.age(now) <= lifetime;
        // An orphan leaves no trace, so that those behind it are orphans, too.
        if continues || end {
            last.control = control;
        }
        if continues { Fragment::Continues } else { Fragment::Orphan }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_frame_of_a_neighbour_is_a_duplicate() {
        let (mut dedup, mut packet_counts) = (Dedup::default(), PacketCounts::default());
        let mut repeats =
            |from, seq| dedup.is_duplicate(NodeId(from), SequenceControl::new(seq, 0), || true, &mut packet_counts);
        assert!(!repeats(1, 7));
        assert!(repeats(1, 7));
        assert!(!repeats(2, 7));
        assert!(!repeats(1, 8));
        assert!(!repeats(1, 7), "an older number counts as new");
        assert_eq!(dedup.packets(&packet_counts, false), [(NodeId(1), 3), (NodeId(2), 1)]);
    }

    #[test]
    fn a_frame_that_cannot_be_a_repetition_is_new_whatever_its_number() {
        let (mut dedup, mut packet_counts) = (Dedup::default(), PacketCounts::default());
        let mut repeats = |may| dedup.is_duplicate(NodeId(1), SequenceControl::new(7, 0), || may, &mut packet_counts);
        assert!(!repeats(false));
        assert!(!repeats(false), "4096 packets later");
        assert!(repeats(true));
        assert_eq!(dedup.packets(&packet_counts, false), [(NodeId(1), 2)]);
    }

    #[test]
    fn packets_are_counted_beyond_the_room_of_the_filter() {
        let (mut dedup, mut packet_counts) = (Dedup::default(), PacketCounts::default());
        for n in 0..200_000_u32 {
            for from in [9, 4] {
                let control = SequenceControl::new((n % 4096) as u16, 0);
                assert!(!dedup.is_duplicate(NodeId(from), control, || true, &mut packet_counts));
            }
        }
        dedup.is_duplicate(NodeId(4), SequenceControl::default(), || true, &mut packet_counts);
        assert_eq!(dedup.packets(&packet_counts, false), [(NodeId(4), 200_001), (NodeId(9), 200_000)]);
    }

    #[test]
    fn fragments_of_several_neighbours_continue_each_its_own_packet() {
        use Fragment::{Continues, Duplicate, Orphan};
        let (mut dedup, mut packet_counts) = (Dedup::default(), PacketCounts::default());
        let mut take = |from, fragment: u8, seq, ms| {
            let now = Time::ZERO + Span::from_millis(ms);
            let what = (SequenceControl::new(seq, fragment), fragment == 3);
            dedup.take_fragment(NodeId(from), what, true, now, Span::from_millis(500), &mut packet_counts)
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
        let whole =
            [(1, 2, 9, 530, Orphan), (2, 0, 8, 531, Continues), (2, 1, 8, 532, Continues), (2, 2, 8, 533, Continues)];
        for (from, fragment, seq, ms, expected) in
            [&whole[..], &[(2, 3, 8, 534, Continues), (2, 3, 8, 535, Duplicate)]].concat()
        {
            assert_eq!(take(from, fragment, seq, ms), expected, "fragment {fragment} of {seq} from {from}");
        }
        // Packet 8 of neighbour 2 is the only one that came to its end.
        assert_eq!(dedup.packets(&packet_counts, true), [(NodeId(1), 0), (NodeId(2), 1)]);
    }
}
