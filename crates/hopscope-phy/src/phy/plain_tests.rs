//! The radio compared with a plain one: ordinary fields, one edge after the other, nothing packed, nothing at once.
//!
//! The plain one follows the words of the rules (`CaptureRule`, `Interference` and their like). The radio is driven as a
//! station drives it, by all its short cuts, with rules as they are given and with a set that its path is compiled for.
//! Losses drawn from the ratio and the search for preambles have tests of their own.

use proptest::prelude::*;

use super::arrival::MAX_SLOTS;
use super::{
    AnyRules, Arrival, Begin, Edge, Ns2Rules, OwnerFlags, Packed, Radio, RadioRules, RuleSet, RxOutcome, StandardRules,
    modes,
};
use crate::config::radio::{CaptureRule, DuringTransmission, IgnoredFrame, Interference, Undecodable};
use crate::config::{RadioConfig, presets};
use hopscope_core::config::profile::Profile;
use hopscope_core::units::Time;
use hopscope_testing::property;

/// What a station learns.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Learnt {
    Busy(Time),
    Ignored(Time),
    Ok(Time, u32, u32, u8),
    Bad(Time),
}

/// A frame that holds the plain receiver.
#[derive(Debug, Clone, Copy)]
struct Held {
    frame: Arrival,
    lost: bool,
    /// Least ratio so far, and the strongest frame against it (additive model).
    ratio: f32,
    strongest: Option<(f32, u32)>,
}

#[derive(Debug, Default)]
struct PlainRadio {
    waiting: Vec<Arrival>,
    held: Option<Held>,
    /// Frames that disturb; under the additive model all that are on the air.
    on_air: Vec<Arrival>,
    carrier_until: Time,
    tx_until: Time,
    /// What went wrong with which frame: its slot and its end.
    wrong: Vec<(u32, Time, RxOutcome)>,
    notes_all: bool,
    learnt: Vec<Learnt>,
}

impl PlainRadio {
    fn is(frame: &Arrival, bit: u8) -> bool {
        frame.flags & bit != 0
    }

    fn is_own(frame: &Arrival) -> bool {
        Self::is(frame, Arrival::FOR_ME) && Self::is(frame, Arrival::DECODABLE)
    }

    fn note(&mut self, frame: &Arrival, outcome: RxOutcome) {
        if self.notes_all || Self::is_own(frame) {
            self.wrong.push((frame.slot, frame.end, outcome));
        }
    }

    fn spoil(&mut self, outcome: RxOutcome) {
        if let Some(held) = self.held.as_mut().filter(|held| !held.lost) {
            held.lost = true;
            let frame = held.frame;
            self.note(&frame, outcome);
        }
    }

    fn hold(&mut self, frame: Arrival, lost: Option<RxOutcome>) {
        self.held = Some(Held { frame, lost: false, ratio: f32::INFINITY, strongest: None });
        if let Some(outcome) = lost {
            self.spoil(outcome);
        }
    }

    fn begin_tx(&mut self, until: Time) {
        self.spoil(RxOutcome::Deaf);
        self.tx_until = until;
    }

    /// All edges up to `now`: ends at or before it, starts before it, ends first.
    fn catch_up(&mut self, now: Time, rules: &RadioRules) {
        loop {
            let next = self.waiting.iter().min_by_key(|frame| (frame.start, frame.slot)).copied();
            let start = next.map_or(Time::NEVER, |frame| frame.start);
            if let Some(held) = self.held.filter(|held| held.frame.end <= start && held.frame.end <= now) {
                self.end(held);
            } else if let Some(frame) = next.filter(|frame| frame.start < now) {
                self.waiting.retain(|other| other.slot != frame.slot);
                self.begin(frame, rules);
            } else {
                return;
            }
        }
    }

    fn end(&mut self, Held { frame, lost, .. }: Held) {
        self.held = None;
        if self.tx_until <= frame.end {
            let received = Learnt::Ok(frame.end, frame.slot, frame.nav, frame.flags);
            self.learnt.push(if lost { Learnt::Bad(frame.end) } else { received });
        }
    }

    fn begin(&mut self, frame: Arrival, rules: &RadioRules) {
        let at = frame.start;
        self.on_air.retain(|other| other.end > at);
        let unheard = self.tx_until > at && !rules.transmitting_locks;
        let locks =
            Self::is(&frame, Arrival::DECODABLE) || (rules.undecodable_locks && Self::is(&frame, Arrival::SENSED));
        // A frame that takes a free receiver makes the medium busy even where it cannot be sensed.
        let takes_free = locks && !unheard && self.held.is_none();
        let mut ignored = false;
        if unheard {
            self.note(&frame, RxOutcome::Deaf);
            self.disturb(frame, rules);
        } else if self.held.is_some() {
            match rules.interference {
                Interference::Capture => ignored = self.overlap_capture(frame, rules),
                Interference::Range => self.overlap_range(frame, rules),
                Interference::Sinr => self.overlap_sinr(frame, rules),
            }
        } else if locks {
            self.lock(frame, rules);
        } else {
            self.disturb(frame, rules);
        }
        if rules.interference == Interference::Sinr {
            self.on_air.push(frame);
        }
        if ignored {
            self.learnt.push(Learnt::Ignored(at));
        } else if Self::is(&frame, Arrival::SENSED) || takes_free {
            self.learnt.push(Learnt::Busy(at));
            self.carrier_until = self.carrier_until.max(frame.end);
        }
    }

    /// A frame that holds no receiver.
    fn disturb(&mut self, frame: Arrival, rules: &RadioRules) {
        let counts = match rules.interference {
            Interference::Capture => true,
            Interference::Range => Self::is(&frame, Arrival::INTERFERES),
            Interference::Sinr => false,
        };
        if counts {
            self.on_air.push(frame);
        }
    }

    /// Why a frame that begins cannot be received, whatever else is on the air.
    fn lost_alone(&self, frame: &Arrival) -> Option<RxOutcome> {
        if !Self::is(frame, Arrival::DECODABLE) {
            Some(RxOutcome::OutOfReach)
        } else if Self::is(frame, Arrival::ERRORED) {
            Some(RxOutcome::Errored)
        } else {
            (self.tx_until > frame.start).then_some(RxOutcome::Deaf)
        }
    }

    /// The strongest that disturbs; of equal ones the one with the greatest slot, mode and flags.
    fn strongest(&self) -> Option<Arrival> {
        let key = |frame: &Arrival| (frame.power.to_bits(), frame.slot, frame.mode, frame.flags);
        self.on_air.iter().max_by_key(|frame| key(frame)).copied()
    }

    fn lock(&mut self, frame: Arrival, rules: &RadioRules) {
        if rules.interference == Interference::Sinr {
            let ratio = self.ratio(frame.power, 0.0, rules);
            let lost = self.lost_alone(&frame);
            self.hold_at(frame, lost, ratio, rules);
            return;
        }
        let disturbs = |other: &Arrival| {
            rules.interference == Interference::Range || frame.power < rules.capture_threshold * other.power
        };
        let by = self.strongest().filter(disturbs).map(|other| RxOutcome::Collided { by: other.slot });
        let lost = self.lost_alone(&frame).or(by);
        self.hold(frame, lost);
    }

    fn overlap_range(&mut self, frame: Arrival, rules: &RadioRules) {
        if Self::is(&frame, Arrival::INTERFERES) {
            self.collide(frame, rules);
        } else {
            self.miss(&frame);
        }
    }

    fn miss(&mut self, frame: &Arrival) {
        let by = self.held.map_or(0, |held| held.frame.slot);
        self.note(frame, RxOutcome::Missed { by });
    }

    /// True when the frame is ignored.
    fn overlap_capture(&mut self, frame: Arrival, rules: &RadioRules) -> bool {
        let Some(held) = self.held else { return false };
        let threshold = rules.capture_threshold;
        let beats = |other: f32| frame.power >= threshold * other;
        if held.frame.power >= threshold * frame.power {
            self.miss(&frame);
            if rules.ignored_frame == IgnoredFrame::CarrierSense {
                self.on_air.push(frame);
            }
            return rules.ignored_frame == IgnoredFrame::NavEifs;
        }
        let is_strongest = beats(held.frame.power) && self.strongest().is_none_or(|other| beats(other.power));
        if rules.capture_rule == CaptureRule::Strongest && Self::is(&frame, Arrival::DECODABLE) && is_strongest {
            self.spoil(RxOutcome::Captured { by: frame.slot });
            self.on_air.push(held.frame);
            let lost = self.lost_alone(&frame);
            self.hold(frame, lost);
        } else {
            self.collide(frame, rules);
        }
        false
    }

    /// Both are lost, and the one that ends later occupies the receiver, if it can.
    fn collide(&mut self, frame: Arrival, rules: &RadioRules) {
        let Some(held) = self.held else { return };
        self.spoil(RxOutcome::Collided { by: frame.slot });
        let by = RxOutcome::Collided { by: held.frame.slot };
        let occupies = Self::is(&frame, Arrival::DECODABLE) || rules.undecodable_locks;
        if occupies && frame.end > held.frame.end {
            self.on_air.push(held.frame);
            self.hold(frame, Some(by));
        } else {
            self.note(&frame, by);
            self.disturb(frame, rules);
        }
    }

    /// Of a power to noise and all that is on the air but `own`.
    fn ratio(&self, power: f32, own: f64, rules: &RadioRules) -> f32 {
        let others: f64 = self.on_air.iter().map(|other| f64::from(other.power)).sum();
        (f64::from(power) / (rules.noise + (others - own).max(0.0))) as f32
    }

    fn hold_at(&mut self, frame: Arrival, lost: Option<RxOutcome>, ratio: f32, rules: &RadioRules) {
        self.hold(frame, lost);
        let first_strongest = |best: Option<(f32, u32)>, other: &Arrival| match best {
            Some((power, _)) if power >= other.power => best,
            _ => Some((other.power, other.slot)),
        };
        let strongest = self.on_air.iter().fold(None, first_strongest);
        if let Some(held) = &mut self.held {
            (held.ratio, held.strongest) = (ratio, strongest);
        }
        self.check_ratio(rules);
    }

    fn check_ratio(&mut self, rules: &RadioRules) {
        let Some(held) = self.held else { return };
        if rules.errors.is_none() && f64::from(held.ratio) < modes::sinr_threshold(rules.mode(held.frame.mode)) {
            self.spoil(RxOutcome::TooWeak { by: held.strongest.map(|(_, slot)| slot) });
        }
    }

    fn overlap_sinr(&mut self, frame: Arrival, rules: &RadioRules) {
        let Some(held) = self.held else { return };
        let ratio = self.ratio(frame.power, 0.0, rules);
        let takes = rules.capture_rule == CaptureRule::Strongest && ratio >= rules.capture_threshold;
        if takes && Self::is(&frame, Arrival::DECODABLE) {
            self.spoil(RxOutcome::Captured { by: frame.slot });
            let lost = self.lost_alone(&frame);
            self.hold_at(frame, lost, ratio, rules);
            return;
        }
        self.miss(&frame);
        let excess = f64::from(held.frame.power) - f64::from(frame.power);
        let now = self.ratio(held.frame.power, excess, rules);
        if let Some(held) = &mut self.held {
            held.ratio = held.ratio.min(now);
            if held.strongest.is_none_or(|(most, _)| frame.power > most) {
                held.strongest = Some((frame.power, frame.slot));
            }
        }
        self.check_ratio(rules);
    }
}

/// The radio as a station drives it (`Station::post`, `Station::catch_up`), and what the station learns.
struct Driven {
    radio: Radio,
    learnt: Vec<Learnt>,
}

impl Driven {
    /// What a frame that had the air to itself leaves, if it is over.
    fn take_lone<S: RuleSet>(&mut self, now: Time, rules: &RadioRules) -> bool {
        let Some(frame) = self.radio.lone_frame::<S>(now, rules) else { return false };
        let has = |bit: u8| frame.flags & bit != 0;
        let has_begun = self.radio.has_begun_or(OwnerFlags::NONE) && self.radio.take_begun();
        if !has_begun && has(Arrival::SENSED) {
            self.learnt.push(Learnt::Busy(frame.start));
        }
        if has(Arrival::SENSED) {
            self.radio.extend_carrier(frame.end);
        }
        if has(Arrival::DECODABLE) && has(Arrival::ERRORED) {
            self.radio.note_errored();
            self.learnt.push(Learnt::Bad(frame.end));
        } else if has(Arrival::DECODABLE) {
            self.learnt.push(Learnt::Ok(frame.end, frame.slot, frame.nav, frame.flags));
        } else if S::undecodable_locks(rules) && has(Arrival::SENSED) {
            self.learnt.push(Learnt::Bad(frame.end));
        }
        true
    }

    /// The next frame at once, if that goes.
    fn take_at_once<S: RuleSet>(&mut self, now: Time, rules: &RadioRules) -> bool {
        if self.take_lone::<S>(now, rules) {
            self.radio.drop_first();
            return true;
        }
        let begin = self.radio.pass_energy::<S>(now, rules);
        self.take(begin)
    }

    fn take(&mut self, begin: Begin) -> bool {
        if let Begin::Busy { at, .. } = begin {
            self.learnt.push(Learnt::Busy(at));
        }
        begin != Begin::Crowded
    }

    fn catch_up<S: RuleSet>(&mut self, now: Time, rules: &RadioRules) {
        if self.radio.is_quiet() || self.take_at_once::<S>(now, rules) {
            return;
        }
        let begin = self.radio.begin_alone::<S>(now, rules);
        if !self.take(begin) {
            self.apply_edges::<S>(now, rules);
        }
    }

    fn apply_edges<S: RuleSet>(&mut self, now: Time, rules: &RadioRules) {
        while let Some(edge) = self.radio.next_edge::<S>(now, rules) {
            match edge {
                Edge::Busy { at } => self.learnt.push(Learnt::Busy(at)),
                Edge::Ignored { at, .. } => self.learnt.push(Learnt::Ignored(at)),
                Edge::RxOk { at, slot, nav, flags } => self.learnt.push(Learnt::Ok(at, slot, nav, flags)),
                Edge::RxBad { at } => self.learnt.push(Learnt::Bad(at)),
                Edge::Silent | Edge::Deaf => {}
            }
        }
    }

    fn post<S: RuleSet>(&mut self, now: Time, packed: Packed, rules: &RadioRules) {
        if self.take_lone::<S>(now, rules) {
            self.radio.post_first(packed);
            return;
        }
        if self.radio.has_waiting() && !self.take_at_once::<S>(now, rules) {
            self.apply_edges::<S>(now, rules);
        }
        self.radio.post_packed(packed);
    }
}

/// What a caller may do.
#[derive(Debug, Clone)]
enum Step {
    /// Let this much time pass.
    Pass(u64),
    /// Let time pass until the frame ends that ends next.
    PassEnd,
    /// Send for this long.
    Send(u64),
    /// A frame is sent now: it begins this much later, and lasts so long, at a power level, with flags.
    Frame(u64, u64, u8, u8),
}

fn step() -> impl Strategy<Value = Step> {
    let near = Arrival::DECODABLE | Arrival::SENSED | Arrival::INTERFERES;
    let flags = prop_oneof![
        2 => Just(near),
        4 => Just(near | Arrival::FOR_ME),
        1 => Just(near | Arrival::FOR_ME | Arrival::ERRORED),
        3 => Just(Arrival::SENSED | Arrival::INTERFERES),
        1 => Just(Arrival::SENSED),
        1 => Just(Arrival::INTERFERES),
    ];
    prop_oneof![
        2 => (0u64..60).prop_map(Step::Pass),
        3 => Just(Step::PassEnd),
        1 => (1u64..40).prop_map(Step::Send),
        4 => (0u64..12, 1u64..50, 0u8..24, flags).prop_map(|(later, length, level, flags)| Step::Frame(later, length, level, flags)),
    ]
}

fn rules() -> impl Strategy<Value = RadioRules> {
    let model = prop_oneof![Just(Interference::Capture), Just(Interference::Range), Just(Interference::Sinr)];
    (model, any::<[bool; 4]>()).prop_map(|(interference, [first, locks, nav, deaf_locks])| {
        let mut radio = RadioConfig { interference, ..RadioConfig::default() };
        radio.capture_rule = if first { CaptureRule::FirstComes } else { CaptureRule::Strongest };
        radio.undecodable = if locks { Undecodable::Locks } else { Undecodable::EnergyOnly };
        radio.ignored_frame = if nav { IgnoredFrame::NavEifs } else { IgnoredFrame::CarrierSense };
        if deaf_locks {
            radio.during_transmission = DuringTransmission::Locks;
        }
        RadioRules::new(&radio)
    })
}

/// Both after the same steps; what each look shows is compared.
fn compare<S: RuleSet>(steps: &[Step], rules: &RadioRules, notes_all: bool) {
    let mut real = Driven { radio: Radio::default(), learnt: Vec::new() };
    let mut plain = PlainRadio { notes_all, ..PlainRadio::default() };
    if notes_all {
        real.radio.note_all();
    }
    // A flag of the owner is none of the radio's business.
    let flag = OwnerFlags::nth(2);
    real.radio.set(flag);
    let (mut now, mut sent): (Time, Vec<Arrival>) = (Time(1), Vec::new());
    for (slot, step) in (0u32..).zip(steps) {
        match *step {
            Step::Pass(later) => now = Time(now.0 + later),
            Step::PassEnd => now = sent.iter().map(|frame| frame.end).filter(|&end| end > now).min().unwrap_or(now),
            Step::Send(length) => {
                real.catch_up::<S>(now, rules);
                plain.catch_up(now, rules);
                if plain.tx_until <= now {
                    real.radio.begin_tx(Time(now.0 + length));
                    plain.begin_tx(Time(now.0 + length));
                }
            }
            Step::Frame(later, length, level, flags) => {
                let start = Time(now.0 + later);
                let power = 1e-9 * f32::from(level + 1);
                let frame = Arrival { start, end: Time(start.0 + length), nav: slot, power, slot, flags, mode: 1 };
                real.post::<S>(now, Packed::new(&frame), rules);
                plain.waiting.push(frame);
                sent.push(frame);
            }
        }
        if matches!(step, Step::Pass(_) | Step::PassEnd) {
            real.catch_up::<S>(now, rules);
            plain.catch_up(now, rules);
            agree(&mut real, &plain, now, &sent, rules);
        }
    }
    assert!(real.radio.has(flag), "the flag of the owner stays");
}

/// Everything that a station can ask of a radio that has caught up.
fn agree(real: &mut Driven, plain: &PlainRadio, now: Time, sent: &[Arrival], rules: &RadioRules) {
    assert_eq!(real.learnt, plain.learnt, "{rules:?}");
    let radio = &mut real.radio;
    assert_eq!(radio.carrier_until(), plain.carrier_until);
    assert_eq!(radio.tx_until(), plain.tx_until);
    let held = plain.held.map(|held| held.frame);
    assert_eq!(radio.receiving_since(), held.map(|frame| frame.start));
    assert_eq!(radio.receiving_until(), held.map(|frame| frame.end));
    assert_eq!(radio.receives_own(), held.as_ref().is_some_and(PlainRadio::is_own));
    if let Some(end) = radio.own_frame_until(now, Time(now.0 - 1)) {
        assert_eq!(held.filter(PlainRadio::is_own).map(|frame| frame.end), Some(end), "known without its edges");
    }
    // What became of frames that could be decoded: of the others nothing is promised.
    let promised = |frame: &&Arrival| {
        let is_noted = plain.notes_all || PlainRadio::is_own(frame);
        frame.end == now && is_noted && PlainRadio::is(frame, Arrival::DECODABLE)
    };
    for frame in sent.iter().filter(promised) {
        let wrong = plain.wrong.iter().find(|(slot, ..)| *slot == frame.slot).map(|&(.., outcome)| outcome);
        assert_eq!(radio.noted(frame.slot, now), wrong, "slot {} under {rules:?}", frame.slot);
    }
}

proptest! {
    #![proptest_config(property(1_500))]

    #[test]
    fn a_radio_hears_what_the_plain_one_hears(
        steps in proptest::collection::vec(step(), 1..50),
        rules in rules(),
        notes_all in any::<bool>(),
    ) {
        compare::<AnyRules>(&steps, &rules, notes_all);
    }

    #[test]
    fn a_path_compiled_for_a_profile_hears_what_the_plain_radio_hears(
        steps in proptest::collection::vec(step(), 1..50),
        notes_all in any::<bool>(),
    ) {
        let [ns2, standard] = [Profile::Ns2, Profile::Standard]
            .map(|profile| RadioRules::new(&presets::radio(profile, "wavelan-2M").expect("a preset")));
        prop_assert!(ns2.are::<Ns2Rules>() && standard.are::<StandardRules>());
        compare::<Ns2Rules>(&steps, &ns2, notes_all);
        compare::<StandardRules>(&steps, &standard, notes_all);
    }

    #[test]
    fn a_packed_arrival_is_the_arrival(
        (start, airtime, nav, mpdus) in (0u64..1 << 50, any::<u32>(), 0u32..1 << 25, 0u8..128),
        (power, slot, mode, flags) in (0f32..1e3, 0..MAX_SLOTS, 0u8..64, 0u8..64),
        later in 0u64..1 << 20,
    ) {
        let end = Time(start + u64::from(airtime));
        let arrival = Arrival { start: Time(start), end, nav, power, slot, flags, mode };
        let check = |packed: Packed, a: &Arrival| {
            assert_eq!((packed.start(), packed.end()), (a.start, a.end));
            assert_eq!((packed.nav(), packed.mpdus()), (a.nav, mpdus));
            assert_eq!((packed.power(), packed.slot(), packed.mode(), packed.flags()), (a.power, a.slot, a.mode, a.flags));
        };
        check(Packed::new(&arrival).with_mpdus(mpdus), &arrival);
        // Packed without power and with some flags, then received with the rest of them at another place.
        let sent = Packed::new(&Arrival { power: 0.0, flags: flags & Arrival::RTS, ..arrival }).with_mpdus(mpdus);
        let at = |time: Time| Time(time.0 + later);
        let received = Arrival { start: at(arrival.start), end: at(end), ..arrival };
        check(sent.received_by(received.start, power, flags), &received);
        let (start, times, signal) = Packed::new(&arrival).with_mpdus(mpdus).into_words();
        check(Packed::from_words(start, times, signal), &arrival);
    }
}
