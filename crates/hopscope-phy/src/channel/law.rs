//! How a link follows from positions, powers and the seed of a run.

use std::collections::BTreeMap;

use crate::channel::budget::{Budget, RANGE_SLACK};
use crate::channel::fading::BlockFading;
use crate::channel::grid::squared;
use crate::channel::links::Link;
use crate::channel::pairs::pair;
use crate::channel::shadowing::factor;
use crate::channel::travel::{Classes, Near};
use crate::config::RadioConfig;
use crate::config::radio::Shadowing;
use crate::phy::Arrival;
use hopscope_core::ids::NodeId;
use hopscope_core::rng::{Purpose, Stream};

/// Power of a node in parts of `tx_power`, and how far it reaches in metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct Power {
    pub(super) gain: f64,
    pub(super) reach: f64,
}

/// What links follow from.
#[derive(Debug, Clone)]
pub(super) struct Law {
    pub(super) radio: RadioConfig,
    pub(super) budget: Budget,
    pub(super) seed: u64,
    /// The least power that matters.
    pub(super) least: f64,
    /// Power `tx_power`.
    pub(super) full: Power,
}

impl Law {
    pub(super) fn new(radio: &RadioConfig, seed: u64) -> Self {
        let budget = Budget::new(radio);
        // A link that fades counts while its peaks are heard.
        let peak = BlockFading::new(radio).map_or(1.0, |fading| fading.peak());
        let least = budget.floor(radio) / peak;
        let full = Power { gain: 1.0, reach: budget.reach(radio, 1.0) + RANGE_SLACK };
        Law { radio: radio.clone(), budget, seed, least, full }
    }

    pub(super) fn power(&self, watts: f64) -> Power {
        let gain = watts / self.radio.tx_power;
        if gain == 1.0 { self.full } else { Power { gain, reach: self.budget.reach(&self.radio, gain) + RANGE_SLACK } }
    }

    /// Those of `others` for which `counts` holds and that are within `reach` of `node`, sorted by distance, then by
    /// number.
    #[inline(always)]
    pub(super) fn near(
        node: usize,
        others: impl Iterator<Item = u32>,
        counts: impl Fn(u32) -> bool,
        (positions, reach): (&[[f64; 2]], f64),
        near: &mut Vec<(f64, u32)>,
    ) {
        near.clear();
        let position = positions[node];
        let limit = reach * reach;
        near.extend(others.filter_map(|other| {
            let squared = squared(position, positions[other as usize]);
            (squared <= limit && other as usize != node && counts(other)).then_some((squared, other))
        }));
        // The order in which nodes hear a frame is part of the results: at equal distances the number decides. The bits
        // of squares have the order of squares.
        near.sort_unstable_by_key(|&(squared, other)| (squared.to_bits(), other));
    }

    /// Takes its part from the power of each link that is not as usual, and drops those that nothing comes over.
    #[cold]
    pub(super) fn weaken(&self, node: NodeId, parts: &BTreeMap<[u32; 2], f64>, links: &mut Vec<Link>) {
        links.retain_mut(|link| {
            let key = [node.0.min(link.to.0), node.0.max(link.to.0)];
            let Some(part) = parts.get(&key) else { return true };
            let power = part * f64::from(link.power);
            (link.power, link.flags) = (power as f32, self.budget.flags(power));
            power >= self.least
        });
    }

    /// True where a link follows from its distance alone.
    pub(super) fn is_plain(&self, gain: f64) -> bool {
        self.radio.shadowing != Shadowing::Static && gain == 1.0
    }

    /// The link from `node` with a power to another node, by the square of its distance; none where nothing is heard.
    pub(super) fn link(
        &self,
        node: usize,
        (squared, other): (f64, u32),
        gain: f64,
        places: Option<&[u32]>,
    ) -> Option<Link> {
        let distance = squared.sqrt();
        let place = places.map_or(other, |places| places[other as usize]);
        if !self.is_plain(gain) {
            return self.own_link(node, gain, distance, other, place);
        }
        let flags = Ranges { radio: &self.radio, reach: 0.0 }.class(distance);
        Some(self.made(distance, self.budget.loss.power(distance), flags, other, place))
    }

    /// True when a node within reach of `node`, by the square of its distance, decodes what `node` sends with the usual
    /// power.
    #[inline]
    pub(super) fn decodes(&self, node: usize, (squared, other): (f64, u32)) -> bool {
        if self.is_plain(1.0) {
            return squared.sqrt() <= self.radio.tx_range + RANGE_SLACK;
        }
        self.link(node, (squared, other), 1.0, None).is_some_and(|link| link.flags & Arrival::DECODABLE != 0)
    }

    /// The links from `node` with a power to nodes near it, which lie at distances in metres.
    #[inline(always)]
    pub(super) fn links<'a>(
        &self,
        node: usize,
        gain: f64,
        near: impl Iterator<Item = (&'a Near, f64)>,
        links: &mut Vec<Link>,
    ) {
        let loss = &self.budget.loss;
        links.clear();
        if !self.is_plain(gain) {
            links.extend(near.filter_map(|(to, metres)| self.own_link(node, gain, metres, to.node, to.place)));
        } else if loss.is_two_ray() {
            links.extend(near.map(|(to, metres)| self.made(metres, loss.two_ray(metres), to.class, to.node, to.place)));
        } else {
            links.extend(near.map(|(to, metres)| self.made(metres, loss.power(metres), to.class, to.node, to.place)));
        }
    }

    /// A link over a distance in metres, with the power in watts that comes over it.
    #[inline(always)]
    fn made(&self, distance: f64, power: f64, flags: u8, to: u32, place: u32) -> Link {
        let delay_ns = (distance / self.radio.propagation_speed * 1e9 + 0.5) as u16;
        Link { to: NodeId(to), place, delay_ns, power: power as f32, flags }
    }

    /// A link of `node` with its shadowing and a power of its own; none where nothing is heard.
    fn own_link(&self, node: usize, gain: f64, distance: f64, to: u32, place: u32) -> Option<Link> {
        let mut power = self.budget.loss.power(distance);
        if self.radio.shadowing == Shadowing::Static {
            // By its own name: the level does not depend on who else is there, or on which link is made first.
            let name = pair(NodeId(node as u32), NodeId(to));
            let level = Stream::derive(self.seed, 0, name, Purpose::Shadowing).normal();
            power *= factor(self.radio.shadowing_sigma * level);
        }
        power *= gain;
        (power >= self.least).then(|| self.made(distance, power, self.budget.flags(power), to, place))
    }
}

/// The ranges of a node as borders of distance.
pub(super) struct Ranges<'a> {
    pub(super) radio: &'a RadioConfig,
    pub(super) reach: f64,
}

impl Classes for Ranges<'_> {
    fn borders(&self) -> [f64; 4] {
        [self.radio.tx_range, self.radio.cs_range, self.radio.interference_range, self.reach]
    }

    /// `Arrival` bits.
    fn class(&self, distance: f64) -> u8 {
        let within = |range: f64, bit: u8| if distance <= range + RANGE_SLACK { bit } else { 0 };
        within(self.radio.tx_range, Arrival::DECODABLE)
            | within(self.radio.cs_range, Arrival::SENSED)
            | within(self.radio.interference_range, Arrival::INTERFERES)
    }
}
