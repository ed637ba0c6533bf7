//! What other threads may do with a run while its own thread runs it: stop it, see how far it is, and have it do something between two
//! events.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};

use hopscope_core::units::Time;

/// What is to be done between two events.
type Task<T> = Box<dyn FnOnce(&mut T) + Send>;

/// What the threads share.
struct Shared<T> {
    stops: AtomicBool,
    now: AtomicU64,
    tasks: Mutex<Vec<Task<T>>>,
    /// Ends the wait of the run.
    wake: Box<dyn Fn() + Send + Sync>,
}

/// A hand on a run `T`.
pub struct Handle<T>(Arc<Shared<T>>);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        Handle(Arc::clone(&self.0))
    }
}

impl<T> std::fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handle").field("now", &self.now()).finish_non_exhaustive()
    }
}

impl<T> Handle<T> {
    pub(crate) fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        let (stops, now) = (AtomicBool::new(false), AtomicU64::new(0));
        Handle(Arc::new(Shared { stops, now, tasks: Mutex::default(), wake: Box::new(wake) }))
    }

    /// Has the run return soon. One that does not run returns as soon as it begins.
    pub fn stop(&self) {
        self.0.stops.store(true, Ordering::Release);
        (self.0.wake)();
    }

    /// How far the run is.
    pub fn now(&self) -> Time {
        Time(self.0.now.load(Ordering::Acquire))
    }

    /// Has the run do something between two events, and gives what comes of it; where it does not run, that waits until
    /// [`Driver::serve`](crate::Driver::serve).
    pub fn ask<A: Send + 'static>(&self, act: impl FnOnce(&mut T) -> A + Send + 'static) -> Receiver<A> {
        let (answer, answered) = mpsc::channel();
        let task: Task<T> = Box::new(move |run| {
            // Who has asked may have gone away.
            _ = answer.send(act(run));
        });
        self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner).push(task);
        (self.0.wake)();
        answered
    }

    pub(crate) fn set_now(&self, now: Time) {
        self.0.now.store(now.0, Ordering::Release);
    }

    /// What other threads want done, in order.
    pub(crate) fn take_tasks(&self) -> Vec<Task<T>> {
        std::mem::take(&mut *self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// True once for each time that somebody wanted it stopped.
    pub(crate) fn take_stop(&self) -> bool {
        self.0.stops.swap(false, Ordering::AcqRel)
    }
}
