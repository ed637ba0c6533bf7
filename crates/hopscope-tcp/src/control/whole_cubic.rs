//! CUBIC in whole segments and milliseconds, as version 2.1 of Linux' module (2.6.22) computes it, which ns-2.35's
//! Agent/TCP/Linux runs.
//!
//! The function is that of RFC 9438. What whole numbers make of it counts where windows are small: the goal of the next
//! round trip is rounded up to a segment; growth is counted in ACKs, of which one more is needed than the quotient
//! says; and what an ACK stands for is estimated in sixteenths, by a rule that begins at two segments and stays at
//! 31/16 where every segment is acknowledged, so that the window grows nearly twice as fast. A timeout forgets all.

use super::cubic::cube_root;
use super::{Acked, Controller, Feedback, Loss, Window};
use crate::config::TcpConfig;
use hopscope_core::units::Time;

/// C and beta are kept in units of 1/1024, times of the cubic function in 1/1024 s.
const SCALE: u64 = 1024;
/// C is meant for a round trip of 100 ms: ten of them a second.
const ROUNDS: u64 = 10;
/// What an ACK stands for, in sixteenths of a segment, at the start.
const TWO_SEGMENTS: i64 = 32;
/// ACKs for one more segment before the first loss.
const BEFORE_LOSS: u64 = 50;
/// Segments at most by which the window grows in 100 ms beyond its plateau.
const MAX_INCREMENT: u64 = 16;
/// The growth is worked out anew when the window has moved, or after so many milliseconds.
const REFRESH_MS: u64 = 31;

/// State of CUBIC in whole numbers: segments, and milliseconds where nothing else is said.
#[derive(Debug, Clone)]
pub(in super::super) struct WholeCubic {
    mss: u64,
    /// C, in units of 1/1024, times `ROUNDS`.
    c: u64,
    /// Share of the window kept after a loss, in units of 1/1024.
    beta: u64,
    /// Eighths of a window of ACKs for which Reno's estimate grows by a segment.
    reno_eighths: u64,
    fast_convergence: bool,
    path: Path,
    /// Not acknowledged at the last timeout: until then ACKs do not show what they stand for.
    lost_until: u64,
    /// ACKs that have counted towards the next segment.
    counted: u64,
}

/// What a timeout forgets.
#[derive(Debug, Clone)]
struct Path {
    /// ACKs for one more segment.
    per_segment: u64,
    /// Window of the plateau.
    last_max: u64,
    /// A loss was found before.
    has_lost: bool,
    /// Window and instant at which the growth was last worked out.
    last_window: u64,
    last_time: u64,
    /// Window of the plateau of this epoch.
    origin: u64,
    /// Time to it, in 1/1024 s.
    k: u64,
    /// Least round-trip time.
    least_rtt: Option<u64>,
    /// Start of the epoch.
    epoch: Option<u64>,
    /// ACKs that have counted towards Reno's estimate.
    acks: u64,
    /// What Reno would have by now.
    reno: u64,
    /// What an ACK stands for, in sixteenths of a segment.
    ack_ratio: i64,
}

impl Path {
    fn new() -> Self {
        Path {
            per_segment: 0,
            last_max: 0,
            has_lost: false,
            last_window: 0,
            last_time: 0,
            origin: 0,
            k: 0,
            least_rtt: None,
            epoch: None,
            acks: 0,
            reno: 0,
            ack_ratio: TWO_SEGMENTS,
        }
    }
}

/// Whole milliseconds, rounded down.
fn millis(now: Time) -> u64 {
    now.0 / 1_000_000
}

impl WholeCubic {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64) -> Self {
        let beta = ((cfg.cubic_beta * SCALE as f64).round() as u64).min(SCALE - 1);
        WholeCubic {
            mss,
            c: ((cfg.cubic_c * SCALE as f64 / ROUNDS as f64).round() as u64).max(1) * ROUNDS,
            beta,
            reno_eighths: 8 * (SCALE + beta) / 3 / (SCALE - beta),
            fast_convergence: cfg.cubic_fast_convergence,
            path: Path::new(),
            lost_until: 0,
            counted: 0,
        }
    }

    /// Works out how many ACKs make the window one segment larger.
    fn update(&mut self, window: u64, now: u64) {
        let path = &mut self.path;
        path.acks += 1;
        if path.last_window == window && now.saturating_sub(path.last_time) <= REFRESH_MS {
            return;
        }
        (path.last_window, path.last_time) = (window, now);
        let epoch = match path.epoch {
            Some(epoch) => epoch,
            None => {
                (path.acks, path.reno) = (1, window);
                path.origin = path.last_max.max(window);
                // (origin - window) * 2^40 / C, the cube of a time in 1/1024 s
                path.k = cube_root(((path.origin - window) * ((1 << 40) / self.c)) as f64) as u64;
                *path.epoch.insert(now)
            }
        };
        let t = (now + path.least_rtt.unwrap_or(0) - epoch) * SCALE / 1000;
        let away = u128::from(t.abs_diff(path.k));
        let moved = ((u128::from(self.c) * away * away * away) >> 40) as u64;
        let goal = if t < path.k { path.origin.saturating_sub(moved) } else { path.origin + moved };
        let mut wanted = if goal > window { window / (goal - window) } else { 100 * window };
        if let Some(rtt) = path.least_rtt.filter(|_| t >= path.k) {
            wanted = wanted.max(window * 100 / (MAX_INCREMENT * rtt.max(1)));
        }
        if !path.has_lost {
            wanted = BEFORE_LOSS;
        }
        // Reno's estimate: one segment for each so many ACKs.
        let step = (window * self.reno_eighths / 8).max(1);
        while path.acks > step {
            path.acks -= step;
            path.reno += 1;
        }
        if path.reno > window {
            wanted = wanted.min(window / (path.reno - window));
        }
        path.per_segment = (wanted * 16 / path.ack_ratio.max(1) as u64).max(1);
    }

    /// The epoch ends with a loss at this window; what is kept of it.
    fn reduce(&mut self, w: &Window) -> f64 {
        let window = w.cwnd as u64;
        let path = &mut self.path;
        path.last_max = if self.fast_convergence && window < path.last_max {
            window * (SCALE + self.beta) / (2 * SCALE)
        } else {
            window
        };
        path.epoch = None;
        path.has_lost = true;
        self.counted = 0;
        (window * self.beta / SCALE).max(2) as f64
    }
}

impl Controller for WholeCubic {
    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, _w: &mut Window, ack: &Feedback) {
        if ack.recovering || ack.bytes == 0 {
            return;
        }
        let now = millis(ack.now);
        if ack.una > self.lost_until {
            let segments = ack.bytes.div_ceil(self.mss) as i64;
            self.path.ack_ratio += segments - (self.path.ack_ratio >> 4);
        }
        // Not in the first second of an epoch, when the queue is short for the loss.
        if let Some(rtt) = ack.rtt.filter(|_| now >= self.path.epoch.unwrap_or(0) + 1000) {
            let sent = (ack.now.saturating_since(Time::ZERO).0.saturating_sub(rtt.0) + 500_000) / 1_000_000;
            let delay = now.saturating_sub(sent);
            self.path.least_rtt = Some(self.path.least_rtt.map_or(delay, |least| least.min(delay)));
        }
    }

    fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
        if !ack.cwnd_limited {
            return;
        }
        if w.cwnd <= w.ssthresh {
            w.cwnd += 1.0;
            return;
        }
        self.update(w.cwnd as u64, millis(ack.now));
        if self.counted >= self.path.per_segment {
            w.cwnd += 1.0;
            self.counted = 0;
        } else {
            self.counted += 1;
        }
    }

    fn on_loss(&mut self, w: &mut Window, _loss: &Loss) -> bool {
        w.ssthresh = self.reduce(w);
        w.cwnd = w.ssthresh;
        true
    }

    fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
        w.ssthresh = self.reduce(w);
        w.cwnd = 1.0;
        self.path = Path::new();
        self.lost_until = loss.una + loss.flight as u64 * self.mss;
    }

    fn on_undo(&mut self, w: &mut Window, to: &Window, before: &Self) {
        w.restore(to);
        let least_rtt = self.path.least_rtt.into_iter().chain(before.path.least_rtt).min();
        *self = WholeCubic { path: Path { least_rtt, ..before.path.clone() }, ..*before };
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{acked, feedback, loss, window};
    use super::*;

    /// With the constants of Linux 2.6: beta is 819/1024.
    fn cubic() -> WholeCubic {
        WholeCubic::new(&TcpConfig { cubic_beta: 819.0 / 1024.0, ..TcpConfig::default() }, 1000)
    }

    fn feed(c: &mut WholeCubic, w: &mut Window, ms: u64, bytes: u64, rtt: Option<u64>) {
        c.on_feedback(w, &Feedback { bytes, ..feedback(ms, 1_000_000, rtt) });
    }

    #[test]
    fn constants_are_whole_numbers() {
        let c = cubic();
        // 0.4 of 1024 is 409.6, by tens 410; 8 (1024 + 819) / 3 / (1024 - 819) is 23.97
        assert_eq!((c.c, c.beta, c.reno_eighths), (410, 819, 23));
    }

    #[test]
    fn an_ack_of_one_segment_counts_for_nearly_two() {
        let (mut c, mut w) = (cubic(), window(10.0, 2.0));
        (0..100).for_each(|_| feed(&mut c, &mut w, 0, 1000, None));
        assert_eq!(c.path.ack_ratio, 31, "one less once, and never again");
        (0..100).for_each(|_| feed(&mut c, &mut w, 0, 2000, None));
        assert_eq!(c.path.ack_ratio, 32);
        c.on_feedback(&mut w, &Feedback { bytes: 9000, recovering: true, ..feedback(0, 1_000_000, None) });
        assert_eq!(c.path.ack_ratio, 32, "a recovery does not count");
    }

    #[test]
    fn the_goal_is_rounded_up_and_one_more_ack_is_asked_for() {
        let (mut c, mut w) = (cubic(), window(10.0, 2.0));
        c.on_loss(&mut w, &loss(10.0));
        // 10 * 819 / 1024 = 7.998
        assert_eq!((w.cwnd, w.ssthresh), (7.0, 7.0));
        w.ssthresh = 2.0;
        let mut ack = acked(1000);
        for n in 0..4 {
            assert_eq!(w.cwnd, 7.0, "{n} ACKs");
            ack.now = Time(n);
            c.on_ack(&mut w, &ack);
        }
        // K = (3 / 0.4)^(1/3) = 1.957 s, 2003 times 1/1024 s; 410 * 2003^3 / 2^40 = 2.997 leaves a goal of 8 after 10:
        // in 7 ACKs, and by half as many as each counts for two: 3, and one more.
        assert_eq!((c.path.k, c.path.per_segment, w.cwnd), (2003, 3, 8.0));
    }

    #[test]
    fn slow_start_includes_the_threshold_and_an_unused_window_rests() {
        let (mut c, mut w) = (cubic(), window(8.0, 8.0));
        c.on_ack(&mut w, &Acked { cwnd_limited: false, ..acked(1000) });
        assert_eq!(w.cwnd, 8.0);
        c.on_ack(&mut w, &acked(1000));
        assert_eq!(w.cwnd, 9.0);
    }

    #[test]
    fn above_the_plateau_growth_is_bounded_by_time() {
        let (mut c, mut w) = (cubic(), window(100.0, 2.0));
        c.on_loss(&mut w, &loss(100.0));
        feed(&mut c, &mut w, 1000, 1000, Some(100));
        assert_eq!(c.path.least_rtt, Some(100));
        w.ssthresh = 2.0;
        c.on_ack(&mut w, &acked(1000));
        // 21 years of segments would be wanted; 16 in each round trip of 100 ms are allowed: 79 * 16 / 16 ACKs for 16
        // of them.
        c.on_ack(&mut w, &Acked { now: Time(60_000_000_000), ..acked(1000) });
        assert_eq!(c.path.per_segment, 79 * 100 / 1600 * 16 / 31);
    }

    #[test]
    fn a_timeout_forgets_the_path() {
        let (mut c, mut w) = (cubic(), window(20.0, 2.0));
        c.on_loss(&mut w, &loss(20.0));
        feed(&mut c, &mut w, 2000, 1000, Some(50));
        c.on_timeout(&mut w, &loss(16.0));
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 11.0), "15 * 819 / 1024");
        assert!(c.path.last_max == 0 && c.path.least_rtt.is_none() && !c.path.has_lost);
        assert_eq!(c.lost_until, 16_001);
        c.on_feedback(&mut w, &Feedback { bytes: 1000, ..feedback(0, 16_001, None) });
        assert_eq!(c.path.ack_ratio, TWO_SEGMENTS, "what was lost does not count");
    }

    #[test]
    fn a_second_loss_below_the_plateau_gives_way() {
        let (mut c, mut w) = (cubic(), window(100.0, 2.0));
        c.on_loss(&mut w, &loss(100.0));
        assert_eq!(w.cwnd, 79.0);
        c.on_loss(&mut w, &loss(79.0));
        assert_eq!(c.path.last_max, 79 * 1843 / 2048);
    }
}
