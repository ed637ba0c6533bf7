//! Notifications of TCP-F as octets. Chandran et al. (2001) give no format, and nobody has assigned a port: over UDP between ports 20563,
//! from node to node.
//!
//! ```text
//!  kind 1 (1: route failure, 2: route re-establishment), zeros 3, source 4, destination 4, source port 2, destination port 2
//! ```

use hopscope_core::ids::SocketId;
use hopscope_packet::{PathNotice, PathNoticeKind, Ports};

use crate::address;
use crate::octets::{Malformed, take, take16};

/// Writes the octets of a notification; nothing of an ICMP message, which is none.
pub fn write(notice: &PathNotice, out: &mut Vec<u8>) {
    let kind = match notice.kind {
        PathNoticeKind::Unreachable => return,
        PathNoticeKind::RouteFailed => 1,
        PathNoticeKind::RouteFound => 2,
    };
    out.extend([kind, 0, 0, 0]);
    out.extend(address::ip(notice.source));
    out.extend(address::ip(notice.dst));
    out.extend(notice.ports.from.to_be_bytes());
    out.extend(notice.ports.to.to_be_bytes());
}

/// Reads the octets of a notification.
///
/// # Errors
/// They are cut off, or another message.
pub fn read(mut octets: &[u8]) -> Result<PathNotice, Malformed> {
    const WHAT: &str = "notification of TCP-F";
    let kind = match take::<4>(WHAT, &mut octets)? {
        [1, 0, 0, 0] => PathNoticeKind::RouteFailed,
        [2, 0, 0, 0] => PathNoticeKind::RouteFound,
        [kind, ..] => return Err(Malformed::field(WHAT, kind, "1 and 2, followed by three zeros")),
    };
    let source = address::node(take(WHAT, &mut octets)?)?;
    let dst = address::node(take(WHAT, &mut octets)?)?;
    let (from, to) = (take16(WHAT, &mut octets)?, take16(WHAT, &mut octets)?);
    Ok(PathNotice { kind, source, dst, ports: Ports { from, to, found: SocketId::NONE } })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use hopscope_core::ids::NodeId;

    use super::*;

    fn notice(kind: PathNoticeKind) -> PathNotice {
        let ports = Ports { from: 0xC000, to: 0x1389, found: SocketId::NONE };
        PathNotice { kind, source: NodeId(0), dst: NodeId(7), ports }
    }

    #[test]
    fn a_notification_has_its_octets_where_they_are_drawn() {
        let mut octets = Vec::new();
        write(&notice(PathNoticeKind::RouteFailed), &mut octets);
        assert_eq!(octets, [1, 0, 0, 0, 10, 0, 0, 1, 10, 0, 0, 8, 0xC0, 0, 0x13, 0x89]);
        assert!(read(&octets[..15]).is_err());
        octets[0] = 3;
        assert!(matches!(read(&octets), Err(Malformed::Field { found: 3, .. })));
    }

    #[test]
    fn notifications_come_back() {
        for kind in [PathNoticeKind::RouteFailed, PathNoticeKind::RouteFound] {
            let mut octets = Vec::new();
            write(&notice(kind), &mut octets);
            assert_eq!(read(&octets), Ok(notice(kind)));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        #[test]
        fn any_octets_are_read_or_refused(kind in 0..4u8, octets in proptest::collection::vec(any::<u8>(), 0..20)) {
            _ = read(&octets);
            let octets = [&[kind, 0, 0, 0][..], &octets].concat();
            if let Ok(notice) = read(&octets) {
                let mut again = Vec::new();
                write(&notice, &mut again);
                prop_assert_eq!(&again[..], &octets[..16]);
            }
        }
    }
}
