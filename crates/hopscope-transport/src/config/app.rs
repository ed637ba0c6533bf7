//! The application of a flow: what it sends, and when.

use hopscope_core::choice;
use hopscope_core::units::Span;
use serde::{Deserialize, Serialize};

choice! {
    /// Law of the gaps between the packets of a CBR application, whose mean is `packet * 8 / rate`.
    pub enum Jitter {
        /// Every gap is the mean: packets at the multiples of it since the start.
        None = "none",
        /// Uniform between half the mean and one and a half of it, each gap from the packet before
        /// (`random_ 1` of ns-2).
        Uniform = "uniform",
        /// Exponential: the same packets as `app = "poisson"`.
        Poisson = "poisson",
    }
}

choice! {
    /// How speech is coded, and so how much a lost packet of it costs (ITU-T G.113, Appendix I).
    pub enum Codec {
        /// G.711 whose receiver conceals losses (its Appendix I): Ie 0, Bpl 25.1.
        G711Plc = "g711-plc",
        /// G.711 without concealment: Ie 0, Bpl 4.3.
        G711 = "g711",
        /// G.729A with voice activity detection: Ie 11, Bpl 19.0.
        G729a = "g729a",
    }
}

/// What a flow sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum App {
    /// Always more to send (FTP). Over UDP: the next packet is offered whenever the interface queue has room.
    Bulk,
    /// A file of `bytes` bytes; the flow ends when all are acknowledged (TCP) or sent (UDP), and is complete
    /// when all are acknowledged (TCP) or received (UDP).
    File {
        /// File size in bytes.
        bytes: u64,
    },
    /// Constant bit rate: one packet of `packet` bytes every `packet * 8 / rate` seconds.
    Cbr {
        /// Payload bits per second.
        rate: f64,
        /// Law of the gaps between packets.
        #[serde(default = "no_jitter")]
        jitter: Jitter,
        /// It stops after so many packets; 0: it goes on.
        #[serde(default, skip_serializing_if = "is_zero")]
        packets: u64,
    },
    /// CBR at `rate` during on periods, silence during off periods, both exponentially distributed.
    OnOff {
        /// Payload bits per second while on.
        rate: f64,
        /// Mean length of an on period.
        on: Span,
        /// Mean length of an off period.
        off: Span,
        /// It is speech, coded so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        codec: Option<Codec>,
    },
    /// Packets of `packet` bytes at the instants of a Poisson process: exponential gaps of mean `packet * 8 / rate`.
    Poisson {
        /// Mean payload bits per second.
        rate: f64,
    },
    /// Frames at given instants, each cut into packets of at most `packet` bytes (a video trace).
    Trace {
        /// Instants since the flow's start, in order, and bytes of the frames.
        frames: Vec<(Span, u32)>,
    },
}

// The signature is serde's.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_zero(packets: &u64) -> bool {
    *packets == 0
}

const fn no_jitter() -> Jitter {
    Jitter::None
}

impl App {
    /// CBR at so many payload bits per second, without jitter.
    pub const fn cbr(rate: f64) -> App {
        App::Cbr { rate, jitter: Jitter::None, packets: 0 }
    }
}
