//! What is kept of the OGMs of an originator by each neighbour: which ones came, and the quality of the path.

use super::super::originators::{Metric, Originator};
use super::super::sequence::{Jump, ahead};
use super::links::within;
use hopscope_core::units::Time;

/// Most OGMs over which the quality of a path can be averaged.
const MOST: usize = 8;

/// What is kept of an originator by one neighbour.
#[derive(Debug, Default)]
pub(super) struct Quality {
    /// OGMs that came (real_bits): the lowest bit stands for the last sequence number of the originator.
    received: u64,
    /// The last qualities (tq_recv), and the place of the next.
    recent: [u8; MOST],
    next: u8,
    /// Their average (tq_avg).
    tq: u8,
}

/// What is kept of the originator itself.
#[derive(Debug, Default)]
pub(super) struct Receptions {
    /// OGMs that came by any neighbour, as in [`Quality`].
    received: u64,
}

impl Metric for Quality {
    type Whole = Receptions;

    fn value(&self) -> u32 {
        self.tq.into()
    }
}

impl Quality {
    /// OGMs that came of the last `window`.
    pub(super) fn received(&self, window: u32) -> u32 {
        within(self.received, window).count_ones()
    }

    /// Average quality of the path; 0: it is none.
    pub(super) fn tq(&self) -> u8 {
        self.tq
    }

    /// The next quality; the average is that of those that are not zero (batadv_ring_buffer_avg).
    pub(super) fn push(&mut self, tq: u8, window: u32) {
        self.recent[usize::from(self.next)] = tq;
        self.next = (self.next + 1) % window as u8;
        let recent = &self.recent[..window as usize];
        let (mut sum, mut count) = (0u32, 0u32);
        for &tq in recent {
            sum += u32::from(tq);
            count += u32::from(tq != 0);
        }
        self.tq = (sum / count.max(1)) as u8;
    }
}

/// What the sequence number of an OGM says (enum batadv_dup_status).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// It is new.
    New,
    /// It came by another neighbour.
    ByOther,
    /// It came by the same one.
    ByThis,
    /// It is not believed.
    Protected,
}

impl Originator<Quality> {
    /// An OGM came by the neighbour in place `via`, none where nothing came by it so far (batadv_iv_ogm_update_seqnos).
    pub(super) fn see(&mut self, via: Option<usize>, seq: u32, window: u32, now: Time) -> Seen {
        if self.vias.is_empty() {
            return Seen::New;
        }
        let ahead = ahead(seq, self.last_seq);
        match self.protection.check(ahead, window, now) {
            Jump::Protected => return Seen::Protected,
            Jump::Restart => self.slide(u64::BITS),
            Jump::None if ahead > 0 => self.slide(ahead as u32),
            Jump::None => return self.see_old(via, ahead.unsigned_abs()),
        }
        self.last_seq = seq;
        if let Some(via) = via {
            self.vias[via].metric.received |= 1;
            self.whole.received |= 1;
        }
        Seen::New
    }

    /// An OGM that is no newer than the last one.
    fn see_old(&mut self, via: Option<usize>, age: u32) -> Seen {
        let bit = 1 << age;
        let seen = match via {
            Some(via) if self.vias[via].metric.received & bit != 0 => Seen::ByThis,
            _ if self.whole.received & bit != 0 => Seen::ByOther,
            _ => Seen::New,
        };
        if let Some(via) = via {
            self.vias[via].metric.received |= bit;
            self.whole.received |= bit;
        }
        seen
    }

    /// The windows go on by so many.
    fn slide(&mut self, by: u32) {
        let slid = |bits: u64| bits.checked_shl(by).unwrap_or(0);
        for via in &mut self.vias {
            via.metric.received = slid(via.metric.received);
        }
        self.whole.received = slid(self.whole.received);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::ids::NodeId;

    #[test]
    fn the_average_leaves_out_what_did_not_come() {
        let mut quality = Quality::default();
        let mut after = |tq| {
            quality.push(tq, 5);
            quality.tq()
        };
        assert_eq!([200, 100, 0, 0, 0].map(&mut after), [200, 150, 150, 150, 150]);
        assert_eq!([0, 0, 7].map(&mut after), [100, 0, 7], "each is forgotten after five");
    }

    #[test]
    fn numbers_are_new_or_seen_by_this_neighbour_or_by_another() {
        let now = Time::ZERO;
        let mut originator = crate::routing::batman::originators::Originators::<Quality>::new(50);
        let place = originator.place_or_new(NodeId(9), now);
        let originator = originator.at_mut(place);
        assert_eq!(originator.see(None, 1000, 64, now), Seen::New, "nothing is kept where there is no neighbour");
        for node in [1, 2] {
            originator.via_or_new(0, NodeId(node), now);
        }
        let mut see = |via, seq| originator.see(via, seq, 64, now);
        assert_eq!(see(Some(0), 5), Seen::New);
        assert_eq!([see(Some(0), 5), see(Some(1), 5), see(Some(1), 5)], [Seen::ByThis, Seen::ByOther, Seen::ByThis]);
        assert_eq!([see(Some(1), 8), see(Some(0), 7), see(Some(1), 7)], [Seen::New, Seen::New, Seen::ByOther]);
        assert_eq!(see(None, 8), Seen::ByOther);
        assert_eq!(originator.vias[0].metric.received(64), 2, "7 and 5");
        assert_eq!(originator.vias[0].metric.received(2), 1);
        let mut see = |via, seq| originator.see(via, seq, 64, now);
        // 64 behind 8: a restart. The next jump within 30 s is not believed.
        let behind = |by| 8u32.wrapping_sub(by);
        assert_eq!([see(Some(0), behind(64)), see(Some(0), behind(128))], [Seen::New, Seen::Protected]);
        assert_eq!((originator.vias[0].metric.received(64), originator.vias[1].metric.received(64)), (1, 0));
    }
}
