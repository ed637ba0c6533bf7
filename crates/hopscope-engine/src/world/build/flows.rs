//! Flows: their sockets, the two ends of each, and their applications.

use super::derive;
use crate::app::Source;
use crate::config::{AckPolicy, Config, FlowConfig, Transport};
use crate::record::Recorder;
use crate::world::flow::Flow;
use crate::world::{Controls, OwnCode, World};
use hopscope_core::error::BuildError;
use hopscope_core::event::Event;
use hopscope_core::ids::{FlowId, NodeId, SocketId};
use hopscope_core::rng::Purpose;
use hopscope_core::units::Time;
use hopscope_packet::Ports;
use hopscope_tcp::Connection;
use hopscope_transport::udp::Udp;
use hopscope_transport::{Endpoint, Socket, atp, dccp, sockets};

impl<R: Recorder> World<R> {
    /// Adds the flows, whose shortest ways have so many hops.
    pub(super) fn add_flows(&mut self, config: &Config, hops: Vec<u32>, controls: &Controls) -> Result<(), BuildError> {
        let ports = sockets::assign_ports(&config.flows)?;
        let mut replies = Vec::new();
        for (number, flow) in config.flows.iter().enumerate() {
            let mut flow = flow.clone();
            if flow.tcp.ap_link_rate == 0 {
                // 0 stands for the rate of the radio, which a flow does not know.
                flow.tcp.ap_link_rate = config.radio.data_rate;
            }
            let own = controls.of(number as u32);
            if flow.external().is_some() && own.control.is_none() {
                return Err(without_control(number));
            }
            if flow.ack == AckPolicy::External && own.ack.is_none() {
                return Err(without_rule(number));
            }
            // Behind all flows of the file, which keep their numbers.
            let reply = config.flows.len() + replies.len();
            replies.extend(self.add_flow(config, (number, reply), &flow, ports[number], own));
        }
        self.flows.extend(replies);
        for (flow, hops) in self.flows.iter_mut().zip(hops) {
            flow.hops = hops;
        }
        Ok(())
    }

    /// Adds a flow and its two sockets; gives the flow of its reply, which has a number of its own.
    fn add_flow(
        &mut self,
        config: &Config,
        (number, reply): (usize, usize),
        flow: &FlowConfig,
        ports: [u16; 2],
        own: OwnCode,
    ) -> Option<Flow> {
        let (from, to) = (NodeId(flow.from), NodeId(flow.to));
        let id = FlowId(number as u32);
        let back_id = if flow.reply.is_some() { FlowId(reply as u32) } else { id };
        // Neighbouring numbers: one end finds the other by the lowest bit.
        let [socket, other] = [0, 1].map(|end| SocketId(2 * id.0 + end));
        let (near, far) = endpoints(config, (number, reply), flow, own);
        // Only who fills the interface queue itself asks what has become of its packets.
        self.wiring.saturating |= near.wants_view();
        let there = Ports { from: ports[0], to: ports[1], found: other };
        let back = Ports { from: ports[1], to: ports[0], found: socket };
        let near = Socket::new(from, to, there, (id, back_id), near);
        let far = Socket::new(to, from, back, (back_id, id), far);
        for (id, mut socket) in [(socket, near), (other, far)] {
            socket.dscp = flow.dscp as u8;
            self.nodes[socket.node].sockets.bind(id, &socket);
            self.sockets.add(id, socket);
        }
        let label = |from, to, number: usize, socket, source, reply_to| Flow {
            from,
            to,
            transport: flow.transport,
            packet: flow.packet,
            hops: 0,
            reply_to,
            socket,
            source,
            window: (0.0, 0.0),
            rng: derive(config, number, Purpose::Traffic),
        };
        self.flows.push(label(from, to, number, socket, source_of(flow), None));
        self.events.push(flow.start, Event::App { flow: id });
        let answer = flow.reversed()?;
        self.events.push(flow.start, Event::App { flow: back_id });
        Some(label(to, from, reply, other, source_of(&answer), Some(id)))
    }
}

/// The ends of a flow at its sending and at its receiving node.
fn endpoints(
    config: &Config,
    (number, reply): (usize, usize),
    flow: &FlowConfig,
    own: OwnCode,
) -> (Endpoint, Endpoint) {
    let header = config.net.ip_header;
    if flow.transport.is_tcp() {
        tcp_endpoints(config, (number, reply), flow, own)
    } else if flow.transport.is_dccp() {
        let stream = derive(config, number, Purpose::InitialSequence);
        let (client, server) = dccp::Connection::pair(flow, header, stream);
        (Endpoint::Dccp(Box::new(client)), Endpoint::Dccp(Box::new(server)))
    } else if flow.transport == Transport::Atp {
        let (sender, receiver) = atp::Connection::pair(flow, header);
        (Endpoint::Atp(sender), Endpoint::Atp(receiver))
    } else {
        let udp = |refills| Endpoint::Udp(Udp::new(flow.packet, header + config.net.udp_header, refills));
        // A source without a rate of its own sends whenever the interface queue has room.
        (udp(!source_of(flow).is_paced()), udp(false))
    }
}

/// A connection of TCP, and in it the reply where the flow has one.
fn tcp_endpoints(
    config: &Config,
    (number, reply): (usize, usize),
    flow: &FlowConfig,
    own: OwnCode,
) -> (Endpoint, Endpoint) {
    let clock = |flow| derive(config, flow, Purpose::Clock);
    let connection = flow.connection();
    let (mut active, mut passive) = Connection::pair(&connection, config.net.ip_header, clock(number));
    if flow.reply.is_some() {
        Connection::join((&mut active, &mut passive), &connection, clock(reply));
    }
    if let Some(control) = own.control {
        active.set_control(control);
    }
    if let Some(rule) = own.ack {
        passive.set_rule(rule);
    }
    (Endpoint::Tcp(active), Endpoint::Tcp(passive))
}

fn source_of(flow: &FlowConfig) -> Source {
    Source::new(flow.app.clone(), flow.packet, flow.start, flow.stop.unwrap_or(Time::NEVER))
}

fn without_control(number: usize) -> BuildError {
    let message = "tcp-external needs a congestion control handed over with the configuration";
    BuildError::new(format!("flows.{number}.transport"), message)
}

fn without_rule(number: usize) -> BuildError {
    let message = "\"external\" needs an ACK policy handed over with the configuration";
    BuildError::new(format!("flows.{number}.ack"), message)
}
