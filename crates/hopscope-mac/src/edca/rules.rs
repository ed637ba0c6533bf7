//! Parameters of QoS stations, read once for all nodes.

use super::AirtimeLimits;
use super::access::EdcafRules;
use super::category::{self, AIFSN, Ac};
use crate::config::MacConfig;
use crate::config::mac::{
    AmpduRelease, BlockAckSetup, MissingBlockAck, Protection, QOS_CONTROL, TxopRecovery, TxopTable,
};
use crate::frame::{Frame, FrameKind, Mpdu};
use crate::ppdu::PpduRules;
use crate::rate;
use crate::rate::Rates;
use crate::rate::ht::HtRateRules;
use crate::rules::MacRules;
use crate::timing::Timing;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_phy::config::RadioConfig;
use hopscope_phy::config::layout::PpduFormat;
use hopscope_phy::phy::modes::{self, MCS_COUNT, Mode};
use hopscope_phy::phy::{Radio, RxOutcome};

/// Bytes of a Block Ack request with FCS, compressed (IEEE 802.11-2020 9.3.1.7).
pub(crate) const REQUEST_BYTES: u32 = 24;
/// Bytes of a compressed Block Ack with FCS around its bitmap (9.3.1.8).
const BLOCK_ACK_BYTES: u32 = 24;
/// Bytes of an A-MPDU delimiter (9.7.1).
const DELIMITER: u32 = 4;
/// TXOP limits of tables, microseconds: background, best effort, video, voice.
const fn txops(table: TxopTable) -> [u64; Ac::COUNT] {
    match table {
        TxopTable::Y2020 => [2_528, 2_528, 4_096, 2_080],
        TxopTable::Y2016 => [0, 0, 3_008, 1_504],
        TxopTable::Ns3 => [0, 0, 4_096, 2_080],
        TxopTable::None => [0; Ac::COUNT],
    }
}

/// The EDCA functions of a configuration; none of stations without QoS.
pub(crate) fn edcafs(mac: &MacConfig) -> Option<[EdcafRules; Ac::COUNT]> {
    let windows = category::windows(mac.cw_min, mac.cw_max);
    let of = |place: usize| {
        let given = |list: &[u32], usual: u32| list.get(place).copied().unwrap_or(usual);
        let aifsn = given(&mac.edca_aifsn, AIFSN[place]);
        let txop = Span::from_micros(txops(mac.edca_txop_table)[place]);
        EdcafRules {
            aifs: mac.sifs + mac.slot * u64::from(aifsn),
            cw_min: given(&mac.edca_cw_min, windows[place].0),
            cw_max: given(&mac.edca_cw_max, windows[place].1),
            txop: mac.edca_txop.get(place).map_or(txop, |&us| Span::from_micros(u64::from(us))),
        }
    };
    mac.qos.then(|| std::array::from_fn(of))
}

/// Which stations of a network have QoS, where some have and others have not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QosStations {
    /// These stations, in order, are the ones that have QoS, or the ones that have not.
    pub listed: Vec<NodeId>,
    /// The listed ones have QoS.
    pub have_qos: bool,
}

impl QosStations {
    /// True for a frame to this station, or to all, that has no QoS Control field: someone without QoS is to receive it (9.2.4.5).
    fn is_plain(&self, to: NodeId) -> bool {
        to == NodeId::BROADCAST || self.listed.binary_search(&to).is_ok() != self.have_qos
    }
}

/// What the frame exchange of QoS stations needs, the same for all that have the same parameters.
#[derive(Debug, Clone)]
pub(crate) struct QosRules {
    /// Mode of data frames to one station; where rates are learnt, that to a station of which nothing is known.
    pub(crate) data: Mode,
    /// How rates are learnt, if they are.
    pub(crate) rates: Option<HtRateRules>,
    /// Mode of the answers to data, by its MCS.
    responses: [Mode; MCS_COUNT],
    /// The lowest mode of answers.
    pub(crate) lowest: Mode,
    ppdu: PpduRules,
    /// What goes before long frames.
    pub(crate) protection: Protection,
    /// A TXOP goes on after a failed exchange.
    pub(crate) recovers: bool,
    /// Most bytes of an A-MPDU; none: MPDUs go alone and there are no agreements.
    pub(crate) ampdu: Option<u32>,
    /// Most bytes of an A-MSDU; none: each packet has an MPDU of its own.
    pub(crate) amsdu: Option<u32>,
    /// Bytes of an MPDU around its body.
    pub(crate) overhead: u32,
    /// MPDUs under way to one receiver.
    pub(crate) window: u16,
    /// Agreements are set up by ADDBA frames.
    pub(crate) sets_up: bool,
    /// Wait for the response to an ADDBA request.
    pub(crate) addba_timeout: Span,
    /// After a request in vain none follows for so long.
    pub(crate) addba_retry: Span,
    /// Longest PPDU of data.
    pub(crate) longest: Span,
    /// A Block Ack request follows an A-MPDU without a Block Ack.
    pub(crate) asks: bool,
    /// Attempts of an MPDU under an agreement.
    pub(crate) retry_limit: Option<u16>,
    /// Attempts of an MPDU under none.
    pub(crate) plain_limit: u16,
    /// Time in the MAC after which a packet is given up.
    pub(crate) lifetime: Option<Span>,
    /// MPDUs of an A-MPDU go up each at its own end.
    pub(crate) releases_mpdus: bool,
    /// Wait in the reordering buffer.
    pub(crate) reorder_timeout: Option<Span>,
    /// Packets of one access category in the MAC.
    pub(crate) queue: u32,
    /// Between flow queues and PPDUs a driver has a queue, with these limits.
    pub(crate) airtime_limits: Option<AirtimeLimits>,
    /// Failures in a row after which the contention window is reset.
    pub(crate) cw_failures: u16,
    /// Who has QoS, where not all have.
    stations: Option<QosStations>,
    /// An MPDU alone has a delimiter: every data PSDU of VHT and HE is an A-MPDU.
    pub(crate) single_is_ampdu: bool,
}

impl QosRules {
    /// The rules of a configuration that has passed its check.
    pub(crate) fn new(radio: &RadioConfig, mac: &MacConfig, timing: &Timing) -> Self {
        let count = |value: u32| u16::try_from(value).unwrap_or(u16::MAX);
        let rates = HtRateRules::new(radio, mac, timing);
        let fixed = radio.data_mode().or_else(|| Mode::of(radio.data_rate)).unwrap_or_default();
        let response = |reference| Mode::of(rate::response_rate(radio, reference)).unwrap_or_default();
        let aggregates = radio.ppdu_format != PpduFormat::NonHt;
        let plain = mac.retry_limit.unwrap_or(mac.short_retry_limit);
        QosRules {
            data: rates.as_ref().map_or(fixed, HtRateRules::first),
            rates,
            responses: std::array::from_fn(|mcs| response(modes::reference_rate(mcs as u8))),
            lowest: response(0),
            ppdu: PpduRules::new(radio),
            protection: mac.protection,
            recovers: mac.txop_recovery == TxopRecovery::Pifs,
            ampdu: mac.ampdu.filter(|_| aggregates),
            amsdu: mac.amsdu,
            overhead: mac.data_overhead(),
            window: count(mac.block_ack_window),
            sets_up: mac.block_ack_setup == BlockAckSetup::Addba && mac.ampdu.is_some() && aggregates,
            addba_timeout: mac.addba_response_timeout,
            addba_retry: mac.addba_retry_interval,
            longest: mac.longest_ppdu,
            asks: mac.missing_block_ack == MissingBlockAck::Request,
            retry_limit: mac.mpdu_retry_limit.map(count),
            plain_limit: count(plain),
            lifetime: mac.msdu_lifetime.map(|units| Span::from_micros(1_024) * u64::from(units)),
            releases_mpdus: mac.ampdu_release == AmpduRelease::Mpdu,
            reorder_timeout: mac.reorder_timeout.map(|ms| Span::from_millis(u64::from(ms))),
            queue: mac.queue,
            airtime_limits: mac.airtime_limit.map(|high| AirtimeLimits {
                high: Span::from_micros(u64::from(high)),
                low: Span::from_micros(u64::from(mac.airtime_limit_low)),
                threshold: Span::from_micros(u64::from(mac.airtime_threshold)),
            }),
            cw_failures: count(mac.cw_reset_failures.unwrap_or(plain)),
            stations: None,
            single_is_ampdu: matches!(radio.ppdu_format, PpduFormat::Vht | PpduFormat::He),
        }
    }

    /// True where data to a neighbour, or to all, goes without QoS Control field and never in an A-MSDU.
    pub(crate) fn is_plain(&self, to: NodeId) -> bool {
        self.stations.as_ref().is_some_and(|stations| stations.is_plain(to))
    }

    /// Time on the air of a PSDU of so many bytes.
    pub(crate) fn airtime(&self, timing: &Timing, mode: Mode, bytes: u32) -> Span {
        if mode.is_non_ht() { timing.airtime(bytes, mode) } else { self.ppdu.airtime(mode, bytes) }
    }

    /// Mode of the answer to a data frame.
    pub(crate) fn response(&self, asked: Mode, rates: &Rates) -> Mode {
        asked.mcs().map_or_else(|| rates.response(asked), |(mcs, _)| self.responses[usize::from(mcs)])
    }

    /// When octets of the PSDU of a frame that ends now, from the first number up to the second, were on the air.
    fn on_air(&self, frame: &Frame, now: Time, (from, to): (u32, u32)) -> (Time, Time) {
        let start = Time(now.0 - frame.airtime.0) + self.ppdu.preamble(frame.mode);
        let of_bytes = |bytes: u32| Span(u64::from(bytes) * 8_000_000_000 / frame.mode.rate());
        (start + of_bytes(from), start + of_bytes(to))
    }

    /// Bytes of the PSDU of one MPDU alone.
    pub(crate) fn single(&self, mpdu: u32) -> u32 {
        mpdu + if self.single_is_ampdu { DELIMITER } else { 0 }
    }

    /// Bytes of a compressed Block Ack with FCS: its bitmap has 64 or 256 bits.
    pub(crate) fn block_ack_bytes(&self) -> u32 {
        BLOCK_ACK_BYTES + if self.window > 64 { 32 } else { 8 }
    }
}

/// MAC header and FCS of a management frame (IEEE 802.11-2020 9.3.3.1).
const MANAGEMENT_OVERHEAD: u32 = 28;

impl MacRules {
    /// These stations are in the network, and not all have QoS. Nothing follows for a station without.
    pub fn set_qos_stations(&mut self, stations: &QosStations) {
        if let Some(rules) = self.qos.as_deref_mut() {
            rules.stations = Some(stations.clone());
        }
    }

    /// Bytes of an MPDU to a neighbour, or to all, with a packet of so many bytes.
    pub(super) fn mpdu_bytes(&self, to: NodeId, packet: u32) -> u32 {
        let is_plain = self.qos.as_deref().is_some_and(|rules| rules.is_plain(to));
        packet + self.header - if is_plain { QOS_CONTROL } else { 0 }
    }

    /// Bytes of the packet that makes a management frame with so many bytes in its body, where the MAC adds what it adds to
    /// data.
    pub fn management(&self, to: NodeId, body: u32) -> u32 {
        (MANAGEMENT_OVERHEAD + body).saturating_sub(self.mpdu_bytes(to, 0))
    }

    /// The access category of a DSCP, its TXOP limit, and what a packet of `bytes` bytes, MAC header included, takes of it
    /// as the only one: the MPDU and its ACK, and what protects them. None of stations without QoS.
    pub fn txop_of(&self, to: NodeId, dscp: u32, bytes: u32) -> Option<(Ac, Span, Span)> {
        let ac = Ac::of_tid(category::tid_of_dscp(dscp));
        let limit = self.station.edca.as_deref()?[ac as usize].txop;
        let (data, answer) = self.alone(to, bytes)?;
        Some((ac, limit, self.protection_alone(to, bytes)? + data + self.timing().sifs + answer))
    }

    /// Time on the air of a packet of `bytes` bytes, MAC header included, to one station as the only one of its PPDU, and of its
    /// ACK. None of stations without QoS, and of broadcasts.
    pub(crate) fn alone(&self, to: NodeId, bytes: u32) -> Option<(Span, Span)> {
        let rules = self.qos.as_deref().filter(|_| to != NodeId::BROADCAST)?;
        let timing = self.timing();
        let answer = timing.response(rules.response(rules.data, &self.rates));
        Some((rules.airtime(timing, rules.data, rules.single(bytes)), answer))
    }

    /// The exchange of such a packet from AIFS of best effort on, with what protects it.
    pub(crate) fn exchange_alone(&self, to: NodeId, bytes: u32) -> Option<Span> {
        let (data, answer) = self.alone(to, bytes)?;
        let aifs = self.station.edca.as_deref()?[Ac::BestEffort as usize].aifs;
        Some(aifs + self.protection_alone(to, bytes)? + data + self.timing().sifs + answer)
    }

    /// How long that takes.
    fn protection_alone(&self, to: NodeId, bytes: u32) -> Option<Span> {
        let psdu = self.qos.as_deref()?.single(bytes);
        Some(self.protection_time(to, self.protection(to, psdu, false)))
    }

    /// What goes before a frame of so many bytes of a QoS station; nothing where its TXOP `is_protected` already.
    pub(super) fn protection(&self, to: NodeId, bytes: u32, is_protected: bool) -> Option<Protection> {
        let kind = self.qos.as_deref()?.protection;
        (self.uses_rts(to, bytes) && !is_protected).then_some(kind)
    }

    /// How long that takes, the SIFS behind each frame included.
    pub(super) fn protection_time(&self, to: NodeId, protection: Option<Protection>) -> Span {
        match protection {
            Some(Protection::RtsCts) => self.handshake(to),
            Some(Protection::CtsToSelf) => {
                let timing = self.timing();
                timing.response(self.rates.first(to, FrameKind::Rts)) + timing.sifs
            }
            None => Span::ZERO,
        }
    }

    /// Packets and bytes of packets that one access carries at most where stations aggregate; one packet and no bytes elsewhere.
    pub fn most_of_an_access(&self) -> (u32, u32) {
        let Some(rules) = self.qos.as_deref() else { return (1, 0) };
        match (rules.ampdu, rules.amsdu) {
            (None, None) => (1, 0),
            // How many packets an A-MSDU takes hangs on their sizes alone.
            (ampdu, Some(amsdu)) => (u32::MAX, ampdu.unwrap_or(amsdu)),
            (Some(ampdu), None) => (u32::from(rules.window), ampdu),
        }
    }

    /// Time on the air of the longest A-MSDU alone, and of the longest PPDU; none of stations without A-MSDUs.
    pub fn amsdu_airtime(&self) -> Option<(Span, Span)> {
        let rules = self.qos.as_deref()?;
        let bytes = rules.single(rules.overhead + rules.amsdu?);
        Some((rules.airtime(self.timing(), rules.data, bytes), rules.longest))
    }

    /// Which MPDUs of a frame that ends now came through at a radio that has received its header: they are appended to
    /// `received`. False when nothing of the frame did. Each is drawn by itself, from the ratios during its own time (10.12).
    pub fn receive_mpdus<O>(
        &self,
        frame: &Frame,
        sent: &[Mpdu],
        now: Time,
        radio: &Radio<O>,
        received: &mut Vec<Mpdu>,
    ) -> bool {
        let Some(rules) = self.qos.as_deref().filter(|_| !frame.mode.is_non_ht()) else { return true };
        let radio_rules = &self.station.radio;
        if sent.is_empty() {
            return radio.mpdu_survives(frame.mode, rules.on_air(frame, now, (0, frame.bytes)), 1, radio_rules);
        }
        let mut end = 0;
        for (number, mpdu) in (1..).zip(sent) {
            end = with_mpdu(end, mpdu.bytes);
            let part = rules.on_air(frame, now, (end - mpdu.bytes, end));
            if radio.mpdu_survives(frame.mode, part, number, radio_rules) {
                received.push(*mpdu);
            }
        }
        !received.is_empty()
    }

    /// The same for an observer: what became of each MPDU of an A-MPDU, or of one that is alone, with the frame at fault. They are
    /// appended to `outcomes`, in order.
    pub fn mpdu_outcomes<O>(
        &self,
        frame: &Frame,
        sent: &[Mpdu],
        now: Time,
        radio: &Radio<O>,
        outcomes: &mut Vec<RxOutcome>,
    ) {
        let Some(rules) = self.qos.as_deref().filter(|_| !frame.mode.is_non_ht()) else { return };
        let mut outcome = |number, octets| {
            let part = rules.on_air(frame, now, octets);
            let came = radio.mpdu_survives(frame.mode, part, number, &self.station.radio);
            let lost = || RxOutcome::TooWeak { by: radio.interferer(part) };
            outcomes.push(if came { RxOutcome::Received } else { lost() });
        };
        if sent.is_empty() {
            outcome(1, (0, frame.bytes));
        }
        let mut end = 0;
        for (number, mpdu) in (1..).zip(sent) {
            end = with_mpdu(end, mpdu.bytes);
            outcome(number, (end - mpdu.bytes, end));
        }
    }
}

/// Bytes of an A-MPDU of `before` bytes with one more MPDU: what is there is padded to four bytes, and a delimiter follows
/// (9.7.1).
pub(crate) fn with_mpdu(before: u32, mpdu: u32) -> u32 {
    before.next_multiple_of(4) + DELIMITER + mpdu
}
