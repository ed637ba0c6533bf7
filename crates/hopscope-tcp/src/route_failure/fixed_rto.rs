//! Fixed RTO (Dyer and Boppana 2001): the first of several timeouts in a row doubles the RTO, those after it leave it as it
//! is: what is lost twice is taken for the loss of the route. An ACK of new data begins anew. A lost SYN backs off as ever.

use super::super::core::Core;

impl Core {
    /// The timeout at hand leaves the RTO as it is.
    pub(in super::super) fn holds_rto(&self) -> bool {
        self.fixed_rto && self.timeouts_in_row > 1
    }
}
