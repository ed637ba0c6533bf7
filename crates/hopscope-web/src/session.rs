//! The worlds of a page, and what is asked about a scenario without one.

use hopscope_core::units::Time;
use hopscope_engine::config::Config;
use hopscope_engine::ledger::Ledger;
use hopscope_engine::record::Record;
use hopscope_engine::results::RunResult;
use hopscope_engine::trace::Filter;
use hopscope_engine::{BuildError, Simulation};
use hopscope_page::{list, seconds, setup, state};
use hopscope_scenario::json_schema;
use hopscope_scenario::point::{self, KeyFault, ResolvedDocument};
use serde_json::{Value as Json, json};

use crate::outside::Given;
use crate::recorder::PageRecorder;
use crate::request::{Kept, Request, shown, whole};

/// What a call gives: JSON, or the problems as JSON.
pub type Answer = Result<String, String>;

/// Memory that WebAssembly can have with addresses of 32 bits, bytes; a quarter is left to what surrounds the network.
const MEMORY: f64 = 0.75 * 4_294_967_296.0;

/// The worlds of a page, by their numbers.
#[derive(Debug, Default)]
pub struct WorldList {
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
                    "a page runs one point of a sweep: the first value of {}; `hopscope check FILE` checks them all",
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
    go_on(&mut simulation, Time::NEVER);
    results(&mut simulation)
}

/// Hash of every frame of a whole run, 16 hexadecimal digits.
///
/// # Errors
/// What is wrong with the scenario.
pub fn hash(given: &str) -> Answer {
    let (_, mut simulation) = begun(given, false)?;
    go_on(&mut simulation, Time::NEVER);
    Ok(json!(format!("{:016x}", simulation.observer().hash.0)).to_string())
}

impl WorldList {
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
        Ok(world.go(until, Some(most.max(1)), None))
    }

    /// Advances until `frames` more frames have begun, or to the end.
    ///
    /// # Errors
    /// There is no such run.
    pub fn step(&mut self, world: u32, frames: u32) -> Answer {
        let world = self.world(world)?;
        Ok(if frames > 0 { world.go(Time::NEVER, None, Some(frames)) } else { world.progress() })
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
        let simulation = &mut self.world(world)?.simulation;
        let received = simulation.observer().received.clone();
        serde_json::to_string(&state(simulation, &received)).map_err(|error| refusal(&[whole(error.to_string())]))
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
    /// Goes on to an instant, or until so many records lie there or so many frames have begun.
    fn go(&mut self, until: Time, records: Option<u32>, frames: Option<u32>) -> String {
        self.simulation.observe(|recorder, _, _| recorder.stop_after(records, frames));
        go_on(&mut self.simulation, until);
        self.progress()
    }

    /// How far it has come, and in lines of their own the records since the last call.
    fn progress(&mut self) -> String {
        let lines = self.simulation.observe(|recorder, _, _| recorder.take_lines());
        let (now, over) = (self.simulation.world().now(), self.simulation.is_over());
        format!("{{\"now_s\":{:?},\"over\":{over},\"records\":{}}}", seconds(now), list([lines.as_str()]))
    }
}

/// Advances to an instant, or until its observer has had enough.
fn go_on(simulation: &mut Simulation<PageRecorder>, until: Time) {
    simulation.advance(until.saturating_since(simulation.world().now()));
}

type Refused = (Vec<KeyFault>, Option<String>);

/// The point that is asked for, or what is wrong with it apart from what a page has not, and that.
fn read(request: &Request) -> Result<ResolvedDocument, Refused> {
    let mut outside = Given::new(&request.files);
    let read = point::read(&request.text, &request.settings(), MEMORY, &mut outside);
    read.map_err(|problems| match outside.refused {
        None => (problems, None),
        Some((key, elsewhere)) => {
            let is_that = |problem: &KeyFault| problem.message == elsewhere;
            let rest = problems.into_iter().filter(|problem| !is_that(problem)).collect();
            (rest, Some(format!("{}: {elsewhere}", key.join("."))))
        }
    })
}

/// A run that is ready to begin, with its setup.
fn begun(given: &str, is_watched: bool) -> Result<(Json, Simulation<PageRecorder>), String> {
    let refused = |problems: Vec<KeyFault>| refusal(&problems);
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
    let setup = setup(&config, point.resolved.preset());
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

fn refusal(problems: &[KeyFault]) -> String {
    shown(problems).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAIN: &str = "duration = \"2s\"\nexplain = true\n[topology]\nkind = \"chain\"\nhops = 3\n[[flow]]\nfrom = 0\n\
                         to = \"last\"\ntransport = \"tcp-newreno\"\n";

    fn asked(text: &str, more: Json) -> String {
        let mut request = json!({"text": text});
        if let (Json::Object(request), Json::Object(more)) = (&mut request, more) {
            request.extend(more);
        }
        request.to_string()
    }

    fn read(answer: &str) -> Json {
        serde_json::from_str(answer).expect("JSON")
    }

    fn checked(text: &str, set: Json) -> Json {
        read(&check(&asked(text, json!({"set": set}))).expect("a request"))
    }

    fn opened(session: &mut WorldList, records: Json) -> u32 {
        let opened = read(&session.open(&asked(CHAIN, json!({"records": records}))).expect("a sound scenario"));
        opened["world"].as_u64().expect("a number") as u32
    }

    #[test]
    fn a_sound_scenario_has_a_cost_and_no_problem() {
        let found = checked(CHAIN, json!({}));
        assert_eq!((&found["problems"], &found["elsewhere"]), (&json!([]), &Json::Null));
        assert!(found["cost"]["events"].as_f64().is_some_and(|events| events > 1_000.0), "{found}");
    }

    #[test]
    fn problems_stand_where_their_keys_do() {
        let text = CHAIN.replace("hops = 3", "hops = 3\nhop = 4").replace("\"last\"", "9");
        let found = checked(&text, json!({"mac.queue": "many"}));
        let problems = found["problems"].as_array().expect("a list");
        let shown = |problem: &Json| (problem["key"].clone(), problem["line"].clone(), problem["column"].clone());
        let places: Vec<_> = problems.iter().map(shown).collect();
        assert_eq!(places[0], (json!("mac.queue"), Json::Null, Json::Null));
        assert_eq!(places[1], (json!("topology.hop"), json!(6), json!(1)));
        assert_eq!(problems[1]["message"], "unknown key (did you mean \"hops\"?)");
        assert_eq!(checked("a = [", json!({}))["problems"][0]["line"], json!(1));
        let nowhere = checked(CHAIN, json!({"flow.3.to": 1}));
        assert_eq!(nowhere["problems"][0]["message"], "flow 3 does not exist; the scenario has flows 0 to 0");
    }

    #[test]
    fn what_a_page_has_not_is_refused_with_the_command_that_runs_it() {
        let own = CHAIN.replace("tcp-newreno", "tcp:mine.py:Mine");
        let file = CHAIN.replace("kind = \"chain\"\nhops = 3", "kind = \"file\"\npath = \"nodes.csv\"");
        for (text, what) in [
            (own, "flow.0.transport: \"tcp:mine.py:Mine\" is code of your own"),
            (file, "topology.path: \"nodes.csv\" is a file"),
        ] {
            let found = checked(&text, json!({}));
            assert_eq!((&found["problems"], &found["cost"]), (&json!([]), &Json::Null), "{found}");
            let elsewhere = found["elsewhere"].as_str().expect("a reason");
            assert!(elsewhere.starts_with(what) && elsewhere.contains("`hopscope run FILE` runs it"), "{elsewhere}");
            let refused = run(&asked(&text, json!({}))).expect_err("refused");
            assert_eq!(read(&refused)[0]["message"], *elsewhere);
        }
    }

    #[test]
    fn files_that_were_handed_over_are_read() {
        let text = CHAIN.replace("kind = \"chain\"\nhops = 3", "kind = \"file\"\npath = \"a/nodes.csv\"");
        let files = json!({"a/nodes.csv": "0 0\n200 0\n400 0\n600 0\n"});
        assert_eq!(
            run(&asked(&text, json!({"files": files}))),
            run(&asked(CHAIN, json!({"set": {"topology.spacing": 200}})))
        );
        let wrong = check(&asked(&text, json!({"files": {"a/nodes.csv": "0 0\nfar\n"}}))).expect("a request");
        assert_eq!(read(&wrong)["problems"][0]["key"], "topology.path");
    }

    #[test]
    fn of_a_sweep_the_first_point_is_run() {
        let swept = format!("{CHAIN}[sweep]\n\"topology.hops\" = [2, 3]\nduration = \"1..2\"\n");
        let found = checked(&swept, json!({}));
        assert_eq!(found["warnings"][0]["about"], "sweep");
        let fixed = CHAIN.replace("hops = 3", "hops = 2").replace("2s", "1s");
        let (swept, fixed) = (run(&asked(&swept, json!({}))), run(&asked(&fixed, json!({}))));
        assert_eq!(swept, fixed);
        let refused = checked(&format!("{CHAIN}[sweep]\n\"mac.queue\" = []\n"), json!({}));
        assert_eq!(refused["problems"][0]["message"], "found an empty list; expected at least one value");
        let wrong = checked(&format!("{CHAIN}[sweep]\n\"mac.queue\" = [-1]\n"), json!({}));
        assert_eq!((&wrong["problems"][0]["key"], &wrong["problems"][0]["line"]), (&json!("mac.queue"), &json!(11)));
    }

    #[test]
    fn steps_of_any_length_give_the_run_as_a_whole() {
        let whole = run(&asked(CHAIN, json!({}))).expect("a run");
        let hash = read(&hash(&asked(CHAIN, json!({}))).expect("a run"));
        let mut session = WorldList::default();
        let number = opened(&mut session, json!(true));
        let mut records = 0;
        for part in 1.. {
            let progress = if part % 2 == 0 {
                session.step(number, 7)
            } else {
                session.advance(number, f64::from(part) * 1e-3, 100)
            };
            let progress = read(&progress.expect("a world"));
            records += progress["records"].as_array().map_or(0, Vec::len);
            session.state(number).expect("a world");
            if progress["over"] == json!(true) {
                break;
            }
        }
        // What is overheard takes events of its own.
        let measured = |results: &str| {
            let mut results = read(results);
            results["engine"].take();
            results
        };
        assert_eq!(measured(&session.results(number).expect("a world")), measured(&whole));
        let simulation = &session.world(number).expect("a world").simulation;
        assert_eq!(format!("{:016x}", simulation.observer().hash.0), hash);
        assert_eq!(simulation.observer().written(), records as u64);
        assert!(records > 10_000, "{records}");
        assert!(read(&whole)["ledger"].is_object());
    }

    #[test]
    fn a_call_ends_where_it_has_as_many_records_as_it_may() {
        let mut session = WorldList::default();
        let number = opened(&mut session, json!(true));
        let progress = read(&session.advance(number, 2.0, 500).expect("a world"));
        let found = progress["records"].as_array().expect("a list");
        // The event that fills it is finished: a frame has some records at each of its hearers.
        assert!((500..600).contains(&found.len()), "{}", found.len());
        assert!(progress["now_s"].as_f64().is_some_and(|now| now < 2.0) && progress["over"] == json!(false));
        let later = read(&session.advance(number, 2.0, 500).expect("a world"));
        assert!(later["records"][0]["time"].as_u64() >= found[found.len() - 1]["time"].as_u64());
    }

    #[test]
    fn only_the_records_that_are_wanted_are_kept() {
        let mut session = WorldList::default();
        let number = opened(&mut session, json!(["FrameBegan", "Dropped"]));
        let names = |progress: String| {
            let progress = read(&progress);
            let records = progress["records"].as_array().expect("a list").iter();
            records.map(|record| record["record"].as_str().unwrap_or_default().to_string()).collect::<Vec<_>>()
        };
        let frames = names(session.step(number, 20).expect("a world"));
        assert_eq!(frames, vec!["FrameBegan"; 20]);
        session.keep(number, "false").expect("a world");
        assert_eq!(names(session.step(number, 20).expect("a world")), [""; 0]);
        let refused = session.keep(number, "[\"Frame\"]").expect_err("no such record");
        assert_eq!(read(&refused)[0]["message"], "records: there is no record \"Frame\"");
    }

    #[test]
    fn a_state_shows_who_sends_and_where_packets_go() {
        let mut session = WorldList::default();
        let number = opened(&mut session, json!(false));
        session.step(number, 1).expect("a world");
        let state = read(&session.state(number).expect("a world"));
        let doing = |node: usize| state["nodes"][node]["doing"].clone();
        assert_eq!(
            [0, 1, 2, 3].map(doing),
            ["transmitting", "idle", "idle", "idle"].map(|word| json!(word)),
            "{state}"
        );
        session.step(number, 199).expect("a world");
        let state = read(&session.state(number).expect("a world"));
        let nodes = state["nodes"].as_array().expect("a list");
        let hops: Vec<_> = nodes.iter().map(|node| node["next_hop"][0].clone()).collect();
        assert_eq!(hops, [json!(1), json!(2), json!(3), Json::Null]);
        let flow = &state["flows"][0];
        assert!(flow["cwnd"].as_f64().is_some_and(|cwnd| cwnd >= 1.0) && flow["acked"].as_u64() > Some(0), "{flow}");
        assert!(flow["received_packets"].as_u64() > Some(0), "{flow}");
    }

    #[test]
    fn a_run_that_was_freed_is_no_more_and_its_number_is_used_again() {
        let mut session = WorldList::default();
        let number = opened(&mut session, json!(true));
        assert_eq!(session.free(number), Ok("null".to_string()));
        let gone = session.advance(number, 1.0, 1).expect_err("gone");
        assert_eq!(read(&gone)[0]["message"], "this run has been freed");
        assert_eq!(opened(&mut session, json!(true)), number);
    }

    #[test]
    fn a_seed_makes_another_run() {
        let run = |seed: u64| run(&asked(CHAIN, json!({"seed": seed}))).expect("a run");
        assert_eq!(run(1), super::run(&asked(CHAIN, json!({}))).expect("a run"));
        assert_ne!(run(1), run(2));
    }
}
