import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHAIN, inside, launch, open, ready, SIZES, shot, until, watch } from "./pages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const time = (page: Page) => inside(page, (view) => view.session.clock.time);
const speed = (page: Page) => inside(page, (view) => view.session.clock.speed);
/** A frame in the timeline before the playhead: its place there in pixels, and its lane. */
const frameOnTimeline = (page: Page): Promise<[number, number]> =>
  inside(page, (view) => {
    const { air } = view.session.history;
    for (let at = air.length - 1; at >= 0; at--) {
      const frame = air.at(at);
      const x = view.timeline.lanes.x((frame.start + frame.end) / 2);
      if (frame.src < 2 && frame.end < view.session.clock.time && x > 80) return [x, frame.src] as [number, number];
    }
    throw new Error("no frame before the playhead");
  });

const detail = (page: Page) => page.locator(".inspector h2").innerText();

/** A node of the plane, in pixels of the page. */
async function placeOf(page: Page, node: number): Promise<{ x: number; y: number }> {
  const box = await page.locator(".stage canvas").boundingBox();
  const [x, y] = (await page.evaluate(
    `[hopscopeView.plane.stage.xs[${node}], hopscopeView.plane.stage.ys[${node}]]`,
  )) as [number, number];
  return { x: (box?.x ?? 0) + x, y: (box?.y ?? 0) + y };
}

describe.each(SIZES)("the view, $name", ({ name, width, height }) => {
  test.each([false, true])("every control does what it says (dark: %s)", async (dark) => {
    const { page, faults } = await open(browser, watch(CHAIN), { width, height, dark });
    await ready(page);
    expect(await page.locator("html").getAttribute("data-theme")).toBe(dark ? "dark" : "light");

    // Playback.
    await page.getByRole("button", { name: "One frame on" }).click();
    await until(page, "hopscopeView.session.clock.time > 0");
    const first = await time(page);
    await page.getByRole("button", { name: "One frame on" }).click();
    await until(page, `hopscopeView.session.clock.time > ${first}`);
    await page.getByRole("button", { name: "One frame back" }).click();
    await until(page, `hopscopeView.session.clock.time === ${first}`);
    await page.getByRole("button", { name: "Play" }).click();
    await until(page, `hopscopeView.session.clock.time > ${first} + 1e5`);
    await page.getByRole("button", { name: "Pause" }).click();
    expect(await inside(page, (view) => view.session.clock.playing)).toBe(false);
    await page.getByLabel("Speed").fill("-2");
    expect(await speed(page)).toBe(0.01);

    // Jumps.
    for (const [sought, said] of [
      ["collision", "Frame lost"],
      ["drop", "dropped"],
      ["no-answer", "No answer"],
    ] as const) {
      const before = await time(page);
      await page.getByLabel("What to jump to").selectOption(sought);
      await page.getByRole("button", { name: "Next", exact: true }).click();
      await page.locator(".status").filter({ hasText: said }).waitFor();
      expect(await time(page)).toBeGreaterThan(before);
    }
    await shot(page, `watch-jump-${name}-${dark ? "dark" : "light"}`);
    await page.getByLabel("What to jump to").selectOption("collision");
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.getByText("Who hears it").waitFor();
    await shot(page, `watch-frame-${name}-${dark ? "dark" : "light"}`);
    expect(await page.locator(".inspector .fields").innerText()).toContain("airtime");
    const shown = await time(page);
    await page.getByRole("button", { name: "One frame on" }).click();
    await until(page, `hopscopeView.session.clock.time > ${shown}`);
    await page.getByRole("button", { name: "Show it on the air" }).click();
    await until(page, `hopscopeView.session.clock.time === ${shown}`);

    // A node, from the plane and from a link; its lane.
    await page.locator(".stage").scrollIntoViewIfNeeded();
    const node = await placeOf(page, 2);
    await page.mouse.click(node.x, node.y);
    expect(await detail(page)).toBe("Node 2");
    expect(await page.locator(".inspector dl").innerText()).toMatch(/NAV[\s\S]*queue[\s\S]*cw/);
    await shot(page, `watch-node-${name}-${dark ? "dark" : "light"}`);
    await page.getByRole("button", { name: "Back to the run" }).click();
    expect(await detail(page)).toBe("This run");

    // A flow with its plots.
    await page.getByRole("button", { name: "0 → 4" }).click();
    await page.locator(".plots canvas").nth(2).waitFor();
    expect(await page.locator(".inspector dl").innerText()).toContain("0 → 1 → 2 → 3 → 4");
    await shot(page, `watch-flow-${name}-${dark ? "dark" : "light"}`);
    await page.keyboard.press("Escape");
    expect(await detail(page)).toBe("This run");

    // The timeline: a click on a frame shows it here and there, one elsewhere goes to the instant.
    const lanes = page.locator(".lanes canvas");
    await lanes.scrollIntoViewIfNeeded();
    const sent = await frameOnTimeline(page);
    await lanes.click({ position: { x: sent[0], y: 22 + 42 * sent[1] + 8 } });
    expect(await detail(page)).toMatch(/from node/);
    expect(await inside(page, (view) => view.timeline.lanes.selected !== null)).toBe(true);
    await page.keyboard.press("Escape");
    await lanes.click({ position: { x: 20, y: 22 + 10 } });
    expect(await detail(page)).toBe("Node 0");
    const before = await time(page);
    await lanes.click({ position: { x: 100, y: 10 } });
    expect(await time(page)).toBeLessThan(before);

    // What is shown.
    await page.getByRole("button", { name: "What is shown" }).click();
    const panel = page.getByRole("dialog", { name: "What is shown" });
    await shot(page, `watch-filters-${name}-${dark ? "dark" : "light"}`);
    await panel.getByRole("textbox").fill("0-1, 9");
    expect(await panel.getByRole("alert").innerText()).toContain("the nodes are 0 to 4");
    await panel.getByRole("textbox").fill("0-1");
    expect(await inside(page, (view) => view.timeline.lanes.rows.length)).toBe(2);
    await panel.getByRole("textbox").fill("");
    for (const box of await panel.getByRole("checkbox").all()) {
      await box.uncheck();
      await box.check();
    }
    await panel.getByRole("button", { name: "Close" }).click();

    // Zoom, help, light and dark, from the beginning.
    const apart = await inside(page, (view) => (view.plane.stage.xs[1] as number) - (view.plane.stage.xs[0] as number));
    await page.getByRole("button", { name: "Zoom in" }).click();
    await until(page, `hopscopeView.plane.stage.xs[1] - hopscopeView.plane.stage.xs[0] > ${apart} * 1.4`);
    await page.getByRole("button", { name: "Zoom out" }).click();
    await page.getByRole("button", { name: "Show all nodes" }).click();
    await until(page, `Math.abs(hopscopeView.plane.stage.xs[1] - hopscopeView.plane.stage.xs[0] - ${apart}) < 1`);
    await page.getByRole("button", { name: "Help" }).click();
    await page.getByRole("dialog", { name: "Help" }).getByText("play or pause").waitFor();
    await shot(page, `watch-help-${name}-${dark ? "dark" : "light"}`);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Light or dark" }).click();
    expect(await page.locator("html").getAttribute("data-theme")).toBe(dark ? "light" : "dark");
    await page.getByRole("button", { name: "From the beginning" }).click();
    await until(page, "hopscopeView.session.clock.time === 0");

    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    expect(faults).toEqual([]);
    await page.close();
  });
});

test("keys do what the help says", async () => {
  const { page, faults } = await open(browser, watch(CHAIN));
  await ready(page);
  await page.keyboard.press("ArrowRight");
  await until(page, "hopscopeView.session.clock.time > 0");
  const first = await time(page);
  await page.keyboard.press("ArrowRight");
  await until(page, `hopscopeView.session.clock.time > ${first}`);
  await page.keyboard.press("ArrowLeft");
  await until(page, `hopscopeView.session.clock.time === ${first}`);
  await page.keyboard.press("+");
  expect(await speed(page)).toBe(2e-3);
  await page.keyboard.press("-");
  await page.keyboard.press("-");
  expect(await speed(page)).toBe(5e-4);
  await page.keyboard.press("[");
  const wide = (await inside(page, (view) => view.timeline.span)) as number;
  await page.keyboard.press("]");
  expect(await inside(page, (view) => view.timeline.span)).toBe(wide / 2);
  await page.keyboard.press("Space");
  expect(await inside(page, (view) => view.session.clock.playing)).toBe(true);
  await page.keyboard.press("Space");
  await page.keyboard.press("n");
  await page.locator(".status").filter({ hasText: "at node" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Help" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Help" }).waitFor({ state: "hidden" });
  await page.keyboard.press("f");
  await page.getByRole("dialog", { name: "What is shown" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "What is shown" }).waitFor({ state: "hidden" });
  await page.keyboard.press("0");
  await until(page, "hopscopeView.session.clock.time === 0");
  expect(faults).toEqual([]);
  await page.close();
});

test("dragging the timeline moves in time, hovering names frames on the plane", async () => {
  const { page } = await open(browser, watch(CHAIN));
  await ready(page);
  await page.keyboard.press("n");
  await page.locator(".status").filter({ hasText: "at node" }).waitFor();
  const before = await time(page);
  const box = await page.locator(".lanes canvas").boundingBox();
  const [x, y] = [(box?.x ?? 0) + 400, (box?.y ?? 0) + 60];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 120, y, { steps: 4 });
  await page.mouse.up();
  expect(await time(page)).toBeLessThan(before);
  const sent = await frameOnTimeline(page);
  await page.mouse.move((box?.x ?? 0) + sent[0], (box?.y ?? 0) + 22 + 42 * sent[1] + 8);
  await page
    .locator(".tip")
    .filter({ hasText: `from node ${sent[1]}` })
    .waitFor();
  await page.close();
});

test("a run ends, says so, and begins anew", async () => {
  const { page } = await open(browser, watch(CHAIN.replace("5s", "50ms")));
  await ready(page);
  await page.getByLabel("What to jump to").selectOption("timeout");
  await page.getByRole("button", { name: "Next", exact: true }).click();
  await page.locator(".status").filter({ hasText: "No timeout (RTO) until the end." }).waitFor();
  expect(await time(page)).toBe(50e6);
  await page.getByRole("button", { name: "Play" }).click();
  await until(page, "hopscopeView.session.clock.time < 50e6");
  await page.close();
});
