//! Requests for routes and for newer numbers, and what is repeated until it is answered (RFC 8966 3.8).

use super::{Babel, REPEAT, is_newer};
use crate::routing::Cx;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::babel::{BabelTlv, SeqnoRequest};

/// How long a request is remembered that this node carried on (babeld's resend.h; RFC 8966 3.8.1.2 asks for a memory).
const MEMORY: Span = Span::from_secs(65);
/// A number that is so far ahead belongs to an earlier life of its node (babeld).
const HOPELESS: u16 = 100;

/// Whom a node asked. What went to one neighbour for its own sake says nothing of requests that it carries on, as these may
/// have to take another path: two nodes whose routes lead over each other would wait for one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    /// A neighbour, for a number that makes its route usable.
    Along,
    /// The next hop, for another node.
    Onward,
    /// All neighbours.
    Everybody,
}

/// A request that is not answered, by this node or carried on.
#[derive(Debug)]
pub(super) struct Request {
    dst: NodeId,
    asked: Asked,
    seqno: u16,
    /// It is forgotten then.
    until: Time,
    /// Its next repetition, where everybody was asked.
    again: Option<Again>,
}

/// A retraction that is repeated.
#[derive(Debug)]
pub(super) struct Repeat {
    dst: NodeId,
    again: Again,
}

/// When something is repeated.
#[derive(Debug, Clone, Copy)]
struct Again {
    at: Time,
    /// Time to the repetition after that, without the doubling.
    wait: Span,
    left: u32,
}

impl Again {
    /// The repetition after this one.
    fn next(self) -> Option<Again> {
        let wait = self.wait * 2;
        (self.left > 1).then(|| Again { at: self.at + wait, wait, left: self.left - 1 })
    }
}

impl Babel {
    /// A neighbour asks for a route, or for all.
    pub(super) fn hear_route_request(&mut self, dst: Option<NodeId>, cx: &mut Cx) {
        match dst {
            Some(dst) => self.say_soon(dst, cx),
            None => self.say_all_soon(cx),
        }
    }

    /// A neighbour asks for a number (RFC 8966 3.8.1.2).
    pub(super) fn hear_seqno_request(&mut self, from: NodeId, request: SeqnoRequest, cx: &mut Cx) {
        let SeqnoRequest { dst, seqno, hops } = request;
        if dst == self.node {
            // One step whatever is wanted; a request that was answered meanwhile gets the answer again.
            if is_newer(seqno, self.seqno) {
                if seqno.wrapping_sub(self.seqno) > HOPELESS {
                    return;
                }
                self.seqno = self.seqno.wrapping_add(1);
            }
            self.say_soon(dst, cx);
            return;
        }
        let Some(dest) = self.table.get(dst) else { return };
        if dest.via.is_some() && !is_newer(seqno, dest.seqno) {
            self.say_soon(dst, cx);
            return;
        }
        if hops < 2 || self.is_asked(dst, Asked::Onward, seqno, cx.now) {
            return;
        }
        let Some(next_hop) = self.carrier(dst, from, cx.now) else { return };
        self.remember(Request { dst, asked: Asked::Onward, seqno, until: cx.now + MEMORY, again: None });
        self.say_to(next_hop, BabelTlv::SeqnoRequest(SeqnoRequest { hops: hops - 1, ..request }), cx);
    }

    /// Who takes a request on: the next hop, or another neighbour with a route, allowed or not, but not who asks.
    fn carrier(&self, dst: NodeId, from: NodeId, now: Time) -> Option<NodeId> {
        let next_hop = self.next_hop(dst, now).filter(|next_hop| *next_hop != from);
        next_hop.or_else(|| self.best_other(dst, from, now))
    }

    /// Asks a neighbour for a number that would make its route to `dst` usable.
    pub(super) fn ask_along(&mut self, neighbour: NodeId, dst: NodeId, cx: &mut Cx) {
        let seqno = self.wanted(dst, cx.now);
        if self.is_asked(dst, Asked::Along, seqno, cx.now) {
            return;
        }
        let until = cx.now + self.cfg.request_timeout * (1 << self.cfg.request_retries);
        self.remember(Request { dst, asked: Asked::Along, seqno, until, again: None });
        let hops = self.cfg.request_hops as u8;
        self.say_to(neighbour, BabelTlv::SeqnoRequest(SeqnoRequest { dst, seqno, hops }), cx);
    }

    /// Asks all neighbours for it, since no route is left (RFC 8966 3.8.2.1).
    pub(super) fn ask_everybody(&mut self, dst: NodeId, cx: &mut Cx) {
        let seqno = self.wanted(dst, cx.now);
        let again = self.first_repetition(cx.now);
        let until = cx.now + self.cfg.request_timeout * (2 << self.cfg.request_retries);
        self.remember(Request { dst, asked: Asked::Everybody, seqno, until, again });
        self.say_request(dst, seqno, cx);
        self.arm_repeat(cx);
    }

    fn say_request(&mut self, dst: NodeId, seqno: u16, cx: &mut Cx) {
        let hops = self.cfg.request_hops as u8;
        self.say(BabelTlv::SeqnoRequest(SeqnoRequest { dst, seqno, hops }), cx);
    }

    /// The number that makes every route feasible.
    fn wanted(&self, dst: NodeId, now: Time) -> u16 {
        let dest = self.table.get(dst).expect("it is known");
        dest.distance(now).map_or(dest.seqno, |distance| distance.seqno).wrapping_add(1)
    }

    /// A route is about to be too old: its neighbour is asked for it (RFC 8966 3.8.2.3).
    pub(super) fn request_route(&mut self, neighbour: NodeId, dst: NodeId, cx: &mut Cx) {
        self.say_to(neighbour, BabelTlv::RouteRequest(Some(dst)), cx);
    }

    /// A retraction goes out, and again later: who misses it sends packets into nothing (RFC 8966 3.7.2).
    pub(super) fn retract(&mut self, dst: NodeId, cx: &mut Cx) {
        self.say_soon(dst, cx);
        if let Some(again) = self.first_repetition(cx.now) {
            self.repeats.retain(|repeat| repeat.dst != dst);
            self.repeats.push(Repeat { dst, again });
        }
    }

    fn first_repetition(&self, now: Time) -> Option<Again> {
        let (wait, left) = (self.cfg.request_timeout, self.cfg.request_retries);
        (left > 0).then_some(Again { at: now + wait, wait, left })
    }

    /// Something came that may be the answer to a request: others wait for it too.
    pub(super) fn answer_requests(&mut self, dst: NodeId, cx: &mut Cx) {
        if self.requests.is_empty() {
            return;
        }
        let Some(dest) = self.table.get(dst).filter(|dest| dest.via.is_some()) else { return };
        let seqno = dest.seqno;
        let is_answered = |request: &Request| request.dst == dst && !is_newer(request.seqno, seqno);
        let others_wait = self.requests_for(dst).any(|request| is_answered(request) && request.until > cx.now);
        self.requests.retain(|request| !is_answered(request));
        if others_wait {
            self.say_soon(dst, cx);
        }
    }

    fn requests_for(&self, dst: NodeId) -> impl Iterator<Item = &Request> {
        let first = self.requests.partition_point(|request| request.dst < dst);
        self.requests[first..].iter().take_while(move |request| request.dst == dst)
    }

    fn is_asked(&self, dst: NodeId, asked: Asked, seqno: u16, now: Time) -> bool {
        self.requests_for(dst).any(|request| {
            let counts = request.asked == asked || request.asked == Asked::Everybody;
            counts && request.until > now && !is_newer(seqno, request.seqno)
        })
    }

    fn remember(&mut self, request: Request) {
        let key = |request: &Request| (request.dst, request.asked);
        match self.requests.binary_search_by_key(&key(&request), key) {
            Ok(at) => self.requests[at] = request,
            Err(at) => self.requests.insert(at, request),
        }
    }

    /// Repeats what is due, and forgets what is over.
    pub(super) fn repeat(&mut self, cx: &mut Cx) {
        let now = cx.now;
        self.requests.retain(|request| request.until > now);
        let mut due = Vec::new();
        let mut requests = std::mem::take(&mut self.requests);
        for request in &mut requests {
            let Some(again) = request.again.filter(|again| again.at <= now) else { continue };
            request.again = again.next();
            if self.next_hop(request.dst, now).is_none() {
                due.push((request.dst, request.seqno));
            }
        }
        self.requests = requests;
        due.into_iter().for_each(|(dst, seqno)| self.say_request(dst, seqno, cx));
        for repeat in std::mem::take(&mut self.repeats) {
            let Repeat { dst, again } = repeat;
            let is_back = self.next_hop(dst, now).is_some();
            let again = if again.at > now { Some(again) } else { again.next() };
            if is_back {
                continue;
            }
            if repeat.again.at <= now {
                self.say_soon(dst, cx);
            }
            self.repeats.extend(again.map(|again| Repeat { dst, again }));
        }
        self.arm_repeat(cx);
    }

    fn arm_repeat(&mut self, cx: &mut Cx) {
        let requests = self.requests.iter().filter_map(|request| request.again);
        let all = requests.chain(self.repeats.iter().map(|repeat| repeat.again));
        if let Some(at) = all.map(|again| again.at).min() {
            self.armed.by(REPEAT, at, cx.out);
        }
    }
}
