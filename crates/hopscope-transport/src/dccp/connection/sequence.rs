//! The sequence numbers of a connection, and the windows in which those of the other end are valid (RFC 4340 7).

use hopscope_packet::dccp::{DccpPacket, DccpType, Seq};

/// The numbers as one end knows them, named as in RFC 4340 7.1.
#[derive(Debug)]
pub(super) struct Sequence {
    /// First and greatest number sent.
    iss: Seq,
    pub(super) gss: Seq,
    /// First and greatest valid number received, and the number with which the other end left its handshake.
    isr: Seq,
    pub(super) gsr: Seq,
    pub(super) osr: Seq,
    /// Greatest acknowledgement received.
    pub(super) gar: Seq,
}

impl Sequence {
    /// Nothing sent or received; the first packet will have the number `iss`.
    pub(super) fn new(iss: Seq) -> Self {
        let none = Seq::default();
        Sequence { iss, gss: iss.minus(1), isr: none, gsr: none, osr: none, gar: iss }
    }

    /// The number of the next packet.
    pub(super) fn next(&mut self) -> Seq {
        self.gss = self.gss.plus(1);
        self.gss
    }

    /// The first packet of the other end.
    pub(super) fn begin(&mut self, seq: Seq) {
        (self.isr, self.gsr) = (seq, seq);
    }

    /// The packet with whole numbers, where it came with short ones.
    pub(super) fn whole(&self, wire: &DccpPacket) -> DccpPacket {
        if !wire.short {
            return *wire;
        }
        // Each is the whole number nearest to what is known of its direction (RFC 4340 7.6).
        let seq = Seq::extend(wire.seq.short(), self.gsr);
        let ack = Seq::extend(wire.ack.short(), self.gss);
        DccpPacket { seq, ack, ..*wire }
    }

    /// Least valid acknowledgement (AWL), with a Sequence Window of so many packets.
    pub(super) fn awl(&self, width: u64) -> Seq {
        lower(self.gss, width - 1, self.iss)
    }

    /// Steps 5 and 6 of RFC 4340 8.5: the numbers of a packet lie in their windows, whose widths are the Sequence
    /// Windows of this end and of the other; what is valid moves them.
    pub(super) fn accepts(&mut self, packet: &DccpPacket, local: u64, remote: u64) -> bool {
        let swl = lower(self.gsr, remote / 4 - 1, self.isr);
        let swh = self.gsr.plus((3 * remote).div_ceil(4));
        let awl = self.awl(local);
        // A Sync has no upper bound: it brings ends together again that have lost count of each other.
        if matches!(packet.kind, DccpType::Sync | DccpType::SyncAck) {
            let fits = packet.ack.is_within(awl, self.gss) && packet.seq.since(swl) >= 0;
            if fits {
                self.gsr = self.gsr.latest(packet.seq);
            }
            return fits;
        }
        // What ends a connection has to be newer than all that has come, so that nothing old or guessed ends it
        // (7.5.3).
        let ends = matches!(packet.kind, DccpType::CloseReq | DccpType::Close | DccpType::Reset);
        let (least_seq, least_ack) = if ends { (self.gsr.plus(1), self.gar) } else { (swl, awl) };
        let acknowledges_well = !packet.kind.acknowledges() || packet.ack.is_within(least_ack, self.gss);
        let fits = packet.seq.is_within(least_seq, swh) && acknowledges_well;
        if fits {
            self.gsr = self.gsr.latest(packet.seq);
            if packet.kind.acknowledges() {
                self.gar = self.gar.latest(packet.ack);
            }
        }
        fits
    }
}

/// So many steps below `high`, but not below `first`, where the numbers began.
fn lower(high: Seq, steps: u64, first: Seq) -> Seq {
    if high.since(first) < steps as i64 { first } else { high.minus(steps) }
}
