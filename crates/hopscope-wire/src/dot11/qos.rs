//! The QoS Control field of QoS data (IEEE 802.11-2020 9.2.4.5).
//!
//! ```text
//!  traffic identifier 4 bits, EOSP 1, ack policy 2, A-MSDU present 1, 8 bits that stations of an IBSS leave zero
//! ```

use crate::octets::Malformed;

/// Octets of the field.
pub(super) const QOS_BYTES: usize = 2;

const TID: u16 = 0x000F;
const ACK_POLICY_AT: u32 = 5;
const AMSDU: u16 = 0x0080;

/// How the receiver of an MPDU answers it (table 9-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AckPolicy {
    /// An MPDU that is alone in its PPDU is answered by an ACK, an A-MPDU by a Block Ack. The field has one code for
    /// both.
    NormalOrImplicitBar,
    /// Nobody answers: frames for everyone.
    NoAck,
    /// The receiver waits for a Block Ack request.
    BlockAck,
}

impl AckPolicy {
    fn code(self) -> u16 {
        match self {
            AckPolicy::NormalOrImplicitBar => 0,
            AckPolicy::NoAck => 1,
            AckPolicy::BlockAck => 3,
        }
    }
}

/// What the QoS Control field says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QosControl {
    /// Traffic identifier, 0 to 15; user priorities are 0 to 7.
    pub tid: u8,
    /// How the receiver answers.
    pub ack: AckPolicy,
    /// The body is an A-MSDU.
    pub amsdu: bool,
}

impl QosControl {
    pub(crate) fn octets(self) -> [u8; QOS_BYTES] {
        let amsdu = if self.amsdu { AMSDU } else { 0 };
        (u16::from(self.tid) & TID | self.ack.code() << ACK_POLICY_AT | amsdu).to_le_bytes()
    }

    pub(super) fn read(octets: [u8; QOS_BYTES]) -> Result<Self, Malformed> {
        let field = u16::from_le_bytes(octets);
        let refused = Malformed::field("802.11 QoS Control", field, "TID, ack policy 0, 1 or 3, A-MSDU present");
        if field & !(TID | 3 << ACK_POLICY_AT | AMSDU) != 0 {
            return Err(refused);
        }
        let ack = match field >> ACK_POLICY_AT & 3 {
            0 => AckPolicy::NormalOrImplicitBar,
            1 => AckPolicy::NoAck,
            3 => AckPolicy::BlockAck,
            _ => return Err(refused),
        };
        Ok(QosControl { tid: (field & TID) as u8, ack, amsdu: field & AMSDU != 0 })
    }
}
