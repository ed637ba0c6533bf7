//! Parameters of TCP, and what the two ends of a connection run.

pub mod ack;
mod connection;
mod controls;
pub mod presets;
pub mod tcp;
mod tcp_choices;
mod tcp_kind;
mod undo;
mod variant;

pub use ack::{AckName, AckPolicy};
pub use connection::ConnectionConfig;
pub use tcp::{CongestionControl, LossRecovery, TcpConfig, TcpKind};
pub use variant::TcpVariant;
