//! What an interface pulls its packets from: the queue, and the link layer that orders, marks and holds them back.

use crate::link::LinkLayer;
use crate::net::InterfaceQueue;
use crate::units::Time;

/// The upper door of an interface.
#[derive(Debug)]
pub struct Port {
    /// Packets that wait.
    pub queue: InterfaceQueue,
    /// The link layer, where there is one.
    pub layer: Option<Box<LinkLayer>>,
    /// Instant of the last wake-up that the layer asked for; `NEVER` before the first.
    pub wake: Time,
}

impl Port {
    /// A queue for `limit` packets without a link layer.
    pub fn new(limit: u32) -> Self {
        Port { queue: InterfaceQueue::new(limit), layer: None, wake: Time::NEVER }
    }
}
