//! Quality of speech by the E-model, simplified: the rating R and the mean opinion score (ITU-T G.107).
//!
//! `R = 93.2 - Id - Ie,eff`. The impairment by delay is that of Cole and Rosenbluth (2001):
//! `Id = 0.024 d + 0.11 (d - 177.3)`, the second term from 177.3 ms on, with `d` the time in ms from mouth to ear. The
//! impairment by the codec and by losses is that of G.107 for losses at random:
//! `Ie,eff = Ie + (95 - Ie) Ppl / (Ppl + Bpl)`, with `Ie` and `Bpl` of G.113, Appendix I.
//!
//! The receiver plays each packet a fixed time after it was spoken, and what comes later is lost. That time is the one
//! that gives the best rating, as a de-jitter buffer would choose that knew the delays: longer costs by delay, shorter
//! by loss. Echo, noise and loudness are those of G.107's defaults, which are in the 93.2.

use super::{FlowCx, FlowFamily, Sketch};
use crate::config::{App, Codec, Config, FlowConfig};

/// Speech of a flow; what it is rated by is counted by other families.
#[derive(Debug, Clone)]
pub(crate) struct Voice {
    /// Its codec, and the milliseconds of it in a packet; none: it is no speech.
    speech: Option<(Codec, f64)>,
}

impl FlowFamily for Voice {
    fn begin(_config: &Config, flow: &FlowConfig) -> Self {
        let speech = match flow.app {
            // Bytes over bit/s, in milliseconds.
            App::OnOff { rate, codec: Some(codec), .. } => Some((codec, 8e3 * f64::from(flow.packet) / rate)),
            _ => None,
        };
        Voice { speech }
    }
}

/// The metrics.
impl Voice {
    pub(super) fn r_factor(&self, cx: &FlowCx<'_>) -> Option<f64> {
        let (codec, packet_ms) = self.speech?;
        rating(codec, packet_ms, cx.run.outcomes(cx.id(), &cx.flow.delivery).decided(), &cx.flow.delay.delays)
    }

    pub(super) fn mos(&self, cx: &FlowCx<'_>) -> Option<f64> {
        self.r_factor(cx).map(opinion)
    }
}

/// The rating without delay, loss or coding.
const BEST: f64 = 93.2;

/// Impairment by the coding, robustness against loss, and milliseconds of speech that the coder looks ahead.
const fn impairment(codec: Codec) -> (f64, f64, f64) {
    match codec {
        Codec::G711Plc => (0.0, 25.1, 0.0),
        Codec::G711 => (0.0, 4.3, 0.0),
        Codec::G729a => (11.0, 19.0, 5.0),
    }
}

/// The rating of speech of which `decided` packets of `packet_ms` were received or lost, and these were received; none
/// where nothing is decided.
fn rating(codec: Codec, packet_ms: f64, decided: u64, delays: &Sketch) -> Option<f64> {
    if decided == 0 {
        return None;
    }
    let (_, _, ahead) = impairment(codec);
    let mut played = 0;
    let best = delays
        .buckets()
        .map(|bucket| {
            // Played as late as this class, all before it are heard and the rest is lost.
            played += u64::from(bucket.count);
            // A copy that the network has doubled may be received twice.
            let lost = 100.0 * (1.0 - (played as f64 / decided as f64).min(1.0));
            rated(codec, packet_ms + ahead + bucket.high_ms, lost)
        })
        .fold(0.0, f64::max);
    Some(best)
}

/// The rating at a time from mouth to ear, milliseconds, and a share of lost packets, per cent; between 0 and 100.
fn rated(codec: Codec, delay_ms: f64, loss_pct: f64) -> f64 {
    let (coding, robustness, _) = impairment(codec);
    let by_delay = 0.024 * delay_ms + 0.11 * (delay_ms - 177.3).max(0.0);
    // Losses at random: BurstR of G.107 is 1.
    let by_loss = coding + (95.0 - coding) * loss_pct / (loss_pct + robustness);
    (BEST - by_delay - by_loss).clamp(0.0, 100.0)
}

/// The mean opinion score of a rating, 1 (bad) to 4.5 (ITU-T G.107, Annex B).
fn opinion(rating: f64) -> f64 {
    if rating <= 0.0 {
        return 1.0;
    }
    // The polynomial dips below 1 for ratings up to 6.5, and no opinion is below 1.
    (1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6).clamp(1.0, 4.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::units::Span;

    fn delays(ms: impl Iterator<Item = u64>) -> Sketch {
        let mut sketch = Sketch::default();
        ms.for_each(|ms| sketch.record(Span::from_millis(ms)));
        sketch
    }

    #[test]
    fn the_rating_is_that_of_the_formulas() {
        // 100 ms: Id = 2.4; 300 ms: 7.2 + 0.11 * 122.7 = 20.697; 2 % of 25.1: 95 * 2 / 27.1 = 7.0111.
        assert!((rated(Codec::G711Plc, 100.0, 0.0) - 90.8).abs() < 1e-9);
        assert!((rated(Codec::G711Plc, 300.0, 0.0) - 72.503).abs() < 1e-9);
        assert!((rated(Codec::G711Plc, 100.0, 2.0) - (90.8 - 190.0 / 27.1)).abs() < 1e-9);
        // G.729A: 11 + 84 * 2 / 21 = 19.
        assert!((rated(Codec::G729a, 100.0, 2.0) - (90.8 - 19.0)).abs() < 1e-9);
        assert_eq!(rated(Codec::G711, 2_000.0, 50.0), 0.0);
    }

    #[test]
    fn the_score_is_that_of_annex_b() {
        // R = 93.2: 1 + 3.262 + 93.2 * 33.2 * 6.8 * 7e-6 = 4.4093; R = 70: 1 + 2.45 + 70 * 10 * 30 * 7e-6 = 3.597.
        assert!((opinion(93.2) - 4.409_3).abs() < 1e-4);
        assert!((opinion(70.0) - 3.597).abs() < 1e-9);
        assert!((opinion(50.0) - (1.0 + 1.75 - 50.0 * 10.0 * 50.0 * 7e-6)).abs() < 1e-9);
        assert_eq!((opinion(-3.0), opinion(0.0), opinion(3.0), opinion(100.0)), (1.0, 1.0, 1.0, 4.5));
    }

    #[test]
    fn late_packets_are_played_late_or_lost_whichever_is_better() {
        // 1 % come after 400 ms: to wait for them costs 0.024 * 420 + 0.11 * 242.7 = 36.8, to lose them
        // 95 / 26.1 = 3.6.
        let mixed = delays((0..99).map(|_| 30).chain([400]));
        let found = rating(Codec::G711Plc, 20.0, 100, &mixed).expect("sent");
        assert!((found - rated(Codec::G711Plc, 50.0, 1.0)).abs() < 0.02, "{found}");
        // Half of them come after 200 ms: waiting costs 0.024 * 220 + 0.11 * 42.7 = 10.0, losing them 63.
        let halves = delays((0..100).map(|n| if n % 2 == 0 { 30 } else { 200 }));
        let found = rating(Codec::G711Plc, 20.0, 100, &halves).expect("sent");
        assert!((found - rated(Codec::G711Plc, 220.0, 0.0)).abs() < 0.3, "{found}");
    }

    #[test]
    fn nothing_sent_has_no_rating_and_nothing_received_the_worst() {
        assert_eq!(rating(Codec::G711, 20.0, 0, &Sketch::default()), None);
        assert_eq!(rating(Codec::G711, 20.0, 10, &Sketch::default()), Some(0.0));
    }
}
