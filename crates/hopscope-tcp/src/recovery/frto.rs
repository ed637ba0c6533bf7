//! F-RTO (RFC 5682 2.1): after a timeout the first segment is repeated, then new data is sent instead of more
//! repetitions. If the ACKs go on advancing, the originals were only late and the timeout is undone; a duplicate says
//! that something is missing and the usual way is taken.

use super::super::Cx;
use super::super::core::Core;
use crate::config::TcpConfig;
use crate::control::{Cc, Window};

/// New segments sent to find out.
const NEW_SEGMENTS: u32 = 2;
/// Window when something turns out to be missing (step 3a).
const WINDOW_WHEN_LOST: f64 = 3.0;

/// F-RTO of a sender.
#[derive(Debug, Clone)]
pub(in super::super) struct Frto {
    is_on: bool,
    trial: Option<Trial>,
}

/// A timeout that may have been needless.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    /// What the timeout changed.
    window: Window,
    cc: Cc,
    /// New data is out: the next ACK decides.
    tested: bool,
}

impl Frto {
    pub(in super::super) fn new(cfg: &TcpConfig) -> Self {
        Frto { is_on: cfg.frto, trial: None }
    }

    /// A timeout has begun a trial, or none.
    pub(super) fn begin(&mut self, trial: Option<Trial>) {
        self.trial = trial;
    }

    /// Whatever comes decides nothing any more.
    pub(in super::super) fn forget(&mut self) {
        self.trial = None;
    }
}

/// The state to restore should the coming timeout prove spurious; none when it cannot.
pub(super) fn before_timeout(core: &Core) -> Option<Trial> {
    // The repetition was lost too, or nothing was under way but it.
    let hopeless = core.timing.has_timed_out() || core.loss.is_recovering() || core.seq.outstanding() <= core.mss;
    (core.loss.frto.is_on && !hopeless).then(|| Trial { window: core.window, cc: core.cc.clone(), tested: false })
}

/// An ACK of new data; true when it is dealt with.
pub(super) fn on_new_ack(core: &mut Core, ack: u64, cx: &mut Cx) -> bool {
    let Some(mut trial) = core.loss.frto.trial.take() else { return false };
    if trial.tested {
        // First the window: one that is closed keeps the timer going.
        core.window = trial.window;
        core.cc = trial.cc;
        core.accept(ack, cx);
        core.seq.skip_to_new();
        core.loss.disprove_timeout();
        core.keep_cut();
        core.stats.spurious_timeouts += 1;
        core.send(u32::MAX, cx);
        return true;
    }
    // All is acknowledged, or nothing new is there to ask with: the usual way is taken.
    if ack >= core.loss.recover() || !core.has_new_data_at(ack) {
        return false;
    }
    core.accept(ack, cx);
    core.seq.skip_to_new();
    for _ in 0..NEW_SEGMENTS {
        if core.has_room(core.peer.segments()) {
            core.transmit_next(cx);
        }
    }
    trial.tested = true;
    core.loss.frto.begin(Some(trial));
    true
}

/// A duplicate ACK; true when it proves the timeout genuine and sending goes on from the first segment missing.
pub(super) fn on_dup_ack(core: &mut Core) -> bool {
    let Some(trial) = core.loss.frto.trial.take() else { return false };
    if trial.tested {
        core.window.cwnd = WINDOW_WHEN_LOST;
        core.seq.go_back();
    }
    trial.tested
}
