//! What neighbours advertise, the choice among it, and the condition that keeps routes free of loops (RFC 8966 3.5, 3.6).

use super::neighbours::Neighbour;
use super::smoothed::{Smoothed, millis};
use super::{Babel, Link, ROUTES, is_newer, times};
use crate::config::babel::UnfeasibleUpdate;
use crate::routing::{Cx, RouteLoss, RoutingNote};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::babel::{BabelUpdate, INFINITY};

/// How long a feasibility distance is remembered after it was last advertised (RFC 8966 B; 200 s in babeld).
const SOURCE_HOLD: Span = Span::from_secs(180);
/// Milliseconds from one look at the ages of all routes to the next.
const WATCH_GAP: u32 = 1_000;

/// What a node knows of another one.
#[derive(Debug, Default)]
pub(super) struct Dest {
    pub(super) dst: NodeId,
    /// The link of the route in use.
    pub(super) via: Option<Link>,
    /// Number, metric and hops of that route; of the last one where none is in use.
    pub(super) seqno: u16,
    pub(super) metric: u16,
    pub(super) hops: u8,
    /// What was advertised last.
    advertised: u16,
    /// The source table: the best that was ever advertised.
    distance: Option<Distance>,
    /// An update of it waits.
    pub(super) is_waiting: bool,
}

/// A feasibility distance (RFC 8966 3.2.5).
#[derive(Debug, Clone, Copy)]
pub(super) struct Distance {
    pub(super) seqno: u16,
    metric: u16,
    until: Time,
}

impl Dest {
    /// The distance, unless it is too old.
    pub(super) fn distance(&self, now: Time) -> Option<Distance> {
        self.distance.filter(|distance| distance.until > now)
    }

    /// The feasibility condition (RFC 8966 3.5.1).
    fn allows(&self, seqno: u16, metric: u16, now: Time) -> bool {
        self.distance(now).is_none_or(|distance| {
            is_newer(seqno, distance.seqno) || seqno == distance.seqno && metric < distance.metric
        })
    }

    /// The route goes out (RFC 8966 3.7.3); a retraction does not count.
    pub(super) fn advertise(&mut self, now: Time) -> u16 {
        let metric = if self.via.is_some() { self.metric } else { INFINITY };
        self.advertised = metric;
        if metric < INFINITY {
            let (seqno, until) = (self.seqno, now + SOURCE_HOLD);
            let old = self
                .distance(now)
                .filter(|old| !(is_newer(seqno, old.seqno) || seqno == old.seqno && metric < old.metric));
            self.distance = Some(match old {
                Some(old) => Distance { until, ..old },
                None => Distance { seqno, metric, until },
            });
        }
        metric
    }
}

/// What a neighbour advertised of a destination.
#[derive(Debug, Clone, Copy)]
pub(super) struct Advert {
    smoothed: Smoothed,
    /// Until when it is valid, in milliseconds.
    until: u32,
    seqno: u16,
    metric: u16,
    hops: u8,
}

impl Default for Advert {
    fn default() -> Self {
        Advert { smoothed: Smoothed::default(), until: 0, seqno: 0, metric: INFINITY, hops: 0 }
    }
}

impl Advert {
    fn hear(&mut self, update: &BabelUpdate, start: u32, half_life: Span, now: Time) {
        if self.metric == INFINITY || update.metric == INFINITY {
            let above = start.saturating_sub(update.metric.into());
            self.smoothed = Smoothed::above(above as f32, now);
        } else if self.metric != update.metric {
            self.smoothed.follow(self.metric, update.metric, half_life, now);
        }
        (self.seqno, self.metric, self.hops) = (update.seqno, update.metric, update.hops);
    }
}

/// A route that could be used.
#[derive(Debug, Clone, Copy)]
struct Offer {
    link: Link,
    seqno: u16,
    /// Metric that the neighbour advertised.
    advertised: u16,
    metric: u16,
    smoothed: f32,
    hops: u8,
    until: u32,
}

impl Babel {
    /// An update came from a neighbour (RFC 8966 3.5.3).
    pub(super) fn hear_update(&mut self, link: Link, update: &BabelUpdate, cx: &mut Cx) {
        let dst = update.dst;
        // Who sent no Hello cannot be a next hop, and of itself a node knows best.
        let Ok(at) = self.place(link) else { return };
        if dst == self.node {
            return;
        }
        if update.metric == INFINITY && self.neighbours[at].adverts.get(dst).is_none() {
            return;
        }
        let dest = self.table.slot(dst);
        dest.dst = dst;
        let is_feasible = update.metric == INFINITY || dest.allows(update.seqno, update.metric, cx.now);
        let is_used = dest.via == Some(link);
        let (used, best) = (dest.via, dest.metric);
        let rule = (is_used && !is_feasible).then_some(self.cfg.unfeasible_update);
        if rule == Some(UnfeasibleUpdate::Ignore) {
            self.ask_along(link.1, dst, cx);
            return;
        }
        let advert = self.neighbours[at].adverts.slot(dst);
        advert.hear(update, self.cfg.smoothing_start, self.cfg.smoothing_half_life, cx.now);
        if update.metric < INFINITY {
            advert.until = millis(cx.now + times(update.interval.span(), self.cfg.route_hold));
        }
        let metric = update.metric.saturating_add(self.neighbours[at].cost);
        if is_used || is_feasible && (used.is_none() || metric < best) {
            self.choose(dst, RouteLoss::Reported, cx);
            if rule == Some(UnfeasibleUpdate::Unselect) {
                self.ask_along(link.1, dst, cx);
            }
        } else if !is_feasible && metric < INFINITY {
            let margin = self.cfg.request_margin as u16;
            if used.is_none() || metric.saturating_add(margin) < best {
                self.ask_along(link.1, dst, cx);
            }
        }
        self.answer_requests(dst, cx);
    }

    /// A link costs something else than `old`.
    pub(super) fn cost_changed(&mut self, at: usize, old: u16, cx: &mut Cx) {
        let Neighbour { link, cost, .. } = self.neighbours[at];
        for rank in 0..self.table.values().len() {
            let Dest { dst, via, metric, .. } = self.table.values()[rank];
            let is_used = via == Some(link);
            let may_be_better = || {
                let advert = self.neighbours[at].adverts.get(dst);
                advert.is_some_and(|advert| {
                    let offered = advert.metric.saturating_add(cost);
                    offered < INFINITY && (via.is_none() || offered < metric)
                })
            };
            if is_used || cost < old && may_be_better() {
                self.choose(dst, RouteLoss::LinkLost, cx);
            }
        }
    }

    /// Routes that are too old, and those that soon will be (RFC 8966 3.5.2, 3.8.2.3).
    pub(super) fn watch_routes(&mut self, cx: &mut Cx) {
        let (warning, now) = (self.warning(), millis(cx.now));
        let mut next = u32::MAX;
        for rank in 0..self.table.values().len() {
            let Dest { dst, via: Some(link), .. } = self.table.values()[rank] else { continue };
            let at = self.place(link).expect("a route goes over a neighbour");
            let until = self.neighbours[at].adverts.get(dst).map_or(0, |advert| advert.until);
            if until <= now {
                self.choose(dst, RouteLoss::Expired, cx);
            } else if until - now <= warning {
                // In the first second of the warning alone: tables are looked at once a second at most.
                if until - now + WATCH_GAP > warning {
                    self.request_route(link.1, dst, cx);
                }
                next = next.min(until);
            } else {
                next = next.min(until - warning);
            }
        }
        if next < u32::MAX {
            self.watch_from(next, cx);
        }
    }

    fn watch_from(&mut self, at: u32, cx: &mut Cx) {
        let at = at.max(millis(cx.now) + WATCH_GAP);
        self.armed.by(ROUTES, Time::ZERO + Span::from_millis(at.into()), cx.out);
    }

    /// A route is asked for again so many milliseconds before it is too old (an eighth of its time, as in babeld).
    fn warning(&self) -> u32 {
        millis(Time::ZERO + times(self.cfg.update_interval, self.cfg.route_hold)) / 8
    }

    /// Chooses the route to a destination (RFC 8966 3.6, A.3): another one replaces that in use if its metric and its
    /// smoothed metric are both better.
    fn choose(&mut self, dst: NodeId, cause: RouteLoss, cx: &mut Cx) {
        let dest = self.table.get(dst).expect("it is known");
        let must_allow = self.cfg.unfeasible_update == UnfeasibleUpdate::Unselect;
        let used = dest.via.and_then(|link| self.offer(self.place(link).ok()?, dst, cx.now));
        let used = used.filter(|used| !must_allow || dest.allows(used.seqno, used.advertised, cx.now));
        let mut best = used;
        for at in 0..self.neighbours.len() {
            let Some(offer) = self.offer(at, dst, cx.now) else { continue };
            let is_better = best.is_none_or(|best| offer.smoothed < best.smoothed);
            let may_replace = used.is_none_or(|used| offer.metric < used.metric);
            if is_better && may_replace && dest.allows(offer.seqno, offer.advertised, cx.now) {
                best = Some(offer);
            }
        }
        match best {
            Some(offer) => self.use_route(dst, offer, cx),
            None => self.lose_route(dst, cause, cx),
        }
    }

    /// The route over a neighbour, if it advertises one that is valid and its link is up.
    fn offer(&self, at: usize, dst: NodeId, now: Time) -> Option<Offer> {
        let neighbour = &self.neighbours[at];
        let advert = neighbour.adverts.get(dst)?;
        let metric = advert.metric.saturating_add(neighbour.cost);
        if metric == INFINITY || advert.until <= millis(now) {
            return None;
        }
        let half_life = self.cfg.smoothing_half_life;
        let away = advert.smoothed.away(half_life, now) + neighbour.smoothed_cost.away(half_life, now);
        let smoothed = f32::from(metric) + away;
        Some(Offer {
            link: neighbour.link,
            seqno: advert.seqno,
            advertised: advert.metric,
            metric,
            smoothed,
            hops: advert.hops,
            until: advert.until,
        })
    }

    fn use_route(&mut self, dst: NodeId, offer: Offer, cx: &mut Cx) {
        let Offer { link, seqno, metric, .. } = offer;
        let hops = offer.hops.saturating_add(1);
        let dest = self.table.get_mut(dst).expect("it is known");
        let (old_via, old_hops) = (dest.via, dest.hops);
        (dest.via, dest.seqno, dest.metric, dest.hops) = (Some(link), seqno, metric, hops);
        let advertised = dest.advertised;
        let (worse, better) = (metric.saturating_sub(advertised), advertised.saturating_sub(metric));
        match old_via {
            None => self.say_soon(dst, cx),
            Some(_) if u32::from(worse) >= self.cfg.trigger_worse.max(1) => self.say_soon(dst, cx),
            Some(_) if u32::from(better) >= self.cfg.trigger_better.max(1) => self.say_later(dst, cx),
            Some(_) => {}
        }
        if old_via != Some(link) {
            self.watch_from(offer.until.saturating_sub(self.warning()), cx);
            cx.note(RoutingNote::RouteUp { dst, next_hop: link.1, hops });
        } else if old_hops != hops {
            cx.note(RoutingNote::HopsChanged { dst, next_hop: link.1, hops });
        }
    }

    fn lose_route(&mut self, dst: NodeId, cause: RouteLoss, cx: &mut Cx) {
        let dest = self.table.get_mut(dst).expect("it is known");
        if dest.via.take().is_none() {
            return;
        }
        cx.note(RoutingNote::RouteDown { dst, cause });
        self.retract(dst, cx);
        self.ask_everybody(dst, cx);
    }

    /// The neighbour other than `not` with the best route, whether it is feasible or not.
    pub(super) fn best_other(&self, dst: NodeId, not: NodeId, now: Time) -> Option<NodeId> {
        let offers = (0..self.neighbours.len()).filter_map(|at| self.offer(at, dst, now));
        let others = offers.filter(|offer| offer.link.1 != not);
        others.min_by_key(|offer| offer.metric).map(|offer| offer.link.1)
    }

    #[cfg(test)]
    pub(super) fn metric(&self, dst: NodeId) -> Option<u16> {
        self.table.get(dst).filter(|dest| dest.via.is_some()).map(|dest| dest.metric)
    }
}
