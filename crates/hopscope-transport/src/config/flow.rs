//! A flow: two end nodes, a transport and an application.

use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::atp::AtpConfig;
use super::dccp::{DccpConfig, DccpControl};
use hopscope_core::choice;
use hopscope_core::config::params::{ParamType, Range};
use hopscope_core::config::section::seconds;
use hopscope_core::error::{BuildError, BuildErrors};
use hopscope_core::units::{Span, Time};
use hopscope_packet::tcp::Opening;
use hopscope_tcp::config::{
    AckName, AckPolicy, CongestionControl, ConnectionConfig, LossRecovery, TcpConfig, TcpKind, TcpVariant,
};
use hopscope_tcp::congestion_controls;

macro_rules! declare {
    ($($(#[doc = $doc:literal])+ $variant:ident = $_word:literal, $name:ident = $tcp:literal, $_recovery:ident;)+) => {
        choice! {
            /// Transport protocol of a flow; the words `tcp-...` stand for TCP with a congestion control and a
            /// recovery.
            pub enum Transport {
                /// NewReno's window; slow start after every loss (Jacobson 1988).
                TcpTahoe = "tcp-tahoe",
                /// NewReno's window; fast recovery left at the first new ACK (RFC 5681).
                TcpReno = "tcp-reno",
                /// NewReno's window; selective acknowledgements (RFC 2018, RFC 6675).
                TcpSack = "tcp-sack",
                $($(#[doc = $doc])+ $name = $tcp,)+
                /// TCP with a congestion control from outside the engine, which `control` names.
                TcpExternal = "tcp-external",
                /// TCP (RFC 9293) with the congestion control that `control` names, NewReno without one.
                Tcp = "tcp",
                /// UDP (RFC 768).
                Udp = "udp",
                /// DCCP (RFC 4340) with the congestion control that `control` names, CCID 2 without one.
                Dccp = "dccp",
                /// DCCP with the delay-based control for ad hoc networks: `dccp` with `control = "adhoc"` (zhang2006).
                DccpAdhoc = "dccp-adhoc",
                /// ATP: its rate is what the slowest node of the path reports, in feedback once an epoch (Sundaresan et
                /// al. 2003).
                Atp = "atp",
            }
        }

        impl Transport {
            /// What a word of TCP stands for.
            const fn variant(self) -> Option<TcpVariant> {
                match self {
                    Transport::TcpTahoe => Some(TcpVariant::Tahoe),
                    Transport::TcpReno => Some(TcpVariant::Reno),
                    Transport::TcpSack => Some(TcpVariant::Sack),
                    $(Transport::$name => Some(TcpVariant::$variant),)+
                    Transport::TcpExternal => Some(TcpVariant::External),
                    Transport::Tcp | Transport::Udp | Transport::Dccp | Transport::DccpAdhoc | Transport::Atp => None,
                }
            }
        }
    };
}

congestion_controls!(declare);

impl Transport {
    /// The protocol is DCCP.
    pub const fn is_dccp(self) -> bool {
        matches!(self, Transport::Dccp | Transport::DccpAdhoc)
    }

    /// Older words that stand for TCP with a congestion control and a recovery of the engine's own.
    pub fn built_in_tcp() -> impl Iterator<Item = Transport> {
        let is_built_in = |t: &Transport| t.variant().is_some_and(|v| v != TcpVariant::External);
        Transport::ALL.into_iter().filter(is_built_in)
    }

    /// The protocol is TCP.
    pub const fn is_tcp(self) -> bool {
        !matches!(self, Transport::Udp | Transport::Dccp | Transport::DccpAdhoc | Transport::Atp)
    }

    /// Its congestion control and recovery, which is `Own` where the word does not choose it.
    fn stands_for(self) -> Option<(CongestionControl, LossRecovery)> {
        self.variant().map(TcpVariant::stands_for)
    }

    /// What a flow of this transport runs with a congestion control that it names, if it does, and a recovery, which
    /// may be `Own`; none where the protocol is not TCP.
    pub fn tcp_kind(self, control: Option<CongestionControl>, recovery: LossRecovery) -> Option<TcpKind> {
        let (control, own) = match (control, self.stands_for()) {
            _ if !self.is_tcp() => return None,
            (Some(control), _) => (control, LossRecovery::Own),
            (None, Some(pair)) => pair,
            (None, None) => (CongestionControl::NewReno, LossRecovery::Own),
        };
        Some(TcpKind::new(control, if recovery == LossRecovery::Own { own } else { recovery }))
    }

    /// What a flow of this transport runs that chooses nothing else than its `tcp` parameters; plain TCP for UDP.
    pub fn kind(self, tcp: &TcpConfig) -> TcpKind {
        let plain = TcpKind::new(CongestionControl::NewReno, tcp.loss_recovery);
        self.tcp_kind(None, tcp.loss_recovery).unwrap_or(plain)
    }

    /// Loss recovery is not part of what makes the variant.
    pub fn lets_choose_recovery(self) -> bool {
        self.is_tcp() && self.variant().is_none_or(TcpVariant::lets_choose_recovery)
    }
}

choice! {
    /// Law of the gaps between the packets of a CBR application, whose mean is `packet * 8 / rate`.
    pub enum Jitter {
        /// Every gap is the mean: packets at the multiples of it since the start.
        None = "none",
        /// Uniform between half the mean and one and a half of it, each gap from the packet before (ns-2's `random_
        /// 1`).
        Uniform = "uniform",
        /// Exponential: the same packets as `app = "poisson"`.
        Poisson = "poisson",
    }
}

choice! {
    /// How speech is coded, and so how much a lost packet of it costs (ITU-T G.113, Appendix I).
    pub enum Codec {
        /// G.711 whose receiver conceals losses (its Appendix I): Ie 0, Bpl 25.1.
        G711Plc = "g711-plc",
        /// G.711 without concealment: Ie 0, Bpl 4.3.
        G711 = "g711",
        /// G.729A with voice activity detection: Ie 11, Bpl 19.0.
        G729a = "g729a",
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
        /// Law of the gaps between packets.
        #[serde(default = "no_jitter")]
        jitter: Jitter,
        /// It stops after so many packets; 0: it goes on.
        #[serde(default, skip_serializing_if = "is_zero")]
        packets: u64,
    },
    /// CBR at `rate` during on periods, silence during off periods, both exponentially distributed.
    OnOff {
        /// Payload bits per second while on.
        rate: f64,
        /// Mean length of an on period.
        on: Span,
        /// Mean length of an off period.
        off: Span,
        /// It is speech, coded so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        codec: Option<Codec>,
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

// The signature is serde's.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_zero(packets: &u64) -> bool {
    *packets == 0
}

const fn no_jitter() -> Jitter {
    Jitter::None
}

impl App {
    /// CBR at so many payload bits per second, without jitter.
    pub const fn cbr(rate: f64) -> App {
        App::Cbr { rate, jitter: Jitter::None, packets: 0 }
    }
}

/// Receiver windows that a flow takes, in packets.
pub const WINDOWS: Range = Range::within(1.0, 100_000.0);
/// How long an ACK can be held back at most, in seconds.
pub const ACK_DELAYS: Range = Range::above(0.0).up_to(10.0);

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
    /// Application at the receiving node, which sends back over the same TCP connection while this flow lasts; it is
    /// measured as a flow of its own, numbered after all flows of the configuration.
    #[serde(default)]
    pub reply: Option<App>,
    /// Transport payload per packet, in bytes.
    pub packet: u32,
    /// Receiver window in packets (MaxWin).
    pub max_window: u32,
    /// When the application starts.
    pub start: Time,
    /// It starts up to so much later, uniformly at random by the seed.
    #[serde(default)]
    pub start_jitter: Span,
    /// When the application stops offering data; none: at the end of the run.
    #[serde(default)]
    pub stop: Option<Time>,
    /// When the receiver acknowledges.
    pub ack: AckPolicy,
    /// Name of the ACK policy from outside the engine.
    #[serde(default)]
    pub ack_code: Option<AckName>,
    /// Longest time an ACK is held back.
    pub ack_delay: Span,
    /// TCP parameters of this flow.
    #[serde(default)]
    pub tcp: TcpConfig,
    /// DCCP parameters of this flow.
    #[serde(default)]
    pub dccp: DccpConfig,
    /// ATP parameters of this flow.
    #[serde(default)]
    pub atp: AtpConfig,
    /// Name of the group that the flow's results are added up in.
    #[serde(default)]
    pub group: Option<String>,
    /// The congestion control of `tcp`: a word, or the name of one from outside the engine (also with `tcp-external`).
    #[serde(default)]
    pub control: Option<ControlChoice>,
    /// Port at the sending node; none: the lowest free one from 49152 on.
    #[serde(default)]
    pub from_port: Option<u32>,
    /// Port at the receiving node; none: the lowest free one from 5001 on.
    #[serde(default)]
    pub to_port: Option<u32>,
    /// How losses are found and repaired; `own` leaves it to `tcp.loss_recovery`, and that to the congestion control.
    #[serde(default = "own_recovery")]
    pub recovery: LossRecovery,
}

const fn own_recovery() -> LossRecovery {
    LossRecovery::Own
}

impl FlowConfig {
    /// A flow that starts at once and is plain otherwise: packets of 1460 bytes, a receiver window of 32 of them, an
    /// ACK for each, default parameters.
    pub fn new(from: u32, to: u32, transport: Transport, app: App) -> Self {
        FlowConfig {
            from,
            to,
            transport,
            app,
            reply: None,
            packet: 1460,
            max_window: 32,
            start: Time::ZERO,
            start_jitter: Span::ZERO,
            stop: None,
            ack: AckPolicy::Every,
            ack_code: None,
            ack_delay: Span::from_millis(200),
            tcp: TcpConfig::default(),
            dccp: DccpConfig::default(),
            atp: AtpConfig::default(),
            group: None,
            control: None,
            from_port: None,
            to_port: None,
            recovery: LossRecovery::Own,
        }
    }

    /// What the two ends of the flow's connection run, if it runs TCP.
    pub fn connection(&self) -> ConnectionConfig<'_> {
        let FlowConfig { tcp, packet, max_window, ack, ack_delay, ack_code, .. } = self;
        let kind = self.tcp_kind().unwrap_or_else(|| self.transport.kind(tcp));
        let (packet, max_window, ack, ack_delay) = (*packet, *max_window, *ack, *ack_delay);
        ConnectionConfig { kind, tcp, packet, max_window, ack, ack_delay, ack_code: ack_code.as_ref() }
    }

    /// Options of the SYN and the SYN-ACK of the flow, if it runs TCP.
    pub fn opening(&self) -> Opening {
        self.connection().opening()
    }

    /// Control and recovery of the flow, where it runs TCP, as its words choose them.
    pub fn tcp_kind(&self) -> Option<TcpKind> {
        if !self.transport.is_tcp() {
            return None;
        }
        let chosen = match self.recovery {
            LossRecovery::Own => self.tcp.loss_recovery,
            chosen => chosen,
        };
        let control = match &self.control {
            Some(ControlChoice::BuiltIn(control)) => Some(*control),
            Some(ControlChoice::External(_)) => Some(CongestionControl::External),
            // Refused by `check_transport`; until then the flow has to be something.
            Some(ControlChoice::Dccp(_)) => Some(CongestionControl::NewReno),
            None => None,
        };
        self.transport.tcp_kind(control, chosen)
    }

    /// The congestion control of DCCP, as its words choose it.
    pub fn dccp_control(&self) -> DccpControl {
        match &self.control {
            Some(ControlChoice::Dccp(control)) => *control,
            None if self.transport == Transport::DccpAdhoc => DccpControl::Adhoc,
            Some(ControlChoice::BuiltIn(_) | ControlChoice::External(_)) | None => DccpControl::Ccid2,
        }
    }

    /// The transport as results report it: for `tcp` the older word of the same control and recovery or, where there is
    /// none, of the same control; for `dccp` with the control of a word its word.
    pub fn reported_as(&self) -> Transport {
        if self.transport == Transport::Dccp && self.dccp_control() == DccpControl::Adhoc {
            return Transport::DccpAdhoc;
        }
        let Some(kind) = self.tcp_kind().filter(|_| self.transport == Transport::Tcp) else { return self.transport };
        let word = |recovery| Transport::built_in_tcp().find(|t| t.stands_for() == Some((kind.control, recovery)));
        // The pair first: `tcp-reno` and `tcp-newreno` differ by their recovery alone.
        word(kind.recovery).or_else(|| word(LossRecovery::Own)).unwrap_or(self.transport)
    }

    /// Adds the errors of all parameters that lie outside their ranges; `section` stands before their names.
    pub fn outside(&self, section: &str, found: &mut Vec<BuildError>) {
        if self.transport.is_tcp() {
            let window = f64::from(self.max_window);
            found.extend(WINDOWS.refuse(|| format!("{section}.max_window"), "packets", window));
            found.extend(ACK_DELAYS.refuse(|| format!("{section}.ack_delay"), "s", seconds(self.ack_delay)));
        }
        self.tcp.outside(&format!("{section}.tcp"), found);
        self.dccp.outside(&format!("{section}.dccp"), found);
        self.atp.outside(&format!("{section}.atp"), found);
    }

    /// The reply as the flow that is measured: the same parameters the other way round.
    pub fn reversed(&self) -> Option<FlowConfig> {
        let app = self.reply.clone()?;
        Some(FlowConfig { from: self.to, to: self.from, app, reply: None, ..self.clone() })
    }

    /// The name under which the flow's congestion control from outside the engine was handed over.
    pub fn external(&self) -> Option<&ControlName> {
        match &self.control {
            Some(ControlChoice::External(name)) => Some(name),
            Some(ControlChoice::BuiltIn(_) | ControlChoice::Dccp(_)) | None => None,
        }
    }

    /// What is wrong with the words that choose the transport, its congestion control and its recovery; `key` names one
    /// in full.
    pub fn check_transport(&self, key: impl Fn(&str) -> String) -> Vec<BuildError> {
        let word = self.transport.word();
        let mut found = BuildErrors::default();
        let wrong = self.wrong_control();
        let has_control = found.require(wrong.is_none(), key("control"), || wrong.unwrap_or_default());
        let Some(kind) = self.tcp_kind() else {
            found.require(self.recovery == LossRecovery::Own, key("recovery"), || {
                let repair = if self.transport == Transport::Atp {
                    "repairs losses in its own way"
                } else {
                    "repairs no losses"
                };
                format!("found \"{}\"; {word} {repair}", self.recovery.word())
            });
            return found.0;
        };
        let (place, asked) = match self.recovery {
            LossRecovery::Own => ("tcp.loss_recovery", self.tcp.loss_recovery),
            chosen => ("recovery", chosen),
        };
        found.require(asked == LossRecovery::Own || self.transport.lets_choose_recovery(), key(place), || {
            format!("found \"{}\"; {word} is defined by its own loss recovery, only \"own\" is allowed", asked.word())
        });
        found.note_all(self.connection().check_undo(&key));
        if has_control {
            found.note(kind.check(key(place)));
        }
        found.0
    }

    /// Why the congestion control does not go with the transport.
    fn wrong_control(&self) -> Option<String> {
        let word = self.transport.word();
        let chosen = self.control.as_ref().map(ControlChoice::word).unwrap_or_default();
        let external = ControlChoice::BuiltIn(CongestionControl::External);
        match (self.transport, &self.control) {
            (Transport::TcpExternal, Some(ControlChoice::External(_))) => None,
            (Transport::TcpExternal, _) => {
                Some(format!("nothing found; {word} needs the name of its congestion control"))
            }
            (_, None) | (Transport::Dccp, Some(ControlChoice::Dccp(_))) => None,
            (Transport::Tcp, Some(control)) if *control == external => {
                Some("found \"external\"; a congestion control from outside is handed over by its name".to_string())
            }
            (Transport::Tcp, Some(ControlChoice::Dccp(_))) => {
                let all = CongestionControl::CHOICES.join(", ");
                Some(format!("found \"{chosen}\"; it goes with transport \"dccp\", TCP has one of {all}"))
            }
            (Transport::Dccp, Some(_)) => {
                Some(format!("found \"{chosen}\"; DCCP has one of {}", DccpControl::CHOICES.join(", ")))
            }
            (Transport::Tcp, Some(_)) => None,
            (_, Some(_)) => {
                Some(format!("found \"{chosen}\" together with transport \"{word}\"; it goes with transport \"tcp\""))
            }
        }
    }
}

/// A congestion control as a flow names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ControlChoice {
    /// One of the engine's.
    BuiltIn(CongestionControl),
    /// One of DCCP's.
    Dccp(DccpControl),
    /// One from outside.
    External(ControlName),
}

impl ControlChoice {
    /// Its word or its name.
    pub fn word(&self) -> &str {
        match self {
            ControlChoice::BuiltIn(control) => control.word(),
            ControlChoice::Dccp(control) => control.word(),
            ControlChoice::External(name) => &name.name,
        }
    }
}

impl From<ControlName> for ControlChoice {
    fn from(name: ControlName) -> Self {
        ControlChoice::External(name)
    }
}

impl<'de> Deserialize<'de> for ControlChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ControlVisitor)
    }
}

/// Reads a word or the object of a [`ControlName`], with the error message of what was found.
struct ControlVisitor;

impl<'de> Visitor<'de> for ControlVisitor {
    type Value = ControlChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the word of a congestion control, or the name and identity of one from outside")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<ControlChoice, E> {
        // DCCP's words first: an unknown one is then reported with TCP's list, the longer one.
        if let Some(control) = DccpControl::ALL.into_iter().find(|control| control.word() == word) {
            return Ok(ControlChoice::Dccp(control));
        }
        CongestionControl::deserialize(de::value::StrDeserializer::new(word)).map(ControlChoice::BuiltIn)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ControlChoice, A::Error> {
        ControlName::deserialize(de::value::MapAccessDeserializer::new(map)).map(ControlChoice::External)
    }
}

/// A congestion control that lives outside the engine, as results name it and as stored runs distinguish it from
/// others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlName {
    /// Name in results.
    pub name: String,
    /// What changes with its code and its parameters; not read by the engine.
    pub identity: String,
}
