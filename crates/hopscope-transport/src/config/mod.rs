//! Parameters of flows and of the transports besides TCP.

pub mod atp;
pub mod dccp;
pub mod flow;

pub use atp::AtpConfig;
pub use dccp::{DccpConfig, DccpControl};
pub use flow::{App, Codec, ControlChoice, ControlName, FlowConfig, Jitter, Transport};
