//! Overheard frames: links learned from them, and routes shortened by them (RFC 4728 3.3.1, 3.4.3, 4.4).

use super::{Arc, Cx, Dsr, NodeId};
use hopscope_core::units::{Span, Time};
use hopscope_packet::arena::Extension;
use hopscope_packet::dsr::{DsrMessage, SourceRoute};
use hopscope_packet::routing::RoutingMessage;

/// The gratuitous reply table (RFC 4728 4.4): whom this node has sent a shorter route over which neighbour, and until when
/// it does not do so again.
#[derive(Debug, Default)]
pub(super) struct Shortened(Vec<(NodeId, NodeId, Time)>);

impl Shortened {
    /// Notes that `writer` is sent a route over `neighbour`; false while that was done not long ago.
    fn insert(&mut self, writer: NodeId, neighbour: NodeId, holdoff: Span, now: Time) -> bool {
        self.0.retain(|&(.., until)| until > now);
        let new = !self.0.iter().any(|&(of, over, _)| (of, over) == (writer, neighbour));
        if new && holdoff > Span::ZERO {
            self.0.push((writer, neighbour, now + holdoff));
        }
        new
    }
}

impl Dsr {
    /// A frame from the neighbour `from` to another one was received, in which a packet carried this.
    pub fn on_overheard(&mut self, from: NodeId, carried: &Extension, cx: &mut Cx) {
        if !self.cfg.promiscuous {
            return;
        }
        match carried {
            Extension::SourceRoute(route) => self.overhear_route(from, route, cx),
            Extension::Message(RoutingMessage::Dsr(message)) => self.overhear_message(from, message, cx),
            Extension::Message(_) | Extension::Failed(_) => return,
        }
        self.release(cx);
        self.watch_cache(cx);
    }

    /// A packet under way came as far as `from`.
    fn overhear_route(&mut self, from: NodeId, route: &SourceRoute, cx: &mut Cx) {
        let Some(there) = route.path.iter().position(|&node| node == from) else { return };
        self.cache.travelled(&[from, self.node], cx.now);
        self.cache.travelled(&route.path[..=there], cx.now);
        self.cache.learn_listed(&route.path[there..], cx.now);
        let here = route.path.iter().position(|&node| node == self.node);
        if let Some(here) = here.filter(|&here| self.cfg.route_shortening && here > there + 1) {
            self.shorten(&route.path, there, here, cx);
        }
    }

    /// Notifies the writer of a route that this node, later on it, hears the node at `there` without those between them.
    fn shorten(&mut self, path: &[NodeId], there: usize, here: usize, cx: &mut Cx) {
        if self.shortened.insert(path[0], path[there], self.cfg.grat_reply_holdoff, cx.now) {
            let route: Arc<[NodeId]> = path[..=there].iter().chain(&path[here..]).copied().collect();
            self.reply(route, Span::ZERO, cx);
        }
    }

    fn overhear_message(&mut self, from: NodeId, message: &DsrMessage, cx: &mut Cx) {
        match message {
            // Requests are for everyone.
            DsrMessage::RouteRequest(_) => {}
            DsrMessage::RouteReply(reply) => {
                let place = |node| reply.route.iter().position(|&n| n == node);
                let (Some(there), Some(replier)) = (place(from), place(reply.replier)) else { return };
                self.cache.travelled(&[from, self.node], cx.now);
                if there < replier {
                    self.cache.travelled(&reply.route[there..=replier], cx.now);
                }
                self.cache.learn_listed(&reply.route, cx.now);
            }
            DsrMessage::RouteError(error) => {
                let Some(there) = error.path.iter().position(|&node| node == from) else { return };
                self.cache.travelled(&[from, self.node], cx.now);
                self.cache.travelled(&error.path[..=there], cx.now);
                self.report_received(error.link, cx);
            }
        }
    }
}
