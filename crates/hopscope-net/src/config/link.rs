//! Parameters of the link layers between interface queue and MAC.

pub use super::link_parts::{LinkPart, LinkParts, PLAIN};
use hopscope_core::config::params::Range;
use hopscope_core::config::section::Checks;
use hopscope_core::error::BuildError;
use hopscope_core::params;
use hopscope_core::units::Span;
use hopscope_mac::config::mac::PacingClock;
use hopscope_mac::fair::FairRules;

params! {
    /// The link layer of some nodes. Each parameter means something only to the parts named in its text.
    pub struct LinkConfig {
        /// Link layer between interface queue and MAC: parts with `+` between them.
        layer: LinkParts = LinkParts::PLAIN, "", "fu2003, section 5";
        /// Nodes that have the layer; empty: all.
        nodes: Vec<u64> = Vec::new(), "", "a default", when "mac.link != plain";
        /// Packets of ECN-capable flows are marked where others are dropped.
        ecn: bool = true, "", "fu2003, section 5.1", when "mac.link = red | nred | lred | codel | fq-codel";
        /// Packets without data (TCP's ACKs) are marked and dropped like others; CoDel and FQ-CoDel always do so.
        acks: bool = true, "", "a default", when "mac.link = red | nred | lred";
        /// Link RED: average retries from which packets are marked.
        lred_min: f64 = 1.8, "retries", "a default: fu2003 publishes none", when "mac.link = lred";
        /// Link RED: average retries at which the probability would reach 1.
        lred_max: f64 = 3.2, "retries", "a default: fu2003 publishes none", when "mac.link = lred";
        /// Link RED: largest probability.
        lred_max_p: f64 = 0.14, "probability", "a default: fu2003 publishes none", in Range::above(0.0).up_to(1.0),
            when "mac.link = lred";
        /// Link RED: weight of the newest packet in the average.
        lred_weight: f64 = 0.125, "", "fu2003, algorithm 1", in Range::above(0.0).up_to(1.0), when "mac.link = lred";
        /// Adaptive pacing: how the longer back-off passes.
        pacing_clock: PacingClock = PacingClock::Backoff, "", "a default: fu2003 leaves it open",
            when "mac.link = pacing";
        /// Adaptive pacing: the exchange that lengthens the back-off includes RTS, CTS, ACK and the spaces between;
        /// otherwise the data frame alone counts.
        pacing_overhead: bool = true, "", "fu2003, algorithm 2", when "mac.link = pacing";
        /// RED: average queue length from which packets are marked.
        red_min: f64 = 5.0, "packets", "Floyd and Jacobson 1993", when "mac.link = red";
        /// RED: average queue length from which all are dropped.
        red_max: f64 = 15.0, "packets", "Floyd and Jacobson 1993", when "mac.link = red";
        /// RED: probability just below `red_max`.
        red_max_p: f64 = 0.1, "probability", "Floyd 1997", in Range::above(0.0).up_to(1.0), when "mac.link = red";
        /// RED: weight of the newest length in the average.
        red_weight: f64 = 0.002, "", "Floyd and Jacobson 1993", in Range::above(0.0).up_to(1.0),
            when "mac.link = red";
        /// RED: between `red_max` and twice that the probability goes on to 1, and only then all are dropped.
        red_gentle: bool = false, "", "Floyd and Jacobson 1993; true: Floyd 2000, and ns-2.35", when "mac.link = red";
        /// RED: after a mark none follows within 1 / p packets.
        red_wait: bool = false, "", "Floyd and Jacobson 1993; true: ns-2.35 (wait_)", when "mac.link = red";
        /// RED: a packet that finds none waiting is never marked, nor the next one, and distances between marks begin anew.
        red_restart: bool = false, "", "Floyd and Jacobson 1993; true: ns-2.35", when "mac.link = red";
        /// RED: size of the packets in which lengths and distances are reported: a larger one counts as several, and is marked so many times
        /// as likely; those that wait are taken to be as large as the one that comes. 0: all count alike.
        red_size: u32 = 0, "bytes", "Floyd and Jacobson 1993; ns-2.35 has 500 (mean_pktsize_)", in Range::within(0.0, 65_535.0),
            when "mac.link = red";
        /// CoDel: waiting time that is acceptable.
        codel_target: Span = Span::from_millis(5), "s", "RFC 8289", in Range::above(0.0).up_to(1e6),
            when "mac.link = codel | fq-codel";
        /// CoDel: time over which the target may be missed.
        codel_interval: Span = Span::from_millis(100), "s", "RFC 8289", in Range::above(0.0).up_to(1e6),
            when "mac.link = codel | fq-codel";
        /// FQ-CoDel: bytes a flow may send in its turn.
        fq_quantum: u32 = 1514, "bytes", "RFC 8290 5.2", in Range::within(1.0, 65_536.0),
            when "mac.link = fq-codel";
        /// FQ-CoDel: number of queues that flows are spread over.
        fq_queues: u32 = 1024, "queues", "RFC 8290 5.2", in Range::within(1.0, 65_536.0),
            when "mac.link = fq-codel";
        /// Timer: window over which the output rate is measured.
        timer_window: Span = Span::from_secs(1), "s", "a default", in Range::above(0.0).up_to(1e6),
            when "mac.link = timer";
        /// Neighborhood RED: interval over which the use of the channel is measured.
        nred_interval: Span = Span::from_millis(100), "s", "Xu et al. 2003", in Range::within(1e-3, 3_600.0),
            when "mac.link = nred";
        /// Neighborhood RED: how long a notification holds.
        nred_lifetime: Span = Span::from_millis(100), "s", "a default: one interval", in Range::above(0.0).up_to(1e6),
            when "mac.link = nred";
        /// Neighborhood RED: factor between the busy share of time and the estimated length of the neighbourhood's
        /// queue, the latter in parts of what the channel carries in one interval.
        nred_scale: f64 = 1.0, "", "a default", in Range::above(0.0), when "mac.link = nred";
        /// Neighborhood RED: queue length from which packets are marked, in the same parts.
        nred_min: f64 = 0.5, "", "a default", when "mac.link = nred";
        /// Neighborhood RED: queue length at which the probability reaches `nred_max_p`.
        nred_max: f64 = 0.9, "", "a default", when "mac.link = nred";
        /// Neighborhood RED: probability at `nred_max`, of all packets of the neighbourhood together.
        nred_max_p: f64 = 0.1, "probability", "a default", in Range::above(0.0).up_to(1.0), when "mac.link = nred";
        /// Neighborhood RED: weight of the newest interval in the averages.
        nred_weight: f64 = 0.2, "", "a default", in Range::above(0.0).up_to(1.0), when "mac.link = nred";
        /// Neighborhood RED: a node that sends and receives for less than this share of the time notifies nobody.
        nred_own_min: f64 = 0.05, "", "a default", in Range::above(0.0).up_to(1.0), when "mac.link = nred";
        /// Neighborhood RED: size of a notification, without the network header.
        nred_bytes: u32 = 12, "bytes", "a default", in Range::within(0.0, 1_000.0), when "mac.link = nred";
    }
}

impl LinkConfig {
    /// The parameters of CoDel and FQ-CoDel.
    pub fn fair(&self) -> FairRules {
        FairRules {
            target: self.codel_target,
            interval: self.codel_interval,
            quantum: self.fq_quantum,
            queues: self.fq_queues,
        }
    }

    /// What is wrong beyond types and ranges in a network of so many nodes; `section` is the dotted name of these
    /// parameters.
    pub fn check(&self, section: &str, nodes: usize) -> Vec<BuildError> {
        let mut checks = Checks::of(section);
        for (low, high, low_value, high_value) in [
            ("lred_min", "lred_max", self.lred_min, self.lred_max),
            ("red_min", "red_max", self.red_min, self.red_max),
            ("nred_min", "nred_max", self.nred_min, self.nred_max),
        ] {
            checks.require(high_value > low_value, high, || {
                format!("found {high_value}; it must be more than {low}, {low_value}")
            });
        }
        let mut found = checks.into_errors();
        if let Some(node) = self.nodes.iter().find(|&&node| node >= nodes as u64) {
            found.push(BuildError::no_such_node(format!("{section}.nodes"), node, nodes));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_reversed_and_probabilities_beyond_one_are_refused() {
        let key = |config: LinkConfig| {
            let mut found = Vec::new();
            config.outside("link", &mut found);
            found.extend(config.check("link", 4));
            found.remove(0).key
        };
        assert_eq!(key(LinkConfig { lred_max: 1.8, ..LinkConfig::default() }), "link.lred_max");
        assert_eq!(key(LinkConfig { red_min: -1.0, ..LinkConfig::default() }), "link.red_min");
        assert_eq!(key(LinkConfig { lred_max_p: 1.1, ..LinkConfig::default() }), "link.lred_max_p");
        assert_eq!(key(LinkConfig { red_weight: f64::NAN, ..LinkConfig::default() }), "link.red_weight");
        assert_eq!(key(LinkConfig { codel_target: Span::ZERO, ..LinkConfig::default() }), "link.codel_target");
        assert_eq!(key(LinkConfig { timer_window: Span(u64::MAX), ..LinkConfig::default() }), "link.timer_window");
        assert_eq!(key(LinkConfig { nred_max: 0.5, ..LinkConfig::default() }), "link.nred_max");
        assert_eq!(key(LinkConfig { nred_own_min: 0.0, ..LinkConfig::default() }), "link.nred_own_min");
        assert_eq!(key(LinkConfig { nred_interval: Span(1), ..LinkConfig::default() }), "link.nred_interval");
        assert_eq!(key(LinkConfig { nred_scale: f64::INFINITY, ..LinkConfig::default() }), "link.nred_scale");
        assert_eq!(key(LinkConfig { nodes: vec![1, 4], ..LinkConfig::default() }), "link.nodes");
        assert_eq!(LinkConfig::default().check("link", 1), []);
    }
}
