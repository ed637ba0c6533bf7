//! A-MSDU: several packets for one receiver in one MPDU, which all come or none (IEEE 802.11-2020 9.3.2.2 and 10.11).
//!
//! The first packet stands for the MPDU everywhere else; here stands which others go with it.

use std::collections::VecDeque;

use super::queue::Waiting;
use hopscope_core::ids::PacketId;

/// Bytes before each MSDU of an A-MSDU: destination and source address, length (9.3.2.2.2).
const SUBFRAME_HEADER: u32 = 14;

/// The packets that go with another one, by that one.
#[derive(Debug, Default)]
pub(super) struct Bundles(Vec<(PacketId, Vec<PacketId>)>);

impl Bundles {
    /// What goes with a packet; nothing where it is alone.
    pub(super) fn of(&self, first: PacketId) -> &[PacketId] {
        self.0.iter().find(|(packet, _)| *packet == first).map_or(&[], |(_, rest)| rest)
    }

    /// These go with a packet.
    pub(super) fn add(&mut self, first: PacketId, rest: Vec<PacketId>) {
        if !rest.is_empty() {
            self.0.push((first, rest));
        }
    }

    /// Takes out what goes with a packet.
    pub(super) fn take(&mut self, first: PacketId) -> Vec<PacketId> {
        let place = self.0.iter().position(|(packet, _)| *packet == first);
        place.map(|place| self.0.swap_remove(place).1).unwrap_or_default()
    }
}

/// Makes an A-MSDU of the packet at `place` and those behind it for the same receiver and traffic identifier, as long as its MPDU
/// `fits` with so many bytes, of which `overhead` are not its body. Gives the packets that went into it.
pub(super) fn build(
    waiting: &mut VecDeque<Waiting>,
    place: usize,
    overhead: u32,
    fits: impl Fn(u32) -> bool,
) -> Vec<PacketId> {
    let first = waiting[place];
    let mut body = SUBFRAME_HEADER + first.bytes - overhead;
    let mut rest = Vec::new();
    let next = |waiting: &VecDeque<Waiting>| {
        (place + 1..waiting.len()).find(|&n| waiting[n].to == first.to && waiting[n].tid == first.tid)
    };
    while let Some(n) = next(waiting) {
        let longer = body.next_multiple_of(4) + SUBFRAME_HEADER + waiting[n].bytes - overhead;
        if !fits(overhead + longer) {
            break;
        }
        body = longer;
        rest.extend(waiting.remove(n).map(|one| one.packet));
    }
    // A packet alone goes as a plain MSDU.
    if !rest.is_empty() {
        waiting[place].bytes = overhead + body;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::ids::NodeId;
    use hopscope_core::units::Time;

    fn queue(of: &[(u32, u32)]) -> VecDeque<Waiting> {
        let one = |(n, &(to, bytes)): (usize, &(u32, u32))| Waiting {
            packet: PacketId(n as u32),
            to: NodeId(to),
            tid: 0,
            bytes,
            since: Time::ZERO,
            failures: 0,
        };
        of.iter().enumerate().map(one).collect()
    }

    #[test]
    fn an_amsdu_takes_what_fits_of_one_receiver() {
        // Five packets of 100 bytes with LLC (MPDU 130), the third for another station. Subframes of 114 bytes, padded to 116.
        let mut waiting = queue(&[(1, 130), (1, 130), (2, 130), (1, 130), (1, 130)]);
        let rest = build(&mut waiting, 0, 30, |mpdu| mpdu <= 30 + 116 + 116 + 114);
        assert_eq!(rest, [PacketId(1), PacketId(3)]);
        assert_eq!(
            waiting.iter().map(|one| (one.packet.0, one.bytes)).collect::<Vec<_>>(),
            [(0, 376), (2, 130), (4, 130)]
        );
    }

    #[test]
    fn a_packet_alone_stays_an_msdu() {
        let mut waiting = queue(&[(1, 130), (2, 130)]);
        assert!(build(&mut waiting, 0, 30, |_| true).is_empty());
        assert_eq!(waiting[0].bytes, 130);
    }
}
