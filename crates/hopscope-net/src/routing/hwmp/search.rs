//! Path requests of this node, and the packets that wait for them (IEEE 802.11-2020 14.10.7, 14.10.9.3).

use std::collections::VecDeque;

use super::{Hwmp, in_tu, timer};
use crate::config::hwmp::PreqBackoff;
use crate::routing::{Cx, RoutingEffect, RoutingNote};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;
use hopscope_packet::hwmp::{HwmpMessage, MOST_TARGETS, Preq, Target};

/// The searches of a node.
#[derive(Debug, Default)]
pub(super) struct Searches {
    /// In the order of nodes.
    list: Vec<Search>,
    /// Targets that the next request names, in the order in which they came.
    asked: Vec<NodeId>,
    /// When the next request may go.
    next: Time,
}

/// A search.
#[derive(Debug)]
struct Search {
    dst: NodeId,
    started: Time,
    /// Requests sent.
    tries: u32,
    /// When the answer is missing; never before the request has gone.
    deadline: Time,
    /// There is a path, whose end comes near.
    is_refresh: bool,
    /// Packets that wait, the oldest first.
    held: VecDeque<PacketId>,
}

impl Searches {
    fn place(&self, dst: NodeId) -> Result<usize, usize> {
        self.list.binary_search_by_key(&dst, |search| search.dst)
    }

    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.list.iter().map(|search| search.held.len()).sum()
    }
}

impl Hwmp {
    /// Holds a packet until a path to its destination is found.
    pub(super) fn hold(&mut self, packet: PacketId, dst: NodeId, cx: &mut Cx) {
        self.search(dst, false, cx);
        let Ok(place) = self.searches.place(dst) else { return };
        let held = &mut self.searches.list[place].held;
        if held.len() >= self.cfg.hold_limit as usize {
            if let Some(oldest) = held.pop_front() {
                cx.drop_packet(oldest, DropReason::RouteBufferFull);
            }
        }
        held.push_back(packet);
    }

    /// Begins a search, unless one is under way.
    pub(super) fn search(&mut self, dst: NodeId, is_refresh: bool, cx: &mut Cx) {
        match self.searches.place(dst) {
            Ok(place) => {
                let search = &mut self.searches.list[place];
                if !search.is_refresh || is_refresh {
                    return;
                }
                // The path has ended before its answer came.
                (search.is_refresh, search.started) = (false, cx.now);
            }
            Err(place) => {
                let (tries, deadline, held) = (0, Time::NEVER, VecDeque::new());
                let search = Search { dst, started: cx.now, tries, deadline, is_refresh, held };
                self.searches.list.insert(place, search);
                self.queue_request(dst, cx);
            }
        }
        if !is_refresh {
            cx.note(RoutingNote::SearchStarted { dst, repair: false });
        }
    }

    fn queue_request(&mut self, dst: NodeId, cx: &mut Cx) {
        if !self.searches.asked.contains(&dst) {
            self.searches.asked.push(dst);
        }
        if cx.now >= self.searches.next {
            self.ask(cx);
        } else {
            self.armed.by(timer::PREQ, self.searches.next, cx.out);
        }
    }

    /// Sends one request for all that wait for one.
    pub(super) fn ask(&mut self, cx: &mut Cx) {
        let count = self.searches.asked.len().min(MOST_TARGETS);
        if count == 0 {
            return;
        }
        let asked: Vec<NodeId> = self.searches.asked.drain(..count).collect();
        self.searches.next = cx.now + self.cfg.preq_min_interval;
        let mut targets = Vec::with_capacity(count);
        for node in asked {
            // What was found meanwhile is asked for no more.
            let Ok(place) = self.searches.place(node) else { continue };
            let search = &mut self.searches.list[place];
            search.deadline = cx.now + wait(search.tries, self.cfg.net_traversal_time, self.cfg.preq_backoff);
            search.tries += 1;
            self.armed.by(timer::SEARCH, search.deadline, cx.out);
            let seq = self.paths.known(node).and_then(|path| path.seq);
            // A renewal that a node on the old path answered would say nothing new.
            targets.push(Target { node, only: self.cfg.target_only || search.is_refresh, seq });
        }
        if !targets.is_empty() {
            let lifetime = self.cfg.active_path_timeout;
            let preq = self.request(targets, lifetime);
            self.broadcast(HwmpMessage::Preq(preq.into()), cx);
        }
        if !self.searches.asked.is_empty() {
            self.armed.by(timer::PREQ, self.searches.next, cx.out);
        }
    }

    /// A path request of this node for all neighbours.
    pub(super) fn request(&mut self, targets: Vec<Target>, lifetime: Span) -> Preq {
        self.preq_id = self.preq_id.wrapping_add(1);
        Preq {
            individual: false,
            proactive_prep: false,
            hops: 0,
            ttl: self.element_ttl(),
            id: self.preq_id,
            originator: self.node,
            originator_seq: self.next_seq(),
            lifetime: in_tu(lifetime),
            metric: 0,
            targets,
        }
    }

    pub(super) fn element_ttl(&self) -> u8 {
        self.cfg.element_ttl.min(255) as u8
    }

    /// Answers are missing: asks again, or gives up.
    pub(super) fn search_again(&mut self, cx: &mut Cx) {
        let due: Vec<NodeId> =
            self.searches.list.iter().filter(|search| search.deadline <= cx.now).map(|search| search.dst).collect();
        for dst in due {
            let Ok(place) = self.searches.place(dst) else { continue };
            let search = &mut self.searches.list[place];
            if search.tries <= self.cfg.max_preq_retries {
                search.deadline = Time::NEVER;
                self.queue_request(dst, cx);
                continue;
            }
            let search = self.searches.list.remove(place);
            if !search.is_refresh {
                cx.note(RoutingNote::SearchFailed { dst });
            }
            for packet in search.held {
                cx.drop_packet(packet, DropReason::NoRoute);
            }
        }
        if let Some(next) = self.searches.list.iter().map(|search| search.deadline).min().filter(|at| *at < Time::NEVER)
        {
            self.armed.by(timer::SEARCH, next, cx.out);
        }
    }

    /// A path to a node is there: what waits for it goes.
    pub(super) fn found(&mut self, dst: NodeId, cx: &mut Cx) {
        let Ok(place) = self.searches.place(dst) else { return };
        let Some((radio, next_hop)) = self.paths.get(dst, cx.now).map(|path| path.link()) else { return };
        let search = self.searches.list.remove(place);
        self.searches.asked.retain(|node| *node != dst);
        if !search.is_refresh {
            cx.note(RoutingNote::SearchDone { dst, latency: cx.now.saturating_since(search.started) });
        }
        for packet in search.held {
            let interface = Some(radio);
            cx.push(RoutingEffect::Forward { packet, next_hop, interface, delay: Span::ZERO });
        }
    }
}

/// Wait for the answer to a request, after so many before it.
fn wait(tries: u32, traversal: Span, backoff: PreqBackoff) -> Span {
    match backoff {
        PreqBackoff::None => traversal * 2,
        PreqBackoff::Linear => traversal * u64::from(tries + 1).max(2),
        // Beyond that a run is over.
        PreqBackoff::Double => traversal * (2 << tries.min(20)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_as_named() {
        let waits = |backoff| (0..4).map(|tries| wait(tries, Span(10), backoff).0).collect::<Vec<_>>();
        assert_eq!(waits(PreqBackoff::None), [20, 20, 20, 20]);
        assert_eq!(waits(PreqBackoff::Linear), [20, 20, 30, 40]);
        assert_eq!(waits(PreqBackoff::Double), [20, 40, 80, 160]);
    }
}
