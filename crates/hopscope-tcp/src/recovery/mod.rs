//! What ACKs, duplicate ACKs and timeouts make the sender send: one style of loss recovery per file.
//!
//! A style decides when a loss is declared, what is sent again and when the recovery ends; it moves the shared
//! [`Core`] and leaves the size of the window to the algorithm in `transport/control/`. The set is closed; each style
//! gives the five entry points of [`LossRecovery`].

mod counted;
mod frto;
mod newreno;
mod prr;
mod rack;
mod reno;
mod sack;
mod tahoe;
mod undo;
mod vegas;

pub(super) use frto::Frto;
pub(super) use prr::Reduction;
pub(super) use undo::Undo;

use super::Cx;
use super::Timer;
use super::core::Core;
use crate::config::{LossRecovery as Chosen, TcpConfig};
use hopscope_packet::tcp::TcpSegment;

/// The styles.
#[derive(Debug, Clone)]
pub(super) enum LossRecovery {
    Tahoe,
    Reno,
    NewReno(newreno::NewReno),
    Counted(counted::Counted),
    Sack(sack::Sack),
    Rack(rack::Rack),
    Vegas,
}

impl LossRecovery {
    /// The style that a word names.
    pub(super) fn new(cfg: &TcpConfig, chosen: Chosen, mss: u64) -> Self {
        match chosen {
            Chosen::Tahoe => LossRecovery::Tahoe,
            Chosen::Reno => LossRecovery::Reno,
            Chosen::Vegas => LossRecovery::Vegas,
            Chosen::Sack => LossRecovery::Sack(sack::Sack::new(cfg, mss)),
            Chosen::Rack => LossRecovery::Rack(rack::Rack::new(cfg.probe_min)),
            Chosen::NewReno | Chosen::Own if cfg.dupacks_as_sack => LossRecovery::Counted(counted::Counted::default()),
            Chosen::NewReno | Chosen::Own => LossRecovery::NewReno(newreno::NewReno::default()),
        }
    }

    /// An ACK of data sent and not yet acknowledged.
    pub(super) fn on_new_ack(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) {
        if core.echoes_original(seg) {
            return self.undo(core, seg, cx);
        }
        if frto::on_new_ack(core, seg.ack, cx) {
            return;
        }
        match self {
            LossRecovery::Tahoe => tahoe::on_new_ack(core, seg.ack, cx),
            LossRecovery::Reno => reno::on_new_ack(core, seg.ack, cx),
            LossRecovery::NewReno(s) => s.on_new_ack(core, seg.ack, cx),
            LossRecovery::Counted(s) => s.on_new_ack(core, seg.ack, cx),
            LossRecovery::Sack(s) => s.on_new_ack(core, seg, cx),
            LossRecovery::Rack(s) => s.on_new_ack(core, seg, cx),
            LossRecovery::Vegas => vegas::on_new_ack(core, seg.ack, cx),
        }
    }

    /// An ACK that repeats the last one while data is outstanding.
    pub(super) fn on_dup_ack(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) {
        if frto::on_dup_ack(core) {
            return self.send(core, cx);
        }
        match self {
            LossRecovery::Tahoe => tahoe::on_dup_ack(core, cx),
            LossRecovery::Reno => reno::on_dup_ack(core, cx),
            LossRecovery::NewReno(s) => s.on_dup_ack(core, cx),
            LossRecovery::Counted(s) => s.on_dup_ack(core, cx),
            LossRecovery::Sack(s) => s.on_dup_ack(core, seg, cx),
            LossRecovery::Rack(s) => s.on_dup_ack(core, seg, cx),
            LossRecovery::Vegas => vegas::on_dup_ack(core, cx),
        }
    }

    /// The first ACK of new data shows that the recovery under way, or the timeout, was needless.
    #[cold]
    fn undo(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) {
        let acked = seg.ack - core.seq.una();
        match self {
            LossRecovery::NewReno(s) => s.reset(),
            LossRecovery::Counted(s) => s.reset(),
            LossRecovery::Sack(s) => s.undo(core, seg),
            LossRecovery::Rack(s) => s.undo(core, seg),
            LossRecovery::Tahoe | LossRecovery::Reno | LossRecovery::Vegas => {}
        }
        core.loss.end_recovery();
        core.window.inflation = 0.0;
        core.loss.frto.forget();
        core.accept(seg.ack, cx);
        core.seq.skip_to_new();
        core.undo_cut(acked, cx.now);
        self.send(core, cx);
        if let LossRecovery::Rack(s) = self {
            s.after_undo(core, seg, cx);
        }
    }

    /// An ACK has been dealt with. It may be the last one that shows that the recovery before it was needless.
    #[cold]
    pub(super) fn take_dsack(&mut self, core: &mut Core, seg: &TcpSegment, cx: &mut Cx) {
        if core.reports_all_twice(seg) {
            core.undo_cut(0, cx.now);
            self.send(core, cx);
        }
    }

    /// The retransmission timer expired.
    pub(super) fn on_timeout(&mut self, core: &mut Core, cx: &mut Cx) {
        if let LossRecovery::Rack(s) = self {
            if s.takes_timeout(core, cx) {
                return;
            }
        }
        let dupacks = core.loss.dupacks();
        self.forget(core);
        // F-RTO notes what the timeout is about to change; it is not used with RACK.
        let trial = (!matches!(self, LossRecovery::Rack(_))).then(|| frto::before_timeout(core)).flatten();
        core.time_out(cx);
        core.loss.frto.begin(trial);
        if let LossRecovery::Rack(s) = self {
            s.on_timeout(core, cx.now);
        }
        if core.rules.tahoe_counts_on && matches!(self, LossRecovery::Tahoe) {
            core.loss.count_on_from(dupacks); // ns-2's Tahoe goes on counting
        }
        self.send(core, cx);
    }

    /// The sender has stood still and goes on: everything not acknowledged is sent again as the window allows, which
    /// stays as it is.
    pub(super) fn resume(&mut self, core: &mut Core, cx: &mut Cx) {
        self.forget(core);
        // Not `time_out`: standing still has said nothing of congestion.
        core.go_back();
        core.loss.frto.forget();
        core.keep_cut();
        core.timing.restart(cx);
        if let LossRecovery::Rack(s) = self {
            s.on_timeout(core, cx.now);
        }
        self.send(core, cx);
    }

    /// What it believed of the segments under way holds no more.
    fn forget(&mut self, core: &mut Core) {
        match self {
            LossRecovery::NewReno(s) => s.reset(),
            LossRecovery::Counted(s) => s.on_timeout(core),
            LossRecovery::Sack(s) => s.on_timeout(core),
            LossRecovery::Tahoe | LossRecovery::Reno | LossRecovery::Vegas | LossRecovery::Rack(_) => {}
        }
    }

    /// More may be sent: new data was offered, the connection was set up, or the window moved.
    pub(super) fn send(&mut self, core: &mut Core, cx: &mut Cx) {
        match self {
            LossRecovery::Counted(s) => s.send(core, cx),
            LossRecovery::Sack(s) => s.send(core, cx),
            LossRecovery::Rack(s) => s.send(core, cx),
            _ => core.send(u32::MAX, cx),
        }
    }

    /// A timer that only this style knows has expired.
    pub(super) fn on_timer(&mut self, core: &mut Core, timer: Timer, cx: &mut Cx) {
        if let LossRecovery::Rack(s) = self {
            s.on_timer(core, timer, cx);
        }
    }

    /// Nothing will be sent any more.
    pub(super) fn retire(&mut self, cx: &mut Cx) {
        if let LossRecovery::Rack(s) = self {
            s.retire(cx);
        }
    }
}
