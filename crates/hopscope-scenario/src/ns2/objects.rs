//! What objects of ns-2 are asked to do: the simulator, nodes, agents and applications.

use std::borrow::Cow;

use super::agents::{self, Agent, AgentKind, Event, Source, SourceKind};
use super::read::{Flow, HANDLE, Reader};
use super::{Order, Script};
use crate::columns::{finite, shown};

/// Nodes have smaller numbers.
pub const MOST_NODES: u32 = 1_000_000_000;

/// What a value can stand for; agents and applications by their number in the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Object {
    Simulator,
    God,
    Topography,
    Channel,
    Output,
    Node(usize),
    Agent(usize),
    Source(usize),
}

/// Doings of the simulator that only show or write something.
const SHOWS: &[&str] = &[
    "color",
    "flush-trace",
    "initial_node_pos",
    "nam-end-wireless",
    "namtrace-all",
    "namtrace-all-wireless",
    "trace-all",
    "trace-annotate",
    "use-newtrace",
    "use-scheduler",
];

fn number(text: &str, wanted: &str) -> Result<f64, String> {
    finite(text).ok_or_else(|| format!("{}; expected {wanted}", shown(text)))
}

fn count(text: &str) -> Result<u64, String> {
    text.parse::<u64>().map_err(|_| format!("{}; expected a whole number", shown(text)))
}

impl Reader<'_> {
    /// Notes that a statement belongs to a whole script.
    fn whole(&mut self) {
        self.script.whole = self.script.whole.or(Some(self.at));
    }

    /// What `new` makes.
    pub(super) fn made(&mut self, class: &str, arguments: &[&str]) -> Result<String, String> {
        let object = match class {
            "Simulator" => {
                self.whole();
                Object::Simulator
            }
            "Topography" => {
                self.whole();
                Object::Topography
            }
            _ if class.starts_with("Channel") => {
                self.whole();
                Object::Channel
            }
            _ if class.starts_with("Agent") => Object::Agent(self.agent(class)?),
            _ if class.starts_with("Application") => Object::Source(self.source(class)?),
            _ => return Err(format!("{class} is not followed")),
        };
        if !arguments.is_empty() {
            return Err(format!("found {} arguments of new {class}; none is followed", arguments.len()));
        }
        Ok(self.handle(object))
    }

    fn agent(&mut self, class: &str) -> Result<usize, String> {
        let (kind, packet) =
            AgentKind::of(class).ok_or_else(|| format!("{class} is not followed; agents are {}", agents::AGENTS))?;
        let (at, number) = (self.at, self.script.agents.len());
        let mut agent = Agent { at, name: format!("the {class} of this line"), kind, packet, node: None, peer: None };
        self.defaults_of(class, |name, value| agent.set(name, value))?;
        self.script.agents.push(agent);
        Ok(number)
    }

    fn source(&mut self, class: &str) -> Result<usize, String> {
        let kind = SourceKind::of(class)
            .ok_or_else(|| format!("{class} is not followed; applications are {}", agents::SOURCES))?;
        let (at, number) = (self.at, self.script.sources.len());
        let mut source =
            Source { at, name: format!("the {class} of this line"), kind, agent: None, events: Vec::new() };
        self.defaults_of(class, |name, value| source.set(name, value))?;
        self.script.sources.push(source);
        Ok(number)
    }

    /// Sets what the class and those above it have been given, the nearest last.
    fn defaults_of(&self, class: &str, mut set: impl FnMut(&str, &str) -> Result<(), String>) -> Result<(), String> {
        let above = |other: &str| class == other || class.strip_prefix(other).is_some_and(|rest| rest.starts_with('/'));
        let mut given: Vec<_> = self.classes.iter().filter(|(other, ..)| above(other)).collect();
        // Agent before Agent/TCP before Agent/TCP/Reno, whatever the order in the script: OTcl looks at the nearest
        // class first. The sort is stable, so that the later of two values of one class stays the later.
        given.sort_by_key(|(other, ..)| other.len());
        given.iter().try_for_each(|(_, name, value)| set(name, value))
    }

    /// `Class set name value`.
    pub(super) fn of_class(&mut self, class: &str, name: &str, value: &str) -> Result<(), String> {
        if self.now.is_some() {
            return Err(format!("{class} set {name} at a time is not followed"));
        }
        if let Some((kind, packet)) = AgentKind::of(class) {
            let (at, node, peer) = (self.at, None, None);
            // On an agent that nobody keeps, only to refuse here what is wrong rather than at each `new`.
            Agent { at, name: String::new(), kind, packet, node, peer }.set(name, value)?;
        } else if let Some(kind) = SourceKind::of(class) {
            Source { at: self.at, name: String::new(), kind, agent: None, events: Vec::new() }.set(name, value)?;
        } else if class.starts_with("Agent") || class.starts_with("Application") {
            return Err(format!(
                "{class} is not followed; agents are {}, applications {}",
                agents::AGENTS,
                agents::SOURCES
            ));
        } else {
            self.whole();
            let setting = self.setting(value);
            self.script.settings.insert((class.to_string(), name.to_string()), setting);
            return Ok(());
        }
        self.classes.push((class.to_string(), name.to_string(), value.to_string()));
        Ok(())
    }

    /// A variable is set to an object: messages call it so.
    pub(super) fn named(&mut self, value: &str, name: &str) {
        match self.object(value) {
            Some(Object::Agent(number)) => self.script.agents[number].name = name.to_string(),
            Some(Object::Source(number)) => self.script.sources[number].name = name.to_string(),
            _ => {}
        }
    }

    /// `$object method ...`.
    pub(super) fn of_object(&mut self, words: &[Cow<'_, str>]) -> Result<Flow, String> {
        let object = self.object(&words[0]).ok_or("the object is not known")?;
        let rest: Vec<&str> = words[1..].iter().map(|word| &**word).collect();
        let [method, arguments @ ..] = rest.as_slice() else {
            return Err("found an object without a method".to_string());
        };
        match object {
            Object::Simulator => return self.of_simulator(method, arguments),
            Object::God | Object::Output => {}
            Object::Topography | Object::Channel => self.of_topography(method, arguments)?,
            Object::Node(node) => self.of_node(node, method, arguments)?,
            Object::Agent(agent) => self.of_agent(agent, method, arguments)?,
            Object::Source(source) => self.of_source(source, method, arguments)?,
        }
        Ok(Flow::Normal)
    }

    fn of_topography(&mut self, method: &str, arguments: &[&str]) -> Result<(), String> {
        match (method, arguments) {
            ("load_flatgrid", [x, y, ..]) => {
                self.whole();
                let metres = |text: &str| number(text, "a number of metres");
                self.script.area = Some((self.at, [metres(x)?, metres(y)?]));
                Ok(())
            }
            _ => Err(format!("{method} is not followed")),
        }
    }

    fn of_simulator(&mut self, method: &str, arguments: &[&str]) -> Result<Flow, String> {
        match (method, arguments) {
            // `at` of ns-2 takes all words that follow the time.
            ("at", [time, text @ ..]) if !text.is_empty() => self.at_time(time, &text.join(" "))?,
            ("now", []) => self.answers(&format!("{:?}", self.now.unwrap_or(0.0))),
            ("node", []) => {
                self.whole();
                let number = self.script.created;
                if number >= MOST_NODES as usize {
                    return Err(format!("more than {MOST_NODES} nodes"));
                }
                self.script.created += 1;
                self.script.nodes.entry(number).or_default();
                let handle = self.handle(Object::Node(number));
                self.answers(&handle);
            }
            ("node-config", options) => self.options(options)?,
            ("attach-agent", [node, agent]) => {
                let node = self.node(node)?;
                let agent = self.agent_of(agent)?;
                self.script.agents[agent].node = Some(node);
            }
            ("connect", [first, second]) => self.connect(first, second)?,
            ("create-connection", [first, from, second, to, _]) => {
                let (from, to) = (self.node(from)?, self.node(to)?);
                let [first, second] = [first, second].map(|class| self.made(&format!("Agent/{class}"), &[]));
                let (first, second) = (first?, second?);
                for (agent, node) in [(&first, from), (&second, to)] {
                    let agent = self.agent_of(agent)?;
                    self.script.agents[agent].node = Some(node);
                }
                self.connect(&first, &second)?;
                self.answers(&first);
            }
            ("run", []) => {
                self.whole();
                return Ok(Flow::Exit);
            }
            ("halt" | "stop", []) => return Ok(self.ends()),
            (method, _) if SHOWS.contains(&method) => {}
            _ => return Err(format!("{method} of the simulator is not followed")),
        }
        Ok(Flow::Normal)
    }

    /// `at time text`; where a node is sent somewhere the text need not be kept.
    fn at_time(&mut self, time: &str, text: &str) -> Result<(), String> {
        let time = Self::time(time)?;
        let now = self.now.unwrap_or(0.0);
        if time < now {
            return Err(format!("found {time} s, which has passed at {now} s"));
        }
        // Files of movement have millions of such lines, each one statement on one object with nothing to substitute.
        let is_one = !text.contains(['$', '[', '{', ';', '"', '\\', '\n']);
        if is_one && text.starts_with(HANDLE) {
            let words: Vec<Cow<'_, str>> = text.split_whitespace().map(Cow::Borrowed).collect();
            if matches!(self.object(&words[0]), Some(Object::Node(_) | Object::God | Object::Source(_))) {
                // At once, though out of order in time: the orders of a node are sorted in the end.
                let before = self.now.replace(time);
                let found = self.of_object(&words);
                self.now = before;
                return found.map(|_| ());
            }
        }
        self.put_off(time, text)
    }

    fn options(&mut self, options: &[&str]) -> Result<(), String> {
        self.whole();
        if self.now.is_some() {
            return Err("node-config at a time is not followed".to_string());
        }
        if options.len() % 2 != 0 {
            return Err("found an option of node-config without a value".to_string());
        }
        for pair in options.chunks_exact(2) {
            let name = pair[0].strip_prefix('-').ok_or_else(|| format!("{}; expected an option", shown(pair[0])))?;
            // The number of an object means nothing to a reader: `-channel` and `-topoInstance` take any.
            let value = if pair[1].starts_with(HANDLE) { "" } else { pair[1] };
            let setting = self.setting(value);
            self.script.options.insert(name.to_string(), setting);
        }
        Ok(())
    }

    fn node(&self, value: &str) -> Result<usize, String> {
        match self.object(value) {
            Some(Object::Node(node)) => Ok(node),
            _ => Err(format!("{}; expected a node, $node_(NUMBER)", shown(value))),
        }
    }

    fn agent_of(&self, value: &str) -> Result<usize, String> {
        match self.object(value) {
            Some(Object::Agent(agent)) => Ok(agent),
            _ => Err(format!("{}; expected an agent", shown(value))),
        }
    }

    /// Each of two agents sends to the other from now on.
    fn connect(&mut self, first: &str, second: &str) -> Result<(), String> {
        if self.now.is_some() {
            return Err("connect at a time is not followed".to_string());
        }
        let (first, second) = (self.agent_of(first)?, self.agent_of(second)?);
        // Both ways, as Simulator::connect does: a UDP agent with an application at either end sends to the other.
        self.script.agents[first].peer = Some((second, self.at));
        self.script.agents[second].peer = Some((first, self.at));
        Ok(())
    }

    fn of_node(&mut self, node: usize, method: &str, arguments: &[&str]) -> Result<(), String> {
        match (method, arguments) {
            ("set", [axis @ ("X_" | "Y_" | "Z_"), value]) => {
                let value = number(value.trim_matches(['"', ';']), "a number of metres")?;
                if self.now.is_some() {
                    return Err(format!("a node is put elsewhere ({axis}) at a time; setdest moves it"));
                }
                match *axis {
                    "Z_" if value == 0.0 => {}
                    "Z_" => {
                        return Err(format!(
                            "found a height of {value} m; movement in three dimensions is not simulated"
                        ));
                    }
                    axis => {
                        let place = usize::from(axis == "Y_");
                        self.script.nodes.entry(node).or_default().position[place] = Some((self.at, value));
                    }
                }
            }
            ("setdest", [x, y, speed]) => {
                let metres = |text: &str| number(text, "a number of metres");
                let to = [metres(x)?, metres(y)?];
                let speed = number(speed, "a speed in m/s")?;
                if speed < 0.0 {
                    return Err(format!("found a speed of {speed} m/s; expected at least 0 m/s"));
                }
                let order = Order { at: self.at, time: self.now.unwrap_or(0.0), to, speed };
                self.script.nodes.entry(node).or_default().orders.push(order);
            }
            ("setdest", [_, _]) => return Err("found \"\"; expected a speed in m/s".to_string()),
            ("setdest", _) => return Err("expected setdest X Y SPEED".to_string()),
            // `random-motion 1` lets ns-2 draw places by itself, which no file shows.
            ("random-motion", ["0"]) | ("reset", []) | ("color" | "label" | "shape", _) => {}
            _ => return Err(format!("{method} of a node is not followed")),
        }
        Ok(())
    }

    fn of_agent(&mut self, agent: usize, method: &str, arguments: &[&str]) -> Result<(), String> {
        match (method, arguments) {
            ("set", [name, value]) => {
                if self.now.is_some() {
                    return Err(format!("{name} of an agent is set at a time, which is not followed"));
                }
                self.script.agents[agent].set(name, value)?;
            }
            ("attach-source" | "attach-app", [kind]) => {
                let source = self.source(&format!("Application/{kind}"))?;
                self.script.sources[source].agent = Some(agent);
                let handle = self.handle(Object::Source(source));
                self.answers(&handle);
            }
            // They say where to write; what an agent does stays.
            ("trace" | "attach" | "attach-trace" | "tracevar", _) => {}
            _ => return Err(format!("{method} of an agent is not followed")),
        }
        Ok(())
    }

    fn of_source(&mut self, source: usize, method: &str, arguments: &[&str]) -> Result<(), String> {
        let event = match (method, arguments) {
            ("set", [name, value]) => {
                if self.now.is_some() {
                    return Err(format!("{name} of an application is set at a time, which is not followed"));
                }
                return self.script.sources[source].set(name, value);
            }
            ("attach-agent", [agent]) => {
                self.script.sources[source].agent = Some(self.agent_of(agent)?);
                return Ok(());
            }
            ("start", []) => Event::Start,
            ("stop", []) => Event::Stop,
            ("produce", [packets]) => Event::Produce(count(packets)?),
            ("send", [bytes]) => Event::Send(count(bytes)?),
            _ => return Err(format!("{method} of an application is not followed")),
        };
        let time = self.now.unwrap_or(0.0);
        self.script.sources[source].events.push((time, self.at, event));
        Ok(())
    }
}

impl Script {
    /// Puts what happens to nodes and applications in the order of time.
    pub(super) fn sort(&mut self) {
        self.sources.iter_mut().for_each(|source| source.events.sort_by(|a, b| a.0.total_cmp(&b.0)));
        self.nodes.values_mut().for_each(|node| node.orders.sort_by(|a, b| a.time.total_cmp(&b.time)));
    }
}
