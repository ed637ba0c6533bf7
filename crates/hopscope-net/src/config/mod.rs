//! Parameters of the network layer: routing protocols, link layers, wires.

pub mod aodv;
pub mod babel;
pub mod batman_iv;
pub mod batman_v;
pub mod dsdv;
pub mod dsr;
pub mod hwmp;
pub mod link;
mod link_parts;
pub mod net;
pub mod olsr;
pub mod presets;
pub mod wire;

pub use aodv::AodvConfig;
pub use babel::BabelConfig;
pub use batman_iv::BatmanIvConfig;
pub use batman_v::BatmanVConfig;
pub use dsdv::DsdvConfig;
pub use dsr::DsrConfig;
pub use hwmp::HwmpConfig;
pub use link::LinkConfig;
pub use net::{NetConfig, RoutingConfig};
pub use olsr::OlsrConfig;
pub use wire::WireConfig;

use net::RoutingProtocol;

/// A routing protocol with the parameters of all.
#[derive(Debug, Clone, Copy)]
pub struct Routing<'a> {
    /// The protocol.
    pub protocol: RoutingProtocol,
    /// AODV, where it is the protocol.
    pub aodv: &'a AodvConfig,
    /// DSDV, where it is the protocol.
    pub dsdv: &'a DsdvConfig,
    /// DSR, where it is the protocol.
    pub dsr: &'a DsrConfig,
    /// OLSR, where it is the protocol.
    pub olsr: &'a OlsrConfig,
    /// Babel, where it is the protocol.
    pub babel: &'a BabelConfig,
    /// BATMAN_IV, where it is the protocol.
    pub batman_iv: &'a BatmanIvConfig,
    /// BATMAN_V, where it is the protocol.
    pub batman_v: &'a BatmanVConfig,
    /// HWMP, where it is the protocol.
    pub hwmp: &'a HwmpConfig,
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::error::BuildError;

    fn are_valid<C>(
        sets: &[(&str, &str)],
        set: impl Fn(&str) -> Option<C>,
        check: impl Fn(&C) -> Vec<BuildError>,
        unknown: &str,
    ) {
        for (name, _) in sets {
            assert_eq!(check(&set(name).expect("a listed set exists")), [], "{name}");
        }
        assert!(set(unknown).is_none(), "{unknown}");
    }

    #[test]
    fn every_named_set_is_valid_and_no_other_name_is_known() {
        are_valid(AodvConfig::SETS, AodvConfig::set, AodvConfig::check, "aodv");
        are_valid(DsdvConfig::SETS, DsdvConfig::set, DsdvConfig::check, "perkins");
        are_valid(DsrConfig::SETS, DsrConfig::set, DsrConfig::check, "dsr");
        are_valid(OlsrConfig::SETS, OlsrConfig::set, OlsrConfig::check, "olsr");
        are_valid(BabelConfig::SETS, BabelConfig::set, BabelConfig::check, "babel");
        are_valid(BatmanIvConfig::SETS, BatmanIvConfig::set, BatmanIvConfig::check, "batman_iv");
        are_valid(BatmanVConfig::SETS, BatmanVConfig::set, BatmanVConfig::check, "batman_v");
        are_valid(HwmpConfig::SETS, HwmpConfig::set, HwmpConfig::check, "hwmp");
    }
}
