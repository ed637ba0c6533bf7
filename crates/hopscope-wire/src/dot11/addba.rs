//! ADDBA request and response behind the header of their Action frame (IEEE 802.11-2020 9.4.1.13, 9.6.4.2 and 9.6.4.3).
//!
//! ```text
//!  request   category 1, action 1, dialog token 1, Block Ack parameters 2, timeout 2, starting sequence control 2
//!  response  category 1, action 1, dialog token 1, status 2, Block Ack parameters 2, timeout 2
//! ```

use crate::octets::{Malformed, take};

/// Category of Block Ack Action frames (table 9-51).
const BLOCK_ACK: u8 = 3;
/// Block Ack actions (table 9-366).
const REQUEST: u8 = 0;
const RESPONSE: u8 = 1;

/// Block Ack parameters: A-MSDUs are permitted, and the agreement is immediate.
const AMSDU: u16 = 1;
const IMMEDIATE: u16 = 2;
const TID_AT: u32 = 2;
const SIZE_AT: u32 = 6;
/// Most MPDUs that the Buffer Size field holds.
pub const MOST_MPDUS: u16 = (1 << (16 - SIZE_AT)) - 1;

/// What an ADDBA request or response says. The agreement has no timeout, and a response accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddbaFields {
    /// Dialog token.
    pub token: u8,
    /// A-MSDUs are permitted.
    pub amsdu: bool,
    /// Traffic identifier, 0 to 15.
    pub tid: u8,
    /// Buffer size, MPDUs.
    pub size: u16,
    /// Starting sequence number, 0 to 4095, of a request; none of a response.
    pub ssn: Option<u16>,
}

impl AddbaFields {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let amsdu = if self.amsdu { AMSDU } else { 0 };
        let size = self.size.min(MOST_MPDUS) << SIZE_AT;
        let parameters = (amsdu | IMMEDIATE | u16::from(self.tid) << TID_AT | size).to_le_bytes();
        let (success, no_timeout) = ([0, 0], [0, 0]);
        match self.ssn {
            Some(ssn) => {
                out.extend_from_slice(&[BLOCK_ACK, REQUEST, self.token]);
                for field in [parameters, no_timeout, (ssn << 4).to_le_bytes()] {
                    out.extend_from_slice(&field);
                }
            }
            None => {
                out.extend_from_slice(&[BLOCK_ACK, RESPONSE, self.token]);
                for field in [success, parameters, no_timeout] {
                    out.extend_from_slice(&field);
                }
            }
        }
    }

    /// Takes the fields off the front of `octets`.
    pub(super) fn take(octets: &mut &[u8]) -> Result<Self, Malformed> {
        const WHAT: &str = "802.11 ADDBA frame";
        let [category, action, token] = take(WHAT, octets)?;
        if category != BLOCK_ACK {
            return Err(Malformed::field("802.11 category of an Action frame", category, "3, Block Ack"));
        }
        if action > RESPONSE {
            return Err(Malformed::field("802.11 Block Ack action", action, "0 and 1, ADDBA request and response"));
        }
        let mut next = || take(WHAT, octets).map(u16::from_le_bytes);
        let status = if action == RESPONSE { next()? } else { 0 };
        let (parameters, timeout) = (next()?, next()?);
        let start = if action == REQUEST { Some(next()?) } else { None };
        if status != 0 || timeout != 0 {
            return Err(Malformed::field("802.11 ADDBA status or timeout", status.max(timeout), "0"));
        }
        if parameters & IMMEDIATE == 0 {
            return Err(Malformed::field("802.11 Block Ack parameters", parameters, "those of an immediate Block Ack"));
        }
        if let Some(fragment) = start.map(|start| start & 15).filter(|fragment| *fragment != 0) {
            return Err(Malformed::field("802.11 fragment number of an ADDBA request", fragment, "0"));
        }
        Ok(AddbaFields {
            token,
            amsdu: parameters & AMSDU != 0,
            tid: (parameters >> TID_AT & 15) as u8,
            size: parameters >> SIZE_AT,
            ssn: start.map(|start| start >> 4),
        })
    }
}
