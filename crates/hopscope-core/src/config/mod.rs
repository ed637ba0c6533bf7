//! How parameters are declared, described and checked; the parameters themselves stand with the layers that use them.

pub mod condition;
pub mod params;
pub mod profile;
pub mod section;
