import { describe, expect, test } from "vitest";
import type { Rec, Setup, State } from "../src/engine/api";
import {
  ahead,
  Clock,
  duration,
  fasterThan,
  instant,
  isAffordable,
  slowerThan,
  speedAt,
  speedWords,
} from "../src/view/clock";
import { Filters, readNodes } from "../src/view/filters";
import { boundsOf, distanceToLine, fitted, pathOf, placeOn, roundLength } from "../src/view/geometry";
import { History } from "../src/view/history";
import { readGiven } from "../src/view/load";
import { groupOf } from "../src/view/palette";
import { Ring } from "../src/view/ring";
import { Series } from "../src/view/series";
import { fieldsOf, grouped } from "../src/view/words";

const MS = 1e6;

function setupOf(nodes: [number, number][], more: Partial<Setup> = {}): Setup {
  return {
    seed: 1,
    duration_s: 10,
    warmup_s: 0,
    nodes,
    flows: [{ source: 0, destination: nodes.length - 1, transport: "tcp", start_s: 0, label: null }],
    radio: { range_m: 250, cs_range_m: 550, data_rate_bps: 2e6, preset: null },
    routing: "static",
    mobility: false,
    ...more,
  };
}

const LINE: [number, number][] = [
  [0, 0],
  [200, 0],
  [400, 0],
];

/** A frame of a millisecond from node 0 to node 1, which node 2 hears as well. */
const BEGAN: Rec = {
  time: MS,
  record: "FrameBegan",
  frame: "data",
  src: 0,
  dst: 1,
  airtime: MS,
  duration: 300_000,
  flow: 0,
  kind: "tcp",
};
const ended = (node: number, record: string, outcome: string, more: object = {}): Rec => ({
  ...BEGAN,
  time: 2 * MS + 700 * node,
  record,
  node,
  outcome,
  ...more,
});

const senses = (node: number): Rec => ({
  time: 0,
  record: "Busy",
  node,
  from: 0,
  until: 1,
  nav_until: 0,
  ifs_until: 0,
  eifs: false,
});

describe("a ring", () => {
  test("keeps the newest entries, in order", () => {
    const ring = new Ring<number>(3);
    expect([1, 2, 3, 4, 5].map((value) => ring.push(value))).toEqual([undefined, undefined, undefined, 1, 2]);
    expect([ring.at(0), ring.at(1), ring.at(2), ring.length, ring.last()]).toEqual([3, 4, 5, 3, 5]);
  });

  test("finds entries by their time, also across its seam", () => {
    const ring = new Ring<number>(4);
    for (const time of [10, 20, 30, 40, 50, 60]) ring.push(time);
    const same = (value: number) => value;
    expect(ring.after(30, same)).toBe(1);
    expect(ring.until(55, same)).toBe(50);
    expect(ring.until(29, same)).toBeUndefined();
    ring.shift();
    expect(ring.at(0)).toBe(40);
  });
});

describe("a series", () => {
  test("spans the whole run in bounded memory, and ends with what came last", () => {
    const series = new Series(1, 64);
    for (let time = 0; time <= 1000; time++) series.push(time, time * 2);
    expect(series.length).toBeLessThan(64);
    expect(series.valueAt(0, 1)).toBe(0);
    expect(series.valueAt(1e9, 1)).toBe(2000);
    const middle = series.valueAt(500, 1) as number;
    expect(Math.abs(middle - 1000)).toBeLessThan(100);
  });

  test("has nothing before its first point", () => {
    const series = new Series(1);
    series.push(5, 1);
    expect(series.valueAt(4.9, 1)).toBeNull();
  });
});

test("a link that is cut is worse than at the beginning until it is restored", () => {
  const history = new History(setupOf(LINE));
  const changed = (time: number, part: number): Rec => ({ time, record: "LinkChanged", node: 2, peer: 1, part });
  history.takeAll([changed(MS, 0), changed(3 * MS, 0.5), { ...changed(5 * MS, 1), node: 1, peer: 2 }]);
  const worse = (time: number) => {
    const found: unknown[] = [];
    history.links.worse(time, (ends, part) => found.push([...ends, part]));
    return found;
  };
  expect([0, MS, 4 * MS, 5 * MS].map(worse)).toEqual([[], [[1, 2, 0]], [[1, 2, 0.5]], []]);
});

describe("geometry", () => {
  test("a line of nodes fits a screen, y upwards", () => {
    const box = boundsOf(LINE);
    expect(box).toEqual({ left: 0, bottom: -25, width: 400, height: 50 });
    const { scale, x, y } = fitted(box, 500, 300, 50);
    expect([scale, x, y]).toEqual([1, 50, 150]);
  });

  test("a node on its way is where its time says", () => {
    const way = { start: 10, end: 20, from: [0, 0], to: [100, 50] } as const;
    expect(placeOn(way, 15, [0, 0])).toEqual([50, 25]);
    expect(placeOn(way, 5, [0, 0])).toEqual([0, 0]);
    expect(placeOn(way, 99, [0, 0])).toEqual([100, 50]);
  });

  test("a path ends at its destination, at a gap, and where it turns in a circle", () => {
    const state = (hops: (number | null)[]): State =>
      ({ nodes: hops.map((hop) => ({ next_hop: [hop] })), flows: [] }) as unknown as State;
    expect(pathOf(state([1, 2, null]), 0, 0, 2)).toEqual([0, 1, 2]);
    expect(pathOf(state([1, null, null]), 0, 0, 2)).toEqual([0, 1]);
    expect(pathOf(state([1, 0, null]), 0, 0, 2)).toEqual([0, 1]);
  });

  test("distances and round lengths", () => {
    expect(distanceToLine(5, 3, 0, 0, 10, 0)).toBe(3);
    expect(distanceToLine(13, 4, 0, 0, 10, 0)).toBe(5);
    expect([roundLength(140), roundLength(70), roundLength(19)]).toEqual([100, 50, 10]);
  });
});

describe("the playhead", () => {
  test("goes at its speed, and waits for the engine", () => {
    const clock = new Clock();
    clock.playing = true;
    clock.speed = 0.1;
    expect(clock.tick(100, 1e9)).toBe(false);
    expect(clock.time).toBe(10 * MS);
    expect(clock.tick(100, 12 * MS)).toBe(true);
    expect(clock.time).toBe(12 * MS);
  });

  test("never goes back when less is known than it shows", () => {
    const clock = new Clock();
    clock.playing = true;
    clock.time = 5 * MS;
    clock.tick(16, 0);
    expect(clock.time).toBe(5 * MS);
  });

  test("speeds are 1, 2 and 5 times powers of ten, from 1e-5 to 100", () => {
    const seen = [1e-5];
    while (fasterThan(seen.at(-1) as number) !== seen.at(-1)) seen.push(fasterThan(seen.at(-1) as number));
    expect(seen).toHaveLength(22);
    expect(seen.slice(0, 4)).toEqual([1e-5, 2e-5, 5e-5, 1e-4]);
    expect(seen.at(-1)).toBe(100);
    expect(slowerThan(1e-5)).toBe(1e-5);
    for (const speed of seen.slice(1)) expect(fasterThan(slowerThan(speed))).toBe(speed);
    expect(speedAt(0)).toBe(1);
  });

  test("speaks of time as people do", () => {
    expect(speedWords(1e-3)).toBe("1 s shows 1 ms");
    expect(speedWords(1)).toBe("real time");
    expect(speedWords(100)).toBe("1 s shows 100 s");
    expect(duration(352_000)).toBe("352 µs");
    expect(instant(1_234_567_891)).toBe("1.234 567 891 s");
  });

  test("the engine is some pictures ahead, and who only hears is left out where it would be too much", () => {
    expect(ahead(1e-5)).toBe(20 * MS);
    expect(ahead(1)).toBe(0.3e9);
    expect(isAffordable(1, 8)).toBe(true);
    expect(isAffordable(1, 200)).toBe(false);
    expect(isAffordable(0.01, 200)).toBe(true);
  });
});

describe("records become a history", () => {
  function heard(): History {
    const history = new History(setupOf(LINE));
    history.takeAll([senses(2), BEGAN, ended(1, "FrameEnded", "received"), ended(2, "FrameOverheard", "received")]);
    return history;
  }

  test("what is on the air at an instant", () => {
    const history = heard();
    const found: number[] = [];
    history.onAir(1.5 * MS, 1.5 * MS, (frame) => found.push(frame.src));
    history.onAir(3 * MS, 3 * MS, (frame) => found.push(frame.src));
    expect(found).toEqual([0]);
  });

  test("who sends, who receives, who reads it for its NAV", () => {
    const history = heard();
    expect([0, 1, 2].map((node) => history.doingAt(node, 1.5 * MS))).toEqual(["sending", "receiving", "overhearing"]);
    expect(history.navAt(2, 2.1 * MS)?.end).toBe(2 * MS + 1400 + 300_000);
    expect(history.navAt(1, 2.1 * MS)).toBeUndefined();
    expect([0, 1, 2].map((node) => history.doingAt(node, 2.1 * MS))).toEqual(["idle", "idle", "nav"]);
  });

  test("who only senses the medium loses nothing; a receiver does, through the node at fault", () => {
    const history = new History(setupOf(LINE));
    history.takeAll([
      senses(2),
      BEGAN,
      ended(1, "FrameEnded", "collided", { by: 2 }),
      ended(2, "FrameOverheard", "out-of-reach"),
    ]);
    expect([1, 2].map((node) => history.doingAt(node, 1.5 * MS))).toEqual(["losing", "sensing"]);
    const mark = history.nextMark(0, (one) => one.kind === "collision");
    expect([mark?.node, mark?.about, mark?.frame?.src]).toEqual([1, "collision with node 2", 0]);
  });

  test("back-off is counted from the inter-frame space on, once for a quiet time", () => {
    const history = new History(setupOf(LINE));
    history.takeAll([
      { time: 0, record: "Offered", node: 0, packet: 1 },
      { time: 100, record: "Busy", node: 0, from: 300, until: 900, nav_until: 0, ifs_until: 200, eifs: false },
      { time: 150, record: "Busy", node: 0, from: 350, until: 900, nav_until: 0, ifs_until: 200, eifs: false },
      { time: 2000, record: "AccessGranted", node: 0, nav_until: 0, ifs_until: 1500, eifs: false },
    ]);
    const spans = history.lanes[0]?.backoff;
    expect([spans?.length, spans?.at(0), spans?.at(1)]).toEqual([
      2,
      { start: 200, end: 300 },
      { start: 1500, end: 2000 },
    ]);
  });

  test("queues, drops and radios that go off", () => {
    const history = new History(setupOf(LINE));
    history.takeAll([
      { time: 1, record: "Queued", node: 0, via: 0, packet: 7, flow: 0 },
      { time: 2, record: "Queued", node: 0, via: 0, packet: 8, flow: 0 },
      { time: 3, record: "Dropped", node: 0, reason: "queue-full", packet: 8, flow: 0 },
      { time: 4, record: "Power", node: 1, on: 0 },
    ]);
    expect([0, 1, 2, 3].map((time) => history.lanes[0]?.queueAt(time))).toEqual([0, 1, 2, 1]);
    expect([history.doingAt(1, 3), history.doingAt(1, 5)]).toEqual(["idle", "off"]);
    expect(history.nextMark(0, () => true)?.about).toBe("queue-full");
    expect(history.flows[0]?.drops.valueAt(9, 1)).toBe(1);
  });

  test("a timer that only moves on is no timeout; one that sends again is", () => {
    const history = new History(setupOf(LINE));
    const again = { record: "SegmentSent", node: 0, flow: 0, seq: 0, len: 10, retransmission: true };
    history.takeAll([
      { time: 10, record: "TimerExpired", node: 0, flow: 0, timer: "rto" },
      { time: 20, ...again },
      { time: 30, record: "TimerExpired", node: 0, flow: 0, timer: "rto" },
      { time: 30, ...again },
    ]);
    expect(history.marks.length).toBe(1);
    expect(history.nextMark(0, (mark) => mark.kind === "timeout")?.time).toBe(30);
    expect(history.flows[0]?.retransmissions.valueAt(30, 1)).toBe(2);
  });

  test("moving nodes", () => {
    const history = new History(setupOf(LINE, { mobility: true }));
    history.take({ time: 100, record: "SetOut", node: 0, x: 0, y: 0, to_x: 10, to_y: 0, until: 200 });
    expect(history.placeAt(0, 150, [0, 0])).toEqual([5, 0]);
    history.take({ time: 300, record: "Moved", node: 0, x: 7, y: 7 });
    expect(history.placeAt(0, 300, [0, 0])).toEqual([7, 7]);
  });

  test("nodes without radios hear nothing; packets on wires are under way until they come out", () => {
    const history = new History(setupOf(LINE));
    history.takeAll([BEGAN, ended(2, "FrameOverheard", "received")]);
    expect(history.doingAt(2, 1.5 * MS)).toBe("idle");
    const wire = { node: 2, via: 0, flow: 0 };
    history.takeAll([
      { time: 10, record: "WireBegan", ...wire, until: 20, packet: 1 },
      { time: 70, record: "WireEnded", node: 1, from: 2, packet: 1, flow: 0 },
      { time: 100, record: "WireBegan", ...wire, until: 110, packet: 2 },
    ]);
    const under = (time: number) => {
      const found: [number, number][] = [];
      history.wires.under(time, (trip) => found.push([trip.to, trip.end]));
      return found;
    };
    expect([under(99), under(105), under(159), under(160)]).toEqual([[], [[1, 160]], [[1, 160]], []]);
    expect(history.wires.ends).toEqual([[2, 1]]);
  });

  test("a QoS station waits while any packet is in its MAC", () => {
    const radio = { range_m: 79, cs_range_m: 550, data_rate_bps: 39e6, preset: "ht-20" };
    const history = new History(setupOf(LINE, { radio }));
    history.takeAll([
      { time: 100, record: "Queued", node: 0, via: 0, packet: 1 },
      { time: 500, record: "AccessGranted", node: 0, nav_until: 0, ifs_until: 200, eifs: false },
    ]);
    expect(history.lanes[0]?.backoff.last()).toEqual({ start: 200, end: 500 });
  });

  test("ten minutes of a busy network stay within bounds", () => {
    const history = new History(setupOf(LINE));
    for (let at = 0; at < 33_000; at++) {
      const time = at * 19 * MS;
      history.take({ ...BEGAN, time });
      for (let node = 1; node < 7; node++) history.take({ ...ended(1, "FrameEnded", "received"), time: time + MS });
    }
    let heardInAll = 0;
    for (let at = 0; at < history.air.length; at++) heardInAll += history.air.at(at).hearers.length;
    expect(history.air.length).toBeLessThanOrEqual(30_000);
    expect(heardInAll).toBeLessThan(180_000 + 10);
    expect(history.lanes[1]?.heard.length).toBeLessThanOrEqual(4096);
    expect(history.oldest).toBeGreaterThan(0);
  }, 60_000);
});

describe("what is shown", () => {
  test("nodes are read as people write them", () => {
    expect([...(readNodes("0-2, 5", 8) ?? [])]).toEqual([0, 1, 2, 5]);
    expect(readNodes("  ", 8)).toBeNull();
    expect(() => readNodes("9", 8)).toThrow("the nodes are 0 to 7");
    expect(() => readNodes("<b>", 8)).toThrow('"<b>" is no node');
  });

  test("flows, kinds and nodes hide frames", () => {
    const filters = new Filters();
    const history = new History(setupOf(LINE));
    history.take(BEGAN);
    const frame = history.air.at(0);
    expect(filters.showsFrame(frame)).toBe(true);
    filters.hiddenFlows.add(0);
    expect(filters.showsFrame(frame)).toBe(false);
    filters.hiddenFlows.clear();
    filters.groups.delete("data");
    expect(filters.showsFrame(frame)).toBe(false);
    filters.groups.add("data");
    filters.nodes = new Set([2]);
    expect(filters.showsFrame(frame)).toBe(false);
  });

  test("routing differs from data", () => {
    expect(groupOf("data", "rreq")).toBe("routing");
    expect(groupOf("data", "tcp")).toBe("data");
    expect(groupOf("data", "ethernet")).toBe("data");
    expect(groupOf("block-ack", null)).toBe("ack");
  });

  test("fields of a record have their units", () => {
    const fields = Object.fromEntries(fieldsOf({ ...BEGAN, rate: 2e6, dst: null }));
    expect(fields).toMatchObject({ airtime: "1 ms", rate: "2 Mbit/s", dst: "everybody", time: "0.001 000 000 s" });
    expect(grouped(1234567)).toBe("1\u202f234\u202f567");
  });
});

describe("the scenario of a page", () => {
  test("is read as data, whatever it holds", () => {
    const text = "</script><script>alert(1)</script>";
    const given = readGiven(JSON.stringify({ name: text, text, set: {}, seed: 3, command: "hopscope run x.toml" }));
    expect([given?.name, given?.text, given?.seed]).toEqual([text, text, 3]);
    expect(readGiven("")).toBeNull();
    expect(() => readGiven("{")).toThrow("cannot be read");
    expect(() => readGiven('{"name": 1}')).toThrow("holds no scenario");
  });
});
