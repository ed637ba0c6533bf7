//! The time of one node, accounted piece by piece.
//!
//! Pieces are closed late, as radio edges are applied late: when the node does something, or when a new busy period
//! begins around it. Until then a node costs one comparison for each frame it hears.

use super::cause::{Cause, Diagnosis, Failure};
use super::link::Links;
use super::qos::QosLine;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_mac::contention::QuietPlan;
use hopscope_mac::dcf::FrameKind;

/// What a node does once what is accounted already is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// The MAC has no packet.
    Idle,
    /// A packet waits for the medium.
    Contend,
    /// Waiting for the next frame of an exchange, at most until `Timeline::await_until`.
    Await,
}

/// Places in the accounts of a node: the causes, and two that are undecided until the attempt is over.
const ACCOUNTS: usize = Cause::COUNT + 2;
/// The RTS of the attempt under way.
pub(super) const ATTEMPT_RTS: usize = Cause::COUNT;
/// Its data frame.
pub(super) const ATTEMPT_DATA: usize = Cause::COUNT + 1;

/// The attempt under way to get a packet to a neighbour.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt {
    pub(super) open: bool,
    pub(super) to: NodeId,
    pub(super) packet: PacketId,
    /// What its data frame counts as if it succeeds.
    pub(super) class: Cause,
    /// Its last frame began then.
    pub(super) since: Time,
    pub(super) diagnosis: Diagnosis,
    /// What its RTS, or its Block Ack request, counts as if it succeeds.
    pub(super) asks: Cause,
}

impl Attempt {
    /// Nothing is known of why its question, if it fails, got no answer.
    #[inline(always)]
    pub(super) fn is_unexplained(&self) -> bool {
        let Diagnosis { frame, .. } = self.diagnosis;
        matches!(frame, FrameKind::Rts | FrameKind::Data | FrameKind::BlockAckReq)
            && self.diagnosis == Diagnosis::unknown(frame)
    }
}

/// The account of one node. What hearing a frame takes stands first.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Timeline {
    /// The last busy period announced; `busy_from` is `NEVER` before the first.
    busy_until: Time,
    busy_from: Time,
    /// Everything before is accounted. It runs ahead of the clock while a frame or a SIFS lasts.
    pub(super) at: Time,
    /// Busy time since `at` that has been left behind, nanoseconds: only in `Idle`.
    overheard: u64,
    pub(super) mode: Mode,
    /// The MAC has a packet.
    pub(super) has_packet: bool,
    /// Where the time ahead of the clock went.
    ahead: u8,
    pub(super) is_off: bool,
    /// A flow starts here.
    pub(super) is_source: bool,
    /// The link layer holds the queue back.
    pub(super) link_waits: bool,
    /// Packets of this node that wait for a route or an address.
    pub(super) held: u32,
    /// `NEVER` in its own exchange, `ZERO` when it waits for nothing.
    await_until: Time,
    /// Waits for an answer not yet decided.
    awaited: u64,
    pub(super) attempt: Attempt,
    /// Quiet time before the busy period, for a waiting packet.
    plan: QuietPlan,
    /// Idle time at a source whose cause its next event shows.
    unexplained: u64,
    pub(super) totals: [u64; ACCOUNTS],
    pub(super) links: Links,
    /// When the last two frames sent began and ended, by their place in the air slots.
    pub(super) sent: [(Time, Time); 2],
    /// The last RTS or data frame received: from whom, and when it ended.
    pub(super) asked: (NodeId, Time),
    /// Of a QoS station.
    pub(super) qos: Option<Box<QosLine>>,
}

impl Timeline {
    pub(super) fn new() -> Self {
        Timeline {
            busy_until: Time::ZERO,
            busy_from: Time::NEVER,
            at: Time::ZERO,
            overheard: 0,
            mode: Mode::Idle,
            has_packet: false,
            ahead: Cause::Off as u8,
            is_off: false,
            is_source: false,
            link_waits: false,
            held: 0,
            await_until: Time::ZERO,
            awaited: 0,
            attempt: Attempt {
                open: false,
                to: NodeId::BROADCAST,
                packet: PacketId::default(),
                class: Cause::Data,
                since: Time::ZERO,
                diagnosis: Diagnosis::unknown(FrameKind::Rts),
                asks: Cause::Rts,
            },
            plan: QuietPlan::NONE,
            unexplained: 0,
            totals: [0; ACCOUNTS],
            links: Links::default(),
            sent: [(Time::ZERO, Time::ZERO); 2],
            asked: (NodeId::BROADCAST, Time::ZERO),
            qos: None,
        }
    }

    /// A sensed frame is on the air here from `start` to `end`. False when it begins a busy period of its own that
    /// `begin_busy` has to hear of it. A pause shorter than `pause` (DIFS), in which nobody may begin, ends none.
    #[inline(always)]
    pub(super) fn hear(&mut self, start: Time, end: Time, pause: Span) -> bool {
        if start < self.busy_until + pause {
            // Stores are rarer than comparisons.
            if start < self.busy_from {
                self.busy_from = start;
            }
            if end > self.busy_until {
                self.busy_until = end;
            }
            return true;
        }
        // Without a packet the order of busy and quiet time does not matter: their sums are enough.
        if self.mode == Mode::Idle {
            self.overheard += self.busy_until.0.saturating_sub(self.busy_from.max(self.at).0);
        } else if self.attempt.open {
            // Whatever is on the air: the node is inside its own exchange.
            self.plan.ifs_until = Time::NEVER;
        } else {
            return false;
        }
        (self.busy_from, self.busy_until) = (start, end);
        true
    }

    /// A busy period begins; `plan` says how a waiting packet spent the quiet time before it.
    #[inline(always)]
    pub(super) fn begin_busy(&mut self, start: Time, end: Time, plan: impl FnOnce(&mut QuietPlan)) {
        // First the period before, while the plan is still that of the quiet time ahead of it.
        if self.at < self.busy_until {
            self.settle_last_busy();
        }
        (self.busy_from, self.busy_until) = (start, end);
        if self.has_packet {
            plan(&mut self.plan);
        } else {
            self.plan = QuietPlan::NONE;
        }
    }

    /// Accounts everything before the end of the last busy period, to which the plan that counts until then belongs.
    /// Mostly a packet waits.
    #[inline(never)]
    fn settle_last_busy(&mut self) {
        if self.mode == Mode::Contend && !self.is_off {
            self.settle_contention(self.busy_until, no_plan);
        } else {
            self.settle_on(self.busy_until, no_plan);
        }
    }

    /// Accounts everything before `to`, when the wait for the medium is over; `plan` says how the quiet time since the
    /// last busy period was spent.
    #[inline(never)]
    pub(super) fn settle_wait(&mut self, to: Time, plan: QuietPlan) {
        if self.mode == Mode::Contend && !self.is_off {
            self.settle_contention(to, || plan);
        } else {
            self.settle(to, || plan);
        }
    }

    /// Accounts everything before `to`; `plan` says how a waiting packet spent the quiet time since the last busy
    /// period, where there is any.
    #[inline]
    pub(super) fn settle(&mut self, to: Time, plan: impl FnOnce() -> QuietPlan) {
        if self.at < to {
            self.settle_on(to, plan);
        }
    }

    fn settle_on(&mut self, to: Time, plan: impl FnOnce() -> QuietPlan) {
        if self.is_off {
            self.add(Cause::Off, to);
            // What was on the air meanwhile lies in the time that has just been accounted.
            self.overheard = 0;
            return;
        }
        if self.mode == Mode::Await {
            let end = to.min(self.await_until);
            self.awaited += end.saturating_since(self.at).0;
            self.at = self.at.max(end);
            if end == to {
                return;
            }
            // The frame has not come by its deadline.
            self.decide_wait(false);
            self.leave_wait();
        }
        if self.mode == Mode::Idle { self.settle_idle(to) } else { self.settle_contention(to, plan) }
    }

    /// Time without a packet: what was overheard, and why there was nothing to send meanwhile.
    fn settle_idle(&mut self, to: Time) {
        let last = self.busy_until.min(to).0.saturating_sub(self.busy_from.max(self.at).0);
        let overheard = std::mem::take(&mut self.overheard) + last;
        let quiet = (to - self.at).0 - overheard;
        self.totals[Cause::Overheard as usize] += overheard;
        self.at = to;
        // From the nearest layer up: what the link layer holds back has its route, and what waits for a route was sent.
        if self.link_waits {
            self.totals[Cause::LinkTimer as usize] += quiet;
        } else if self.held > 0 {
            self.totals[Cause::RouteSearch as usize] += quiet;
        } else if self.is_source {
            // Its window or its application is the cause: the next event at the source shows which.
            self.unexplained += quiet;
        } else {
            self.totals[Cause::NothingToSend as usize] += quiet;
        }
    }

    /// Time with a waiting packet: quiet before the busy period, busy, quiet after it.
    #[inline]
    fn settle_contention(&mut self, to: Time, plan: impl FnOnce() -> QuietPlan) {
        if self.busy_from != Time::NEVER {
            if self.at < self.busy_from {
                let plan = self.plan;
                self.add_quiet(to.min(self.busy_from), &plan);
            }
            self.add(Cause::Carrier, to.min(self.busy_until));
        }
        if self.at < to {
            self.add_quiet(to, &plan());
        }
    }

    fn add_quiet(&mut self, to: Time, plan: &QuietPlan) {
        // In the order of the wait (IEEE 802.11-2020 10.3.4.2 and 10.3.4.3): a NAV keeps the medium busy, and slots are
        // counted from the end of DIFS or EIFS on.
        self.add(Cause::Nav, to.min(plan.nav_until));
        self.add(if plan.eifs { Cause::Eifs } else { Cause::Difs }, to.min(plan.ifs_until));
        self.add(Cause::Backoff, to);
    }

    /// Accounts the time up to `to`, if any is left, to a cause.
    #[inline(always)]
    fn add(&mut self, cause: Cause, to: Time) {
        if to > self.at {
            self.totals[cause as usize] += (to - self.at).0;
            self.at = to;
        }
    }

    /// A frame of length `airtime` for this node has come in and was received.
    #[inline(always)]
    pub(super) fn received(&mut self, now: Time, airtime: Span) {
        let begun = Time(now.0 - airtime.0);
        if self.at < begun {
            // It may be the frame that was awaited: what the gap before it was is decided when it is answered.
            if begun <= self.await_until {
                self.awaited += (begun - self.at).0;
                self.at = begun;
            } else {
                // It lies within a busy period: no time after that is looked at.
                self.settle_on(begun, no_plan);
            }
        }
        self.add(Cause::Receive, now);
    }

    /// The node is inside an exchange until `until`, which goes to this account.
    #[inline(always)]
    pub(super) fn run_ahead(&mut self, account: usize, until: Time) {
        debug_assert!(self.at <= until, "own frames and the gaps between them follow one another");
        self.totals[account] += (until - self.at).0;
        self.at = until;
        self.ahead = account as u8;
    }

    /// Once what is accounted ahead is over, the node waits for the next frame of an exchange, at most until `until`.
    #[inline(always)]
    pub(super) fn wait_until(&mut self, until: Time) {
        (self.mode, self.await_until) = (Mode::Await, until);
    }

    /// It waits for no frame any more, unless its own attempt goes on.
    #[inline(always)]
    pub(super) fn leave_wait(&mut self) {
        (self.mode, self.await_until) = match (self.attempt.open, self.has_packet) {
            (true, _) => (Mode::Await, Time::NEVER),
            (false, true) => (Mode::Contend, Time::ZERO),
            (false, false) => (Mode::Idle, Time::ZERO),
        };
    }

    /// The MAC has no packet any more: it contends for nothing.
    pub(super) fn leave_wait_if_over(&mut self) {
        if self.mode == Mode::Contend {
            self.mode = Mode::Idle;
        }
    }

    /// The wait for an answer is over.
    #[inline(always)]
    pub(super) fn decide_wait(&mut self, answered: bool) {
        let cause = if answered { Cause::Sifs } else { Cause::ResponseTimeout };
        self.totals[cause as usize] += std::mem::take(&mut self.awaited);
    }

    /// The attempt under way is over.
    pub(super) fn close_attempt(&mut self, failure: Option<Failure>) {
        self.attempt.open = false;
        // An RTS was in vain, too, where the data frame behind it fails.
        let (rts_cause, data_cause) =
            failure.map_or((self.attempt.asks, self.attempt.class), |failure| (failure.cause(), failure.cause()));
        self.totals[rts_cause as usize] += std::mem::take(&mut self.totals[ATTEMPT_RTS]);
        self.totals[data_cause as usize] += std::mem::take(&mut self.totals[ATTEMPT_DATA]);
        self.decide_wait(failure.is_none());
    }

    /// A fragment was acknowledged: its airtime was not in vain, whatever becomes of those behind it.
    pub(super) fn keep_fragment(&mut self, now: Time) {
        self.totals[Cause::Rts as usize] += std::mem::take(&mut self.totals[ATTEMPT_RTS]);
        self.totals[self.attempt.class as usize] += std::mem::take(&mut self.totals[ATTEMPT_DATA]);
        self.links.keep_fragment(now);
    }

    /// An event at a source shows why it was idle until now.
    pub(super) fn explain_idle(&mut self, now: Time, cause: Cause) {
        self.settle_if_idle(now);
        self.totals[cause as usize] += std::mem::take(&mut self.unexplained);
    }

    /// Accounts the time up to `now` of a node without a packet, before the cause of its idleness changes.
    pub(super) fn settle_if_idle(&mut self, now: Time) {
        if !self.has_packet {
            self.settle(now, no_plan);
        }
    }

    /// Everything before `now`, up to which all is accounted, is forgotten.
    pub(super) fn restart(&mut self, now: Time) {
        self.totals = [0; ACCOUNTS];
        (self.awaited, self.unexplained) = (0, 0);
        self.links.restart(now);
        if let Some(qos) = &mut self.qos {
            qos.ppdus = Default::default();
        }
        // A frame or SIFS under way is accounted to its end: the rest of it belongs to the measured time.
        self.totals[usize::from(self.ahead)] += (self.at - now).0;
    }

    /// What is accounted at `now`: what is undecided counts as if it were to succeed, and idle time at a source for
    /// `idle`.
    pub(super) fn totals_at(&self, now: Time, idle: Cause) -> [u64; Cause::COUNT] {
        let mut accounts = self.totals;
        // What is accounted ahead of the clock has not passed yet.
        accounts[usize::from(self.ahead)] -= (self.at - now).0;
        accounts[self.attempt.asks as usize] += accounts[ATTEMPT_RTS];
        accounts[self.attempt.class as usize] += accounts[ATTEMPT_DATA];
        accounts[Cause::Sifs as usize] += self.awaited;
        accounts[idle as usize] += self.unexplained;
        let mut totals = [0; Cause::COUNT];
        totals.copy_from_slice(&accounts[..Cause::COUNT]);
        totals
    }
}

/// For times that no packet waits in, or that lie within a busy period.
fn no_plan() -> QuietPlan {
    QuietPlan::NONE
}
