//! The route cache: every link a node has heard of, in both directions (RFC 4728 4.1, appendix A).

use crate::config::dsr::{DsrConfig, LinkLife};
use crate::routing::by_node::ByNode;
use hopscope_core::config::section::LONGEST;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::dsr::BrokenLink;

/// A link to a neighbour. It stands in the lists of both its ends.
#[derive(Debug, Clone, Copy)]
struct Link {
    to: NodeId,
    until: Time,
    /// Last use by a packet that this node originated or salvaged.
    used: Time,
}

/// The links known.
#[derive(Debug)]
pub(super) struct LinkCache {
    /// Links of each node, in the order of neighbours.
    links: ByNode<Vec<Link>>,
    /// Links found broken, with the instant from which others may report them again.
    broken: Vec<(BrokenLink, Time)>,
    /// How well links of a node have lasted; none: nothing is known (`max-life`).
    stability: ByNode<Option<Span>>,
    /// Number of links that appeared so far.
    added: u64,
    cfg: DsrConfig,
}

/// Memory of a search in the cache, kept to save allocations.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    marks: ByNode<Mark>,
    queue: Vec<NodeId>,
    round: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    round: u32,
    hops: u32,
    prev: NodeId,
    /// When the first link of the way from the start expires.
    until: Time,
}

impl LinkCache {
    pub(super) fn new(cfg: &DsrConfig) -> Self {
        LinkCache {
            links: ByNode::default(),
            broken: Vec::new(),
            stability: ByNode::default(),
            added: 0,
            cfg: cfg.clone(),
        }
    }

    /// Number of links that appeared so far: while it stands still, no route gets better.
    pub(super) fn added(&self) -> u64 {
        self.added
    }

    /// A packet came over these links.
    pub(super) fn travelled(&mut self, path: &[NodeId], now: Time) {
        for link in path.windows(2) {
            // A packet that came over the link proves more than a report that it is broken.
            self.broken.retain(|(known, _)| !same(*known, link[0], link[1]));
            self.learn(link[0], link[1], now);
        }
    }

    /// A route names these links, which nobody has tried for it yet.
    pub(super) fn learn_listed(&mut self, path: &[NodeId], now: Time) {
        self.broken.retain(|&(_, until)| until > now);
        for link in path.windows(2) {
            if !self.broken.iter().any(|&(known, _)| same(known, link[0], link[1])) {
                self.learn(link[0], link[1], now);
            }
        }
    }

    /// A packet of this node is sent along these links.
    pub(super) fn used(&mut self, path: &[NodeId], now: Time) {
        for link in path.windows(2) {
            let least = match self.cfg.link_life {
                LinkLife::Timeout => self.cfg.route_cache_timeout,
                LinkLife::MaxLife => self.cfg.use_extends,
            };
            let mut idle = None;
            for (a, b) in [(link[0], link[1]), (link[1], link[0])] {
                if let Some(link) = self.get_mut(a, b) {
                    idle = Some(now - link.used);
                    link.used = now;
                    link.until = link.until.max(now + least);
                }
            }
            if let (Some(idle), LinkLife::MaxLife) = (idle, self.cfg.link_life) {
                // Link-MaxLife: the link has lasted since its last use, so both its ends have proved that stable (RFC
                // 4728 A).
                let gain = Span((idle.0 as f64 * self.cfg.stability_incr_factor) as u64);
                for &node in link {
                    let stability = Span(self.stability(node).0.saturating_add(gain.0));
                    self.set_stability(node, stability.min(LONGEST));
                }
            }
        }
    }

    /// The link is broken; true when it was known. 802.11 needs both directions of a link, so both go.
    pub(super) fn remove(&mut self, broken: BrokenLink, now: Time) -> bool {
        let BrokenLink { from, to } = broken;
        self.broken.retain(|&(known, until)| until > now && !same(known, from, to));
        if self.cfg.broken_link_memory > Span::ZERO {
            self.broken.push((broken, now + self.cfg.broken_link_memory));
        }
        let mut known = false;
        for (a, b) in [(from, to), (to, from)] {
            if let Some(list) = self.links.get_mut(a) {
                if let Ok(at) = list.binary_search_by_key(&b, |link| link.to) {
                    known = list.remove(at).until > now;
                }
            }
        }
        if known && self.cfg.link_life == LinkLife::MaxLife {
            for node in [from, to] {
                let stability = self.stability(node).0 as f64 * self.cfg.stability_decr_factor;
                self.set_stability(node, Span(stability as u64));
            }
        }
        known
    }

    /// When the first link of a path expires; none: one is missing or has expired.
    pub(super) fn path_until(&self, path: &[NodeId], now: Time) -> Option<Time> {
        let until = |link: &[NodeId]| self.get(link[0], link[1]).map(|link| link.until).filter(|&until| until > now);
        path.windows(2).map(until).try_fold(Time::NEVER, |least, until| until.map(|until| least.min(until)))
    }

    /// True for a link that paths may use.
    pub(super) fn knows(&self, link: BrokenLink, now: Time) -> bool {
        self.get(link.from, link.to).is_some_and(|link| link.until > now)
    }

    /// The shortest path; among equally short ones that whose first expiry is the latest (RFC 4728 A).
    pub(super) fn find(&self, from: NodeId, to: NodeId, now: Time, scratch: &mut Scratch) -> Option<Vec<NodeId>> {
        if from == to || !scratch.flood(self, from, to, now) {
            return None;
        }
        let mut path = vec![to];
        let mut at = to;
        while at != from {
            at = scratch.mark(at).prev;
            path.push(at);
        }
        path.reverse();
        Some(path)
    }

    /// Forgets links that have expired.
    pub(super) fn purge(&mut self, now: Time) {
        for list in self.links.values_mut() {
            list.retain(|link| link.until > now);
        }
    }

    /// True when no link is known.
    pub(super) fn is_empty(&self) -> bool {
        self.links.values().iter().all(Vec::is_empty)
    }

    fn learn(&mut self, a: NodeId, b: NodeId, now: Time) {
        let life = match self.cfg.link_life {
            LinkLife::Timeout => self.cfg.route_cache_timeout,
            LinkLife::MaxLife => self.stability(a).min(self.stability(b)).max(self.cfg.min_lifetime),
        };
        let until = now + life;
        let mut new = false;
        for (from, to) in [(a, b), (b, a)] {
            let list = self.links.slot(from);
            match list.binary_search_by_key(&to, |link| link.to) {
                Ok(at) => {
                    let link = &mut list[at];
                    // An expired link that is heard of again is a new one: paths over it are possible again.
                    new = link.until <= now;
                    if new {
                        link.used = now;
                    }
                    link.until = link.until.max(until);
                }
                Err(at) => {
                    list.insert(at, Link { to, until, used: now });
                    new = true;
                }
            }
        }
        self.added += u64::from(new);
    }

    fn get(&self, from: NodeId, to: NodeId) -> Option<&Link> {
        let list = self.links.get(from)?;
        list.binary_search_by_key(&to, |link| link.to).ok().map(|at| &list[at])
    }

    fn get_mut(&mut self, from: NodeId, to: NodeId) -> Option<&mut Link> {
        let list = self.links.get_mut(from)?;
        list.binary_search_by_key(&to, |link| link.to).ok().map(|at| &mut list[at])
    }

    fn stability(&self, node: NodeId) -> Span {
        self.stability.get(node).copied().flatten().unwrap_or(self.cfg.init_stability)
    }

    fn set_stability(&mut self, node: NodeId, stability: Span) {
        *self.stability.slot(node) = Some(stability);
    }
}

impl Scratch {
    /// Visits nodes in the order of hops until `to` and all ways as short to it are known; true when it was reached.
    fn flood(&mut self, cache: &LinkCache, from: NodeId, to: NodeId, now: Time) -> bool {
        // Marks of earlier rounds are void with this: nothing is cleared.
        self.round += 1;
        let round = self.round;
        self.queue.clear();
        self.queue.push(from);
        *self.marks.slot(from) = Mark { round, hops: 0, prev: from, until: Time::NEVER };
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            let here = self.mark(node);
            let target = self.mark(to);
            // Every node one hop nearer has been looked at: no equally short way is missing.
            if target.round == round && target.hops <= here.hops {
                break;
            }
            for link in cache.links.get(node).map_or(&[][..], Vec::as_slice) {
                if link.until <= now {
                    continue;
                }
                let mark = self.marks.slot(link.to);
                let offered = Mark { round, hops: here.hops + 1, prev: node, until: here.until.min(link.until) };
                if mark.round != round {
                    *mark = offered;
                    self.queue.push(link.to);
                } else if mark.hops == offered.hops && mark.until < offered.until {
                    *mark = offered;
                }
            }
        }
        self.mark(to).round == round
    }

    fn mark(&self, node: NodeId) -> Mark {
        self.marks.get(node).copied().unwrap_or_default()
    }
}

fn same(link: BrokenLink, a: NodeId, b: NodeId) -> bool {
    (link.from, link.to) == (a, b) || (link.from, link.to) == (b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids<const N: usize>(ids: [u32; N]) -> [NodeId; N] {
        ids.map(NodeId)
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn find(cache: &LinkCache, from: u32, to: u32, now: Time) -> Option<Vec<u32>> {
        let path = cache.find(NodeId(from), NodeId(to), now, &mut Scratch::default())?;
        Some(path.into_iter().map(|node| node.0).collect())
    }

    fn broken(from: u32, to: u32) -> BrokenLink {
        BrokenLink { from: NodeId(from), to: NodeId(to) }
    }

    #[test]
    fn links_of_different_routes_join_to_the_shortest_path() {
        let mut cache = LinkCache::new(&DsrConfig::default());
        cache.learn_listed(&ids([0, 1, 2, 3, 4]), at(0));
        assert_eq!(find(&cache, 0, 4, at(0)), Some(vec![0, 1, 2, 3, 4]));
        assert_eq!(find(&cache, 4, 1, at(0)), Some(vec![4, 3, 2, 1]), "links serve both ways");
        cache.learn_listed(&ids([9, 4, 1]), at(0));
        assert_eq!(find(&cache, 0, 4, at(0)), Some(vec![0, 1, 4]));
        assert_eq!(find(&cache, 0, 9, at(0)), Some(vec![0, 1, 4, 9]));
        assert_eq!(find(&cache, 0, 7, at(0)), None);
        assert_eq!(find(&cache, 0, 70, at(0)), None, "never heard of");
    }

    #[test]
    fn of_equally_short_paths_the_one_that_lives_longest_is_taken() {
        let mut cache = LinkCache::new(&DsrConfig::default());
        cache.learn_listed(&ids([0, 1, 5]), at(0));
        cache.learn_listed(&ids([0, 2, 5]), at(10));
        cache.learn_listed(&ids([0, 3, 5]), at(5));
        assert_eq!(find(&cache, 0, 5, at(10)), Some(vec![0, 2, 5]));
        cache.learn_listed(&ids([0, 1]), at(20));
        assert_eq!(find(&cache, 0, 5, at(20)), Some(vec![0, 2, 5]), "the weakest link counts");
        cache.learn_listed(&ids([1, 5]), at(20));
        assert_eq!(find(&cache, 0, 5, at(20)), Some(vec![0, 1, 5]));
    }

    #[test]
    fn links_expire_unless_used() {
        let mut cache = LinkCache::new(&DsrConfig::default());
        cache.learn_listed(&ids([0, 1, 2]), at(0));
        cache.used(&ids([0, 1]), at(1_000));
        assert_eq!(find(&cache, 0, 2, at(299_999)), Some(vec![0, 1, 2]));
        assert_eq!(cache.path_until(&ids([0, 1, 2]), at(299_999)), Some(at(300_000)));
        assert_eq!(find(&cache, 0, 2, at(300_000)), None);
        assert_eq!(cache.path_until(&ids([0, 1, 2]), at(300_000)), None);
        assert_eq!(find(&cache, 0, 1, at(300_999)), Some(vec![0, 1]));
        cache.purge(at(300_000));
        assert!(!cache.is_empty());
        cache.purge(at(301_000));
        assert!(cache.is_empty());
    }

    #[test]
    fn a_broken_link_is_gone_both_ways_and_hearsay_does_not_bring_it_back_at_once() {
        let mut cache = LinkCache::new(&DsrConfig::default());
        cache.learn_listed(&ids([0, 1, 2]), at(0));
        assert!(cache.remove(broken(1, 2), at(0)));
        assert!(!cache.remove(broken(2, 1), at(0)), "it is gone");
        assert_eq!((find(&cache, 0, 2, at(0)), find(&cache, 2, 1, at(0))), (None, None));
        let before = cache.added();
        cache.learn_listed(&ids([2, 1]), at(999));
        assert_eq!((cache.added(), find(&cache, 0, 2, at(999))), (before, None));
        cache.learn_listed(&ids([2, 1]), at(1_000));
        assert_eq!((cache.added(), find(&cache, 0, 2, at(1_000))), (before + 1, Some(vec![0, 1, 2])));
        cache.remove(broken(1, 2), at(1_000));
        cache.travelled(&ids([1, 2]), at(1_001));
        assert_eq!(find(&cache, 0, 2, at(1_001)), Some(vec![0, 1, 2]), "a packet came over it");
    }

    #[test]
    fn the_adaptive_life_follows_what_was_seen_of_the_ends() {
        let mut cache = LinkCache::new(&DsrConfig { link_life: LinkLife::MaxLife, ..DsrConfig::default() });
        let until = |cache: &LinkCache, a, b| cache.path_until(&ids([a, b]), Time::ZERO).expect("known");
        cache.learn_listed(&ids([0, 1]), at(0));
        assert_eq!(until(&cache, 0, 1), at(25_000));
        cache.used(&ids([0, 1]), at(10_000));
        assert_eq!(until(&cache, 0, 1), at(130_000), "120 s from its use");
        // Both ends gained four times the 10 s since the link came.
        cache.learn_listed(&ids([0, 2]), at(10_000));
        assert_eq!(until(&cache, 0, 2), at(35_000), "the less stable end counts");
        cache.used(&ids([0, 2]), at(20_000));
        cache.learn_listed(&ids([1, 2]), at(20_000));
        assert_eq!(until(&cache, 1, 2), at(85_000));
        cache.remove(broken(1, 2), at(20_000));
        cache.travelled(&ids([1, 2]), at(20_000));
        assert_eq!(until(&cache, 1, 2), at(52_500), "half of 65 s");
        for _ in 0..10 {
            cache.remove(broken(1, 2), at(20_000));
            cache.travelled(&ids([1, 2]), at(20_000));
        }
        assert_eq!(until(&cache, 1, 2), at(21_000), "not below 1 s");
    }
}
