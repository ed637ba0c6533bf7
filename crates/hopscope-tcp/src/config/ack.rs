//! When a TCP receiver acknowledges.

use hopscope_core::choice;
use serde::{Deserialize, Serialize};

choice! {
    /// When a TCP receiver acknowledges.
    pub enum AckPolicy {
        /// Every segment at once.
        Every = "every",
        /// At least every second full segment, after `ack_delay` at the latest, at once out of order (RFC 5681 4.2).
        Delayed = "delayed",
        /// ns-2's delayed-ACK sink: at most one in-order segment is held.
        Ns2Delack = "ns2-delack",
        /// Linux 2.6: every segment while the receiver window is two segments or fewer, else every second; at once at
        /// the start of a connection; the timer adapts from 40 ms up to `ack_delay`.
        Linux = "linux",
        /// Linux 6.6 and later: the same, and a pushed full segment at once (the sender marks PSH as Linux does).
        LinuxModern = "linux-modern",
        /// One ACK for `tcp.ack_every` segments, after `ack_delay` at the latest (Altman and Jimenez 2003; above 2
        /// beyond RFC 5681).
        Fixed = "fixed",
        /// The longer the connection lasts, the more segments for one ACK, by `tcp.lda_steps` (TCP-LDA, Altman and
        /// Jimenez 2003).
        Lda = "lda",
        /// One ACK when a burst of segments has ended (TCP-ADA, Singh and Kankipati 2004).
        Ada = "ada",
        /// A delay window that grows with each segment in order and falls to two at a loss (TCP-DAA, de Oliveira and
        /// Braun 2005).
        Daa = "daa",
        /// The same with slow growth after a loss too: a guess at TCP-DAAp (de Oliveira and Braun 2007).
        Daap = "daap",
        /// A delay window by the collision probability that data packets gather from the MACs of their path (TCP-MDA,
        /// Armaghani 2008).
        Mda = "mda",
        /// The longer the path, the fewer segments for one ACK, and never more than the sender's window (TCP-DCA, Chen
        /// et al. 2008).
        Dca = "dca",
        /// A delay window that grows with the sender's, the less the closer segments come together (code for ns-3,
        /// 2024).
        IatWindow = "iat-window",
        /// One ACK for `tcp.tack_segments` segments, but at most `tcp.tack_beta` in a round trip (TACK, Li et al.
        /// 2020).
        Tack = "tack",
        /// QUIC's ACK frequency: `tcp.quic_threshold` and `tcp.quic_reordering` (draft-ietf-quic-ack-frequency).
        Quic = "quic",
        /// As many segments for one ACK as marks ask for, and never more than half of what the sender may have in
        /// flight (ns-2's `TCPSink/Asym`).
        Asym = "asym",
        /// A policy from outside the engine, handed over with the configuration (`ack_code`).
        External = "external",
    }
}

impl AckPolicy {
    /// One of the engine's reads what data packets learn on their way from the MAC of each hop.
    pub const fn reads_path(self) -> bool {
        match self {
            AckPolicy::Mda => true,
            AckPolicy::Every
            | AckPolicy::Delayed
            | AckPolicy::Ns2Delack
            | AckPolicy::Linux
            | AckPolicy::LinuxModern
            | AckPolicy::Fixed
            | AckPolicy::Lda
            | AckPolicy::Ada
            | AckPolicy::Daa
            | AckPolicy::Daap
            | AckPolicy::Dca
            | AckPolicy::IatWindow
            | AckPolicy::Tack
            | AckPolicy::Quic
            | AckPolicy::Asym
            | AckPolicy::External => false,
        }
    }

    /// One of the engine's reads what the sender may have in flight, which data segments then say.
    pub const fn reads_window(self) -> bool {
        matches!(self, AckPolicy::Dca | AckPolicy::IatWindow | AckPolicy::Asym)
    }
}

/// An ACK policy that lives outside the engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AckName {
    /// Its name.
    pub name: String,
    /// What changes with its code and its parameters; not read by the engine.
    pub identity: String,
    /// Data segments learn of their way for it ([`super::ConnectionConfig::reads_path`]).
    #[serde(default)]
    pub reads_path: bool,
    /// Data segments say for it what their sender may have in flight ([`super::ConnectionConfig::signals_window`]).
    #[serde(default)]
    pub reads_window: bool,
}
