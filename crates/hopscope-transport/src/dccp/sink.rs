//! The half of a connection that receives data: when it acknowledges, and what it reports.

use super::history::History;
use super::inbox::{DATA_DROPPED, Inbox, MOST_OCTETS};
use super::repeat::ReceiveList;
use super::source::elapsed_ticks;
use super::tfrc::{FEEDBACK_OCTETS, Receiver};
use crate::config::{DccpConfig, DccpControl};
use hopscope_core::units::{Span, Time};
use hopscope_packet::dccp::{DccpPacket, DccpType, Stamp};

/// What a valid packet is to its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// New.
    New,
    /// It had come before.
    Again,
    /// It is new, but its data have errors, or there is no room for them.
    Dropped,
}

/// The receiving half.
#[derive(Debug)]
pub(super) struct Sink {
    history: Option<History>,
    inbox: Inbox,
    list: ReceiveList,
    /// Data packets not acknowledged yet.
    waiting: u64,
    /// Longest time that one waits.
    delay: Span,
    /// When the packet with the greatest number came, and the timestamp that it brought.
    newest: Time,
    stamp: Option<u32>,
    /// What a control by rate receives.
    tfrc: Option<Box<Receiver>>,
}

impl Sink {
    /// Nothing has come.
    pub(super) fn new(control: DccpControl, cfg: &DccpConfig) -> Self {
        Sink {
            history: None,
            inbox: Inbox::new(cfg),
            list: ReceiveList::default(),
            waiting: 0,
            delay: cfg.ack_delay,
            newest: Time::ZERO,
            stamp: None,
            tfrc: Receiver::new(control, cfg).map(Box::new),
        }
    }

    /// A valid packet has come.
    pub(super) fn on_packet(&mut self, packet: &DccpPacket, is_marked: bool, now: Time) -> Taken {
        let Some(history) = &mut self.history else {
            // The first packet is the other end's handshake: it has no payload to count and no timestamp to echo.
            self.history = Some(History::new(packet.seq));
            self.newest = now;
            if let Some(tfrc) = &mut self.tfrc {
                tfrc.on_packet(packet, is_marked, now);
            }
            return Taken::New;
        };
        if packet.kind.acknowledges() {
            if let Some(known) = history.on_acked(packet.ack) {
                self.inbox.on_known(known);
            }
        }
        let is_newest = packet.seq.is_after(history.greatest());
        if is_newest {
            self.newest = now;
            self.stamp = if let Stamp::Timestamp(value) = packet.stamp { Some(value) } else { None };
        }
        let is_new = history.on_packet(packet.seq, is_marked);
        if let Some(tfrc) = self.tfrc.as_mut().filter(|_| is_new) {
            tfrc.on_packet(packet, is_marked, now);
        }
        // A packet of data that has none is a probe: it asks for an acknowledgement.
        let asks = matches!(packet.kind, DccpType::Data | DccpType::DataAck);
        self.waiting += u64::from(asks && is_new);
        match is_new {
            false => Taken::Again,
            true if packet.is_data() && !self.inbox.take(packet.seq, packet.len, now) => Taken::Dropped,
            true => Taken::New,
        }
    }

    /// Data of a packet that was taken so; gives the bytes to hand over, none where it had come before.
    pub(super) fn hand_over(&mut self, packet: &DccpPacket, taken: Taken) -> Option<u32> {
        match taken {
            Taken::Again | Taken::Dropped => None,
            Taken::New if packet.number == 0 => Some(packet.len),
            Taken::New => self.list.take(packet.number, packet.len),
        }
    }

    /// An acknowledgement is due now: for so many data packets each, or by the round trips of a control by rate.
    pub(super) fn is_due(&self, ratio: u64) -> bool {
        self.tfrc.as_ref().map_or(self.waiting >= ratio, |tfrc| tfrc.is_due())
    }

    /// When the packets that wait have waited long enough; none wait: never.
    pub(super) fn due_at(&self, now: Time) -> Option<Time> {
        // A control by rate wants feedback once a round trip: what comes sooner would report less than one.
        let delay = self.tfrc.as_ref().map_or(self.delay, |tfrc| tfrc.round_trip().max(self.delay));
        (self.waiting > 0).then(|| now + delay)
    }

    /// The list of reliable DCCP.
    #[cfg(test)]
    pub(super) fn list(&self) -> &ReceiveList {
        &self.list
    }

    /// Data waits for its acknowledgement.
    pub(super) fn has_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// Writes what an acknowledgement reports, with an Ack Vector where the features say so; so many octets stay free.
    pub(super) fn write(&mut self, packet: &mut DccpPacket, with_vector: bool, reserved: usize, now: Time) {
        self.waiting = 0;
        let held = elapsed_ticks(now.saturating_since(self.newest));
        packet.stamp = match self.stamp.take() {
            Some(value) => Stamp::Echo { value, elapsed: held },
            None if held > 0 => Stamp::Elapsed(held),
            None => Stamp::None,
        };
        packet.slow_receiver = self.inbox.is_slow(now);
        if let Some(history) = self.history.as_mut().filter(|_| with_vector) {
            // The vector takes all the room that is left: what has to go with it is counted first.
            let dropped = self.inbox.octets(history.greatest());
            let reserved = reserved + if self.tfrc.is_some() { FEEDBACK_OCTETS } else { 0 };
            let reserved = reserved + if dropped.is_empty() { 0 } else { 2 + MOST_OCTETS };
            packet.push_vector(history.octets(), reserved);
            if !dropped.is_empty() {
                packet.push_option(DATA_DROPPED, &dropped);
            }
            history.on_ack_sent(packet.seq);
        }
        if let Some(tfrc) = &mut self.tfrc {
            tfrc.write(packet, reserved, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_packet::dccp::Seq;

    const MS: u64 = 1_000_000;

    fn data(seq: u64) -> DccpPacket {
        DccpPacket { seq: Seq::new(seq), len: 1000, stamp: Stamp::Timestamp(seq as u32), ..DccpPacket::default() }
    }

    fn acknowledge(sink: &mut Sink, seq: u64, ms: u64) -> (Vec<u8>, Stamp) {
        let mut ack = DccpPacket { kind: DccpType::Ack, seq: Seq::new(seq), ..DccpPacket::default() };
        sink.write(&mut ack, true, 0, Time(ms * MS));
        (ack.vector().to_vec(), ack.stamp)
    }

    #[test]
    fn acknowledgements_come_by_the_ratio_and_after_a_delay() {
        let mut sink = Sink::new(DccpControl::Ccid2, &DccpConfig::default());
        let request = DccpPacket { kind: DccpType::Request, ..data(0) };
        assert_eq!(sink.on_packet(&DccpPacket { len: 0, ..request }, false, Time(0)), Taken::New);
        assert_eq!((sink.is_due(2), sink.due_at(Time(0))), (false, None));
        assert_eq!(sink.on_packet(&data(1), false, Time(10 * MS)), Taken::New);
        assert_eq!((sink.is_due(2), sink.due_at(Time(10 * MS))), (false, Some(Time(210 * MS))));
        assert_eq!(sink.on_packet(&data(2), true, Time(11 * MS)), Taken::New);
        assert!(sink.is_due(2));
        assert_eq!(sink.on_packet(&data(2), false, Time(12 * MS)), Taken::Again);
        assert_eq!(acknowledge(&mut sink, 70, 12), (vec![0x40, 0x01], Stamp::Echo { value: 2, elapsed: 100 }));
        assert!(!sink.has_waiting());
        assert_eq!(
            acknowledge(&mut sink, 71, 13),
            (vec![0x40, 0x01], Stamp::Elapsed(200)),
            "a timestamp is echoed once"
        );
    }

    #[test]
    fn what_is_acknowledged_is_not_reported_again() {
        let mut sink = Sink::new(DccpControl::Ccid2, &DccpConfig::default());
        (1..=3).for_each(|n| assert_eq!(sink.on_packet(&data(n), false, Time(0)), Taken::New));
        assert_eq!(acknowledge(&mut sink, 70, 0).0, [0x02]);
        let answer = DccpPacket { kind: DccpType::DataAck, ack: Seq::new(70), ..data(5) };
        assert_eq!(sink.on_packet(&answer, false, Time(0)), Taken::New);
        assert_eq!(acknowledge(&mut sink, 71, 0).0, [0x00, 0xC0]);
    }
}
