//! What a page calls.
//!
//! A call takes the text that the page has written to the memory that [`reserve`] gives, and leaves its answer where
//! [`answer`] says, [`answer_length`] octets long; both stand until the next call. It gives 0, or 1 where the answer is a list
//! of problems. After a trap nothing may be called but [`failure`] and [`failure_length`].

#![expect(unsafe_code, reason = "exported under their own names")]

use std::cell::RefCell;
use std::panic;

use crate::session::{Answer, WorldList};

#[derive(Default)]
struct Page {
    session: WorldList,
    given: Vec<u8>,
    answer: String,
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::new(Page::default());
    // Apart: a panic may come while the page is borrowed.
    static FAILURE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What a call gives to the page.
fn call(act: impl FnOnce(&mut WorldList, &str) -> Answer) -> u32 {
    PAGE.with_borrow_mut(|page| {
        let given = std::mem::take(&mut page.given);
        let (status, answer) = match act(&mut page.session, &String::from_utf8_lossy(&given)) {
            Ok(answer) => (0, answer),
            Err(problems) => (1, problems),
        };
        page.answer = answer;
        status
    })
}

/// Exports under its own name a function of the session, which gets the text that the page has written.
macro_rules! export {
    ($($(#[$doc:meta])+ $name:ident($($argument:ident: $type:ty),*) => $act:expr;)+) => {$(
        $(#[$doc])+
        // SAFETY: no other function of the module has this name, which is all that the attribute asks for.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $type),*) -> u32 {
            call($act)
        }
    )+};
}

export! {
    /// Version of the package.
    version() => |_, _| Ok(crate::session::version());
    /// JSON Schema of scenario files.
    schema() => |_, _| crate::session::schema();
    /// Names of all records.
    record_names() => |_, _| Ok(crate::session::record_names());
    /// What is wrong with a scenario, and what a run costs.
    check() => |_, given| crate::session::check(given);
    /// Results of a whole run.
    run() => |_, given| crate::session::run(given);
    /// Hash of the frames of a whole run.
    hash() => |_, given| crate::session::hash(given);
    /// Begins a run: its number and its setup.
    open() => |session, given| session.open(given);
    /// Advances a run to an instant in seconds, at most until so many records lie there: how far it has come, and these records.
    advance(world: u32, until: f64, most: u32) => |session, _| session.advance(world, until, most);
    /// Advances a run until so many frames have begun.
    step(world: u32, frames: u32) => |session, _| session.step(world, frames);
    /// Chooses the records that are kept from now on.
    keep(world: u32) => |session, given| session.keep(world, given);
    /// Nodes and flows as they stand.
    state(world: u32) => |session, _| session.state(world);
    /// Results of a run up to now.
    results(world: u32) => |session, _| session.results(world);
    /// Ends a run.
    free(world: u32) => |session, _| session.free(world);
}

/// Room for a text of so many octets.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(octets: usize) -> *mut u8 {
    keep_failures();
    PAGE.with_borrow_mut(|page| {
        page.given = vec![0; octets];
        page.given.as_mut_ptr()
    })
}

/// Where the answer of the last call lies.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    PAGE.with_borrow(|page| page.answer.as_ptr())
}

/// How long it is.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn answer_length() -> usize {
    PAGE.with_borrow(|page| page.answer.len())
}

/// Where the message of a panic lies.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn failure() -> *const u8 {
    FAILURE.with_borrow(|message| message.as_ptr())
}

/// How long it is; 0: there was none.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn failure_length() -> usize {
    FAILURE.with_borrow(String::len)
}

/// The message of a panic is kept, as a trap carries none.
fn keep_failures() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|info| FAILURE.with_borrow_mut(|message| *message = info.to_string())));
    });
}
