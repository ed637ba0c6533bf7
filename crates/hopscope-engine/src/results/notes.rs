//! Notes on flows: what keeps their figures from speaking for themselves.

use crate::config::{Config, FlowConfig};
use crate::metrics::FlowMeter;
use crate::world::flow::Flow;
use hopscope_packet::dccp::ResetCode;

/// What keeps a flow's figures from speaking for themselves: why it carried nothing, and outages of its ends.
pub(super) fn note(
    config: &Config,
    settings: &FlowConfig,
    flow: &Flow,
    meter: &FlowMeter,
    without_route_pct: Option<f64>,
) -> Option<String> {
    let reset = meter.reset.map(|code| why_reset(settings, code));
    let nothing = (meter.delivered_bytes == 0).then(|| why_nothing(flow, meter.sent, without_route_pct));
    let off = config.outages.iter().filter(|o| o.from < config.duration && o.to.is_none_or(|to| to > config.warmup));
    let ends = off.filter_map(|o| {
        let end = (o.node == flow.from.0).then_some("source").or((o.node == flow.to.0).then_some("destination"))?;
        Some(o.note(end))
    });
    let notes: Vec<String> = reset.into_iter().chain(nothing).chain(ends).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// Why a connection ended with an error.
fn why_reset(flow: &FlowConfig, code: ResetCode) -> String {
    let (sender, receiver) = (flow.dccp_control(), flow.dccp.receiver_ccid);
    let why = match (code, receiver.number()) {
        (ResetCode::MandatoryError, Some(known)) if known != sender.number() => {
            format!(": the ends share no congestion control, {} and {}", sender.word(), receiver.word())
        }
        _ => String::new(),
    };
    format!("the connection was reset ({}){why}", code.name())
}

/// Why nothing of `sent` packets was delivered.
fn why_nothing(flow: &Flow, sent: u64, without_route_pct: Option<f64>) -> String {
    let what = match sent {
        0 => return "nothing was sent in the measured time".to_string(),
        1 => "1 packet was".to_string(),
        several => format!("{several} packets were"),
    };
    let why = match without_route_pct {
        _ if flow.hops == 0 => ": no chain of neighbours joins the two nodes".to_string(),
        Some(share) if share > 0.0 => format!("; the source had no route for {share:.0} % of the time"),
        _ => String::new(),
    };
    format!("{what} sent, none was delivered in order{why}")
}
