//! What is allowed in a scenario but hardly meant.

use std::collections::BTreeMap;

use hopscope_engine::config::RadioConfig;
use hopscope_phy::channel::sensitivity;

use super::Resolved;
use crate::near;
use crate::words::general;

/// What a warning is about, and its text.
pub type Warning = (&'static str, String);

/// A flow whose packets cannot arrive.
const APART: &str = "apart";
/// Keys that a simulation leaves out.
const LEFT_OUT: &str = "left out";
/// Ranges that belong to another rate.
const RANGES: &str = "ranges";

impl Resolved {
    /// What is allowed but hardly meant.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut reported: Vec<Warning> = self.of_ranges().into_iter().map(|text| (RANGES, text)).collect();
        let nodes = self.nodes();
        let mut first: BTreeMap<[u64; 2], usize> = BTreeMap::new();
        reported.extend(self.of_unused().map(|text| ("", text)));
        reported.extend(self.of_programs().map(|text| (LEFT_OUT, text)));
        let never = self.never_there();
        for (node, place) in nodes.iter().enumerate().take(nodes.len() - self.wired()).filter(|(node, _)| !never[*node])
        {
            // Adding zero makes one of the two zeros.
            let other = *first.entry(place.map(|length| (length + 0.0).to_bits())).or_insert(node);
            if other != node {
                reported.push(("", format!("topology: nodes {other} and {node} are at the same place")));
                break;
            }
        }
        for (index, late) in self.flows.iter().enumerate().filter_map(|(n, flow)| Some((n, flow.late.as_ref()?))) {
            reported.push(("", format!("flow.{index}.path: {late}")));
        }
        reported.extend(self.traces.late.iter().map(|text| ("", text.clone())));
        if self.section("routing").text("protocol") == "static" {
            if self.moves() {
                reported.push(("", "routing: nodes move, but static routes stay those of the beginning".to_string()));
            }
            return reported; // the engine shows where they lead nowhere
        }
        if self.is_shadowed() || self.moves() {
            return reported; // what a node reaches is not what its place says, or changes
        }
        let given = self.wires.iter().map(|wire| ["from", "to"].map(|end| wire.whole(end) as usize));
        let placed = self.placed.iter().flat_map(|placed| &placed.wires).map(|wire| wire.ends.map(|end| end as usize));
        let wires: Vec<[usize; 2]> = given.chain(placed).collect();
        let mut island = vec![0; nodes.len()];
        for (number, members) in near::joined(nodes, self.reach(), self.wired(), &wires).iter().enumerate() {
            members.iter().for_each(|&node| island[node] = number);
        }
        for (index, flow) in self.flows.iter().enumerate() {
            if let Some((from, to)) = flow.ends.iter().find(|(from, to)| island[*from] != island[*to]) {
                let wires = if wires.is_empty() { "" } else { " and wires" };
                let apart = format!(
                    "flow.{index}: no chain of neighbours within radio.tx_range{wires} joins nodes {from} and {to}"
                );
                reported.push((APART, apart));
            }
        }
        reported
    }

    /// That the receive range is still that of 2 Mbit/s, at a rate that does not reach as far.
    fn of_ranges(&self) -> Option<String> {
        let section = self.section("radio");
        // A range that somebody has set is meant; those of a card's preset belong to its rate.
        if section.has_own("tx_range") || self.preset.starts_with("wavelan") && !section.has_own("data_rate") {
            return None;
        }
        let radio: RadioConfig = serde_json::from_value(section.merged().into()).ok()?;
        let kept = general(radio.tx_range);
        if let Some(modes) = self.of_modes(&radio) {
            return Some(format!(
                "radio.tx_range: {kept} m is the range of 2 Mbit/s, and data goes at {modes}; set radio.tx_range, to \"{kept}m\" where \
                 that is meant"
            ));
        }
        let bits = radio.data_mode().map_or(radio.data_rate, |mode| mode.rate());
        let rate = general(bits as f64 / 1e6);
        let why = match sensitivity::reach(&radio) {
            Some(reach) => format!(
                "by the sensitivity that IEEE 802.11 asks for at this rate ({} dBm, and -80 dBm at 2 Mbit/s) it would be \
                 received up to {:.0} m",
                reach.sensitivity_dbm, reach.range
            ),
            None if bits > 2_000_000 => "it would be received less far".to_string(),
            None => return None,
        };
        Some(format!(
            "radio.tx_range: {kept} m is the range of 2 Mbit/s, and data goes at {rate} Mbit/s: {why}; set radio.tx_range, to \
             \"{kept}m\" where that is meant"
        ))
    }

    /// Between which MCS a rate control chooses, and how far each of the two reaches; none where the MCS is fixed.
    fn of_modes(&self, radio: &RadioConfig) -> Option<String> {
        let control = self.section("mac").text("rate_control");
        let (layout, streams) = (radio.layout()?, u8::try_from(radio.spatial_streams).ok()?);
        if control == "fixed" {
            return None;
        }
        let allowed = || (0..=layout.highest_mcs()).filter(|&mcs| layout.allows(mcs, streams));
        let (lowest, highest) = (allowed().min()?, allowed().max()?);
        let reach = |mcs: u8| sensitivity::reach(&RadioConfig { mcs: mcs.into(), ..radio.clone() });
        let (near, far) = (reach(highest)?, reach(lowest)?);
        Some(format!(
            "MCS {lowest} to {highest} (mac.rate_control = \"{control}\"): by the sensitivities that IEEE 802.11 asks for ({} and {} dBm, \
             and -80 dBm at 2 Mbit/s) it would be received up to {:.0} m at the lowest and {:.0} m at the highest",
            far.sensitivity_dbm, near.sensitivity_dbm, far.range, near.range
        ))
    }
}
