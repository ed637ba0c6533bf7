//! What the two ends of a connection run.

use super::tcp::{Handshake, SynOptions, TIMESTAMPS_OPTION};
use super::{AckName, AckPolicy, TcpConfig, TcpKind};
use hopscope_core::units::Span;
use hopscope_packet::tcp::Opening;

/// What the two ends of a connection run.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionConfig<'a> {
    /// Congestion control and loss recovery.
    pub kind: TcpKind,
    /// Parameters.
    pub tcp: &'a TcpConfig,
    /// Payload of a full segment, bytes.
    pub packet: u32,
    /// Receiver window, segments.
    pub max_window: u32,
    /// When the receiver acknowledges.
    pub ack: AckPolicy,
    /// Longest time an ACK is held back.
    pub ack_delay: Span,
    /// The ACK policy from outside the engine, if it is one.
    pub ack_code: Option<&'a AckName>,
}

impl<'a> ConnectionConfig<'a> {
    /// A connection of these parameters that acknowledges every second segment within 200 ms (RFC 5681 4.2), with
    /// segments of 1000 bytes and a window of 64.
    pub fn new(kind: TcpKind, tcp: &'a TcpConfig) -> Self {
        let ack_delay = Span::from_millis(200);
        ConnectionConfig { kind, tcp, packet: 1000, max_window: 64, ack: AckPolicy::Delayed, ack_delay, ack_code: None }
    }

    /// Data segments say what their sender may have in flight.
    pub fn signals_window(&self) -> bool {
        self.ack.reads_window() || self.tcp.ack_guard || self.ack_code.is_some_and(|code| code.reads_window)
    }

    /// Data segments learn of their way from the MAC of each hop.
    pub fn reads_path(&self) -> bool {
        self.ack.reads_path() || self.ack_code.is_some_and(|code| code.reads_path)
    }

    /// Bytes of options, of TCP and of the network header, in each data segment.
    pub fn data_options(&self) -> u32 {
        let tcp = &self.tcp;
        let stamps = if tcp.timestamps { TIMESTAMPS_OPTION } else { 0 };
        let path = if self.reads_path() { tcp.path_option } else { 0 };
        stamps + path + self.order_options()
    }

    /// Bytes of the options in which a data segment says what may be in flight, and its number.
    pub fn order_options(&self) -> u32 {
        let window = if self.signals_window() { self.tcp.window_option } else { 0 };
        window + if self.tcp.door { self.tcp.door_option } else { 0 }
    }

    /// Options of the SYN and the SYN-ACK. The window is scaled by as little as it can be.
    pub fn opening(&self) -> Opening {
        let options = self.tcp.syn_options;
        if self.tcp.handshake != Handshake::ThreeWay || options == SynOptions::None {
            return Opening::default();
        }
        let size = u16::try_from(self.packet + self.data_options()).unwrap_or(u16::MAX);
        Opening {
            segment_size: (options == SynOptions::All).then_some(size),
            sack_permitted: self.kind.uses_sack(),
            window_scale: Some(Opening::scale_of(u64::from(self.packet) * u64::from(self.max_window))),
        }
    }
}
