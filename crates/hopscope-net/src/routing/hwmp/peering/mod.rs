//! Mesh peering (IEEE 802.11-2020 14.3 and 14.4): which neighbours a node takes frames from.
//!
//! A beacon makes a neighbour known. Each side opens the link and confirms the other's Open; it stands when both have been
//! confirmed. `link.rs` has the states of one link. The standard says nothing of when a link that stands is to be closed:
//! the limits here are those of ns-3 and Linux, each of which can be off.

mod link;
#[cfg(test)]
mod tests;

use link::{Event, Link, Said, State};

use crate::config::hwmp::HwmpConfig;
use crate::routing::Cx;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::hwmp::{Beacon, HwmpMessage, Peering, PeeringAction};

use super::{of_tu, send_by};

/// The neighbours of a node.
#[derive(Debug, Default)]
pub(super) struct Peers {
    /// In the order of radios and nodes.
    list: Vec<Peer>,
    /// Number of the last link.
    last_link: u16,
}

/// A neighbour by one radio.
#[derive(Debug)]
struct Peer {
    interface: u8,
    node: NodeId,
    link: Link,
    /// When too many of its beacons are missing.
    beacon_due: Time,
    /// When it has been silent for too long.
    silent_at: Time,
    /// Packets given up in a row of which an earlier link has taken account.
    forgiven: u32,
}

/// Reason codes of Close frames (table 9-49).
mod reason {
    pub(super) const CANCELLED: u16 = 52;
    pub(super) const MOST_PEERS: u16 = 53;
}

impl Peers {
    /// Peerings of a radio that stand.
    pub(super) fn established(&self, interface: u8) -> usize {
        let stands = |peer: &&Peer| peer.interface == interface && peer.link.state == State::Established;
        self.list.iter().filter(stands).count()
    }

    /// Whether the link to a neighbour stands.
    pub(super) fn is_up(&self, interface: u8, node: NodeId) -> bool {
        self.place(interface, node).is_ok_and(|place| self.list[place].link.state == State::Established)
    }

    /// Whether a link to a neighbour stands, by whichever radio.
    pub(super) fn is_peer(&self, node: NodeId) -> bool {
        self.list.iter().any(|peer| peer.node == node && peer.link.state == State::Established)
    }

    /// When something has to be looked at.
    pub(super) fn next_deadline(&self) -> Time {
        let of = |peer: &Peer| peer.link.deadline.min(peer.beacon_due).min(peer.silent_at);
        self.list.iter().map(of).min().unwrap_or(Time::NEVER)
    }

    /// A beacon was heard.
    pub(super) fn on_beacon(&mut self, from: NodeId, beacon: &Beacon, cfg: &HwmpConfig, cx: &mut Cx) {
        let begun = self.list.iter().filter(|peer| peer.link.state != State::Idle).count();
        let has_room = begun < cfg.max_peer_links as usize;
        let place = self.slot(cx.interface, from);
        let peer = &mut self.list[place];
        let interval = of_tu(u32::from(beacon.interval));
        peer.beacon_due = cfg.max_beacon_loss.map_or(Time::NEVER, |most| cx.now + interval * u64::from(most));
        peer.hear(cfg, cx.now);
        if peer.link.state == State::Idle && has_room {
            self.last_link = self.last_link.wrapping_add(1);
            peer.link.local = self.last_link;
            peer.step(Event::Begin, cfg, cx);
        }
    }

    /// A peering frame came in; true when a link that stood is closed by it.
    pub(super) fn on_frame(&mut self, from: NodeId, frame: &Peering, cfg: &HwmpConfig, cx: &mut Cx) -> bool {
        let begun = self.list.iter().filter(|peer| peer.link.state != State::Idle).count();
        let has_room = begun < cfg.max_peer_links as usize;
        let place = self.slot(cx.interface, from);
        let peer = &mut self.list[place];
        peer.hear(cfg, cx.now);
        if peer.link.state == State::Idle {
            match frame.action {
                PeeringAction::Open if has_room => {
                    self.last_link = self.last_link.wrapping_add(1);
                    peer.link.local = self.last_link;
                }
                PeeringAction::Open => {
                    let close = Peering {
                        action: PeeringAction::Close,
                        local: 0,
                        peer: Some(frame.local),
                        reason: reason::MOST_PEERS,
                    };
                    send(close, (cx.interface, from), cx);
                    return false;
                }
                PeeringAction::Confirm | PeeringAction::Close => return false,
            }
        }
        if !peer.link.matches(frame) {
            // Of an earlier link between the two (14.3.5).
            return false;
        }
        peer.link.peer = Some(frame.local);
        peer.step(Event::of(frame.action), cfg, cx)
    }

    /// A packet for a neighbour was given up; true when its link is closed for that.
    pub(super) fn on_given_up(&mut self, node: NodeId, cfg: &HwmpConfig, cx: &mut Cx) -> bool {
        let known = cx.link.estimate(cx.interface, node);
        let Ok(place) = self.place(cx.interface, node) else { return false };
        let peer = &mut self.list[place];
        if known.failed_in_row < peer.forgiven {
            // One has come meanwhile.
            peer.forgiven = 0;
        }
        let in_row = known.failed_in_row - peer.forgiven;
        let too_many = cfg.max_packet_failures.is_some_and(|most| in_row >= most);
        if !too_many && known.failed <= cfg.max_failure_average {
            return false;
        }
        peer.forgiven = known.failed_in_row;
        peer.cancel(cfg, cx)
    }

    /// Time has passed; gives the neighbours whose links are closed for that.
    pub(super) fn on_timer(&mut self, cfg: &HwmpConfig, cx: &mut Cx) -> Vec<(u8, NodeId)> {
        let mut lost = Vec::new();
        for peer in &mut self.list {
            if peer.link.deadline <= cx.now {
                peer.step(Event::Timeout, cfg, cx);
            }
            if peer.beacon_due <= cx.now || peer.silent_at <= cx.now {
                (peer.beacon_due, peer.silent_at) = (Time::NEVER, Time::NEVER);
                if peer.cancel(cfg, cx) {
                    lost.push((peer.interface, peer.node));
                }
            }
        }
        lost
    }

    fn place(&self, interface: u8, node: NodeId) -> Result<usize, usize> {
        self.list.binary_search_by_key(&(interface, node), |peer| (peer.interface, peer.node))
    }

    fn slot(&mut self, interface: u8, node: NodeId) -> usize {
        self.place(interface, node).unwrap_or_else(|place| {
            let (beacon_due, silent_at) = (Time::NEVER, Time::NEVER);
            self.list
                .insert(place, Peer { interface, node, link: Link::default(), beacon_due, silent_at, forgiven: 0 });
            place
        })
    }
}

impl Peer {
    /// The neighbour is there.
    fn hear(&mut self, cfg: &HwmpConfig, now: Time) {
        if cfg.peer_timeout > Span::ZERO {
            self.silent_at = now + cfg.peer_timeout;
        }
    }

    /// Closes the link; true when it stood.
    fn cancel(&mut self, cfg: &HwmpConfig, cx: &mut Cx) -> bool {
        self.step(Event::Cancel, cfg, cx)
    }

    /// Something happens to the link; true when it stood and does no longer.
    fn step(&mut self, event: Event, cfg: &HwmpConfig, cx: &mut Cx) -> bool {
        let before = self.link.state;
        for said in self.link.step(event, cfg, cx.now) {
            let frame = match said {
                Said::Open => Peering { action: PeeringAction::Open, local: self.link.local, peer: None, reason: 0 },
                Said::Confirm => {
                    let peer = self.link.peer;
                    Peering { action: PeeringAction::Confirm, local: self.link.local, peer, reason: 0 }
                }
                Said::Close(reason) => {
                    let peer = self.link.peer;
                    Peering { action: PeeringAction::Close, local: self.link.local, peer, reason }
                }
            };
            send(frame, (self.interface, self.node), cx);
        }
        before == State::Established && self.link.state != State::Established
    }
}

fn send(frame: Peering, (interface, to): (u8, NodeId), cx: &mut Cx) {
    send_by(HwmpMessage::Peering(frame), Some(interface), to, cx);
}
