//! Originator and recipient over a link that loses MPDUs, Block Acks and requests.

use hopscope_core::ids::PacketId;
use hopscope_core::units::{Span, Time};
use hopscope_testing::property;
use proptest::prelude::*;

use super::sequence::ahead;
use super::{Bitmap, Originator, Outstanding, Recipient};

/// Losses in the order of what is sent; none beyond the list.
struct Losses(std::vec::IntoIter<bool>);

impl Losses {
    fn lost(&mut self) -> bool {
        self.0.next().unwrap_or(false)
    }
}

/// How the originator uses the agreement.
#[derive(Debug, Clone, Copy)]
struct Use {
    start: u16,
    size: u16,
    /// Most MPDUs of a PPDU.
    aggregate: usize,
    /// After a missing Block Ack all is sent again; else a request is sent.
    resend: bool,
    /// MPDUs are given up after so many attempts.
    limit: Option<u16>,
}

struct Link {
    uses: Use,
    losses: Losses,
    originator: Originator,
    recipient: Recipient<PacketId>,
    /// In the order in which they went up, were acknowledged and given up.
    delivered: Vec<PacketId>,
    acked: Vec<Outstanding>,
    given_up: Vec<Outstanding>,
    now: Time,
}

impl Link {
    fn new(uses: Use, losses: Vec<bool>) -> Self {
        Link {
            uses,
            losses: Losses(losses.into_iter()),
            originator: Originator::new(uses.start, uses.size),
            recipient: Recipient::new(uses.start, uses.size, None),
            delivered: Vec::new(),
            acked: Vec::new(),
            given_up: Vec::new(),
            now: Time::ZERO,
        }
    }

    /// One exchange; false when nothing is left to send.
    fn exchange(&mut self, packets: &mut impl Iterator<Item = PacketId>) -> bool {
        self.now += Span::from_millis(5);
        if let Some(ssn) = self.originator.request_needed() {
            self.originator.on_request_sent();
            let came = !self.losses.lost();
            if came {
                self.recipient.on_request(ssn, Time::ZERO, &mut self.delivered);
            }
            self.answer(came);
            return true;
        }
        let mut ppdu: Vec<Outstanding> = self.originator.to_send().take(self.uses.aggregate).copied().collect();
        while ppdu.len() < self.uses.aggregate && self.originator.has_room() {
            let Some(packet) = packets.next() else { break };
            ppdu.extend(self.originator.next((packet, 1_538), self.now, 0));
        }
        self.originator.on_sent(ppdu.iter().map(|mpdu| mpdu.seq));
        match ppdu[..] {
            [] => return false,
            [mpdu] => {
                if self.arrives(mpdu) && !self.losses.lost() {
                    self.acked.extend(self.originator.on_ack(mpdu.seq));
                } else {
                    self.originator.on_missing(true);
                }
            }
            _ => {
                let came = ppdu.iter().filter(|&&mpdu| self.arrives(mpdu)).count();
                self.answer(came > 0);
            }
        }
        let limit = self.uses.limit.unwrap_or(u16::MAX);
        self.originator.give_up(|mpdu| mpdu.attempts >= limit, &mut self.given_up);
        true
    }

    /// True when the MPDU has come.
    fn arrives(&mut self, mpdu: Outstanding) -> bool {
        let lost = self.losses.lost();
        if !lost {
            self.recipient.on_mpdu(mpdu.seq, mpdu.packet, self.now, &mut self.delivered);
        }
        !lost
    }

    /// The Block Ack, if the recipient sends one, and it is not lost.
    fn answer(&mut self, sent: bool) {
        if sent && !self.losses.lost() {
            let (ssn, bitmap): (u16, Bitmap) = self.recipient.block_ack();
            self.originator.on_block_ack(ssn, &bitmap, &mut self.acked);
        } else {
            self.originator.on_missing(self.uses.resend);
        }
    }
}

fn uses(limit: impl Strategy<Value = Option<u16>>) -> impl Strategy<Value = Use> {
    let size = prop_oneof![1u16..=8, Just(64), Just(256)];
    (0u16..4096, size, 1usize..70, any::<bool>(), limit).prop_map(|(start, size, aggregate, resend, limit)| Use {
        start,
        size,
        aggregate,
        resend,
        limit,
    })
}

/// One in so many is lost, in stretches too.
fn losses() -> impl Strategy<Value = Vec<bool>> {
    let lost = prop_oneof![proptest::bool::weighted(0.1), proptest::bool::weighted(0.5), Just(true)];
    proptest::collection::vec(lost, 0..600)
}

/// Packets of a sender, fewer or more than the numbers of the sequence.
fn packets() -> impl Strategy<Value = u32> {
    prop_oneof![0u32..100, 4_000u32..4_500]
}

fn run(uses: Use, losses: Vec<bool>, count: u32) -> Link {
    let (mut link, mut packets) = (Link::new(uses, losses), (0..count).map(PacketId));
    while link.exchange(&mut packets) {
        let ssn = link.recipient.block_ack().0;
        let ahead = link.originator.to_send().all(|mpdu| ahead(ssn, mpdu.seq).is_some());
        assert!(ahead, "the scoreboard has left none behind that is to be sent");
    }
    assert!(link.originator.is_idle() && packets.next().is_none());
    link
}

proptest! {
    #![proptest_config(property(400))]

    /// Where nothing is given up every packet comes once and in order, and the originator learns it.
    #[test]
    fn every_packet_comes_once_and_in_order(uses in uses(Just(None)), losses in losses(), count in packets()) {
        let link = run(uses, losses, count);
        let all: Vec<PacketId> = (0..count).map(PacketId).collect();
        prop_assert_eq!(&link.delivered, &all);
        let mut acked: Vec<PacketId> = link.acked.iter().map(|mpdu| mpdu.packet).collect();
        acked.sort_unstable();
        prop_assert_eq!(acked, all);
        prop_assert!(link.given_up.is_empty());
    }

    /// Where some are given up the others come once and in order, and none is held up by them for good.
    #[test]
    fn what_is_given_up_holds_nothing_up(uses in uses((1u16..5).prop_map(Some)), losses in losses(), count in packets()) {
        let link = run(uses, losses, count);
        prop_assert!(link.delivered.is_sorted_by(|a, b| a < b));
        let (acked, given_up) = (link.acked, link.given_up);
        let mut ended: Vec<PacketId> = acked.iter().chain(&given_up).map(|mpdu| mpdu.packet).collect();
        ended.sort_unstable();
        prop_assert_eq!(ended, (0..count).map(PacketId).collect::<Vec<_>>());
        prop_assert!(acked.iter().all(|mpdu| link.delivered.binary_search(&mpdu.packet).is_ok()));
        let limit = uses.limit.expect("a limit");
        prop_assert!(given_up.iter().all(|mpdu| mpdu.attempts == limit));
    }
}
