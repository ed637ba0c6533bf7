//! Counters that machines keep for themselves, read when the measured time begins and when results are wanted.
//!
//! A record for each step of a counter would cost every run some time; the counters stand already, and an observer may
//! look at them ([`NetworkView::counters`], [`NetworkView::sender_stats`]).

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Delivery, FlowCx, NodeCx, Outcomes, RunFamily, RunMeter, SeriesSet};
use crate::config::{Config, Stations};
use crate::record::{Counters, NetworkView};
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::Time;
use hopscope_mac::edca::MpduCounts;
use hopscope_mac::rate::RateCounts;
use hopscope_phy::phy::modes::Mode;
use hopscope_tcp::SenderStats;

/// The counters at both ends of the measured time.
#[derive(Debug, Clone)]
pub(crate) struct MachineCounters {
    stations: Stations,
    flows: usize,
    before: CounterSnapshot,
    after: CounterSnapshot,
}

impl RunFamily for MachineCounters {
    fn begin(config: &Config, _series: &mut SeriesSet) -> Self {
        let (stations, flows) = (config.stations(), config.flows.len());
        MachineCounters { stations, flows, before: CounterSnapshot::default(), after: CounterSnapshot::default() }
    }

    fn restart(&mut self, now: Time, view: &mut impl NetworkView) {
        self.before = CounterSnapshot::read(view, (self.stations.count(), self.flows), now);
    }

    fn close(&mut self, _now: Time, start: Time, _series: &mut SeriesSet, view: &mut impl NetworkView) {
        self.after = CounterSnapshot::read(view, (self.stations.count(), self.flows), start);
    }
}

impl RunMeter {
    /// What became of the copies of a flow.
    pub(super) fn outcomes(&self, flow: FlowId, delivery: &Delivery) -> Outcomes {
        let MachineCounters { before, after, .. } = &self.counters;
        // What was under way when the measured time began is received or lost in it.
        Outcomes::new(delivery.sent + before.in_flight(flow), delivery.received, after.in_flight(flow))
    }
}

impl FlowCx<'_> {
    /// What the sender has counted in the measured time.
    pub(super) fn counted(&self, count: fn(&SenderStats) -> u64) -> u64 {
        let [before, after] = [&self.run.counters.before, &self.run.counters.after].map(|at| at.sender(self.id()));
        count(&after) - count(&before)
    }
}

impl MachineCounters {
    /// The links that carried packets in the measured time: receiver, sender, packets; in order.
    pub(crate) fn carried(&self) -> impl Iterator<Item = (NodeId, NodeId, u64)> + '_ {
        self.after.carried_since(&self.before)
    }

    /// The counters of a node at both ends.
    fn of(&self, cx: &NodeCx<'_>) -> [Counters; 2] {
        [&self.before, &self.after].map(|counted| counted.node(cx.node))
    }

    /// What a node has counted in the measured time.
    fn since(&self, cx: &NodeCx<'_>, count: fn(&Counters) -> u64) -> u64 {
        let [before, after] = self.of(cx);
        count(&after) - count(&before)
    }
}

/// The metrics of a node.
impl MachineCounters {
    pub(super) fn id(&self, cx: &NodeCx<'_>) -> u32 {
        cx.node.0
    }

    pub(super) fn radio_of(&self, cx: &NodeCx<'_>) -> Option<u64> {
        (self.stations.number(cx.node) > 0).then(|| self.stations.node(cx.node).0.into())
    }

    pub(super) fn channel(&self, cx: &NodeCx<'_>) -> Option<u64> {
        self.stations.channels().map(|channels| channels[cx.node.index()].into())
    }

    pub(super) fn queue_mean(&self, cx: &NodeCx<'_>) -> f64 {
        self.after.node(cx.node).queue_mean
    }

    pub(super) fn queue_max(&self, cx: &NodeCx<'_>) -> u32 {
        self.after.node(cx.node).queue_max
    }

    pub(super) fn rts_sent(&self, cx: &NodeCx<'_>) -> u64 {
        self.since(cx, |node| node.attempts.rts)
    }

    pub(super) fn data_sent(&self, cx: &NodeCx<'_>) -> u64 {
        self.since(cx, |node| node.attempts.data)
    }

    pub(super) fn data_rates(&self, cx: &NodeCx<'_>) -> BTreeMap<Cow<'static, str>, u64> {
        let non_ht = self.rates(cx).by_name().into_iter().map(|(name, frames)| (Cow::Borrowed(name), frames));
        let of_mcs = self.modes(cx).into_iter().map(|(mode, ppdus)| (mode.name(), ppdus));
        let mut found = BTreeMap::new();
        for (name, frames) in non_ht.chain(of_mcs) {
            *found.entry(name).or_default() += frames;
        }
        found
    }

    pub(super) fn data_rate_mbps(&self, cx: &NodeCx<'_>) -> Option<f64> {
        let modes = self.modes(cx);
        if modes.is_empty() {
            return self.rates(cx).mean();
        }
        let bits: f64 = modes.iter().map(|(mode, ppdus)| mode.rate() as f64 * *ppdus as f64).sum();
        Some(bits / modes.values().sum::<u64>() as f64 / 1e6)
    }

    /// Data PPDUs of a QoS station by mode, where a rate control has chosen it.
    fn modes(&self, cx: &NodeCx<'_>) -> BTreeMap<Mode, u64> {
        let [before, after] = self.of(cx).map(|node| node.mpdus.map_or_else(BTreeMap::new, |mpdus| mpdus.modes));
        let since = |(mode, ppdus)| (mode, ppdus - before.get(&mode).copied().unwrap_or(0));
        after.into_iter().map(since).filter(|(_, ppdus)| *ppdus > 0).collect()
    }

    pub(super) fn mpdus_sent(&self, cx: &NodeCx<'_>) -> Option<u64> {
        self.of_mpdus(cx, |mpdus| mpdus.sent)
    }

    pub(super) fn mpdus_repeated(&self, cx: &NodeCx<'_>) -> Option<u64> {
        self.of_mpdus(cx, |mpdus| mpdus.repeated)
    }

    pub(super) fn mpdus_per_ppdu(&self, cx: &NodeCx<'_>) -> Option<f64> {
        mean(self.mpdus_sent(cx)? as f64, self.data_ppdus(cx)?)
    }

    pub(super) fn mpdus_acknowledged(&self, cx: &NodeCx<'_>) -> Option<u64> {
        self.of_mpdus(cx, |mpdus| mpdus.acknowledged)
    }

    pub(super) fn data_ppdus(&self, cx: &NodeCx<'_>) -> Option<u64> {
        self.of_mpdus(cx, |mpdus| mpdus.ppdus)
    }

    pub(super) fn mpdu_loss_ratio(&self, cx: &NodeCx<'_>) -> Option<f64> {
        loss_ratio(self.mpdus_sent(cx)?, self.mpdus_acknowledged(cx)?)
    }

    pub(super) fn mpdus_reordered(&self, cx: &NodeCx<'_>) -> Option<u64> {
        self.of_mpdus(cx, |mpdus| mpdus.reordering.count)
    }

    pub(super) fn reorder_ms(&self, cx: &NodeCx<'_>) -> Option<f64> {
        let total = self.of_mpdus(cx, |mpdus| mpdus.reordering.total.0)?;
        mean(total as f64 / 1e6, self.mpdus_reordered(cx)?)
    }

    pub(super) fn reorder_max_ms(&self, cx: &NodeCx<'_>) -> Option<f64> {
        self.mpdus_reordered(cx).filter(|count| *count > 0)?;
        // The station has forgotten those of the warm-up.
        let [_, after] = self.of(cx).map(|node| node.mpdus);
        Some(after?.reordering.longest.0 as f64 / 1e6)
    }

    pub(super) fn queue_ms(&self, cx: &NodeCx<'_>) -> Option<f64> {
        let total = self.of_mpdus(cx, |mpdus| mpdus.queueing.total.0)?;
        mean(total as f64 / 1e6, self.of_mpdus(cx, |mpdus| mpdus.queueing.count)?)
    }

    pub(super) fn data_airtime_s(&self, cx: &NodeCx<'_>) -> Option<f64> {
        self.of_mpdus(cx, |mpdus| mpdus.airtime.0).map(|airtime| airtime as f64 / 1e9)
    }

    pub(super) fn block_ack_requests(&self, cx: &NodeCx<'_>) -> Option<u64> {
        self.of_mpdus(cx, |mpdus| mpdus.requests)
    }

    pub(super) fn internal_collisions(&self, cx: &NodeCx<'_>) -> Option<u64> {
        self.of_mpdus(cx, |mpdus| mpdus.internal_collisions)
    }

    /// What a QoS station has counted of its MPDUs in the measured time; none of another.
    fn of_mpdus(&self, cx: &NodeCx<'_>, count: fn(&MpduCounts) -> u64) -> Option<u64> {
        let [before, after] = self.of(cx).map(|node| node.mpdus);
        let (before, after) = (before.unwrap_or_default(), after?);
        Some(count(&after) - count(&before))
    }

    pub(super) fn mac_packets(&self, cx: &NodeCx<'_>) -> u64 {
        self.since(cx, |node| node.attempts.packets)
    }

    pub(super) fn mac_retries(&self, cx: &NodeCx<'_>) -> u64 {
        self.since(cx, |node| node.attempts.retries)
    }

    pub(super) fn mac_retry_drops(&self, cx: &NodeCx<'_>) -> u64 {
        self.since(cx, |node| node.attempts.retry_drops)
    }

    pub(super) fn airtime_s(&self, cx: &NodeCx<'_>) -> f64 {
        let [before, after] = self.of(cx);
        (after.airtime - before.airtime).as_secs()
    }

    fn rates(&self, cx: &NodeCx<'_>) -> RateCounts {
        let [before, after] = self.of(cx).map(|node| node.rates.map_or_else(RateCounts::default, |rates| *rates));
        after.since(before)
    }
}

/// A sum over a count; none of nothing.
pub(super) fn mean(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum / count as f64)
}

/// Share of the MPDUs sent that were not acknowledged; none where nothing was sent.
pub(super) fn loss_ratio(sent: u64, acknowledged: u64) -> Option<f64> {
    // What was sent in the warm-up may be acknowledged in the measured time.
    mean(sent.saturating_sub(acknowledged) as f64, sent)
}

/// Counters of all nodes and of the senders of all flows at one instant.
#[derive(Debug, Clone, Default)]
struct CounterSnapshot {
    nodes: Vec<Counters>,
    /// What each node has got from each neighbour, packets.
    received: Vec<Vec<(NodeId, u64)>>,
    senders: Vec<SenderStats>,
    /// Data packets of each flow that are neither received nor lost.
    in_flight: Vec<u64>,
}

impl CounterSnapshot {
    /// As they stand now; queues are measured since `from`.
    fn read(view: &mut impl NetworkView, (nodes, flows): (usize, usize), from: Time) -> Self {
        CounterSnapshot {
            nodes: (0..nodes as u32).map(|node| view.counters(NodeId(node), from)).collect(),
            received: (0..nodes as u32).map(|node| view.received_from(NodeId(node))).collect(),
            senders: (0..flows as u32).map(|flow| view.sender_stats(FlowId(flow)).unwrap_or_default()).collect(),
            in_flight: view.in_flight(flows),
        }
    }

    /// Data packets of a flow that are neither received nor lost; none before the first reading.
    fn in_flight(&self, flow: FlowId) -> u64 {
        self.in_flight.get(flow.index()).copied().unwrap_or_default()
    }

    /// Those of a node; zero before the first reading.
    fn node(&self, node: NodeId) -> Counters {
        self.nodes.get(node.index()).cloned().unwrap_or_default()
    }

    /// The links that have carried packets since `before`: receiver, sender, packets; in order.
    fn carried_since<'a>(&'a self, before: &'a CounterSnapshot) -> impl Iterator<Item = (NodeId, NodeId, u64)> + 'a {
        self.received.iter().enumerate().flat_map(move |(node, neighbours)| {
            let old = before.received.get(node).map_or(&[][..], Vec::as_slice);
            neighbours.iter().filter_map(move |&(from, packets)| {
                // Neighbours of a node are few, so no map is worth its memory.
                let earlier = old.iter().find(|(node, _)| *node == from).map_or(0, |(_, packets)| *packets);
                (packets > earlier).then(|| (NodeId(node as u32), from, packets - earlier))
            })
        })
    }

    /// Those of the sender of a flow; zero before the first reading, and for UDP.
    fn sender(&self, flow: FlowId) -> SenderStats {
        self.senders.get(flow.index()).copied().unwrap_or_default()
    }
}
