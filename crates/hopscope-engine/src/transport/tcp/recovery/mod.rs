//! What ACKs, duplicate ACKs and timeouts make the sender send: one style of loss recovery per file.
//!
//! A style decides when a loss is declared, what is sent again and when the recovery ends; it moves the shared
//! [`Core`] and leaves the size of the window to the algorithm in `cc/`. The set is closed; each style gives the five
//! entry points of [`LossRecovery`].

mod newreno;
mod reno;
mod sack;
mod tahoe;
mod vegas;

use super::Cx;
use super::core::Core;
use crate::config::{TcpConfig, Transport};
use crate::packet::tcp::TcpSegment;

/// The styles.
#[derive(Debug, Clone)]
pub(super) enum LossRecovery {
    Tahoe,
    Reno,
    NewReno(newreno::NewReno),
    Sack(sack::Sack),
    Vegas,
}

impl LossRecovery {
    /// The style of a transport.
    ///
    /// # Panics
    /// For a transport that is not TCP.
    pub(super) fn new(cfg: &TcpConfig, variant: Transport, mss: u64) -> Self {
        match variant {
            Transport::TcpTahoe => LossRecovery::Tahoe,
            Transport::TcpReno => LossRecovery::Reno,
            Transport::TcpVegas => LossRecovery::Vegas,
            Transport::Udp => panic!("UDP has no TCP sender"),
            _ if variant.uses_sack(cfg) => LossRecovery::Sack(sack::Sack::new(cfg.dupack_threshold.max(1), mss)),
            _ => LossRecovery::NewReno(newreno::NewReno::default()),
        }
    }

    /// An ACK of data sent and not yet acknowledged.
    pub(super) fn on_new_ack(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) {
        match self {
            LossRecovery::Tahoe => tahoe::on_new_ack(core, seg.ack, cx),
            LossRecovery::Reno => reno::on_new_ack(core, seg.ack, cx),
            LossRecovery::NewReno(s) => s.on_new_ack(core, seg.ack, cx),
            LossRecovery::Sack(s) => s.on_new_ack(core, seg, cx),
            LossRecovery::Vegas => vegas::on_new_ack(core, seg.ack, cx),
        }
    }

    /// An ACK that repeats the last one while data is outstanding.
    pub(super) fn on_dup_ack(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) {
        match self {
            LossRecovery::Tahoe => tahoe::on_dup_ack(core, cx),
            LossRecovery::Reno => reno::on_dup_ack(core, cx),
            LossRecovery::NewReno(s) => s.on_dup_ack(core, cx),
            LossRecovery::Sack(s) => s.on_dup_ack(core, seg, cx),
            LossRecovery::Vegas => vegas::on_dup_ack(core, cx),
        }
    }

    /// The retransmission timer expired.
    pub(super) fn on_timeout(&mut self, core: &mut Core, cx: &mut Cx) {
        let dupacks = core.dupacks;
        match self {
            LossRecovery::NewReno(s) => s.reset(),
            LossRecovery::Sack(s) => s.on_timeout(core),
            LossRecovery::Tahoe | LossRecovery::Reno | LossRecovery::Vegas => {}
        }
        core.time_out(cx);
        if core.ns2 && matches!(self, LossRecovery::Tahoe) {
            core.dupacks = dupacks; // ns-2's Tahoe goes on counting
        }
        self.send(core, cx);
    }

    /// More may be sent: new data was offered, the connection was set up, or the window moved.
    pub(super) fn send(&mut self, core: &mut Core, cx: &mut Cx) {
        match self {
            LossRecovery::Sack(s) => s.send(core, cx),
            _ => core.send(u32::MAX, cx),
        }
    }
}
