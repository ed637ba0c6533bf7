//! What became of the packets that a flow sent: received, lost, or still on their way when the run ended.

/// Copies of data packets of a flow, or of several, by their outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Received at the destination.
    pub received: u64,
    /// Dropped on the way.
    pub lost: u64,
    /// Neither at the end: they wait in a queue, for a route, or are on the air.
    pub in_flight: u64,
}

impl Outcomes {
    /// Of `sent` copies, those in flight when the measured time began included. What is neither received nor in flight
    /// is lost. A copy that the network has doubled (its MAC ACK was lost and the routing protocol sent it again) may
    /// be received twice.
    pub fn new(sent: u64, received: u64, in_flight: u64) -> Self {
        Outcomes { received, lost: sent.saturating_sub(received + in_flight), in_flight }
    }

    /// The copies of both.
    #[must_use]
    pub fn and(self, other: Outcomes) -> Self {
        Outcomes {
            received: self.received + other.received,
            lost: self.lost + other.lost,
            in_flight: self.in_flight + other.in_flight,
        }
    }

    /// Copies whose outcome is known.
    pub fn decided(&self) -> u64 {
        self.received + self.lost
    }

    /// Share of the decided copies that were lost, per cent; none when no copy is decided.
    pub fn loss_pct(&self) -> Option<f64> {
        (self.decided() > 0).then(|| 100.0 * self.lost as f64 / self.decided() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_flight_is_not_lost() {
        let run = Outcomes::new(100, 60, 30);
        assert_eq!((run.lost, run.decided()), (10, 70));
        assert_eq!(run.loss_pct(), Some(100.0 * 10.0 / 70.0));
        assert_eq!(Outcomes::new(32, 0, 32).loss_pct(), None);
        assert_eq!(Outcomes::new(32, 0, 0).loss_pct(), Some(100.0));
    }

    #[test]
    fn a_copy_received_twice_makes_no_negative_loss() {
        assert_eq!(Outcomes::new(10, 11, 0), Outcomes { received: 11, lost: 0, in_flight: 0 });
    }

    #[test]
    fn flows_add_up() {
        let both = Outcomes::new(10, 5, 0).and(Outcomes::new(30, 20, 10));
        assert_eq!(both, Outcomes { received: 25, lost: 5, in_flight: 10 });
    }
}
