//! Parameters of DSDV (Perkins and Bhagwat 1994), defaults of ns-2.35.

use super::params::params;
use crate::error::BuildError;
use crate::units::Span;

params! {
    /// DSDV.
    pub struct DsdvConfig {
        /// Longest interval between full updates; each one is uniform between 0.75 and 1 of it.
        update_interval: Span = Span::from_secs(15), "s", "ns-2.35";
        /// Intervals without an update after which a neighbour is lost.
        missed_updates: u32 = 3, "", "ns-2.35";
        /// Settling time assumed of a new destination: a better route may still come for twice as long.
        settling_time: Span = Span::from_secs(6), "s", "ns-2.35";
        /// Weight of the past in the mean settling time.
        settling_memory: f64 = 0.875, "", "ns-2.35";
        /// Shortest time between triggered updates.
        trigger_gap: Span = Span::from_secs(1), "s", "ns-2.35";
        /// Longest random wait before the first update.
        startup_jitter: Span = Span::from_secs(2), "s", "ns-2.35";
        /// Longest random delay of an update.
        broadcast_jitter: Span = Span::from_millis(10), "s", "ns-2.35";
        /// A neighbour that does not take a packet is lost at once; otherwise only silence counts.
        link_layer_detection: bool = false, "", "ns-2.35";
        /// Packets held per destination without a route; the oldest gives way.
        buffer_packets: u32 = 5, "packets", "ns-2.35";
        /// Time to live of data packets; off takes that of the network layer.
        data_ttl: Option<u32> = Some(32), "hops", "ns-2.35";
    }
}

impl DsdvConfig {
    /// Checks what the types leave open.
    ///
    /// # Errors
    /// Names the parameter, the value and what is allowed.
    pub fn check(&self) -> Result<(), BuildError> {
        let error = |name: &str, message: String| Err(BuildError::new(format!("routing.dsdv.{name}"), message));
        if self.update_interval == Span::ZERO {
            return error("update_interval", "is 0 s; it must be more".into());
        }
        if self.missed_updates == 0 {
            return error("missed_updates", "is 0; it must be at least 1".into());
        }
        if self.buffer_packets == 0 {
            return error("buffer_packets", "is 0 packets; it must be at least 1".into());
        }
        if !(0.0..=1.0).contains(&self.settling_memory) {
            return error("settling_memory", format!("is {}; it must be from 0 to 1", self.settling_memory));
        }
        match self.data_ttl {
            Some(ttl) if !(1..=255).contains(&ttl) => {
                error("data_ttl", format!("is {ttl} hops; 1 to 255 are possible"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_values_name_their_key() {
        assert_eq!(DsdvConfig::default().check(), Ok(()));
        let bad = |cfg: DsdvConfig| cfg.check().expect_err("refused").key;
        assert_eq!(bad(DsdvConfig { missed_updates: 0, ..DsdvConfig::default() }), "routing.dsdv.missed_updates");
        assert_eq!(bad(DsdvConfig { settling_memory: 1.5, ..DsdvConfig::default() }), "routing.dsdv.settling_memory");
        assert_eq!(bad(DsdvConfig { data_ttl: Some(0), ..DsdvConfig::default() }), "routing.dsdv.data_ttl");
    }
}
