//! What a script says before it starts: which system it was written for, what both ends offered, and own settings.

use hopscope_core::units::Span;
use hopscope_engine::config::tcp::LossRecovery;
use hopscope_engine::config::{AckPolicy, App, CongestionControl, ControlChoice, FlowConfig, TcpConfig, Transport};
use serde_json::{Value, json};

use super::Stop;
use crate::script::{Action, Call, Packet, Script, TcpOption};

/// Bytes of the timestamps option with its padding, which a segment has less room for (RFC 7323 A).
pub(super) const STAMPS: u64 = 12;
/// Segment size where no SYN has one (RFC 9293 3.7.1).
pub(super) const DEFAULT_MSS: u64 = 536;
/// Window without a word about it, in bytes.
const WINDOW: u64 = 65_535;
/// Settings that say nothing about TCP itself.
const SILENT: [&str; 13] = [
    "ip_version",
    "local_ip",
    "remote_ip",
    "gateway_ip",
    "netmask_ip",
    "bind_port",
    "connect_port",
    "mtu",
    "mss",
    "strict_segments",
    "non_fatal",
    "verbose",
    "tcp_ts_ecr_scaled",
];
/// Settings for what the engine leaves out.
const FOREIGN: [(&str, &str); 3] = [
    ("udp_encapsulation", "TCP over UDP"),
    ("psp_udp_port", "PSP encryption"),
    ("tcp_md", "TCP MD5 signatures (RFC 2385)"),
];

/// The system whose defaults a script is played with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum System {
    /// None: the engine with its defaults and what the script sets.
    #[default]
    Engine,
    /// Linux, by its common defaults.
    Linux,
    /// FreeBSD, by its sysctls.
    FreeBsd,
}

impl System {
    /// Those that `--system` takes.
    pub const WORDS: [(&'static str, System); 2] = [("linux", System::Linux), ("freebsd", System::FreeBsd)];

    /// As a verdict names it.
    pub fn name(self) -> &'static str {
        match self {
            System::Engine => "the engine",
            System::Linux => "Linux",
            System::FreeBsd => "FreeBSD",
        }
    }
}

/// The system that the commands of a script are for; none: it has neither a `sysctl` nor the `defaults.sh` of Google's suite.
pub fn system_of(script: &Script) -> Option<System> {
    let says = |text: &str| {
        script.events.iter().any(|event| matches!(&event.what, Action::Command(command) if command.contains(text)))
    };
    match says("sysctl") || says("defaults.sh") {
        true if says("net.inet.") => Some(System::FreeBsd),
        true => Some(System::Linux),
        false => None,
    }
}

/// How a script is played.
#[derive(Debug, Clone)]
pub(super) struct Setup {
    pub(super) flow: FlowConfig,
    pub(super) system: System,
    /// The end under test opens the connection.
    pub(super) active: bool,
    /// Scale of the windows that come in.
    pub(super) scale: u8,
    /// How far instants may be off.
    pub(super) tolerance: i64,
    pub(super) stamps: bool,
    /// Segment size that the script sets for its socket, and the one in the own SYN.
    pub(super) set_mss: Option<u64>,
    pub(super) advertised_mss: Option<u64>,
    /// Window in the own SYN, where the script has one.
    pub(super) window: Option<u32>,
    /// Bytes that the receive buffer holds until they are read; none: the application leaves nothing unread.
    pub(super) buffer: Option<u64>,
}

/// Options of a SYN.
struct Offer<'a>(Option<&'a Packet>);

impl Offer<'_> {
    fn has(&self, wanted: impl Fn(&TcpOption) -> bool) -> bool {
        self.0.is_some_and(|packet| packet.options.iter().flatten().any(wanted))
    }

    fn mss(&self) -> Option<u64> {
        self.0?.option(|option| if let TcpOption::Mss(mss) = option { Some(*mss) } else { None })
    }

    fn scale(&self) -> Option<u8> {
        self.0?.option(|option| if let TcpOption::Scale(scale) = option { Some(*scale) } else { None })
    }

    fn sack(&self) -> bool {
        self.has(|option| *option == TcpOption::SackOk)
    }

    fn stamps(&self) -> bool {
        self.has(|option| matches!(option, TcpOption::Stamps(..)))
    }

    fn ecn(&self) -> bool {
        self.0.is_some_and(|packet| packet.has('E'))
    }
}

/// Reads the settings of a script; `system`: whose defaults it has.
pub(super) fn setup(script: &Script, system: System) -> Result<Setup, Stop> {
    let packets = || {
        script
            .events
            .iter()
            .filter_map(|event| if let Action::Packet(packet) = &event.what { Some(&**packet) } else { None })
    };
    let syn = |out: bool| Offer(packets().find(|packet| packet.out == out && packet.has('S')));
    let (theirs, ours) = (syn(false), syn(true));
    let both = |test: fn(&Offer<'_>) -> bool| {
        // An option counts when both SYNs have it; where the script leaves the own one open, the end offers it.
        test(&theirs) && (ours.0.is_none() || ours.0.is_some_and(|p| p.options.is_none()) || test(&ours))
    };
    let (sack, stamps, ecn) = (both(|offer| offer.sack()), both(|offer| offer.stamps()), theirs.ecn() && ours.ecn());
    if let Some(line) = fast_open(script) {
        return Err(Stop::foreign(line, "TCP Fast Open (RFC 7413)"));
    }
    let (mut tcp, mut control, mut recovery) = base(script, system, sack)?;
    tcp["timestamps"] = json!(stamps);
    tcp["ecn"] = json!(ecn);
    let unsaid = ours.0.is_none_or(|packet| packet.options.is_none());
    // A larger shift counts as 14 (RFC 7323 2.3).
    let scale = if unsaid || ours.scale().is_some() { theirs.scale().unwrap_or(0).min(14) } else { 0 };
    let set_mss = set_mss(script);
    let mss = theirs.mss().unwrap_or(DEFAULT_MSS).min(set_mss.unwrap_or(u64::MAX));
    let mss = mss.saturating_sub(if stamps { STAMPS } else { 0 }).max(1);
    let window = ours.0.and_then(|packet| packet.win).unwrap_or(WINDOW).max(1);
    let mut flow = json!({
        "from": 0, "to": 1, "transport": Transport::Tcp, "app": App::Bulk, "reply": App::Bulk, "packet": mss, "start": 0,
        // So large that the windows of the script are the limit, not this one.
        "max_window": (1_u64 << 14).max(window.div_ceil(mss)),
        "ack": if system == System::Engine { "delayed" } else { "linux-modern" }, "ack_delay": Span::from_millis(200).0,
    });
    if system == System::FreeBsd {
        (flow["ack"], flow["ack_delay"]) = (json!("delayed"), json!(Span::from_millis(40).0));
    }
    // The default of packetdrill.
    let mut tolerance = 4_000;
    let mut buffer = None;
    for setting in &script.settings {
        let wrong = |allowed: &str| {
            Stop::error(setting.line, format!("--{}: found `{}`; {allowed}", setting.name, setting.value))
        };
        let number = || setting.value.parse::<u64>().map_err(|_| wrong("a whole number is allowed"));
        match setting.name.as_str() {
            "tolerance_usecs" => tolerance = number()? as i64,
            "control" => {
                control = word(&setting.value)
                    .ok_or_else(|| wrong("a congestion control is allowed, as in `control` of a flow"))?
            }
            "recovery" => {
                recovery =
                    word(&setting.value).ok_or_else(|| wrong("a recovery is allowed, as in `recovery` of a flow"))?
            }
            "ack" => {
                word::<AckPolicy>(&setting.value)
                    .ok_or_else(|| wrong("an ACK policy is allowed, as in `ack` of a flow"))?;
                flow["ack"] = json!(setting.value);
            }
            "ack_delay_ms" => flow["ack_delay"] = json!(Span::from_millis(number()?).0),
            "buffer" => buffer = Some(number()?.max(1)),
            "window" => flow["max_window"] = json!(number()?.max(1)),
            name if name.starts_with("tcp.") => set(&mut tcp, &name[4..], &setting.value).map_err(|e| wrong(&e))?,
            "tcp_ts_tick_usecs" => tcp["timestamp_clock"] = json!(Span::from_micros(number()?).0),
            name if FOREIGN.iter().any(|(foreign, _)| name.starts_with(foreign)) => {
                let reason =
                    FOREIGN.iter().find(|(foreign, _)| name.starts_with(foreign)).map_or("", |(_, reason)| reason);
                return Err(Stop::foreign(setting.line, reason));
            }
            name if SILENT.contains(&name) => {}
            _ => {
                return Err(Stop::error(
                    setting.line,
                    format!(
                        "--{}: unknown; allowed are --tolerance_usecs, --control, --recovery, --ack, --ack_delay_ms, --window, --buffer, --tcp.KEY and {}",
                        setting.name,
                        SILENT.join(", ")
                    ),
                ));
            }
        }
    }
    let parsed: TcpConfig = serde_json::from_value(tcp).map_err(|e| Stop::error(1, format!("TCP: {e}")))?;
    flow["tcp"] = serde_json::to_value(&parsed).unwrap_or_default();
    let mut flow: FlowConfig = serde_json::from_value(flow).map_err(|e| Stop::error(1, format!("the flow: {e}")))?;
    flow.control = Some(ControlChoice::BuiltIn(control));
    flow.recovery = recovery;
    let active =
        script.events.iter().any(|event| matches!(&event.what, Action::Call(Call { name, .. }) if name == "connect"))
            || packets().next().is_some_and(|first| first.out && first.flags == "S");
    let window = ours.0.and_then(|packet| packet.win).and_then(|window| u32::try_from(window).ok());
    let advertised_mss = set_mss.or(ours.mss());
    Ok(Setup { flow, system, set_mss, advertised_mss, active, scale, tolerance, stamps, window, buffer })
}

/// What the script sets as TCP_MAXSEG.
fn set_mss(script: &Script) -> Option<u64> {
    script.events.iter().find_map(|event| match &event.what {
        Action::Call(Call { name, args, .. }) if name == "setsockopt" && args.get(2)? == "TCP_MAXSEG" => {
            args.get(3)?.trim_matches(['[', ']', ' ']).parse().ok()
        }
        _ => None,
    })
}

/// What a system and the commands of a script set.
fn base(script: &Script, system: System, sack: bool) -> Result<(Value, CongestionControl, LossRecovery), Stop> {
    let mut tcp = serde_json::to_value(TcpConfig::default()).unwrap_or_default();
    let commands: Vec<(usize, &str)> = script
        .events
        .iter()
        .filter_map(|event| {
            if let Action::Command(command) = &event.what { Some((event.line, command.as_str())) } else { None }
        })
        .collect();
    let by_sack = |with: LossRecovery| if sack { with } else { LossRecovery::NewReno };
    if system == System::Engine {
        return Ok((tcp, CongestionControl::NewReno, by_sack(LossRecovery::Sack)));
    }
    let bsd = system == System::FreeBsd;
    tcp["initial_window"] = json!(10);
    tcp["dsack"] = json!(true);
    tcp["prr"] = json!(true);
    let mut control = CongestionControl::Cubic;
    // TCP_RTO_MIN of Linux; rexmit_min of 30 ms and rexmit_slop of 200 ms in FreeBSD.
    tcp["min_rto"] = json!(Span::from_millis(if bsd { 230 } else { 200 }).0);
    for (line, command) in &commands {
        if command.contains("tcp_fastopen") && command.contains("set_sysctls")
            || command.contains("fastopen.client_enable=1")
        {
            return Err(Stop::foreign(*line, "TCP Fast Open (RFC 7413)"));
        }
        if command.contains("udp_tunneling_port=") && !command.contains("udp_tunneling_port=0") {
            return Err(Stop::foreign(*line, "TCP over UDP"));
        }
        for (word, chosen) in [
            ("=reno", CongestionControl::NewReno),
            ("=newreno", CongestionControl::NewReno),
            ("=cubic", CongestionControl::Cubic),
            ("=bbr", CongestionControl::Bbr),
            ("=vegas", CongestionControl::Vegas),
        ] {
            if command.contains(&format!("congestion_control{word}"))
                || command.contains(&format!("cc.algorithm{word}"))
            {
                control = chosen;
            }
        }
    }
    // After the sysctls: what a socket asks for holds against the default of the system.
    for event in &script.events {
        if let Action::Call(call) = &event.what
            && call.name == "setsockopt"
            && call.args.get(2).is_some_and(|name| name == "TCP_CONGESTION")
        {
            let named = call.args.get(3).map(String::as_str).unwrap_or("");
            control = match named.trim_matches(['[', ']', '"', ' ']) {
                "reno" | "newreno" => CongestionControl::NewReno,
                "cubic" => CongestionControl::Cubic,
                "bbr" => CongestionControl::Bbr,
                _ => return Err(Stop::foreign(event.line, "a congestion control that the engine lacks")),
            };
        }
    }
    Ok((tcp, control, by_sack(if bsd { LossRecovery::Sack } else { LossRecovery::Rack })))
}

/// Sets a parameter of TCP: numbers, `true`, `false`, words, and times in milliseconds (`200ms`).
fn set(tcp: &mut Value, key: &str, value: &str) -> Result<(), String> {
    let Some(slot) = tcp.get_mut(key) else { return Err("no parameter of `[tcp]` has this name".to_string()) };
    // What is no JSON is a word, which need not stand between quotes.
    *slot = match value.strip_suffix("ms").and_then(|number| number.parse().ok()) {
        Some(ms) => json!(Span::from_millis(ms).0),
        None => serde_json::from_str(value).unwrap_or_else(|_| json!(value)),
    };
    serde_json::from_value::<TcpConfig>(tcp.clone()).map(|_| ()).map_err(|error| error.to_string())
}

/// A word of one of the engine's choices.
fn word<T: serde::de::DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_value(json!(text)).ok()
}

/// The line of the first segment with the option of TCP Fast Open.
fn fast_open(script: &Script) -> Option<usize> {
    let asks = |packet: &Packet| {
        packet.options.iter().flatten().any(|option| matches!(option, TcpOption::Other(name) if name.starts_with("FO")))
    };
    script
        .events
        .iter()
        .find(|event| matches!(&event.what, Action::Packet(packet) if asks(packet)))
        .map(|event| event.line)
}
