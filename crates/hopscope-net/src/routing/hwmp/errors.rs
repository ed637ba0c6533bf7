//! Path errors (IEEE 802.11-2020 14.10.11): whom a broken link cuts off.

use super::paths::Path;
use super::{Hwmp, Link, is_newer, send_by, timer};
use crate::routing::{Cx, RouteLoss, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use hopscope_packet::hwmp::{HwmpMessage, MOST_DESTINATIONS, Perr, Unreachable};

/// What a node has to report.
#[derive(Debug, Default)]
pub(super) struct Errors {
    /// In the order in which they came.
    due: Vec<Due>,
    /// When the next path error may go.
    next: Time,
}

/// A destination to report.
#[derive(Debug)]
struct Due {
    what: Unreachable,
    /// Hops that the news may still travel.
    ttl: u8,
    /// Neighbours that send over the path.
    users: Vec<NodeId>,
}

impl Hwmp {
    /// The link to a neighbour is gone, and with it the paths over it.
    pub(super) fn break_paths(&mut self, link: Link, cx: &mut Cx) {
        let ttl = self.element_ttl();
        let is_over = |path: &&mut Path| path.link() == link;
        for path in self.paths.active().filter(is_over) {
            path.is_active = false;
            // Newer than what others know: nobody offers the old path again.
            path.seq = path.seq.map(|seq| seq.wrapping_add(1));
            let what = Unreachable { node: path.node, seq: path.seq.unwrap_or(0), is_broken: true };
            let users = std::mem::take(&mut path.users);
            cx.note(RoutingNote::RouteDown { dst: path.node, cause: RouteLoss::LinkLost });
            self.errors.due.push(Due { what, ttl, users });
        }
        self.report_soon(cx);
    }

    /// The neighbour `prev` has sent a packet for a node to which no path is known.
    pub(super) fn report_unknown(&mut self, dst: NodeId, prev: NodeId, cx: &mut Cx) {
        if self.errors.due.iter().any(|due| due.what.node == dst) {
            return;
        }
        let seq = self.paths.known(dst).and_then(|path| path.seq).unwrap_or(0);
        let what = Unreachable { node: dst, seq, is_broken: false };
        self.errors.due.push(Due { what, ttl: self.element_ttl(), users: vec![prev] });
        self.report_soon(cx);
    }

    /// A path error came in from the peer `from`: what goes over it is gone, too.
    pub(super) fn on_perr(&mut self, from: NodeId, perr: &Perr, cx: &mut Cx) {
        for listed in &perr.destinations {
            let Some(path) = self.paths.usable(listed.node, cx.now).filter(|path| path.next_hop == from) else {
                continue;
            };
            // Zero stands for a number that its sender does not know.
            if listed.seq != 0 && path.seq.is_some_and(|seq| is_newer(seq, listed.seq)) {
                continue;
            }
            path.is_active = false;
            path.seq = if listed.seq == 0 { path.seq } else { Some(listed.seq) };
            let users = std::mem::take(&mut path.users);
            cx.note(RoutingNote::RouteDown { dst: listed.node, cause: RouteLoss::Reported });
            if perr.ttl > 1 {
                self.errors.due.push(Due { what: *listed, ttl: perr.ttl - 1, users });
            }
        }
        self.report_soon(cx);
    }

    fn report_soon(&mut self, cx: &mut Cx) {
        if self.errors.due.is_empty() {
            return;
        }
        if cx.now >= self.errors.next {
            self.report(cx);
        } else {
            self.armed.by(timer::PERR, self.errors.next, cx.out);
        }
    }

    /// Sends what is to be reported.
    pub(super) fn report(&mut self, cx: &mut Cx) {
        let count = self.errors.due.len().min(MOST_DESTINATIONS);
        let due: Vec<Due> = self.errors.due.drain(..count).collect();
        let mut users: Vec<NodeId> = due.iter().flat_map(|due| due.users.iter().copied()).collect();
        users.sort_unstable();
        users.dedup();
        let most = self.cfg.perr_unicast as usize;
        // Where users are asked one by one, a path without any concerns nobody.
        if most == 0 || !users.is_empty() {
            self.errors.next = cx.now + self.cfg.perr_min_interval;
            let ttl = due.iter().map(|due| due.ttl).max().unwrap_or(1);
            let perr = Perr { ttl, destinations: due.iter().map(|due| due.what).collect() };
            let message = HwmpMessage::Perr(perr.into());
            if most == 0 || users.len() > most {
                self.broadcast(message, cx);
            } else {
                users.iter().for_each(|user| send_by(message.clone(), None, *user, cx));
            }
        }
        self.report_soon(cx);
    }
}
