//! The buffer of a receiver whose application reads slowly, data that comes with errors, and what it reports of both: the
//! options Slow Receiver and Data Dropped (RFC 4340 11.6, 11.7).

use std::collections::VecDeque;

use crate::config::DccpConfig;
use hopscope_core::units::{Span, Time};
use hopscope_packet::dccp::Seq;

/// Option: what became of data that has come (RFC 4340 11.7).
pub const DATA_DROPPED: u8 = 40;
/// Drop codes (RFC 4340 11.7): the receive buffer was full; the packet was corrupt and dropped, or delivered all the
/// same.
const RECEIVE_BUFFER: u8 = 2;
const CORRUPT: u8 = 3;
const DELIVERED_CORRUPT: u8 = 7;
/// Packets of a normal block, and of a drop block.
const NORMAL_RUN: u64 = 128;
const DROP_RUN: u64 = 16;
/// Packets remembered as dropped; older ones are forgotten.
const MOST: usize = 64;
/// Octets of the option's content: room is left for a vector and for features.
pub const MOST_OCTETS: usize = 8;

/// What happened to the data of a packet, as far as a sender treats it differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// The buffer was full.
    Buffer,
    /// Its octets were wrong.
    Corrupt,
}

/// The buffer. Without a capacity it takes everything that comes whole.
#[derive(Debug)]
pub struct Inbox {
    capacity: u32,
    /// Bits that the application reads in a second.
    rate: u64,
    /// When the application will have read all that is here.
    read_at: Time,
    /// What the last packet takes to be read.
    service: Span,
    /// One in so many data packets has errors; 0: none. And how many came since the last one that had.
    corrupt_period: u32,
    whole: u32,
    /// Packets whose data were dropped, newest first, that the sender may not know of, with the drop code.
    dropped: VecDeque<(Seq, u8)>,
}

impl Inbox {
    /// Empty.
    pub fn new(cfg: &DccpConfig) -> Self {
        Inbox {
            capacity: cfg.receive_buffer,
            rate: cfg.read_rate,
            read_at: Time::ZERO,
            service: Span::ZERO,
            corrupt_period: cfg.corrupt_period,
            whole: 0,
            dropped: VecDeque::new(),
        }
    }

    /// Data of a new packet has come; false where it has errors, or there is no room for it.
    pub fn take(&mut self, seq: Seq, bytes: u32, now: Time) -> bool {
        if self.corrupt_period > 0 {
            self.whole += 1;
            if self.whole == self.corrupt_period {
                self.whole = 0;
                return self.refuse(seq, CORRUPT);
            }
        }
        if self.capacity == 0 || self.rate == 0 {
            return true;
        }
        if self.waiting(now) >= u64::from(self.capacity) {
            return self.refuse(seq, RECEIVE_BUFFER);
        }
        self.service = Span((u64::from(bytes) * 8 * 1_000_000_000).div_ceil(self.rate));
        self.read_at = self.read_at.max(now) + self.service;
        true
    }

    /// Notes data that the application does not get; always false.
    fn refuse(&mut self, seq: Seq, code: u8) -> bool {
        // Newest first, as blocks of the option go down from the acknowledgement number.
        let place = self.dropped.iter().position(|(old, _)| seq.is_after(*old)).unwrap_or(self.dropped.len());
        self.dropped.insert(place, (seq, code));
        self.dropped.truncate(MOST);
        false
    }

    /// It cannot take much more: it is more than half full.
    pub fn is_slow(&self, now: Time) -> bool {
        self.capacity > 0 && self.waiting(now) * 2 > u64::from(self.capacity)
    }

    /// The sender knows of all packets up to this one.
    pub fn on_known(&mut self, seq: Seq) {
        self.dropped.retain(|(old, _)| old.is_after(seq));
    }

    /// Content of the option below the acknowledgement number; empty where nothing was dropped.
    pub fn octets(&self, ack: Seq) -> Vec<u8> {
        let mut octets = Vec::new();
        let mut next = ack;
        let mut rest = self.dropped.iter().copied().peekable();
        while let Some((seq, code)) = rest.next().filter(|_| octets.len() < MOST_OCTETS) {
            let mut kept = u64::try_from(next.since(seq)).unwrap_or(0);
            while kept > 0 && octets.len() < MOST_OCTETS {
                let run = kept.min(NORMAL_RUN);
                octets.push((run - 1) as u8);
                kept -= run;
            }
            let mut run = 1;
            while run < DROP_RUN && rest.next_if_eq(&(seq.minus(run), code)).is_some() {
                run += 1;
            }
            octets.push(0x80 | (code << 4) | (run - 1) as u8);
            next = seq.minus(run);
        }
        // A drop block may have come after the last octet that fits.
        octets.truncate(MOST_OCTETS);
        octets
    }

    /// Packets that the application has not read, rounded up.
    fn waiting(&self, now: Time) -> u64 {
        self.read_at.saturating_since(now).0.div_ceil(self.service.0.max(1))
    }
}

/// Reads the content of the option: calls `on` with each packet whose data the application did not get, or got wrong.
/// Drop codes without a reaction here (protocol constraints, application not listening, reserved ones) say nothing.
pub fn each_dropped(content: &[u8], ack: Seq, mut on: impl FnMut(Seq, Dropped)) {
    let mut next = ack;
    for octet in content {
        if octet & 0x80 == 0 {
            next = next.minus(u64::from(octet & 0x7F) + 1);
            continue;
        }
        let what = match (octet >> 4) & 7 {
            RECEIVE_BUFFER => Some(Dropped::Buffer),
            CORRUPT | DELIVERED_CORRUPT => Some(Dropped::Corrupt),
            _ => None,
        };
        for _ in 0..=(octet & 15) {
            if let Some(what) = what {
                on(next, what);
            }
            next = next.minus(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn inbox() -> Inbox {
        // 1,000 bytes in 8 ms; three packets.
        Inbox::new(&DccpConfig { receive_buffer: 3, read_rate: 1_000_000, ..DccpConfig::default() })
    }

    #[test]
    fn it_fills_when_packets_come_faster_than_they_are_read() {
        let mut inbox = inbox();
        let seen: Vec<_> = [0, 0, 1, 1, 9, 9]
            .map(|ms| (inbox.take(Seq::new(ms), 1_000, Time(ms * MS)), inbox.is_slow(Time(ms * MS))))
            .to_vec();
        assert_eq!(seen, [(true, false), (true, true), (true, true), (false, true), (true, true), (false, true)]);
        assert!(!inbox.is_slow(Time(60 * MS)));
        let mut endless = Inbox::new(&DccpConfig::default());
        assert!((0..100).all(|n| endless.take(Seq::new(n), 1_000, Time(0))) && !endless.is_slow(Time(0)));
    }

    #[test]
    fn blocks_are_those_of_the_standard() {
        let mut inbox = inbox();
        for seq in [5, 200, 203, 202, 201] {
            inbox.read_at = Time(100 * MS);
            inbox.service = Span(MS);
            assert!(!inbox.take(Seq::new(seq), 1_000, Time(0)));
        }
        // From 205: two kept, 203 to 200 dropped, then 194 kept in two blocks, and 5 dropped.
        let octets = inbox.octets(Seq::new(205));
        assert_eq!(octets, [0x01, 0x80 | 0x20 | 3, 0x7F, 65, 0x80 | 0x20]);
        let mut seen = Vec::new();
        each_dropped(&octets, Seq::new(205), |seq, what| seen.push((seq.bits(), what)));
        assert_eq!(seen, [203, 202, 201, 200, 5].map(|seq| (seq, Dropped::Buffer)));
        inbox.on_known(Seq::new(201));
        assert_eq!(inbox.octets(Seq::new(203)), [0x80 | 0x20 | 1]);
        inbox.on_known(Seq::new(203));
        assert!(inbox.octets(Seq::new(203)).is_empty());
    }

    #[test]
    fn one_in_a_period_comes_with_errors_and_is_reported_as_corrupt() {
        let mut inbox = Inbox::new(&DccpConfig { corrupt_period: 3, ..DccpConfig::default() });
        let taken: Vec<_> = (1..=7).map(|n| inbox.take(Seq::new(n), 1_000, Time(n))).collect();
        assert_eq!(taken, [true, true, false, true, true, false, true]);
        // From 7: one kept, 6 corrupt (code 3), two kept, 3 corrupt.
        assert_eq!(inbox.octets(Seq::new(7)), [0x00, 0x80 | 0x30, 0x01, 0x80 | 0x30]);
        // A neighbour that found no room is a block of its own.
        inbox.refuse(Seq::new(5), RECEIVE_BUFFER);
        assert_eq!(inbox.octets(Seq::new(6)), [0x80 | 0x30, 0x80 | 0x20, 0x00, 0x80 | 0x30]);
    }

    #[test]
    fn other_drop_codes_say_nothing() {
        let mut seen = Vec::new();
        let content = [0x80, 0x90, 0xB1, 0xC0, 0x00, 0xF0];
        each_dropped(&content, Seq::new(20), |seq, what| seen.push((seq.bits(), what)));
        assert_eq!(seen, [18, 17, 14].map(|seq| (seq, Dropped::Corrupt)));
    }
}
