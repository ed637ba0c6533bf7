//! Who is heard, how well, and what a link costs (RFC 8966 3.4, Appendix A).

use super::routes::Advert;
use super::smoothed::Smoothed;
use super::{Babel, LINKS, Link, times};
use crate::config::babel::{BabelConfig, BabelLinkCost};
use crate::routing::by_node::ByNode;
use crate::routing::{Cx, RoutingNote};
use hopscope_core::units::{Span, Time};
use hopscope_packet::babel::{BabelTlv, INFINITY};

/// Cost of a transmission that always succeeds.
const PERFECT: u32 = 256;
/// A Hello this far from the one expected comes from a node that began anew (RFC 8966 A.1).
const RESTART: u16 = 16;

/// A node from which Hellos came.
#[derive(Debug)]
pub(super) struct Neighbour {
    pub(super) link: Link,
    /// Which of the last 16 Hellos came; the newest has the highest bit.
    history: u16,
    /// Number of the next Hello.
    expected: u16,
    interval: Span,
    /// When the next Hello is missing.
    missing_at: Time,
    /// What the neighbour last said of its reception.
    txcost: u16,
    txcost_until: Time,
    /// Cost of the link.
    pub(super) cost: u16,
    pub(super) smoothed_cost: Smoothed,
    /// What it advertises.
    pub(super) adverts: ByNode<Advert>,
}

impl Neighbour {
    fn new(link: Link, seqno: u16) -> Self {
        Neighbour {
            link,
            history: 0,
            expected: seqno,
            interval: Span::ZERO,
            missing_at: Time::NEVER,
            txcost: INFINITY,
            txcost_until: Time::NEVER,
            cost: INFINITY,
            smoothed_cost: Smoothed::default(),
            adverts: ByNode::default(),
        }
    }

    /// A Hello came (RFC 8966 A.1).
    fn hear(&mut self, seqno: u16) {
        let ahead = seqno.wrapping_sub(self.expected) as i16;
        if ahead.unsigned_abs() > RESTART {
            self.history = 0;
        } else if ahead < 0 {
            // Hellos that were taken for missing are only late: the sender has a longer interval.
            self.history = shifted_left(self.history, ahead.unsigned_abs());
        } else {
            self.history = shifted_right(self.history, ahead.unsigned_abs());
        }
        self.history = self.history >> 1 | NEWEST;
        self.expected = seqno.wrapping_add(1);
    }

    /// A Hello is missing.
    fn miss(&mut self) {
        self.history >>= 1;
        self.expected = self.expected.wrapping_add(1);
        self.missing_at += self.interval;
    }

    /// Cost of reception from it (RFC 8966 A.2).
    fn rxcost(&self, cfg: &BabelConfig) -> u16 {
        match cfg.link_cost {
            BabelLinkCost::KOutOfJ => {
                let counted = self.history >> (16 - cfg.hellos_counted);
                if counted.count_ones() >= cfg.hellos_needed { cfg.nominal_cost as u16 } else { INFINITY }
            }
            BabelLinkCost::Etx => etx_rxcost(self.history),
        }
    }

    fn link_cost(&self, cfg: &BabelConfig) -> u16 {
        let (rxcost, txcost) = (self.rxcost(cfg), self.txcost);
        if rxcost == INFINITY || txcost == INFINITY {
            return INFINITY;
        }
        match cfg.link_cost {
            BabelLinkCost::KOutOfJ => txcost,
            BabelLinkCost::Etx => {
                let (rxcost, txcost) = (u32::from(rxcost), u32::from(txcost).max(PERFECT));
                // 256 divided by the shares that arrive in both directions.
                ((rxcost * txcost + PERFECT / 2) / PERFECT).min(INFINITY.into()) as u16
            }
        }
    }

    /// Hellos get lost, here or there: it hears of its link with every Hello (RFC 8966 B; the bounds are babeld's).
    fn is_lossy(&self) -> bool {
        self.history & 0xF000 != 0xF000 || self.txcost >= 384
    }
}

/// 256 divided by the share of Hellos that came. The two newest weigh a quarter each, those before half of the one after
/// them, as babeld has it; RFC 8966 A.2.2 leaves the estimate open.
fn etx_rxcost(history: u16) -> u16 {
    // Of the oldest four alone nothing is made (babeld).
    if history & 0xFFF0 == 0 {
        return INFINITY;
    }
    let history = u32::from(history);
    let share = ((history & 0x8000) >> 2) + ((history & 0x4000) >> 1) + (history & 0x3FFF);
    (0x8000 * PERFECT / (share + 1)).min(INFINITY.into()) as u16
}

const NEWEST: u16 = 0x8000;

fn shifted_left(history: u16, by: u16) -> u16 {
    history.checked_shl(by.into()).unwrap_or(0)
}

fn shifted_right(history: u16, by: u16) -> u16 {
    history.checked_shr(by.into()).unwrap_or(0)
}

impl Babel {
    pub(super) fn place(&self, link: Link) -> Result<usize, usize> {
        self.neighbours.binary_search_by_key(&link, |neighbour| neighbour.link)
    }

    pub(super) fn hear_hello(&mut self, link: Link, seqno: u16, interval: Span, cx: &mut Cx) {
        let at = self.place(link).unwrap_or_else(|at| {
            self.neighbours.insert(at, Neighbour::new(link, seqno));
            at
        });
        let neighbour = &mut self.neighbours[at];
        neighbour.hear(seqno);
        neighbour.interval = interval;
        neighbour.missing_at = cx.now + times(interval, self.cfg.hello_timeout);
        self.armed.by(LINKS, neighbour.missing_at, cx.out);
        self.weigh(at, cx);
    }

    pub(super) fn hear_ihu(&mut self, link: Link, rxcost: u16, interval: Span, cx: &mut Cx) {
        // Nothing is known of the way back from who sent no Hello.
        let Ok(at) = self.place(link) else { return };
        let neighbour = &mut self.neighbours[at];
        neighbour.txcost = rxcost;
        neighbour.txcost_until = cx.now + times(interval, self.cfg.ihu_hold);
        self.armed.by(LINKS, neighbour.txcost_until, cx.out);
        self.weigh(at, cx);
    }

    /// Hellos that are missing, and IHUs that are too old.
    pub(super) fn watch_links(&mut self, cx: &mut Cx) {
        for at in 0..self.neighbours.len() {
            let neighbour = &mut self.neighbours[at];
            while neighbour.missing_at <= cx.now && neighbour.history != 0 {
                neighbour.miss();
            }
            if neighbour.txcost_until <= cx.now {
                (neighbour.txcost, neighbour.txcost_until) = (INFINITY, Time::NEVER);
            }
            self.weigh(at, cx);
        }
        self.neighbours.retain(|neighbour| neighbour.history != 0);
        for neighbour in &self.neighbours {
            self.armed.by(LINKS, neighbour.missing_at.min(neighbour.txcost_until), cx.out);
        }
    }

    /// Finds what a link costs now, and what that does to routes.
    fn weigh(&mut self, at: usize, cx: &mut Cx) {
        let neighbour = &mut self.neighbours[at];
        let (old, new) = (neighbour.cost, neighbour.link_cost(&self.cfg));
        if old == new {
            return;
        }
        neighbour.cost = new;
        let node = neighbour.link.1;
        if old == INFINITY || new == INFINITY {
            neighbour.smoothed_cost = Smoothed::default();
        } else {
            neighbour.smoothed_cost.follow(old, new, self.cfg.smoothing_half_life, cx.now);
        }
        if new == INFINITY {
            cx.note(RoutingNote::LinkLost { neighbour: node });
        }
        self.cost_changed(at, old, cx);
        if old == INFINITY && self.cfg.new_neighbour_request {
            self.say_to(node, BabelTlv::RouteRequest(None), cx);
        }
    }

    /// What goes with a Hello: IHUs for lossy links, and now and then for all, with the interfaces of their links.
    pub(super) fn ihus(&self, for_all: bool) -> impl Iterator<Item = (u8, BabelTlv)> + '_ {
        let interval = super::speaking::announced(self.cfg.ihu_interval());
        let due = self.neighbours.iter().filter(move |neighbour| for_all || neighbour.is_lossy());
        due.map(move |neighbour| {
            let ((interface, node), rxcost) = (neighbour.link, neighbour.rxcost(&self.cfg));
            (interface, BabelTlv::Ihu { neighbour: node, rxcost, interval })
        })
    }

    #[cfg(test)]
    pub(super) fn cost(&self, node: hopscope_core::ids::NodeId) -> Option<u16> {
        self.cost_by(0, node)
    }

    #[cfg(test)]
    pub(super) fn cost_by(&self, interface: u8, node: hopscope_core::ids::NodeId) -> Option<u16> {
        self.place((interface, node)).ok().map(|at| self.neighbours[at].cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_core::ids::NodeId;

    #[test]
    fn costs_follow_from_the_hellos_that_came() {
        // 32768 * 256 / (share + 1), with the weights 8192, 8192, 8192, 4096, 2048 and so on.
        let cases = [(0x8000, 1023), (0xC000, 511), (0xE000, 341), (0xF000, 292), (0xFFFF, 256), (0x7FFF, 341)];
        for (history, cost) in cases {
            assert_eq!(etx_rxcost(history), cost, "{history:#x}");
        }
        assert_eq!((etx_rxcost(0x000F), etx_rxcost(0)), (INFINITY, INFINITY));
    }

    #[test]
    fn the_two_costs_make_the_cost_of_a_link() {
        let etx = BabelConfig::default();
        let wired = BabelConfig { link_cost: BabelLinkCost::KOutOfJ, ..BabelConfig::default() };
        // History, what the neighbour says, cost by ETX, cost by two of three Hellos.
        let cases = [
            (0xFFFF, 256, 256, 256),
            (0xFFFF, 512, 512, 512),
            // 341 * 512 / 256, rounded.
            (0x7FFF, 512, 682, 512),
            (0xFFFF, 96, 256, 96),
            (0xFFFF, INFINITY, INFINITY, INFINITY),
            // 0x1FFF + 1 of 0x8000 came: 1024.
            (0x1FFF, 256, 1024, INFINITY),
            // 0x4000 + 1 of 0x8000: 511, and two of the last three.
            (0xA000, 256, 511, 256),
        ];
        for (history, txcost, by_etx, by_count) in cases {
            let neighbour = Neighbour { history, txcost, ..Neighbour::new((0, NodeId(1)), 0) };
            let costs = (neighbour.link_cost(&etx), neighbour.link_cost(&wired));
            assert_eq!(costs, (by_etx, by_count), "{history:#x} {txcost}");
        }
    }

    #[test]
    fn histories_follow_the_numbers_of_hellos() {
        let mut neighbour = Neighbour::new((0, NodeId(1)), 5);
        (5..8).for_each(|seqno| neighbour.hear(seqno));
        assert_eq!((neighbour.history, neighbour.expected), (0xE000, 8));
        neighbour.hear(10);
        assert_eq!(neighbour.history, 0b1001_1100 << 8, "8 and 9 are missing");
        neighbour.miss();
        neighbour.hear(11);
        assert_eq!(neighbour.history, 0b1100_1110 << 8, "11 was late, not lost");
        neighbour.hear(100);
        assert_eq!((neighbour.history, neighbour.expected), (0x8000, 101), "another life");
    }
}
