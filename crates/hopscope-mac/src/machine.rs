//! The frame exchange of a station: that of the DCF, or of EDCA where it is a QoS station.

use crate::dcf::{Attempts, Dcf, MacView};
use crate::edca::Edca;
use crate::frame::FrameKind;
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;

/// Frame exchange of one station.
#[derive(Debug)]
pub enum Mac {
    /// Of a station without QoS.
    Dcf(Dcf),
    /// Of a QoS station.
    Edca(Box<Edca>),
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Mac>() == size_of::<Dcf>(), "the kind takes no room of its own");

impl Mac {
    /// Counters since the start.
    pub fn attempts(&self) -> &Attempts {
        match self {
            Mac::Dcf(dcf) => dcf.attempts(),
            Mac::Edca(edca) => edca.attempts(),
        }
    }

    /// What layers above may know of it.
    #[inline]
    pub fn view(&self) -> MacView<'_> {
        match self {
            Mac::Dcf(dcf) => dcf.view(),
            Mac::Edca(edca) => edca.view(),
        }
    }

    /// Until when it waits for the data frame that its CTS has asked for, if it does.
    pub fn awaits_data(&self) -> Option<Time> {
        match self {
            Mac::Dcf(dcf) => dcf.awaits_data(),
            Mac::Edca(edca) => edca.awaits_data(),
        }
    }

    /// Kind of the frame that follows the SIFS under way.
    pub fn after_sifs(&self) -> FrameKind {
        match self {
            Mac::Dcf(dcf) => dcf.after_sifs(),
            Mac::Edca(edca) => edca.after_sifs(),
        }
    }

    /// True when the end of a frame for this node means something even if the frame was not received.
    #[inline]
    pub fn is_decided_at(&self, now: Time) -> bool {
        match self {
            Mac::Dcf(dcf) => dcf.is_decided_at(now),
            Mac::Edca(edca) => edca.is_decided_at(now),
        }
    }

    /// The machine of the DCF, if it is one.
    #[inline(always)]
    pub fn dcf(&mut self) -> Option<&mut Dcf> {
        match self {
            Mac::Dcf(dcf) => Some(dcf),
            Mac::Edca(_) => None,
        }
    }

    /// The machine of EDCA, if it is one.
    #[inline(always)]
    pub fn edca(&self) -> Option<&Edca> {
        match self {
            Mac::Dcf(_) => None,
            Mac::Edca(edca) => Some(edca),
        }
    }

    /// Packets that a neighbour has sent, each once, broadcast left out.
    pub fn received_from(&self, rules: &crate::MacRules) -> Vec<(NodeId, u64)> {
        match self {
            Mac::Dcf(dcf) => dcf.received_from(rules),
            Mac::Edca(edca) => {
                let mut received = edca.received_from().to_vec();
                received.sort_unstable();
                received
            }
        }
    }
}
