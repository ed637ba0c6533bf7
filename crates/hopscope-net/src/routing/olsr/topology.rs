//! What TC messages say of the network (RFC 3626 4.4, 9.5), and whose messages were processed (3.4).
//!
//! In a large network memory goes into what each node knows of every other. What many know alike is therefore there
//! once: a set of links is made by the node that advertises it, and all others hold it by reference.

use std::sync::Arc;

use super::seen::{Message, Seen};
use crate::routing::by_node::{ByNode, push};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use hopscope_packet::olsr::Tc;

/// Advertised links, and the messages that were processed.
#[derive(Debug, Default)]
pub(super) struct Topology {
    /// Places in `origins`, and 1; 0: none.
    places: ByNode<u32>,
    /// Originators in the order of their first messages.
    origins: Vec<Origin>,
    seen: Seen,
}

/// What is known of one originator.
#[derive(Debug)]
struct Origin {
    /// The links it advertises: as many topology tuples of the RFC with one T_last_addr, T_seq and T_time.
    links: Option<Arc<Tc>>,
    until: Time,
    node: NodeId,
    /// Its last message that was processed.
    last: Message,
}

/// The place of an originator whose message is at hand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place(usize);

impl Topology {
    /// Notes a message that is to be forgotten at `forget`, which is never earlier than that of the message before;
    /// none when it is known. With one interface a message that is known is neither processed nor relayed again.
    pub(super) fn see(&mut self, origin: NodeId, seq: u16, now: Time, forget: Time) -> Option<Place> {
        let place = self.places.slot(origin);
        if *place == 0 {
            push(&mut self.origins, Origin { links: None, until: Time::ZERO, node: origin, last: Message::default() });
            *place = self.origins.len() as u32;
        }
        let place = *place as usize - 1;
        self.seen.forget(now);
        self.seen.insert(&mut self.origins[place].last, seq, forget).then_some(Place(place))
    }

    /// Takes the TC message of an originator; what it said before, if that were other links.
    pub(super) fn update(&mut self, Place(place): Place, tc: &Arc<Tc>, now: Time, until: Time) -> Option<Arc<Tc>> {
        let origin = &mut self.origins[place];
        let old = origin.links.as_ref();
        // RFC 3626 9.5, steps 2 and 3: a stale set is ignored, any other replaces what the node advertised before as a
        // whole.
        if old.is_some_and(|old| origin.until > now && newer(old.ansn, tc.ansn)) {
            return None;
        }
        origin.until = until;
        if old.is_some_and(|old| Arc::ptr_eq(old, tc)) {
            return None;
        }
        let old = origin.links.replace(tc.clone()).unwrap_or_default();
        (old.advertised != tc.advertised || old.qualities != tc.qualities).then_some(old)
    }

    /// Forgets links that are no longer valid and hands them to `over`, by the node that advertised them; gives the
    /// instant at which the next are over.
    pub(super) fn expire(&mut self, now: Time, mut over: impl FnMut(NodeId, &Tc)) -> Option<Time> {
        let mut next: Option<Time> = None;
        for origin in &mut self.origins {
            if let Some(tc) = origin.links.take_if(|_| origin.until <= now) {
                over(origin.node, &tc);
            } else if origin.links.is_some() {
                next = Some(next.map_or(origin.until, |next| next.min(origin.until)));
            }
        }
        next
    }

    /// Nodes to which `last` advertises a link.
    #[inline]
    pub(super) fn from(&self, last: NodeId) -> &[NodeId] {
        self.tc(last).map_or(&[], |tc| &tc.advertised)
    }

    /// What `last` advertises, if anything.
    #[inline]
    pub(super) fn tc(&self, last: NodeId) -> Option<&Tc> {
        let place = self.places.get(last).map(|&place| place as usize - 1);
        place.and_then(|place| self.origins[place].links.as_deref())
    }
}

/// True if `a` is a later number than `b` (RFC 3626 19).
pub(super) fn newer(a: u16, b: u16) -> bool {
    (1..=u16::MAX / 2).contains(&a.wrapping_sub(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tc(ansn: u16, nodes: &[u32]) -> Arc<Tc> {
        Tc { ansn, advertised: nodes.iter().map(|&n| NodeId(n)).collect(), qualities: None }.into()
    }

    #[test]
    fn numbers_wrap_around() {
        assert!(newer(1, 0) && newer(0, 65_535) && newer(32_767, 0) && newer(10, 60_000));
        assert!(!newer(0, 0) && !newer(0, 1) && !newer(65_535, 0) && !newer(32_768, 0));
    }

    /// Takes a TC message; true when links changed.
    fn update(topology: &mut Topology, node: u32, tc: &Arc<Tc>, now: Time, until: Time) -> bool {
        let place = topology.see(NodeId(node), now.0 as u16, now, until).expect("a new number");
        topology.update(place, tc, now, until).is_some()
    }

    fn expire(topology: &mut Topology, now: Time) -> (Vec<(u32, usize)>, Option<Time>) {
        let mut over = Vec::new();
        let next = topology.expire(now, |node, links| over.push((node.0, links.advertised.len())));
        (over, next)
    }

    #[test]
    fn later_sets_replace_earlier_ones_and_late_messages_are_ignored() {
        let mut topology = Topology::default();
        let mut take = |tc, now, until| {
            let changed = update(&mut topology, 5, &tc, Time(now), Time(until));
            (changed, topology.from(NodeId(5)).iter().map(|n| n.0).collect::<Vec<_>>())
        };
        assert_eq!(take(tc(7, &[1, 2]), 0, 100), (true, vec![1, 2]));
        assert_eq!(take(tc(7, &[1, 2]), 10, 110), (false, vec![1, 2]), "refreshed");
        assert_eq!(take(tc(6, &[3]), 20, 120), (false, vec![1, 2]), "an older set");
        assert_eq!(take(tc(8, &[2]), 30, 130), (true, vec![2]));
        assert_eq!(take(tc(9, &[]), 40, 140), (true, vec![]));
        assert_eq!(take(tc(8, &[2]), 50, 150), (false, vec![]), "late");
        // An old number counts again once the newer one is forgotten.
        assert_eq!(take(tc(3, &[2]), 140, 240), (true, vec![2]));
    }

    #[test]
    fn what_is_not_refreshed_goes() {
        let mut topology = Topology::default();
        update(&mut topology, 1, &tc(1, &[2]), Time(0), Time(100));
        update(&mut topology, 3, &tc(1, &[]), Time(0), Time(50));
        assert_eq!(expire(&mut topology, Time(49)), (vec![], Some(Time(50))));
        assert_eq!(expire(&mut topology, Time(50)), (vec![(3, 0)], Some(Time(100))));
        assert_eq!(expire(&mut topology, Time(100)), (vec![(1, 1)], None));
        assert_eq!(topology.from(NodeId(1)), []);
    }

    #[test]
    fn messages_are_known_by_originator_and_number() {
        let mut topology = Topology::default();
        let mut is_new = |node, seq, now| topology.see(NodeId(node), seq, Time(now), Time(now + 100)).is_some();
        assert!(is_new(1, 5, 0));
        assert!(!is_new(1, 5, 99));
        assert!(is_new(1, 6, 99) && is_new(2, 5, 99));
        assert!(is_new(1, 5, 100));
        assert!(!is_new(1, 6, 100));
    }

    #[test]
    fn a_set_is_kept_once_for_all() {
        let shared = tc(1, &[2, 3]);
        let mut nodes: Vec<Topology> = (0..5).map(|_| Topology::default()).collect();
        for topology in &mut nodes {
            update(topology, 1, &shared, Time(0), Time(100));
        }
        assert_eq!(Arc::strong_count(&shared), 6);
        assert_eq!(size_of::<Origin>(), 32);
    }
}
