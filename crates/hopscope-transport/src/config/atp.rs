//! Parameters of ATP. A flow has its own copy; what nodes keep for it stands in section `net`.
//!
//! The paper of Sundaresan et al. (2003) could not be read for this project: its numbers stand here as zhang2006 quotes
//! them or as they are remembered, and everything else is a default that says so.

use hopscope_core::config::params::Range;
use hopscope_core::params;
use hopscope_core::units::Span;

params! {
    /// Both ends of an ATP connection.
    pub struct AtpConfig {
        /// Time between two feedback packets of the receiver.
        epoch: Span = Span::from_secs(1), "s", "zhang2006 3.1.1", in Range::within(0.001, 60.0);
        /// Weight of a new packet's delay in the average of the receiver.
        receiver_weight: f64 = 0.15, "", "Sundaresan et al. 2003, as remembered", in Range::above(0.0).up_to(1.0);
        /// What the receiver takes the delay of a probe times: the path will be slower once the flow itself contends
        /// for it. 1: as it is.
        start_factor: f64 = 3.0, "", "Sundaresan et al. 2003, as remembered; zhang2006 3.1.1: the receiver adjusts it",
            in Range::within(1.0, 100.0);
        /// How far the rate of the feedback must lie above the sender's for an increase, as a part of the sender's.
        increase_threshold: f64 = 0.1, "", "a default (zhang2006 3.1.1: a threshold)", in Range::within(0.0, 10.0);
        /// An increase is the difference of the two rates divided by this, and at most the sender's rate.
        increase_divisor: f64 = 5.0, "", "Sundaresan et al. 2003, as remembered; zhang2006 3.1.1: a fraction",
            in Range::within(1.0, 1e3);
        /// When the sender misses a feedback: so many epochs after the last one, then every epoch.
        patience: f64 = 1.5, "epochs", "a default (not published)", in Range::within(1.0, 100.0);
        /// What the rate is multiplied by when a feedback is missed.
        silence_cut: f64 = 0.5, "", "Sundaresan et al. 2003, as remembered", in Range::above(0.0).up_to(1.0);
        /// So many feedback packets missed in a row, and the sender starts again with a probe.
        silence_limit: u32 = 3, "packets", "Sundaresan et al. 2003, as remembered", in Range::within(1.0, 1e3);
        /// So many epochs without anything under way, and the sender starts again with a probe before it sends more.
        idle_limit: u32 = 3, "epochs", "a default (not published)", in Range::within(1.0, 1e6);
        /// News of a failed route (ELFN) makes the sender start again with a probe.
        elfn: bool = true, "", "zhang2006 3.1.1";
        /// A probe is the next data in order; otherwise a packet without data.
        probe_data: bool = true, "", "zhang2006 3.1.1: piggybacked on data";
        /// Most SACK blocks in a feedback packet.
        sack_blocks: u32 = 20, "blocks", "Sundaresan et al. 2003, as remembered", in Range::within(1.0, 20.0);
        /// Packets sent later, of which the last is reported received, that make one lost. One that is older than an
        /// epoch and not reported is lost, too.
        lost_after: u32 = 3, "packets", "a default (not published), as TCP's", in Range::within(1.0, 1e3);
    }
}
