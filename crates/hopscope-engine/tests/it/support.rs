//! Small networks for tests.

use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::{App, Config, FlowConfig, Transport, presets};
use hopscope_engine::record::{Classes, NetworkView, Record, Recorder};
use hopscope_engine::world::{Arrival, Doorkeeper};
use hopscope_mac::dcf::FrameKind;

/// A chain of `hops` hops, 200 m each, without flows.
pub fn chain(profile: &str, hops: u32, seconds: u64) -> Config {
    let nodes = (0..=hops).map(|i| [200.0 * f64::from(i), 0.0]).collect();
    let base = presets::base(profile, "wavelan-2M").expect("a profile and a preset");
    base.config(nodes, Span::from_secs(seconds))
}

/// A flow with the profile's TCP, started at 1 s.
pub fn flow(profile: &str, from: u32, to: u32, transport: Transport, app: App) -> FlowConfig {
    FlowConfig {
        packet: if transport == Transport::Udp { 1480 } else { 1460 },
        start: Time::ZERO + Span::from_secs(1),
        tcp: presets::base(profile, "wavelan-2M").expect("a profile and a preset").tcp,
        ..FlowConfig::new(from, to, transport, app)
    }
}

/// A chain with one bulk TCP flow from end to end.
pub fn tcp_chain(profile: &str, hops: u32, seconds: u64) -> Config {
    let mut config = chain(profile, hops, seconds);
    config.flows.push(flow(profile, 0, hops, Transport::TcpNewReno, App::Bulk));
    config
}

/// A field of scattered nodes with crossing flows, so that everything overlaps with everything.
pub fn busy_field(profile: &str, seconds: u64) -> Config {
    use hopscope_core::rng::{Purpose, Stream};
    let mut config = chain(profile, 1, seconds);
    let mut stream = Stream::derive(9, 0, 0, Purpose::Placement);
    config.nodes = (0..40)
        .map(|i| {
            [f64::from(i % 8) * 180.0 + stream.uniform() * 60.0, f64::from(i / 8) * 180.0 + stream.uniform() * 60.0]
        })
        .collect();
    for (from, to) in [(0, 39), (7, 32), (16, 23), (4, 36)] {
        config.flows.push(flow(profile, from, to, Transport::TcpNewReno, App::Bulk));
    }
    config.flows.push(flow(profile, 8, 10, Transport::Udp, App::cbr(150e3)));
    config
}

/// Keeps every record.
#[derive(Debug, Default)]
pub struct Log(pub Vec<(Time, Record)>);

impl Recorder for Log {
    const WANTS: Classes = Classes::ALL;

    fn record(&mut self, now: Time, record: &Record, _view: &mut impl NetworkView) {
        self.0.push((now, *record));
    }
}

impl Log {
    /// How many records are such.
    pub fn count(&self, wanted: impl Fn(&Record) -> bool) -> usize {
        self.0.iter().filter(|(_, record)| wanted(record)).count()
    }

    /// Instant (ns), transmitter and kind of every frame sent.
    pub fn frames(&self) -> Vec<(u64, u32, FrameKind)> {
        let frame = |&(at, record): &(Time, Record)| match record {
            Record::FrameBegan { frame, .. } => Some((at.0, frame.src.0, frame.kind)),
            _ => None,
        };
        self.0.iter().filter_map(frame).collect()
    }
}

/// Takes what has come out of the doors of a network since the last call.
pub fn take_arrived(world: &mut World<Doorkeeper>) -> Vec<Arrival> {
    world.observe(|keeper, _, _| keeper.take().arrived)
}

/// A data segment or datagram leaves the source of a flow.
pub fn is_data_sent(record: &Record) -> bool {
    matches!(record, Record::SegmentSent { header, .. } if header.is_data)
}

/// A data segment or datagram reaches the destination of a flow.
pub fn is_data_received(record: &Record) -> bool {
    matches!(record, Record::DataReceived { .. })
}
