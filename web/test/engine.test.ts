import { beforeAll, describe, expect, it, vi } from "vitest";
import { Engine, EngineError, type Problem, RemoteEngine } from "../src/engine";
import { serve } from "../src/engine/worker";
import { wasm } from "./engine";

const CHAIN = `duration = "2s"
[topology]
kind = "chain"
hops = 3
[[flow]]
from = 0
to = "last"
transport = "tcp-newreno"
`;

// On a machine that has other work.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let engine: Engine;

beforeAll(async () => {
  engine = await Engine.load(wasm());
});

/** The problems of a call that has to be refused. */
function refused(call: () => unknown): Problem[] {
  try {
    call();
  } catch (error) {
    if (error instanceof EngineError) return error.problems;
    throw error;
  }
  throw new Error("was not refused");
}

/** Results without the events of the engine, of which a world that is watched has more. */
function measured(results: unknown): unknown {
  const { engine: _, ...rest } = results as { engine: unknown };
  return rest;
}

describe("check", () => {
  it("finds nothing wrong with a sound scenario, and estimates its cost", () => {
    const { problems, warnings, cost, elsewhere } = engine.check(CHAIN);
    expect({ problems, warnings, elsewhere }).toEqual({ problems: [], warnings: [], elsewhere: null });
    expect(cost?.events).toBeGreaterThan(1000);
  });

  it("places what is wrong at its line and column", () => {
    const { problems, cost } = engine.check(CHAIN.replace("hops = 3", "  hops = 0"));
    expect(problems).toEqual([
      { key: "topology.hops", message: expect.stringContaining("must be at least 1"), line: 4, column: 3 },
    ]);
    expect(cost).toBeNull();
    expect(engine.check("a = [").problems[0]).toMatchObject({ key: "", line: 1 });
  });

  it("names keys that were set without a place in the text", () => {
    const [problem] = engine.check(CHAIN, { "mac.queue": -1, "flow.*.max_window": 4 }).problems;
    expect(problem).toEqual({ key: "mac.queue", message: expect.stringContaining("found -1") });
    expect(engine.check(CHAIN, { "flow.7.to": 1 }).problems[0]?.message).toContain("flow 7 does not exist");
  });

  it("says where own code and files run", () => {
    const own = CHAIN.replace("tcp-newreno", "tcp:mine.py:Mine");
    expect(engine.check(own)).toMatchObject({ problems: [], elsewhere: expect.stringContaining("hopscope run") });
    expect(refused(() => engine.open(own))[0]?.message).toContain("code of your own");
    const file = CHAIN.replace('kind = "chain"\nhops = 3', 'kind = "file"\npath = "/etc/passwd"');
    expect(engine.check(file).elsewhere).toContain('"/etc/passwd" is a file');
  });

  it("takes hostile text for what it is", () => {
    const { problems } = engine.check(`"</script><img src=x onerror=alert(1)>" = 1e999\n${CHAIN}`);
    expect(problems[0]?.key).toBe("</script><img src=x onerror=alert(1)>");
  });
});

describe("a world", () => {
  it("gives in steps what a run gives as a whole", () => {
    const world = engine.open(CHAIN, { seed: 7 });
    while (!world.over) {
      world.step(50);
      world.advance(world.now_s + 0.01);
      world.state();
    }
    expect(measured(world.results())).toEqual(measured(engine.run(CHAIN, { seed: 7 })));
    expect(measured(world.results())).not.toEqual(measured(engine.run(CHAIN, { seed: 8 })));
    world.free();
  });

  it("says what stands before the run", () => {
    const { setup } = engine.open(CHAIN, {
      set: { "radio.preset": "wavelan-11M", "topology.spacing": 100, "flow.0.start": "0.5s" },
    });
    expect(setup.nodes).toHaveLength(4);
    expect(setup.flows).toEqual([
      { source: 0, destination: 3, transport: expect.stringContaining("newreno"), start_s: 0.5, label: null },
    ]);
    expect(setup.radio).toMatchObject({ data_rate_bps: 11_000_000, preset: "wavelan-11M" });
    expect(setup).toMatchObject({ duration_s: 2, routing: "static", mobility: false });
    expect(
      engine.open(CHAIN, {
        set: { "mobility.model": "random-walk", "mobility.area": [900, 500], "routing.protocol": "aodv" },
      }).setup.mobility,
    ).toBe(true);
  });

  it("never has more records at hand than it is asked for", () => {
    const world = engine.open(CHAIN);
    let records = 0;
    let before = 0;
    while (!world.over) {
      const found = world.advance(2, 1000);
      expect(found.length).toBeLessThan(1100);
      for (const { time } of found) {
        expect(time).toBeGreaterThanOrEqual(before);
        before = time;
      }
      records += found.length;
    }
    expect(records).toBeGreaterThan(10_000);
  });

  it("steps by frames", () => {
    const world = engine.open(CHAIN, { records: ["FrameBegan"] });
    expect(world.step(3).map(({ record }) => record)).toEqual(["FrameBegan", "FrameBegan", "FrameBegan"]);
    const transmitting = world.state().nodes.filter(({ doing }) => doing === "transmitting");
    expect(transmitting).toHaveLength(1);
    world.keep(false);
    expect(world.step(3)).toEqual([]);
    expect(refused(() => world.keep(["Nothing"]))[0]?.message).toContain("there is no record");
  });

  it("is no more once it is freed", () => {
    const world = engine.open(CHAIN);
    world.free();
    expect(refused(() => world.step(1))[0]?.message).toBe("this run has been freed");
  });

  it("gives its memory back", () => {
    const grown = () => {
      for (let run = 0; run < 20; run += 1) {
        const world = engine.open(CHAIN);
        world.advance(0.1);
        world.free();
      }
      return engine.memory;
    };
    expect(grown()).toBe(grown());
  });
});

describe("the engine", () => {
  it("has names of records and a schema", () => {
    expect(engine.recordNames()).toContain("FrameBegan");
    expect(engine.schema()).toMatchObject({ properties: { topology: {} } });
    expect(engine.version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("refuses what is no module", async () => {
    await expect(Engine.load(new Uint8Array([1, 2, 3]))).rejects.toThrow(EngineError);
  });

  it("gives the same hash twice and another with another seed", () => {
    expect(engine.hash(CHAIN)).toMatch(/^[0-9a-f]{16}$/);
    expect(engine.hash(CHAIN)).toBe(engine.hash(CHAIN, { seed: 1 }));
    expect(engine.hash(CHAIN)).not.toBe(engine.hash(CHAIN, { seed: 2 }));
  });
});

describe("an engine in a worker", () => {
  it("answers as one that is at hand", async () => {
    const { port1, port2 } = new MessageChannel();
    serve(port2);
    port1.start();
    port2.start();
    const remote = await RemoteEngine.load(port1, wasm());
    expect(remote.version).toBe(engine.version);
    expect(await remote.check(CHAIN)).toEqual(engine.check(CHAIN));
    expect(await remote.run(CHAIN)).toEqual(engine.run(CHAIN));
    const [far, near] = [await remote.open(CHAIN), engine.open(CHAIN)];
    expect(far.setup).toEqual(near.setup);
    expect(await far.advance(0.2)).toEqual(near.advance(0.2));
    expect([far.now_s, far.over]).toEqual([near.now_s, near.over]);
    expect(await far.state()).toEqual(near.state());
    await far.free();
    await expect(far.step(1)).rejects.toThrow("this run has been freed");
    await expect(remote.open("a = [")).rejects.toThrow(EngineError);
    port1.close();
  });
});
