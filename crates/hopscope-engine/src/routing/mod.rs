//! Routing: which neighbour takes a packet towards its destination.

pub mod aodv;
pub mod fixed;

pub use fixed::FixedRoutes;
