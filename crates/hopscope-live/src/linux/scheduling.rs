//! Real-time scheduling of the thread of a run (sched(7)), and its memory kept from being paged out (mlock(2)).

use rustix::mm::{MlockAllFlags, mlockall, munlockall};
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
    thread_native_id, thread_schedule_policy_param,
};

/// Priority of the thread, of 1 to 99: programs that have to be fast may run below it.
const PRIORITY: u8 = 50;

/// How the calling thread is scheduled. Memory is locked as long as this is.
#[derive(Debug)]
pub struct Scheduling {
    words: String,
    is_locked: bool,
}

impl Scheduling {
    /// Has the calling thread scheduled first in, first out before all that are not, as far as the system permits.
    pub fn real_time() -> Self {
        let wanted = ThreadPriority::Crossplatform(PRIORITY.try_into().expect("below 100"));
        let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
        let class = match set_thread_priority_and_policy(thread_native_id(), wanted, policy) {
            Ok(()) => "SCHED_FIFO".to_string(),
            Err(error) => return Scheduling { words: format!("SCHED_OTHER ({error})"), is_locked: false },
        };
        let priority = thread_schedule_policy_param(thread_native_id()).map_or(0, |(_, of)| of.sched_priority);
        // As pages are used: all that a process has mapped may be more than there is.
        let locked = mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT);
        let memory = if locked.is_ok() { "memory locked" } else { "memory not locked" };
        Scheduling { words: format!("{class} {priority}, {memory}"), is_locked: locked.is_ok() }
    }

    /// What was obtained, for the report.
    pub fn words(&self) -> &str {
        &self.words
    }
}

impl Drop for Scheduling {
    fn drop(&mut self) {
        if self.is_locked {
            // The process goes on as before; where this fails it has a little less memory to give.
            _ = munlockall();
        }
    }
}
