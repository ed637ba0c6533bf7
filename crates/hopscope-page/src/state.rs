//! Nodes and flows as they stand at an instant.

use hopscope_core::ids::NodeId;
use hopscope_engine::Simulation;
use hopscope_engine::record::Recorder;
use hopscope_engine::world::InterfaceState;
use serde::Serialize;

use crate::received::Received;
use crate::setup::seconds;

/// The state of a run, under the names of `State` in `web/src/engine/api.ts`.
#[derive(Debug, Serialize)]
pub struct State {
    nodes: Vec<NodeState>,
    flows: Vec<FlowState>,
}

#[derive(Debug, Serialize)]
struct NodeState {
    x: f64,
    y: f64,
    up: bool,
    queue: usize,
    nav_until_s: f64,
    cw: u32,
    backoff_slots: Option<u32>,
    doing: &'static str,
    next_hop: Vec<Option<u32>>,
}

#[derive(Debug, Serialize)]
struct FlowState {
    cwnd: Option<f64>,
    ssthresh: Option<f64>,
    flight: Option<f64>,
    srtt_ms: Option<f64>,
    received_packets: Option<u64>,
    acked: Option<u64>,
}

/// The state of a run now.
pub fn state<R: Recorder>(simulation: &mut Simulation<R>, received: &Received) -> State {
    let nodes = (0..simulation.world().nodes() as u32).map(|node| of_node(simulation, NodeId(node))).collect();
    let flows = (0..simulation.world().flows().len()).map(|flow| of_flow(simulation, flow, received)).collect();
    State { nodes, flows }
}

fn of_node<R: Recorder>(simulation: &mut Simulation<R>, node: NodeId) -> NodeState {
    let state = simulation.node_state(node);
    let world = simulation.world();
    let next_hop = |to: NodeId| (to != node).then(|| world.next_hop(node, to)).flatten().map(|hop| hop.0);
    let [x, y] = state.position;
    NodeState {
        x,
        y,
        up: state.is_on,
        queue: state.queued,
        nav_until_s: seconds(state.nav_until),
        cw: state.cw,
        backoff_slots: state.backoff,
        doing: if state.is_on { InterfaceState::word(state.doing) } else { "off" },
        next_hop: world.flows().iter().map(|flow| next_hop(flow.to)).collect(),
    }
}

fn of_flow<R: Recorder>(simulation: &Simulation<R>, number: usize, received: &Received) -> FlowState {
    let world = simulation.world();
    let state = world.flow_state(&world.flows()[number]);
    FlowState {
        cwnd: state.map(|state| state.cwnd),
        ssthresh: state.map(|state| state.ssthresh),
        flight: state.map(|state| state.flight),
        srtt_ms: state.and_then(|state| state.srtt).map(|srtt| srtt.0 as f64 / 1e6),
        received_packets: received.at(number),
        acked: state.map(|state| state.acked),
    }
}
