//! A policy from outside the engine ([`AckRule`]); until one is handed over, every second full segment is acknowledged
//! (RFC 5681 4.2).

use std::sync::Arc;

use super::outside::{AckAnswer, AckHook, AckRule, AckView};
use super::{AckDecision, Arrival};
use hopscope_core::units::{Span, Time};
use hopscope_packet::PathInfo;

/// State of the policy.
#[derive(Debug, Clone)]
pub(in super::super) struct External {
    rule: Option<Arc<dyn AckRule>>,
    answers: [bool; AckHook::COUNT],
    /// Completed before each call.
    view: AckView,
    /// The last segment with data, and the first one since the last ACK.
    last: Option<Time>,
    first: Option<Time>,
    /// What the policy wants the ACK held back to wait.
    wait: Option<Span>,
    window: f64,
}

impl External {
    pub(super) fn new(ack_delay: Span, mss: u64) -> Self {
        External {
            rule: None,
            answers: [false; AckHook::COUNT],
            view: AckView { packet: mss, ack_delay, ..AckView::default() },
            last: None,
            first: None,
            wait: None,
            window: 1.0,
        }
    }

    pub(super) fn set_rule(&mut self, rule: Arc<dyn AckRule>) {
        self.answers = AckHook::ALL.map(|hook| rule.answers(hook));
        self.rule = Some(rule);
    }

    pub(super) fn on_path_info(&mut self, path_info: &PathInfo) {
        self.view.hops = path_info.hops;
        self.view.non_collision = path_info.learnt.map(|path| path.non_collision());
        self.view.largest_delay = path_info.learnt.map(|path| path.largest_delay());
    }

    pub(super) fn on_set_up(&mut self, rtt: Span) {
        self.view.set_up = Some(rtt);
    }

    pub(super) fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        let now = arrival.now;
        let first = *self.first.get_or_insert(now);
        self.view = AckView {
            now,
            in_order: arrival.in_order,
            duplicate: arrival.duplicate,
            new_bytes: arrival.bytes,
            len: arrival.len,
            pushed: arrival.pushed,
            marked: arrival.marked,
            held: self.view.held + 1,
            held_bytes: self.view.held_bytes + arrival.bytes,
            waited: now.saturating_since(first),
            gap: self.last.replace(now).map(|last| now.saturating_since(last)),
            sender_window: Some(arrival.sender_window).filter(|&window| window > 0),
            ..self.view
        };
        self.wait = None;
        match self.ask(AckHook::Data) {
            Some(AckAnswer { wait: Some(Span::ZERO), .. }) => return AckDecision::Now,
            Some(answer) => self.wait = answer.wait,
            // Without an answer it is the delayed ACK of RFC 5681 4.2.
            None if !arrival.in_order || self.view.held_bytes >= 2 * self.view.packet => return AckDecision::Now,
            None => {}
        }
        AckDecision::Hold
    }

    pub(super) fn on_expiry(&mut self, now: Time) {
        self.view.now = now;
        self.view.waited = self.first.map_or(Span::ZERO, |first| now.saturating_since(first));
        self.ask(AckHook::Timer);
    }

    pub(super) fn on_ack_sent(&mut self) {
        (self.view.held, self.view.held_bytes) = (0, 0);
        self.first = None;
    }

    /// How long an ACK held back now may wait.
    pub(super) fn hold(&self) -> Span {
        self.wait.unwrap_or(self.view.ack_delay)
    }

    /// The last answer starts the wait anew.
    pub(super) fn waits_anew(&self) -> bool {
        self.wait.is_some()
    }

    /// Segments that one ACK is to stand for, as the policy says.
    pub(super) fn window(&self) -> f64 {
        self.window
    }

    /// Asks the policy, if it answers here.
    fn ask(&mut self, hook: AckHook) -> Option<AckAnswer> {
        let rule = self.rule.as_ref().filter(|_| self.answers[hook.index()])?;
        let answer = rule.decide(hook, &self.view);
        if let Some(window) = answer.window.filter(|window| window.is_finite() && *window > 0.0) {
            self.window = window;
        }
        Some(answer)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use hopscope_packet::PathOption;

    /// Says the same of each segment, and remembers what it was shown.
    #[derive(Debug)]
    struct Always(AckAnswer, Mutex<Vec<(AckHook, AckView)>>);

    impl AckRule for Always {
        fn answers(&self, _hook: AckHook) -> bool {
            true
        }

        fn decide(&self, hook: AckHook, view: &AckView) -> AckAnswer {
            self.1.lock().expect("one thread").push((hook, *view));
            self.0
        }
    }

    fn policy(wait_ms: Option<u64>, window: Option<f64>) -> (External, Arc<Always>) {
        let rule = Arc::new(Always(AckAnswer { wait: wait_ms.map(Span::from_millis), window }, Mutex::default()));
        let mut external = External::new(Span::from_millis(100), 1000);
        external.set_rule(rule.clone());
        (external, rule)
    }

    fn arrival(ms: u64, in_order: bool) -> Arrival {
        Arrival {
            now: Time::ZERO + Span::from_millis(ms),
            in_order,
            duplicate: false,
            repeats_last: false,
            bytes: if in_order { 1000 } else { 0 },
            len: 1000,
            marked: false,
            pushed: true,
            sender_window: 7,
        }
    }

    #[test]
    fn answers_are_obeyed() {
        for (wait, decision, hold, anew) in [
            (Some(0), AckDecision::Now, 100, false),
            (Some(30), AckDecision::Hold, 30, true),
            (None, AckDecision::Hold, 100, false),
        ] {
            let (mut external, _) = policy(wait, None);
            assert_eq!(external.on_data(&arrival(5, true)), decision, "{wait:?}");
            assert_eq!((external.hold(), external.waits_anew()), (Span::from_millis(hold), anew), "{wait:?}");
        }
    }

    #[test]
    fn windows_are_reported_where_they_make_sense() {
        for (window, reported) in [(Some(3.5), 3.5), (None, 1.0), (Some(f64::NAN), 1.0), (Some(0.0), 1.0)] {
            let (mut external, _) = policy(Some(0), window);
            external.on_data(&arrival(5, true));
            assert_eq!(external.window(), reported, "{window:?}");
        }
    }

    #[test]
    fn the_view_reports_what_has_come_since_the_last_ack() {
        let (mut external, rule) = policy(None, None);
        let mut path = PathOption::new(Time::ZERO);
        path.pass(Time(4_000_000), 0.25);
        external.on_set_up(Span::from_millis(3));
        external.on_path_info(&PathInfo { hops: 2, learnt: Some(path) });
        for ms in [10, 16] {
            external.on_data(&arrival(ms, true));
        }
        external.on_expiry(Time(50_000_000));
        external.on_ack_sent();
        external.on_data(&arrival(60, false));
        let seen = rule.1.lock().expect("one thread");
        let reported: Vec<_> = seen
            .iter()
            .map(|(hook, view)| {
                (*hook, view.held, view.held_bytes, view.waited.0 / 1_000_000, view.gap.map(|gap| gap.0 / 1_000_000))
            })
            .collect();
        assert_eq!(
            reported,
            [
                (AckHook::Data, 1, 1000, 0, None),
                (AckHook::Data, 2, 2000, 6, Some(6)),
                (AckHook::Timer, 2, 2000, 40, Some(6)),
                (AckHook::Data, 1, 0, 0, Some(44)),
            ]
        );
        let view = seen[1].1;
        assert_eq!((view.hops, view.non_collision, view.largest_delay), (2, Some(0.75), Some(Span::from_millis(4))));
        assert_eq!((view.set_up, view.sender_window, view.pushed), (Some(Span::from_millis(3)), Some(7), true));
    }

    #[test]
    fn without_a_rule_every_second_segment_and_every_gap_is_acknowledged() {
        let mut external = External::new(Span::from_millis(100), 1000);
        assert_eq!(external.on_data(&arrival(1, true)), AckDecision::Hold);
        assert_eq!(external.on_data(&arrival(2, true)), AckDecision::Now);
        external.on_ack_sent();
        assert_eq!(external.on_data(&arrival(3, false)), AckDecision::Now);
    }
}
