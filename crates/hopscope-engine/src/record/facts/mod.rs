//! All that can be observed in a run: one closed set, declared layer by layer.
//!
//! A record has the instant it is given with; a field may have another. Records of one instant come as things happen.
//!
//! A declaration has all that there is to say of a record: its meaning, its name, the class that it belongs `in`, whom
//! it is `about`, and its fields in the order in which a trace writes them.
//!
//! ```text
//! /// A packet is lost. It is still there to be looked at.
//! Dropped in DROPS about node, packet {
//!     /// Node.
//!     node: NodeId,
//!     /// Why.
//!     reason: DropReason,
//!     /// Packet.
//!     packet: PacketId,
//! }
//! ```
//!
//! The type of a field says how a trace writes it, and in which unit (`trace/fields.rs`). A field that is written
//! otherwise says so: of `slot: u32 as untraced` nothing is written. A form may look at another field:
//! `as note(in_range)`.

#[macro_use]
mod radio;
#[macro_use]
mod wires;
#[macro_use]
mod mac;
#[macro_use]
mod packets;
#[macro_use]
mod transport;
#[macro_use]
mod routing;
#[macro_use]
mod run;

use super::about::{Subject, SubjectField};
use super::{Classes, Header};
use hopscope_core::ids::{FlowId, NodeId, PacketId};
use hopscope_core::units::{Span, Time};
use hopscope_mac::contention::QuietPlan;
use hopscope_mac::dcf::{Frame, FrameKind, Outcome};
use hopscope_net::config::link::LinkPart;
use hopscope_net::routing::RoutingNote;
use hopscope_packet::{DropReason, dccp::ResetCode};
use hopscope_phy::phy::RxOutcome;
use hopscope_tcp::endpoint::Timer;

// A macro cannot stand in place of the variants of an enum: so one macro makes them all, from a list that grows.
/// Gives the declarations of all records to a macro. Each layer puts its own behind those before it and hands all on to
/// the next; the macro gets them behind a semicolon.
macro_rules! records {
    ($then:ident) => {
        radio_records! {
            wires_records mac_records packets_records transport_records routing_records run_records $then;
        }
    };
}

macro_rules! declare {
    (;
        $($(#[$doc:meta])+ $record:ident in $class:ident $(about $($who:ident),+)? $({
            $($(#[$field_doc:meta])+ $field:ident: $type:ty $(as $form:ident $(($other:ident))?)?,)+
        })?)+
    ) => {
        /// One observable fact.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum Record {
            $($(#[$doc])+ $record $({ $($(#[$field_doc])+ $field: $type,)+ })?,)+
        }

        impl Record {
            /// The names of all records, in the order of [`Record`].
            pub const NAMES: &'static [&'static str] = &[$(stringify!($record)),+];

            /// The name of the variant.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Record::$record { .. } => stringify!($record),)+
                }
            }

            /// The class that it belongs to.
            #[inline(always)]
            pub fn class(&self) -> Classes {
                match self {
                    $(Record::$record { .. } => Classes::$class,)+
                }
            }

            // Apart from `about`, of which the meter needs one part for every record.
            /// The flow, where the record itself says so.
            #[inline(always)]
            pub(crate) fn flow(&self) -> Option<FlowId> {
                match self {
                    $(Record::$record { $($($who,)+)? .. } => None$($(.or($who.flow()))+)?,)+
                }
            }

            /// Whom it is about.
            pub fn about(&self) -> Subject {
                match self {
                    $(Record::$record { $($($who,)+)? .. } => Subject::default()$($(.and($who))+)?,)+
                }
            }
        }
    };
}

records!(declare);

const _: () = assert!(size_of::<Record>() <= 64, "records are passed by value");
