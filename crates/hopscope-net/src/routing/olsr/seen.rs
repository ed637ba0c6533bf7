//! Messages processed (the duplicate set, RFC 3626 3.4).
//!
//! In a large network there are more of them than of anything else, so that a message takes 12 bytes. The instant at
//! which it is forgotten is there once for all that came in one packet.

use std::collections::VecDeque;

use crate::routing::by_node::push;
use hopscope_core::units::Time;

/// The messages of all originators. The last one of each stands with the originator.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// When messages are forgotten, in order.
    instants: VecDeque<Time>,
    /// How many instants are over since the start of the run.
    over: u32,
    /// Messages before the last one, and free places among them.
    earlier: Vec<Message>,
    /// The first free place and 1, or 0; each leads to the next as messages do.
    free: u32,
}

/// A message that was processed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Message {
    /// Number of the instant at which it is forgotten, counted from 1; 0: there is no message.
    forgotten: u32,
    /// The message of the same originator that came before it: its place in `earlier` and 1, or 0.
    before: u32,
    seq: u16,
}

impl Seen {
    /// Forgets what is over.
    pub(super) fn forget(&mut self, now: Time) {
        while self.instants.front().is_some_and(|&at| at <= now) {
            self.instants.pop_front();
            self.over += 1;
        }
    }

    /// Notes a message of an originator in the place of its last one; false when it is known. It is forgotten at
    /// `until`, which is never earlier than that of the message before.
    pub(super) fn insert(&mut self, last: &mut Message, seq: u16, until: Time) -> bool {
        if self.knows(*last, seq) {
            return false;
        }
        let before = if self.is_over(*last) {
            self.release(last.before);
            0
        } else {
            let before = self.trimmed(last.before);
            self.keep(Message { before, ..*last })
        };
        if self.instants.back() != Some(&until) {
            self.instants.push_back(until);
        }
        *last = Message { forgotten: self.over + self.instants.len() as u32, before, seq };
        true
    }

    fn is_over(&self, message: Message) -> bool {
        message.forgotten <= self.over
    }

    #[inline]
    fn knows(&self, mut message: Message, seq: u16) -> bool {
        // Those before one that is over are over too.
        while !self.is_over(message) {
            if message.seq == seq {
                return true;
            }
            let Some(at) = (message.before as usize).checked_sub(1) else { break };
            message = self.earlier[at];
        }
        false
    }

    /// The messages from a place on, without those that are over.
    fn trimmed(&mut self, place: u32) -> u32 {
        let mut at = place;
        // The last one that stays.
        let mut end = 0;
        while at > 0 && !self.is_over(self.earlier[at as usize - 1]) {
            (end, at) = (at, self.earlier[at as usize - 1].before);
        }
        self.release(at);
        if end == 0 {
            return 0;
        }
        self.earlier[end as usize - 1].before = 0;
        place
    }

    fn keep(&mut self, message: Message) -> u32 {
        if let Some(at) = (self.free as usize).checked_sub(1) {
            self.free = std::mem::replace(&mut self.earlier[at], message).before;
            return at as u32 + 1;
        }
        push(&mut self.earlier, message);
        self.earlier.len() as u32
    }

    fn release(&mut self, mut at: u32) {
        while at > 0 {
            let before = std::mem::replace(&mut self.earlier[at as usize - 1].before, self.free);
            self.free = at;
            at = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_testing::property;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(property(256))]

        /// Against a list of all messages with their instants.
        #[test]
        fn a_message_is_new_once_until_it_is_forgotten(
            came in prop::collection::vec((0u64..4, 0usize..3, 0u16..6), 1..200),
            hold in 1u64..12,
        ) {
            let mut seen = Seen::default();
            let mut last = [Message::default(); 3];
            let mut all: Vec<(usize, u16, Time)> = Vec::new();
            let mut now = Time::ZERO;
            for (pause, origin, seq) in came {
                now = Time(now.0 + pause);
                let until = Time(now.0 + hold);
                all.retain(|known| known.2 > now);
                let expected = !all.iter().any(|known| (known.0, known.1) == (origin, seq));
                if expected {
                    all.push((origin, seq, until));
                }
                seen.forget(now);
                let new = seen.insert(&mut last[origin], seq, until);
                prop_assert_eq!(new, expected, "{} of {} at {}", seq, origin, now.0);
                // What is over gives its place to others: of each originator at most one message more than it can have.
                prop_assert!(seen.earlier.len() <= 3 * 6, "{:?}", seen);
            }
        }
    }
}
