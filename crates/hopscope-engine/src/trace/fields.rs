//! The fields of every record, under the names that it has in [`Record`], and what its packet is.

use super::line::Line;
use super::numbers::Numbers;
use crate::record::{Header, NetworkView, Record};
use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_mac::contention::QuietPlan;
use hopscope_mac::dcf::{Frame, FrameKind, Outcome};
use hopscope_net::routing::{RouteLoss, RoutingNote};
use hopscope_packet::tcp::TcpFlags;
use hopscope_packet::{Body, Packet};
use hopscope_phy::phy::RxOutcome;
use hopscope_tcp::endpoint::Timer;

/// Writes the fields of a record.
pub(super) fn write(line: &mut Line<'_>, record: &Record, numbers: &Numbers, view: &mut impl NetworkView) {
    let mut fields = Fields { line, numbers };
    match *record {
        Record::FrameBegan { ref frame, .. } | Record::FrameUnsent { ref frame } => fields.frame(frame, view),
        Record::Busy { node, from, until } => {
            let mut plan = QuietPlan::NONE;
            view.quiet_plan(node, &mut plan);
            fields.line.node("node", node).time("from", from).time("until", until);
            fields.wait(plan);
        }
        Record::FrameEnded { node, ref frame, outcome, .. }
        | Record::FrameOverheard { node, ref frame, outcome, .. } => {
            fields.line.node("node", node);
            fields.outcome(outcome);
            fields.frame(frame, view);
        }
        Record::Power { node, on } => _ = fields.line.node("node", node).number("on", on),
        Record::Moved { node, position } => {
            fields.line.node("node", node).real("x", position[0]).real("y", position[1]);
        }
        Record::SetOut { node, from, to, until } => {
            let line = fields.line.node("node", node).real("x", from[0]).real("y", from[1]);
            line.real("to_x", to[0]).real("to_y", to[1]).time("until", until);
        }
        Record::LinkChanged { node, peer, part } => {
            fields.line.node("node", node).node("peer", peer).real("part", part);
        }
        Record::LinkTraced { node, peer, rssi, loss } => {
            fields.line.node("node", node).node("peer", peer);
            rssi.into_iter().for_each(|dbm| _ = fields.line.real("rssi", dbm));
            loss.into_iter().for_each(|part| _ = fields.line.real("loss", part));
        }
        Record::RateSet { flow, rate } => {
            fields.flow(flow);
            fields.line.real("rate", rate);
        }
        Record::ParameterSet { key, value } => _ = fields.line.word("key", key).real("value", value),
        Record::PowerSet { node, watts } => _ = fields.line.node("node", node).real("watts", watts),
        Record::WireBegan { node, via, packet, until } => {
            fields.line.node("node", node).number("via", via).time("until", until);
            fields.packet(packet, view);
        }
        Record::WireEnded { node, from, packet } => {
            fields.line.node("node", node).node("from", from);
            fields.packet(packet, view);
        }
        Record::AccessGranted { node, wait } => {
            fields.line.node("node", node);
            fields.wait(wait);
        }
        Record::ResponseTimeout { node } | Record::AttemptFailed { node } | Record::HeldBack { node } => {
            fields.line.node("node", node);
        }
        Record::SifsBegan { node, until, then } => {
            fields.line.node("node", node).time("until", until).word("then", then.name());
        }
        Record::RateChanged { node, to, rate } => {
            fields.line.node("node", node).node("to", to).number("rate", rate);
        }
        Record::ExchangeEnded { node, packet, outcome } => {
            fields.line.node("node", node).word("outcome", outcome_word(outcome));
            fields.packet(packet, view);
        }
        Record::PacketMade { packet } => {
            fields.line.node("node", view.packet(packet).src);
            fields.whole_packet(packet, view);
        }
        Record::PacketArrived { node, packet } => {
            fields.line.node("node", node);
            fields.whole_packet(packet, view);
        }
        Record::PacketHeld { node, packet, routed } => {
            fields.line.node("node", node).flag("routed", routed);
            fields.packet(packet, view);
        }
        Record::PacketRouted { node, packet } => {
            fields.line.node("node", node).node("next_hop", view.packet(packet).next_hop);
            fields.packet(packet, view);
        }
        Record::PacketCopied { node, copy: packet, .. }
        | Record::PacketReceived { node, packet }
        | Record::Offered { node, packet } => {
            fields.line.node("node", node);
            fields.packet(packet, view);
        }
        Record::Queued { node, via, packet } | Record::Dequeued { node, via, packet } => {
            fields.line.node("node", node).number("via", via);
            fields.packet(packet, view);
        }
        Record::Dropped { node, packet, reason } => {
            fields.line.node("node", node).word("reason", reason.name());
            fields.packet(packet, view);
        }
        Record::Marked { node, packet, by } => {
            fields.line.node("node", node).word("by", by.word());
            fields.packet(packet, view);
        }
        Record::AppSent { flow, bytes } => {
            fields.flow(flow);
            if bytes < u64::MAX {
                fields.line.number("bytes", bytes);
            }
        }
        Record::AppClosed { flow } | Record::Completed { flow } => fields.flow(flow),
        Record::SegmentSent { node, flow, ref header } => {
            fields.line.node("node", node);
            fields.flow(flow);
            fields.header(header);
        }
        Record::SegmentReceived { node, flow, answers, ref header, delay } => {
            fields.line.node("node", node);
            fields.flow(flow);
            fields.line.number("answers", answers).span("delay", delay);
            fields.header(header);
        }
        Record::DataReceived { flow, bytes, delay, duplicate, retransmission } => {
            fields.flow(flow);
            let line = fields.line.number("bytes", bytes).span("delay", delay);
            line.flag("duplicate", duplicate).flag("retransmission", retransmission);
        }
        Record::PathTaken { flow, hops, shortest } => {
            fields.flow(flow);
            fields.line.number("hops", hops).real("shortest", shortest.map_or(f64::INFINITY, f64::from));
        }
        Record::Delivered { flow, bytes } => {
            fields.flow(flow);
            fields.line.number("bytes", bytes);
        }
        Record::Reset { flow, code } => {
            fields.flow(flow);
            fields.line.number("code", code as u8);
        }
        Record::Window { flow, cwnd, ssthresh, flight } => {
            fields.flow(flow);
            fields.line.real("cwnd", cwnd).real("ssthresh", ssthresh).real("flight", flight);
        }
        Record::SendingRate { flow, rate } => {
            fields.flow(flow);
            fields.line.real("rate", rate);
        }
        Record::AckWindow { flow, segments } => {
            fields.flow(flow);
            fields.line.real("segments", segments);
        }
        Record::Rtt { flow, rtt } => {
            fields.flow(flow);
            fields.line.span("rtt", rtt);
        }
        Record::TimerArmed { node, flow, timer, until } => {
            fields.timer(node, flow, timer);
            fields.line.time("until", until);
        }
        Record::TimerExpired { node, flow, timer } | Record::TimerStopped { node, flow, timer } => {
            fields.timer(node, flow, timer);
        }
        Record::RoutingSent { node, kind, bytes } => {
            fields.line.node("node", node).word("kind", kind).number("bytes", bytes);
        }
        Record::Routing { node, note, in_range } => {
            fields.line.node("node", node);
            fields.note(note, in_range);
        }
        Record::RouteInstalled { node, dst, next_hop, hops } => {
            fields.line.node("node", node).node("dst", dst).node("next_hop", next_hop).number("hops", hops);
        }
        Record::RoutingTimerArmed { node, timer, until } => {
            fields.line.node("node", node).word("timer", timer).time("until", until);
        }
        Record::RoutingTimerExpired { node, timer } => _ = fields.line.node("node", node).word("timer", timer),
        Record::QueueLength { node, packets } => _ = fields.line.node("node", node).number("packets", packets),
        Record::SampleEnd | Record::MeasureBegan => {}
    }
}

/// What several records have.
struct Fields<'l, 'a, 'n> {
    line: &'l mut Line<'a>,
    numbers: &'n Numbers,
}

impl Fields<'_, '_, '_> {
    fn flow(&mut self, flow: FlowId) {
        if flow != FlowId::NONE {
            self.line.number("flow", flow);
        }
    }

    fn frame(&mut self, frame: &Frame, view: &impl NetworkView) {
        let line = self.line.word("frame", frame.kind.name()).node("src", frame.src).node("dst", frame.dst);
        line.number("bytes", frame.bytes).number("rate", frame.mode.rate());
        line.span("airtime", frame.airtime).span("duration", frame.duration);
        if frame.kind == FrameKind::Data {
            line.number("seq", frame.seq).number("frag", frame.frag);
        }
        line.flag("retry", frame.retry);
        match frame.kind {
            FrameKind::Rts | FrameKind::Data => self.packet(frame.body, view),
            FrameKind::Cts | FrameKind::Ack => {}
        }
    }

    /// What became of a frame, and whose frame was at fault.
    fn outcome(&mut self, outcome: RxOutcome) {
        let (word, by) = match outcome {
            RxOutcome::Received => ("received", None),
            RxOutcome::Collided { by } => ("collided", Some(by)),
            RxOutcome::Captured { by } => ("captured", Some(by)),
            RxOutcome::TooWeak { by } => ("too-weak", by),
            RxOutcome::Errored => ("errored", None),
            RxOutcome::Deaf => ("deaf", None),
            RxOutcome::Missed { by } => ("missed", Some(by)),
            RxOutcome::OutOfReach => ("out-of-reach", None),
        };
        self.line.word("fate", word);
        if let Some(slot) = by {
            self.line.node("by", NodeId(slot / 2));
        }
    }

    /// What the quiet time of a station consists of: NAV, inter-frame space, then slots.
    fn wait(&mut self, plan: QuietPlan) {
        let line = self.line.time("nav_until", plan.nav_until).time("ifs_until", plan.ifs_until);
        line.flag("eifs", plan.eifs);
    }

    /// A packet in short: its number, flow and kind.
    fn packet(&mut self, id: PacketId, view: &impl NetworkView) {
        self.line.number("packet", self.numbers.of(id));
        self.kind(view.packet(id));
    }

    /// All that its headers say.
    fn whole_packet(&mut self, id: PacketId, view: &impl NetworkView) {
        self.packet(id, view);
        let packet = view.packet(id);
        let line = self.line.node("src", packet.src).node("dst", packet.dst);
        line.number("bytes", packet.bytes).number("ttl", packet.ttl).number("hops", packet.hops);
        self.header(&Header::of(&packet.body));
        if let Body::Tcp(segment) = &packet.body {
            if segment.n_sack > 0 {
                self.line.ranges("sack", segment.sack_blocks().iter().map(|block| (block.start, block.end)));
            }
        }
    }

    fn kind(&mut self, packet: &Packet) {
        self.flow(packet.flow);
        self.line.word("kind", body_word(&packet.body));
    }

    fn header(&mut self, header: &Header) {
        let Header { seq, ack, len, window, flags, retransmission, is_data } = *header;
        if !is_data && !flags.ack {
            return;
        }
        self.line.number("seq", seq).number("len", len);
        if flags.ack {
            self.line.number("ack", ack);
        }
        if window > 0 {
            self.line.number("window", window);
        }
        let TcpFlags { syn, fin, rst, psh, ece, cwr, .. } = flags;
        for (name, holds) in [("syn", syn), ("fin", fin), ("rst", rst), ("psh", psh), ("ece", ece), ("cwr", cwr)] {
            if holds {
                self.line.flag(name, true);
            }
        }
        self.line.flag("retransmission", retransmission);
    }

    fn timer(&mut self, node: NodeId, flow: FlowId, timer: Timer) {
        self.line.node("node", node);
        self.flow(flow);
        self.line.word("timer", timer_word(timer));
    }

    fn note(&mut self, note: RoutingNote, in_range: bool) {
        let line = &mut self.line;
        match note {
            RoutingNote::RouteUp { dst, next_hop, hops } => {
                line.word("note", "route-up").node("dst", dst).node("next_hop", next_hop).number("hops", hops);
            }
            RoutingNote::HopsChanged { dst, next_hop, hops } => {
                line.word("note", "hops-changed").node("dst", dst).node("next_hop", next_hop).number("hops", hops);
            }
            RoutingNote::RouteDown { dst, cause } => {
                line.word("note", "route-down").node("dst", dst).word("cause", loss_word(cause));
            }
            RoutingNote::SearchStarted { dst, repair } => {
                line.word("note", "search-started").node("dst", dst).flag("repair", repair);
            }
            RoutingNote::SearchDone { dst, latency } => {
                line.word("note", "search-done").node("dst", dst).span("latency", latency);
            }
            RoutingNote::SearchFailed { dst } => _ = line.word("note", "search-failed").node("dst", dst),
            RoutingNote::LinkLost { neighbour } => {
                line.word("note", "link-lost").node("neighbour", neighbour).flag("in_range", in_range);
            }
        }
    }
}

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
