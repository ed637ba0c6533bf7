//! What became of every frame that real stacks have sent: came out, was lost for a reason, or is under way.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};

/// The books. What came in is what came out, what was lost and what is under way.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Books {
    /// Frames that came in from devices.
    #[serde(rename = "in")]
    entered: u64,
    /// Frames that came out: delivered, or for all and sent.
    out: u64,
    /// Frames written to devices; one for all may have several receivers, or none.
    delivered: u64,
    /// Frames lost, by reason: those of the engine, and those of [`reason`].
    lost: BTreeMap<&'static str, u64>,
    /// Numbers of frames that are neither out nor lost.
    #[serde(rename = "under_way", serialize_with = "counted")]
    open: BTreeSet<u64>,
    /// Frames to addresses of no node, by address; `others` behind the first of them.
    unknown_destination: BTreeMap<String, u64>,
}

/// How many there are.
fn counted<S: Serializer>(open: &BTreeSet<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(open.len() as u64)
}

/// Reasons of losses outside the engine.
pub mod reason {
    /// The address is that of no node.
    pub const UNKNOWN_DESTINATION: &str = "unknown-destination";
    /// The node has sent it to itself.
    pub const TO_ITSELF: &str = "to-itself";
    /// It is longer than the MAC takes.
    pub const TOO_LONG: &str = "too-long";
    /// It has no EtherType, or nothing behind it.
    pub const NOT_CARRIED: &str = "not-carried";
    /// It came to a node that has no device.
    pub const NO_DEVICE: &str = "no-device";
    /// The device of its receiver did not take it: it was down, or its queue full.
    pub const DEVICE_REFUSED: &str = "device-refused";
}

/// Addresses kept by name.
const NAMED: usize = 64;

impl Books {
    /// A frame has come in and is under way with a number.
    pub(crate) fn enter(&mut self, number: u64) {
        self.entered += 1;
        self.open.insert(number);
    }

    /// A frame has come in and goes no further.
    pub(crate) fn refuse(&mut self, reason: &'static str) {
        self.entered += 1;
        *self.lost.entry(reason).or_default() += 1;
    }

    /// The same for one to an address of no node.
    pub(crate) fn refuse_unknown(&mut self, address: String) {
        self.refuse(reason::UNKNOWN_DESTINATION);
        let is_named = self.unknown_destination.len() < NAMED || self.unknown_destination.contains_key(&address);
        let name = if is_named { address } else { "others".to_string() };
        *self.unknown_destination.entry(name).or_default() += 1;
    }

    /// A frame has come to its end.
    pub(crate) fn leave(&mut self, number: u64) {
        // The transmitter that missed the ACK may have more to say of it.
        if self.open.remove(&number) {
            self.out += 1;
        }
    }

    /// A frame was lost; of one that has come out this says only that its ACK was missed.
    pub(crate) fn lose(&mut self, number: u64, reason: &'static str) {
        if self.open.remove(&number) {
            *self.lost.entry(reason).or_default() += 1;
        }
    }

    /// A device has taken a frame.
    pub(crate) fn deliver(&mut self) {
        self.delivered += 1;
    }

    /// Frames that came in.
    pub fn entered(&self) -> u64 {
        self.entered
    }

    /// Frames that came out.
    pub fn out(&self) -> u64 {
        self.out
    }

    /// Frames written to devices.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Frames that are neither out nor lost.
    pub fn under_way(&self) -> u64 {
        self.open.len() as u64
    }

    /// Frames lost for a reason.
    pub fn lost(&self, reason: &str) -> u64 {
        self.lost.get(reason).copied().unwrap_or_default()
    }

    /// Frames lost for any reason.
    pub fn all_lost(&self) -> u64 {
        self.lost.values().sum()
    }
}
