import { describe, expect, test } from "vitest";
import { type LiveAnswer, LiveWorld, type NodeState, type Rec, type Setup } from "../src/engine";
import { Session } from "../src/view/session";

const SETUP: Setup = {
  seed: 1,
  duration_s: 60,
  warmup_s: 0,
  nodes: [
    [0, 0],
    [200, 0],
  ],
  flows: [],
  radio: { range_m: 250, cs_range_m: 550, data_rate_bps: 2e6, preset: "wavelan-2M" },
  routing: "static",
  mobility: false,
};

const node = (more: Partial<NodeState> = {}): NodeState => ({
  x: 0,
  y: 0,
  up: true,
  queue: 0,
  nav_until_s: 0,
  cw: 31,
  backoff_slots: null,
  doing: "idle",
  next_hop: [],
  ...more,
});

const frame = (time: number): Rec => ({
  time,
  record: "FrameBegan",
  frame: "data",
  src: 0,
  dst: 1,
  airtime: 1e6,
  duration: 0,
});

/** A server that gives these answers one after the other, and then is gone. */
function server(...answers: Partial<LiveAnswer>[]) {
  const asked: string[] = [];
  const ask = async (address: string): Promise<LiveAnswer> => {
    asked.push(address);
    const answer = answers[asked.length - 1];
    if (!answer) throw new TypeError("Failed to fetch");
    const state = { nodes: [node(), node({ x: 200 })], flows: [] };
    return {
      now_s: 5 + asked.length,
      over: false,
      next: asked.length,
      lost: false,
      state,
      links: [],
      records: [],
      ...answer,
    };
  };
  return { asked, ask };
}

describe("a live run", () => {
  test("is asked for what has come since the answer before", async () => {
    const { asked, ask } = server({ next: 7 }, { next: 9, records: [frame(6.5e9)] }, { over: true });
    const world = await LiveWorld.join(SETUP, ["FrameBegan", "Dropped"], ask);
    expect([world.now_s, world.over]).toEqual([6, false]);
    expect(await world.advance()).toEqual([frame(6.5e9)]);
    expect([world.now_s, world.over, world.lost]).toEqual([7, false, false]);
    expect(await world.step()).toEqual([]);
    expect(world.over).toBe(true);
    expect(asked).toEqual([
      "records?names=FrameBegan,Dropped",
      "records?after=7&names=FrameBegan,Dropped",
      "records?after=9&names=FrameBegan,Dropped",
    ]);
  });

  test("is over where its server is gone, and says where records are missing", async () => {
    const { ask } = server({}, { lost: true }, {});
    const world = await LiveWorld.join(SETUP, [], ask);
    await world.advance();
    await world.advance();
    expect([world.lost, world.over, world.now_s]).toEqual([true, false, 8]);
    expect(await world.advance()).toEqual([]);
    expect([world.over, world.now_s]).toEqual([true, 8]);
  });

  test("is joined as it stands: places, radios that are off, links that are cut", async () => {
    const state = { nodes: [node({ up: false }), node({ x: 350, y: 80 })], flows: [] };
    const { ask } = server({ state, links: [[0, 1, 0]] }, { state }, { state });
    const world = await LiveWorld.join(SETUP, [], ask);
    expect(world.setup.nodes).toEqual([
      [0, 0],
      [350, 80],
    ]);
    expect(await world.advance()).toEqual([
      { time: 6e9, record: "Power", node: 0, on: false },
      { time: 6e9, record: "LinkChanged", node: 0, peer: 1, part: 0 },
    ]);
    expect(await world.advance()).toEqual([]);
  });

  test("shows a node on its way until records speak of it", async () => {
    const at = (x: number) => ({ nodes: [node({ x }), node({ x: 200 })], flows: [] });
    const out: Rec = { time: 8.5e9, record: "SetOut", node: 0, x: 20, y: 0, to_x: 90, to_y: 0, until: 9e9 };
    const { ask } = server(
      { state: at(0) },
      { state: at(10) },
      { state: at(20) },
      { state: at(30), records: [out] },
      { state: at(40) },
    );
    const world = await LiveWorld.join(SETUP, [], ask);
    const seen = [await world.advance(), await world.advance(), await world.advance(), await world.advance()];
    expect(seen).toEqual([
      [{ time: 7e9, record: "Moved", node: 0, x: 10, y: 0 }],
      [{ time: 8e9, record: "Moved", node: 0, x: 20, y: 0 }],
      [out],
      [],
    ]);
  });
});

describe("the playhead of a live run", () => {
  const settled = () => new Promise((done) => setTimeout(done, 0));

  test("begins at the present, follows it, and rests without holding it up", async () => {
    const { asked, ask } = server({}, {}, {}, {}, {});
    const session = new Session(await LiveWorld.join(SETUP, [], ask));
    session.clock.speed = 1;
    expect([session.clock.time, session.history.oldest]).toEqual([6e9, 6e9]);
    session.clock.playing = true;
    session.tick(16);
    await settled();
    expect(session.known).toBe(7e9);
    // A second behind: it goes to the present.
    session.tick(16);
    await settled();
    expect(session.clock.time).toBe(7e9 - 8e6 - 0.2e9);
    session.clock.playing = false;
    const shown = session.clock.time;
    session.tick(16);
    await settled();
    expect([session.clock.time, session.known, asked.length]).toEqual([shown, 9e9, 4]);
    session.seek(0);
    expect(session.clock.time).toBe(6e9);
  });

  test("ends where the run does", async () => {
    const { ask } = server({}, { over: true, now_s: 9 });
    const session = new Session(await LiveWorld.join(SETUP, [], ask));
    session.clock.speed = 1;
    session.clock.playing = true;
    session.tick(16);
    await settled();
    for (let at = 0; at < 40; at++) session.tick(100);
    expect([session.end, session.clock.time, session.clock.playing]).toEqual([9e9, 9e9, false]);
  });
});
