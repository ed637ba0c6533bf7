//! Scripts as they are read: loops, procedures and times, and that every text comes to an end.

use proptest::prelude::*;

use super::*;

fn script(text: &str) -> Script {
    read(text, "f", &mut closed)
}

/// What is not followed: lines and reasons.
fn unread(text: &str) -> Vec<(u32, String)> {
    script(text).unread.into_iter().map(|unread| (unread.at.line, unread.why)).collect()
}

fn places(text: &str) -> Vec<(usize, [f64; 2])> {
    let script = script(text);
    assert_eq!(script.unread, []);
    let place =
        |(number, node): (&usize, &Node)| (*number, node.position.map(|axis| axis.map_or(-1.0, |(_, metres)| metres)));
    script.nodes.iter().map(place).collect()
}

#[test]
fn loops_procedures_and_conditions_are_run() {
    let text = "\
set val(n) 4
proc place {i x args2} { global node_; $node_($i) set X_ $x; $node_($i) set Y_ [expr $x / 2] }
for {set i 0} {$i < $val(n)} {incr i} {
    if {$i == 2} continue
    place $i [expr {$i * 10}] unused
}
foreach {i x} {2 1} { $node_($i) set X_ $x; $node_($i) set Y_ 1 }
set k 3
while {$k < 100} { incr k 2; if {$k > 6} { break } else { set last $k } }
$node_(0) set X_ $last
";
    assert_eq!(places(text), [(0, [5.0, 0.0]), (1, [10.0, 5.0]), (2, [1.0, 1.0]), (3, [30.0, 15.0])]);
}

#[test]
fn times_are_followed_in_their_order() {
    let text = "\
proc finish {} { global ns; puts done; exit 0 }
proc again {} { global ns node_; $node_(0) setdest [$ns now] 0 1; $ns at [expr [$ns now] + 1.5] \"again\" }
$ns at 9.0 \"finish\"
$ns at 2.0 {again}
$ns at 20.0 \"$node_(0) setdest 5 5 5\"
";
    let script = script(text);
    assert_eq!(script.unread, []);
    assert_eq!(script.end.map(|(at, end)| (at.line, end)), Some((1, 9.0)));
    let times: Vec<_> = script.nodes[&0].orders.iter().map(|order| (order.time, order.to[0])).collect();
    assert_eq!(times, [(2.0, 2.0), (3.5, 3.5), (5.0, 5.0), (6.5, 6.5), (8.0, 8.0), (20.0, 5.0)]);
}

#[test]
fn events_of_one_time_are_all_followed_in_their_order() {
    let text = "\
proc go {x} { global node_; $node_(0) setdest $x 0 1 }
$ns at 1.0 {set first 1}
$ns at 2.0 {$ns at 5.0 \"go 8\"}
$ns at 5.0 {go 7}
";
    let script = script(text);
    assert_eq!(script.unread, []);
    assert_eq!(script.nodes[&0].orders.iter().map(|order| order.to[0]).collect::<Vec<_>>(), [7.0, 8.0]);
}

#[test]
fn what_is_not_followed_is_listed_once_with_its_line() {
    let text = "\
set rng [new RNG]
for {set i 0} {$i < 5} {incr i} {
    $node_($i) set X_ [expr rand()]
}
proc record {} { global ns sink; set bytes [$sink set bytes_]; $ns at [expr [$ns now] + 1] record }
$ns at 1 record
$ns at 5 \"exit\"
set x {never closed
";
    let expected = [
        (1, "RNG is not followed"),
        (3, "rand() is random; the value is not in the file"),
        (8, "a brace is never closed"),
        (5, "the variable $sink has no value here"),
    ];
    assert_eq!(unread(text), expected.map(|(line, why)| (line, why.to_string())));
}

#[test]
fn every_script_comes_to_an_end_within_its_bounds() {
    for (text, why) in [
        ("while {1} {set x 1}", "loops and procedures run more than 1000000 statements"),
        ("while {1} {}", "loops and procedures run more than 1000000 statements"),
        ("proc f {} {f}\nf", "loops, procedures or brackets are nested too deeply"),
        ("set a xx\nfor {set i 0} {$i < 60} {incr i} {set a $a$a}", "the values of the script need too much memory"),
        ("set a xx\nfor {set i 0} {$i < 60} {incr i} {append a $a}", "the values of the script need too much memory"),
        (
            "proc f {} {global ns; $ns at [$ns now] f}\n$ns at 0 f",
            "loops and procedures run more than 1000000 statements",
        ),
        (&"[".repeat(1000), "a bracket is never closed"),
        (&("[".repeat(1000) + &"]".repeat(1000)), "loops, procedures or brackets are nested too deeply"),
    ] {
        assert!(unread(text).iter().any(|(_, found)| found == why), "{text:.60}: {:?}", unread(text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn any_text_is_read_to_its_end(words in proptest::collection::vec(prop_oneof![
        Just("set"), Just(" "), Just("\n"), Just(";"), Just("{"), Just("}"), Just("["), Just("]"), Just("\""), Just("\\"),
        Just("$ns_"), Just("$node_(1)"), Just("at"), Just("1.5"), Just("setdest 1 2 3"), Just("new Agent/UDP"),
        Just("for {set i 0} {$i < 9} {incr i}"), Just("expr"), Just("proc f {}"), Just("f"), Just("$i"), Just("if"),
        Just("connect"), Just("X_"), Just("é"), Just("#"), Just("$x("), Just(")"), Just("-"), Just("foreach"),
    ], 0..40)) {
        let text = words.concat();
        let spaced = words.join(" ");
        for text in [&text, &spaced] {
            let script = script(text);
            prop_assert!(script.unread.len() <= 1000);
            crate::traffic_files::of_script(&script);
        }
    }
}
