//! Timelines of a recipient, and a model of it that counts without end.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_core::units::{Span, Time};
use hopscope_testing::property;
use proptest::prelude::*;

use super::{Arrival, Recipient, Waits};
use crate::block_ack::sequence::{SEQUENCES, advance};

/// An input of a timeline.
#[derive(Debug, Clone, Copy)]
enum Input {
    /// An MPDU.
    Mpdu(u16),
    /// A Block Ack request.
    Request(u16),
    /// The release timer at this time in milliseconds.
    Timer(u64),
}

use Input::{Mpdu, Request, Timer};

/// Sequence numbers that a Block Ack lists.
fn listed<T>(recipient: &Recipient<T>) -> Vec<u16> {
    let (ssn, bitmap) = recipient.block_ack();
    (0..256).filter(|&offset| bitmap.has(offset)).map(|offset| advance(ssn, offset)).collect()
}

/// How many MPDUs wait for others.
fn waiting<T>(recipient: &Recipient<T>) -> usize {
    recipient.buffer.iter().flatten().count()
}

/// Runs a timeline: input, what goes up, starting sequence number and MPDUs of the Block Ack. One step takes 10 ms.
fn timeline(mut recipient: Recipient<u16>, steps: &[(Input, &[u16], u16, &[u16])]) {
    for (step, &(input, up, ssn, acked)) in steps.iter().enumerate() {
        let (now, mut released) = (Time(step as u64 * 10_000_000), Vec::new());
        match input {
            Mpdu(seq) => {
                let new = recipient.is_new(seq);
                let arrival = recipient.on_mpdu(seq, seq, now, &mut released);
                assert_eq!(arrival == Arrival::Kept, new, "step {step}");
            }
            Request(ssn) => recipient.on_request(ssn, now, &mut released),
            Timer(ms) => recipient.on_release_timer(Time(ms * 1_000_000), &mut released),
        }
        assert_eq!(released, up, "step {step}: {input:?} releases");
        assert_eq!((recipient.block_ack().0, listed(&recipient)), (ssn, acked.to_vec()), "step {step}: Block Ack");
    }
}

fn plain(start: u16, size: u16) -> Recipient<u16> {
    Recipient::new(start, size, None)
}

#[test]
fn what_is_missing_holds_up_what_follows() {
    timeline(
        plain(10, 4),
        &[
            (Mpdu(10), &[10], 10, &[10]),
            (Mpdu(12), &[], 10, &[10, 12]),
            (Mpdu(12), &[], 10, &[10, 12]), // again: no second copy
            (Mpdu(13), &[], 10, &[10, 12, 13]),
            (Mpdu(11), &[11, 12, 13], 10, &[10, 11, 12, 13]),
            (Mpdu(11), &[], 10, &[10, 11, 12, 13]), // it went up before
            (Mpdu(14), &[14], 11, &[11, 12, 13, 14]),
        ],
    );
}

#[test]
fn an_mpdu_beyond_the_window_becomes_its_last() {
    timeline(
        plain(4094, 4),
        &[
            (Mpdu(4095), &[], 4094, &[4095]),
            (Mpdu(0), &[], 4094, &[4095, 0]),
            // WinStart becomes 4095: 4094 does not come any more.
            (Mpdu(2), &[4095, 0], 4095, &[4095, 0, 2]),
            (Mpdu(4094), &[], 4095, &[4095, 0, 2]),
            // Far beyond: all goes up that waits.
            (Mpdu(100), &[2], 97, &[100]),
            (Mpdu(97), &[97], 97, &[97, 100]),
        ],
    );
}

#[test]
fn numbers_half_the_space_ahead_are_old() {
    timeline(
        plain(0, 64),
        &[
            (Mpdu(2048), &[], 0, &[]),
            (Request(2048), &[], 0, &[]),
            (Mpdu(4095), &[], 0, &[]),
            (Mpdu(2047), &[], 1984, &[2047]),
        ],
    );
}

#[test]
fn a_request_moves_both_windows() {
    timeline(
        plain(0, 8),
        &[
            (Mpdu(1), &[], 0, &[1]),
            (Mpdu(3), &[], 0, &[1, 3]),
            (Mpdu(4), &[], 0, &[1, 3, 4]),
            (Request(0), &[], 0, &[1, 3, 4]),
            // 2 is given up: 3 and 4 follow without a gap.
            (Request(3), &[1, 3, 4], 3, &[3, 4]),
            (Request(2), &[], 3, &[3, 4]), // behind
            (Request(500), &[], 500, &[]),
            (Mpdu(500), &[500], 500, &[500]),
        ],
    );
}

#[test]
fn the_timer_passes_over_what_is_missing() {
    let recipient = Recipient::new(0, 8, Some(Span::from_millis(100)));
    timeline(
        recipient,
        &[
            (Mpdu(1), &[], 0, &[1]),              // at 0 ms
            (Mpdu(4), &[], 0, &[1, 4]),           // at 10 ms
            (Mpdu(2), &[], 0, &[1, 2, 4]),        // at 20 ms
            (Timer(99), &[], 0, &[1, 2, 4]),      // too early
            (Timer(100), &[1, 2], 0, &[1, 2, 4]), // 2 follows without a gap, whatever its age
            (Timer(109), &[], 0, &[1, 2, 4]),
            (Timer(110), &[4], 0, &[1, 2, 4]),
            // 0 and 3 come too late: they are acknowledged and discarded.
            (Mpdu(3), &[], 0, &[1, 2, 3, 4]),
            (Mpdu(5), &[5], 0, &[1, 2, 3, 4, 5]),
        ],
    );
}

#[test]
fn the_timer_is_that_of_the_first_stored() {
    let mut recipient = Recipient::new(0, 8, Some(Span::from_millis(100)));
    let mut released = Vec::new();
    let ms = |ms: u64| Time(ms * 1_000_000);
    assert_eq!(recipient.release_at(), None);
    recipient.on_mpdu(3, 3, ms(5), &mut released);
    assert_eq!(recipient.release_at(), Some(ms(105)));
    recipient.on_mpdu(1, 1, ms(20), &mut released);
    assert_eq!(recipient.release_at(), Some(ms(120)), "what comes first in order decides");
    recipient.on_mpdu(0, 0, ms(30), &mut released);
    assert_eq!((recipient.release_at(), waiting(&recipient)), (Some(ms(105)), 1));
    recipient.on_request(4, ms(50), &mut released);
    assert_eq!((released, recipient.release_at(), waiting(&recipient)), (vec![0, 1, 3], None, 0));
    assert!(!recipient.is_new(2), "the window has left it behind");
    // 1 has waited from 20 to 30 ms, 3 from 5 to 50 ms; 0 went up at once.
    let (total, longest) = (Span::from_millis(55), Span::from_millis(45));
    assert_eq!(recipient.waits(), Waits { count: 2, total, longest });
    recipient.restart_longest();
    assert_eq!(recipient.waits(), Waits { count: 2, total, longest: Span::ZERO });
}

/// The same by sequence numbers that do not wrap, sets and loops.
struct Model {
    size: u64,
    scoreboard: u64,
    came: BTreeSet<u64>,
    next: u64,
    stored: BTreeMap<u64, Time>,
    timeout: Option<Span>,
    /// Waits that are over, none of which was nothing.
    waits: Vec<Span>,
}

impl Model {
    fn mpdu(&mut self, seq: u64, now: Time, up: &mut Vec<u64>) -> bool {
        if seq >= self.scoreboard {
            self.came.insert(seq);
            self.scoreboard = self.scoreboard.max((seq + 1).saturating_sub(self.size));
        }
        if seq < self.next || self.stored.contains_key(&seq) {
            return false;
        }
        self.stored.insert(seq, now);
        self.move_to(self.next.max((seq + 1).saturating_sub(self.size)), now, up);
        true
    }

    fn request(&mut self, ssn: u64, now: Time, up: &mut Vec<u64>) {
        if ssn > self.scoreboard {
            self.scoreboard = ssn;
            self.came.retain(|&seq| seq >= ssn && seq < ssn + self.size);
        }
        self.move_to(self.next.max(ssn), now, up);
    }

    fn timer(&mut self, now: Time, up: &mut Vec<u64>) {
        while let (Some(timeout), Some((&first, &since))) = (self.timeout, self.stored.first_key_value()) {
            if now < since + timeout {
                return;
            }
            self.move_to(first, now, up);
        }
    }

    fn move_to(&mut self, next: u64, now: Time, up: &mut Vec<u64>) {
        self.next = next;
        while let Some((&seq, &since)) = self.stored.first_key_value() {
            if seq > self.next {
                return;
            }
            self.stored.remove(&seq);
            self.waits.extend(Some(now - since).filter(|wait| *wait > Span::ZERO));
            self.next = self.next.max(seq + 1);
            up.push(seq);
        }
    }

    fn listed(&self) -> Vec<u64> {
        self.came.range(self.scoreboard..self.scoreboard + self.size).copied().collect()
    }
}

proptest! {
    #![proptest_config(property(2_000))]

    /// A recipient does what the model does, wherever its numbers wrap.
    #[test]
    fn a_recipient_is_its_model(
        (start, size, timeout) in (4096u64..8192, 1u64..=256, proptest::option::of(0u64..200)),
        steps in proptest::collection::vec((0u8..20, -300i64..300, 0u64..40), 1..200),
        near in any::<bool>(),
    ) {
        let timeout = timeout.map(Span::from_millis);
        let number = |seq: u64| (seq % u64::from(SEQUENCES)) as u16;
        let mut recipient = Recipient::new(number(start), size as u16, timeout);
        let mut model = Model {
            size, scoreboard: start, came: BTreeSet::new(), next: start, stored: BTreeMap::new(), timeout, waits: Vec::new(),
        };
        let mut now = Time::ZERO;
        for (what, offset, later) in steps {
            now += Span::from_millis(later);
            // Near the window most is new and in reach; from far away most is old or beyond.
            let offset = if near { offset / 30 + 3 } else { offset };
            let seq = model.next.saturating_add_signed(offset);
            let (mut up, mut released) = (Vec::new(), Vec::new());
            match what {
                0 => {
                    model.request(seq, now, &mut up);
                    recipient.on_request(number(seq), now, &mut released);
                }
                1 | 2 => {
                    model.timer(now, &mut up);
                    recipient.on_release_timer(now, &mut released);
                }
                _ => {
                    prop_assert_eq!(recipient.is_new(number(seq)), seq >= model.next && !model.stored.contains_key(&seq));
                    let kept = model.mpdu(seq, now, &mut up);
                    if kept || later % 2 == 0 {
                        let arrival = recipient.on_mpdu(number(seq), seq, now, &mut released);
                        prop_assert_eq!(arrival == Arrival::Kept, kept);
                    } else {
                        recipient.on_duplicate(number(seq));
                    }
                }
            }
            prop_assert_eq!(released, up);
            prop_assert_eq!(recipient.block_ack().0, number(model.scoreboard));
            prop_assert_eq!(listed(&recipient), model.listed().into_iter().map(number).collect::<Vec<_>>());
            prop_assert_eq!(waiting(&recipient), model.stored.len());
            let due = timeout.and_then(|span| model.stored.first_key_value().map(|(_, &since)| since + span));
            prop_assert_eq!(recipient.release_at(), due);
            prop_assert!(recipient.buffer.len() <= size as usize);
            let longest = model.waits.iter().copied().max().unwrap_or_default();
            let total = Span(model.waits.iter().map(|wait| wait.0).sum());
            prop_assert_eq!(recipient.waits(), Waits { count: model.waits.len() as u64, total, longest });
        }
    }
}
