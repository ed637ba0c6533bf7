//! This engine's machines as an end of the connection under test.

use crate::*;

pub(super) enum Machine {
    Sender(Box<TcpSender>),
    Receiver(Box<TcpReceiver>),
}

pub(super) struct Ours {
    machine: Machine,
    timers: Expiries,
    opened: bool,
    out: Vec<Wire>,
    /// Payload that came in, by its place; the machine itself knows only lengths.
    arrived: Vec<u8>,
    received: Vec<u8>,
}

impl Ours {
    pub(super) fn new(machine: Machine) -> Self {
        let timers = Expiries::default();
        Ours { machine, timers, opened: false, out: Vec::new(), arrived: vec![0; SEGMENTS * MSS], received: Vec::new() }
    }

    fn settle(&mut self, effects: Vec<TransportEffect>) {
        for effect in effects {
            match effect {
                TransportEffect::Emit(Body::Tcp(seg)) => {
                    let from = (seg.seq as usize).saturating_sub(1);
                    self.out.push(Wire {
                        seq: seg.seq,
                        ack: (seg.flags.ack || !seg.flags.syn).then_some(seg.ack),
                        syn: seg.flags.syn,
                        window: seg.window,
                        sack: seg.sack_blocks().iter().map(|b| (b.start, b.end)).collect(),
                        payload: (from..from + seg.len as usize).map(byte).collect(),
                    });
                }
                TransportEffect::Arm(..) | TransportEffect::Disarm(_) => self.timers.note(&effect),
                TransportEffect::Deliver { bytes } => {
                    let from = self.received.len();
                    self.received.extend_from_slice(&self.arrived[from..from + bytes as usize]);
                }
                TransportEffect::Note(_) => {}
                TransportEffect::Emit(_) => panic!("TCP sends segments"),
            }
        }
    }
}

impl End for Ours {
    fn on_segment(&mut self, wire: &Wire, now: Time) {
        let from = (wire.seq as usize).saturating_sub(1);
        self.arrived[from..from + wire.payload.len()].copy_from_slice(&wire.payload);
        let mut seg = TcpSegment {
            seq: wire.seq,
            len: wire.payload.len() as u32,
            ack: wire.ack.unwrap_or(0),
            flags: TcpFlags { syn: wire.syn, ack: wire.ack.is_some(), ..TcpFlags::default() },
            window: wire.window,
            ..TcpSegment::default()
        };
        for (slot, &(start, end)) in seg.sack.iter_mut().zip(&wire.sack) {
            *slot = SackBlock { start, end };
            seg.n_sack += 1;
        }
        let mut effects = Vec::new();
        match &mut self.machine {
            Machine::Sender(tcp) => tcp.on_segment(&seg, 1, now, &mut effects),
            Machine::Receiver(tcp) => tcp.on_segment(&seg, now, &mut effects),
        }
        self.settle(effects);
    }

    fn on_time(&mut self, now: Time) {
        let mut effects = Vec::new();
        if let (Machine::Sender(tcp), false) = (&mut self.machine, self.opened) {
            tcp.open(now, &mut effects);
            tcp.offer((SEGMENTS * MSS) as u64, now, &mut effects);
        }
        self.opened = true;
        while let Some((timer, _)) = self.timers.due(now) {
            match &mut self.machine {
                Machine::Sender(tcp) => tcp.on_timer(timer, now, &mut effects),
                Machine::Receiver(tcp) => tcp.on_timer(timer, now, &mut effects),
            }
        }
        self.settle(effects);
    }

    fn next(&mut self, _now: Time) -> Option<Time> {
        self.timers.earliest(Time::NEVER).map(|(_, at)| at)
    }

    fn take(&mut self) -> Vec<Wire> {
        std::mem::take(&mut self.out)
    }

    fn received(&self) -> &[u8] {
        &self.received
    }

    fn done(&self) -> bool {
        match &self.machine {
            Machine::Sender(tcp) => tcp.outstanding() == 0 && tcp.backlog() == 0,
            Machine::Receiver(_) => true,
        }
    }
}
