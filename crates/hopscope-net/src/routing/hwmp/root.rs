//! The root of a mesh (IEEE 802.11-2020 14.10.4): its requests or announcements, and what other nodes make of them.

use super::{Hwmp, Link, in_tu, is_newer, timer};
use crate::config::hwmp::RootMode;
use crate::routing::Cx;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::hwmp::{HwmpMessage, Preq, Rann, Target};

/// What is known of the root.
#[derive(Debug)]
pub(super) struct Root {
    node: NodeId,
    /// Its sequence number.
    seq: u32,
    /// Metric of the best way from it.
    metric: u32,
    /// The neighbour that this way came by, and the radio.
    link: Link,
    /// When a path to it may be asked for again.
    next: Time,
    /// Its last request, which this node has not answered.
    unanswered: Option<Preq>,
}

impl Hwmp {
    pub(super) fn is_root(&self) -> bool {
        self.cfg.root == Some(self.node.0)
    }

    pub(super) fn root_interval(&self) -> Span {
        match self.cfg.root_mode {
            RootMode::Preq | RootMode::PreqPrep => self.cfg.root_interval,
            RootMode::Rann => self.cfg.rann_interval,
        }
    }

    /// The root makes itself known.
    pub(super) fn say_root(&mut self, cx: &mut Cx) {
        let interval = self.root_interval();
        let message = if self.cfg.root_mode == RootMode::Rann {
            let (ttl, interval) = (self.element_ttl(), in_tu(interval));
            HwmpMessage::Rann(Rann { hops: 0, ttl, root: self.node, seq: self.next_seq(), interval, metric: 0 })
        } else {
            let everybody = Target { node: NodeId::BROADCAST, only: true, seq: None };
            let lifetime = self.cfg.path_to_root_timeout;
            let proactive_prep = self.cfg.root_mode == RootMode::PreqPrep;
            HwmpMessage::Preq(Preq { proactive_prep, ..self.request(vec![everybody], lifetime) }.into())
        };
        self.broadcast(message, cx);
        self.armed.by(timer::ROOT, cx.now + interval, cx.out);
    }

    /// A request of a root came in from the peer `from`: its path is learnt already.
    pub(super) fn on_root_request(&mut self, from: NodeId, preq: &Preq, cx: &mut Cx) {
        if preq.proactive_prep {
            self.reply((cx.interface, from), preq, cx);
        }
        let unanswered = (!preq.proactive_prep).then(|| preq.clone());
        let (node, seq) = (preq.originator, preq.originator_seq);
        self.root = Some(Root { node, seq, metric: 0, link: (cx.interface, from), next: Time::ZERO, unanswered });
    }

    /// Data goes to a node: a root that did not ask for replies learns of the path back now (14.10.4.2).
    pub(super) fn answer_root(&mut self, dst: NodeId, cx: &mut Cx) {
        let Some(root) = self.root.as_mut().filter(|root| root.node == dst) else { return };
        if let Some(preq) = root.unanswered.take() {
            let link = root.link;
            self.reply(link, &preq, cx);
        }
    }

    /// An announcement came in from the peer `from`.
    pub(super) fn on_rann(&mut self, from: NodeId, rann: &Rann, cx: &mut Cx) {
        if rann.root == self.node {
            return;
        }
        let metric = self.metric_over(from, rann.metric, cx);
        let known = self.root.as_ref().filter(|root| root.node == rann.root);
        let is_older = |root: &Root| is_newer(root.seq, rann.seq) || root.seq == rann.seq && root.metric <= metric;
        if known.is_some_and(is_older) {
            return;
        }
        let next = known.map_or(Time::ZERO, |root| root.next);
        let link = (cx.interface, from);
        self.root = Some(Root { node: rann.root, seq: rann.seq, metric, link, next, unanswered: None });
        if cx.now >= next || self.next_hop(rann.root, cx.now).is_none() {
            self.ask_root(link, rann.root, cx);
        }
        if rann.ttl > 1 {
            let (hops, ttl) = (rann.hops.saturating_add(1), rann.ttl - 1);
            self.pass_on(HwmpMessage::Rann(Rann { hops, ttl, metric, ..*rann }), cx);
        }
    }

    /// Asks for the path to an announced root, hop by hop on the way that the announcement came.
    fn ask_root(&mut self, link: Link, node: NodeId, cx: &mut Cx) {
        if let Some(root) = &mut self.root {
            root.next = cx.now + self.cfg.confirmation_interval;
        }
        let target = Target { node, only: true, seq: None };
        let lifetime = self.cfg.active_path_timeout;
        let preq = Preq { individual: true, ..self.request(vec![target], lifetime) };
        self.unicast(HwmpMessage::Preq(preq.into()), link, cx);
    }

    /// The way towards an announced root; none where `node` is not known as one.
    pub(super) fn towards_root(&self, node: NodeId) -> Option<Link> {
        self.root.as_ref().filter(|root| root.node == node).map(|root| root.link)
    }
}
