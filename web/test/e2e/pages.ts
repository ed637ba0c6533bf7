/** Built pages in Chromium, as a viewer gets them: files that fetch nothing. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { built, packed } from "../engine";

const folder = mkdtempSync(join(tmpdir(), "hopscope-e2e-"));

/** What the tests look at besides the page's own elements. */
export interface Inside {
  session: {
    clock: { time: number; speed: number; playing: boolean };
    known: number;
    world: { over: boolean; setup: { duration_s: number } };
    history: {
      air: { length: number; at(place: number): { start: number; end: number; src: number; dst: number | null } };
    };
    seek(time: number): void;
  };
  plane: { stage: { xs: Float64Array; ys: Float64Array; selectedNode: number | null } };
  timeline: { span: number | null; lanes: { selected: unknown; rows: number[]; x: (time: number) => number } };
}

export const SIZES = [
  { name: "wide", width: 1280, height: 800 },
  { name: "phone", width: 390, height: 844 },
];

export async function launch(more: string[] = []): Promise<Browser> {
  for (const file of ["watch.html", "playground.html", "engine.wasm.gz"]) {
    if (!existsSync(join(built, file))) throw new Error(`${join(built, file)} is missing: run make web`);
  }
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: ["--no-sandbox", ...more] });
}

const escaped = (text: string): string =>
  text.replace(/[<>&]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

const filled = (given: object): string =>
  readFileSync(join(built, "watch.html"), "utf8").replace(
    'id="hopscope-scenario"></script>',
    () => `id="hopscope-scenario">${escaped(JSON.stringify(given))}</script>`,
  );

/** A page as `hopscope live --watch` serves it. */
export const livePage = (live: object): string =>
  filled({ name: "test", text: "", command: "", live }).replace(
    "default-src 'none'",
    "default-src 'none'; connect-src 'self'",
  );

/** Writes a page as `hopscope watch` does; returns its address. */
export function watch(text: string, more: Record<string, unknown> = {}, withEngine = true): string {
  const engine = withEngine ? packed().toString("base64") : "";
  const given = { name: "test", text, set: {}, seed: 1, command: "hopscope run test.toml", ...more };
  const html = filled(given).replace('id="hopscope-engine"></script>', () => `id="hopscope-engine">${engine}</script>`);
  const file = join(folder, `${Math.random().toString(36).slice(2)}.html`);
  writeFileSync(file, html);
  return `file://${file}`;
}

export const playground = (fragment = ""): string => `file://${join(built, "playground.html")}${fragment}`;

/** A page that shows another one in a frame, as the documentation does. */
export function framed(address: string): string {
  const file = join(folder, "framed.html");
  writeFileSync(
    file,
    `<!doctype html><iframe title="scene" style="width: 100%; height: 700px" src="${address}"></iframe>`,
  );
  return `file://${file}`;
}

export interface Opened {
  page: Page;
  /** What went wrong or was fetched. */
  faults: string[];
}

export async function open(
  browser: Browser,
  address: string,
  { width = 1280, height = 800, dark = false, still = true } = {},
): Promise<Opened> {
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: still ? "reduce" : "no-preference",
  });
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  page.on("request", (request) => {
    if (!/^(file|blob|data):/.test(request.url()) && !request.url().startsWith(address))
      faults.push(`fetched ${request.url()}`);
  });
  await page.goto(address);
  return { page, faults };
}

/** Waits until an expression holds. The policy of a page forbids to evaluate it there again and again. */
export async function until(page: Page, expression: string, most = 20_000): Promise<void> {
  const end = Date.now() + most;
  while (!(await page.evaluate(`Boolean(${expression})`))) {
    if (Date.now() > end) throw new Error(`in vain: ${expression}`);
    await page.waitForTimeout(30);
  }
}

/** Waits for the view, and for what it knows of the first milliseconds. */
export const ready = (page: Page): Promise<void> => until(page, "globalThis.hopscopeView?.session.known > 15e6");

/** Asks the view of a page something. */
export function inside<T>(page: Page, ask: (view: Inside) => T): Promise<T> {
  return page.evaluate(`(${ask.toString()})(globalThis.hopscopeView)`) as Promise<T>;
}

/** Keeps a picture where HOPSCOPE_SHOTS names a folder: for people to look at. */
export async function shot(page: Page, name: string): Promise<void> {
  const shots = process.env.HOPSCOPE_SHOTS;
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}

export const CHAIN = `title = "chain"
duration = "5s"

[topology]
kind = "chain"
hops = 4
spacing = 200

[mac]
queue = 3

[[flow]]
from = 0
to = "last"
transport = "tcp"
max_window = 32
`;
