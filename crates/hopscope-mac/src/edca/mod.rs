//! QoS stations: EDCA, A-MPDU and immediate Block Ack (IEEE 802.11-2020 10.12, 10.23.2 and 10.25).
//!
//! [`Edca`] is the machine of one station, as [`Dcf`](crate::Dcf) is that of a station without QoS. Packets wait in it, in four
//! access categories; what goes in one PPDU is decided when a category is granted access, from what waits then.
//!
//! ```text
//!          granted, RTS in use       CTS          SIFS                 ACK or Block Ack: TXOP goes on after SIFS,
//!   IDLE -----------------> WAIT_CTS ---> SIFS_DATA ---> WAIT_ANSWER -> IDLE                  or it ends
//!     |  granted, no RTS                       ^           ^   |
//!     +----------------------------------------|-----------+   +-- timeout: back-off, and a Block Ack request or the MPDUs again
//!     +-----------------------> PROTECTING ----+
//!        CTS-to-self in use       its end
//! ```
//!
//! Within a TXOP RECOVERING follows a timeout, for PIFS.
//!
//! [`access`] is when a category may send, [`category`] what they are, `plan` what goes in a PPDU (`amsdu`: in one MPDU of it),
//! `flows` what waits where flows have queues of their own, `setup` how agreements come about, `exchange` the own frame exchange,
//! `failure` what follows when it fails, `txop` what comes after it, `rates` the modes of data, `answer` the exchanges of others.

pub mod access;
mod amsdu;
mod answer;
pub mod category;
mod effects;
mod exchange;
mod failure;
mod flows;
mod plan;
mod queue;
mod rates;
pub(crate) mod rules;
mod setup;
mod txop;

use std::collections::BTreeMap;

use crate::block_ack::{Originator, Outstanding, Recipient, Waits};
use crate::contention::Station;
use crate::dcf::Attempts;
use crate::failures::Failures;
use crate::frame::{Frame, FrameKind, Mpdu};
use crate::rate::ht::HtRates;
use crate::rules::MacRules;
use crate::state::InterfaceState;
use crate::view::MacView;
use amsdu::Bundles;
use category::Ac;
pub use effects::{
    Accepted, Addba, BlockAckInfo, Carried, Delivered, DropCause, EdcaCx, EdcaEffects, FrameInfo, PacketEntry,
};
pub(crate) use flows::AirtimeLimits;
pub use flows::Aqm;
use hopscope_core::event::Generation;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_phy::phy::modes::Mode;
use plan::Exchange;
use queue::{Category, Occupancy, Waiting};
use rules::QosRules;
pub use rules::QosStations;
use setup::Setup;

/// How far the own exchange is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    WaitCts,
    /// A CTS to the station itself is on the air.
    Protecting,
    SifsData,
    /// ACK or Block Ack.
    WaitAnswer,
    Broadcasting,
    /// The TXOP goes on after SIFS.
    SifsNext,
    /// An exchange has failed: the TXOP goes on if the medium stays idle for PIFS.
    Recovering,
    /// CF-End follows after SIFS.
    SifsEnd,
    /// CF-End is on the air.
    Ending,
}

/// Answering somebody else's exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reply {
    None,
    /// The response leaves after SIFS.
    Pending {
        kind: FrameKind,
        mode: Mode,
        to: NodeId,
        tid: u8,
        duration: Span,
    },
    /// CTS sent: the data frame is due.
    AwaitData {
        until: Time,
    },
}

/// The agreement about traffic to a neighbour, at the side that sends.
#[derive(Debug)]
struct Outgoing {
    to: NodeId,
    tid: u8,
    originator: Originator,
    /// RTS frames or Block Ack requests in a row that were not answered.
    unanswered: u16,
    setup: Setup,
}

impl Outgoing {
    /// True when a request or an MPDU that comes again is to be sent.
    fn has_more(&self) -> bool {
        self.originator.request_needed().is_some() || self.originator.to_send().next().is_some()
    }
}

/// The agreement about a neighbour's traffic, at the side that receives.
#[derive(Debug)]
struct Incoming {
    from: NodeId,
    tid: u8,
    recipient: Recipient<PacketId>,
}

/// Frame exchange of one QoS station.
#[derive(Debug)]
pub struct Edca {
    node: NodeId,
    phase: Phase,
    reply: Reply,
    response_timer: Generation,
    sifs_timer: Generation,
    /// The wait for a response is over, but a frame for this node is on the air: whatever its end brings decides.
    decided_at: Time,
    exchange: Option<Exchange>,
    /// Neighbours that have answered in the TXOP at hand.
    answered: Vec<NodeId>,
    categories: [Category; Ac::COUNT],
    outgoing: Vec<Outgoing>,
    incoming: Vec<Incoming>,
    /// Sequence number of the next MPDU under no agreement.
    next: u16,
    /// Sequence number of the last MPDU under no agreement, by transmitter and traffic identifier.
    last: Vec<(NodeId, u8, u16)>,
    /// Packets from each neighbour, each once.
    received: Vec<(NodeId, u64)>,
    attempts: Attempts,
    counts: MpduCounts,
    /// What the frame that begins now carries, and the last two frames, by their air slots.
    carried: Carried,
    on_air: [Carried; 2],
    /// MPDUs of the own exchange under an agreement.
    planned: Vec<Mpdu>,
    /// Packets that go, or have come, with another one in an A-MSDU.
    bundles: Bundles,
    occupancy: Occupancy,
    /// MPDUs that the answer at hand acknowledges, or that are given up; kept for its room.
    settled: Vec<Outstanding>,
    /// What is learnt of the rates of data.
    rates: HtRates,
    /// Ratio at which the data frame being answered was heard, and at which the sender of the frame that ends now has heard
    /// data; zero where none is known.
    data_ratio: f32,
    reported: f32,
    /// Kept where routing asks for it.
    failures: Option<Box<Failures>>,
}

/// What a QoS station counts of its MPDUs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MpduCounts {
    /// MPDUs sent in data PPDUs to one station.
    pub sent: u64,
    /// Of these, with the Retry bit.
    pub repeated: u64,
    /// MPDUs that an ACK or a Block Ack has acknowledged, each once.
    pub acknowledged: u64,
    /// Data PPDUs to one station.
    pub ppdus: u64,
    /// Their time on the air.
    pub airtime: Span,
    /// Block Acks received.
    pub block_acks: u64,
    /// Block Ack requests sent.
    pub requests: u64,
    /// Accesses lost to a higher category of the same station.
    pub internal_collisions: u64,
    /// Data PPDUs to one station by mode, where a rate control chooses it.
    pub modes: BTreeMap<Mode, u64>,
    /// Waits of packets for the first PPDU that takes them.
    pub queueing: Waits,
    /// Waits of received MPDUs for those before them.
    pub reordering: Waits,
}

impl Edca {
    /// The idle MAC of a QoS station.
    pub fn new(node: NodeId) -> Self {
        Edca {
            node,
            phase: Phase::Idle,
            reply: Reply::None,
            response_timer: Generation::default(),
            sifs_timer: Generation::default(),
            decided_at: Time::NEVER,
            exchange: None,
            answered: Vec::new(),
            categories: Default::default(),
            outgoing: Vec::new(),
            incoming: Vec::new(),
            next: 0,
            last: Vec::new(),
            received: Vec::new(),
            attempts: Attempts::default(),
            counts: MpduCounts::default(),
            carried: Carried::default(),
            on_air: Default::default(),
            planned: Vec::new(),
            bundles: Bundles::default(),
            occupancy: Occupancy::default(),
            settled: Vec::new(),
            rates: HtRates::default(),
            data_ratio: 0.0,
            reported: 0.0,
            failures: None,
        }
    }

    /// The same with rates that it learns.
    #[must_use]
    pub fn with_rates(self, rates: HtRates) -> Self {
        Edca { rates, ..self }
    }

    /// What it has learnt of its rates.
    pub fn rates(&mut self) -> &mut HtRates {
        &mut self.rates
    }

    /// Takes a packet; false when its category is full. `within`: it comes while a PPDU for this station is on the air.
    pub fn enqueue(&mut self, new: &PacketEntry, within: bool, cx: &mut EdcaCx<'_>) -> bool {
        let &PacketEntry { packet, to, tid, .. } = new;
        let ac = Ac::of_tid(tid);
        let most = qos(cx.rules).queue;
        if self.categories[ac as usize].held >= most {
            self.expire(ac, cx);
        }
        if self.categories[ac as usize].held >= most && !self.make_room(ac, cx) {
            return false;
        }
        self.categories[ac as usize].held += 1;
        self.occupancy.add(cx.now);
        self.attempts.packets += 1;
        let bytes = cx.rules.mpdu_bytes(to, new.bytes);
        self.wait(ac, new, Waiting { packet, to, tid, bytes, since: cx.now, failures: 0 }, cx);
        self.ask_for_access(ac, within, cx);
        self.arm_access(cx);
        true
    }

    /// Takes out the first packet for which `wanted` holds of those that were never sent and are part of no A-MSDU.
    pub fn take_waiting(&mut self, now: Time, mut wanted: impl FnMut(PacketId) -> bool) -> Option<PacketId> {
        for category in &mut self.categories {
            let mut is_wanted = |packet| self.bundles.of(packet).is_empty() && wanted(packet);
            let place = category.waiting.iter().position(|waiting| is_wanted(waiting.packet));
            let taken = place.and_then(|place| category.waiting.remove(place)).map(|waiting| waiting.packet);
            let taken = taken.or_else(|| category.flows.as_mut()?.take(|packet, _| is_wanted(packet)));
            if let Some(packet) = taken {
                category.held -= 1;
                category.on_left(packet);
                self.occupancy.take(now);
                return taken;
            }
        }
        None
    }

    /// Packets that wait for their first transmission.
    pub fn waiting(&self) -> usize {
        self.occupancy.waiting as usize
    }

    /// True when one more packet of best effort finds no room.
    pub fn is_full(&self, rules: &MacRules) -> bool {
        self.categories[Ac::BestEffort as usize].held >= qos(rules).queue
    }

    /// Mean number of packets that waited from `from` to `now`, and the greatest.
    pub fn occupancy(&mut self, from: Time, now: Time) -> (f64, u32) {
        self.occupancy.account(now);
        self.occupancy.mean_and_most(from, now)
    }

    /// Starts the measured time: forgets how many packets have waited so far, and how long MPDUs in reordering buffers.
    pub fn restart_measure(&mut self, now: Time) {
        self.occupancy.restart(now);
        self.incoming.iter_mut().for_each(|one| one.recipient.restart_longest());
    }

    /// Counters since the start.
    pub fn attempts(&self) -> &Attempts {
        &self.attempts
    }

    /// Counters of its MPDUs since the start; the longest wait since the measured time began.
    pub fn mpdu_counts(&self) -> MpduCounts {
        let waits = self.incoming.iter().map(|one| one.recipient.waits());
        // Those of agreements that others have replaced are counted already.
        MpduCounts { reordering: waits.fold(self.counts.reordering, Waits::and), ..self.counts.clone() }
    }

    /// How far its exchanges are, for those who show it; `station` knows which categories want the medium.
    pub fn doing(&self, station: &Station) -> InterfaceState {
        match (self.reply, self.phase) {
            (Reply::Pending { .. }, _) => InterfaceState::Answering,
            (Reply::AwaitData { .. }, _) => InterfaceState::Waiting,
            (Reply::None, Phase::Idle) if Ac::ALL.iter().any(|&ac| station.edca_waits(ac)) => {
                InterfaceState::Contending
            }
            (Reply::None, Phase::Idle) => InterfaceState::Idle,
            (Reply::None, _) => InterfaceState::Waiting,
        }
    }

    /// What layers above may know of it.
    pub fn view(&self) -> MacView<'_> {
        MacView { attempts: &self.attempts, last_retries: 0 }
    }

    /// Packets from each neighbour, each once, broadcast left out.
    pub fn received_from(&self) -> &[(NodeId, u64)] {
        &self.received
    }

    /// Until when it waits for the data frame that its CTS has asked for, if it does.
    pub fn awaits_data(&self) -> Option<Time> {
        match self.reply {
            Reply::AwaitData { until } => Some(until),
            Reply::None | Reply::Pending { .. } => None,
        }
    }

    /// Kind of the frame that follows the SIFS under way.
    pub fn after_sifs(&self) -> FrameKind {
        match self.reply {
            Reply::Pending { kind, .. } => kind,
            Reply::None | Reply::AwaitData { .. } => FrameKind::Data,
        }
    }

    /// The frame that begins now takes the air slot 0 or 1.
    pub fn begin_frame(&mut self, slot: u32) {
        std::mem::swap(&mut self.carried, &mut self.on_air[(slot % 2) as usize]);
        self.carried.mpdus.clear();
    }

    /// What the frame in an air slot carries.
    pub fn carried(&self, slot: u32) -> &Carried {
        &self.on_air[(slot % 2) as usize]
    }

    /// The MPDUs of the own exchange where they are under an agreement.
    pub fn planned(&self) -> &[Mpdu] {
        &self.planned
    }

    /// The packets that go with another one in an A-MSDU, or have come with it; none where it is alone.
    pub fn bundle(&self, first: PacketId) -> &[PacketId] {
        self.bundles.of(first)
    }

    /// Takes the MPDUs of the frame in an air slot out, to look at them; [`put_mpdus`](Self::put_mpdus) puts them back.
    pub fn take_mpdus(&mut self, slot: u32) -> Vec<Mpdu> {
        std::mem::take(&mut self.on_air[(slot % 2) as usize].mpdus)
    }

    /// See [`take_mpdus`](Self::take_mpdus).
    pub fn put_mpdus(&mut self, slot: u32, mpdus: Vec<Mpdu>) {
        self.on_air[(slot % 2) as usize].mpdus = mpdus;
    }

    /// A category with something to send contends, unless it does or its exchange is under way.
    fn ask_for_access(&mut self, ac: Ac, within: bool, cx: &mut EdcaCx<'_>) {
        let is_busy = self.exchange.as_ref().is_some_and(|exchange| exchange.ac == ac);
        let rules = &cx.rules.station;
        if is_busy || cx.station.edca_waits(ac) || cx.station.edca_adopt_post_backoff(ac, cx.now, rules) {
            return;
        }
        if cx.rules.immediate_access && !within && cx.station.is_idle(cx.now) {
            cx.station.edca_start_immediate(ac, cx.now);
        } else {
            cx.station.edca_start_backoff(ac, false, cx.now, rules);
        }
    }

    fn arm_access(&self, cx: &mut EdcaCx<'_>) {
        if let Some(at) = cx.station.edca_access_to_queue(cx.now, &cx.rules.station) {
            cx.out.mac.arm_access = Some(at);
        }
    }

    fn arm_sifs(&mut self, cx: &mut EdcaCx<'_>) {
        cx.out.mac.arm_sifs = Some((cx.now + cx.rules.timing().sifs, self.sifs_timer.renew()));
    }

    fn arm_response(&mut self, at: Time, cx: &mut EdcaCx<'_>) {
        // A new wait begins, and no frame decides it yet.
        self.decided_at = Time::NEVER;
        cx.out.mac.arm_response = Some((at, self.response_timer.renew()));
    }

    /// What the control frames of the own exchange have in common; the kind and its bytes are to be added.
    fn control(&self, exchange: &Exchange, mode: Mode, airtime: Span) -> Frame {
        Frame {
            kind: FrameKind::CfEnd,
            mode,
            retry: false,
            frag: 0,
            tid: exchange.tid,
            seq: 0,
            src: self.node,
            dst: exchange.to,
            bytes: 0,
            body: PacketId::default(),
            airtime,
            duration: Span::ZERO,
        }
    }

    fn transmit(&mut self, frame: Frame, cx: &mut EdcaCx<'_>) {
        cx.station.begin_tx(cx.now, cx.now + frame.airtime, &cx.rules.station);
        self.carried.tid = frame.tid;
        cx.out.mac.transmit = Some(frame);
    }
}

/// Rules of a QoS station.
fn qos(rules: &MacRules) -> &QosRules {
    rules.qos.as_deref().expect("a QoS station has the rules of one")
}
