//! Routes by link quality: what is measured of links, announced and added up, as olsrd's `etx_ff` does.
//!
//! Every OLSR packet of a neighbour is a probe. Each second the share that came is taken anew (LQ); the neighbour's HELLOs
//! say what it receives of this node (NLQ). What is announced follows what is measured only where they differ by much:
//! otherwise every message would say something new, and every node would calculate its routes for it.

use super::Olsr;
use super::links::Link;
use crate::config::olsr::{OlsrConfig, OlsrMetric};
use crate::routing::quality::window::{ALL, Window};
use crate::routing::{Cx, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::olsr::{Hello, HelloLink, LinkQuality, LinkType, NeighbourType, RateCode};

/// Sums of costs and the cost of no way.
pub(super) type Cost = u32;
pub(super) const BROKEN: Cost = Cost::MAX;

/// Transmissions are counted in parts of so many, as in olsrd.
const ETX_ONE: u64 = 1024;
/// A time on the air is counted in parts of a second of so many.
const ETT_SECOND: u64 = 10_000_000;
/// Bits whose time ETT is (Draves et al. 2004: 1024 bytes). All routes have this factor: another size would choose the same.
const ETT_BITS: u64 = 8192;
/// How often shares are taken.
pub(super) const SECOND: Span = Span::from_secs(1);

/// What a link costs by its quality.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pricing {
    /// Least share, in 1/255.
    least: u8,
    /// Bits whose time ETT is; none: ETX.
    bits: Option<u64>,
}

impl Pricing {
    /// As a configuration has it; none: routes are short by hops.
    pub(super) fn new(cfg: &OlsrConfig) -> Option<Self> {
        let least = (cfg.quality_least * f64::from(ALL)) as u8;
        let bits = match cfg.metric {
            OlsrMetric::Hops => return None,
            OlsrMetric::Etx => None,
            OlsrMetric::Ett => Some(ETT_BITS),
        };
        Some(Pricing { least: least.max(1), bits })
    }

    /// The cost of a link; at most 2^24, so that 255 of them do not overflow.
    pub(super) fn cost(self, quality: LinkQuality) -> Cost {
        let LinkQuality { lq, nlq, rate } = quality;
        if lq < self.least || nlq < self.least {
            return BROKEN;
        }
        let etx = ETX_ONE * u64::from(ALL) * u64::from(ALL) / (u64::from(lq) * u64::from(nlq));
        let cost = match self.bits {
            None => etx,
            Some(bits) => etx * bits * ETT_SECOND / rate.rate() / ETX_ONE,
        };
        if cost > 1 << 24 { BROKEN } else { (cost as Cost).max(1) }
    }
}

/// What is measured of a link.
#[derive(Debug)]
pub(super) struct Measured {
    window: Window,
    now: LinkQuality,
    /// What is announced, and what the link costs by it.
    announced: LinkQuality,
    pub(super) cost: Cost,
    /// The neighbour's own symmetric neighbours in its last HELLO, in the order of nodes, with the costs of its links to them.
    pub(super) reaches: Vec<(NodeId, Cost)>,
}

impl Measured {
    /// Of a link whose first HELLO comes in a packet of this number.
    pub(super) fn new(packet_seq: u16, now: Time, cfg: &OlsrConfig) -> Self {
        let window = Window::new(cfg.quality_window, cfg.quality_start, packet_seq, now);
        let quality = LinkQuality::default();
        Measured { window, now: quality, announced: quality, cost: BROKEN, reaches: Vec::new() }
    }

    /// A packet of the neighbour came.
    pub(super) fn packet_came(&mut self, seq: u16, now: Time) {
        self.window.packet_came(seq, now);
    }

    /// What messages say of the link.
    pub(super) fn announced(&self) -> LinkQuality {
        self.announced
    }

    /// The announcement lags too far behind: by more than the share `change`, or the link has become a perfect one.
    fn has_moved(&self, change: f64) -> bool {
        let share = |is: u8, said: u8| {
            let far = f64::from(is.abs_diff(said)) > f64::from(said) * change;
            far || is == ALL && said < ALL
        };
        let (is, said) = (self.now, self.announced);
        let rate = (is.rate.rate().abs_diff(said.rate.rate())) as f64 > said.rate.rate() as f64 * change;
        share(is.lq, said.lq) || share(is.nlq, said.nlq) || rate
    }

    /// Takes what the neighbour's HELLO says of its links; true when costs of its neighbours changed.
    fn take_reaches(&mut self, me: NodeId, hello: &Hello, pricing: Pricing) -> bool {
        let qualities = hello.qualities.as_deref().unwrap_or_default();
        let is_used = |link: &HelloLink| {
            link.node != me && link.code.neighbour != NeighbourType::Not && link.code.link != LinkType::Lost
        };
        let links = hello.links.iter().zip(qualities).filter(|(link, _)| is_used(link));
        let priced = links.map(|(link, &quality)| (link.node, pricing.cost(quality)));
        let mut reaches: Vec<_> = priced.filter(|&(_, cost)| cost < BROKEN).collect();
        reaches.sort_unstable();
        let changed = self.reaches != reaches;
        self.reaches = reaches;
        changed
    }
}

impl Olsr {
    /// A HELLO of a neighbour came: what it receives of this node, and whom it reaches at which costs.
    pub(super) fn hear_qualities(&mut self, at: usize, hello: &Hello, cx: &mut Cx) {
        let (me, Some(pricing)) = (self.node, self.pricing) else { return };
        let Link { measured: Some(measured), symmetric, .. } = &mut self.links[at] else { return };
        let mine = hello.links.iter().position(|link| link.node == me);
        let qualities = hello.qualities.as_deref().unwrap_or_default();
        measured.now.nlq = mine.and_then(|at| qualities.get(at)).map_or(0, |quality| quality.lq);
        if *symmetric && measured.take_reaches(me, hello, pricing) {
            self.neighbourhood_changed(cx);
        }
    }

    /// Takes the shares of the last second, and announces all where one has moved far.
    pub(super) fn end_second(&mut self, cx: &mut Cx) {
        let Some(pricing) = self.pricing else { return };
        let measured = |link: &mut Link| {
            let measured = link.measured.as_mut()?;
            measured.now.lq = measured.window.end_second(link.htime, cx.now);
            if self.cfg.metric == OlsrMetric::Ett {
                measured.now.rate = RateCode::at_most(cx.link.estimate(0, link.node).data_rate);
            }
            measured.has_moved(self.cfg.quality_change).then_some(())
        };
        let moved = self.links.iter_mut().filter_map(measured).count();
        if moved > 0 {
            for link in &mut self.links {
                let Some(measured) = link.measured.as_mut().filter(|measured| measured.announced != measured.now)
                else {
                    continue;
                };
                measured.announced = measured.now;
                measured.cost = pricing.cost(measured.now);
                let LinkQuality { lq, nlq, .. } = measured.now;
                cx.note(RoutingNote::LinkQuality { neighbour: link.node, lq, nlq });
            }
            self.neighbourhood_changed(cx);
        }
        self.armed.by(super::timer::QUALITY, cx.now + SECOND, cx.out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pricing(metric: OlsrMetric) -> Pricing {
        Pricing::new(&OlsrConfig { metric, ..OlsrConfig::default() }).expect("a metric of qualities")
    }

    fn quality(lq: u8, nlq: u8, rate: u64) -> LinkQuality {
        LinkQuality { lq, nlq, rate: RateCode::at_most(rate) }
    }

    #[test]
    fn a_link_costs_its_transmissions_or_their_time() {
        let etx = pricing(OlsrMetric::Etx);
        assert_eq!(etx.cost(quality(255, 255, 0)), 1024);
        // 65,025 / (128 x 204) is 2.490; in 1/1024: 2,550.
        assert_eq!(etx.cost(quality(128, 204, 0)), 2550);
        assert_eq!([etx.cost(quality(24, 255, 0)), etx.cost(quality(255, 24, 0))], [BROKEN; 2], "below a tenth");
        assert_eq!(etx.cost(quality(25, 25, 0)), 65_025 * 1024 / 625);
        // 8,192 bits at 2 Mbit/s take 4,096 us, in tenths of them.
        let ett = pricing(OlsrMetric::Ett);
        assert_eq!(ett.cost(quality(255, 255, 2_000_000)), 40_960);
        assert_eq!(ett.cost(quality(128, 255, 2_000_000)), 2040 * 40_960 / 1024);
        assert_eq!(Pricing::new(&OlsrConfig::default()).map(|_| ()), None);
    }

    #[test]
    fn what_is_announced_follows_what_differs_by_a_tenth() {
        let cfg = OlsrConfig::set("olsr-etx").expect("a set");
        let with = |now: (u8, u8), announced: (u8, u8)| {
            let mut measured = Measured::new(0, Time::ZERO, &cfg);
            (measured.now, measured.announced) = (quality(now.0, now.1, 0), quality(announced.0, announced.1, 0));
            measured.has_moved(cfg.quality_change)
        };
        assert!(!with((100, 200), (100, 200)) && !with((90, 200), (100, 200)) && !with((110, 220), (100, 200)));
        assert!(with((89, 200), (100, 200)) && with((100, 221), (100, 200)));
        assert!(with((255, 100), (250, 100)), "a perfect link says so");
        assert!(!with((250, 100), (255, 100)), "and is none at once no more");
    }
}
