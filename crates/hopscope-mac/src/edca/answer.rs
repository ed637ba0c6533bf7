//! What a QoS station receives, and what it answers (IEEE 802.11-2020 10.3.2.11, 10.23.2 and 10.25.6).

use super::rules::QosRules;
use super::{Accepted, BlockAckInfo, Delivered, Edca, EdcaCx, FrameInfo, Incoming, Phase, Reply, qos};
use crate::block_ack::Recipient;
use crate::config::mac::CtsRule;
use crate::frame::{ACK_BYTES, CTS_BYTES, Frame, FrameKind, Mpdu};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Span;
use hopscope_phy::phy::modes::Mode;

impl Edca {
    /// A frame for this node (or a broadcast) ends; `frame` if it was received, with those of its MPDUs that were, and what it
    /// says.
    pub fn on_rx_end(&mut self, frame: Option<Frame>, mpdus: &[Mpdu], said: FrameInfo, cx: &mut EdcaCx<'_>) {
        if let Some(frame) = frame {
            match frame.kind {
                FrameKind::Rts => self.on_rts(&frame, cx),
                FrameKind::Cts => self.on_cts(cx),
                FrameKind::Ack => self.on_ack(cx),
                FrameKind::BlockAck => {
                    let BlockAckInfo { ssn, bitmap, .. } = said.block_ack;
                    self.on_block_ack((frame.src, frame.tid), ssn, &bitmap, cx);
                }
                FrameKind::BlockAckReq => self.on_request(&frame, cx),
                FrameKind::Data => self.on_data(&frame, mpdus, cx),
                FrameKind::CfEnd => cx.station.free_nav(cx.now),
                FrameKind::Action => self.on_action(&frame, said.addba, cx),
            }
        }
        // The frame first: if it was the response, the phase has moved on and nothing is awaited any more.
        self.wait_is_over(cx);
        self.arm_access(cx);
    }

    fn on_rts(&mut self, frame: &Frame, cx: &mut EdcaCx<'_>) {
        let replying = match self.reply {
            Reply::None => false,
            Reply::Pending { .. } => true,
            Reply::AwaitData { until } => cx.now < until,
        };
        // One exchange at a time: the sender of the RTS will hear nothing and try again.
        if self.phase != Phase::Idle || replying {
            return;
        }
        let mode = cx.rules.rates.response(frame.mode);
        let timing = cx.rules.timing();
        // What the RTS reserves less what the CTS takes (9.3.1.3); zero where a sender reserved too little.
        let duration = frame.duration.saturating_sub(timing.sifs + timing.response(mode));
        self.answer(FrameKind::Cts, mode, frame, duration, cx);
    }

    fn on_data(&mut self, frame: &Frame, mpdus: &[Mpdu], cx: &mut EdcaCx<'_>) {
        let (from, tid) = (frame.src, frame.tid);
        if frame.dst == NodeId::BROADCAST {
            cx.out.accepted.push(Accepted { from, tid, seq: None, within: false, packet: frame.body });
            return;
        }
        // The answer under way keeps its turn; a frame that ends within its SIFS gets none and comes again.
        if matches!(self.reply, Reply::Pending { .. }) {
            return;
        }
        // Where an own CTS has asked for this frame, the station has waited for it until here and no longer.
        cx.station.hold(cx.now);
        self.keep_ratio(cx);
        let mode = self.response(frame.mode, cx);
        let timing = cx.rules.timing();
        let is_aggregate = !mpdus.is_empty();
        let kind = if is_aggregate { FrameKind::BlockAck } else { FrameKind::Ack };
        let airtime =
            if is_aggregate { timing.airtime(qos(cx.rules).block_ack_bytes(), mode) } else { timing.response(mode) };
        // Where a TXOP goes on, its rest (9.2.5.2).
        let duration = frame.duration.saturating_sub(timing.sifs + airtime);
        if is_aggregate {
            for (place, mpdu) in (1..).zip(mpdus) {
                let within = qos(cx.rules).releases_mpdus && place < mpdus.len();
                self.accept((from, tid), mpdu.seq, mpdu.packet, within, cx);
            }
        } else if self.is_agreed(from, tid, qos(cx.rules)) {
            self.accept((from, tid), frame.seq, frame.body, false, cx);
        } else if self.is_first(from, tid, frame) {
            self.count_received(from, 1);
            cx.out.accepted.push(Accepted { from, tid, seq: None, within: false, packet: frame.body });
        }
        self.answer(kind, mode, frame, duration, cx);
    }

    /// True where an agreement covers an MPDU that comes alone.
    fn is_agreed(&self, from: NodeId, tid: u8, rules: &QosRules) -> bool {
        let has_one = || self.incoming.iter().any(|one| (one.from, one.tid) == (from, tid));
        rules.ampdu.is_some() && (!rules.sets_up || has_one())
    }

    /// Mode of the answer to a frame.
    pub(super) fn response(&self, asked: Mode, cx: &EdcaCx<'_>) -> Mode {
        qos(cx.rules).response(asked, &cx.rules.rates)
    }

    /// An MPDU under an agreement has come.
    fn accept(&mut self, (from, tid): (NodeId, u8), seq: u16, packet: PacketId, within: bool, cx: &mut EdcaCx<'_>) {
        let recipient = &mut self.incoming(from, tid, qos(cx.rules)).recipient;
        if recipient.is_new(seq) {
            cx.out.accepted.push(Accepted { from, tid, seq: Some(seq), within, packet });
        } else {
            recipient.on_duplicate(seq);
        }
    }

    /// True for an MPDU under no agreement that is no repetition of the last one.
    pub(super) fn is_first(&mut self, from: NodeId, tid: u8, frame: &Frame) -> bool {
        match self.last.iter_mut().find(|(node, of, _)| (*node, *of) == (from, tid)) {
            Some((.., last)) => {
                let is_again = *last == frame.seq && frame.retry;
                *last = frame.seq;
                !is_again
            }
            None => {
                self.last.push((from, tid, frame.seq));
                true
            }
        }
    }

    /// So many more new packets of a neighbour have come, to this station alone.
    pub fn count_received(&mut self, from: NodeId, packets: u64) {
        match self.received.iter_mut().find(|(node, _)| *node == from) {
            Some((_, count)) => *count += packets,
            None => self.received.push((from, packets)),
        }
    }

    fn incoming(&mut self, from: NodeId, tid: u8, rules: &QosRules) -> &mut Incoming {
        let found = self.incoming.iter().position(|one| one.from == from && one.tid == tid);
        let place = found.unwrap_or_else(|| {
            let recipient = Recipient::new(0, rules.window, rules.reorder_timeout);
            self.incoming.push(Incoming { from, tid, recipient });
            self.incoming.len() - 1
        });
        &mut self.incoming[place]
    }

    /// Takes the copy of a packet that was accepted under an agreement: it goes up with those that have waited for it, or
    /// waits for those before it.
    ///
    /// `rest` are copies of what came with it in an A-MSDU.
    pub fn store(&mut self, accepted: &Accepted, copy: PacketId, rest: Vec<PacketId>, cx: &mut EdcaCx<'_>) {
        let Some(seq) = accepted.seq else { return };
        let from = accepted.from;
        self.count_received(from, 1 + rest.len() as u64);
        self.bundles.add(copy, rest);
        let recipient = &mut self.incoming(from, accepted.tid, qos(cx.rules)).recipient;
        let mut released = Vec::new();
        recipient.on_mpdu(seq, copy, cx.now, &mut released);
        cx.out.arm_release = recipient.release_at();
        let within = accepted.within;
        self.deliver(released, from, within, cx);
    }

    /// Packets that have waited too long in a reordering buffer go up; ADDBA requests without a response are over.
    pub fn on_release(&mut self, cx: &mut EdcaCx<'_>) {
        for place in 0..self.incoming.len() {
            let Incoming { from, recipient, .. } = &mut self.incoming[place];
            let (from, mut released) = (*from, Vec::new());
            recipient.on_release_timer(cx.now, &mut released);
            self.deliver(released, from, false, cx);
        }
        cx.out.arm_release = self.incoming.iter().filter_map(|one| one.recipient.release_at()).min();
        self.end_requests(cx);
    }

    /// Packets go up in order, each with those of its A-MSDU.
    pub(super) fn deliver(&mut self, released: Vec<PacketId>, from: NodeId, within: bool, cx: &mut EdcaCx<'_>) {
        for first in released {
            let all = std::iter::once(first).chain(self.bundles.take(first));
            cx.out.delivered.extend(all.map(|packet| Delivered { packet, from, within }));
        }
    }

    /// A Block Ack request: the window moves, and the answer says what has come.
    fn on_request(&mut self, frame: &Frame, cx: &mut EdcaCx<'_>) {
        if matches!(self.reply, Reply::Pending { .. }) {
            return;
        }
        let from = frame.src;
        let mut released = Vec::new();
        self.incoming(from, frame.tid, qos(cx.rules)).recipient.on_request(frame.seq, cx.now, &mut released);
        self.deliver(released, from, false, cx);
        let mode = self.response(frame.mode, cx);
        let timing = cx.rules.timing();
        // Where a TXOP goes on, its rest (9.2.5.2).
        let airtime = timing.airtime(qos(cx.rules).block_ack_bytes(), mode);
        let duration = frame.duration.saturating_sub(timing.sifs + airtime);
        self.answer(FrameKind::BlockAck, mode, frame, duration, cx);
    }

    /// Answers a frame after SIFS.
    pub(super) fn answer(&mut self, kind: FrameKind, mode: Mode, asked: &Frame, duration: Span, cx: &mut EdcaCx<'_>) {
        self.reply = Reply::Pending { kind, mode, to: asked.src, tid: asked.tid, duration };
        self.arm_sifs(cx);
    }

    pub(super) fn send_reply(
        &mut self,
        kind: FrameKind,
        mode: Mode,
        (to, tid): (NodeId, u8),
        duration: Span,
        cx: &mut EdcaCx<'_>,
    ) {
        self.reply = Reply::None;
        self.carried.ratio = std::mem::take(&mut self.data_ratio);
        let timing = cx.rules.timing();
        let (bytes, airtime) = match kind {
            FrameKind::BlockAck => {
                let bytes = qos(cx.rules).block_ack_bytes();
                (bytes, timing.airtime(bytes, mode))
            }
            FrameKind::Cts => (CTS_BYTES, timing.response(mode)),
            _ => (ACK_BYTES, timing.response(mode)),
        };
        let mut seq = 0;
        if kind == FrameKind::Cts {
            // An ACK goes whatever the medium does (10.3.2.11); a CTS needs an idle NAV (10.3.2.9).
            let allowed = match cx.rules.cts_rule {
                CtsRule::NavIdle => cx.station.nav_idle(cx.now),
                CtsRule::MediumIdle => cx.station.is_idle(cx.now),
            };
            if !allowed {
                return;
            }
            self.reply = Reply::AwaitData { until: cx.now + airtime + timing.wait_for(Span::ZERO) };
        } else if kind == FrameKind::BlockAck {
            let rules = qos(cx.rules);
            let (ssn, bitmap) = self.incoming(to, tid, rules).recipient.block_ack();
            self.carried.said.block_ack = BlockAckInfo { ssn, bitmap, size: if rules.window > 64 { 256 } else { 64 } };
            seq = ssn;
        }
        let frame = Frame {
            kind,
            mode,
            retry: false,
            frag: 0,
            tid,
            seq,
            src: self.node,
            dst: to,
            bytes,
            body: PacketId::default(),
            airtime,
            duration,
        };
        self.transmit(frame, cx);
        // After the transmission has begun: slots that passed before it count up to what was known to be busy then.
        if let Reply::AwaitData { until } = self.reply {
            cx.station.hold(until);
        }
    }
}
