//! Links of one node: what its MAC spends on each neighbour, and why attempts fail.

use super::cause::{Diagnosis, LinkCause};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;

/// Attempts that failed for one reason.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failed {
    pub(super) diagnosis: Diagnosis,
    pub(super) count: u64,
    /// Time of these attempts, nanoseconds.
    pub(super) ns: u64,
}

/// What became of MPDUs.
#[derive(Debug, Clone, Default)]
pub(super) struct MpduAccount {
    pub(super) sent: u64,
    /// Received, whether or not the answer said so.
    pub(super) came: u64,
    pub(super) lost: Vec<(Diagnosis, u64)>,
}

impl MpduAccount {
    /// One was lost.
    pub(super) fn lose(&mut self, diagnosis: Diagnosis) {
        self.add_lost(diagnosis, 1);
    }

    fn add_lost(&mut self, diagnosis: Diagnosis, more: u64) {
        match self.lost.iter_mut().find(|(known, _)| *known == diagnosis) {
            Some((_, count)) => *count += more,
            None => self.lost.push((diagnosis, more)),
        }
    }

    fn add(&mut self, other: &MpduAccount) {
        self.sent += other.sent;
        self.came += other.came;
        other.lost.iter().for_each(|&(diagnosis, count)| self.add_lost(diagnosis, count));
    }
}

/// One link.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) to: NodeId,
    pub(super) attempts: u64,
    pub(super) delivered: u64,
    pub(super) totals: [u64; LinkCause::COUNT],
    pub(super) failed: Vec<Failed>,
    pub(super) mpdus: MpduAccount,
    /// Of a QoS station: its packets in the MAC, and up to when the time is accounted in which there were any.
    held: u32,
    held_since: Time,
}

/// The links of one node.
#[derive(Debug)]
pub(super) struct Links {
    pub(super) all: Vec<Link>,
    /// Place of the link whose packet the MAC has, or `NOWHERE`: it has none, or a broadcast.
    current: usize,
    since: Time,
}

/// Place of no link.
const NOWHERE: usize = usize::MAX;

impl Default for Links {
    fn default() -> Self {
        Links { all: Vec::new(), current: NOWHERE, since: Time::ZERO }
    }
}

impl Links {
    /// The MAC takes a packet for `to`.
    pub(super) fn take(&mut self, now: Time, to: NodeId) {
        // The time before was idle, which is not added up.
        self.since = now;
        if to == NodeId::BROADCAST {
            self.current = NOWHERE;
            return;
        }
        self.current = self.place(to);
    }

    fn place(&mut self, to: NodeId) -> usize {
        let known = self.all.iter().position(|link| link.to == to);
        known.unwrap_or_else(|| self.add(to))
    }

    /// A new neighbour. Apart, as what makes a call has registers to save.
    #[cold]
    #[inline(never)]
    fn add(&mut self, to: NodeId) -> usize {
        let totals = [0; LinkCause::COUNT];
        let (failed, mpdus, held_since) = (Vec::new(), MpduAccount::default(), Time::ZERO);
        self.all.push(Link { to, attempts: 0, delivered: 0, totals, failed, mpdus, held: 0, held_since });
        self.all.len() - 1
    }

    // ---- QoS stations ----------------------------------------------------------------------------------------

    /// One more packet for `to` is in the MAC.
    pub(super) fn hold(&mut self, now: Time, to: NodeId) {
        if to != NodeId::BROADCAST {
            self.settle(now, to).held += 1;
        }
    }

    /// One less is.
    pub(super) fn release(&mut self, now: Time, to: NodeId) {
        if to != NodeId::BROADCAST {
            self.settle(now, to).held -= 1;
        }
    }

    /// Accounts the time in which packets for `to` waited.
    fn settle(&mut self, now: Time, to: NodeId) -> &mut Link {
        let place = self.place(to);
        let link = &mut self.all[place];
        if self.current != place && link.held > 0 {
            link.totals[LinkCause::Contention as usize] += (now - link.held_since).0;
        }
        link.held_since = now;
        link
    }

    /// An exchange with `to` begins.
    pub(super) fn begin_exchange(&mut self, now: Time, to: NodeId) {
        self.settle(now, to).attempts += 1;
        (self.current, self.since) = (self.place(to), now);
    }

    /// The exchange under way is over; with what has made it fail.
    pub(super) fn end_exchange(&mut self, now: Time, failed: Option<Diagnosis>, mpdus: &MpduAccount) {
        if let Some(link) = self.all.get_mut(self.current) {
            link.mpdus.add(mpdus);
            link.held_since = now;
        }
        match failed {
            Some(diagnosis) => self.fail(now, diagnosis, true),
            None => self.succeed(now),
        }
    }

    /// An attempt begins.
    pub(super) fn begin_attempt(&mut self, now: Time) {
        if let Some(link) = self.spend(now, LinkCause::Contention) {
            link.attempts += 1;
        }
    }

    /// The attempt has got the packet across.
    pub(super) fn succeed(&mut self, now: Time) {
        if let Some(link) = self.spend(now, LinkCause::Delivered) {
            link.delivered += 1;
        }
        self.current = NOWHERE;
    }

    /// The attempt has got a fragment of the packet across and goes on.
    pub(super) fn keep_fragment(&mut self, now: Time) {
        self.spend(now, LinkCause::Delivered);
    }

    /// The attempt has failed; the packet stays unless it is `dropped`.
    pub(super) fn fail(&mut self, now: Time, diagnosis: Diagnosis, dropped: bool) {
        // Before `spend`, which moves the start.
        let ns = (now - self.since).0;
        if let Some(link) = self.spend(now, diagnosis.failure.link_cause()) {
            match link.failed.iter_mut().find(|failed| failed.diagnosis == diagnosis) {
                Some(failed) => {
                    failed.count += 1;
                    failed.ns += ns;
                }
                None => link.failed.push(Failed { diagnosis, count: 1, ns }),
            }
        }
        if dropped {
            self.current = NOWHERE;
        }
    }

    fn spend(&mut self, now: Time, cause: LinkCause) -> Option<&mut Link> {
        let ns = (now - self.since).0;
        self.since = now;
        let link = self.all.get_mut(self.current)?;
        link.totals[cause as usize] += ns;
        Some(link)
    }

    /// Forgets everything before `now`.
    pub(super) fn restart(&mut self, now: Time) {
        self.since = now;
        for link in &mut self.all {
            (link.attempts, link.delivered) = (0, 0);
            link.totals = [0; LinkCause::COUNT];
            link.failed.clear();
            (link.mpdus, link.held_since) = (MpduAccount::default(), now);
        }
    }

    /// Each link with its totals at `now`, of `duration` nanoseconds in all; an attempt under way counts as if it were
    /// to succeed.
    pub(super) fn totals(
        &self,
        now: Time,
        duration: u64,
        in_attempt: bool,
    ) -> impl Iterator<Item = (&Link, [u64; LinkCause::COUNT])> + '_ {
        self.all.iter().enumerate().map(move |(place, link)| {
            let mut totals = link.totals;
            if self.current != place && link.held > 0 {
                totals[LinkCause::Contention as usize] += (now - link.held_since).0;
            }
            if self.current == place {
                let cause = if in_attempt { LinkCause::Delivered } else { LinkCause::Contention };
                totals[cause as usize] += (now - self.since).0;
            }
            // As the rest: the times of a link add up to the duration by construction.
            totals[LinkCause::Idle as usize] = duration - totals.iter().sum::<u64>();
            (link, totals)
        })
    }
}
