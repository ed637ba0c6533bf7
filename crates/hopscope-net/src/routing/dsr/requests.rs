//! The route request table (RFC 4728 4.3): requests heard, and searches of this node.

use std::collections::VecDeque;

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};

/// Requests heard, by initiator.
#[derive(Debug)]
pub(super) struct RequestTable {
    /// The initiator heard last stands last.
    initiators: Vec<(NodeId, VecDeque<(u16, NodeId)>)>,
    nodes: usize,
    ids: usize,
}

impl RequestTable {
    pub(super) fn new(nodes: u32, ids: u32) -> Self {
        RequestTable { initiators: Vec::new(), nodes: nodes as usize, ids: ids as usize }
    }

    /// Notes a request; false when it was known.
    pub(super) fn insert(&mut self, initiator: NodeId, id: u16, target: NodeId) -> bool {
        let known = self.initiators.iter().position(|&(node, _)| node == initiator);
        let (_, mut requests) = known.map_or((initiator, VecDeque::new()), |at| self.initiators.remove(at));
        let new = !requests.contains(&(id, target));
        if new {
            if requests.len() == self.ids {
                requests.pop_front();
            }
            requests.push_back((id, target));
        }
        if self.initiators.len() == self.nodes {
            self.initiators.remove(0);
        }
        self.initiators.push((initiator, requests));
        new
    }
}

/// The search for one target, or what is kept of the last one so that the next is not too soon.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) target: NodeId,
    /// When it began; none: it was given up.
    pub(super) started: Option<Time>,
    /// Propagated requests sent since it began.
    pub(super) sent: u32,
    /// Wait after the next propagated request.
    pub(super) period: Span,
    /// End of the wait for an answer: the next request may go.
    pub(super) due: Time,
}

/// The searches of this node, in the order of targets.
#[derive(Debug, Default)]
pub(super) struct Searches(Vec<Search>);

impl Searches {
    pub(super) fn place(&self, target: NodeId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&target, |search| search.target)
    }

    pub(super) fn insert(&mut self, at: usize, search: Search) {
        self.0.insert(at, search);
    }

    pub(super) fn remove(&mut self, at: usize) -> Search {
        self.0.remove(at)
    }

    pub(super) fn get(&self, at: usize) -> Option<&Search> {
        self.0.get(at)
    }

    pub(super) fn at(&mut self, at: usize) -> &mut Search {
        &mut self.0[at]
    }

    /// Forgets a search that was given up: a route has come.
    pub(super) fn forget(&mut self, target: NodeId) {
        self.0.retain(|search| search.target != target || search.started.is_some());
    }

    /// When the first wait of a search under way ends.
    pub(super) fn next_due(&self) -> Option<Time> {
        self.0.iter().filter(|search| search.started.is_some()).map(|search| search.due).min()
    }

    /// Forgets searches given up, the oldest first, until at most `limit` are kept.
    pub(super) fn limit(&mut self, limit: usize) {
        while self.0.len() > limit {
            let ended = self.0.iter().enumerate().filter(|(_, search)| search.started.is_none());
            let Some((at, _)) = ended.min_by_key(|(_, search)| search.due) else { return };
            self.0.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_new_once_until_others_push_it_out() {
        let mut request_table = RequestTable::new(2, 3);
        let mut new = |initiator, id| request_table.insert(NodeId(initiator), id, NodeId(9));
        assert!(new(1, 0) && !new(1, 0));
        assert!(new(2, 0) && new(1, 1) && new(1, 2) && !new(1, 0), "three of a node are remembered");
        assert!(new(1, 3) && new(1, 0), "the oldest made room");
        assert!(new(3, 0), "a third node");
        assert!(!new(1, 3), "the one heard last stays");
        assert!(new(2, 0), "the other is forgotten");
        assert!(request_table.insert(NodeId(1), 3, NodeId(8)), "another target is another request");
    }

    #[test]
    fn only_searches_given_up_make_room() {
        let mut searches = Searches::default();
        for (target, started, due) in [(1, None, 30), (2, Some(Time(5)), 10), (3, None, 20), (4, None, 40)] {
            let at = searches.place(NodeId(target)).expect_err("not there yet");
            let search = Search { target: NodeId(target), started, sent: 0, period: Span(1), due: Time(due) };
            searches.insert(at, search);
        }
        assert_eq!(searches.next_due(), Some(Time(10)));
        let left = |searches: &Searches| searches.0.iter().map(|search| search.target.0).collect::<Vec<_>>();
        searches.limit(2);
        assert_eq!(left(&searches), [2, 4]);
        searches.limit(0);
        assert_eq!(left(&searches), [2]);
    }
}
