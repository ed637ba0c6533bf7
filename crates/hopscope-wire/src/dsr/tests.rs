use proptest::prelude::*;

use super::*;

fn octets(header: &Dsr) -> Vec<u8> {
    let mut out = Vec::new();
    header.write(&mut out);
    out
}

fn ids(ids: &[u32]) -> Arc<[NodeId]> {
    ids.iter().map(|&id| NodeId(id)).collect()
}

#[test]
fn a_request_and_its_error() {
    let error = Some(BrokenLink { from: NodeId(5), to: NodeId(6) });
    let message = DsrMessage::RouteRequest(RouteRequest { id: 258, target: NodeId(9), path: ids(&[1, 2]), error });
    let (header, ends) = Dsr::of_message(&message, NodeId(2));
    assert_eq!(ends, (NodeId(1), NodeId::BROADCAST));
    let expected = [
        &[59, 0, 0, 28][..],
        &[1, 10, 1, 2, 10, 0, 0, 10, 10, 0, 0, 3],
        &[3, 14, 1, 0, 10, 0, 0, 6, 10, 0, 0, 2, 10, 0, 0, 7],
    ]
    .concat();
    assert_eq!(octets(&header), expected);
    let (read, behind) = Dsr::read(&expected).expect("a header");
    assert_eq!((read.message(ends), behind), (Some(message), &[][..]));
}

#[test]
fn a_reply_is_led_back_by_its_own_route() {
    // Node 3 answers for a route to 4; the reply goes 3, 2, 1, 0. Node 2 sends it on.
    let message = DsrMessage::RouteReply(RouteReply { route: ids(&[0, 1, 2, 3, 4]), replier: NodeId(3) });
    let (header, ends) = Dsr::of_message(&message, NodeId(2));
    assert_eq!(ends, (NodeId(3), NodeId(0)));
    let expected = [
        &[59, 0, 0, 31][..],
        &[96, 10, 0, 1, 10, 0, 0, 3, 10, 0, 0, 2],
        &[2, 17, 0, 10, 0, 0, 2, 10, 0, 0, 3, 10, 0, 0, 4, 10, 0, 0, 5],
    ]
    .concat();
    assert_eq!(octets(&header), expected);
    assert_eq!(header.message(ends), Some(message));
}

#[test]
fn data_carries_the_nodes_between_its_ends() {
    let route = SourceRoute { path: ids(&[0, 1, 2, 3]), salvage: 0 };
    let of = |route: &SourceRoute, sender| Dsr::of_route(route, NodeId(sender), 6).map(|header| octets(&header));
    assert_eq!(of(&route, 0), Some(vec![6, 0, 0, 12, 96, 10, 0, 2, 10, 0, 0, 2, 10, 0, 0, 3]));
    assert_eq!(of(&route, 1).expect("there is one")[7], 1, "one of them is left behind the first");
    assert_eq!(of(&SourceRoute { path: ids(&[0, 1]), salvage: 0 }, 0), None, "a neighbour needs none");
    // Node 1 has salvaged it and stands first in the list.
    let salvaged = SourceRoute { path: ids(&[1, 4, 3]), salvage: 1 };
    assert_eq!(of(&salvaged, 1), Some(vec![6, 0, 0, 12, 96, 10, 0, 0x41, 10, 0, 0, 2, 10, 0, 0, 5]));
}

#[test]
fn options_that_are_not_known_are_refused() {
    assert!(Dsr::read(&[59, 0, 0, 2, 160, 0]).is_err());
    assert!(Dsr::read(&[59, 1, 0, 0]).is_err());
    assert!(Dsr::read(&[59, 0, 0, 9, 1]).is_err());
    let padded = [59, 0, 0, 4, 224, 0, 1, 9, 7];
    assert_eq!(Dsr::read(&padded), Ok((Dsr { next: NOTHING, options: Vec::new() }, &[7][..])));
}

/// A path of different nodes.
fn paths(least: usize) -> impl Strategy<Value = Arc<[NodeId]>> {
    (least..8usize, 0..1_000u32).prop_map(|(count, first)| (0..count as u32).map(|n| NodeId(first + n)).collect())
}

fn messages() -> impl Strategy<Value = DsrMessage> {
    let link = || (0..100u32, 0..100u32).prop_map(|(from, to)| BrokenLink { from: NodeId(from), to: NodeId(to) });
    prop_oneof![
        (any::<u16>(), 0..1_000u32, paths(1), proptest::option::of(link())).prop_map(|(id, target, path, error)| {
            DsrMessage::RouteRequest(RouteRequest { id, target: NodeId(target), path, error })
        }),
        (paths(2), any::<prop::sample::Index>()).prop_map(|(route, place)| {
            let replier = route[1 + place.index(route.len() - 1)];
            DsrMessage::RouteReply(RouteReply { route, replier })
        }),
        (link(), paths(2)).prop_map(|(link, path)| DsrMessage::RouteError(RouteError { link, path })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn messages_come_back_and_weigh_what_they_say(message in messages()) {
        let sender = match &message {
            DsrMessage::RouteRequest(request) => request.path[request.path.len() - 1],
            DsrMessage::RouteReply(reply) => reply.replier,
            DsrMessage::RouteError(error) => error.path[0],
        };
        let (header, ends) = Dsr::of_message(&message, sender);
        let octets = octets(&header);
        prop_assert_eq!(octets.len() as u32, message.bytes());
        let (read, _) = Dsr::read(&octets).expect("a header");
        prop_assert_eq!(read.message(ends), Some(message));
    }

    #[test]
    fn source_routes_weigh_what_they_say(path in paths(2), salvage in 0..3u8, sender in any::<prop::sample::Index>()) {
        let route = SourceRoute { path, salvage };
        let sender = route.path[sender.index(route.path.len() - 1)];
        let octets = Dsr::of_route(&route, sender, 17).map_or(Vec::new(), |header| octets(&header));
        prop_assert_eq!(octets.len() as u32, route.bytes());
    }

    #[test]
    fn any_octets_are_read_or_refused(kind in prop_oneof![0..4u8, Just(96u8), Just(224u8)], rest in proptest::collection::vec(any::<u8>(), 0..40)) {
        let octets = [&[59, 0, 0, 1 + rest.len() as u8, kind][..], &rest].concat();
        if let Ok((header, _)) = Dsr::read(&octets) {
            let again = self::octets(&header);
            prop_assert_eq!(Dsr::read(&again), Ok((header, &[][..])));
        }
        _ = Dsr::read(&rest);
    }
}
