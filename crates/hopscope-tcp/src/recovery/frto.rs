//! F-RTO (RFC 5682 2.1): after a timeout the first segment is repeated, then new data is sent instead of more
//! repetitions. If the ACKs go on advancing, the originals were only late and the timeout is undone; a duplicate says that
//! something is missing and the usual way is taken.

use super::super::Cx;
use super::super::core::Core;
use crate::control::{Cc, Window};

/// New segments sent to find out.
const NEW_SEGMENTS: u32 = 2;
/// Window when something turns out to be missing (step 3a).
const WINDOW_WHEN_LOST: f64 = 3.0;

/// A timeout that may have been needless.
#[derive(Debug, Clone)]
pub(in super::super) struct FrtoState {
    /// What the timeout changed.
    window: Window,
    cc: Cc,
    /// New data is out: the next ACK decides.
    tested: bool,
}

/// The state to restore should the coming timeout prove spurious; none when it cannot.
pub(super) fn before_timeout(core: &Core) -> Option<FrtoState> {
    // The repetition was lost too, or nothing was under way but it.
    let hopeless = core.timed_out_again() || core.recovering || core.max - core.una <= core.mss;
    (core.frto && !hopeless).then(|| FrtoState { window: core.window, cc: core.cc.clone(), tested: false })
}

/// An ACK of new data; true when it is dealt with.
pub(super) fn on_new_ack(core: &mut Core, ack: u64, cx: &mut Cx) -> bool {
    let Some(mut frto_state) = core.frto_state.take() else { return false };
    if frto_state.tested {
        // First the window: one that is closed keeps the timer going.
        core.window = frto_state.window;
        core.cc = frto_state.cc;
        core.accept(ack, cx);
        core.nxt = core.max;
        core.after_timeout = false;
        core.keep_cut();
        core.stats.spurious_timeouts += 1;
        core.send(u32::MAX, cx);
        return true;
    }
    if ack >= core.recover || !core.has_new_data_at(ack) {
        return false;
    }
    core.accept(ack, cx);
    core.nxt = core.max;
    for _ in 0..NEW_SEGMENTS {
        if core.has_room(core.max_window) {
            core.transmit_next(cx);
        }
    }
    frto_state.tested = true;
    core.frto_state = Some(frto_state);
    true
}

/// A duplicate ACK; true when it proves the timeout genuine and sending goes on from the first segment missing.
pub(super) fn on_dup_ack(core: &mut Core) -> bool {
    let Some(frto_state) = core.frto_state.take() else { return false };
    if frto_state.tested {
        core.window.cwnd = WINDOW_WHEN_LOST;
        core.nxt = core.una;
    }
    frto_state.tested
}
