//! Wires: duplex point-to-point links between two nodes.

use serde::{Deserialize, Serialize};

use super::link::{LinkConfig, LinkPart, LinkParts};
use hopscope_core::config::section::{LONGEST, seconds};
use hopscope_core::error::{BuildError, BuildErrors};
use hopscope_core::units::Span;

/// Packets that wait at an end of a wire by default; no source publishes one.
pub const QUEUE: u32 = 50;
/// Fastest wire, bit/s: a packet of 125 bytes then takes a nanosecond.
pub const MAX_RATE: u64 = 1_000_000_000_000;
/// Most packets that can wait at an end.
pub const MAX_QUEUE: u32 = 1_000_000;
/// What can stand between the queue of a wire and its transmitter; the other parts need a MAC.
pub const PARTS: [LinkPart; 3] = [LinkPart::Red, LinkPart::Codel, LinkPart::FqCodel];

/// A duplex point-to-point link: each direction has a queue, a transmitter of fixed rate, a delay, and random loss.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireConfig {
    /// The two nodes.
    pub ends: [u32; 2],
    /// Bit rate from the first to the second, bit/s.
    pub rate: u64,
    /// Bit rate from the second to the first, bit/s; none: the same.
    #[serde(default)]
    pub back_rate: Option<u64>,
    /// Propagation delay, each way.
    pub delay: Span,
    /// Packets that can wait at each end besides the one being sent.
    pub queue: u32,
    /// What stands between queue and transmitter at each end: RED, CoDel, FQ-CoDel, with the parameters of `[link]`.
    #[serde(default)]
    pub link: LinkParts,
    /// Probability that a packet from the first to the second is lost on the way.
    #[serde(default)]
    pub loss: f64,
    /// The same from the second to the first; none: the same.
    #[serde(default)]
    pub back_loss: Option<f64>,
    /// One packet in so many from the first to the second is lost, each of them the last of its number; 0: none.
    #[serde(default)]
    pub loss_period: u32,
    /// Number of the first packet that `loss_period` loses, counted from 1; 0: that period.
    #[serde(default)]
    pub loss_offset: u32,
    /// What a packet may take longer than `delay`, each way: drawn evenly from zero up to this, for each packet anew.
    #[serde(default)]
    pub jitter: Span,
    /// Jitter lets packets overtake each other; otherwise one that would comes right behind the one before it.
    #[serde(default)]
    pub jitter_reorders: bool,
    /// Probability that a packet leaves its order, each way.
    #[serde(default)]
    pub reorder: f64,
    /// How much longer such a packet takes, so that others pass it; zero: it passes those under way, as it takes no delay.
    #[serde(default)]
    pub reorder_delay: Span,
    /// Hops that a packet counts for it: a wire may stand for a longer way.
    #[serde(default = "one")]
    pub hops: u8,
}

fn one() -> u8 {
    1
}

impl WireConfig {
    /// A wire with drop-tail queues that loses nothing on the way: rate in bit/s, `queue` in packets.
    pub fn between(ends: [u32; 2], rate: u64, delay: Span, queue: u32) -> Self {
        let link = LinkParts::PLAIN;
        WireConfig {
            ends,
            rate,
            back_rate: None,
            delay,
            queue,
            link,
            loss: 0.0,
            back_loss: None,
            loss_period: 0,
            loss_offset: 0,
            jitter: Span::ZERO,
            jitter_reorders: false,
            reorder: 0.0,
            reorder_delay: Span::ZERO,
            hops: 1,
        }
    }

    /// Bit rate of the direction that begins at end 0 or 1.
    pub fn rate_from(&self, end: usize) -> u64 {
        if end == 0 { self.rate } else { self.back_rate.unwrap_or(self.rate) }
    }

    /// Probability of loss of that direction.
    pub fn loss_from(&self, end: usize) -> f64 {
        if end == 0 { self.loss } else { self.back_loss.unwrap_or(self.loss) }
    }

    /// The parameters of what stands before its transmitters: those of `link` with the parts of the wire; none where its
    /// queues are plain.
    pub fn layer(&self, link: &LinkConfig) -> Option<LinkConfig> {
        (!self.link.is_plain()).then(|| LinkConfig { layer: self.link, ..link.clone() })
    }

    /// What is wrong with the `number`-th wire of a network of so many nodes.
    pub fn check(&self, number: usize, nodes: usize) -> Vec<BuildError> {
        let key = |name: &str| format!("wires.{number}.{name}");
        let mut found = BuildErrors::default();
        for (place, node) in self.ends.into_iter().enumerate().filter(|&(_, node)| node as usize >= nodes) {
            found.note(Err(BuildError::no_such_node(key(&format!("ends.{place}")), node, nodes)));
        }
        found.require(self.ends[0] != self.ends[1], key("ends"), || {
            format!("a wire joins two different nodes, found {} twice", self.ends[0])
        });
        let rates = [("rate", Some(self.rate)), ("back_rate", self.back_rate)];
        for (name, rate) in rates.into_iter().filter_map(|(name, rate)| Some((name, rate?))) {
            found.require((1..=MAX_RATE).contains(&rate), key(name), || {
                format!("found {rate} bit/s; allowed are 1 to {MAX_RATE} bit/s")
            });
        }
        let shares = [("loss", Some(self.loss)), ("back_loss", self.back_loss), ("reorder", Some(self.reorder))];
        for (name, share) in shares.into_iter().filter_map(|(name, share)| Some((name, share?))) {
            found.require((0.0..=1.0).contains(&share), key(name), || {
                format!("found {share}; a probability, 0 to 1, is allowed")
            });
        }
        found.require(self.loss_offset == 0 || self.loss_period > 0, key("loss_offset"), || {
            format!("found {}; it moves the losses of loss_period, which is 0", self.loss_offset)
        });
        found.require(
            self.reorder <= 0.0 || self.delay > Span::ZERO || self.reorder_delay > Span::ZERO,
            key("reorder"),
            || {
                let why =
                    "a wire without delay has no packets under way that one could pass; reorder_delay holds some back";
                format!("found {}; {why}", self.reorder)
            },
        );
        found.require(self.hops >= 1, key("hops"), || "found 0; a wire is at least one hop".to_string());
        let times = [("delay", self.delay), ("jitter", self.jitter), ("reorder_delay", self.reorder_delay)];
        for (name, time) in times {
            found.require(time <= LONGEST, key(name), || {
                format!("found {} s; at most {} s are allowed", seconds(time), seconds(LONGEST))
            });
        }
        found.require(self.queue <= MAX_QUEUE, key("queue"), || {
            format!("found {}; at most {MAX_QUEUE} packets are allowed", self.queue)
        });
        found.require(self.link.parts().all(|part| PARTS.contains(&part)), key("link"), || {
            let allowed = PARTS.map(LinkPart::word).join(", ");
            format!("found {}; before a wire may stand plain, {allowed}: the others need a MAC", self.link)
        });
        found.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_wire_can_be_is_named() {
        let error = |change: &dyn Fn(&mut WireConfig)| {
            let mut wire = WireConfig::between([2, 0], 10_000_000, Span::from_millis(1), 50);
            change(&mut wire);
            wire.check(0, 3).remove(0).to_string()
        };
        for (change, expected) in [
            (&(|w: &mut WireConfig| w.rate = 0) as &dyn Fn(&mut WireConfig), "wires.0.rate: found 0 bit/s"),
            (&|w| w.back_rate = Some(0), "wires.0.back_rate: found 0 bit/s"),
            (&|w| w.ends = [0, 3], "wires.0.ends.1: node 3 does not exist"),
            (&|w| w.ends = [1, 1], "wires.0.ends: a wire joins two different nodes"),
            (&|w| w.loss = 1.5, "wires.0.loss: found 1.5"),
            (&|w| w.back_loss = Some(f64::NAN), "wires.0.back_loss: found NaN"),
            (&|w| w.reorder = -0.1, "wires.0.reorder: found -0.1; a probability"),
            (
                &|w| (w.reorder, w.delay) = (0.1, Span::ZERO),
                "wires.0.reorder: found 0.1; a wire without delay has no packets under way",
            ),
            (&|w| w.jitter = Span(u64::MAX), "wires.0.jitter: found"),
            (&|w| w.queue = MAX_QUEUE + 1, "wires.0.queue: found 1000001"),
            (&|w| w.hops = 0, "wires.0.hops: found 0"),
            (&|w| w.link = "lred".parse().expect("a part"), "wires.0.link: found lred; before a wire"),
        ] {
            assert!(error(change).starts_with(expected), "{} for {expected}", error(change));
        }
    }
}
