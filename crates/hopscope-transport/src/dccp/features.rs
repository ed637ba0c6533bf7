//! Feature negotiation (RFC 4340 6).
//!
//! A feature is a number that both ends have to know; it is located at the end whose behaviour it describes. A
//! server-priority feature takes the first value of the server's list that the client's list has, too; a non-negotiable
//! one takes what its own end says. A Change goes out with every packet until its Confirm has come; options in packets
//! that arrive out of order are not looked at (6.6.4).

use hopscope_packet::dccp::{DccpPacket, ResetCode, Seq};

/// Option: what follows must be understood (RFC 4340 5.8.2).
const MANDATORY: u8 = 1;
/// Option: a feature of the sender of the option is to change.
const CHANGE_L: u8 = 32;
/// Option: a feature of its receiver has changed.
const CONFIRM_L: u8 = 33;
/// Option: a feature of its receiver is to change.
const CHANGE_R: u8 = 34;
/// Option: a feature of its sender has changed.
const CONFIRM_R: u8 = 35;

/// The features that are known here (RFC 4340 6.4), by their numbers; those from 128 on belong to the congestion
/// control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Congestion control of the data that its end sends.
    Ccid = 1,
    /// Its end may send short sequence numbers.
    ShortSeq = 2,
    /// Width of the window in which the numbers that its end sends are valid, packets.
    SequenceWindow = 3,
    /// Its end cannot read the ECN field.
    EcnIncapable = 4,
    /// Data packets of its end for each acknowledgement of the other.
    AckRatio = 5,
    /// Its end sends Ack Vectors.
    AckVector = 6,
    /// Its end sends NDP Counts.
    NdpCount = 7,
    /// Its end reports the loss event rate: of CCID 3 and 4 (RFC 4342 8.4).
    LossEventRate = 192,
}

impl Feature {
    const ALL: [Feature; COUNT] = [
        Feature::Ccid,
        Feature::ShortSeq,
        Feature::SequenceWindow,
        Feature::EcnIncapable,
        Feature::AckRatio,
        Feature::AckVector,
        Feature::NdpCount,
        Feature::LossEventRate,
    ];

    /// Its place in tables.
    const fn place(self) -> usize {
        match self {
            Feature::LossEventRate => COUNT - 1,
            other => other as usize - 1,
        }
    }

    /// It is not negotiated: its end decides (RFC 4340 6.3.2).
    const fn is_non_negotiable(self) -> bool {
        matches!(self, Feature::SequenceWindow | Feature::AckRatio)
    }

    /// Octets of a value.
    const fn bytes(self) -> usize {
        match self {
            Feature::SequenceWindow => 6,
            Feature::AckRatio => 2,
            _ => 1,
        }
    }

    /// Its value before any negotiation (RFC 4340 6.4).
    const fn initial(self) -> u64 {
        match self {
            Feature::Ccid | Feature::AckRatio => 2,
            Feature::SequenceWindow => 100,
            Feature::ShortSeq | Feature::EcnIncapable | Feature::AckVector | Feature::NdpCount => 0,
            Feature::LossEventRate => 0,
        }
    }

    /// Values that can be.
    const fn allows(self, value: u64) -> bool {
        match self {
            Feature::SequenceWindow => value >= 32 && value < 1 << 46, // RFC 4340 7.5.2
            Feature::AckRatio => value >= 1 && value < 1 << 16,
            Feature::Ccid => value < 256,
            Feature::ShortSeq | Feature::EcnIncapable | Feature::AckVector | Feature::NdpCount => value < 2,
            Feature::LossEventRate => value < 2,
        }
    }
}

/// Number of features.
const COUNT: usize = 8;
/// Most values in a list of preferences.
const MOST: usize = 4;
/// Most octets of a packet that features keep from an Ack Vector.
const MOST_RESERVED: usize = 24;

/// A list of values, those preferred first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct List {
    values: [u8; MOST],
    n: usize,
}

impl List {
    fn of(values: &[u8]) -> List {
        let mut list = List { values: [0; MOST], n: values.len().min(MOST) };
        list.values[..list.n].copy_from_slice(&values[..list.n]);
        list
    }

    fn get(&self) -> &[u8] {
        &self.values[..self.n]
    }
}

/// A change that is not confirmed yet.
#[derive(Debug, Clone, Copy)]
struct Pending {
    feature: Feature,
    /// It is located at the other end.
    is_remote: bool,
    value: u64,
    /// The connection cannot do without it.
    is_mandatory: bool,
    /// Number of the first packet that carried it; none: not sent yet.
    since: Option<Seq>,
}

/// A confirmation that goes out with the next packet.
#[derive(Debug, Clone, Copy)]
struct Owed {
    kind: u8,
    number: u8,
    value: Option<u64>,
    /// What this end accepts, for a server-priority feature.
    list: Option<List>,
}

/// The features of both ends as one of them knows them.
#[derive(Debug, Clone)]
pub struct Features {
    is_server: bool,
    local: [u64; COUNT],
    remote: [u64; COUNT],
    /// What this end accepts for server-priority features, wherever they are located.
    accepts: [List; COUNT],
    pending: Vec<Pending>,
    owed: Vec<Owed>,
    /// Number of the last packet whose options were looked at.
    last_processed: Option<Seq>,
}

impl Features {
    /// The initial values; `ccids` are those that this end can use, the preferred one first.
    pub fn new(is_server: bool, ccids: &[u8]) -> Self {
        let initial = Feature::ALL.map(Feature::initial);
        let mut accepts = [List::of(&[0, 1]); COUNT];
        accepts[Feature::Ccid.place()] = List::of(ccids);
        Features {
            is_server,
            local: initial,
            remote: initial,
            accepts,
            pending: Vec::new(),
            owed: Vec::new(),
            last_processed: None,
        }
    }

    /// The value at this end.
    #[inline]
    pub fn local(&self, feature: Feature) -> u64 {
        self.local[feature.place()]
    }

    /// The value at the other end.
    #[inline]
    pub fn remote(&self, feature: Feature) -> u64 {
        self.remote[feature.place()]
    }

    /// A feature of this end is to have a value; nothing happens where it has it, or is about to get it.
    pub fn change(&mut self, feature: Feature, value: u64) {
        self.ask(feature, false, value, false);
    }

    /// The same without which there is no connection.
    pub fn demand(&mut self, feature: Feature, value: u64) {
        self.ask(feature, false, value, true);
    }

    /// A feature of the other end must have a value.
    pub fn demand_remote(&mut self, feature: Feature, value: u64) {
        self.ask(feature, true, value, true);
    }

    /// A feature of the other end is to have a value.
    pub fn change_remote(&mut self, feature: Feature, value: u64) {
        debug_assert!(!feature.is_non_negotiable(), "its own end decides");
        self.ask(feature, true, value, false);
    }

    /// Something is to be sent or not confirmed yet.
    #[inline]
    pub fn is_busy(&self) -> bool {
        !self.pending.is_empty() || !self.owed.is_empty()
    }

    /// Octets that the next packet should leave free for it.
    pub fn wanted_octets(&self) -> usize {
        let owed = self.owed.iter().map(|owed| 3 + owed.list.map_or(6, |list| 1 + list.n)).sum::<usize>();
        let pending = self.pending.iter().map(|change| 4 + change.feature.bytes()).sum::<usize>();
        (owed + pending).min(MOST_RESERVED)
    }

    /// A packet leaves: it carries what is owed and what is not confirmed.
    pub fn write(&mut self, packet: &mut DccpPacket) {
        for owed in self.owed.drain(..) {
            let mut content = [0; 7];
            content[0] = owed.number;
            let mut bytes = match (owed.value, Feature::ALL.into_iter().find(|f| *f as u8 == owed.number)) {
                (Some(value), Some(feature)) => put(&mut content[1..], value, feature.bytes()),
                _ => 0,
            };
            // The value chosen, then what this end accepts (RFC 4340 6.2.2).
            if let Some(list) = owed.list {
                content[2..2 + list.n].copy_from_slice(list.get());
                bytes += list.n;
            }
            packet.push_option(owed.kind, &content[..=bytes]);
        }
        for change in &mut self.pending {
            let mut content = [0; 7];
            content[0] = change.feature as u8;
            let bytes = put(&mut content[1..], change.value, change.feature.bytes());
            let kind = if change.is_remote { CHANGE_R } else { CHANGE_L };
            // It waits for a packet with room: a Change that is cut short would end the connection.
            if packet.room() < bytes + 4 {
                continue;
            }
            if change.is_mandatory {
                packet.push_single(MANDATORY);
            }
            packet.push_option(kind, &content[..=bytes]);
            // The first number counts: whatever acknowledges a later packet may confirm this change.
            change.since.get_or_insert(packet.seq);
        }
    }

    /// Looks at the options of a valid packet.
    ///
    /// # Errors
    /// The code with which the connection has to be reset: an option that cannot be, or one that had to be understood.
    pub fn read(&mut self, packet: &DccpPacket) -> Result<(), ResetCode> {
        // An old packet may carry a Change that a newer one has taken back (6.6.4).
        if packet.options().is_empty() || self.last_processed.is_some_and(|last| !packet.seq.is_after(last)) {
            return Ok(());
        }
        self.last_processed = Some(packet.seq);
        let mut is_mandatory = false;
        for (kind, content) in packet.each_option() {
            if kind == MANDATORY {
                is_mandatory = true;
                continue;
            }
            let understood = match kind {
                CHANGE_L | CHANGE_R => self.on_change(kind == CHANGE_L, content)?,
                CONFIRM_L | CONFIRM_R => self.on_confirm(kind == CONFIRM_L, content, packet)?,
                _ => true,
            };
            if is_mandatory && !understood {
                return Err(ResetCode::MandatoryError);
            }
            is_mandatory = false;
        }
        if is_mandatory { Err(ResetCode::OptionError) } else { Ok(()) }
    }

    fn ask(&mut self, feature: Feature, is_remote: bool, value: u64, is_mandatory: bool) {
        let now = if is_remote { self.remote(feature) } else { self.local(feature) };
        let place = self.pending.iter().position(|p| p.feature == feature && p.is_remote == is_remote);
        match place {
            Some(place) if self.pending[place].value == value => {}
            // Another value is another change: confirmations of the old one do not count for it.
            Some(place) => self.pending[place] = Pending { value, since: None, ..self.pending[place] },
            None if now == value && !is_mandatory => {}
            None => self.pending.push(Pending { feature, is_remote, value, is_mandatory, since: None }),
        }
    }

    /// The other end wants a change of a feature, its own or ours; true where it is known and takes such a value.
    fn on_change(&mut self, is_its_own: bool, content: &[u8]) -> Result<bool, ResetCode> {
        let (&number, values) = content.split_first().ok_or(ResetCode::OptionError)?;
        let kind = if is_its_own { CONFIRM_R } else { CONFIRM_L };
        let Some(feature) = Feature::ALL.into_iter().find(|f| *f as u8 == number) else {
            // An empty Confirm says that the feature is unknown (6.6.7).
            self.owed.push(Owed { kind, number, value: None, list: None });
            return Ok(false);
        };
        let place = feature.place();
        if values.len() < feature.bytes() || (feature.is_non_negotiable() && !is_its_own) {
            return Err(ResetCode::OptionError);
        }
        let chosen = if feature.is_non_negotiable() {
            Some(take(values)).filter(|value| feature.allows(*value) && values.len() == feature.bytes())
        } else {
            let ours = self.accepts[place];
            // Whoever asks, it is the server whose preference decides.
            let common = if self.is_server { pick(ours.get(), values) } else { pick(values, ours.get()) };
            common.map(u64::from)
        };
        let values = if is_its_own { &mut self.remote } else { &mut self.local };
        if let Some(value) = chosen {
            values[place] = value;
        } else if feature.is_non_negotiable() {
            return Err(ResetCode::OptionError);
        }
        // Only the newest answer is true: one that has not left yet is replaced.
        self.owed.retain(|owed| owed.kind != kind || owed.number != number);
        let list = (!feature.is_non_negotiable()).then_some(self.accepts[place]);
        self.owed.push(Owed { kind, number, value: Some(values[place]), list });
        Ok(chosen.is_some())
    }

    /// The other end has answered a change; an answer to what was not asked says nothing.
    fn on_confirm(&mut self, is_its_own: bool, content: &[u8], packet: &DccpPacket) -> Result<bool, ResetCode> {
        let (&number, values) = content.split_first().ok_or(ResetCode::OptionError)?;
        let asked = |p: &Pending| p.feature as u8 == number && p.is_remote == is_its_own;
        let Some(place) = self.pending.iter().position(asked) else { return Ok(true) };
        let change = self.pending[place];
        if !packet.kind.acknowledges() || change.since.is_none_or(|since| since.is_after(packet.ack)) {
            return Ok(true); // of an earlier change
        }
        self.pending.remove(place);
        let bytes = change.feature.bytes();
        // Empty: the other end does not know the feature, whose value stays as it was.
        if values.is_empty() {
            return if change.is_mandatory { Err(ResetCode::MandatoryError) } else { Ok(true) };
        }
        let value =
            values.get(..bytes).map(take).filter(|v| change.feature.allows(*v)).ok_or(ResetCode::OptionError)?;
        if change.is_mandatory && value != change.value {
            return Err(ResetCode::MandatoryError);
        }
        let known = if change.is_remote { &mut self.remote } else { &mut self.local };
        known[change.feature.place()] = value;
        Ok(true)
    }
}

/// The first value of the server's list that the client's has, too (RFC 4340 6.3.1).
fn pick(server: &[u8], client: &[u8]) -> Option<u8> {
    server.iter().copied().find(|value| client.contains(value))
}

fn take(octets: &[u8]) -> u64 {
    octets.iter().fold(0, |value, octet| (value << 8) | u64::from(*octet))
}

fn put(octets: &mut [u8], value: u64, bytes: usize) -> usize {
    octets[..bytes].copy_from_slice(&value.to_be_bytes()[8 - bytes..]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_packet::dccp::DccpType;

    /// What `from` says reaches `to`.
    fn exchange(from: &mut Features, to: &mut Features, seq: u64) -> Result<(), ResetCode> {
        let ack = Seq::new(seq - 1);
        let mut packet = DccpPacket { kind: DccpType::Ack, seq: Seq::new(seq), ack, ..DccpPacket::default() };
        from.write(&mut packet);
        to.read(&packet)
    }

    fn ends(client: &[u8], server: &[u8]) -> (Features, Features) {
        (Features::new(false, client), Features::new(true, server))
    }

    #[test]
    fn what_both_ends_know_is_agreed_in_one_exchange() {
        let (mut client, mut server) = ends(&[3, 2], &[2, 3]);
        client.demand(Feature::Ccid, 3);
        client.change(Feature::AckRatio, 1);
        client.change_remote(Feature::AckVector, 1);
        assert_eq!(exchange(&mut client, &mut server, 10), Ok(()));
        assert_eq!([Feature::Ccid, Feature::AckRatio].map(|f| server.remote(f)), [3, 1]);
        assert_eq!(server.local(Feature::AckVector), 1);
        assert_eq!(client.local(Feature::AckRatio), 2, "not confirmed yet");
        assert_eq!(exchange(&mut server, &mut client, 11), Ok(()));
        assert_eq!([Feature::Ccid, Feature::AckRatio].map(|f| client.local(f)), [3, 1]);
        assert_eq!(client.remote(Feature::AckVector), 1);
        assert!(!client.is_busy() && !server.is_busy());
    }

    #[test]
    fn the_servers_order_decides() {
        let (mut client, mut server) = ends(&[2], &[248, 3, 2]);
        let change = |list: &[u8]| {
            let mut packet = DccpPacket { seq: Seq::new(9), ..DccpPacket::default() };
            packet.push_option(CHANGE_L, list);
            packet
        };
        assert_eq!(server.read(&change(&[1, 2, 3])), Ok(()));
        assert_eq!(server.remote(Feature::Ccid), 3);
        assert_eq!(client.read(&change(&[1, 4, 2, 3])), Ok(()));
        assert_eq!(client.remote(Feature::Ccid), 2);
    }

    #[test]
    fn a_confirmation_reports_what_its_end_accepts() {
        let mut server = Features::new(true, &[3, 2]);
        let mut change = DccpPacket { seq: Seq::new(9), ..DccpPacket::default() };
        change.push_option(CHANGE_L, &[1, 2, 3]);
        assert_eq!(server.read(&change), Ok(()));
        let mut answer = DccpPacket { kind: DccpType::Ack, seq: Seq::new(10), ..DccpPacket::default() };
        let wanted = server.wanted_octets();
        server.write(&mut answer);
        assert_eq!(answer.options(), [CONFIRM_R, 6, 1, 3, 3, 2]);
        assert!(wanted >= answer.options().len());
    }

    #[test]
    fn a_control_that_the_ends_do_not_share_ends_the_connection() {
        let (mut client, mut server) = ends(&[3], &[2]);
        client.demand(Feature::Ccid, 3);
        assert_eq!(exchange(&mut client, &mut server, 10), Err(ResetCode::MandatoryError));
        // A server that cannot do without another one than the client's.
        let (mut client, mut server) = ends(&[2], &[3]);
        server.demand_remote(Feature::Ccid, 3);
        assert_eq!(exchange(&mut server, &mut client, 10), Err(ResetCode::MandatoryError));
        // Without the demand the value stays what it was (RFC 4340 6.3.1).
        let (mut client, mut server) = ends(&[3], &[2]);
        client.change(Feature::Ccid, 3);
        assert_eq!(exchange(&mut client, &mut server, 10), Ok(()));
        assert_eq!(exchange(&mut server, &mut client, 11), Ok(()));
        assert_eq!((server.remote(Feature::Ccid), client.local(Feature::Ccid)), (2, 2));
    }

    #[test]
    fn a_change_is_repeated_until_it_is_confirmed() {
        let (mut client, mut server) = ends(&[2], &[2]);
        client.change(Feature::SequenceWindow, 1_000);
        let mut lost = DccpPacket { seq: Seq::new(5), ..DccpPacket::default() };
        client.write(&mut lost);
        assert_eq!(lost.option_bytes(), 12, "9 in whole words");
        assert_eq!(exchange(&mut client, &mut server, 6), Ok(()));
        assert_eq!(server.remote(Feature::SequenceWindow), 1_000);
        client.change(Feature::SequenceWindow, 2_000); // overtakes the confirmation
        assert_eq!(exchange(&mut server, &mut client, 7), Ok(()));
        assert_eq!(client.local(Feature::SequenceWindow), 100, "the confirmation of the old one says nothing");
        assert_eq!(exchange(&mut client, &mut server, 8), Ok(()));
        assert_eq!(exchange(&mut server, &mut client, 9), Ok(()));
        assert_eq!((client.local(Feature::SequenceWindow), client.is_busy()), (2_000, false));
    }

    #[test]
    fn what_cannot_be_resets_and_what_is_old_is_not_looked_at() {
        let read = |seq: u64, server: &mut Features, kind, content: &[u8]| {
            let mut packet = DccpPacket { seq: Seq::new(seq), ..DccpPacket::default() };
            packet.push_option(kind, content);
            server.read(&packet)
        };
        let (_, mut server) = ends(&[2], &[2]);
        assert_eq!(read(1, &mut server, CHANGE_L, &[5, 0, 0]), Err(ResetCode::OptionError), "a ratio of 0");
        assert_eq!(read(2, &mut server, CHANGE_R, &[5, 0, 1]), Err(ResetCode::OptionError), "only its own end decides");
        assert_eq!(read(3, &mut server, CHANGE_L, &[]), Err(ResetCode::OptionError));
        assert_eq!(read(4, &mut server, CHANGE_L, &[5, 0, 4]), Ok(()));
        assert_eq!(read(4, &mut server, CHANGE_L, &[5, 0, 7]), Ok(()));
        assert_eq!(server.remote(Feature::AckRatio), 4);
        assert_eq!(read(6, &mut server, CHANGE_L, &[99, 1]), Ok(()), "unknown: an empty confirmation");
        let mut answer = DccpPacket::default();
        server.write(&mut answer);
        assert_eq!(answer.each_option().last(), Some((CONFIRM_R, [99].as_slice())));
    }
}
