//! An algorithm from outside the engine ([`Control`]); what it leaves open follows RFC 5681.

use std::sync::Arc;

use super::outside::{Control, Hook, PACING_RATES, View};
use super::{Acked, Aimd, Controller, Feedback, Loss, Window};
use crate::config::TcpConfig;
use crate::config::tcp::Pacing;
use crate::units::Span;

/// Smallest slow-start threshold (RFC 5681 equation 4).
const MIN_SSTHRESH: f64 = 2.0;

/// The window kept for an outside algorithm. F-RTO takes back the window, not what the algorithm has noted.
#[derive(Debug, Clone)]
pub(in super::super) struct External {
    /// None until one is handed over: the rules of RFC 5681 alone.
    control: Option<Arc<dyn Control>>,
    answers: [bool; Hook::COUNT],
    rfc: Aimd,
    mss: f64,
    /// Pacing by window is on, until the algorithm sets a pace.
    by_window: bool,
    /// Of the last ACK; completed before each call.
    view: View,
}

impl External {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64, max_window: u32) -> Self {
        External {
            control: None,
            answers: [false; Hook::COUNT],
            rfc: Aimd::new(cfg, mss),
            mss: mss as f64,
            by_window: cfg.pacing == Pacing::Window,
            view: View { max_window: f64::from(max_window), packet: mss, ..View::default() },
        }
    }

    pub(in super::super) fn set_control(&mut self, control: Arc<dyn Control>) {
        self.answers = Hook::ALL.map(|hook| control.answers(hook));
        self.control = Some(control);
    }

    fn answers(&self, hook: Hook) -> bool {
        self.answers[hook.index()]
    }

    /// Asks the algorithm; returns the window it wants.
    fn ask(&mut self, hook: Hook, w: &Window) -> Option<f64> {
        let control = self.control.as_ref().filter(|_| self.answers[hook.index()])?;
        self.view.cwnd = w.cwnd.min(self.view.max_window);
        self.view.ssthresh = if w.ssthresh < f64::from(u32::MAX) { w.ssthresh } else { f64::INFINITY };
        let reaction = control.react(hook, &self.view);
        let (least, most) = PACING_RATES;
        self.view.pacing_rate = reaction.pacing_rate.filter(|r| (least..=most).contains(r)).or(self.view.pacing_rate);
        let cwnd = reaction.cwnd.filter(|cwnd| cwnd.is_finite() && *cwnd > 0.0)?;
        Some(cwnd.clamp(1.0, self.view.max_window))
    }

    fn note_loss(&mut self, loss: &Loss) {
        self.view.now = loss.now;
        self.view.in_flight = loss.flight;
        self.view.acked = 0.0;
        self.view.in_recovery = false;
        self.view.marked = loss.marked;
        self.view.repeated = loss.repeated;
    }
}

impl Controller for External {
    fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
        if !self.answers(Hook::Ack) {
            return self.rfc.on_ack(w, ack);
        }
        self.view.now = ack.now;
        self.view.acked = ack.bytes as f64 / self.mss;
        self.view.in_recovery = false;
        self.view.window_limited = ack.window_limited;
        if let Some(cwnd) = self.ask(Hook::Ack, w) {
            w.cwnd = cwnd;
        }
    }

    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        if !self.answers(Hook::Loss) {
            return self.rfc.on_loss(w, loss);
        }
        self.note_loss(loss);
        let before = w.cwnd;
        let Some(cwnd) = self.ask(Hook::Loss, w) else { return false };
        (w.cwnd, w.ssthresh) = (cwnd, cwnd.max(MIN_SSTHRESH));
        cwnd < before
    }

    fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
        // A lost SYN (number 0) is no business of the algorithm: there is no window yet.
        let asked = self.answers(Hook::Timeout) && loss.una > 0;
        let cwnd = asked.then(|| {
            self.note_loss(loss);
            self.ask(Hook::Timeout, w)
        });
        self.rfc.on_timeout(w, loss);
        if let Some(cwnd) = cwnd.flatten() {
            w.cwnd = cwnd;
        }
    }

    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, w: &mut Window, ack: &Feedback) {
        let view = &mut self.view;
        view.srtt = ack.srtt;
        view.in_flight = ack.in_flight as f64 / self.mss;
        view.delivered = ack.delivered as f64 / self.mss;
        view.hops = ack.hops;
        if let Some(rate) = ack.rate {
            view.delivery_rate = Some(rate.bytes as f64 / self.mss / rate.interval.as_secs());
        }
        if let Some(rtt) = ack.rtt {
            view.rtt = Some(rtt);
            view.min_rtt = Some(view.min_rtt.map_or(rtt, |least| least.min(rtt)));
            if self.answers(Hook::Rtt) {
                self.view.now = ack.now;
                self.view.acked = ack.bytes as f64 / self.mss;
                self.view.in_recovery = ack.recovering;
                if let Some(cwnd) = self.ask(Hook::Rtt, w) {
                    w.cwnd = cwnd;
                }
            }
        }
    }

    fn paces(&self) -> bool {
        !self.by_window || self.view.pacing_rate.is_some()
    }

    fn spacing(&self, bytes: u64) -> Option<Span> {
        let rate = self.view.pacing_rate?;
        Some(Span::from_secs_f64(bytes as f64 / self.mss / rate))
    }
}

#[cfg(test)]
mod tests {
    use super::super::outside::Reaction;
    use super::super::tests::{acked, feedback, loss, window};
    use super::*;

    /// Always wants the same.
    #[derive(Debug)]
    struct Fixed(Reaction);

    impl Control for Fixed {
        fn answers(&self, _hook: Hook) -> bool {
            true
        }

        fn react(&self, _hook: Hook, _view: &View) -> Reaction {
            self.0
        }
    }

    fn wanting(cwnd: Option<f64>, pacing_rate: Option<f64>) -> External {
        let mut external = External::new(&TcpConfig::default(), 1000, 20);
        external.set_control(Arc::new(Fixed(Reaction { cwnd, pacing_rate })));
        external
    }

    #[test]
    fn windows_stay_between_one_segment_and_the_receivers() {
        for (wanted, kept) in
            [(7.5, 7.5), (0.2, 1.0), (1e300, 20.0), (f64::NAN, 4.0), (f64::INFINITY, 4.0), (-1.0, 4.0)]
        {
            let mut w = window(4.0, 8.0);
            wanting(Some(wanted), None).on_ack(&mut w, &acked(1000));
            assert_eq!((w.cwnd, w.ssthresh), (kept, 8.0), "{wanted}");
        }
    }

    #[test]
    fn a_loss_sets_the_threshold_too() {
        for (wanted, cwnd, ssthresh, cut) in
            [(Some(6.0), 6.0, 6.0, true), (Some(1.0), 1.0, 2.0, true), (Some(12.0), 12.0, 12.0, false)]
        {
            let mut w = window(10.0, 8.0);
            assert_eq!(wanting(wanted, None).on_loss(&mut w, &loss(10.0)), cut);
            assert_eq!((w.cwnd, w.ssthresh), (cwnd, ssthresh));
        }
        let mut w = window(10.0, 8.0);
        assert!(!wanting(None, None).on_loss(&mut w, &loss(10.0)));
        assert_eq!((w.cwnd, w.ssthresh), (10.0, 8.0), "nothing is wanted");
    }

    #[test]
    fn a_timeout_keeps_the_rfcs_threshold_and_a_lost_syn_is_not_asked_about() {
        let mut w = window(10.0, 80.0);
        wanting(Some(3.0), None).on_timeout(&mut w, &loss(10.0));
        assert_eq!((w.cwnd, w.ssthresh), (3.0, 5.0));
        let mut w = window(10.0, 80.0);
        wanting(Some(3.0), None).on_timeout(&mut w, &Loss { una: 0, ..loss(10.0) });
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 5.0));
    }

    #[test]
    fn a_pace_holds_until_the_next_sensible_one() {
        let mut external = wanting(None, Some(50.0));
        assert_eq!(external.spacing(1000), None, "no pace yet: at once");
        external.on_ack(&mut window(4.0, 8.0), &acked(1000));
        assert_eq!(external.spacing(1000), Some(Span::from_millis(20)));
        assert_eq!(external.spacing(500), Some(Span::from_millis(10)));
        for nonsense in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            external.set_control(Arc::new(Fixed(Reaction { cwnd: None, pacing_rate: Some(nonsense) })));
            external.on_ack(&mut window(4.0, 8.0), &acked(1000));
            assert_eq!(external.spacing(1000), Some(Span::from_millis(20)), "{nonsense}");
        }
    }

    #[test]
    fn round_trips_are_remembered() {
        let mut external = wanting(Some(5.0), None);
        let mut w = window(4.0, 8.0);
        for (at, rtt) in [(100, Some(80)), (200, Some(60)), (300, None), (400, Some(90))] {
            external.on_feedback(&mut w, &feedback(at, 1, rtt));
        }
        let (last, least) = (external.view.rtt, external.view.min_rtt);
        assert_eq!((last, least), (Some(Span::from_millis(90)), Some(Span::from_millis(60))));
        assert_eq!(w.cwnd, 5.0);
    }
}
