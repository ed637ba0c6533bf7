import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encode } from "../../src/playground/fragment";
import { SCENES } from "../../src/playground/scenes";
import { framed, inside, launch, open, playground, ready, SIZES, shot, until } from "./pages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** The text of the editor. */
const written = (page: Page): Promise<string> => page.locator(".editor .cm-content").innerText();

test.each(SCENES.map((scene) => [scene.key, scene] as const))(
  "%s shows its run and its question",
  async (key, scene) => {
    const { page, faults } = await open(browser, playground(`#${key}`));
    await page.getByRole("heading", { name: scene.question }).waitFor();
    await ready(page);
    expect(await page.getByRole("slider").count()).toBe(scene.controls.length + 1);
    await page.getByLabel("Speed").fill("-2");
    await page.getByRole("button", { name: "Play" }).click();
    await until(page, "hopscopeView.session.clock.time > 6e6 && hopscopeView.session.history.air.length > 0");
    await page.getByRole("button", { name: "Pause" }).click();
    for (const { name, ...size } of SIZES) {
      await page.setViewportSize(size);
      for (const dark of [false, true]) {
        await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
        await page.waitForTimeout(200);
        expect(await page.locator("html").getAttribute("data-theme")).toBe(dark ? "dark" : "light");
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(size.width);
        await shot(page, `scene-${key}-${name}-${dark ? "dark" : "light"}`);
      }
    }
    expect(faults).toEqual([]);
    await page.close();
  },
);

describe.each(SIZES)("the playground, $name", ({ name, ...size }) => {
  test("sliders write into the scenario, and the run begins anew", async () => {
    const { page, faults } = await open(browser, playground(), size);
    await ready(page);
    const slider = page.getByLabel("carrier sense");
    await slider.fill("6");
    await until(page, "hopscopeView.session.world.setup.radio.cs_range_m > 500");
    expect(await written(page)).toMatch(/cs_range = 550 +# as far/);
    await page.getByRole("button", { name: "Reset" }).click();
    await until(page, "hopscopeView.session.world.setup.radio.cs_range_m < 300");
    expect(await slider.inputValue()).toBe("0");
    await page.getByRole("button", { name: "Next scene" }).click();
    expect(await page.getByLabel("Scene", { exact: true }).inputValue()).toBe("exposed-terminal");
    await page.getByRole("button", { name: "Scene before" }).click();
    await page.getByLabel("Scene", { exact: true }).selectOption("window-hops");
    await until(page, "hopscopeView.session.world.setup.nodes.length === 8");
    expect(faults).toEqual([]);
    await page.close();
  });

  test("the editor completes keys, and marks what the engine refuses", async () => {
    const { page, faults } = await open(browser, playground("#window-hops"), size);
    await ready(page);
    await page.locator(".editor .cm-content").focus();
    await page.keyboard.press("Control+End");
    // Keys of the view are letters here.
    await page.keyboard.type("\n# n f 0 + - ?");
    expect(await written(page)).toContain("# n f 0 + - ?");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    expect(await inside(page, (view) => view.session.clock.playing)).toBe(false);
    await page.keyboard.type("\nack_d");
    await page.locator(".cm-tooltip-autocomplete").getByText("ack_delay").waitFor();
    await shot(page, `editor-completes-${name}`);
    await page.keyboard.press("Escape");
    await page.locator(".notice").getByText("The scenario has").waitFor();
    await page.locator(".cm-lint-marker-error").first().waitFor({ state: "attached" });
    await shot(page, `editor-problem-${name}`);
    for (let at = 0; at < 5; at++) await page.keyboard.press("Backspace");
    await page.locator(".notice").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Suggest" }).click();
    await page.locator(".cm-tooltip-autocomplete").waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  test("results come seed by seed, with intervals", async () => {
    const { page, faults } = await open(browser, playground(), size);
    await ready(page);
    await page.getByLabel("Seeds").fill("3");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("3 seeds from 1 on").waitFor();
    const table = page.locator(".results table");
    expect(await table.innerText()).toMatch(/0 → 1[\s\S]*\d+ ± \d+/);
    await table.scrollIntoViewIfNeeded();
    await shot(page, `results-${name}`);
    await page.getByLabel("packet").fill("0");
    await table.waitFor({ state: "detached" });
    expect(faults).toEqual([]);
    await page.close();
  });
});

test("a link carries the scenario, as data", async () => {
  const text = `${SCENES[3]?.text}# <img src=x onerror="globalThis.harm = 1">\n`.replace('"30s"', '"31s"');
  const { page, faults } = await open(browser, playground(await encode({ text, scene: "parking-lot" })));
  await ready(page);
  expect(await inside(page, (view) => view.session.world.setup.duration_s)).toBeCloseTo(31);
  await page.locator(".editor .cm-content").focus();
  await page.keyboard.press("Control+End");
  expect(await written(page)).toContain('<img src=x onerror="globalThis.harm = 1">');
  expect(await page.evaluate("globalThis.harm")).toBeUndefined();
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("It holds the whole scenario.").waitFor();
  expect(page.url()).toContain("#s=");
  const other = await open(browser, page.url());
  await ready(other.page);
  expect(await inside(other.page, (view) => view.session.world.setup.duration_s)).toBeCloseTo(31);
  expect([...faults, ...other.faults]).toEqual([]);
  await other.page.close();
  await page.close();
});

test("in a frame of another page it shows the question, the sliders and the run", async () => {
  const page = await browser.newPage({ viewport: { width: 900, height: 760 } });
  await page.goto(framed(playground("#hidden-terminal")));
  const frame = page.frameLocator("iframe");
  await frame.getByRole("heading", { name: "Two stations send" }).waitFor();
  await frame.locator(".stage canvas").waitFor();
  await frame.getByLabel("carrier sense").waitFor();
  expect(await frame.locator(".editor").isVisible()).toBe(false);
  expect(await frame.getByRole("link", { name: "Whole playground" }).getAttribute("href")).toBe("#hidden-terminal");
  await page.waitForTimeout(1500);
  await shot(page, "frame");
  await page.close();
});
