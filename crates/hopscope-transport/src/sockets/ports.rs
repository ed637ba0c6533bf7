//! Ports of flows. Those that a flow does not name are assigned: at its source the lowest free one from
//! [`FIRST_DYNAMIC`] on, at its destination from 5001 on, for each protocol and node apart and in the order of the
//! flows.

use std::collections::BTreeMap;

use super::Protocol;
use crate::config::FlowConfig;
use hopscope_core::error::BuildError;

/// First port given to a source (RFC 6335 6, dynamic ports).
pub const FIRST_DYNAMIC: u16 = 49_152;
/// First port given to a destination (a default).
const FIRST_SERVICE: u16 = 5_001;
/// Beyond the last port.
const NO_PORT: u32 = 65_536;

/// Who asks for a port: node, protocol, port, and the flow that has it.
type Taken = BTreeMap<(u32, Protocol, u16), usize>;

/// What is wrong with the ports that flows ask for: one that is none, or in use twice at one node and protocol, or that
/// a node has none left.
pub fn check_ports(flows: &[FlowConfig]) -> Vec<BuildError> {
    ports(flows).1
}

/// The ports that flows ask for, and what is wrong with them.
fn given_ports(flows: &[FlowConfig]) -> (Taken, Vec<BuildError>) {
    let mut taken = Taken::new();
    let mut wrong = Vec::new();
    for (number, flow) in flows.iter().enumerate() {
        let protocol = Protocol::used_by(flow.transport);
        for (name, node, port) in [("from_port", flow.from, flow.from_port), ("to_port", flow.to, flow.to_port)] {
            let Some(given) = port else { continue };
            let mut refuse = |message| wrong.push(BuildError::new(format!("flows.{number}.{name}"), message));
            match u16::try_from(given) {
                Ok(0) | Err(_) => refuse(format!("found {given}; allowed are 1 to 65535")),
                Ok(port) => {
                    if let Some(other) = taken.insert((node, protocol, port), number) {
                        let protocol = protocol.name();
                        refuse(format!("found {port}; flow {other} uses this {protocol} port of node {node} already"));
                    }
                }
            }
        }
    }
    (taken, wrong)
}

/// The ports of every flow, at its source and at its destination.
///
/// # Errors
/// The first of what [`check_ports`] reports.
pub fn assign_ports(flows: &[FlowConfig]) -> Result<Vec<[u16; 2]>, BuildError> {
    let (assigned, wrong) = ports(flows);
    wrong.into_iter().next().map_or(Ok(assigned), Err)
}

/// The ports of every flow, and what is wrong with them.
fn ports(flows: &[FlowConfig]) -> (Vec<[u16; 2]>, Vec<BuildError>) {
    // All that are asked for first: a port that a later flow names is not given to an earlier one.
    let (mut taken, mut wrong) = given_ports(flows);
    // Where the search for a free port goes on: ports are never given back, so what was passed stays taken.
    let mut next: BTreeMap<(u32, Protocol, u16), u32> = BTreeMap::new();
    let mut assigned = Vec::with_capacity(flows.len());
    for (number, flow) in flows.iter().enumerate() {
        let protocol = Protocol::used_by(flow.transport);
        let mut free = |name: &str, node: u32, given: Option<u32>, first: u16| {
            // One that cannot be is reported by now; what is cut off here is not used.
            if let Some(port) = given {
                return port as u16;
            }
            let next = next.entry((node, protocol, first)).or_insert(u32::from(first));
            while let Ok(port) = u16::try_from(*next) {
                *next += 1;
                if let std::collections::btree_map::Entry::Vacant(entry) = taken.entry((node, protocol, port)) {
                    entry.insert(number);
                    return port;
                }
            }
            if *next == NO_PORT {
                // Reported once of a node: the flows after this one have the same cause.
                *next += 1;
                let message = format!("node {node} has no port left for it, from {first} on");
                wrong.push(BuildError::new(format!("flows.{number}.{name}"), message));
            }
            0
        };
        let from = free("from_port", flow.from, flow.from_port, FIRST_DYNAMIC);
        let to = free("to_port", flow.to, flow.to_port, FIRST_SERVICE);
        assigned.push([from, to]);
    }
    (assigned, wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{App, Transport};

    fn flow(from: u32, to: u32, transport: Transport, ports: [Option<u32>; 2]) -> FlowConfig {
        FlowConfig { from_port: ports[0], to_port: ports[1], ..FlowConfig::new(from, to, transport, App::Bulk) }
    }

    #[test]
    fn ports_are_assigned_around_those_given() {
        let flows = [
            flow(0, 1, Transport::Tcp, [None, None]),
            flow(0, 1, Transport::Tcp, [Some(49_153), None]),
            flow(0, 1, Transport::TcpCubic, [None, Some(80)]),
            flow(0, 1, Transport::Udp, [None, None]),
            flow(1, 0, Transport::Tcp, [None, None]),
        ];
        let found = assign_ports(&flows).expect("ports enough");
        assert_eq!(found, [[49_152, 5_001], [49_153, 5_002], [49_154, 80], [49_152, 5_001], [49_152, 5_001]]);
    }

    #[test]
    fn every_port_that_cannot_be_is_reported_and_a_node_without_one_once() {
        let mut flows = vec![flow(0, 1, Transport::Udp, [Some(0), Some(70_000)])];
        let sources = u32::from(u16::MAX - FIRST_DYNAMIC) + 1;
        flows.extend((0..sources + 3).map(|n| flow(2, 3, Transport::Udp, [None, Some(1 + n)])));
        flows.push(flow(4, 3, Transport::Udp, [None, Some(7)]));
        let reported: Vec<String> = check_ports(&flows).into_iter().map(|error| error.key).collect();
        let expected = [
            "flows.0.from_port".to_string(),
            "flows.0.to_port".to_string(),
            format!("flows.{}.to_port", sources + 4),
            format!("flows.{}.from_port", sources + 1),
        ];
        assert_eq!(reported, expected);
    }

    #[test]
    fn a_port_in_use_twice_is_refused_by_name() {
        let refused = |flows: &[FlowConfig]| assign_ports(flows).expect_err("refused").to_string();
        let twice = |tcp| [flow(0, 1, Transport::Tcp, [None, Some(80)]), flow(2, 1, tcp, [None, Some(80)])];
        let error = refused(&twice(Transport::TcpVegas));
        assert!(error.contains("flows.1.to_port") && error.contains("flow 0 uses this TCP port of node 1"), "{error}");
        assert!(assign_ports(&twice(Transport::Udp)).is_ok(), "another protocol");
        // The two ends of different flows share the ports of a node.
        let error =
            refused(&[flow(0, 1, Transport::Tcp, [Some(7), None]), flow(1, 0, Transport::Tcp, [None, Some(7)])]);
        assert!(error.contains("flows.1.to_port"), "{error}");
        for port in [0, 65_536] {
            let error = refused(&[flow(0, 1, Transport::Tcp, [Some(port), None])]);
            assert!(error.contains("flows.0.from_port") && error.contains("1 to 65535"), "{error}");
        }
        let many: Vec<_> = (0..16_385).map(|_| flow(0, 1, Transport::Udp, [None, None])).collect();
        let error = refused(&many);
        assert!(error.contains("flows.16384.from_port") && error.contains("no port left"), "{error}");
    }
}
