//! Headers of DSR as octets (RFC 4728 6). They follow the IP header directly, and in front of data they hold its source route.
//!
//! ```text
//!  fixed         next header 1, flow state and reserved 1, length of the options 2, then options
//!  route request type 1, length 1, id 2, target 4, addresses 4 each: the nodes behind the initiator
//!  route reply   type 2, length 1, L and reserved 1, addresses 4 each: the route behind the initiator
//!  route error   type 3, length 1, kind 1, salvage 1, source 4, destination 4, unreachable node 4
//!  source route  type 96, length 1, F L reserved salvage segments left 2, addresses 4 each: the nodes between the ends
//! ```
//! What a message says about its ends stands in the IP header: the initiator of a request is its source.

use std::sync::Arc;

use hopscope_core::ids::NodeId;
use hopscope_packet::dsr::{BrokenLink, DsrMessage, RouteError, RouteReply, RouteRequest, SourceRoute};

use crate::address;
use crate::octets::{Malformed, split, take, take16};

/// Next header of what ends with the options (RFC 4728 6.1, the number of IPv6).
pub const NOTHING: u8 = 59;

const REQUEST: u8 = 1;
const REPLY: u8 = 2;
const ERROR: u8 = 3;
const ROUTE: u8 = 96;
const PAD_N: u8 = 0;
const PAD_1: u8 = 224;
/// Error kind NODE_UNREACHABLE.
const UNREACHABLE: u8 = 1;
const WHAT: &str = "DSR";

/// A header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dsr {
    /// Number of the protocol behind it, or [`NOTHING`].
    pub next: u8,
    /// Its options.
    pub options: Vec<DsrOption>,
}

/// An option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DsrOption {
    /// Route request.
    Request {
        /// Number.
        id: u16,
        /// Node searched.
        target: NodeId,
        /// Nodes that repeated it.
        through: Vec<NodeId>,
    },
    /// Route reply: the route behind its initiator.
    Reply(Vec<NodeId>),
    /// Route error.
    Error {
        /// The link.
        link: BrokenLink,
        /// Node to be notified.
        to: NodeId,
    },
    /// Source route.
    Route {
        /// How often the packet was salvaged.
        salvage: u8,
        /// Nodes of the list that are still to be visited.
        left: u8,
        /// Nodes between the ends; once salvaged, beginning with the node that did it.
        through: Vec<NodeId>,
    },
}

impl Dsr {
    /// The header of a message that `sender` sends, and source and destination of its packet.
    pub fn of_message(message: &DsrMessage, sender: NodeId) -> (Dsr, (NodeId, NodeId)) {
        let (options, ends) = match message {
            DsrMessage::RouteRequest(RouteRequest { id, target, path, error }) => {
                // The initiator is the source of the IP packet, and does not stand in the list.
                let request = DsrOption::Request { id: *id, target: *target, through: path[1..].to_vec() };
                let error = error.map(|link| DsrOption::Error { link, to: path[0] });
                ([Some(request), error].into_iter().flatten().collect(), (path[0], NodeId::BROADCAST))
            }
            DsrMessage::RouteReply(RouteReply { route, replier }) => {
                let place = route.iter().position(|node| node == replier).unwrap_or(0);
                // A reply goes back over the part of the route that the request has come by; a node that answers from
                // its cache stands in the middle of it.
                let back: Vec<NodeId> = route[..=place].iter().rev().copied().collect();
                let reply = DsrOption::Reply(route[1..].to_vec());
                ([leading(&back, sender), Some(reply)].into_iter().flatten().collect(), (*replier, route[0]))
            }
            DsrMessage::RouteError(RouteError { link, path }) => {
                let to = path.last().copied().unwrap_or(link.from);
                let error = DsrOption::Error { link: *link, to };
                ([leading(path, sender), Some(error)].into_iter().flatten().collect(), (path[0], to))
            }
        };
        (Dsr { next: NOTHING, options }, ends)
    }

    /// The header of a packet that `sender` sends on by its source route, in front of the protocol `next`; none towards a
    /// neighbour (RFC 4728 8.1.1).
    pub fn of_route(route: &SourceRoute, sender: NodeId, next: u8) -> Option<Dsr> {
        let SourceRoute { path, salvage } = route;
        // Who salvages a packet begins a new route, whose first node is not the source of the packet and has to be
        // named.
        let first = usize::from(*salvage == 0);
        let through: Vec<NodeId> = path.get(first..path.len() - 1).unwrap_or_default().to_vec();
        if through.is_empty() {
            return None;
        }
        let left = left(path, sender);
        Some(Dsr { next, options: vec![DsrOption::Route { salvage: *salvage, left, through }] })
    }

    /// The message in a packet between `ends`; none where the options are no message of the engine's.
    pub fn message(&self, (from, to): (NodeId, NodeId)) -> Option<DsrMessage> {
        let through = |route: &DsrOption| match route {
            DsrOption::Route { through, .. } => Some(through.clone()),
            _ => None,
        };
        let listed = |nodes: &[NodeId], last: Option<NodeId>| -> Arc<[NodeId]> {
            [from].into_iter().chain(nodes.iter().copied()).chain(last).collect()
        };
        match &self.options[..] {
            [DsrOption::Request { id, target, through }, error @ ..] => {
                let error = match error {
                    [] => None,
                    [DsrOption::Error { link, .. }] => Some(*link),
                    _ => return None,
                };
                let (id, target, path) = (*id, *target, listed(through, None));
                Some(DsrMessage::RouteRequest(RouteRequest { id, target, path, error }))
            }
            [DsrOption::Reply(route)] | [DsrOption::Route { .. }, DsrOption::Reply(route)] => {
                let route = [to].into_iter().chain(route.iter().copied()).collect();
                Some(DsrMessage::RouteReply(RouteReply { route, replier: from }))
            }
            [lead @ .., DsrOption::Error { link, .. }] if lead.len() < 2 => {
                let nodes = lead.first().map_or(Some(Vec::new()), through)?;
                Some(DsrMessage::RouteError(RouteError { link: *link, path: listed(&nodes, Some(to)) }))
            }
            _ => None,
        }
    }

    /// Writes the octets.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([self.next, 0, 0, 0]);
        for option in &self.options {
            write_option(option, out);
        }
        // Without the fixed part (RFC 4728 6.1).
        let length = (out.len() - start - 4) as u16;
        out[start + 2..start + 4].copy_from_slice(&length.to_be_bytes());
    }

    /// Reads a header; gives what is behind it too.
    ///
    /// # Errors
    /// It is cut off, or has options that the engine does not know.
    pub fn read(mut octets: &[u8]) -> Result<(Dsr, &[u8]), Malformed> {
        let [next, flow_state]: [u8; 2] = take(WHAT, &mut octets)?;
        if flow_state != 0 {
            return Err(Malformed::field("DSR flow state", flow_state, "0"));
        }
        let length = take16(WHAT, &mut octets)?;
        let (mut rest, behind) = split(WHAT, octets, usize::from(length))?;
        let mut options = Vec::new();
        while let Some((&kind, content)) = rest.split_first() {
            // The one option that has no length.
            if kind == PAD_1 {
                rest = content;
                continue;
            }
            let [length] = take("DSR option", &mut { content })?;
            let (content, others) = split("DSR option", &content[1..], usize::from(length))?;
            options.extend(read_option(kind, content)?);
            rest = others;
        }
        Ok((Dsr { next, options }, behind))
    }
}

/// The source route over these nodes, both ends included, as `sender` writes it; none to a neighbour.
fn leading(nodes: &[NodeId], sender: NodeId) -> Option<DsrOption> {
    let through = nodes.get(1..nodes.len() - 1).filter(|through| !through.is_empty())?.to_vec();
    Some(DsrOption::Route { salvage: 0, left: left(nodes, sender), through })
}

/// Nodes between the ends of a way that a packet has still to visit as `sender` sends it.
fn left(nodes: &[NodeId], sender: NodeId) -> u8 {
    let passed = nodes.iter().position(|node| *node == sender).unwrap_or(0);
    nodes.len().saturating_sub(2 + passed) as u8
}

fn write_option(option: &DsrOption, out: &mut Vec<u8>) {
    let start = out.len();
    let nodes = match option {
        DsrOption::Request { id, target, through } => {
            out.extend([REQUEST, 0]);
            out.extend(id.to_be_bytes());
            out.extend(address::ip(*target));
            &through[..]
        }
        DsrOption::Reply(route) => {
            out.extend([REPLY, 0, 0]);
            &route[..]
        }
        DsrOption::Error { link, to } => {
            out.extend([ERROR, 0, UNREACHABLE, 0]);
            [link.from, *to, link.to].iter().for_each(|node| out.extend(address::ip(*node)));
            &[]
        }
        DsrOption::Route { salvage, left, through } => {
            out.extend([ROUTE, 0]);
            // Salvage has four bits above the six of the segments left.
            out.extend((u16::from(*salvage & 15) << 6 | u16::from(*left & 63)).to_be_bytes());
            &through[..]
        }
    };
    nodes.iter().for_each(|node| out.extend(address::ip(*node)));
    // Without type and length themselves.
    out[start + 1] = (out.len() - start - 2) as u8;
}

/// An option from its content; none of padding.
fn read_option(kind: u8, mut content: &[u8]) -> Result<Option<DsrOption>, Malformed> {
    const OPTION: &str = "DSR option";
    let octets = &mut content;
    let node = |octets: &mut &[u8]| take(OPTION, octets).and_then(address::node);
    let option = match kind {
        PAD_N => return Ok(None),
        REQUEST => DsrOption::Request { id: take16(OPTION, octets)?, target: node(octets)?, through: nodes(octets)? },
        REPLY => {
            if take::<1>(OPTION, octets)? != [0] {
                return Err(Malformed::field("DSR route reply flags", 1_u8, "0"));
            }
            DsrOption::Reply(nodes(octets)?)
        }
        ERROR => {
            if take::<2>(OPTION, octets)? != [UNREACHABLE, 0] {
                return Err(Malformed::field("DSR error kind", 0_u8, "1 (node unreachable), salvage 0"));
            }
            let (from, to, unreachable) = (node(octets)?, node(octets)?, node(octets)?);
            if !octets.is_empty() {
                return Err(Malformed::field("octets behind a DSR error", octets.len() as u64, "none"));
            }
            DsrOption::Error { link: BrokenLink { from, to: unreachable }, to }
        }
        ROUTE => {
            let word = take16(OPTION, octets)?;
            if word >> 10 != 0 {
                return Err(Malformed::field("DSR source route flags", word >> 10, "0"));
            }
            DsrOption::Route { salvage: (word >> 6 & 15) as u8, left: (word & 63) as u8, through: nodes(octets)? }
        }
        other => return Err(Malformed::field("DSR option", other, "0 to 3, 96 and 224")),
    };
    Ok(Some(option))
}

fn nodes(octets: &mut &[u8]) -> Result<Vec<NodeId>, Malformed> {
    let mut nodes = Vec::new();
    while !octets.is_empty() {
        nodes.push(address::node(take("DSR address", octets)?)?);
    }
    Ok(nodes)
}

#[cfg(test)]
mod tests;
