//! The configuration of nodes (`node-config`, variables of PHY, antenna, MAC and queue) as keys of a scenario.

use hopscope_core::math;
use std::f64::consts::PI;

use super::import::{Keys, key, number, text};
use super::{Script, Setting, units};
use crate::columns::finite;
use crate::value::Value;

/// Keys of the scenario, and what is not followed.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    pub radio: Keys,
    pub mac: Keys,
    pub routing: Keys,
    pub left: Vec<String>,
}

/// Options of `node-config` with the values that are followed; none: any, as of traces.
const OPTIONS: &[(&str, &[&str])] = &[
    ("addressType", &["flat"]),
    ("agentTrace", &[]),
    ("antType", &["Antenna/OmniAntenna"]),
    ("channel", &[]),
    ("channelType", &["Channel/WirelessChannel"]),
    ("eotTrace", &[]),
    ("ifqType", &["Queue/DropTail/PriQueue", "Queue/DropTail", "CMUPriQueue"]),
    ("llType", &["LL"]),
    ("macTrace", &[]),
    ("macType", &["Mac/802_11"]),
    ("mobileIP", &["OFF"]),
    ("movementTrace", &[]),
    ("phyTrace", &[]),
    ("phyType", &["Phy/WirelessPhy"]),
    ("routerTrace", &[]),
    ("topoInstance", &[]),
    ("toraDebug", &["OFF"]),
    ("wiredRouting", &["OFF"]),
];

/// Variables that are followed at ns-2's default alone: class, name, default.
const DEFAULTS: &[(&str, &str, &str)] = &[
    ("Antenna/OmniAntenna", "X_", "0"),
    ("Antenna/OmniAntenna", "Y_", "0"),
    ("LL", "bandwidth_", "0"),
    ("LL", "delay_", "25us"),
    ("LL", "mindelay_", "50us"),
    ("LL", "off_CtrMcast_", "0"),
    ("LL", "off_prune_", "0"),
    ("Mac/802_11", "PLCPDataRate_", "1Mb"),
    ("Mac/802_11", "bugFix_timer_", "true"),
    ("Queue/DropTail/PriQueue", "Prefer_Routing_Protocols", "1"),
];

/// Variables that nothing of the simulation reads.
const UNREAD: &[(&str, &str)] = &[("Phy/WirelessPhy", "bandwidth_")];

struct Reader<'s> {
    script: &'s Script,
    found: Configuration,
    /// The settings that were followed.
    used: Vec<(String, String)>,
}

/// The keys of a script's configuration.
pub(super) fn configuration(script: &Script) -> Configuration {
    let mut reader = Reader { script, found: Configuration::default(), used: Vec::new() };
    // In any order but the last: `rest` lists what none of the others has taken.
    reader.options();
    reader.rates();
    reader.mac();
    reader.radio();
    reader.rest();
    reader.found
}

impl Reader<'_> {
    fn leave(&mut self, setting: &Setting, why: &str) {
        self.found.left.push(self.script.fault(setting.at, why));
    }

    fn options(&mut self) {
        let script = self.script;
        let option = |name: &str| script.options.get(name);
        for (name, setting) in &script.options {
            match (name.as_str(), OPTIONS.iter().find(|(known, _)| known == name)) {
                ("adhocRouting" | "ifqLen" | "propType" | "propInstance", _) => {}
                (_, Some((_, allowed))) if allowed.is_empty() || allowed.contains(&setting.value.as_str()) => {}
                (_, Some((_, allowed))) => {
                    let wanted = allowed.join(" or ");
                    self.leave(setting, &format!("-{name} {} is not followed, but {wanted}", setting.value));
                }
                _ => self.leave(setting, &format!("-{name} {} is not followed", setting.value)),
            }
        }
        if let Some(setting) = option("adhocRouting") {
            let protocol = setting.value.to_lowercase();
            if ["aodv", "dsdv", "dsr"].contains(&protocol.as_str()) {
                self.found.routing.push(key("protocol", text(&protocol)));
            } else {
                self.leave(setting, &format!("-adhocRouting {} is not followed, but AODV, DSDV or DSR", setting.value));
            }
        }
        if let Some(setting) = option("ifqLen") {
            match setting.value.parse::<u32>() {
                Ok(packets) if packets > 0 => self.found.mac.push(key("queue", Value::Int(packets.into()))),
                _ => self.leave(setting, &format!("-ifqLen {} is no number of packets", setting.value)),
            }
        }
    }

    /// The value of a variable, or a default; what does not fit is listed.
    fn value(&mut self, class: &str, name: &str, default: f64, read: fn(&str) -> Result<f64, String>) -> f64 {
        let script = self.script;
        let Some(setting) = script.settings.get(&(class.to_string(), name.to_string())) else { return default };
        self.used.push((class.to_string(), name.to_string()));
        match read(&setting.value) {
            Ok(value) => value,
            Err(why) => {
                self.leave(setting, &why);
                default
            }
        }
    }

    fn rates(&mut self) {
        // ns-2's defaults: 1 Mbit/s for both.
        for (name, rate) in [("data_rate", "dataRate_"), ("basic_rate", "basicRate_")] {
            let value = self.value("Mac/802_11", rate, 1e6, units::rate);
            self.found.radio.push(key(name, number(value)));
        }
    }

    fn mac(&mut self) {
        let whole = |text: &str| match text.parse::<f64>() {
            Ok(value) if value.fract() == 0.0 && (0.0..1e9).contains(&value) => Ok(value),
            _ => Err(format!("found {text}; expected a whole number")),
        };
        for (name, variable, default) in [
            ("rts_threshold", "RTSThreshold_", 0.0),
            ("cw_min", "CWMin_", 31.0),
            ("cw_max", "CWMax_", 1023.0),
            ("short_retry_limit", "ShortRetryLimit_", 7.0),
            ("long_retry_limit", "LongRetryLimit_", 4.0),
        ] {
            let value = self.value("Mac/802_11", variable, default, whole);
            if value != default {
                self.found.mac.push(key(name, number(value)));
            }
        }
        for (name, variable, default) in [("slot", "SlotTime_", 20e-6), ("sifs", "SIFS_", 10e-6)] {
            let value = self.value("Mac/802_11", variable, default, units::seconds);
            if value != default {
                self.found.mac.push(key(name, number(value)));
            }
        }
        // ns-2 sends preamble and header at 1 Mbit/s: their bits are what counts. 192 are those of the long preamble
        // of DSSS.
        let bits = self.value("Mac/802_11", "PreambleLength_", 144.0, whole)
            + self.value("Mac/802_11", "PLCPHeaderLength_", 48.0, whole);
        if bits != 192.0 {
            self.found.radio.push(key("plcp_bits_1m", number(bits)));
        }
    }

    fn radio(&mut self) {
        let positive = |text: &str| {
            let value = finite(text).filter(|value| *value > 0.0);
            value.ok_or_else(|| format!("found {text}; expected a number above 0"))
        };
        let of_phy =
            |reader: &mut Self, name: &str, default: f64| reader.value("Phy/WirelessPhy", name, default, positive);
        let of_antenna =
            |reader: &mut Self, name: &str, default: f64| reader.value("Antenna/OmniAntenna", name, default, positive);
        let [power, frequency, loss, capture, sense, receive] = [
            of_phy(self, "Pt_", 0.281_838_15),
            of_phy(self, "freq_", 914e6),
            of_phy(self, "L_", 1.0),
            of_phy(self, "CPThresh_", 10.0),
            of_phy(self, "CSThresh_", 1.559e-11),
            of_phy(self, "RXThresh_", 3.652e-10),
        ];
        let height = of_antenna(self, "Z_", 1.5);
        // Both ends have the same antenna: its gains of sending and of receiving are in every link.
        let gain = of_antenna(self, "Gt_", 1.0) * of_antenna(self, "Gr_", 1.0);
        let is_free = self.propagation();
        // Power, gains and loss are in the ranges. Frequency and height say where two-ray ground leaves free space.
        for (name, value, default, counts) in [
            ("capture_threshold", capture, 10.0, true),
            ("frequency", frequency, 914e6, !is_free),
            ("antenna_height", height, 1.5, !is_free),
        ] {
            if value != default && counts {
                self.found.radio.push(key(name, number(value)));
            }
        }
        let budget = Budget { power: power * gain / loss, frequency, height };
        let range = |threshold: f64| if is_free { budget.free(threshold) } else { budget.two_ray(threshold) };
        // To a centimetre: the thresholds of scripts have three or four digits.
        let [tx, cs] = [receive, sense].map(|threshold| (range(threshold) * 100.0).round() / 100.0);
        // With ns-2's own values they are the profile's 250 m and 550 m, to a centimetre or two.
        for (name, value, usual) in [("tx_range", tx, 250.0), ("cs_range", cs, 550.0)] {
            if (value - usual).abs() > 0.1 {
                self.found.radio.push(key(name, number(value)));
            }
        }
    }

    /// Whether powers are those of free space.
    fn propagation(&mut self) -> bool {
        let script = self.script;
        let Some(setting) = script.options.get("propType") else { return false };
        match setting.value.as_str() {
            "Propagation/TwoRayGround" => false,
            "Propagation/FreeSpace" => {
                self.found.radio.push(key("propagation", text("friis")));
                true
            }
            other => {
                let wanted = "but Propagation/TwoRayGround or Propagation/FreeSpace";
                self.leave(setting, &format!("-propType {other} is not followed, {wanted}"));
                false
            }
        }
    }

    /// Lists the settings that nothing has followed.
    fn rest(&mut self) {
        let script = self.script;
        for ((class, name), setting) in &script.settings {
            let is = |known: &&(&str, &str)| known.0 == class && known.1 == name;
            if self.used.iter().any(|(known, of)| known == class && of == name) || UNREAD.iter().any(|known| is(&known))
            {
                continue;
            }
            // As text, as a rate or as a time: one of them is what the variable is.
            let same = |default: &str| {
                let rates = (units::rate(default), units::rate(&setting.value));
                let times = (units::seconds(default), units::seconds(&setting.value));
                default == setting.value
                    || matches!(rates, (Ok(a), Ok(b)) if a == b)
                    || matches!(times, (Ok(a), Ok(b)) if a == b)
            };
            match DEFAULTS.iter().find(|(known, of, _)| known == class && of == name) {
                Some((.., default)) if same(default) => {}
                Some((.., default)) => {
                    let why =
                        format!("{class} {name} {} is followed at ns-2's default alone, {default}", setting.value);
                    self.leave(setting, &why);
                }
                None => self.leave(setting, &format!("the variable {name} of {class} is not followed")),
            }
        }
    }
}

/// What a receiver gets from afar.
struct Budget {
    /// Watts, with the gains of both antennas, less the system's loss.
    power: f64,
    /// Hz.
    frequency: f64,
    /// Height of both antennas in metres.
    height: f64,
}

impl Budget {
    fn wavelength(&self) -> f64 {
        // The speed of light of ns-2.
        3e8 / self.frequency
    }

    /// Distance at which free space leaves a power (Friis).
    fn free(&self, threshold: f64) -> f64 {
        self.wavelength() / (4.0 * PI) * (self.power / threshold).sqrt()
    }

    /// Distance at which two-ray ground leaves it: free space up to the crossover, the fourth power of distance beyond.
    fn two_ray(&self, threshold: f64) -> f64 {
        let crossover = 4.0 * PI * self.height.powi(2) / self.wavelength();
        let free = self.free(threshold);
        if free <= crossover {
            return free;
        }
        // Both models give one power at the crossover; rounding must not put the range below it.
        math::pow(self.power * self.height.powi(4) / threshold, 0.25).max(crossover)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_become_ranges() {
        let usual = Budget { power: 0.281_838_15, frequency: 914e6, height: 1.5 };
        // 250 m and 550 m are what ns-2's documentation names for its own values.
        assert!((usual.two_ray(3.652e-10) - 250.0).abs() < 0.1);
        assert!((usual.two_ray(1.559e-11) - 550.0).abs() < 0.1);
        // Below the crossover of 86.1 m both models are free space.
        assert!((usual.two_ray(7.69e-8) - usual.free(7.69e-8)).abs() < 1e-9);
        assert!((usual.free(7.69e-8) - 50.0).abs() < 0.1);
    }
}
