//! What a node remembers for a while: requests seen and its own sends of the last second.

use std::collections::VecDeque;

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};

/// Requests seen, by originator and number.
#[derive(Debug, Default)]
pub(super) struct SeenRequests {
    seen: Vec<(NodeId, u32, Time)>,
}

impl SeenRequests {
    /// Notes a request; false when it was known and not forgotten at `now`.
    pub(super) fn insert(&mut self, origin: NodeId, id: u32, now: Time, until: Time) -> bool {
        match self.seen.binary_search_by_key(&(origin, id), |&(origin, id, _)| (origin, id)) {
            Ok(at) => {
                // A copy renews nothing: the life counts from the first one.
                let forgotten = self.seen[at].2 <= now;
                if forgotten {
                    self.seen[at].2 = until;
                }
                forgotten
            }
            Err(at) => {
                self.seen.insert(at, (origin, id, until));
                true
            }
        }
    }

    /// Forgets what is old.
    pub(super) fn purge(&mut self, now: Time) {
        self.seen.retain(|&(_, _, until)| until > now);
    }
}

/// At most so many messages in any second.
#[derive(Debug)]
pub(super) struct RateLimit {
    limit: Option<usize>,
    sent: VecDeque<Time>,
}

impl RateLimit {
    pub(super) fn new(limit: Option<u32>) -> Self {
        RateLimit { limit: limit.map(|n| n as usize), sent: VecDeque::new() }
    }

    /// Counts a message at `now`; the error is the instant from which the next one may go.
    pub(super) fn take(&mut self, now: Time) -> Result<(), Time> {
        let Some(limit) = self.limit else { return Ok(()) };
        // Any second, not a calendar one, around whose turn twice the limit could go.
        while self.sent.front().is_some_and(|&at| at + ONE_SECOND <= now) {
            self.sent.pop_front();
        }
        match self.sent.front() {
            Some(&oldest) if self.sent.len() >= limit => Err(oldest + ONE_SECOND),
            _ => {
                self.sent.push_back(now);
                Ok(())
            }
        }
    }
}

const ONE_SECOND: Span = Span::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_new_once_until_it_is_forgotten() {
        let mut seen = SeenRequests::default();
        assert!(seen.insert(NodeId(1), 5, Time(0), Time(100)));
        assert!(!seen.insert(NodeId(1), 5, Time(99), Time(199)));
        assert!(seen.insert(NodeId(1), 6, Time(99), Time(199)));
        assert!(seen.insert(NodeId(2), 5, Time(99), Time(199)));
        assert!(seen.insert(NodeId(1), 5, Time(100), Time(200)));
        seen.purge(Time(199));
        assert_eq!(seen.seen, [(NodeId(1), 5, Time(200))]);
    }

    #[test]
    fn a_limit_holds_over_any_second() {
        let mut limit = RateLimit::new(Some(2));
        let at = |ms| Time::ZERO + Span::from_millis(ms);
        assert_eq!(limit.take(at(0)), Ok(()));
        assert_eq!(limit.take(at(600)), Ok(()));
        assert_eq!(limit.take(at(999)), Err(at(1000)));
        assert_eq!(limit.take(at(1000)), Ok(()));
        assert_eq!(limit.take(at(1001)), Err(at(1600)));
        assert_eq!(RateLimit::new(None).take(at(0)), Ok(()));
    }
}
