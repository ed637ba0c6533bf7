/** What a figure of an interactive report runs, and what becomes of the results. */

import { describe, expect, it, vi } from "vitest";
import { added, isEqual, percentile, shares, total } from "../src/rerun/classes";
import type { Classes, Curves, Distribution, HeatMap, Scenario } from "../src/rerun/data";
import { best, grid, shade } from "../src/rerun/heatmap";
import { lines, storedLines } from "../src/rerun/lines";
import { beginning, isTypeable, jobs, nameOf, rows, setting, type Typed, typed } from "../src/rerun/plan";
import { Pool } from "../src/rerun/pool";
import { Kept, type Sample, samples } from "../src/rerun/samples";
import { decimals, isSame, mean, shown, sum } from "../src/rerun/stats";

/** Two-sided 95 % quantiles of Student's t for 1 to 4 degrees of freedom (Abramowitz and Stegun, table 26.10). */
const QUANTILES = [null, 12.706, 4.303, 3.182, 2.776];

const KEY = "flow.0.max_window";

/** Windows 2 and 4 with two transports, two flows. */
function scenario(): Scenario {
  const transports = ["tcp-newreno", "tcp-vegas"];
  const points = [2, 4].flatMap((window, place) =>
    transports.map((transport, at) => ({
      text: 0,
      set: { [KEY]: window, "flow.0.transport": transport },
      at: [place, at],
    })),
  );
  return {
    title: "two",
    seed: 7,
    seeds: 2,
    duration: 5,
    least: 0,
    texts: ["duration = '5s'"],
    files: {},
    points,
    keys: [
      { key: KEY, label: "window (packets)", words: "window", shown: ["2", "4"], places: [2, 4], unit: "", with: [] },
      {
        key: "flow.0.transport",
        label: "transport",
        words: "transport",
        shown: transports,
        places: null,
        unit: null,
        with: [],
      },
    ],
    plain: [],
    flows: ["flow 0: 0 → 3, tcp-newreno", "flow 1: 3 → 0, udp"],
    figures: [],
    same: true,
  };
}

const figure: Curves = {
  kind: "curves",
  id: "throughput",
  metric: "throughput_kbps",
  label: "throughput (kbit/s)",
  along: KEY,
  stored: [
    [
      [10, 1],
      [5, null],
    ],
    [[11, 1], null],
    [
      [20, 2],
      [5, null],
    ],
    [
      [21, 2],
      [5, null],
    ],
  ],
};

/** Windows down, transports across. */
const map: HeatMap = {
  kind: "map",
  id: "map",
  metric: "network.aggregate_kbps",
  label: "throughput (kbit/s)",
  down: { key: KEY, label: "window (packets)", names: ["2", "4"] },
  across: { key: "flow.0.transport", label: "transport", names: ["tcp-newreno", "tcp-vegas"] },
  at: [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ],
  least: false,
  stored: [[10, 1], [11, 1], null, [21, 2]],
};

const distribution: Distribution = {
  kind: "distribution",
  id: "gaps",
  metric: "gap",
  label: "gap between arrivals (ms)",
  stored: [],
};

const wanted = (given: object = {}) => ({
  chosen: beginning(scenario(), figure),
  typed: new Map<string, { place: number; value: unknown }[]>(),
  changed: {},
  seed: 7,
  seeds: 2,
  ...given,
});

describe("means", () => {
  it("have the interval of Student's t", () => {
    // Samples 1, 2, 3: mean 2, variance 1, half width 4.303 sqrt(1/3).
    expect(mean([1, 2, 3], QUANTILES)).toEqual([2, 4.303 * Math.sqrt(1 / 3)]);
    expect(mean([4], QUANTILES)).toEqual([4, null]);
    expect(mean([], QUANTILES)).toBeNull();
  });

  it("add without losing small numbers", () => {
    expect(sum([1e16, 1, 1, -1e16])).toBe(2);
  });

  it("are the same but for the last digit", () => {
    expect(isSame([0.1 + 0.2, 1], [0.3, 1])).toBe(true);
    expect(isSame([0.3, 1], [0.3, 1.001])).toBe(false);
    expect(isSame([0.3, null], [0.3, 0])).toBe(false);
    expect(isSame(null, null)).toBe(true);
  });

  it.each([
    [[1234.5, 10.25], "1235 ± 10"],
    [[12.345, 0.5], "12.3 ± 0.5"],
    [[1.2345, null], "1.23"],
    [[0.001234, null], "0.0012"],
    [[0, 0], "0.000 ± 0.000"],
  ] as const)("are shown as the tables of the package show them", ([centre, half], text) => {
    expect(shown([centre, half])).toBe(text);
  });
});

describe("the rows of a figure", () => {
  it("are the points of the sweep", () => {
    const found = rows(scenario(), figure, wanted());
    expect(found.map(({ line, place, point }) => [line, place, point])).toEqual([
      ["transport tcp-newreno", 2, 0],
      ["transport tcp-vegas", 2, 1],
      ["transport tcp-newreno", 4, 2],
      ["transport tcp-vegas", 4, 3],
    ]);
    expect(found[1]?.set).toEqual({ [KEY]: 2, "flow.0.transport": "tcp-vegas" });
  });

  it("are fewer where one value of another key is chosen, which then needs no words", () => {
    const chosen = new Map([["flow.0.transport", [1]]]);
    expect(rows(scenario(), figure, wanted({ chosen })).map(({ line, point }) => [line, point])).toEqual([
      ["", 1],
      ["", 3],
    ]);
  });

  it("take values that the sweep has not, once for each line", () => {
    const found = rows(scenario(), figure, wanted({ typed: new Map([[KEY, [{ place: 3, value: 3 }]]]) }));
    expect(found.map(({ place, set, point }) => [place, set[KEY], set["flow.0.transport"], point])).toEqual([
      [3, 3, "tcp-newreno", null],
      [3, 3, "tcp-vegas", null],
    ]);
  });

  it("repeat no point of the report once a key has changed", () => {
    const found = rows(scenario(), figure, wanted({ changed: { "mac.queue": 3 } }));
    expect(found.every(({ point, set }) => point === null && set["mac.queue"] === 3)).toBe(true);
  });

  it("stand side by side where no key of the axis is a number", () => {
    const found = rows(scenario(), { ...figure, along: null }, wanted({ chosen: new Map() }));
    expect(found.map(({ line, place }) => [line, place])).toEqual([
      ["", 0],
      ["", 1],
      ["", 2],
      ["", 3],
    ]);
  });
});

describe("a heat map", () => {
  const chosen = beginning(scenario(), map);
  const cellsOf = (given: object) => rows(scenario(), map, wanted({ chosen, ...given }));

  it("has a cell for each pair of values", () => {
    expect(cellsOf({}).map(({ line, place, point }) => [line, place, point])).toEqual([
      ["0", 0, 0],
      ["0", 1, 1],
      ["1", 0, 2],
      ["1", 1, 3],
    ]);
  });

  it("lets numbers be typed, and words be chosen", () => {
    expect([...chosen]).toEqual([["flow.0.transport", [0, 1]]]);
    expect(scenario().keys.map(isTypeable)).toEqual([true, false]);
    const values = [1, 8, 9].map((value) => ({ place: value, value }));
    const found = cellsOf({ typed: new Map([[KEY, values]]), chosen: new Map([["flow.0.transport", [1]]]) });
    expect(found.map(({ line, place, set, point }) => [line, place, set[KEY], set["flow.0.transport"], point])).toEqual(
      [
        ["0", 1, 1, "tcp-vegas", null],
        ["1", 1, 8, "tcp-vegas", null],
        ["2", 1, 9, "tcp-vegas", null],
      ],
    );
  });

  it("takes numbers along both directions", () => {
    const two = scenario();
    const [first, second] = two.keys;
    two.keys = [first, { ...second, places: [5, 50], unit: "" }] as Scenario["keys"];
    const both = new Map<string, Typed[]>([
      [KEY, [1, 3].map((value) => ({ place: value, value }))],
      ["flow.0.transport", [7].map((value) => ({ place: value, value: `${value}` }))],
    ]);
    const found = rows(two, map, wanted({ chosen: beginning(two, map), typed: both }));
    expect(found.map(({ line, place, set }) => [line, place, Object.values(set)])).toEqual([
      ["0", 0, [1, "7"]],
      ["1", 0, [3, "7"]],
    ]);
  });

  it("shows means by row and column, with the names of what was run", () => {
    const sample = (value: number | null): Sample => ({ values: { [map.metric]: [value] }, classes: {} });
    const found = [[sample(10), sample(12)], [sample(null)], [], [sample(20)]];
    const planned = cellsOf({});
    expect(grid(map, { planned, found, wanted: wanted(), quantiles: QUANTILES })).toEqual({
      down: ["2", "4"],
      across: ["tcp-newreno", "tcp-vegas"],
      cells: [
        [[11, 12.706], null],
        [null, [20, null]],
      ],
    });
    const own = wanted({ typed: new Map([[KEY, [{ place: 3, value: "3s" }]]]), chosen });
    const shownThere = grid(map, { planned: rows(scenario(), map, own), found: [], wanted: own, quantiles: QUANTILES });
    expect(shownThere.down).toEqual(["3s"]);
  });

  it("names the best, of which less may be better, and shades from the worst to it", () => {
    expect(best([[3, 1], null, [5, null], [5, 2]], false)).toBe(2);
    expect(best([[3, 1], null, [5, null]], true)).toBe(0);
    expect(best([null], false)).toBe(-1);
    expect([1, 2, 5].map((value) => shade(value, [1, 2, 5], false))).toEqual([0, 0.25, 1]);
    expect([1, 2, 5].map((value) => shade(value, [1, 2, 5], true))).toEqual([1, 0.75, 0]);
    expect(shade(4, [4, 4], true)).toBe(1);
    expect([1500, 30, 3, 0.2].map(decimals)).toEqual([0, 1, 2, 3]);
  });
});

describe("distributions", () => {
  const one: Classes = { low: [1, 3], high: [2, 4], count: [1, 3] };
  const other: Classes = { low: [0, 3], high: [1, 4], count: [2, 2] };

  it("add up by class", () => {
    expect(added([one, other])).toEqual({ low: [0, 1, 3], high: [1, 2, 4], count: [2, 1, 5] });
    expect(isEqual(added([one, other]), added([other, one]))).toBe(true);
    expect(isEqual(added([one, other]), one)).toBe(false);
    expect(added([])).toEqual({ low: [], high: [], count: [] });
  });

  it("have the shares and percentiles that the package has", () => {
    // As hopscope.results.distributions has them: the middle of a class, shares below its upper end.
    expect([...shares(one)]).toEqual([
      [1, 0],
      [2, 0.25],
      [4, 1],
    ]);
    expect([0, 25, 26, 100].map((share) => percentile(one, share))).toEqual([1.5, 1.5, 3.5, 3.5]);
    expect(percentile({ low: [], high: [], count: [] }, 50)).toBeNull();
    expect(total(other)).toBe(4);
  });

  it("have a line for each chosen point, of which few are chosen at first", () => {
    const found = rows(scenario(), distribution, wanted({ chosen: beginning(scenario(), distribution) }));
    expect(found.map(({ line, point }) => [line, point])).toEqual([
      ["window 2, transport tcp-newreno", 0],
      ["window 2, transport tcp-vegas", 1],
      ["window 4, transport tcp-newreno", 2],
      ["window 4, transport tcp-vegas", 3],
    ]);
    const many = { ...scenario(), flows: ["a", "b", "c"] };
    expect([...beginning(many, distribution)]).toEqual([
      [KEY, [0, 1]],
      ["flow.0.transport", [0]],
    ]);
  });
});

describe("runs", () => {
  it("give every place a seed before any has two", () => {
    expect(jobs(2, wanted())).toEqual([
      { row: 0, seed: 7 },
      { row: 1, seed: 7 },
      { row: 0, seed: 8 },
      { row: 1, seed: 8 },
    ]);
  });

  it("have names that do not depend on the order of keys", () => {
    const row = { line: "", place: 0, text: "t", set: { a: 1, b: 2 }, point: 0 };
    expect(nameOf(row, 1)).toBe(nameOf({ ...row, set: { b: 2, a: 1 }, point: null }, 1));
    expect(nameOf(row, 1)).not.toBe(nameOf(row, 2));
  });

  it("give the fields of the engine's result, null where there is no sample", () => {
    const result = {
      flows: [{ delay_ms: null, throughput_kbps: 3 }, { delay_ms: 4 }],
      network: { jain: 0.5, aggregate_kbps: Number.NaN },
    };
    const of = (metric: string) => samples(result, [{ ...figure, metric }]).values[metric];
    expect(of("delay_ms")).toEqual([null, 4]);
    expect(of("throughput_kbps")).toEqual([3, null]);
    expect(of("flow.0.throughput_kbps")).toEqual([3]);
    expect(of("flow.9.throughput_kbps")).toEqual([null]);
    expect(of("network.jain")).toEqual([0.5]);
    expect(of("network.aggregate_kbps")).toEqual([null]);
  });

  it("give their distributions by flow", () => {
    const gap = { flow: [0, 1, 1], low_ms: [1, 0, 2], high_ms: [2, 1, 3], count: [4, 5, 6] };
    const result = { flows: [{}, {}, {}], network: {}, distributions: { gap } };
    expect(samples(result, [distribution]).classes.gap).toEqual([
      { low: [1], high: [2], count: [4] },
      { low: [0, 2], high: [1, 3], count: [5, 6] },
      { low: [], high: [], count: [] },
    ]);
    expect(samples({ flows: [{}], network: {} }, [distribution]).classes.gap).toEqual([
      { low: [], high: [], count: [] },
    ]);
  });

  it("are kept for other figures, as many as there is room for", () => {
    const kept = new Kept(10);
    const sample = (count: number): Sample => ({
      values: { delay_ms: [1, 2] },
      classes: { gap: [{ low: [], high: [], count: Array.from({ length: count }, () => 1) }] },
    });
    kept.set("a", sample(1)); // 2 values and 3 columns: 5 numbers
    kept.set("b", sample(1));
    expect([kept.get("a"), kept.get("b")]).toEqual([sample(1), sample(1)]);
    kept.set("c", sample(0));
    expect([kept.get("a"), kept.get("b"), kept.get("c")]).toEqual([undefined, undefined, sample(0)]);
  });

  it("become lines, of the flows that have a sample", () => {
    const planned = rows(scenario(), figure, wanted({ chosen: new Map([["flow.0.transport", [0]]]) }));
    const found = lines(
      scenario(),
      planned,
      [
        [
          [10, null],
          [12, null],
        ],
        [[20, 5]],
      ],
      QUANTILES,
    );
    expect(found.map(({ label }) => label)).toEqual(scenario().flows);
    expect([...(found[0]?.means ?? [])]).toEqual([
      [2, [11, 12.706]],
      [4, [20, null]],
    ]);
    expect([...(found[1]?.means ?? [])]).toEqual([[4, [5, null]]]);
  });

  it("stand over the report's own", () => {
    const planned = rows(scenario(), figure, wanted());
    const stored = storedLines(scenario(), figure.stored, planned);
    expect(stored.map(({ label }) => label)).toContain("transport tcp-vegas, flow 0: 0 → 3, tcp-newreno");
    expect(stored.find(({ label }) => label.includes("vegas, flow 1"))?.means.size).toBe(1);
  });
});

describe("what a reader types", () => {
  const key = { key: "x", label: "x", words: "x", shown: [], places: [], unit: "kbps", with: [] };

  it("is numbers of the unit of the sweep", () => {
    expect(typed("50, 1.5e2kbps", key)).toEqual([
      { place: 50, value: "50kbps" },
      { place: 150, value: "1.5e2kbps" },
    ]);
    expect(typed("3", { ...key, unit: "" })).toEqual([{ place: 3, value: 3 }]);
  });

  it.each([
    ["", "no value"],
    ["fast", "fast is no number"],
    ["1.2.3", "is no number"],
    ["5Mbps", "values here are in kbps"],
    ["1e999", "is no number"],
  ])("is refused as %j with the reason", (text, reason) => {
    expect(() => typed(text, key)).toThrow(reason);
  });

  it("sets keys as --set does", () => {
    expect(setting("mac.queue = 10")).toEqual(["mac.queue", 10]);
    expect(setting("mac.explicit=true")).toEqual(["mac.explicit", true]);
    expect(setting('title="a=b"')).toEqual(["title", "a=b"]);
    expect(setting("flow.0.transport=tcp-vegas")).toEqual(["flow.0.transport", "tcp-vegas"]);
    expect(() => setting("mac.queue")).toThrow("expected KEY=VALUE");
  });
});

describe("workers", () => {
  const row = { line: "", place: 0, text: "t", set: {}, point: null };
  const pool = (run: (text: string, options: object) => Promise<unknown>, ended: () => void = () => {}) =>
    new Pool(2, () => ({ engine: Promise.resolve({ run }), end: ended }));

  it("do each run once, with its seed, settings and files", async () => {
    const given: object[] = [];
    const done: [number, unknown][] = [];
    const run = async (_: string, options: object) => {
      given.push(options);
      return given.length;
    };
    await pool(run).run(
      jobs(1, wanted({ seed: 1, seeds: 5 })),
      [row],
      { "a.txt": "1" },
      {
        done: ({ seed }, result) => done.push([seed, result]),
        failed: () => expect.unreachable(),
      },
    );
    expect(done.map(([seed]) => seed).sort()).toEqual([1, 2, 3, 4, 5]);
    expect(given[0]).toEqual({ seed: 1, set: {}, files: { "a.txt": "1" } });
  });

  it("begin no further run after one has failed", async () => {
    const run = vi.fn(async () => Promise.reject(new Error("refused")));
    const failed = vi.fn();
    await pool(run).run(jobs(1, wanted({ seeds: 50 })), [row], {}, { done: () => expect.unreachable(), failed });
    expect(run.mock.calls.length).toBeLessThanOrEqual(2);
    expect(failed.mock.calls[0]?.[1]).toEqual(new Error("refused"));
  });

  it("end when they are stopped, and hand over nothing more", async () => {
    const ended = vi.fn();
    const done = vi.fn();
    let release: (value: unknown) => void = () => {};
    const stuck = pool(
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
      ended,
    );
    const running = stuck.run(jobs(1, wanted({ seeds: 4 })), [row], {}, { done, failed: done });
    await Promise.resolve();
    stuck.stop();
    await running;
    release({});
    await new Promise((resolve) => setTimeout(resolve));
    expect(ended).toHaveBeenCalledTimes(2);
    expect(done).not.toHaveBeenCalled();
  });
});
