//! What goes in one PPDU: chosen when a category is granted access, from what waits then (IEEE 802.11-2020 10.12).

use super::category::{Ac, MANAGEMENT};
use super::queue::{InHand, Waiting};
use super::rules::{QosRules, REQUEST_BYTES, with_mpdu};
use super::setup::Setup;
use super::{Edca, EdcaCx, Outgoing, amsdu, qos};
use crate::block_ack::{Originator, sequence};
use crate::config::mac::Protection;
use crate::frame::{ADDBA_BYTES, FrameKind};
use crate::rate::ht::NextPpdu;
use crate::rules::MacRules;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_phy::phy::modes::Mode;

/// What the own exchange is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// The MPDU in hand of the category, to one station or to all.
    InHand,
    /// One MPDU under an agreement: an ordinary ACK answers it.
    Single,
    /// An A-MPDU under an agreement: a Block Ack answers it.
    Aggregate,
    /// A Block Ack request.
    Request,
    /// The management frame at the head of the category.
    Management,
}

/// The own exchange.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exchange {
    pub(super) ac: Ac,
    pub(super) content: Content,
    pub(super) to: NodeId,
    pub(super) tid: u8,
    pub(super) mode: Mode,
    /// Of the PSDU.
    pub(super) bytes: u32,
    pub(super) airtime: Span,
    /// Time on the air of the answer; zero where none comes.
    pub(super) answer: Span,
    pub(super) seq: u16,
    pub(super) retry: bool,
    pub(super) packet: PacketId,
    /// What goes before it.
    pub(super) protection: Option<Protection>,
    /// The TXOP ends here; at its beginning where one exchange is all.
    pub(super) txop_until: Time,
    /// Nothing went before it in its TXOP.
    pub(super) is_first: bool,
}

impl Edca {
    /// What a category sends next, as the first of a TXOP that ends at `txop_until` or as a later one; none where nothing waits
    /// or fits.
    pub(super) fn plan(&mut self, ac: Ac, txop_until: Time, is_first: bool, cx: &mut EdcaCx<'_>) -> Option<Exchange> {
        self.planned.clear();
        let rules = qos(cx.rules);
        let source = self.choose(ac, cx)?;
        let blank = Exchange {
            ac,
            content: Content::InHand,
            to: NodeId::BROADCAST,
            tid: 0,
            mode: rules.data,
            bytes: 0,
            airtime: Span::ZERO,
            answer: Span::ZERO,
            seq: 0,
            retry: false,
            packet: PacketId::default(),
            protection: None,
            txop_until,
            is_first,
        };
        let mut exchange = match source {
            Source::InHand => self.plan_in_hand(blank, cx),
            Source::Management => self.plan_management(blank, cx),
            Source::Agreement(place) if self.outgoing[place].originator.request_needed().is_some() => {
                self.plan_request(blank, place, cx)
            }
            Source::Agreement(place) => self.plan_agreed(blank, place, cx),
        };
        let sends_data = exchange.content != Content::Request && exchange.to != NodeId::BROADCAST;
        if sends_data {
            let is_protected = self.is_protected(exchange.to, is_first, rules);
            exchange.protection = cx.rules.protection(exchange.to, exchange.bytes, is_protected);
        }
        exchange.airtime = rules.airtime(cx.rules.timing(), exchange.mode, exchange.bytes);
        Some(exchange)
    }

    /// The oldest of what a category has to send; takes the packet at the head out where it goes under no agreement.
    fn choose(&mut self, ac: Ac, cx: &mut EdcaCx<'_>) -> Option<Source> {
        let (rules, now) = (qos(cx.rules), cx.now);
        if !self.categories[ac as usize].management.is_empty() {
            return Some(Source::Management);
        }
        if self.categories[ac as usize].in_hand.is_some() {
            return Some(Source::InHand);
        }
        let at = match self.next_data(ac, cx)? {
            NextData::Agreement(place) => return Some(Source::Agreement(place)),
            NextData::Packet(at) => at,
        };
        let head = self.categories[ac as usize].waiting[at];
        let may_agree = rules.ampdu.is_some() && head.to != NodeId::BROADCAST && head.tid != MANAGEMENT;
        let agreement = may_agree.then(|| self.agreement(&head, rules));
        if let Some(place) = agreement {
            if self.outgoing[place].setup == Setup::Agreed {
                return Some(Source::Agreement(place));
            }
            if self.is_worth_a_request(place, now, rules) {
                self.ask(place, rules);
                return Some(Source::Management);
            }
        }
        self.build((ac, at), cx, |_| true);
        let seq = match agreement {
            Some(place) => self.outgoing[place].originator.skip(),
            None => self.next_seq(),
        };
        let head = self.categories[ac as usize].waiting.remove(at)?;
        self.note_taken(&head, now);
        self.categories[ac as usize].in_hand =
            Some(InHand { of: head, seq, failures: head.failures, is_repeated: false });
        Some(Source::InHand)
    }

    /// What a category sends next of its data: the oldest, or that of the neighbour whose turn it is.
    pub(super) fn next_data(&mut self, ac: Ac, cx: &mut EdcaCx<'_>) -> Option<NextData> {
        if !self.draws(ac, cx) {
            let agreed = self.first_agreed(ac).map(NextData::Agreement);
            return agreed.or_else(|| self.head(ac).map(NextData::Packet));
        }
        let key = self.next_neighbour(ac)?;
        let again = self.outgoing.iter().position(|one| (one.to, one.tid) == key && one.has_more());
        again.map(NextData::Agreement).or_else(|| self.place(ac, key, cx).map(NextData::Packet))
    }

    /// The agreement of a category that goes next, where no packet that waits is older: one with a request, or the one with the
    /// oldest of the MPDUs that have a number.
    fn first_agreed(&self, ac: Ac) -> Option<usize> {
        let agreed = |one: &Outgoing| Ac::of_tid(one.tid) == ac;
        // A request goes before data.
        let asks = |one: &Outgoing| agreed(one) && one.originator.request_needed().is_some();
        if let Some(place) = self.outgoing.iter().position(asks) {
            return Some(place);
        }
        let again = self.outgoing.iter().enumerate().filter(|(_, one)| agreed(one));
        let again = again.filter_map(|(place, one)| Some((one.originator.to_send().next()?.since, place))).min();
        let head = self.head(ac).map(|at| self.categories[ac as usize].waiting[at].since);
        again.filter(|(since, _)| head.is_none_or(|head| *since <= head)).map(|(_, place)| place)
    }

    /// The sequence number of a frame under no agreement, and of a management frame.
    pub(super) fn next_seq(&mut self) -> u16 {
        let seq = self.next;
        self.next = sequence::advance(seq, 1);
        seq
    }

    /// Where the oldest packet of a category waits that may go: one whose receiver is being asked for an agreement waits on.
    pub(super) fn head(&self, ac: Ac) -> Option<usize> {
        let may_go = |waiting: &Waiting| !self.is_asked(waiting.to, waiting.tid);
        self.categories[ac as usize].waiting.iter().position(may_go)
    }

    /// The packet at a place of a category becomes an A-MSDU with those that follow it to the same station, where that is on and
    /// as long as the MPDU `fits` with so many bytes.
    fn build(&mut self, (ac, place): (Ac, usize), cx: &mut EdcaCx<'_>, fits: impl Fn(u32) -> bool) {
        let (rules, now) = (qos(cx.rules), cx.now);
        let Waiting { to, tid, .. } = self.categories[ac as usize].waiting[place];
        let may_join = to != NodeId::BROADCAST && tid != MANAGEMENT && !rules.is_plain(to);
        let Some(most) = rules.amsdu.filter(|_| may_join) else { return };
        if self.draws(ac, cx) {
            self.draw_bytes(ac, (to, tid), most, cx);
        }
        let waiting = &mut self.categories[ac as usize].waiting;
        let first = waiting[place].packet;
        let rest = amsdu::build(waiting, place, rules.overhead, |mpdu| mpdu <= rules.overhead + most && fits(mpdu));
        rest.iter().for_each(|_| self.occupancy.take(now));
        self.bundles.add(first, rest);
    }

    /// A packet waits no longer: a PPDU takes it.
    fn note_taken(&mut self, taken: &Waiting, now: Time) {
        self.occupancy.take(now);
        self.counts.queueing.add(now.saturating_since(taken.since));
    }

    /// The agreement about packets like this one, or what is known about it before it stands.
    fn agreement(&mut self, packet: &Waiting, rules: &QosRules) -> usize {
        let &Waiting { to, tid, .. } = packet;
        let found = self.outgoing.iter().position(|one| one.to == to && one.tid == tid);
        found.unwrap_or_else(|| {
            let (originator, setup) = (Originator::new(0, rules.window), Setup::new(rules));
            self.outgoing.push(Outgoing { to, tid, originator, unanswered: 0, setup });
            self.outgoing.len() - 1
        })
    }

    fn plan_in_hand(&self, blank: Exchange, cx: &EdcaCx<'_>) -> Exchange {
        let Some(InHand { of, seq, is_repeated, .. }) = self.categories[blank.ac as usize].in_hand else {
            return blank;
        };
        let is_broadcast = of.to == NodeId::BROADCAST;
        let is_basic = is_broadcast || of.tid == MANAGEMENT;
        let basic = cx.rules.rates.first(NodeId::BROADCAST, FrameKind::Data);
        let mode = if is_basic { basic } else { self.next_ppdu(of.to, cx.rules).mode };
        Exchange {
            to: of.to,
            tid: of.tid,
            mode,
            bytes: if is_basic { of.bytes } else { qos(cx.rules).single(of.bytes) },
            answer: if is_broadcast { Span::ZERO } else { ack(mode, cx) },
            seq,
            retry: is_repeated,
            packet: of.packet,
            ..blank
        }
    }

    fn plan_management(&self, blank: Exchange, cx: &EdcaCx<'_>) -> Exchange {
        let Some(&frame) = self.categories[blank.ac as usize].management.front() else { return blank };
        // Everyone decodes the lowest rate.
        let mode = qos(cx.rules).lowest;
        Exchange {
            content: Content::Management,
            to: frame.to,
            tid: frame.tid,
            mode,
            bytes: ADDBA_BYTES,
            answer: cx.rules.timing().response(cx.rules.rates.response(mode)),
            seq: frame.seq,
            retry: frame.is_repeated,
            ..blank
        }
    }

    fn plan_request(&self, blank: Exchange, place: usize, cx: &EdcaCx<'_>) -> Exchange {
        let Outgoing { to, tid, originator, .. } = &self.outgoing[place];
        let mode = cx.rules.rates.first(*to, FrameKind::Rts);
        Exchange {
            content: Content::Request,
            to: *to,
            tid: *tid,
            mode,
            bytes: REQUEST_BYTES,
            answer: block_ack(cx.rules.rates.response(mode), cx),
            seq: originator.request_needed().unwrap_or_default(),
            ..blank
        }
    }

    /// As many MPDUs as the window, the limits of an A-MPDU and the time allow: first those that come again, then new ones.
    fn plan_agreed(&mut self, blank: Exchange, place: usize, cx: &mut EdcaCx<'_>) -> Exchange {
        let rules = qos(cx.rules);
        let Outgoing { to, tid, .. } = self.outgoing[place];
        let NextPpdu { mode, alone } = self.next_ppdu(to, cx.rules);
        let answer = block_ack(rules.response(mode, &cx.rules.rates), cx);
        let is_protected = self.is_protected(to, blank.is_first, rules);
        let limits = Limits::new((to, mode, alone), is_protected, blank.txop_until, answer, cx);
        let mut bytes = 0;
        let originator = &self.outgoing[place].originator;
        for mpdu in originator.to_send() {
            let Some(longer) = limits.with(bytes, mpdu.bytes, self.planned.len()) else { break };
            bytes = longer;
            self.planned.push(mpdu.mpdu());
        }
        let is_complete = self.planned.len() == originator.to_send().count();
        while is_complete && self.outgoing[place].originator.has_room() {
            let Some(at) = self.place(blank.ac, (to, tid), cx) else { break };
            let count = self.planned.len();
            let alone = self.categories[blank.ac as usize].waiting[at].bytes;
            if limits.with(bytes, alone, count).is_none() {
                break;
            }
            // Each MSDU is looked at by itself: an A-MSDU ends where the A-MPDU would become too long.
            self.build((blank.ac, at), cx, |mpdu| limits.fits(bytes, mpdu));
            let waiting = &mut self.categories[blank.ac as usize].waiting;
            let Some(longer) = limits.with(bytes, waiting[at].bytes, count) else { break };
            let Some(next) = waiting.remove(at) else { break };
            self.note_taken(&next, cx.now);
            bytes = longer;
            let originator = &mut self.outgoing[place].originator;
            let mpdu = originator.next((next.packet, next.bytes), next.since, next.failures);
            self.planned.extend(mpdu.map(|mpdu| mpdu.mpdu()));
        }
        let Some(&first) = self.planned.first() else { return blank };
        let is_single = self.planned.len() == 1;
        Exchange {
            content: if is_single { Content::Single } else { Content::Aggregate },
            to,
            tid,
            mode,
            bytes: if is_single { rules.single(first.bytes) } else { bytes },
            answer: if is_single { ack(mode, cx) } else { answer },
            seq: first.seq,
            retry: first.retry,
            packet: first.packet,
            ..blank
        }
    }
}

/// Where the next data of a category comes from.
#[derive(Debug, Clone, Copy)]
pub(super) enum NextData {
    /// An agreement, by its place among the originators.
    Agreement(usize),
    /// A packet that waits, by its place.
    Packet(usize),
}

/// Where the next PPDU of a category comes from.
#[derive(Debug, Clone, Copy)]
enum Source {
    InHand,
    Management,
    /// By its place among the originators.
    Agreement(usize),
}

/// Time on the air of the ACK of a data frame in a mode.
fn ack(mode: Mode, cx: &EdcaCx<'_>) -> Span {
    cx.rules.timing().response(qos(cx.rules).response(mode, &cx.rules.rates))
}

/// Time on the air of a Block Ack.
fn block_ack(mode: Mode, cx: &EdcaCx<'_>) -> Span {
    cx.rules.timing().airtime(qos(cx.rules).block_ack_bytes(), mode)
}

/// What an A-MPDU must not exceed.
struct Limits<'a> {
    rules: &'a MacRules,
    to: NodeId,
    mode: Mode,
    /// Most MPDUs.
    most: usize,
    /// What is left of the TXOP for protection and data; none where one exchange is all.
    left: Option<Span>,
    /// Nothing goes before it any more.
    is_protected: bool,
}

impl<'a> Limits<'a> {
    fn new(
        (to, mode, alone): (NodeId, Mode, bool),
        is_protected: bool,
        txop_until: Time,
        answer: Span,
        cx: &EdcaCx<'a>,
    ) -> Self {
        let left = txop_until.saturating_since(cx.now).saturating_sub(cx.rules.timing().sifs + answer);
        // A TXOP that is over bounds nothing: one exchange is all.
        let left = (txop_until > cx.now).then_some(left);
        let most = if alone { 1 } else { usize::from(qos(cx.rules).window) };
        Limits { rules: cx.rules, to, mode, most, left, is_protected }
    }

    /// Bytes of the A-MPDU with one more MPDU behind `count` of them; none where it would be too long. The first always goes.
    fn with(&self, before: u32, mpdu: u32, count: usize) -> Option<u32> {
        let fits = count < self.most && self.fits(before, mpdu);
        (count == 0 || fits).then(|| with_mpdu(before, mpdu))
    }

    /// True when an A-MPDU of so many bytes with one more MPDU is not too long, in bytes and in time.
    fn fits(&self, before: u32, mpdu: u32) -> bool {
        let rules = qos(self.rules);
        let longer = with_mpdu(before, mpdu);
        let airtime = rules.airtime(self.rules.timing(), self.mode, longer);
        let protection =
            || self.rules.protection_time(self.to, self.rules.protection(self.to, longer, self.is_protected));
        longer <= rules.ampdu.unwrap_or(0)
            && airtime <= rules.longest
            && self.left.is_none_or(|left| protection() + airtime <= left)
    }
}
