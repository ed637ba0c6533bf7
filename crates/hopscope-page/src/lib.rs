//! What a page gets of a run, as JSON under the names of `web/src/engine/api.ts`: its setup, its state, its records.
//!
//! Two engines speak to pages: that of WebAssembly (`hopscope-web`), which a page advances itself, and a live run, which goes at the
//! pace of the clock. Of the latter a [`Feed`] keeps the records for the pages that ask for them.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod answer;
mod feed;
mod names;
mod received;
mod setup;
mod state;

pub use answer::{Answer, list};
pub use feed::{Feed, FeedPart};
pub use names::{only, records_named};
pub use received::Received;
pub use setup::{seconds, setup};
pub use state::{State, state};
