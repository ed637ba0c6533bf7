//! What every sender shares: the sequence space, the usable window, the timed segment and the retransmission timer.

use super::pacing::Pacer;
use super::push::PushMarks;
use super::recovery::{FrtoState, Prr, Undo};
use super::rtt::Rtt;
use super::rules::Rules;
use super::sent::{AckReport, SentLog};
use super::setup::initial_window;
use super::timed::EverySegment;
use super::timer::LazyTimer;
use super::usage::Use;
use super::{Cx, SenderStats, Timer, window_field};
use crate::config::tcp::{Handshake, InitialSsthresh, Pacing};
use crate::config::{LossRecovery, TcpConfig, TcpKind};
use crate::control::{Acked, Cc, Controller, Feedback, Loss, Window};
use hopscope_core::units::{Span, Time};
use hopscope_packet::Ecn;
use hopscope_packet::tcp::{TcpFlags, TcpSegment, Timestamps};

/// ssthresh that no window reaches.
const UNLIMITED_SSTHRESH: f64 = u32::MAX as f64;

/// What the receiving half of the same end has to say in the segments of the sending half.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reverse {
    /// Advertised window in bytes.
    pub(super) window: u32,
    /// The peer's clock, to be echoed.
    pub(super) stamp: u32,
    /// A mark is being echoed.
    pub(super) ece: bool,
}

/// Shared state of the sending machine. Numbers are bytes; windows are segments.
#[derive(Debug, Clone)]
pub(super) struct Core {
    pub(super) mss: u64,
    /// Receiver window in segments: the flow's limit and what the peer advertises, whichever is less.
    pub(super) max_window: u64,
    pub(super) rules: Rules,
    pub(super) three_way: bool,
    pub(super) dupack_threshold: u32,
    pub(super) limited_transmit: bool,
    pub(super) initial_window: f64,
    /// Greatest congestion window in segments.
    cwnd_limit: f64,

    /// First number not acknowledged.
    pub(super) una: u64,
    /// Next number to send.
    pub(super) nxt: u64,
    /// First number never sent.
    pub(super) max: u64,
    /// The window has been probed since it has closed.
    pub(super) probed: bool,
    /// Number after the last byte offered; `u64::MAX`: without end.
    pub(super) data_end: u64,
    /// No more data will be offered.
    pub(super) closing: bool,
    /// Next number expected from the peer (its SYN and FIN only, unless `reverse` is set).
    pub(super) rcv_nxt: u64,
    /// What every segment says for the receiving half of this end; none where data flows one way.
    pub(super) reverse: Option<Reverse>,

    pub(super) window: Window,
    pub(super) cc: Cc,
    /// What is remembered of each segment in flight, for algorithms that want feedback on every ACK.
    pub(super) sent: Option<SentLog>,
    /// What the last ACK said about them.
    pub(super) report: AckReport,
    /// Spreads what is sent over time; none: bursts as the window allows.
    pub(super) pacer: Option<Pacer>,
    /// Pace over cwnd per SRTT, in slow start and later, for algorithms that set none.
    pub(super) pace: (f64, f64),
    pub(super) dupacks: u32,
    /// First number not sent when the last loss was found.
    pub(super) recover: u64,
    /// In fast recovery.
    pub(super) recovering: bool,
    /// Proportional rate reduction is in use, and the recovery it shapes.
    pub(super) uses_prr: bool,
    pub(super) prr: Option<Prr>,
    /// Rate halving is in use, and what it lets be in flight.
    pub(super) halves_rate: bool,
    pub(super) halving: u64,
    /// The last loss was found by the timer.
    pub(super) after_timeout: bool,
    /// Timeouts since the last ACK of new data.
    pub(super) timeouts_in_row: u32,
    /// Only the first of them doubles the RTO.
    pub(super) fixed_rto: bool,
    /// F-RTO is in use, and its state after a timeout.
    pub(super) frto: bool,
    pub(super) frto_state: Option<FrtoState>,
    /// What the last recovery changed; none: none is undone.
    pub(super) undo: Option<Box<Undo>>,
    /// Marks are understood, for the present window they were heeded up to this number, and CWR has to be said.
    pub(super) ecn: bool,
    pub(super) heeded: u64,
    pub(super) owes_cwr: bool,
    /// The ACK being handled echoes a mark: it does not grow the window (RFC 3168 6.1.2).
    pub(super) echo: bool,
    /// Tick of the clock in the timestamps option; none without the option.
    pub(super) stamp_tick: Option<Span>,
    /// Bytes sent by limited transmit since the last new ACK; FlightSize leaves them out (RFC 5681 3.2 step 2).
    pub(super) limited_bytes: u64,
    /// Whether the usable window and cwnd have been filled of late.
    pub(super) window_use: Use,
    cwnd_use: Use,
    /// Last send (RFC) or last ACK (ns-2): the start of an idle period.
    pub(super) active: Time,

    /// Data segments say what may be in flight.
    pub(super) signals_window: bool,
    /// Number of the last transmission, where they are numbered.
    order: Option<u8>,
    /// Where PSH goes; none: nowhere.
    pub(super) push: Option<PushMarks>,

    pub(super) rtt: Rtt,
    pub(super) rto_timer: LazyTimer,
    /// The timed segment: number after it, and when it left.
    pub(super) timed: Option<(u64, Time)>,
    /// All segments are timed, not one at a time.
    pub(super) every: Option<EverySegment>,
    pub(super) stats: SenderStats,
}

impl Core {
    pub(super) fn new(cfg: &TcpConfig, kind: TcpKind, mss: u32, max_window: u32) -> Self {
        let mss = u64::from(mss.max(1));
        let max_window = max_window.max(1);
        let cc = Cc::new(cfg, kind.control, mss, max_window);
        let three_way = cfg.handshake == Handshake::ThreeWay;
        let cwnd_limit = if cfg.cwnd_limit == 0 { f64::INFINITY } else { f64::from(cfg.cwnd_limit) };
        Core {
            mss,
            max_window: u64::from(max_window),
            rules: Rules::new(cfg),
            three_way,
            dupack_threshold: cfg.dupack_threshold.max(1),
            limited_transmit: cfg.limited_transmit,
            initial_window: initial_window(cfg, mss).min(cwnd_limit),
            cwnd_limit,
            una: 0,
            nxt: 0,
            max: 0,
            probed: false,
            data_end: 1,
            closing: false,
            rcv_nxt: 0,
            reverse: None,
            window: Window {
                cwnd: 1.0,
                ssthresh: match cfg.initial_ssthresh {
                    InitialSsthresh::Unlimited => UNLIMITED_SSTHRESH,
                    InitialSsthresh::Window => f64::from(max_window),
                },
                inflation: 0.0,
            },
            sent: (cc.wants_feedback() || kind.recovery == LossRecovery::Rack)
                .then(|| SentLog::new(mss, u64::from(max_window))),
            report: AckReport::default(),
            pacer: (cc.paces() || cfg.pacing == Pacing::Window).then(Pacer::new),
            pace: (cfg.pacing_slow_start, cfg.pacing_avoidance),
            cc,
            dupacks: 0,
            recover: 0,
            recovering: false,
            after_timeout: false,
            timeouts_in_row: 0,
            fixed_rto: cfg.fixed_rto,
            uses_prr: cfg.prr,
            prr: None,
            halves_rate: cfg.rate_halving,
            halving: 0,
            frto: cfg.frto,
            frto_state: None,
            undo: None,
            ecn: cfg.ecn,
            heeded: 0,
            owes_cwr: false,
            echo: false,
            stamp_tick: cfg.timestamps.then_some(cfg.timestamp_clock),
            limited_bytes: 0,
            window_use: Use::new(cfg.growth_by_ack),
            cwnd_use: Use::new(cfg.growth_by_ack),
            active: Time::ZERO,
            signals_window: false,
            order: cfg.door.then_some(0),
            push: None,
            rtt: Rtt::new(cfg),
            rto_timer: LazyTimer::new(Timer::Rto),
            timed: None,
            every: (cfg.times_every_segment && !cfg.timestamps).then(EverySegment::default),
            stats: SenderStats::default(),
        }
    }

    /// Number after the last thing to send: data and, once it may go, the FIN.
    pub(super) fn end(&self) -> u64 {
        self.data_end.saturating_add(u64::from(self.closing && self.three_way))
    }

    /// Usable window in whole segments.
    pub(super) fn usable(&self) -> u64 {
        ((self.window.cwnd + self.window.inflation) as u64).min(self.max_window)
    }

    /// Segments sent and not acknowledged.
    pub(super) fn flight(&self) -> f64 {
        (self.nxt - self.una) as f64 / self.mss as f64
    }

    /// What the algorithm learns of a loss.
    pub(super) fn loss(&self, now: Time) -> Loss {
        Loss {
            now,
            una: self.una,
            dupacks: self.dupacks,
            flight: (self.nxt - self.una).saturating_sub(self.limited_bytes) as f64 / self.mss as f64,
            window: self.windowed(),
            repeated: self.timeouts_in_row > 0,
            marked: self.echo,
        }
    }

    /// The retransmission timer has expired before for the segment at `una`.
    pub(super) fn timed_out_again(&self) -> bool {
        self.timeouts_in_row > 0
    }

    /// min(cwnd + inflation, receiver window), in segments.
    fn windowed(&self) -> f64 {
        (self.window.cwnd + self.window.inflation).min(self.max_window as f64)
    }

    // Sending.

    /// Number after the payload of the segment that starts at `seq`: segments end at multiples of the MSS.
    fn cut(&self, seq: u64) -> u64 {
        let into = (seq - 1) % self.mss;
        (seq + self.mss - into).min(self.data_end).max(seq)
    }

    /// Sends the segment that starts at `seq`, new or again, up to `limit` at most; returns the number after it.
    pub(super) fn transmit(&mut self, seq: u64, limit: u64, cx: &mut Cx) -> u64 {
        let payload_end = self.cut(seq).min(limit);
        let fin = self.closing && self.three_way && payload_end == self.data_end;
        let after = payload_end + u64::from(fin);
        let again = seq < self.max;
        // An idle connection times what it sends from here on, whatever the timer was doing before.
        if !self.rto_timer.running() || self.una == self.max {
            self.restart_rto(cx);
        }
        if again {
            self.stats.retransmissions += 1;
            // Karn: no sample from a segment sent twice. ns-2 stops timing only when a recovery begins.
            if let Some(every) = &mut self.every {
                every.on_repeated(after);
            } else if !self.rules.times_repetitions && self.timed.is_some_and(|(end, _)| seq < end && end <= after) {
                self.timed = None;
            }
            if let Some(undo) = &mut self.undo {
                let tick = self.stamp_tick.map_or(1, |tick| tick.0);
                undo.on_repeat(seq, after, (cx.now.0 / tick) as u32);
            }
        } else if let Some(every) = &mut self.every {
            every.on_sent(after, cx.now);
        } else if self.timed.is_none() && self.stamp_tick.is_none() {
            self.timed = Some((after, cx.now));
        }
        let cwr = !again && std::mem::take(&mut self.owes_cwr);
        let psh = !again && self.push.is_some() && self.marks_push(seq, payload_end);
        self.stats.segments_sent += 1;
        if !self.rules.idle_is_timeout {
            self.active = cx.now;
        }
        self.cc.on_sent(seq, cx.now);
        if let Some(sent) = &mut self.sent {
            sent.on_sent(seq, self.una == self.max, cx.now);
        }
        if let Some(prr) = &mut self.prr {
            prr.on_sent(after - seq);
        }
        if self.pacer.is_some() {
            self.pace(after - seq, cx.now);
        }
        self.max = self.max.max(after);
        cx.emit(TcpSegment {
            seq,
            len: (payload_end - seq) as u32,
            ack: self.rcv_nxt,
            flags: TcpFlags { ack: self.three_way, fin, psh, cwr, ece: self.echoes_mark(), ..TcpFlags::default() },
            // A repetition is not marked (RFC 3168 6.1.5).
            ecn: if self.ecn && !again && payload_end > seq { Ecn::Ect } else { Ecn::NotEct },
            timestamps: self.stamp(cx.now),
            window: self.window_field(self.max_window),
            sender_window: if self.signals_window { u16::try_from(self.usable()).unwrap_or(u16::MAX) } else { 0 },
            order: self.order.as_mut().map_or(0, |number| {
                *number = number.wrapping_add(1);
                *number
            }),
            retransmission: again,
            ..TcpSegment::default()
        });
        after
    }

    /// The window that this end advertises: its receiving half's, or that of so many segments.
    pub(super) fn window_field(&self, segments: u64) -> u32 {
        match &self.reverse {
            Some(reverse) => reverse.window,
            None => window_field(segments, self.mss),
        }
    }

    /// The receiving half echoes a mark.
    pub(super) fn echoes_mark(&self) -> bool {
        self.reverse.is_some_and(|reverse| reverse.ece)
    }

    /// The timestamps option of a segment that leaves now.
    pub(super) fn stamp(&self, now: Time) -> Option<Timestamps> {
        let echo = self.reverse.map_or(0, |reverse| reverse.stamp);
        self.stamp_tick.map(|tick| Timestamps { value: (now.0 / tick.0) as u32, echo })
    }

    fn marks_push(&mut self, seq: u64, after: u64) -> bool {
        let flight = (seq - self.una) / self.mss;
        let quota = (self.window.cwnd as u64).saturating_sub(flight);
        let room = self.usable().saturating_sub(flight);
        self.push.as_mut().is_some_and(|push| push.mark(seq, after, quota, room, self.data_end))
    }

    /// Sends the segment at `una` again.
    pub(super) fn retransmit_first(&mut self, cx: &mut Cx) {
        self.transmit(self.una, u64::MAX, cx);
    }

    /// Sends the segment at `nxt`.
    pub(super) fn transmit_next(&mut self, cx: &mut Cx) {
        self.nxt = self.transmit(self.nxt, u64::MAX, cx);
    }

    /// There is something to send at `nxt` and a window of `segments` has room for it.
    pub(super) fn has_room(&self, segments: u64) -> bool {
        self.has_room_but_for(0, segments)
    }

    /// The same when `held` of the bytes before `nxt` are known to have arrived.
    pub(super) fn has_room_but_for(&self, held: u64, segments: u64) -> bool {
        let reach = self.cut(self.nxt) - self.una;
        self.nxt < self.end() && reach - held <= segments * self.mss && reach <= self.max_window * self.mss
    }

    /// Once everything below `ack` is acknowledged there is data never sent that the receiver has room for.
    pub(super) fn has_new_data_at(&self, ack: u64) -> bool {
        self.max < self.end() && self.cut(self.max) - ack <= self.max_window * self.mss
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
        let (in_flight, end) = (self.nxt - self.una, self.end());
        if let Some(sent) = &mut self.sent {
            if self.nxt >= end && in_flight < self.window.cwnd as u64 * self.mss {
                sent.on_app_limited(in_flight);
            }
        }
    }

    /// One segment beyond cwnd on each of the first duplicate ACKs (RFC 3042).
    pub(super) fn limited_transmit(&mut self, cx: &mut Cx) {
        if !self.limited_transmit || (!self.rules.limited_after_timeout && self.nxt < self.max) {
            return;
        }
        let segments = (self.window.cwnd + f64::from(self.dupacks)) as u64;
        if self.has_room(segments.min(self.max_window)) {
            let from = self.nxt;
            self.transmit_next(cx);
            self.note_limited(self.nxt - from);
        }
    }

    /// So many bytes went out on duplicate ACKs; FlightSize leaves them out.
    pub(super) fn note_limited(&mut self, bytes: u64) {
        self.limited_bytes += bytes;
    }

    /// An idle period longer than the RTO closes the window (RFC 5681 4.1; ns-2 does it by its timer).
    pub(super) fn restart_after_idle(&mut self, now: Time) {
        let idle = self.una == self.max && self.una > 1 && self.nxt < self.end();
        if !idle || now.saturating_since(self.active) <= self.rtt.rto() {
            return;
        }
        if self.rules.idle_is_timeout {
            self.recover = self.max;
            self.after_timeout = true;
            self.window.cwnd = 1.0;
        } else if self.cc.restarts_after_idle() {
            self.window.cwnd = self.window.cwnd.min(self.initial_window);
        }
        self.active = now;
    }

    // Acknowledgements.

    /// Shows an ACK to the algorithm before recovery acts on it.
    pub(super) fn feed(&mut self, seg: &TcpSegment, hops: u8, now: Time) {
        let Some(sent) = &mut self.sent else { return };
        let report = sent.on_ack(seg.ack, seg.ack >= self.max, seg.sack_blocks(), now);
        self.report = report;
        let nxt = self.nxt.max(seg.ack);
        self.cc.on_feedback(
            &mut self.window,
            &Feedback {
                now,
                una: seg.ack,
                nxt,
                bytes: seg.ack - self.una,
                rtt: report.rtt,
                srtt: self.rtt.srtt(),
                rate: report.rate,
                delivered: sent.delivered(),
                newly_delivered: report.delivered,
                in_flight: (nxt - seg.ack).saturating_sub(sent.sacked()).min(sent.flying()),
                hops,
                recovering: self.recovering,
                newly_sacked: report.sacked,
                marked: self.echo,
            },
        );
    }

    /// Advances to a cumulative ACK: no window change, no timer.
    pub(super) fn advance(&mut self, ack: u64) {
        self.stats.bytes_acked += ack.min(self.data_end) - self.una.clamp(1, self.data_end);
        self.una = ack;
        self.nxt = self.nxt.max(ack);
    }

    /// Takes an ACK of new data outside of recovery, or the one that ends it: RTT, timer, counters.
    pub(super) fn accept(&mut self, ack: u64, cx: &mut Cx) -> Acked {
        let reach = self.nxt - self.una + self.mss;
        let held_back = self.pacer.as_ref().is_some_and(|pacer| pacer.holding);
        let window_full = held_back || reach > self.usable() * self.mss;
        let cwnd_full = held_back || reach > self.window.cwnd as u64 * self.mss;
        let window_limited = self.window_use.validates(window_full, self.una, self.nxt);
        let cwnd_limited = self.cwnd_use.validates(cwnd_full, self.una, self.nxt);
        let bytes = ack - self.una;
        self.dupacks = 0;
        self.limited_bytes = 0;
        self.timeouts_in_row = 0;
        self.advance(ack);
        self.take_sample(cx);
        self.end_back_off();
        // A window below one segment (ns-2 knows them) is opened by the timer.
        if self.una < self.max || self.usable() == 0 {
            self.restart_rto(cx);
        } else {
            self.rto_timer.stop();
        }
        if self.rules.idle_is_timeout {
            self.active = cx.now;
        }
        Acked { now: cx.now, una: self.una, nxt: self.nxt, bytes, window_limited, cwnd_limited }
    }

    /// Takes an ACK of new data and lets the window grow.
    pub(super) fn accept_and_grow(&mut self, ack: u64, cx: &mut Cx) {
        let acked = self.accept(ack, cx);
        if !self.echo {
            self.cc.on_ack(&mut self.window, &acked);
            self.window.cwnd = self.window.cwnd.min(self.cwnd_limit);
        }
    }

    /// A repeated ACK means something: data is outstanding. For ns-2 data still to be sent is enough.
    pub(super) fn hears_dup_acks(&self) -> bool {
        self.una < self.max || (self.rules.idle_duplicates_count && self.una < self.end())
    }

    /// A third duplicate ACK may start a recovery: the data of the last loss is acknowledged (RFC 6582 3.2).
    pub(super) fn may_fast_retransmit(&self) -> bool {
        // ns-2 makes an exception for the very first segment, also after a timeout.
        self.una > self.recover || (self.rules.first_segment_exempt && self.una == 1)
    }

    /// The common start of every fast retransmit: the window is cut and the timer restarted. False: the algorithm left the
    /// window as it was.
    pub(super) fn start_recovery(&mut self, cx: &mut Cx) -> bool {
        self.stats.fast_retransmits += 1;
        self.may_be_needless(false);
        self.recover = self.max;
        self.after_timeout = false;
        let cut = self.answer_loss(cx.now);
        self.timed = None;
        self.restart_rto(cx);
        cut
    }

    /// The retransmission timer expired: back to the first unacknowledged segment with a window of one.
    pub(super) fn time_out(&mut self, cx: &mut Cx) {
        self.stats.timeouts += 1;
        self.stats.window_cuts += 1;
        self.may_be_needless(true);
        self.window.inflation = 0.0;
        self.end_recovery();
        let loss = self.loss(cx.now);
        self.cc.on_timeout(&mut self.window, &loss);
        self.timeouts_in_row += 1;
        self.go_back();
        if self.cc.backs_off() && !self.holds_rto() {
            self.rtt.back_off();
        }
        self.restart_rto(cx);
    }

    /// Everything from the first unacknowledged segment on is to be sent again, outside of any recovery.
    pub(super) fn go_back(&mut self) {
        self.window.inflation = 0.0;
        self.end_recovery();
        self.recover = self.max;
        self.after_timeout = true;
        self.dupacks = 0;
        self.limited_bytes = 0;
        self.nxt = self.una;
        self.timed = None;
        if let Some(every) = &mut self.every {
            every.forget();
        }
        self.window_use.forget();
        self.cwnd_use.forget();
    }

    /// Nothing will be sent any more.
    pub(super) fn retire_timers(&mut self, cx: &mut Cx) {
        self.rto_timer.retire(cx);
        if let Some(pacer) = &mut self.pacer {
            pacer.retire(cx);
        }
    }
}
