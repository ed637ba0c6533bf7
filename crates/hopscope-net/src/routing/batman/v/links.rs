//! Neighbours by their ELP messages, and the throughput of the links to them (bat_v_elp.c).

use super::super::sequence::ahead;
use crate::routing::Cx;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};

/// Numbers so far behind the last are those of a neighbour that has started anew (BATADV_ELP_MAX_AGE).
const MAX_AGE: i32 = 64;

/// A neighbour.
#[derive(Debug)]
pub(super) struct Neighbour {
    pub(super) node: NodeId,
    /// Radio by which it is heard.
    pub(super) interface: u8,
    seq: u32,
    last_seen: Time,
    /// When data went to it last.
    last_data: Option<Time>,
    pub(super) throughput: Average,
}

/// The neighbours, in the order of radios and nodes.
#[derive(Debug, Default)]
pub(super) struct Neighbours(Vec<Neighbour>);

impl Neighbours {
    fn place(&self, interface: u8, node: NodeId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&(interface, node), |neighbour| (neighbour.interface, neighbour.node))
    }

    pub(super) fn get(&self, interface: u8, node: NodeId) -> Option<&Neighbour> {
        self.place(interface, node).ok().map(|place| &self.0[place])
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Neighbour> {
        self.0.iter_mut()
    }

    /// Those that hear what goes by a radio.
    pub(super) fn on<'a>(&'a self, radio: u8, cx: &'a Cx) -> impl Iterator<Item = &'a Neighbour> {
        self.0.iter().filter(move |neighbour| cx.radio_of(neighbour.interface) == radio)
    }

    /// An ELP message came; true where it says something new (batadv_v_elp_neigh_update).
    pub(super) fn hear(&mut self, interface: u8, node: NodeId, seq: u32, now: Time) -> bool {
        let place = match self.place(interface, node) {
            Ok(place) => {
                let ahead = ahead(seq, self.0[place].seq);
                if ahead < 1 && ahead > -MAX_AGE {
                    return false;
                }
                place
            }
            Err(place) => {
                let throughput = Average::default();
                let new = Neighbour { node, interface, seq, last_seen: now, last_data: None, throughput };
                self.0.insert(place, new);
                place
            }
        };
        let neighbour = &mut self.0[place];
        (neighbour.seq, neighbour.last_seen) = (seq, now);
        true
    }

    /// Data goes to a neighbour.
    pub(super) fn note_data(&mut self, interface: u8, node: NodeId, now: Time) {
        if let Ok(place) = self.place(interface, node) {
            self.0[place].last_data = Some(now);
        }
    }

    /// Forgets those that were silent for so long; when to look again.
    pub(super) fn purge(&mut self, timeout: Span, now: Time) -> Option<Time> {
        self.0.retain(|neighbour| neighbour.last_seen + timeout > now);
        self.0.iter().map(|neighbour| neighbour.last_seen + timeout).min()
    }
}

impl Neighbour {
    /// No data went to it for longer than this.
    pub(super) fn is_idle(&self, limit: Span, now: Time) -> bool {
        self.last_data.is_none_or(|last| now > last + limit)
    }
}

/// A moving average whose latest value weighs an eighth, with ten bits behind the point (DECLARE_EWMA(throughput, 10, 8)).
#[derive(Debug, Default)]
pub(super) struct Average(u64);

impl Average {
    pub(super) fn add(&mut self, value: u32) {
        let value = u64::from(value) << 10;
        self.0 = if self.0 == 0 { value } else { (self.0 * 7 + value) >> 3 };
    }

    /// The average, rounded down; 0 as long as there is no value.
    pub(super) fn get(&self) -> u32 {
        (self.0 >> 10) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_moves_by_an_eighth() {
        let mut average = Average::default();
        let mut after = |value| {
            average.add(value);
            average.get()
        };
        // 100, then 7/8 x 100 + 1/8 x 20 = 90, then 78.75 + 2.5.
        assert_eq!([100, 20, 20].map(&mut after), [100, 90, 81]);
        assert_eq!(Average::default().get(), 0);
    }

    #[test]
    fn elp_messages_count_once_and_a_restart_is_believed() {
        let mut neighbours = Neighbours::default();
        let mut hear = |seq| neighbours.hear(0, NodeId(4), seq, Time::ZERO);
        assert_eq!([hear(7), hear(7), hear(6), hear(8)], [true, false, false, true]);
        assert_eq!([hear(8u32.wrapping_sub(63)), hear(8u32.wrapping_sub(64))], [false, true]);
        assert!(neighbours.hear(1, NodeId(4), 7, Time(5)), "another radio");
        assert_eq!(neighbours.purge(Span(4), Time(4)), Some(Time(9)));
        assert!(neighbours.get(0, NodeId(4)).is_none() && neighbours.get(1, NodeId(4)).is_some());
    }

    #[test]
    fn a_neighbour_is_idle_after_the_limit() {
        let mut neighbours = Neighbours::default();
        neighbours.hear(0, NodeId(4), 7, Time::ZERO);
        let is_idle = |neighbours: &Neighbours, now| neighbours.get(0, NodeId(4)).expect("it").is_idle(Span(100), now);
        assert!(is_idle(&neighbours, Time::ZERO), "nothing went there yet");
        neighbours.note_data(0, NodeId(4), Time(50));
        assert_eq!([150, 151].map(|now| is_idle(&neighbours, Time(now))), [false, true]);
    }
}
