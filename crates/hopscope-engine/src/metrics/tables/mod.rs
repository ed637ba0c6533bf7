//! The tables of metrics, one for each scope: a row says all that tables, reports and pages show of a metric, and which
//! family has its value. What a metric is stands here.

mod flow;
mod group;
mod network;
mod node;
mod wire;

pub use flow::FlowResult;
pub use group::GroupResult;
pub use network::NetworkResult;
pub(crate) use network::{NetworkCx, Totals};
pub use node::NodeResult;
pub use wire::WireResult;

use serde::Serialize;

/// One entry of a result as tables, reports and pages show it.
#[derive(Debug, Clone, Serialize)]
pub struct Metric {
    /// What has it: `flow`, `node`, `network` or `group`.
    pub scope: &'static str,
    /// Its name in results.
    pub name: &'static str,
    /// What it means.
    pub doc: String,
    /// Unit of its numbers.
    pub unit: &'static str,
    /// Heading of its column, without the unit.
    pub heading: &'static str,
    /// The same where room is scarce.
    pub short: &'static str,
    /// What its values are.
    pub kind: MetricKind,
    /// Where it means something.
    pub applies: Applicability,
    /// Where it is shown unasked.
    pub shown: Visibility,
    /// The metric of a group of flows that adds it up; empty: none.
    pub total: &'static str,
}

/// What the values of an entry are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MetricKind {
    /// A number that is a sample of a run.
    Sample,
    /// A number or word that names something.
    Label,
    /// Text.
    Text,
    /// Shares of time by a value: a table whose keys are data.
    Shares,
    /// Counts by a reason, part or kind: each a column.
    Counts,
}

/// Where a metric means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Applicability {
    /// Everywhere.
    Always,
    /// To flows over TCP.
    Tcp,
    /// Where several flows share.
    Several,
}

/// Where a metric is shown unasked, each place including the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// In the tables of a store alone.
    Stored,
    /// In the tables of a report.
    Report,
    /// In the table of the terminal.
    Terminal,
    /// In the charts of a report.
    Drawn,
}

impl Metric {
    /// A sample.
    pub const fn sample(unit: &'static str, heading: &'static str) -> Metric {
        Metric {
            scope: "",
            name: "",
            doc: String::new(),
            unit,
            heading,
            short: heading,
            kind: MetricKind::Sample,
            applies: Applicability::Always,
            shown: Visibility::Stored,
            total: "",
        }
    }

    /// An entry that is no sample.
    pub const fn other(kind: MetricKind, heading: &'static str) -> Metric {
        let mut metric = Metric::sample("", heading);
        metric.kind = kind;
        metric
    }

    /// The same, shown here.
    pub const fn shown(mut self, shown: Visibility) -> Metric {
        self.shown = shown;
        self
    }

    /// The same with a shorter heading.
    pub const fn short(mut self, short: &'static str) -> Metric {
        self.short = short;
        self
    }

    /// The same, where this holds.
    pub const fn applies(mut self, applies: Applicability) -> Metric {
        self.applies = applies;
        self
    }

    /// The same, added up over groups of flows under this name.
    pub const fn total(mut self, total: &'static str) -> Metric {
        self.total = total;
        self
    }
}

/// Declares a part of a result: each field with its type and what everybody else knows of it.
///
/// With `by Cx { parts }` a row names the family of its metric as well, from a part of the context: the value is that
/// family's method of the same name.
macro_rules! measured {
    ($(#[doc = $sdoc:literal])+ pub struct $name:ident of $scope:literal by $cx:ident { $($part:ident),+ } {
        $($(#[doc = $doc:literal])+ $(#[serde($($serde:tt)+)])? $field:ident : $ty:ty = $($family:ident).+ => $metric:expr;)+
    }) => {
        $crate::metrics::tables::measured! {
            $(#[doc = $sdoc])+
            pub struct $name of $scope { $($(#[doc = $doc])+ $(#[serde($($serde)+)])? $field: $ty = $metric;)+ }
        }

        impl $name {
            /// The value of every entry; the meter is closed.
            pub(crate) fn collect(cx: &$cx<'_>) -> Self {
                let $cx { $($part,)+ .. } = *cx;
                $name { $($field: $($family).+.$field(cx)),+ }
            }
        }
    };
    ($(#[doc = $sdoc:literal])+ pub struct $name:ident of $scope:literal {
        $($(#[doc = $doc:literal])+ $(#[serde($($serde:tt)+)])? $field:ident : $ty:ty = $metric:expr;)+
    }) => {
        $(#[doc = $sdoc])+
        #[derive(Debug, Clone, serde::Serialize)]
        pub struct $name { $($(#[doc = $doc])+ $(#[serde($($serde)+)])? pub $field: $ty),+ }

        impl $name {
            /// What its entries are, in order.
            pub fn describe() -> Vec<$crate::metrics::tables::Metric> {
                vec![$({
                    // The documentation of a field is the text of its metric: one place for both.
                    let doc = [$($doc),+].join("").trim().to_string();
                    $crate::metrics::tables::Metric { scope: $scope, name: stringify!($field), doc, ..$metric }
                }),+]
            }
        }
    };
}

pub(crate) use measured;

/// Every entry of flows, nodes, wires, the network and groups.
pub fn metrics() -> Vec<Metric> {
    [
        FlowResult::describe(),
        NodeResult::describe(),
        WireResult::describe(),
        NetworkResult::describe(),
        GroupResult::describe(),
    ]
    .concat()
}
