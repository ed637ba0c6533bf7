import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHAIN, launch, open, playground, ready, shot, watch } from "./pages";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** What a page says instead of a view. */
async function said(address: string, before?: string): Promise<string> {
  const page = await browser.newPage();
  if (before) await page.addInitScript(before);
  await page.goto(address);
  const text = await page.locator(".notice").innerText();
  await shot(page, `notice-${text.slice(0, 24).replaceAll(/\W+/g, "-")}`);
  await page.close();
  return text;
}

test("problems stand with their line and what is written there", async () => {
  const text = await said(watch(CHAIN.replace("hops = 4", "hopps = 4")));
  expect(text).toContain("The scenario has 2 problems");
  expect(text).toMatch(/line 6: topology.hopps: unknown key \(did you mean "hops"\?\)\s+hopps = 4/);
});

test("what cannot run in a page is said with the command that runs it", async () => {
  const text = await said(watch(`${CHAIN}control = "own.py:Own"\n`, { command: "hopscope run own.toml --trust" }));
  expect(text).toContain("cannot run in a page");
  expect(text).toContain("own.py:Own");
  expect(text).toContain("hopscope run own.toml --trust");
});

test("a browser without WebAssembly, a page without an engine or scenario, a damaged one", async () => {
  expect(await said(watch(CHAIN), "delete globalThis.WebAssembly")).toContain("This browser has no WebAssembly");
  expect(await said(watch(CHAIN, {}, false))).toContain("built without the engine");
  expect(await said(watch("", { text: undefined }))).toContain("holds no scenario");
});

test("a file too large for a page", async () => {
  expect(await said(watch(`${CHAIN}# ${"x".repeat(4_100_000)}\n`))).toContain("too large for a page");
});

const HOSTILE =
  "<script>globalThis.harm = 1</script><img src=x onerror='globalThis.harm = 1'></script>&lt;\u202e\u0007";

test("a hostile scenario runs nothing and shows text", async () => {
  const label = JSON.stringify(HOSTILE);
  const text = `${CHAIN.replace('"chain"', label)}group = "a"\n\n[[flow]]\nfrom = 1\nto = 2\ntransport = "udp"\napp = "cbr"\nrate = 9e15\npacket = 1000\n`;
  const { page } = await open(browser, watch(text, { name: HOSTILE, command: HOSTILE, set: { "flow.0.start": 0 } }));
  await page.locator("h1").filter({ hasText: "<script>globalThis.harm" }).waitFor();
  expect(await page.locator("h1").innerText()).not.toContain("\u202e");
  expect(await page.locator("main").innerText()).not.toBe("");
  expect(await page.evaluate("globalThis.harm")).toBeUndefined();
  expect(await page.locator("img").count()).toBe(0);
  await page.close();
});

test("hostile keys and values in problems are text, too", async () => {
  const page = await browser.newPage();
  await page.goto(watch(`${CHAIN}${JSON.stringify(HOSTILE)} = ${JSON.stringify(HOSTILE)}\n`, { command: HOSTILE }));
  expect(await page.locator(".notice").innerText()).toContain("<script>globalThis.harm");
  expect(await page.evaluate("globalThis.harm")).toBeUndefined();
  expect(await page.locator(".notice img, .notice script").count()).toBe(0);
  await page.close();
});

test("the policy of a page lets nothing else run", async () => {
  const { page, faults } = await open(browser, watch(CHAIN));
  await ready(page);
  expect(faults).toEqual([]);
  const run = `(() => { const s = document.createElement("script"); s.textContent = "globalThis.harm = 1"; document.body.append(s);
    const b = document.createElement("button"); b.setAttribute("onclick", "globalThis.harm = 1"); document.body.append(b); b.click(); return globalThis.harm; })()`;
  expect(await page.evaluate(run)).toBeUndefined();
  expect(await page.evaluate("fetch('https://example.org').then(() => 'fetched', () => 'refused')")).toBe("refused");
  await page.close();
});

test("a damaged link of the playground says so, and the first scene stands there", async () => {
  const { page } = await open(browser, playground("#s=AAAA"));
  await page.getByText("The link is damaged").waitFor();
  expect(await page.getByLabel("Scene", { exact: true }).inputValue()).toBe("hidden-terminal");
  await page.close();
});
