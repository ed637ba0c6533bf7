//! Live runs: the engine at wall-clock time, between network devices that real stacks send and receive by.
//!
//! A [`Driver`] holds a simulation and a [`Device`] for each node that has a real stack. A frame that the stack sends goes to the
//! link layer of its node ([`World::offer_frame`](hopscope_engine::World::offer_frame)), or its packet to the network layer where the
//! engine routes ([`Layer`]); where it comes out, it is written to the device of the receiver. The instant `t` of the simulation is `origin + t` on the wall clock. Events happen late, never early, and keep
//! their ideal instants, so that lateness does not add up.
//!
//! | instant | of what |
//! |---|---|
//! | that of the delivery | a frame that answers a delivery: the stack forwards or acknowledges it while it is written to the device |
//! | now | any other frame |
//!
//! | file | idea |
//! |---|---|
//! | `driver.rs` | the loop: events that are due, deliveries, frames that came |
//! | `ethernet.rs` | what of an Ethernet frame matters here |
//! | `books.rs` | what became of every frame |
//! | `lateness.rs` | how late deliveries were, and whether the run may be trusted |
//! | `control.rs` | stopping and changing a run from another thread |
//! | `linux` | TAP devices, epoll and timerfd, real-time scheduling |
//!
//! The engine itself reads no clock and does no input or output; this crate stands above it. The driver is built of two
//! traits, [`Device`] and [`Clock`], so that tests drive it by a clock of their own, without devices. Decision 21 says why it is as
//! it is.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod books;
mod control;
mod driver;
mod ethernet;
mod lateness;
#[cfg(target_os = "linux")]
mod linux;

pub use books::Books;
pub use control::Handle;
pub use driver::{Driver, Ended, Failure, Layer, OnLate, Report};
pub use lateness::{LatenessReport, Verdict};
#[cfg(target_os = "linux")]
pub use linux::{Reactor, Scheduling, Tap};

use std::io;

/// A network device of a real stack: it gives what the stack sends and takes what the stack is to receive. Frames are those of Ethernet,
/// with their header and without check sequence.
pub trait Device {
    /// Reads the next frame into `room` and gives its length; nothing where none waits.
    ///
    /// # Errors
    /// The device is gone.
    fn receive(&mut self, room: &mut [u8]) -> io::Result<Option<usize>>;

    /// Hands a frame to the stack.
    ///
    /// # Errors
    /// The stack does not take it.
    fn send(&mut self, frame: &[u8]) -> io::Result<()>;
}

/// The wall clock, and waiting by it. Instants are nanoseconds since an origin of its own; they never go back.
pub trait Clock {
    /// Now.
    fn now(&mut self) -> u64;

    /// Processor time of the calling thread, nanoseconds.
    fn processor_time(&mut self) -> u64;

    /// Waits until an instant, until a device has a frame or until somebody wakes it, whatever comes first. Names the devices that may
    /// have frames.
    ///
    /// # Errors
    /// It cannot wait.
    fn wait(&mut self, until: u64, ready: &mut Vec<u32>) -> io::Result<()>;
}
