/** "Run again here": what stands below a figure of an interactive report. */

import { EngineError } from "../engine";
import { Controls, make } from "./controls";
import type { Figure, Report, Scenario } from "./data";
import { jobs, type Line, lines, nameOf, type Row, rows, samples, storedLines } from "./plan";
import { Plot } from "./plot";
import type { Pool } from "./pool";
import { isSame, shown } from "./stats";

/** Results that a page keeps, so that its other figures need not run them again. */
const MOST_KEPT = 20_000;

/** What the figures of a page share. */
export interface Shared {
  report: Report;
  pool: Pool;
  /** The samples of finished runs, by metric and flow. */
  kept: Map<string, Record<string, (number | null)[]>>;
}

/** The part of a page below one figure. */
export class Widget {
  readonly element: HTMLDetailsElement;
  #scenario: Scenario;
  #figure: Figure;
  #shared: Shared;
  #controls: Controls;
  #plot: Plot | null = null;
  #space = make("div", { className: "again-plot" });
  #said = make("output");
  #problems = make("div", { className: "again-problems", role: "alert" });
  #table = make("table");
  #start = make("button", { type: "button" }, "Run");
  #stop = make("button", { type: "button", disabled: true }, "Stop");

  constructor(scenario: Scenario, figure: Figure, shared: Shared) {
    this.#scenario = scenario;
    this.#figure = figure;
    this.#shared = shared;
    this.#controls = new Controls(scenario, figure);
    this.#space.setAttribute("role", "img");
    this.#space.setAttribute("aria-label", `${figure.label}: its values stand in the table below`);
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
      this.#space,
      make("p", { className: "soft small" }, "The pale lines behind are the report's own."),
      make("details", {}, make("summary", {}, "Values"), make("div", { className: "scroll" }, this.#table)),
    );
    this.#start.addEventListener("click", () => void this.#run());
    this.#stop.addEventListener("click", () => shared.pool.stop());
    this.#controls.element.addEventListener("keydown", (event) => {
      if (event.key === "Enter") void this.#run();
    });
  }

  async #run(): Promise<void> {
    const { pool, kept, report } = this.#shared;
    this.#problems.replaceChildren();
    let planned: Row[];
    let wanted: ReturnType<Controls["wanted"]>;
    try {
      wanted = this.#controls.wanted();
      planned = rows(this.#scenario, this.#figure, wanted);
      if (planned.length === 0) throw new Error("the sweep has no such point");
    } catch (error) {
      this.#refuse(error as Error);
      return;
    }
    pool.stop();
    const metrics = this.#scenario.figures.map(({ metric }) => metric);
    const found: (number | null)[][][] = planned.map(() => []);
    const every = jobs(planned.length, wanted);
    const isKept = ({ row, seed }: { row: number; seed: number }): boolean =>
      kept.has(nameOf(planned[row] as Row, seed));
    const missing = every.filter((job) => !isKept(job));
    const take = (row: number, seed: number): void => {
      const values = kept.get(nameOf(planned[row] as Row, seed))?.[this.#figure.metric];
      if (values) found[row]?.push(values);
    };
    for (const job of every.filter(isKept)) take(job.row, job.seed);
    this.#start.disabled = true;
    this.#stop.disabled = false;
    let finished = every.length - missing.length;
    let isFailed = false;
    let isAsked = false;
    let ending = "";
    const show = (): void => {
      isAsked = false;
      this.#draw(lines(this.#scenario, planned, found, report.quantiles), planned);
      this.#said.value = `${finished} of ${every.length} runs${ending}`;
    };
    show();
    await pool.run(missing, planned, this.#scenario.files, {
      done: ({ row, seed }, result) => {
        if (kept.size >= MOST_KEPT) kept.clear();
        kept.set(nameOf(planned[row] as Row, seed), samples(result, metrics));
        take(row, seed);
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

  /** Whether the means are those of the report, where the same runs were done. */
  #compared(planned: Row[], found: (number | null)[][][], { seed, seeds }: { seed: number; seeds: number }): string {
    const scenario = this.#scenario;
    if (seed !== scenario.seed || seeds !== scenario.seeds || !scenario.same) return "";
    const repeated = planned.filter(({ point }) => point !== null);
    if (repeated.length === 0) return "";
    const old = storedLines(scenario, this.#figure, planned);
    const made = lines(scenario, planned, found, this.#shared.report.quantiles);
    const equal = repeated.filter(({ place, line }) =>
      old
        .filter(({ row }) => row === line)
        .every(({ label, means }) => {
          const here = made.find((one) => one.label === label)?.means.get(place);
          return isSame(here ?? null, means.get(place) ?? null);
        }),
    ).length;
    return `; ${equal} of ${repeated.length} places have the same numbers as the report`;
  }

  #refuse(error: Error, where = ""): void {
    const problems = error instanceof EngineError ? error.problems : [{ key: "", message: error.message }];
    const texts = problems.map(({ key, message }) => [where, key, message].filter(Boolean).join(": "));
    this.#problems.replaceChildren(...texts.map((text) => make("p", {}, text)));
  }

  #draw(made: Line[], planned: Row[]): void {
    const axis = this.#scenario.keys.find(({ key }) => key === this.#figure.along);
    const names = axis ? null : this.#names();
    const x = axis?.label ?? this.#scenario.keys.map(({ words }) => words).join(", ");
    this.#plot ??= new Plot(this.#space, { x, y: this.#figure.label, names });
    this.#plot.draw(made, storedLines(this.#scenario, this.#figure, planned));
    const places = [...new Set(planned.map(({ place }) => place))].sort((one, other) => one - other);
    const head = make(
      "tr",
      {},
      make("th", {}, x),
      ...made.map(({ label }) => make("th", {}, label || this.#figure.label)),
    );
    const body = places.map((place) => {
      const cells = made.map(({ means }) => {
        const value = means.get(place);
        return make("td", { className: "number" }, value ? shown(value) : "-");
      });
      return make("tr", {}, make("td", {}, names ? (names[place] ?? "") : String(place)), ...cells);
    });
    this.#table.replaceChildren(make("thead", {}, head), make("tbody", {}, ...body));
  }

  /** The points in words. */
  #names(): string[] {
    const { keys, points } = this.#scenario;
    const words = points.map(({ at }) => keys.map(({ shown: values }, key) => values[at[key] ?? 0]).join(", "));
    return words.map((text) => text || "all runs");
  }
}
