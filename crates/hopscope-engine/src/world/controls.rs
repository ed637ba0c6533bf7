//! Algorithms from outside the engine, by the flow that they serve.

use std::collections::BTreeMap;
use std::sync::Arc;

use hopscope_tcp::ack::outside::AckRule;
use hopscope_tcp::control::Control;

/// What one flow has of its own.
#[derive(Debug, Clone, Default)]
pub struct OwnCode {
    /// Congestion control of its sender.
    pub control: Option<Arc<dyn Control>>,
    /// ACK policy of its receiver.
    pub ack: Option<Arc<dyn AckRule>>,
}

/// What the flows of a run have of their own, by their numbers.
#[derive(Debug, Clone, Default)]
pub struct Controls(BTreeMap<u32, OwnCode>);

impl Controls {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a flow a congestion control.
    pub fn set_control(&mut self, flow: u32, control: Arc<dyn Control>) {
        self.0.entry(flow).or_default().control = Some(control);
    }

    /// Gives a flow an ACK policy.
    pub fn set_ack(&mut self, flow: u32, rule: Arc<dyn AckRule>) {
        self.0.entry(flow).or_default().ack = Some(rule);
    }

    /// What a flow has of its own.
    pub(super) fn of(&self, flow: u32) -> OwnCode {
        self.0.get(&flow).cloned().unwrap_or_default()
    }
}

impl<const N: usize> From<[(u32, Arc<dyn Control>); N]> for Controls {
    fn from(given: [(u32, Arc<dyn Control>); N]) -> Self {
        let mut controls = Controls::new();
        given.into_iter().for_each(|(flow, control)| controls.set_control(flow, control));
        controls
    }
}
