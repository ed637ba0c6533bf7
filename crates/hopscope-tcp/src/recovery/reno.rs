//! Reno: fast recovery that ends with the first ACK of new data (RFC 5681 3.2).

use std::cmp::Ordering;

use super::super::Cx;
use super::super::core::Core;

pub(super) fn on_new_ack(core: &mut Core, ack: u64, cx: &mut Cx) {
    let recovering = core.loss.end_recovery();
    core.window.inflation = 0.0;
    if recovering && !core.rules.recovery_end_grows {
        core.accept(ack, cx); // step 6: this ACK sets cwnd to ssthresh and does not grow it
    } else {
        core.accept_and_grow(ack, cx);
    }
    core.send(u32::MAX, cx);
}

pub(super) fn on_dup_ack(core: &mut Core, cx: &mut Cx) {
    if count_dup_ack(core, cx) && may_fast_retransmit(core) {
        enter(core, cx);
    }
    if core.loss.dupacks_to_threshold().is_ge() {
        core.send(u32::MAX, cx);
    }
}

/// RFC 5681 lets every loss of a window halve it again and only distrusts the duplicates caused by a timeout's
/// repetitions; ns-2 allows one fast retransmit per window.
fn may_fast_retransmit(core: &Core) -> bool {
    core.may_fast_retransmit() || (!core.rules.one_recovery_per_window && !core.loss.after_timeout())
}

/// Counts a duplicate ACK: limited transmit below the threshold, inflation above it; true at the threshold.
pub(super) fn count_dup_ack(core: &mut Core, cx: &mut Cx) -> bool {
    let count = core.loss.count_dupack();
    match count {
        Ordering::Less => core.limited_transmit(cx),
        Ordering::Greater if core.loss.is_recovering() => core.window.inflation += 1.0,
        Ordering::Greater | Ordering::Equal => {}
    }
    count.is_eq()
}

/// Fast retransmit and the start of fast recovery.
pub(super) fn enter(core: &mut Core, cx: &mut Cx) {
    core.start_recovery(cx);
    core.loss.enter_recovery();
    core.retransmit_first(cx);
    core.window.inflation = f64::from(core.loss.threshold());
}
