//! What goes out, and when (RFC 8966 3.1, 3.7): at once, with the next urgent packet, or with any.

use std::sync::Arc;

use super::routes::Dest;
use super::{Babel, DUMP, FLUSH, HELLO};
use crate::routing::{Cx, RoutingEffect};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::babel::{BabelPacket, BabelTlv, BabelUpdate, Centiseconds, PACKET_HEADER};

/// Most bytes of a packet: with IP and UDP header it fits an Ethernet frame.
const MAX_PACKET: u32 = 1472;

/// What waits to go out.
#[derive(Debug)]
pub(super) struct Waiting {
    /// Destinations whose routes are advertised.
    updates: Vec<NodeId>,
    /// Its own prefix is.
    own: bool,
    /// For all neighbours.
    tlvs: Vec<BabelTlv>,
    /// For single neighbours.
    unicast: Vec<(NodeId, BabelTlv)>,
    /// When it goes out at the latest.
    flush_at: Time,
}

impl Default for Waiting {
    fn default() -> Self {
        let (updates, tlvs, unicast) = (Vec::new(), Vec::new(), Vec::new());
        Waiting { updates, own: false, tlvs, unicast, flush_at: Time::NEVER }
    }
}

/// Packets that are being filled.
struct Packets {
    node: NodeId,
    /// With the interface whose neighbours alone are to hear it.
    tlvs: Vec<(Option<u8>, BabelTlv)>,
    bytes: u32,
    /// A Next Hop TLV is in the packet at hand.
    names_next_hop: bool,
}

impl Packets {
    fn of(node: NodeId) -> Self {
        Packets { node, tlvs: Vec::new(), bytes: PACKET_HEADER, names_next_hop: false }
    }

    fn add(&mut self, tlv: BabelTlv, cx: &mut Cx) {
        self.add_for(None, tlv, cx);
    }

    /// Adds what concerns the neighbours on one interface.
    fn add_for(&mut self, interface: Option<u8>, tlv: BabelTlv, cx: &mut Cx) {
        if self.bytes + tlv.bytes() > MAX_PACKET {
            self.send(cx);
        }
        self.push(interface.map(|interface| cx.radio_of(interface)), tlv);
    }

    fn push(&mut self, radio: Option<u8>, tlv: BabelTlv) {
        self.bytes += tlv.bytes();
        self.tlvs.push((radio, tlv));
    }

    /// Adds an update and what has to stand before it in the same packet (RFC 8966 4.5).
    fn add_update(&mut self, update: BabelUpdate, cx: &mut Cx) {
        let (tlv, router) = (BabelTlv::Update(update), BabelTlv::RouterId(update.dst));
        let next_hop = BabelTlv::NextHop(self.node);
        if self.bytes + tlv.bytes() + router.bytes() + next_hop.bytes() > MAX_PACKET {
            self.send(cx);
        }
        if !std::mem::replace(&mut self.names_next_hop, true) {
            self.push(None, next_hop);
        }
        if !update.router_id_flag {
            self.push(None, router);
        }
        self.push(None, tlv);
    }

    /// Sends what has come together: one packet over all radios, or one over each where they differ.
    fn send(&mut self, cx: &mut Cx) {
        let Packets { tlvs, .. } = std::mem::replace(self, Packets::of(self.node));
        if tlvs.iter().all(|(radio, _)| radio.is_none()) {
            broadcast(tlvs.into_iter().map(|(_, tlv)| tlv).collect(), None, cx);
            return;
        }
        for radio in 0..cx.link.radios() {
            let of_radio = tlvs.iter().filter(|(only, _)| only.is_none_or(|only| only == radio));
            broadcast(of_radio.map(|(_, tlv)| *tlv).collect(), Some(radio), cx);
        }
    }
}

fn broadcast(tlvs: Arc<[BabelTlv]>, interface: Option<u8>, cx: &mut Cx) {
    if !tlvs.is_empty() {
        let message = BabelPacket { tlvs }.into();
        cx.push(RoutingEffect::Broadcast { message, interface, ttl: 1, delay: Span::ZERO });
    }
}

/// A time as a TLV announces it.
pub(super) fn announced(interval: Span) -> Centiseconds {
    Centiseconds::at_least(interval)
}

impl Babel {
    /// A Hello, IHUs, and what waits. The Hellos of all radios go at once, so that one number counts those of each (RFC 8966
    /// 3.4.1); an IHU goes by the radio that its neighbour is heard on (3.4.2).
    pub(super) fn say_hello(&mut self, cx: &mut Cx) {
        let interval = announced(self.cfg.hello_interval);
        let mut packets = Packets::of(self.node);
        packets.add(BabelTlv::Hello { seqno: self.hello_seqno, interval }, cx);
        let for_all = u32::from(self.hello_seqno) % self.cfg.ihu_hellos == 0;
        self.hello_seqno = self.hello_seqno.wrapping_add(1);
        self.ihus(for_all).for_each(|(interface, ihu)| packets.add_for(Some(interface), ihu, cx));
        self.add_what_waits(&mut packets, cx);
        packets.send(cx);
        self.again(HELLO, self.cfg.hello_interval, cx);
    }

    /// All routes (RFC 8966 3.7.1).
    pub(super) fn say_all_routes(&mut self, cx: &mut Cx) {
        let mut packets = Packets::of(self.node);
        self.waiting.own = true;
        let table = &self.table;
        // Retractions, as the routes follow anyway.
        self.waiting.updates.retain(|dst| table.get(*dst).is_none_or(|dest| dest.via.is_none()));
        self.add_what_waits(&mut packets, cx);
        let (now, template) = (cx.now, self.template());
        for dest in self.table.values_mut().iter_mut().filter(|dest| dest.via.is_some()) {
            dest.is_waiting = false;
            packets.add_update(update(dest, template, now), cx);
        }
        packets.send(cx);
        self.last_dump = Some(now);
        self.again(DUMP, self.cfg.update_interval, cx);
    }

    /// A neighbour wants all routes: it gets them, unless they have just gone out.
    pub(super) fn say_all_soon(&mut self, cx: &mut Cx) {
        if self.last_dump.is_none_or(|last| last + self.cfg.dump_gap <= cx.now) {
            let delay = cx.part_of(self.cfg.urgent_timeout);
            self.armed.by(DUMP, cx.now + delay, cx.out);
        }
    }

    pub(super) fn say_what_waits(&mut self, cx: &mut Cx) {
        self.waiting.flush_at = Time::NEVER;
        let mut packets = Packets::of(self.node);
        self.add_what_waits(&mut packets, cx);
        packets.send(cx);
        let mut unicast = std::mem::take(&mut self.waiting.unicast);
        // One packet for each neighbour, in the order of neighbours.
        unicast.sort_by_key(|(to, _)| *to);
        for group in unicast.chunk_by(|a, b| a.0 == b.0) {
            let to = group[0].0;
            for part in group.chunks(MOST_REQUESTS) {
                let message = BabelPacket { tlvs: part.iter().map(|(_, tlv)| *tlv).collect() }.into();
                cx.push(RoutingEffect::Unicast { message, to, interface: None, ttl: 1, delay: Span::ZERO });
            }
        }
    }

    fn add_what_waits(&mut self, packets: &mut Packets, cx: &mut Cx) {
        std::mem::take(&mut self.waiting.tlvs).into_iter().for_each(|tlv| packets.add(tlv, cx));
        let template = self.template();
        if std::mem::take(&mut self.waiting.own) {
            packets.add_update(template, cx);
        }
        for dst in std::mem::take(&mut self.waiting.updates) {
            let dest = self.table.slot(dst);
            dest.is_waiting = false;
            packets.add_update(update(dest, template, cx.now), cx);
        }
    }

    /// The update of its own prefix, from which others differ in what they say.
    fn template(&self) -> BabelUpdate {
        BabelUpdate {
            dst: self.node,
            seqno: self.seqno,
            metric: 0,
            interval: announced(self.cfg.update_interval),
            router_id_flag: self.cfg.router_id_flag,
            hops: 0,
        }
    }

    /// The route to a destination goes out with the next urgent packet.
    pub(super) fn say_soon(&mut self, dst: NodeId, cx: &mut Cx) {
        self.wait(dst, self.cfg.urgent_timeout, cx);
    }

    /// It goes out when something else does.
    pub(super) fn say_later(&mut self, dst: NodeId, cx: &mut Cx) {
        self.wait(dst, self.cfg.update_delay, cx);
    }

    fn wait(&mut self, dst: NodeId, longest: Span, cx: &mut Cx) {
        if dst == self.node {
            self.waiting.own = true;
        } else {
            let dest = self.table.slot(dst);
            dest.dst = dst;
            if !std::mem::replace(&mut dest.is_waiting, true) {
                self.waiting.updates.push(dst);
            }
        }
        self.flush_within(longest, cx);
    }

    /// Something for all neighbours goes out with the next urgent packet.
    pub(super) fn say(&mut self, tlv: BabelTlv, cx: &mut Cx) {
        self.waiting.tlvs.push(tlv);
        self.flush_within(self.cfg.urgent_timeout, cx);
    }

    /// Something for one neighbour does.
    pub(super) fn say_to(&mut self, neighbour: NodeId, tlv: BabelTlv, cx: &mut Cx) {
        self.waiting.unicast.push((neighbour, tlv));
        self.flush_within(self.cfg.urgent_timeout, cx);
    }

    fn flush_within(&mut self, longest: Span, cx: &mut Cx) {
        // One draw for all that waits together, or the first of many would go at once.
        if self.waiting.flush_at > cx.now + longest {
            let half = Span(longest.0 / 2);
            self.waiting.flush_at = cx.now + half + cx.part_of(half);
            self.armed.by(FLUSH, self.waiting.flush_at, cx.out);
        }
    }
}

/// Requests of 20 bytes that fit a packet.
const MOST_REQUESTS: usize = ((MAX_PACKET - PACKET_HEADER) / 20) as usize;

/// The update of a route, which counts as advertised.
fn update(dest: &mut Dest, template: BabelUpdate, now: Time) -> BabelUpdate {
    let metric = dest.advertise(now);
    BabelUpdate { dst: dest.dst, seqno: dest.seqno, metric, hops: dest.hops, ..template }
}
