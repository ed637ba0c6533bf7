//! What is kept for each pair of nodes that have met, found by the name of the pair: it survives any move of the nodes.

use hopscope_core::ids::NodeId;

/// Name of the pair of two nodes, the same for both directions.
#[inline]
pub fn pair(a: NodeId, b: NodeId) -> u64 {
    (u64::from(a.0.min(b.0)) << 32) | u64::from(a.0.max(b.0))
}

/// A table of states by pair, open addressing with linear probing.
#[derive(Debug)]
pub struct Pairs<T> {
    /// Place in `states` plus one, zero where free. A power of two of them, at least twice as many as states.
    slots: Vec<u32>,
    states: Vec<(u64, T)>,
}

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Pairs { slots: vec![0; 16], states: Vec::new() }
    }
}

/// Spreads neighbouring names over the table (2^64 over the golden ratio).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

impl<T> Pairs<T> {
    /// The state of a pair, made at the first question.
    #[inline]
    pub fn at(&mut self, name: u64, make: impl FnOnce() -> T) -> &mut T {
        let mut slot = self.first_slot(name);
        loop {
            match self.slots[slot] {
                0 => return self.insert(name, make()),
                place if self.states[place as usize - 1].0 == name => return &mut self.states[place as usize - 1].1,
                _ => slot = (slot + 1) & (self.slots.len() - 1),
            }
        }
    }

    #[inline]
    fn first_slot(&self, name: u64) -> usize {
        (name.wrapping_mul(SPREAD) >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    #[cold]
    fn insert(&mut self, name: u64, state: T) -> &mut T {
        self.states.push((name, state));
        if 2 * self.states.len() > self.slots.len() {
            self.slots = vec![0; 2 * self.slots.len()];
            (0..self.states.len()).for_each(|place| self.enter(place));
        } else {
            self.enter(self.states.len() - 1);
        }
        let last = self.states.len() - 1;
        &mut self.states[last].1
    }

    fn enter(&mut self, place: usize) {
        let mut slot = self.first_slot(self.states[place].0);
        while self.slots[slot] != 0 {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = place as u32 + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_keeps_its_state() {
        let mut table = Pairs::default();
        let name = |a: u32, b: u32| pair(NodeId(a), NodeId(b));
        for a in 0..60 {
            for b in 0..a {
                assert_eq!(*table.at(name(a, b), || (a, b)), (a, b));
            }
        }
        for a in 0..60 {
            for b in 0..a {
                // The other direction is the same pair.
                let state = table.at(name(b, a), || unreachable!("it is there"));
                assert_eq!(*state, (a, b));
                state.0 += 1;
                assert_eq!(table.at(name(a, b), || unreachable!("it is there")).0, a + 1);
            }
        }
    }
}
