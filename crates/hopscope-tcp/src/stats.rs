//! What a sender reports of itself: the state of its connection and its counters.

/// States of the sending side (RFC 9293 3.3.2). With `handshake = ns2` only the first three and `Closed` occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SenderState {
    /// Not opened yet.
    Idle,
    /// The SYN is outstanding.
    SynSent,
    /// Data may flow.
    Established,
    /// The FIN is outstanding; the peer may still send (half-closed).
    FinWait1,
    /// The FIN is acknowledged, that of the peer is awaited.
    FinWait2,
    /// Both FINs are acknowledged; a lost last ACK can still be repeated.
    TimeWait,
    /// Done.
    Closed,
}

/// Counters of a sender.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Segments with data or FIN, repetitions included.
    pub segments_sent: u64,
    /// Those among them that repeat numbers sent before.
    pub retransmissions: u64,
    /// Repetitions of the SYN.
    pub syn_retransmissions: u64,
    /// Retransmission timeouts after the set-up.
    pub timeouts: u64,
    /// Losses found by duplicate ACKs (Vegas: by its fine-grained timeout too).
    pub fast_retransmits: u64,
    /// Times the window was cut, timeouts included.
    pub window_cuts: u64,
    /// Payload bytes acknowledged.
    pub bytes_acked: u64,
    /// Timeouts found needless and undone.
    pub spurious_timeouts: u64,
    /// Recoveries that began before the timer, found needless and undone.
    pub undone_recoveries: u64,
    /// Tail-loss probes (RFC 8985 7).
    pub probes: u64,
    /// Times the node of the sender has lost its route to the other end.
    pub route_failures: u64,
    /// Signs that a packet was overtaken (TCP-DOOR).
    pub overtaken: u64,
}
