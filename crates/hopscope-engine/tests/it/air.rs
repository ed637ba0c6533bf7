//! Data packets and TCP's ACKs of one flow on the air of one chain: how they meet (armaghani2008.fig2-7). The documentation draws
//! the frames that stand in `air.txt`.

use std::collections::BTreeMap;

use hopscope_core::units::Time;
use hopscope_engine::config::{App, Transport};
use hopscope_engine::record::{Classes, NetworkView, Record, Recorder};
use hopscope_engine::world::World;
use hopscope_mac::dcf::FrameKind;
use hopscope_phy::phy::RxOutcome;

use crate::support::{chain, flow};

/// Frames with more bytes than this carry data of TCP.
const LARGE: u32 = 500;

/// From here on the window is open, and what carries no data is an ACK.
const SETTLED: Time = Time(2_000_000_000);

/// A frame on the air.
struct Sent {
    at: Time,
    until: Time,
    from: u32,
    to: u32,
    what: &'static str,
    /// What became of it at the node that it is for, and the frame at fault.
    outcome: &'static str,
    by: Option<usize>,
}

/// All frames, in the order in which they began.
#[derive(Default)]
struct Air {
    sent: Vec<Sent>,
    /// The last frame of each air slot.
    slots: BTreeMap<u32, usize>,
}

impl Recorder for Air {
    const WANTS: Classes = Classes::FRAMES.and(Classes::FRAME_ENDS);

    fn record(&mut self, now: Time, record: &Record, _view: &mut impl NetworkView) {
        match record {
            Record::FrameBegan { frame, slot } => {
                let what = match frame.kind {
                    FrameKind::Rts => "rts",
                    FrameKind::Cts => "cts",
                    FrameKind::Ack => "mac-ack",
                    FrameKind::BlockAck | FrameKind::BlockAckReq | FrameKind::CfEnd | FrameKind::Action => {
                        panic!("no station has QoS")
                    }
                    FrameKind::Data if frame.bytes > LARGE => "data",
                    FrameKind::Data => "tcp-ack",
                };
                self.slots.insert(*slot, self.sent.len());
                let (from, to) = (frame.src.0, frame.dst.0);
                self.sent.push(Sent {
                    at: now,
                    until: now + frame.airtime,
                    from,
                    to,
                    what,
                    outcome: "unheard",
                    by: None,
                });
            }
            Record::FrameEnded { node, frame, slot, outcome } if *node == frame.dst => {
                let (outcome, by) = match *outcome {
                    RxOutcome::Received => ("received", None),
                    RxOutcome::Collided { by } | RxOutcome::Captured { by } | RxOutcome::Missed { by } => {
                        ("collided", Some(by))
                    }
                    RxOutcome::TooWeak { by } => ("collided", by),
                    RxOutcome::Deaf => ("deaf", None),
                    _ => ("lost", None),
                };
                let by = by.map(|slot| self.slots[&slot]);
                let sent = &mut self.sent[self.slots[slot]];
                (sent.outcome, sent.by) = (outcome, by);
            }
            _ => {}
        }
    }
}

#[test]
fn data_and_acks_of_one_flow_collide() {
    let mut config = chain("standard", 4, 5);
    config.mac.rts_threshold = None;
    config.net.arp = false;
    config.flows.push(flow("standard", 0, 4, Transport::TcpNewReno, App::Bulk));
    let mut world = World::new(&config, Air::default()).expect("a sound scenario");
    world.run_until(config.duration);
    let sent = &world.recorder().sent;
    let meets = |one: &Sent| {
        let other = one.by.map(|by| &sent[by]);
        one.at >= SETTLED && one.what == "data" && other.is_some_and(|other| other.what == "tcp-ack")
    };
    let first = sent.iter().find(|one| meets(one)).expect("an ACK hits a data packet");
    let (from, until) = (Time(first.at.0.saturating_sub(9_000_000)), Time(first.at.0 + 26_000_000));
    let us = |at: Time| (at.0.saturating_sub(from.0)) / 1_000;
    let lines: Vec<String> = sent
        .iter()
        .filter(|one| one.at >= from && one.until <= until)
        .map(|one| format!("{} {} {} {} {} {}", us(one.at), us(one.until), one.from, one.to, one.what, one.outcome))
        .collect();
    let stored: Vec<&str> = include_str!("air.txt").lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines, stored, "{}", lines.join("\n"));
}
