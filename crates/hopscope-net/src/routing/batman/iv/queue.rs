//! OGMs that wait to be sent, several in a frame (batadv_iv_ogm_queue_add, batadv_iv_ogm_can_aggregate).

use hopscope_core::units::{Span, Time};
use hopscope_packet::batman::{OGM_BYTES, Ogm};

/// Frames that wait.
#[derive(Debug, Default)]
pub(super) struct Queue(Vec<Waiting>);

/// A frame that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    at: Time,
    /// Its first OGM is of the node itself.
    pub(super) is_own: bool,
    /// Radio that it goes by.
    pub(super) radio: u8,
    /// Interface by which its first OGM came.
    came_by: u8,
    pub(super) ogms: Vec<Ogm>,
}

/// How OGMs are put together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aggregation {
    /// How long one waits for others.
    pub(super) time: Span,
    /// Most bytes in a frame.
    pub(super) bytes: u32,
}

impl Queue {
    /// An OGM of the node itself goes by a radio at this instant; others may join it.
    pub(super) fn add_own(&mut self, ogm: Ogm, radio: u8, at: Time) {
        self.0.push(Waiting { at, is_own: true, radio, came_by: 0, ogms: vec![ogm] });
    }

    /// An OGM that came by an interface goes by a radio at this instant, or somewhat later with others.
    pub(super) fn add(&mut self, ogm: Ogm, (radio, came_by): (u8, u8), at: Time, aggregation: Option<Aggregation>) {
        let Some(rules) = aggregation else {
            self.0.push(Waiting { at, is_own: false, radio, came_by, ogms: vec![ogm] });
            return;
        };
        // The kernel looks through its list from the newest on.
        match self.0.iter_mut().rev().find(|waiting| waiting.takes(&ogm, (radio, came_by), at, rules)) {
            Some(waiting) => waiting.ogms.push(ogm),
            None => {
                let mut ogms = Vec::with_capacity((rules.bytes / OGM_BYTES) as usize);
                ogms.push(ogm);
                self.0.push(Waiting { at: at + rules.time, is_own: false, radio, came_by, ogms });
            }
        }
    }

    /// When the first frame goes.
    pub(super) fn next(&self) -> Option<Time> {
        self.0.iter().map(|waiting| waiting.at).min()
    }

    /// A frame that is due.
    pub(super) fn pop(&mut self, now: Time) -> Option<Waiting> {
        let place = self.0.iter().position(|waiting| waiting.at <= now)?;
        Some(self.0.remove(place))
    }
}

impl Waiting {
    /// The OGM may join the frame.
    fn takes(&self, ogm: &Ogm, (radio, came_by): (u8, u8), at: Time, rules: Aggregation) -> bool {
        let first = &self.ogms[0];
        let in_time = at < self.at && self.at <= at + rules.time;
        let fits = (self.ogms.len() as u32 + 1) * OGM_BYTES <= rules.bytes;
        // An echo for a neighbour goes by itself, but for those that go no farther.
        let goes_together = match ogm.flags.direct_link {
            false => !first.flags.direct_link && first.ttl != 1,
            true => ogm.ttl == 1 && first.flags.direct_link && self.came_by == came_by,
        };
        self.radio == radio && in_time && fits && goes_together
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::ids::NodeId;
    use hopscope_packet::batman::OgmFlags;

    const RULES: Aggregation = Aggregation { time: Span::from_millis(100), bytes: 72 };

    fn ogm(origin: u32, direct_link: bool, ttl: u8) -> Ogm {
        let (origin, flags) = (NodeId(origin), OgmFlags { direct_link, ..OgmFlags::default() });
        Ogm { origin, prev_sender: origin, seq: 0, tq: 255, ttl, flags }
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// Frames in the order in which they go: when, and whose OGMs.
    fn frames(mut queue: Queue) -> Vec<(Time, Vec<u32>)> {
        let mut found = Vec::new();
        while let Some(now) = queue.next() {
            let waiting = queue.pop(now).expect("one is due");
            found.push((now, waiting.ogms.iter().map(|ogm| ogm.origin.0).collect()));
        }
        found
    }

    #[test]
    fn what_comes_within_the_time_goes_in_one_frame_while_there_is_room() {
        let mut queue = Queue::default();
        for (origin, ms) in [(1, 0), (2, 99), (3, 50), (4, 60), (5, 161)] {
            queue.add(ogm(origin, false, 49), (0, 0), at(ms), Some(RULES));
        }
        assert_eq!(frames(queue), [(at(100), vec![1, 2, 3]), (at(160), vec![4]), (at(261), vec![5])]);
    }

    #[test]
    fn others_join_an_own_ogm_that_goes_within_the_time() {
        let with = |times: &[u64]| {
            let mut queue = Queue::default();
            queue.add_own(ogm(0, false, 50), 0, at(1000));
            for (origin, &ms) in (1..).zip(times) {
                queue.add(ogm(origin, false, 49), (0, 0), at(ms), Some(RULES));
            }
            frames(queue)
        };
        assert_eq!(with(&[900, 999]), [(at(1000), vec![0, 1, 2])]);
        assert_eq!(with(&[899, 900]), [(at(999), vec![1, 2]), (at(1000), vec![0])], "the newest frame is asked first");
    }

    #[test]
    fn an_echo_for_a_neighbour_goes_by_itself() {
        let mut queue = Queue::default();
        queue.add(ogm(1, true, 49), (0, 0), at(0), Some(RULES));
        queue.add(ogm(2, false, 49), (0, 0), at(1), Some(RULES));
        queue.add(ogm(3, true, 49), (0, 0), at(2), Some(RULES));
        queue.add(ogm(4, true, 1), (0, 0), at(3), Some(RULES));
        queue.add(ogm(5, true, 1), (0, 1), at(4), Some(RULES));
        let expected = [(at(100), vec![1]), (at(101), vec![2]), (at(102), vec![3, 4]), (at(104), vec![5])];
        assert_eq!(frames(queue), expected, "one that goes no farther joins another of its radio");
    }

    #[test]
    fn each_radio_has_its_frames() {
        let mut queue = Queue::default();
        queue.add_own(ogm(0, false, 50), 0, at(100));
        queue.add_own(ogm(0, false, 50), 1, at(100));
        for (origin, radio) in [(1, 1), (2, 0), (3, 2)] {
            queue.add(ogm(origin, false, 49), (radio, 0), at(50), Some(RULES));
        }
        assert_eq!(frames(queue), [(at(100), vec![0, 2]), (at(100), vec![0, 1]), (at(150), vec![3])]);
    }

    #[test]
    fn without_aggregation_everything_goes_when_it_would() {
        let mut queue = Queue::default();
        queue.add(ogm(1, false, 49), (0, 0), at(3), None);
        queue.add(ogm(2, false, 49), (0, 0), at(1), None);
        assert_eq!(frames(queue), [(at(1), vec![2]), (at(3), vec![1])]);
    }
}
