/** "Run again here" of an interactive report, in Chromium: the built script and the real engine in a made-up report. */

import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Engine } from "../../src/engine";
import type { Mean, Report } from "../../src/rerun/data";
import { mean } from "../../src/rerun/stats";
import { built, packed, wasm } from "../engine";
import { launch, SIZES } from "./pages";

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

const throughput = (window: number, seed: number): number => {
  const run = engine.run(TEXT, { seed, set: { [KEY]: window } }) as { flows: { throughput_kbps: number }[] };
  return run.flows[0]?.throughput_kbps ?? Number.NaN;
};

const stored = (window: number): Mean =>
  mean(
    SEEDS.map((seed) => throughput(window, seed)),
    QUANTILES,
  ) as Mean;

const escaped = (text: string): string =>
  text.replace(/[<>&]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Writes a report as Python does; returns its address. */
function report(): string {
  const given: Report = {
    quantiles: QUANTILES,
    scenarios: [
      {
        title: HOSTILE,
        seed: 1,
        seeds: 3,
        duration: 2,
        least: 0,
        texts: [TEXT],
        files: {},
        points: WINDOWS.map((window, at) => ({ text: 0, set: { [KEY]: window }, at: [at] })),
        keys: [{ key: KEY, label: HOSTILE, words: HOSTILE, shown: ["2", "4"], places: WINDOWS, unit: "", with: [] }],
        plain: [
          { key: "topology.hops", words: "hops", value: 3, low: 1, high: 12, whole: true, unit: "", shown: "hops" },
        ],
        flows: ["flow 0: 0 → 3"],
        figures: [
          {
            id: "throughput",
            metric: "throughput_kbps",
            label: "throughput (kbit/s)",
            along: KEY,
            stored: WINDOWS.map((window) => [stored(window)]),
          },
        ],
        same: true,
      },
    ],
  };
  const script = readFileSync(join(built, "rerun.js"), "utf8");
  const hash = createHash("sha256").update(script).digest("base64");
  const policy = `default-src 'none'; script-src 'sha256-${hash}' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; worker-src blob:`;
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width">
<title>report</title></head><body><figure><div class="again" data-figure="throughput"></div></figure>
<script type="application/json" id="hopscope-again">${escaped(JSON.stringify(given))}</script>
<script type="application/octet-stream;base64" id="hopscope-engine">${packed().toString("base64")}</script>
<script>${script}</script></body></html>`;
  const file = join(mkdtempSync(join(tmpdir(), "hopscope-rerun-")), "report.html");
  writeFileSync(file, html);
  return `file://${file}`;
}

async function opened(
  size = SIZES[0],
  colorScheme: "light" | "dark" = "light",
): Promise<{ page: Page; part: Locator }> {
  const page = await browser.newPage({ viewport: size, colorScheme });
  page.setDefaultTimeout(50_000);
  page.on("pageerror", (error) => expect.unreachable(error.message));
  page.on("request", (request) => expect(request.url()).toMatch(/^(file|blob|data):/));
  await page.goto(report());
  const part = page.locator("details.again-figure");
  await part.locator("summary", { hasText: "Run again here" }).click();
  return { page, part };
}

const run = (part: Locator): Promise<void> => part.getByRole("button", { name: "Run" }).click();
const said = (part: Locator): Locator => part.locator("output");

async function cells(part: Locator): Promise<string[][]> {
  const rows = await part.locator(".scroll tbody tr").all();
  return Promise.all(rows.map((row) => row.locator("td").allTextContents()));
}

describe("run again here", () => {
  it("gives the numbers of the report, and says so", async () => {
    const { page, part } = await opened();
    await run(part);
    await said(part).filter({ hasText: "6 of 6 runs; 2 of 2 places have the same numbers as the report" }).waitFor();
    expect((await cells(part)).map(([window]) => window)).toEqual(["2", "4"]);
    expect(await page.evaluate(() => "hit" in window)).toBe(false);
    await page.close();
  });

  it("takes other values, seeds and keys", async () => {
    const { page, part } = await opened();
    await part.getByLabel("first seed").fill("5");
    await part.getByLabel("seeds", { exact: true }).fill("1");
    await part.locator("label input").first().fill("3");
    await part.getByLabel("another key").fill("mac.queue=4");
    await run(part);
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
    const { page, part } = await opened();
    await part.getByLabel("another key").fill("mac.queue=0");
    await run(part);
    await part.getByRole("alert").filter({ hasText: "mac.queue" }).waitFor();
    await part.getByLabel("another key").fill("nothing");
    await run(part);
    await part.getByRole("alert").filter({ hasText: "expected KEY=VALUE" }).waitFor();
    await page.close();
  });

  it("stops, and runs again", async () => {
    const { page, part } = await opened();
    await part.getByLabel("another key").fill("duration=100000s");
    await run(part);
    await part.getByRole("button", { name: "Stop" }).click();
    await said(part).filter({ hasText: "0 of 6 runs, stopped" }).waitFor();
    await part.getByLabel("another key").fill("");
    await part.getByLabel("another key").press("Enter");
    await said(part).filter({ hasText: "2 of 2 places" }).waitFor();
    await page.close();
  });

  it.each(SIZES.flatMap((size) => (["light", "dark"] as const).map((scheme) => [size, scheme] as const)))(
    "fits a page of $name",
    async (size, scheme) => {
      const { page, part } = await opened(size, scheme);
      await run(part);
      await said(part).filter({ hasText: "2 of 2 places" }).waitFor();
      const room = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(room).toBeLessThanOrEqual(0);
      await page.close();
    },
  );
});
