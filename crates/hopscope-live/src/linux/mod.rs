//! Devices, waiting and scheduling of Linux.

mod reactor;
mod scheduling;
mod tap;

pub use reactor::Reactor;
pub use scheduling::Scheduling;
pub use tap::Tap;
