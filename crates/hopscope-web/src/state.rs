//! Nodes and flows as they stand at an instant.

use hopscope_core::ids::NodeId;
use hopscope_engine::Simulation;
use hopscope_engine::world::InterfaceState;
use serde_json::{Value as Json, json};

use crate::recorder::PageRecorder;
use crate::setup::seconds;

/// The state, under the names of `State` in `web/src/engine/api.ts`.
pub(crate) fn state(simulation: &mut Simulation<PageRecorder>) -> Json {
    let nodes: Vec<Json> =
        (0..simulation.world().nodes() as u32).map(|node| of_node(simulation, NodeId(node))).collect();
    let flows: Vec<Json> = (0..simulation.world().flows().len()).map(|flow| of_flow(simulation, flow)).collect();
    json!({"nodes": nodes, "flows": flows})
}

fn of_node(simulation: &mut Simulation<PageRecorder>, node: NodeId) -> Json {
    let state = simulation.node_state(node);
    let world = simulation.world();
    let next_hop = |to: NodeId| (to != node).then(|| world.next_hop(node, to)).flatten().map(|hop| hop.0);
    let next_hops: Vec<Option<u32>> = world.flows().iter().map(|flow| next_hop(flow.to)).collect();
    let [x, y] = state.position;
    json!({
        "x": x,
        "y": y,
        "up": state.is_on,
        "queue": state.queued,
        "nav_until_s": seconds(state.nav_until),
        "cw": state.cw,
        "backoff_slots": state.backoff,
        "doing": if state.is_on { InterfaceState::word(state.doing) } else { "off" },
        "next_hop": next_hops,
    })
}

fn of_flow(simulation: &Simulation<PageRecorder>, number: usize) -> Json {
    let world = simulation.world();
    let state = world.flow_state(&world.flows()[number]);
    json!({
        "cwnd": state.map(|state| state.cwnd),
        "ssthresh": state.map(|state| state.ssthresh),
        "flight": state.map(|state| state.flight),
        "srtt_ms": state.and_then(|state| state.srtt).map(|srtt| srtt.0 as f64 / 1e6),
        "received_packets": simulation.observer().received.get(number),
        "acked": state.map(|state| state.acked),
    })
}
