//! What the text of a scenario file means: quantities with units, the values that keys take, places of nodes, patterns of
//! flows, files of positions, movement, traffic and frames, and the JSON Schema. The keys themselves are the engine's
//! ([`hopscope_engine::config::schema`]); this crate knows no Python and opens no file.

pub mod agreement;
pub mod bonnmotion_files;
pub mod brought;
pub mod columns;
pub mod decimal;
pub mod document;
pub mod dotted;
pub mod draw;
pub mod fcd_files;
pub mod frames;
pub mod json_schema;
pub mod link_traces;
pub mod movement_files;
pub mod near;
pub mod node_files;
pub mod ns2;
pub mod patterns;
pub mod point;
pub mod quantity;
pub mod read;
pub mod resolve;
pub mod tcl;
pub mod toml;
pub mod topology;
pub mod traffic_files;
pub mod value;
pub mod words;
