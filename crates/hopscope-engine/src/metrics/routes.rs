//! Whether the source of a flow has a route to its destination, from the notes of the routing machines.

use super::{FlowCx, RunCx, RunFamily, SeriesSet};
use crate::config::{Config, SeriesKind};
use crate::record::{NetworkView, Record};
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::{Span, Time};
use hopscope_net::config::net::RoutingProtocol;
use hopscope_net::routing::RoutingNote;

/// The route of one flow at its source. Only the flow's own time counts: from its start until it stops or has carried
/// everything, inside the measured time.
#[derive(Debug, Clone)]
struct FlowRoute {
    is_up: bool,
    /// Times at which the source took a route to the destination into use, changed its next hop, or lost it.
    changes: u64,
    without: Span,
    counted_to: Time,
    from: Time,
    until: Time,
}

impl FlowRoute {
    fn new(is_up: bool, start: Time, stop: Option<Time>) -> Self {
        let until = stop.unwrap_or(Time::NEVER);
        FlowRoute { is_up, changes: 0, without: Span::ZERO, counted_to: Time::ZERO, from: start, until }
    }

    /// Accounts the time up to `now`.
    fn count_to(&mut self, now: Time) {
        if !self.is_up {
            let span = now.min(self.until).saturating_since(self.counted_to.max(self.from));
            self.without = self.without + span;
        }
        self.counted_to = now;
    }

    /// Notes that there is a route now or that there is none; true when that is news.
    fn set(&mut self, now: Time, is_up: bool) -> bool {
        self.count_to(now);
        self.changes += 1;
        std::mem::replace(&mut self.is_up, is_up) != is_up
    }

    /// The flow has carried everything: what happens to its route from now on does not matter to it.
    fn end(&mut self, now: Time) {
        self.count_to(now);
        self.until = self.until.min(now);
    }

    /// Counts from `now` on.
    fn restart(&mut self, now: Time) {
        self.count_to(now);
        self.from = self.from.max(now);
        (self.without, self.changes) = (Span::ZERO, 0);
    }

    /// Share of the flow's time until `now` without a route, per cent; none when it had no time.
    fn without_pct(&self, now: Time) -> Option<f64> {
        // On a copy: the run may go on.
        let mut closed = self.clone();
        closed.count_to(now);
        let span = now.min(self.until).saturating_since(self.from);
        (span > Span::ZERO).then(|| 100.0 * closed.without.0 as f64 / span.0 as f64)
    }
}

/// The routes of all flows.
#[derive(Debug, Clone)]
pub(crate) struct FlowRoutes {
    /// (source, destination, flow), in order.
    ends: Vec<(NodeId, NodeId, FlowId)>,
    routes: Vec<FlowRoute>,
}

impl RunFamily for FlowRoutes {
    fn begin(config: &Config, series: &mut SeriesSet) -> Self {
        // Static routes are there from the start; a routing protocol has to find them.
        let is_up = config.routing.protocol == RoutingProtocol::Static;
        let flows = config.flows.iter().enumerate();
        let mut ends: Vec<_> = flows.map(|(n, f)| (NodeId(f.from), NodeId(f.to), FlowId(n as u32))).collect();
        ends.sort_unstable();
        let routes: Vec<_> = config.flows.iter().map(|f| FlowRoute::new(is_up, f.start, f.stop)).collect();
        for flow in 0..routes.len() as u32 {
            series.push(SeriesKind::Route, flow, Time::ZERO, f64::from(u8::from(is_up)));
        }
        FlowRoutes { ends, routes }
    }

    #[inline(always)]
    fn record(&mut self, record: &Record, cx: &mut RunCx<'_, impl NetworkView>) {
        match *record {
            Record::Completed { flow } => self.routes[flow.index()].end(cx.now),
            Record::Routing { node, note: RoutingNote::RouteUp { dst, .. }, .. } => {
                self.set(cx.now, node, dst, true, cx.series);
            }
            Record::Routing { node, note: RoutingNote::RouteDown { dst, .. }, .. } => {
                self.set(cx.now, node, dst, false, cx.series);
            }
            _ => {}
        }
    }

    fn restart(&mut self, now: Time, _view: &mut impl NetworkView) {
        self.routes.iter_mut().for_each(|route| route.restart(now));
    }
}

impl FlowRoutes {
    /// A node's route to a destination came or went: so did that of every flow between the two.
    fn set(&mut self, now: Time, at: NodeId, dst: NodeId, is_up: bool, series: &mut SeriesSet) {
        let first = self.ends.partition_point(|&(from, to, _)| (from, to) < (at, dst));
        for &(_, _, flow) in self.ends[first..].iter().take_while(|&&(from, to, _)| (from, to) == (at, dst)) {
            // Another next hop is a change of the route, but none of the series.
            if self.routes[flow.index()].set(now, is_up) {
                series.push(SeriesKind::Route, flow.0, now, f64::from(u8::from(is_up)));
            }
        }
    }
}

/// The metrics.
impl FlowRoutes {
    pub(super) fn no_route_share_pct(&self, cx: &FlowCx<'_>) -> Option<f64> {
        self.routes[cx.id().index()].without_pct(cx.now)
    }

    pub(super) fn route_changes(&self, cx: &FlowCx<'_>) -> u64 {
        self.routes[cx.id().index()].changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Span::from_secs(seconds)
    }

    fn flow_from_2_to_12() -> FlowRoute {
        FlowRoute::new(false, at(2), Some(at(12)))
    }

    #[test]
    fn time_without_a_route_counts_only_while_the_flow_lasts() {
        // (instants at which the route comes and goes, share without a route at 20 s)
        let timelines: [(&[u64], f64); 5] = [
            (&[], 100.0),
            (&[1], 0.0),
            (&[3], 10.0),
            (&[3, 6, 8], 30.0),
            // Gone after the flow's end.
            (&[2, 15], 0.0),
        ];
        for (instants, expected) in timelines {
            let mut route = flow_from_2_to_12();
            for (n, &instant) in instants.iter().enumerate() {
                assert!(route.set(at(instant), n % 2 == 0));
            }
            assert_eq!(route.without_pct(at(20)), Some(expected), "{instants:?}");
            assert_eq!(route.changes, instants.len() as u64);
        }
    }

    #[test]
    fn a_new_next_hop_is_a_change_but_no_event() {
        let mut route = flow_from_2_to_12();
        assert!(route.set(at(2), true));
        assert!(!route.set(at(3), true));
        assert_eq!((route.changes, route.without_pct(at(12))), (2, Some(0.0)));
    }

    #[test]
    fn the_warm_up_is_forgotten_and_a_completed_flow_counts_no_further() {
        let mut route = flow_from_2_to_12();
        route.restart(at(4));
        assert!(route.set(at(5), true));
        assert!(route.set(at(8), false));
        route.end(at(9));
        // Without a route from 4 to 5 and from 8 to 9 of the five seconds from 4 to 9.
        assert_eq!(route.without_pct(at(12)), Some(40.0));
        assert_eq!(route.changes, 2);
    }

    #[test]
    fn a_flow_that_has_not_begun_has_no_share() {
        assert_eq!(flow_from_2_to_12().without_pct(at(2)), None);
        assert_eq!(flow_from_2_to_12().without_pct(at(3)), Some(100.0));
    }
}
