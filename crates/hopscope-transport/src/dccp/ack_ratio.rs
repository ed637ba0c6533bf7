//! Congestion control of acknowledgements (RFC 4341 6.1.2): how many packets of data one of them stands for.

use hopscope_packet::dccp::Seq;

/// What the sender of data knows of lost acknowledgements.
#[derive(Debug)]
pub(super) struct AckRatio {
    /// The ratio wanted, which the other end may not have confirmed yet.
    ratio: u64,
    /// Acknowledgements of this window have been lost.
    is_lost: bool,
    /// The window ends when this number is acknowledged.
    until: Option<Seq>,
    /// Windows without a loss since the ratio changed last.
    clean: u64,
}

impl AckRatio {
    /// The ratio to begin with.
    pub(super) fn new(ratio: u64) -> Self {
        AckRatio { ratio, is_lost: false, until: None, clean: 0 }
    }

    /// A packet has come so many numbers after the last one: those between are lost.
    pub(super) fn on_packet(&mut self, steps: i64) {
        self.is_lost |= steps > 1;
    }

    /// `ack` is acknowledged and `next` will be sent next; gives the ratio wanted now. Once a window it doubles where
    /// acknowledgements were lost, and falls by one after `window` / (ratio^2 - ratio) windows without a loss. It is at
    /// most half the window, and at least 2 for windows of 4 and more.
    pub(super) fn on_ack(&mut self, ack: Seq, next: Seq, window: f64) -> u64 {
        let most = (window / 2.0).ceil().max(1.0) as u64;
        let least = if window >= 4.0 { 2 } else { 1 };
        if self.until.is_none_or(|until| ack.since(until) >= 0) {
            self.end_window(next, window);
        }
        // At any acknowledgement: the window may have been cut since the ratio was chosen.
        self.ratio = self.ratio.clamp(least, most);
        self.ratio
    }

    fn end_window(&mut self, next: Seq, window: f64) {
        self.until = Some(next);
        if std::mem::take(&mut self.is_lost) {
            self.clean = 0;
            self.ratio *= 2;
            return;
        }
        self.clean += 1;
        // A ratio of 1 gives infinity: it cannot fall.
        let needed = window / (self.ratio * (self.ratio - 1)) as f64;
        if self.ratio > 1 && self.clean as f64 >= needed {
            self.clean = 0;
            self.ratio -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ratio after windows of 16 packets with (`true`) or without a loss of acknowledgements.
    fn after(windows: &[bool], ratio: u64) -> u64 {
        let mut control = AckRatio::new(ratio);
        let mut wanted = ratio;
        for (n, lost) in windows.iter().enumerate() {
            control.on_packet(if *lost { 2 } else { 1 });
            let (ack, next) = (Seq::new(16 * n as u64), Seq::new(16 * (n as u64 + 1)));
            wanted = control.on_ack(ack, next, 16.0);
        }
        wanted
    }

    #[test]
    fn it_doubles_with_losses_up_to_half_the_window() {
        assert_eq!([1, 2, 3].map(|n| after(&[true; 3][..n], 2)), [4, 8, 8]);
    }

    #[test]
    fn it_falls_by_one_after_the_windows_of_the_standard() {
        // 16 / (4 * 4 - 4) = 1.33: after two; 16 / (3 * 3 - 3) = 2.67: after three.
        let clean = [false; 8];
        assert_eq!([1, 2, 4, 5].map(|n| after(&clean[..n], 4)), [4, 3, 3, 2]);
        assert_eq!(after(&clean, 2), 2, "windows of 4 and more have at least 2");
    }

    #[test]
    fn small_windows_have_small_ratios() {
        let ratio = |window| AckRatio::new(8).on_ack(Seq::new(0), Seq::new(1), window);
        assert_eq!([1.0, 2.0, 3.0, 4.0, 9.0].map(ratio), [1, 1, 2, 2, 5]);
    }

    #[test]
    fn inside_a_window_it_stays() {
        let mut control = AckRatio::new(4);
        assert_eq!(control.on_ack(Seq::new(0), Seq::new(16), 16.0), 4);
        control.on_packet(3);
        assert_eq!(control.on_ack(Seq::new(5), Seq::new(21), 16.0), 4);
        assert_eq!(control.on_ack(Seq::new(16), Seq::new(32), 16.0), 8);
    }
}
