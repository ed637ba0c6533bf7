//! Socket calls of a script as inputs of the end under test.

use hopscope_tcp::{Receipt, ReceiverState, SenderState, TcpReceiver};

use super::setup::{DEFAULT_MSS, STAMPS};
use super::{Numbers, Player, Stop, System};
use crate::script::Call;

/// What a number stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A socket that is neither connected nor listening.
    Fresh,
    /// One that listens.
    Listens,
    /// The connection.
    Connected,
}

/// The sockets of a script: there is one connection.
#[derive(Debug, Default)]
pub(super) struct Sockets {
    numbers: Numbers,
    read: u64,
    accepted: bool,
    closed: bool,
    /// Some socket listens or connects, or did.
    asked: bool,
    /// Reading is shut down.
    deaf: bool,
    /// No call can reach the connection any more.
    gone: bool,
    /// The other end had closed when this one did.
    pub(super) closed_second: bool,
    /// A reset has ended the connection, and the error that waits for a call.
    reset: bool,
    error: Option<&'static str>,
}

impl Sockets {
    /// A call has asked for a connection.
    pub(super) fn is_asked(&self) -> bool {
        self.asked
    }

    /// A reset has come. Linux has another error where the other end had closed before.
    pub(super) fn on_reset(&mut self, refused: bool, closed_on_linux: bool) {
        self.reset = true;
        // As tcp_reset of Linux: by the state in which the reset finds the connection.
        self.error = Some(match (refused, closed_on_linux) {
            (true, _) => "ECONNREFUSED",
            (false, true) => "EPIPE",
            (false, false) => "ECONNRESET",
        });
    }
}

/// What a call gives: a number, or the name of its error.
type Given = Result<i64, &'static str>;

/// Against what a script has.
fn compare(line: usize, call: &Call, found: Given) -> Result<(), Stop> {
    let (number, error) = match found {
        Ok(number) => (number, None),
        Err(error) => (-1, Some(error)),
    };
    // A script may leave the name of an error out: then any one will do.
    let named = error.is_none() || call.error.is_none() || call.error.as_deref() == error;
    if call.gives.is_none_or(|wanted| wanted == number) && named {
        return Ok(());
    }
    let shown = |number: i64, error: Option<&str>| match error {
        Some(error) => format!("{number} {error}"),
        None => number.to_string(),
    };
    let wanted = shown(call.gives.unwrap_or(0), call.error.as_deref());
    Err(Stop::fail(line, format!("{} gives {}; {wanted} is expected", call.name, shown(number, error))))
}

/// A call that gives its result after the events below it.
const WAITS: &str = "calls that wait for later events";

/// Options of sockets without effect on what a simulated connection sends.
const SILENT_OPTIONS: [&str; 10] = [
    "SO_REUSEADDR",
    "SO_REUSEPORT",
    "TCP_NODELAY",
    "SO_SNDBUF",
    "SO_RCVBUF",
    "TCP_CONGESTION",
    "TCP_QUICKACK",
    "SO_DEBUG",
    "IPV6_V6ONLY",
    "TCP_MAXSEG",
];

impl Player {
    /// A call at the present instant, which may take until `until`.
    pub(super) fn call(&mut self, line: usize, call: &Call, until: i64) -> Result<(), Stop> {
        let number = |at: usize| call.args.get(at).and_then(|arg| integer(arg));
        let argument = |at: usize| call.args.get(at).map_or("", String::as_str);
        let gives = |found: i64| compare(line, call, Ok(found));
        let own = number(0).unwrap_or(-1);
        // These make descriptors of their own, so that what looks unknown is not a wrong number there.
        if call.name != "socket" && !self.sockets.numbers.contains_key(&own) {
            return match call.name.as_str() {
                "epoll_create" | "epoll_ctl" | "epoll_wait" | "poll" | "ioctl" | "pipe" | "open" | "splice"
                | "sendfile" => Err(Stop::foreign(line, format!("the call {}", call.name))),
                _ => compare(line, call, Err("EBADF")),
            };
        }
        match call.name.as_str() {
            "socket" => {
                if !argument(1).contains("SOCK_STREAM") {
                    return Err(Stop::foreign(line, "sockets other than TCP's"));
                }
                // Without a number it is the first descriptor after those of input, output and errors.
                self.sockets.numbers.insert(call.gives.unwrap_or(3), Kind::Fresh);
                Ok(())
            }
            "bind" | "fcntl" => Ok(()),
            "setsockopt" => self.set_option(line, argument(2), call),
            "getsockopt" => match argument(2) {
                "SO_ERROR" => {
                    // POSIX: to ask for SO_ERROR clears it.
                    let found = self.sockets.error.take().unwrap_or("0");
                    let wanted = argument(3).trim_matches(['[', ']', ' ']);
                    if wanted == found {
                        return Ok(());
                    }
                    Err(Stop::fail(line, format!("the error is {found}; {wanted} is expected")))
                }
                // What FreeBSD's buffer holds is its window.
                "SO_RCVBUF" => {
                    let bytes = argument(3).trim_matches(['[', ']', ' ']).parse();
                    if let (Ok(bytes), true) = (bytes, self.established()) {
                        self.end.advertise(bytes);
                    }
                    Ok(())
                }
                "TCP_MAXSEG" => {
                    let found = self.max_segment();
                    let wanted = argument(3).trim_matches(['[', ']', ' ']);
                    if wanted.parse() == Ok(found) {
                        return Ok(());
                    }
                    Err(Stop::fail(line, format!("TCP_MAXSEG is {found}; {wanted} is expected")))
                }
                "SO_SNDBUF" | "SO_REUSEADDR" | "SO_TYPE" => Ok(()),
                name => Err(Stop::foreign(line, format!("socket option {name}"))),
            },
            "listen" => {
                self.sockets.asked = true;
                self.sockets.numbers.insert(own, Kind::Listens);
                Ok(())
            }
            "accept" | "accept4" => {
                // What happens while the call blocks comes before its result.
                self.run_until(until, true);
                if until > self.now && !self.established() {
                    return Err(Stop::foreign(line, WAITS));
                }
                // Which error depends on the mode of the descriptor; that there is nothing to accept does not.
                if call.gives == Some(-1) {
                    return if self.established() && !self.sockets.accepted {
                        Err(Stop::fail(line, "accept gives a connection; an error is expected"))
                    } else {
                        Ok(())
                    };
                }
                if !self.established() {
                    return Err(Stop::fail(line, "accept finds no connection"));
                }
                if std::mem::replace(&mut self.sockets.accepted, true) {
                    return Err(Stop::foreign(line, "a second connection"));
                }
                self.sockets.numbers.insert(call.gives.unwrap_or(4), Kind::Connected);
                Ok(())
            }
            "connect" => {
                // A refused connection is reported by the next call, and once.
                if let Some(error) = self.sockets.error.take() {
                    return compare(line, call, Err(error));
                }
                if self.open && self.synchronised() && call.gives == Some(-1) {
                    return compare(line, call, Err("EISCONN"));
                }
                if call.error.as_deref().is_some_and(|error| !matches!(error, "EINPROGRESS" | "EALREADY")) {
                    return Err(Stop::foreign(line, "errors of socket calls"));
                }
                // A second call asks how the first one goes; it sends no second SYN.
                let again = self.open;
                self.sockets.asked = true;
                self.sockets.numbers.insert(own, Kind::Connected);
                self.open = true;
                if !again {
                    // Nothing to send yet: that the application is there opens the connection.
                    self.input(|end, cx| end.on_send(0, cx));
                }
                Ok(())
            }
            "write" | "send" | "sendto" => self.write(line, call, number(2)),
            "read" | "recv" | "recvfrom" => {
                if until > self.now && self.waiting() == 0 {
                    return Err(Stop::foreign(line, WAITS));
                }
                self.read(line, call, number(2).unwrap_or(0))
            }
            "shutdown" if self.sockets.reset => compare(line, call, Err("ENOTCONN")),
            "shutdown" => {
                // To shut down reading sends nothing; the other two end the own data by a FIN.
                if argument(1) != "SHUT_RD" {
                    self.close();
                }
                self.sockets.deaf |= argument(1) != "SHUT_WR";
                gives(0)
            }
            "close" => {
                let kind = self.sockets.numbers.remove(&own);
                if kind == Some(Kind::Connected) && self.open {
                    if self.waiting() > 0 {
                        self.sockets.closed = true;
                        self.input(|end, cx| end.abort(cx)); // data unread (RFC 2525 2.17)
                        return gives(0);
                    }
                    if self.is_over() {
                        return gives(0);
                    }
                    if !self.established() {
                        return Err(Stop::foreign(line, "closing a connection that is not established"));
                    }
                    self.sockets.gone = true;
                    self.close();
                }
                gives(0)
            }
            name => Err(Stop::foreign(line, format!("the call {name}"))),
        }
    }

    /// What TCP_MAXSEG gives: in Linux what a segment has room for, and before the set-up what was set; in FreeBSD options count in, and
    /// before the set-up there is the default (RFC 9293 3.7.1).
    fn max_segment(&self) -> u64 {
        let room = u64::from(self.setup.flow.packet);
        let is_bsd = self.setup.system == System::FreeBsd;
        match (self.established(), is_bsd) {
            (true, true) if self.setup.stamps => room + STAMPS,
            (true, _) => room,
            (false, true) => DEFAULT_MSS,
            (false, false) => self.setup.set_mss.unwrap_or(DEFAULT_MSS),
        }
    }

    /// No call can reach the connection any more, and so much of a segment would be news to it.
    pub(super) fn comes_too_late(&self, start: u64, bytes: u64) -> bool {
        let is_missing = |half: &TcpReceiver| half.receipt(start, start + bytes) == Receipt::Missing;
        self.sockets.gone && bytes > 0 && self.end.receiver().is_some_and(is_missing)
    }

    /// Bytes that have come in order and were not read. FreeBSD drops them where reading is shut down.
    fn waiting(&self) -> u64 {
        if self.sockets.deaf && self.setup.system == System::FreeBsd {
            return 0;
        }
        match self.setup.buffer {
            // The engine has read everything at once then; what the script has not is counted here.
            None => self.delivered - self.sockets.read,
            Some(_) => self.end.receiver().map_or(0, |half| half.unread()),
        }
    }

    /// A reset has ended the connection.
    fn is_over(&self) -> bool {
        self.end.sender().is_some_and(|half| half.state() == SenderState::Closed)
    }

    fn established(&self) -> bool {
        let receiver = self.end.receiver().map(|half| half.state());
        !matches!(receiver, None | Some(ReceiverState::Listen | ReceiverState::SynReceived))
    }

    fn set_option(&self, line: usize, name: &str, call: &Call) -> Result<(), Stop> {
        if call.gives == Some(-1) {
            return Err(Stop::foreign(line, "errors of socket calls"));
        }
        if SILENT_OPTIONS.contains(&name) { Ok(()) } else { Err(Stop::foreign(line, format!("socket option {name}"))) }
    }

    fn write(&mut self, line: usize, call: &Call, bytes: Option<i64>) -> Result<(), Stop> {
        // What a reset leaves is reported once, and the pipe is broken from then on (and where the own end is closed).
        if self.sockets.reset || self.sockets.closed {
            return compare(line, call, Err(self.sockets.error.take().unwrap_or("EPIPE")));
        }
        if call.gives.is_some_and(|gives| gives < 0) {
            return Err(Stop::foreign(line, "a full send buffer and other errors of socket calls"));
        }
        // A call may take a part of what it is given: what it returns is what was written.
        let bytes = call.gives.or(bytes).unwrap_or(0);
        if !self.established() {
            return Err(Stop::foreign(line, "data before the connection is established"));
        }
        // MSG_NOSIGNAL is about a signal to the process, none of the segments.
        if call.args.get(3).is_some_and(|flags| flags.contains("MSG_") && flags.trim() != "MSG_NOSIGNAL") {
            return Err(Stop::foreign(line, "flags of send"));
        }
        if bytes > 0 {
            self.input(|end, cx| end.on_send(bytes as u64, cx));
        }
        Ok(())
    }

    fn read(&mut self, line: usize, call: &Call, most: i64) -> Result<(), Stop> {
        let peeks = call.args.get(3).is_some_and(|flags| flags.contains("MSG_PEEK"));
        if call
            .args
            .get(3)
            .is_some_and(|flags| flags.contains("MSG_") && flags != "MSG_PEEK" && flags != "MSG_DONTWAIT")
        {
            return Err(Stop::foreign(line, "flags of recv"));
        }
        let waiting = self.waiting() as i64;
        // A reset throws away what was not read; its error is returned once, then there is the end of the data.
        let found = match waiting {
            _ if self.sockets.reset => self.sockets.error.take().map_or(Ok(0), Err),
            0 if self.peer_closed || self.sockets.deaf => Ok(0),
            0 => Err("EAGAIN"),
            _ => Ok(waiting.min(most)),
        };
        let refused = call.gives == Some(-1) && !matches!(call.error.as_deref(), None | Some("EAGAIN" | "ECONNRESET"));
        if refused && !self.sockets.reset {
            return Err(Stop::foreign(line, "errors of socket calls"));
        }
        compare(line, call, found)?;
        let taken = if peeks { 0 } else { found.unwrap_or(0) as u64 };
        self.sockets.read += taken;
        if self.setup.buffer.is_some() && taken > 0 {
            self.input(|end, cx| end.on_read(taken, cx));
        }
        Ok(())
    }

    fn close(&mut self) {
        if !std::mem::replace(&mut self.sockets.closed, true) {
            self.sockets.closed_second = self.peer_closed;
            self.input(|end, cx| end.close(cx));
        }
    }
}

fn integer(text: &str) -> Option<i64> {
    text.parse().ok()
}
