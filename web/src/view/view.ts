/** Plane, controls, details and timeline of one run, put together and drawn for each picture. */

import { Bar, NO_RESTART, NO_SPEED } from "./bar";
import { fasterThan, slowerThan } from "./clock";
import { button, h, say } from "./dom";
import { NS, type Transmission } from "./facts";
import { Filters } from "./filters";
import { type Choice, Inspector } from "./inspector";
import { filterPanel, helpPanel, legend } from "./panels";
import { Plane } from "./plane";
import type { AsyncWorld } from "./remote";
import { Session } from "./session";
import type { Theme } from "./theme";
import { Timeline } from "./timeline";
import { frameTitle, MARKS } from "./words";

/** Details are brought up to date so often, in ms: numbers that change faster cannot be read. */
const DETAILS_EVERY = 200;
/** At rest it is drawn so often, in ms, but at once while the viewer does something and for a while after. */
const REST_EVERY = 120;
const TOUCHED_FOR = 600;
/** A frame or a drop stays visible for so long, in ms of the viewer. */
const GLOW = 70;
const DROP_GLOW = 900;
const SAID_FOR = 4000;

const TOUCHES = ["pointermove", "pointerdown", "wheel", "keydown", "click", "input", "change", "scroll"];

export interface ViewOptions {
  theme: Theme;
  /** Opens the same scenario anew; of a live run, which has gone on without the page, what it is now. */
  restart(): void;
  /** Speed to begin with. */
  speed?: number;
  /** Whether it plays from the beginning. */
  playing?: boolean;
  /** What the engine says of the scenario. */
  warnings?: readonly string[];
}

export class View {
  readonly element: HTMLElement;
  readonly session: Session;
  private readonly filters = new Filters();
  private readonly plane: Plane;
  private readonly timeline: Timeline;
  private readonly inspector: Inspector;
  private readonly bar: Bar;
  private readonly help = helpPanel();
  private readonly shown: HTMLDialogElement;
  private readonly status = h("p", { class: "status", role: "status" });
  private readonly tip = h("div", { class: "tip", hidden: true });
  private readonly spacer = h("div");
  private readonly stop: () => void;
  private readonly observer: ResizeObserver;
  private last = 0;
  private details = 0;
  private drawn = 0;
  private touched = 0;
  private isGone = false;

  constructor(
    world: AsyncWorld,
    private readonly options: ViewOptions,
  ) {
    this.session = new Session(world);
    this.session.clock.speed = options.speed ?? 1e-3;
    this.session.clock.playing = options.playing ?? false;
    const { history } = this.session;
    const { theme } = options;
    this.bar = new Bar(
      {
        play: () => this.play(),
        step: (forward) => void this.session.step(forward),
        jump: () => void this.jump(),
        restart: options.restart,
        speed: (speed) => this.setSpeed(speed),
      },
      this.isLive,
    );
    const stageCanvas = h("canvas", { role: "img", "aria-label": "Nodes and the frames on the air", tabindex: 0 });
    this.plane = new Plane(stageCanvas, history, this.filters, theme.palette, {
      node: (node) => this.choose(node === null ? { kind: "run" } : { kind: "node", node }),
      frame: (frame) => this.choose(frame ? { kind: "frame", frame } : { kind: "run" }),
      hover: (node) => {
        this.plane.stage.hoveredNode = node;
      },
    });
    const scroller = h("div", { class: "lanes" });
    const laneCanvas = h("canvas", { role: "img", "aria-label": "Timeline: a lane for each node" });
    scroller.append(laneCanvas, this.spacer);
    this.timeline = new Timeline(laneCanvas, scroller, history, this.filters, theme.palette, {
      frame: (frame) => this.choose(frame ? { kind: "frame", frame } : { kind: "run" }),
      hover: (frame, node, text, x, y) => this.hovered(frame, node, text, x, y),
      seek: (time) => this.session.seek(time),
      node: (node) => this.choose({ kind: "node", node }),
    });
    this.inspector = new Inspector(history, theme.palette, options.warnings ?? [], {
      choose: (choice) => this.choose(choice),
      show: (frame) => void this.session.show(frame),
    });
    this.shown = filterPanel(
      this.filters,
      history.setup,
      () => theme.palette,
      () => this.resize(),
    );
    const tools = h(
      "div",
      { class: "tools" },
      button("plus", "Zoom in", "", () => this.plane.zoomBy(1.5)),
      button("minus", "Zoom out", "", () => this.plane.zoomBy(1 / 1.5)),
      button("fit", "Show all nodes", "", () => this.plane.showAll()),
      button("filter", "What is shown", "f", () => this.shown.showModal()),
    );
    const stage = h("div", { class: "stage" }, stageCanvas, tools, this.status);
    this.element = h(
      "section",
      { class: "view" },
      h(
        "div",
        { class: "upper" },
        h("div", { class: "main" }, stage, this.bar.element, legend()),
        this.inspector.element,
      ),
      h("div", { class: "timeline" }, scroller),
      this.tip,
      this.help,
      this.shown,
    );
    this.stop = theme.follow((palette) => {
      this.plane.stage.palette = palette;
      this.timeline.lanes.palette = palette;
      this.inspector.repaint(palette);
    });
    this.observer = new ResizeObserver(() => this.resize());
    for (const box of [stage, scroller]) this.observer.observe(box);
    document.addEventListener("keydown", this.pressed);
    for (const kind of TOUCHES) document.addEventListener(kind, this.touch, { capture: true, passive: true });
    this.inspector.show({ kind: "run" });
    requestAnimationFrame(this.draw);
  }

  play(): void {
    const { clock } = this.session;
    const isAtEnd = this.session.world.over && clock.time >= this.session.end;
    if (isAtEnd) this.restart();
    else clock.playing = !clock.playing;
  }

  private get isLive(): boolean {
    return this.session.world.isLive === true;
  }

  private restart(): void {
    if (this.isLive) this.say(NO_RESTART);
    else this.options.restart();
  }

  setSpeed(speed: number): void {
    if (this.isLive) {
      this.say(NO_SPEED);
      return;
    }
    this.session.clock.speed = speed;
    // The timeline follows the speed again; what it was zoomed to belonged to another one.
    this.timeline.span = null;
  }

  showHelp(): void {
    if (!this.help.open) this.help.showModal();
  }

  dispose(): void {
    this.isGone = true;
    this.stop();
    this.observer.disconnect();
    document.removeEventListener("keydown", this.pressed);
    for (const kind of TOUCHES) document.removeEventListener(kind, this.touch, { capture: true });
    this.element.remove();
    void this.session.dispose();
  }

  private choose(choice: Choice): void {
    const { stage } = this.plane;
    stage.selectedNode = this.timeline.lanes.selectedNode = choice.kind === "node" ? choice.node : null;
    stage.selectedFlow = choice.kind === "flow" ? choice.flow : null;
    if (choice.kind === "node") this.timeline.reveal(choice.node);
    if (choice.kind === "frame") this.timeline.reveal(choice.frame.src);
    stage.selectedFrame = this.timeline.lanes.selected = choice.kind === "frame" ? choice.frame : null;
    this.inspector.show(choice);
  }

  private hovered(frame: Transmission | null, node: number | null, text: string, x: number, y: number): void {
    this.plane.stage.hoveredFrame = this.timeline.lanes.hovered = frame;
    this.plane.stage.hoveredNode = node;
    const words = frame ? frameTitle(frame) : text;
    this.tip.hidden = !words;
    if (!words) return;
    say(this.tip, words);
    const width = this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, x + 12))}px`;
    this.tip.style.top = `${y - this.tip.offsetHeight - 10}px`;
  }

  private async jump(): Promise<void> {
    const { session } = this;
    if (session.seeking !== null) return session.stop();
    const sought = this.bar.sought.value as Parameters<Filters["showsMark"]>[1];
    const words = this.bar.sought.selectedOptions[0]?.textContent ?? "";
    const mark = await session.jump((one) => this.filters.showsMark(one, sought), words);
    if (!mark) {
      this.say(session.world.over ? `No ${words} until the end.` : "");
      return;
    }
    const at = mark.node < 0 ? "" : ` at node ${mark.node}`;
    this.say(`${MARKS[mark.kind]}${at}${mark.about && `: ${mark.about}`}`);
    if (mark.frame) this.choose({ kind: "frame", frame: mark.frame });
    else if (mark.node >= 0) this.choose({ kind: "node", node: mark.node });
  }

  /** A sentence over the plane, until something else happens. */
  private said = "";
  private saidAt = 0;
  private say(text: string): void {
    this.said = text;
    this.saidAt = performance.now();
  }

  private readonly pressed = (event: KeyboardEvent): void => {
    // The element itself, also where it stands in a shadow tree, as the editor does.
    const target = event.composedPath()[0] as HTMLElement;
    const writes = target.closest(
      "input[type=text], input[type=number], textarea, select, [contenteditable=true], dialog",
    );
    if (writes || event.ctrlKey || event.metaKey || event.altKey) return;
    const { clock } = this.session;
    const actions: Record<string, () => void> = {
      " ": () => this.play(),
      ArrowRight: () => void this.session.step(true),
      ArrowLeft: () => void this.session.step(false),
      "+": () => this.setSpeed(fasterThan(clock.speed)),
      "=": () => this.setSpeed(fasterThan(clock.speed)),
      "-": () => this.setSpeed(slowerThan(clock.speed)),
      n: () => void this.jump(),
      "0": () => this.restart(),
      f: () => this.shown.showModal(),
      "[": () => this.timeline.zoomBy(0.5, clock.speed),
      "]": () => this.timeline.zoomBy(2, clock.speed),
      Escape: () => this.choose({ kind: "run" }),
      "?": () => this.showHelp(),
    };
    const act = actions[event.key];
    // A range or a button that has the focus keeps its own keys.
    if (!act || (target.matches("input, button") && [" ", "ArrowRight", "ArrowLeft"].includes(event.key))) return;
    event.preventDefault();
    this.said = "";
    act();
  };

  private readonly touch = (): void => {
    this.touched = performance.now();
  };

  private resize(): void {
    const stage = this.element.querySelector(".stage") as HTMLElement;
    const lanes = this.element.querySelector(".lanes") as HTMLElement;
    if (stage.clientWidth) this.plane.resize(stage.clientWidth, stage.clientHeight);
    this.timeline.lanes.choose();
    const high = Math.min(lanes.clientHeight, this.timeline.wholeHeight);
    if (lanes.clientWidth) this.timeline.lanes.resize(lanes.clientWidth, high);
    this.spacer.style.height = `${Math.max(0, this.timeline.wholeHeight - high)}px`;
    // A canvas of another size is empty: it must not stay so until the next picture.
    this.paint();
  }

  private readonly draw = (now: number): void => {
    if (this.isGone) return;
    // What comes after a gap does not go with what is drawn.
    if (this.session.world.lost) {
      this.options.restart();
      return;
    }
    requestAnimationFrame(this.draw);
    const elapsed = this.last ? Math.min(250, now - this.last) : 0;
    this.last = now;
    const { session } = this;
    const { clock } = session;
    session.tick(elapsed);
    const rests = !clock.playing && session.seeking === null && now - this.touched > TOUCHED_FOR;
    if (rests && now - this.drawn < REST_EVERY) return;
    this.drawn = now;
    this.paint();
    this.bar.update(session);
    this.updateStatus();
    if (now - this.details >= DETAILS_EVERY) {
      this.details = now;
      this.inspector.update(clock.time);
    }
  };

  private paint(): void {
    const { stage } = this.plane;
    const { clock, known } = this.session;
    stage.time = clock.time;
    // At rest nothing glows: what is shown is one instant.
    stage.glow = clock.playing ? clock.speed * GLOW * 1e6 : 0;
    this.plane.paint(Math.max(1, clock.speed * DROP_GLOW * 1e6));
    this.timeline.paint(clock.time, known, clock.speed);
  }

  private updateStatus(): void {
    const { session } = this;
    const words =
      session.failure ??
      (session.seeking !== null
        ? `Looking for the next ${session.seeking} (at ${(session.known / NS).toFixed(1)} s) ...`
        : this.said || (this.isLive && session.world.over ? "The run has ended." : ""));
    say(this.status, words);
    this.status.hidden = !words;
    // A live run plays all the time: words must stay long enough to be read.
    if (session.clock.playing && performance.now() - this.saidAt > (this.isLive ? SAID_FOR : 0)) this.said = "";
  }
}
