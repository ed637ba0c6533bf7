//! The project's own suite of packetdrill scripts, what is no script, and the command.

use std::path::{Path, PathBuf};
use std::process::Command;

use hopscope_conformance::expected::Outcome;
use hopscope_conformance::player::{System, Verdict, play};
use hopscope_conformance::script::parse;
use hopscope_conformance::suite::{self, Options};
use proptest::prelude::*;

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts")
}

#[test]
fn the_own_suite_passes() {
    let report = suite::run(&Options { folder: own(), ..Options::default() }).expect("a folder of scripts");
    assert!(report.played.len() >= 60 && report.errors.is_empty(), "{report}");
    assert_eq!(report.count(Outcome::Pass), report.played.len(), "{report}");
}

#[test]
fn each_script_names_its_clause() {
    let report = suite::run(&Options { folder: own(), ..Options::default() }).expect("a folder of scripts");
    for played in &report.played {
        let text = std::fs::read_to_string(own().join(&played.name)).expect("readable");
        let clause = text.strip_prefix("// RFC ").and_then(|rest| rest.split_once(": ")).map(|(clause, _)| clause);
        let is_one = clause.and_then(|clause| clause.split_once(' ')).is_some_and(|(number, section)| {
            number.parse::<u32>().is_ok() && section.split('.').all(|part| part.parse::<u32>().is_ok())
        });
        assert!(is_one, "{} starts with {:?}", played.name, text.lines().next());
    }
}

/// A connection of the scripts below, up to the first data.
const OPENED: &str = "
   0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
  +0 bind(3, ..., ...) = 0
  +0 listen(3, 1) = 0
  +0 < S 0:0(0) win 65535 <mss 1000>
  +0 > S. 0:0(0) ack 1 <mss 1460>
 +.1 < . 1:1(0) ack 1 win 65535
  +0 accept(3, ..., ...) = 4
  +0 write(4, ..., 4000) = 4000
";

fn verdict(rest: &str) -> Verdict {
    let script = parse(&format!("{OPENED}{rest}")).expect("a script");
    play(&script, System::Engine).expect("it can be played")
}

#[test]
fn what_is_not_as_the_script_has_it_fails() {
    for (rest, line, what) in [
        ("+0 > . 1:2001(2000) ack 1\n+0 > . 2001:4001(2000) ack 1", 0, ""),
        ("+0 > . 1:1001(1000) ack 2", 10, "acknowledgement"),
        ("+0 > . 1:1002(1001) ack 1", 10, "sequence numbers"),
        ("+0 > F. 1:1001(1000) ack 1", 10, "flag F"),
        ("+.2 > . 1:4001(4000) ack 1", 10, "goes out at 0.1"),
        ("+0 > . 1:4001(4000) ack 1\n+.1 > . 4001:5001(1000) ack 1", 11, "nothing goes out"),
        ("+0 %{ assert tcpi_snd_cwnd == 5 }%", 10, "tcpi_snd_cwnd is 4"),
        ("+0 read(4, ..., 10) = 10", 10, "read gives -1 EAGAIN"),
        ("+0 > . 1:4001(4000) ack 1\n+.1 > . 1:1(0) ack 9", 11, "the last was `. 3001:4001(1000) ack 1` at 0.100000 s"),
        ("+0 > . 1:4001(4000) ack 1\n+.1 > . 1:1(0) ack 9", 11, "the next is `. 1:1001(1000) ack 1` at 1.100000 s"),
    ] {
        match verdict(rest) {
            Verdict::Pass => assert!(what.is_empty(), "{rest} passes"),
            Verdict::Fail { line: found, what: why } => {
                assert!(found == line && why.contains(what) && !what.is_empty(), "{found}: {why}")
            }
            Verdict::NotExpressible { reason, .. } => panic!("{rest}: {reason}"),
        }
    }
}

#[test]
fn what_the_engine_leaves_out_is_named() {
    for (rest, reason) in [
        ("+0 ioctl(4, SIOCINQ, [0]) = 0", "the call ioctl"),
        ("+0 < icmp unreachable mtu 1200 [1:1001(1000)]", "ICMP"),
        ("+0 setsockopt(4, SOL_TCP, TCP_CORK, [1], 4) = 0", "TCP_CORK"),
        ("+0 %{ assert tcpi_reordering == 3 }%", "tcpi_reordering"),
    ] {
        match verdict(rest) {
            Verdict::NotExpressible { line: 10, reason: found } => assert!(found.contains(reason), "{found}"),
            other => panic!("{rest}: {other}"),
        }
    }
}

#[test]
fn what_is_no_script_is_reported_with_its_line() {
    for (text, line, message) in [
        ("0 socket(..., SOCK_STREAM) = 3\nnonsense", 2, "an event starts with its instant"),
        ("+0 < S 0:10(5) win 1", 1, "0 + 5 is 5"),
        ("\n\n+0 < S 0:0(0) win many", 3, "a number is expected (window)"),
        ("+0 > . 1:1(0) ack 1 <sack>", 1, "SACK option without blocks"),
        ("+0 > . 1:1(0) ack 1 and more", 1, "behind a segment"),
        ("+0 write(4, ..., 10", 1, "no `)`"),
        ("+0 %{ assert 1", 1, "no `}%`"),
        ("+0 write(4, ..., 10) = ten", 1, "the result of a call"),
    ] {
        let error = parse(text).expect_err(text);
        assert!(error.line == line && error.message.contains(message), "{text:?}: {error}");
    }
    for (settings, message) in [
        ("--nonsense=1", "--nonsense: unknown"),
        ("--control=reno2", "found `reno2`"),
        ("--tcp.min_rto2=1", "no parameter"),
        ("--tcp.initial_window=many", "--tcp.initial_window"),
    ] {
        let script = parse(&format!("\n{settings}\n{OPENED}")).expect("a script");
        let error = play(&script, System::Engine).expect_err(settings);
        assert!(error.line == 2 && error.message.contains(message), "{settings}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// Whatever the text, it is a script or an error, and whatever the script, it has a verdict or an error.
    #[test]
    fn no_text_is_too_strange(pieces in proptest::collection::vec(prop_oneof![
        Just("+0 "), Just("+.1 "), Just("* "), Just("< "), Just("> "), Just("S 0:0(0) win 1000 "), Just(". 1:1001(1000) ack 1 "),
        Just("F. 1:1(0) ack 1 "), Just("<mss 1000,sackOK> "), Just("<sack 1:2>"), Just("\n"), Just("%{ assert tcpi_rto > 0 }%"),
        Just("socket(..., SOCK_STREAM, 0) = 3"), Just("listen(3, 1) = 0"), Just("accept(3, ...) = 4"), Just("write(4, ..., 5000) = 5000"),
        Just("close(4) = 0"), Just("--tcp.ecn=true"), Just("connect(3, ...) = 0"), Just("\u{e4}("), Just("<TS val 1 ecr 2>"),
    ], 0..40)) {
        if let Ok(script) = parse(&pieces.concat()) {
            let _ = play(&script, System::Engine);
        }
    }
}

#[test]
fn the_command_reports_by_its_status() {
    let folder = std::env::temp_dir().join(format!("hopscope-packetdrill-{}", std::process::id()));
    let run = |files: &[(&str, &str)], more: &[&str]| {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("inner")).expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.join(name), text).expect("written");
        }
        let output =
            Command::new(env!("CARGO_BIN_EXE_hopscope-conformance")).arg(&folder).args(more).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output.status.code(), text)
    };
    let good = format!("{OPENED}+0 > . 1:4001(4000) ack 1\n");
    let bad = format!("{OPENED}+0 > . 1:4001(4000) ack 7\n");
    let known = "[[deviation]]\nscripts = [\"inner/*\"]\nverdict = \"fail\"\nreason = \"RFC 9293 3.4: a test\"\n";
    let (status, text) = run(&[("inner/a.pkt", &good)], &[]);
    assert!(status == Some(0) && text.contains("1 scripts: 1 pass, 0 fail"), "{text}");
    assert!(text.contains("inner/a.pkt: pass (no sysctl: defaults of the engine)"), "{text}");
    let (_, text) = run(&[("inner/a.pkt", &good)], &["--system", "freebsd"]);
    assert!(text.contains("(no sysctl: defaults of FreeBSD)"), "{text}");
    let stated = format!("`sysctl -q net.ipv4.tcp_sack=0`\n{good}");
    let (_, text) = run(&[("inner/a.pkt", &stated)], &["--system", "freebsd"]);
    assert!(!text.contains("no sysctl"), "{text}");
    let (status, text) = run(&[("inner/a.pkt", &bad)], &[]);
    assert!(status == Some(1) && text.contains("NOT AS EXPECTED"), "{text}");
    let (status, text) = run(&[("inner/a.pkt", &bad), ("expected.toml", known)], &[]);
    assert!(status == Some(0) && text.contains("fail 1: RFC 9293 3.4: a test"), "{text}");
    let (status, text) = run(&[("inner/a.pkt", &good), ("expected.toml", known)], &[]);
    assert!(status == Some(1), "a deviation that is none any more: {text}");
    let (status, text) = run(&[("inner/a.pkt", "+0 nonsense")], &[]);
    assert!(status == Some(2) && text.contains("a.pkt:1: "), "{text}");
    let (status, text) = run(&[("inner/a.pkt", &good), ("expected.toml", "[[deviation]]\nscripts = 3")], &[]);
    assert!(status == Some(2) && text.contains("expected.toml:2: "), "{text}");
    for (files, more, message) in [
        (&[][..], &[][..], "no .pkt file"),
        (&[("a.pkt", good.as_str())][..], &["--nonsense"][..], "--nonsense: unknown"),
        (&[("a.pkt", good.as_str())][..], &["--expected"][..], "a value is missing"),
        (&[("a.pkt", good.as_str())][..], &["--system", "windows"][..], "found windows; linux or freebsd is allowed"),
    ] {
        let (status, text) = run(files, more);
        assert!(status == Some(2) && text.contains(message), "{text}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn blanks_and_comments_may_stand_between_all_tokens() {
    let tight = parse(
        "--tolerance_usecs=4000\n0 socket(...,SOCK_STREAM,IPPROTO_TCP)=3\n+.1~+.2 accept(3,...,...)=4\n\
         +0 < S. 0:10(10) ack 1 win 1000 <mss 1000,sackOK,TS val 1 ecr 2>\n+0 > . 1:1(0) ack 1 <sack 5:6 8:9>\n\
         +0 read(4,...,1)=-1 EAGAIN(no data)\n%{assert tcpi_rto > 0}%",
    );
    let loose = parse(
        "--tolerance_usecs = 4000 // a comment\n0 socket (... , SOCK_STREAM ,\n IPPROTO_TCP ) = 3\n + .1 ~ + .2 accept (3, ...,\n ...)\n = 4\n\
         + 0 <  S.\n 0 : 10 ( 10 ) ack\t1\n win /* of bytes */ 1000\n < mss\n 1000 , sackOK\n, TS  val 1\n ecr 2 >\n\
         +0 > . 1:1 (0) ack 1\n <sack 5 : 6  8 :9 >\n+0 read (4, ..., 1) = -1\n EAGAIN\n (no data) %{assert tcpi_rto > 0}%",
    );
    let bare = |script: Result<hopscope_conformance::script::Script, _>| {
        let script = script.expect("a script");
        let settings: Vec<_> = script.settings.into_iter().map(|s| (s.name, s.value)).collect();
        (settings, script.events.into_iter().map(|event| (event.at, event.what)).collect::<Vec<_>>())
    };
    assert_eq!(bare(tight), bare(loose));
}

#[test]
fn a_call_on_a_reset_connection_gives_its_error_once() {
    let reset = "+0 > . 1:4001(4000) ack 1\n+.1 < . 1:501(500) ack 1 win 65535\n+0 < R. 501:501(0) ack 4001 win 0\n";
    for (calls, what) in [
        ("+0 read(4, ..., 100) = -1 ECONNRESET (Connection reset by peer)\n+0 read(4, ..., 100) = 0", ""),
        ("+0 write(4, ..., 100) = -1 ECONNRESET (reset)\n+0 write(4, ..., 100) = -1 EPIPE (Broken pipe)", ""),
        (
            "+0 getsockopt(4, SOL_SOCKET, SO_ERROR, [ECONNRESET], [4]) = 0\n+0 read(4, ..., 100) = 0\n+0 close(4) = 0",
            "",
        ),
        ("+0 shutdown(4, SHUT_WR) = -1 ENOTCONN (not connected)", ""),
        ("+0 read(4, ..., 100) = 100", "read gives -1 ECONNRESET; 100 is expected"),
        ("+0 read(4, ..., 100) = -1 EAGAIN (none)", "read gives -1 ECONNRESET; -1 EAGAIN is expected"),
        ("+0 close(9) = -1 EBADF (no such socket)", ""),
    ] {
        match verdict(&format!("{reset}{calls}")) {
            Verdict::Pass => assert!(what.is_empty(), "{calls} passes"),
            Verdict::Fail { what: found, .. } => assert!(found.contains(what) && !what.is_empty(), "{calls}: {found}"),
            Verdict::NotExpressible { reason, .. } => panic!("{calls}: {reason}"),
        }
    }
    // Where the own end is closed nothing can be written.
    let closed =
        "+0 > . 1:4001(4000) ack 1\n+0 shutdown(4, SHUT_WR) = 0\n+0 write(4, ..., 100) = -1 EPIPE (Broken pipe)";
    assert_eq!(verdict(closed), Verdict::Pass);
    // Linux: behind a FIN a reset breaks the pipe.
    let text = format!("`sysctl -q net.ipv4.tcp_sack=0`\n{OPENED}").replace("4000", "1000");
    let script = format!(
        "{text}+0 > P. 1:1001(1000) ack 1\n+.1 < F. 1:1(0) ack 1001 win 65535\n* > . 1001:1001(0) ack 2\n\
         +0 < R. 2:2(0) ack 1001 win 0\n+0 write(4, ..., 100) = -1 EPIPE (Broken pipe)"
    );
    assert_eq!(play(&parse(&script).expect("a script"), System::Engine), Ok(Verdict::Pass));
}

#[test]
fn a_script_without_a_system_has_the_one_of_the_command() {
    let lost = format!("{OPENED}+0 > . 1:4001(4000) ack 1\n+1 > . 1:1001(1000) ack 1\n");
    let script = parse(&lost).expect("a script");
    assert_eq!(play(&script, System::Engine), Ok(Verdict::Pass), "RFC 6298: a second at least");
    let Ok(Verdict::Fail { what, .. }) = play(&script, System::Linux) else { panic!("Linux waits shorter") };
    assert!(what.contains("goes out at 0.4"), "{what}");
    let stated = parse(&format!("`sysctl -q net.ipv4.tcp_sack=0`\n{lost}")).expect("a script");
    assert!(matches!(play(&stated, System::FreeBsd), Ok(Verdict::Fail { .. })));
}

#[test]
fn data_for_a_closed_socket_is_answered_by_a_reset() {
    let closed =
        "+0 > . 1:4001(4000) ack 1\n+.1 < . 1:1(0) ack 4001 win 65535\n+0 close(4) = 0\n+0 > F. 4001:4001(0) ack 1\n";
    assert_eq!(verdict(&format!("{closed}+.1 < P. 1:501(500) ack 4002 win 65535\n+0 > R 4002:4002(0)")), Verdict::Pass);
    // Nothing of it is news.
    assert_eq!(
        verdict(&format!("{closed}+.1 < . 1:1(0) ack 4002 win 65535\n+.1 %{{ assert tcpi_state == 5 }}%")),
        Verdict::Pass
    );
}

#[test]
fn a_segment_size_that_is_set_is_reported_and_kept() {
    let text = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 setsockopt(3, SOL_TCP, TCP_MAXSEG, [800], 4) = 0\n\
         +0 getsockopt(3, SOL_TCP, TCP_MAXSEG, [800], [4]) = 0\n+0 bind(3, ..., ...) = 0\n+0 listen(3, 1) = 0\n\
         +0 < S 0:0(0) win 65535 <mss 1000>\n+0 > S. 0:0(0) ack 1 <mss 800>\n+.1 < . 1:1(0) ack 1 win 65535\n\
         +0 accept(3, ..., ...) = 4\n+0 %{ assert tcpi_advmss == 800; assert tcpi_snd_mss == 800 }%\n\
         +0 write(4, ..., 1600) = 1600\n+0 > . 1:801(800) ack 1\n+0 > . 801:1601(800) ack 1";
    assert_eq!(play(&parse(text).expect("a script"), System::Engine), Ok(Verdict::Pass));
}

#[test]
fn states_have_the_numbers_of_their_system() {
    for (system, names) in [(System::Linux, [10, 1]), (System::FreeBsd, [1, 4])] {
        let [listen, established] = names;
        let text =
            OPENED.replace("listen(3, 1) = 0", &format!("listen(3, 1) = 0\n+0 %{{ assert tcpi_state == {listen} }}%"));
        let script = parse(&format!("{text}+0 %{{ assert tcpi_state == {established} }}%")).expect("a script");
        assert_eq!(play(&script, system), Ok(Verdict::Pass), "{}", system.name());
    }
}
