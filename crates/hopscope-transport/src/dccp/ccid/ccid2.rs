//! CCID 2 (RFC 4341): the window of TCP with selective acknowledgements, counted in packets.
//!
//! What TCP decides by repeating data is left to the Ack Vector here; no data is repeated.

use super::Report;
use crate::config::DccpConfig;
use hopscope_packet::dccp::Seq;

/// State of the control.
#[derive(Debug)]
pub(in crate::dccp) struct Ccid2 {
    /// Packets that may be in flight.
    cwnd: u32,
    ssthresh: u32,
    /// Acknowledged packets that have not made the window grow yet.
    credit: u32,
    /// Packets before this one left before the last cut: their losses belong to it.
    cut_at: Option<Seq>,
    /// The window does not grow before this number is acknowledged: the receiver cannot take more.
    hold: Option<Seq>,
}

impl Ccid2 {
    pub(super) fn new(cfg: &DccpConfig, packet: u32) -> Self {
        Ccid2 { cwnd: initial_window(cfg, packet), ssthresh: u32::MAX, credit: 0, cut_at: None, hold: None }
    }

    /// The window is halved once for all losses and marks of one window (RFC 4341 5).
    pub(super) fn on_ack(&mut self, report: &Report) -> bool {
        let is_new = |seq: Seq| self.cut_at.is_none_or(|cut| seq.since(cut) >= 0);
        if [report.newest_lost, report.marked].into_iter().flatten().any(is_new) {
            self.cwnd = (self.cwnd / 2).max(1);
            self.ssthresh = self.cwnd.max(2);
            self.credit = 0;
            // Losses of what left before now belong to the same window and are answered.
            self.cut_at = Some(report.next);
            return true;
        }
        // RFC 4340 11.6 and 11.7.2: no growth for a round trip; a packet less for each one that found the buffer full.
        if report.refused > 0 {
            self.cwnd = self.cwnd.saturating_sub(report.refused).max(1);
        }
        if report.refused > 0 || report.slow_receiver {
            // A round trip is over when something sent from now on is acknowledged.
            self.hold = Some(report.next);
        } else if self.hold.is_some_and(|until| report.ack.since(until) >= 0) {
            self.hold = None;
        }
        // A window that is not used says nothing of the path.
        if report.was_full && self.hold.is_none() {
            self.grow(report.acked, report.ack_ratio);
        }
        false
    }

    /// Slow start from one packet (RFC 4341 5, RFC 6298).
    pub(super) fn on_timeout(&mut self) {
        self.ssthresh = (self.cwnd / 2).max(2);
        self.cwnd = 1;
        self.credit = 0;
        // All that was under way counts for lost: what leaves from here on is another window.
        self.cut_at = None;
        self.hold = None;
    }

    pub(super) fn window(&self) -> f64 {
        f64::from(self.cwnd)
    }

    pub(super) fn ssthresh(&self) -> f64 {
        if self.ssthresh == u32::MAX { f64::INFINITY } else { f64::from(self.ssthresh) }
    }

    /// Slow start: a packet for two acknowledged, no more than half the Ack Ratio for one acknowledgement. Later a
    /// packet for a window acknowledged.
    fn grow(&mut self, acked: u32, ack_ratio: u64) {
        if self.cwnd < self.ssthresh {
            // No more than the Ack Ratio counts, so that one that covers a lost acknowledgement makes no burst.
            self.credit += acked.min(u32::try_from(ack_ratio).unwrap_or(u32::MAX));
            self.cwnd += self.credit / 2;
            self.credit %= 2;
        } else {
            self.credit += acked;
            if self.credit >= self.cwnd {
                self.credit -= self.cwnd;
                self.cwnd += 1;
            }
        }
    }
}

/// Packets of the first window (RFC 3390 unless given).
pub(super) fn initial_window(cfg: &DccpConfig, packet: u32) -> u32 {
    match cfg.initial_window {
        // RFC 3390: min(4 MSS, max(2 MSS, 4380 bytes)).
        0 => (4380 / packet.max(1)).clamp(2, 4),
        given => given,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ccid() -> Ccid2 {
        Ccid2::new(&DccpConfig::default(), 1460)
    }

    fn acked(acked: u32) -> Report {
        Report { acked, was_full: true, ack_ratio: 2, next: Seq::new(100), ..Report::default() }
    }

    fn lost(seq: u64, next: u64) -> Report {
        Report { lost: 1, newest_lost: Some(Seq::new(seq)), next: Seq::new(next), ..acked(1) }
    }

    #[test]
    fn the_first_window_is_that_of_rfc_3390() {
        let first = |packet| initial_window(&DccpConfig::default(), packet);
        assert_eq!([500, 1095, 1460, 2190, 3000].map(first), [4, 4, 3, 2, 2]);
    }

    #[test]
    fn slow_start_adds_one_packet_for_two() {
        let mut ccid = ccid();
        let mut seen = Vec::new();
        for n in [2, 2, 1, 1, 6] {
            ccid.on_ack(&acked(n));
            seen.push(ccid.cwnd);
        }
        assert_eq!(seen, [4, 5, 5, 6, 7], "an acknowledgement counts for no more than the ratio");
        ccid.on_ack(&Report { was_full: false, ..acked(2) });
        assert_eq!(ccid.cwnd, 7, "a window that is not used does not grow");
    }

    #[test]
    fn losses_of_one_window_cut_it_once() {
        let mut ccid = ccid();
        (0..13).for_each(|_| assert!(!ccid.on_ack(&acked(2))));
        assert_eq!(ccid.cwnd, 16);
        assert!(ccid.on_ack(&lost(90, 100)));
        assert_eq!((ccid.cwnd, ccid.ssthresh), (8, 8));
        assert!(!ccid.on_ack(&lost(99, 108)), "it left before the cut");
        assert_eq!(ccid.cwnd, 8);
        assert!(ccid.on_ack(&Report { marked: Some(Seq::new(101)), ..acked(1) }), "a mark is as a loss");
        assert_eq!(ccid.cwnd, 4);
    }

    #[test]
    fn a_receiver_that_cannot_take_more_keeps_the_window_from_growing() {
        let mut ccid = ccid();
        (0..13).for_each(|_| assert!(!ccid.on_ack(&acked(2))));
        let slow = Report { slow_receiver: true, ack: Seq::new(99), ..acked(2) };
        assert!(!ccid.on_ack(&slow));
        assert!(!ccid.on_ack(&Report { ack: Seq::new(99), ..acked(2) }), "less than a round trip later");
        assert_eq!(ccid.cwnd, 16);
        assert!(!ccid.on_ack(&Report { refused: 3, ack: Seq::new(99), ..acked(2) }), "no congestion");
        assert_eq!((ccid.cwnd, ccid.ssthresh), (13, u32::MAX));
        assert!(!ccid.on_ack(&Report { ack: Seq::new(100), ..acked(2) }));
        assert_eq!(ccid.cwnd, 14);
    }

    #[test]
    fn beyond_the_threshold_it_grows_by_one_packet_a_window() {
        let mut ccid = Ccid2 { cwnd: 4, ssthresh: 4, credit: 0, cut_at: None, hold: None };
        let seen: Vec<u32> = (0..10)
            .map(|_| {
                ccid.on_ack(&acked(1));
                ccid.cwnd
            })
            .collect();
        assert_eq!(seen, [4, 4, 4, 5, 5, 5, 5, 5, 6, 6]);
    }

    #[test]
    fn a_timeout_leaves_one_packet() {
        let mut ccid = Ccid2 { cwnd: 9, ssthresh: 20, credit: 1, cut_at: None, hold: None };
        ccid.on_timeout();
        assert_eq!((ccid.cwnd, ccid.ssthresh, ccid.credit), (1, 4, 0));
        ccid.on_timeout();
        assert_eq!((ccid.cwnd, ccid.ssthresh), (1, 2));
    }
}
