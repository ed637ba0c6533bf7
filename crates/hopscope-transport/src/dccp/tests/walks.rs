//! Reliable DCCP step by step: the walk-throughs of zhang2006, figures 7-1 to 7-8, and whole files over lossy ways.
//!
//! The thesis counts packets from 0, the lists here from 1. Lists are shown as `repeat.rs` does: of the sender, what is
//! known of each number; of the receiver, how many were handed over, then what waits. The exchanges with their lists
//! stand in `walks/`, from which the documentation draws them as sequence charts.

use super::*;
use crate::config::dccp::ReliableProbe;

fn reliable(window: u32) -> DccpConfig {
    DccpConfig {
        reliable: true,
        initial_window: window,
        adhoc_initial_rto: Span::from_millis(100),
        min_rto: Span::from_millis(100),
        ..DccpConfig::default()
    }
}

/// A path that takes timestamps away: nothing is measured, so that the window and the timer stay what they are.
fn walk(cfg: DccpConfig, packets: u64, lost: &[u32], losses: Losses<'static>) -> Pipe<'static> {
    let mut pipe = Pipe::of(DccpControl::Adhoc, cfg, losses);
    pipe.without_stamps = true;
    pipe.lost_numbers = lost.to_vec();
    pipe.input(0, |client, cx| client.on_send(packets * 1_000, cx));
    pipe
}

fn lists(pipe: &Pipe<'_>) -> [String; 2] {
    [0, 1].map(|end| pipe.ends[end].list())
}

/// The lists at this instant, as a line of an exchange: the figure that shows them, the sender's and the receiver's.
fn note(pipe: &Pipe<'_>, figure: &str) -> String {
    let [sender, receiver] = lists(pipe).map(|list| if list.is_empty() { "-".to_owned() } else { list });
    format!("{} = {figure}; {sender}; {}", pipe.now.0 / MS, receiver.trim_end())
}

/// The exchange and the lists, in order, are those of the file.
fn assert_reported(pipe: &Pipe<'_>, notes: &[String], file: &str) {
    let at = |line: &String| line.split(' ').next().and_then(|ms| ms.parse::<u64>().ok()).expect("an instant");
    let mut lines: Vec<&String> = pipe.log.iter().chain(notes).collect();
    lines.sort_by_key(|line| at(line));
    let reported: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let expected: String = file.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    assert_eq!(reported, expected, "{reported}");
}

/// Lines of data and of acknowledgements from an instant on, without the numbers of DCCP.
fn data(pipe: &Pipe<'_>, from_ms: u64) -> Vec<String> {
    let at = |line: &str| line.split(' ').next().and_then(|ms| ms.parse::<u64>().ok());
    let of_data = pipe.log.iter().filter(|line| line.contains('#') && at(line).is_some_and(|ms| ms >= from_ms));
    of_data
        .map(|line| format!("{} {}", at(line).expect("an instant"), line.split_once('#').expect("a number").1))
        .collect()
}

#[test]
fn figures_7_1_to_7_3_a_packet_goes_through_both_lists() {
    let mut pipe = walk(reliable(1), 2, &[], NO_LOSS);
    pipe.run(15);
    let mut notes = vec![note(&pipe, "7-1")];
    assert_eq!(lists(&pipe), ["", "0 |"], "7-1: both are empty");
    pipe.run(25);
    notes.push(note(&pipe, "7-2"));
    assert_eq!(lists(&pipe), ["1?", "0 |"], "7-2: the first is on its way");
    pipe.run(45);
    notes.push(note(&pipe, "7-3"));
    assert_eq!(lists(&pipe), ["2?", "1 |"], "7-3: acknowledged and gone, the second is on its way");
    pipe.run(65);
    notes.push(note(&pipe, "later"));
    assert_eq!(lists(&pipe), ["", "2 |"]);
    assert_reported(&pipe, &notes, include_str!("walks/7-1.txt"));
}

#[test]
fn figures_7_4_to_7_6_lost_data_goes_before_new_data() {
    let mut pipe = walk(reliable(2), 5, &[3], NO_LOSS);
    pipe.run(45);
    assert_eq!(data(&pipe, 0), ["20 1", "20 2", "40 3 lost", "40 4"]);
    assert_eq!(
        lists(&pipe),
        ["3? 4?", "2 |"],
        "7-4: the third is lost, the acknowledgement of the second sends the fourth"
    );
    let mut notes = vec![note(&pipe, "7-4")];
    pipe.run(55);
    assert_eq!(lists(&pipe)[1], "2 | 4", "7-5: the receiver sees the gap");
    notes.push(note(&pipe, "7-5"));
    pipe.run(65);
    notes.push(note(&pipe, "7-6"));
    assert_eq!(data(&pipe, 60), ["60 3 again", "60 5"], "7-6: the third again, then the fifth");
    assert_eq!(lists(&pipe)[0], "3?* 4+ 5?");
    pipe.run(100);
    assert_eq!(lists(&pipe), ["", "5 |"]);
    assert_eq!(pipe.delivered, 5_000);
    notes.push(note(&pipe, "later"));
    assert_reported(&pipe, &notes, include_str!("walks/7-4.txt"));
}

/// The acknowledgement of the seventh packet is lost.
const SEVENTH: Losses<'static> = &|client, kind, n| !client && kind == DccpType::Ack && n == 7;

#[test]
fn figure_7_7_a_lost_acknowledgement_at_a_window_of_one() {
    let oldest = DccpConfig { reliable_probe: ReliableProbe::Oldest, ..reliable(1) };
    let mut pipe = walk(oldest, 7, &[], SEVENTH);
    pipe.run(150);
    assert_eq!(lists(&pipe), ["7?", "7 |"], "it has come, and its sender does not know");
    let mut notes = vec![note(&pipe, "7-7")];
    pipe.run(400);
    assert_eq!(data(&pipe, 150), ["240 7 again"], "when its timer expires");
    assert_eq!(lists(&pipe), ["", "7 |"]);
    assert_eq!(pipe.delivered, 7_000, "the repetition is dropped");
    notes.push(note(&pipe, "later"));
    assert_reported(&pipe, &notes, include_str!("walks/7-7.txt"));
    // A probe without data brings an Ack Vector that reports it.
    let mut pipe = walk(reliable(1), 7, &[], SEVENTH);
    pipe.run(400);
    assert_eq!((data(&pipe, 150), lists(&pipe)), (vec![], ["".to_owned(), "7 |".to_owned()]));
}

#[test]
fn figure_7_8_a_lost_acknowledgement_at_a_larger_window() {
    let mut pipe = walk(reliable(2), 8, &[], SEVENTH);
    pipe.run(95);
    let mut notes = vec![note(&pipe, "7-8")];
    pipe.run(200);
    notes.push(note(&pipe, "later"));
    assert_reported(&pipe, &notes, include_str!("walks/7-8.txt"));
    assert!(!data(&pipe, 0).iter().any(|line| line.contains("again")), "{:?}", data(&pipe, 0));
    assert_eq!(lists(&pipe), ["", "8 |"], "the next acknowledgement reports both");
}

#[test]
fn a_file_comes_whole_over_a_bad_way() {
    // Every fifth packet of each kind and direction is lost.
    let losses: Losses<'_> = &|client, _, n| n % 5 == if client { 3 } else { 1 };
    for control in DccpControl::ALL {
        for probe in [ReliableProbe::Header, ReliableProbe::Oldest] {
            let cfg = DccpConfig { reliable: true, reliable_probe: probe, ..DccpConfig::default() };
            let mut pipe = Pipe::of(control, cfg, losses);
            pipe.input(0, |client, cx| client.on_send(300_000, cx));
            pipe.input(0, |client, cx| client.close(cx));
            pipe.run(600_000);
            assert_eq!((pipe.delivered, pipe.completed), (300_000, true), "{control:?} {probe:?} {:?}", lists(&pipe));
            assert_eq!(lists(&pipe), ["", "300 |"]);
        }
    }
}

#[test]
fn dropped_data_is_repeated() {
    let cfg = DccpConfig { reliable: true, receive_buffer: 3, read_rate: 400_000, ..DccpConfig::default() };
    let mut pipe = Pipe::of(DccpControl::Ccid2, cfg, NO_LOSS);
    pipe.input(0, |client, cx| client.on_send(40_000, cx));
    pipe.input(0, |client, cx| client.close(cx));
    pipe.run(60_000);
    assert!(data(&pipe, 0).iter().any(|line| line.contains("again")));
    assert_eq!((pipe.delivered, pipe.completed), (40_000, true));
}
