//! What follows when no response has come, and how packets leave the MAC (IEEE 802.11-2020 10.23.2.2 and 10.25.6.7).

use super::category::Ac;
use super::exchange::agreement;
use super::plan::{Content, Exchange, NextData};
use super::queue::Waiting;
use super::{DropCause, Edca, EdcaCx, Outgoing, Phase, qos};
use crate::block_ack::Outstanding;
use crate::dcf::Outcome;
use hopscope_core::ids::{NodeId, PacketId};

impl Edca {
    /// No response has come.
    pub(super) fn fail(&mut self, cx: &mut EdcaCx<'_>) {
        let Some(exchange) = self.exchange else { return };
        let ac = exchange.ac;
        cx.out.mac.failed = true;
        // Only a back-off doubles the window (10.23.2.2).
        let recovers = self.can_recover(&exchange, cx);
        if !recovers {
            self.widen(ac, cx);
        }
        self.attempts.retries += 1;
        let after_rts = self.phase == Phase::WaitCts;
        let is_data = !matches!(exchange.content, Content::Request | Content::Management);
        self.attempts.data_failures += u64::from(is_data && !after_rts);
        if !after_rts {
            self.report_missing(&exchange, cx);
        }
        let given_up = self.attempts.retry_drops;
        match exchange.content {
            Content::InHand => self.fail_in_hand(ac, cx),
            Content::Management => self.fail_management(ac, cx),
            Content::Single | Content::Aggregate | Content::Request => self.fail_agreed(&exchange, after_rts, cx),
        }
        if self.attempts.retry_drops > given_up {
            self.report_given_up(&exchange, self.attempts.retry_drops - given_up, cx);
        }
        if recovers {
            self.await_recovery(cx);
        } else {
            self.end(ac, cx);
        }
    }

    /// No response has come to a frame under an agreement.
    fn fail_agreed(&mut self, exchange: &Exchange, after_rts: bool, cx: &mut EdcaCx<'_>) {
        let rules = qos(cx.rules);
        let Some(Outgoing { originator, unanswered, .. }) = agreement(&mut self.outgoing, exchange) else { return };
        match exchange.content {
            Content::Aggregate if !after_rts => originator.on_missing(!rules.asks),
            Content::Single if !after_rts => originator.on_missing(true),
            _ => {
                // RTS frames and requests have the attempts of an MPDU.
                *unanswered = unanswered.saturating_add(1);
                let is_over = rules.retry_limit.is_some_and(|limit| *unanswered >= limit);
                if exchange.content == Content::Request {
                    originator.on_missing(false);
                }
                if is_over {
                    *unanswered = 0;
                    originator.stop_asking();
                    let planned = &self.planned;
                    let is_planned = |mpdu: &Outstanding| planned.iter().any(|one| one.seq == mpdu.seq);
                    let mut lost = std::mem::take(&mut self.settled);
                    originator.give_up(is_planned, &mut lost);
                    self.drop_given_up(exchange.ac, lost, cx);
                }
            }
        }
        self.give_up(exchange.ac, cx);
    }

    fn fail_in_hand(&mut self, ac: Ac, cx: &mut EdcaCx<'_>) {
        let rules = qos(cx.rules);
        let Some(in_hand) = &mut self.categories[ac as usize].in_hand else { return };
        in_hand.failures = in_hand.failures.saturating_add(1);
        let is_late = rules.lifetime.is_some_and(|lifetime| cx.now.saturating_since(in_hand.of.since) >= lifetime);
        if in_hand.failures >= rules.plain_limit || is_late {
            self.attempts.retry_drops += 1;
            let Waiting { to, tid, .. } = in_hand.of;
            self.lose_before_agreement((to, tid));
            self.finish_in_hand(ac, Outcome::RetryLimit, cx);
        }
    }

    /// The contention window of a category after a failure: it doubles, or begins again after so many in a row.
    pub(super) fn widen(&mut self, ac: Ac, cx: &mut EdcaCx<'_>) {
        let failures = &mut self.categories[ac as usize].failures;
        *failures += 1;
        if *failures >= qos(cx.rules).cw_failures {
            *failures = 0;
            cx.station.edca_reset_cw(ac, &cx.rules.station);
        } else {
            cx.station.edca_double_cw(ac, &cx.rules.station);
        }
    }

    /// Gives up MPDUs of a category that were tried too often or for too long.
    pub(super) fn give_up(&mut self, ac: Ac, cx: &mut EdcaCx<'_>) {
        let rules = qos(cx.rules);
        if rules.retry_limit.is_none() && rules.lifetime.is_none() {
            return;
        }
        let mut lost = std::mem::take(&mut self.settled);
        let is_late =
            |mpdu: &Outstanding| rules.lifetime.is_some_and(|lifetime| cx.now.saturating_since(mpdu.since) >= lifetime);
        let is_tried = |mpdu: &Outstanding| rules.retry_limit.is_some_and(|limit| mpdu.attempts >= limit);
        for one in self.outgoing.iter_mut().filter(|one| Ac::of_tid(one.tid) == ac) {
            // What a request asks about may have come; but no lifetime waits for its answer.
            let asks = one.originator.request_needed().is_some();
            let is_over = |mpdu: &Outstanding| is_late(mpdu) || !asks && is_tried(mpdu);
            one.originator.give_up(is_over, &mut lost);
        }
        self.drop_given_up(ac, lost, cx);
    }

    /// Packets of a category leave the MAC that have waited for their lifetime and were never sent (dot11EDCATableMSDULifetime).
    pub(super) fn expire(&mut self, ac: Ac, cx: &mut EdcaCx<'_>) {
        let Some(lifetime) = qos(cx.rules).lifetime else { return };
        let is_late = |since| cx.now.saturating_since(since) >= lifetime;
        while let Some(first) = self.categories[ac as usize].pop_late(is_late) {
            self.occupancy.take(cx.now);
            for packet in std::iter::once(first).chain(self.bundles.take(first)) {
                self.categories[ac as usize].held -= 1;
                self.categories[ac as usize].on_left(packet);
                cx.out.discarded.push((packet, DropCause::Lifetime));
            }
        }
    }

    /// A category has lost an access inside the station: what it would have sent has failed once more (10.23.2.4).
    pub(super) fn count_collision(&mut self, ac: Ac, cx: &mut EdcaCx<'_>) {
        let category = &mut self.categories[ac as usize];
        if !category.management.is_empty() {
            self.fail_management(ac, cx);
        } else if category.in_hand.is_some() {
            self.fail_in_hand(ac, cx);
        } else {
            match self.next_data(ac, cx) {
                Some(NextData::Agreement(place)) => {
                    self.outgoing[place].originator.add_attempts(1);
                    self.give_up(ac, cx);
                }
                Some(NextData::Packet(at)) => self.fail_waiting(ac, at, cx),
                None => {}
            }
        }
    }

    /// A packet that waits for its first transmission has lost an access.
    fn fail_waiting(&mut self, ac: Ac, at: usize, cx: &mut EdcaCx<'_>) {
        let rules = qos(cx.rules);
        let waiting = &mut self.categories[ac as usize].waiting;
        let one = &mut waiting[at];
        one.failures = one.failures.saturating_add(1);
        let is_agreed = rules.ampdu.is_some() && one.to != NodeId::BROADCAST;
        let limit = if is_agreed { rules.retry_limit } else { Some(rules.plain_limit) };
        if limit.is_none_or(|limit| one.failures < limit) {
            return;
        }
        if let Some(lost) = waiting.remove(at) {
            self.occupancy.take(cx.now);
            self.attempts.retry_drops += 1;
            self.done(ac, lost.packet, Outcome::RetryLimit, cx);
        }
    }

    /// Packets of MPDUs that were given up leave the MAC.
    fn drop_given_up(&mut self, ac: Ac, mut lost: Vec<Outstanding>, cx: &mut EdcaCx<'_>) {
        for mpdu in lost.drain(..) {
            self.attempts.retry_drops += 1;
            self.done(ac, mpdu.packet, Outcome::RetryLimit, cx);
        }
        self.settled = lost;
    }

    pub(super) fn finish_in_hand(&mut self, ac: Ac, outcome: Outcome, cx: &mut EdcaCx<'_>) {
        if let Some(in_hand) = self.categories[ac as usize].in_hand.take() {
            self.done(ac, in_hand.of.packet, outcome, cx);
        }
    }

    /// A packet leaves the MAC.
    pub(super) fn done(&mut self, ac: Ac, packet: PacketId, outcome: Outcome, cx: &mut EdcaCx<'_>) {
        for packet in std::iter::once(packet).chain(self.bundles.take(packet)) {
            self.categories[ac as usize].held -= 1;
            self.categories[ac as usize].on_left(packet);
            cx.out.done.push((packet, outcome));
        }
        self.refill(cx);
    }
}
