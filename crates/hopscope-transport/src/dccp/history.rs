//! What a receiver remembers of the packets that have come, and the Ack Vector made of it (RFC 4340 11.4, appendix A).
//!
//! Runs of packets in one state lie newest first. They are kept until the other end has acknowledged an acknowledgement
//! that reported them (ack of acks), and no longer than [`MOST_RUNS`] runs.

use std::collections::VecDeque;

use hopscope_packet::dccp::Seq;

/// More runs than these are forgotten from the oldest on: a header has less room for them.
const MOST_RUNS: usize = 256;
/// Acknowledgements remembered until they are acknowledged themselves.
const MOST_SENT: usize = 1024;
/// Packets of one octet of the vector.
const CELL: u64 = 64;

/// State of a packet (RFC 4340 11.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// It has come.
    Received = 0,
    /// It has come with congestion experienced.
    Marked = 1,
    /// It has not come yet.
    Missing = 3,
}

impl Arrival {
    /// The state of an octet of a vector; none for the reserved one.
    pub const fn of(octet: u8) -> Option<Arrival> {
        match octet >> 6 {
            0 => Some(Arrival::Received),
            1 => Some(Arrival::Marked),
            // Reserved; a receiver of a vector stops there, as it cannot know what the state says (RFC 4340 11.4).
            2 => None,
            _ => Some(Arrival::Missing),
        }
    }
}

/// Packets that an octet of a vector stands for.
pub const fn run_length(octet: u8) -> u64 {
    (octet & 63) as u64 + 1
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    state: Arrival,
    packets: u64,
}

/// The memory of a receiver.
#[derive(Debug, Clone)]
pub struct History {
    /// Greatest number received (GSR).
    greatest: Seq,
    /// Newest first; the first one ends with `greatest`.
    runs: VecDeque<Run>,
    /// Acknowledgements sent and not acknowledged: their number, and what was `greatest` then.
    sent: VecDeque<(Seq, Seq)>,
}

impl History {
    /// Nothing before the first packet, which has this number.
    pub fn new(first: Seq) -> Self {
        let runs = VecDeque::from([Run { state: Arrival::Received, packets: 1 }]);
        History { greatest: first, runs, sent: VecDeque::new() }
    }

    /// A packet has come; false where it had come before, or is older than what is remembered.
    pub fn on_packet(&mut self, seq: Seq, marked: bool) -> bool {
        let state = if marked { Arrival::Marked } else { Arrival::Received };
        let ahead = seq.since(self.greatest);
        if ahead > 0 {
            self.greatest = seq;
            if ahead > 1 {
                self.push(Arrival::Missing, ahead as u64 - 1);
            }
            self.push(state, 1);
            self.runs.truncate(MOST_RUNS);
            return true;
        }
        self.fill(ahead.unsigned_abs(), state)
    }

    /// An acknowledgement with this number leaves.
    pub fn on_ack_sent(&mut self, seq: Seq) {
        // The oldest is the least likely to be acknowledged still. Without it more is reported than need be, no less.
        if self.sent.len() == MOST_SENT {
            self.sent.pop_front();
        }
        self.sent.push_back((seq, self.greatest));
    }

    /// The other end has received the packet with this number: what it reported need not be reported again. Gives the
    /// greatest number that it reported, where it was an acknowledgement.
    pub fn on_acked(&mut self, seq: Seq) -> Option<Seq> {
        let place = self.sent.iter().position(|(sent, _)| *sent == seq)?;
        let (_, known) = self.sent[place];
        // Earlier acknowledgements reported no more than this one.
        self.sent.drain(..=place);
        let mut keep = self.greatest.since(known).unsigned_abs();
        for (n, run) in self.runs.iter_mut().enumerate() {
            if keep <= run.packets {
                run.packets = keep;
                self.runs.truncate(if keep > 0 { n + 1 } else { n });
                break;
            }
            keep -= run.packets;
        }
        Some(known)
    }

    /// Greatest number received.
    pub fn greatest(&self) -> Seq {
        self.greatest
    }

    /// Octets of the Ack Vector, from `greatest` downwards.
    pub fn octets(&self) -> impl Iterator<Item = u8> {
        self.runs.iter().flat_map(|run| {
            let (whole, rest) = (run.packets / CELL, run.packets % CELL);
            let octet = |packets: u64| ((run.state as u8) << 6) | (packets - 1) as u8;
            let cells = std::iter::repeat_n(octet(CELL), whole as usize);
            cells.chain((rest > 0).then(|| octet(rest.max(1))))
        })
    }

    fn push(&mut self, state: Arrival, packets: u64) {
        match self.runs.front_mut() {
            Some(run) if run.state == state => run.packets += packets,
            Some(_) | None => self.runs.push_front(Run { state, packets }),
        }
    }

    /// The packet `below` the greatest has come; false unless it was missing.
    fn fill(&mut self, mut below: u64, state: Arrival) -> bool {
        for place in 0..self.runs.len() {
            let run = self.runs[place];
            if below >= run.packets {
                below -= run.packets;
                continue;
            }
            if run.state != Arrival::Missing {
                return false;
            }
            let (newer, older) = (below, run.packets - below - 1);
            self.runs.remove(place);
            for (state, packets) in [(run.state, older), (state, 1), (run.state, newer)] {
                if packets > 0 {
                    self.runs.insert(place, Run { state, packets });
                }
            }
            self.join();
            return true;
        }
        false
    }

    /// Neighbouring runs of one state become one.
    fn join(&mut self) {
        let mut place = 1;
        while place < self.runs.len() {
            if self.runs[place].state == self.runs[place - 1].state {
                self.runs[place - 1].packets += self.runs[place].packets;
                self.runs.remove(place);
            } else {
                place += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn history(numbers: &[u64]) -> History {
        let mut history = History::new(Seq::new(numbers[0]));
        numbers[1..].iter().for_each(|&n| assert!(history.on_packet(Seq::new(n), false), "{n} is new"));
        history
    }

    /// The vector as text: a letter for each packet, newest first.
    fn shown(history: &History) -> String {
        let letter = |octet| match Arrival::of(octet).expect("a state") {
            Arrival::Received => "r",
            Arrival::Marked => "m",
            Arrival::Missing => "-",
        };
        history.octets().map(|octet| letter(octet).repeat(run_length(octet) as usize)).collect()
    }

    #[test]
    fn gaps_and_late_packets_are_reported() {
        let mut history = history(&[10, 11, 14]);
        assert_eq!(shown(&history), "r--rr");
        assert!(history.on_packet(Seq::new(13), true));
        assert_eq!(shown(&history), "rm-rr");
        assert!(!history.on_packet(Seq::new(11), false), "twice");
        assert!(!history.on_packet(Seq::new(9), false), "older than the connection");
        assert!(history.on_packet(Seq::new(12), false));
        assert_eq!(shown(&history), "rmrrr");
    }

    #[test]
    fn octets_are_those_of_the_standard() {
        // RFC 4340 11.4: state in the two upper bits, run length less one in the six lower ones.
        let mut history = history(&[1]);
        (2..=70).for_each(|n| assert!(history.on_packet(Seq::new(n), false)));
        assert!(history.on_packet(Seq::new(73), true));
        assert_eq!(history.octets().collect::<Vec<_>>(), [0x40, 0xC1, 0x3F, 0x05]);
    }

    #[test]
    fn an_acknowledged_acknowledgement_frees_what_it_reported() {
        let mut history = history(&[10, 11, 14]);
        history.on_ack_sent(Seq::new(500));
        history.on_packet(Seq::new(15), false);
        history.on_ack_sent(Seq::new(501));
        history.on_packet(Seq::new(17), false);
        history.on_acked(Seq::new(499));
        assert_eq!(shown(&history), "r-rr--rr", "of an acknowledgement never sent");
        history.on_acked(Seq::new(500));
        assert_eq!(shown(&history), "r-r");
        assert!(!history.on_packet(Seq::new(13), false), "no longer remembered");
        history.on_acked(Seq::new(501));
        history.on_acked(Seq::new(500));
        assert_eq!(shown(&history), "r-");
        history.on_ack_sent(Seq::new(502));
        history.on_acked(Seq::new(502));
        assert_eq!(shown(&history), "");
    }

    proptest! {
        #![proptest_config(hopscope_testing::property(300))]

        #[test]
        fn the_vector_says_what_came(steps in proptest::collection::vec((0..90u64, 0..3u8), 1..200)) {
            let first = Seq::new((1 << 48) - 40);
            let mut history = History::new(first);
            let mut model = vec![Some(false)];
            for (step, what) in steps {
                let place = (model.len() as u64 + 5).saturating_sub(step) as usize;
                let marked = what == 1;
                if place >= model.len() {
                    model.resize(place + 1, None);
                }
                let is_new = model[place].is_none();
                prop_assert_eq!(history.on_packet(first.plus(place as u64), marked), is_new);
                if is_new {
                    model[place] = Some(marked);
                }
            }
            let letter = |state: &Option<bool>| match state { None => '-', Some(false) => 'r', Some(true) => 'm' };
            let reported = shown(&history);
            let model: String = model.iter().rev().map(letter).take(reported.len()).collect();
            prop_assert_eq!(reported, model);
        }
    }
}
