//! When a receiver acknowledges: one file for each policy that is more than a line, and the contract that they share.
//!
//! A policy hears of every segment with data (`on_data`), of its wait ended by the timer (`on_expiry`) and of every ACK
//! sent (`on_ack_sent`); it says whether the ACK has to leave now, how long one held back may wait (`hold`), and
//! whether each further segment starts the wait anew (`waits_anew`). One that reads the path hears before of the
//! segment's way (`on_path_info`). Adding one: a file here, a variant of [`Acker`], a word of [`AckPolicy`] and its
//! parameters in `config/tcp.rs`. [`outside`] is the boundary to one that lives outside the engine.

mod ada;
mod asym;
mod daa;
mod dca;
mod external;
mod fixed;
mod gaps;
mod guard;
mod iat;
mod lda;
mod linux;
mod mda;
pub mod outside;
mod quic;
mod tack;

use std::sync::Arc;

use ada::Ada;
use asym::Asym;
use daa::Daa;
use dca::Dca;
use external::External;
use fixed::Fixed;
pub(super) use guard::Guard;
use iat::IatWindow;
use lda::Lda;
use linux::LinuxAck;
use mda::Mda;
use outside::AckRule;
use quic::Quic;
use tack::Tack;

use crate::config::{AckPolicy, TcpConfig};
use hopscope_core::units::{Span, Time};
use hopscope_packet::PathInfo;

/// What the arrival of data means for the receiver.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    pub(super) now: Time,
    /// It extended the data in order, and nothing was or is missing above it.
    pub(super) in_order: bool,
    /// It brought nothing new.
    pub(super) duplicate: bool,
    /// It repeats the last segment received in order, and nothing is missing above it.
    pub(super) repeats_last: bool,
    /// New in-order bytes.
    pub(super) bytes: u64,
    /// Payload bytes of the segment.
    pub(super) len: u64,
    /// It was marked on its way, and marks are understood.
    pub(super) marked: bool,
    /// It carries PSH.
    pub(super) pushed: bool,
    /// Segments that its sender may have in flight; 0: it does not say.
    pub(super) sender_window: u16,
}

/// What to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AckDecision {
    /// Acknowledge at once.
    Now,
    /// Hold the ACK back until more arrives or the timer expires.
    Hold,
}

/// A policy with its state.
#[derive(Debug, Clone)]
pub(super) enum Acker {
    Every,
    /// Bytes in order not yet acknowledged; an ACK is due from `two_segments` on.
    Delayed {
        held: u64,
        two_segments: u64,
        longest: Span,
    },
    /// One segment is held.
    Ns2Delack {
        held: bool,
        longest: Span,
    },
    Linux(LinuxAck),
    Fixed(Fixed),
    Lda(Lda),
    Ada(Ada),
    Daa(Daa),
    Mda(Mda),
    Dca(Dca),
    IatWindow(IatWindow),
    Tack(Tack),
    Quic(Quic),
    Asym(Asym),
    External(Box<External>),
}

impl Acker {
    /// A policy for segments of `mss` bytes and a receiver window of `window` bytes.
    pub(super) fn new(cfg: &TcpConfig, policy: AckPolicy, longest: Span, mss: u64, window: u64) -> Self {
        match policy {
            AckPolicy::Every => Acker::Every,
            AckPolicy::Delayed => Acker::Delayed { held: 0, two_segments: 2 * mss, longest },
            AckPolicy::Ns2Delack => Acker::Ns2Delack { held: false, longest },
            AckPolicy::Linux => Acker::Linux(LinuxAck::new(cfg, false, longest, mss, window)),
            AckPolicy::LinuxModern => Acker::Linux(LinuxAck::new(cfg, true, longest, mss, window)),
            AckPolicy::Fixed => Acker::Fixed(Fixed::new(cfg, longest)),
            AckPolicy::Lda => Acker::Lda(Lda::new(cfg, longest)),
            AckPolicy::Ada => Acker::Ada(Ada::new(cfg)),
            AckPolicy::Daa => Acker::Daa(Daa::new(cfg, false)),
            AckPolicy::Daap => Acker::Daa(Daa::new(cfg, true)),
            AckPolicy::Mda => Acker::Mda(Mda::new(cfg)),
            AckPolicy::Dca => Acker::Dca(Dca::new(cfg)),
            AckPolicy::IatWindow => Acker::IatWindow(IatWindow::new(cfg, longest)),
            AckPolicy::Tack => Acker::Tack(Tack::new(cfg, longest)),
            AckPolicy::Quic => Acker::Quic(Quic::new(cfg, longest)),
            AckPolicy::Asym => Acker::Asym(Asym::new(cfg, longest)),
            AckPolicy::External => Acker::External(Box::new(External::new(longest, mss))),
        }
    }

    /// Hands over the policy itself, where it lives outside the engine.
    pub(super) fn set_rule(&mut self, rule: Arc<dyn AckRule>) {
        if let Acker::External(external) = self {
            external.set_rule(rule);
        }
    }

    /// The segment has come by this way; `on_data` follows if it carries data.
    #[inline]
    pub(super) fn on_path_info(&mut self, path_info: &PathInfo) {
        match (self, &path_info.learnt) {
            (Acker::Mda(mda), Some(path)) => mda.on_path(path_info.hops, path),
            (Acker::Dca(dca), _) => dca.on_hops(path_info.hops),
            (Acker::External(external), _) => external.on_path_info(path_info),
            _ => {}
        }
    }

    /// Data has arrived. Out of order, repeated or gap-filling data is acknowledged at once (RFC 5681 4.2).
    pub(super) fn on_data(&mut self, arrival: &Arrival) -> AckDecision {
        // ns-2's sink takes a repetition of the last segment for a new one.
        let new = arrival.in_order || (arrival.repeats_last && matches!(self, Acker::Ns2Delack { .. }));
        match self {
            Acker::Linux(linux) => linux.on_data(arrival),
            Acker::Fixed(fixed) => fixed.on_data(arrival),
            Acker::Lda(lda) => lda.on_data(arrival),
            Acker::Ada(ada) => ada.on_data(arrival),
            Acker::Daa(daa) => daa.on_data(arrival),
            Acker::Mda(mda) => mda.on_data(arrival),
            Acker::Dca(dca) => dca.on_data(arrival),
            Acker::IatWindow(iat) => iat.on_data(arrival),
            Acker::Tack(tack) => tack.on_data(arrival),
            Acker::Quic(quic) => quic.on_data(arrival),
            Acker::Asym(asym) => asym.on_data(arrival),
            Acker::External(external) => external.on_data(arrival),
            Acker::Every => AckDecision::Now,
            Acker::Delayed { .. } | Acker::Ns2Delack { .. } if !new => AckDecision::Now,
            Acker::Delayed { held, two_segments, .. } => {
                *held += arrival.bytes;
                // Bytes, not segments: RFC 5681 4.2 asks for an ACK of every second full-sized one at least.
                if held >= two_segments { AckDecision::Now } else { AckDecision::Hold }
            }
            Acker::Ns2Delack { held: true, .. } => AckDecision::Now,
            Acker::Ns2Delack { held, .. } => {
                *held = true;
                AckDecision::Hold
            }
        }
    }

    /// How long an ACK held back now may wait.
    pub(super) fn hold(&self) -> Span {
        match self {
            Acker::Every => Span::ZERO,
            Acker::Delayed { longest, .. } | Acker::Ns2Delack { longest, .. } => *longest,
            Acker::Linux(linux) => linux.hold(),
            Acker::Fixed(fixed) => fixed.hold(),
            Acker::Lda(lda) => lda.hold(),
            Acker::Ada(ada) => ada.hold(),
            Acker::Daa(daa) => daa.hold(),
            Acker::Mda(mda) => mda.hold(),
            Acker::Dca(dca) => dca.hold(),
            Acker::IatWindow(iat) => iat.hold(),
            Acker::Tack(tack) => tack.hold(),
            Acker::Quic(quic) => quic.hold(),
            Acker::Asym(asym) => asym.hold(),
            Acker::External(external) => external.hold(),
        }
    }

    /// Segments that one ACK is to stand for; 1 where the policy counts none.
    #[inline]
    pub(super) fn window(&self) -> f64 {
        match self {
            Acker::Every | Acker::Ada(_) => 1.0,
            Acker::Delayed { .. } | Acker::Ns2Delack { .. } => 2.0,
            Acker::Linux(linux) => linux.window(),
            Acker::Fixed(fixed) => fixed.window(),
            Acker::Lda(lda) => lda.window(),
            Acker::Daa(daa) => daa.window(),
            Acker::Mda(mda) => mda.window(),
            Acker::Dca(dca) => dca.window(),
            Acker::IatWindow(iat) => iat.window(),
            Acker::Tack(tack) => tack.window(),
            Acker::Quic(quic) => quic.window(),
            Acker::Asym(asym) => asym.window(),
            Acker::External(external) => external.window(),
        }
    }

    /// Each further segment starts the wait anew.
    pub(super) fn waits_anew(&self) -> bool {
        matches!(self, Acker::Ada(_) | Acker::Daa(_) | Acker::Mda(_))
            || matches!(self, Acker::Dca(_) | Acker::IatWindow(_) | Acker::Tack(_))
            || matches!(self, Acker::External(external) if external.waits_anew())
    }

    /// The set-up took this long from SYN-ACK to ACK, both sent once.
    pub(super) fn on_set_up(&mut self, rtt: Span) {
        match self {
            Acker::Linux(linux) => linux.on_set_up(rtt),
            Acker::Tack(tack) => tack.on_set_up(rtt),
            Acker::External(external) => external.on_set_up(rtt),
            _ => {}
        }
    }

    /// The wait for more data ended without any.
    pub(super) fn on_expiry(&mut self, now: Time) {
        match self {
            Acker::Linux(linux) => linux.on_expiry(),
            Acker::Daa(daa) => daa.shrink(),
            Acker::Mda(mda) => mda.shrink(),
            Acker::Tack(tack) => tack.on_expiry(),
            Acker::External(external) => external.on_expiry(now),
            Acker::Every | Acker::Delayed { .. } | Acker::Ns2Delack { .. } => {}
            Acker::Fixed(_) | Acker::Lda(_) | Acker::Ada(_) => {}
            Acker::Dca(_) | Acker::IatWindow(_) | Acker::Quic(_) | Acker::Asym(_) => {}
        }
    }

    /// An ACK has been sent, for whatever reason.
    pub(super) fn on_ack_sent(&mut self) {
        match self {
            Acker::Every => {}
            Acker::Delayed { held, .. } => *held = 0,
            Acker::Ns2Delack { held, .. } => *held = false,
            Acker::Linux(linux) => linux.on_ack_sent(),
            Acker::Fixed(fixed) => fixed.on_ack_sent(),
            Acker::Lda(lda) => lda.on_ack_sent(),
            Acker::Ada(ada) => ada.on_ack_sent(),
            Acker::Daa(daa) => daa.on_ack_sent(),
            Acker::Mda(mda) => mda.on_ack_sent(),
            Acker::Dca(dca) => dca.on_ack_sent(),
            Acker::IatWindow(iat) => iat.on_ack_sent(),
            Acker::Tack(tack) => tack.on_ack_sent(),
            Acker::Quic(quic) => quic.on_ack_sent(),
            Acker::Asym(asym) => asym.on_ack_sent(),
            Acker::External(external) => external.on_ack_sent(),
        }
    }
}
