/** "Run again here": what stands below a figure of an interactive report. */

import { EngineError } from "../engine";
import { Controls, make } from "./controls";
import { CurvesDrawing } from "./curves";
import type { Figure, Report, Scenario } from "./data";
import { DistributionDrawing } from "./distribution";
import type { Drawing } from "./drawing";
import { HeatMapDrawing } from "./heatmap";
import { jobs, nameOf, type Row, rows, type Wanted } from "./plan";
import type { Pool } from "./pool";
import { type Kept, type Sample, samples } from "./samples";

/** What the figures of a scenario share. */
export interface Shared {
  report: Report;
  pool: Pool;
  kept: Kept;
}

function drawing(scenario: Scenario, figure: Figure, { quantiles }: Report): Drawing {
  switch (figure.kind) {
    case "curves":
      return new CurvesDrawing(scenario, figure, quantiles);
    case "map":
      return new HeatMapDrawing(figure, quantiles);
    case "distribution":
      return new DistributionDrawing(scenario, figure);
  }
}

/** The part of a page below one figure. */
export class Widget {
  readonly element: HTMLDetailsElement;
  #scenario: Scenario;
  #figure: Figure;
  #shared: Shared;
  #controls: Controls;
  #drawing: Drawing;
  #said = make("output");
  #problems = make("div", { className: "again-problems", role: "alert" });
  #start = make("button", { type: "button" }, "Run");
  #stop = make("button", { type: "button", disabled: true }, "Stop");

  constructor(scenario: Scenario, figure: Figure, shared: Shared) {
    this.#scenario = scenario;
    this.#figure = figure;
    this.#shared = shared;
    this.#controls = new Controls(scenario, figure);
    this.#drawing = drawing(scenario, figure, shared.report);
    const about = scenario.same
      ? "The engine of this page is that of the report: the same numbers for the same seeds."
      : "The engine of this page is another build than that of the report: numbers can differ.";
    this.element = make(
      "details",
      { className: "again-figure" },
      make("summary", {}, "Run again here"),
      make("p", {}, about),
      this.#controls.element,
      make("p", {}, this.#start, " ", this.#stop, " ", this.#said),
      this.#problems,
      this.#drawing.element,
    );
    this.#start.addEventListener("click", () => void this.#run());
    this.#stop.addEventListener("click", () => shared.pool.stop());
    this.#controls.element.addEventListener("keydown", (event) => {
      if (event.key === "Enter") void this.#run();
    });
  }

  async #run(): Promise<void> {
    const { pool, kept } = this.#shared;
    this.#problems.replaceChildren();
    let planned: Row[];
    let wanted: Wanted;
    try {
      wanted = this.#controls.wanted();
      planned = rows(this.#scenario, this.#figure, wanted);
      if (planned.length === 0) throw new Error("the sweep has no such point");
    } catch (error) {
      this.#refuse(error as Error);
      return;
    }
    pool.stop();
    const found: Sample[][] = planned.map(() => []);
    const every = jobs(planned.length, wanted);
    const missing = every.filter(({ row, seed }) => {
      const known = kept.get(nameOf(planned[row] as Row, seed));
      if (known) found[row]?.push(known);
      return known === undefined;
    });
    this.#start.disabled = true;
    this.#stop.disabled = false;
    let finished = every.length - missing.length;
    let isFailed = false;
    let isAsked = false;
    let ending = "";
    const show = (): void => {
      isAsked = false;
      this.#drawing.draw(planned, found, wanted);
      this.#said.value = `${finished} of ${every.length} runs${ending}`;
    };
    show();
    await pool.run(missing, planned, this.#scenario.files, {
      done: ({ row, seed }, result) => {
        const sample = samples(result, this.#scenario.figures);
        kept.set(nameOf(planned[row] as Row, seed), sample);
        found[row]?.push(sample);
        finished += 1;
        if (!isAsked) requestAnimationFrame(show);
        isAsked = true;
      },
      failed: ({ seed }, error) => {
        isFailed = true;
        this.#refuse(error, `seed ${seed}`);
      },
    });
    ending = isFailed || finished < every.length ? ", stopped" : this.#compared(planned, found, wanted);
    show();
    this.#start.disabled = false;
    this.#stop.disabled = true;
  }

  /** Whether the figure is that of the report, where the same runs were done. */
  #compared(planned: Row[], found: Sample[][], { seed, seeds }: Wanted): string {
    const { same, ...scenario } = this.#scenario;
    if (!same || seed !== scenario.seed || seeds !== scenario.seeds) return "";
    const { what, of, equal } = this.#drawing.compare(planned, found);
    return of === 0 ? "" : `; ${equal} of ${of} ${what} have the same numbers as the report`;
  }

  #refuse(error: Error, where = ""): void {
    const problems = error instanceof EngineError ? error.problems : [{ key: "", message: error.message }];
    const texts = problems.map(({ key, message }) => [where, key, message].filter(Boolean).join(": "));
    this.#problems.replaceChildren(...texts.map((text) => make("p", {}, text)));
  }
}
