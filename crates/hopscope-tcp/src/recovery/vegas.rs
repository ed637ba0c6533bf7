//! Vegas: a packet is taken for lost at the third duplicate ACK, or at any ACK that finds it older than its
//! fine-grained timeout.

use super::super::Cx;
use super::super::core::Core;
use crate::control::{Cc, Vegas};

pub(super) fn on_new_ack(core: &mut Core, ack: u64, cx: &mut Cx) {
    let inflated = core.loss.dupacks_to_threshold().is_gt();
    if let (true, Cc::Vegas(vegas)) = (inflated, &core.cc) {
        vegas.deflate(&mut core.window);
    }
    core.accept_and_grow(ack, cx);
    // The first ACKs after a repetition check for a second loss of the same window, which does not cut again.
    let una = core.seq.una();
    let more = una < core.seq.end();
    if let Some(vegas) = vegas(core).filter(|v| v.worried > 0) {
        vegas.worried -= 1;
        if vegas.expired(una, cx.now) && more {
            core.loss.assume_threshold();
            core.retransmit_first(cx);
        } else {
            vegas.worried = 0;
        }
    }
    send(core, cx);
}

pub(super) fn on_dup_ack(core: &mut Core, cx: &mut Cx) {
    let count = core.loss.count_dupack();
    let una = core.seq.una();
    let expired = vegas(core).is_some_and(|v| v.expired(una, cx.now));
    if expired || count.is_eq() {
        // Duplicates of a timeout's repetitions say nothing.
        if una > core.loss.recover() || !core.loss.after_timeout() {
            retransmit(core, cx);
        }
    } else if count.is_gt() {
        core.window.cwnd += 1.0;
    }
    send(core, cx);
}

fn retransmit(core: &mut Core, cx: &mut Cx) {
    let una = core.seq.una();
    let first_loss = vegas(core).is_some_and(|v| v.sent_once(una));
    if core.rules.vegas_backs_off {
        core.timing.rtt.back_off(); // ns-2 backs the coarse timer off as well
    }
    core.start_recovery(cx);
    core.retransmit_first(cx);
    if first_loss {
        core.loss.assume_threshold();
    }
}

fn send(core: &mut Core, cx: &mut Cx) {
    if core.loss.dupacks() == 0 || core.loss.dupacks_to_threshold().is_ge() {
        core.send(u32::MAX, cx);
    }
}

fn vegas(core: &mut Core) -> Option<&mut Vegas> {
    match &mut core.cc {
        Cc::Vegas(vegas) => Some(vegas),
        _ => None,
    }
}
