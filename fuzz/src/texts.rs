//! Texts thrown at what reads files: scenarios, files of nodes, movement, frames and traffic, scripts of packetdrill.

use hopscope_engine::world::Reachability;
use hopscope_engine::{simulation, world};
use hopscope_scenario::agreement::Finding;
use hopscope_scenario::document::{self, Document};
use hopscope_scenario::resolve::{Outside, Schema, Shared, Sound, UserControl, resolve};
use hopscope_scenario::value::Value;
use hopscope_scenario::{frames, movement_files, node_files, ns2, toml as written, traffic_files};

/// What files that a scenario names hold.
const NODES: &str = "node,x,y\n0,0,0\n1,200,0\n2,400,0\n";
/// Networks beyond this many nodes or flows are not built: it would take long.
const MOST: usize = 200;

/// Reads a text as every kind of file that a scenario can name.
pub fn files(text: &str) {
    for form in ["auto", "csv", "ns2", "bonnmotion", "fcd"] {
        let _ = node_files::positions(text, "nodes", form, None);
        for area in [None, Some([1000.0, 600.0])] {
            let found = movement_files::movement(text, "movement", form, area, None).unwrap_or_default();
            for path in found.paths {
                assert!(path.is_sorted_by_key(|(at, _)| *at), "{path:?}");
                assert!(path.iter().flat_map(|(_, place)| place).all(|metres| metres.is_finite()), "{path:?}");
            }
        }
    }
    let _ = frames::frames(text, "frames", 25.0);
    let _ = traffic_files::traffic(text, "traffic", 0);
    let script = ns2::read(text, "script", &mut ns2::closed);
    let _ = ns2::import::import(&script, "script", "title");
}

/// Reads a text as a scenario, and has the engine look at it.
pub fn scenario(text: &str) {
    let Ok(Document { values: document, .. }) = document::parse(text) else { return };
    if let Value::Table(keys) = &document {
        let again = document::parse(&written::document(keys)).expect("what is written is TOML");
        assert_eq!(again.values.json(), document.json());
    }
    let schema = Schema::engine();
    let point = resolve(schema, &document, &mut Fixed, &mut Shared::default());
    if point.nodes().len() > MOST {
        return;
    }
    let Some(Sound { config: Ok(config), .. }) = point.sound(schema) else { return };
    if config.flows.len() > MOST {
        return;
    }
    let _ = simulation::estimate(&config);
    if world::problems(&config).is_empty() {
        let _ = world::out_of_reach(&config, &mut Reachability::default());
    }
}

/// Reads a text as a script of packetdrill.
#[cfg(feature = "scripts")]
pub fn script(text: &str) {
    let _ = hopscope_conformance::script::parse(text);
}

/// Files that are always the same, and no classes.
struct Fixed;

impl Outside for Fixed {
    fn text(&mut self, _: &[String], _: &str) -> Result<(String, String), String> {
        Ok(("file".to_string(), NODES.to_string()))
    }

    fn sibling(&mut self, _: &[String], _: &str) -> Option<String> {
        None
    }

    fn is_class(&mut self, _: &[String]) -> bool {
        false
    }

    fn control(&mut self, named: &[String], _: &[String]) -> UserControl {
        let refused: Vec<Finding> = vec![(named.to_vec(), "no class".to_string())];
        UserControl { refused, ..UserControl::default() }
    }
}
