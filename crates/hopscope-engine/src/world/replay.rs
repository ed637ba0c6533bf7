//! What was measured of links, replayed over the radio: each value holds from its instant to the next one of its link.

use std::collections::BTreeMap;

use super::World;
use crate::config::LinkTraces;
use crate::record::{Record, Recorder};
use hopscope_core::event::Event;
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use hopscope_phy::channel::Medium;
use hopscope_phy::channel::medium::TracedLink;
use hopscope_phy::config::radio::watts;
use hopscope_phy::config::traces::{Sample, Untraced};

/// Traces, and how much of them lies behind.
#[derive(Debug)]
pub(super) struct Replay {
    traces: LinkTraces,
    next_rssi: usize,
    next_loss: usize,
}

impl Replay {
    pub(super) fn new(traces: LinkTraces) -> Self {
        Replay { traces, next_rssi: 0, next_loss: 0 }
    }

    /// When one of them changes next.
    fn due(&self) -> Option<Time> {
        let next = [self.traces.rssi.get(self.next_rssi), self.traces.loss.get(self.next_loss)];
        next.into_iter().flatten().map(|sample| sample.0).min()
    }
}

/// What is due of a trace from a place on.
fn due<'t>(samples: &'t [Sample], next: &mut usize, now: Time) -> &'t [Sample] {
    let rest = &samples[*next..];
    let count = rest.partition_point(|sample| sample.0 <= now);
    *next += count;
    &rest[..count]
}

/// Shows a medium the mean power of every link that traces cover: the ways of static routes follow these.
pub(super) fn announce(traces: &LinkTraces, medium: &mut Medium) {
    if traces.is_empty() {
        return;
    }
    // Before any power is applied: links that no trace covers may have to go.
    medium.follow_traces(traces.untraced == Untraced::Absent);
    let mut sums: BTreeMap<[u32; 2], (f64, f64)> = BTreeMap::new();
    for &Sample(_, from, to, dbm) in &traces.rssi {
        let (sum, count) = sums.entry([from, to]).or_default();
        // In watts: the mean of powers, not that of their logarithms.
        (*sum, *count) = (*sum + watts(dbm), *count + 1.0);
    }
    let there = |&Sample(_, from, to, _): &Sample| (NodeId(from), NodeId(to), None);
    let powers = sums.into_iter().map(|([from, to], (sum, count))| (NodeId(from), NodeId(to), Some(sum / count)));
    let traced: Vec<TracedLink> = traces.loss.iter().map(there).chain(powers).collect();
    medium.apply_traced(&traced);
}

impl<R: Recorder> World<R> {
    /// Traces take effect.
    pub(super) fn begin_replay(&mut self) {
        if !self.replay.traces.is_empty() {
            self.medium.follow_traces(self.replay.traces.untraced == Untraced::Absent);
            self.on_replay();
        }
    }

    /// Traces change.
    #[cold]
    pub(super) fn on_replay(&mut self) {
        // Out of the world, which records need as a whole.
        let traces = std::mem::take(&mut self.replay.traces);
        let mut traced: Vec<TracedLink> = Vec::new();
        for &Sample(_, from, to, dbm) in due(&traces.rssi, &mut self.replay.next_rssi, self.now) {
            let (node, peer) = (NodeId(from), NodeId(to));
            traced.push((node, peer, Some(watts(dbm))));
            self.note(Record::LinkTraced { node, peer, rssi: Some(dbm), loss: None });
        }
        for &Sample(_, from, to, loss) in due(&traces.loss, &mut self.replay.next_loss, self.now) {
            let (node, peer) = (NodeId(from), NodeId(to));
            let of_run = (&self.settings.radio, self.settings.seed, self.nodes.len());
            self.channel.set_link_loss([node, peer], loss, of_run);
            traced.push((node, peer, None));
            self.note(Record::LinkTraced { node, peer, rssi: None, loss: Some(loss) });
        }
        self.replay.traces = traces;
        self.medium.apply_traced(&traced);
        self.report_change();
        if let Some(at) = self.replay.due() {
            self.events.push(at, Event::Replay);
        }
    }
}
