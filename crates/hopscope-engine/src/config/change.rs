//! What happens at an instant of a run: a node dies or moves, a link is cut, a flow starts, a parameter changes.

use serde::{Deserialize, Serialize};

use super::{App, Config, MacConfig, RadioConfig, RatesConfig};
use hopscope_core::choice;
use hopscope_core::error::{BuildError, BuildErrors};
use hopscope_core::units::Time;
use hopscope_mac::config::mac::Counting;
use hopscope_mac::config::mac::RateControlKind;
use hopscope_mac::edca::category;
use hopscope_phy::config::layout::PpduFormat;
use hopscope_phy::config::radio::ErrorKind;
use hopscope_phy::phy::modes;

choice! {
    /// What changes.
    pub enum ChangeKind {
        /// The radio of `node` goes off; its queues and tables survive, as in an outage.
        NodeDown = "node-down",
        /// The radio of `node` comes back.
        NodeUp = "node-up",
        /// Nothing arrives over the link of `from` and `to` any more, both ways.
        LinkCut = "link-cut",
        /// The link loses power (`attenuation`, a radio link) or packets (`loss`, a wire), both ways.
        LinkDegrade = "link-degrade",
        /// The link is as at the beginning.
        LinkRestore = "link-restore",
        /// `node` is at `position`, or goes there at `speed`, and stays there.
        Move = "move",
        /// `node` sends with `power`.
        Power = "power",
        /// `flow` starts before its time, or again where it runs over UDP and was stopped.
        FlowStart = "flow-start",
        /// The application of `flow` offers nothing more; what it has offered is still carried.
        FlowStop = "flow-stop",
        /// `flow` sends at `rate`.
        FlowRate = "flow-rate",
        /// The parameter `key` has `value` at `node`, or at all nodes that have none of their own.
        Set = "set",
    }
}

/// Parameters that can change in a run, by their names in a scenario.
pub const CHANGEABLE: [&str; 8] = [
    "mac.rts_threshold",
    "mac.cw_min",
    "mac.cw_max",
    "mac.short_retry_limit",
    "mac.long_retry_limit",
    "mac.queue",
    DATA_RATE,
    ERRORS,
];

/// The rate of unicast data frames, which a single node changes alone: the air is reckoned for those of the beginning.
const DATA_RATE: &str = "radio.data_rate";

/// What the channel damages, of all nodes.
const ERRORS: &str = "radio.error.per";

/// What happens at an instant. Which values count depends on `kind`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// What changes.
    pub kind: ChangeKind,
    /// The node.
    #[serde(default)]
    pub node: Option<u32>,
    /// One end of the link.
    #[serde(default)]
    pub from: Option<u32>,
    /// Its other end.
    #[serde(default)]
    pub to: Option<u32>,
    /// Power that a radio link loses, dB.
    #[serde(default)]
    pub attenuation: Option<f64>,
    /// Probability with which a wire loses a packet.
    #[serde(default)]
    pub loss: Option<f64>,
    /// Where the node is or goes, metres.
    #[serde(default)]
    pub position: Option<[f64; 2]>,
    /// How fast it goes there, m/s; none: it is there at once.
    #[serde(default)]
    pub speed: Option<f64>,
    /// Transmit power, watts.
    #[serde(default)]
    pub power: Option<f64>,
    /// The flow.
    #[serde(default)]
    pub flow: Option<u32>,
    /// Payload bits per second.
    #[serde(default)]
    pub rate: Option<f64>,
    /// Name of the parameter.
    #[serde(default)]
    pub key: Option<String>,
    /// Its value.
    #[serde(default)]
    pub value: Option<f64>,
}

/// A change at its instant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventConfig {
    /// When it happens.
    pub at: Time,
    /// What happens.
    pub change: Change,
}

impl Change {
    /// A change of this kind without values.
    pub fn of(kind: ChangeKind) -> Self {
        Change {
            kind,
            node: None,
            from: None,
            to: None,
            attenuation: None,
            loss: None,
            position: None,
            speed: None,
            power: None,
            flow: None,
            rate: None,
            key: None,
            value: None,
        }
    }

    /// The names of the values that a kind needs, and of those that it can have.
    pub const fn values(kind: ChangeKind) -> (&'static [&'static str], &'static [&'static str]) {
        match kind {
            ChangeKind::NodeDown | ChangeKind::NodeUp => (&["node"], &[]),
            ChangeKind::LinkCut | ChangeKind::LinkRestore => (&["from", "to"], &[]),
            ChangeKind::LinkDegrade => (&["from", "to"], &["attenuation", "loss"]),
            ChangeKind::Move => (&["node", "position"], &["speed"]),
            ChangeKind::Power => (&["node", "power"], &[]),
            ChangeKind::FlowStart | ChangeKind::FlowStop => (&["flow"], &[]),
            ChangeKind::FlowRate => (&["flow", "rate"], &[]),
            ChangeKind::Set => (&["key", "value"], &["node"]),
        }
    }

    /// The values that are given, by name.
    fn given(&self) -> Vec<&'static str> {
        let all = [
            ("node", self.node.is_some()),
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
            ("attenuation", self.attenuation.is_some()),
            ("loss", self.loss.is_some()),
            ("position", self.position.is_some()),
            ("speed", self.speed.is_some()),
            ("power", self.power.is_some()),
            ("flow", self.flow.is_some()),
            ("rate", self.rate.is_some()),
            ("key", self.key.is_some()),
            ("value", self.value.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    /// What is wrong with the change in a network; `key` names one of its values in full.
    pub fn check(&self, config: &Config, key: impl Fn(&str) -> String) -> Vec<BuildError> {
        let mut found = BuildErrors::default();
        let (needed, possible) = Self::values(self.kind);
        let (given, word) = (self.given(), self.kind.word());
        for name in needed.iter().filter(|name| !given.contains(name)) {
            found.note(Err(BuildError::new(key(name), format!("is missing; kind = \"{word}\" needs it"))));
        }
        for name in given.iter().filter(|name| !needed.contains(name) && !possible.contains(name)) {
            found.note(Err(BuildError::new(key(name), format!("does not belong to kind = \"{word}\""))));
        }
        let nodes = config.nodes.len();
        for (name, node) in [("node", self.node), ("from", self.from), ("to", self.to)] {
            if let Some(node) = node.filter(|&node| node as usize >= nodes) {
                found.note(Err(BuildError::no_such_node(key(name), node, nodes)));
            }
        }
        // The checks below read what the kind needs.
        if !found.0.is_empty() {
            return found.0;
        }
        self.check_link(config, &key, &mut found);
        self.check_flow(config, &key, &mut found);
        // A speed of zero would never arrive; without one the node is there at once.
        let positive = [("speed", self.speed, "m/s"), ("power", self.power, "W"), ("rate", self.rate, "bit/s")];
        for (name, value, unit) in positive {
            if let Some(value) = value {
                found.require(value.is_finite() && value > 0.0, key(name), || {
                    format!("found {value} {unit}; it must be above 0")
                });
            }
        }
        if let Some(place) = self.position {
            found.require(place.iter().all(|c| c.is_finite() && c.abs() <= 1e9), key("position"), || {
                format!("found position {place:?}; coordinates are metres between -1e9 and 1e9")
            });
        }
        if self.kind == ChangeKind::Set {
            self.check_parameter(config, &key, &mut found);
        }
        found.0
    }

    fn check_link(&self, config: &Config, key: &impl Fn(&str) -> String, found: &mut BuildErrors) {
        let (Some(from), Some(to)) = (self.from, self.to) else { return };
        if !found.require(from != to, key("to"), || format!("a link has two ends, found {from} twice")) {
            return;
        }
        let wire = config.wires.iter().any(|wire| wire.ends == [from, to] || wire.ends == [to, from]);
        let radio = config.has_wifi(from) && config.has_wifi(to);
        found.require(wire || radio, key("to"), || {
            format!("nodes {from} and {to} have no link: neither radios nor a wire")
        });
        if self.kind == ChangeKind::LinkDegrade {
            // A wire between two nodes that hear each other is what is meant.
            let (wanted, other) = if wire { ("loss", "attenuation") } else { ("attenuation", "loss") };
            let given = self.given();
            let kind = if wire { "a wire joins them" } else { "they hear each other by radio" };
            found.require(given.contains(&wanted), key(wanted), || format!("is missing: {kind}"));
            found.require(!given.contains(&other), key(other), || format!("does not belong here: {kind}"));
        }
        if let Some(loss) = self.loss {
            found.require((0.0..=1.0).contains(&loss), key("loss"), || {
                format!("found {loss}; a probability, 0 to 1, is allowed")
            });
        }
        if let Some(attenuation) = self.attenuation {
            found.require(attenuation.is_finite() && attenuation >= 0.0, key("attenuation"), || {
                format!("found {attenuation} dB; at least 0 dB are allowed")
            });
        }
    }

    fn check_flow(&self, config: &Config, key: &impl Fn(&str) -> String, found: &mut BuildErrors) {
        let Some(flow) = self.flow else { return };
        let flows = config.flows.len();
        let Some(of) = config.flows.get(flow as usize) else {
            found.note(Err(BuildError::new(
                key("flow"),
                format!("flow {flow} does not exist; flows are 0 to {}", flows.saturating_sub(1)),
            )));
            return;
        };
        let paced = matches!(of.app, App::Cbr { .. } | App::OnOff { .. } | App::Poisson { .. });
        found.require(self.kind != ChangeKind::FlowRate || paced, key("flow"), || {
            format!("flow {flow} has no rate of its own: its application sends as fast as it can, or by a trace")
        });
    }

    fn check_parameter(&self, config: &Config, key: &impl Fn(&str) -> String, found: &mut BuildErrors) {
        let (Some(name), Some(value)) = (&self.key, self.value) else { return };
        if !found.require(CHANGEABLE.contains(&name.as_str()), key("key"), || {
            format!("found \"{name}\"; in a run can change {}", CHANGEABLE.join(", "))
        }) {
            return;
        }
        let mac = config.mac_of(self.node.and_then(|node| config.host(node)));
        let ignored = ignored_by(mac, &config.radio, name);
        if !found.require(ignored.is_none(), key("key"), || {
            format!("found \"{name}\", which has no effect: {}", ignored.unwrap_or_default())
        }) {
            return;
        }
        let of_all = name == ERRORS;
        let (alone, named) = (name == DATA_RATE, self.node.is_some());
        let sound = found
            .require(named || !alone, key("node"), || format!("is missing: nodes change {name} one by one"))
            && found.require(!named || !of_all, key("node"), || format!("{name} is that of all nodes; leave node out"))
            && found.require(self.node.is_none_or(|node| config.has_wifi(node)), key("node"), || {
                "it has no 802.11 interface".to_string()
            });
        if !sound {
            return;
        }
        if of_all {
            let uniform = matches!(config.radio.error_kind, ErrorKind::None | ErrorKind::Uniform);
            found.require(uniform, key("key"), || "belongs to radio.error.kind = \"uniform\"".to_string());
            found.require((0.0..=1.0).contains(&value), key("value"), || {
                format!("found {value}; a probability, 0 to 1, is allowed")
            });
            return;
        }
        let whole = value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value);
        if !found.require(whole, key("value"), || format!("found {value}; {name} is a whole number")) {
            return;
        }
        if alone {
            let rates = rates_in_reach(config);
            found.require(rates.contains(&(value as u64)), key("value"), || {
                let allowed: Vec<String> = rates.iter().map(u64::to_string).collect();
                format!("found {value} bit/s; in a run are allowed {}", allowed.join(", "))
            });
            return;
        }
        // The parameter's own range says whether the value fits.
        let changed = self.applied_to(config);
        let section = self.node.and_then(|node| changed.hosts.iter().position(|host| host.nodes.contains(&node)));
        let whole_name = section.map_or(name.clone(), |place| format!("hosts.{place}.{name}"));
        let problem = changed.outside().into_iter().find(|problem| problem.key == whole_name);
        // Only what is wrong with this parameter: others may have been wrong before.
        let fits = found
            .require(problem.is_none(), key("value"), || problem.map(|problem| problem.message).unwrap_or_default());
        if fits && name.starts_with("mac.cw_") {
            let host = self.node.and_then(|node| changed.host(node));
            check_windows(changed.mac_of(host), key, found);
        }
    }

    /// The configuration with the parameter changed.
    pub(crate) fn applied_to(&self, config: &Config) -> Config {
        let mut config = config.clone();
        let (Some(name), Some(value)) = (&self.key, self.value) else { return config };
        if name == ERRORS {
            // A run without errors begins to have them.
            config.radio.error_kind = ErrorKind::Uniform;
            config.radio.error_per = value;
            return config;
        }
        let Some(node) = self.node else {
            set_of_mac(&mut config.mac, name, value);
            return config;
        };
        let (mac, RadioConfig { basic_rate, response_rates, .. }) = (config.mac.clone(), config.radio.clone());
        let host = config.own_settings(node);
        if name == DATA_RATE {
            let rates = host.rates.get_or_insert(RatesConfig { data_rate: 0, basic_rate, response_rates });
            rates.data_rate = value as u64;
        } else {
            set_of_mac(host.mac.get_or_insert(mac), name, value);
        }
        config
    }
}

/// The smallest contention window stays within the largest, of each access category too.
fn check_windows(mac: &MacConfig, key: &impl Fn(&str) -> String, found: &mut BuildErrors) {
    let mut windows = vec![(mac.cw_min, mac.cw_max)];
    if mac.qos {
        let usual = category::windows(mac.cw_min, mac.cw_max);
        windows.extend(usual.into_iter().enumerate().map(|(place, (least, most))| {
            let given = |list: &[u32], usual| list.get(place).copied().unwrap_or(usual);
            (given(&mac.edca_cw_min, least), given(&mac.edca_cw_max, most))
        }));
    }
    for (least, most) in windows.into_iter().filter(|(least, most)| least > most).take(1) {
        found.note(Err(BuildError::new(
            key("value"),
            format!("it makes the smallest contention window {least} and the largest {most} slots; the smallest must not exceed the largest"),
        )));
    }
}

/// Sets a parameter of the MAC that can change.
fn set_of_mac(mac: &mut MacConfig, name: &str, value: f64) {
    let value = value as u32;
    match name {
        "mac.rts_threshold" => mac.rts_threshold = Some(value),
        "mac.cw_min" => mac.cw_min = value,
        "mac.cw_max" => mac.cw_max = value,
        "mac.short_retry_limit" => mac.short_retry_limit = value,
        "mac.long_retry_limit" => mac.long_retry_limit = value,
        // The only other one that `check_parameter` lets through.
        _ => mac.queue = value,
    }
}

/// Rates of the PHY, bit/s, up to the fastest that the configuration has: how far interference matters follows from that one.
fn rates_in_reach(config: &Config) -> Vec<u64> {
    let radio = config.radio_with_all_rates();
    let fastest = [radio.data_rate, radio.basic_rate].into_iter().chain(radio.response_rates.iter().copied()).max();
    modes::rates(radio.phy).filter(|&rate| Some(rate) <= fastest).collect()
}

/// Why a parameter that can change means nothing to the stations of a network, if it does not.
fn ignored_by(mac: &MacConfig, radio: &RadioConfig, name: &str) -> Option<&'static str> {
    let has_agreements = mac.qos && mac.ampdu.is_some();
    // Without it, the short limit says after how many failures the contention window begins again.
    let resets = mac.cw_reset_failures.is_none() && (mac.qos || mac.retry_counting == Counting::Packet);
    match name {
        "mac.long_retry_limit" if mac.qos => {
            Some("QoS stations have mac.mpdu_retry_limit, and mac.short_retry_limit without A-MPDUs")
        }
        "mac.short_retry_limit" | "mac.long_retry_limit" if mac.retry_limit.is_some() && (mac.qos || !resets) => {
            Some("mac.retry_limit is given, and counts in its place")
        }
        "mac.short_retry_limit" if has_agreements && !resets => Some(
            "mac.mpdu_retry_limit counts the attempts of an MPDU, mac.cw_reset_failures the failures of a category",
        ),
        "mac.cw_max" if mac.qos && !mac.edca_cw_max.is_empty() => {
            Some("mac.edca_cw_max is given, with a window for each category")
        }
        "mac.cw_min" if mac.qos && !mac.edca_cw_min.is_empty() && !mac.edca_cw_max.is_empty() => {
            Some("mac.edca_cw_min and mac.edca_cw_max are given, with windows for each category")
        }
        DATA_RATE if radio.ppdu_format != PpduFormat::NonHt => Some("radio.mcs gives the rate of such frames"),
        DATA_RATE if mac.rate_control != RateControlKind::Fixed => Some("mac.rate_control chooses the rate"),
        _ => None,
    }
}

impl Config {
    /// What is wrong with the events.
    pub(crate) fn check_events(&self) -> Vec<BuildError> {
        let mut found = Vec::new();
        for (number, EventConfig { at, change }) in self.events.iter().enumerate() {
            found.extend(change.check(self, |name| format!("events.{number}.{name}")));
            if *at > self.duration {
                let (at, end) = (at.as_secs(), self.duration.as_secs());
                let message = format!("found {at} s; the run ends at {end} s");
                found.push(BuildError::new(format!("events.{number}.at"), message));
            }
            if let Some(node) =
                change.node.filter(|_| change.kind == ChangeKind::NodeUp || change.kind == ChangeKind::NodeDown)
            {
                // Outages count how many are under way, events say what is: the two do not mix.
                if self.outages.iter().any(|outage| outage.node == node) {
                    let message = format!("node {node} has outages too; give one of them");
                    found.push(BuildError::new(format!("events.{number}.node"), message));
                }
            }
        }
        found
    }
}
