//! Movements against what theory says of them, from time zero on.

use super::steady::{mean_distance, mean_pause, mean_slowness};
use super::*;
use hopscope_core::units::Span;

const AREA: [f64; 2] = [1500.0, 300.0];

fn moving(nodes: usize, m: MobilityConfig) -> Mobility {
    let (places, radios) = (vec![[750.0, 150.0]; nodes], vec![true; nodes]);
    let duration = Time::ZERO + Span::from_secs(3600);
    Mobility::new(&Movement { seed: 1, duration, nodes: &places, radios, mobility: &m, paths: &[] })
}

fn model(model: MobilityModel) -> MobilityConfig {
    MobilityConfig { model, area: AREA, ..MobilityConfig::default() }
}

/// Goes on to an instant; gives the places and speeds of all nodes then.
fn seen(mobility: &mut Mobility, at: Time) -> Vec<([f64; 2], f64)> {
    let nodes: Vec<NodeId> = mobility.legs().map(|(node, _)| node).collect();
    for node in nodes {
        while let Some(leg) = mobility.of(node).map(|mover| mover.leg).filter(|leg| leg.until <= at) {
            mobility.next(node, leg.until);
        }
    }
    mobility.movers.iter().map(|mover| (mover.leg.at(at), mover.leg.speed())).collect()
}

fn at(seconds: u64) -> Time {
    Time::ZERO + Span::from_secs(seconds)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    sum / f64::from(count)
}

/// Share of places in the middle half of the area on both axes.
fn in_the_middle(seen: &[([f64; 2], f64)]) -> f64 {
    let is_there = |place: &[f64; 2]| (0..2).all(|axis| (place[axis] / AREA[axis] - 0.5).abs() <= 0.25);
    mean(seen.iter().map(|(place, _)| f64::from(u8::from(is_there(place)))))
}

/// The density of a node under way by random waypoint, not normalised (Hyytia, Lassila and Virtamo 2006, theorem 1): the
/// integral over all directions of a b (a + b), with the distances a and b to the border ahead and behind.
fn density_under_way([x, y]: [f64; 2]) -> f64 {
    let to_border = |angle: f64| {
        let (cos, sin) = (angle.cos(), angle.sin());
        let along = |c: f64, place: f64, side: f64| if c > 0.0 { (side - place) / c } else { -place / c };
        along(cos, x, AREA[0]).min(along(sin, y, AREA[1]))
    };
    let directions = 400;
    let angle = |n: u32| (f64::from(n) + 0.5) * std::f64::consts::PI / f64::from(directions);
    let part = |n: u32| {
        let (ahead, behind) = (to_border(angle(n)), to_border(angle(n) + std::f64::consts::PI));
        ahead * behind * (ahead + behind)
    };
    (0..directions).map(part).sum()
}

/// Share of the time under way that a node spends in the middle half of the area.
fn middle_under_way() -> f64 {
    let cells = 40;
    let mut share = [0.0; 2];
    for column in 0..cells {
        for row in 0..cells {
            let place = [column, row].map(|n| (f64::from(n) + 0.5) / f64::from(cells));
            let density = density_under_way([place[0] * AREA[0], place[1] * AREA[1]]);
            let is_middle = place.iter().all(|part| (part - 0.5).abs() < 0.25);
            share[0] += density;
            share[1] += if is_middle { density } else { 0.0 };
        }
    }
    share[1] / share[0]
}

#[test]
fn random_waypoint_keeps_the_speed_and_density_of_theory_from_time_zero() {
    let middle = middle_under_way();
    for pause in [0, 30, 300] {
        let m = MobilityConfig { pause: Span::from_secs(pause), ..model(MobilityModel::RandomWaypoint) };
        let travel = mean_distance(AREA) * mean_slowness(&m);
        let moves = travel / (travel + mean_pause(&m));
        let speed = mean_distance(AREA) / (travel + mean_pause(&m));
        // At rest a node is anywhere alike: in the middle half of both sides a quarter of the time.
        let share = moves * middle + (1.0 - moves) * 0.25;
        // The chance that this draw lies so far off is one in a thousand; the seed is fixed.
        let mut mobility = moving(200_000, m);
        for second in [0, 10, 300] {
            let seen = seen(&mut mobility, at(second));
            let found = mean(seen.iter().map(|(_, speed)| *speed));
            assert!((found / speed - 1.0).abs() < 0.02, "pause {pause} s, {second} s: {found} m/s for {speed} m/s");
            let found = in_the_middle(&seen);
            assert!((found / share - 1.0).abs() < 0.02, "pause {pause} s, {second} s: {found} for {share}");
        }
    }
}

#[test]
fn a_start_at_the_topology_shows_the_decay_that_a_steady_one_has_not() {
    let m = MobilityConfig { start: MobilityStart::Topology, ..model(MobilityModel::RandomWaypoint) };
    let mut mobility = moving(20_000, m);
    let speed = |mobility: &mut Mobility, second| mean(seen(mobility, at(second)).iter().map(|(_, speed)| *speed));
    // All set out at the mean of the speeds they choose, 10.5 m/s, and are slower later, 19 / ln 20 m/s.
    assert!((speed(&mut mobility, 0) - 10.5).abs() < 0.2);
    assert!((speed(&mut mobility, 3000) - 19.0 / 20f64.ln()).abs() < 0.2);
}

#[test]
fn walks_between_walls_fill_the_area_evenly_and_stay_inside() {
    for word in [MobilityModel::RandomWalk, MobilityModel::GaussMarkov] {
        let m = MobilityConfig { step: Span::from_secs(10), ..model(word) };
        let mut mobility = moving(20_000, m);
        for second in [0, 50, 400] {
            let seen = seen(&mut mobility, at(second));
            let inside = |place: &[f64; 2]| (0..2).all(|axis| (0.0..=AREA[axis]).contains(&place[axis]));
            assert!(seen.iter().all(|(place, _)| inside(place)), "{word:?}, {second} s");
            let share = in_the_middle(&seen);
            assert!((share - 0.25).abs() < 0.01, "{word:?}, {second} s: {share}");
            // Both are symmetric about the middle of the speeds.
            let speed = mean(seen.iter().map(|(_, speed)| *speed));
            assert!((speed - 10.5).abs() < 0.15, "{word:?}, {second} s: {speed} m/s");
        }
    }
}

#[test]
fn gauss_markov_remembers_its_speed() {
    let m = MobilityConfig { memory: 0.9, step: Span::from_secs(10), ..model(MobilityModel::GaussMarkov) };
    let mut mobility = moving(20_000, m);
    let before = seen(&mut mobility, at(100));
    let after = seen(&mut mobility, at(120));
    // After two steps the correlation of two speeds is the square of the memory.
    let product = mean(before.iter().zip(&after).map(|(a, b)| (a.1 - 10.5) * (b.1 - 10.5)));
    let square = mean(before.iter().map(|a| (a.1 - 10.5).powi(2)));
    assert!((product / square - 0.81).abs() < 0.03, "{}", product / square);
    assert!((square - 1.0).abs() < 0.05, "{square}");
}

#[test]
fn manhattan_keeps_to_its_streets_and_walks_every_block_alike() {
    let m = MobilityConfig { pause: Span::from_secs(5), block: 100.0, ..model(MobilityModel::Manhattan) };
    let travel = 100.0 * mean_slowness(&m);
    let mut mobility = moving(40_000, m);
    for second in [0, 100, 1000] {
        let seen = seen(&mut mobility, at(second));
        let on_street = |x: f64| (x / 100.0 - (x / 100.0).round()).abs() < 1e-9;
        assert!(seen.iter().all(|([x, y], _)| on_street(*x) || on_street(*y)), "{second} s");
        let speed = mean(seen.iter().map(|(_, speed)| *speed));
        assert!((speed / (100.0 / (travel + 5.0)) - 1.0).abs() < 0.02, "{second} s: {speed} m/s");
        // Of 15 x 4 + 3 x 16 blocks two streets of 15 lie on the long borders.
        let border = |y: f64| y == 0.0 || y == 300.0;
        let moving: Vec<_> = seen.iter().filter(|(_, speed)| *speed > 0.0).collect();
        let share = mean(moving.iter().map(|([_, y], _)| f64::from(u8::from(border(*y)))));
        assert!((share - 30.0 / 108.0).abs() < 0.01, "{second} s: {share}");
    }
}

#[test]
fn a_group_stays_together_and_inside() {
    let m = MobilityConfig { groups: 4, radius: 60.0, pause: Span::from_secs(3), ..model(MobilityModel::Group) };
    let mut mobility = moving(40, m);
    let mut begun = Vec::new();
    for second in [0, 20, 500] {
        let seen = seen(&mut mobility, at(second));
        for group in seen.chunks(10) {
            for axis in 0..2 {
                let along = || group.iter().map(|(place, _)| place[axis]);
                let (low, high) = (along().fold(f64::INFINITY, f64::min), along().fold(0.0, f64::max));
                assert!(high - low <= 120.0 && high - low > 20.0, "{second} s: {low} to {high}");
                assert!(low >= 0.0 && high <= AREA[axis]);
            }
        }
        begun.push(seen[0].0);
    }
    assert!(begun[0] != begun[1] && begun[1] != begun[2]);
}

#[test]
fn a_node_moves_the_same_whoever_else_does() {
    let m = model(MobilityModel::RandomWaypoint);
    let alone = MobilityConfig { nodes: vec![7], ..m.clone() };
    let (all, one) = (seen(&mut moving(20, m), at(200)), seen(&mut moving(20, alone), at(200)));
    assert_eq!((one.len(), one[0]), (1, all[7]));
}

#[test]
fn ways_join_the_legs_of_each_node_until_the_end() {
    let m = MobilityConfig { pause: Span::from_secs(5), ..model(MobilityModel::RandomWaypoint) };
    let paths = moving(5, m.clone()).paths(at(300));
    assert_eq!(paths.iter().map(|(node, _)| node.0).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    let mut mobility = moving(5, m);
    for second in [0, 1, 77, 150, 299, 300] {
        for (&(place, _), (node, path)) in seen(&mut mobility, at(second)).iter().zip(&paths) {
            // Between two instants of a way a node goes straight at constant speed.
            let pair = path.windows(2).find(|pair| (pair[0].0..=pair[1].0).contains(&at(second))).expect("a stretch");
            let on_it = Leg::between(pair[0].0, pair[1].0, pair[0].1, pair[1].1).at(at(second));
            let off = (place[0] - on_it[0]).hypot(place[1] - on_it[1]);
            assert!(off < 1e-6, "node {node} at {second} s is {off} m off its path");
        }
    }
}
