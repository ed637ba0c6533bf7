//! The metrics of a group of flows, which sum up those of its members.

use super::FlowResult;
use super::MetricKind::Label;
use super::{Metric, measured};
use crate::metrics::sharing::jain_of;
use crate::metrics::{Meter, Outcomes, Sketch};

measured! {
    /// The flows of one group.
    pub struct GroupResult of "group" {
        /// Their numbers.
        flows: Vec<u32> = Metric::other(Label, "flows");
        /// Sum of their throughputs.
        aggregate_kbps: f64 = Metric::sample("kbit/s", "throughput of the group");
        /// Jain's fairness index among them.
        jain: f64 = Metric::sample("", "Jain index");
        /// Mean of their one-way delays, each copy received counting once.
        delay_ms: Option<f64> = Metric::sample("ms", "delay");
        /// The delay that 95 % of all their copies received do not exceed, to 0.4 %.
        delay_p95_ms: Option<f64> = Metric::sample("ms", "95th percentile of the delay").short("delay p95");
        /// The delay that 99 % of all their copies received do not exceed, to 0.4 %.
        delay_p99_ms: Option<f64> = Metric::sample("ms", "99th percentile of the delay").short("delay p99");
        /// Mean of the mean opinion scores of those that are speech.
        mos: Option<f64> = Metric::sample("", "mean opinion score").short("MOS");
        /// Share of their copies lost among those received or lost.
        loss_pct: Option<f64> = Metric::sample("%", "loss");
        /// Mean of their shares of starved time.
        starved_pct: Option<f64> = Metric::sample("%", "starved");
    }
}

impl GroupResult {
    /// Those of some flows.
    pub(crate) fn of(flows: &[&FlowResult], meter: &Meter) -> GroupResult {
        let mut delays = Sketch::default();
        // Percentiles of all copies: those of the flows do not add up.
        flows.iter().for_each(|f| delays.merge(&meter.flow(f.id).delay.delays));
        // A mean over calls, each of which has its own listener.
        let scores: Vec<f64> = flows.iter().filter_map(|f| f.mos).collect();
        let received: u64 = flows.iter().map(|f| f.received_packets).sum();
        let outcomes = flows.iter().map(|f| meter.outcomes(f.id)).fold(Outcomes::default(), Outcomes::and);
        // Weighted by copies, of which each counts once.
        let waited: f64 = flows.iter().filter_map(|f| Some(f.delay_ms? * f.received_packets as f64)).sum();
        let starved: Vec<f64> = flows.iter().filter_map(|f| f.starved_pct).collect();
        GroupResult {
            flows: flows.iter().map(|f| f.id).collect(),
            aggregate_kbps: flows.iter().map(|f| f.throughput_kbps).sum(),
            jain: jain_of(flows.iter().map(|f| f.throughput_kbps)),
            delay_ms: (received > 0).then(|| waited / received as f64),
            delay_p95_ms: delays.percentile_ms(95.0),
            delay_p99_ms: delays.percentile_ms(99.0),
            mos: (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64),
            loss_pct: outcomes.loss_pct(),
            starved_pct: (!starved.is_empty()).then(|| starved.iter().sum::<f64>() / starved.len() as f64),
        }
    }
}
