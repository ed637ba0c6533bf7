//! What Babel says and does, and what never happens.

mod choice;
mod exchange;
mod loops;
mod radios;
mod views;
