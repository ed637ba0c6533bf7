//! The window that the peer leaves (SND.WND of RFC 9293), in whole segments.

/// The receiver window: the flow's limit and what the peer advertises, whichever is less.
#[derive(Debug, Clone)]
pub(super) struct PeerWindow {
    segments: u64,
    /// What the peer advertised last, in bytes; `u64::MAX`: nothing yet.
    advertised: u64,
    /// The flow's window in segments.
    limit: u64,
    mss: u64,
    /// It has been probed since it has closed.
    probed: bool,
}

impl PeerWindow {
    pub(super) fn new(limit: u64, mss: u64) -> Self {
        PeerWindow { segments: limit, advertised: u64::MAX, limit, mss, probed: false }
    }

    /// Segments that it takes.
    pub(super) fn segments(&self) -> u64 {
        self.segments
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.segments * self.mss
    }

    /// The flow's limit, in segments.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// The peer takes nothing.
    pub(super) fn is_shut(&self) -> bool {
        self.segments == 0
    }

    /// Takes what a segment advertises, in bytes; true where the window is another than before.
    #[inline]
    pub(super) fn take(&mut self, advertised: u32) -> bool {
        u64::from(advertised) != self.advertised && self.take_other(advertised)
    }

    /// Less than one segment is taken for none, as silly windows are not used (RFC 9293 3.8.6.2.1).
    #[cold]
    fn take_other(&mut self, advertised: u32) -> bool {
        self.advertised = u64::from(advertised);
        let window = (self.advertised / self.mss).min(self.limit);
        std::mem::replace(&mut self.segments, window) != window
    }

    /// A probe has left.
    pub(super) fn note_probe(&mut self) {
        self.probed = true;
    }

    /// It is open again; true where probes have left while it was shut.
    pub(super) fn end_probing(&mut self) -> bool {
        std::mem::take(&mut self.probed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silly_window_is_shut() {
        let mut window = PeerWindow::new(8, 100);
        assert!(!window.take(800) && window.segments() == 8);
        assert!(window.take(450) && window.bytes() == 400);
        assert!(!window.take(499), "the same in whole segments");
        assert!(window.take(99) && window.is_shut());
        assert!(window.take(5000) && window.segments() == 8, "the flow's limit");
    }
}
