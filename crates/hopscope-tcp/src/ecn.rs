//! Marks that come back (RFC 3168 6.1): heeded once in each window of data.

use hopscope_packet::Ecn;

/// What a sender knows of congestion marks.
#[derive(Debug, Clone)]
pub(super) struct EcnState {
    /// Marks are understood.
    on: bool,
    /// The ACK being handled echoes one.
    echo: bool,
    /// CWR has to be said.
    owes_cwr: bool,
    /// First number not sent when a mark was heeded last.
    heeded: u64,
}

impl EcnState {
    pub(super) fn new(on: bool) -> Self {
        EcnState { on, echo: false, owes_cwr: false, heeded: 0 }
    }

    /// Marks are understood.
    pub(super) fn is_on(&self) -> bool {
        self.on
    }

    /// The ACK being handled echoes a mark: it does not grow the window (RFC 3168 6.1.2).
    pub(super) fn echo(&self) -> bool {
        self.echo
    }

    /// An ACK has come with `ece` or without it.
    pub(super) fn on_ack(&mut self, ece: bool) {
        self.echo = self.on && ece;
    }

    /// It asks for a cut: nothing of the window of data up to `ack` has been answered by one yet.
    pub(super) fn asks_for_cut(&self, ack: u64) -> bool {
        self.echo && ack > self.heeded
    }

    /// The window was cut for it while numbers below `max` have been sent.
    pub(super) fn on_cut(&mut self, max: u64) {
        self.heeded = max;
        self.owes_cwr = true;
    }

    /// A mark has cut the window for the data at `una` already.
    pub(super) fn was_cut_for(&self, una: u64) -> bool {
        una < self.heeded
    }

    /// CWR has to be said, which is done now.
    pub(super) fn take_cwr(&mut self) -> bool {
        std::mem::take(&mut self.owes_cwr)
    }

    /// What a segment says of itself; a repetition or one without data is not to be marked (RFC 3168 6.1.4, 6.1.5).
    pub(super) fn codepoint(&self, is_new_data: bool) -> Ecn {
        if self.on && is_new_data { Ecn::Ect } else { Ecn::NotEct }
    }
}
