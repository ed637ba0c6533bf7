/** The page of `hopscope watch`. */

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { LiveWorld } from "../engine";
import { button, h, say } from "./dom";
import { type Given, type LiveGiven, Refusal, readGiven, startEngine } from "./load";
import { notice, noticeOf, refusalOf, tooLong } from "./notice";
import { type AsyncEngine, FINE, WANTED } from "./remote";
import { Theme } from "./theme";
import { View } from "./view";
import { plain } from "./words";

const PLAYS = !matchMedia("(prefers-reduced-motion: reduce)").matches;
const MISSED = "This page did not follow for a while, as a page in the background: what came before is lost.";

const theme = new Theme();
const stage = h("main", {});
let view: View | null = null;
let warnings: string[] = [];

function show(element: HTMLElement): void {
  view?.dispose();
  view = null;
  stage.replaceChildren(element);
}

function header(given: Given | null): HTMLElement {
  const name = h("h1", {}, given?.name ?? "Hopscope");
  return h(
    "header",
    { class: "page" },
    h("span", { class: "brand" }, "Hopscope"),
    name,
    h("span", { class: "grow" }),
    button("moon", "Light or dark", "", () => theme.toggle()),
    h(
      "button",
      { type: "button", class: "icon text", title: "Help (?)", "aria-label": "Help", onclick: () => view?.showHelp() },
      "?",
    ),
  );
}

async function open(engine: AsyncEngine, given: Given, speed?: number, playing = PLAYS): Promise<void> {
  const files = given.files ? { files: given.files } : {};
  const seed = given.seed === undefined ? {} : { seed: given.seed };
  const world = await engine.open(given.text, { set: given.set, ...seed, ...files, records: [...WANTED, ...FINE] });
  const opened = new View(world, {
    theme,
    playing,
    warnings,
    ...(speed === undefined ? {} : { speed }),
    restart: () =>
      void open(engine, given, opened.session.clock.speed, opened.session.clock.playing).catch((error) =>
        show(noticeOf(error, given.text, given.command)),
      ),
  });
  present(opened);
}

/** Joins a live run. Where the page has missed a part of it, it does so anew. */
async function join(live: LiveGiven, remarks: string[]): Promise<void> {
  const names = live.hears ? [...WANTED, ...FINE] : WANTED;
  const world = await LiveWorld.join(live.setup, names).catch(() => {
    throw new Refusal("The run does not answer: it has ended.");
  });
  const restart = () => void join(live, [MISSED]).catch((error) => show(noticeOf(error, "", null)));
  present(new View(world, { theme, playing: PLAYS, speed: 1, warnings: remarks, restart }));
}

function present(opened: View): void {
  show(opened.element);
  view = opened;
  (globalThis as { hopscopeView?: View }).hopscopeView = opened;
}

async function start(): Promise<void> {
  let given: Given | null = null;
  try {
    given = readGiven(document.getElementById("hopscope-scenario")?.textContent ?? "");
    document.body.append(header(given), stage);
    if (!given)
      return show(
        notice(
          "There is nothing to watch",
          ["This page holds no scenario. Write one with hopscope watch FILE."],
          null,
          null,
        ),
      );
    document.title = `${given.name} - Hopscope`;
    if (given.live) return await join(given.live, []);
    const long = tooLong(given.text, given.command);
    if (long) return show(long);
    const loading = h("p", { class: "loading", role: "status" });
    say(loading, "The engine starts ...");
    show(loading);
    const engine: AsyncEngine = await startEngine();
    const checked = await engine.check(given.text, given.set, given.files);
    const refused = refusalOf(checked, given.text, given.command);
    if (refused) return show(refused);
    warnings = checked.warnings.map((warning) => plain(warning.message));
    await open(engine, given);
  } catch (error) {
    if (!stage.isConnected) document.body.append(header(given), stage);
    show(noticeOf(error, given?.text ?? "", given?.command ?? null));
  }
}

void start();
