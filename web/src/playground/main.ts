/** The page of the playground: a scene with its question, its scenario, its results, and the view of its run. */

import "uplot/dist/uPlot.min.css";
import "../view/style.css";
import "./style.css";
import { button, h, say } from "../view/dom";
import { startEngine } from "../view/load";
import { noticeOf, refusalOf, tooLong } from "../view/notice";
import { type AsyncEngine, FINE, WANTED } from "../view/remote";
import { Theme } from "../view/theme";
import { View } from "../view/view";
import { plain } from "../view/words";
import { Editor } from "./editor";
import { decode, encode } from "./fragment";
import { Results } from "./results";
import { SCENES, type Scene, sceneOf } from "./scenes";
import { Sliders } from "./sliders";

/** A change is tried so long after the last key, in ms. */
const PAUSE = 450;
const COMMAND = "hopscope run scenario.toml";

class Playground {
  private readonly theme = new Theme();
  private readonly stage = h("div", { class: "running" });
  private readonly guide = h("section", { class: "guide" });
  private readonly select: HTMLSelectElement;
  private readonly editor: Editor;
  private readonly results: Results;
  private readonly shared = h("p", { class: "hint", role: "status" });
  /** In a frame of another page: the way to the whole playground. */
  private readonly whole = h("a", { class: "open-whole", target: "_blank", rel: "noopener" }, "Whole playground");
  private sliders: Sliders | null = null;
  private scene: Scene = SCENES[0] as Scene;
  private view: View | null = null;
  private engine: Promise<AsyncEngine> | null = null;
  private second: Promise<AsyncEngine> | null = null;
  private timer = 0;
  private round = 0;

  constructor() {
    this.editor = new Editor("", (text) => this.changed(text, true));
    this.results = new Results(
      () => {
        this.second ??= startEngine();
        return this.second;
      },
      () => this.editor.text,
    );
    this.select = h(
      "select",
      { "aria-label": "Scene", onchange: () => this.choose(sceneOf(this.select.value) as Scene) },
      ...SCENES.map((scene, at) => h("option", { value: scene.key }, `${at + 1}. ${scene.title}`)),
    );
    document.body.classList.toggle("embedded", window.self !== window.top);
    document.body.append(this.header(), this.body());
  }

  async start(): Promise<void> {
    window.addEventListener("hashchange", () => void this.read());
    await this.read();
    try {
      const engine = await this.running();
      this.editor.learn(await engine.schema());
    } catch (error) {
      this.show(noticeOf(error, "", COMMAND));
    }
  }

  /** Takes the scenario of the link, or the first scene. */
  private async read(): Promise<void> {
    try {
      const given = await decode(location.hash);
      if (!given) return this.choose(sceneOf(location.hash.slice(1)) ?? this.scene);
      this.scene = sceneOf(given.scene) ?? this.scene;
      this.take(this.scene, given.text);
    } catch (error) {
      this.choose(this.scene);
      say(this.shared, error instanceof Error ? error.message : String(error));
    }
  }

  private header(): HTMLElement {
    const help = () => this.view?.showHelp();
    return h(
      "header",
      { class: "page" },
      h("span", { class: "brand" }, "Hopscope"),
      h("h1", {}, "Playground"),
      h("span", { class: "grow" }),
      button("moon", "Light or dark", "", () => this.theme.toggle()),
      h("button", { type: "button", class: "icon text", title: "Help (?)", "aria-label": "Help", onclick: help }, "?"),
    );
  }

  private body(): HTMLElement {
    const turn = (by: number) => {
      const at = (SCENES.indexOf(this.scene) + by + SCENES.length) % SCENES.length;
      this.choose(SCENES[at] as Scene);
    };
    const share = h("button", { type: "button", onclick: () => void this.share() }, "Copy link");
    const anew = h("button", { type: "button", onclick: () => this.choose(this.scene) }, "Reset");
    const suggest = h(
      "button",
      { type: "button", title: "What can stand here (Ctrl Space)", onclick: () => this.editor.suggest() },
      "Suggest",
    );
    const left = h(
      "div",
      { class: "left" },
      h(
        "div",
        { class: "row pick" },
        button("back", "Scene before", "", () => turn(-1)),
        this.select,
        button("step", "Next scene", "", () => turn(1)),
        this.whole,
      ),
      this.guide,
      h("h3", {}, "Results"),
      this.results.element,
      h("h3", {}, "Scenario"),
      h("div", { class: "row" }, suggest, anew, share),
      this.shared,
      this.editor.element,
    );
    return h("main", { class: "playground" }, left, this.stage);
  }

  private choose(scene: Scene): void {
    say(this.shared, "");
    if (location.hash && location.hash !== `#${scene.key}`) history.replaceState(null, "", `#${scene.key}`);
    this.take(scene, scene.text);
  }

  /** Shows a scene with a text: its own, or one that somebody has changed. */
  private take(scene: Scene, text: string): void {
    this.scene = scene;
    this.select.value = scene.key;
    this.whole.href = `#${scene.key}`;
    this.sliders = new Sliders(
      scene.controls,
      () => this.editor.text,
      (changed) => {
        this.editor.text = changed;
        this.changed(changed, false);
      },
    );
    this.guide.replaceChildren(
      h("h2", {}, scene.question),
      this.sliders.element,
      h("h3", {}, "What to look for"),
      h("ul", {}, ...scene.look.map((line) => h("li", {}, line))),
    );
    this.editor.text = text;
    this.sliders.follow(text);
    this.results.reset();
    void this.open(scene.speed);
  }

  private changed(text: string, isTyped: boolean): void {
    if (isTyped) this.sliders?.follow(text);
    this.results.reset();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.open(), PAUSE);
  }

  private running(): Promise<AsyncEngine> {
    this.engine ??= startEngine();
    return this.engine;
  }

  /** Checks the text and, if it is good, begins its run. */
  private async open(speed = this.view?.session.clock.speed ?? this.scene.speed): Promise<void> {
    clearTimeout(this.timer);
    const round = ++this.round;
    const { text } = this.editor;
    const isPlaying = this.view?.session.clock.playing ?? !matchMedia("(prefers-reduced-motion: reduce)").matches;
    try {
      const long = tooLong(text, COMMAND);
      if (long) return this.show(long);
      const engine = await this.running();
      const checked = await engine.check(text);
      if (round !== this.round) return;
      this.editor.mark(checked.problems, checked.warnings);
      const refused = refusalOf(checked, text, COMMAND);
      if (refused) return this.refuse(refused);
      const world = await engine.open(text, { records: [...WANTED, ...FINE] });
      if (round !== this.round) return void world.free();
      const view = new View(world, {
        theme: this.theme,
        speed,
        playing: isPlaying,
        warnings: checked.warnings.map((one) => plain(one.message)),
        restart: () => void this.open(),
      });
      this.show(view.element);
      this.view = view;
      (globalThis as { hopscopeView?: View }).hopscopeView = view;
    } catch (error) {
      if (round === this.round) this.show(noticeOf(error, text, COMMAND));
    }
  }

  /** While one types much is wrong for a moment: the run before stays below what is said of it. */
  private refuse(notice: HTMLElement): void {
    if (this.view) {
      this.stage.querySelector(".notice")?.remove();
      this.stage.prepend(notice);
    } else this.show(notice);
  }

  private show(element: HTMLElement): void {
    this.view?.dispose();
    this.view = null;
    this.stage.replaceChildren(element);
  }

  private async share(): Promise<void> {
    const fragment = await encode({ text: this.editor.text, scene: this.scene.key });
    history.replaceState(null, "", fragment);
    say(this.shared, "The link stands in the address bar. It holds the whole scenario.");
    // Some browsers ask first, and some refuse: the address bar has it in any case.
    const copied = navigator.clipboard?.writeText(location.href).then(
      () => true,
      () => false,
    );
    if (await copied) say(this.shared, "The link is copied. It holds the whole scenario.");
  }
}

void new Playground().start();
