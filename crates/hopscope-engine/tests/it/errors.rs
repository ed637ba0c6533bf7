//! Channel errors: what a lost frame copy does to those who would have heard it.

use hopscope_core::units::{Span, Time};
use hopscope_engine::World;
use hopscope_engine::config::radio::{ErrorKind, ErrorScope, OnError};
use hopscope_engine::config::{App, Config, Transport};
use hopscope_engine::simulation;
use hopscope_mac::dcf::FrameKind;

use crate::support::{Log, chain, flow};

fn erroneous(per: f64, scope: ErrorScope, on_error: OnError) -> Config {
    let mut config = chain("standard", 1, 2);
    config.radio.error_kind = ErrorKind::Uniform;
    config.radio.error_per = per;
    config.radio.error_applies_to = scope;
    config.radio.error_on_error = on_error;
    config
}

#[test]
fn a_flagged_copy_is_sensed_and_a_dropped_one_is_not() {
    // Node 1 sends at 1 s; node 2, at the same place, has a packet 100 us later. Every copy is hit.
    for (on_error, begins) in [(OnError::Flag, 352 + 364), (OnError::Drop, 100)] {
        let mut config = erroneous(1.0, ErrorScope::All, on_error);
        config.nodes = vec![[0.0, 0.0], [10.0, 0.0], [10.0, 0.0]];
        // Attempts of node 1 after its first do not matter here.
        config.mac.short_retry_limit = 1;
        for from in [1, 2] {
            config.flows.push(flow("standard", from, 0, Transport::Udp, App::File { bytes: 1_000 }));
        }
        config.flows[1].start = config.flows[0].start + Span::from_micros(100);
        let mut world = World::new(&config, Log::default()).expect("a sound scenario");
        world.run_until(config.duration);
        let mut starts = world.recorder().frames();
        starts.retain(|f| f.2 == FrameKind::Rts);
        let first = |node| starts.iter().find(|f| f.1 == node).map(|f| f.0 / 1_000);
        assert_eq!(first(1), Some(1_000_000), "{on_error:?}");
        // Where the copy is flagged, an idle medium after EIFS and a back-off of whole slots follow.
        let second = first(2).expect("node 2 sends") - 1_000_000;
        if on_error == OnError::Flag {
            assert!(second >= begins && (second - begins) % 20 == 0 && second <= begins + 31 * 20, "{second} us");
        } else {
            assert_eq!(second, begins, "it never noticed the other frame");
        }
    }
}

#[test]
fn retries_repair_what_they_can() {
    // Half of the data frames are hit and nothing else: a packet is lost when all of its attempts are.
    for (rts_threshold, attempts) in [(Some(0), 4), (None, 7)] {
        let mut config = erroneous(0.5, ErrorScope::Data, OnError::Flag);
        config.mac.rts_threshold = rts_threshold;
        config.duration = Time::ZERO + Span::from_secs(200);
        config.flows.push(flow("standard", 0, 1, Transport::Udp, App::cbr(300e3)));
        let result = simulation::run(config).expect("a sound scenario");
        let (sent, lost) = (result.flows[0].sent_packets as f64, result.nodes[0].mac_retry_drops as f64);
        let expected = 0.5f64.powi(attempts);
        // Five standard errors.
        let allowed = 5.0 * (expected * (1.0 - expected) / sent).sqrt();
        assert!((lost / sent - expected).abs() < allowed, "{attempts} attempts: {lost} of {sent} lost");
        let tries = result.nodes[0].data_sent as f64 / sent;
        let mean = 2.0 * (1.0 - expected);
        assert!((tries / mean - 1.0).abs() < 0.05, "{tries} attempts per packet, expected {mean}");
    }
}

#[test]
fn drops_of_data_are_reported_apart_from_those_of_acks() {
    let mut config = erroneous(0.4, ErrorScope::Data, OnError::Flag);
    config.duration = Time::ZERO + Span::from_secs(100);
    config.flows.push(flow("standard", 0, 1, Transport::TcpNewReno, App::Bulk));
    let result = simulation::run(config).expect("a sound scenario");
    let [from, to] = [&result.nodes[0], &result.nodes[1]];
    let of = |drops: &std::collections::BTreeMap<&'static str, u64>| drops.get("retry-limit").copied().unwrap_or(0);
    // Both ends lose frames; the receiver sends ACKs alone, the sender data but for its part of the set-up.
    assert!(of(&from.data_drops) > 0 && of(&to.drops) > 0, "{from:?} {to:?}");
    assert_eq!((of(&from.data_drops), of(&to.data_drops)), (of(&from.drops), 0));
    assert_eq!(result.network.data_retry_drops, of(&from.drops));
    assert_eq!(result.network.mac_retry_drops, of(&from.drops) + of(&to.drops));
    assert_eq!(result.network.data_queue_drops, result.network.queue_drops);
}
