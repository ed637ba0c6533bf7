/** What a figure of an interactive report runs, and what becomes of the results. */

import { describe, expect, it, vi } from "vitest";
import type { Figure, Scenario } from "../src/rerun/data";
import { beginning, jobs, lines, nameOf, rows, samples, setting, storedLines, typed } from "../src/rerun/plan";
import { Pool } from "../src/rerun/pool";
import { isSame, mean, shown, sum } from "../src/rerun/stats";

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

const figure: Figure = {
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

const wanted = (given: object = {}) => ({
  chosen: beginning(scenario(), figure),
  along: null,
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
    const along = [{ place: 3, value: 3 }];
    const found = rows(scenario(), figure, wanted({ along }));
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
    const result = { flows: [{ delay_ms: null, throughput_kbps: 3 }, { delay_ms: 4 }] };
    expect(samples(result, ["delay_ms", "throughput_kbps"])).toEqual({
      delay_ms: [null, 4],
      throughput_kbps: [3, null],
    });
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
    const stored = storedLines(scenario(), figure, planned);
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
