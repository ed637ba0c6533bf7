//! What the engine counts of a TCP connection at the host that opens it, as tcptrace counts it in a capture of that host.
//!
//! A round-trip time is the time from sending a segment (SYN and FIN too) to the first ACK whose number is the end of that
//! segment, where neither it nor one before it was sent again meanwhile: such an ACK might answer another copy (Karn's rule).

use std::collections::VecDeque;

use hopscope_core::units::{Span, Time};
use hopscope_packet::tcp::TcpSegment;
use serde::Serialize;

/// Figures of a connection.
#[derive(Debug, Clone, Serialize)]
pub struct Connection {
    /// Flow whose source opens it.
    pub flow: u32,
    /// Segments sent.
    pub sent_packets: u64,
    /// Segments received.
    pub received_packets: u64,
    /// Segments with payload sent.
    pub data_packets: u64,
    /// Payload bytes sent for the first time.
    pub unique_bytes: u64,
    /// Segments with payload sent again.
    pub retransmitted_packets: u64,
    /// Their payload bytes.
    pub retransmitted_bytes: u64,
    /// ACKs without payload that repeat the number and the window of the one before.
    pub duplicate_acks: u64,
    /// SACK blocks received.
    pub sack_blocks: u64,
    /// Round-trip times measured.
    pub rtt_samples: u64,
    /// The shortest, milliseconds; none without samples.
    pub rtt_min_ms: Option<f64>,
    /// Their mean, milliseconds.
    pub rtt_avg_ms: Option<f64>,
    /// The longest, milliseconds.
    pub rtt_max_ms: Option<f64>,
    /// From the first segment to the last, seconds.
    pub elapsed_s: f64,
    /// Unique bytes over that time, kbit/s.
    pub throughput_kbps: f64,
}

/// A segment under way.
#[derive(Debug, Clone, Copy)]
struct Sent {
    start: u64,
    end: u64,
    at: Time,
    again: bool,
    acknowledged: bool,
}

/// A connection as it goes on.
#[derive(Debug)]
pub struct ConnectionState {
    figures: Connection,
    under_way: VecDeque<Sent>,
    /// Last sending of a segment before those under way.
    before: Time,
    /// Beyond the highest sequence number sent.
    next: u64,
    last_ack: Option<(u64, u32)>,
    rtt: [Span; 3],
    first: Option<Time>,
    last: Time,
}

impl ConnectionState {
    /// Of a flow.
    pub fn new(flow: u32) -> Self {
        let figures = Connection {
            flow,
            sent_packets: 0,
            received_packets: 0,
            data_packets: 0,
            unique_bytes: 0,
            retransmitted_packets: 0,
            retransmitted_bytes: 0,
            duplicate_acks: 0,
            sack_blocks: 0,
            rtt_samples: 0,
            rtt_min_ms: None,
            rtt_avg_ms: None,
            rtt_max_ms: None,
            elapsed_s: 0.0,
            throughput_kbps: 0.0,
        };
        ConnectionState {
            figures,
            under_way: VecDeque::new(),
            before: Time::ZERO,
            next: 0,
            last_ack: None,
            rtt: [Span(u64::MAX), Span::ZERO, Span::ZERO],
            first: None,
            last: Time::ZERO,
        }
    }

    /// The opening host sends a segment.
    pub fn on_sent(&mut self, now: Time, segment: &TcpSegment) {
        self.see(now);
        self.figures.sent_packets += 1;
        let (start, end) = (segment.seq, segment.seq + segment.seq_len());
        let again = end <= self.next && end > start;
        if segment.len > 0 {
            self.figures.data_packets += 1;
            if again {
                self.figures.retransmitted_packets += 1;
                self.figures.retransmitted_bytes += u64::from(segment.len);
            } else {
                self.figures.unique_bytes += u64::from(segment.len);
            }
        }
        if end == start {
            return;
        }
        self.next = self.next.max(end);
        match self.under_way.iter_mut().find(|sent| sent.start == start && sent.end == end) {
            // As tcptrace does: the same bounds are the same segment.
            Some(sent) => (sent.at, sent.again) = (now, true),
            // Sent again with other bounds: what is under way gives no sample any more (Karn's rule).
            None if again => self.before = self.before.max(now),
            None => self.under_way.push_back(Sent { start, end, at: now, again: false, acknowledged: false }),
        }
    }

    /// It receives a segment.
    pub fn on_received(&mut self, now: Time, segment: &TcpSegment) {
        self.see(now);
        self.figures.received_packets += 1;
        self.figures.sack_blocks += u64::from(segment.n_sack);
        if !segment.flags.ack {
            return;
        }
        // RFC 5681 2 asks for an unchanged window too: a window update is no duplicate.
        let is_plain = segment.len == 0 && !segment.flags.syn && !segment.flags.fin;
        let ack_and_window = (segment.ack, segment.window);
        self.figures.duplicate_acks += u64::from(is_plain && self.last_ack == Some(ack_and_window));
        self.last_ack = Some(ack_and_window);
        self.acknowledge(now, segment.ack);
    }

    fn acknowledge(&mut self, now: Time, number: u64) {
        let mut latest = self.before;
        for sent in &mut self.under_way {
            // In order of their numbers: those behind are not acknowledged either.
            if number <= sent.start {
                break;
            }
            if !sent.acknowledged {
                sent.acknowledged = true;
                if number == sent.end && !sent.again && latest <= sent.at {
                    let rtt = now - sent.at;
                    let [least, sum, most] = &mut self.rtt;
                    (*least, *sum, *most) = ((*least).min(rtt), *sum + rtt, (*most).max(rtt));
                    self.figures.rtt_samples += 1;
                }
            }
            latest = latest.max(sent.at);
        }
        while let Some(sent) = self.under_way.front().filter(|sent| sent.acknowledged) {
            self.before = self.before.max(sent.at);
            self.under_way.pop_front();
        }
    }

    fn see(&mut self, now: Time) {
        self.first.get_or_insert(now);
        self.last = now;
    }

    /// Its figures so far; none where nothing was sent or received.
    pub fn figures(&self) -> Option<Connection> {
        let first = self.first?;
        let mut figures = self.figures.clone();
        if figures.rtt_samples > 0 {
            let [least, sum, most] = self.rtt.map(|span| span.as_secs() * 1e3);
            figures.rtt_min_ms = Some(least);
            figures.rtt_avg_ms = Some(sum / figures.rtt_samples as f64);
            figures.rtt_max_ms = Some(most);
        }
        figures.elapsed_s = (self.last - first).as_secs();
        if figures.elapsed_s > 0.0 {
            figures.throughput_kbps = figures.unique_bytes as f64 * 8e-3 / figures.elapsed_s;
        }
        Some(figures)
    }
}

#[cfg(test)]
mod tests {
    use hopscope_packet::tcp::TcpFlags;

    use super::*;

    fn data(seq: u64) -> TcpSegment {
        TcpSegment { seq, len: 100, ..TcpSegment::default() }
    }

    fn ack(ack: u64) -> TcpSegment {
        let flags = TcpFlags { ack: true, ..TcpFlags::default() };
        TcpSegment { ack, flags, window: 1_000, ..TcpSegment::default() }
    }

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    #[test]
    fn a_segment_sent_once_and_acknowledged_alone_is_a_sample() {
        let mut account = ConnectionState::new(0);
        account.on_sent(ms(0), &data(1));
        account.on_sent(ms(1), &data(101));
        account.on_sent(ms(2), &data(201));
        account.on_received(ms(10), &ack(101)); // 10 ms
        account.on_received(ms(31), &ack(301)); // 29 ms for the last one; the one before it goes with it
        let figures = account.figures().expect("something was sent");
        assert_eq!((figures.rtt_samples, figures.rtt_min_ms, figures.rtt_max_ms), (2, Some(10.0), Some(29.0)));
        assert_eq!((figures.rtt_avg_ms, figures.unique_bytes), (Some(19.5), 300));
        assert!((figures.elapsed_s - 0.031).abs() < 1e-9, "{}", figures.elapsed_s);
        assert!((figures.throughput_kbps - 300.0 * 8e-3 / 0.031).abs() < 1e-6, "{}", figures.throughput_kbps);
    }

    #[test]
    fn what_may_answer_another_copy_is_none() {
        let mut account = ConnectionState::new(0);
        account.on_sent(ms(0), &data(1));
        account.on_sent(ms(1), &data(101));
        account.on_received(ms(5), &ack(1));
        account.on_received(ms(6), &ack(1));
        account.on_sent(ms(7), &data(1));
        account.on_received(ms(9), &ack(201)); // of the second, but a segment before it was sent again
        let figures = account.figures().expect("something was sent");
        assert_eq!((figures.rtt_samples, figures.rtt_avg_ms), (0, None));
        assert_eq!((figures.duplicate_acks, figures.retransmitted_packets, figures.retransmitted_bytes), (1, 1, 100));
        account.on_sent(ms(10), &data(201));
        account.on_received(ms(14), &ack(301));
        assert_eq!(account.figures().expect("it goes on").rtt_max_ms, Some(4.0));
    }
}
