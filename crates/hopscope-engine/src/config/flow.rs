//! A flow: two end nodes, a transport and an application.

use serde::{Deserialize, Serialize};

use super::params::choice;
use super::tcp::{LossRecovery, TcpConfig};
use crate::units::Span;
use crate::units::Time;

choice! {
    /// Transport protocol of a flow.
    pub enum Transport {
        /// TCP Tahoe: slow start, congestion avoidance, fast retransmit.
        TcpTahoe = "tcp-tahoe",
        /// TCP Reno: fast recovery left at the first new ACK (RFC 5681).
        TcpReno = "tcp-reno",
        /// TCP NewReno: fast recovery through partial ACKs (RFC 6582).
        TcpNewReno = "tcp-newreno",
        /// TCP with selective acknowledgements (RFC 2018, RFC 6675).
        TcpSack = "tcp-sack",
        /// TCP Vegas: delay-based congestion avoidance (Brakmo and Peterson 1995).
        TcpVegas = "tcp-vegas",
        /// TCP Veno: Reno that keeps 4/5 of the window after a loss without backlog (Fu and Liew 2003).
        TcpVeno = "tcp-veno",
        /// TCP Westwood+: after a loss the window is bandwidth times smallest RTT (Grieco and Mascolo 2004).
        TcpWestwood = "tcp-westwood",
        /// TIBET: the same with the bandwidth in use averaged over packets sent (Capone et al. 2004).
        TcpTibet = "tcp-tibet",
        /// FAST TCP: keeps a set number of packets queued (Wei et al. 2006).
        TcpFast = "tcp-fast",
        /// CUBIC (RFC 9438) with HyStart++ (RFC 9406).
        TcpCubic = "tcp-cubic",
        /// H-TCP: growth by the time since the last loss (Leith and Shorten 2004).
        TcpHtcp = "tcp-htcp",
        /// TCP-Illinois: growth and cut by the queueing delay (Liu et al. 2008).
        TcpIllinois = "tcp-illinois",
        /// TCP-AP: NewReno paced by the delay of four hops (ElRakabawy et al. 2005).
        TcpAp = "tcp-ap",
        /// BBR version 1: pace and window from a model of the path (Cardwell et al. 2016).
        TcpBbr = "tcp-bbr",
        /// BBR version 3: the same, bounded by what losses and marks say (draft-ietf-ccwg-bbr).
        TcpBbr3 = "tcp-bbr3",
        /// TCP with a congestion control from outside the engine, which `control` names.
        TcpExternal = "tcp-external",
        /// UDP (RFC 768).
        Udp = "udp",
    }
}

impl Transport {
    /// The variants of TCP that the engine has itself.
    pub fn built_in_tcp() -> impl Iterator<Item = Transport> {
        Transport::ALL.into_iter().filter(|transport| !matches!(transport, Transport::TcpExternal | Transport::Udp))
    }

    /// How losses are repaired: by `loss_recovery`, or in the way of the variant.
    pub fn recovery(self, tcp: &TcpConfig) -> LossRecovery {
        match (self, tcp.loss_recovery) {
            (Transport::TcpSack | Transport::TcpCubic, LossRecovery::Own) => LossRecovery::Sack,
            (
                Transport::TcpHtcp | Transport::TcpIllinois | Transport::TcpBbr | Transport::TcpBbr3,
                LossRecovery::Own,
            ) => LossRecovery::Rack,
            (_, LossRecovery::Own) if self.lets_choose_recovery() => LossRecovery::NewReno,
            (_, chosen) => chosen,
        }
    }

    /// Selective acknowledgements are exchanged.
    pub fn uses_sack(self, tcp: &TcpConfig) -> bool {
        matches!(self.recovery(tcp), LossRecovery::Sack | LossRecovery::Rack)
    }

    /// Loss recovery is not part of what makes the variant.
    pub fn lets_choose_recovery(self) -> bool {
        !matches!(self, Transport::TcpTahoe | Transport::TcpReno | Transport::TcpVegas | Transport::Udp)
    }
}

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
    }
}

/// What a flow sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum App {
    /// Always more to send (FTP). Over UDP: the next packet is offered whenever the interface queue has room.
    Bulk,
    /// A file of `bytes` bytes; the flow ends when all are acknowledged (TCP) or sent (UDP), and is complete
    /// when all are acknowledged (TCP) or received (UDP).
    File {
        /// File size in bytes.
        bytes: u64,
    },
    /// Constant bit rate: one packet of `packet` bytes every `packet * 8 / rate` seconds.
    Cbr {
        /// Payload bits per second.
        rate: f64,
    },
    /// CBR at `rate` during on periods, silence during off periods, both exponentially distributed.
    OnOff {
        /// Payload bits per second while on.
        rate: f64,
        /// Mean length of an on period.
        on: Span,
        /// Mean length of an off period.
        off: Span,
    },
    /// Packets of `packet` bytes at the instants of a Poisson process: exponential gaps of mean `packet * 8 / rate`.
    Poisson {
        /// Mean payload bits per second.
        rate: f64,
    },
    /// Frames at given instants, each cut into packets of at most `packet` bytes (a video trace).
    Trace {
        /// Instants since the flow's start, in order, and bytes of the frames.
        frames: Vec<(Span, u32)>,
    },
}

/// One flow, as the engine takes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowConfig {
    /// Sending node.
    pub from: u32,
    /// Receiving node.
    pub to: u32,
    /// Transport protocol.
    pub transport: Transport,
    /// Application.
    pub app: App,
    /// Transport payload per packet, in bytes.
    pub packet: u32,
    /// Receiver window in packets (MaxWin).
    pub max_window: u32,
    /// When the application starts.
    pub start: Time,
    /// When the application stops offering data; none: at the end of the run.
    #[serde(default)]
    pub stop: Option<Time>,
    /// When the receiver acknowledges.
    pub ack: AckPolicy,
    /// Longest time an ACK is held back.
    pub ack_delay: Span,
    /// TCP parameters of this flow.
    #[serde(default)]
    pub tcp: TcpConfig,
    /// Name of the group that the flow's results are added up in.
    #[serde(default)]
    pub group: Option<String>,
    /// The congestion control of `tcp-external`.
    #[serde(default)]
    pub control: Option<ControlName>,
}

/// A congestion control that lives outside the engine, as results name it and as stored runs tell it from others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlName {
    /// Name in results.
    pub name: String,
    /// What changes with its code and its parameters; not read by the engine.
    pub identity: String,
}
