//! Percentiles of many times without keeping them: a histogram whose classes grow with the value (HDR histogram).
//!
//! A value is given by the middle of its class, which is at most 1/128 of it wide: percentiles are those of the sorted
//! values to 0.4 %, and below 131 us to 0.26 us. Histograms of several flows or runs have the same classes and add up
//! without loss.

use hdrhistogram::Histogram;

use hopscope_core::units::Span;

/// Two significant digits: 128 classes for each doubling of the value.
const DIGITS: u8 = 2;
/// Times are distinguished down to the power of two below this, 512 ns.
const LEAST_NS: u64 = 1_000;

/// Times of one kind.
#[derive(Debug, Clone)]
pub struct Sketch(Histogram<u32>);

/// A class with values in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    /// Smallest value of the class, milliseconds.
    pub low_ms: f64,
    /// Smallest value of the next class, milliseconds.
    pub high_ms: f64,
    /// Values in it.
    pub count: u32,
}

impl Default for Sketch {
    fn default() -> Self {
        let mut histogram =
            // The smallest that is allowed: it grows with what comes.
            Histogram::new_with_bounds(LEAST_NS, 2 * LEAST_NS, DIGITS).expect("bounds and digits are in range");
        histogram.auto(true);
        Sketch(histogram)
    }
}

impl Sketch {
    /// Takes a time.
    #[inline]
    pub(super) fn record(&mut self, time: Span) {
        self.0.record(time.0).expect("a histogram that grows takes every value");
    }

    /// Takes all that another one has.
    pub fn merge(&mut self, other: &Sketch) {
        self.0.add(&other.0).expect("a histogram that grows holds every value");
    }

    /// The smallest time that at least so many per cent of all do not exceed, milliseconds; none without any.
    pub fn percentile_ms(&self, per_cent: f64) -> Option<f64> {
        // The crate gives the largest value of a class; the middle is off by half as much.
        (!self.0.is_empty()).then(|| self.0.median_equivalent(self.0.value_at_percentile(per_cent)) as f64 / 1e6)
    }

    /// The classes with values in them, in order.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        self.0.iter_recorded().map(|step| {
            let value = step.value_iterated_to();
            Bucket {
                low_ms: self.0.lowest_equivalent(value) as f64 / 1e6,
                high_ms: self.0.next_non_equivalent(value) as f64 / 1e6,
                count: step.count_at_value(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::rng::{Purpose, Stream};

    /// The order statistic of rank ceil(p n), exactly.
    fn exact_ms(sorted: &[u64], per_cent: f64) -> f64 {
        let rank = ((per_cent / 100.0 * sorted.len() as f64).ceil() as usize).max(1);
        sorted[rank - 1] as f64 / 1e6
    }

    fn drawn(seed: u64, count: usize, mean_s: f64) -> Vec<u64> {
        let mut rng = Stream::derive(seed, 0, 0, Purpose::Traffic);
        (0..count).map(|_| (rng.exponential(mean_s) * 1e9) as u64).collect()
    }

    #[test]
    fn percentiles_are_those_of_the_sorted_values_within_the_stated_error() {
        for (seed, count, mean_s) in [(1, 1, 0.1), (2, 7, 0.02), (3, 1_000, 0.5), (4, 20_000, 0.003), (5, 20_000, 20.0)]
        {
            let mut values = drawn(seed, count, mean_s);
            let mut sketch = Sketch::default();
            values.iter().for_each(|&ns| sketch.record(Span(ns)));
            values.sort_unstable();
            for per_cent in [0.1, 1.0, 25.0, 50.0, 90.0, 95.0, 99.0, 99.9, 100.0] {
                let (found, exact) = (sketch.percentile_ms(per_cent).expect("values"), exact_ms(&values, per_cent));
                let error = (exact / 256.0).max(0.000_256);
                assert!((found - exact).abs() <= error, "{count} x {mean_s} s, {per_cent} %: {found} against {exact}");
            }
        }
    }

    #[test]
    fn merged_sketches_are_the_sketch_of_all_values() {
        let (first, second) = (drawn(6, 3_000, 0.01), drawn(7, 500, 2.0));
        let sketch = |values: &[u64]| {
            let mut sketch = Sketch::default();
            values.iter().for_each(|&ns| sketch.record(Span(ns)));
            sketch
        };
        let mut merged = sketch(&first);
        merged.merge(&sketch(&second));
        let whole = sketch(&[first, second].concat());
        assert_eq!(merged.buckets().collect::<Vec<_>>(), whole.buckets().collect::<Vec<_>>());
        assert_eq!(merged.buckets().map(|bucket| u64::from(bucket.count)).sum::<u64>(), 3_500);
    }

    #[test]
    fn classes_join_and_nothing_has_no_percentile() {
        assert_eq!(Sketch::default().percentile_ms(50.0), None);
        let mut sketch = Sketch::default();
        [0, 100, 1_000_000, 1_000_000_000, u64::MAX / 4].iter().for_each(|&ns| sketch.record(Span(ns)));
        let buckets: Vec<Bucket> = sketch.buckets().collect();
        assert_eq!(buckets.iter().map(|bucket| bucket.count).sum::<u32>(), 5);
        assert!(buckets.iter().all(|bucket| bucket.low_ms < bucket.high_ms));
        assert!(buckets.windows(2).all(|pair| pair[0].high_ms <= pair[1].low_ms));
    }
}
