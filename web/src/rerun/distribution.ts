/** A figure of distributions: a curve for each point and flow, all seeds together. */

import { added, isEqual, percentile, shares, total } from "./classes";
import { make } from "./controls";
import type { Classes, Distribution, Scenario } from "./data";
import { below, type Compared, type Drawing, fill } from "./drawing";
import { type Line, labelOf } from "./lines";
import type { Row } from "./plan";
import { Plot } from "./plot";
import type { Sample } from "./samples";
import { shown } from "./stats";

/** Percentiles in the table of values. */
const PERCENTILES = [50, 90, 99];

/** What was counted on a line. */
interface Counted {
  row: Row;
  label: string;
  flow: number;
  classes: Classes;
}

export class DistributionDrawing implements Drawing {
  readonly element: HTMLElement;
  #scenario: Scenario;
  #figure: Distribution;
  #space = make("div", { className: "again-plot", role: "img" });
  #table = make("table");
  #plot: Plot;

  constructor(scenario: Scenario, figure: Distribution) {
    this.#scenario = scenario;
    this.#figure = figure;
    this.#space.setAttribute("aria-label", `${figure.label}: its percentiles stand in the table below`);
    this.#plot = new Plot(this.#space, { x: figure.label, y: "share of packets", names: null, isStepped: true });
    this.element = below(this.#space, "The pale lines behind are the report's own.", this.#table);
  }

  draw(planned: readonly Row[], found: readonly Sample[][]): void {
    const made = this.#counted(planned, found);
    this.#plot.draw(made.map(line), this.#stored(planned).map(line));
    const head = ["", "packets", ...PERCENTILES.map((one) => `${one} % (ms)`)];
    const rows = made.map(({ label, classes }) => {
      const values = PERCENTILES.map((one) => percentile(classes, one) ?? 0);
      return [label || "all packets", String(total(classes)), ...values.map((value) => shown([value, null]))];
    });
    fill(this.#table, head, rows);
  }

  compare(planned: readonly Row[], found: readonly Sample[][]): Compared {
    const made = this.#counted(planned, found);
    const old = this.#stored(planned);
    const equal = old.filter(({ row, flow, classes }) => {
      const here = made.find((one) => one.row === row && one.flow === flow);
      return here !== undefined && isEqual(here.classes, classes);
    });
    return { what: "curves", of: old.length, equal: equal.length };
  }

  #counted(planned: readonly Row[], found: readonly Sample[][]): Counted[] {
    const { metric } = this.#figure;
    const of = (at: number, flow: number): Classes =>
      added((found[at] ?? []).flatMap(({ classes }) => classes[metric]?.[flow] ?? []));
    const flows = Math.max(
      this.#scenario.flows.length,
      ...found.flat().map(({ classes }) => classes[metric]?.length ?? 0),
    );
    return this.#lines(planned, flows, of);
  }

  #stored(planned: readonly Row[]): Counted[] {
    const { stored } = this.#figure;
    const of = (at: number, flow: number): Classes | null => stored[planned[at]?.point ?? -1]?.[flow] ?? null;
    return this.#lines(planned, this.#scenario.flows.length, of);
  }

  /** The lines that have a shape: those of at least two values. */
  #lines(planned: readonly Row[], flows: number, of: (at: number, flow: number) => Classes | null): Counted[] {
    return planned.flatMap((row, at) =>
      Array.from({ length: flows }, (_, flow) => {
        const classes = of(at, flow);
        const label = labelOf(this.#scenario, row, flow, flows);
        return classes !== null && total(classes) > 1 ? [{ row, label, flow, classes }] : [];
      }).flat(),
    );
  }
}

function line({ row, label, flow, classes }: Counted): Line {
  const means = [...shares(classes)].map(([value, share]) => [value, [share, null]] as const);
  return { row: row.line, label, flow, means: new Map(means.map(([value, mean]) => [value, [...mean]])) };
}
