//! smoltcp as an end of the connection under test.

use ::smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use ::smoltcp::phy::{ChecksumCapabilities, Device, DeviceCapabilities, Medium, RxToken, TxToken};
use ::smoltcp::socket::tcp::{CongestionControl, Socket, SocketBuffer};
use ::smoltcp::time::Instant;
use ::smoltcp::wire::{
    HardwareAddress, IpAddress, IpCidr, IpProtocol, Ipv4Address, Ipv4Packet, Ipv4Repr, TcpControl, TcpPacket, TcpRepr,
    TcpSeqNumber,
};

use crate::*;

/// A device that hands packets over one by one.
#[derive(Default)]
struct Port {
    inward: Vec<Vec<u8>>,
    outward: Vec<Vec<u8>>,
}

struct Rx(Vec<u8>);
struct Tx<'a>(&'a mut Vec<Vec<u8>>);

impl RxToken for Rx {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

impl TxToken for Tx<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        let mut packet = vec![0; len];
        let result = f(&mut packet);
        self.0.push(packet);
        result
    }
}

impl Device for Port {
    type RxToken<'a> = Rx;
    type TxToken<'a> = Tx<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Rx, Tx<'_>)> {
        let packet = self.inward.pop()?;
        Some((Rx(packet), Tx(&mut self.outward)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Tx<'_>> {
        Some(Tx(&mut self.outward))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut caps = DeviceCapabilities::default();
        caps.medium = Medium::Ip;
        caps.max_transmission_unit = MSS + 40;
        caps
    }
}

pub(super) struct Theirs {
    sends: bool,
    iface: Interface,
    port: Port,
    sockets: SocketSet<'static>,
    handle: SocketHandle,
    offered: usize,
    received: Vec<u8>,
    /// First numbers of this end and of the other one.
    isn: Option<i32>,
    peer_isn: i32,
    addresses: (Ipv4Address, Ipv4Address),
}

fn instant(now: Time) -> Instant {
    Instant::from_micros((now.0 / 1000) as i64)
}

impl Theirs {
    pub(super) fn new(sends: bool) -> Self {
        let (a, b) = (Ipv4Address::new(10, 0, 0, 1), Ipv4Address::new(10, 0, 0, 2));
        let addresses = if sends { (a, b) } else { (b, a) };
        let mut port = Port::default();
        let mut config = Config::new(HardwareAddress::Ip);
        config.random_seed = 7;
        let mut iface = Interface::new(config, &mut port, Instant::ZERO);
        iface.update_ip_addrs(|list| list.push(IpCidr::new(IpAddress::Ipv4(addresses.0), 24)).expect("room"));
        let buffer = |segments: usize| SocketBuffer::new(vec![0; segments * MSS]);
        let mut socket = Socket::new(buffer(WINDOW), buffer(SEGMENTS));
        socket.set_congestion_control(CongestionControl::Reno);
        socket.set_nagle_enabled(false);
        socket.set_ack_delay(None);
        if sends {
            let peer = (IpAddress::Ipv4(addresses.1), PORTS.1);
            socket.connect(iface.context(), peer, PORTS.0).expect("a fresh socket");
        } else {
            socket.listen(PORTS.1).expect("a fresh socket");
        }
        let mut sockets = SocketSet::new(Vec::new());
        let handle = sockets.add(socket);
        let received = Vec::new();
        Theirs { sends, iface, port, sockets, handle, offered: 0, received, isn: None, peer_isn: 5000, addresses }
    }

    /// The application reads and writes what it can, then the stack sends.
    fn work(&mut self, now: Time) {
        let socket = self.sockets.get_mut::<Socket>(self.handle);
        while socket.can_recv() {
            let taken = socket.recv(|data| (data.len(), data.to_vec())).expect("data");
            self.received.extend(taken);
        }
        while self.sends && socket.can_send() && self.offered < SEGMENTS * MSS {
            let rest: Vec<u8> = (self.offered..SEGMENTS * MSS).map(byte).collect();
            self.offered += socket.send_slice(&rest).expect("room");
        }
        // Each poll sends one segment.
        let mut sent = usize::MAX;
        while sent != self.port.outward.len() {
            sent = self.port.outward.len();
            self.iface.poll_egress(instant(now), &mut self.port, &mut self.sockets);
        }
    }

    /// The packet that a segment is for this stack.
    fn packet(&self, wire: &Wire) -> Vec<u8> {
        let (us, peer) = if self.sends { PORTS } else { (PORTS.1, PORTS.0) };
        let isn = self.isn.unwrap_or(0);
        let number = |first: i32, at: u64| TcpSeqNumber(first.wrapping_add(at as i32));
        let control = match (wire.syn, wire.payload.is_empty()) {
            (true, _) => TcpControl::Syn,
            (_, false) => TcpControl::Psh,
            _ => TcpControl::None,
        };
        let mut sack_ranges = [None; 3];
        for (slot, &(start, end)) in sack_ranges.iter_mut().zip(&wire.sack) {
            *slot = Some((number(isn, start).0 as u32, number(isn, end).0 as u32));
        }
        let tcp = TcpRepr {
            src_port: peer,
            dst_port: us,
            control,
            seq_number: number(self.peer_isn, wire.seq),
            ack_number: wire.ack.map(|ack| number(isn, ack)),
            window_len: wire.window.min(65_535) as u16,
            window_scale: None,
            max_seg_size: wire.syn.then_some(MSS as u16),
            sack_permitted: wire.syn,
            sack_ranges,
            timestamp: None,
            payload: &wire.payload,
        };
        let ip = Ipv4Repr {
            src_addr: self.addresses.1,
            dst_addr: self.addresses.0,
            next_header: IpProtocol::Tcp,
            payload_len: tcp.buffer_len(),
            hop_limit: 64,
        };
        let checksums = ChecksumCapabilities::default();
        let mut bytes = vec![0; ip.buffer_len() + tcp.buffer_len()];
        let mut packet = Ipv4Packet::new_unchecked(&mut bytes);
        ip.emit(&mut packet, &checksums);
        let (src, dst) = (IpAddress::Ipv4(ip.src_addr), IpAddress::Ipv4(ip.dst_addr));
        tcp.emit(&mut TcpPacket::new_unchecked(packet.payload_mut()), &src, &dst, &checksums);
        bytes
    }

    fn wire(&mut self, bytes: &[u8]) -> Wire {
        let packet = Ipv4Packet::new_checked(bytes).expect("a sound packet");
        let (src, dst) = (IpAddress::Ipv4(packet.src_addr()), IpAddress::Ipv4(packet.dst_addr()));
        let tcp = TcpPacket::new_checked(packet.payload()).expect("a sound segment");
        let repr = TcpRepr::parse(&tcp, &src, &dst, &ChecksumCapabilities::default()).expect("a sound segment");
        assert_ne!(repr.control, TcpControl::Rst, "the connection was refused");
        let isn = *self.isn.get_or_insert(repr.seq_number.0);
        let since = |first: i32, number: TcpSeqNumber| u64::from(number.0.wrapping_sub(first) as u32);
        let place = |number: u32| since(self.peer_isn, TcpSeqNumber(number as i32));
        Wire {
            seq: since(isn, repr.seq_number),
            ack: repr.ack_number.map(|ack| since(self.peer_isn, ack)),
            syn: repr.control == TcpControl::Syn,
            window: u32::from(repr.window_len),
            sack: repr.sack_ranges.iter().flatten().map(|&(start, end)| (place(start), place(end))).collect(),
            payload: repr.payload.to_vec(),
        }
    }
}

impl End for Theirs {
    fn on_segment(&mut self, seg: &Wire, now: Time) {
        if self.isn.is_none() && seg.syn {
            assert!(!self.sends, "its own SYN went out first");
        }
        let packet = self.packet(seg);
        self.port.inward.push(packet);
        self.iface.poll_ingress_single(instant(now), &mut self.port, &mut self.sockets);
        self.work(now);
    }

    fn on_time(&mut self, now: Time) {
        self.work(now);
    }

    fn next(&mut self, now: Time) -> Option<Time> {
        let at = self.iface.poll_at(instant(now), &self.sockets)?;
        Some(Time(at.total_micros().max(0) as u64 * 1000).max(now + Span::from_micros(1)))
    }

    fn take(&mut self) -> Vec<Wire> {
        let packets = std::mem::take(&mut self.port.outward);
        packets.iter().map(|bytes| self.wire(bytes)).collect()
    }

    fn received(&self) -> &[u8] {
        &self.received
    }

    fn done(&self) -> bool {
        self.offered == SEGMENTS * MSS && self.sockets.get::<Socket>(self.handle).send_queue() == 0
    }
}
