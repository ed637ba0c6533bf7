//! Live runs under Python: TAP devices, and the driver in a thread of its own, which never waits for the interpreter lock.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod tap;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Live, Tap};
#[cfg(target_os = "linux")]
pub use run::Live;
#[cfg(target_os = "linux")]
pub use tap::Tap;

use pyo3::create_exception;
use pyo3::exceptions::PyException;

create_exception!(_core, LiveError, PyException, "A live run that cannot go on.");
