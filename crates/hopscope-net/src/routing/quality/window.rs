//! The share of a neighbour's broadcasts that comes, over a window of seconds, as olsrd's `etx_ff` counts it.
//!
//! Every packet of the neighbour is a probe: its number says how many were sent since the last one. A second is a place of
//! the window, so that what came long ago is forgotten at once and not by and by. Silence has no numbers: it is counted in
//! intervals between HELLOs that ought to have come.

use hopscope_core::units::{Span, Time};

/// What came and what was sent in one second.
#[derive(Debug, Clone, Copy)]
struct Second {
    received: u16,
    sent: u16,
}

/// What came of one neighbour.
#[derive(Debug)]
pub(crate) struct Window {
    seconds: Box<[Second]>,
    /// The second under way.
    at: usize,
    /// Seconds that count so far: the window opens from few to all.
    open: usize,
    /// Number of the last packet.
    last: u16,
    /// When it came.
    latest: Time,
}

/// Packets that each second is taken to have had before the window has seen it: a link begins as a bad one.
const SENT_BEFORE: u16 = 3;
/// A longer jump of numbers is a new beginning of the neighbour's.
const LONGEST_GAP: u16 = 256;
/// The share of all.
pub(crate) const ALL: u8 = 255;

impl Window {
    /// A window of so many seconds, of which `open` count at first; the neighbour's packet of this number came now.
    pub(crate) fn new(seconds: u32, open: u32, number: u16, now: Time) -> Self {
        let unseen = Second { received: 0, sent: SENT_BEFORE };
        Window { seconds: vec![unseen; seconds as usize].into(), at: 0, open: open as usize, last: number, latest: now }
    }

    /// A packet of the neighbour came.
    pub(crate) fn packet_came(&mut self, number: u16, now: Time) {
        let gap = number.wrapping_sub(self.last);
        // The same packet once more.
        if gap == 0 {
            return;
        }
        let second = &mut self.seconds[self.at];
        second.received = second.received.saturating_add(1);
        second.sent = second.sent.saturating_add(if gap > LONGEST_GAP { 1 } else { gap });
        (self.last, self.latest) = (number, now);
    }

    /// Ends a second: the share that came, in 1/255. `interval` is the longest time between two HELLOs.
    pub(crate) fn end_second(&mut self, interval: Span, now: Time) -> u8 {
        let length = self.seconds.len();
        self.open = (self.open + 1).min(length);
        let counted = self.seconds.iter().take(self.open);
        let (received, sent) =
            counted.fold((0u32, 0u32), |(r, s), second| (r + u32::from(second.received), s + u32::from(second.sent)));
        let received = received * self.not_silent(interval, now) / length as u32;
        self.at = (self.at + 1) % length;
        self.seconds[self.at] = Second { received: 0, sent: 0 };
        // In 1/1024 first, as olsrd rounds.
        let share = (received * 1024).checked_div(sent).unwrap_or(0);
        (share.min(1024) * u32::from(ALL) / 1024) as u8
    }

    /// Seconds of the window that were not silent: the first HELLO is missing after one and a half intervals, each further
    /// one after an interval, and from the second on they count.
    fn not_silent(&self, interval: Span, now: Time) -> u32 {
        let length = self.seconds.len() as u32;
        let silence = (now - self.latest).0;
        if interval == Span::ZERO || silence < interval.0 * 3 / 2 {
            return length;
        }
        let missing = 1 + (silence - interval.0 * 3 / 2) / interval.0;
        let silent = missing * interval.0 / 1_000_000_000;
        if missing == 1 { length } else { length.saturating_sub(silent.min(u64::from(length)) as u32) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::rng::{Purpose, Stream};

    fn s(seconds: u64) -> Time {
        Time::ZERO + Span::from_secs(seconds)
    }

    /// The shares at the ends of seconds, of a packet a second whose number is that of the second, with HELLOs every
    /// `hello` seconds; `came` says whether it comes.
    fn shares(seconds: u64, hello: u64, mut came: impl FnMut(u64) -> bool) -> Vec<u8> {
        let mut window = Window::new(32, 4, 0, s(0));
        let mut each = |second: u64| {
            if came(second) {
                window.packet_came(second as u16, s(second));
            }
            window.end_second(Span::from_secs(hello), s(second))
        };
        (1..=seconds).map(&mut each).collect()
    }

    #[test]
    fn a_link_begins_as_a_bad_one_and_is_perfect_once_its_window_is_full() {
        let shares = shares(40, 2, |_| true);
        // Five places count at the end of the first second: 1 packet and four times 3 that nobody saw.
        assert_eq!(shares[0], (1024 / (3 + 1 + 4 * 3) * 255 / 1024) as u8);
        assert!(shares.windows(2).all(|pair| pair[0] <= pair[1]), "{shares:?}");
        assert_eq!((shares[30] < ALL, shares[32]), (true, ALL), "{shares:?}");
    }

    #[test]
    fn numbers_say_what_is_missing() {
        let shares = shares(64, 2, |second| second % 2 == 0);
        assert_eq!(shares[63], 127, "16 of 32, rounded down: {shares:?}");
    }

    #[test]
    fn silence_is_taken_from_what_came() {
        let shares = shares(80, 2, |second| second <= 40);
        // The packets of 40 s are the last; 3 s later one HELLO is missing, which does not count yet.
        assert_eq!((shares[39], shares[42]), (ALL, ALL));
        // After 5 s two are, 4 s of 32: what the numbers say, 28 of 28 or all that was sent, shrinks by an eighth.
        assert_eq!(shares[44], (27 * 28 / 32 * 1024 / 27 * 255 / 1024) as u8);
        assert_eq!(shares[79], 0);
    }

    #[test]
    fn doubles_count_once_and_far_jumps_as_one() {
        let mut window = Window::new(4, 4, 10, s(0));
        for number in [10, 11, 11, 5_000, 5_001] {
            window.packet_came(number, s(1));
        }
        assert_eq!((window.seconds[0].received, window.seconds[0].sent), (3, 3 + 3));
        window.packet_came(4_998, s(1));
        assert_eq!(window.seconds[0].sent, 3 + 4, "late, and far back");
    }

    /// De Couto et al. 2003: ETX is 1/(d_f d_r). Over a window of n probes with delivery p the share has standard deviation
    /// sqrt(p (1 - p) / n); means of 400 windows must lie within four of the mean's.
    #[test]
    fn shares_are_those_of_the_link_within_the_error_of_its_window() {
        let mut chance = Stream::derive(3, 0, 0, Purpose::Error);
        for delivery in [0.3, 0.5, 0.8, 0.95] {
            let seconds = 32 * 401;
            // HELLOs so rare that no silence counts.
            let all = shares(seconds, 100, |_| chance.uniform() < delivery);
            let windows: Vec<f64> = all.iter().skip(63).step_by(32).map(|&share| f64::from(share) / 255.0).collect();
            let n = windows.len() as f64;
            let mean = windows.iter().sum::<f64>() / n;
            let deviation = (windows.iter().map(|w| (w - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
            let expected = (delivery * (1.0 - delivery) / 32.0f64).sqrt();
            // Octets and fractions are rounded down, by half a 255th each on average.
            assert!((mean + 1.0 / 255.0 - delivery).abs() < 4.0 * expected / n.sqrt() + 0.005, "{delivery}: {mean}");
            assert!((deviation / expected - 1.0).abs() < 0.15, "{delivery}: {deviation} for {expected}");
        }
    }
}
