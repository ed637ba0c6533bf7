//! Nodes and flows as they stand at an instant.

use hopscope_core::ids::NodeId;
use hopscope_engine::Simulation;
use hopscope_engine::world::Doing;
use serde_json::{Value as Json, json};

use crate::recorder::PageRecorder;

/// The state, under the names of `State` in `web/src/engine/api.ts`.
pub(crate) fn state(simulation: &mut Simulation<PageRecorder>) -> Json {
    let nodes: Vec<Json> =
        (0..simulation.world().nodes() as u32).map(|node| of_node(simulation, NodeId(node))).collect();
    let flows: Vec<Json> = (0..simulation.world().flows().len()).map(|flow| of_flow(simulation, flow)).collect();
    json!({"nodes": nodes, "flows": flows})
}

fn of_node(simulation: &mut Simulation<PageRecorder>, node: NodeId) -> Json {
    let look = simulation.look_at(node);
    let world = simulation.world();
    let next_hop = |to: NodeId| (to != node).then(|| world.next_hop(node, to)).flatten().map(|hop| hop.0);
    let next_hops: Vec<Option<u32>> = world.flows().iter().map(|flow| next_hop(flow.to)).collect();
    let [x, y] = look.position;
    json!({
        "x": x,
        "y": y,
        "up": look.is_on,
        "queue": look.queued,
        "nav_until_s": look.nav_until.as_secs(),
        "cw": look.cw,
        "backoff_slots": look.backoff,
        "doing": if look.is_on { Doing::word(look.doing) } else { "off" },
        "next_hop": next_hops,
    })
}

fn of_flow(simulation: &Simulation<PageRecorder>, number: usize) -> Json {
    let world = simulation.world();
    let look = world.look_at_flow(&world.flows()[number]);
    json!({
        "cwnd": look.map(|look| look.cwnd),
        "ssthresh": look.map(|look| look.ssthresh),
        "flight": look.map(|look| look.flight),
        "srtt_ms": look.and_then(|look| look.srtt).map(|srtt| srtt.0 as f64 / 1e6),
        "received_packets": simulation.observer().received.get(number),
        "acked": look.map(|look| look.acked),
    })
}
