//! The loop of a live run.

use std::io;

use hopscope_core::error::BuildError;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::record::{DropReason, Recorder};
use hopscope_engine::results::RunResult;
use hopscope_engine::world::{Arrival, Controls, Doorkeeper, WorldView};
use hopscope_engine::{Config, Simulation};
use hopscope_mac::timing;
use serde::Serialize;
use thiserror::Error;

use crate::books::{Books, reason};
use crate::control::Handle;
use crate::ethernet::{self, Target};
use crate::lateness::{Lateness, LatenessReport, MOST_BEHIND, MOST_SINGLE, Verdict};
use crate::{Clock, Device};

/// What happens where a run misses its time, see [`Verdict::Missed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnLate {
    /// It goes on, and its report says so.
    Warn,
    /// It ends with an error.
    Abort,
}

/// Where frames of real stacks come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// At the link layer: the stacks have chosen the next hop, by tables or daemons of their own.
    Link,
    /// At the network layer: each stack takes all others for neighbours, and the engine routes its packets of IPv4.
    Network,
}

/// How a call of [`Driver::run`] has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The instant has come.
    Reached,
    /// Somebody stopped it.
    Stopped,
}

/// Why a live run cannot go on.
#[derive(Debug, Error)]
pub enum Failure {
    /// A device cannot be read any more.
    #[error("the device of node {node} is gone: {source}")]
    Device {
        /// Its node.
        node: u32,
        /// What the system says.
        source: io::Error,
    },
    /// There is no waiting.
    #[error("cannot wait for frames: {0}")]
    Wait(io::Error),
    /// It has missed its time, and was to be aborted then.
    #[error("the machine is too slow for this run: {0}")]
    Late(String),
}

/// What a live run has come to.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Lateness of deliveries.
    pub lateness_us: LatenessReport,
    /// Share of the deliveries that were more than a millisecond late.
    pub share_above_1ms: f64,
    /// Processor time of its thread over the time that it ran.
    pub core_share: f64,
    /// How its thread was scheduled.
    pub scheduling: String,
    /// What became of frames.
    pub frames: Books,
    /// Whether it may be trusted.
    pub verdict: Verdict,
    /// Why not; empty if it may.
    pub cause: String,
}

/// Octets of the longest frame that is read; what is longer is known by its length.
const ROOM: usize = 1 << 16;

/// Frames that are taken from a device at once: a stack that sends without end must not stop time.
const AT_ONCE: usize = 256;

/// Deliveries between two looks at the verdict of a run that is to be aborted.
const CHECKED_EVERY: u64 = 256;

/// Packet of a data frame whose time the verdict goes by, bytes: the usual MTU.
const USUAL: u32 = 1_500;

/// A simulation at wall-clock time with devices of real stacks, observed by `R`.
#[derive(Debug)]
pub struct Driver<D, C, R: Recorder> {
    simulation: Simulation<(Doorkeeper, R)>,
    duration: Time,
    /// By node.
    devices: Vec<Option<D>>,
    clock: C,
    /// Wall-clock instant of time zero of the simulation, from the first run on.
    origin: Option<u64>,
    handle: Handle<Self>,
    layer: Layer,
    on_late: OnLate,
    books: Books,
    lateness: Lateness,
    /// Wall-clock and processor time spent in runs, nanoseconds.
    spent: (u64, u64),
    scheduling: String,
    longest: usize,
    room: Box<[u8]>,
    ready: Vec<u32>,
}

impl<D: Device, C: Clock, R: Recorder> Driver<D, C, R> {
    /// A live run of a configuration with a device for each node that has a real stack. `wake` ends a wait of the clock from
    /// another thread.
    ///
    /// # Errors
    /// The configuration cannot be run, or a node with a device has no radio.
    pub fn new(
        config: Config,
        mut devices: Vec<Option<D>>,
        clock: C,
        observer: R,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self, BuildError> {
        let (nodes, given) = (config.nodes.len(), devices.len());
        if given > nodes {
            return Err(BuildError::new("taps", format!("found {given}; there are {nodes} nodes")));
        }
        if !config.stations().are_nodes() {
            return Err(BuildError::new("interfaces", "a node on real stacks has one radio"));
        }
        devices.resize_with(nodes, || None);
        let radios = config.radios();
        if let Some(node) = (0..nodes).find(|&node| devices[node].is_some() && !radios[node]) {
            return Err(BuildError::new(format!("taps.{node}"), format!("node {node} has no radio")));
        }
        let (duration, frame) = (config.duration, data_frame(&config));
        let observers = (Doorkeeper::pausing(), observer);
        let simulation = Simulation::controlled(config, observers, &Controls::new())?;
        Ok(Driver {
            longest: simulation.world().longest_frame(),
            simulation,
            duration,
            devices,
            clock,
            origin: None,
            handle: Handle::new(wake),
            layer: Layer::Link,
            on_late: OnLate::Warn,
            books: Books::default(),
            lateness: Lateness::new(frame.0),
            spent: (0, 0),
            scheduling: "as any thread".to_string(),
            room: vec![0; ROOM].into_boxed_slice(),
            ready: Vec::new(),
        })
    }

    /// Where frames come in; without this at the link layer.
    pub fn set_layer(&mut self, layer: Layer) {
        self.layer = layer;
    }

    /// What happens where the run misses its time; without this it goes on.
    pub fn set_on_late(&mut self, on_late: OnLate) {
        self.on_late = on_late;
    }

    /// How its thread is scheduled, for the report.
    pub fn set_scheduling(&mut self, words: String) {
        self.scheduling = words;
    }

    /// A hand on the run, for other threads.
    pub fn handle(&self) -> Handle<Self> {
        self.handle.clone()
    }

    /// The simulation.
    pub fn simulation(&mut self) -> &mut Simulation<(Doorkeeper, R)> {
        &mut self.simulation
    }

    /// Lets the observer act at the present instant.
    pub fn observe<T>(&mut self, act: impl FnOnce(&mut R, Time, &mut WorldView<'_>) -> T) -> T {
        self.simulation.observe(|(_, observer), now, view| act(observer, now, view))
    }

    /// Metrics so far.
    pub fn results(&mut self) -> RunResult {
        self.simulation.results()
    }

    /// Runs up to an instant of the simulation, at most to its end. The wall clock counts from the first call on, also
    /// between calls.
    ///
    /// # Errors
    /// A device is gone, or the run missed its time and was to be aborted.
    pub fn run(&mut self, until: Time) -> Result<Ended, Failure> {
        let (wall, used) = (self.clock.now(), self.clock.processor_time());
        let now = self.simulation.world().now();
        let origin = *self.origin.get_or_insert(wall.saturating_sub(now.0));
        let ended = self.run_from(origin, until.min(self.duration));
        self.spent.0 += self.clock.now() - wall;
        self.spent.1 += self.clock.processor_time() - used;
        ended
    }

    fn run_from(&mut self, origin: u64, until: Time) -> Result<Ended, Failure> {
        // What came while nobody ran is waiting now.
        self.ready = (0..self.devices.len() as u32).collect();
        loop {
            self.serve();
            if self.handle.take_stop() {
                return Ok(Ended::Stopped);
            }
            let due = Time(self.clock.now().saturating_sub(origin)).min(until).max(self.simulation.world().now());
            self.advance(origin, due)?;
            for node in std::mem::take(&mut self.ready) {
                self.take_frames(node)?;
            }
            // Of what finds no room now, the engine speaks at once.
            self.settle(origin)?;
            self.handle.set_now(due);
            if due >= until {
                return Ok(Ended::Reached);
            }
            let next = self.simulation.next_event().map_or(until, |next| next.min(until));
            let wake = origin + next.0;
            self.clock.wait(wake, &mut self.ready).map_err(Failure::Wait)?;
            let behind = self.clock.now().saturating_sub(wake);
            self.lateness.note_behind(behind);
            if behind > MOST_BEHIND {
                self.check_lateness()?;
            }
        }
    }

    /// Does what other threads want done.
    pub fn serve(&mut self) {
        for task in self.handle.take_tasks() {
            task(self);
        }
    }

    /// Has all events up to an instant happen, and hands over what comes out at its own instant.
    fn advance(&mut self, origin: u64, until: Time) -> Result<(), Failure> {
        loop {
            let now = self.simulation.world().now();
            self.simulation.advance(until.saturating_since(now));
            // It has paused where something came out; what is due at the same instant is still to come.
            if !self.settle(origin)? && self.simulation.world().now() >= until {
                return Ok(());
            }
        }
    }

    /// Enters in the books what has become of frames and hands over what came out; true where anything has.
    fn settle(&mut self, origin: u64) -> Result<bool, Failure> {
        let keeper = self.simulation.observe(|(keeper, _), _, _| keeper.take());
        for loss in keeper.lost {
            self.books.lose(loss.number, loss.reason.name());
        }
        for number in keeper.sent {
            self.books.leave(number);
        }
        let has_arrived = !keeper.arrived.is_empty();
        for arrival in keeper.arrived {
            self.hand_over(origin, &arrival)?;
        }
        Ok(has_arrived)
    }

    /// Writes a frame to the device of the node that it came to, and takes what its stack answers meanwhile: the instant is still that
    /// of the delivery.
    fn hand_over(&mut self, origin: u64, arrival: &Arrival) -> Result<(), Failure> {
        let Arrival { at, node, number, is_broadcast, .. } = *arrival;
        let Some(device) = &mut self.devices[node.index()] else {
            // One for all may come to nodes that have no stack.
            if !is_broadcast {
                self.books.lose(number, reason::NO_DEVICE);
            }
            return Ok(());
        };
        let late = self.clock.now().saturating_sub(origin + at.0);
        let is_taken = match self.layer {
            Layer::Link => device.send(&arrival.octets),
            Layer::Network => device.send(&ethernet::frame(node, arrival.from, &arrival.octets)),
        };
        let is_taken = is_taken.is_ok();
        if is_taken {
            self.books.deliver();
            self.lateness.note(late);
            if late > MOST_SINGLE || self.books.delivered() % CHECKED_EVERY == 0 {
                self.check_lateness()?;
            }
        }
        if !is_broadcast {
            match is_taken {
                true => self.books.leave(number),
                false => self.books.lose(number, reason::DEVICE_REFUSED),
            }
        }
        self.take_frames(node.0)
    }

    /// Ends the run where it has missed its time and is to be aborted then.
    fn check_lateness(&self) -> Result<(), Failure> {
        if self.on_late == OnLate::Abort {
            if let (Verdict::Missed, cause) = self.lateness.verdict() {
                return Err(Failure::Late(cause));
            }
        }
        Ok(())
    }

    /// Takes the frames that wait in a device: they go to the link layer of its node now.
    fn take_frames(&mut self, node: u32) -> Result<(), Failure> {
        for _ in 0..AT_ONCE {
            let Some(device) = &mut self.devices[node as usize] else { return Ok(()) };
            match device.receive(&mut self.room) {
                Ok(Some(length)) => self.take_frame(NodeId(node), length),
                Ok(None) => return Ok(()),
                Err(source) => return Err(Failure::Device { node, source }),
            }
        }
        Ok(())
    }

    fn take_frame(&mut self, node: NodeId, length: usize) {
        let frame = &self.room[..length];
        let to = match ethernet::target(frame, self.devices.len()) {
            None => return self.books.refuse(reason::NOT_CARRIED),
            Some(Target::Unknown(address)) => return self.books.refuse_unknown(ethernet::shown(address)),
            Some(Target::Node(to)) if to == node => return self.books.refuse(reason::TO_ITSELF),
            Some(Target::Node(_)) if length > self.longest => return self.books.refuse(reason::TOO_LONG),
            Some(Target::Node(to)) => to,
        };
        let number = match (self.layer, ethernet::routed(frame)) {
            (Layer::Link, _) => self.simulation.offer_frame(node, to, frame, ethernet::dscp(frame)),
            // The routing of the engine knows single nodes only.
            (Layer::Network, Some(packet)) if to != NodeId::BROADCAST => self.simulation.inject(node, to, packet),
            (Layer::Network, _) => return self.books.refuse(reason::NOT_CARRIED),
        };
        match number {
            Ok(number) => self.books.enter(number),
            // All else has been looked at.
            Err(_) => self.books.refuse(DropReason::NoRoute.name()),
        }
    }

    /// What it has come to so far.
    pub fn report(&self) -> Report {
        let (verdict, cause) = self.lateness.verdict();
        let (wall, used) = self.spent;
        Report {
            lateness_us: self.lateness.report(),
            share_above_1ms: self.lateness.share_above_ms(),
            core_share: used as f64 / wall.max(1) as f64,
            scheduling: self.scheduling.clone(),
            frames: self.books.clone(),
            verdict,
            cause,
        }
    }
}

/// Time of a data frame with a packet of the usual size at the fastest rate of the network.
fn data_frame(config: &Config) -> Span {
    let frames = config.interface_sets().map(|set| {
        let bytes = USUAL + set.mac.llc_header + set.mac.data_overhead();
        timing::airtime(&set.radio, bytes, set.radio.data_rate)
    });
    frames.min().unwrap_or_default()
}
