//! What path requests and replies of others cause (IEEE 802.11-2020 14.10.9 and 14.10.10).

use super::paths::Notice;
use super::{Hwmp, Link, in_tu, is_newer, metric, of_tu};
use crate::routing::Cx;
use hopscope_core::ids::NodeId;
use hopscope_packet::hwmp::{HwmpMessage, Prep, Preq, Target};

impl Hwmp {
    /// The metric of the way up to a neighbour, with the link to it.
    pub(super) fn metric_over(&self, from: NodeId, metric: u32, cx: &Cx) -> u32 {
        metric.saturating_add(metric::airtime(cx.link.estimate(cx.interface, from), &self.cfg))
    }

    /// A path request came in from the peer `from`.
    pub(super) fn on_preq(&mut self, from: NodeId, preq: &Preq, cx: &mut Cx) {
        if preq.originator == self.node {
            return;
        }
        let (link, metric) = ((cx.interface, from), self.metric_over(from, preq.metric, cx));
        let (hops, expires) = (preq.hops.saturating_add(1), cx.now + of_tu(preq.lifetime));
        self.learn_neighbour(from, cx);
        let originator = Notice { node: preq.originator, seq: Some(preq.originator_seq), hops, metric, link, expires };
        if !self.learn(&originator, cx) {
            // An older request, or one that a better way has brought before.
            return;
        }
        let mut targets = Vec::with_capacity(preq.targets.len());
        for target in &preq.targets {
            targets.extend(self.on_target(from, preq, *target, cx));
        }
        if targets.is_empty() || preq.ttl <= 1 {
            return;
        }
        let (individual, to) = (preq.individual, self.towards_root(targets[0].node));
        let preq = Preq { hops, ttl: preq.ttl - 1, metric, targets, ..preq.clone() };
        let message = HwmpMessage::Preq(preq.into());
        match to {
            Some(to) if individual => self.unicast(message, to, cx),
            None if individual => {}
            _ => self.pass_on(message, cx),
        }
    }

    /// Answers for a target of a request that came from the peer `from`; gives back what is to be asked on.
    fn on_target(&mut self, from: NodeId, preq: &Preq, target: Target, cx: &mut Cx) -> Option<Target> {
        if target.node == NodeId::BROADCAST {
            self.on_root_request(from, preq, cx);
            return Some(target);
        }
        if target.node == self.node {
            // Newer than whatever the originator may know (14.10.8.3).
            self.seq = target.seq.filter(|seq| is_newer(*seq, self.seq)).unwrap_or(self.seq);
            self.reply((cx.interface, from), preq, cx);
            return None;
        }
        if target.only {
            return Some(target);
        }
        let path = self.paths.usable(target.node, cx.now).filter(|path| path.next_hop != from);
        let known = path.and_then(|path| Some((path.seq?, path)));
        let Some((seq, path)) = known.filter(|(seq, _)| target.seq.is_none_or(|asked| !is_newer(asked, *seq))) else {
            return Some(target);
        };
        path.add_user(from);
        let prep = Prep {
            hops: path.hops,
            ttl: self.cfg.element_ttl.min(255) as u8,
            target: target.node,
            target_seq: seq,
            lifetime: in_tu(path.expires.saturating_since(cx.now)),
            metric: path.metric,
            originator: preq.originator,
            originator_seq: preq.originator_seq,
        };
        let next_hop = path.next_hop;
        if let Some(back) = self.paths.usable(preq.originator, cx.now) {
            back.add_user(next_hop);
        }
        self.unicast(HwmpMessage::Prep(prep), (cx.interface, from), cx);
        // On goes what the target alone answers.
        self.cfg.reply_and_forward.then_some(Target { only: true, ..target })
    }

    /// Replies to a request for this node to the peer that it came from, by the radio that it came by.
    pub(super) fn reply(&mut self, link: Link, preq: &Preq, cx: &mut Cx) {
        let prep = Prep {
            hops: 0,
            ttl: self.element_ttl(),
            target: self.node,
            target_seq: self.next_seq(),
            lifetime: preq.lifetime,
            metric: 0,
            originator: preq.originator,
            originator_seq: preq.originator_seq,
        };
        self.unicast(HwmpMessage::Prep(prep), link, cx);
    }

    /// A path reply came in from the peer `from`.
    pub(super) fn on_prep(&mut self, from: NodeId, prep: &Prep, cx: &mut Cx) {
        if prep.target == self.node {
            return;
        }
        let (link, metric) = ((cx.interface, from), self.metric_over(from, prep.metric, cx));
        let (hops, expires) = (prep.hops.saturating_add(1), cx.now + of_tu(prep.lifetime));
        self.learn_neighbour(from, cx);
        let target = Notice { node: prep.target, seq: Some(prep.target_seq), hops, metric, link, expires };
        if !self.learn(&target, cx) || prep.originator == self.node || prep.ttl <= 1 {
            return;
        }
        let Some(back) = self.paths.usable(prep.originator, cx.now) else { return };
        let to = back.link();
        back.add_user(from);
        if let Some(path) = self.paths.usable(prep.target, cx.now) {
            path.add_user(to.1);
        }
        self.unicast(HwmpMessage::Prep(Prep { hops, ttl: prep.ttl - 1, metric, ..*prep }), to, cx);
    }

    /// A peer was heard: there is a path to itself.
    fn learn_neighbour(&mut self, from: NodeId, cx: &mut Cx) {
        let metric = self.metric_over(from, 0, cx);
        let expires = cx.now + self.cfg.active_path_timeout;
        self.learn(&Notice { node: from, seq: None, hops: 1, metric, link: (cx.interface, from), expires }, cx);
    }
}
