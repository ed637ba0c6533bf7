//! What the routing protocol did: its messages, searches and lost neighbours.

use std::collections::BTreeMap;

use super::tables::NetworkCx;
use super::{RunCx, RunFamily, SeriesSet};
use crate::config::Config;
use crate::record::{NetworkView, Record};
use hopscope_core::units::Time;
use hopscope_net::routing::RoutingNote;

/// Counts of all nodes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Routing {
    /// Messages sent by kind.
    kinds: BTreeMap<&'static str, u64>,
    /// Bytes of messages sent.
    bytes: u64,
    /// Routes taken into use or lost.
    changes: u64,
    /// Searches that found a route.
    discoveries: u64,
    /// Their time in all, nanoseconds.
    discovery_ns: u128,
    /// Searches given up.
    failed_discoveries: u64,
    /// Neighbours taken for gone.
    link_failures: u64,
    /// The part of them that were in range.
    false_link_failures: u64,
}

impl RunFamily for Routing {
    fn begin(_config: &Config, _series: &mut SeriesSet) -> Self {
        Routing::default()
    }

    #[inline(always)]
    fn record(&mut self, record: &Record, _cx: &mut RunCx<'_, impl NetworkView>) {
        match *record {
            Record::RoutingSent { kind, bytes, .. } => {
                *self.kinds.entry(kind).or_default() += 1;
                self.bytes += u64::from(bytes);
            }
            Record::Routing { note, in_range, .. } => self.on_note(note, in_range),
            _ => {}
        }
    }

    fn restart(&mut self, _now: Time, _view: &mut impl NetworkView) {
        *self = Routing::default();
    }
}

impl Routing {
    fn on_note(&mut self, note: RoutingNote, in_range: bool) {
        match note {
            RoutingNote::RouteUp { .. } | RoutingNote::RouteDown { .. } => self.changes += 1,
            // A change of length or quality alone is no other route, and a search counts when it ends.
            RoutingNote::HopsChanged { .. } | RoutingNote::LinkQuality { .. } | RoutingNote::SearchStarted { .. } => {}
            RoutingNote::SearchDone { latency, .. } => {
                self.discoveries += 1;
                self.discovery_ns += u128::from(latency.0);
            }
            RoutingNote::SearchFailed { .. } => self.failed_discoveries += 1,
            RoutingNote::LinkLost { .. } => {
                self.link_failures += 1;
                // In range of the radio, so the loss was one of contention, not of a neighbour that has left.
                self.false_link_failures += u64::from(in_range);
            }
        }
    }
}

/// The metrics.
impl Routing {
    pub(super) fn routing_packets(&self, _cx: &NetworkCx<'_>) -> u64 {
        self.kinds.values().sum()
    }

    pub(super) fn routing_bytes(&self, _cx: &NetworkCx<'_>) -> u64 {
        self.bytes
    }

    pub(super) fn routing_kinds(&self, _cx: &NetworkCx<'_>) -> BTreeMap<&'static str, u64> {
        self.kinds.clone()
    }

    pub(super) fn route_changes(&self, _cx: &NetworkCx<'_>) -> u64 {
        self.changes
    }

    pub(super) fn discoveries(&self, _cx: &NetworkCx<'_>) -> u64 {
        self.discoveries
    }

    pub(super) fn discovery_ms(&self, _cx: &NetworkCx<'_>) -> Option<f64> {
        (self.discoveries > 0).then(|| self.discovery_ns as f64 / self.discoveries as f64 / 1e6)
    }

    pub(super) fn failed_discoveries(&self, _cx: &NetworkCx<'_>) -> u64 {
        self.failed_discoveries
    }

    pub(super) fn link_failures(&self, _cx: &NetworkCx<'_>) -> u64 {
        self.link_failures
    }

    pub(super) fn false_link_failures(&self, _cx: &NetworkCx<'_>) -> u64 {
        self.false_link_failures
    }
}
