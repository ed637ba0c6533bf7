//! Parameters of the MAC.

pub mod mac;
pub mod presets;

pub use mac::MacConfig;
