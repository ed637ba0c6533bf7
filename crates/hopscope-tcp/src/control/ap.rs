//! TCP-AP (ElRakabawy, Klemm and Lindemann 2005): NewReno whose segments leave no faster than the path takes them out
//! of interference range of the sender, four hops on, slowed down further while the delay varies.
//!
//! The delay of four hops comes from the round-trip time, the number of hops and the link rate; constants and the rule
//! for short paths are those of the authors' agent for ns-2.

use super::{Acked, Aimd, Controller, Feedback, Loss, Window};
use crate::config::TcpConfig;
use hopscope_core::units::Span;

/// Bytes assumed on the air beyond the payload, for a data segment and for an ACK.
const OVERHEAD: f64 = 112.0;
/// Hops after which a packet no longer disturbs the sender (250 m range, 550 m interference).
const REACH: u8 = 4;
/// Longer delays are not believed, in seconds.
const LONGEST: f64 = 0.5;
/// Weight of the old value in the average of the delay per hop.
const HOP_WEIGHT: f64 = 0.5;

/// State of TCP-AP. Times are seconds.
#[derive(Debug, Clone)]
pub(in super::super) struct Ap {
    reno: Aimd,
    /// Time on the air of a data segment, and of a data segment with its ACK.
    data: f64,
    exchange: f64,
    /// Weight of the old value in the average of the four-hop delay.
    alpha: f64,
    /// Average waiting time per hop, and average four-hop delay; zero before the first sample.
    waiting: f64,
    delay: f64,
    /// The last samples of the four-hop delay, and where the next one goes.
    samples: Vec<f64>,
    history: usize,
    place: usize,
    /// Mean absolute deviation of the samples over their mean.
    variation: f64,
    /// Distance of segments before the first sample.
    first_spacing: f64,
    /// A segment was just repeated: nothing is paced until the next ACK.
    unpaced: bool,
}

impl Ap {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64) -> Self {
        let rate = cfg.ap_link_rate.max(1) as f64;
        let data = 8.0 * (mss as f64 + OVERHEAD) / rate;
        Ap {
            reno: Aimd::new(cfg, mss),
            data,
            exchange: data + 8.0 * OVERHEAD / rate,
            alpha: cfg.ap_alpha,
            waiting: 0.0,
            delay: 0.0,
            samples: Vec::with_capacity(cfg.ap_history as usize),
            history: cfg.ap_history.max(1) as usize,
            place: 0,
            variation: 0.0,
            first_spacing: cfg.ap_first_spacing.as_secs(),
            unpaced: false,
        }
    }

    /// A round-trip time over `hops` hops.
    fn sample(&mut self, rtt: f64, hops: u8) {
        // A hop carries the segment one way and the ACK the other, and each waits before it.
        let waiting = 0.5 * (rtt / f64::from(hops.max(1)) - self.exchange);
        let waiting = if waiting > LONGEST { self.waiting } else { waiting };
        self.waiting = HOP_WEIGHT * self.waiting + (1.0 - HOP_WEIGHT) * waiting;
        let reach = if hops >= REACH { REACH } else { 1 };
        let delay = f64::from(reach) * (waiting + self.data);
        if delay <= 0.0 || delay >= LONGEST {
            return;
        }
        self.delay = if self.delay > 0.0 { self.alpha * self.delay + (1.0 - self.alpha) * delay } else { delay };
        if self.samples.len() < self.history {
            self.samples.push(delay);
        } else {
            self.samples[self.place] = delay;
            self.place = (self.place + 1) % self.history;
        }
        let count = self.samples.len() as f64;
        let mean = self.samples.iter().sum::<f64>() / count;
        self.variation = self.samples.iter().map(|s| (s - mean).abs()).sum::<f64>() / count / mean;
    }
}

impl Controller for Ap {
    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, _w: &mut Window, ack: &Feedback) {
        self.unpaced = false;
        if let Some(rtt) = ack.rtt {
            self.sample(rtt.as_secs(), ack.hops);
        }
    }

    fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
        self.reno.on_ack(w, ack);
    }

    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        self.unpaced = true;
        self.reno.on_loss(w, loss)
    }

    fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
        self.unpaced = true;
        self.reno.on_timeout(w, loss);
    }

    fn paces(&self) -> bool {
        true
    }

    fn spacing(&self, _bytes: u64) -> Option<Span> {
        let spacing = if self.delay > 0.0 { (1.0 + 2.0 * self.variation) * self.delay } else { self.first_spacing };
        (!self.unpaced).then(|| Span::from_secs_f64(spacing))
    }

    fn backs_off(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{feedback, loss, window};
    use super::*;

    fn ap() -> Ap {
        Ap::new(&TcpConfig { ap_link_rate: 2_000_000, ..TcpConfig::default() }, 1460)
    }

    fn near(span: Option<Span>, ms: f64) -> bool {
        (span.expect("paced").as_secs() * 1000.0 - ms).abs() < 0.01
    }

    #[test]
    fn four_hops_take_their_share_of_the_round_trip() {
        let mut ap = ap();
        assert!(near(ap.spacing(1460), 50.0), "before the first sample");
        let mut w = window(4.0, 2.0);
        ap.on_feedback(&mut w, &Feedback { hops: 7, ..feedback(0, 1, Some(200)) });
        // Waiting 10.918 ms per hop, 6.288 ms on the air, four hops.
        assert!((2.0 * ap.waiting - 0.010_918).abs() < 1e-6, "{}", ap.waiting);
        assert!(near(ap.spacing(1460), 68.82), "{:?}", ap.spacing(1460));
        let mut near_by = Ap::new(&TcpConfig { ap_link_rate: 2_000_000, ..TcpConfig::default() }, 1460);
        near_by.on_feedback(&mut w, &Feedback { hops: 2, ..feedback(0, 1, Some(40)) });
        assert!(near(near_by.spacing(1460), (20.0 - 6.736) / 2.0 + 6.288), "one hop on a short path");
    }

    #[test]
    fn a_delay_that_varies_slows_the_sender_down() {
        let mut ap = ap();
        for n in 0..400 {
            ap.sample(if n % 2 == 0 { 0.19 } else { 0.21 }, 7);
        }
        // Samples 4 (rtt / 14 - 3.368 + 6.288 ms): 65.97 and 71.68 ms, deviation 2.857 of 68.82.
        assert!((ap.variation - 2.857 / 68.82).abs() < 1e-4, "{}", ap.variation);
        let spacing = ap.spacing(1460).expect("paced").as_secs();
        assert!((spacing / ap.delay - 1.083).abs() < 1e-3);
    }

    #[test]
    fn nothing_is_paced_from_a_loss_to_the_next_ack_and_timeouts_do_not_back_off() {
        let mut ap = ap();
        let mut w = window(8.0, 20.0);
        assert!(ap.on_loss(&mut w, &loss(8.0)));
        assert_eq!((w.cwnd, ap.spacing(1460)), (4.0, None));
        ap.on_feedback(&mut w, &feedback(0, 1, None));
        assert!(ap.spacing(1460).is_some());
        assert!(!ap.backs_off());
    }

    #[test]
    fn delays_out_of_reason_are_not_believed() {
        let mut ap = ap();
        ap.sample(0.2, 7);
        let before = ap.delay;
        ap.sample(30.0, 7);
        assert!((ap.delay - before).abs() < 0.02, "the average waiting time stands in");
        let before = ap.delay;
        ap.sample(0.001, 200);
        assert!(ap.delay <= before && ap.delay > 0.0);
    }
}
