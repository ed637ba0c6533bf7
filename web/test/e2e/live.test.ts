/** The page of a run that lives, against a server that plays one: a frame each 20 ms, and what a test lets happen. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LiveAnswer, NodeState, Rec, Setup } from "../../src/engine";
import { inside, launch, livePage, open, shot, until } from "./pages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const NODES: [number, number][] = [
  [0, 0],
  [200, 0],
  [400, 0],
];

const SETUP: Setup = {
  seed: 1,
  duration_s: 600,
  warmup_s: 0,
  nodes: NODES,
  flows: [],
  radio: { range_m: 250, cs_range_m: 550, data_rate_bps: 2e6, preset: "wavelan-2M" },
  routing: "static",
  mobility: false,
};

const nodeState = ([x, y]: [number, number]): NodeState => ({
  x,
  y,
  up: true,
  queue: 0,
  nav_until_s: 0,
  cw: 31,
  backoff_slots: null,
  doing: "idle",
  next_hop: [],
});

/** Frames between two instants (ns) of a run that sends one each 20 ms. */
function frames(from: number, to: number): Rec[] {
  const found: Rec[] = [];
  for (let time = Math.ceil(from / 20e6) * 20e6; time < to; time += 20e6) {
    const begun = { frame: "data", src: 0, dst: 1, airtime: 6e6, duration: 0 };
    found.push({ time, record: "FrameBegan", ...begun, retry: false });
    found.push({ time: time + 6e6, record: "FrameEnded", node: 1, ...begun, outcome: "received" });
  }
  return found;
}

/** A run that has been under way for a minute. */
class Played {
  readonly state = { nodes: NODES.map(nodeState), flows: [] };
  /** Records of what happens next. */
  happens: Omit<Rec, "time">[] = [];
  lost = false;
  over = false;
  asked = 0;
  #server: Server;
  #begun = performance.now();
  #told = 60e9;

  constructor() {
    const page = livePage({ setup: SETUP, hears: true });
    this.#server = createServer((request, response) => {
      if (request.url === "/token/") response.setHeader("Content-Type", "text/html").end(page);
      else if (request.url?.startsWith("/token/records?")) setTimeout(() => response.end(this.#answer()), 50);
      else response.writeHead(404).end();
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/token/`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(): string {
    this.asked++;
    const now = 60e9 + (performance.now() - this.#begun) * 1e6;
    const records = [...frames(this.#told, now), ...this.happens.map((rec) => ({ ...rec, time: now }) as Rec)];
    this.#told = now;
    this.happens = [];
    const { lost, over, state } = this;
    this.lost = false;
    const answer: LiveAnswer = { now_s: now / 1e9, over, next: this.asked, lost, state, links: [], records };
    return JSON.stringify(answer);
  }
}

test("a live run is watched at the pace of the clock, and its picture can rest", async () => {
  const run = new Played();
  const { page, faults } = await open(browser, await run.listen(), { still: false });
  await until(page, "globalThis.hopscopeView?.session.history.air.length > 20");
  expect(await page.locator("h1").innerText()).toBe("test");
  expect(await page.locator(".bar .end").innerText()).toBe("live");
  const before = await inside(page, (view) => [performance.now(), view.session.clock.time]);
  await page.waitForTimeout(1500);
  const after = await inside(page, (view) => [performance.now(), view.session.clock.time]);
  const pace = ((after[1] ?? 0) - (before[1] ?? 0)) / 1e6 / ((after[0] ?? 0) - (before[0] ?? 0));
  expect(pace).toBeGreaterThan(0.6);
  expect(pace).toBeLessThan(1.4);

  // What the clock rules is switched off, with a word why.
  const restart = page.getByRole("button", { name: "From the beginning" });
  expect([await restart.isDisabled(), await page.getByLabel("Speed").isDisabled()]).toEqual([true, true]);
  expect(await restart.getAttribute("title")).toContain("cannot begin anew");
  await page.keyboard.press("+");
  await page.getByText("The clock sets the pace").waitFor();
  await shot(page, "live");

  // The picture rests, and the run goes on; frames that are kept can be gone through.
  await page.getByRole("button", { name: "Pause" }).click();
  const shown = await inside(page, (view) => view.session.clock.time);
  const asked = run.asked;
  await page.waitForTimeout(800);
  expect(await inside(page, (view) => view.session.clock.time)).toBe(shown);
  expect(run.asked).toBeGreaterThan(asked + 3);
  await page.getByRole("button", { name: "One frame back" }).click();
  await until(page, `hopscopeView.session.clock.time < ${shown}`);
  await page.evaluate("hopscopeView.session.seek(0)");
  expect(await inside(page, (view) => view.session.clock.time)).toBeGreaterThanOrEqual(60e9);
  await page.getByRole("button", { name: "Play" }).click();
  await until(page, "hopscopeView.session.known - hopscopeView.session.clock.time < 1e9");
  expect(faults).toEqual([]);
  await page.close();
  run.close();
});

test("links that are cut, nodes that are moved or down are seen, and so is the end", async () => {
  const run = new Played();
  const { page, faults } = await open(browser, await run.listen(), { still: false });
  await until(page, "globalThis.hopscopeView?.session.history.air.length > 5");
  run.happens.push(
    { record: "LinkChanged", node: 2, peer: 1, part: 0 },
    { record: "Moved", node: 0, x: 0, y: 150 },
    { record: "Power", node: 2, on: false },
  );
  await until(page, "hopscopeView.session.history.doingAt(2, hopscopeView.session.clock.time) === 'off'");
  const cut =
    "(() => { let found = ''; hopscopeView.session.history.links.worse(hopscopeView.session.clock.time, (ends, part) => { found = ends + ': ' + part; }); return found; })()";
  expect(await page.evaluate(cut)).toBe("1,2: 0");
  await until(page, "hopscopeView.plane.stage.ys[0] < hopscopeView.plane.stage.ys[1]");
  await shot(page, "live-cut");
  run.over = true;
  await page.getByText("The run has ended.").waitFor();
  expect(await page.locator(".bar .end").innerText()).toBe("has ended");
  expect(faults).toEqual([]);
  await page.close();
  run.close();
});

test("a page that has missed something joins anew and says so; one whose run is gone says that", async () => {
  const run = new Played();
  const { page } = await open(browser, await run.listen(), { still: false });
  await until(page, "globalThis.hopscopeView?.session.history.air.length > 5");
  await page.evaluate("globalThis.before = hopscopeView");
  run.lost = true;
  await page.getByText("what came before is lost").waitFor();
  await until(page, "hopscopeView !== before && hopscopeView.session.history.air.length > 5");
  run.close();
  await page.getByText("The run has ended.").waitFor();
  await page.close();
});
