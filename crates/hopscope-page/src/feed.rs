//! The records of a run that goes at the pace of the clock, kept for a while for the pages that ask for them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_engine::record::{Classes, NetworkView, Record, Recorder};
use hopscope_engine::trace::{Form, RecordTrace, Sink};

use crate::names::only;
use crate::received::Received;

/// Octets of the lines that are kept; a default: some seconds of a busy network.
const MOST: usize = 8 << 20;

/// So long a feed writes for pages that do not ask; a default.
const PATIENCE: Span = Span(5_000_000_000);

/// Writes the records that pages ask for, as lines of JSON. Where no page asks it writes none.
#[derive(Debug)]
pub struct Feed {
    trace: RecordTrace<Kept>,
    received: Received,
    /// Links over which less comes than at the beginning, with the part that does.
    links: BTreeMap<(NodeId, NodeId), f64>,
    overhears: bool,
    /// Names of the records that are written.
    names: Vec<&'static str>,
    /// It writes up to this instant.
    until: Time,
}

/// What a page has asked for: lines in the parts in which they are kept. To hand them over costs nothing, so that the run is not held up.
#[derive(Debug)]
pub struct FeedPart {
    pub(crate) parts: Vec<Arc<str>>,
    /// The part to ask for the next time.
    pub(crate) next: u64,
    /// Nothing is missing between the last answer and this one.
    pub(crate) is_whole: bool,
    pub(crate) received: Received,
    /// Ends of links that are worse than at the beginning, with the part that comes over.
    pub(crate) links: Vec<(u32, u32, f64)>,
}

impl Feed {
    /// A feed of a run with so many flows. `overhears`: also of those who only hear a frame, which takes events of its own.
    pub fn new(flows: usize, overhears: bool) -> Self {
        let trace = RecordTrace::new(Form::Json, only(Vec::new()), Kept::default());
        Feed {
            trace,
            received: Received::of(flows),
            links: BTreeMap::new(),
            overhears,
            names: Vec::new(),
            until: Time::ZERO,
        }
    }

    /// The lines from part `after` on, and of the records of these names from now on; without a part nothing but the number of the
    /// next one.
    pub fn ask(&mut self, now: Time, after: Option<u64>, names: &[&'static str]) -> FeedPart {
        self.until = now + PATIENCE;
        if self.names != names {
            self.write(names.to_vec());
        }
        let kept = self.trace.flushed();
        let next = kept.next();
        let after = after.unwrap_or(next);
        let links = self.links.iter().map(|(&(one, other), &part)| (one.0, other.0, part)).collect();
        let (parts, is_whole) = (kept.since(after), kept.has(after));
        FeedPart { parts, next, is_whole, received: self.received.clone(), links }
    }

    fn write(&mut self, names: Vec<&'static str>) {
        self.names.clone_from(&names);
        self.trace.set_filter(only(names));
    }

    /// Forgets what nobody has asked for, and writes no more.
    fn rest(&mut self) {
        self.write(Vec::new());
        self.trace.flushed().forget();
    }
}

impl Recorder for Feed {
    const WANTS: Classes = Classes::ALL;

    fn overhears(&self) -> bool {
        self.overhears
    }

    fn record(&mut self, now: Time, record: &Record, view: &mut impl NetworkView) {
        self.received.note(record);
        if let Record::LinkChanged { node, peer, part } = *record {
            self.links.insert((node.min(peer), node.max(peer)), part);
            self.links.retain(|_, part| *part < 1.0);
        }
        if now > self.until && !self.names.is_empty() {
            self.rest();
        }
        // Also where it writes nothing: it numbers the packets.
        self.trace.record(now, record, view);
    }
}

/// The last lines, in parts.
#[derive(Debug, Default)]
struct Kept {
    parts: VecDeque<Arc<str>>,
    /// Number of the first part. Where lines are missing, numbers are.
    first: u64,
    octets: usize,
}

impl Sink for Kept {
    fn take(&mut self, lines: &str) -> bool {
        if lines.is_empty() {
            return true;
        }
        self.octets += lines.len();
        self.parts.push_back(lines.into());
        while self.octets > MOST {
            let gone = self.parts.pop_front();
            self.octets -= gone.map_or(0, |part| part.len());
            self.first += 1;
        }
        true
    }
}

impl Kept {
    /// Number of the part that comes next.
    fn next(&self) -> u64 {
        self.first + self.parts.len() as u64
    }

    fn has(&self, number: u64) -> bool {
        (self.first..=self.next()).contains(&number)
    }

    fn since(&self, number: u64) -> Vec<Arc<str>> {
        self.parts.iter().skip(number.saturating_sub(self.first) as usize).cloned().collect()
    }

    fn forget(&mut self) {
        *self = Kept { first: self.next() + 1, ..Kept::default() };
    }
}

#[cfg(test)]
mod tests {
    use hopscope_engine::config::{App, FlowConfig, Transport, presets};
    use hopscope_engine::{Config, Simulation};

    use super::*;

    const MS: u64 = 1_000_000;
    const NAMES: &[&str] = &["FrameBegan", "FrameOverheard"];

    /// Two hops with a flow, under way.
    fn run(overhears: bool) -> Simulation<Feed> {
        let nodes = (0..3).map(|node| [200.0 * f64::from(node), 0.0]).collect();
        let base = presets::base("standard", "wavelan-2M").expect("a preset");
        let flow = FlowConfig::new(0, 2, Transport::TcpNewReno, App::Bulk);
        let config = Config { flows: vec![flow], ..base.config(nodes, Span::from_secs(100)) };
        Simulation::observed(config, Feed::new(1, overhears)).expect("a sound run")
    }

    fn ask(run: &mut Simulation<Feed>, after: Option<u64>, names: &[&'static str]) -> FeedPart {
        run.observe(|feed, now, _| feed.ask(now, after, names))
    }

    fn go_on(run: &mut Simulation<Feed>, ms: u64) {
        run.advance(Span(ms * MS));
    }

    fn lines(lines: &FeedPart) -> Vec<String> {
        lines.parts.iter().flat_map(|part| part.lines()).map(str::to_string).collect()
    }

    #[test]
    fn every_page_gets_every_record_once() {
        let mut run = run(false);
        let first = ask(&mut run, None, NAMES);
        assert!(first.parts.is_empty() && first.is_whole);
        let (mut often, mut next) = (Vec::new(), first.next);
        for _ in 0..20 {
            go_on(&mut run, 50);
            let found = ask(&mut run, Some(next), NAMES);
            assert!(found.is_whole);
            often.extend(lines(&found));
            next = found.next;
        }
        assert!(often.len() > 100, "{}", often.len());
        assert!(often.iter().all(|line| line.contains("\"record\":\"FrameBegan\"")), "{}", often[0]);
        assert_eq!(lines(&ask(&mut run, Some(first.next), NAMES)), often);
        assert!(first.received.at(0) == Some(0) && ask(&mut run, None, NAMES).received.at(0) > Some(10));
    }

    #[test]
    fn what_is_overheard_comes_where_it_was_chosen() {
        for overhears in [false, true] {
            let mut run = run(overhears);
            let next = ask(&mut run, None, &["FrameOverheard"]).next;
            go_on(&mut run, 200);
            assert_eq!(lines(&ask(&mut run, Some(next), NAMES)).is_empty(), !overhears);
        }
    }

    #[test]
    fn nothing_is_written_before_a_page_asks_nor_long_after() {
        let mut run = run(false);
        go_on(&mut run, 1_000);
        assert_eq!(run.observer().trace.written(), 0);
        let asked = ask(&mut run, None, NAMES);
        go_on(&mut run, 4_000);
        let written = run.observer().trace.written();
        assert!(written > 100, "{written}");
        go_on(&mut run, 2_000);
        let written = run.observer().trace.written();
        go_on(&mut run, 2_000);
        assert_eq!(run.observer().trace.written(), written);
        let again = ask(&mut run, Some(asked.next), NAMES);
        assert!(!again.is_whole && again.parts.is_empty(), "what was forgotten is said to be missing");
        go_on(&mut run, 100);
        let later = ask(&mut run, Some(again.next), NAMES);
        assert!(later.is_whole && !later.parts.is_empty());
    }

    #[test]
    fn the_oldest_lines_go_where_a_page_is_too_slow() {
        let mut kept = Kept::default();
        let line = "x".repeat(MOST / 4);
        for _ in 0..4 {
            kept.take(&line);
        }
        assert!(kept.has(0) && kept.since(0).len() == 4 && kept.since(3).len() == 1);
        kept.take("one more");
        assert!(!kept.has(0) && kept.has(1) && kept.since(0).len() == 4);
        assert_eq!((kept.next(), kept.has(5), kept.has(6)), (5, true, false));
        assert!(kept.octets <= MOST);
    }
}
