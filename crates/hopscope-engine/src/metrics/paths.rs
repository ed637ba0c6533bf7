//! How long paths are, compared with the shortest ones (Broch et al. 1998, section 5.3: path optimality).

use super::{FlowCx, FlowFamily, SeriesSet};
use crate::config::{Config, FlowConfig};
use crate::record::Record;
use hopscope_core::units::Time;

/// Hops of the copies of data packets that a flow has received.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PathLengths {
    copies: u64,
    hops: u64,
    /// Copies received while there was a path at all.
    compared: u64,
    /// What those took beyond the shortest path. Below zero where the path has grown behind them.
    beyond_shortest: i64,
}

impl FlowFamily for PathLengths {
    fn begin(_config: &Config, _flow: &FlowConfig) -> Self {
        PathLengths::default()
    }

    #[inline(always)]
    fn record(&mut self, _now: Time, record: &Record, _series: &mut SeriesSet) {
        if let Record::PathTaken { hops, shortest, .. } = *record {
            self.on_packet(hops, shortest);
        }
    }

    fn restart(&mut self, _now: Time) {
        *self = PathLengths::default();
    }
}

/// The metrics of a flow.
impl PathLengths {
    pub(super) fn mean_hops(&self, _cx: &FlowCx<'_>) -> Option<f64> {
        self.mean()
    }

    pub(super) fn extra_hops(&self, _cx: &FlowCx<'_>) -> Option<f64> {
        self.extra()
    }
}

impl PathLengths {
    /// A copy came over so many hops; `shortest`: those of the shortest path at this instant, if there is one.
    fn on_packet(&mut self, hops: u32, shortest: Option<u32>) {
        self.copies += 1;
        self.hops += u64::from(hops);
        // Without one the ends are apart by now; such packets have hops, but nothing to compare them with.
        if let Some(shortest) = shortest {
            self.compared += 1;
            // Below zero where nodes have moved since the packet went: the shortest path is that of its arrival.
            self.beyond_shortest += i64::from(hops) - i64::from(shortest);
        }
    }

    /// Counts in the copies of another flow.
    #[must_use]
    pub(crate) fn and(mut self, other: &PathLengths) -> Self {
        self.copies += other.copies;
        self.hops += other.hops;
        self.compared += other.compared;
        self.beyond_shortest += other.beyond_shortest;
        self
    }

    /// Mean hops of a copy.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.copies > 0).then(|| self.hops as f64 / self.copies as f64)
    }

    /// Mean hops of a copy beyond the shortest path.
    pub(super) fn extra(&self) -> Option<f64> {
        (self.compared > 0).then(|| self.beyond_shortest as f64 / self.compared as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hops_beyond_the_shortest_path_count_where_there_is_one() {
        let mut paths = PathLengths::default();
        assert_eq!((paths.mean(), paths.extra()), (None, None));
        paths.on_packet(4, Some(2));
        paths.on_packet(3, Some(3));
        // The nodes have parted behind it, then lost each other.
        paths.on_packet(2, Some(3));
        paths.on_packet(7, None);
        assert_eq!((paths.mean(), paths.extra()), (Some(4.0), Some(1.0 / 3.0)));
        // Together with one that has gone two hops too far.
        let mut other = PathLengths::default();
        other.on_packet(4, Some(2));
        let both = paths.and(&other);
        assert_eq!((both.mean(), both.extra()), (Some(4.0), Some(0.75)));
    }
}
