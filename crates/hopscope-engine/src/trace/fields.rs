//! The fields of every record as a trace writes them, from the declarations of the records.

use super::line::{Line, Number};
use super::numbers::Numbers;
use crate::record::{Header, NetworkView, Record};
use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_mac::contention::QuietPlan;
use hopscope_mac::dcf::{Frame, FrameKind, Outcome};
use hopscope_net::config::link::LinkPart;
use hopscope_net::routing::{RouteLoss, RoutingNote};
use hopscope_packet::dccp::ResetCode;
use hopscope_packet::tcp::TcpFlags;
use hopscope_packet::{Body, DropReason};
use hopscope_phy::phy::RxOutcome;
use hopscope_tcp::endpoint::Timer;

/// What the fields of a record are written with.
pub(super) struct Fields<'a, 't, V> {
    pub(super) line: &'a mut Line<'t>,
    pub(super) numbers: &'a Numbers,
    pub(super) view: &'a mut V,
}

/// A field by its type, or in the form that its declaration asks for.
macro_rules! field {
    ($fields:ident, $field:ident) => {
        $field.write(stringify!($field), $fields)
    };
    ($fields:ident, $field:ident as $form:ident $(($other:ident))?) => {
        $fields.$form(stringify!($field), $field $(, $other)?)
    };
}

macro_rules! write {
    (;
        $($(#[$_doc:meta])+ $record:ident in $_class:ident $(about $($_who:ident),+)? $({
            $($(#[$_field_doc:meta])+ $field:ident: $_type:ty $(as $form:ident $(($other:ident))?)?,)+
        })?)+
    ) => {
        /// Writes the fields of a record.
        pub(super) fn write(record: &Record, fields: &mut Fields<'_, '_, impl NetworkView>) {
            match *record {
                $(Record::$record $({ $($field,)+ })? => {
                    $($(field!(fields, $field $(as $form $(($other))?)?);)+)?
                })+
            }
        }
    };
}

records!(write);

// ---- by type -------------------------------------------------------------------------------------------------

/// A field whose type says how it is written. One of several parts is written as these, under names of their own.
trait Field {
    fn write(self, name: &'static str, fields: &mut Fields<'_, '_, impl NetworkView>);
}

/// What is one entry of a line: the method of [`Line`] that writes it, and what makes that method's value of it.
macro_rules! entries {
    ($($type:ty => $method:ident $($value:expr)?;)+) => {$(
        impl Field for $type {
            fn write(self, name: &'static str, fields: &mut Fields<'_, '_, impl NetworkView>) {
                fields.line.$method(name, $(($value))?(self));
            }
        }
    )+};
}

entries! {
    bool => flag;
    u8 => number;
    u32 => number;
    u64 => number;
    f64 => real;
    &'static str => word;
    NodeId => node;
    Time => time;
    Span => span;
    FrameKind => word FrameKind::name;
    DropReason => word DropReason::name;
    LinkPart => word LinkPart::word;
    Outcome => word outcome_word;
    Timer => word timer_word;
    // The number that a Reset carries (RFC 4340 5.6).
    ResetCode => number |code| code as u8;
}

/// What is not known is left out.
impl Field for Option<f64> {
    fn write(self, name: &'static str, fields: &mut Fields<'_, '_, impl NetworkView>) {
        self.into_iter().for_each(|number| number.write(name, fields));
    }
}

/// What belongs to no flow says nothing of one.
impl Field for FlowId {
    fn write(self, name: &'static str, fields: &mut Fields<'_, '_, impl NetworkView>) {
        if self != FlowId::NONE {
            fields.line.number(name, self);
        }
    }
}

/// A packet in short: its number, flow and kind.
impl Field for PacketId {
    fn write(self, name: &'static str, fields: &mut Fields<'_, '_, impl NetworkView>) {
        fields.line.number(name, fields.numbers.of(self));
        let packet = fields.view.packet(self);
        let (flow, kind) = (packet.flow, body_word(&packet.body));
        flow.write("flow", fields);
        fields.line.word("kind", kind);
    }
}

/// What its header says, and the packet that it carries or announces.
impl Field for Frame {
    fn write(self, name: &'static str, fields: &mut Fields<'_, '_, impl NetworkView>) {
        let line = fields.line.word(name, self.kind.name()).node("src", self.src).node("dst", self.dst);
        line.number("bytes", self.bytes).number("rate", self.mode.rate());
        line.span("airtime", self.airtime).span("duration", self.duration);
        // Control frames have no Sequence Control field (IEEE 802.11-2020 9.3.1).
        if matches!(self.kind, FrameKind::Data | FrameKind::Action) {
            line.number("seq", self.seq).number("frag", self.frag);
        }
        line.flag("retry", self.retry);
        if self.kind.names_packet() {
            self.body.write("packet", fields);
        }
    }
}

/// What became of a frame, and whose frame was at fault.
impl Field for RxOutcome {
    fn write(self, name: &'static str, fields: &mut Fields<'_, '_, impl NetworkView>) {
        let (word, by) = match self {
            RxOutcome::Received => ("received", None),
            RxOutcome::Collided { by } => ("collided", Some(by)),
            RxOutcome::Captured { by } => ("captured", Some(by)),
            RxOutcome::TooWeak { by } => ("too-weak", by),
            RxOutcome::Errored => ("errored", None),
            RxOutcome::Deaf => ("deaf", None),
            RxOutcome::Missed { by } => ("missed", Some(by)),
            RxOutcome::OutOfReach => ("out-of-reach", None),
        };
        fields.line.word(name, word);
        if let Some(slot) = by {
            // The number of an air slot has that of its transmitter in it: no frame needs to be looked up.
            fields.line.node("by", NodeId(slot / 2));
        }
    }
}

/// What the quiet time of a station consists of: NAV, inter-frame space, then slots.
impl Field for QuietPlan {
    fn write(self, _name: &'static str, fields: &mut Fields<'_, '_, impl NetworkView>) {
        let line = fields.line.time("nav_until", self.nav_until).time("ifs_until", self.ifs_until);
        line.flag("eifs", self.eifs);
    }
}

/// Nothing where there are neither data nor an ACK.
impl Field for Header {
    fn write(self, _name: &'static str, fields: &mut Fields<'_, '_, impl NetworkView>) {
        let Header { seq, ack, len, window, flags, retransmission, is_data } = self;
        if !is_data && !flags.ack {
            return;
        }
        let line = fields.line.number("seq", seq).number("len", len);
        if flags.ack {
            line.number("ack", ack);
        }
        if window > 0 {
            line.number("window", window);
        }
        let TcpFlags { syn, fin, rst, psh, ece, cwr, .. } = flags;
        // JSON, too, leaves out those that do not hold: most segments have none of them.
        for (name, holds) in [("syn", syn), ("fin", fin), ("rst", rst), ("psh", psh), ("ece", ece), ("cwr", cwr)] {
            if holds {
                line.flag(name, true);
            }
        }
        line.flag("retransmission", retransmission);
    }
}

// ---- in another form -----------------------------------------------------------------------------------------

/// The forms that a declaration may ask for after `as`.
impl<V: NetworkView> Fields<'_, '_, V> {
    /// Nothing: what only consumers in the engine need, or another field has written.
    fn untraced<T>(&mut self, _name: &'static str, _value: T) {}

    /// What a PPDU carries besides its header: how many MPDUs, where it is an A-MPDU; where a Block Ack or its request begins, and
    /// how many MPDUs from there on the Block Ack acknowledges.
    fn carried(&mut self, _name: &'static str, slot: u32, frame: Frame) {
        let mpdus = if frame.kind == FrameKind::Data { self.view.mpdus(slot).len() as u64 } else { 0 };
        if mpdus > 0 {
            self.line.number("mpdus", mpdus);
        }
        if let Some(said) = self.view.block_ack(slot) {
            self.line.number("ssn", said.ssn);
            if frame.kind == FrameKind::BlockAck {
                self.line.number("acked", said.bitmap.words().iter().map(|word| word.count_ones()).sum::<u32>());
            }
        }
    }

    /// The same at a hearer that has read the header, with the places of those MPDUs that did not come, from 0.
    fn carried_and_lost(&mut self, name: &'static str, slot: u32, frame: Frame) {
        self.carried(name, slot, frame);
        let places = (0u64..).zip(self.view.mpdu_outcomes());
        let lost = places.filter(|(_, outcome)| **outcome != RxOutcome::Received).map(|(place, _)| (place, place + 1));
        let lost = lost.fold(Vec::new(), |mut ranges: Vec<(u64, u64)>, (begin, end)| {
            match ranges.last_mut().filter(|last| last.1 == begin) {
                Some(last) => last.1 = end,
                None => ranges.push((begin, end)),
            }
            ranges
        });
        // Of an MPDU that is alone the outcome says it.
        if !lost.is_empty() && self.view.mpdu_outcomes().len() > 1 {
            self.line.ranges("lost", lost.into_iter());
        }
    }

    /// As it displays itself: a flag that is written either way, a flow that is always there.
    fn number(&mut self, name: &'static str, value: impl Number) {
        self.line.number(name, value);
    }

    /// A number of bytes, if there is an end to them.
    fn bounded(&mut self, name: &'static str, bytes: u64) {
        if bytes < u64::MAX {
            self.line.number(name, bytes);
        }
    }

    /// Hops; no path is infinitely long.
    fn hops_or_infinity(&mut self, name: &'static str, hops: Option<u32>) {
        self.line.real(name, hops.map_or(f64::INFINITY, f64::from));
    }

    /// A place.
    fn position(&mut self, _name: &'static str, [x, y]: [f64; 2]) {
        self.line.real("x", x).real("y", y);
    }

    /// The place where something goes.
    fn destination(&mut self, _name: &'static str, [x, y]: [f64; 2]) {
        self.line.real("to_x", x).real("to_y", y);
    }

    /// An instant, and what the quiet time of a station consists of by now.
    fn time_and_wait(&mut self, name: &'static str, time: Time, node: NodeId) {
        self.line.time(name, time);
        let mut plan = QuietPlan::NONE;
        self.view.quiet_plan(node, &mut plan);
        plan.write("wait", self);
    }

    /// A packet with all that its headers say.
    fn whole_packet(&mut self, name: &'static str, id: PacketId) {
        id.write(name, self);
        let packet = self.view.packet(id);
        let line = self.line.node("src", packet.src).node("dst", packet.dst);
        line.number("bytes", packet.bytes).number("ttl", packet.ttl).number("hops", packet.hops);
        let body = packet.body;
        Header::of(&body).write("header", self);
        // From the packet: a record is passed by value, and its header has no room for blocks.
        if let Body::Tcp(segment) = body {
            if segment.n_sack > 0 {
                self.line.ranges("sack", segment.sack_blocks().iter().map(|block| (block.start, block.end)));
            }
        }
    }

    /// The same, behind the node that it begins at.
    fn packet_at_source(&mut self, name: &'static str, id: PacketId) {
        self.line.node("node", self.view.packet(id).src);
        self.whole_packet(name, id);
    }

    /// A packet behind its next hop.
    fn routed_packet(&mut self, name: &'static str, id: PacketId) {
        self.line.node("next_hop", self.view.packet(id).next_hop);
        id.write(name, self);
    }

    /// What happened to routes; of a lost link also whether the neighbour was in range.
    fn note(&mut self, name: &'static str, note: RoutingNote, in_range: bool) {
        let line = &mut self.line;
        match note {
            RoutingNote::RouteUp { dst, next_hop, hops } => {
                line.word(name, "route-up").node("dst", dst).node("next_hop", next_hop).number("hops", hops);
            }
            RoutingNote::HopsChanged { dst, next_hop, hops } => {
                line.word(name, "hops-changed").node("dst", dst).node("next_hop", next_hop).number("hops", hops);
            }
            RoutingNote::RouteDown { dst, cause } => {
                line.word(name, "route-down").node("dst", dst).word("cause", loss_word(cause));
            }
            RoutingNote::SearchStarted { dst, repair } => {
                line.word(name, "search-started").node("dst", dst).flag("repair", repair);
            }
            RoutingNote::SearchDone { dst, latency } => {
                line.word(name, "search-done").node("dst", dst).span("latency", latency);
            }
            RoutingNote::SearchFailed { dst } => _ = line.word(name, "search-failed").node("dst", dst),
            RoutingNote::LinkQuality { neighbour, lq, nlq } => {
                line.word(name, "link-quality").node("neighbour", neighbour).number("lq", lq).number("nlq", nlq);
            }
            RoutingNote::LinkLost { neighbour } => {
                line.word(name, "link-lost").node("neighbour", neighbour).flag("in_range", in_range);
            }
        }
    }
}

// ---- words ---------------------------------------------------------------------------------------------------

/// What a packet carries, in one word.
fn body_word(body: &Body) -> &'static str {
    match body {
        Body::Tcp(_) => "tcp",
        Body::Udp { .. } => "udp",
        Body::Dccp(_) => "dccp",
        Body::Atp(_) => "atp",
        Body::Arp { reply: false, .. } => "arp-request",
        Body::Arp { reply: true, .. } => "arp-reply",
        Body::Aodv(message) => message.kind(),
        Body::Routing => "routing",
        Body::Notice(_) => "notice",
        Body::PathNotice(notice) => notice.kind.word(),
        Body::Opaque { .. } => "outside",
        Body::Ethernet { .. } => "ethernet",
    }
}

fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Sent => "sent",
        Outcome::RetryLimit => "retry-limit",
        Outcome::Incomplete => "incomplete",
    }
}

fn timer_word(timer: Timer) -> &'static str {
    match timer {
        Timer::Rto => "rto",
        Timer::DelayedAck => "delayed-ack",
        Timer::TimeWait => "time-wait",
        Timer::Pacing => "pacing",
        Timer::Reorder => "reorder",
        Timer::Probe => "probe",
        Timer::Refill => "refill",
        Timer::Wake => "wake",
        Timer::Read => "read",
    }
}

fn loss_word(loss: RouteLoss) -> &'static str {
    match loss {
        RouteLoss::Expired => "expired",
        RouteLoss::LinkLost => "link-lost",
        RouteLoss::Reported => "reported",
    }
}
