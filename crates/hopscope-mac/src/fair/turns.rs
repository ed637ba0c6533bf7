//! Deficit round robin (RFC 8290 4.2): who has just begun goes first, for one quantum; then all go in turn.

use std::collections::VecDeque;

/// What is found at one whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    /// It goes now.
    Goes,
    /// It has something, but may not go: the next one is asked.
    Waits,
    /// It has nothing.
    Ends,
}

#[derive(Debug)]
struct Turn<T> {
    credit: i64,
    of: T,
}

/// Those that go in turn.
#[derive(Debug)]
pub(crate) struct Turns<T> {
    quantum: i64,
    /// Who has just begun, then the others.
    new: VecDeque<Turn<T>>,
    old: VecDeque<Turn<T>>,
}

impl<T> Turns<T> {
    /// Nobody; each may use up so much in its turn.
    pub(crate) fn new(quantum: i64) -> Self {
        Turns { quantum, new: VecDeque::new(), old: VecDeque::new() }
    }

    /// One more begins.
    pub(crate) fn add(&mut self, of: T) {
        self.new.push_back(Turn { credit: self.quantum, of });
    }

    /// All of them: those that have just begun, then the others.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.new.iter().chain(&self.old).map(|turn| &turn.of)
    }

    /// The same, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.new.iter_mut().chain(&mut self.old).map(|turn| &mut turn.of)
    }

    /// The one whose turn it is, if `visit` lets any of them go. Those that have nothing leave for `left`.
    pub(crate) fn next(&mut self, mut visit: impl FnMut(&mut T) -> Visit, left: &mut Vec<T>) -> Option<&mut T> {
        // Visits in a row that have changed nothing.
        let mut idle = 0;
        while idle <= self.new.len() + self.old.len() {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let mut turn = list.pop_front()?;
            if turn.credit <= 0 {
                turn.credit += self.quantum;
                self.old.push_back(turn);
                idle = 0;
                continue;
            }
            match visit(&mut turn.of) {
                Visit::Goes => {
                    let list = if is_new { &mut self.new } else { &mut self.old };
                    list.push_front(turn);
                    return list.front_mut().map(|turn| &mut turn.of);
                }
                Visit::Waits => {
                    self.old.push_back(turn);
                    idle += 1;
                }
                // One that has just begun goes round once more, so that it cannot jump the others for ever.
                Visit::Ends if is_new && !self.old.is_empty() => self.old.push_back(turn),
                Visit::Ends => left.push(turn.of),
            }
        }
        None
    }

    /// The one that [`next`](Self::next) has given last pays for what has gone.
    pub(crate) fn charge(&mut self, amount: i64) {
        let list = if self.new.is_empty() { &mut self.old } else { &mut self.new };
        if let Some(turn) = list.front_mut() {
            turn.credit -= amount;
        }
    }

    /// The same for the first one that is `payer`.
    pub(crate) fn charge_to(&mut self, payer: impl Fn(&T) -> bool, amount: i64) {
        if let Some(turn) = self.new.iter_mut().chain(&mut self.old).find(|turn| payer(&turn.of)) {
            turn.credit -= amount;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who goes in so many turns, of which each costs this much.
    fn order(turns: &mut Turns<(char, Visit)>, count: usize, cost: i64) -> String {
        let mut left = Vec::new();
        let mut next = || {
            let who = turns.next(|(_, visit)| *visit, &mut left).map(|(name, _)| *name);
            turns.charge(cost);
            who
        };
        (0..count).map_while(|_| next()).collect()
    }

    #[test]
    fn all_go_in_turn_for_their_quantum_and_who_begins_goes_first() {
        let mut turns = Turns::new(10);
        turns.add(('a', Visit::Goes));
        turns.add(('b', Visit::Goes));
        assert_eq!(order(&mut turns, 6, 5), "aabbaa");
        turns.add(('c', Visit::Goes));
        assert_eq!(order(&mut turns, 6, 10), "cbcabc", "each is one quantum long");
        turns.charge_to(|(name, _)| *name == 'b', 20);
        assert_eq!(order(&mut turns, 6, 10), "acacab", "two quanta are paid back");
    }

    #[test]
    fn who_may_not_go_is_passed_by_and_who_has_nothing_leaves() {
        let mut turns = Turns::new(10);
        turns.add(('a', Visit::Waits));
        assert_eq!(order(&mut turns, 1, 10), "", "nobody may go");
        turns.add(('b', Visit::Goes));
        turns.add(('c', Visit::Ends));
        assert_eq!(order(&mut turns, 3, 10), "bbb");
        let names: Vec<char> = turns.iter().map(|(name, _)| *name).collect();
        assert_eq!((names.len(), names.contains(&'c')), (2, false));
        turns.iter_mut().for_each(|(_, visit)| *visit = Visit::Ends);
        let mut left = Vec::new();
        assert!(turns.next(|(_, visit)| *visit, &mut left).is_none());
        assert_eq!((left.len(), turns.iter().count()), (2, 0));
    }
}
