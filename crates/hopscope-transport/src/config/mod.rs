//! Parameters of flows and of the transports besides TCP.

mod app;
pub mod atp;
mod control;
pub mod dccp;
pub mod flow;
mod transport;

pub use app::{App, Codec, Jitter};
pub use atp::AtpConfig;
pub use control::{ControlChoice, ControlName};
pub use dccp::{DccpConfig, DccpControl};
pub use flow::FlowConfig;
pub use transport::Transport;
