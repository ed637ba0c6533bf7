//! The MAC below the machines of a network, and how machines are made.

use crate::config::{
    AodvConfig, BabelConfig, BatmanIvConfig, BatmanVConfig, DsdvConfig, DsrConfig, HwmpConfig, OlsrConfig,
};
use crate::routing::{Aodv, Babel, BatmanIv, BatmanV, Dsdv, Dsr, Hwmp, Olsr};
use crate::routing::{Cx, LinkEstimate, LinkLayer, Router, RoutingEffect};
use hopscope_core::ids::NodeId;
use hopscope_core::rng::Stream;
use hopscope_core::units::Time;
use hopscope_mac::{FailureRule, Failures};

/// A MAC that sends data at one rate, and keeps what fails where there is a rule for it.
#[derive(Debug)]
pub struct SteadyMac {
    pub radios: u8,
    pub data_rate: u64,
    pub failures: Option<Failures>,
}

impl LinkLayer for SteadyMac {
    fn radios(&self) -> u8 {
        self.radios
    }

    fn estimate(&self, _interface: u8, neighbour: NodeId) -> LinkEstimate {
        let known = self.failures.as_ref().map(|failures| failures.of(neighbour)).unwrap_or_default();
        LinkEstimate {
            data_rate: self.data_rate,
            expected_throughput: None,
            failed: known.average,
            failed_in_row: known.in_row,
        }
    }
}

/// A MAC that sends data at 2 Mbit/s and keeps nothing.
pub const STEADY: SteadyMac = SteadyMac { radios: 1, data_rate: 2_000_000, failures: None };

/// An input over the first radio, with a MAC that sends data at 2 Mbit/s.
pub fn cx<'a>(now: Time, rng: &'a mut Stream, out: &'a mut Vec<RoutingEffect>) -> Cx<'a> {
    Cx { now, interface: 0, link: &STEADY, rng, out }
}

/// Constants of a protocol, from which its machines are made.
pub trait Constants {
    fn machine(&self, node: NodeId) -> Router;
    /// What its MAC keeps of failures.
    fn failure_rule(&self) -> Option<FailureRule> {
        None
    }
}

impl Constants for HwmpConfig {
    fn machine(&self, node: NodeId) -> Router {
        Router::Hwmp(Hwmp::new(node, self))
    }

    fn failure_rule(&self) -> Option<FailureRule> {
        Some(HwmpConfig::failure_rule(self))
    }
}

macro_rules! constants {
    ($($config:ty => $machine:ident),*) => {$(
        impl Constants for $config {
            fn machine(&self, node: NodeId) -> Router {
                Router::$machine($machine::new(node, self))
            }
        }
    )*};
}

constants!(
    AodvConfig => Aodv, DsdvConfig => Dsdv, DsrConfig => Dsr, OlsrConfig => Olsr, BabelConfig => Babel, BatmanIvConfig => BatmanIv,
    BatmanVConfig => BatmanV
);
