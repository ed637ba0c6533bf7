//! Events far ahead: a 4-ary heap.

use super::Entry;
use crate::event::Event;

/// An event far ahead, with its number among those.
#[derive(Debug, Clone, Copy)]
struct FarEntry {
    entry: Entry,
    inserted: u64,
}

impl FarEntry {
    fn is_before(&self, other: &FarEntry) -> bool {
        // A heap does not keep equal entries in the order in which they came.
        let key = |e: &FarEntry| (e.entry.time, e.entry.event | Event::DETAIL, e.inserted);
        key(self) < key(other)
    }
}

/// Events beyond the wheels when they were added.
#[derive(Debug, Default)]
pub(super) struct Far {
    heap: Vec<FarEntry>,
    /// Number of the next event added.
    inserted: u64,
}

// Half the levels of a binary heap: siblings share cache lines, levels do not.
const ARITY: usize = 4;

impl Far {
    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }

    /// Time of the first event; `u64::MAX` when there is none.
    pub(super) fn first(&self) -> u64 {
        self.heap.first().map_or(u64::MAX, |e| e.entry.time)
    }

    pub(super) fn push(&mut self, entry: Entry) {
        let entry = FarEntry { entry, inserted: self.inserted };
        self.inserted += 1;
        let mut hole = self.heap.len();
        self.heap.push(entry);
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if !entry.is_before(&self.heap[parent]) {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = entry;
    }

    pub(super) fn pop(&mut self) -> Option<Entry> {
        let last = self.heap.pop()?;
        let len = self.heap.len();
        if len == 0 {
            return Some(last.entry);
        }
        let first = self.heap[0];
        let mut hole = 0;
        loop {
            let child = hole * ARITY + 1;
            if child >= len {
                break;
            }
            let mut least = child;
            for other in child + 1..(child + ARITY).min(len) {
                if self.heap[other].is_before(&self.heap[least]) {
                    least = other;
                }
            }
            if !self.heap[least].is_before(&last) {
                break;
            }
            self.heap[hole] = self.heap[least];
            hole = least;
        }
        self.heap[hole] = last;
        Some(first.entry)
    }
}
