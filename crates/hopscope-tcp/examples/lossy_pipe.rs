//! Two connections, NewReno and CUBIC, over a pipe of 20 ms that loses one segment in a hundred: 1 MB each.
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};
use hopscope_packet::{Body, Ecn, tcp::TcpSegment};
use hopscope_tcp::config::{ConnectionConfig, TcpConfig, TcpVariant};
use hopscope_tcp::endpoint::{Cx, Note, TransportEffect};
use hopscope_tcp::{Connection, Expiries};
use std::collections::VecDeque;

/// The ends of the connections, 2n and 2n + 1, and the segments under way, each to an end at an instant.
struct Pipe {
    ends: Vec<(Connection, Expiries)>,
    under_way: VecDeque<(Time, usize, TcpSegment)>,
    loss: Stream,
    finished: [Time; 2],
}

impl Pipe {
    fn input(&mut self, end: usize, now: Time, input: impl FnOnce(&mut Connection, &mut Cx<'_>)) {
        let mut out = Vec::new();
        input(&mut self.ends[end].0, &mut Cx { now, out: &mut out, node: None, path_info: None });
        for effect in out {
            self.ends[end].1.note(&effect);
            match effect {
                TransportEffect::Emit(Body::Tcp(segment)) if self.loss.uniform() >= 0.01 => {
                    self.under_way.push_back((now + Span::from_millis(20), end ^ 1, segment));
                }
                TransportEffect::Note(Note::Completed) => self.finished[end / 2] = now,
                _ => {}
            }
        }
    }
}

/// When each connection has all its data acknowledged.
pub fn run(seed: u64) -> [Time; 2] {
    let (tcp, stream) = (TcpConfig::default(), |owner| Stream::derive(seed, 0, owner, Purpose::Clock));
    let configs = [TcpVariant::NewReno, TcpVariant::Cubic].map(|v| ConnectionConfig::new(v.kind(&tcp), &tcp));
    let ends = configs.iter().zip(0..).flat_map(|(c, n)| <[_; 2]>::from(Connection::pair(c, 20, stream(n))));
    let ends = ends.map(|end| (end, Expiries::default())).collect();
    let mut pipe = Pipe { ends, under_way: VecDeque::new(), loss: stream(9), finished: [Time::NEVER; 2] };
    (0..2).for_each(|n| pipe.input(2 * n, Time::ZERO, |tcp, cx| (tcp.on_send(1_000_000, cx), tcp.close(cx)).1));
    loop {
        let expiry = |end: usize| Some((end, pipe.ends[end].1.earliest(Time::NEVER)?));
        let expiry = (0..4).filter_map(expiry).min_by_key(|(_, (_, at))| *at);
        if pipe.under_way.front().is_some_and(|first| expiry.is_none_or(|(_, (_, at))| first.0 <= at)) {
            let (now, end, segment) = pipe.under_way.remove(0).expect("looked at");
            pipe.input(end, now, |tcp, cx| _ = tcp.on_segment(&segment, Ecn::default(), cx));
        } else {
            let Some((end, (timer, now))) = expiry else { return pipe.finished };
            pipe.ends[end].1.take(timer);
            pipe.input(end, now, |tcp, cx| tcp.on_timer(timer, cx));
        }
    }
}

#[allow(clippy::print_stdout, dead_code)]
fn main() {
    println!("{:?}", run(1));
}
