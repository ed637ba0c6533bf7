//! The rates of a station: in which mode it sends each frame.
//!
//! The MAC asks ([`RateControl::choose`]) before every attempt and tells what became of it ([`RateControl::report`]); the
//! mode of an answer follows from that of the frame answered (IEEE 802.11-2020 10.6.6.5). Airtime, time-outs and Duration
//! fields follow from the modes, so that a rate control needs nothing beyond these doors. Its state is the station's own;
//! the rates that it chooses from, [`Rates`], are rules that stations share.

use crate::config::RadioConfig;
use crate::ids::NodeId;
use crate::mac::frame::FrameKind;
use crate::phy::modes::Mode;

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// The frame was acknowledged.
    Acknowledged,
    /// This frame, an RTS or a data frame, was not answered.
    Unanswered(FrameKind),
}

/// The rates of an interface: one for data, one for RTS and broadcast frames, and those allowed for answers.
#[derive(Debug, Clone)]
pub struct Rates {
    data: Mode,
    basic: Mode,
    /// Mode of the answer, by the index of the mode answered.
    responses: [Mode; Mode::TABLE],
}

impl Rates {
    /// The rates of a configuration, each of which a mode has.
    pub fn new(radio: &RadioConfig) -> Self {
        let mode = |rate| Mode::of(rate).unwrap_or_default();
        Rates {
            data: mode(radio.data_rate),
            basic: mode(radio.basic_rate),
            responses: Mode::table(|asked| mode(response_rate(radio, asked.rate()))),
        }
    }

    /// Mode of a frame of `kind` to the neighbour `to` before anything is known of the way there.
    #[inline(always)]
    pub fn first(&self, to: NodeId, kind: FrameKind) -> Mode {
        match kind {
            FrameKind::Data if to != NodeId::BROADCAST => self.data,
            FrameKind::Data | FrameKind::Rts | FrameKind::Cts | FrameKind::Ack => self.basic,
        }
    }

    /// Mode of the CTS or ACK that answers a frame sent in the mode `asked`.
    #[inline(always)]
    pub fn response(&self, asked: Mode) -> Mode {
        self.responses[asked.index()]
    }
}

/// What a station has learnt about its rates.
#[derive(Debug, Clone, Copy, Default)]
pub enum RateControl {
    /// Nothing: they never change.
    #[default]
    Fixed,
}

impl RateControl {
    /// Mode of the next frame of `kind`, an RTS or a data frame of `_bytes` bytes, to the neighbour `to`.
    #[inline(always)]
    pub fn choose(&self, rates: &Rates, to: NodeId, kind: FrameKind, _bytes: u32) -> Mode {
        match self {
            RateControl::Fixed => rates.first(to, kind),
        }
    }

    /// An attempt to reach `_to` is over.
    #[inline(always)]
    pub fn report(&mut self, _to: NodeId, _attempt: Attempt) {
        match self {
            RateControl::Fixed => {}
        }
    }
}

/// Rate of the answer to a frame sent at `rate`: the highest allowed one not above it, else the lowest (10.6.6.5).
fn response_rate(radio: &RadioConfig, rate: u64) -> u64 {
    let allowed = &radio.response_rates;
    let best = allowed.iter().copied().filter(|&r| r <= rate).max();
    best.or_else(|| allowed.iter().copied().min()).unwrap_or(radio.basic_rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::presets;

    #[test]
    fn an_answer_is_no_faster_than_the_frame_answered() {
        let rates = |preset| Rates::new(&presets::base("standard", preset).expect("a preset").radio);
        let answers = |preset, asked: &[u64]| {
            let rates = rates(preset);
            let of = |&mbps: &u64| rates.response(Mode::of(mbps * 1_000_000).expect("a rate")).rate() / 1_000_000;
            asked.iter().map(of).collect::<Vec<u64>>()
        };
        assert_eq!(answers("ofdm-54M", &[6, 9, 12, 18, 24, 36, 48, 54]), [6, 6, 12, 12, 24, 24, 24, 24]);
        assert_eq!(answers("hr-dsss-11M", &[1, 2, 11]), [1, 2, 2]);
        assert_eq!(answers("hr-dsss-11M-short", &[1, 2, 11]), [2, 2, 2], "never one that is not allowed");
        assert_eq!(answers("wavelan-2M", &[1, 2]), [1, 1]);
    }

    #[test]
    fn data_and_everything_else_go_in_their_modes() {
        let rates = Rates::new(&presets::base("standard", "ofdm-54M").expect("a preset").radio);
        let rate = |to, kind| RateControl::Fixed.choose(&rates, to, kind, 100).rate();
        assert_eq!(rate(NodeId(3), FrameKind::Data), 54_000_000);
        assert_eq!(rate(NodeId::BROADCAST, FrameKind::Data), 6_000_000);
        assert_eq!(rate(NodeId(3), FrameKind::Rts), 6_000_000);
    }
}
