//! Probing a network under way: trains of packets with given gaps go in at one node, and what comes out is noted.
//!
//! The packets are those of nobody's flow ([`World::inject`]): they take routes, queues, wires and the air like any other, and
//! nothing of the run is changed but by their being there. One may be given a time to live, as pathchar does: where it is used
//! up, the router answers (RFC 792, Time Exceeded).

use crate::config::Config;
use crate::world::{Controls, Doorkeeper, World};
use hopscope_core::error::BuildError;
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::DropReason;

/// One packet of a train.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// When it goes in.
    pub at: Time,
    /// Its size with network header.
    pub bytes: u32,
    /// Hops that it may take; 0: as many as any other.
    pub ttl: u8,
}

/// Where and when a packet of a train came out: at its destination, or where its time to live was used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeArrival {
    /// When.
    pub at: Time,
    /// Where.
    pub node: NodeId,
}

/// A network under way that is probed.
#[derive(Debug)]
pub struct Probing {
    world: World<Doorkeeper>,
}

impl Probing {
    /// Builds the network of a configuration.
    ///
    /// # Errors
    /// See [`World::controlled`].
    pub fn new(config: Config, controls: &Controls) -> Result<Self, BuildError> {
        crate::world::check(&config)?; // before the jitter of starts is gone
        Ok(Probing { world: World::controlled(&config.with_starts_drawn(), Doorkeeper::default(), controls)? })
    }

    /// Current instant.
    pub fn now(&self) -> Time {
        self.world.now()
    }

    /// Lets the network go on until then.
    pub fn advance(&mut self, until: Time) {
        self.world.run_until(until.max(self.world.now()));
    }

    /// Sends a train, whose instants rise and are not past, and waits until all of it has come out, or for `patience` after its
    /// last packet. What has not come by then counts as lost.
    ///
    /// # Errors
    /// A node that does not exist, no way to `to`, or a size that the MAC does not take.
    pub fn train(
        &mut self,
        (from, to): (NodeId, NodeId),
        train: &[Probe],
        patience: Span,
    ) -> Result<Vec<Option<ProbeArrival>>, BuildError> {
        // What came out before this train is not of it.
        self.collect();
        let mut seen = vec![None; train.len()];
        let mut numbers = Vec::with_capacity(train.len());
        for probe in train {
            self.advance(probe.at);
            numbers.push(self.put(from, to, probe)?);
        }
        let deadline = self.now() + patience;
        let mut open = train.len();
        while open > 0 {
            for (number, at) in self.collect() {
                // Numbers rise; latecomers of an earlier train are not among them.
                if let Ok(place) = numbers.binary_search(&number) {
                    open -= usize::from(seen[place].replace(at).is_none());
                }
            }
            // Event by event, so that the clock stands where the last packet came out.
            match self.world.next_event().filter(|&at| at <= deadline) {
                Some(at) if open > 0 => {
                    self.world.run_until(at);
                }
                _ => break,
            }
        }
        if open > 0 {
            self.advance(deadline);
        }
        Ok(seen)
    }

    /// Sends one packet now; where it comes out, `reply` bytes go back at once. Gives the time from its start until they are back,
    /// and the node that answered; nothing after `patience`.
    ///
    /// # Errors
    /// As [`train`](Self::train), also of the way back.
    pub fn echo(
        &mut self,
        (from, to): (NodeId, NodeId),
        probe: Probe,
        reply: u32,
        patience: Span,
    ) -> Result<Option<(Span, NodeId)>, BuildError> {
        let begun = self.now();
        let &[Some(there)] = &*self.train((from, to), &[Probe { at: begun, ..probe }], patience)? else {
            return Ok(None);
        };
        let back = Probe { at: self.now(), bytes: reply, ttl: 0 };
        // The patience is for both ways together.
        let rest = patience.saturating_sub(self.now().saturating_since(begun));
        let &[Some(back)] = &*self.train((there.node, from), &[back], rest)? else { return Ok(None) };
        Ok(Some((back.at.saturating_since(begun), there.node)))
    }

    /// Sends a packet now and gives its number.
    fn put(&mut self, node: NodeId, dst: NodeId, probe: &Probe) -> Result<u64, BuildError> {
        let octets = vec![0; probe.bytes as usize];
        self.world.inject_for(node, dst, &octets, probe.ttl)
    }

    /// What has come out since the last call.
    fn collect(&mut self) -> Vec<(u64, ProbeArrival)> {
        let Doorkeeper { arrived, lost, .. } = self.world.observe(|keeper, _, _| keeper.take());
        let expired = lost.iter().filter(|loss| loss.reason == DropReason::TtlExpired);
        let expired = expired.map(|loss| (loss.number, ProbeArrival { at: loss.at, node: loss.node }));
        let arrived = arrived.iter().map(|packet| (packet.number, ProbeArrival { at: packet.at, node: packet.node }));
        expired.chain(arrived).collect()
    }
}
