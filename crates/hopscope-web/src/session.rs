//! The worlds of a page, and what is asked about a scenario without one.

use hopscope_core::units::{Span, Time};
use hopscope_engine::config::Config;
use hopscope_engine::ledger::Ledger;
use hopscope_engine::record::Record;
use hopscope_engine::results::RunResult;
use hopscope_engine::trace::Filter;
use hopscope_engine::{BuildError, Simulation};
use hopscope_scenario::json_schema;
use hopscope_scenario::point::{self, Point, Problem};
use serde_json::{Value as Json, json};

use crate::outside::Nothing;
use crate::recorder::PageRecorder;
use crate::request::{Kept, Request, shown, whole};
use crate::{setup, state};

/// What a call gives: JSON, or the problems as JSON.
pub type Answer = Result<String, String>;

/// Memory that WebAssembly can have with addresses of 32 bits, bytes; a quarter is left to what surrounds the network.
const MEMORY: f64 = 0.75 * 4_294_967_296.0;

/// The worlds of a page, by their numbers.
#[derive(Debug, Default)]
pub struct Session {
    worlds: Vec<Option<World>>,
}

/// A run under way.
#[derive(Debug)]
struct World {
    simulation: Simulation<PageRecorder>,
}

/// Version of the package, as JSON.
pub fn version() -> String {
    json!(env!("CARGO_PKG_VERSION")).to_string()
}

/// Names of all records, as JSON.
pub fn record_names() -> String {
    json!(Record::NAMES).to_string()
}

/// JSON Schema of scenario files.
///
/// # Errors
/// None but that of serde.
pub fn schema() -> Answer {
    serde_json::to_string(&json_schema::schema()).map_err(|error| refusal(&[whole(error.to_string())]))
}

/// What is wrong with a scenario, what is hardly meant, what a run costs, and why a page cannot run it.
///
/// # Errors
/// The request is none.
pub fn check(given: &str) -> Answer {
    let request = Request::read(given).map_err(|problems| refusal(&problems))?;
    let checked = match read(&request) {
        Ok(point) => {
            let about = |(about, message): &(&str, String)| json!({"about": about, "message": message});
            let mut warnings: Vec<Json> = point.warnings().iter().map(about).collect();
            if !point.swept.is_empty() {
                let message = format!(
                    "a page runs one point of a sweep: the first value of {}; `hopscope check FILE` looks at all of them",
                    point.swept.join(", "),
                );
                warnings.push(json!({"about": "sweep", "message": message}));
            }
            json!({"problems": [], "warnings": warnings, "cost": point.cost, "elsewhere": null})
        }
        Err((problems, elsewhere)) => {
            json!({"problems": shown(&problems), "warnings": [], "cost": null, "elsewhere": elsewhere})
        }
    };
    Ok(checked.to_string())
}

/// Results of a whole run.
///
/// # Errors
/// What is wrong with the scenario.
pub fn run(given: &str) -> Answer {
    let (_, mut simulation) = begun(given, false)?;
    simulation.advance(Span(u64::MAX / 2));
    results(&mut simulation)
}

/// Hash of every frame of a whole run, 16 hexadecimal digits.
///
/// # Errors
/// What is wrong with the scenario.
pub fn hash(given: &str) -> Answer {
    let (_, mut simulation) = begun(given, false)?;
    simulation.advance(Span(u64::MAX / 2));
    Ok(json!(format!("{:016x}", simulation.observer().hash.0)).to_string())
}

impl Session {
    /// Begins a run; gives its number and its setup.
    ///
    /// # Errors
    /// What is wrong with the scenario.
    pub fn open(&mut self, given: &str) -> Answer {
        let (setup, simulation) = begun(given, true)?;
        let place = self.worlds.iter().position(Option::is_none).unwrap_or_else(|| {
            self.worlds.push(None);
            self.worlds.len() - 1
        });
        self.worlds[place] = Some(World { simulation });
        Ok(json!({"world": place, "setup": setup}).to_string())
    }

    /// Advances to an instant in seconds, at most until `most` records lie there; gives how far it has come, and these records.
    ///
    /// # Errors
    /// There is no such run.
    pub fn advance(&mut self, world: u32, until_s: f64, most: u32) -> Answer {
        let world = self.world(world)?;
        // Not a number is no instant: it stays where it is.
        let until = Time((until_s.max(0.0) * 1e9).round() as u64);
        let end = world.simulation.observer().written() + u64::from(most.max(1));
        world.simulation.advance_while(until, |recorder| recorder.written() < end);
        Ok(world.told())
    }

    /// Advances until `frames` more frames have begun, or to the end.
    ///
    /// # Errors
    /// There is no such run.
    pub fn step(&mut self, world: u32, frames: u32) -> Answer {
        let world = self.world(world)?;
        let end = world.simulation.observer().frames + u64::from(frames);
        if frames > 0 {
            world.simulation.advance_while(Time::NEVER, |recorder| recorder.frames < end);
        }
        Ok(world.told())
    }

    /// Chooses the records that are kept from now on.
    ///
    /// # Errors
    /// There is no such run, or no such record.
    pub fn keep(&mut self, world: u32, given: &str) -> Answer {
        let kept: Kept = serde_json::from_str(given).map_err(|error| refusal(&[whole(error.to_string())]))?;
        let filter = kept.filter().map_err(|problems| refusal(&problems))?;
        self.world(world)?.simulation.observe(|recorder, _, _| recorder.keep(filter));
        Ok("null".to_string())
    }

    /// Nodes and flows as they stand.
    ///
    /// # Errors
    /// There is no such run.
    pub fn state(&mut self, world: u32) -> Answer {
        Ok(state::state(&mut self.world(world)?.simulation).to_string())
    }

    /// Results from the end of the warm-up to now.
    ///
    /// # Errors
    /// There is no such run.
    pub fn results(&mut self, world: u32) -> Answer {
        results(&mut self.world(world)?.simulation)
    }

    /// Ends a run and gives its memory back.
    ///
    /// # Errors
    /// There is no such run.
    pub fn free(&mut self, world: u32) -> Answer {
        self.world(world)?;
        self.worlds[world as usize] = None;
        Ok("null".to_string())
    }

    fn world(&mut self, world: u32) -> Result<&mut World, String> {
        let found = self.worlds.get_mut(world as usize).and_then(Option::as_mut);
        found.ok_or_else(|| refusal(&[whole("this run has been freed".to_string())]))
    }
}

impl World {
    /// How far it has come, and in lines of their own the records since the last call.
    fn told(&mut self) -> String {
        let lines = self.simulation.observe(|recorder, _, _| recorder.take_lines());
        let (now, over) = (self.simulation.world().now(), self.simulation.is_over());
        let mut told = format!("{{\"now_s\":{:?},\"over\":{over},\"records\":[", now.as_secs());
        for (number, line) in lines.lines().enumerate() {
            if number > 0 {
                told.push(',');
            }
            told.push_str(line);
        }
        told.push_str("]}");
        told
    }
}

type Refused = (Vec<Problem>, Option<String>);

/// The point that is asked for, or what is wrong with it apart from what a page has not, and that.
fn read(request: &Request) -> Result<Point, Refused> {
    let mut outside = Nothing::default();
    let read = point::read(&request.text, &request.settings(), MEMORY, &mut outside);
    read.map_err(|problems| match outside.refused {
        None => (problems, None),
        Some((key, elsewhere)) => {
            let is_that = |problem: &Problem| problem.message == elsewhere;
            let rest = problems.into_iter().filter(|problem| !is_that(problem)).collect();
            (rest, Some(format!("{}: {elsewhere}", key.join("."))))
        }
    })
}

/// A run that is ready to begin, with its setup.
fn begun(given: &str, is_watched: bool) -> Result<(Json, Simulation<PageRecorder>), String> {
    let refused = |problems: Vec<Problem>| refusal(&problems);
    let request = Request::read(given).map_err(refused)?;
    let filter: Option<Filter> = request.records.filter().map_err(refused)?;
    let point = read(&request).map_err(|(mut problems, elsewhere)| {
        problems.extend(elsewhere.map(whole));
        refusal(&problems)
    })?;
    let config = match request.seed {
        None => point.config.clone(),
        Some(seed) => point.seeded(seed).map_err(refused)?,
    };
    let setup = setup::setup(&config, &point.resolved);
    let flows = config.measured().flows.len();
    let ledger = ledger(&config);
    let recorder =
        if is_watched { PageRecorder::new(filter, ledger, flows) } else { PageRecorder::silent(ledger, flows) };
    let simulation = Simulation::observed(config, recorder);
    let simulation = simulation.map_err(|error: BuildError| refused(point.refused(&[error])))?;
    Ok((setup, simulation))
}

/// The airtime ledger, where the scenario asks for it.
fn ledger(config: &Config) -> Option<Ledger> {
    config.explain.then(|| Ledger::new(&config.clone().with_starts_drawn()))
}

/// The results up to now, as a store keeps them.
fn results(simulation: &mut Simulation<PageRecorder>) -> Answer {
    let mut results: RunResult = simulation.results();
    let ledger =
        simulation.observe(|recorder, now, view| recorder.ledger.as_mut().map(|ledger| ledger.result(now, view)));
    if let Some(ledger) = ledger {
        results.keep_ledger(ledger);
    }
    serde_json::to_string(&results).map_err(|error| refusal(&[whole(error.to_string())]))
}

fn refusal(problems: &[Problem]) -> String {
    shown(problems).to_string()
}
