//! What a time series is, for everybody who shows one: figures, tables, pages and the columns of results.

use serde::Serialize;

use crate::config::{Config, SeriesKind};
use hopscope_core::units::{Span, Time};

/// One time series: owner (flow or node), instant, value.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// Flow or node number.
    pub owner: Vec<u32>,
    /// Instant.
    pub time: Vec<Time>,
    /// Value in the unit of the series.
    pub value: Vec<f64>,
}

/// The series that a run keeps. They are of the whole run: the warm-up is not left out.
#[derive(Debug, Clone)]
pub struct SeriesSet {
    kept: [Option<Series>; SeriesKind::ALL.len()],
    interval: Span,
}

impl SeriesSet {
    /// Those that a configuration asks for.
    pub(super) fn new(config: &Config) -> Self {
        let keep = |kind| config.series.keep.contains(&kind).then(Series::default);
        SeriesSet { kept: SeriesKind::ALL.map(keep), interval: config.series.interval }
    }

    /// A series that was asked for.
    pub fn of(&self, kind: SeriesKind) -> Option<&Series> {
        self.kept[kind as usize].as_ref()
    }

    /// Time between two samples.
    pub(super) fn interval(&self) -> Span {
        self.interval
    }

    /// Adds a value, where the series was asked for.
    pub(super) fn push(&mut self, kind: SeriesKind, owner: u32, time: Time, value: f64) {
        if let Some(series) = &mut self.kept[kind as usize] {
            series.owner.push(owner);
            series.time.push(time);
            series.value.push(value);
        }
    }
}

/// A time series as tables, figures and pages show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeriesEntry {
    /// Its name in scenarios and results.
    pub name: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// Unit of its values.
    pub unit: &'static str,
    /// Heading of an axis, without the unit.
    pub heading: &'static str,
    /// What has one of its own, and the column with its number; empty: the network as a whole.
    pub owner: &'static str,
    /// What a value says of the time around its instant.
    pub course: Interpolation,
}

/// What a value of a series says of the time around its instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Interpolation {
    /// It holds until the next, the last until the end of the run.
    Changes,
    /// It was read at its instant, at the ends of intervals.
    Readings,
    /// It belongs to the interval that ends at its instant.
    Intervals,
    /// It was measured at its instant; of the time between two nothing is known.
    Samples,
}

impl SeriesKind {
    /// What it is.
    pub fn entry(self) -> SeriesEntry {
        let (heading, unit, owner, course) = match self {
            SeriesKind::Cwnd => ("congestion window", "segments", "flow", Interpolation::Changes),
            SeriesKind::AckWindow => ("delay window of the receiver", "segments", "flow", Interpolation::Changes),
            SeriesKind::Rate => ("sending rate", "packets/s", "flow", Interpolation::Changes),
            SeriesKind::Rtt => ("round-trip time", "s", "flow", Interpolation::Samples),
            SeriesKind::Queue => ("interface queue", "packets", "node", Interpolation::Readings),
            SeriesKind::Throughput => ("throughput", "kbit/s", "flow", Interpolation::Intervals),
            SeriesKind::Route => ("route at the source", "1: there is one", "flow", Interpolation::Changes),
            SeriesKind::Fairness => ("Jain's index", "", "", Interpolation::Intervals),
        };
        // The doc comment of the variant is what users read.
        let doc = Self::WORDS.iter().find(|(word, _)| *word == self.word()).map_or("", |(_, doc)| doc);
        SeriesEntry { name: self.word(), doc, unit, heading, owner, course }
    }
}

/// Every time series that a run can keep.
pub fn series() -> Vec<SeriesEntry> {
    SeriesKind::ALL.into_iter().map(SeriesKind::entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_series_says_what_it_is() {
        let all = series();
        let words: Vec<&str> = SeriesKind::WORDS.iter().map(|(word, _)| *word).collect();
        assert_eq!(all.iter().map(|entry| entry.name).collect::<Vec<_>>(), words);
        assert!(all.iter().all(|entry| entry.doc.len() > 20 && !entry.heading.is_empty()), "{all:?}");
        let owned = |owner| all.iter().filter(|entry| entry.owner == owner).count();
        assert_eq!((owned("flow"), owned("node"), owned("")), (6, 1, 1));
    }
}
