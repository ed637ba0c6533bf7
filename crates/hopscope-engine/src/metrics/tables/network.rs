//! The metrics of the network as a whole, and those among them that sum up flows and nodes.

use std::collections::BTreeMap;

use super::Applicability::Several;
use super::MetricKind::Counts;
use super::Visibility::Report;
use super::{FlowResult, NodeResult};
use super::{Metric, measured};
use crate::metrics::counters::{loss_ratio, mean};
use crate::metrics::sharing::{jain, jain_of, max_min};
use crate::metrics::{PathLengths, RunMeter};
use crate::record::DropReason;

measured! {
    /// The network as a whole.
    pub struct NetworkResult of "network" by NetworkCx { run, totals } {
        /// Sum of throughputs.
        aggregate_kbps: f64 = totals => Metric::sample("kbit/s", "throughput of all flows").shown(Report);
        /// Jain's fairness index of the throughputs: (sum x)^2 / (n sum x^2).
        jain: f64 = totals => Metric::sample("", "Jain index").shown(Report).applies(Several);
        /// Sum of the throughputs up to the completion of the flow that is first.
        shared_kbps: f64 = totals => Metric::sample("kbit/s", "throughput while all are active");
        /// Jain's index of them.
        shared_jain: Option<f64> = totals => Metric::sample("", "Jain index while all are active");
        /// Their max-min index: the farthest from an equal share, in equal shares.
        shared_max_min: Option<f64> = totals => Metric::sample("", "max-min index while all are active");
        /// Mean of Jain's index over the intervals of the series `fairness`.
        jain_interval: Option<f64> = run.fairness => Metric::sample("", "Jain index of intervals");
        /// Packets given up at a MAC retry limit.
        mac_retry_drops: u64 = totals => Metric::sample("", "MAC retry drops").shown(Report);
        /// Packets with data lost at a MAC retry limit; TCP's ACKs and routing messages are left out.
        data_retry_drops: u64 = totals => Metric::sample("packets", "MAC retry drops of data");
        /// Packets that found an interface queue full.
        queue_drops: u64 = totals => Metric::sample("", "queue drops").shown(Report);
        /// Packets with data that found an interface queue full.
        data_queue_drops: u64 = totals => Metric::sample("packets", "queue drops of data");
        /// MAC retry drops over packets that MACs took on.
        link_drop_probability: f64 = totals => Metric::sample("", "link drop probability").shown(Report);
        /// Packets that MACs took on.
        mac_packets: u64 = totals => Metric::sample("packets", "packets at MACs");
        /// MPDUs of a data PPDU to a single station, mean over all PPDUs of QoS stations.
        mpdus_per_ppdu: Option<f64> = totals => Metric::sample("", "MPDUs of a data PPDU");
        /// Share of all MPDUs sent that came to nothing: not acknowledged, or sent again though they had come.
        mpdu_loss_ratio: Option<f64> = totals => Metric::sample("", "MPDU loss ratio");
        /// Share of all MPDUs sent that were sent before.
        mpdu_repeat_ratio: Option<f64> = totals => Metric::sample("", "MPDU repeat ratio");
        /// Mean wait of those received MPDUs that have waited in a reordering buffer.
        reorder_ms: Option<f64> = totals => Metric::sample("ms", "reordering delay");
        /// Longest wait of one of them.
        reorder_max_ms: Option<f64> = totals => Metric::sample("ms", "longest reordering delay");
        /// Routing messages sent, each hop counted.
        routing_packets: u64 = run.routing => Metric::sample("", "routing messages");
        /// Bytes of routing messages sent, network headers included.
        routing_bytes: u64 = run.routing => Metric::sample("bytes", "routing messages");
        /// Routing messages sent by kind.
        routing_kinds: BTreeMap<&'static str, u64> = run.routing => Metric::other(Counts, "routing messages");
        /// Times that a node took a route into use or lost one.
        route_changes: u64 = run.routing => Metric::sample("", "route changes");
        /// Searches for a route that found one.
        discoveries: u64 = run.routing => Metric::sample("", "discoveries");
        /// Mean time of those searches.
        discovery_ms: Option<f64> = run.routing => Metric::sample("ms", "time of a discovery");
        /// Searches that were given up.
        failed_discoveries: u64 = run.routing => Metric::sample("", "failed discoveries");
        /// Times that a node took a neighbour for gone.
        link_failures: u64 = run.routing => Metric::sample("", "link failures");
        /// The part of them in which the neighbour was in range.
        false_link_failures: u64 = run.routing => Metric::sample("", "false link failures");
        /// Mean hops that the copies of data packets received have taken; only with `path_lengths`.
        mean_hops: Option<f64> = totals => Metric::sample("hops", "hops taken");
        /// What they took beyond the shortest path by radio at their arrival, on average; only with `path_lengths`.
        extra_hops: Option<f64> = totals => Metric::sample("hops", "hops beyond the shortest path");
        /// Share of all time on the air that frames with segments without data took in attempts that got them across;
        /// their RTS, CTS and MAC ACKs left out. Only where the airtime ledger is kept.
        ack_airtime_pct: Option<f64> = totals => Metric::sample("%", "airtime of ACKs");
    }
}

/// Of what the metrics of the network are worked out, once the meter is closed.
#[derive(Clone, Copy)]
pub(crate) struct NetworkCx<'a> {
    /// What was counted of the run.
    pub run: &'a RunMeter,
    /// Flows and nodes.
    pub totals: Totals<'a>,
}

/// Results of flows and nodes, to be summed up.
#[derive(Clone, Copy)]
pub(crate) struct Totals<'a> {
    /// Every flow.
    pub flows: &'a [FlowResult],
    /// Every node.
    pub nodes: &'a [NodeResult],
    /// Hops of the copies that all flows received.
    pub paths: PathLengths,
}

/// The metrics.
impl Totals<'_> {
    fn aggregate_kbps(&self, _cx: &NetworkCx<'_>) -> f64 {
        self.flows.iter().map(|flow| flow.throughput_kbps).sum()
    }

    fn jain(&self, _cx: &NetworkCx<'_>) -> f64 {
        jain_of(self.flows.iter().map(|flow| flow.throughput_kbps))
    }

    fn shared_kbps(&self, _cx: &NetworkCx<'_>) -> f64 {
        self.shared().sum()
    }

    fn shared_jain(&self, _cx: &NetworkCx<'_>) -> Option<f64> {
        jain(self.shared())
    }

    fn shared_max_min(&self, _cx: &NetworkCx<'_>) -> Option<f64> {
        max_min(self.shared())
    }

    fn mac_retry_drops(&self, _cx: &NetworkCx<'_>) -> u64 {
        self.nodes.iter().map(|node| node.mac_retry_drops).sum()
    }

    fn data_retry_drops(&self, _cx: &NetworkCx<'_>) -> u64 {
        self.data_drops(DropReason::RetryLimit)
    }

    fn queue_drops(&self, _cx: &NetworkCx<'_>) -> u64 {
        self.nodes.iter().map(|node| node.queue_drops).sum()
    }

    fn data_queue_drops(&self, _cx: &NetworkCx<'_>) -> u64 {
        self.data_drops(DropReason::QueueFull)
    }

    fn mac_packets(&self, _cx: &NetworkCx<'_>) -> u64 {
        self.nodes.iter().map(|node| node.mac_packets).sum()
    }

    fn link_drop_probability(&self, cx: &NetworkCx<'_>) -> f64 {
        let packets = self.mac_packets(cx);
        // A packet taken on in the warm-up may be given up in the measured time: the ratio may pass 1.
        if packets > 0 { (self.mac_retry_drops(cx) as f64 / packets as f64).min(1.0) } else { 0.0 }
    }

    fn mpdus_per_ppdu(&self, _cx: &NetworkCx<'_>) -> Option<f64> {
        mean(self.of_qos(|node| node.mpdus_sent)? as f64, self.of_qos(|node| node.data_ppdus)?)
    }

    fn mpdu_loss_ratio(&self, _cx: &NetworkCx<'_>) -> Option<f64> {
        loss_ratio(self.of_qos(|node| node.mpdus_sent)?, self.of_qos(|node| node.mpdus_acknowledged)?)
    }

    fn mpdu_repeat_ratio(&self, _cx: &NetworkCx<'_>) -> Option<f64> {
        mean(self.of_qos(|node| node.mpdus_repeated)? as f64, self.of_qos(|node| node.mpdus_sent)?)
    }

    fn reorder_ms(&self, _cx: &NetworkCx<'_>) -> Option<f64> {
        let weighed = |node: &NodeResult| Some(node.reorder_ms? * node.mpdus_reordered? as f64);
        mean(self.nodes.iter().filter_map(weighed).sum(), self.of_qos(|node| node.mpdus_reordered)?)
    }

    fn reorder_max_ms(&self, _cx: &NetworkCx<'_>) -> Option<f64> {
        self.nodes.iter().filter_map(|node| node.reorder_max_ms).reduce(f64::max)
    }

    /// Sum of what QoS stations have counted; none without such.
    fn of_qos(&self, count: fn(&NodeResult) -> Option<u64>) -> Option<u64> {
        self.nodes.iter().filter_map(count).reduce(|sum, more| sum + more)
    }

    fn mean_hops(&self, _cx: &NetworkCx<'_>) -> Option<f64> {
        self.paths.mean()
    }

    fn extra_hops(&self, _cx: &NetworkCx<'_>) -> Option<f64> {
        self.paths.extra()
    }

    /// Nothing here: the ledger fills it in, where one is kept.
    fn ack_airtime_pct(&self, _cx: &NetworkCx<'_>) -> Option<f64> {
        None
    }

    fn shared(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        self.flows.iter().filter_map(|flow| flow.shared_kbps)
    }

    fn data_drops(&self, reason: DropReason) -> u64 {
        self.nodes.iter().filter_map(|node| node.data_drops.get(reason.name())).sum()
    }
}
