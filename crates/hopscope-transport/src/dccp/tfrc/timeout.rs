//! The retransmission timeout in the throughput equation (RFC 5348 3.1): nothing is repeated by it.

use crate::config::DccpConfig;
use crate::config::dccp::TfrcRto;
use hopscope_core::units::Span;

/// Least timeout where one of a second is kept to.
const SECOND: f64 = 1.0;

/// The rule and what it has measured.
#[derive(Debug, Clone)]
pub struct Timeout {
    rule: TfrcRto,
    /// Least value by RFC 6298, s.
    least: f64,
    tick: Span,
    /// Smoothed round trip and its variation in s (RFC 6298).
    smoothed: Option<(f64, f64)>,
    /// Eight times the one and four times the other in ticks.
    ticks: Option<(u64, u64)>,
}

impl Timeout {
    /// Nothing measured.
    pub fn new(cfg: &DccpConfig) -> Self {
        Timeout {
            rule: cfg.tfrc_rto,
            least: cfg.min_rto.as_secs(),
            tick: cfg.tfrc_rto_tick,
            smoothed: None,
            ticks: None,
        }
    }

    /// A round trip was measured.
    pub fn sample(&mut self, rtt: Span) {
        let s = rtt.as_secs();
        self.smoothed = Some(match self.smoothed {
            None => (s, s / 2.0),
            Some((srtt, var)) => (srtt + (s - srtt) / 8.0, var + ((s - srtt).abs() - var) / 4.0),
        });
        // Scaled by 8 and 4 in whole ticks (Jacobson 1988). A round trip below a tick counts as one.
        let n = ((rtt.0 + self.tick.0 / 2) / self.tick.0.max(1)).max(1);
        self.ticks = Some(match self.ticks {
            None => (8 * n, 2 * n),
            Some((srtt8, var4)) => {
                let srtt = srtt8 / 8;
                ((srtt8 + n - srtt).max(1), (var4 + n.abs_diff(srtt) - var4 / 4).max(1))
            }
        });
    }

    /// The timeout at an average round trip, both in s.
    pub fn get(&self, rtt: f64) -> f64 {
        match self.rule {
            TfrcRto::FourRtt => 4.0 * rtt,
            TfrcRto::Second => (4.0 * rtt).max(SECOND),
            TfrcRto::Rfc6298 => self.smoothed.map_or(4.0 * rtt, |(srtt, var)| (srtt + 4.0 * var).max(self.least)),
            TfrcRto::Ticks => self.ticks.map_or(4.0 * rtt, |(srtt8, var4)| {
                let ticks = (8 * var4 + srtt8) / 8;
                ticks as f64 * self.tick.as_secs()
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(rule: TfrcRto, samples: &[u64]) -> f64 {
        let mut timeout = Timeout::new(&DccpConfig { tfrc_rto: rule, ..DccpConfig::default() });
        samples.iter().for_each(|ms| timeout.sample(Span::from_millis(*ms)));
        (timeout.get(0.1) * 1e6).round() / 1e6
    }

    #[test]
    fn each_rule_has_its_worked_numbers() {
        assert_eq!(after(TfrcRto::FourRtt, &[300]), 0.4);
        assert_eq!(after(TfrcRto::Second, &[300]), 1.0);
        assert_eq!(after(TfrcRto::Rfc6298, &[80, 40]), 0.235, "as RFC 6298 in the other controls: 75 and 4 * 40 ms");
        assert_eq!(after(TfrcRto::Rfc6298, &[20]), 0.2, "the least");
        // Ticks of 0.1 s: one each; 8, 2: 3 ticks; then 8, 2.
        assert_eq!(after(TfrcRto::Ticks, &[105]), 0.3);
        assert_eq!(after(TfrcRto::Ticks, &[105, 25]), 0.3);
        // Four ticks: 32, 8: 12; then 32, 6: 10; 32, 5: 9 and so on down to 32, 3: 7.
        assert_eq!([1, 2, 3, 9].map(|n| after(TfrcRto::Ticks, &[405; 9][..n])), [1.2, 1.0, 0.9, 0.7]);
    }
}
