//! Parameters of DSDV (Perkins and Bhagwat 1994) and its named sets.

use hopscope_core::config::section::{Checks, seconds};
use hopscope_core::error::BuildError;
use hopscope_core::units::Span;
use hopscope_core::{choice, params};

choice! {
    /// Which news of another node makes a triggered update.
    pub enum DsdvTrigger {
        /// A new destination, a better route of the same number, and a neighbour lost here; other changes wait for the
        /// next update.
        BetterRoute = "better-route",
        /// The same, and every number that comes with another distance, be it a loss that others report.
        NewDistance = "new-distance",
        /// The same, and every new number (DSDV-SQ of Broch et al. 1998).
        NewNumber = "new-number",
    }
}

params! {
    /// DSDV.
    pub struct DsdvConfig {
        /// Longest interval between full updates; each one is uniform between 0.75 and 1 of it.
        update_interval: Span = Span::from_secs(15), "s", "Broch et al. 1998";
        /// Intervals without an update after which a neighbour is lost.
        missed_updates: u32 = 3, "", "Broch et al. 1998";
        /// Settling time assumed of a new destination: a better route may still come for twice as long.
        settling_time: Span = Span::from_secs(6), "s", "Broch et al. 1998";
        /// Weight of the past in the mean settling time.
        settling_memory: f64 = 0.875, "", "Broch et al. 1998";
        /// Which news make a triggered update.
        trigger: DsdvTrigger = DsdvTrigger::NewDistance, "", "Perkins and Bhagwat 1994";
        /// Shortest time between triggered updates.
        trigger_gap: Span = Span::from_secs(1), "s", "Broch et al. 1998";
        /// Longest random wait before the first update.
        startup_jitter: Span = Span::from_secs(2), "s", "a default";
        /// Longest random delay of an update.
        broadcast_jitter: Span = Span::from_millis(10), "s", "a default";
        /// A neighbour that does not take a packet is lost at once; otherwise only silence counts.
        link_layer_detection: bool = false, "", "Broch et al. 1998";
        /// Packets held per destination without a route; the oldest gives way.
        buffer_packets: u32 = 5, "packets", "Broch et al. 1998";
        /// Longest time a packet is held; 0 holds it until there is a route.
        buffer_time: Span = Span::from_secs(30), "s", "a default";
        /// Time to live of data packets; off takes that of the network layer.
        data_ttl: Option<u32> = None, "hops", "a default";
        /// Bytes that data packets grow by at their source.
        data_header: u32 = 0, "bytes", "a default";
    }
}

impl DsdvConfig {
    /// Names of the parameter sets with what they stand for.
    pub const SETS: &'static [(&'static str, &'static str)] = &[
        ("perkins1994", "DSDV of Perkins and Bhagwat 1994 with the constants of Broch et al. 1998."),
        ("perkins1994-ll", "The same, with links judged by the MAC."),
        ("ns2", "The DSDV agent of ns-2.35 as distributed."),
    ];

    /// The parameter set of that name.
    pub fn set(name: &str) -> Option<DsdvConfig> {
        match name {
            "perkins1994" => Some(DsdvConfig::default()),
            "perkins1994-ll" => Some(DsdvConfig { link_layer_detection: true, ..DsdvConfig::default() }),
            // Its agent adds an IP header to packets that have one; seen in traces made for this project.
            "ns2" => Some(DsdvConfig {
                trigger: DsdvTrigger::BetterRoute,
                buffer_time: Span::ZERO,
                data_ttl: Some(32),
                data_header: 20,
                ..DsdvConfig::default()
            }),
            _ => None,
        }
    }

    /// What is wrong beyond what the types say: parameter, value and what is allowed.
    pub fn check(&self) -> Vec<BuildError> {
        let mut checks = Checks::of(SECTION);
        checks.require(self.update_interval >= SHORTEST_INTERVAL, "update_interval", || {
            let (found, least) = (seconds(self.update_interval), seconds(SHORTEST_INTERVAL));
            format!("is {found} s; it must be at least {least} s")
        });
        checks.no_zero_count(&[("missed_updates", self.missed_updates), ("buffer_packets", self.buffer_packets)]);
        checks.require((0.0..=1.0).contains(&self.settling_memory), "settling_memory", || {
            format!("is {}; it must be from 0 to 1", self.settling_memory)
        });
        checks.no_endless_time(&[
            ("update_interval", self.update_interval),
            ("settling_time", self.settling_time),
            ("trigger_gap", self.trigger_gap),
            ("startup_jitter", self.startup_jitter),
            ("broadcast_jitter", self.broadcast_jitter),
            ("buffer_time", self.buffer_time),
        ]);
        checks.require(self.missed_updates <= MOST_MISSED, "missed_updates", || {
            format!("is {}; 1 to {MOST_MISSED} are possible", self.missed_updates)
        });
        checks.require(self.data_header <= 1_000, "data_header", || {
            format!("is {} bytes; 0 to 1000 are possible", self.data_header)
        });
        checks.hops_up_to(255, &[("data_ttl", self.data_ttl.unwrap_or(1))]);
        checks.into_errors()
    }
}

const SECTION: &str = "routing.dsdv";
/// An update takes longer than this on the air at most rates.
const SHORTEST_INTERVAL: Span = Span::from_millis(1);
const MOST_MISSED: u32 = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_values_name_their_key() {
        let bad = |cfg: DsdvConfig| cfg.check().remove(0).key;
        assert_eq!(bad(DsdvConfig { missed_updates: 0, ..DsdvConfig::default() }), "routing.dsdv.missed_updates");
        assert_eq!(bad(DsdvConfig { missed_updates: 9_999, ..DsdvConfig::default() }), "routing.dsdv.missed_updates");
        assert_eq!(bad(DsdvConfig { settling_memory: 1.5, ..DsdvConfig::default() }), "routing.dsdv.settling_memory");
        assert_eq!(bad(DsdvConfig { data_ttl: Some(0), ..DsdvConfig::default() }), "routing.dsdv.data_ttl");
        let long = Span::from_secs(2_000_000);
        assert_eq!(bad(DsdvConfig { settling_time: long, ..DsdvConfig::default() }), "routing.dsdv.settling_time");
    }
}
