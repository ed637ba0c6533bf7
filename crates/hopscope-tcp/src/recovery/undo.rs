//! Needless recoveries are found and undone.
//!
//! Two ways to find them, each of use to any style of recovery:
//!
//! | by | a recovery was needless when | source |
//! |---|---|---|
//! | timestamps | the first ACK of new data echoes a stamp older than that of the first retransmission: the original had arrived | RFC 3522 3.2 (Eifel) |
//! | DSACK | everything outstanding at its start is acknowledged, and every retransmission of it is reported as a duplicate | RFC 3708 |
//!
//! A report of what was sent once means that the network duplicates packets: DSACK is not used from there on (RFC 3708
//! 3).
//!
//! The answer to a timeout is that of RFC 4015 3.1: new data first, ssthresh as the path was filled before, a window
//! without a burst, and an RTO that does not fall below what it was. For a fast retransmit, which RFC 4015 leaves out,
//! the window and the state of the congestion control are what they were (RFC 9438 4.9.2). Neither changes the
//! threshold of duplicate ACKs.

use super::super::core::Core;
use super::super::rtt::Cautious;
use crate::config::tcp::Detection;
use crate::control::{Cc, Controller, Window};
use hopscope_core::units::Time;
use hopscope_packet::tcp::{SackBlock, TcpSegment};

/// A recovery, or what a timeout began, that may have been needless.
#[derive(Debug, Clone)]
struct Episode {
    by_timeout: bool,
    /// Numbers outstanding at its start: `[start, end)`.
    start: u64,
    end: u64,
    /// First number not sent when the loss before this one was found.
    recover: u64,
    /// What it changed.
    window: Window,
    cc: Cc,
    /// pipe_prev of RFC 4015, in segments.
    pipe: f64,
    rtt: Cautious,
    /// RetransmitTS of RFC 3522; none before the first retransmission.
    stamp: Option<u32>,
    /// The first ACK of new data has come: timestamps say no more.
    answered: bool,
    /// Retransmissions not yet reported as duplicates, and whether there were any.
    repeats: Vec<SackBlock>,
    has_repeated: bool,
}

/// What a sender keeps to undo its last recovery.
#[derive(Debug, Clone)]
pub(in super::super) struct Undo {
    by: Detection,
    /// An ACK has carried a DSACK.
    hears_dsacks: bool,
    episode: Option<Episode>,
    /// Retransmissions of earlier episodes that may still be reported.
    older: Vec<SackBlock>,
}

impl Undo {
    pub(in super::super) fn new(by: Detection) -> Option<Box<Self>> {
        let undo = Undo { by, hears_dsacks: false, episode: None, older: Vec::new() };
        (by.dsack || by.timestamps).then(|| Box::new(undo))
    }

    fn open(&mut self, episode: Episode) {
        self.close();
        self.older.retain(|repeat| repeat.end > episode.start);
        self.episode = Some(episode);
    }

    /// What the episode at hand changed has been changed again, or restored.
    pub(in super::super) fn close(&mut self) {
        if let Some(episode) = self.episode.take() {
            self.older.extend(episode.repeats);
        }
    }

    /// `[start, end)` is sent again with this stamp.
    pub(in super::super) fn on_repeat(&mut self, start: u64, end: u64, stamp: u32) {
        let Some(episode) = self.episode.as_mut().filter(|episode| start < episode.end) else { return };
        episode.stamp.get_or_insert(stamp);
        if self.by.dsack {
            episode.repeats.push(SackBlock { start, end });
            episode.has_repeated = true;
        }
    }

    /// RFC 3522 3.2 steps 3 to 5, for an ACK of new data while numbers up to `max` have been sent.
    fn is_late_original(&mut self, seg: &TcpSegment, max: u64) -> bool {
        let hears_dsacks = self.hears_dsacks;
        let Some(episode) = self.episode.as_mut().filter(|episode| !episode.answered) else { return false };
        episode.answered = true;
        let (true, Some(stamp), Some(stamps)) = (self.by.timestamps, episode.stamp, seg.timestamps) else {
            return false;
        };
        let is_older = (stamps.echo.wrapping_sub(stamp) as i32) < 0;
        // Where all is acknowledged the ACKs may have been lost, not the data; a peer that reports duplicates says
        // which.
        is_older && !seg.is_dsack() && (hears_dsacks || seg.ack < max)
    }

    /// A duplicate is reported.
    fn on_dsack(&mut self, block: SackBlock) {
        self.hears_dsacks = true;
        let Some(episode) = &mut self.episode else { return };
        let is_of_it = block.start >= episode.start && block.end <= episode.end;
        if !self.by.dsack || !is_of_it || take(&mut episode.repeats, block) || take(&mut self.older, block) {
            return;
        }
        self.by.dsack = false; // the network has duplicated it
    }

    /// RFC 3708: all of the episode is acknowledged, and all that was sent again in it came twice.
    fn is_all_duplicate(&self, una: u64) -> bool {
        let is_over = |episode: &Episode| episode.has_repeated && episode.repeats.is_empty() && una >= episode.end;
        self.by.dsack && self.episode.as_ref().is_some_and(is_over)
    }
}

/// Takes one retransmission out of the list for each segment in a block; false: none was there.
fn take(repeats: &mut Vec<SackBlock>, block: SackBlock) -> bool {
    let mut taken = Vec::new();
    repeats.retain(|repeat| {
        let is_one = repeat.start >= block.start && repeat.end <= block.end && !taken.contains(&repeat.start);
        if is_one {
            taken.push(repeat.start);
        }
        !is_one
    });
    !taken.is_empty()
}

impl Core {
    /// Before a loss changes the window.
    pub(in super::super) fn may_be_needless(&mut self, by_timeout: bool) {
        // A timeout on the way out of another one is part of it (RFC 4015 3.1).
        let goes_on = by_timeout && self.loss.is_behind_timeout(self.seq.una());
        if self.loss.undo.is_none() || goes_on {
            return;
        }
        let episode = Episode {
            by_timeout,
            start: self.seq.una(),
            end: self.seq.max(),
            recover: self.loss.recover(),
            window: Window { inflation: 0.0, ..self.window },
            cc: self.cc.clone(),
            // RFC 4015 3.1: what was in flight, unless slow start had not come to what the path held before.
            pipe: self.flight().max(self.window.ssthresh),
            rtt: self.timing.rtt.cautious(),
            stamp: None,
            answered: false,
            repeats: Vec::new(),
            has_repeated: false,
        };
        if let Some(undo) = &mut self.loss.undo {
            undo.open(episode);
        }
    }

    /// The window is cut, or restored, for a reason of its own: what came before is not undone any more.
    pub(in super::super) fn keep_cut(&mut self) {
        if let Some(undo) = &mut self.loss.undo {
            undo.close();
        }
    }

    /// An ACK of new data shows by its timestamp that the original had arrived.
    #[inline]
    pub(super) fn echoes_original(&mut self, seg: &TcpSegment) -> bool {
        let max = self.seq.max();
        self.loss.undo.as_mut().is_some_and(|undo| undo.is_late_original(seg, max))
    }

    /// An ACK of any kind has been dealt with; true when it shows that all that was sent again came twice.
    #[cold]
    pub(super) fn reports_all_twice(&mut self, seg: &TcpSegment) -> bool {
        let una = self.seq.una();
        let Some(undo) = &mut self.loss.undo else { return false };
        if seg.is_dsack() {
            undo.on_dsack(seg.sack[0]);
        }
        undo.is_all_duplicate(una)
    }

    /// The last recovery was needless, as an ACK of `acked` new bytes shows: what it changed is restored.
    pub(super) fn undo_cut(&mut self, acked: u64, now: Time) {
        let Some(episode) = self.loss.undo.as_mut().and_then(|undo| undo.episode.take()) else { return };
        // Also where the window stays cut: the next loss is to be answered as if this one had not been.
        self.loss.restore(episode.recover);
        match episode.by_timeout {
            true => self.stats.spurious_timeouts += 1,
            false => self.stats.undone_recoveries += 1,
        }
        if self.ecn.echo() {
            return; // a mark: the path is congested all the same (RFC 4015 3.1)
        }
        let to = if episode.by_timeout {
            // What this ACK acknowledges may leave, and no burst of what the old window would allow.
            let fresh = (acked as f64 / self.mss as f64).min(self.initial_window);
            Window { cwnd: self.flight() + fresh, ssthresh: episode.pipe, inflation: 0.0 }
        } else {
            episode.window
        };
        self.cc.on_undo(&mut self.window, &to, &episode.cc);
        if episode.by_timeout {
            self.timing.rtt.adapt(episode.rtt, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(start: u64, end: u64) -> SackBlock {
        SackBlock { start, end }
    }

    #[test]
    fn a_block_takes_one_retransmission_of_each_segment() {
        let mut repeats = vec![block(1, 101), block(101, 201), block(1, 101)];
        assert!(take(&mut repeats, block(1, 201)));
        assert_eq!(repeats, [block(1, 101)], "the segment sent three times is reported twice");
        assert!(take(&mut repeats, block(1, 101)) && repeats.is_empty());
        assert!(!take(&mut repeats, block(1, 101)));
    }
}
