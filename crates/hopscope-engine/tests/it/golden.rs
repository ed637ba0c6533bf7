//! Whole runs against stored tables: a change of any number must be meant.
//!
//! `HOPSCOPE_BLESS=1 cargo test -p hopscope-engine --test it golden` writes the tables anew; look at the difference.

use std::fmt::Write;
use std::path::PathBuf;

use hopscope_core::units::{Span, Time};
use hopscope_engine::config::radio::{ErrorKind, Interference};
use hopscope_engine::config::{AckPolicy, App, Config, LinkConfig, Transport};
use hopscope_engine::record::TrajectoryHash;
use hopscope_engine::simulation::Simulation;

use crate::support::{busy_field, chain, flow, tcp_chain};

/// The counters of a run, all integers, and the hash of its frames.
fn table(config: Config) -> String {
    let mut simulation = Simulation::observed(config, TrajectoryHash::default()).expect("a sound scenario");
    let result = simulation.run();
    let mut text = String::from("flow from to  sent  recv   dup retx  tmo  fast      bytes\n");
    for f in &result.flows {
        let row = (f.sent_packets, f.received_packets, f.duplicate_packets, f.retransmitted_packets);
        writeln!(
            text,
            "{:4} {:4} {:2} {:5} {:5} {:5} {:4} {:4} {:5} {:10}",
            f.id, f.from, f.to, row.0, row.1, row.2, row.3, f.timeouts, f.fast_retransmits, f.received_bytes
        )
        .expect("a string takes all");
    }
    text.push_str("node    rts   data packets retries  maxq drops\n");
    for n in result.nodes.iter().filter(|n| n.mac_packets > 0) {
        let drops: Vec<String> = n.drops.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        let row = format!(
            "{:4} {:6} {:6} {:7} {:7} {:5} {}",
            n.id,
            n.rts_sent,
            n.data_sent,
            n.mac_packets,
            n.mac_retries,
            n.queue_max,
            drops.join(", ")
        );
        writeln!(text, "{}", row.trim_end()).expect("a string takes all");
    }
    writeln!(text, "frames {} hash {:016x}", result.engine.frames, simulation.observer().0)
        .expect("a string takes all");
    text
}

fn check(name: &str, config: Config) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden").join(format!("{name}.txt"));
    let found = table(config);
    if std::env::var_os("HOPSCOPE_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        std::fs::write(&path, found).expect("the table can be written");
        return;
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
    assert!(
        found == stored,
        "{name} has changed.\n--- stored\n{stored}\n--- found\n{found}\nIf this is meant, see the head of this file."
    );
}

fn cross(profile: &str) -> Config {
    let mut config = chain(profile, 6, 20);
    config.nodes.extend((0..=6).filter(|i| *i != 3).map(|i| [600.0, 200.0 * (f64::from(i) - 3.0)]));
    config.flows.push(flow(profile, 0, 6, Transport::TcpNewReno, App::Bulk));
    config.flows.push(flow(profile, 7, 12, Transport::TcpNewReno, App::Bulk));
    config
}

#[test]
fn chain_of_seven_hops() {
    for profile in ["ns2", "standard"] {
        check(&format!("chain7-{profile}"), tcp_chain(profile, 7, 30));
    }
}

#[test]
fn crossing_flows() {
    for profile in ["ns2", "standard"] {
        check(&format!("cross-{profile}"), cross(profile));
    }
}

#[test]
fn link_layers_of_several_parts_that_differ_from_node_to_node() {
    for profile in ["ns2", "standard"] {
        let mut config = cross(profile);
        config.flows[0].tcp.ecn = true;
        config.flows.push(flow(profile, 2, 9, Transport::Udp, App::cbr(90e3)));
        let l = &mut config.link;
        l.layer = "lred+pacing".parse().expect("a layer");
        (l.lred_min, l.red_min, l.red_max, l.red_weight) = (0.8, 1.0, 6.0, 0.1);
        (l.codel_target, l.nred_min, l.nred_max) = (Span::from_millis(3), 0.4, 0.8);
        for (layer, nodes) in [("red+fq-codel", vec![0, 7]), ("nred+codel+timer", vec![2, 3, 4]), ("plain", vec![5])] {
            let layer = layer.parse().expect("a layer");
            config.layers.push(LinkConfig { layer, nodes, ..config.link.clone() });
        }
        check(&format!("layers-{profile}"), config);
    }
}

#[test]
fn every_transport_and_application() {
    for profile in ["ns2", "standard"] {
        let mut config = chain(profile, 4, 30);
        for transport in
            [Transport::TcpTahoe, Transport::TcpReno, Transport::TcpNewReno, Transport::TcpSack, Transport::TcpVegas]
        {
            config.flows.push(flow(profile, 0, 4, transport, App::Bulk));
        }
        let mut delayed = flow(profile, 4, 0, Transport::TcpNewReno, App::File { bytes: 100_000 });
        delayed.ack = AckPolicy::Delayed;
        config.flows.push(delayed);
        let on_off = App::OnOff { rate: 100e3, on: Span::from_millis(500), off: Span::from_millis(300), codec: None };
        config.flows.push(flow(profile, 1, 3, Transport::Udp, on_off));
        let mut cbr = flow(profile, 3, 2, Transport::Udp, App::cbr(50e3));
        cbr.stop = Some(Time::ZERO + Span::from_secs(9));
        config.flows.push(cbr);
        check(&format!("transports-{profile}"), config);
    }
}

#[test]
fn a_busy_field_with_each_interference_model() {
    check("field-ns2", busy_field("ns2", 10));
    for (name, model) in
        [("capture", Interference::Capture), ("range", Interference::Range), ("sinr", Interference::Sinr)]
    {
        let mut config = busy_field("standard", 10);
        config.radio.interference = model;
        check(&format!("field-standard-{name}"), config);
    }
}

#[test]
fn a_chain_with_channel_errors() {
    for profile in ["ns2", "standard"] {
        let mut config = tcp_chain(profile, 3, 20);
        config.radio.error_kind = ErrorKind::Uniform;
        config.radio.error_per = 0.05;
        check(&format!("errors-{profile}"), config);
    }
}
