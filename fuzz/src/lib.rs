//! What is done with an input of each fuzz target. Nothing may panic, and what was read is read again from what is written.

#![forbid(unsafe_code)]

mod octets;
mod texts;

pub use octets::octets;
#[cfg(feature = "scripts")]
pub use texts::script;
pub use texts::{files, scenario};
