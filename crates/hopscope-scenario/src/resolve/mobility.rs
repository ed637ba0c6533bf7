//! How nodes move: a model with its keys, or the file that gives it.

use std::sync::Arc;

use hopscope_engine::config::schema::Key;
use serde_json::{Value as Json, json};

use super::Resolved;
use super::outside::{Outside, Shared};
use super::reader::{Path as KeyPath, Reader, inside, written};
use super::values::{Layered, Values};
use crate::movement_files::{self, Movement, Path};
use crate::value::Value;

/// The model under which a file shows how nodes move.
const FILE: &str = "file";
/// That under which they stay.
const STATIC: &str = "static";

/// Ending of the file in which BonnMotion says what it has written.
pub(super) const PARAMS: &str = ".params";

/// How nodes move.
#[derive(Debug, Clone, Default)]
pub(super) struct Mobility {
    pub(super) values: Layered,
    /// What the file says.
    pub(super) file: Option<Arc<Movement>>,
}

fn at(name: &str) -> KeyPath {
    inside(&["mobility".to_string()], name)
}

/// Reads the keys; before the topology, which takes its places from a file of movement where the nodes follow it.
pub(super) fn read(reader: &mut Reader<'_>, document: &Value, result: &mut Resolved) {
    let nothing = Value::Table(Vec::new());
    let (keys, defaults) = (reader.schema.table("mobility"), reader.schema.defaults("mobility"));
    let table = written(document, "mobility").unwrap_or(&nothing);
    result.mobility.values = reader.complete(&["mobility".to_string()], table, keys, defaults);
}

/// Completes what depends on the topology: the area, numbers of nodes, and the ways of a file.
pub(super) fn complete(
    reader: &mut Reader<'_>,
    document: &Value,
    outside: &mut dyn Outside,
    shared: &mut Shared,
    result: &mut Resolved,
) {
    if !result.moves() {
        return;
    }
    if let Some(area) = result.area() {
        result.mobility.values.set("area", area);
    }
    if result.follows_file() {
        let own = result.mobility.values.get("path").is_some_and(|path| !path.is_null());
        let named = result.topology.get("kind").and_then(Json::as_str) == Some(FILE);
        if !own && !named {
            if result.placed.is_some() {
                reader.refuse(at("path"), "is missing; model = \"file\" needs the file, here or in [topology]");
            }
            return;
        }
        // The file of the topology serves both, and mistakes in it are reported at the key that names it.
        let key = if own { at("path") } else { ["topology", "path"].map(str::to_string).to_vec() };
        let table = written(document, key[0].as_str()).unwrap_or(&Value::Table(Vec::new())).clone();
        let form = match own {
            true => result.mobility.values.text("format").to_string(),
            false => result.topology.get("format").and_then(Json::as_str).unwrap_or("auto").to_string(),
        };
        if reader.is_refused(&key[..1], "path") || !matches!(table, Value::Table(_)) {
            return;
        }
        match result.movement(&key, &form, outside, shared) {
            Ok(movement) => result.mobility.file = Some(movement),
            Err(message) => reader.refuse(key, message),
        }
        return;
    }
    let has_area = result.mobility.values.get("area").is_some_and(|area| !area.is_null());
    if !has_area && result.placed.is_some() && !reader.is_refused(&["mobility".to_string()], "area") {
        let message = "is missing; expected the width and height of the area in which the nodes move, [x, y] in metres";
        reader.refuse(at("area"), message);
    }
    if let Some(Json::Array(mut nodes)) = result.mobility.values.take("nodes") {
        for node in &mut nodes {
            if let Some(number) = node.as_str().and_then(|word| result.number_of(word)) {
                *node = json!(number);
            }
        }
        result.mobility.values.set("nodes", nodes);
    }
}

impl Resolved {
    /// Some nodes move by themselves.
    pub fn moves(&self) -> bool {
        !["", STATIC].contains(&self.mobility.values.text("model"))
    }

    /// They move as a file describes.
    pub(super) fn follows_file(&self) -> bool {
        self.mobility.values.text("model") == FILE
    }

    /// The area in which they move; by default that of a random topology, or none.
    fn area(&self) -> Option<Json> {
        let own = self.mobility.values.get("area").filter(|area| !area.is_null());
        // The area in which nodes were placed is the one in which they move, unless another one is given.
        own.or_else(|| self.topology.get("area")).cloned()
    }

    /// The ways of the nodes in the file that a key names.
    pub(super) fn movement(
        &self,
        key: &[String],
        form: &str,
        outside: &mut dyn Outside,
        shared: &mut Shared,
    ) -> Result<Arc<Movement>, String> {
        let (name, text) = outside.text(key, "a file of movement")?;
        let area = self.area().and_then(|area| serde_json::from_value::<[f64; 2]>(area).ok());
        let origin = self.mobility.values.text("time_origin");
        // All that the result depends on: points of a sweep share what is the same.
        let label = format!("{name} {form} {area:?} {origin}");
        let movement = match shared.movements.get(&label) {
            Some(known) => Arc::clone(known),
            None => {
                let params = outside.sibling(key, PARAMS);
                let movement = movement_files::movement(&text, &name, form, area, params.as_deref())?;
                let movement = Arc::new(if origin == "first" { movement.from_first() } else { movement });
                shared.movements.insert(label, Arc::clone(&movement));
                movement
            }
        };
        let end = self.top.whole("duration");
        // Not shared: the end of the run may differ from point to point.
        if let Some(first) = movement.first.filter(|first| *first >= end) {
            return Err(format!(
                "{name}: begins at {} s, after the end of the run ({} s); [mobility] time_origin = \"first\" counts from \
                 there",
                first as f64 / 1e9,
                end as f64 / 1e9
            ));
        }
        Ok(movement)
    }
}

impl Mobility {
    /// The engine's keys, of these that the model has; none where nothing moves.
    pub(super) fn lowered(&self, used: &[Key]) -> Vec<(String, Json)> {
        let model = self.values.text("model");
        if ["", STATIC].contains(&model) {
            return Vec::new();
        }
        let of_file = |name: &str| ["path", "format", "time_origin"].contains(&name);
        let given =
            |key: &Key| Some((key.name.clone(), self.values.get(&key.name).filter(|value| !value.is_null())?.clone()));
        let section: Values = used.iter().filter(|key| !of_file(&key.name)).filter_map(given).collect();
        let mut lowered = vec![("mobility".to_string(), Json::Object(section))];
        if let Some(Movement { paths, .. }) = self.file.as_deref() {
            let path = |(node, path): (usize, &Path)| json!({"node": node, "path": path});
            lowered.push(("paths".to_string(), paths.iter().enumerate().map(path).collect()));
        }
        lowered
    }
}
