//! Management frames of a mesh (IEEE 802.11-2020 9.3.3, 9.4.2, 9.6): beacons, mesh peering, and path selection by HWMP.
//!
//! Their sizes are those of the bodies of the frames: behind the MAC header, which is that of management frames, and in front
//! of the FCS.

use std::sync::Arc;

use hopscope_core::ids::NodeId;

/// What the header of a data frame grows by in a mesh: fourth address and Mesh Control (9.3.2.1, 9.2.4.8.3).
pub const MESH_DATA: u32 = 6 + 6;
/// Most targets of a PREQ (9.4.2.112).
pub const MOST_TARGETS: usize = 20;
/// Most destinations of a PERR (9.4.2.114).
pub const MOST_DESTINATIONS: usize = 19;
/// The metric of a link that carries nothing.
pub const NO_METRIC: u32 = u32::MAX;
/// The name of the mesh, which stands in beacons and peering frames.
pub const MESH_ID: &[u8; 8] = b"hopscope";
/// The rates that beacons and peering frames name, in units of 500 kbit/s.
pub const RATES: [u8; 8] = [0x8C, 0x12, 0x98, 0x24, 0xB0, 0x48, 0x60, 0x6C];

/// A management frame of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum HwmpMessage {
    /// A station is there.
    Beacon(Beacon),
    /// Mesh peering (14.3).
    Peering(Peering),
    /// Path request.
    Preq(Arc<Preq>),
    /// Path reply.
    Prep(Prep),
    /// Path error.
    Perr(Arc<Perr>),
    /// Root announcement.
    Rann(Rann),
}

/// A beacon of a mesh station (9.3.3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beacon {
    /// Time to the next one, TU of 1024 us.
    pub interval: u16,
    /// Its Timestamp: microseconds since the start of the run.
    pub timestamp: u64,
    /// Peerings that stand.
    pub peerings: u8,
}

/// What a peering frame asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeeringAction {
    /// A peering is asked for.
    Open,
    /// One that was asked for is accepted.
    Confirm,
    /// A peering ends, or none begins.
    Close,
}

/// A peering frame (9.6.16).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peering {
    /// What it asks.
    pub action: PeeringAction,
    /// The sender's number of the link.
    pub local: u16,
    /// The receiver's number of the link, as far as the sender knows it.
    pub peer: Option<u16>,
    /// Why, of a Close: a reason code (table 9-49).
    pub reason: u16,
}

/// Path request (9.4.2.112).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preq {
    /// It goes to one neighbour, not to all.
    pub individual: bool,
    /// Everybody answers a root's request.
    pub proactive_prep: bool,
    /// Hops travelled before this transmission.
    pub hops: u8,
    /// Hops that it may still travel, the next one included.
    pub ttl: u8,
    /// Its number among those of its originator.
    pub id: u32,
    /// Who searches.
    pub originator: NodeId,
    /// Its sequence number.
    pub originator_seq: u32,
    /// How long a path to the originator holds, TU.
    pub lifetime: u32,
    /// Metric of the way from the originator.
    pub metric: u32,
    /// Whom it searches.
    pub targets: Vec<Target>,
}

/// A target of a path request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The node; all of a root's request.
    pub node: NodeId,
    /// Nobody else answers (Target Only).
    pub only: bool,
    /// Its last known sequence number.
    pub seq: Option<u32>,
}

/// Path reply (9.4.2.113).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prep {
    /// Hops travelled before this transmission.
    pub hops: u8,
    /// Hops that it may still travel, the next one included.
    pub ttl: u8,
    /// To whom it shows a path.
    pub target: NodeId,
    /// Its sequence number.
    pub target_seq: u32,
    /// How long the path holds, TU.
    pub lifetime: u32,
    /// Metric of the way from the target.
    pub metric: u32,
    /// Who has asked.
    pub originator: NodeId,
    /// Its sequence number.
    pub originator_seq: u32,
}

/// Path error (9.4.2.114).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Perr {
    /// Hops that it may still travel, the next one included.
    pub ttl: u8,
    /// Whom its sender does not reach any more.
    pub destinations: Vec<Unreachable>,
}

/// A destination of a path error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreachable {
    /// The node.
    pub node: NodeId,
    /// Its sequence number, which makes older paths invalid.
    pub seq: u32,
    /// The link to the next hop is gone; otherwise no path was known.
    pub is_broken: bool,
}

/// Root announcement (9.4.2.111).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rann {
    /// Hops travelled before this transmission.
    pub hops: u8,
    /// Hops that it may still travel, the next one included.
    pub ttl: u8,
    /// The root.
    pub root: NodeId,
    /// Its sequence number.
    pub seq: u32,
    /// Time to the next one, TU.
    pub interval: u32,
    /// Metric of the way from the root.
    pub metric: u32,
}

impl HwmpMessage {
    /// Bytes of the body of its frame.
    pub fn bytes(&self) -> u32 {
        match self {
            // Timestamp 8, Beacon Interval 2, Capability 2; SSID (empty), rates, Mesh ID, Mesh Configuration.
            HwmpMessage::Beacon(_) => 12 + 2 + ABOUT,
            HwmpMessage::Peering(peering) => {
                // Category, action, then what `Peering Management` says with its protocol and the numbers of the link.
                let peer = if peering.peer.is_some() { 2 } else { 0 };
                let element = 2 + 2 + 2 + peer;
                match peering.action {
                    PeeringAction::Open => 2 + 2 + ABOUT + element,
                    PeeringAction::Confirm => 2 + 2 + 2 + ABOUT + element,
                    PeeringAction::Close => 2 + MESH_ID_ELEMENT + element + 2,
                }
            }
            // Category and action, then the element with its head.
            HwmpMessage::Preq(preq) => 2 + 2 + 26 + 11 * preq.targets.len() as u32,
            HwmpMessage::Prep(_) => 2 + 2 + 31,
            HwmpMessage::Perr(perr) => 2 + 2 + 2 + 13 * perr.destinations.len() as u32,
            HwmpMessage::Rann(_) => 2 + 2 + 21,
        }
    }

    /// Name of the kind in results.
    pub fn kind(&self) -> &'static str {
        match self {
            HwmpMessage::Beacon(_) => "beacon",
            HwmpMessage::Peering(peering) => match peering.action {
                PeeringAction::Open => "open",
                PeeringAction::Confirm => "confirm",
                PeeringAction::Close => "close",
            },
            HwmpMessage::Preq(_) => "preq",
            HwmpMessage::Prep(_) => "prep",
            HwmpMessage::Perr(_) => "perr",
            HwmpMessage::Rann(_) => "rann",
        }
    }
}

const MESH_ID_ELEMENT: u32 = 2 + MESH_ID.len() as u32;
/// Supported rates, Mesh ID and Mesh Configuration.
const ABOUT: u32 = 2 + RATES.len() as u32 + MESH_ID_ELEMENT + 2 + 7;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_the_sizes_of_the_standard() {
        let target = |node| Target { node: NodeId(node), only: false, seq: None };
        let preq = |targets: u32| {
            let targets = (0..targets).map(target).collect();
            let preq = Preq {
                individual: false,
                proactive_prep: false,
                hops: 0,
                ttl: 31,
                id: 1,
                originator: NodeId(0),
                originator_seq: 1,
                lifetime: 5000,
                metric: 0,
                targets,
            };
            HwmpMessage::Preq(preq.into()).bytes()
        };
        assert_eq!((preq(1), preq(2)), (4 + 37, 4 + 48));
        let perr = |count: u32| {
            let one = |node| Unreachable { node: NodeId(node), seq: 1, is_broken: true };
            HwmpMessage::Perr(Perr { ttl: 31, destinations: (0..count).map(one).collect() }.into()).bytes()
        };
        assert_eq!((perr(1), perr(3)), (4 + 15, 4 + 41));
        let open = Peering { action: PeeringAction::Open, local: 1, peer: None, reason: 0 };
        let size = |peering| HwmpMessage::Peering(peering).bytes();
        assert_eq!(size(open), 4 + 10 + 10 + 9 + 6);
        assert_eq!(size(Peering { action: PeeringAction::Confirm, peer: Some(2), ..open }), 6 + 29 + 8);
        assert_eq!(size(Peering { action: PeeringAction::Close, peer: Some(2), ..open }), 2 + 10 + 10);
        let beacon = Beacon { interval: 1000, timestamp: 0, peerings: 0 };
        assert_eq!(HwmpMessage::Beacon(beacon).bytes(), 12 + 2 + 10 + 10 + 9);
    }

    #[test]
    fn one_element_holds_no_more() {
        assert_eq!(((255 - 26) / 11, (255 - 2) / 13), (MOST_TARGETS, MOST_DESTINATIONS));
    }
}
