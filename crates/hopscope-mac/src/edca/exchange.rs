//! The own frame exchange of a QoS station: RTS, data, answers, what their absence means, and TXOPs (IEEE 802.11-2020 10.3.2,
//! 10.23.2 and 10.25.6.7).

use super::category::Ac;
use super::plan::{Content, Exchange};
use super::{Edca, EdcaCx, Outgoing, Phase, Reply};
use crate::block_ack::Bitmap;
use crate::config::mac::Protection;
use crate::contention::Station;
use crate::dcf::Outcome;
use crate::frame::{CTS_BYTES, Frame, FrameKind, RTS_BYTES};
use crate::rules::MacRules;
use hopscope_core::event::Generation;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};

impl Edca {
    /// A category is granted access; those of `collided` have reached zero at the same instant.
    pub fn on_access(&mut self, ac: Ac, collided: [bool; Ac::COUNT], cx: &mut EdcaCx<'_>) {
        // The answer that is due goes first: SIFS is shorter than any other space. A back-off whose end came too close to the
        // begin of a frame to be frozen may end within the exchange of another category.
        if matches!(self.reply, Reply::Pending { .. }) || self.phase != Phase::Idle {
            cx.station.edca_start_backoff(ac, false, cx.now, &cx.rules.station);
        } else {
            let limit = self.txop(ac, cx.rules);
            self.answered.clear();
            self.expire(ac, cx);
            match self.plan(ac, cx.now + limit, true, cx) {
                Some(exchange) => self.begin(exchange, cx),
                None => self.rest(ac, cx),
            }
        }
        // The loser behaves as after a collision on the air (10.23.2.4). It draws behind the begin of the frame, or a back-off
        // of no slots would be over at once.
        for loser in Ac::ALL.into_iter().filter(|loser| collided[*loser as usize]) {
            self.counts.internal_collisions += 1;
            self.widen(loser, cx);
            self.count_collision(loser, cx);
            let post = !self.has_more(loser, cx);
            cx.station.edca_start_backoff(loser, post, cx.now, &cx.rules.station);
        }
        self.arm_access(cx);
    }

    pub(super) fn begin(&mut self, exchange: Exchange, cx: &mut EdcaCx<'_>) {
        self.exchange = Some(exchange);
        match exchange.protection {
            Some(Protection::RtsCts) => self.send_rts(exchange, cx),
            Some(Protection::CtsToSelf) => self.send_cts_to_self(exchange, cx),
            None => self.send(exchange, cx),
        }
    }

    /// Duration field of a frame that ends `until_end` before the end of its exchange: to that, or to the end of the TXOP
    /// (9.2.5.2).
    fn duration(&self, exchange: &Exchange, airtime: Span, until_end: Span, cx: &EdcaCx<'_>) -> Span {
        let left = exchange.txop_until.saturating_since(cx.now + airtime);
        cx.rules.timing().duration_field(left.max(until_end))
    }

    fn send_rts(&mut self, exchange: Exchange, cx: &mut EdcaCx<'_>) {
        self.phase = Phase::WaitCts;
        self.attempts.rts += 1;
        let timing = cx.rules.timing();
        let mode = cx.rules.rates.first(exchange.to, FrameKind::Rts);
        let (airtime, sifs) = (timing.rts(mode), timing.sifs);
        self.charge(&exchange, airtime, cx);
        let until_end = sifs * 3 + cx.rules.answer(mode) + exchange.airtime + exchange.answer;
        let frame = Frame {
            kind: FrameKind::Rts,
            bytes: RTS_BYTES,
            body: exchange.packet,
            duration: self.duration(&exchange, airtime, until_end, cx),
            ..self.control(&exchange, mode, airtime)
        };
        self.transmit(frame, cx);
        self.await_answer(airtime + cx.rules.answer_wait(mode), cx);
    }

    /// Reserves the medium for the exchange around this station by a CTS that names itself, at a rate that everyone decodes
    /// (10.27).
    fn send_cts_to_self(&mut self, exchange: Exchange, cx: &mut EdcaCx<'_>) {
        self.phase = Phase::Protecting;
        let timing = cx.rules.timing();
        let mode = cx.rules.rates.first(exchange.to, FrameKind::Rts);
        let (airtime, sifs) = (timing.response(mode), timing.sifs);
        let until_end = sifs + exchange.airtime + sifs + exchange.answer;
        let frame = Frame {
            kind: FrameKind::Cts,
            dst: self.node,
            bytes: CTS_BYTES,
            body: exchange.packet,
            duration: self.duration(&exchange, airtime, until_end, cx),
            ..self.control(&exchange, mode, airtime)
        };
        self.transmit(frame, cx);
        self.await_answer(airtime, cx);
    }

    /// Sends data, a Block Ack request or a management frame.
    pub(super) fn send(&mut self, exchange: Exchange, cx: &mut EdcaCx<'_>) {
        let is_broadcast = exchange.to == NodeId::BROADCAST;
        self.phase = if is_broadcast { Phase::Broadcasting } else { Phase::WaitAnswer };
        self.charge(&exchange, exchange.airtime, cx);
        self.note_sent(&exchange);
        let until_end = if is_broadcast { Span::ZERO } else { cx.rules.timing().sifs + exchange.answer };
        let frame = Frame {
            kind: match exchange.content {
                Content::Request => FrameKind::BlockAckReq,
                Content::Management => FrameKind::Action,
                Content::InHand | Content::Single | Content::Aggregate => FrameKind::Data,
            },
            mode: exchange.mode,
            retry: exchange.retry,
            frag: 0,
            tid: exchange.tid,
            seq: exchange.seq,
            src: self.node,
            dst: exchange.to,
            bytes: exchange.bytes,
            body: exchange.packet,
            airtime: exchange.airtime,
            duration: if is_broadcast { Span::ZERO } else { self.duration(&exchange, exchange.airtime, until_end, cx) },
        };
        self.transmit(frame, cx);
        if is_broadcast {
            self.arm_response(cx.now + exchange.airtime, cx);
        } else {
            self.await_answer(exchange.airtime + cx.rules.timing().wait_for(exchange.answer), cx);
        }
    }

    /// The own categories contend for nothing until the wait for the answer is over (10.23.2.2).
    fn await_answer(&mut self, wait: Span, cx: &mut EdcaCx<'_>) {
        cx.station.hold(cx.now + wait);
        self.arm_response(cx.now + wait, cx);
    }

    fn note_sent(&mut self, exchange: &Exchange) {
        let mpdus = &self.planned;
        match exchange.content {
            Content::Request => {
                self.counts.requests += 1;
                if let Some(one) = agreement(&mut self.outgoing, exchange) {
                    one.originator.on_request_sent();
                }
                return;
            }
            Content::Management => {
                if let Some(frame) = self.categories[exchange.ac as usize].management.front_mut() {
                    frame.is_repeated = true;
                    self.carried.said.addba = Some(frame.addba);
                }
                return;
            }
            Content::InHand => {
                if let Some(in_hand) = &mut self.categories[exchange.ac as usize].in_hand {
                    in_hand.is_repeated = true;
                }
            }
            Content::Single | Content::Aggregate => {
                if let Some(one) = agreement(&mut self.outgoing, exchange) {
                    one.originator.on_sent(mpdus.iter().map(|mpdu| mpdu.seq));
                }
            }
        }
        self.attempts.data += 1;
        if exchange.to != NodeId::BROADCAST {
            self.counts.ppdus += 1;
            self.counts.airtime = self.counts.airtime + exchange.airtime;
            let (sent, repeated) = match exchange.content {
                Content::InHand => (1, u64::from(exchange.retry)),
                _ => (mpdus.len() as u64, mpdus.iter().filter(|mpdu| mpdu.retry).count() as u64),
            };
            self.counts.sent += sent;
            self.counts.repeated += repeated;
            if self.rates.are_learnt() {
                *self.counts.modes.entry(exchange.mode).or_default() += 1;
            }
        }
        // One MPDU alone is a frame like any other: it has no list.
        if exchange.content == Content::Aggregate {
            self.carried.mpdus.extend_from_slice(&self.planned);
        }
    }

    /// SIFS has passed.
    pub fn on_sifs(&mut self, generation: Generation, cx: &mut EdcaCx<'_>) {
        if generation != self.sifs_timer {
            return;
        }
        if let Reply::Pending { kind, mode, to, tid, duration } = self.reply {
            self.send_reply(kind, mode, (to, tid), duration, cx);
        } else if let (Phase::SifsData, Some(exchange)) = (self.phase, self.exchange) {
            self.send(exchange, cx);
        } else if let (Phase::SifsNext, Some(exchange)) = (self.phase, self.exchange) {
            self.begin(exchange, cx);
        } else if let (Phase::SifsEnd, Some(exchange)) = (self.phase, self.exchange) {
            self.send_cf_end(exchange, cx);
        }
        self.arm_access(cx);
    }

    /// A CTS for this station has come.
    pub(super) fn on_cts(&mut self, cx: &mut EdcaCx<'_>) {
        if self.phase == Phase::WaitCts {
            self.answered.extend(self.exchange.map(|exchange| exchange.to));
            self.send_after_sifs(cx);
        }
    }

    /// The data frame that is protected now follows after SIFS.
    fn send_after_sifs(&mut self, cx: &mut EdcaCx<'_>) {
        self.phase = Phase::SifsData;
        cx.station.hold(cx.now + cx.rules.timing().sifs);
        self.arm_sifs(cx);
    }

    /// An ACK for this station has come.
    pub(super) fn on_ack(&mut self, cx: &mut EdcaCx<'_>) {
        let Some(exchange) = self.exchange.filter(|_| self.phase == Phase::WaitAnswer) else { return };
        match exchange.content {
            Content::InHand => {
                self.counts.acknowledged += 1;
                self.finish_in_hand(exchange.ac, Outcome::Sent, cx);
            }
            Content::Management => {
                self.finish_management(exchange.ac, true, cx);
                self.succeed(exchange, cx);
                return;
            }
            Content::Single => {
                let found = agreement(&mut self.outgoing, &exchange);
                if let Some(mpdu) = found.and_then(|one| one.originator.on_ack(exchange.seq)) {
                    self.counts.acknowledged += 1;
                    self.done(exchange.ac, mpdu.packet, Outcome::Sent, cx);
                }
            }
            // Another answer is awaited.
            Content::Aggregate | Content::Request => return,
        }
        self.report(&exchange, (1, 1), cx);
        self.succeed(exchange, cx);
    }

    /// A Block Ack for this station has come.
    pub(super) fn on_block_ack(&mut self, (from, tid): (NodeId, u8), ssn: u16, bitmap: &Bitmap, cx: &mut EdcaCx<'_>) {
        let awaited = |exchange: &Exchange| {
            matches!(exchange.content, Content::Aggregate | Content::Request)
                && (exchange.to, exchange.tid) == (from, tid)
        };
        let Some(exchange) = self.exchange.filter(|_| self.phase == Phase::WaitAnswer).filter(awaited) else { return };
        self.counts.block_acks += 1;
        let mut acked = std::mem::take(&mut self.settled);
        let found = agreement(&mut self.outgoing, &exchange);
        let failed = found.map_or(0, |one| one.originator.on_block_ack(ssn, bitmap, &mut acked));
        let came = acked.len() as u32;
        self.counts.acknowledged += u64::from(came);
        self.report(&exchange, (came + failed, came), cx);
        for mpdu in acked.drain(..) {
            self.done(exchange.ac, mpdu.packet, Outcome::Sent, cx);
        }
        self.settled = acked;
        if failed > 0 {
            self.attempts.retries += 1;
            self.give_up(exchange.ac, cx);
        }
        // A Block Ack is a success, whatever it lacks (10.23.2.2).
        self.succeed(exchange, cx);
    }

    fn succeed(&mut self, exchange: Exchange, cx: &mut EdcaCx<'_>) {
        self.categories[exchange.ac as usize].failures = 0;
        self.answered.push(exchange.to);
        if let Some(one) = agreement(&mut self.outgoing, &exchange) {
            one.unanswered = 0;
        }
        cx.station.edca_reset_cw(exchange.ac, &cx.rules.station);
        self.response_timer.renew();
        cx.station.hold(cx.now);
        if exchange.txop_until > cx.now && (self.go_on(exchange, cx) || self.free(exchange, cx)) {
            return;
        }
        self.end(exchange.ac, cx);
    }

    /// The wait for a response is over, or a broadcast has left.
    pub fn on_response_timeout(&mut self, generation: Generation, cx: &mut EdcaCx<'_>) {
        if self.response_is_stale(generation) {
            return;
        }
        match self.phase {
            Phase::Broadcasting => {
                if let Some(exchange) = self.exchange {
                    self.finish_in_hand(exchange.ac, Outcome::Sent, cx);
                    self.succeed(exchange, cx);
                }
            }
            Phase::WaitCts | Phase::WaitAnswer => {
                // Only a frame that the PHY has announced is waited for (10.3.2.9, 10.3.2.11).
                let latest = cx.rules.timing().announced_by(cx.now);
                let announced = cx.rules.rx_start_timeout
                    && cx.station.radio.receiving_since().is_some_and(|start| start <= latest);
                match cx.station.radio.receiving_until().filter(|&end| announced && end > cx.now) {
                    Some(end) if cx.station.radio.receives_own() => self.decided_at = end,
                    Some(end) => self.arm_response(end, cx),
                    None => self.fail(cx),
                }
            }
            Phase::Protecting => self.send_after_sifs(cx),
            Phase::Ending => {
                if let Some(exchange) = self.exchange {
                    self.response_timer.renew();
                    self.end(exchange.ac, cx);
                }
            }
            Phase::Recovering => {
                if let Some(failed) = self.exchange {
                    self.recover(failed, cx);
                }
            }
            Phase::Idle | Phase::SifsData | Phase::SifsNext | Phase::SifsEnd => {}
        }
        self.arm_access(cx);
    }

    /// True when the wait for a response with this timer generation is over: its expiry means nothing.
    pub fn response_is_stale(&self, generation: Generation) -> bool {
        let is_idle = matches!(self.phase, Phase::Idle | Phase::SifsData | Phase::SifsNext | Phase::SifsEnd);
        generation != self.response_timer || is_idle
    }

    /// True when the wait for a response goes on, as a frame for this node is on the air. Known without applying edges.
    pub fn waits_for_end(&mut self, now: Time, station: &mut Station, rules: &MacRules) -> bool {
        if rules.rx_start_timeout && matches!(self.phase, Phase::WaitCts | Phase::WaitAnswer) {
            if let Some(end) = station.radio.own_frame_until(now, rules.timing().announced_by(now)) {
                self.decided_at = end;
                return true;
            }
        }
        false
    }

    /// True when the end of a frame for this node means something even if the frame was not received.
    pub fn is_decided_at(&self, now: Time) -> bool {
        self.decided_at == now
    }

    /// The end of the frame that the wait for a response hung on has come without that response.
    pub(super) fn wait_is_over(&mut self, cx: &mut EdcaCx<'_>) {
        if self.decided_at == cx.now && matches!(self.phase, Phase::WaitCts | Phase::WaitAnswer) {
            self.arm_response(cx.now, cx);
        }
    }
}

/// The agreement that an exchange is about.
pub(super) fn agreement<'a>(outgoing: &'a mut [Outgoing], exchange: &Exchange) -> Option<&'a mut Outgoing> {
    outgoing.iter_mut().find(|one| one.to == exchange.to && one.tid == exchange.tid)
}
