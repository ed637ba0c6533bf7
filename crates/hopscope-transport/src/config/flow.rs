//! A flow: two end nodes, a transport and an application.

use serde::{Deserialize, Serialize};

use super::app::App;
use super::atp::AtpConfig;
use super::control::{ControlChoice, ControlName};
use super::dccp::{DccpConfig, DccpControl};
use super::transport::Transport;
use hopscope_core::config::params::{ParamType, Range};
use hopscope_core::config::section::seconds;
use hopscope_core::error::{BuildError, BuildErrors};
use hopscope_core::units::{Span, Time};
use hopscope_packet::tcp::Opening;
use hopscope_tcp::config::{AckName, AckPolicy, CongestionControl, ConnectionConfig, LossRecovery, TcpConfig, TcpKind};

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
    /// Differentiated services code point of its packets, both ways (RFC 2474): its upper three bits are the user priority.
    #[serde(default)]
    pub dscp: u32,
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
            dscp: 0,
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
            found.extend(WINDOWS.refuse(format_args!("{section}.max_window"), "packets", window));
            found.extend(ACK_DELAYS.refuse(format_args!("{section}.ack_delay"), "s", seconds(self.ack_delay)));
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
