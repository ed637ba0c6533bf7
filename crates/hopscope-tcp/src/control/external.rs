//! An algorithm from outside the engine ([`Control`]); what it leaves open follows RFC 5681.

use std::sync::Arc;

use super::outside::{Control, Hook, NodeState, PACING_RATES, Reaction, Sample, View};
use super::{Acked, Aimd, Controller, Feedback, Loss, LostSegment, Window};
use crate::config::TcpConfig;
use crate::config::tcp::Pacing;
use hopscope_core::units::{Span, Time};

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
    /// When the algorithm wants to be asked.
    wake: Option<Time>,
    /// The threshold that it set in the last call.
    set_ssthresh: Option<f64>,
    /// What was unsent when the round trip under way began; it ends when everything below is acknowledged.
    round_end: u64,
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
            wake: None,
            set_ssthresh: None,
            round_end: 0,
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
    fn ask(&mut self, hook: Hook, w: &mut Window) -> Option<f64> {
        let control = self.control.as_ref().filter(|_| self.answers[hook.index()])?;
        self.view.cwnd = w.cwnd.min(self.view.max_window);
        self.view.ssthresh = if w.ssthresh < f64::from(u32::MAX) { w.ssthresh } else { f64::INFINITY };
        let reaction = control.react(hook, &self.view);
        let (least, most) = PACING_RATES;
        self.view.pacing_rate = reaction.pacing_rate.filter(|r| (least..=most).contains(r)).or(self.view.pacing_rate);
        self.wake = reaction.wake.or(self.wake);
        self.thresholds(w, &reaction);
        let cwnd = reaction.cwnd.filter(|cwnd| cwnd.is_finite() && *cwnd > 0.0)?;
        Some(cwnd.clamp(1.0, self.view.max_window))
    }

    /// The same at an ACK of any kind; the window is that which the algorithm wants.
    fn ask_at(&mut self, hook: Hook, w: &mut Window, ack: &Feedback) {
        if !self.answers(hook) {
            return;
        }
        self.view.now = ack.now;
        self.view.acked = ack.bytes as f64 / self.mss;
        self.view.in_recovery = ack.recovering;
        if let Some(cwnd) = self.ask(hook, w) {
            w.cwnd = cwnd;
        }
    }

    /// The slow-start threshold that the algorithm wants.
    fn thresholds(&mut self, w: &mut Window, reaction: &Reaction) {
        self.set_ssthresh = reaction.ssthresh.filter(|wanted| *wanted > 0.0);
        if let Some(wanted) = self.set_ssthresh {
            w.ssthresh = wanted.clamp(MIN_SSTHRESH, f64::from(u32::MAX));
        }
    }

    /// When the algorithm wants to be asked, and that it is asked then.
    pub(in super::super) fn wake_at(&self) -> Option<Time> {
        self.wake
    }

    pub(in super::super) fn on_wake(&mut self, w: &mut Window, now: Time) {
        self.wake = None;
        self.view.now = now;
        self.view.acked = 0.0;
        if let Some(cwnd) = self.ask(Hook::Wake, w) {
            w.cwnd = cwnd;
        }
    }

    /// What the node shows.
    pub(in super::super) fn see_node(&mut self, node: NodeState) {
        self.view.node = Some(node);
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
        w.cwnd = cwnd;
        if self.set_ssthresh.is_none() {
            w.ssthresh = cwnd.max(MIN_SSTHRESH);
        }
        cwnd < before
    }

    fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
        // A lost SYN (number 0) is no business of the algorithm: there is no window yet.
        let asked = self.answers(Hook::Timeout) && loss.una > 0;
        let cwnd = asked.then(|| {
            self.note_loss(loss);
            self.ask(Hook::Timeout, w)
        });
        let chosen = self.set_ssthresh.filter(|_| asked).map(|_| w.ssthresh);
        self.rfc.on_timeout(w, loss);
        if let Some(cwnd) = cwnd.flatten() {
            w.cwnd = cwnd;
        }
        if let Some(ssthresh) = chosen {
            w.ssthresh = ssthresh;
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
        view.new_rtt = ack.rtt;
        let segments = |bytes: u64| bytes as f64 / self.mss;
        view.newly_delivered = segments(ack.newly_delivered);
        view.newly_sacked = segments(ack.newly_sacked);
        view.echo = ack.marked;
        view.sample = ack.rate.map(|rate| Sample {
            delivered: segments(rate.bytes),
            interval: rate.interval,
            prior_delivered: segments(rate.prior_delivered),
            app_limited: rate.app_limited,
            in_flight: segments(rate.in_flight),
            lost: segments(rate.lost),
        });
        if let Some(rate) = ack.rate {
            view.delivery_rate = Some(rate.bytes as f64 / self.mss / rate.interval.as_secs());
        }
        if let Some(rtt) = ack.rtt {
            view.rtt = Some(rtt);
            view.min_rtt = Some(view.min_rtt.map_or(rtt, |least| least.min(rtt)));
            self.ask_at(Hook::Rtt, w, ack);
        }
        if self.answers(Hook::Every) {
            self.ask_at(Hook::Every, w, ack);
            self.view.newly_lost = 0.0;
        }
        if ack.bytes > 0 && ack.una >= self.round_end {
            self.round_end = ack.nxt;
            self.ask_at(Hook::RoundTrip, w, ack);
        }
    }

    fn on_lost(&mut self, _w: &mut Window, lost: &LostSegment, _now: Time) {
        self.view.newly_lost += (lost.end - lost.start) as f64 / self.mss;
    }

    fn on_sent(&mut self, seq: u64, now: Time) {
        if seq > 0 && self.answers(Hook::Sent) {
            self.view.now = now;
            self.view.sent = (seq - 1) as f64 / self.mss;
            // The window is not at hand here, and none is taken.
            let mut none = Window { cwnd: self.view.cwnd, ssthresh: self.view.ssthresh, inflation: 0.0 };
            self.ask(Hook::Sent, &mut none);
        }
    }

    fn restarts_after_idle(&self) -> bool {
        !self.answers(Hook::Every) // one that follows each ACK has its own idea of idleness
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
        external.set_control(Arc::new(Fixed(Reaction { cwnd, pacing_rate, ..Reaction::default() })));
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
            external.set_control(Arc::new(Fixed(Reaction { pacing_rate: Some(nonsense), ..Reaction::default() })));
            external.on_ack(&mut window(4.0, 8.0), &acked(1000));
            assert_eq!(external.spacing(1000), Some(Span::from_millis(20)), "{nonsense}");
        }
    }

    #[test]
    fn a_threshold_set_holds_with_the_window() {
        for hook in [Hook::Ack, Hook::Loss, Hook::Timeout, Hook::Every, Hook::Wake] {
            let mut external = External::new(&TcpConfig::default(), 1000, 20);
            external.set_control(Arc::new(Fixed(Reaction {
                cwnd: Some(5.0),
                ssthresh: Some(9.0),
                ..Reaction::default()
            })));
            let mut w = window(10.0, 8.0);
            match hook {
                Hook::Ack => external.on_ack(&mut w, &acked(1000)),
                Hook::Loss => assert!(external.on_loss(&mut w, &loss(10.0))),
                Hook::Timeout => external.on_timeout(&mut w, &loss(10.0)),
                Hook::Every => external.on_feedback(&mut w, &feedback(100, 1, None)),
                _ => external.on_wake(&mut w, Time(7)),
            }
            assert_eq!((w.cwnd, w.ssthresh), (5.0, 9.0), "{hook:?}");
        }
        let mut w = window(10.0, 8.0);
        let mut external = External::new(&TcpConfig::default(), 1000, 20);
        external.set_control(Arc::new(Fixed(Reaction { ssthresh: Some(f64::INFINITY), ..Reaction::default() })));
        external.on_ack(&mut w, &acked(1000));
        assert_eq!(w.ssthresh, f64::from(u32::MAX), "none");
    }

    #[test]
    fn the_instant_asked_for_is_kept_until_it_comes() {
        let mut external = External::new(&TcpConfig::default(), 1000, 20);
        external.set_control(Arc::new(Fixed(Reaction { wake: Some(Time(70)), ..Reaction::default() })));
        let mut w = window(4.0, 8.0);
        assert_eq!(external.wake_at(), None);
        external.on_ack(&mut w, &acked(1000));
        assert_eq!(external.wake_at(), Some(Time(70)));
        external.set_control(Arc::new(Fixed(Reaction::default())));
        external.on_ack(&mut w, &acked(1000));
        assert_eq!(external.wake_at(), Some(Time(70)), "it stands");
        external.on_wake(&mut w, Time(70));
        assert_eq!(external.wake_at(), None);
    }

    /// Counts the round trips.
    #[derive(Debug, Default)]
    struct Rounds(std::sync::Mutex<Vec<Time>>);

    impl Control for Rounds {
        fn answers(&self, hook: Hook) -> bool {
            hook == Hook::RoundTrip
        }

        fn react(&self, _hook: Hook, view: &View) -> Reaction {
            self.0.lock().expect("one thread").push(view.now);
            Reaction { cwnd: Some(view.cwnd + 1.0), ..Reaction::default() }
        }
    }

    #[test]
    fn a_round_trip_ends_when_what_was_outstanding_at_its_start_is_acknowledged() {
        let rounds = Arc::new(Rounds::default());
        let mut external = External::new(&TcpConfig::default(), 1000, 20);
        external.set_control(rounds.clone());
        let mut w = window(4.0, 8.0);
        // At 10 ms 4,001 is next: everything below is acknowledged at 40 ms, when 8,001 is next.
        for (at, una, nxt, bytes) in [
            (10, 1001, 4001, 1000),
            (20, 2001, 5001, 1000),
            (30, 2001, 6001, 0),
            (40, 4001, 8001, 2000),
            (50, 7001, 9001, 3000),
            (60, 8001, 8001, 1000),
            (61, 8001, 8001, 0),
        ] {
            external.on_feedback(&mut w, &Feedback { nxt, bytes, ..feedback(at, una, None) });
        }
        let ended: Vec<_> = [10, 40, 60].map(|ms| Time(ms * 1_000_000)).into();
        assert_eq!((rounds.0.lock().expect("one thread").clone(), w.cwnd), (ended, 7.0));
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
