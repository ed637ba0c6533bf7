//! What a page keeps of a run: records as lines of JSON, what the airtime ledger wants, and a few counters.

use hopscope_core::units::Time;
use hopscope_engine::ledger::Ledger;
use hopscope_engine::record::{Classes, NetworkView, Record, Recorder, TrajectoryHash};
use hopscope_engine::trace::{Filter, Form, RecordTrace};
use hopscope_page::{Received, only};

/// One observer for every use: each other would be the engine once more in what is loaded.
#[derive(Debug)]
pub(crate) struct PageRecorder {
    /// None: no record is kept.
    trace: Option<RecordTrace<String>>,
    /// Where the scenario asks for it.
    pub(crate) ledger: Option<Ledger>,
    pub(crate) hash: TrajectoryHash,
    frames: u64,
    /// So many records and frames are enough.
    enough: (u64, u64),
    pub(crate) received: Received,
}

impl PageRecorder {
    pub(crate) fn new(filter: Option<Filter>, ledger: Option<Ledger>, flows: usize) -> Self {
        let trace = Some(RecordTrace::new(Form::Json, filter.unwrap_or_else(|| only(Vec::new())), String::new()));
        PageRecorder {
            trace,
            ledger,
            hash: TrajectoryHash::default(),
            frames: 0,
            enough: (u64::MAX, u64::MAX),
            received: Received::of(flows),
        }
    }

    /// One that writes no records, for runs that nobody watches.
    pub(crate) fn silent(ledger: Option<Ledger>, flows: usize) -> Self {
        PageRecorder {
            trace: None,
            ledger,
            hash: TrajectoryHash::default(),
            frames: 0,
            enough: (u64::MAX, u64::MAX),
            received: Received::of(flows),
        }
    }

    pub(crate) fn keep(&mut self, filter: Option<Filter>) {
        if let Some(trace) = &mut self.trace {
            trace.set_filter(filter.unwrap_or_else(|| only(Vec::new())));
        }
    }

    /// So many more records or frames are enough for now.
    pub(crate) fn stop_after(&mut self, records: Option<u32>, frames: Option<u32>) {
        let end = |now: u64, more: Option<u32>| more.map_or(u64::MAX, |more| now + u64::from(more));
        self.enough = (end(self.written(), records), end(self.frames, frames));
    }

    /// Records written so far.
    pub(crate) fn written(&self) -> u64 {
        self.trace.as_ref().map_or(0, RecordTrace::written)
    }

    /// The lines since the last call.
    pub(crate) fn take_lines(&mut self) -> String {
        self.trace.as_mut().map_or_else(String::new, |trace| std::mem::take(trace.flushed()))
    }
}

impl Recorder for PageRecorder {
    const WANTS: Classes = Classes::ALL;

    fn overhears(&self) -> bool {
        // Nobody sees it where nothing is written, and it costs more than all the rest.
        self.trace.is_some()
    }

    fn goes_on(&self) -> bool {
        self.written() < self.enough.0 && self.frames < self.enough.1
    }

    fn record(&mut self, now: Time, record: &Record, view: &mut impl NetworkView) {
        if let Record::FrameBegan { .. } = record {
            self.frames += 1;
            self.hash.record(now, record, &mut view.lend());
        }
        self.received.note(record);
        if let Some(ledger) = &mut self.ledger {
            ledger.record(now, record, &mut view.lend());
        }
        if let Some(trace) = &mut self.trace {
            trace.record(now, record, view);
        }
    }
}
