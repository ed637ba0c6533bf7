//! batman-adv, the mesh protocol of Linux below IP (net/batman-adv): every node lets all others know that it is there, and
//! they keep for each the neighbour by which they hear of it best.
//!
//! [`iv`] measures paths by how many originator messages (OGMs) come through, [`v`] by the throughput that rate control
//! expects. What both share stands here: the tables of originators ([`originators`]) and the protection of sequence
//! numbers ([`sequence`]). Facts were read in the kernel's sources; each file names the functions.
//!
//! The kernel keeps a table of routes for each radio that it sends by, and one for its own data. Here is one. With one radio
//! they differ by the rounding of a penalty alone.

pub mod iv;
mod originators;
#[cfg(test)]
mod radios;
mod sequence;
#[cfg(test)]
mod tests;
pub mod v;

use super::Cx;
use hopscope_core::units::Span;

/// `interval`, longer or shorter by up to `jitter` at random (batadv_iv_ogm_emit_send_time, batadv_v_ogm_start_timer).
fn jittered(interval: Span, jitter: Span, cx: &mut Cx) -> Span {
    interval.saturating_sub(jitter) + cx.part_of(jitter * 2)
}

/// A first sequence number (batadv_iv_ogm_iface_enable, batadv_v_ogm_init).
fn random_seq(cx: &mut Cx) -> u32 {
    cx.rng.next_u64() as u32
}
