//! Tahoe: a fast retransmit restarts slow start; there is no fast recovery.

use super::super::Cx;
use super::super::core::Core;

pub(super) fn on_new_ack(core: &mut Core, ack: u64, cx: &mut Cx) {
    core.accept_and_grow(ack, cx);
    core.send(u32::MAX, cx);
}

pub(super) fn on_dup_ack(core: &mut Core, cx: &mut Cx) {
    let count = core.loss.count_dupack();
    if count.is_eq() && core.may_fast_retransmit() {
        core.start_recovery(cx);
        core.window.cwnd = 1.0;
        // Tahoe keeps no record of what has arrived: all from the loss on goes again.
        core.seq.go_back();
    } else if count.is_lt() {
        core.limited_transmit(cx);
    }
    core.send(u32::MAX, cx);
}
