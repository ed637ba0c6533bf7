//! Contention of the four EDCA functions (EDCAF) of a station, which share its carrier sense and NAV (IEEE 802.11-2020
//! 10.23.2.2 to 10.23.2.4). Each has the back-off of [`backoff`](crate::backoff) with its own AIFS and contention window.
//!
//! One access event per station stands at the earliest instant at which one of them can reach zero. If several have then,
//! the one of the highest access category is granted access, and the others have collided inside the station.

use crate::backoff::{Access, Function};
use crate::contention::{Contender, FREEZES, Station};
use crate::edca::category::Ac;
use crate::rules::StationRules;
use hopscope_core::units::{Span, Time};

/// Parameters of one EDCAF.
#[derive(Debug, Clone, Copy)]
pub struct EdcafRules {
    /// Arbitration inter-frame space: SIFS and AIFSN slots (10.3.2.3.6).
    pub aifs: Span,
    /// Smallest contention window.
    pub cw_min: u32,
    /// Largest contention window.
    pub cw_max: u32,
    /// TXOP limit; zero: one exchange for each access.
    pub txop: Span,
}

/// The EDCA functions of one station, by access category.
#[derive(Debug)]
pub(crate) struct Edcafs([Function; Ac::COUNT]);

/// Answer of [`Station::poll_edca`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdcaAnswer {
    /// Nothing is pending.
    Nothing,
    /// The medium is that of this category now. Those marked by their place have reached zero, too, and lost.
    Granted(Ac, [bool; Ac::COUNT]),
    /// Not yet: ask again then. The caller queues the access event.
    Later(Time),
}

impl Edcafs {
    /// Those of a QoS station; none of another.
    pub(crate) fn new(rules: &StationRules) -> Option<Self> {
        let edca = rules.edca.as_deref()?;
        Some(Edcafs(std::array::from_fn(|place| Function::new(edca[place].cw_min))))
    }
}

/// Parameters of a category; only a QoS station is asked for them.
fn edcaf(rules: &StationRules, ac: Ac) -> &EdcafRules {
    let edca = rules.edca.as_deref().expect("a QoS station has rules for its EDCA functions");
    &edca[ac as usize]
}

impl Station {
    /// One input to the EDCAF of a category, after which the station knows whether frames that begin matter.
    fn edcaf<T>(&mut self, ac: Ac, input: impl FnOnce(&mut Function, &mut hopscope_core::rng::Stream) -> T) -> T {
        let Contender { edcafs, rng, .. } = self.own_mut();
        let edcafs = edcafs.as_deref_mut().expect("a QoS station has EDCA functions");
        let answer = input(&mut edcafs.0[ac as usize], rng);
        let freezes = edcafs.0.iter().any(Function::freezes);
        if freezes {
            self.radio.set(FREEZES);
        } else {
            self.radio.clear(FREEZES);
        }
        answer
    }

    fn edcafs(&self) -> impl DoubleEndedIterator<Item = (Ac, &Function)> {
        let functions = self.own().edcafs.as_deref().map_or(&[][..], |edcafs| &edcafs.0);
        Ac::ALL.into_iter().zip(functions)
    }

    /// A frame to send has come to a category: true when a back-off is already running that it can use.
    pub fn edca_adopt_post_backoff(&mut self, ac: Ac, now: Time, rules: &StationRules) -> bool {
        let medium = self.medium(self.busy_until());
        let aifs = edcaf(rules, ac).aifs;
        self.edcaf(ac, |function, _| function.adopt_post_backoff(now, medium, aifs, rules))
    }

    /// The EDCAF of a category draws a back-off; `post`: it follows a finished exchange and no frame waits.
    pub fn edca_start_backoff(&mut self, ac: Ac, post: bool, now: Time, rules: &StationRules) {
        self.edcaf(ac, |function, rng| {
            function.start_backoff(now, rules, rng);
            function.post_only = post;
        });
    }

    /// The EDCAF of a category waits for the rest of AIFS only; a frame that begins first makes it a back-off.
    pub fn edca_start_immediate(&mut self, ac: Ac, now: Time) {
        self.edcaf(ac, |function, _| function.start_immediate(now));
    }

    /// Doubles the contention window of a category.
    pub fn edca_double_cw(&mut self, ac: Ac, rules: &StationRules) {
        let most = edcaf(rules, ac).cw_max;
        self.edcaf(ac, |function, _| function.double_cw(most));
    }

    /// Contention window of a category back to its least value.
    pub fn edca_reset_cw(&mut self, ac: Ac, rules: &StationRules) {
        let least = edcaf(rules, ac).cw_min;
        self.edcaf(ac, |function, _| function.reset_cw(least));
    }

    /// Contention window of a category, slots.
    pub fn edca_cw(&self, ac: Ac) -> u32 {
        self.edcafs().nth(ac as usize).map_or(0, |(_, function)| function.cw())
    }

    /// The EDCAF of a category and its AIFS; none of a station without QoS.
    pub(crate) fn edcaf_of(&self, ac: Ac, rules: &StationRules) -> Option<(&Function, Span)> {
        self.edcafs().nth(ac as usize).map(|(_, function)| (function, edcaf(rules, ac).aifs))
    }

    /// True when a frame of the category waits for its back-off, or for AIFS.
    pub fn edca_waits(&self, ac: Ac) -> bool {
        self.edcafs().nth(ac as usize).is_some_and(|(_, function)| waits(function))
    }

    /// At `now` with all edges applied: which category is granted access, and if none, when to ask again?
    pub fn poll_edca(&mut self, now: Time, rules: &StationRules) -> EdcaAnswer {
        let busy_until = self.busy_until();
        let medium = self.medium(busy_until);
        let ended = |ac: Ac, function: &Function| {
            waits(function) && function.expiry(medium, edcaf(rules, ac).aifs, rules) <= now
        };
        let mut zero = [false; Ac::COUNT];
        self.edcafs().for_each(|(ac, function)| zero[ac as usize] = ended(ac, function));
        let Some(granted) = Ac::ALL.into_iter().rev().find(|ac| zero[*ac as usize]) else {
            let Some(at) = self.earliest_edca(now, rules) else { return EdcaAnswer::Nothing };
            self.ask_at(at);
            return EdcaAnswer::Later(at);
        };
        zero[granted as usize] = false;
        self.edcaf(granted, |function, _| function.set_access(Access::None));
        EdcaAnswer::Granted(granted, zero)
    }

    /// The access event to queue now, if a frame waits and none stands early enough.
    pub fn edca_access_to_queue(&mut self, now: Time, rules: &StationRules) -> Option<Time> {
        let at = self.earliest_edca(now, rules)?;
        self.queue_at(at)
    }

    /// The earliest instant from `now` on at which a category can be granted access.
    fn earliest_edca(&self, now: Time, rules: &StationRules) -> Option<Time> {
        let busy_until = self.busy_until();
        let medium = self.medium(busy_until);
        let ends = self.edcafs().filter(|(_, function)| waits(function)).map(|(ac, function)| {
            let aifs = edcaf(rules, ac).aifs;
            let behind = aifs + rules.timing.slot * u64::from(function.remaining);
            let expiry = function.expiry(medium, aifs, rules);
            self.if_eifs_ends(expiry, (busy_until, behind), now, rules)
        });
        ends.min().map(|at| at.max(now))
    }

    /// A frame begins at `at`, see [`Station::freeze`].
    #[cold]
    pub(crate) fn freeze_edcafs(&mut self, at: Time, busy_until: Time, unseen: Span, rules: &StationRules) {
        let medium = self.medium(busy_until);
        for ac in Ac::ALL {
            let aifs = edcaf(rules, ac).aifs;
            self.edcaf(ac, |function, rng| {
                let before_count = function.access == Access::Backoff && at + unseen < busy_until + aifs;
                if function.freezes() && !before_count && function.due == Time::NEVER {
                    function.freeze(at, (medium, aifs), unseen, rules, rng);
                }
            });
        }
    }

    /// AIFS of the category that waits and has the shortest; that of best effort where none waits.
    pub(crate) fn shortest_aifs(&self, rules: &StationRules) -> Span {
        let waiting = self.edcafs().filter(|(_, function)| waits(function)).map(|(ac, _)| edcaf(rules, ac).aifs);
        waiting.min().unwrap_or_else(|| edcaf(rules, Ac::BestEffort).aifs)
    }
}

/// True when a frame waits for the function's end.
fn waits(function: &Function) -> bool {
    function.access != Access::None && !function.post_only
}
