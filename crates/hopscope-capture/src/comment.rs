//! Why a frame or packet was lost, in words for the comment of its capture.

use hopscope_core::ids::NodeId;
use hopscope_engine::record::NetworkView;
use hopscope_mac::dcf::Frame;
use hopscope_packet::DropReason;
use hopscope_phy::phy::RxOutcome;

/// What became of a frame at a node that did not receive it.
pub fn of_frame(node: NodeId, outcome: RxOutcome, view: &impl NetworkView) -> String {
    let what = match outcome {
        RxOutcome::Received => return String::new(),
        RxOutcome::Collided { by } => format!("collided with {}", named(&view.frame(by))),
        RxOutcome::Captured { by } => {
            format!("captured: {} was stronger and took the receiver over", named(&view.frame(by)))
        }
        RxOutcome::TooWeak { by: Some(by) } => {
            format!("below threshold: too weak against {}, the strongest that interfered", named(&view.frame(by)))
        }
        RxOutcome::TooWeak { by: None } => "below threshold: too weak against noise".to_string(),
        RxOutcome::Errored => "hit by a channel error".to_string(),
        RxOutcome::Deaf => "missed: the own transmitter was on".to_string(),
        RxOutcome::Missed { by } => format!("missed: {} held the receiver", named(&view.frame(by))),
        RxOutcome::OutOfReach => "below threshold: not decodable, or the radio was off".to_string(),
    };
    format!("lost at node {node}: {what}")
}

/// What became of a packet that a node dropped.
pub fn of_packet(node: NodeId, reason: DropReason) -> String {
    format!("dropped at node {node}: {}", reason.name())
}

/// A frame as a comment names it.
fn named(frame: &Frame) -> String {
    let to = if frame.is_broadcast() { "all".to_string() } else { format!("node {}", frame.dst) };
    format!("the {} of node {} for {to}", frame.kind.name(), frame.src)
}
