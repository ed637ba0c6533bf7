//! What the text of a scenario file means: quantities with units, the values that keys take, places of nodes, patterns of
//! flows, files of positions and frames, and the JSON Schema. The keys themselves are the engine's
//! ([`hopscope_engine::config::schema`]); this crate knows neither Python nor TOML.

pub mod decimal;
pub mod json_schema;
pub mod quantity;
pub mod read;
pub mod value;
pub mod words;
