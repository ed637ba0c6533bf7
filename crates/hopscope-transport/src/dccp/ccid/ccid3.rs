//! CCID 3, TCP-friendly rate control (RFC 4342, RFC 5348), and CCID 4, the same for small packets (RFC 5622, RFC 4828).
//!
//! Packets leave one by one at the rate that the throughput equation allows for the loss event rate reported by the
//! receiver; before the first loss the rate doubles each round trip. No window: what is not reported for long lowers
//! the rate by the nofeedback timer.

use super::Report;
use crate::config::{DccpConfig, DccpControl};
use crate::dccp::tfrc::{Feedback, NOMINAL, Timeout, equation};
use hopscope_core::units::{Span, Time};

/// Longest time between two packets, s (RFC 5348 4.3).
const T_MBI: f64 = 64.0;
/// Nofeedback timer before a round trip is known (RFC 5348 4.2).
const FIRST_WAIT: Span = Span::from_secs(2);
/// Bytes of the first window but for very large or small packets (RFC 3390).
const FIRST_BYTES: f64 = 4_380.0;
/// Weight of what is known of the root of the round trip against a new sample (RFC 5348 4.5).
const KEPT: f64 = 0.9;
/// What a receive rate counts after a loss in a time in which the application had little to send (RFC 5348 4.3).
const AFTER_LIMITED: f64 = 0.85;
/// Values of the window counter, steps of it in a round trip, and the most of one packet (RFC 4342 8.1).
const COUNTERS: u64 = 16;
const ROUND: u64 = 4;
const MOST_STEPS: u64 = 5;
/// Least time between two small packets (RFC 5622 5), s.
const LEAST_GAP: f64 = 0.01;

/// State of the sender.
#[derive(Debug)]
pub(in crate::dccp) struct Ccid3 {
    /// Payload bytes of a packet, and the bytes of a packet in the equation.
    payload: f64,
    s: f64,
    /// Header bytes that count with small packets; none: packets are not small (CCID 4).
    header: Option<f64>,
    timeout: Timeout,
    damps: bool,
    /// Average round trip, s; none before the first sample.
    rtt: Option<f64>,
    /// Newest sample and average of its root (RFC 5348 4.5).
    sample: f64,
    root: Option<f64>,
    /// Allowed rate, bytes/s, and what the equation alone allows.
    x: f64,
    x_equation: f64,
    p: f64,
    /// Rates reported in the last two round trips (X_recv_set).
    received: Vec<(Time, f64)>,
    has_feedback: bool,
    /// When the rate doubled last.
    doubled: Option<Time>,
    next_send: Time,
    counter: u64,
    counted: Time,
}

impl Ccid3 {
    pub(super) fn new(control: DccpControl, cfg: &DccpConfig, packet: u32, header: u32) -> Self {
        let payload = f64::from(packet.max(1));
        let header = (control == DccpControl::Ccid4).then_some(f64::from(header));
        Ccid3 {
            payload,
            s: if header.is_some() { NOMINAL } else { payload },
            header,
            timeout: Timeout::new(cfg),
            damps: cfg.tfrc_damping,
            rtt: None,
            sample: 0.0,
            root: None,
            x: payload, // a packet a second (RFC 5348 4.2)
            x_equation: f64::INFINITY,
            p: 0.0,
            received: vec![(Time::ZERO, f64::INFINITY)],
            has_feedback: false,
            doubled: None,
            next_send: Time::ZERO,
            counter: 0,
            counted: Time::ZERO,
        }
    }

    /// An acknowledgement has come; true where it lowered the rate.
    pub(super) fn on_ack(&mut self, report: &Report) -> bool {
        // Where the receiver cannot take more, what the feedback of the same packet has raised is taken back.
        let before = self.x;
        if let Some(sample) = report.sample {
            self.measure(sample, report);
        }
        if let (Some(feedback), Some(rtt)) = (report.feedback, self.rtt) {
            self.on_feedback(feedback, rtt, report);
            if report.slow_receiver || report.refused > 0 {
                self.x = self.x.min(before); // RFC 4340 11.6
            }
        }
        self.x < before
    }

    /// The nofeedback timer has expired; `was_idle`: nothing has been sent since it was set (RFC 5348 4.4).
    pub(super) fn on_timeout(&mut self, was_idle: bool, now: Time) {
        let least = self.payload / T_MBI;
        let received = self.most_received();
        // Nothing has come back yet: neither an equation nor a rate received is known to go by.
        let Some(rtt) = self.rtt.filter(|_| self.has_feedback) else {
            self.x = (self.x / 2.0).max(least);
            return;
        };
        let recovery = self.first_rate(rtt);
        let is_slow = if self.p > 0.0 { received < recovery } else { self.x < 2.0 * recovery };
        // A flow that was idle keeps the rate that it could begin anew with.
        if was_idle && is_slow {
            return;
        }
        if self.p == 0.0 {
            self.x = (self.x / 2.0).max(least);
            return;
        }
        let limit = if self.x_equation > 2.0 * received { received } else { self.x_equation / 2.0 };
        // The rate is twice what was received at most, so half the limit makes the limit hold.
        self.received = vec![(now, limit.max(least) / 2.0)];
        self.x = self.x_equation.min(2.0 * self.most_received()).max(least);
    }

    /// The application sends again after a time in which nothing was to be reported: the rate has sunk meanwhile.
    pub(in crate::dccp) fn on_idle(&mut self, since: Time, now: Time) {
        let mut at = since + self.wait();
        while self.has_feedback && at <= now {
            let before = self.x;
            self.on_timeout(true, at);
            // At the least rate of an idle flow: later expiries change nothing.
            if self.x >= before {
                return;
            }
            at += self.wait();
        }
    }

    /// Data of so many bytes leaves.
    pub(in crate::dccp) fn on_data(&mut self, bytes: u32, now: Time) {
        self.next_send = self.next_send.max(now) + Span::from_secs_f64(self.gap(f64::from(bytes)));
    }

    /// The window counter of a packet that leaves now (RFC 4342 8.1).
    pub(in crate::dccp) fn counter(&mut self, now: Time) -> u8 {
        // Without a round trip there are no quarters to count; they begin with the first.
        let Some(rtt) = self.rtt else {
            self.counted = now;
            return 0;
        };
        // At least a nanosecond, since it divides.
        let quarter = Span::from_secs_f64(rtt / ROUND as f64).0.max(1);
        let steps = now.saturating_since(self.counted).0 / quarter;
        // After a pause the counter jumps by the most it may, and quarters begin anew from here.
        self.counted = if steps > MOST_STEPS { now } else { self.counted + Span(steps * quarter) };
        self.counter = (self.counter + steps.min(MOST_STEPS)) % COUNTERS;
        self.counter as u8
    }

    /// When the next packet may leave.
    pub(in crate::dccp) fn next_send(&self) -> Time {
        self.next_send
    }

    /// The nofeedback timer: four round trips, and time for two packets (RFC 5348 4.3).
    pub(in crate::dccp) fn wait(&self) -> Span {
        let Some(rtt) = self.rtt else { return FIRST_WAIT };
        Span::from_secs_f64((4.0 * rtt).max(2.0 * self.payload / self.x))
    }

    /// Packets of a round trip at the allowed rate.
    pub(super) fn window(&self) -> f64 {
        self.rtt.map_or(1.0, |rtt| (rtt / self.gap(self.payload)).max(1.0))
    }

    fn measure(&mut self, sample: Span, report: &Report) {
        self.timeout.sample(sample);
        self.sample = sample.as_secs();
        // The square root damps delay without letting the rate swing (RFC 5348 4.5).
        let root = self.sample.sqrt();
        self.root = Some(self.root.map_or(root, |known| KEPT * known + (1.0 - KEPT) * root));
        if self.rtt.is_none() {
            let rtt = report.average.as_secs().max(1e-9);
            self.x = self.first_rate(rtt);
            self.doubled = Some(report.now);
            self.next_send = report.now;
        }
        self.rtt = Some(report.average.as_secs().max(1e-9));
    }

    fn on_feedback(&mut self, feedback: Feedback, rtt: f64, report: &Report) {
        let now = report.now;
        // The application sent less than it was allowed to in all that this reports (RFC 5348 8.2.1).
        let was_limited = self.has_feedback && report.acked > 0 && !report.was_held_back;
        if !self.has_feedback {
            // Feedback of less than a round trip of data must not bound the rate.
            self.received = vec![(now, f64::INFINITY)];
            self.has_feedback = true;
        }
        // Small packets weigh more on the way than their payload.
        let rate = feedback.receive_rate * self.header.map_or(1.0, |header| (self.payload + header) / self.payload);
        let is_worse = feedback.p > self.p;
        self.p = feedback.p;
        let limit = if was_limited {
            let (rate, factor) = if is_worse { (rate * AFTER_LIMITED, 0.5) } else { (rate, 1.0) };
            // An application that sent little has shown little: older figures stand in for it.
            let known = self.received.iter().map(|(_, rate)| *rate).filter(|rate| rate.is_finite());
            let most = known.fold(0.0, |most: f64, known| most.max(known * factor)).max(rate);
            self.received = vec![(now, most)];
            if is_worse { most } else { 2.0 * most }
        } else {
            let two = Span::from_secs_f64(2.0 * rtt);
            // Figures older than two round trips belong to another state of the path.
            self.received.retain(|(at, _)| now.saturating_since(*at) <= two);
            self.received.push((now, rate));
            2.0 * self.most_received()
        };
        if self.p > 0.0 {
            self.x_equation = equation::rate(self.s, rtt, self.timeout.get(rtt), self.p);
            self.x = self.x_equation.min(limit).max(self.payload / T_MBI);
        } else if self.doubled.is_none_or(|at| now.saturating_since(at).as_secs() >= rtt) {
            self.x = (2.0 * self.x).min(limit).max(self.first_rate(rtt));
            self.doubled = Some(now);
        }
    }

    /// Rate of the first round trip (RFC 5348 4.2).
    fn first_rate(&self, rtt: f64) -> f64 {
        (4.0 * self.payload).min((2.0 * self.payload).max(FIRST_BYTES)) / rtt
    }

    fn most_received(&self) -> f64 {
        self.received.iter().fold(0.0, |most, (_, rate)| most.max(*rate))
    }

    /// Seconds from a packet to the next.
    fn gap(&self, bytes: f64) -> f64 {
        let damping = self.root.filter(|_| self.damps).map_or(1.0, |root| root / self.sample.sqrt().max(1e-9));
        let x = (self.x * damping).max(self.payload / T_MBI);
        match self.header {
            None => bytes / x,
            Some(header) => ((bytes + header) / x).max(LEAST_GAP),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn sender(control: DccpControl) -> Ccid3 {
        let cfg = DccpConfig { tfrc_damping: false, ..DccpConfig::default() };
        Ccid3::new(control, &cfg, 1_460, 36)
    }

    /// Feedback at an instant, with a round trip of 100 ms, of an application that always has more.
    fn report(at_ms: u64, p: f64, receive_rate: f64) -> Report {
        let rtt = Span::from_millis(100);
        Report {
            now: Time(at_ms * MS),
            acked: 1,
            was_held_back: true,
            sample: Some(rtt),
            average: rtt,
            feedback: Some(Feedback { p, receive_rate }),
            ..Report::default()
        }
    }

    /// Feedback each round trip: the rate after each.
    fn rates(sender: &mut Ccid3, from_ms: u64, reported: &[(f64, f64)]) -> Vec<f64> {
        let mut seen = Vec::new();
        for (n, (p, rate)) in reported.iter().enumerate() {
            let at = from_ms + 100 * n as u64;
            sender.on_ack(&report(at, *p, *rate));
            seen.push((sender.x * 10.0).round() / 10.0);
        }
        seen
    }

    #[test]
    fn slow_start_doubles_each_round_trip_up_to_twice_what_comes() {
        let mut sender = sender(DccpControl::Ccid3);
        assert_eq!((sender.x, sender.wait()), (1_460.0, FIRST_WAIT), "a packet a second");
        sender.on_ack(&Report { feedback: None, ..report(100, 0.0, 0.0) });
        assert_eq!(sender.x, 43_800.0, "the answer of the handshake: 4,380 bytes a round trip");
        let reported = [(0.0, 0.0), (0.0, 40_000.0), (0.0, 80_000.0), (0.0, 90_000.0), (0.0, 90_000.0)];
        assert_eq!(rates(&mut sender, 200, &reported), [87_600.0, 175_200.0, 350_400.0, 180_000.0, 180_000.0]);
    }

    #[test]
    fn losses_take_the_rate_to_the_equation() {
        let mut sender = sender(DccpControl::Ccid3);
        let seen = rates(&mut sender, 100, &[(0.0, 200e3), (0.01, 200e3), (0.01, 160e3), (0.001, 160e3), (0.1, 160e3)]);
        assert_eq!(seen[1..4], [164_005.1, 164_005.1, 400_000.0], "the equation, or twice the most that came");
        assert!((seen[4] - 25_843.0).abs() < 1.0, "{seen:?}");
    }

    #[test]
    fn silence_halves_the_rate() {
        let mut sender = sender(DccpControl::Ccid3);
        rates(&mut sender, 100, &[(0.0, 200e3), (0.01, 160e3), (0.01, 160e3), (0.01, 160e3)]);
        assert_eq!(sender.wait(), Span::from_millis(400));
        let mut after = |n: u64| {
            sender.on_timeout(false, Time((400 + 400 * n) * MS));
            sender.x.round()
        };
        assert_eq!([1, 2, 3].map(&mut after), [82_003.0, 41_001.0, 20_501.0]);
        (4..60).for_each(|n| _ = after(n));
        assert_eq!(after(60), (1_460.0_f64 / 64.0).round(), "a packet in 64 s");
    }

    #[test]
    fn a_rest_lowers_the_rate_to_that_of_the_first_window_at_most() {
        let mut sender = sender(DccpControl::Ccid3);
        rates(&mut sender, 100, &[(0.0, 200e3), (0.001, 300e3), (0.001, 300e3)]);
        assert!(sender.x > 500e3);
        sender.on_idle(Time(300 * MS), Time(650 * MS));
        assert!(sender.x > 500e3, "not for long enough");
        sender.on_idle(Time(300 * MS), Time(60_000 * MS));
        assert!((21_900.0..=87_600.0).contains(&sender.x), "{}", sender.x);
    }

    #[test]
    fn an_application_that_sends_little_is_not_held_to_twice_that() {
        let reported = |was_held_back: bool| {
            let mut sender = sender(DccpControl::Ccid3);
            rates(&mut sender, 100, &[(0.0, 200e3), (0.001, 200e3), (0.001, 200e3)]);
            for n in 4..20 {
                sender.on_ack(&Report { was_held_back, ..report(n * 100, 0.001, 20e3) });
            }
            sender.x
        };
        assert_eq!(reported(true), 40e3, "twice what came in two round trips");
        assert_eq!(reported(false), 400e3, "the most that ever came counts on");
    }

    #[test]
    fn packets_leave_one_by_one() {
        let mut sender = sender(DccpControl::Ccid3);
        sender.on_ack(&Report { feedback: None, ..report(100, 0.0, 0.0) });
        let mut at = |now_ms: u64| {
            sender.on_data(1_460, Time(now_ms * MS));
            sender.next_send().0 / 1_000
        };
        assert_eq!([at(100), at(134), at(400)], [133_333, 167_333, 433_333], "no credit for the past");
        let damped = DccpConfig::default();
        let mut sender = Ccid3::new(DccpControl::Ccid3, &damped, 1_460, 36);
        sender.on_ack(&report(100, 0.0, 0.0));
        let calm = sender.gap(1_460.0);
        sender.on_ack(&Report { sample: Some(Span::from_millis(400)), feedback: None, ..report(150, 0.0, 0.0) });
        assert!((sender.gap(1_460.0) / calm - 2.0 / 1.1).abs() < 1e-9, "a longer round trip slows it at once");
    }

    #[test]
    fn the_counter_steps_each_quarter_of_a_round_trip() {
        let mut sender = sender(DccpControl::Ccid3);
        assert_eq!(sender.counter(Time(50 * MS)), 0);
        sender.on_ack(&report(100, 0.0, 0.0));
        let seen = [60, 75, 99, 100, 151, 400, 420, 425].map(|ms| sender.counter(Time(ms * MS)));
        assert_eq!(seen, [0, 1, 1, 2, 4, 9, 9, 10], "five steps at most");
    }

    #[test]
    fn small_packets_have_the_rate_of_large_ones_less_their_headers() {
        let mut small = Ccid3::new(DccpControl::Ccid4, &DccpConfig::default(), 164, 36);
        small.on_ack(&report(100, 0.0, 1e6));
        (1..4).for_each(|n| _ = small.on_ack(&report(100 + 100 * n, 0.1, 1e6)));
        assert!((small.x - 25_843.0).abs() < 1.0, "{}", small.x);
        assert_eq!(small.gap(164.0), LEAST_GAP, "200 bytes in 7.7 ms: not faster than one in 10 ms");
        (4..8).for_each(|n| _ = small.on_ack(&report(100 + 100 * n, 0.2, 1e6)));
        assert!((small.gap(164.0) - 200.0 / small.x).abs() < 1e-9);
    }
}
