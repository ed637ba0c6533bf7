//! Parameters of the network layer.

use hopscope_core::config::params::Range;
use hopscope_core::units::Span;
use hopscope_core::{choice, params};

choice! {
    /// Routing protocol.
    pub enum RoutingProtocol {
        /// Shortest paths (hops) computed before the run; ties go to the nearer, then lower-numbered next hop.
        Static = "static",
        /// Ad hoc on-demand distance vector routing (RFC 3561), with the parameters of section `aodv`.
        Aodv = "aodv",
        /// Destination-sequenced distance vectors (Perkins and Bhagwat 1994), with the parameters of section `dsdv`.
        Dsdv = "dsdv",
        /// Dynamic source routing (RFC 4728), with the parameters of section `dsr`.
        Dsr = "dsr",
        /// Optimized link state routing (RFC 3626), with the parameters of section `olsr`.
        Olsr = "olsr",
        /// Babel (RFC 8966), with the parameters of section `babel`.
        Babel = "babel",
        /// BATMAN_IV of batman-adv (Linux), by transmission quality, with the parameters of section `batman_iv`.
        BatmanIv = "batman_iv",
        /// BATMAN_V of batman-adv (Linux), by throughput, with the parameters of section `batman_v`.
        BatmanV = "batman_v",
        /// Hybrid wireless mesh protocol over the mesh of IEEE 802.11s, with the parameters of section `hwmp`.
        Hwmp = "hwmp",
    }
}

choice! {
    /// How the transports of a node learn that a route has failed, or is there again.
    pub enum RouteNotices {
        /// At once with what the routing protocol of their node learns: the news rides on its messages.
        Routing = "routing",
        /// From packets: the node that drops a packet for want of a route sends its source ICMP Destination Unreachable (RFC 792, host
        /// unreachable), and under TCP-F notifications that go from node to node. Not with DSR, whose route error is the notice.
        Packets = "packets",
    }
}

choice! {
    /// What a static route is short by. All but hops are worked out from what the channel delivers of single frames: nobody
    /// else is on the air, and no probe is sent.
    pub enum RoutingMetric {
        /// Number of hops.
        Hops = "hops",
        /// Expected transmissions (De Couto et al. 2003): 1 / (d_f d_r) for frames of `probe_size` at the basic rate.
        Etx = "etx",
        /// Expected time on the air (Draves et al. 2004): ETX times the time of 1024 bytes at the data rate.
        Ett = "ett",
        /// Airtime metric of IEEE 802.11s: overhead and 8192 bits at the data rate, divided by the share of such frames that
        /// arrives.
        Airtime = "airtime",
    }
}

params! {
    /// IPv4 and link adaptation.
    pub struct NetConfig {
        /// IPv4 header.
        ip_header: u32 = 20, "bytes", "RFC 791", in Range::within(0.0, 1_000.0);
        /// UDP header.
        udp_header: u32 = 8, "bytes", "RFC 768", in Range::within(0.0, 1_000.0),
            when "flow.transport = udp or routing.protocol = aodv | dsdv | olsr | babel or route_notices = packets";
        /// Initial time to live.
        ttl: u32 = 64, "hops", "RFC 1700", in Range::within(1.0, 255.0),
            when "routing.protocol = static | dsr | olsr | babel or routing.protocol = aodv and routing.aodv.data_ttl = off or routing.protocol = dsdv and routing.dsdv.data_ttl = off";
        /// Delay of the link layer, once on the way down to the queue and once on the way up.
        link_delay: Span = Span::ZERO, "s", "a default", in Range::within(0.0, 1.0);
        /// Next hops are resolved by ARP on the air; otherwise every station knows every MAC address.
        arp: bool = false, "", "a default", when "routing.protocol != hwmp";
        /// Nodes that share their buffer among the TCP flows that pass: they lower the window that ACKs advertise to
        /// `mac.queue` divided by the number of flows.
        window_gateways: Vec<u64> = Vec::new(), "", "Pilosof et al. 2003", when "flow.transport = tcp";
        /// Such a node forgets a flow after so long a silence.
        window_idle: Span = Span::from_secs(30), "s", "a default", in Range::above(0.0), when "window_gateways given";
        /// How the transports of a node learn that a route has failed, or is there again.
        route_notices: RouteNotices = RouteNotices::Routing, "", "zhang2006 A.1 (both are described)",
            when "routing.protocol != static";
        /// Least time between two notices of a node about one source and destination.
        notice_gap: Span = Span::from_millis(100), "s", "a default (RFC 1812 4.3.2.8 asks for a limit)", in Range::within(0.0, 60.0),
            when "route_notices = packets";
        /// ATP: weight of a new packet in the averages that nodes keep of the time in the queue (Q) and at its head (T).
        delay_weight: f64 = 0.25, "", "Sundaresan et al. 2003, as remembered", in Range::above(0.0).up_to(1.0),
            when "flow.transport = atp";
        /// ATP: a node whose last packet was done longer ago than this is idle.
        delay_idle: Span = Span::from_secs(1), "s", "a default (not published)", in Range::from(0.0),
            when "flow.transport = atp";
        /// ATP: what an idle node takes its Q + T times. 1: the receiver alone corrects for a new flow's own load
        /// (`atp.start_factor`).
        delay_idle_factor: f64 = 1.0, "", "zhang2006 3.1.1: the receiver; 3: the nodes, as Sundaresan et al. 2003 is remembered, too",
            in Range::within(1.0, 100.0), when "flow.transport = atp";
    }
}

params! {
    /// Routing.
    pub struct RoutingConfig {
        /// Routing protocol.
        protocol: RoutingProtocol = RoutingProtocol::Static, "", "fu2003.table1";
        /// What a static route is short by.
        metric: RoutingMetric = RoutingMetric::Hops, "", "fu2003: manual routes", when "protocol = static";
        /// Size of the frames whose loss ETX is made of, header and FCS included.
        probe_size: u32 = 134, "bytes", "De Couto et al. 2003", in Range::within(1.0, 65_535.0),
            when "protocol = static and metric = etx | ett";
    }
}
