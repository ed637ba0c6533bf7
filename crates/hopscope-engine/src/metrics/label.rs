//! What a flow is, besides what is counted of it: its number, its ends, its transport, and notes on its figures.

use serde::Serialize;

use super::FlowCx;
use crate::config::Transport;
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_packet::dccp::ResetCode;

/// A flow of the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlowLabel {
    /// Number.
    pub id: u32,
    /// Sending node.
    pub from: NodeId,
    /// Receiving node.
    pub to: NodeId,
    /// The flow that it replies to.
    pub reply_to: Option<FlowId>,
    /// Hops of the way under static routes; 0: there is none.
    pub hops: u32,
}

/// What a flow's transport is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum TransportName {
    /// One of the engine's.
    BuiltIn(Transport),
    /// TCP with a congestion control from outside, by the name it was given.
    External(String),
}

/// The entries.
impl FlowLabel {
    pub(super) fn id(&self, _cx: &FlowCx<'_>) -> u32 {
        self.id
    }

    pub(super) fn from(&self, _cx: &FlowCx<'_>) -> u32 {
        self.from.0
    }

    pub(super) fn to(&self, _cx: &FlowCx<'_>) -> u32 {
        self.to.0
    }

    pub(super) fn reply_to(&self, _cx: &FlowCx<'_>) -> Option<u32> {
        self.reply_to.map(|flow| flow.0)
    }

    pub(super) fn transport(&self, cx: &FlowCx<'_>) -> TransportName {
        match cx.settings.external() {
            Some(control) => TransportName::External(control.name.clone()),
            None => TransportName::BuiltIn(cx.settings.reported_as()),
        }
    }

    pub(super) fn hops(&self, _cx: &FlowCx<'_>) -> u32 {
        self.hops
    }

    /// What keeps its figures from speaking for themselves: why it carried nothing, and outages of its ends.
    pub(super) fn note(&self, cx: &FlowCx<'_>) -> Option<String> {
        let reset = cx.flow.completion.reset.map(|code| why_reset(cx, code));
        let nothing = (cx.flow.delivery.delivered_bytes == 0).then(|| why_nothing(cx));
        let config = cx.config;
        // Within the measured time alone: what was over before explains nothing.
        let off =
            config.outages.iter().filter(|o| o.from < config.duration && o.to.is_none_or(|to| to > config.warmup));
        let ends = off.filter_map(|o| {
            let end = (o.node == self.from.0).then_some("source").or((o.node == self.to.0).then_some("destination"))?;
            Some(o.note(end))
        });
        let notes: Vec<String> = reset.into_iter().chain(nothing).chain(ends).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

/// Why a connection ended with an error.
fn why_reset(cx: &FlowCx<'_>, code: ResetCode) -> String {
    let (sender, receiver) = (cx.settings.dccp_control(), cx.settings.dccp.receiver_ccid);
    let why = match (code, receiver.number()) {
        // The ends negotiate with Mandatory (RFC 4340 5.8.2), so that a CCID which one does not take ends the
        // connection.
        (ResetCode::MandatoryError, Some(known)) if known != sender.number() => {
            format!(": the ends share no congestion control, {} and {}", sender.word(), receiver.word())
        }
        _ => String::new(),
    };
    format!("the connection was reset ({}){why}", code.name())
}

/// Why nothing of what was sent was delivered.
fn why_nothing(cx: &FlowCx<'_>) -> String {
    let what = match cx.flow.delivery.sent {
        0 => return "nothing was sent in the measured time".to_string(),
        1 => "1 packet was".to_string(),
        several => format!("{several} packets were"),
    };
    let why = match cx.run.routes.no_route_share_pct(cx) {
        // From the places at the start, before what a routing protocol has seen.
        _ if cx.label.hops == 0 => ": no chain of neighbours joins the two nodes".to_string(),
        Some(share) if share > 0.0 => format!("; the source had no route for {share:.0} % of the time"),
        _ => String::new(),
    };
    format!("{what} sent, none was delivered in order{why}")
}
