//! Whom a record is about: what filters of traces ask of every record alike.

use super::NetworkView;
use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_mac::dcf::Frame;

/// Whom a record is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Subject {
    /// The node at which it happens: of a frame that leaves its transmitter, of a packet that comes into being its
    /// source.
    pub node: Option<NodeId>,
    /// The flow, where the record itself says so.
    pub flow: Option<FlowId>,
    /// The packet; of a frame the one that it carries or announces.
    pub packet: Option<PacketId>,
}

impl Subject {
    /// The same, with what another field of the record says.
    pub(super) fn and(mut self, field: &impl SubjectField) -> Self {
        field.add_to(&mut self);
        self
    }

    /// The same, with the source of a packet that has come into being, and the flow of any packet.
    #[must_use]
    pub fn seen(self, view: &impl NetworkView) -> Self {
        let Some(packet) = self.packet else { return self };
        let packet = view.packet(packet);
        let flow = self.flow.or(Some(packet.flow).filter(|&flow| flow != FlowId::NONE));
        // Of the records with a packet, only that of its beginning names no node.
        Subject { node: self.node.or(Some(packet.src)), flow, ..self }
    }
}

/// A field of a record that says whom it is about.
pub(super) trait SubjectField {
    /// The flow, if it is one.
    #[inline(always)]
    fn flow(&self) -> Option<FlowId> {
        None
    }

    /// Adds it to a subject.
    fn add_to(&self, subject: &mut Subject);
}

impl SubjectField for NodeId {
    fn add_to(&self, subject: &mut Subject) {
        subject.node = Some(*self);
    }
}

impl SubjectField for FlowId {
    #[inline(always)]
    fn flow(&self) -> Option<FlowId> {
        Some(*self)
    }

    fn add_to(&self, subject: &mut Subject) {
        subject.flow = Some(*self).filter(|&flow| flow != FlowId::NONE);
    }
}

impl SubjectField for PacketId {
    fn add_to(&self, subject: &mut Subject) {
        subject.packet = Some(*self);
    }
}

/// The packet that it carries or announces; the transmitter, where no hearer is named.
impl SubjectField for Frame {
    fn add_to(&self, subject: &mut Subject) {
        // Declarations name a hearer before the frame, and it has precedence.
        subject.node = subject.node.or(Some(self.src));
        if self.kind.names_packet() {
            subject.packet = Some(self.body);
        }
    }
}
