//! Destinations that lie farther away than a packet lives or a search asks: nothing can arrive, whatever happens in the
//! run.
//!
//! A packet of time to live n is delivered over at most n hops (RFC 791 3.2: every forwarder takes one). A route request
//! of time to live n is heard at most n hops away (RFC 3561 6.4, RFC 4728 8.2.2); beyond that a node that has learnt a
//! route from another flow may answer, so a search is judged only where no such flow exists.

use crate::config::{Config, FlowConfig};
use hopscope_core::error::{BuildError, require};
use hopscope_net::config::aodv::Detection;
use hopscope_net::config::net::RoutingProtocol;
use hopscope_phy::config::mobility::MobilityModel;
use hopscope_phy::config::radio::{Fading, Shadowing};

/// Most hops that something is carried, and the parameter that says so.
struct Limit {
    key: &'static str,
    value: u32,
    hops: u32,
    /// What does not come farther.
    what: &'static str,
}

/// Refuses a flow whose packets, on a shortest way of so many hops, cannot arrive. Only where links last: fading and movement can make
/// a way shorter than any computed before the run, unless the routes are computed too.
pub(super) fn check(config: &Config, number: usize, hops: u32) -> Result<(), BuildError> {
    let flow = &config.flows[number];
    // Static routes are as they were computed, whatever the channel does later.
    if config.routing.protocol != RoutingProtocol::Static && !has_lasting_links(config) {
        return Ok(());
    }
    let search = search_limit(config).filter(|limit| hops > limit.hops && !may_be_answered_for(config, flow));
    for limit in [Some(life(config)), search].into_iter().flatten() {
        require(hops <= limit.hops, format!("flows.{number}.to"), || {
            let Limit { key, value, hops: most, what } = limit;
            format!("node {} is {hops} hops from node {}; {what} at most {most} ({key} = {value})", flow.to, flow.from)
        })?;
    }
    Ok(())
}

fn has_lasting_links(config: &Config) -> bool {
    config.radio.fading == Fading::None
        && config.radio.shadowing != Shadowing::Correlated
        && config.mobility.model == MobilityModel::Static
}

/// How far a data packet comes.
fn life(config: &Config) -> Limit {
    let (key, own) = match config.routing.protocol {
        RoutingProtocol::Aodv => ("routing.aodv.data_ttl", config.aodv.data_ttl),
        RoutingProtocol::Dsdv => ("routing.dsdv.data_ttl", config.dsdv.data_ttl),
        RoutingProtocol::BatmanIv => ("routing.batman_iv.ttl", Some(config.batman_iv.ttl)),
        RoutingProtocol::BatmanV => ("routing.batman_v.ttl", Some(config.batman_v.ttl)),
        RoutingProtocol::Hwmp => ("routing.hwmp.mesh_ttl", Some(config.hwmp.mesh_ttl)),
        RoutingProtocol::Static | RoutingProtocol::Dsr | RoutingProtocol::Olsr | RoutingProtocol::Babel => ("", None),
    };
    let (key, value) = own.map_or(("net.ttl", config.net.ttl), |ttl| (key, ttl));
    Limit { key, value, hops: value, what: "a packet lives for" }
}

/// How far a search comes; none where routes are known without one.
fn search_limit(config: &Config) -> Option<Limit> {
    let what = "a route request reaches";
    match config.routing.protocol {
        RoutingProtocol::Aodv => {
            // A neighbour that knows the destination from its HELLOs answers for it.
            let neighbour = u32::from(config.aodv.detection == Detection::Hello);
            let value = config.aodv.net_diameter;
            Some(Limit { key: "routing.aodv.net_diameter", value, hops: value + neighbour, what })
        }
        RoutingProtocol::Dsr => {
            let value = config.dsr.discovery_hop_limit;
            Some(Limit { key: "routing.dsr.discovery_hop_limit", value, hops: value, what })
        }
        RoutingProtocol::Hwmp => {
            let value = config.hwmp.element_ttl;
            Some(Limit { key: "routing.hwmp.element_ttl", value, hops: value, what })
        }
        RoutingProtocol::Static
        | RoutingProtocol::Dsdv
        | RoutingProtocol::Olsr
        | RoutingProtocol::Babel
        | RoutingProtocol::BatmanIv
        | RoutingProtocol::BatmanV => None,
    }
}

/// Whether nodes between the ends of a flow can know its destination from another flow: under AODV from one that begins
/// or ends there, or is repaired there; under DSR from any.
fn may_be_answered_for(config: &Config, flow: &FlowConfig) -> bool {
    let any = match config.routing.protocol {
        RoutingProtocol::Dsr => true,
        RoutingProtocol::Aodv => config.aodv.local_repair,
        RoutingProtocol::Static
        | RoutingProtocol::Dsdv
        | RoutingProtocol::Olsr
        | RoutingProtocol::Babel
        | RoutingProtocol::BatmanIv
        | RoutingProtocol::BatmanV
        | RoutingProtocol::Hwmp => false,
    };
    config
        .flows
        .iter()
        .filter(|other| (other.from, other.to) != (flow.from, flow.to))
        .any(|other| any || other.from == flow.to || other.to == flow.to)
}
