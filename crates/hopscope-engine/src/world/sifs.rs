//! The SIFS that the event under way has begun, outside the event queue.
//!
//! Two of three events of an exchange (RTS, CTS, data, ACK) begin a SIFS, and what ends it mostly is the next thing that
//! happens anywhere: 10 us are shorter than any other wait. Such an event needs no place in the queue, whose insertion and
//! removal it would pay for nothing. Where anything else comes first or at the same instant, it goes through the queue,
//! which alone knows the order; so what is here can never be seen in the results.

use hopscope_core::event::{Event, Generation};
use hopscope_core::ids::NodeId;
use hopscope_core::queue::EventQueue;
use hopscope_core::units::Time;

/// The end of a SIFS that begins with the event under way; an event begins one at most, as it is the input of one station.
#[derive(Debug, Default)]
pub(super) struct PendingSifs(Option<(NodeId, Time, Generation)>);

impl PendingSifs {
    /// A station's SIFS begins, which lasts until `at`.
    #[inline(always)]
    pub(super) fn begin(&mut self, node: NodeId, at: Time, generation: Generation) {
        debug_assert!(self.0.is_none(), "an event begins one SIFS");
        self.0 = Some((node, at, generation));
    }

    /// When the next event is due.
    pub(super) fn next_time(&self, queue: &mut EventQueue) -> Option<Time> {
        let queued = queue.next_time();
        let Some((_, at, _)) = self.0 else { return queued };
        Some(queued.map_or(at, |queued| queued.min(at)))
    }

    /// The next event up to `until`, the end of the SIFS or the first of the queue.
    #[inline(always)]
    pub(super) fn next_event(&mut self, queue: &mut EventQueue, until: Time) -> Option<(Time, Event)> {
        if let Some((node, at, generation)) = self.0.take() {
            let event = Event::Sifs { node, generation };
            if at <= until && queue.is_clear_until(at) {
                return Some((at, event));
            }
            queue.push(at, event);
        }
        queue.pop_until(until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::units::Span;
    use hopscope_testing::property;
    use proptest::prelude::*;

    /// What an event does: whether it begins a SIFS of this length, and the events that it queues, each so much later.
    type Effects = (Option<u64>, Vec<(u64, u8)>);

    fn effects() -> impl Strategy<Value = Effects> {
        (proptest::option::of(1u64..8), proptest::collection::vec((0u64..30, 0u8..4), 0..3))
    }

    /// An event of one of four kinds, two of which come before a SIFS at the same instant.
    fn other(kind: u8, number: u32) -> Event {
        let node = NodeId(number);
        match kind {
            0 => Event::RxEnd { node, slot: number },
            1 => Event::Touch { node },
            2 => Event::Access { node },
            _ => Event::Sample,
        }
    }

    /// The events of a run, in pieces that end at `ends`; `apart`: with the SIFS apart from the queue.
    fn run(script: &[Effects], ends: &[u64], apart: bool) -> Vec<(Time, Event)> {
        let (mut queue, mut sifs, mut happened) = (EventQueue::new(), PendingSifs::default(), Vec::new());
        let (mut generation, mut until) = (Generation::default(), Time::ZERO);
        queue.push(Time::ZERO, Event::Sample);
        for end in ends {
            until += Span(*end);
            while let Some((now, event)) = sifs.next_event(&mut queue, until) {
                happened.push((now, event));
                let Some((begun, queued)) = script.get(happened.len()) else { continue };
                if let Some(length) = begun {
                    let (node, at) = (NodeId(happened.len() as u32), now + Span(*length));
                    generation.renew();
                    if apart {
                        sifs.begin(node, at, generation);
                    } else {
                        queue.push(at, Event::Sifs { node, generation });
                    }
                }
                for (place, &(later, kind)) in queued.iter().enumerate() {
                    queue.push(now + Span(later), other(kind, (happened.len() * 4 + place) as u32));
                }
            }
        }
        happened
    }

    proptest! {
        #![proptest_config(property(2_000))]

        /// The plain form is a queue that takes every event.
        #[test]
        fn a_sifs_outside_the_queue_ends_when_one_in_it_would(
            script in proptest::collection::vec(effects(), 2..120),
            ends in proptest::collection::vec(0u64..60, 1..12),
        ) {
            prop_assert_eq!(run(&script, &ends, true), run(&script, &ends, false));
        }
    }
}
