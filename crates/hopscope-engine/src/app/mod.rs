//! Applications: when a flow has how much to send.

use crate::config::{App, Jitter};
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};

/// What an application asks of its transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppEffect {
    /// Send this many bytes.
    Send {
        /// Payload bytes.
        bytes: u64,
    },
    /// Send without end: there is always more.
    SendForever,
    /// Nothing follows.
    Close,
    /// Call `on_tick` then.
    Arm {
        /// When.
        at: Time,
    },
}

/// The application of one flow.
#[derive(Debug)]
pub struct Source {
    app: App,
    packet: u32,
    start: Time,
    stop: Time,
    /// Start of the current run of packets and packets sent in it (CBR and on periods).
    burst_start: Time,
    burst_sent: u64,
    burst_end: Time,
    /// Packets sent since its start.
    sent: u64,
    /// Next frame of a trace.
    frame: usize,
    /// The instant that it armed last: calls of others are out of date.
    due: Time,
    begun: bool,
}

impl Source {
    /// An application that sends packets of `packet` bytes from `start` to `stop`.
    pub fn new(app: App, packet: u32, start: Time, stop: Time) -> Self {
        Source {
            app,
            packet,
            start,
            stop,
            burst_start: start,
            burst_sent: 0,
            burst_end: Time::ZERO,
            sent: 0,
            frame: 0,
            due: start,
            begun: false,
        }
    }

    /// True when every `Send` is one packet of its own instant; otherwise the transport takes bytes as it finds room.
    pub fn is_paced(&self) -> bool {
        matches!(self.app, App::Cbr { .. } | App::OnOff { .. } | App::Poisson { .. } | App::Trace { .. })
    }

    /// True at the instant that it armed last.
    pub fn is_due(&self, now: Time) -> bool {
        self.due == now
    }

    /// It is to be called at an instant.
    pub fn armed(&mut self, at: Time) {
        self.due = at;
    }

    /// True once it has begun.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// It begins now, also where it was stopped.
    pub fn start_at(&mut self, now: Time) {
        if now >= self.stop {
            // A stop that is past would end it at once.
            self.stop = Time::NEVER;
        }
        (self.start, self.burst_start, self.due) = (now, now, now);
        (self.burst_sent, self.burst_end, self.sent, self.frame) = (0, Time::ZERO, 0, 0);
    }

    /// It offers nothing from now on.
    pub fn stop_at(&mut self, now: Time) {
        self.stop = now;
    }

    /// True when it was stopped, or has come to its end.
    pub fn is_stopped(&self, now: Time) -> bool {
        now >= self.stop
    }

    /// It sends at a rate in bit/s from now on; gives the instant at which it is to be called, one gap later. An application
    /// that is silent begins its next burst as planned.
    pub fn set_rate(&mut self, new: f64, now: Time) -> Option<Time> {
        let (App::Cbr { rate, .. } | App::OnOff { rate, .. } | App::Poisson { rate }) = &mut self.app else {
            return None;
        };
        *rate = new;
        // In an off period it is called at its end.
        let silent = matches!(self.app, App::OnOff { .. }) && self.burst_end == self.due;
        if !self.begun || self.is_stopped(now) || silent {
            return None;
        }
        // As if a packet had left now: the next one comes a whole gap later.
        (self.burst_start, self.burst_sent) = (now, 1);
        Some(self.next_packet(new).min(self.stop))
    }

    /// The application acts: at its start and at every instant it armed.
    pub fn on_tick(&mut self, now: Time, rng: &mut Stream, out: &mut Vec<AppEffect>) {
        self.begun = true;
        if now >= self.stop {
            out.push(AppEffect::Close);
            return;
        }
        match self.app {
            App::Bulk => {
                out.push(AppEffect::SendForever);
                if self.stop != Time::NEVER {
                    out.push(AppEffect::Arm { at: self.stop });
                }
            }
            App::File { bytes } => {
                out.push(AppEffect::Send { bytes });
                out.push(AppEffect::Close);
            }
            App::Cbr { rate, jitter, packets } => self.send_constant(now, (rate, jitter, packets), rng, out),
            App::OnOff { rate, on, off, .. } => self.send_in_burst(now, (rate, on, off), rng, out),
            App::Poisson { rate } => {
                self.send_packet(out);
                self.arm(after(now, rng.exponential(self.interval(rate))), out);
            }
            App::Trace { ref frames } => {
                self.frame = play(frames, self.frame, now.saturating_since(self.start), self.packet, out);
                match frames.get(self.frame) {
                    Some(&(at, _)) => self.arm(self.start + at, out),
                    None => out.push(AppEffect::Close),
                }
            }
        }
    }

    /// A packet of CBR, and when the next one is due; the last of `packets` closes.
    fn send_constant(
        &mut self,
        now: Time,
        (rate, jitter, packets): (f64, Jitter, u64),
        rng: &mut Stream,
        out: &mut Vec<AppEffect>,
    ) {
        self.send_packet(out);
        if self.sent == packets {
            // Stopped, so that a rate that changes later arms nothing.
            self.stop = now;
            out.push(AppEffect::Close);
            return;
        }
        let next = match jitter {
            Jitter::None => self.next_packet(rate),
            // ns-2's CBR with random_ set to 1 adds a uniform half of the interval in either direction.
            Jitter::Uniform => after(now, self.interval(rate) * (0.5 + rng.uniform())),
            Jitter::Poisson => after(now, rng.exponential(self.interval(rate))),
        };
        self.arm(next, out);
    }

    /// A packet of an on period, which begins here when the off period before it is over.
    fn send_in_burst(
        &mut self,
        now: Time,
        (rate, on, off): (f64, Span, Span),
        rng: &mut Stream,
        out: &mut Vec<AppEffect>,
    ) {
        if now >= self.burst_end {
            self.burst_start = now;
            self.burst_sent = 0;
            self.burst_end = now + Span::from_secs_f64(rng.exponential(on.as_secs()));
        }
        self.send_packet(out);
        let next = self.next_packet(rate);
        if next < self.burst_end {
            self.arm(next, out);
        } else {
            // The off period counts from the end of the burst, not from its last packet: the means are those of the periods.
            let wake = self.burst_end + Span::from_secs_f64(rng.exponential(off.as_secs()));
            self.burst_end = wake;
            self.arm(wake, out);
        }
    }

    fn send_packet(&mut self, out: &mut Vec<AppEffect>) {
        self.burst_sent += 1;
        self.sent += 1;
        out.push(AppEffect::Send { bytes: u64::from(self.packet) });
    }

    /// Start of packet n of a run is `start + n * 8 * packet / rate`, rounded once: no drift.
    fn next_packet(&self, rate: f64) -> Time {
        after(self.burst_start, self.burst_sent as f64 * f64::from(self.packet) * 8.0 / rate)
    }

    /// Mean seconds between two packets.
    fn interval(&self, rate: f64) -> f64 {
        f64::from(self.packet) * 8.0 / rate
    }

    fn arm(&mut self, at: Time, out: &mut Vec<AppEffect>) {
        // At its stop it is called once more, to close.
        out.push(AppEffect::Arm { at: at.min(self.stop) });
    }
}

/// So many seconds later; a rate of nearly nothing never comes to its next packet.
fn after(time: Time, seconds: f64) -> Time {
    if seconds < LONGEST_GAP_S { time + Span::from_secs_f64(seconds) } else { Time::NEVER }
}

/// Sends every frame from `first` on that is due, cut into packets, and returns the first that is not.
fn play(frames: &[(Span, u32)], first: usize, elapsed: Span, packet: u32, out: &mut Vec<AppEffect>) -> usize {
    let due = frames[first..].iter().take_while(|(at, _)| *at <= elapsed);
    let mut sent = 0;
    for &(_, bytes) in due {
        let (whole, rest) = (bytes / packet, bytes % packet);
        out.extend((0..whole).map(|_| AppEffect::Send { bytes: u64::from(packet) }));
        if rest > 0 {
            out.push(AppEffect::Send { bytes: u64::from(rest) });
        }
        sent += 1;
    }
    first + sent
}

/// Longer than any run may take.
const LONGEST_GAP_S: f64 = 5e9;

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::rng::Purpose;

    fn ticks(app: App, stop: Time, limit: Time) -> (u64, Vec<Time>) {
        let mut source = Source::new(app, 1480, Time::ZERO, stop);
        let mut rng = Stream::derive(1, 0, 0, Purpose::Traffic);
        let (mut at, mut sent, mut instants) = (Time::ZERO, 0, Vec::new());
        loop {
            let mut out = Vec::new();
            source.on_tick(at, &mut rng, &mut out);
            let mut next = None;
            for effect in out {
                match effect {
                    AppEffect::Send { bytes } => {
                        sent += bytes;
                        instants.push(at);
                    }
                    AppEffect::Arm { at } => next = Some(at),
                    AppEffect::SendForever | AppEffect::Close => {}
                }
            }
            match next {
                Some(t) if t < limit => at = t,
                _ => return (sent, instants),
            }
        }
    }

    #[test]
    fn cbr_keeps_its_rate_without_drift() {
        let (sent, instants) = ticks(App::cbr(1e6), Time::NEVER, Time(300_000_000_000));
        assert_eq!(sent / 1480, 25_338);
        assert_eq!(instants[10_000], Time(118_400_000_000));
    }

    #[test]
    fn cbr_stops_when_reported() {
        let (sent, _) = ticks(App::cbr(1e6), Time(118_400_000), Time(1_000_000_000));
        assert_eq!(sent / 1480, 10);
    }

    #[test]
    fn cbr_stops_after_its_packets_and_starts_again() {
        for jitter in [Jitter::None, Jitter::Uniform] {
            let app = App::Cbr { rate: 1e6, jitter, packets: 3 };
            assert_eq!(ticks(app, Time::NEVER, Time(1_000_000_000)).0 / 1480, 3);
        }
        let app = App::Cbr { rate: 1e6, jitter: Jitter::None, packets: 2 };
        let mut source = Source::new(app, 1480, Time::ZERO, Time::NEVER);
        let (mut rng, mut out) = (Stream::derive(1, 0, 0, Purpose::Traffic), Vec::new());
        let mut sent = |source: &mut Source, at| {
            out.clear();
            source.on_tick(Time(at), &mut rng, &mut out);
            out.iter().filter(|effect| matches!(effect, AppEffect::Send { .. })).count()
        };
        assert_eq!([sent(&mut source, 0), sent(&mut source, 11_840_000), sent(&mut source, 23_680_000)], [1, 1, 0]);
        source.start_at(Time(50_000_000));
        assert_eq!(sent(&mut source, 50_000_000), 1);
    }

    #[test]
    fn uniform_jitter_keeps_the_rate_and_spreads_each_gap_by_half_of_it() {
        let app = App::Cbr { rate: 1e6, jitter: Jitter::Uniform, packets: 0 };
        let (_, instants) = ticks(app, Time::NEVER, Time(1_000_000_000_000));
        let interval = 0.01184;
        let gaps: Vec<f64> = instants.windows(2).map(|w| (w[1] - w[0]).as_secs() / interval).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let square = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        // Five deviations of the mean of 84,000 gaps, each with the deviation 1 / sqrt(12) of a uniform law.
        assert!((mean - 1.0).abs() < 0.005, "{mean}");
        assert!((square - 1.0 / 12.0).abs() < 0.002, "{square}");
        let (least, most) = gaps.iter().fold((2.0, 0.0), |(a, b): (f64, f64), &gap| (a.min(gap), b.max(gap)));
        assert!((0.5..0.501).contains(&least) && (1.499..1.5).contains(&most), "{least} to {most}");
        // A quarter of the range holds a quarter of the gaps.
        let low = gaps.iter().filter(|&&gap| gap < 0.75).count() as f64 / gaps.len() as f64;
        assert!((low - 0.25).abs() < 0.01, "{low}");
    }

    #[test]
    fn poisson_jitter_sends_what_the_poisson_application_sends() {
        let until = Time(10_000_000_000);
        let jittered = ticks(App::Cbr { rate: 1e6, jitter: Jitter::Poisson, packets: 0 }, Time::NEVER, until);
        assert_eq!(jittered, ticks(App::Poisson { rate: 1e6 }, Time::NEVER, until));
        assert_ne!(jittered, ticks(App::cbr(1e6), Time::NEVER, until));
    }

    #[test]
    fn poisson_keeps_its_rate_and_its_gaps_are_exponential() {
        let (sent, instants) = ticks(App::Poisson { rate: 1e6 }, Time::NEVER, Time(1_000_000_000_000));
        let rate = sent as f64 * 8.0 / 1000.0;
        assert!((rate / 1e6 - 1.0).abs() < 0.02, "{rate} bit/s");
        // The deviation of an exponential gap is its mean, 11.84 ms.
        let gaps: Vec<f64> = instants.windows(2).map(|w| (w[1] - w[0]).as_secs()).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let deviation = (gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64).sqrt();
        assert!((deviation / 0.01184 - 1.0).abs() < 0.03, "{deviation} s");
    }

    fn trace(frames: &[(u64, u32)]) -> App {
        App::Trace { frames: frames.iter().map(|&(ms, bytes)| (Span::from_millis(ms), bytes)).collect() }
    }

    #[test]
    fn a_trace_sends_its_frames_at_their_instants_cut_into_packets() {
        let app = trace(&[(0, 1480), (40, 3000), (40, 10), (80, 0), (200, 1481)]);
        let (sent, instants) = ticks(app, Time::NEVER, Time(1_000_000_000));
        assert_eq!(sent, 1480 + 3000 + 10 + 1481);
        let ms: Vec<u64> = instants.iter().map(|t| t.0 / 1_000_000).collect();
        assert_eq!(ms, [0, 40, 40, 40, 40, 200, 200]);
    }

    #[test]
    fn a_trace_starts_with_its_flow_and_ends_with_it() {
        let app = trace(&[(10, 100), (20, 100), (30, 100)]);
        let (start, stop) = (Time(1_000_000_000), Time(1_025_000_000));
        let mut source = Source::new(app, 1480, start, stop);
        let mut rng = Stream::derive(1, 0, 0, Purpose::Traffic);
        let mut tick = |at: Time| {
            let mut out = Vec::new();
            source.on_tick(at, &mut rng, &mut out);
            out
        };
        let arm = |ms: u64| AppEffect::Arm { at: Time(ms * 1_000_000) };
        let send = AppEffect::Send { bytes: 100 };
        assert_eq!(tick(start), [arm(1_010)]);
        assert_eq!(tick(Time(1_010_000_000)), [send, arm(1_020)]);
        assert_eq!(tick(Time(1_020_000_000)), [send, arm(1_025)]);
        assert_eq!(tick(stop), [AppEffect::Close]);
    }

    #[test]
    fn on_off_sends_its_share_of_the_time() {
        let app = App::OnOff { rate: 1e6, on: Span::from_millis(500), off: Span::from_millis(500), codec: None };
        let (sent, _) = ticks(app, Time::NEVER, Time(2_000_000_000_000));
        let rate = sent as f64 * 8.0 / 2000.0;
        assert!((rate / 0.5e6 - 1.0).abs() < 0.1, "{rate} bit/s");
    }
}
