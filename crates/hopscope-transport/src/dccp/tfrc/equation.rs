//! The throughput equation of TFRC (RFC 5348 3.1), and its inverse (6.3.1).

/// Allowed rate in bytes/s: packets of `s` bytes, round trip and timeout in s, loss event rate `p`, one packet for each
/// acknowledgement (b = 1).
pub fn rate(s: f64, rtt: f64, rto: f64, p: f64) -> f64 {
    let halvings = rtt * (2.0 * p / 3.0).sqrt();
    let timeouts = rto * 3.0 * (3.0 * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p);
    s / (halvings + timeouts)
}

/// The loss event rate at which the equation gives this rate with a timeout of four round trips, from 1e-8 to 1.
pub fn loss_event_rate(s: f64, rtt: f64, bytes_per_s: f64) -> f64 {
    let (mut low, mut high) = (1e-8_f64, 1.0_f64);
    // The rate falls as p grows; sixty halvings of the exponent end below the resolution of a number.
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if rate(s, rtt, 4.0 * rtt, middle) > bytes_per_s {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low * high).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_numbers() {
        for (p, expected) in [(0.01, 164_005.0), (0.1, 25_843.0), (0.001, 560_412.0)] {
            let got = rate(1_460.0, 0.1, 0.4, p);
            assert!((got - expected).abs() < 1.0, "{p}: {got}");
        }
    }

    #[test]
    fn the_inverse_gives_back_the_rate() {
        for p in [1e-6, 1e-3, 0.02, 0.3, 1.0] {
            let back = loss_event_rate(1_460.0, 0.105, rate(1_460.0, 0.105, 0.42, p));
            assert!((back / p - 1.0).abs() < 1e-6, "{p} {back}");
        }
    }
}
