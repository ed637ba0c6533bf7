//! Two timing wheels, a fine one for this block of time and the next, a coarse one for the blocks after them, and a heap
//! for what lies beyond both.
//!
//! When a block begins, the events of the next one move to the fine wheel, before any can be put there directly: equal
//! events keep the order in which they came.

use super::Entry;
use super::far::Far;

/// A slice is 2^13 ns, about 8 us: less than most gaps between events of a small network.
const SLICE_BITS: u32 = 13;
/// Slices on the fine wheel: two blocks of 8.4 ms, longer than most frame exchanges.
const SLICES: usize = 2048;
/// A block is half of the fine wheel.
const BLOCK_BITS: u32 = 10;
/// Blocks on the coarse wheel, which reaches half a second ahead: beyond the pauses of most sources.
const BLOCKS: u64 = 64;
const WORDS: usize = SLICES / 64;
const NONE: u32 = u32::MAX;

const _: () = assert!(WORDS == u32::BITS as usize, "the summary has one bit per word");
const _: () = assert!(SLICES == 2 << BLOCK_BITS && BLOCKS == u64::BITS as u64);

/// An event on a wheel and the place of the one that was put there before it.
#[derive(Debug, Clone, Copy)]
struct Slot {
    entry: Entry,
    next: u32,
}

/// What comes next.
#[derive(Debug)]
pub(super) enum Next {
    /// No event, or none up to the limit.
    Nothing,
    /// The only event of its slice.
    One(Entry),
    /// A slice of several, last added first.
    Several(Chain),
}

/// Events taken off a wheel.
#[derive(Debug)]
pub(super) struct Chain(u32);

/// Events of the slices after `slice`.
#[derive(Debug)]
pub(super) struct Wheel {
    /// Number of the slice being handled: time divided by the slice length; before the start the last of all, so that
    /// nothing is in reach.
    slice: u64,
    /// Number of the block that began last.
    block: u64,
    /// No event lies before this slice: the first of the fine wheel that holds one, else the end of that wheel.
    ahead: u64,
    /// Last place in `slots` of each slice.
    fine: Box<[u32; SLICES]>,
    /// One bit per slice of the fine wheel, and one per word of those.
    occupied: [u64; WORDS],
    words: u32,
    /// The same of each block on the coarse wheel, and one bit per block.
    coarse: [u32; BLOCKS as usize],
    blocks: u64,
    /// Events on both wheels, chained by place.
    slots: Vec<Slot>,
    free: u32,
    on_wheels: usize,
    far: Far,
}

#[inline(always)]
fn slice_of(time: u64) -> u64 {
    time >> SLICE_BITS
}

#[inline(always)]
fn block_of(time: u64) -> u64 {
    time >> (SLICE_BITS + BLOCK_BITS)
}

impl Wheel {
    pub(super) fn new() -> Self {
        Wheel {
            slice: u64::MAX,
            block: 0,
            ahead: 0,
            fine: Box::new([NONE; SLICES]),
            occupied: [0; WORDS],
            words: 0,
            coarse: [NONE; BLOCKS as usize],
            blocks: 0,
            slots: Vec::new(),
            free: NONE,
            on_wheels: 0,
            far: Far::default(),
        }
    }

    /// Starts the empty wheel at `now`.
    pub(super) fn start(&mut self, now: u64) {
        self.slice = slice_of(now);
        self.block = block_of(now);
        self.ahead = self.first_fine();
    }

    pub(super) fn len(&self) -> usize {
        self.on_wheels + self.far.len()
    }

    /// True when an event at `time` belongs here; all earlier ones are somebody else's.
    #[inline(always)]
    pub(super) fn reaches(&self, time: u64) -> bool {
        slice_of(time) > self.slice
    }

    /// True when no event lies at or before `time`; false also when that is not known.
    #[inline(always)]
    pub(super) fn is_clear_until(&self, time: u64) -> bool {
        slice_of(time) < self.ahead
    }

    /// Adds an event in reach.
    #[inline(always)]
    pub(super) fn push(&mut self, time: u64, event: u64) {
        // This block and the next: what the fine wheel has room for.
        if block_of(time) - self.block <= 1 {
            self.push_fine(Entry { time, event });
        } else {
            self.push_coarse(Entry { time, event });
        }
    }

    #[inline(always)]
    fn push_fine(&mut self, entry: Entry) {
        let Some(slot) = self.slots.get_mut(self.free as usize) else { return self.grow_and_push(entry) };
        let slice = slice_of(entry.time);
        let at = slice as usize % SLICES;
        self.ahead = self.ahead.min(slice);
        let place = std::mem::replace(&mut self.free, slot.next);
        *slot = Slot { entry, next: std::mem::replace(&mut self.fine[at], place) };
        self.on_wheels += 1;
        self.occupied[at / 64] |= 1 << (at % 64);
        self.words |= 1 << (at / 64);
    }

    #[inline(never)]
    fn push_coarse(&mut self, entry: Entry) {
        let block = block_of(entry.time);
        // The coarse wheel begins two blocks ahead, so its last block is BLOCKS + 1 ahead.
        if block - self.block > BLOCKS + 1 {
            self.far.push(entry);
            return;
        }
        let Some(slot) = self.slots.get_mut(self.free as usize) else { return self.grow_and_push(entry) };
        let at = (block % BLOCKS) as usize;
        let place = std::mem::replace(&mut self.free, slot.next);
        *slot = Slot { entry, next: std::mem::replace(&mut self.coarse[at], place) };
        self.on_wheels += 1;
        self.blocks |= 1 << at;
    }

    #[cold]
    #[inline(never)]
    fn grow_and_push(&mut self, entry: Entry) {
        self.free = self.slots.len() as u32;
        self.slots.push(Slot { entry, next: NONE });
        self.push(entry.time, entry.event);
    }

    /// Takes the earliest slice; nothing when its only event lies after `limit`.
    #[inline]
    pub(super) fn take_next(&mut self, limit: u64) -> Next {
        let Some(slice) = self.next_slice() else { return Next::Nothing };
        let at = slice as usize % SLICES;
        let place = self.fine[at];
        let slot = self.slots[place as usize];
        // Several are taken in any case: which is the first of them shows when they are sorted.
        if slot.next == NONE && slot.entry.time > limit {
            return Next::Nothing;
        }
        self.slice = slice;
        self.fine[at] = NONE;
        self.occupied[at / 64] &= !(1 << (at % 64));
        if self.occupied[at / 64] == 0 {
            self.words &= !(1 << (at / 64));
        }
        self.ahead = self.first_fine();
        if slot.next == NONE {
            self.release(place);
            return Next::One(slot.entry);
        }
        Next::Several(Chain(place))
    }

    /// Takes the next event of a chain.
    #[inline]
    pub(super) fn next_of(&mut self, chain: &mut Chain) -> Option<Entry> {
        let place = chain.0;
        let slot = *self.slots.get(place as usize)?;
        chain.0 = slot.next;
        self.release(place);
        Some(slot.entry)
    }

    #[inline(always)]
    fn release(&mut self, place: u32) {
        self.slots[place as usize].next = self.free;
        self.free = place;
        self.on_wheels -= 1;
    }

    /// Turns the chain that ends at `place`, so that what was added first comes first.
    fn in_order(&mut self, mut place: u32) -> Chain {
        let mut chain = NONE;
        while place != NONE {
            let before = std::mem::replace(&mut self.slots[place as usize].next, chain);
            chain = place;
            place = before;
        }
        Chain(chain)
    }

    /// Number of the earliest slice that holds an event; the block it lies in has begun.
    #[inline]
    fn next_slice(&mut self) -> Option<u64> {
        if self.words == 0 {
            // The next block with an event comes to the fine wheel when the block before it begins.
            let block = self.next_block()?;
            self.begin_block(block - 1);
        }
        let slice = self.ahead;
        if slice >> BLOCK_BITS > self.block {
            self.begin_block(slice >> BLOCK_BITS);
        }
        Some(slice)
    }

    /// Number of the first non-empty slice of the fine wheel; the first one beyond it if it is empty.
    #[inline]
    fn first_fine(&self) -> u64 {
        if self.words == 0 {
            return (self.block + 2) << BLOCK_BITS;
        }
        let from = (self.slice + 1) as usize % SLICES;
        let (word, bit) = (from / 64, from % 64);
        let here = self.occupied[word] >> bit;
        if here != 0 {
            return self.slice + 1 + u64::from(here.trailing_zeros());
        }
        // The next word with any bit, cyclically; the first word comes again last with its lower bits.
        // Found by rotation and counting zeros, in a few instructions however empty the wheel is.
        let turned = self.words.rotate_right(word as u32 + 1);
        let found = (word + 1 + turned.trailing_zeros() as usize) % WORDS;
        let at = found * 64 + self.occupied[found].trailing_zeros() as usize;
        let ahead = (at + SLICES - from) % SLICES;
        self.slice + 1 + ahead as u64
    }

    /// Number of the first block with an event beyond the fine wheel.
    #[cold]
    fn next_block(&self) -> Option<u64> {
        let first = self.block + 2;
        let ahead = self.blocks.rotate_right((first % BLOCKS) as u32).trailing_zeros();
        let coarse = if self.blocks == 0 { u64::MAX } else { first + u64::from(ahead) };
        let next = coarse.min(block_of(self.far.first()));
        (self.len() > 0).then_some(next)
    }

    /// Time has come to a block: the events of the next one move to the fine wheel.
    #[cold]
    fn begin_block(&mut self, block: u64) {
        self.block = block;
        // The slice before the first: all of the block lies ahead.
        self.slice = (block << BLOCK_BITS) - 1;
        let end = (block + 2) << (BLOCK_BITS + SLICE_BITS);
        // What was far away came before anything of its block on the coarse wheel.
        while self.far.first() < end {
            if let Some(entry) = self.far.pop() {
                self.push_fine(entry);
            }
        }
        let at = ((block + 1) % BLOCKS) as usize;
        if self.blocks & (1 << at) != 0 {
            self.blocks &= !(1 << at);
            let last = std::mem::replace(&mut self.coarse[at], NONE);
            let mut chain = self.in_order(last);
            while let Some(entry) = self.next_of(&mut chain) {
                self.push_fine(entry);
            }
        }
        self.ahead = self.first_fine();
    }
}
