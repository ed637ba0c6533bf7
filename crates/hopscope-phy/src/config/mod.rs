//! Parameters of radio and channel, of movement, and what was measured of links.

pub mod layout;
pub mod mobility;
pub mod presets;
pub mod radio;
pub mod traces;

pub use mobility::{MobilityConfig, Movement, PathConfig};
pub use radio::RadioConfig;
pub use traces::LinkTraces;
