//! One run from configuration to results, in steps that a caller can interrupt.

use crate::config::{App, Change, Config, FlowConfig, SeriesKind};
use crate::metrics::Meter;
use crate::record::{Recorder, TrajectoryHash};
use crate::results::{self, RunResult};
use crate::world::{self, Controls, NodeState, World, WorldView};
use hopscope_core::error::BuildError;
use hopscope_core::ids::NodeId;
use hopscope_core::math;
use hopscope_core::units::{Span, Time};
use hopscope_phy::channel::Link;
use hopscope_phy::channel::budget::Budget;
use hopscope_phy::channel::grid::Grid;

/// A run under way: the world with its meter, and any observer of the caller.
#[derive(Debug)]
pub struct Simulation<R: Recorder = crate::record::NullRecorder> {
    /// With each reply as a flow.
    config: Config,
    world: World<(Meter, R)>,
    measured: bool,
}

/// Rough cost of a run, announced before absurd sizes are started.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// Engine events.
    pub events: f64,
    /// CPU seconds on a machine that handles 15 million events a second.
    pub wall_s: f64,
    /// Bytes of memory.
    pub memory_bytes: f64,
}

impl Simulation {
    /// Builds a run that is only measured.
    ///
    /// # Errors
    /// See [`World::new`].
    pub fn new(config: Config) -> Result<Self, BuildError> {
        Self::observed(config, crate::record::NullRecorder)
    }
}

impl<R: Recorder> Simulation<R> {
    /// Builds a run with an observer of the caller besides the meter.
    ///
    /// # Errors
    /// See [`World::new`].
    pub fn observed(config: Config, observer: R) -> Result<Self, BuildError> {
        Self::controlled(config, observer, &Controls::new())
    }

    /// Builds a run some of whose flows have a congestion control from outside.
    ///
    /// # Errors
    /// See [`World::controlled`].
    pub fn controlled(config: Config, observer: R, controls: &Controls) -> Result<Self, BuildError> {
        if config.flows.iter().any(|flow| flow.start_jitter > Span::ZERO) {
            world::check(&config)?; // before the jitter is gone
        }
        let config = config.with_starts_drawn();
        let world = World::controlled(&config, (Meter::new(&config), observer), controls)?;
        let config = config.measured().into_owned();
        Ok(Simulation { config, world, measured: false })
    }

    /// The network.
    pub fn world(&self) -> &World<(Meter, R)> {
        &self.world
    }

    /// The caller's observer.
    pub fn observer(&self) -> &R {
        &self.world.recorder().1
    }

    /// Lets the caller's observer act at the present instant, with a look at the network.
    pub fn observe<T>(&mut self, act: impl FnOnce(&mut R, Time, &mut WorldView<'_>) -> T) -> T {
        self.world.observe(|(_, observer), now, view| act(observer, now, view))
    }

    /// True when the run has reached its end.
    pub fn is_over(&self) -> bool {
        self.world.now() >= self.config.duration
    }

    /// Advances by at most `step` of simulated time, less where the observer does not [go on](Recorder::goes_on).
    pub fn advance(&mut self, step: Span) {
        let until = (self.world.now() + step).min(self.config.duration);
        if !self.measured && until >= self.config.warmup {
            // What happens at the very end of the warm-up is measured.
            if self.config.warmup > Time::ZERO && !self.world.run_until(Time(self.config.warmup.0 - 1)) {
                return;
            }
            self.begin_measure();
        }
        self.world.run_until(until);
    }

    /// A node as it stands now.
    pub fn node_state(&mut self, node: NodeId) -> NodeState {
        self.world.node_state(node)
    }

    /// Changes something now, as an event of the configuration does at its instant.
    ///
    /// # Errors
    /// See [`World::change`].
    pub fn change(&mut self, change: &Change) -> Result<(), BuildError> {
        self.world.change(change)
    }

    /// Hands a packet with octets to the network layer of a node now.
    ///
    /// # Errors
    /// See [`World::inject`].
    pub fn inject(&mut self, node: NodeId, dst: NodeId, octets: &[u8]) -> Result<u64, BuildError> {
        self.world.inject(node, dst, octets)
    }

    /// Hands an Ethernet frame to the link layer of a node now.
    ///
    /// # Errors
    /// See [`World::offer_frame`].
    pub fn offer_frame(&mut self, node: NodeId, to: NodeId, frame: &[u8], dscp: u8) -> Result<u64, BuildError> {
        self.world.offer_frame(node, to, frame, dscp)
    }

    /// Instant of the next event; `None` when nothing will ever happen again.
    pub fn next_event(&mut self) -> Option<Time> {
        self.world.next_event()
    }

    /// Runs to the end and gives the results.
    pub fn run(&mut self) -> RunResult {
        self.advance(Span(self.config.duration.0));
        self.results()
    }

    /// Metrics from the end of the warm-up to now.
    pub fn results(&mut self) -> RunResult {
        results::collect(&self.config, &mut self.world)
    }

    fn begin_measure(&mut self) {
        self.measured = true;
        self.world.begin_measure(self.config.warmup);
    }
}

/// Hash of the frames a configuration sends; `eager` makes every radio edge an event, which must not change it.
///
/// # Errors
/// See [`World::new`].
pub fn trajectory(config: &Config, eager: bool) -> Result<u64, BuildError> {
    let mut world = World::new(config, TrajectoryHash::default())?;
    if eager {
        world.set_eager();
    }
    world.run_until(config.duration);
    Ok(world.recorder().0)
}

/// Rough cost of a configuration from its size alone; nothing is built.
///
/// # Errors
/// See [`world::check`].
pub fn estimate(config: &Config) -> Result<Estimate, BuildError> {
    world::check(config)?;
    const EVENTS_PER_HOP: f64 = 16.0;
    const EVENTS_PER_SECOND: f64 = 15e6;
    // Reading, building and measuring a flow, whatever it sends.
    const SECONDS_PER_FLOW: f64 = 35e-6;
    const BYTES_PER_FLOW: f64 = 5_000.0;
    const BYTES_PER_NODE: f64 = 1_000.0;
    let radio = &config.radio;
    let nodes = config.nodes.len() as f64;
    // A channel carries one frame exchange at a time per carrier-sense area.
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for p in &config.nodes {
        for axis in 0..2 {
            low[axis] = low[axis].min(p[axis]);
            high[axis] = high[axis].max(p[axis]);
        }
    }
    let reach = Budget::new(radio).reach(&config.radio_with_all_rates(), 1.0);
    let area = (high[0] - low[0] + reach) * (high[1] - low[1] + reach);
    let hearing = (std::f64::consts::PI * reach * reach / area * nodes).clamp(1.0, nodes);
    // No more exchanges at a time than areas, nor than the flows can keep busy at eight hops each.
    let concurrent = (nodes / hearing).max(1.0).min(config.flows.len() as f64 * 8.0).max(1.0);
    // A frame of 1500 bytes; what surrounds it takes about a millisecond.
    let exchange = (1_000.0 + 12_000.0 * 1e6 / radio.data_rate as f64) * 1e-6;
    let seconds = config.duration.as_secs();
    // Each hearer adds the start and the end of a frame.
    let events = seconds * concurrent / exchange * (EVENTS_PER_HOP + 2.0 * hearing);
    let kept = |kind| config.series.keep.contains(&kind);
    let per_instant = if kept(SeriesKind::Queue) { nodes } else { 0.0 }
        + if kept(SeriesKind::Throughput) { config.flows.len() as f64 } else { 0.0 };
    let samples = if per_instant > 0.0 { per_instant * seconds / config.series.interval.as_secs() } else { 0.0 };
    let measured = config.measured();
    let flows = measured.flows.len() as f64;
    let offered: f64 = measured.flows.iter().map(|flow| offered_packets(flow, seconds)).sum();
    let total = events + samples + offered;
    Ok(Estimate {
        events: total,
        wall_s: total / EVENTS_PER_SECOND + nodes * 5e-6 + flows * SECONDS_PER_FLOW,
        memory_bytes: nodes * (BYTES_PER_NODE + size_of::<Link>() as f64 * received(&config.nodes, reach))
            + flows * BYTES_PER_FLOW
            + samples * 20.0,
    })
}

/// How many others a node hears in the mean, of nodes that crowd at some places as of those that are spread evenly: a few
/// of them, spread over the list, are looked at.
fn received(nodes: &[[f64; 2]], reach: f64) -> f64 {
    const SAMPLED_NODES: usize = 64;
    let grid = Grid::new(nodes, reach);
    let looked_at = SAMPLED_NODES.min(nodes.len()).max(1);
    let chosen = (0..looked_at).map(|k| k * nodes.len() / looked_at).filter_map(|index| nodes.get(index));
    let others = chosen.map(|&[x, y]| {
        let within = |&other: &u32| math::hypot(nodes[other as usize][0] - x, nodes[other as usize][1] - y) <= reach;
        grid.around(&[x, y], reach).filter(within).count().saturating_sub(1)
    });
    others.sum::<usize>() as f64 / looked_at as f64
}

/// Packets (and silences) that the application of a flow brings up by itself in a run of `seconds`.
fn offered_packets(flow: &FlowConfig, seconds: f64) -> f64 {
    let per_second = |rate: f64| rate / (8.0 * f64::from(flow.packet));
    match &flow.app {
        App::Bulk | App::File { .. } => 0.0,
        App::Cbr { rate, .. } | App::Poisson { rate } => per_second(*rate) * seconds,
        App::OnOff { rate, on, off, .. } => {
            let period = on.as_secs() + off.as_secs();
            (per_second(*rate) * on.as_secs() / period + 1.0 / period) * seconds
        }
        App::Trace { frames } => frames.iter().map(|&(_, bytes)| f64::from(bytes.div_ceil(flow.packet) + 1)).sum(),
    }
}

/// Runs a configuration to its end.
///
/// # Errors
/// See [`World::new`].
pub fn run(config: Config) -> Result<RunResult, BuildError> {
    Ok(Simulation::new(config)?.run())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::presets;

    fn memory_of(nodes: Vec<[f64; 2]>) -> f64 {
        let base = presets::base("standard", "wavelan-2M").expect("a profile and a preset");
        let config = base.config(nodes, Span::from_secs(1));
        estimate(&config).map_or(f64::NAN, |cost| cost.memory_bytes)
    }

    #[test]
    fn links_are_counted_where_nodes_crowd() {
        // 4,000 nodes within 4 m hear each other; one more, far away, must not make them look like a sparse field.
        let crowd: Vec<[f64; 2]> = (0..4_000).map(|k| [f64::from(k) * 1e-3, 0.0]).collect();
        let links = 4_000.0 * 3_999.0 * size_of::<Link>() as f64;
        let far = [crowd.clone(), vec![[1e6, 1e6]]].concat();
        for nodes in [crowd, far] {
            let memory = memory_of(nodes);
            assert!((links..1.05 * links).contains(&memory), "{memory} of {links}");
        }
    }

    #[test]
    fn a_sparse_chain_needs_little() {
        let chain = (0..20_000).map(|k| [f64::from(k) * 200.0, f64::from(k) * 200.0]).collect();
        // Each hears its two neighbours within 550 m on either side, one at 283 m and none at 566.
        let memory = memory_of(chain);
        assert!((1_000.0..1_100.0).contains(&(memory / 20_000.0)), "{memory}");
    }
}
