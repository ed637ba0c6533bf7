//! The metrics of a node.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::MetricKind::{Counts, Label};
use super::{Metric, measured};
use crate::metrics::NodeCx;

measured! {
    /// One node.
    pub struct NodeResult of "node" by NodeCx { run } {
        /// Number.
        id: u32 = run.counters => Metric::other(Label, "node");
        /// Node whose radio beyond the first this is; none of a node and its first radio.
        radio_of: Option<u64> = run.counters => Metric::other(Label, "radio of node");
        /// Channel of the radio, where channels are given.
        channel: Option<u64> = run.counters => Metric::other(Label, "channel");
        /// Time-weighted mean length of the interface queue.
        queue_mean: f64 = run.counters => Metric::sample("packets", "mean queue");
        /// Greatest length of the interface queue.
        queue_max: u32 = run.counters => Metric::sample("packets", "longest queue");
        /// RTS frames sent, repetitions included.
        rts_sent: u64 = run.counters => Metric::sample("", "RTS sent");
        /// Data frames sent, repetitions included.
        data_sent: u64 = run.counters => Metric::sample("", "data frames sent");
        /// Data frames to single stations, repetitions included, where a rate control chooses their rate: by rate in Mbit/s, or by
        /// mode of HT, VHT and HE.
        data_rates: BTreeMap<Cow<'static, str>, u64> = run.counters => Metric::other(Counts, "data frames by rate");
        /// Mean rate of those frames.
        data_rate_mbps: Option<f64> = run.counters => Metric::sample("Mbit/s", "mean data rate");
        /// MPDUs in the data PPDUs of a QoS station to single stations, repetitions included.
        mpdus_sent: Option<u64> = run.counters => Metric::sample("", "MPDUs sent");
        /// Of these, those that were sent before.
        mpdus_repeated: Option<u64> = run.counters => Metric::sample("", "MPDUs repeated");
        /// MPDUs of a QoS station that an ACK or a Block Ack has acknowledged, each once.
        mpdus_acknowledged: Option<u64> = run.counters => Metric::sample("", "MPDUs acknowledged");
        /// Share of the MPDUs sent that came to nothing: not acknowledged, or sent again though they had come.
        mpdu_loss_ratio: Option<f64> = run.counters => Metric::sample("", "MPDU loss ratio");
        /// Data PPDUs of a QoS station to single stations.
        data_ppdus: Option<u64> = run.counters => Metric::sample("", "data PPDUs sent");
        /// MPDUs of a data PPDU of a QoS station to a single station.
        mpdus_per_ppdu: Option<f64> = run.counters => Metric::sample("", "MPDUs of a data PPDU");
        /// Time on the air of those PPDUs.
        data_airtime_s: Option<f64> = run.counters => Metric::sample("s", "time of data on the air");
        /// Block Ack requests that a QoS station has sent.
        block_ack_requests: Option<u64> = run.counters => Metric::sample("", "Block Ack requests");
        /// MPDUs received that have waited in a reordering buffer, as others were missing before them.
        mpdus_reordered: Option<u64> = run.counters => Metric::sample("", "MPDUs reordered");
        /// Mean wait of those MPDUs.
        reorder_ms: Option<f64> = run.counters => Metric::sample("ms", "reordering delay");
        /// Longest wait of one of them.
        reorder_max_ms: Option<f64> = run.counters => Metric::sample("ms", "longest reordering delay");
        /// Mean wait of the packets of a QoS station, from when they come to the MAC until a PPDU takes them; of an A-MSDU the first.
        queue_ms: Option<f64> = run.counters => Metric::sample("ms", "wait in the queue");
        /// Accesses that a category of a QoS station lost to a higher one.
        internal_collisions: Option<u64> = run.counters => Metric::sample("", "internal collisions");
        /// Packets the MAC took on.
        mac_packets: u64 = run.counters => Metric::sample("packets", "packets at the MAC");
        /// Exchanges tried again.
        mac_retries: u64 = run.counters => Metric::sample("", "MAC retries");
        /// Packets given up at a retry limit.
        mac_retry_drops: u64 = run.counters => Metric::sample("packets", "MAC retry drops");
        /// Packets that found the interface queue full.
        queue_drops: u64 = run.drops => Metric::sample("packets", "queue drops");
        /// Packets that the link layer dropped to signal congestion.
        early_drops: u64 = run.drops => Metric::sample("packets", "early drops");
        /// Marks of congestion experienced that the link layer set: two for a packet that was marked on arrival and
        /// again at the head of the queue.
        ecn_marks: u64 = run.drops => Metric::sample("", "ECN marks");
        /// The same by the part of the layer.
        marks: BTreeMap<&'static str, u64> = run.drops => Metric::other(Counts, "marks");
        /// All drops by reason.
        drops: BTreeMap<&'static str, u64> = run.drops => Metric::other(Counts, "drops");
        /// Drops of packets with data (TCP's ACKs and routing messages left out) by reason.
        data_drops: BTreeMap<&'static str, u64> = run.drops => Metric::other(Counts, "data drops");
        /// Time on the air.
        airtime_s: f64 = run.counters => Metric::sample("s", "time on the air");
    }
}
