//! Parameters of the MAC, read once for all nodes.

use crate::config::MacConfig;
use crate::config::mac::PacingClock;
use crate::config::mac::{BackoffDraw, BusyAtExpiry, CtsRule, Duplicates, EifsRule, NavConfirmation, ResponseTimeout};
use crate::edca;
use crate::edca::access::EdcafRules;
use crate::edca::category::Ac;
use crate::edca::rules::QosRules;
use crate::fragment::Fragmentation;
use crate::frame::FrameKind;
use crate::rate::{RateRules, Rates};
use crate::retry::RetryRules;
use crate::timing::Timing;
use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;
use hopscope_phy::config::RadioConfig;
use hopscope_phy::phy::modes::Mode;
use hopscope_phy::phy::{AnyRules, Ns2Rules, RadioRules, RuleSet, StandardRules};

/// Adaptive pacing of a packet: how its success lengthens the back-off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pacing {
    /// How the longer back-off passes.
    pub clock: PacingClock,
    /// The whole exchange counts; otherwise the data frame alone.
    pub overhead: bool,
}

/// Parameters shared by all stations of a run.
#[derive(Debug, Clone)]
pub struct StationRules {
    /// Reception.
    pub radio: RadioRules,
    /// Durations.
    pub timing: Timing,
    /// How EIFS is kept.
    pub eifs: EifsRule,
    /// A NAV set by an RTS may be reset.
    pub nav_reset: bool,
    /// Any sensed frame confirms such a NAV, not only one that holds the receiver.
    pub nav_by_carrier: bool,
    /// Frames that begin within this time before the end of a back-off are not sensed.
    pub cca_delay: Span,
    /// A slot counts as passed when a frame begins so little before its end.
    pub slot_rounding: Span,
    /// Draws include CW itself.
    pub backoff_includes_cw: bool,
    /// Contention window limits.
    pub cw_min: u32,
    /// See `cw_min`.
    pub cw_max: u32,
    /// A back-off started on an idle medium waits a full IFS of its own.
    pub ifs_from_start: bool,
    /// A packet that found the medium idle draws no back-off, whatever comes before it is sent.
    pub draws_if_found_busy: bool,
    /// What a busy medium at the end of a back-off means.
    pub busy_at_expiry: BusyAtExpiry,
    /// The EDCA functions of a QoS station, by access category; none of another.
    pub edca: Option<Box<[EdcafRules; Ac::COUNT]>>,
    /// The set that they are, where the path of a frame is compiled for it.
    pub set: KnownSet,
}

/// The sets of rules that the path of a frame is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownSet {
    /// [`Ns2Rules`].
    Ns2,
    /// [`StandardRules`].
    Standard,
    /// Another one: [`AnyRules`].
    Other,
}

/// A set of rules as the path of a frame asks for it at a station, see [`RuleSet`].
pub trait StationRuleSet: RuleSet {
    /// See [`StationRules::eifs`].
    #[inline(always)]
    fn eifs(rules: &StationRules) -> EifsRule {
        rules.eifs
    }

    /// See [`StationRules::nav_reset`].
    #[inline(always)]
    fn nav_reset(rules: &StationRules) -> bool {
        rules.nav_reset
    }
}

impl StationRuleSet for AnyRules {}

impl StationRuleSet for Ns2Rules {
    #[inline(always)]
    fn eifs(_: &StationRules) -> EifsRule {
        EifsRule::Nav
    }

    #[inline(always)]
    fn nav_reset(_: &StationRules) -> bool {
        false
    }
}

impl StationRuleSet for StandardRules {
    #[inline(always)]
    fn eifs(_: &StationRules) -> EifsRule {
        EifsRule::ReplacesDifs
    }

    #[inline(always)]
    fn nav_reset(_: &StationRules) -> bool {
        true
    }
}

impl StationRules {
    /// Rules from the configuration.
    pub fn new(radio: RadioRules, timing: Timing, mac: &MacConfig) -> Self {
        let mut rules = StationRules {
            set: KnownSet::Other,
            radio,
            timing,
            eifs: mac.eifs,
            nav_reset: mac.nav_reset,
            nav_by_carrier: mac.nav_confirmed_by == NavConfirmation::Carrier,
            cca_delay: mac.cca_delay,
            slot_rounding: mac.slot_rounding,
            backoff_includes_cw: mac.backoff_includes_cw,
            cw_min: mac.cw_min,
            cw_max: mac.cw_max,
            ifs_from_start: mac.ifs_from_start,
            draws_if_found_busy: mac.backoff_draw == BackoffDraw::FoundBusy,
            busy_at_expiry: mac.busy_at_expiry,
            edca: edca::rules::edcafs(mac).map(Box::new),
        };
        if rules.are::<Ns2Rules>() {
            rules.set = KnownSet::Ns2;
        } else if rules.are::<StandardRules>() {
            rules.set = KnownSet::Standard;
        }
        rules
    }

    /// True when the set `S` gives every answer that these rules give.
    fn are<S: StationRuleSet>(&self) -> bool {
        self.radio.are::<S>() && S::eifs(self) == self.eifs && S::nav_reset(self) == self.nav_reset
    }
}

/// Parameters of the frame exchange shared by all nodes.
#[derive(Debug, Clone)]
pub struct MacRules {
    /// Lower half.
    pub station: StationRules,
    /// The modes that frames may be sent in.
    pub rates: Rates,
    /// How those of data frames are learnt, if they are.
    pub rate_rules: Option<Box<RateRules>>,
    pub(super) rts_threshold: Option<u32>,
    pub(super) retry: RetryRules,
    pub(super) header: u32,
    pub(super) immediate_access: bool,
    pub(super) backoff_after_drop: bool,
    pub(super) cts_rule: CtsRule,
    pub(super) rx_start_timeout: bool,
    /// A frame without the Retry bit is never a duplicate.
    pub(super) duplicates_retry: bool,
    pub(super) data_needs_idle: bool,
    pub(super) data_needs_cts: bool,
    pub(super) nonfreezing_defer: bool,
    pub(super) fragmentation: Option<Fragmentation>,
    /// What a QoS station needs besides.
    pub(super) qos: Option<Box<QosRules>>,
    shortest_ack: Span,
    /// By the index of the mode asked in.
    asked: [Asked; Mode::TABLE],
}

/// What a frame that asks for a CTS or an ACK brings with it, worked out once for each mode that it may be sent in.
#[derive(Debug, Clone, Copy)]
struct Asked {
    /// Time on the air of the answer.
    answer: Span,
    /// From its end to the end of the wait for the answer.
    wait: Span,
    /// Its Duration field where nothing follows the answer.
    duration: Span,
}

impl Asked {
    fn new(mode: Mode, rates: &Rates, timing: &Timing) -> Self {
        let answer = timing.response(rates.response(mode));
        Asked { answer, wait: timing.wait_for(answer), duration: timing.duration_field(timing.sifs + answer) }
    }
}

impl MacRules {
    /// Rules from the configuration.
    pub fn new(radio: &RadioConfig, mac: &MacConfig) -> Self {
        let timing = Timing::new(radio, mac);
        let rates = Rates::new(radio, mac);
        let rate_rules = RateRules::new(mac, &rates, &timing).map(Box::new);
        let plcp = if mac.rts_counts_plcp { (radio.plcp_bits_1m + radio.plcp_bits_2m) / 8 } else { 0 };
        MacRules {
            asked: Mode::table(|mode| Asked::new(mode, &rates, &timing)),
            shortest_ack: rates.shortest_ack(&timing),
            qos: mac.qos.then(|| Box::new(QosRules::new(radio, mac, &timing))),
            station: StationRules::new(RadioRules::new(radio), timing, mac),
            rates,
            rate_rules,
            // ns-2 compares the size with PLCP bits; taking them from the threshold leaves frames their bytes.
            rts_threshold: mac.rts_threshold.map(|threshold| threshold.saturating_sub(plcp)),
            retry: RetryRules::new(mac),
            header: mac.data_overhead() + mac.llc_header,
            immediate_access: mac.immediate_access,
            backoff_after_drop: mac.backoff_after_drop,
            cts_rule: mac.cts_rule,
            rx_start_timeout: mac.response_timeout == ResponseTimeout::RxStart,
            duplicates_retry: mac.duplicates == Duplicates::RetryBit,
            data_needs_idle: mac.data_needs_idle,
            data_needs_cts: mac.data_needs_cts,
            nonfreezing_defer: mac.nonfreezing_defer,
            fragmentation: Fragmentation::new(mac),
        }
    }

    #[inline(always)]
    pub(super) fn timing(&self) -> &Timing {
        &self.station.timing
    }

    /// Time on the air of the CTS or ACK that answers a frame sent in the mode `asked`.
    #[inline(always)]
    pub(super) fn answer(&self, asked: Mode) -> Span {
        self.asked[asked.index()].answer
    }

    /// From the end of a frame sent in the mode `asked` to the end of the wait for the CTS or ACK that answers it.
    #[inline(always)]
    pub(super) fn answer_wait(&self, asked: Mode) -> Span {
        self.asked[asked.index()].wait
    }

    /// The shortest ACK of a data frame that this station sends.
    #[inline(always)]
    pub(super) fn shortest_ack(&self) -> Span {
        self.shortest_ack
    }

    /// Duration field of an RTS in the mode `rts` that announces a data frame in the mode `data` of length `airtime`.
    #[inline(always)]
    pub(super) fn rts_duration(&self, rts: Mode, data: Mode, airtime: Span) -> Span {
        let timing = self.timing();
        timing.duration_field(timing.sifs * 3 + self.answer(rts) + airtime + self.answer(data))
    }

    /// Duration field of a unicast data frame in a mode.
    #[inline(always)]
    pub(super) fn data_duration(&self, mode: Mode) -> Span {
        self.asked[mode.index()].duration
    }

    /// What a packet of `bytes` bytes, MAC header included, reserves for the neighbour `to` from the end of its RTS on; its
    /// first fragment where it is cut. It must fit the Duration field.
    pub fn longest_duration(&self, to: NodeId, bytes: u32) -> Span {
        if let Some((data, answer)) = self.alone(to, bytes) {
            let timing = self.timing();
            let cts = self.answer(self.rates.first(to, FrameKind::Rts));
            return timing.duration_field(timing.sifs * 3 + cts + data + answer);
        }
        let (rts, data, airtime) = self.modes(to, self.fragment_bytes(to, bytes, 0));
        self.rts_duration(rts, data, airtime)
    }

    /// The modes of an RTS and of a data frame of `bytes` bytes to `to`, and how long the latter takes.
    fn modes(&self, to: NodeId, bytes: u32) -> (Mode, Mode, Span) {
        let rts = self.rates.first(to, FrameKind::Rts);
        let data = self.rates.first(to, FrameKind::Data);
        (rts, data, self.timing().airtime(bytes, data))
    }

    /// Time that the exchange of a packet takes from DIFS on, or from AIFS of best effort on as the only one of its PPDU, without
    /// back-off.
    pub fn exchange(&self, to: NodeId, bytes: u32) -> Span {
        let bytes = bytes + self.header;
        if let Some(exchange) = self.exchange_alone(to, bytes) {
            return exchange;
        }
        let first = self.fragment_bytes(to, bytes, 0);
        let (_, mode, airtime) = self.modes(to, first);
        let data = match &self.fragmentation {
            Some(cut) if to != NodeId::BROADCAST => {
                self.fragments_airtime(cut, mode, bytes) - (self.timing().sifs + self.answer(mode))
            }
            _ => airtime,
        };
        data + self.overhead(to, mode, self.uses_rts(to, first))
    }

    /// What the exchange of a data frame in a mode takes besides the frame.
    pub(super) fn overhead(&self, to: NodeId, mode: Mode, rts: bool) -> Span {
        let timing = self.timing();
        let ack = if to == NodeId::BROADCAST { Span::ZERO } else { timing.sifs + self.answer(mode) };
        let handshake = if rts { self.handshake(to) } else { Span::ZERO };
        timing.difs + handshake + ack
    }

    /// RTS, CTS and the SIFS behind each.
    pub(super) fn handshake(&self, to: NodeId) -> Span {
        let asks = self.rates.first(to, FrameKind::Rts);
        self.timing().rts(asks) + self.answer(asks) + self.timing().sifs * 2
    }

    pub(super) fn uses_rts(&self, to: NodeId, bytes: u32) -> bool {
        to != NodeId::BROADCAST && self.rts_threshold.is_some_and(|threshold| bytes > threshold)
    }
}
