//! The receiver of ATP: averages the delays that data brings from the path, puts data in order, and reports both once
//! an epoch. A probe is answered at once, and its delay is where the average begins anew.
//!
//! Epochs run while data comes: the first one begins with a packet after silence, and one in which nothing has come is
//! the last.

use std::collections::BTreeMap;

use crate::config::AtpConfig;
use hopscope_core::units::Span;
use hopscope_packet::Body;
use hopscope_packet::atp::{AtpKind, AtpPacket, SackRun};
use hopscope_tcp::endpoint::{Cx, Payload, Timer, TransportEffect};

#[derive(Debug)]
pub(super) struct Sink {
    epoch: Span,
    weight: f64,
    start_factor: f64,
    most_blocks: usize,
    /// First number that has not come.
    next: u32,
    /// Bytes of packets that have come beyond it.
    ahead: BTreeMap<u32, u32>,
    /// Average delay, microseconds.
    average: Option<f64>,
    /// Something has come since the last feedback.
    has_new_data: bool,
    /// An epoch is under way.
    is_timed: bool,
}

impl Sink {
    pub(super) fn new(cfg: &AtpConfig) -> Self {
        Sink {
            epoch: cfg.epoch,
            weight: cfg.receiver_weight,
            start_factor: cfg.start_factor,
            most_blocks: cfg.sack_blocks as usize,
            next: 0,
            ahead: BTreeMap::new(),
            average: None,
            has_new_data: false,
            is_timed: false,
        }
    }

    /// Data or a probe has come; gives the data.
    pub(super) fn on_data(&mut self, packet: &AtpPacket, cx: &mut Cx<'_>) -> Option<Payload> {
        let is_probe = packet.kind == AtpKind::Probe;
        self.average_in(packet.delay, is_probe);
        let payload = (packet.len > 0).then(|| self.take(packet, cx));
        self.has_new_data = true;
        if is_probe {
            self.send_feedback(AtpKind::Answer, cx);
        }
        if !self.is_timed {
            self.is_timed = true;
            self.arm(cx);
        }
        payload
    }

    /// An epoch is over.
    pub(super) fn on_epoch(&mut self, cx: &mut Cx<'_>) {
        self.is_timed = self.has_new_data;
        if self.has_new_data {
            self.has_new_data = false;
            self.send_feedback(AtpKind::Feedback, cx);
            self.arm(cx);
        }
    }

    fn average_in(&mut self, delay: u32, is_probe: bool) {
        let sample = f64::from(delay);
        // No node has written a delay: the packet has not passed through a queue that measures.
        if delay == 0 {
            return;
        }
        self.average = Some(match self.average {
            // A probe meets a path that this flow does not load yet; the factor allows for what it will add.
            _ if is_probe => sample * self.start_factor,
            Some(average) => average + self.weight * (sample - average),
            None => sample,
        });
    }

    /// Takes data in; what is in order goes up.
    fn take(&mut self, packet: &AtpPacket, cx: &mut Cx<'_>) -> Payload {
        let duplicate = packet.number < self.next || self.ahead.contains_key(&packet.number);
        if !duplicate {
            self.ahead.insert(packet.number, packet.len);
            let mut bytes = 0;
            while let Some(len) = self.ahead.remove(&self.next) {
                bytes += len;
                self.next = self.next.saturating_add(1);
            }
            if bytes > 0 {
                cx.out.push(TransportEffect::Deliver { bytes });
            }
        }
        Payload { bytes: packet.len, duplicate, retransmission: packet.retransmission }
    }

    fn send_feedback(&self, kind: AtpKind, cx: &mut Cx<'_>) {
        let delay = self.average.map_or(0, |average| average.round().clamp(1.0, f64::from(u32::MAX)) as u32);
        let mut packet = AtpPacket { kind, number: self.next, delay, ..AtpPacket::default() };
        packet.runs.is_partial = !self.write_blocks(&mut packet);
        cx.out.push(TransportEffect::Emit(Body::Atp(packet)));
    }

    /// Writes what has come beyond the first one missing; false where not all of it found room.
    fn write_blocks(&self, packet: &mut AtpPacket) -> bool {
        let mut numbers = self.ahead.keys().copied().peekable();
        let mut before = self.next;
        while let Some(from) = numbers.next() {
            let mut end = from.saturating_add(1);
            while numbers.next_if_eq(&end).is_some() {
                end = end.saturating_add(1);
            }
            // Fields have 16 bits: what does not fit is left to a later feedback.
            let (Ok(gap), Ok(length)) = (u16::try_from(from - before), u16::try_from(end - from)) else { return false };
            if packet.runs.all().len() == self.most_blocks || !packet.runs.push(SackRun { gap, length }) {
                return false;
            }
            before = end;
        }
        true
    }

    fn arm(&self, cx: &mut Cx<'_>) {
        cx.out.push(TransportEffect::Arm(Timer::DelayedAck, cx.now + self.epoch));
    }
}
