//! The meter: a recorder that turns records into the metrics of a run.
//!
//! Definitions: throughput counts payload handed up in order, duplicates excluded; goodput leaves out what came in
//! retransmitted copies; delay runs per copy from the sending to the receiving transport; jitter is the mean of
//! |d(i+1) - d(i)| over received copies (afrakhteh2005 3.2.2) and the smoothed form of RFC 3550 A.8; loss is the share
//! of copies lost among those whose outcome is known at the end; the retransmission index is retransmissions over
//! non-duplicate copies received (anastasi2006).
//!
//! Metrics that count the same things are a family (`family.rs`): one file with what it takes from records and what
//! results take from it. The tables ([`tables`]) say of each metric what everybody else knows of it.

mod acks;
mod bursts;
mod completion;
mod counters;
mod delay;
mod delivery;
mod drops;
mod family;
mod label;
mod level;
mod outcomes;
mod paths;
mod repairs;
mod routes;
mod routing;
mod rtt;
pub mod series;
mod sharing;
mod sketch;
mod starvation;
pub mod tables;
#[cfg(test)]
mod test;
mod voice;
mod window;

use crate::config::Config;
use crate::record::{Classes, NetworkView, Record, Recorder};
use hopscope_core::ids::FlowId;
use hopscope_core::units::Time;

use acks::Acks;
use bursts::Departures;
use completion::{AllActive, Completion};
use counters::MachineCounters;
use delay::Delay;
use delivery::Delivery;
use drops::Drops;
pub(crate) use family::{FlowCx, NodeCx};
use family::{FlowFamily, RunCx, RunFamily};
pub(crate) use label::FlowLabel;
pub use label::TransportName;
use level::Level;
use outcomes::Outcomes;
pub(crate) use paths::PathLengths;
use repairs::SpuriousRetransmissions;
use routes::FlowRoutes;
use routing::Routing;
use rtt::Rtt;
use series::SeriesSet;
use sharing::Fairness;
pub(crate) use sketch::Sketch;
use starvation::Starvation;
use voice::Voice;
use window::Window;

macro_rules! flow_families {
    ($($(#[doc = $doc:literal])+ $name:ident: $family:ty,)+) => {
        /// What was measured of one flow, family by family. Those stand first that every packet changes, and share as
        /// few cache lines as they can: in a field of many flows, other flows take the cache between two of its
        /// packets.
        #[derive(Debug, Clone)]
        #[repr(C, align(64))]
        pub(crate) struct FlowMeter { $($(#[doc = $doc])+ pub(crate) $name: $family,)+ }

        impl FlowFamily for FlowMeter {
            fn begin(config: &Config, flow: &crate::config::FlowConfig) -> Self {
                FlowMeter { $($name: FlowFamily::begin(config, flow),)+ }
            }

            #[inline(always)]
            fn record(&mut self, now: Time, record: &Record, series: &mut SeriesSet) {
                $(self.$name.record(now, record, series);)+
            }

            fn sample(&mut self, now: Time, flow: FlowId, series: &mut SeriesSet) {
                $(self.$name.sample(now, flow, series);)+
            }

            fn restart(&mut self, now: Time) {
                $(FlowFamily::restart(&mut self.$name, now);)+
            }

            fn close(&mut self, now: Time) {
                $(FlowFamily::close(&mut self.$name, now);)+
            }
        }
    };
}

flow_families! {
    /// What was sent and received.
    delivery: Delivery,
    /// One-way delays.
    delay: Delay,
    /// When it delivered its first and its last payload.
    completion: Completion,
    /// When its data segments left.
    departures: Departures,
    /// The time in which it got nothing.
    starvation: Starvation,
    /// Its ACKs.
    acks: Acks,
    /// Its window.
    window: Window,
    /// Round-trip times.
    rtt: Rtt,
    /// Hops of the copies received, where they are counted.
    paths: PathLengths,
    /// Speech.
    voice: Voice,
}

macro_rules! run_families {
    ($($(#[doc = $doc:literal])+ $name:ident: $family:ty,)+) => {
        /// What was measured of the run beyond each flow, family by family.
        #[derive(Debug, Clone)]
        pub(crate) struct RunMeter { $($(#[doc = $doc])+ pub(crate) $name: $family,)+ }

        impl RunFamily for RunMeter {
            fn begin(config: &Config, series: &mut SeriesSet) -> Self {
                RunMeter { $($name: RunFamily::begin(config, series),)+ }
            }

            #[inline(always)]
            fn record(&mut self, record: &Record, cx: &mut RunCx<'_, impl NetworkView>) {
                $(self.$name.record(record, cx);)+
            }

            fn restart(&mut self, now: Time, view: &mut impl NetworkView) {
                $(self.$name.restart(now, view);)+
            }

            fn close(&mut self, now: Time, start: Time, series: &mut SeriesSet, view: &mut impl NetworkView) {
                $(self.$name.close(now, start, series, view);)+
            }
        }
    };
}

run_families! {
    /// Fairness over time.
    fairness: Fairness,
    /// The time in which all flows were active.
    all_active: AllActive,
    /// What was sent again for nothing.
    repairs: SpuriousRetransmissions,
    /// Packets lost and marked.
    drops: Drops,
    /// Routing protocol.
    routing: Routing,
    /// Routes of the flows.
    routes: FlowRoutes,
    /// What machines count themselves.
    counters: MachineCounters,
}

/// Metrics of a run.
#[derive(Debug, Clone)]
pub struct Meter {
    start: Time,
    flows: Vec<FlowMeter>,
    run: RunMeter,
    series: SeriesSet,
}

impl Meter {
    /// A meter for a configuration; it counts from the start until the measured time begins.
    pub fn new(config: &Config) -> Self {
        let config = &*config.measured();
        let mut series = SeriesSet::new(config);
        Meter {
            start: Time::ZERO,
            flows: config.flows.iter().map(|flow| FlowMeter::begin(config, flow)).collect(),
            run: RunMeter::begin(config, &mut series),
            series,
        }
    }

    /// Forgets everything counted so far and counts from `now`. Series are kept whole.
    fn restart(&mut self, now: Time, view: &mut impl NetworkView) {
        self.start = now;
        self.flows.iter_mut().for_each(|flow| flow.restart(now));
        self.run.restart(now, view);
    }

    /// Accounts everything up to `now`.
    pub(crate) fn close(&mut self, now: Time, view: &mut impl NetworkView) {
        self.run.close(now, self.start, &mut self.series, view);
        self.flows.iter_mut().for_each(|flow| flow.close(now));
    }

    /// Start of the measured time.
    pub(crate) fn start(&self) -> Time {
        self.start
    }

    /// What was measured of a flow.
    pub(crate) fn flow(&self, number: u32) -> &FlowMeter {
        &self.flows[number as usize]
    }

    /// What was measured of every flow.
    pub(crate) fn flows(&self) -> &[FlowMeter] {
        &self.flows
    }

    /// What was measured beyond each flow.
    pub(crate) fn run(&self) -> &RunMeter {
        &self.run
    }

    /// The series that were asked for.
    pub(crate) fn series(&self) -> &SeriesSet {
        &self.series
    }

    /// What became of the copies of a flow; the meter is closed.
    fn outcomes(&self, flow: u32) -> Outcomes {
        self.run.outcomes(FlowId(flow), &self.flow(flow).delivery)
    }
}

impl Recorder for Meter {
    const WANTS: Classes = Classes::DROPS
        .and(Classes::TRANSPORT)
        .and(Classes::WINDOWS)
        .and(Classes::ROUTING)
        .and(Classes::SAMPLES)
        .and(Classes::RUN);

    // The caller's kind of record is known where it is written: of the choice nothing is left.
    #[inline(always)]
    fn record(&mut self, now: Time, record: &Record, view: &mut impl NetworkView) {
        match *record {
            Record::MeasureBegan => self.restart(now, view),
            Record::SampleEnd => {
                for (number, flow) in self.flows.iter_mut().enumerate() {
                    flow.sample(now, FlowId(number as u32), &mut self.series);
                }
            }
            Record::QueueLength { node, packets } => {
                self.series.push(crate::config::SeriesKind::Queue, node.0, now, f64::from(packets));
            }
            _ => {
                // Flows first: families of the run see what the record has made of them.
                // Packets of no flow have a number beyond all.
                let flow = record.flow().and_then(|flow| self.flows.get_mut(flow.index()));
                if let Some(flow) = flow {
                    flow.record(now, record, &mut self.series);
                }
                self.run.record(record, &mut RunCx { now, flows: &self.flows, series: &mut self.series, view });
            }
        }
    }
}
