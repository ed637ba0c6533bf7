//! UDP (RFC 768): numbers its datagrams, nothing more.

/// Sending and receiving side of one UDP flow.
#[derive(Debug, Default)]
pub struct Udp {
    next_seq: u64,
}

impl Udp {
    /// The number of the next datagram.
    pub fn send(&mut self) -> u64 {
        self.next_seq += 1;
        self.next_seq - 1
    }
}
