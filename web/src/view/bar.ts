/** The controls of the playhead: play, steps, speed, jumps, and where it stands. */

import { FASTEST, instant, SLOWEST, sliderOf, speedAt, speedWords } from "./clock";
import { button, h, say, setIcon } from "./dom";
import type { MarkKind } from "./facts";
import type { Session } from "./session";
import { grouped } from "./words";

export interface BarEvents {
  play(): void;
  step(forward: boolean): void;
  jump(): void;
  restart(): void;
  speed(value: number): void;
}

/** What a live run has not, and why. */
export const NO_RESTART = "A live run cannot begin anew: start the command again.";
export const NO_SPEED = "The clock sets the pace of a live run. Pause it to go through frames one by one.";

export type Sought = MarkKind | "any";
const SOUGHT: [Sought, string][] = [
  ["any", "loss or timeout"],
  ["drop", "drop"],
  ["timeout", "timeout (RTO)"],
  ["collision", "collision"],
  ["no-answer", "missing answer"],
];

export class Bar {
  readonly element: HTMLElement;
  readonly sought: HTMLSelectElement;
  private readonly playButton: HTMLButtonElement;
  private readonly jumpButton: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly speedText = h("output", { class: "speed-words" });
  private readonly timeText = h("output", { class: "instant" });
  private readonly endText = h("span", { class: "end" });

  /** `isLive`: the clock rules a run that cannot begin anew. */
  constructor(
    events: BarEvents,
    private readonly isLive: boolean,
  ) {
    this.playButton = button("play", "Play", "space", events.play);
    this.playButton.classList.add("primary");
    this.jumpButton = h("button", {
      type: "button",
      class: "jump",
      title: "Jump to the next (n)",
      onclick: events.jump,
    });
    this.sought = h(
      "select",
      { "aria-label": "What to jump to" },
      ...SOUGHT.map(([value, words]) => h("option", { value }, words)),
    );
    this.slider = h("input", {
      type: "range",
      min: SLOWEST,
      max: FASTEST,
      step: 0.01,
      "aria-label": "Speed",
      title: "Speed (+ and -)",
      oninput: () => events.speed(speedAt(Number(this.slider.value))),
    });
    const restart = button("restart", "From the beginning", "0", events.restart);
    if (isLive) {
      restart.disabled = this.slider.disabled = true;
      restart.title = NO_RESTART;
      this.slider.title = NO_SPEED;
    }
    this.element = h(
      "div",
      { class: "bar", role: "toolbar", "aria-label": "Playback" },
      h(
        "div",
        { class: "buttons" },
        restart,
        button("back", "One frame back", "←", () => events.step(false)),
        this.playButton,
        button("step", "One frame on", "→", () => events.step(true)),
      ),
      h("div", { class: "clock" }, this.timeText, this.endText),
      h("label", { class: "speed" }, h("span", {}, "speed"), this.slider, this.speedText),
      h("div", { class: "jumps" }, this.jumpButton, this.sought),
    );
    say(this.jumpButton, "Next");
  }

  update(session: Session): void {
    const { clock } = session;
    setIcon(this.playButton, clock.playing ? "pause" : "play");
    this.playButton.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    say(this.timeText, instant(clock.time));
    say(this.endText, this.whereItStands(session));
    const place = sliderOf(clock.speed);
    // What the viewer drags stays under the pointer.
    if (speedAt(Number(this.slider.value)) !== clock.speed) this.slider.value = String(place);
    say(this.speedText, speedWords(clock.speed));
    this.slider.setAttribute("aria-valuetext", speedWords(clock.speed));
    say(this.jumpButton, session.seeking === null ? "Next" : "Stop");
  }

  private whereItStands(session: Session): string {
    const { over, setup } = session.world;
    if (this.isLive) return over ? "has ended" : session.clock.playing ? "live" : "goes on";
    return session.waits ? "the engine computes" : `of ${grouped(setup.duration_s)} s`;
  }
}
