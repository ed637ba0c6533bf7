//! TCP judged by packetdrill scripts, without a network and in virtual time.
//!
//! packetdrill (Cardwell et al., USENIX ATC 2013) is a language of packets that come in, packets that must go out, socket calls
//! and assertions, each with its instant. Here [`script`] reads it and [`player`] plays it against the engine's
//! [`Connection`](hopscope_tcp::Connection), the same code that simulations run. What the engine leaves out
//! (what the language can say and a simulation does not need) makes a script *not expressible*, with the reason.
//!
//! | part | idea |
//! |---|---|
//! | `script/` | text to events; errors with file and line |
//! | `player/` | events to inputs of the machines, and what they send against what the script expects |
//! | `expected.rs` | the deviations that are known, each with its reason |
//! | `suite.rs` | a folder of scripts, its verdicts and their table |
//!
//! The project's own suite is in `scripts/`; `cargo run -p hopscope-conformance -- FOLDER` plays any folder.

pub mod expected;
pub mod player;
pub mod script;
pub mod suite;
