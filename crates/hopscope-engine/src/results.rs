//! Results of a run as plain data, in the units and under the names that users read.

mod groups;
mod tables;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::config::Config;
use crate::ledger::LedgerResult;
use crate::metrics::tables::{NetworkCx, Totals};
use crate::metrics::{FlowCx, FlowLabel, Meter, NodeCx, PathLengths};
use crate::record::Recorder;
use crate::world::World;
use crate::world::flow::Flow;
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;

pub use crate::metrics::TransportName;
pub use crate::metrics::tables::{FlowResult, GroupResult, NetworkResult, NodeResult, WireResult, metrics};
pub use tables::{DistributionResult, LinksResult, SeriesResult};

/// One run.
#[derive(Debug, Clone, Serialize)]
pub struct RunResult {
    /// Seed.
    pub seed: u64,
    /// One entry per flow.
    pub flows: Vec<FlowResult>,
    /// One entry per node.
    pub nodes: Vec<NodeResult>,
    /// One entry for each direction of each wire.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wires: Vec<WireResult>,
    /// Packets that went over each link of the air.
    #[serde(skip_serializing_if = "LinksResult::is_empty")]
    pub links: LinksResult,
    /// The network as a whole.
    pub network: NetworkResult,
    /// Flows of one group added up, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, GroupResult>,
    /// Series asked for, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub series: BTreeMap<&'static str, SeriesResult>,
    /// Histograms of the flows by what they are of, `delay` and `gap`, where they were asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub distributions: BTreeMap<&'static str, DistributionResult>,
    /// What an airtime ledger says ([`crate::ledger::Ledger::result`]), where the caller kept one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerResult>,
    /// Work done.
    pub engine: EngineResult,
}

impl RunResult {
    /// Takes what an airtime ledger says.
    pub fn keep_ledger(&mut self, ledger: LedgerResult) {
        // The one metric of the network that only a ledger can count.
        self.network.ack_airtime_pct = ledger.ack_airtime_pct();
        self.ledger = Some(ledger);
    }
}

/// Work done.
#[derive(Debug, Clone, Serialize)]
pub struct EngineResult {
    /// Queue events handled.
    pub events: u64,
    /// Radio edges applied: start and end of each frame at each hearer, which need no queue entry.
    pub edges: u64,
    /// Frames sent.
    pub frames: u64,
    /// Wall-clock seconds; filled in by the caller, the engine has no clock.
    pub wall_s: f64,
}

/// The results of a run up to now.
pub(crate) fn collect<R: Recorder>(config: &Config, world: &mut World<(Meter, R)>) -> RunResult {
    let now = world.now();
    // Before anything is read: what lasts is accounted up to now.
    world.observe(|(meter, _), now, view| meter.close(now, view));
    let start = world.recorder().0.start();
    let wires = world.wires().enumerate().map(|(n, end)| WireResult::of(n as u32, end, start, now)).collect();
    let meter = &world.recorder().0;
    let run = meter.run();
    let nodes: Vec<_> =
        (0..world.nodes() as u32).map(|n| NodeResult::collect(&NodeCx { run, node: NodeId(n) })).collect();
    let flows: Vec<_> =
        world.flows().iter().enumerate().map(|(n, flow)| flow_result(config, n as u32, flow, meter, now)).collect();
    let paths = meter.flows().iter().fold(PathLengths::default(), |sum, flow| sum.and(&flow.paths));
    let totals = Totals { flows: &flows, nodes: &nodes, paths };
    RunResult {
        seed: config.seed,
        network: NetworkResult::collect(&NetworkCx { run, totals }),
        groups: groups::groups(config, &flows, meter),
        links: tables::links(run),
        series: tables::series(config, meter),
        distributions: if config.distributions { tables::distributions(meter) } else { BTreeMap::new() },
        ledger: None,
        engine: EngineResult { events: world.events(), edges: world.edges(), frames: world.frames(), wall_s: 0.0 },
        flows,
        nodes,
        wires,
    }
}

/// Those of a flow; the meter is closed.
fn flow_result(config: &Config, id: u32, flow: &Flow, meter: &Meter, now: Time) -> FlowResult {
    let &Flow { from, to, reply_to, hops, .. } = flow;
    FlowResult::collect(&FlowCx {
        config,
        settings: &config.flows[id as usize],
        label: &FlowLabel { id, from, to, reply_to, hops },
        flow: meter.flow(id),
        run: meter.run(),
        start: meter.start(),
        now,
    })
}
