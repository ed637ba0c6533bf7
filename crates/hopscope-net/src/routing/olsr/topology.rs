//! What TC messages say of the network, and which messages were seen (RFC 3626 3.4, 4.4, 9.5).

use std::sync::Arc;

use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use hopscope_packet::olsr::Tc;

/// Advertised links.
#[derive(Debug, Default)]
pub(super) struct Topology {
    /// By the number of the node that advertises them.
    origins: Vec<Option<Origin>>,
}

/// The links one node advertises: as many topology tuples of the RFC with one T_last_addr, T_seq and T_time.
#[derive(Debug)]
struct Origin {
    ansn: u16,
    until: Time,
    destinations: Arc<[NodeId]>,
}

impl Topology {
    /// Notes a TC message of `last`; true when links changed.
    pub(super) fn update(&mut self, last: NodeId, tc: &Tc, now: Time, until: Time) -> bool {
        let place = slot(&mut self.origins, last);
        let old: &[NodeId] = match place {
            // RFC 3626 9.5, steps 2 and 3: a stale set is ignored, any other replaces what the node advertised before
            // as a whole.
            Some(old) if old.until > now && newer(old.ansn, tc.ansn) => return false,
            Some(old) => &old.destinations,
            None => &[],
        };
        let changed = *old != *tc.advertised;
        *place = Some(Origin { ansn: tc.ansn, until, destinations: tc.advertised.clone() });
        changed
    }

    /// Forgets what is no longer valid; true when links went.
    pub(super) fn expire(&mut self, now: Time) -> bool {
        let mut changed = false;
        for place in &mut self.origins {
            if let Some(over) = place.take_if(|origin| origin.until <= now) {
                changed |= !over.destinations.is_empty();
            }
        }
        changed
    }

    pub(super) fn next_expiry(&self) -> Option<Time> {
        self.origins.iter().flatten().map(|o| o.until).min()
    }

    /// Nodes to which `last` advertises a link.
    #[inline]
    pub(super) fn from(&self, last: NodeId) -> &[NodeId] {
        match self.origins.get(last.index()) {
            Some(Some(origin)) => &origin.destinations,
            _ => &[],
        }
    }
}

/// Messages processed (the duplicate set). With one interface a message that is known is neither processed nor relayed
/// again.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Numbers and when they are forgotten, by the number of the originator.
    origins: Vec<Vec<(u16, Time)>>,
}

impl Seen {
    /// Notes a message; false when it was known and not forgotten at `now`.
    pub(super) fn insert(&mut self, origin: NodeId, seq: u16, now: Time, until: Time) -> bool {
        let known = slot(&mut self.origins, origin);
        if known.iter().any(|&(known, until)| known == seq && until > now) {
            return false;
        }
        known.retain(|&(_, until)| until > now);
        known.push((seq, until));
        true
    }
}

/// The place of a node in a list by node.
fn slot<T: Default>(list: &mut Vec<T>, node: NodeId) -> &mut T {
    if node.index() >= list.len() {
        list.resize_with(node.index() + 1, T::default);
    }
    &mut list[node.index()]
}

/// True if `a` is a later number than `b` (RFC 3626 19).
pub(super) fn newer(a: u16, b: u16) -> bool {
    (1..=u16::MAX / 2).contains(&a.wrapping_sub(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tc(ansn: u16, nodes: &[u32]) -> Tc {
        Tc { ansn, advertised: nodes.iter().map(|&n| NodeId(n)).collect() }
    }

    #[test]
    fn numbers_wrap_around() {
        assert!(newer(1, 0) && newer(0, 65_535) && newer(32_767, 0) && newer(10, 60_000));
        assert!(!newer(0, 0) && !newer(0, 1) && !newer(65_535, 0) && !newer(32_768, 0));
    }

    #[test]
    fn later_sets_replace_earlier_ones_and_late_messages_are_ignored() {
        let (node, mut topology) = (NodeId(5), Topology::default());
        assert!(topology.update(node, &tc(7, &[1, 2]), Time(0), Time(100)));
        assert!(!topology.update(node, &tc(7, &[1, 2]), Time(10), Time(110)), "refreshed");
        assert!(!topology.update(node, &tc(6, &[3]), Time(20), Time(120)), "an older set");
        assert_eq!((topology.from(node), topology.next_expiry()), (&[NodeId(1), NodeId(2)][..], Some(Time(110))));
        assert!(topology.update(node, &tc(8, &[2]), Time(30), Time(130)));
        assert!(topology.update(node, &tc(9, &[]), Time(40), Time(140)));
        assert_eq!(topology.from(node), []);
        assert!(!topology.update(node, &tc(8, &[2]), Time(50), Time(150)), "late");
        // An old number counts again once the newer one is forgotten.
        assert!(topology.update(node, &tc(3, &[2]), Time(140), Time(240)));
    }

    #[test]
    fn what_is_not_refreshed_goes() {
        let mut topology = Topology::default();
        topology.update(NodeId(1), &tc(1, &[2]), Time(0), Time(100));
        topology.update(NodeId(3), &tc(1, &[]), Time(0), Time(50));
        assert!(!topology.expire(Time(50)), "a set without links");
        assert!(!topology.expire(Time(99)));
        assert!(topology.expire(Time(100)));
        assert_eq!((topology.from(NodeId(1)), topology.next_expiry()), (&[][..], None));
    }

    #[test]
    fn a_message_is_new_once_until_it_is_forgotten() {
        let mut seen = Seen::default();
        assert!(seen.insert(NodeId(1), 5, Time(0), Time(100)));
        assert!(!seen.insert(NodeId(1), 5, Time(99), Time(199)));
        assert!(seen.insert(NodeId(1), 6, Time(99), Time(199)));
        assert!(seen.insert(NodeId(2), 5, Time(99), Time(199)));
        assert!(seen.insert(NodeId(1), 5, Time(100), Time(200)));
    }
}
