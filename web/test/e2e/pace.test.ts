/** How fast the view is: printed, not asserted, since machines differ. What is asserted is that memory stays bounded. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHAIN, inside, launch, open, ready, until, watch } from "./pages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch(["--enable-precise-memory-info"]);
});
afterAll(() => browser.close());

const BUSY = `title = "200 nodes, 20 flows"
duration = "600s"

[topology]
kind = "random"
nodes = 200
area = [3000, 2000]
seed = 3

[radio]
preset = "wavelan-2M"

[[flow]]
pattern = "random"
copies = 20
transport = "tcp"
control = "cubic"
`;

/** Some 200 frames a second: four times as many in all as the view keeps. */
const CALM = CHAIN.replace("5s", "600s").replace(
  /transport[\s\S]*/,
  'transport = "udp"\napp = "cbr"\nrate = 100000\npacket = 1000\n',
);

/** Pictures and simulated seconds in each second of the viewer, over some of these; and megabytes of the page. */
const MEASURE = `(async (seconds) => {
  const { session } = hopscopeView;
  let pictures = 0;
  const count = () => { pictures++; requestAnimationFrame(count); };
  requestAnimationFrame(count);
  const [time, begin] = [session.clock.time, performance.now()];
  await new Promise((done) => setTimeout(done, seconds * 1000));
  const passed = (performance.now() - begin) / 1000;
  return { pictures: pictures / passed, simulated: (session.clock.time - time) / 1e9 / passed, megabytes: performance.memory.usedJSHeapSize / 1e6 };
})`;

interface Pace {
  pictures: number;
  simulated: number;
  megabytes: number;
}

test("200 nodes and 20 flows", async () => {
  const { page, faults } = await open(browser, watch(BUSY));
  await ready(page);
  for (const exponent of [-2, -1, 0]) {
    await page.getByLabel("Speed").fill(String(exponent));
    await page.evaluate("hopscopeView.session.clock.playing = true");
    await page.waitForTimeout(1000);
    const pace = (await page.evaluate(`${MEASURE}(4)`)) as Pace;
    console.log(
      `speed ${10 ** exponent}: ${pace.pictures.toFixed(1)} pictures/s, ${pace.simulated.toFixed(3)} simulated s/s, ${pace.megabytes.toFixed(0)} MB`,
    );
  }
  expect(faults).toEqual([]);
  await page.close();
});

test("ten simulated minutes stay within bounds", async () => {
  const { page, faults } = await open(browser, watch(CALM));
  await ready(page);
  await page.getByLabel("Speed").fill("2");
  await page.evaluate("hopscopeView.session.clock.playing = true");
  const found: string[] = [];
  for (const part of [0.1, 0.5, 0.99]) {
    await until(page, `hopscopeView.session.clock.time > ${600e9 * part}`, 90_000);
    const pace = (await page.evaluate(`${MEASURE}(0.2)`)) as Pace;
    const frames = await inside(page, (view) => view.session.history.air.length);
    found.push(`${600 * part} s: ${pace.megabytes.toFixed(0)} MB, ${frames} frames`);
    expect(frames).toBeLessThanOrEqual(30_000);
  }
  console.log(found.join("; "));
  expect(faults).toEqual([]);
  await page.close();
}, 240_000);
