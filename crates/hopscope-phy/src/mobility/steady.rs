//! What a movement looks like after a long time: draws from distributions that time keeps.

use crate::config::mobility::MobilityConfig;
use hopscope_core::math;
use hopscope_core::rng::Stream;
use hopscope_core::units::Span;

/// A speed drawn evenly, as a node chooses it, m/s.
pub(super) fn chosen_speed(m: &MobilityConfig, rng: &mut Stream) -> f64 {
    m.speed_min + (m.speed_max - m.speed_min) * rng.uniform()
}

/// The speed of a node that is seen under way: on a way of given length a slow one is seen longer, so the density of
/// speeds falls with 1/v.
pub(super) fn seen_speed(m: &MobilityConfig, rng: &mut Stream) -> f64 {
    m.speed_min * math::pow(m.speed_max / m.speed_min, rng.uniform())
}

/// Mean of 1/v over the speeds that nodes choose, s/m.
pub(super) fn mean_slowness(m: &MobilityConfig) -> f64 {
    let width = m.speed_max - m.speed_min;
    // The quotient loses its digits where both speeds are nearly one.
    if width < 1e-9 * m.speed_max { 1.0 / m.speed_max } else { math::ln(m.speed_max / m.speed_min) / width }
}

/// A pause, as a node makes it.
pub(super) fn chosen_pause(m: &MobilityConfig, rng: &mut Stream) -> Span {
    m.pause + Span((m.pause_jitter.0 as f64 * rng.uniform()) as u64)
}

/// What is left of the pause of a node that is seen at rest: a long pause is seen more often, at any of its instants.
pub(super) fn left_of_pause(m: &MobilityConfig, rng: &mut Stream) -> Span {
    let (least, most) = (m.pause.0 as f64, (m.pause.0 + m.pause_jitter.0) as f64);
    let pause = (least * least + rng.uniform() * (most * most - least * least)).sqrt();
    Span((pause * rng.uniform()) as u64)
}

/// Mean pause, seconds.
pub(super) fn mean_pause(m: &MobilityConfig) -> f64 {
    m.pause.as_secs() + 0.5 * m.pause_jitter.as_secs()
}

/// Mean distance of two places drawn evenly over a rectangle, metres (Ghosh 1951).
pub(super) fn mean_distance([a, b]: [f64; 2]) -> f64 {
    let d = math::hypot(a, b);
    let straight = a.powi(3) / (b * b) + b.powi(3) / (a * a) + d * (3.0 - (a / b).powi(2) - (b / a).powi(2));
    let curved = b * b / a * (d / b).acosh() + a * a / b * (d / a).acosh();
    straight / 15.0 + curved / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::rng::Purpose;

    #[test]
    fn the_mean_distance_in_a_square_is_known() {
        // (2 + sqrt 2 + 5 ln(1 + sqrt 2)) / 15 of the side.
        let known = (2.0 + 2f64.sqrt() + 5.0 * (1.0 + 2f64.sqrt()).ln()) / 15.0;
        assert!((mean_distance([100.0, 100.0]) / 100.0 - known).abs() < 1e-12);
        // On a line it is a third.
        assert!((mean_distance([3000.0, 0.3]) / 1000.0 - 1.0).abs() < 1e-3);
        let mut rng = Stream::derive(1, 0, 0, Purpose::Mobility);
        let mut place = || [1500.0 * rng.uniform(), 300.0 * rng.uniform()];
        let mean = (0..200_000).map(|_| crate::mobility::leg::distance(place(), place())).sum::<f64>() / 2e5;
        assert!((mean / mean_distance([1500.0, 300.0]) - 1.0).abs() < 0.005, "{mean}");
    }

    #[test]
    fn what_is_left_of_a_pause_is_that_of_a_renewal() {
        // E[P^2] / 2 E[P]: 20 to 40 s, 9.33e2 / 60 s.
        let m = MobilityConfig {
            pause: Span::from_secs(20),
            pause_jitter: Span::from_secs(20),
            ..MobilityConfig::default()
        };
        let mut rng = Stream::derive(2, 0, 0, Purpose::Mobility);
        let mean = (0..100_000).map(|_| left_of_pause(&m, &mut rng).as_secs()).sum::<f64>() / 1e5;
        assert!((mean - 2800.0 / 3.0 / 60.0).abs() < 0.1, "{mean} s");
        assert_eq!(mean_pause(&m), 30.0);
    }
}
