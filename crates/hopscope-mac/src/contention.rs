//! What a station knows of the medium: carrier sense, NAV, its own transmission and EIFS (IEEE 802.11-2020 10.3.2.1 and
//! 10.3.4). When it may send is the matter of `backoff.rs`.
//!
//! No event marks a slot or an edge of the medium. The station applies the radio's edges when something happens at
//! its node ([`Station::catch_up`]); each start of a frame freezes the count of whole slots.

pub use super::backoff::{AccessAnswer, QuietPlan};

use super::backoff::Function;
use super::edca::access::Edcafs;
use crate::config::mac::EifsRule;
use crate::rules::{KnownSet, StationRuleSet, StationRules};
use hopscope_core::rng::Stream;
use hopscope_core::units::{Span, Time};
use hopscope_phy::phy::{
    AnyRules, Arrival, Begin, Edge, LoneFrame, Ns2Rules, OwnerFlags, Packed, Radio, RxOutcome, StandardRules,
};

/// Lower half of the MAC: radio, NAV and back-off of one station. One cache line holds what an idle station needs of
/// most frames.
#[derive(Debug)]
#[repr(align(64))]
pub struct Station {
    /// The radio.
    pub radio: Radio<Contender>,
    /// End of the NAV; while `NAV_UNCONFIRMED` is set it falls back unless a frame begins in time. The span that
    /// the radio keeps for its owner says how long before the end of the NAV that decides.
    pub(super) nav_until: Time,
}

const _: () = assert!(std::mem::size_of::<Station>() == 64, "one cache line per station and frame");

/// What a station has beyond its cache line: the state of its own access. All but the stream fits another line.
#[derive(Debug)]
#[repr(C)]
pub struct Contender {
    /// The back-off of the DCF; that of no access category where there is EDCA.
    pub(super) function: Function,
    hold_until: Time,
    /// The frame received in error keeps the medium busy until here, so that DIFS after it makes EIFS; counts while
    /// `EIFS` is set.
    eifs_until: Time,
    /// What was reserved before the RTS that set the NAV; counts while `NAV_BEFORE` is set.
    pub(super) nav_before: Time,
    /// Instant of the queued access event, `NEVER` when none is queued.
    pub(super) queued_at: Time,
    received: u32,
    pub(super) rng: Stream,
    /// The EDCA functions of a QoS station.
    pub(super) edcafs: Option<Box<Edcafs>>,
}

/// No frame was received.
const NOTHING: u32 = u32::MAX;

/// Flags kept in the radio: the start of a frame changes the pending access.
pub(super) const FREEZES: OwnerFlags = OwnerFlags::nth(0);
/// The last frame was received in error: `Contender::eifs_until` counts.
pub(super) const EIFS: OwnerFlags = OwnerFlags::nth(1);
/// The NAV was set by an RTS and no frame has begun since.
pub(super) const NAV_UNCONFIRMED: OwnerFlags = OwnerFlags::nth(2);
/// Something was reserved beyond the instant at which such a NAV falls back: `Contender::nav_before` counts.
pub(super) const NAV_BEFORE: OwnerFlags = OwnerFlags::nth(3);

impl Station {
    /// Bytes that one station takes, the parts behind pointers included.
    pub const MEMORY: usize = size_of::<Station>() + Radio::<Contender>::REST_MEMORY;

    /// An idle station drawing its back-offs from `rng`.
    pub fn new(rules: &StationRules, rng: Stream) -> Self {
        let own = Contender {
            function: Function::new(rules.cw_min),
            hold_until: Time::ZERO,
            eifs_until: Time::ZERO,
            nav_before: Time::ZERO,
            queued_at: Time::NEVER,
            received: NOTHING,
            rng,
            edcafs: Edcafs::new(rules).map(Box::new),
        };
        Station { radio: Radio::new(own), nav_until: Time::ZERO }
    }

    /// A frame will arrive. What has ended by `now` is applied first, which keeps the inbox short.
    #[inline(always)]
    pub fn post<S: StationRuleSet>(&mut self, now: Time, arrival: Packed, rules: &StationRules) {
        // The lot of most stations at most frames: the one before is over, and its place is free.
        if let Some(frame) = self.radio.lone_frame::<S>(now, &rules.radio) {
            self.pass::<S>(frame, rules);
            self.radio.post_first(arrival);
            return;
        }
        if self.radio.has_waiting() {
            self.make_room::<S>(now, rules);
        }
        self.radio.post_packed(arrival);
    }

    /// Applies edges up to `now` where a frame waits that is not over or not alone.
    #[inline(never)]
    fn make_room<S: StationRuleSet>(&mut self, now: Time, rules: &StationRules) {
        if !self.take_energy::<S>(now, rules) {
            self.apply_edges::<S>(now, rules);
        }
    }

    /// Applies every edge up to `now`.
    #[inline(always)]
    pub fn catch_up(&mut self, now: Time, rules: &StationRules) {
        if !self.radio.is_quiet() {
            match rules.set {
                KnownSet::Ns2 => self.apply_waiting::<Ns2Rules>(now, rules),
                KnownSet::Standard => self.apply_waiting::<StandardRules>(now, rules),
                KnownSet::Other => self.apply_waiting::<AnyRules>(now, rules),
            }
        }
    }

    #[inline(never)]
    fn apply_waiting<S: StationRuleSet>(&mut self, now: Time, rules: &StationRules) {
        if self.take_lone::<S>(now, rules) || self.take_energy::<S>(now, rules) {
            return;
        }
        let begin = self.radio.begin_alone::<S>(now, &rules.radio);
        if !self.begin::<S>(begin, true, rules) {
            self.apply_edges::<S>(now, rules);
        }
    }

    /// Applies the start of a frame, which `holds` the receiver or not; false when its edges have to be applied one by one.
    #[inline(always)]
    fn begin<S: StationRuleSet>(&mut self, begin: Begin, holds: bool, rules: &StationRules) -> bool {
        if let Begin::Busy { at, carrier_before } = begin {
            if self.radio.has(FREEZES | NAV_UNCONFIRMED) {
                self.on_busy::<S>(at, carrier_before, holds, rules);
            }
        }
        begin != Begin::Crowded
    }

    /// Applies the next frame at once if it has begun and leaves nothing but energy.
    #[inline(always)]
    fn take_energy<S: StationRuleSet>(&mut self, now: Time, rules: &StationRules) -> bool {
        let begin = self.radio.pass_energy::<S>(now, &rules.radio);
        self.begin::<S>(begin, false, rules)
    }

    /// Applies the next frame at once if it had the air to itself and has ended.
    #[inline(always)]
    fn take_lone<S: StationRuleSet>(&mut self, now: Time, rules: &StationRules) -> bool {
        let Some(frame) = self.radio.lone_frame::<S>(now, &rules.radio) else { return false };
        self.pass::<S>(frame, rules);
        self.radio.drop_first();
        true
    }

    /// Applies both edges of a frame that had the air to itself. Without a back-off to freeze or a NAV to confirm its start
    /// means no more than that the medium is busy.
    #[inline(always)]
    fn pass<S: StationRuleSet>(&mut self, frame: LoneFrame, rules: &StationRules) {
        let has = |bit: u8| frame.flags & bit != 0;
        let occupies = S::undecodable_locks(&rules.radio) && has(Arrival::SENSED);
        if self.radio.has_begun_or(FREEZES | NAV_UNCONFIRMED) && !self.radio.take_begun() && has(Arrival::SENSED) {
            self.on_busy::<S>(frame.start, self.radio.carrier_until(), occupies || has(Arrival::DECODABLE), rules);
        }
        if has(Arrival::SENSED) {
            self.radio.extend_carrier(frame.end);
        }
        if !has(Arrival::DECODABLE) {
            if occupies {
                self.on_rx_bad::<S>(frame.end, rules);
            }
        } else if has(Arrival::ERRORED) {
            self.radio.note_errored();
            self.on_rx_bad::<S>(frame.end, rules);
        } else {
            self.on_rx_ok::<S>(frame.end, frame.slot, frame.nav, frame.flags, rules);
        }
    }

    /// Applies edge by edge, to begin with one that is not of a lone frame.
    #[inline(never)]
    fn apply_edges<S: StationRuleSet>(&mut self, now: Time, rules: &StationRules) {
        loop {
            let carrier_before = self.radio.carrier_until();
            match self.radio.next_edge::<S>(now, &rules.radio) {
                Some(Edge::Busy { at }) => {
                    if self.radio.has(FREEZES | NAV_UNCONFIRMED) {
                        let holds = self.radio.kept_since() == Some(at);
                        self.on_busy::<S>(at, carrier_before, holds, rules);
                    }
                }
                // Only with `ignored_frame = "nav-eifs"`: ns-2 reserves the air for the frame that it could not take
                // and for EIFS.
                Some(Edge::Ignored { end, .. }) => self.extend_nav::<S>(end + rules.timing.eifs, rules),
                Some(Edge::Silent) => {
                    if self.radio.has(NAV_UNCONFIRMED) {
                        self.confirm_nav_if_kept(rules);
                    }
                }
                Some(Edge::Deaf) => {}
                Some(Edge::RxOk { at, slot, nav, flags }) => self.on_rx_ok::<S>(at, slot, nav, flags, rules),
                Some(Edge::RxBad { at }) => self.on_rx_bad::<S>(at, rules),
                None => return,
            }
            // The crowd may have cleared: what follows can be alone again, and is taken at a fraction of the cost.
            self.take_lone::<S>(now, rules);
            if self.radio.is_quiet() {
                return;
            }
        }
    }

    /// A sensed frame begins at `at`, which `holds` the receiver or not; the carrier known before ended at `carrier_before`.
    #[inline]
    fn on_busy<S: StationRuleSet>(&mut self, at: Time, carrier_before: Time, holds: bool, rules: &StationRules) {
        if self.radio.has(FREEZES) {
            self.freeze(at, self.busy_after(carrier_before), rules.cca_delay, rules);
        }
        if S::nav_reset(rules) && (holds || rules.nav_by_carrier) {
            self.confirm_nav(at, rules);
        }
    }

    #[inline]
    pub(super) fn on_rx_bad<S: StationRuleSet>(&mut self, at: Time, rules: &StationRules) {
        match S::eifs(rules) {
            EifsRule::ReplacesDifs => {
                self.radio.set(EIFS);
                self.own_mut().eifs_until = at + (rules.timing.eifs - rules.timing.difs);
            }
            EifsRule::Nav => self.extend_nav::<S>(at + rules.timing.eifs, rules),
            EifsRule::Off => {}
        }
    }

    /// What lies beyond the station's cache line.
    #[inline(always)]
    pub(super) fn own(&self) -> &Contender {
        &self.radio.rest.own
    }

    #[inline(always)]
    pub(super) fn own_mut(&mut self) -> &mut Contender {
        &mut self.radio.rest.own
    }

    /// Takes the frame received at this very instant, if its air slot is `slot`.
    #[inline]
    pub fn take_received(&mut self, slot: u32) -> bool {
        let mine = self.own().received == slot;
        self.own_mut().received = NOTHING;
        mine
    }

    /// None of the MPDUs of the frame that ends now came through: it is a frame received in error.
    pub fn fail_reception(&mut self, now: Time, rules: &StationRules) {
        self.on_rx_bad::<AnyRules>(now, rules);
    }

    /// What became of the frame in air slot `slot` that ends at this very instant and was not received
    /// ([`Station::take_received`]).
    pub fn outcome(&self, now: Time, slot: u32) -> RxOutcome {
        self.radio.outcome(slot, now)
    }

    /// The own transmitter starts at `now` and is on until `end`.
    #[inline(always)]
    pub fn begin_tx(&mut self, now: Time, end: Time, rules: &StationRules) {
        if self.radio.has(FREEZES) {
            // The own transmission needs no time to be sensed.
            self.freeze(now, self.busy_until(), Span::ZERO, rules);
        }
        self.radio.begin_tx(end);
    }

    /// The station waits for an answer until `until` and contends for nothing meanwhile.
    #[inline]
    pub fn hold(&mut self, until: Time) {
        self.own_mut().hold_until = until;
    }

    /// True when neither carrier sense, NAV, own transmission nor a pending exchange occupies the medium.
    #[inline]
    pub fn is_idle(&self, now: Time) -> bool {
        self.busy_until() <= now && self.radio.receiving_until().is_none_or(|end| end <= now)
    }

    /// True when nothing has occupied the medium for so long, an own wait for an answer left out.
    pub fn has_been_idle_for(&self, span: Span, now: Time) -> bool {
        let busy_until = self.radio.carrier_until().max(self.nav_end()).max(self.radio.tx_until());
        busy_until + span <= now && self.radio.receiving_until().is_none_or(|end| end + span <= now)
    }

    /// End of everything that occupies the medium, as far as is known.
    #[inline]
    pub(super) fn busy_until(&self) -> Time {
        self.busy_after(self.radio.carrier_until())
    }

    /// The same for a given end of the carrier.
    #[inline]
    fn busy_after(&self, carrier_until: Time) -> Time {
        carrier_until.max(self.nav_end()).max(self.radio.tx_until()).max(self.own().hold_until)
    }

    /// Until then a frame received in error keeps the medium busy.
    #[inline]
    pub(super) fn eifs_until(&self) -> Time {
        if self.radio.has(EIFS) { self.own().eifs_until } else { Time::ZERO }
    }

    #[inline(always)]
    pub(super) fn on_rx_ok<S: StationRuleSet>(
        &mut self,
        at: Time,
        slot: u32,
        nav: u32,
        flags: u8,
        rules: &StationRules,
    ) {
        // A frame without error shows the state of the medium again: EIFS ends with it.
        if S::eifs(rules) == EifsRule::ReplacesDifs {
            self.radio.clear(EIFS);
        }
        // A frame reserves nothing against the station that it is for (10.3.2.4).
        if flags & Arrival::FOR_ME != 0 {
            self.own_mut().received = slot;
        } else if nav > 0 {
            if S::nav_reset(rules) && flags & Arrival::RTS != 0 {
                self.extend_nav_by_rts(at, nav, rules);
            } else {
                self.extend_nav::<S>(at + Span(u64::from(nav)), rules);
            }
        }
    }
}
