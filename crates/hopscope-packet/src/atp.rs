//! Packets of ATP (Sundaresan et al. 2003). No format is published: the header is Hopscope's.

/// Most SACK blocks in one packet.
pub const MOST_BLOCKS: usize = 20;
/// Bytes of a header without blocks, and of a block.
const HEADER: u32 = 16;
const BLOCK: u32 = 4;

/// A packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AtpPacket {
    /// What it is for.
    pub kind: AtpKind,
    /// Of data and probes their number, from 0; of feedback the first number that has not come.
    pub number: u32,
    /// Payload bytes.
    pub len: u32,
    /// Microseconds. Of data and probes the largest Q + T among the nodes passed so far; of feedback the receiver's average. 0: not
    /// known.
    pub delay: u32,
    /// This copy repeats data sent before.
    pub retransmission: bool,
    /// Feedback: what has come beyond the first one missing.
    pub runs: SackRuns,
}

/// What a packet is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AtpKind {
    /// Data.
    #[default]
    Data = 0,
    /// It asks for the rate of the path (quick start), with data or without.
    Probe = 1,
    /// What the receiver says at the end of an epoch.
    Feedback = 2,
    /// The answer to a probe.
    Answer = 3,
}

impl AtpKind {
    /// Every kind, by its number.
    pub const ALL: [AtpKind; 4] = [AtpKind::Data, AtpKind::Probe, AtpKind::Feedback, AtpKind::Answer];
}

/// Packets that have come beyond the first one missing: so many are missing since the block before, or since the first one
/// missing, then so many have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SackRun {
    /// Packets missing.
    pub gap: u16,
    /// Packets that have come.
    pub length: u16,
}

/// SACK blocks, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SackRuns {
    count: u8,
    /// There was no room for all: nothing is said of what is behind the last one.
    pub is_partial: bool,
    runs: [SackRun; MOST_BLOCKS],
}

impl SackRuns {
    /// All of them.
    pub fn all(&self) -> &[SackRun] {
        &self.runs[..usize::from(self.count)]
    }

    /// Adds one; false where there is no room.
    pub fn push(&mut self, run: SackRun) -> bool {
        // No panic where the room ends: the receiver says what it can, and marks the rest as unsaid.
        let place = self.runs.get_mut(usize::from(self.count));
        let has_room = place.is_some();
        if let Some(place) = place {
            *place = run;
            self.count += 1;
        }
        has_room
    }
}

impl AtpPacket {
    /// It belongs to a source: data, or a probe.
    #[inline]
    pub fn is_data(&self) -> bool {
        matches!(self.kind, AtpKind::Data | AtpKind::Probe)
    }

    /// Bytes of its header.
    pub fn header_bytes(&self) -> u32 {
        HEADER + BLOCK * u32::from(self.runs.count)
    }

    /// The blocks as first number and first number behind, in order.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        // Each run counts from the one before, so that 16 bits do wherever the numbers are.
        let mut at = u64::from(self.number);
        self.runs.all().iter().map(move |run| {
            let from = at + u64::from(run.gap);
            at = from + u64::from(run.length);
            (from, at)
        })
    }

    /// The packet comes from a node whose Q + T is so many microseconds.
    pub fn pass(&mut self, delay: u32) {
        // Feedback carries the receiver's average back, which the nodes on the way must leave alone.
        if self.is_data() {
            self.delay = self.delay.max(delay);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_counted_from_the_first_one_missing() {
        let mut packet = AtpPacket { kind: AtpKind::Feedback, number: 10, ..AtpPacket::default() };
        assert!(packet.runs.push(SackRun { gap: 2, length: 3 }) && packet.runs.push(SackRun { gap: 1, length: 1 }));
        assert_eq!(packet.ranges().collect::<Vec<_>>(), [(12, 15), (16, 17)]);
        assert_eq!(packet.header_bytes(), 24);
        let more = (2..MOST_BLOCKS + 1).map(|_| packet.runs.push(SackRun { gap: 1, length: 1 }));
        assert_eq!(more.filter(|had_room| *had_room).count(), MOST_BLOCKS - 2, "the last finds no room");
    }

    #[test]
    fn the_largest_delay_stays_and_feedback_is_not_stamped() {
        let mut data = AtpPacket::default();
        [700, 900, 800].into_iter().for_each(|delay| data.pass(delay));
        assert_eq!(data.delay, 900);
        let mut feedback = AtpPacket { kind: AtpKind::Feedback, delay: 50, ..data };
        feedback.pass(9_000);
        assert_eq!(feedback.delay, 50);
    }

    #[test]
    fn it_takes_no_more_room_than_other_transports() {
        // Packets are copied at every hop: the largest body decides what each of them costs.
        let (atp, tcp) = (size_of::<AtpPacket>(), size_of::<crate::tcp::TcpSegment>());
        assert!(atp <= tcp, "{atp} {tcp}");
    }
}
