//! `tcp_info` of the end under test, as Linux counts it (`include/uapi/linux/tcp.h`), and the code that asks for it.

use hopscope_tcp::{ReceiverState, SenderState, TcpSender};

use super::expression::{Expression, Refusal};
use super::{Player, Stop, System};

/// ssthresh before a loss, in Linux.
const NO_THRESHOLD: f64 = 2_147_483_647.0;
/// States of Linux's congestion control, and of a connection in Linux and in FreeBSD.
const NAMES: [(&str, f64); 24] = [
    ("TCP_CA_Open", 0.0),
    ("TCP_CA_Disorder", 1.0),
    ("TCP_CA_CWR", 2.0),
    ("TCP_CA_Recovery", 3.0),
    ("TCP_CA_Loss", 4.0),
    ("TCP_INFINITE_SSTHRESH", NO_THRESHOLD),
    ("TCP_ESTABLISHED", 1.0),
    ("TCP_FIN_WAIT1", 4.0),
    ("TCP_FIN_WAIT2", 5.0),
    ("TCP_TIME_WAIT", 6.0),
    ("TCP_CLOSE", 7.0),
    ("TCPI_CLOSED", 0.0),
    ("TCPI_LISTEN", 1.0),
    ("TCPI_SYN_SENT", 2.0),
    ("TCPI_SYN_RECEIVED", 3.0),
    ("TCPI_ESTABLISHED", 4.0),
    ("TCPI_CLOSE_WAIT", 5.0),
    ("TCPI_FIN_WAIT_1", 6.0),
    ("TCPI_CLOSING", 7.0),
    ("TCPI_LAST_ACK", 8.0),
    ("TCPI_FIN_WAIT_2", 9.0),
    ("TCPI_TIME_WAIT", 10.0),
    ("True", 1.0),
    ("False", 0.0),
];

impl Player {
    /// Python of a script: assertions over `tcpi_*`, one a line.
    pub(super) fn check_code(&self, line: usize, code: &str) -> Result<(), Stop> {
        for (below, statement) in code.lines().enumerate() {
            let line = line + below;
            // In Python too a `;` stands between statements of one line.
            let statements = statement.split(" #").next().unwrap_or("").split(';').map(str::trim);
            for statement in statements {
                self.check_statement(line, statement)?;
            }
        }
        Ok(())
    }

    /// One statement.
    fn check_statement(&self, line: usize, statement: &str) -> Result<(), Stop> {
        if statement.is_empty() || statement.starts_with('#') || statement.starts_with("print") {
            return Ok(());
        }
        let Some(condition) = statement.strip_prefix("assert") else {
            return Err(Stop::foreign(line, "Python other than assertions"));
        };
        match Expression::new(condition).value(&|name| self.field(name)) {
            Ok(0.0) => {
                let what = format!("`{}` does not hold: {}", condition.trim(), self.values(condition));
                Err(Stop::fail(line, what))
            }
            Ok(_) => Ok(()),
            Err(Refusal::Unknown(name)) => Err(Stop::foreign(line, format!("{name} in an assertion"))),
            Err(Refusal::Syntax(what)) => Err(Stop::error(line, format!("assertion: {what}"))),
        }
    }

    /// The values of what a condition names.
    fn values(&self, condition: &str) -> String {
        let names = condition
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .filter(|word| word.starts_with("tcpi_"));
        let mut texts: Vec<String> = Vec::new();
        for name in names {
            let text = self.field(name).map(|value| format!("{name} is {value}")).unwrap_or_default();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.join(", ")
    }

    fn field(&self, name: &str) -> Option<f64> {
        if let Some((_, value)) = NAMES.iter().find(|(known, _)| *known == name) {
            return Some(*value);
        }
        let sender = self.end.sender()?;
        let micros = |span: hopscope_core::units::Span| (span.0 / 1_000) as f64;
        Some(match name {
            "tcpi_snd_cwnd" => sender.cwnd().floor(),
            "tcpi_snd_ssthresh" => {
                if sender.ssthresh() >= f64::from(u32::MAX) {
                    NO_THRESHOLD
                } else {
                    sender.ssthresh().floor()
                }
            }
            // In segments, of which the last may be a short one.
            "tcpi_unacked" => (sender.outstanding() as f64 / self.setup.flow.packet as f64).ceil(),
            "tcpi_ca_state" => ca_state(sender),
            "tcpi_total_retrans" => sender.stats().retransmissions as f64,
            "tcpi_rto" => micros(sender.rto()),
            "tcpi_rtt" => micros(sender.srtt()?),
            "tcpi_bytes_acked" => sender.stats().bytes_acked as f64,
            "tcpi_snd_mss" => self.setup.flow.packet.into(),
            "tcpi_timeouts" => sender.stats().timeouts as f64,
            "tcpi_probes" => sender.stats().probes as f64,
            "tcpi_window_cuts" => sender.stats().window_cuts as f64,
            "tcpi_spurious_timeouts" => sender.stats().spurious_timeouts as f64,
            "tcpi_undone_recoveries" => sender.stats().undone_recoveries as f64,
            "tcpi_fast_retransmits" => sender.stats().fast_retransmits as f64,
            "tcpi_advmss" => self.setup.advertised_mss? as f64,
            "tcpi_state" => {
                let numbers = if self.setup.system == System::FreeBsd { FREEBSD_STATES } else { LINUX_STATES };
                numbers[self.state() as usize]
            }
            _ => return None,
        })
    }
}

/// States of a connection (RFC 9293 3.3.2).
#[derive(Debug, Clone, Copy)]
enum State {
    Closed,
    Listen,
    SynSent,
    SynReceived,
    Established,
    CloseWait,
    FinWait1,
    Closing,
    LastAck,
    FinWait2,
    TimeWait,
}

/// Numbers of the states, in their order: Linux' include/net/tcp_states.h, FreeBSD's sys/netinet/tcp_fsm.h.
const LINUX_STATES: [f64; 11] = [7.0, 10.0, 2.0, 3.0, 1.0, 8.0, 4.0, 11.0, 9.0, 5.0, 6.0];
const FREEBSD_STATES: [f64; 11] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];

impl Player {
    fn state(&self) -> State {
        let sending = self.end.sender().map_or(SenderState::Closed, |half| half.state());
        let receiving = self.end.receiver().map_or(ReceiverState::Closed, |half| half.state());
        match (sending, receiving) {
            (SenderState::Closed, _) => State::Closed,
            (SenderState::TimeWait, _) => State::TimeWait,
            (SenderState::SynSent, _) => State::SynSent,
            (_, ReceiverState::SynReceived) => State::SynReceived,
            (_, ReceiverState::Listen) if self.sockets.is_asked() => State::Listen,
            (_, ReceiverState::Listen) | (SenderState::Idle, _) => State::Closed,
            (SenderState::FinWait2, _) => State::FinWait2,
            (SenderState::FinWait1, _) if !self.peer_closed => State::FinWait1,
            (SenderState::FinWait1, _) if self.sockets.closed_second => State::LastAck,
            (SenderState::FinWait1, _) => State::Closing,
            (SenderState::Established, _) if self.peer_closed => State::CloseWait,
            (SenderState::Established, _) => State::Established,
        }
    }
}

fn ca_state(sender: &TcpSender) -> f64 {
    match sender.is_repairing() {
        Some(true) => 4.0,
        Some(false) => 3.0,
        None if sender.hears_disorder() => 1.0,
        None => 0.0,
    }
}
