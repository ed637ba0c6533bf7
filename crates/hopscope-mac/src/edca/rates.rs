//! The modes of a QoS station's data: which comes next, and what became of the last one.

use super::category::MANAGEMENT;
use super::plan::{Content, Exchange};
use super::{Edca, EdcaCx, qos};
use crate::failures::{Failure, FailureRule, Failures};
use crate::rate::ht::{NextPpdu, PpduReport};
use crate::rules::MacRules;
use hopscope_core::ids::NodeId;
use hopscope_phy::phy::modes::Mode;

impl Edca {
    /// The same, keeping what fails.
    #[must_use]
    pub fn with_failures(self, rule: Option<FailureRule>) -> Self {
        Edca { failures: rule.map(|rule| Box::new(Failures::new(rule))), ..self }
    }

    /// What is known of frames to a neighbour, where it is kept.
    pub fn failure(&self, to: NodeId) -> Failure {
        self.failures.as_ref().map_or_else(Failure::default, |failures| failures.of(to))
    }

    /// Mode of the next data PPDU to a neighbour.
    pub fn data_mode(&self, to: NodeId, rules: &MacRules) -> Mode {
        self.next_ppdu(to, rules).mode
    }

    /// Bit/s of data that rate control expects to bring to a neighbour.
    pub fn expected_throughput(&self, to: NodeId) -> Option<u64> {
        self.rates.expected_throughput(to)
    }

    /// How the next data PPDU to a neighbour goes.
    pub(super) fn next_ppdu(&self, to: NodeId, rules: &MacRules) -> NextPpdu {
        self.rates.next(to).unwrap_or(NextPpdu { mode: qos(rules).data, alone: false })
    }

    /// An answer says how many of so many MPDUs have come.
    pub(super) fn report(&mut self, exchange: &Exchange, (attempted, acknowledged): (u32, u32), cx: &EdcaCx<'_>) {
        if let Some(failures) = &mut self.failures {
            failures.on_unanswered(exchange.to, attempted - acknowledged);
            (0..acknowledged).for_each(|_| failures.on_acknowledged(exchange.to, cx.now));
        }
        if exchange.tid == MANAGEMENT {
            // Sent at the basic rate: it says nothing of the rates of data.
            return;
        }
        let is_asked = exchange.content == Content::Request;
        let report = PpduReport { attempted, acknowledged, is_asked, ratio: self.reported };
        self.rates.on_ppdu(qos(cx.rules).rates.as_ref(), exchange.to, report, cx.now);
    }

    /// Data was not answered: none of it counts as having come. A request carries none.
    pub(super) fn report_missing(&mut self, exchange: &Exchange, cx: &EdcaCx<'_>) {
        let attempted = match exchange.content {
            Content::InHand | Content::Single => 1,
            Content::Aggregate => self.planned.len() as u32,
            Content::Request | Content::Management => return,
        };
        self.reported = 0.0;
        self.report(exchange, (attempted, 0), cx);
    }

    /// Packets of an exchange were given up.
    pub(super) fn report_given_up(&mut self, exchange: &Exchange, packets: u64, cx: &EdcaCx<'_>) {
        if let Some(failures) = &mut self.failures {
            (0..packets).for_each(|_| failures.on_given_up(exchange.to, cx.now));
        }
        if exchange.tid == MANAGEMENT {
            return;
        }
        self.rates.on_given_up(qos(cx.rules).rates.as_ref(), exchange.to, cx.now);
    }

    /// Keeps the ratio at which a data frame was heard for its answer: its sender may go by that.
    pub(super) fn keep_ratio(&mut self, cx: &EdcaCx<'_>) {
        self.data_ratio = cx.station.radio.first_ratio().unwrap_or_default() as f32;
    }

    /// The frame that ends now was sent by a station that has heard data at this ratio; zero where it does not say so.
    pub fn note_ratio(&mut self, ratio: f32) {
        self.reported = ratio;
    }
}
