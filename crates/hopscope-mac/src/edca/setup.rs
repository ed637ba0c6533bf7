//! Block Ack agreements that stations set up on the air, by ADDBA request and response (IEEE 802.11-2020 9.6.4, 10.25.2 and
//! 11.5.2).
//!
//! ```text
//!            worth it: a request is queued                      response
//!  NOT AGREED ------------------------------> ASKED -----------------------> AGREED
//!    ^                                          |
//!    +------------------------------------------+
//!      no ACK of the request, or no response in time: ordinary ACKs until the next request
//! ```
//!
//! What waits for the neighbour under that traffic identifier waits on while it is asked, as in ns-3 and Linux. Requests and
//! responses go before the data of their access category. HT stations ask as soon as two packets wait, since one goes bare;
//! VHT and HE stations at the first one, since every PSDU of theirs is an A-MPDU (both as in ns-3). An agreement never ends.
//!
//! All MPDUs to a neighbour under one traffic identifier count in one row, under an agreement or not: a recipient whose response
//! was lost keeps the order of those that go on with ordinary ACKs.

use super::category::Ac;
use super::queue::Management;
use super::rules::QosRules;
use super::{Addba, Edca, EdcaCx, Incoming, Outgoing, Reply, qos};
use crate::block_ack::Recipient;
use crate::frame::{Frame, FrameKind};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;

/// How an agreement stands at the side that sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setup {
    /// It is in force.
    Agreed,
    /// It is asked for.
    Asked {
        /// What the request says.
        request: Addba,
        /// The response is due by then; never before the request is acknowledged.
        until: Time,
    },
    /// There is none.
    NotAgreed {
        /// The last request, which went without a response: a late one still counts.
        request: Option<Addba>,
        /// None is sent before.
        again_at: Time,
    },
}

impl Setup {
    /// Before the first packet.
    pub(super) fn new(rules: &QosRules) -> Self {
        if rules.sets_up { Setup::NotAgreed { request: None, again_at: Time::ZERO } } else { Setup::Agreed }
    }

    /// True while it is asked for.
    pub(super) fn is_asked(&self) -> bool {
        matches!(self, Setup::Asked { .. })
    }

    /// The last request.
    fn request(&self) -> Option<Addba> {
        match *self {
            Setup::Agreed => None,
            Setup::Asked { request, .. } => Some(request),
            Setup::NotAgreed { request, .. } => request,
        }
    }
}

/// Stands for the traffic identifier of management frames, which have a row of sequence numbers of their own.
const MANAGEMENT: u8 = 16;

impl Edca {
    /// True while a neighbour is asked for an agreement.
    pub(super) fn is_asked(&self, to: NodeId, tid: u8) -> bool {
        self.outgoing.iter().any(|one| (one.to, one.tid) == (to, tid) && one.setup.is_asked())
    }

    /// True when an agreement is to be asked for before the next packet goes.
    pub(super) fn is_worth_a_request(&self, place: usize, now: Time, rules: &QosRules) -> bool {
        let one = &self.outgoing[place];
        let Setup::NotAgreed { again_at, .. } = one.setup else { return false };
        let category = &self.categories[Ac::of_tid(one.tid) as usize];
        let like_it = category.waiting.iter().filter(|waiting| (waiting.to, waiting.tid) == (one.to, one.tid)).take(2);
        let before = || category.flows.as_ref().map_or(0, |flows| flows.count((one.to, one.tid)));
        now >= again_at && (rules.single_is_ampdu || like_it.count() + before() > 1)
    }

    /// Asks a neighbour for an agreement: the request waits before the data.
    pub(super) fn ask(&mut self, place: usize, rules: &QosRules) {
        let one = &mut self.outgoing[place];
        let token = one.setup.request().map_or(1, |request| request.token.wrapping_add(1));
        let request = Addba { is_response: false, token, window: rules.window, ssn: one.originator.next_seq() };
        one.setup = Setup::Asked { request, until: Time::NEVER };
        let (to, tid) = (one.to, one.tid);
        self.queue_management(to, tid, request);
    }

    fn queue_management(&mut self, to: NodeId, tid: u8, addba: Addba) {
        let seq = self.next_seq();
        let frame = Management { to, tid, addba, seq, failures: 0, is_repeated: false };
        self.categories[Ac::of_tid(tid) as usize].management.push_back(frame);
    }

    /// A management frame was acknowledged or is given up.
    pub(super) fn finish_management(&mut self, ac: Ac, was_acknowledged: bool, cx: &mut EdcaCx<'_>) {
        let Some(Management { to, tid, addba, .. }) = self.categories[ac as usize].management.pop_front() else {
            return;
        };
        let rules = qos(cx.rules);
        let found = self.outgoing.iter_mut().find(|one| (one.to, one.tid) == (to, tid));
        let Some(one) = found.filter(|_| !addba.is_response) else { return };
        // The response may have come before.
        let Setup::Asked { request, until } = &mut one.setup else { return };
        if was_acknowledged {
            *until = cx.now + rules.addba_timeout;
            cx.out.arm_setup = Some(*until);
        } else {
            one.setup = Setup::NotAgreed { request: Some(*request), again_at: cx.now + rules.addba_retry };
        }
    }

    /// No ACK has come for a management frame.
    pub(super) fn fail_management(&mut self, ac: Ac, cx: &mut EdcaCx<'_>) {
        let Some(frame) = self.categories[ac as usize].management.front_mut() else { return };
        frame.failures = frame.failures.saturating_add(1);
        if frame.failures >= qos(cx.rules).plain_limit {
            self.finish_management(ac, false, cx);
        }
    }

    /// Responses that are due by now will not come.
    pub(super) fn end_requests(&mut self, cx: &mut EdcaCx<'_>) {
        let again_at = cx.now + qos(cx.rules).addba_retry;
        for place in 0..self.outgoing.len() {
            let one = &mut self.outgoing[place];
            let Setup::Asked { request, until } = one.setup else { continue };
            if until <= cx.now {
                one.setup = Setup::NotAgreed { request: Some(request), again_at };
                let ac = Ac::of_tid(one.tid);
                self.ask_for_access(ac, false, cx);
                self.arm_access(cx);
            }
        }
    }

    /// An MPDU under no agreement is given up: under one that has come about meanwhile, the recipient waits for it.
    pub(super) fn lose_before_agreement(&mut self, (to, tid): (NodeId, u8)) {
        let is_it = |one: &&mut Outgoing| (one.to, one.tid) == (to, tid) && one.setup == Setup::Agreed;
        if let Some(one) = self.outgoing.iter_mut().find(is_it) {
            one.originator.leave_gap();
        }
    }

    /// An ADDBA request or response has come: it is acknowledged, and looked at once.
    pub(super) fn on_action(&mut self, frame: &Frame, addba: Option<Addba>, cx: &mut EdcaCx<'_>) {
        // As with data: the answer under way keeps its turn.
        if matches!(self.reply, Reply::Pending { .. }) {
            return;
        }
        cx.station.hold(cx.now);
        let mode = self.response(frame.mode, cx);
        let timing = cx.rules.timing();
        let duration = frame.duration.saturating_sub(timing.sifs + timing.response(mode));
        self.answer(FrameKind::Ack, mode, frame, duration, cx);
        let Some(addba) = addba else { return };
        if !self.is_first(frame.src, MANAGEMENT, frame) {
            return;
        }
        if addba.is_response {
            self.on_response(frame.src, frame.tid, addba, cx);
        } else {
            self.on_addba_request(frame.src, frame.tid, addba, cx);
        }
        self.ask_for_access(Ac::of_tid(frame.tid), false, cx);
    }

    /// The agreement begins with the sequence number of the request, and a response is queued. What waits in the buffer of an earlier
    /// one goes up.
    fn on_addba_request(&mut self, from: NodeId, tid: u8, request: Addba, cx: &mut EdcaCx<'_>) {
        let rules = qos(cx.rules);
        let window = request.window.min(rules.window);
        let recipient = Recipient::new(request.ssn, window, rules.reorder_timeout);
        match self.incoming.iter_mut().find(|one| (one.from, one.tid) == (from, tid)) {
            Some(one) => {
                let mut released = Vec::new();
                one.recipient.end(cx.now, &mut released);
                self.counts.reordering = self.counts.reordering.and(one.recipient.waits());
                one.recipient = recipient;
                self.deliver(released, from, false, cx);
            }
            None => self.incoming.push(Incoming { from, tid, recipient }),
        }
        self.queue_management(from, tid, Addba { is_response: true, window, ..request });
    }

    /// The neighbour agrees.
    fn on_response(&mut self, from: NodeId, tid: u8, response: Addba, cx: &mut EdcaCx<'_>) {
        let Some(one) = self.outgoing.iter_mut().find(|one| (one.to, one.tid) == (from, tid)) else { return };
        let Some(request) = one.setup.request().filter(|request| request.token == response.token) else { return };
        // MPDUs have gone meanwhile where the response is late, and the recipient may lack some of them.
        let is_late = one.originator.next_seq() != request.ssn;
        one.originator.begin(response.window.min(qos(cx.rules).window), is_late);
        one.setup = Setup::Agreed;
    }
}
