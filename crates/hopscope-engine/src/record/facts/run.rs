//! Records of the run.

macro_rules! run_records {
    ($next:ident $($after:ident)*; $($before:tt)*) => {
        $next! { $($after)*; $($before)*
            /// A parameter has another value from now on.
            ParameterSet in RUN {
                /// Its name in a scenario.
                key: &'static str,
                /// Its value.
                value: f64,
            }
            /// Length of an interface queue at a sampling instant.
            QueueLength in SAMPLES about node {
                /// Node.
                node: NodeId,
                /// Packets.
                packets: u32,
            }
            /// A sampling interval ends.
            SampleEnd in SAMPLES
            /// The warm-up is over: what is measured is counted from this instant on, before which nothing more
            /// happens.
            MeasureBegan in RUN
        }
    };
}
