//! Reno: fast recovery that ends with the first ACK of new data (RFC 5681 3.2).

use super::super::Cx;
use super::super::core::Core;

pub(super) fn on_new_ack(core: &mut Core, ack: u64, cx: &mut Cx) {
    let recovering = core.recovering;
    core.recovering = false;
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
    if core.dupacks >= core.dupack_threshold {
        core.send(u32::MAX, cx);
    }
}

/// RFC 5681 lets every loss of a window halve it again and only distrusts the duplicates caused by a timeout's
/// repetitions; ns-2 allows one fast retransmit per window.
fn may_fast_retransmit(core: &Core) -> bool {
    core.may_fast_retransmit() || (!core.rules.one_recovery_per_window && !core.after_timeout)
}

/// Counts a duplicate ACK: limited transmit below the threshold, inflation above it; true at the threshold.
pub(super) fn count_dup_ack(core: &mut Core, cx: &mut Cx) -> bool {
    core.dupacks += 1;
    if core.dupacks < core.dupack_threshold {
        core.limited_transmit(cx);
    } else if core.dupacks > core.dupack_threshold && core.recovering {
        core.window.inflation += 1.0;
    }
    core.dupacks == core.dupack_threshold
}

/// Fast retransmit and the start of fast recovery.
pub(super) fn enter(core: &mut Core, cx: &mut Cx) {
    core.start_recovery(cx);
    core.recovering = true;
    core.retransmit_first(cx);
    core.window.inflation = f64::from(core.dupack_threshold);
}
