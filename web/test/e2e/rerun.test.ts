/** "Run again here" of an interactive report, in Chromium: the built script and the real engine in a made-up report. */

import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Engine } from "../../src/engine";
import { added, total } from "../../src/rerun/classes";
import type { Classes, Distribution, HeatMap, Report, Scenario, SweptKey } from "../../src/rerun/data";
import { samples } from "../../src/rerun/samples";
import { mean, sum } from "../../src/rerun/stats";
import { built, packed, wasm } from "../engine";
import { launch, SIZES, shot } from "./pages";

const HOSTILE = "</script><script>window.hit = 1</script><img src=x onerror='window.hit = 1'>";

const TEXT = `title = "${HOSTILE}"
duration = "2s"
[topology]
kind = "chain"
hops = 3
[[flow]]
from = 0
to = 3
transport = "tcp-newreno"
max_window = 2
`;
const KEY = "flow.0.max_window";
const WINDOWS = [2, 4];
const QUEUES = [2, 50];
const SEEDS = [1, 2, 3];
/** Two-sided 95 % quantiles of Student's t (Abramowitz and Stegun, table 26.10). */
const QUANTILES = [null, 12.706204736432095, 4.302652729749464];

let browser: Browser;
let engine: Engine;

beforeAll(async () => {
  browser = await launch();
  engine = await Engine.load(wasm());
});
afterAll(() => browser?.close());

const run = (set: Record<string, unknown>, seed: number, text = TEXT): unknown => engine.run(text, { seed, set });

const throughputOf = (result: unknown): number =>
  (result as { network: { aggregate_kbps: number } }).network.aggregate_kbps;

const throughput = (window: number, seed: number): number =>
  (run({ [KEY]: window }, seed) as { flows: [{ throughput_kbps: number }] }).flows[0].throughput_kbps;

const escaped = (text: string): string =>
  text.replace(/[<>&]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

const scenario = (more: Partial<Scenario>): Scenario => ({
  title: HOSTILE,
  seed: 1,
  seeds: 3,
  duration: 2,
  least: 0,
  texts: [TEXT],
  files: {},
  points: WINDOWS.map((window, at) => ({ text: 0, set: { [KEY]: window }, at: [at] })),
  keys: [{ key: KEY, label: HOSTILE, words: HOSTILE, shown: ["2", "4"], places: WINDOWS, unit: "", with: [] }],
  plain: [{ key: "topology.hops", words: "hops", value: 3, low: 1, high: 12, whole: true, unit: "", shown: "hops" }],
  flows: ["flow 0: 0 → 3"],
  figures: [],
  same: true,
  ...more,
});

/** Throughput over the window. */
function curves(): Scenario {
  const stored = WINDOWS.map((window) => [
    mean(
      SEEDS.map((seed) => throughput(window, seed)),
      QUANTILES,
    ),
  ]);
  const label = "throughput (kbit/s)";
  return scenario({
    figures: [{ kind: "curves", id: "throughput", metric: "throughput_kbps", label, along: KEY, stored }],
  });
}

/** Throughput over the window and the queue: windows down. */
function map(): Scenario {
  const pairs = WINDOWS.flatMap((window, row) => QUEUES.map((queue, column) => ({ window, queue, at: [row, column] })));
  const points = pairs.map(({ window, queue, at }) => ({ text: 0, set: { [KEY]: window, "mac.queue": queue }, at }));
  const [window] = scenario({}).keys as [SweptKey];
  const queue = { ...window, key: "mac.queue", label: "queue", words: "queue", shown: ["2", "50"], places: QUEUES };
  const stored = points.map(({ set }) =>
    mean(
      SEEDS.map((seed) => throughputOf(run(set, seed))),
      QUANTILES,
    ),
  );
  const figure: HeatMap = {
    kind: "map",
    id: "map",
    metric: "network.aggregate_kbps",
    label: "throughput (kbit/s)",
    down: { key: KEY, label: HOSTILE, names: ["2", "4"] },
    across: { key: "mac.queue", label: "queue", names: ["2", "50"] },
    at: pairs.map(({ at }) => at as [number, number]),
    least: false,
    stored,
  };
  return scenario({ points, keys: [window, queue], figures: [figure] });
}

/** Gaps between arrivals with each window. */
function distribution(): Scenario {
  const texts = [TEXT.replace('duration = "2s"', 'duration = "2s"\ndistributions = true')];
  const metric = "gap";
  const label = "gap between arrivals (ms)";
  const figure: Distribution = { kind: "distribution", id: "gaps", metric, label, stored: [] };
  figure.stored = WINDOWS.map((window) => {
    const runs = SEEDS.map((seed) => samples(run({ [KEY]: window }, seed, texts[0]), [figure]));
    return [added(runs.flatMap(({ classes }) => classes[metric]?.[0] ?? []))];
  });
  return scenario({ texts, figures: [figure] });
}

/** Writes a report as Python does; returns its address. */
function report(shown: Scenario): string {
  const given: Report = { quantiles: QUANTILES, scenarios: [shown] };
  const script = readFileSync(join(built, "rerun.js"), "utf8");
  const hash = createHash("sha256").update(script).digest("base64");
  const policy = `default-src 'none'; script-src 'sha256-${hash}' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; worker-src blob:`;
  const places = shown.figures
    .map(({ id }) => `<figure><div class="again" data-figure="${id}"></div></figure>`)
    .join("");
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width">
<title>report</title></head><body>${places}
<script type="application/json" id="hopscope-again">${escaped(JSON.stringify(given))}</script>
<script type="application/octet-stream;base64" id="hopscope-engine">${packed().toString("base64")}</script>
<script>${script}</script></body></html>`;
  const file = join(mkdtempSync(join(tmpdir(), "hopscope-rerun-")), "report.html");
  writeFileSync(file, html);
  return `file://${file}`;
}

async function opened(
  shown: Scenario,
  size = SIZES[0],
  colorScheme: "light" | "dark" = "light",
): Promise<{ page: Page; part: Locator }> {
  const page = await browser.newPage({ viewport: size, colorScheme });
  page.setDefaultTimeout(50_000);
  page.on("pageerror", (error) => expect.unreachable(error.message));
  page.on("request", (request) => expect(request.url()).toMatch(/^(file|blob|data):/));
  await page.goto(report(shown));
  const part = page.locator("details.again-figure");
  await part.locator("summary", { hasText: "Run again here" }).click();
  return { page, part };
}

const start = (part: Locator): Promise<void> => part.getByRole("button", { name: "Run" }).click();
const said = (part: Locator): Locator => part.locator("output");

async function cells(part: Locator): Promise<string[][]> {
  const rows = await part.locator(".scroll tbody tr").all();
  return Promise.all(rows.map((row) => row.locator("td").allTextContents()));
}

describe("run again here", () => {
  it("gives the numbers of the report, and says so", async () => {
    const { page, part } = await opened(curves());
    await start(part);
    await said(part).filter({ hasText: "6 of 6 runs; 2 of 2 places have the same numbers as the report" }).waitFor();
    expect((await cells(part)).map(([window]) => window)).toEqual(["2", "4"]);
    expect(await page.evaluate(() => "hit" in window)).toBe(false);
    await page.close();
  });

  it("takes other values, seeds and keys", async () => {
    const { page, part } = await opened(curves());
    await part.getByLabel("first seed").fill("5");
    await part.getByLabel("seeds", { exact: true }).fill("1");
    await part.locator("label input").first().fill("3");
    await part.getByLabel("another key").fill("mac.queue=4");
    await start(part);
    await said(part)
      .filter({ hasText: /^1 of 1 runs$/ })
      .waitFor();
    const result = engine.run(TEXT, { seed: 5, set: { [KEY]: 3, "mac.queue": 4 } });
    const { throughput_kbps: expected } = (result as { flows: { throughput_kbps: number }[] }).flows[0] ?? {};
    const [[window, value] = []] = await cells(part);
    expect(window).toBe("3");
    expect(Number(value)).toBeCloseTo(expected as number, 0);
    await page.close();
  });

  it("shows what the engine refuses, with the key", async () => {
    const { page, part } = await opened(curves());
    await part.getByLabel("another key").fill("mac.queue=0");
    await start(part);
    await part.getByRole("alert").filter({ hasText: "mac.queue" }).waitFor();
    await part.getByLabel("another key").fill("nothing");
    await start(part);
    await part.getByRole("alert").filter({ hasText: "expected KEY=VALUE" }).waitFor();
    await page.close();
  });

  it("stops, and runs again", async () => {
    const { page, part } = await opened(curves());
    await part.getByLabel("another key").fill("duration=100000s");
    await start(part);
    await part.getByRole("button", { name: "Stop" }).click();
    await said(part).filter({ hasText: "0 of 6 runs, stopped" }).waitFor();
    await part.getByLabel("another key").fill("");
    await part.getByLabel("another key").press("Enter");
    await said(part).filter({ hasText: "2 of 2 places" }).waitFor();
    await page.close();
  });

  it("fills the cells of a heat map as in the report, with the best of each row and column", async () => {
    const { page, part } = await opened(map());
    await start(part);
    await said(part).filter({ hasText: "12 of 12 runs; 4 of 4 cells have the same numbers as the report" }).waitFor();
    const expected = WINDOWS.map((window) =>
      QUEUES.map(
        (queue) => sum(SEEDS.map((seed) => throughputOf(run({ [KEY]: window, "mac.queue": queue }, seed)))) / 3,
      ),
    );
    const rows = await part.locator(".again-map tbody tr").all();
    const found = await Promise.all(rows.map((row) => row.locator("td").allTextContents()));
    // The first row is the lowest.
    for (const [at, line] of found.reverse().entries()) {
      for (const [column, cell] of line.entries()) expect(Number(cell)).toBeCloseTo(expected[at]?.[column] ?? 0, 0);
    }
    expect(await part.locator(".again-map .again-best").count()).toBe(2);
    expect(await part.locator(".again-map .again-framed").count()).toBe(2);
    expect(await page.evaluate(() => "hit" in window)).toBe(false);
    await part.getByLabel("queue", { exact: true }).fill("3, 5, 7");
    await start(part);
    await said(part)
      .filter({ hasText: /^18 of 18 runs$/ })
      .waitFor();
    expect(await part.locator(".again-map tfoot th").allTextContents()).toEqual([
      `${HOSTILE} ↑, queue →`,
      "3",
      "5",
      "7",
    ]);
    await page.close();
  });

  it("draws distributions as in the report", async () => {
    const { page, part } = await opened(distribution());
    await start(part);
    await said(part).filter({ hasText: "6 of 6 runs; 2 of 2 curves have the same numbers as the report" }).waitFor();
    const [first] = distribution().figures as [Distribution];
    const packets = first.stored.map(([classes]) => String(total(classes as Classes)));
    expect((await cells(part)).map(([, count]) => count)).toEqual(packets);
    await part.getByLabel("seeds", { exact: true }).fill("2");
    await start(part);
    await said(part)
      .filter({ hasText: /^4 of 4 runs$/ })
      .waitFor();
    await page.close();
  });

  it.each(
    [curves, map, distribution].flatMap((figure) =>
      SIZES.flatMap((size) =>
        (["light", "dark"] as const).map((scheme) => [figure.name, size.name, scheme, figure, size] as const),
      ),
    ),
  )("%s fits a page, %s, %s", async (name, width, scheme, figure, size) => {
    const { page, part } = await opened(figure(), size, scheme);
    await start(part);
    await said(part).filter({ hasText: "have the same numbers" }).waitFor();
    const room = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(room).toBeLessThanOrEqual(0);
    await shot(page, `again-${name}-${width}-${scheme}`);
    await page.close();
  });
});
