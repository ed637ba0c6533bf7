//! The states of a connection, and which may follow which (RFC 4340 8.4).

/// The states of RFC 4340 8.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// No connection.
    Closed,
    /// A server that waits for a client.
    Listen,
    /// A client that has asked.
    Request,
    /// A server that has answered.
    Respond,
    /// A client whose answer to the server may not have come.
    PartOpen,
    /// Both know of each other.
    Open,
    /// A server that has asked its client to close.
    CloseReq,
    /// It has sent a Close.
    Closing,
    /// It knows that the connection is closed.
    TimeWait,
}

impl State {
    /// The states that may follow, as RFC 4340 8.4 draws them.
    pub const fn may_become(self, next: State) -> bool {
        use State::{CloseReq, Closed, Closing, Listen, Open, PartOpen, Request, Respond, TimeWait};
        matches!(
            (self, next),
            (Closed, Request)
                | (Listen, Respond)
                | (Request, PartOpen | TimeWait | Closed)
                | (Respond, Open | TimeWait | Closed)
                | (PartOpen, Open | Closing | TimeWait | Closed)
                | (Open, CloseReq | Closing | TimeWait | Closed)
                | (CloseReq, TimeWait | Closed)
                | (Closing, TimeWait | Closed)
                | (TimeWait, Closed)
        )
    }

    /// The ends know each other's numbers.
    pub(super) const fn is_synchronized(self) -> bool {
        matches!(self, State::PartOpen | State::Open | State::CloseReq | State::Closing)
    }
}
