//! Links to neighbours: what HELLOs and missing packets say of them (RFC 3626 7, 8, 13 and 14).

use super::quality::Measured;
use super::topology::newer;
use super::{Olsr, mpr};
use crate::config::olsr::{OlsrConfig, OlsrMetric};
use crate::routing::{Cx, RoutingEffect, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::olsr::{Hello, HelloLink, LinkCode, LinkType, NeighbourType};

/// A link and the neighbour at its other end: one tuple each of the link set and the neighbour set, and the neighbour's
/// part of the 2-hop neighbour set. A time is valid before it, not at it.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) node: NodeId,
    /// The link is symmetric (L_SYM_time).
    sym_until: Time,
    /// The neighbour is heard (L_ASYM_time).
    asym_until: Time,
    /// The link is declared lost, whatever HELLOs say (L_LOST_LINK_time).
    lost_until: Time,
    /// The link is remembered (L_time).
    until: Time,
    /// Not yet, or no longer, good enough for use (L_link_pending).
    pending: bool,
    /// L_link_quality.
    quality: f64,
    /// Number of the last packet heard.
    packet_seq: u16,
    /// When silence counts as a missing packet.
    silent_at: Time,
    /// Silences counted since the last packet heard.
    silences: u16,
    /// Longest time between the neighbour's HELLOs.
    pub(super) htime: Span,
    /// The neighbour's readiness to relay.
    pub(super) willingness: u8,
    /// Its own symmetric neighbours, in the order of nodes, with the ends of their validity.
    pub(super) reaches: Vec<(NodeId, Time)>,
    /// It was symmetric when the machine last looked.
    pub(super) symmetric: bool,
    /// Its quality, where routes follow it.
    pub(super) measured: Option<Box<Measured>>,
}

impl Link {
    /// A link whose first HELLO comes in a packet of this number.
    fn new(node: NodeId, packet_seq: u16, now: Time, cfg: &OlsrConfig) -> Self {
        let by_quality = cfg.metric != OlsrMetric::Hops;
        Link {
            node,
            sym_until: Time::ZERO,
            asym_until: Time::ZERO,
            lost_until: Time::ZERO,
            until: Time::ZERO,
            pending: cfg.has_hysteresis(),
            quality: cfg.hysteresis_scaling,
            packet_seq,
            silent_at: Time::NEVER,
            silences: 0,
            htime: Span::ZERO,
            willingness: mpr::WILL_NEVER,
            reaches: Vec::new(),
            symmetric: false,
            measured: by_quality.then(|| Measured::new(packet_seq, now, cfg).into()),
        }
    }

    fn is_symmetric(&self, now: Time) -> bool {
        self.sym_until.min(self.until) > now && !self.pending && self.lost_until <= now
    }

    /// How a HELLO shows the link; none: not at all (RFC 3626 6.2 and 14.2).
    fn shown(&self, now: Time) -> Option<LinkType> {
        if self.lost_until > now {
            Some(LinkType::Lost)
        } else if self.pending {
            None
        } else if self.sym_until > now {
            Some(LinkType::Symmetric)
        } else if self.asym_until > now {
            Some(LinkType::Asymmetric)
        } else {
            Some(LinkType::Lost)
        }
    }

    /// Takes what the neighbour's HELLO says of this link, if anything (RFC 3626 7.1.1).
    fn sense(&mut self, said: Option<LinkType>, now: Time, valid: Span, hold: Span) {
        self.asym_until = now + valid;
        match said {
            Some(LinkType::Lost) => self.sym_until = now,
            Some(LinkType::Symmetric | LinkType::Asymmetric) => {
                self.sym_until = now + valid;
                self.until = self.sym_until + hold;
            }
            None => {}
        }
        self.until = self.until.max(self.asym_until);
    }

    /// A packet with this number came (RFC 3626 14.3). One that silence already counted as missing counts once.
    fn packet_came(&mut self, seq: u16, now: Time, cfg: &OlsrConfig) {
        // A number from before the last one says nothing of packets in between.
        if newer(seq, self.packet_seq) {
            let gap = seq.wrapping_sub(self.packet_seq) - 1;
            // The quality is as good as 0 long before this many. Products are the same on every machine, powers are not.
            for _ in 0..gap.saturating_sub(self.silences).min(1000) {
                self.quality *= 1.0 - cfg.hysteresis_scaling;
            }
            self.packet_seq = seq;
        }
        self.quality = (1.0 - cfg.hysteresis_scaling) * self.quality + cfg.hysteresis_scaling;
        self.silences = 0;
        self.apply_hysteresis(now, cfg);
        self.listen(now, cfg);
    }

    /// Nothing came for too long.
    fn silence(&mut self, now: Time, cfg: &OlsrConfig) {
        self.quality *= 1.0 - cfg.hysteresis_scaling;
        self.silences = self.silences.saturating_add(1);
        self.apply_hysteresis(now, cfg);
        self.listen(now, cfg);
    }

    fn apply_hysteresis(&mut self, now: Time, cfg: &OlsrConfig) {
        if self.quality > cfg.hysteresis_high {
            self.pending = false;
            self.lost_until = now;
        } else if self.quality < cfg.hysteresis_low {
            self.pending = true;
            self.lost_until = self.until.min(now + cfg.neighb_hold_time);
        }
    }

    fn listen(&mut self, now: Time, cfg: &OlsrConfig) {
        self.silent_at = now + Span::from_secs_f64(self.htime.as_secs() * cfg.hysteresis_silence);
    }

    /// Takes the neighbours of the neighbour from its HELLO (RFC 3626 8.2.1); true when they changed.
    fn take_reaches(&mut self, me: NodeId, hello: &Hello, until: Time) -> bool {
        let mut changed = false;
        // This node is no neighbour of its neighbours in its own 2-hop set (RFC 3626 8.2.1).
        for &HelloLink { code, node } in hello.links.iter().filter(|l| l.node != me) {
            let place = self.reaches.binary_search_by_key(&node, |r| r.0);
            match (place, code.neighbour) {
                (Ok(at), NeighbourType::Symmetric | NeighbourType::Mpr) => self.reaches[at].1 = until,
                (Ok(at), NeighbourType::Not) => {
                    self.reaches.remove(at);
                    changed = true;
                }
                (Err(at), NeighbourType::Symmetric | NeighbourType::Mpr) => {
                    self.reaches.insert(at, (node, until));
                    changed = true;
                }
                (Err(_), NeighbourType::Not) => {}
            }
        }
        changed
    }

    /// The next instant at which something about the link is over.
    fn next_change(&self, now: Time) -> Option<Time> {
        let own = [self.sym_until, self.lost_until, self.until, self.silent_at];
        own.into_iter().chain(self.reaches.iter().map(|r| r.1)).filter(|&at| at > now).min()
    }
}

impl Olsr {
    pub(super) fn place(&self, node: NodeId) -> Result<usize, usize> {
        self.links.binary_search_by_key(&node, |link| link.node)
    }

    /// True for a symmetric neighbour.
    pub(super) fn is_neighbour(&self, node: NodeId) -> bool {
        self.place(node).is_ok_and(|at| self.links[at].symmetric)
    }

    /// The symmetric neighbours, in the order of nodes.
    pub(super) fn neighbours(&self) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(|link| link.symmetric)
    }

    /// A packet of a neighbour came in.
    pub(super) fn update_link_quality(&mut self, from: NodeId, packet_seq: u16, cx: &mut Cx) {
        let Ok(at) = self.place(from) else { return };
        if let Some(measured) = &mut self.links[at].measured {
            measured.packet_came(packet_seq, cx.now);
        } else if self.cfg.hysteresis {
            self.links[at].packet_came(packet_seq, cx.now, &self.cfg);
            self.review(at, cx);
        }
    }

    /// A HELLO came in, in a packet of this number.
    pub(super) fn hear_hello(&mut self, from: NodeId, packet_seq: u16, hello: &Hello, valid: Span, cx: &mut Cx) {
        let at = self.place(from).unwrap_or_else(|at| {
            self.links.insert(at, Link::new(from, packet_seq, cx.now, &self.cfg));
            at
        });
        let said = hello.links.iter().find(|l| l.node == self.node).map(|l| l.code);
        let link = &mut self.links[at];
        link.sense(said.map(|code| code.link), cx.now, valid, self.cfg.neighb_hold_time);
        link.htime = hello.htime.span();
        if self.cfg.has_hysteresis() {
            link.listen(cx.now, &self.cfg);
        }
        if link.willingness != hello.willingness {
            link.willingness = hello.willingness;
            self.neighbourhood_changed(cx);
        }
        self.review(at, cx);
        // After the review: the neighbours of a neighbour count only over a symmetric link (RFC 3626 8.2.1).
        if self.pricing.is_some() {
            self.hear_qualities(at, hello, cx);
        } else if self.links[at].symmetric && self.links[at].take_reaches(self.node, hello, cx.now + valid) {
            self.neighbourhood_changed(cx);
        }
        if said.is_some_and(|code| code.neighbour == NeighbourType::Mpr) {
            self.select(from, cx.now + valid, cx);
        }
        self.await_change(at, cx);
    }

    /// The MAC says that a link is gone (RFC 3626 13).
    pub(super) fn link_broke(&mut self, node: NodeId, cx: &mut Cx) {
        let Ok(at) = self.place(node) else { return };
        let link = &mut self.links[at];
        link.lost_until = cx.now + self.cfg.neighb_hold_time;
        link.until = link.lost_until;
        self.review(at, cx);
        self.await_change(at, cx);
    }

    /// Sees whether a link became symmetric or ceased to be (RFC 3626 8.5).
    fn review(&mut self, at: usize, cx: &mut Cx) {
        let link = &mut self.links[at];
        let symmetric = link.is_symmetric(cx.now);
        if link.symmetric == symmetric {
            return;
        }
        link.symmetric = symmetric;
        let neighbour = link.node;
        if !symmetric {
            link.reaches.clear();
            if let Some(measured) = &mut link.measured {
                measured.reaches.clear();
            }
            self.deselect(neighbour, cx);
            cx.note(RoutingNote::LinkLost { neighbour });
            if self.cfg.flush_queue {
                cx.push(RoutingEffect::FlushNextHop { next_hop: neighbour });
            }
        }
        self.neighbourhood_changed(cx);
    }

    fn await_change(&mut self, at: usize, cx: &mut Cx) {
        if let Some(change) = self.links[at].next_change(cx.now) {
            self.armed.by(super::LINKS, change, cx.out);
        }
    }

    /// Lets what is over end: links, neighbours' neighbours, selectors.
    pub(super) fn expire_links(&mut self, cx: &mut Cx) {
        for at in 0..self.links.len() {
            if self.links[at].silent_at <= cx.now {
                self.links[at].silence(cx.now, &self.cfg);
            }
            let before = self.links[at].reaches.len();
            self.links[at].reaches.retain(|r| r.1 > cx.now);
            if self.links[at].reaches.len() != before {
                self.neighbourhood_changed(cx);
            }
            // Before links are forgotten below: a neighbour that goes must be seen to go.
            self.review(at, cx);
        }
        self.links.retain(|link| link.until > cx.now);
        self.expire_selectors(cx);
        let changes = self.links.iter().filter_map(|link| link.next_change(cx.now));
        if let Some(at) = changes.chain(self.selectors.iter().map(|s| s.1)).min() {
            self.armed.by(super::LINKS, at, cx.out);
        }
    }

    /// The links as a HELLO lists them; `relays` are those this node chose.
    pub(super) fn shown_links(&self, relays: &[NodeId], now: Time) -> Vec<HelloLink> {
        let shown = self.links.iter().filter_map(|link| {
            let neighbour = match link.symmetric {
                false => NeighbourType::Not,
                true if relays.contains(&link.node) => NeighbourType::Mpr,
                true => NeighbourType::Symmetric,
            };
            Some(HelloLink { code: LinkCode { link: link.shown(now)?, neighbour }, node: link.node })
        });
        let mut shown: Vec<HelloLink> = shown.collect();
        shown.sort_unstable();
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(cfg: &OlsrConfig) -> Link {
        Link { htime: Span::from_secs(2), until: Time::NEVER, ..Link::new(NodeId(1), 10, Time::ZERO, cfg) }
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn the_third_packet_brings_a_link_into_use_and_two_missing_ones_take_it_out() {
        let cfg = OlsrConfig::default();
        let mut link = link(&cfg);
        assert!(link.pending && close(link.quality, 0.5));
        for (seq, quality, pending) in [(11, 0.75, true), (12, 0.875, false), (13, 0.9375, false)] {
            link.packet_came(seq, Time(1), &cfg);
            assert!(close(link.quality, quality) && link.pending == pending, "packet {seq}: {}", link.quality);
        }
        link.silence(Time(2), &cfg);
        assert!(close(link.quality, 0.468_75) && !link.pending, "between the thresholds nothing changes");
        link.silence(Time(3), &cfg);
        assert!(close(link.quality, 0.234_375) && link.pending);
        assert_eq!(link.lost_until, Time(3) + cfg.neighb_hold_time);
        assert_eq!(link.shown(Time(4)), Some(LinkType::Lost));
        assert_eq!(link.shown(link.lost_until), None, "a pending link is not shown");
    }

    #[test]
    fn missing_numbers_count_unless_silence_counted_them() {
        let cfg = OlsrConfig::default();
        let at_one = || Link { quality: 1.0, pending: false, ..link(&cfg) };
        let mut skipped = at_one();
        skipped.packet_came(13, Time(1), &cfg);
        assert!(close(skipped.quality, 0.625), "two missing, one come: {}", skipped.quality);
        let mut silent = at_one();
        silent.silence(Time(1), &cfg);
        silent.packet_came(12, Time(2), &cfg);
        assert!(close(silent.quality, 0.75), "one missing, one come: {}", silent.quality);
        let mut late = at_one();
        late.packet_came(9, Time(1), &cfg);
        assert!(close(late.quality, 1.0) && late.packet_seq == 10, "a late packet: {late:?}");
        let mut wrapped = Link { packet_seq: u16::MAX, ..at_one() };
        wrapped.packet_came(1, Time(1), &cfg);
        assert!(close(wrapped.quality, 0.75), "0 is missing: {}", wrapped.quality);
    }

    #[test]
    fn silence_is_measured_in_the_neighbours_intervals() {
        let cfg = OlsrConfig::default();
        let mut link = link(&cfg);
        link.packet_came(11, Time(7), &cfg);
        assert_eq!(link.silent_at, Time(7) + Span::from_secs(3));
    }

    #[test]
    fn links_are_sensed_as_the_rfc_says() {
        let (valid, hold, s) = (Span::from_secs(6), Span::from_secs(6), |s| Time::ZERO + Span::from_secs(s));
        let cfg = OlsrConfig { hysteresis: false, ..OlsrConfig::default() };
        let mut link = Link::new(NodeId(1), 0, Time::ZERO, &cfg);
        link.sense(None, s(1), valid, hold);
        assert_eq!((link.shown(s(1)), link.until), (Some(LinkType::Asymmetric), s(7)));
        link.sense(Some(LinkType::Asymmetric), s(3), valid, hold);
        assert_eq!((link.shown(s(3)), link.until), (Some(LinkType::Symmetric), s(15)));
        assert!(link.is_symmetric(s(8)) && !link.is_symmetric(s(9)));
        // Heard, but no longer listed: it stays symmetric until its time is over.
        link.sense(None, s(5), valid, hold);
        assert_eq!((link.shown(s(8)), link.shown(s(10))), (Some(LinkType::Symmetric), Some(LinkType::Asymmetric)));
        link.sense(Some(LinkType::Lost), s(6), valid, hold);
        assert_eq!((link.shown(s(6)), link.is_symmetric(s(6))), (Some(LinkType::Asymmetric), false));
        assert_eq!(link.shown(s(12)), Some(LinkType::Lost));
    }
}
