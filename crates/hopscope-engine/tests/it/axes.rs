//! Transport, congestion control and recovery as separate words, and the older words that stand for them.

use hopscope_engine::config::{
    App, Config, CongestionControl, ControlChoice, FlowConfig, LossRecovery, TcpConfig, TcpKind, Transport, presets,
};
use hopscope_engine::simulation;

use crate::support::{chain, flow};

fn document(flow: &FlowConfig) -> serde_json::Value {
    serde_json::to_value(flow).expect("a flow is JSON")
}

fn read(value: serde_json::Value) -> Result<FlowConfig, serde_json::Error> {
    serde_json::from_value(value)
}

fn base() -> FlowConfig {
    flow("standard", 0, 2, Transport::Tcp, App::Bulk)
}

#[test]
fn an_older_word_and_its_axes_are_one_run() {
    let run = |transport, control: Option<CongestionControl>, recovery| {
        let mut config: Config = chain("standard", 7, 20);
        let mut flow = flow("standard", 0, 7, transport, App::Bulk);
        flow.control = control.map(ControlChoice::BuiltIn);
        flow.recovery = recovery;
        config.flows.push(flow);
        serde_json::to_value(simulation::run(config).expect("a sound scenario")).expect("JSON")
    };
    for word in [Transport::TcpTahoe, Transport::TcpReno, Transport::TcpSack, Transport::TcpCubic, Transport::TcpBbr] {
        let TcpKind { control, recovery } = word.kind(&TcpConfig::default());
        let axes = run(Transport::Tcp, Some(control), recovery);
        assert_eq!(axes, run(word, None, LossRecovery::Own), "{word:?}");
    }
    let own = run(Transport::Tcp, Some(CongestionControl::Htcp), LossRecovery::Own);
    assert_eq!(own, run(Transport::TcpHtcp, None, LossRecovery::Own));
    assert_eq!(run(Transport::Tcp, None, LossRecovery::Own), run(Transport::TcpNewReno, None, LossRecovery::Own));
    let other = run(Transport::Tcp, Some(CongestionControl::Htcp), LossRecovery::Reno);
    assert_ne!(own["flows"][0]["received_bytes"], other["flows"][0]["received_bytes"]);
    assert_eq!(other["flows"][0]["transport"], "tcp-htcp", "no older word has this recovery");
}

#[test]
fn older_documents_keep_their_meaning() {
    // What an engine wrote that knew neither the axes nor the rules one by one.
    let older = |recovery: &str| {
        let mut value = document(&base());
        value["transport"] = "tcp-vegas".into();
        let flow = value.as_object_mut().expect("an object");
        flow.remove("recovery");
        let rules = TcpConfig::default();
        let names = serde_json::to_value(&rules).expect("JSON");
        let tcp = flow["tcp"].as_object_mut().expect("an object");
        tcp.retain(|name, _| !is_rule(name));
        assert!(tcp.len() + 17 == names.as_object().expect("an object").len());
        tcp.insert("recovery".into(), recovery.into());
        read(value).expect("an older document").tcp.resolved()
    };
    let ns2 = presets::base("ns2", "wavelan-2M").expect("a profile").tcp;
    let rules = |tcp: &TcpConfig| {
        let value = serde_json::to_value(tcp).expect("JSON");
        value.as_object().expect("an object").clone().into_iter().filter(|(name, _)| is_rule(name)).collect::<Vec<_>>()
    };
    assert_eq!(rules(&older("ns2")), rules(&ns2), "the word stands for every rule that the profile sets");
    assert_eq!(rules(&older("rfc")), rules(&TcpConfig::default()));
    assert!(rules(&ns2).iter().all(|(_, value)| *value == true || *value == 2), "{:?}", rules(&ns2));
    let word_over_rules = TcpConfig { recovery: hopscope_engine::config::tcp::Recovery::Rfc, ..ns2 };
    assert_eq!(rules(&word_over_rules.resolved()), rules(&TcpConfig::default()));
}

/// Rules that came after the word `recovery`, which does not stand for them.
const NEWER: [&str; 4] = ["growth_goes_on", "times_every_segment", "backoff_ends_by_ack", "dupacks_as_sack"];

/// One of the seventeen rules that `recovery` stands for.
fn is_rule(name: &str) -> bool {
    let parameters = TcpConfig::describe();
    let place = |wanted: &str| parameters.iter().position(|p| p.name == wanted).expect("a parameter");
    (place("growth_by_ack")..=place("vegas_clears_no_wrap")).contains(&place(name)) && !NEWER.contains(&name)
}

#[test]
fn a_control_is_a_word_or_a_name_from_outside() {
    let with = |control: serde_json::Value| {
        let mut value = document(&base());
        value["control"] = control;
        read(value)
    };
    let cubic = with("cubic".into()).expect("a word");
    assert_eq!(cubic.tcp_kind(), Some(TcpKind::new(CongestionControl::Cubic, LossRecovery::Sack)));
    assert_eq!(read(document(&cubic)).expect("its own document"), cubic);
    let outside = with(serde_json::json!({"name": "tcp:mine", "identity": "1"})).expect("a name");
    assert_eq!(outside.external().map(|name| name.name.as_str()), Some("tcp:mine"));
    assert_eq!(read(document(&outside)).expect("its own document"), outside);
    let error = with("cubik".into()).expect_err("no such word").to_string();
    assert!(error.contains("cubik") && error.contains("newreno"), "{error}");
    let error = with(7.into()).expect_err("a number").to_string();
    assert!(error.contains("the word of a congestion control"), "{error}");
}

#[test]
fn words_that_do_not_go_together_are_refused_by_name() {
    use CongestionControl as C;
    let refused = |transport, control: Option<C>, recovery| {
        let mut config = chain("standard", 2, 2);
        let mut flow = flow("standard", 0, 2, transport, App::Bulk);
        flow.control = control.map(ControlChoice::BuiltIn);
        flow.recovery = recovery;
        config.flows.push(flow);
        simulation::run(config).expect_err("refused").to_string()
    };
    for (transport, control, recovery, key, also) in [
        (Transport::TcpCubic, Some(C::Cubic), LossRecovery::Own, "flows.0.control", "transport \"tcp\""),
        (Transport::Udp, Some(C::Cubic), LossRecovery::Own, "flows.0.control", "udp"),
        (Transport::Tcp, Some(C::External), LossRecovery::Own, "flows.0.control", "by its name"),
        (Transport::Udp, None, LossRecovery::Sack, "flows.0.recovery", "udp repairs no losses"),
        (Transport::TcpTahoe, None, LossRecovery::Sack, "flows.0.recovery", "only \"own\""),
        (Transport::Tcp, Some(C::Vegas), LossRecovery::Sack, "flows.0.recovery", "\"own\", \"vegas\""),
        (Transport::Tcp, Some(C::Cubic), LossRecovery::Vegas, "flows.0.recovery", "\"newreno\""),
        (Transport::Tcp, Some(C::Bbr), LossRecovery::Reno, "flows.0.recovery", "\"sack\", \"rack\""),
        (Transport::Tcp, Some(C::Bbr3), LossRecovery::Sack, "flows.0.recovery", "\"own\", \"rack\""),
    ] {
        let error = refused(transport, control, recovery);
        assert!(error.contains(key) && error.contains(also), "{error}");
    }
}
