//! Exchanges of an originator, step by step.

use hopscope_core::ids::PacketId;
use hopscope_core::units::Time;

use super::{Originator, Outstanding};
use crate::block_ack::Bitmap;
use crate::block_ack::sequence::ahead;

fn seqs<'a>(mpdus: impl IntoIterator<Item = &'a Outstanding>) -> Vec<u16> {
    mpdus.into_iter().map(|mpdu| mpdu.seq).collect()
}

/// An originator whose window holds new MPDUs as far as it has room.
fn full(start: u16, size: u16) -> Originator {
    let mut originator = Originator::new(start, size);
    fill(&mut originator);
    originator
}

fn fill(originator: &mut Originator) {
    while let Some(mpdu) = originator.next((PacketId(7), 1_538), Time::ZERO, 0) {
        assert_eq!((mpdu.attempts, mpdu.mpdu().retry, mpdu.mpdu().bytes), (0, false, 1_538));
    }
}

/// Sends all that waits.
fn send(originator: &mut Originator) -> Vec<u16> {
    let sent = seqs(originator.to_send());
    originator.on_sent(sent.iter().copied());
    sent
}

/// A Block Ack that begins at `ssn` and lists these.
fn block_ack(originator: &mut Originator, ssn: u16, listed: &[u16]) -> (Vec<u16>, u32) {
    let mut bitmap = Bitmap::EMPTY;
    listed.iter().for_each(|&seq| bitmap.set(ahead(ssn, seq).expect("a number of the window")));
    let mut acked = Vec::new();
    let failed = originator.on_block_ack(ssn, &bitmap, &mut acked);
    (seqs(&acked), failed)
}

fn give_up(originator: &mut Originator, ends: impl Fn(&Outstanding) -> bool) -> Vec<u16> {
    let mut given_up = Vec::new();
    originator.give_up(ends, &mut given_up);
    seqs(&given_up)
}

#[test]
fn what_failed_goes_first_and_new_ones_fill_the_window() {
    let mut originator = full(4094, 4);
    assert_eq!(send(&mut originator), [4094, 4095, 0, 1]);
    assert!(!originator.has_room());
    assert_eq!(block_ack(&mut originator, 4094, &[4094, 0]), (vec![4094, 0], 2));
    fill(&mut originator);
    // One number has left the window: one has room, behind the two that failed.
    assert_eq!(seqs(originator.to_send()), [4095, 1, 2]);
    let attempts: Vec<_> = originator.to_send().map(|mpdu| (mpdu.attempts, mpdu.mpdu().retry)).collect();
    assert_eq!(attempts, [(1, true), (1, true), (0, false)]);
    send(&mut originator);
    assert_eq!(block_ack(&mut originator, 4094, &[4094, 4095, 0, 1]), (vec![4095, 1], 1));
    assert_eq!(seqs(originator.to_send()), [2]);
    assert_eq!(originator.request_needed(), None);
}

#[test]
fn one_stubborn_mpdu_stalls_the_window() {
    let mut originator = full(0, 64);
    send(&mut originator);
    assert_eq!(block_ack(&mut originator, 0, &(1..64).collect::<Vec<_>>()).1, 1);
    assert!(!originator.has_room());
    assert_eq!(send(&mut originator), [0]);
    assert_eq!(originator.on_ack(0).map(|mpdu| mpdu.attempts), Some(2));
    assert_eq!(originator.next((PacketId(0), 100), Time::ZERO, 0).map(|mpdu| mpdu.seq), Some(64));
    assert!(!originator.is_idle());
}

#[test]
fn a_missing_block_ack_is_asked_for() {
    let mut originator = full(10, 3);
    send(&mut originator);
    originator.on_missing(false);
    assert_eq!((originator.request_needed(), originator.to_send().count()), (Some(10), 0));
    originator.on_request_sent();
    originator.on_missing(false);
    assert_eq!(originator.request_needed(), Some(10), "the request had no answer either");
    originator.on_request_sent();
    assert_eq!(block_ack(&mut originator, 10, &[11]), (vec![11], 2));
    assert_eq!((originator.request_needed(), seqs(originator.to_send())), (None, vec![10, 12]));
}

#[test]
fn without_a_request_all_is_sent_again() {
    let mut originator = full(10, 3);
    send(&mut originator);
    originator.on_missing(true);
    assert_eq!((originator.request_needed(), seqs(originator.to_send())), (None, vec![10, 11, 12]));
    // Only the first is in the next PPDU; its Block Ack also lists what came with the first PPDU.
    originator.on_sent([10]);
    assert_eq!(block_ack(&mut originator, 10, &[10, 12]), (vec![10, 12], 0));
    assert_eq!(seqs(originator.to_send()), [11]);
}

#[test]
fn the_answer_to_a_request_may_be_given_up_for_sending_again() {
    let mut originator = full(0, 2);
    send(&mut originator);
    originator.on_missing(false);
    originator.on_request_sent();
    originator.on_missing(true);
    assert_eq!((originator.request_needed(), seqs(originator.to_send())), (None, vec![0, 1]));
}

#[test]
fn a_request_closes_the_gap_of_what_is_given_up() {
    let mut originator = full(0, 4);
    send(&mut originator);
    block_ack(&mut originator, 0, &[2]);
    // 1 is given up behind 0, which goes on: no request yet.
    assert_eq!(give_up(&mut originator, |mpdu| mpdu.seq == 1), [1]);
    assert_eq!((originator.request_needed(), seqs(originator.to_send())), (None, vec![0, 3]));
    originator.on_sent([0]);
    originator.on_ack(0);
    assert_eq!(originator.request_needed(), Some(3), "the recipient waits for 1");
    // A request that is lost closes nothing, nor does the Block Ack of an A-MPDU.
    originator.on_request_sent();
    originator.on_missing(false);
    assert_eq!(originator.request_needed(), Some(3));
    originator.on_sent([3]);
    assert_eq!(block_ack(&mut originator, 0, &[0, 2]), (vec![], 1));
    assert_eq!(originator.request_needed(), Some(3));
    // The window moves on while the answer is waited for: that one says nothing of 3.
    originator.on_request_sent();
    assert_eq!(give_up(&mut originator, |mpdu| mpdu.attempts == 2), [3]);
    block_ack(&mut originator, 3, &[]);
    assert_eq!(originator.request_needed(), Some(4));
    originator.on_request_sent();
    block_ack(&mut originator, 4, &[]);
    assert_eq!((originator.request_needed(), originator.is_idle()), (None, true));
}

#[test]
fn what_is_given_up_may_still_wait_for_its_block_ack() {
    let mut originator = full(0, 2);
    send(&mut originator);
    originator.on_missing(false);
    assert_eq!(give_up(&mut originator, |_| true), [0, 1]);
    assert_eq!((originator.request_needed(), originator.is_idle()), (Some(2), true));
    originator.on_request_sent();
    block_ack(&mut originator, 2, &[]);
    assert_eq!(originator.request_needed(), None);
}

#[test]
fn what_is_behind_the_recipient_is_done() {
    let mut originator = full(0, 4);
    send(&mut originator);
    assert_eq!(block_ack(&mut originator, 2, &[3]), (vec![0, 1, 3], 1));
    assert_eq!(originator.on_ack(1), None, "it is done");
    assert_eq!(originator.on_ack(9), None, "it has not been given");
}
