//! One point of a scenario text with settings, checked as `hopscope check` does before anything runs.

use hopscope_engine::BuildError;
use hopscope_engine::config::Config;
use hopscope_engine::config::schema;
use hopscope_engine::simulation::{self, Estimate};
use hopscope_engine::world::{self, Reachability};

use crate::document::{self, Fault, Locations};
use crate::dotted;
use crate::quantity;
use crate::resolve::{self, Outside, Path, Resolved, Schema, Shared, Sound, Warning};
use crate::value::Value;

/// Something that is wrong with a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFault {
    /// Dotted key; empty for the text as a whole.
    pub key: String,
    /// What was found and what is allowed.
    pub message: String,
    /// Line and column in the text, from 1; none of a key that was set from outside.
    pub at: Option<(usize, usize)>,
}

/// A text that can be run.
pub struct ResolvedDocument {
    /// What it means.
    pub resolved: Resolved,
    /// Its configuration with its own seed.
    pub config: Config,
    /// Keys of its sweep, which stand at their first values here.
    pub swept: Vec<String>,
    /// Rough cost of a run.
    pub cost: Estimate,
    places: Places,
}

/// Where the keys of a text stand, and which were set from outside.
struct Places {
    locations: Locations,
    set: Vec<Vec<Path>>,
}

impl ResolvedDocument {
    /// What is allowed but hardly meant.
    pub fn warnings(&self) -> Vec<Warning> {
        self.resolved.warnings()
    }

    /// The configuration of a run with a seed.
    ///
    /// # Errors
    /// The engine refuses it with this seed, whose field of nodes may be another one.
    pub fn seeded(&self, seed: u64) -> Result<Config, Vec<KeyFault>> {
        let config = self.resolved.engine_config(Schema::engine(), seed);
        let config = config.map_err(|error| vec![self.places.problem(&[], error)])?;
        let found = all_problems(&config, &mut Reachability::default());
        if found.is_empty() { Ok(config) } else { Err(self.refused(&found)) }
    }

    /// What the engine has refused, by the keys of the scenario.
    pub fn refused(&self, found: &[BuildError]) -> Vec<KeyFault> {
        found
            .iter()
            .map(|error| self.places.problem(&self.resolved.key_of(&error.key), error.message.clone()))
            .collect()
    }
}

/// Everything that is wrong with a configuration; of one without mistakes, the flows out of reach.
pub fn all_problems(config: &Config, reachability: &mut Reachability) -> Vec<BuildError> {
    let problems = world::problems(config);
    // Routes are only searched in a network that can be built.
    if problems.is_empty() { world::out_of_reach(config, reachability) } else { problems }
}

/// Reads a text with dotted keys set; of a sweep the first point. A run may take `memory` bytes.
///
/// # Errors
/// Everything that is wrong, in the order of the text.
pub fn read(
    text: &str,
    settings: &[(String, Value)],
    memory: f64,
    outside: &mut dyn DocumentOutside,
) -> Result<ResolvedDocument, Vec<KeyFault>> {
    let numbered: Vec<&str> = schema::tables().iter().filter(|table| table.many).map(|table| table.name).collect();
    let (mut values, mut places) = with_settings(text, settings, &numbered)?;
    let swept = first_point(&mut values, &mut places, &numbered)?;
    outside.knows(&values);
    let mut shared = Shared::default();
    let schema = Schema::engine();
    let resolved = resolve::resolve(schema, &values, outside.outside(), &mut shared);
    let mut problems: Vec<KeyFault> =
        resolved.findings.iter().map(|(path, message)| places.problem(path, message.clone())).collect();
    let sound = resolved.sound(schema);
    let cost = match &sound {
        Some(Sound { config: Ok(config), .. }) => simulation::estimate(config).ok(),
        _ => None,
    };
    match cost.filter(|cost| problems.is_empty() && cost.memory_bytes > memory) {
        Some(cost) => {
            let message = format!(
                "a run is estimated at {:.1} GB of memory, and there are {:.1} GB: fewer nodes or a larger field are needed",
                cost.memory_bytes / 1e9,
                memory / 1e9,
            );
            problems.push(places.problem(&["topology".to_string()], message));
        }
        None => problems.extend(engine_problems(&resolved, sound.as_ref(), &places)),
    }
    problems.extend(places.idle(&resolved));
    if let (true, Some(Sound { config: Ok(config), .. }), Some(cost)) = (problems.is_empty(), sound, cost) {
        return Ok(ResolvedDocument { resolved, config, swept, cost, places });
    }
    // Those of keys that stand in the text in its order; a problem that two checks have found is said once.
    problems.sort_by_key(|problem| problem.at.unwrap_or_default());
    let mut found: Vec<KeyFault> = Vec::new();
    problems.into_iter().for_each(|problem| {
        if !found.contains(&problem) {
            found.push(problem);
        }
    });
    Err(found)
}

/// The values of a text with dotted keys set, and where they stand.
fn with_settings(
    text: &str,
    settings: &[(String, Value)],
    numbered: &[&str],
) -> Result<(Value, Places), Vec<KeyFault>> {
    let document = document::read(text.as_bytes()).map_err(|faults| {
        let problem = |fault: Fault| KeyFault { key: String::new(), message: fault.message, at: Some(fault.at) };
        faults.into_iter().map(problem).collect::<Vec<_>>()
    })?;
    let mut values = document.values;
    let mut places = Places { locations: document.locations, set: Vec::new() };
    let mut problems = Vec::new();
    for (key, value) in settings {
        match dotted::assign(&mut values, key, value, numbered) {
            Ok(paths) => places.set.push(paths),
            Err(message) => problems.push(KeyFault { key: key.clone(), message, at: None }),
        }
    }
    if problems.is_empty() { Ok((values, places)) } else { Err(problems) }
}

/// An outside that knows the document it is asked about.
pub trait DocumentOutside {
    /// The document with all its settings.
    fn knows(&mut self, values: &Value);

    /// Who is asked.
    fn outside(&mut self) -> &mut dyn Outside;
}

/// What only the engine can report, such as a destination that no static route reaches.
fn engine_problems(resolved: &Resolved, sound: Option<&Sound>, places: &Places) -> Vec<KeyFault> {
    let Some(sound) = sound else { return Vec::new() };
    let found = match &sound.config {
        Ok(config) => all_problems(config, &mut Reachability::default()),
        Err(error) => vec![BuildError::new("config", error.clone())],
    };
    let reported = found.iter().map(|error| resolved.reported(sound, &error.key, &error.message));
    reported.map(|(path, message)| places.problem(&path, message)).collect()
}

/// Puts the first value of every axis in its place and gives the keys.
fn first_point(values: &mut Value, places: &mut Places, numbered: &[&str]) -> Result<Vec<String>, Vec<KeyFault>> {
    let axes = dotted::axes(values);
    if let Value::Table(keys) = values {
        keys.retain(|(name, _)| name != "sweep" || axes.is_empty());
    }
    let mut problems = Vec::new();
    let mut swept = Vec::new();
    for (path, key, spec) in axes {
        let at: Path = std::iter::once("sweep".to_string()).chain(path).collect();
        let assigned = first_value(&spec).and_then(|value| dotted::assign(values, &key, &value, numbered));
        match assigned {
            // A message about such a key points at the axis that it comes from.
            Ok(paths) => {
                places.locations.stand_for(&at, &paths);
                swept.push(key);
            }
            Err(message) => problems.push(places.problem(&at, message)),
        }
    }
    if problems.is_empty() { Ok(swept) } else { Err(problems) }
}

/// The first value of an axis: of a list, of a range with its step, or of text such as `1..32` or `1,2,4`.
fn first_value(spec: &Value) -> Result<Value, String> {
    let expected = "a list of values, text such as \"1..32\", \"1..32 by 4\" or \"1,2,4\", or { start = .., stop = .., step = .. }";
    match spec {
        Value::List(items) if items.is_empty() => Err("found an empty list; expected at least one value".to_string()),
        Value::List(items) => Ok(items[0].clone()),
        Value::Table(keys) => match keys.iter().find(|(name, _)| name == "start") {
            Some((_, start)) => Ok(start.clone()),
            None => Err("the range lacks start; expected { start = .., stop = .., step = .. }".to_string()),
        },
        Value::Text(text) => {
            let is_range = text.contains("..") && !text.contains(['[', '{', '"', '\'', '/', '\\']);
            if !is_range {
                let first = text.split(',').next().unwrap_or_default().trim();
                return Ok(document::value(text).or_else(|| document::value(first)).map_or_else(
                    || Value::Text(first.to_string()),
                    |value| match value {
                        Value::List(items) if !items.is_empty() => items[0].clone(),
                        other => other,
                    },
                ));
            }
            let (low, rest) = text.split_once("..").unwrap_or_default();
            let high = rest.split(" by").next().unwrap_or_default().split(':').next().unwrap_or_default().trim();
            let (low, unit) = (low.trim(), quantity::split(high).map(|(_, unit)| unit)?);
            // The unit of the other end stands for both: 1..32ms.
            let bare = quantity::split(low)?.1.is_empty();
            let low = if bare { format!("{low}{unit}") } else { low.to_string() };
            Ok(document::value(&low).unwrap_or(Value::Text(low)))
        }
        _ => Err(format!("found {}; expected {expected}", spec.shown())),
    }
}

impl Places {
    /// A problem at a path, placed at the closest key that stands in the text.
    fn problem(&self, path: &[String], message: String) -> KeyFault {
        // What stands below a key that was set from outside is no longer there.
        let is_set = |length: usize| self.set.iter().flatten().any(|set| *set == path[..length]);
        let at = if (0..=path.len()).any(is_set) { None } else { Some(self.locations.nearest(path)) };
        KeyFault { key: path.join("."), message, at }
    }

    /// Keys without effect, unless one that was set with them has one.
    fn idle(&self, resolved: &Resolved) -> Vec<KeyFault> {
        let is_idle = |path: &[String]| resolved.idle.iter().any(|(idle, _)| idle == path);
        let is_excused = |path: &Path| {
            let together = self.set.iter().filter(|set| set.iter().any(|member| member.starts_with(path)));
            together.flatten().any(|member| member.len() >= path.len() && !is_idle(&member[..path.len()]))
        };
        let meant = resolved.idle.iter().filter(|(path, _)| !is_excused(path));
        meant.map(|(path, message)| self.problem(path, message.clone())).collect()
    }
}
