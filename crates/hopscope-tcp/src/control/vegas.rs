//! Vegas (Brakmo and Peterson 1995) as ns-2 realises it: a backlog kept between alpha and beta packets, measured once
//! per round trip, and a fine-grained timeout per packet.

use super::{Acked, Controller, Loss, Window};
use crate::config::TcpConfig;
use crate::config::tcp::Handshake;
use hopscope_core::units::Time;

/// State of Vegas. Times are seconds since the last SYN was sent.
#[derive(Debug, Clone)]
pub(in super::super) struct Vegas {
    mss: u64,
    alpha: f64,
    beta: f64,
    gamma: f64,
    /// A packet never sent counts as expired; there may be no window to return to.
    empty_expires: bool,
    /// Slots of a run that wraps stay.
    clears_no_wrap: bool,
    /// The first data segment travels alone: ns-2 opens the initial window one ACK late.
    late_start: bool,
    /// cwnd to take when the first data segment is acknowledged, then none.
    pending_start: Option<f64>,
    slots: Vec<Slot>,
    /// When the last SYN was sent.
    epoch: Time,
    /// Smallest round-trip time, or the one of a packet that was alone on the path.
    base_rtt: f64,
    /// Number that ends the round under way, and when the round began.
    round_seq: u64,
    round_start: f64,
    sum_rtt: f64,
    samples: u32,
    /// What each ACK of the round adds to cwnd.
    increment: f64,
    /// Slow start grows every other round.
    grow_round: bool,
    /// 8 times the smoothed RTT and 4 times its mean deviation.
    srtt8: f64,
    rttvar4: f64,
    /// Fine-grained timeout.
    fine_timeout: f64,
    /// When the window was last cut; packets sent earlier do not cut it again.
    last_cut: f64,
    /// Window to return to when the inflation of the recovery ends.
    after_inflation: f64,
    /// ACKs left on which the packet after the ACK is checked for expiry.
    pub(in super::super) worried: u32,
}

/// Send time and copies sent of the packet that owns the slot (packet number modulo the window).
#[derive(Debug, Clone, Copy)]
struct Slot {
    sent: f64,
    copies: u32,
}

/// A slot whose packet is acknowledged or not yet sent.
const EMPTY: Slot = Slot { sent: -1.0, copies: 0 };

/// cwnd after a timeout.
const RESTART_WINDOW: f64 = 2.0;

impl Vegas {
    pub(in super::super) fn new(cfg: &TcpConfig, mss: u64, max_window: u32) -> Self {
        Vegas {
            mss,
            alpha: cfg.vegas_alpha,
            beta: cfg.vegas_beta,
            gamma: cfg.vegas_gamma,
            empty_expires: cfg.vegas_empty_expires,
            clears_no_wrap: cfg.vegas_clears_no_wrap,
            late_start: cfg.handshake == Handshake::Ns2,
            pending_start: None,
            slots: vec![EMPTY; max_window.max(1) as usize],
            epoch: Time::ZERO,
            base_rtt: f64::INFINITY,
            round_seq: 0,
            round_start: 0.0,
            sum_rtt: 0.0,
            samples: 0,
            increment: 0.0,
            grow_round: true,
            srtt8: 0.0,
            rttvar4: 0.0,
            fine_timeout: f64::INFINITY,
            last_cut: 0.0,
            after_inflation: 0.0,
            worried: 0,
        }
    }

    fn clock(&self, now: Time) -> f64 {
        now.saturating_since(self.epoch).as_secs()
    }

    /// Number of the packet that holds `seq`, from 1.
    fn packet(&self, seq: u64) -> u64 {
        seq.saturating_sub(1) / self.mss + 1
    }

    fn slot(&self, packet: u64) -> usize {
        (packet % self.slots.len() as u64) as usize
    }

    /// Packets in `[una, nxt)`, the last one possibly short.
    fn packets(&self, una: u64, nxt: u64) -> f64 {
        (nxt - una).div_ceil(self.mss) as f64
    }

    /// The packet at `seq` has waited longer than the fine-grained timeout.
    pub(in super::super) fn expired(&self, seq: u64, now: Time) -> bool {
        let slot = self.slots[self.slot(self.packet(seq))];
        // ns-2 also takes a packet it never sent for expired (its empty slot dates from -1 s) and sends it twice.
        (self.empty_expires || slot.copies > 0) && self.clock(now) - slot.sent >= self.fine_timeout
    }

    /// The packet at `seq` has been sent exactly once.
    pub(in super::super) fn sent_once(&self, seq: u64) -> bool {
        self.slots[self.slot(self.packet(seq))].copies == 1
    }

    /// A new ACK ends the inflation of a recovery. After a timeout there is no window to return to: ns-2 then falls
    /// to nothing and waits for its coarse timer.
    pub(in super::super) fn deflate(&self, w: &mut Window) {
        let target = if self.empty_expires { self.after_inflation } else { self.after_inflation.max(RESTART_WINDOW) };
        if w.cwnd > target {
            w.cwnd = target;
            w.ssthresh = 2.0; // only used in slow start
        }
    }

    /// The decision made once per round trip.
    fn end_round(&mut self, w: &mut Window, una: u64, nxt: u64, now: f64) {
        let rtt = if self.samples > 0 { self.sum_rtt / f64::from(self.samples) } else { now - self.round_start };
        self.sum_rtt = 0.0;
        self.samples = 0;
        if rtt > 0.0 {
            let sent = self.packets(self.round_seq.min(nxt), nxt);
            // A packet alone on the path has met no queue: where it took longer the route is another one.
            if rtt < self.base_rtt || sent <= 1.0 {
                self.base_rtt = rtt;
            }
            // ns-2 counts the packet just acknowledged as in flight.
            let expected = (self.packets(una, nxt) + 1.0) / self.base_rtt;
            let backlog = ((expected - sent / rtt) * self.base_rtt + 0.5).trunc();
            if w.cwnd < w.ssthresh {
                self.slow_start(w, backlog);
            } else if backlog > self.beta {
                w.cwnd = (w.cwnd - 1.0).max(2.0);
                self.increment = 0.0;
            } else if backlog < self.alpha {
                self.increment = 1.0 / w.cwnd;
            } else {
                self.increment = 0.0;
            }
        }
        self.round_seq = nxt;
        self.round_start = now;
    }

    fn slow_start(&mut self, w: &mut Window, backlog: f64) {
        self.grow_round = !self.grow_round;
        self.increment = 0.0;
        if self.grow_round {
            if backlog > self.gamma {
                w.ssthresh = 2.0;
                w.cwnd = (w.cwnd - w.cwnd / 8.0).max(2.0);
            } else {
                self.increment = 1.0;
            }
        }
    }

    /// Empties the slots of the packets acknowledged; returns that of the last one.
    fn take_slots(&mut self, first: u64, last: u64) -> Slot {
        let newest = self.slots[self.slot(last)];
        if self.clears_no_wrap && self.slot(first) > self.slot(last) {
            return newest; // ns-2 forgets to clear a run that wraps around its table
        }
        for packet in first..=last {
            let at = self.slot(packet);
            self.slots[at] = EMPTY;
        }
        newest
    }

    fn fine_sample(&mut self, rtt: f64) {
        self.sum_rtt += rtt;
        self.samples += 1;
        if rtt > 0.0 {
            self.base_rtt = self.base_rtt.min(rtt);
            let error = rtt - self.srtt8 / 8.0;
            self.srtt8 += error;
            self.rttvar4 += error.abs() - self.rttvar4 / 4.0;
            self.fine_timeout = (self.srtt8 / 4.0 + self.rttvar4) / 2.0 * (17.0 / 16.0);
        }
    }
}

impl Controller for Vegas {
    fn on_ack(&mut self, w: &mut Window, ack: &Acked) {
        let now = self.clock(ack.now);
        if let Some(cwnd) = self.pending_start.take() {
            w.cwnd = cwnd;
        }
        if ack.una > self.round_seq {
            self.end_round(w, ack.una, ack.nxt, now);
        }
        // The round may pass ssthresh before it ends.
        if self.increment == 1.0 && w.cwnd >= w.ssthresh {
            self.increment = 0.0;
        }
        // No growth while the sender cannot keep up with its window.
        if self.increment > 0.0 && w.cwnd - (self.packets(ack.una, ack.nxt) + 1.0) <= 2.0 {
            w.cwnd += self.increment;
        }
        let (first, last) = (self.packet(ack.una - ack.bytes), self.packet(ack.una - 1));
        let newest = self.take_slots(first, last);
        if newest.copies == 1 {
            self.fine_sample(now - newest.sent);
        }
    }

    /// By a quarter at the first loss of a packet, by half when the repetition is lost; inflated at once.
    fn on_loss(&mut self, w: &mut Window, loss: &Loss) -> bool {
        let slot = self.slots[self.slot(self.packet(loss.una))];
        let again = slot.copies > 1;
        // The next copy gets more time, and twice as much where this one was a copy already.
        self.fine_timeout *= if again { 2.0 } else { 1.125 };
        self.worried = 2;
        // Only a packet sent with the present window says that it is too large.
        if self.last_cut >= slot.sent {
            return false;
        }
        let window = loss.window.floor();
        self.after_inflation = if window <= 3.0 {
            2.0
        } else if again {
            (window / 2.0).floor()
        } else {
            window - (window / 4.0).floor()
        };
        w.cwnd = self.after_inflation + f64::from(loss.dupacks);
        self.last_cut = self.clock(loss.now);
        true
    }

    fn on_undo(&mut self, w: &mut Window, to: &Window, before: &Self) {
        w.restore(to);
        (self.fine_timeout, self.last_cut, self.worried) = (before.fine_timeout, before.last_cut, 0);
    }

    fn on_timeout(&mut self, w: &mut Window, loss: &Loss) {
        w.ssthresh = (loss.window / 2.0).floor().max(2.0);
        w.cwnd = RESTART_WINDOW;
        self.after_inflation = 0.0;
        self.last_cut = self.clock(loss.now);
    }

    fn on_sent(&mut self, seq: u64, now: Time) {
        if seq == 0 {
            self.epoch = now;
            return;
        }
        let at = self.slot(self.packet(seq));
        self.slots[at].sent = self.clock(now);
        self.slots[at].copies += 1;
    }

    fn on_established(&mut self, w: &mut Window, now: Time) {
        let rtt = self.clock(now);
        self.srtt8 = rtt * 8.0;
        self.rttvar4 = rtt;
        self.fine_timeout = 1.5 * rtt;
        self.round_seq = 1;
        self.round_start = rtt;
        if self.late_start {
            // The SYN was packet 0 and its ACK ended the first round.
            self.base_rtt = rtt;
            self.grow_round = false;
            self.pending_start = Some(w.cwnd);
            // After a lost SYN two segments go (ns-2 sends the first of them along with the SYN).
            w.cwnd = if self.last_cut > 0.0 { RESTART_WINDOW } else { 1.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vegas() -> Vegas {
        let mut v = Vegas::new(&TcpConfig::default(), 1000, 32);
        let mut w = Window { cwnd: 4.0, ssthresh: 2.0, inflation: 0.0 };
        v.on_established(&mut w, Time(100_000_000));
        v
    }

    /// A round of `sent` packets with a given mean RTT, `flight` packets outstanding at its end.
    fn round(v: &mut Vegas, w: &mut Window, rtt: f64, sent: u64, flight: u64) {
        v.sum_rtt = rtt;
        v.samples = 1;
        let nxt = v.round_seq + sent * 1000;
        v.end_round(w, nxt - flight * 1000, nxt, 10.0);
    }

    fn loss(una: u64, window: f64, dupacks: u32, ms: u64) -> Loss {
        Loss { now: Time(ms * 1_000_000), una, dupacks, flight: window, window, repeated: false, marked: false }
    }

    #[test]
    fn backlog_between_alpha_and_beta_holds_the_window() {
        let mut v = vegas();
        v.base_rtt = 0.1;
        let mut w = Window { cwnd: 6.0, ssthresh: 2.0, inflation: 0.0 };
        round(&mut v, &mut w, 0.1, 6, 5); // expected 60/s, actual 60/s: backlog 0 < alpha
        assert_eq!((w.cwnd, v.increment), (6.0, 1.0 / 6.0));
        round(&mut v, &mut w, 0.15, 6, 5); // backlog 6 - 4 = 2
        assert_eq!((w.cwnd, v.increment), (6.0, 0.0));
        round(&mut v, &mut w, 0.3, 6, 5); // backlog 6 - 2 = 4 > beta
        assert_eq!((w.cwnd, v.increment), (5.0, 0.0));
        for _ in 0..9 {
            round(&mut v, &mut w, 0.3, 6, 5);
        }
        assert_eq!(w.cwnd, 2.0, "never below two");
    }

    #[test]
    fn slow_start_grows_every_other_round_and_ends_with_the_backlog() {
        let mut v = vegas();
        v.base_rtt = 0.1;
        let mut w = Window { cwnd: 8.0, ssthresh: 20.0, inflation: 0.0 };
        round(&mut v, &mut w, 0.1, 8, 7);
        assert_eq!(v.increment, 0.0);
        round(&mut v, &mut w, 0.1, 8, 7);
        assert_eq!(v.increment, 1.0);
        round(&mut v, &mut w, 0.2, 8, 7);
        round(&mut v, &mut w, 0.2, 8, 7); // backlog 4 > gamma
        assert_eq!((w.cwnd, w.ssthresh, v.increment), (7.0, 2.0, 0.0));
    }

    #[test]
    fn a_lone_packet_resets_the_base_rtt() {
        let mut v = vegas();
        v.base_rtt = 0.1;
        let mut w = Window { cwnd: 2.0, ssthresh: 2.0, inflation: 0.0 };
        round(&mut v, &mut w, 0.25, 2, 1);
        assert_eq!(v.base_rtt, 0.1);
        round(&mut v, &mut w, 0.25, 1, 0);
        assert_eq!(v.base_rtt, 0.25);
    }

    #[test]
    fn cuts_by_a_quarter_then_by_half_and_only_for_packets_sent_since() {
        let mut v = vegas();
        let mut w = Window { cwnd: 8.0, ssthresh: 2.0, inflation: 0.0 };
        v.on_sent(1, Time(1_000_000_000));
        assert!(v.sent_once(1));
        assert!(v.on_loss(&mut w, &loss(1, 8.0, 3, 2_000)));
        assert_eq!((v.after_inflation, w.cwnd), (6.0, 9.0));
        v.on_sent(1, Time(2_000_000_001));
        assert!(!v.sent_once(1));
        assert!(v.on_loss(&mut w, &loss(1, 9.0, 1, 3_000)));
        assert_eq!((v.after_inflation, w.cwnd), (4.0, 5.0));
        v.on_sent(1001, Time(2_500_000_000));
        assert!(!v.on_loss(&mut w, &loss(1001, 5.0, 3, 3_500)));
        assert_eq!(w.cwnd, 5.0, "sent before the cut");
        v.deflate(&mut w);
        assert_eq!(w.cwnd, 4.0);
    }

    #[test]
    fn fine_timeout_follows_the_samples() {
        let mut v = vegas();
        v.on_sent(1, Time(1_000_000_000));
        assert!(!v.expired(1, Time(1_149_000_000)), "1.5 times the RTT of the set-up");
        assert!(v.expired(1, Time(1_151_000_000)));
        v.fine_sample(0.1); // SRTT 0.1, deviation 4d: 0.1 - 0.025
        assert!((v.fine_timeout - (0.2 + 0.075) / 2.0 * 17.0 / 16.0).abs() < 1e-12);
        assert!(!v.expired(1001, Time(5_000_000_000)), "never sent");
        v.empty_expires = true;
        assert!(v.expired(1001, Time(5_000_000_000)), "ns-2 takes it for expired");
    }

    #[test]
    fn a_run_that_wraps_keeps_its_slots_in_ns2_only() {
        for ns2 in [false, true] {
            let mut v = vegas();
            v.clears_no_wrap = ns2;
            for packet in [31, 32] {
                v.on_sent((packet - 1) * 1000 + 1, Time(5));
            }
            v.take_slots(31, 32);
            assert_eq!(v.slots[31].copies, u32::from(ns2));
        }
    }
}
