//! What every sender shares: the state that its parts keep by idea, and the steps that need several of them.
//!
//! | part | idea |
//! |---|---|
//! | `seq` (`sequence.rs`) | what is acknowledged, sent, and to be sent |
//! | `peer` (`peer_window.rs`) | the window that the peer leaves |
//! | `loss` (`loss_state.rs`) | duplicate ACKs, and the recovery under way |
//! | `timing` (`timed.rs`) | the retransmission timer and round-trip times |
//! | `usage` (`usage.rs`) | whether the window is in use |
//! | `pacing` (`pacing.rs`) | sending spread over time |
//! | `ecn` (`ecn.rs`) | marks that come back |
//! | `header` (`header.rs`) | what segments say besides their data |

use super::ecn::EcnState;
use super::header::Header;
use super::loss_state::LossState;
use super::pacing::Pacing;
use super::peer_window::PeerWindow;
use super::rules::Rules;
use super::sent::{AckReport, SentLog};
use super::sequence::SequenceSpace;
use super::setup::initial_window;
use super::timed::Timing;
use super::usage::Usage;
use super::{Cx, SenderStats};
use crate::config::tcp::{Handshake, InitialSsthresh};
use crate::config::{LossRecovery, TcpConfig, TcpKind};
use crate::control::{Acked, Cc, Controller, Feedback, Window};
use hopscope_core::units::Time;
use hopscope_packet::tcp::{TcpFlags, TcpSegment};

/// ssthresh that no window reaches.
const UNLIMITED_SSTHRESH: f64 = u32::MAX as f64;

/// Shared state of the sending machine. Numbers are bytes; windows are segments.
#[derive(Debug, Clone)]
pub(super) struct Core {
    pub(super) mss: u64,
    pub(super) three_way: bool,
    pub(super) rules: Rules,
    pub(super) limited_transmit: bool,
    pub(super) initial_window: f64,
    /// Greatest congestion window in segments.
    cwnd_limit: f64,

    pub(super) seq: SequenceSpace,
    pub(super) peer: PeerWindow,
    pub(super) window: Window,
    pub(super) cc: Cc,
    /// What is remembered of each segment in flight, for algorithms that want feedback on every ACK.
    pub(super) sent: Option<SentLog>,
    /// What the last ACK said about them.
    pub(super) report: AckReport,
    pub(super) loss: LossState,
    pub(super) timing: Timing,
    pub(super) usage: Usage,
    pub(super) pacing: Pacing,
    pub(super) ecn: EcnState,
    pub(super) header: Header,
    pub(super) stats: SenderStats,
}

impl Core {
    pub(super) fn new(cfg: &TcpConfig, kind: TcpKind, mss: u32, max_window: u32) -> Self {
        let mss = u64::from(mss.max(1));
        let max_window = max_window.max(1);
        let cc = Cc::new(cfg, kind.control, mss, max_window);
        let cwnd_limit = if cfg.cwnd_limit == 0 { f64::INFINITY } else { f64::from(cfg.cwnd_limit) };
        let ssthresh = match cfg.initial_ssthresh {
            InitialSsthresh::Unlimited => UNLIMITED_SSTHRESH,
            InitialSsthresh::Window => f64::from(max_window),
        };
        // A record of each segment costs memory and time: only who reads it has one.
        let remembers = cc.wants_feedback() || kind.recovery == LossRecovery::Rack;
        Core {
            mss,
            three_way: cfg.handshake == Handshake::ThreeWay,
            rules: Rules::new(cfg),
            limited_transmit: cfg.limited_transmit,
            initial_window: initial_window(cfg, mss).min(cwnd_limit),
            cwnd_limit,
            seq: SequenceSpace::new(mss),
            peer: PeerWindow::new(u64::from(max_window), mss),
            window: Window { cwnd: 1.0, ssthresh, inflation: 0.0 },
            sent: remembers.then(|| SentLog::new(mss, u64::from(max_window))),
            report: AckReport::default(),
            loss: LossState::new(cfg),
            timing: Timing::new(cfg),
            usage: Usage::new(cfg.growth_by_ack),
            pacing: Pacing::new(cfg, &cc),
            ecn: EcnState::new(cfg.ecn),
            header: Header::new(cfg),
            stats: SenderStats::default(),
            cc,
        }
    }

    /// Usable window in whole segments.
    pub(super) fn usable(&self) -> u64 {
        ((self.window.cwnd + self.window.inflation) as u64).min(self.peer.segments())
    }

    /// Segments sent and not acknowledged.
    pub(super) fn flight(&self) -> f64 {
        self.seq.in_flight() as f64 / self.mss as f64
    }

    // Sending.

    /// Sends the segment that starts at `seq`, new or again, up to `limit` at most; returns the number after it.
    pub(super) fn transmit(&mut self, seq: u64, limit: u64, cx: &mut Cx) -> u64 {
        let payload_end = self.seq.segment_end(seq).min(limit);
        let fin = self.seq.fin_after(payload_end);
        let after = payload_end + fin;
        let again = seq < self.seq.max();
        // An idle connection times what it sends from here on, whatever the timer was doing before.
        if !self.timing.is_running() || self.seq.is_idle() {
            self.timing.restart(cx);
        }
        // A repetition may be taken for the original: neither CWR nor PSH waits on it (RFC 3168 6.1.2).
        let cwr = !again && self.ecn.take_cwr();
        let psh = !again && self.marks_push(seq, payload_end);
        self.note_sent(seq, after, again, cx.now);
        cx.emit(TcpSegment {
            seq,
            len: (payload_end - seq) as u32,
            ack: self.header.rcv_nxt(),
            flags: TcpFlags {
                ack: self.three_way,
                fin: fin > 0,
                psh,
                cwr,
                ece: self.header.echoes_mark(),
                ..TcpFlags::default()
            },
            ecn: self.ecn.codepoint(!again && payload_end > seq),
            timestamps: self.header.stamps(cx.now),
            window: self.header.window(self.peer.segments(), self.mss),
            sender_window: self.header.sender_window(|| self.usable()),
            order: self.header.next_order(),
            retransmission: again,
            ..TcpSegment::default()
        });
        after
    }

    /// All parts hear that `[seq, after)` leaves, for the first time or again.
    fn note_sent(&mut self, seq: u64, after: u64, again: bool, now: Time) {
        self.stats.segments_sent += 1;
        if again {
            self.stats.retransmissions += 1;
            self.timing.on_repeated(seq, after);
            if let Some(undo) = &mut self.loss.undo {
                undo.on_repeat(seq, after, self.header.clock(now));
            }
        } else {
            self.timing.on_sent(after, now);
        }
        if !self.rules.idle_is_timeout {
            self.usage.touch(now);
        }
        self.cc.on_sent(seq, now);
        if let Some(sent) = &mut self.sent {
            sent.on_sent(seq, self.seq.is_idle(), now);
        }
        self.loss.reduction.on_sent(after - seq);
        if self.pacing.is_on() {
            self.pace(after - seq, now);
        }
        // Last: whether the connection was idle is asked before.
        self.seq.note_sent(after);
    }

    /// The segment `[seq, after)`, which leaves for the first time, carries PSH.
    fn marks_push(&mut self, seq: u64, after: u64) -> bool {
        if !self.header.marks_pushes() {
            return false;
        }
        let flight = (seq - self.seq.una()) / self.mss;
        let quota = (self.window.cwnd as u64).saturating_sub(flight);
        let room = self.usable().saturating_sub(flight);
        let end = self.seq.data_end();
        self.header.push_mut().is_some_and(|push| push.mark(seq, after, quota, room, end))
    }

    /// Sends the segment at `una` again.
    pub(super) fn retransmit_first(&mut self, cx: &mut Cx) {
        self.transmit(self.seq.una(), u64::MAX, cx);
    }

    /// Sends the segment at `nxt`.
    pub(super) fn transmit_next(&mut self, cx: &mut Cx) {
        let after = self.transmit(self.seq.nxt(), u64::MAX, cx);
        self.seq.move_to(after);
    }

    /// There is something to send at `nxt` and a window of `segments` has room for it.
    pub(super) fn has_room(&self, segments: u64) -> bool {
        self.has_room_but_for(0, segments)
    }

    /// The same when `held` of the bytes before `nxt` are known to have arrived.
    pub(super) fn has_room_but_for(&self, held: u64, segments: u64) -> bool {
        let reach = self.seq.segment_end(self.seq.nxt()) - self.seq.una();
        // What has arrived takes no room in cwnd, but the receiver keeps it until the gap below is filled.
        self.seq.has_more() && reach - held <= segments * self.mss && reach <= self.peer.bytes()
    }

    /// Once everything below `ack` is acknowledged there is data never sent that the receiver has room for.
    pub(super) fn has_new_data_at(&self, ack: u64) -> bool {
        let max = self.seq.max();
        max < self.seq.end() && self.seq.segment_end(max) - ack <= self.peer.bytes()
    }

    /// Sends what the window allows, at most `burst` segments.
    pub(super) fn send(&mut self, burst: u32, cx: &mut Cx) {
        self.restart_after_idle(cx.now);
        let usable = self.usable();
        for _ in 0..burst {
            if !self.has_room(usable) {
                break;
            }
            if !self.admits(cx) {
                return;
            }
            self.transmit_next(cx);
        }
        self.note_limit();
    }

    /// Notifies the log when it is the application that leaves the window open.
    pub(super) fn note_limit(&mut self) {
        if let Some(sent) = &mut self.sent {
            let in_flight = self.seq.in_flight();
            if !self.seq.has_more() && in_flight < self.window.cwnd as u64 * self.mss {
                sent.on_app_limited(in_flight);
            }
        }
    }

    /// One segment beyond cwnd on each of the first duplicate ACKs (RFC 3042).
    pub(super) fn limited_transmit(&mut self, cx: &mut Cx) {
        // Behind a timeout duplicates are echoes of what is sent again, and cwnd is to stay small.
        if !self.limited_transmit || (!self.rules.limited_after_timeout && self.seq.is_going_over()) {
            return;
        }
        let segments = (self.window.cwnd + f64::from(self.loss.dupacks())) as u64;
        if self.has_room(segments.min(self.peer.segments())) {
            let from = self.seq.nxt();
            self.transmit_next(cx);
            self.loss.add_limited(self.seq.nxt() - from);
        }
    }

    /// An idle period longer than the RTO closes the window (RFC 5681 4.1; ns-2 does it by its timer).
    pub(super) fn restart_after_idle(&mut self, now: Time) {
        // Before the first data has been acknowledged the initial window is unused, not idle.
        let idle = self.seq.is_idle() && self.seq.una() > 1 && self.seq.has_more();
        if !idle || !self.usage.has_rested(self.timing.rtt.rto(), now) {
            return;
        }
        if self.rules.idle_is_timeout {
            self.loss.note_timeout(self.seq.max());
            self.window.cwnd = 1.0;
        } else if self.cc.restarts_after_idle() {
            self.window.cwnd = self.window.cwnd.min(self.initial_window);
        }
        self.usage.touch(now);
    }

    // Acknowledgements.

    /// Shows an ACK to the algorithm before recovery acts on it.
    pub(super) fn feed(&mut self, seg: &TcpSegment, hops: u8, now: Time) {
        let Some(sent) = &mut self.sent else { return };
        let report = sent.on_ack(seg.ack, seg.ack >= self.seq.max(), seg.sack_blocks(), now);
        self.report = report;
        let nxt = self.seq.nxt().max(seg.ack); // the ACK may be ahead of what is sent again
        self.cc.on_feedback(
            &mut self.window,
            &Feedback {
                now,
                una: seg.ack,
                nxt,
                bytes: seg.ack - self.seq.una(),
                rtt: report.rtt,
                srtt: self.timing.rtt.srtt(),
                rate: report.rate,
                delivered: sent.delivered(),
                newly_delivered: report.delivered,
                in_flight: (nxt - seg.ack).saturating_sub(sent.sacked()).min(sent.flying()),
                hops,
                recovering: self.loss.is_recovering(),
                newly_sacked: report.sacked,
                marked: self.ecn.echo(),
            },
        );
    }

    /// Advances to a cumulative ACK: no window change, no timer.
    pub(super) fn advance(&mut self, ack: u64) {
        self.stats.bytes_acked += self.seq.advance(ack);
    }

    /// Takes an ACK of new data outside of recovery, or the one that ends it: RTT, timer, counters.
    pub(super) fn accept(&mut self, ack: u64, cx: &mut Cx) -> Acked {
        // A window is full when one segment more would not fit; asked before the ACK makes room.
        let (una, nxt) = (self.seq.una(), self.seq.nxt());
        let reach = nxt - una + self.mss;
        let held_back = self.pacing.is_holding();
        // Data that the pacer holds back was let out by the window: it counts as full.
        let window_full = held_back || reach > self.usable() * self.mss;
        let cwnd_full = held_back || reach > self.window.cwnd as u64 * self.mss;
        let (window_limited, cwnd_limited) = self.usage.validate((window_full, cwnd_full), una, nxt);
        self.loss.forget_dupacks();
        self.timing.end_timeouts();
        self.advance(ack);
        self.timing.take_sample(ack, cx);
        self.timing.end_back_off();
        // A window below one segment (ns-2 knows them) is opened by the timer.
        if !self.seq.is_idle() || self.usable() == 0 {
            self.timing.restart(cx);
        } else {
            self.timing.stop();
        }
        if self.rules.idle_is_timeout {
            self.usage.touch(cx.now);
        }
        Acked { now: cx.now, una: ack, nxt: self.seq.nxt(), bytes: ack - una, window_limited, cwnd_limited }
    }

    /// Takes an ACK of new data and lets the window grow.
    pub(super) fn accept_and_grow(&mut self, ack: u64, cx: &mut Cx) {
        let acked = self.accept(ack, cx);
        if !self.ecn.echo() {
            self.cc.on_ack(&mut self.window, &acked);
            self.window.cwnd = self.window.cwnd.min(self.cwnd_limit);
        }
    }

    /// A repeated ACK means something: data is outstanding. For ns-2 data still to be sent is enough.
    pub(super) fn hears_dup_acks(&self) -> bool {
        !self.seq.is_idle() || (self.rules.idle_duplicates_count && self.seq.una() < self.seq.end())
    }

    /// A third duplicate ACK may start a recovery: the data of the last loss is acknowledged (RFC 6582 3.2).
    pub(super) fn may_fast_retransmit(&self) -> bool {
        // ns-2 makes an exception for the very first segment, also after a timeout.
        self.seq.una() > self.loss.recover() || (self.rules.first_segment_exempt && self.seq.una() == 1)
    }

    /// The common start of every fast retransmit: the window is cut and the timer restarted. False: the algorithm left
    /// the window as it was.
    pub(super) fn start_recovery(&mut self, cx: &mut Cx) -> bool {
        self.stats.fast_retransmits += 1;
        self.may_be_needless(false); // before anything that it would restore changes
        self.loss.note_loss(self.seq.max());
        let cut = self.answer_loss(cx.now);
        // The segment that was timed may be the one to be sent again (Karn).
        self.timing.forget();
        self.timing.restart(cx);
        cut
    }

    /// The retransmission timer expired: back to the first unacknowledged segment with a window of one.
    pub(super) fn time_out(&mut self, cx: &mut Cx) {
        self.stats.timeouts += 1;
        self.stats.window_cuts += 1;
        self.may_be_needless(true);
        self.window.inflation = 0.0;
        self.loss.end_recovery();
        let loss = self.loss_at(cx.now);
        self.cc.on_timeout(&mut self.window, &loss);
        self.timing.count_timeout();
        self.go_back();
        if self.cc.backs_off() && !self.timing.holds_rto() {
            self.timing.rtt.back_off();
        }
        self.timing.restart(cx);
    }

    /// Everything from the first unacknowledged segment on is to be sent again, outside of any recovery.
    pub(super) fn go_back(&mut self) {
        self.window.inflation = 0.0;
        self.loss.end_recovery();
        self.loss.note_timeout(self.seq.max());
        self.loss.forget_dupacks();
        self.seq.go_back();
        self.timing.forget_all();
        self.usage.forget();
    }

    /// Nothing will be sent any more.
    pub(super) fn retire_timers(&mut self, cx: &mut Cx) {
        self.timing.retire(cx);
        self.pacing.retire(cx);
    }
}
