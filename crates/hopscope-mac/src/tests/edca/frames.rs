//! Frames of others, as scripts have them.

use super::{BE, DECODABLE, ME, OTHER, PACKET, PEER};
use crate::edca::{Addba, Carried};
use crate::frame::{FrameKind, Mpdu};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_phy::phy::Arrival;

/// A frame of somebody else.
#[derive(Debug, Clone)]
pub(super) struct RxFrame {
    pub(super) kind: FrameKind,
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) tid: u8,
    pub(super) seq: u16,
    pub(super) retry: bool,
    /// Duration field, us.
    pub(super) nav: u64,
    /// Length, us.
    pub(super) length: u64,
    pub(super) flags: u8,
    pub(super) carried: Carried,
    /// The MPDUs that come through.
    pub(super) mpdus: Vec<Mpdu>,
}

impl RxFrame {
    pub(super) fn new(kind: FrameKind, from: NodeId, to: NodeId, length: u64) -> Self {
        RxFrame {
            kind,
            from,
            to,
            tid: BE,
            seq: 0,
            retry: false,
            nav: 0,
            length,
            flags: DECODABLE,
            carried: Carried::default(),
            mpdus: Vec::new(),
        }
    }

    /// A frame between others that reserves nothing beyond its end.
    pub(super) fn foreign(length: u64) -> Self {
        RxFrame::new(FrameKind::Ack, OTHER, PEER, length)
    }

    /// An ADDBA frame of node 1 about best effort, at 6 Mbit/s.
    pub(super) fn action(addba: Addba) -> Self {
        let mut frame = RxFrame::new(FrameKind::Action, PEER, ME, 76);
        frame.carried.said.addba = Some(addba);
        frame
    }

    /// A frame that ends in error here.
    pub(super) fn errored(length: u64) -> Self {
        RxFrame { flags: DECODABLE | Arrival::ERRORED, ..RxFrame::foreign(length) }
    }

    /// One MPDU of `PACKET` bytes from node 1 for the station; its packet has the number of its sequence number.
    pub(super) fn data(seq: u16) -> Self {
        RxFrame { seq, nav: 44, ..RxFrame::new(FrameKind::Data, PEER, ME, 228) }
    }

    /// An A-MPDU of 1000 us from node 1 for the station, of which these MPDUs come through.
    pub(super) fn aggregate(seqs: impl IntoIterator<Item = u16>) -> Self {
        let mpdu = |seq: u16| Mpdu { packet: PacketId(seq.into()), seq, bytes: PACKET + 38, retry: false };
        let mpdus = seqs.into_iter().map(mpdu).collect();
        RxFrame { mpdus, nav: 48, ..RxFrame::new(FrameKind::Data, PEER, ME, 1_000) }
    }

    pub(super) fn request(ssn: u16) -> Self {
        RxFrame { seq: ssn, nav: 48, ..RxFrame::new(FrameKind::BlockAckReq, PEER, ME, 32) }
    }

    pub(super) fn rts(nav: u64) -> Self {
        RxFrame { nav, ..RxFrame::new(FrameKind::Rts, PEER, ME, 28) }
    }

    pub(super) fn tid(self, tid: u8) -> Self {
        RxFrame { tid, ..self }
    }

    pub(super) fn retry(self) -> Self {
        RxFrame { retry: true, ..self }
    }
}
