//! TXOPs: what goes on within one, and how it ends (IEEE 802.11-2020 10.23.2.8 and 10.23.2.9).

use super::category::Ac;
use super::plan::Exchange;
use super::rules::QosRules;
use super::{Edca, EdcaCx, Phase, qos};
use crate::config::mac::Protection;
use crate::frame::{CF_END_BYTES, Frame, FrameKind};
use crate::rules::MacRules;
use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;
use hopscope_phy::phy::modes::Mode;

impl Edca {
    pub(super) fn txop(&self, ac: Ac, rules: &MacRules) -> Span {
        rules.station.edca.as_deref().map_or(Span::ZERO, |edca| edca[ac as usize].txop)
    }

    /// True where what has gone in the TXOP reserves the medium for an exchange with this neighbour, to the end of the TXOP: a CTS to the
    /// own station, which goes first, does around this one, and any answer of the neighbour around both (9.2.5.2). So RTS goes once in
    /// a TXOP to each neighbour, as in ns-3.44 (`ProtectedIfResponded`).
    pub(super) fn is_protected(&self, to: NodeId, is_first: bool, rules: &QosRules) -> bool {
        match rules.protection {
            Protection::RtsCts => !is_first && self.answered.contains(&to),
            Protection::CtsToSelf => !is_first,
        }
    }

    /// A CF-End follows after SIFS where more of the TXOP is left than it takes (10.23.2.9).
    pub(super) fn free(&mut self, exchange: Exchange, cx: &mut EdcaCx<'_>) -> bool {
        let timing = cx.rules.timing();
        let (_, airtime) = self.cf_end(cx);
        let end = cx.now + timing.sifs + airtime;
        if end > exchange.txop_until {
            return false;
        }
        self.phase = Phase::SifsEnd;
        cx.station.hold(cx.now + timing.sifs);
        self.arm_sifs(cx);
        true
    }

    /// Mode and time on the air of a CF-End: the lowest rate of answers, which everyone decodes.
    fn cf_end(&self, cx: &EdcaCx<'_>) -> (Mode, Span) {
        let mode = qos(cx.rules).lowest;
        (mode, cx.rules.timing().airtime(CF_END_BYTES, mode))
    }

    pub(super) fn send_cf_end(&mut self, exchange: Exchange, cx: &mut EdcaCx<'_>) {
        let (mode, airtime) = self.cf_end(cx);
        self.phase = Phase::Ending;
        let frame = Frame {
            kind: FrameKind::CfEnd,
            dst: NodeId::BROADCAST,
            bytes: CF_END_BYTES,
            ..self.control(&exchange, mode, airtime)
        };
        self.transmit(frame, cx);
        self.arm_response(cx.now + airtime, cx);
    }

    /// The TXOP goes on after SIFS if another exchange fits it (10.23.2.8).
    pub(super) fn go_on(&mut self, exchange: Exchange, cx: &mut EdcaCx<'_>) -> bool {
        let begin = cx.now + cx.rules.timing().sifs;
        self.expire(exchange.ac, cx);
        let mut later = EdcaCx { now: begin, station: cx.station, rules: cx.rules, out: cx.out };
        let Some(next) = self.next_exchange(&exchange, &mut later) else { return false };
        self.exchange = Some(next);
        self.phase = Phase::SifsNext;
        cx.station.hold(begin);
        self.arm_sifs(cx);
        true
    }

    /// The exchange that begins now within the TXOP of another one; none where nothing fits it.
    fn next_exchange(&mut self, before: &Exchange, cx: &mut EdcaCx<'_>) -> Option<Exchange> {
        let next = self.plan(before.ac, before.txop_until, false, cx)?;
        let protection = cx.rules.protection_time(next.to, next.protection);
        let answer = if next.answer == Span::ZERO { Span::ZERO } else { cx.rules.timing().sifs + next.answer };
        (cx.now + protection + next.airtime + answer <= before.txop_until).then_some(next)
    }

    /// True when the TXOP of an exchange that has failed may go on (10.23.2.8): the answer to the first one has announced
    /// it to everyone.
    pub(super) fn can_recover(&self, exchange: &Exchange, cx: &EdcaCx<'_>) -> bool {
        let end = cx.now + cx.rules.timing().pifs();
        qos(cx.rules).recovers && !exchange.is_first && end < exchange.txop_until
    }

    /// PIFS recovery begins.
    pub(super) fn await_recovery(&mut self, cx: &mut EdcaCx<'_>) {
        let end = cx.now + cx.rules.timing().pifs();
        self.phase = Phase::Recovering;
        self.planned.clear();
        cx.station.hold(end);
        self.arm_response(end, cx);
    }

    /// PIFS is over: the TXOP goes on at once where the medium was idle, with a CF-End where nothing fits any more.
    pub(super) fn recover(&mut self, failed: Exchange, cx: &mut EdcaCx<'_>) {
        self.response_timer.renew();
        let is_ours = cx.station.has_been_idle_for(cx.rules.timing().pifs(), cx.now);
        if is_ours {
            self.expire(failed.ac, cx);
            if let Some(next) = self.next_exchange(&failed, cx) {
                self.begin(next, cx);
                return;
            }
        }
        // The back-off follows the failure after all.
        self.widen(failed.ac, cx);
        if is_ours && cx.now + self.cf_end(cx).1 <= failed.txop_until {
            self.send_cf_end(failed, cx);
        } else {
            self.end(failed.ac, cx);
        }
    }

    /// The TXOP is over: the category backs off, with a frame that waits for it or without.
    pub(super) fn end(&mut self, ac: Ac, cx: &mut EdcaCx<'_>) {
        self.exchange = None;
        self.phase = Phase::Idle;
        self.planned.clear();
        let post = !self.has_more(ac, cx);
        cx.station.edca_start_backoff(ac, post, cx.now, &cx.rules.station);
        self.arm_access(cx);
    }

    /// Nothing is left to send for a category that has been granted access.
    pub(super) fn rest(&mut self, ac: Ac, cx: &mut EdcaCx<'_>) {
        if self.has_more(ac, cx) {
            cx.station.edca_start_backoff(ac, false, cx.now, &cx.rules.station);
        }
    }

    pub(super) fn has_more(&self, ac: Ac, cx: &EdcaCx<'_>) -> bool {
        let category = &self.categories[ac as usize];
        let agreed = self.outgoing.iter().any(|one| Ac::of_tid(one.tid) == ac && one.has_more());
        let has_data =
            category.in_hand.is_some() || !category.management.is_empty() || self.head(ac).is_some() || agreed;
        // What waits before the queue of a driver has to wait on.
        let flows = category.flows.as_ref().filter(|_| self.draws(ac, cx));
        has_data || flows.is_some_and(|flows| flows.backlogged().any(|(to, tid)| !self.is_asked(to, tid)))
    }
}
