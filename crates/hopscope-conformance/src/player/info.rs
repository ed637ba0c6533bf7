//! `tcp_info` of the end under test, as Linux counts it (`include/uapi/linux/tcp.h`), and the code that asks for it.

use hopscope_engine::transport::tcp::{ReceiverState, SenderState, TcpSender};

use super::expression::{Expression, Refusal};
use super::{Player, Stop};

/// ssthresh before a loss, in Linux.
const NO_THRESHOLD: f64 = 2_147_483_647.0;
/// States of Linux's congestion control, and of a connection.
const NAMES: [(&str, f64); 13] = [
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
    ("True", 1.0),
    ("False", 0.0),
];

impl Player {
    /// Python of a script: assertions over `tcpi_*`, one a line.
    pub(super) fn judge(&self, line: usize, code: &str) -> Result<(), Stop> {
        for (below, statement) in code.lines().enumerate() {
            let statement = statement.split(" #").next().unwrap_or("").trim().trim_end_matches(';');
            let line = line + below;
            if statement.is_empty() || statement.starts_with('#') || statement.starts_with("print") {
                continue;
            }
            let Some(condition) = statement.strip_prefix("assert") else {
                return Err(Stop::foreign(line, "Python other than assertions"));
            };
            let value = Expression::new(condition).value(&|name| self.look(name));
            match value {
                Ok(0.0) => {
                    return Err(Stop::fail(
                        line,
                        format!("`{}` does not hold: {}", condition.trim(), self.values(condition)),
                    ));
                }
                Ok(_) => {}
                Err(Refusal::Unknown(name)) => return Err(Stop::foreign(line, format!("{name} in an assertion"))),
                Err(Refusal::Syntax(what)) => return Err(Stop::error(line, format!("assertion: {what}"))),
            }
        }
        Ok(())
    }

    /// The values of what a condition names.
    fn values(&self, condition: &str) -> String {
        let names = condition
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .filter(|word| word.starts_with("tcpi_"));
        let mut told: Vec<String> = Vec::new();
        for name in names {
            let text = self.look(name).map(|value| format!("{name} is {value}")).unwrap_or_default();
            if !told.contains(&text) {
                told.push(text);
            }
        }
        told.join(", ")
    }

    fn look(&self, name: &str) -> Option<f64> {
        if let Some((_, value)) = NAMES.iter().find(|(known, _)| *known == name) {
            return Some(*value);
        }
        let sender = self.end.sender()?;
        let micros = |span: hopscope_engine::units::Span| (span.0 / 1_000) as f64;
        Some(match name {
            "tcpi_snd_cwnd" => sender.cwnd().floor(),
            "tcpi_snd_ssthresh" => {
                if sender.ssthresh() >= f64::from(u32::MAX) {
                    NO_THRESHOLD
                } else {
                    sender.ssthresh().floor()
                }
            }
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
            "tcpi_state" => match (sender.state(), self.end.receiver()?.state()) {
                (SenderState::FinWait1, _) => 4.0,
                (SenderState::FinWait2, _) => 5.0,
                (SenderState::TimeWait, _) => 6.0,
                (SenderState::Closed, _) => 7.0,
                (SenderState::SynSent, _) => 2.0,
                (_, ReceiverState::SynReceived) => 3.0,
                (_, ReceiverState::Listen) => 10.0,
                _ => 1.0,
            },
            _ => return None,
        })
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
