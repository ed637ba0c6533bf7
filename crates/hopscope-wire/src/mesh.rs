//! Frames of a mesh as octets (IEEE 802.11-2020 9.2.4.8.3, 9.3.2.1, 9.3.3, 9.4.2, 9.6): data with four addresses and Mesh
//! Control, beacons, peering frames, and path selection by HWMP.
//!
//! ```text
//!  data        frame control 2, Duration 2, RA 6, TA 6, mesh DA 6, sequence control 2, mesh SA 6, QoS Control 2,
//!              Mesh Control: flags 1, TTL 1, sequence number 4
//!  management  frame control 2, Duration 2, RA 6, TA 6, TA 6, sequence control 2, body
//! ```
//!
//! They are written alone: nothing of the engine reads them.

use hopscope_core::ids::NodeId;
use hopscope_packet::hwmp::{
    Beacon, HwmpMessage, MESH_ID, Peering, PeeringAction, Perr, Prep, Preq, RATES, Rann, Target, Unreachable,
};

use crate::address;
use crate::dot11::{MOST_DURATION, Mac};

/// What the header of a data frame says of its way through the mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeshData {
    /// The station that it comes from.
    pub source: NodeId,
    /// The station that it is for.
    pub destination: NodeId,
    /// Hops that it may still travel.
    pub ttl: u8,
    /// Its number in the mesh.
    pub seq: u32,
}

const RETRY: u8 = 0x08;
/// To DS and From DS: the frame has four addresses.
const BETWEEN_STATIONS: u8 = 0x03;
const QOS_DATA: u8 = 0x88;
const BEACON: u8 = 0x80;
const ACTION: u8 = 0xD0;
/// Mesh Control Present, a bit of QoS Control.
const MESH_CONTROL: u8 = 0x01;

/// Writes the header of a data frame up to its LLC header.
pub fn write_data_head(mac: &Mac<'_>, mesh: MeshData, out: &mut Vec<u8>) {
    write_addresses(mac, [QOS_DATA, BETWEEN_STATIONS], mesh.destination, out);
    out.extend_from_slice(&address::mac(mesh.source));
    let [low, high] = mac.qos.map_or([0; 2], |qos| qos.octets());
    out.extend_from_slice(&[low, high | MESH_CONTROL, 0, mesh.ttl]);
    out.extend_from_slice(&mesh.seq.to_le_bytes());
}

/// Writes a management frame up to its check sequence.
pub fn write_management(mac: &Mac<'_>, message: &HwmpMessage, out: &mut Vec<u8>) {
    let first = if matches!(message, HwmpMessage::Beacon(_)) { BEACON } else { ACTION };
    write_addresses(mac, [first, 0], mac.from.unwrap_or(mac.to), out);
    match message {
        HwmpMessage::Beacon(beacon) => write_beacon(beacon, out),
        HwmpMessage::Peering(peering) => write_peering(peering, out),
        HwmpMessage::Preq(preq) => write_path(130, out, |out| write_preq(preq, out)),
        HwmpMessage::Prep(prep) => write_path(131, out, |out| write_prep(prep, out)),
        HwmpMessage::Perr(perr) => write_path(132, out, |out| write_perr(perr, out)),
        HwmpMessage::Rann(rann) => write_path(126, out, |out| write_rann(rann, out)),
    }
}

fn write_addresses(mac: &Mac<'_>, [first, flags]: [u8; 2], third: NodeId, out: &mut Vec<u8>) {
    let [low, high] = mac.duration.min(MOST_DURATION).to_le_bytes();
    out.extend_from_slice(&[first, flags | if mac.retry { RETRY } else { 0 }, low, high]);
    for node in [mac.to, mac.from.unwrap_or(mac.to), third] {
        out.extend_from_slice(&address::mac(node));
    }
    out.extend_from_slice(&(mac.seq << 4).to_le_bytes());
}

/// Writes an element: its identifier, its length, and what it says.
fn element(id: u8, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[id, 0]);
    write(out);
    out[start + 1] = (out.len() - start - 2) as u8;
}

/// Elements of beacons and peering frames: rates, Mesh ID, Mesh Configuration (9.4.2.3, 9.4.2.98, 9.4.2.97).
fn write_about(peerings: u8, out: &mut Vec<u8>) {
    element(1, out, |out| out.extend_from_slice(&RATES));
    write_mesh_id(out);
    // HWMP, airtime, no congestion control, neighbour offset synchronization, no authentication; then how many peerings
    // there are, and that more are taken and that data is forwarded.
    element(113, out, |out| out.extend_from_slice(&[1, 1, 0, 1, 0, peerings << 1, 0x09]));
}

fn write_mesh_id(out: &mut Vec<u8>) {
    element(114, out, |out| out.extend_from_slice(MESH_ID));
}

fn write_beacon(beacon: &Beacon, out: &mut Vec<u8>) {
    out.extend_from_slice(&beacon.timestamp.to_le_bytes());
    out.extend_from_slice(&beacon.interval.to_le_bytes());
    // No capability of those of infrastructure networks.
    out.extend_from_slice(&[0, 0]);
    // The SSID of a mesh is empty.
    element(0, out, |_| {});
    write_about(beacon.peerings, out);
}

fn write_peering(peering: &Peering, out: &mut Vec<u8>) {
    let action = match peering.action {
        PeeringAction::Open => 1,
        PeeringAction::Confirm => 2,
        PeeringAction::Close => 3,
    };
    // Self-protected (9.6.16), then Capability Information; of a Confirm, the association identifier.
    out.extend_from_slice(&[15, action]);
    match peering.action {
        PeeringAction::Open => out.extend_from_slice(&[0, 0]),
        PeeringAction::Confirm => out.extend_from_slice(&[0, 0, 1, 0xC0]),
        PeeringAction::Close => {}
    }
    if peering.action == PeeringAction::Close {
        write_mesh_id(out);
    } else {
        write_about(0, out);
    }
    element(117, out, |out| {
        // Protocol 0: peering without security.
        out.extend_from_slice(&[0, 0]);
        out.extend_from_slice(&peering.local.to_le_bytes());
        if let Some(peer) = peering.peer {
            out.extend_from_slice(&peer.to_le_bytes());
        }
        if peering.action == PeeringAction::Close {
            out.extend_from_slice(&peering.reason.to_le_bytes());
        }
    });
}

/// Writes a frame of path selection: category Mesh, action HWMP, and one element (9.6.17.3).
fn write_path(id: u8, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(&[13, 1]);
    element(id, out, write);
}

fn write_preq(preq: &Preq, out: &mut Vec<u8>) {
    let flags = u8::from(preq.individual) << 1 | u8::from(preq.proactive_prep) << 2;
    out.extend_from_slice(&[flags, preq.hops, preq.ttl]);
    out.extend_from_slice(&preq.id.to_le_bytes());
    write_node(preq.originator, preq.originator_seq, out);
    out.extend_from_slice(&preq.lifetime.to_le_bytes());
    out.extend_from_slice(&preq.metric.to_le_bytes());
    out.push(preq.targets.len() as u8);
    for &Target { node, only, seq } in &preq.targets {
        out.push(u8::from(only) | u8::from(seq.is_none()) << 2);
        write_node(node, seq.unwrap_or(0), out);
    }
}

fn write_prep(prep: &Prep, out: &mut Vec<u8>) {
    out.extend_from_slice(&[0, prep.hops, prep.ttl]);
    write_node(prep.target, prep.target_seq, out);
    out.extend_from_slice(&prep.lifetime.to_le_bytes());
    out.extend_from_slice(&prep.metric.to_le_bytes());
    write_node(prep.originator, prep.originator_seq, out);
}

fn write_perr(perr: &Perr, out: &mut Vec<u8>) {
    out.extend_from_slice(&[perr.ttl, perr.destinations.len() as u8]);
    for &Unreachable { node, seq, is_broken } in &perr.destinations {
        out.push(0);
        write_node(node, seq, out);
        // Reason codes of table 9-49: the destination is not reachable, or no path is known.
        out.extend_from_slice(&(if is_broken { 63u16 } else { 62 }).to_le_bytes());
    }
}

fn write_rann(rann: &Rann, out: &mut Vec<u8>) {
    out.extend_from_slice(&[0, rann.hops, rann.ttl]);
    write_node(rann.root, rann.seq, out);
    out.extend_from_slice(&rann.interval.to_le_bytes());
    out.extend_from_slice(&rann.metric.to_le_bytes());
}

/// Writes the address of a station and its sequence number.
fn write_node(node: NodeId, seq: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&address::mac(node));
    out.extend_from_slice(&seq.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dot11::{AckPolicy, QosControl};
    use hopscope_mac::dcf::FrameKind;

    const MAC: Mac<'static> = Mac {
        kind: FrameKind::Data,
        retry: false,
        more: false,
        duration: 44,
        to: NodeId(2),
        from: Some(NodeId(1)),
        seq: 0x123,
        frag: 0,
        qos: Some(QosControl { tid: 0, ack: AckPolicy::NormalOrImplicitBar, amsdu: false }),
        block_ack: None,
        addba: None,
        body: &[],
    };

    fn frame(message: &HwmpMessage) -> Vec<u8> {
        let mut out = Vec::new();
        write_management(&MAC, message, &mut out);
        out
    }

    #[test]
    fn data_has_four_addresses_and_mesh_control() {
        let mut out = Vec::new();
        let mesh = MeshData { source: NodeId(0), destination: NodeId(3), ttl: 31, seq: 0x0403_0201 };
        write_data_head(&MAC, mesh, &mut out);
        let node = |n| [2, 0, 0, 0, 0, n];
        assert_eq!(out[..4], [0x88, 0x03, 44, 0]);
        assert_eq!(out[4..22], [node(2), node(1), node(3)].concat());
        assert_eq!(out[22..24], [0x30, 0x12]);
        assert_eq!(out[24..30], node(0));
        assert_eq!(out[30..], [0, 1, 0, 31, 1, 2, 3, 4]);
        // 26 octets of QoS data, a fourth address and Mesh Control.
        assert_eq!(out.len(), 26 + 6 + 6);
    }

    #[test]
    fn frames_weigh_what_they_say() {
        let target = |node, seq| Target { node: NodeId(node), only: true, seq };
        let preq = Preq {
            individual: false,
            proactive_prep: true,
            hops: 1,
            ttl: 30,
            id: 7,
            originator: NodeId(0),
            originator_seq: 9,
            lifetime: 5000,
            metric: 43,
            targets: vec![target(3, None), target(4, Some(2))],
        };
        let (originator, originator_seq) = (NodeId(0), 9);
        let prep = Prep {
            hops: 0,
            ttl: 31,
            target: NodeId(3),
            target_seq: 1,
            lifetime: 5000,
            metric: 0,
            originator,
            originator_seq,
        };
        let destinations = vec![Unreachable { node: NodeId(3), seq: 2, is_broken: true }];
        let open = Peering { action: PeeringAction::Open, local: 1, peer: None, reason: 0 };
        let messages = [
            HwmpMessage::Beacon(Beacon { interval: 1000, timestamp: 5, peerings: 2 }),
            HwmpMessage::Peering(open),
            HwmpMessage::Peering(Peering { action: PeeringAction::Confirm, peer: Some(3), ..open }),
            HwmpMessage::Peering(Peering { action: PeeringAction::Close, peer: Some(3), reason: 52, ..open }),
            HwmpMessage::Preq(preq.into()),
            HwmpMessage::Prep(prep),
            HwmpMessage::Perr(Perr { ttl: 31, destinations }.into()),
            HwmpMessage::Rann(Rann { hops: 0, ttl: 31, root: NodeId(0), seq: 1, interval: 2000, metric: 0 }),
        ];
        for message in &messages {
            assert_eq!(frame(message).len() as u32, 24 + message.bytes(), "{message:?}");
        }
        let octets = frame(&messages[4]);
        assert_eq!(octets[..2], [0xD0, 0]);
        // Category Mesh, action HWMP, PREQ of 48 octets: proactive PREP, one hop, 30 more, number 7.
        assert_eq!(octets[24..35], [13, 1, 130, 48, 4, 1, 30, 7, 0, 0, 0]);
        // The second target is the last 11 octets, the first has no known number.
        assert_eq!(octets[octets.len() - 22], 5);
        assert_eq!(octets[octets.len() - 11..], [1, 2, 0, 0, 0, 0, 4, 2, 0, 0, 0]);
    }
}
