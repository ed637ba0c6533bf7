//! Reliability over any congestion control (zhang2006 7): the lists of both ends.
//!
//! Data has numbers of its own, as a repetition is a new packet to DCCP. The sender keeps what is not reported
//! received; it repeats at once what is reported missing, again only when the timer of that packet has expired, and
//! what nobody has reported when its timer expires. The receiver hands over in order and drops what it has.

use std::collections::{BTreeMap, VecDeque};

use hopscope_core::units::Time;

/// What is known of data that has been sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    /// Nothing.
    NotAcknowledged,
    /// It has come.
    Received,
    /// It has not, though later packets have.
    NotReceived,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    bytes: u32,
    status: Status,
    is_repeated: bool,
    expires: Time,
}

impl Entry {
    /// It is to be repeated now.
    fn is_due(&self, now: Time) -> bool {
        match self.status {
            Status::Received => false,
            Status::NotReceived if !self.is_repeated => true,
            Status::NotReceived | Status::NotAcknowledged => self.expires <= now,
        }
    }
}

/// The list of the sender: data from the oldest one on that is not known to have come.
#[derive(Debug, Default)]
pub struct SendList {
    entries: VecDeque<Entry>,
    /// Data before the first entry.
    before: u32,
}

impl SendList {
    /// New data goes out; gives its number, from 1 on.
    pub fn add(&mut self, bytes: u32) -> u32 {
        self.entries.push_back(Entry {
            bytes,
            status: Status::NotAcknowledged,
            is_repeated: false,
            expires: Time::ZERO,
        });
        self.before + self.entries.len() as u32
    }

    /// It has left; its timer runs until then.
    pub fn on_sent(&mut self, number: u32, expires: Time) {
        if let Some(entry) = self.entry(number) {
            entry.expires = expires;
        }
    }

    /// What is to be repeated now, if anything: its number and bytes.
    pub fn repeat(&mut self, now: Time) -> Option<(u32, u32)> {
        let place = self.entries.iter().position(|entry| entry.is_due(now))?;
        Some(self.again(place))
    }

    /// Something is to be repeated now.
    pub fn is_due(&self, now: Time) -> bool {
        self.entries.iter().any(|entry| entry.is_due(now))
    }

    /// The oldest data, to be repeated as a probe.
    pub fn oldest(&mut self) -> Option<(u32, u32)> {
        let place = self.entries.iter().position(|entry| entry.status != Status::Received)?;
        Some(self.again(place))
    }

    /// It is reported received; the oldest ones in a row that are leave the list.
    pub fn on_received(&mut self, number: u32) {
        if let Some(entry) = self.entry(number) {
            entry.status = Status::Received;
        }
        while self.entries.front().is_some_and(|entry| entry.status == Status::Received) {
            self.entries.pop_front();
            self.before += 1;
        }
    }

    /// A copy of it is reported missing, or its data dropped.
    pub fn on_missing(&mut self, number: u32) {
        // One that has come by another copy is not missing.
        if let Some(entry) = self.entry(number).filter(|entry| entry.status == Status::NotAcknowledged) {
            entry.status = Status::NotReceived;
        }
    }

    /// When the next timer expires.
    pub fn earliest(&self) -> Option<Time> {
        self.entries.iter().filter(|entry| entry.status != Status::Received).map(|entry| entry.expires).min()
    }

    /// All has come.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn again(&mut self, place: usize) -> (u32, u32) {
        let entry = &mut self.entries[place];
        // The copy that leaves now is a new packet, of which nothing is known.
        entry.status = Status::NotAcknowledged;
        entry.is_repeated = true;
        (self.before + place as u32 + 1, entry.bytes)
    }

    fn entry(&mut self, number: u32) -> Option<&mut Entry> {
        self.entries.get_mut(usize::try_from(number.checked_sub(self.before + 1)?).ok()?)
    }

    /// Numbers with `?` (not acknowledged), `+` (received) or `-` (not received), `*` where repeated.
    #[cfg(test)]
    pub fn shown(&self) -> String {
        let one = |(place, entry): (usize, &Entry)| {
            let status = match entry.status {
                Status::NotAcknowledged => "?",
                Status::Received => "+",
                Status::NotReceived => "-",
            };
            format!("{}{status}{}", self.before as usize + place + 1, if entry.is_repeated { "*" } else { "" })
        };
        self.entries.iter().enumerate().map(one).collect::<Vec<_>>().join(" ")
    }
}

/// The list of the receiver: data that waits for older data.
#[derive(Debug, Default)]
pub struct ReceiveList {
    /// Data handed over, all in order.
    handed: u32,
    waiting: BTreeMap<u32, u32>,
}

impl ReceiveList {
    /// Data has come; gives the bytes that can be handed over with it, none where it had come before.
    pub fn take(&mut self, number: u32, bytes: u32) -> Option<u32> {
        if number <= self.handed || self.waiting.contains_key(&number) {
            return None;
        }
        self.waiting.insert(number, bytes);
        let mut ready = 0;
        while let Some(bytes) = self.waiting.remove(&(self.handed + 1)) {
            self.handed += 1;
            ready += bytes;
        }
        Some(ready)
    }

    /// Numbers that wait, and before them how many have been handed over.
    #[cfg(test)]
    pub fn shown(&self) -> String {
        let waiting = self.waiting.keys().map(|number| format!(" {number}"));
        format!("{} |", self.handed) + &waiting.collect::<String>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(n: u32, expires: u64) -> SendList {
        let mut list = SendList::default();
        for number in 1..=n {
            assert_eq!(list.add(100), number);
            list.on_sent(number, Time(expires));
        }
        list
    }

    #[test]
    fn what_is_missing_is_repeated_at_once_and_again_when_its_timer_expires() {
        let mut list = sent(3, 50);
        list.on_received(3);
        list.on_missing(1);
        assert_eq!(list.shown(), "1- 2? 3+");
        assert_eq!(list.repeat(Time(10)), Some((1, 100)));
        list.on_sent(1, Time(60));
        list.on_missing(1);
        assert_eq!((list.shown().as_str(), list.repeat(Time(11))), ("1-* 2? 3+", None));
        assert_eq!(list.earliest(), Some(Time(50)));
        assert_eq!(list.repeat(Time(50)), Some((2, 100)), "nobody has reported it");
        list.on_sent(2, Time(100));
        assert_eq!(list.repeat(Time(60)), Some((1, 100)));
        list.on_sent(1, Time(110));
        list.on_received(1);
        assert_eq!(list.shown(), "2?* 3+");
        list.on_missing(3);
        list.on_received(2); // and the third, which had come
        assert!(list.is_empty() && list.earliest().is_none());
        assert_eq!(list.add(5), 4);
    }

    #[test]
    fn the_oldest_can_be_a_probe() {
        let mut list = sent(2, 50);
        list.on_received(2);
        assert_eq!(list.oldest(), Some((1, 100)));
        list.on_received(1);
        assert_eq!(list.oldest(), None);
    }

    #[test]
    fn data_is_handed_over_in_order_and_once() {
        let mut list = ReceiveList::default();
        assert_eq!(
            [1, 3, 4, 3, 2, 2, 5].map(|number| list.take(number, 10)),
            [Some(10), Some(0), Some(0), None, Some(30), None, Some(10)]
        );
        assert_eq!(list.shown(), "5 |");
    }
}
