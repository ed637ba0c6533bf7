//! What link layers report to their neighbours.

/// How much a neighbourhood is to drop (Neighborhood Congestion Notification).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Notice {
    /// Drop probability for each unit of a node's own share of the channel time.
    pub probability: f64,
}
