//! No allocation per event: a run in steady state asks the system for no memory at all. And no memory for nodes that
//! never act beyond their own state.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::{App, Config, FlowConfig, Transport, presets};
use hopscope_engine::record::NullRecorder;
use hopscope_engine::simulation::Simulation;

thread_local! {
    /// Allocations of this thread; the test harness has threads of its own.
    static COUNT: Cell<u64> = const { Cell::new(0) };
    /// Bytes that it holds now, and the most so far.
    static HELD: Cell<[i64; 2]> = const { Cell::new([0; 2]) };
}

fn hold(bytes: i64) {
    HELD.with(|held| {
        let [now, most] = held.get();
        held.set([now + bytes, most.max(now + bytes)]);
    });
}

struct Counting;

// SAFETY: every call is handed on to the system's allocator unchanged; the counters are plain thread-local numbers
// without destructor, which allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        hold(layout.size() as i64);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        hold(-(layout.size() as i64));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        hold(size as i64 - layout.size() as i64);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations() -> u64 {
    COUNT.with(Cell::get)
}

/// A chain of seven hops with one flow from end to end.
fn chain(profile: &str, transport: Transport, app: App) -> Config {
    let base = presets::base(profile, "wavelan-2M").expect("a profile and a preset");
    let flow = serde_json::json!({
        "from": 0, "to": 7, "transport": transport, "app": app, "packet": 1_460, "max_window": 32, "start": 0,
        "ack": "every", "ack_delay": 200_000_000, "tcp": base.tcp,
    });
    let nodes: Vec<[f64; 2]> = (0..8).map(|i| [200.0 * f64::from(i), 0.0]).collect();
    let document = serde_json::json!({
        "seed": 1, "duration": 80_000_000_000u64, "warmup": 1_000_000_000, "nodes": nodes,
        "radio": base.radio, "mac": base.mac, "net": base.net, "flows": [flow],
    });
    serde_json::from_value(document).expect("a configuration")
}

fn variants() -> Vec<(&'static str, Config)> {
    let mut all = Vec::new();
    for profile in ["ns2", "standard"] {
        all.push((profile, chain(profile, Transport::TcpNewReno, App::Bulk)));
        all.push((profile, chain(profile, Transport::TcpSack, App::Bulk)));
        all.push((profile, chain(profile, Transport::Udp, App::Bulk)));
        all.push((profile, chain(profile, Transport::Udp, App::cbr(400e3))));
        for layer in ["red+nred+lred+codel+timer", "fq-codel+lred+pacing"] {
            let mut config = chain(profile, Transport::TcpNewReno, App::Bulk);
            config.link.layer = layer.parse().expect("a layer");
            all.push((profile, config));
        }
    }
    all
}

/// Long enough for every list to have met its largest length; lists double when they meet a new one.
const WARM: Span = Span::from_secs(60);
const STEADY: Span = Span::from_secs(20);

#[test]
fn the_counter_counts() {
    let before = allocations();
    drop(std::hint::black_box(Vec::<u64>::with_capacity(100)));
    assert_eq!(allocations() - before, 1);
}

#[test]
fn an_unobserved_network_allocates_nothing_in_steady_state() {
    for (profile, config) in variants() {
        let mut world = World::new(&config, NullRecorder).expect("a sound scenario");
        world.run_until(Time::ZERO + WARM);
        let (before, events) = (allocations(), world.events());
        world.run_until(config.duration);
        let (made, events) = (allocations() - before, world.events() - events);
        let flow = &config.flows[0];
        // The timer of a link layer holds packets back.
        let enough = if config.link.layer.is_plain() { 50_000 } else { 30_000 };
        assert!(events > enough, "{profile} {:?}: only {events} events in 20 s", flow.transport);
        assert_eq!(made, 0, "{profile} {:?} {:?}: allocations in {events} events", flow.transport, flow.app);
    }
}

#[test]
fn measuring_allocates_nothing_either() {
    for (profile, config) in variants() {
        let mut simulation = Simulation::new(config.clone()).expect("a sound scenario");
        simulation.advance(WARM);
        let before = allocations();
        simulation.advance(STEADY);
        assert_eq!(allocations() - before, 0, "{profile} {:?}", config.flows[0].transport);
        assert!(simulation.is_over());
    }
}

/// The most bytes that a build and a short run of `nodes` nodes hold at once. All hear each other, and 20 send to one
/// other each.
fn most_of_a_crowd(nodes: u32) -> i64 {
    let base = presets::base("standard", "wavelan-2M").expect("a profile and a preset");
    let place = |n: u32| [f64::from(n % 100), f64::from(n / 100)];
    let mut config = base.config((0..nodes).map(place).collect(), Span::from_secs(1));
    config.flows =
        (0..20).map(|pair| FlowConfig::new(2 * pair, 2 * pair + 1, Transport::Udp, App::cbr(20e3))).collect();
    let before = HELD.with(|held| {
        held.set([held.get()[0]; 2]);
        held.get()[0]
    });
    let mut simulation = Simulation::new(config).expect("a sound scenario");
    simulation.advance(Span::from_secs(1));
    assert!(simulation.results().engine.frames > 100);
    HELD.with(|held| held.get()[1]) - before
}

#[test]
fn a_crowd_takes_memory_for_its_nodes_not_for_its_pairs() {
    let [small, large] = [2_000, 4_000].map(most_of_a_crowd);
    // 16 million links would take 256 MB.
    assert!(large < 10_000_000, "{large} bytes");
    assert!(large < 21 * small / 10, "{small} and {large} bytes");
}
