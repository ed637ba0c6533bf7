//! The engine for pages: text of a scenario in, records, states and results out, as JSON.
//!
//! [`session::WorldList`] holds the worlds of a page and knows nothing of WebAssembly. `exports` is the hand of functions that a
//! page calls: it writes a text into memory, calls one, and reads the answer from memory (`web/src/engine`). There is no clock,
//! no file and no code of a user's here; what needs one of these is refused with the command that runs it.

#![deny(unsafe_code)]
#![warn(missing_docs)]

#[cfg(target_family = "wasm")]
mod exports;
mod outside;
mod recorder;
mod request;
pub mod session;
