//! Everything that can be observed in a run, and who observes it.
//!
//! The world emits typed records in order of time; a [`Recorder`] says at compile time which classes of them it wants
//! ([`Recorder::WANTS`]) and gets no others. What nobody wants is not compiled. Metrics, airtime ledger, traces and
//! captures are recorders like any other: the world knows none of them.

mod about;
mod classes;
#[macro_use]
mod facts;
mod header;
mod view;

pub use about::Subject;
pub use classes::Classes;
pub use facts::Record;
pub use header::Header;
pub use view::{Counters, NetworkView, flight, link_between};

use hopscope_core::units::Time;
pub use hopscope_mac::edca::{Addba, BlockAckInfo};
pub use hopscope_packet::DropReason;

/// Observer of a run.
pub trait Recorder {
    /// The records that it wants; it gets no others.
    const WANTS: Classes;

    /// Whether it asks for what is overheard, if that is among the classes; one that is chosen at run time may say no. It says
    /// the same all the time.
    #[inline(always)]
    fn overhears(&self) -> bool {
        Self::WANTS.has(Classes::OVERHEARD)
    }

    /// Whether the run goes on after an event; false: it pauses, until it is advanced again.
    #[inline(always)]
    fn goes_on(&self) -> bool {
        true
    }

    /// Takes a record of the instant `now`; records come in order of time. `view` shows the network at that instant.
    fn record(&mut self, now: Time, record: &Record, view: &mut impl NetworkView);
}

/// Observes nothing and costs nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct NullRecorder;

impl Recorder for NullRecorder {
    const WANTS: Classes = Classes::NONE;

    fn record(&mut self, _now: Time, _record: &Record, _view: &mut impl NetworkView) {}
}

/// An observer that is chosen at run time: it costs as if it were there.
impl<R: Recorder> Recorder for Option<R> {
    const WANTS: Classes = R::WANTS;

    #[inline(always)]
    fn overhears(&self) -> bool {
        self.as_ref().is_some_and(Recorder::overhears)
    }

    #[inline(always)]
    fn goes_on(&self) -> bool {
        self.as_ref().is_none_or(Recorder::goes_on)
    }

    #[inline(always)]
    fn record(&mut self, now: Time, record: &Record, view: &mut impl NetworkView) {
        if let Some(recorder) = self {
            recorder.record(now, record, view);
        }
    }
}

impl<A: Recorder, B: Recorder> Recorder for (A, B) {
    const WANTS: Classes = A::WANTS.and(B::WANTS);

    #[inline(always)]
    fn overhears(&self) -> bool {
        self.0.overhears() || self.1.overhears()
    }

    #[inline(always)]
    fn goes_on(&self) -> bool {
        self.0.goes_on() && self.1.goes_on()
    }

    #[inline(always)]
    fn record(&mut self, now: Time, record: &Record, view: &mut impl NetworkView) {
        // The pair gets what either wants, so each is asked again; where the kind of record is known, both answers are.
        if A::WANTS.has(record.class()) {
            self.0.record(now, record, view);
        }
        if B::WANTS.has(record.class()) {
            self.1.record(now, record, view);
        }
    }
}

/// Hash of a run's trajectory (FNV-1a over instants, transmitters and kinds of all frames): two runs that agree in
/// it sent the same frames at the same nanoseconds. It says nothing about what was measured.
#[derive(Debug, Clone, Copy)]
pub struct TrajectoryHash(pub u64);

impl Default for TrajectoryHash {
    fn default() -> Self {
        // The offset basis of 64-bit FNV.
        TrajectoryHash(0xcbf2_9ce4_8422_2325)
    }
}

impl Recorder for TrajectoryHash {
    const WANTS: Classes = Classes::FRAMES;

    fn record(&mut self, now: Time, record: &Record, _view: &mut impl NetworkView) {
        // A frame that a radio does not send as it is off is no part of the trajectory.
        if let Record::FrameBegan { frame, .. } = record {
            for word in [now.0, u64::from(frame.src.0), frame.kind as u64, u64::from(frame.dst.0)] {
                // Its prime. FNV takes an octet at a time; whole words are faster, and the hash is compared with none
                // but its like.
                self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
}
