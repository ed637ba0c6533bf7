//! Agents and applications of a script: their classes, variables and defaults (ns-2.35, `ns-default.tcl`).

use super::At;
use super::units;

/// A TCP of ns-2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tcp {
    /// Agent/TCP.
    Tahoe,
    /// Agent/TCP/Reno.
    Reno,
    /// Agent/TCP/Newreno.
    NewReno,
    /// Agent/TCP/Sack1.
    Sack,
    /// Agent/TCP/Vegas.
    Vegas,
}

impl Tcp {
    /// The word of `transport`.
    pub const fn word(self) -> &'static str {
        match self {
            Tcp::Tahoe => "tcp-tahoe",
            Tcp::Reno => "tcp-reno",
            Tcp::NewReno => "tcp-newreno",
            Tcp::Sack => "tcp-sack",
            Tcp::Vegas => "tcp-vegas",
        }
    }
}

/// What an agent is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AgentKind {
    /// A sender of TCP.
    Tcp {
        /// Which.
        tcp: Tcp,
        /// `window_`, packets.
        window: u32,
        /// `windowInit_`, packets, where it is set.
        initial: Option<u32>,
    },
    /// A receiver of TCP.
    Sink {
        /// It holds ACKs back for so many seconds (DelAck).
        delay: Option<f64>,
        /// It sends SACK blocks.
        sack: bool,
    },
    /// Agent/UDP.
    Udp,
    /// What takes packets and answers nothing: Agent/Null, Agent/LossMonitor.
    Null,
}

/// An agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// Where it is made.
    pub at: At,
    /// What the script calls it.
    pub name: String,
    /// What it is.
    pub kind: AgentKind,
    /// `packetSize_`, bytes.
    pub packet: u32,
    /// Its node.
    pub node: Option<usize>,
    /// The agent that `connect` last joined it with, and that statement.
    pub peer: Option<(usize, At)>,
}

/// What an application is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SourceKind {
    /// Application/FTP.
    Ftp,
    /// Application/Traffic/CBR.
    Cbr {
        /// `packetSize_`, bytes.
        packet: u32,
        /// `rate_`, bit/s.
        rate: f64,
        /// `random_`.
        random: bool,
        /// `maxpkts_`.
        packets: u64,
    },
}

/// What happens to an application.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// It starts.
    Start,
    /// It stops.
    Stop,
    /// It has so many packets to send (`produce`).
    Produce(u64),
    /// It has so many bytes to send.
    Send(u64),
}

/// An application.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Where it is made.
    pub at: At,
    /// What the script calls it.
    pub name: String,
    /// What it is.
    pub kind: SourceKind,
    /// Its agent.
    pub agent: Option<usize>,
    /// What happens to it, in the order of time.
    pub events: Vec<(f64, At, Event)>,
}

/// Agents and applications that are followed.
pub const AGENTS: &str = "Agent/TCP, /Reno, /Newreno, /Sack1, /Vegas, Agent/TCPSink, /DelAck, /Sack1, /Sack1/DelAck, \
                          Agent/UDP, Agent/Null, Agent/LossMonitor";
/// Applications that are followed.
pub const SOURCES: &str = "Application/FTP and Application/Traffic/CBR";

/// Variables that label packets and traces, and nothing else.
const LABELS: &[&str] =
    &["class_", "fid_", "prio_", "flags_", "type_", "trace_all_oneline_", "nam_tracevar_", "sport_", "dport_"];

/// Variables of TCP that are followed at ns-2's default alone.
const TCP_DEFAULTS: &[(&str, &str)] = &[
    ("aggressive_maxburst_", "1"),
    ("ecn_", "0"),
    ("maxburst_", "0"),
    ("maxcwnd_", "0"),
    ("minrto_", "0.2"),
    ("numdupacks_", "3"),
    ("overhead_", "0"),
    ("singledup_", "1"),
    ("slow_start_restart_", "true"),
    ("ssthresh_", "0"),
    ("syn_", "true"),
    ("tcpTick_", "0.01"),
    ("v_alpha_", "1"),
    ("v_beta_", "3"),
];

/// Bytes of packets of CBR.
const CBR_PACKET: u32 = 210;
/// Bits per second of CBR.
const CBR_RATE: f64 = 448e3;
/// `maxpkts_` of CBR that is not set: as good as no limit.
pub const UNLIMITED: u64 = 268_435_456;

impl AgentKind {
    /// A class with its default `packetSize_`.
    pub fn of(class: &str) -> Option<(AgentKind, u32)> {
        let tcp = |tcp| (AgentKind::Tcp { tcp, window: 20, initial: None }, 1000);
        // packetSize_ of a sink is the size of its ACKs.
        let sink = |delay, sack| (AgentKind::Sink { delay, sack }, 40);
        Some(match class {
            "Agent/TCP" => tcp(Tcp::Tahoe),
            "Agent/TCP/Reno" => tcp(Tcp::Reno),
            "Agent/TCP/Newreno" => tcp(Tcp::NewReno),
            "Agent/TCP/Sack1" => tcp(Tcp::Sack),
            "Agent/TCP/Vegas" => tcp(Tcp::Vegas),
            "Agent/TCPSink" => sink(None, false),
            "Agent/TCPSink/DelAck" => sink(Some(0.1), false),
            "Agent/TCPSink/Sack1" => sink(None, true),
            "Agent/TCPSink/Sack1/DelAck" => sink(Some(0.1), true),
            "Agent/UDP" => (AgentKind::Udp, 1000),
            "Agent/Null" | "Agent/LossMonitor" => (AgentKind::Null, 210),
            _ => return None,
        })
    }
}

impl SourceKind {
    /// A class.
    pub fn of(class: &str) -> Option<SourceKind> {
        match class {
            "Application/FTP" => Some(SourceKind::Ftp),
            "Application/Traffic/CBR" => {
                Some(SourceKind::Cbr { packet: CBR_PACKET, rate: CBR_RATE, random: false, packets: UNLIMITED })
            }
            _ => None,
        }
    }
}

fn whole(value: &str, least: u32) -> Result<u32, String> {
    let number = value.parse::<u32>().ok().or_else(|| {
        let real = value.parse::<f64>().ok()?;
        // Scripts compute sizes: 1460.0 is a whole number to ns-2.
        (real.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&real)).then_some(real as u32)
    });
    let found = number.filter(|number| *number >= least);
    found.ok_or_else(|| format!("found \"{value}\"; expected a number that is whole and at least {least}"))
}

fn of_defaults(class: &str, defaults: &[(&str, &str)], name: &str, value: &str) -> Result<(), String> {
    if LABELS.contains(&name) {
        return Ok(());
    }
    let same = |known: &str| {
        known == value || matches!((known.parse::<f64>(), value.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
    };
    match defaults.iter().find(|(known, _)| *known == name) {
        Some((_, default)) if same(default) => Ok(()),
        Some((_, default)) => {
            Err(format!("found {name} {value} of {class}; it is followed at ns-2's default alone, {default}"))
        }
        None => Err(format!("the variable {name} of {class} is not followed")),
    }
}

impl Agent {
    /// Sets a variable.
    ///
    /// # Errors
    /// It is not followed, or the value does not fit.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match (&mut self.kind, name) {
            (AgentKind::Tcp { window, .. }, "window_") => *window = whole(value, 1)?,
            (AgentKind::Tcp { initial, .. }, "windowInit_") => *initial = Some(whole(value, 1)?),
            (AgentKind::Tcp { .. } | AgentKind::Udp, "packetSize_") => self.packet = whole(value, 1)?,
            // Only DelAck has an interval_; other sinks do not know the variable.
            (AgentKind::Sink { delay: Some(delay), .. }, "interval_") => *delay = units::seconds(value)?,
            (AgentKind::Tcp { .. }, _) => of_defaults("TCP", TCP_DEFAULTS, name, value)?,
            (AgentKind::Sink { .. }, _) => of_defaults("a TCP sink", &[("packetSize_", "40")], name, value)?,
            (AgentKind::Udp, _) => of_defaults("UDP", &[], name, value)?,
            (AgentKind::Null, _) => of_defaults("a sink", &[], name, value)?,
        }
        Ok(())
    }
}

impl Source {
    /// Sets a variable.
    ///
    /// # Errors
    /// It is not followed, or the value does not fit.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let SourceKind::Cbr { packet, rate, random, packets } = &mut self.kind else {
            return of_defaults("FTP", &[], name, value);
        };
        match name {
            "packetSize_" => *packet = whole(value, 1)?,
            "rate_" => *rate = units::rate(value)?,
            // ns-2 keeps the rate: the gap follows a size that is set later.
            "interval_" => {
                let gap = units::seconds(value)?;
                if gap == 0.0 {
                    return Err("found an interval_ of 0 s; it must be above 0".to_string());
                }
                *rate = f64::from(*packet) * 8.0 / gap;
            }
            "random_" => *random = whole(value, 0)? != 0,
            // The first packet goes out before they are counted.
            "maxpkts_" => *packets = u64::from(whole(value, 0)?).max(1),
            _ => of_defaults("CBR", &[], name, value)?,
        }
        Ok(())
    }
}
