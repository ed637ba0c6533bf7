//! The boundary to an ACK policy that lives outside the engine.
//!
//! The caller hands an [`AckRule`] to a flow whose `ack` is `external`. At each segment with data the receiver shows it
//! an [`AckView`] and takes an [`AckAnswer`]. SYN and FIN are acknowledged at once, whatever the policy.

use std::fmt::Debug;

use hopscope_core::units::{Span, Time};

/// An ACK policy from outside. One object serves one flow of one run; calls come in the order of simulated time.
pub trait AckRule: Debug + Send + Sync {
    /// It wants to be asked at this moment; the answer is taken once, before the run.
    fn answers(&self, hook: AckHook) -> bool;
    /// What to do at this moment.
    fn decide(&self, hook: AckHook, view: &AckView) -> AckAnswer;
}

/// When a policy is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AckHook {
    /// A segment with data has come.
    Data,
    /// The wait ended without enough segments: the ACK leaves now. Of the answer only the window counts.
    Timer,
}

impl AckHook {
    /// Number of moments.
    pub const COUNT: usize = 2;
    /// Every moment, by its index.
    pub const ALL: [AckHook; AckHook::COUNT] = [AckHook::Data, AckHook::Timer];

    /// A number below [`AckHook::COUNT`], for tables.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The receiver as a policy sees it; at the end of a wait, as at the segment before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AckView {
    /// The instant.
    pub now: Time,
    /// The segment extended the data in order, and nothing was or is missing above it.
    pub in_order: bool,
    /// It brought nothing new.
    pub duplicate: bool,
    /// Bytes that it made complete in order: more than its own where it filled a gap, none where it lies above one.
    pub new_bytes: u64,
    /// Payload bytes of the segment.
    pub len: u64,
    /// Payload of a full segment, in bytes.
    pub packet: u64,
    /// It carries PSH.
    pub pushed: bool,
    /// It was marked on its way (ECN), and marks are understood.
    pub marked: bool,
    /// Segments with data since the last ACK left, this one included.
    pub held: u32,
    /// Bytes in order since then.
    pub held_bytes: u64,
    /// Since the first of these.
    pub waited: Span,
    /// Since the segment with data before this one; none at the first.
    pub gap: Option<Span>,
    /// How long an ACK is held back where the policy does not say (`ack_delay`).
    pub ack_delay: Span,
    /// Segments that the sender may have in flight, where the policy asks for it.
    pub sender_window: Option<u16>,
    /// Hops that the segment has travelled.
    pub hops: u8,
    /// Product over these hops of the probability that a transmission does not collide, where the policy asks for it.
    pub non_collision: Option<f32>,
    /// Longest time from one hop to the next, queues included, where the policy asks for it.
    pub largest_delay: Option<Span>,
    /// From SYN-ACK to ACK, both sent once; none where that is not known.
    pub set_up: Option<Span>,
}

impl Default for AckView {
    /// Before anything has come.
    fn default() -> Self {
        AckView {
            now: Time::ZERO,
            in_order: false,
            duplicate: false,
            new_bytes: 0,
            len: 0,
            packet: 1,
            pushed: false,
            marked: false,
            held: 0,
            held_bytes: 0,
            waited: Span::ZERO,
            gap: None,
            ack_delay: Span::ZERO,
            sender_window: None,
            hops: 0,
            non_collision: None,
            largest_delay: None,
            set_up: None,
        }
    }
}

/// What a policy wants.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct AckAnswer {
    /// The ACK leaves after so long, unless the policy says otherwise before; zero: at once; none: the wait under way
    /// goes on, or one of `ack_delay` begins.
    pub wait: Option<Span>,
    /// Segments that one ACK is to stand for, as metrics report it; finite and above zero.
    pub window: Option<f64>,
}

/// Longest wait, in seconds.
pub const LONGEST_WAIT: f64 = 10.0;
