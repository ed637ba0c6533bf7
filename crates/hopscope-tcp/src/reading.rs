//! A receiving application that does not read at once, and the window that is left then.
//!
//! The buffer holds what is unread; the window is the rest. Its right edge never moves back (RFC 9293 3.8.6), and it
//! moves on only by a segment or half of the buffer at least (silly window avoidance, 3.8.6.2.2). What lies beyond it
//! is not taken. A read after which a sender may be waiting, as the window it knows is below a segment, or which frees
//! half of the buffer, is reported by an ACK of its own.

use super::Cx;
use super::timer::LazyTimer;
use crate::endpoint::Timer;
use hopscope_core::units::Span;

/// A buffer between a receiver and its application.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// Bytes that the buffer holds.
    buffer: u64,
    mss: u64,
    /// Arrived in order and not read.
    unread: u64,
    /// Number after the last one that the sender may send as far as it knows.
    edge: u64,
    /// Time between reads of a segment; none: the application reads on request.
    interval: Option<Span>,
    timer: LazyTimer,
}

impl Reading {
    /// An application that reads so many bit/s (0: nothing) a segment at a time; none: on request.
    pub(super) fn new(buffer: u64, mss: u64, rate: Option<u64>) -> Self {
        let interval = rate.filter(|&rate| rate > 0).map(|rate| Span(8 * mss * 1_000_000_000 / rate));
        Reading { buffer, mss, unread: 0, edge: 0, interval, timer: LazyTimer::new(Timer::Read) }
    }

    /// Window to advertise while `next` is expected.
    pub(super) fn window(&mut self, next: u64) -> u32 {
        self.edge = self.edge.max(self.could_reach(next));
        u32::try_from(self.edge - next).unwrap_or(u32::MAX)
    }

    /// The edge that silly window avoidance lets be advertised.
    fn could_reach(&self, next: u64) -> u64 {
        let reach = next + self.buffer.saturating_sub(self.unread);
        let least = self.mss.min(self.buffer / 2).max(1);
        if reach >= self.edge.max(next) + least || self.edge < next { reach } else { self.edge }
    }

    /// Number after the last one that is taken.
    pub(super) fn edge(&self) -> u64 {
        self.edge
    }

    /// So many bytes have come in order.
    pub(super) fn on_data(&mut self, bytes: u64, cx: &mut Cx) {
        self.unread += bytes;
        self.wait(cx);
    }

    fn wait(&mut self, cx: &mut Cx) {
        if let (Some(interval), true, false) = (self.interval, self.unread > 0, self.timer.running()) {
            self.timer.set(cx.now + interval, cx);
        }
    }

    /// The timer has expired: how many bytes the application reads.
    pub(super) fn on_timer(&mut self, cx: &mut Cx) -> u64 {
        if self.timer.fires(cx) { self.mss.min(self.unread) } else { 0 }
    }

    /// The application reads so many bytes, with `next` expected; true when an ACK has to report the window.
    pub(super) fn on_read(&mut self, bytes: u64, next: u64, cx: &mut Cx) -> bool {
        self.unread = self.unread.saturating_sub(bytes);
        self.wait(cx);
        let (reported, could) = (self.edge.saturating_sub(next), self.could_reach(next));
        let gained = could.saturating_sub(self.edge.max(next));
        gained > 0 && (reported < self.mss.min(self.buffer / 2).max(1) || gained >= (self.buffer / 2).max(self.mss))
    }

    /// Bytes that wait for the application.
    pub(super) fn unread(&self) -> u64 {
        self.unread
    }

    /// Nothing will be read any more.
    pub(super) fn retire(&mut self, cx: &mut Cx) {
        self.timer.retire(cx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::units::Time;

    fn read(reading: &mut Reading, bytes: u64, next: u64) -> bool {
        reading.on_read(bytes, next, &mut Cx { now: Time::ZERO, out: &mut Vec::new() })
    }

    fn data(reading: &mut Reading, bytes: u64) {
        reading.on_data(bytes, &mut Cx { now: Time::ZERO, out: &mut Vec::new() });
    }

    #[test]
    fn the_window_is_what_the_buffer_has_left() {
        let mut reading = Reading::new(4_000, 1_000, Some(0));
        assert_eq!(reading.window(1), 4_000);
        for (n, left) in [(1, 3_000), (2, 2_000), (3, 1_000), (4, 0)] {
            data(&mut reading, 1_000);
            assert_eq!(reading.window(1 + 1_000 * n), left);
        }
        assert_eq!((reading.edge(), reading.unread()), (4_001, 4_000));
    }

    #[test]
    fn it_opens_by_whole_segments_and_reports_a_waiting_sender() {
        let mut reading = Reading::new(4_000, 1_000, Some(0));
        reading.window(1);
        data(&mut reading, 4_000);
        let next = 4_001;
        assert_eq!(reading.window(next), 0);
        assert!(!read(&mut reading, 400, next), "less than a segment is no window");
        assert_eq!(reading.window(next), 0);
        assert!(read(&mut reading, 700, next), "the sender may be waiting");
        assert_eq!(reading.window(next), 1_100);
        assert!(!read(&mut reading, 1_000, next), "it has a segment to send");
        assert!(read(&mut reading, 1_900, next), "more than half of the buffer");
        assert_eq!(reading.window(next), 4_000);
    }

    #[test]
    fn half_of_a_small_buffer_is_enough() {
        let mut reading = Reading::new(600, 1_000, Some(0));
        reading.window(1);
        data(&mut reading, 600);
        assert_eq!(reading.window(601), 0);
        assert!(!read(&mut reading, 299, 601));
        assert!(read(&mut reading, 1, 601));
        assert_eq!(reading.window(601), 300);
    }

    #[test]
    fn an_application_reads_at_its_rate() {
        let mut out = Vec::new();
        let mut reading = Reading::new(4_000, 1_000, Some(80_000));
        let mut cx = Cx { now: Time::ZERO, out: &mut out };
        reading.on_data(1_500, &mut cx);
        cx.now = Time(100_000_000);
        assert_eq!(reading.on_timer(&mut cx), 1_000);
        reading.on_read(1_000, 1_501, &mut cx);
        cx.now = Time(150_000_000);
        assert_eq!(reading.on_timer(&mut cx), 0, "too early");
        cx.now = Time(200_000_000);
        assert_eq!(reading.on_timer(&mut cx), 500);
    }
}
