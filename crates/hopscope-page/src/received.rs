//! What has come to the receivers of flows.

use hopscope_engine::record::Record;

/// Data packets that have come to the receiver of each flow, each once.
#[derive(Debug, Default, Clone)]
pub struct Received(Vec<u64>);

impl Received {
    /// Of so many flows.
    pub fn of(flows: usize) -> Self {
        Received(vec![0; flows])
    }

    /// Takes note of arrivals; has to see every record of the class `TRANSPORT`.
    pub fn note(&mut self, record: &Record) {
        if let Record::DataReceived { flow, duplicate: false, .. } = *record {
            if let Some(count) = self.0.get_mut(flow.index()) {
                *count += 1;
            }
        }
    }

    /// Those of a flow.
    pub fn at(&self, flow: usize) -> Option<u64> {
        self.0.get(flow).copied()
    }
}
