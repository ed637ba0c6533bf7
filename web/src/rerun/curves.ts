/** A figure of means over a swept key, or by points. */

import { make } from "./controls";
import type { Curves, Scenario } from "./data";
import { below, type Compared, type Drawing, fill } from "./drawing";
import { type Line, lines, storedLines } from "./lines";
import type { Row } from "./plan";
import { Plot } from "./plot";
import type { Sample } from "./samples";
import { isSame, shown } from "./stats";

export class CurvesDrawing implements Drawing {
  readonly element: HTMLElement;
  #scenario: Scenario;
  #figure: Curves;
  #quantiles: readonly (number | null)[];
  #space = make("div", { className: "again-plot", role: "img" });
  #table = make("table");
  #plot: Plot | null = null;

  constructor(scenario: Scenario, figure: Curves, quantiles: readonly (number | null)[]) {
    this.#scenario = scenario;
    this.#figure = figure;
    this.#quantiles = quantiles;
    this.#space.setAttribute("aria-label", `${figure.label}: its values stand in the table below`);
    this.element = below(this.#space, "The pale lines behind are the report's own.", this.#table);
  }

  draw(planned: readonly Row[], found: readonly Sample[][]): void {
    const { keys } = this.#scenario;
    const axis = keys.find(({ key }) => key === this.#figure.along);
    const names = axis ? null : this.#names();
    const x = axis?.label ?? keys.map(({ words }) => words).join(", ");
    const made = this.#lines(planned, found);
    this.#plot ??= new Plot(this.#space, { x, y: this.#figure.label, names });
    this.#plot.draw(made, this.#stored(planned));
    const places = [...new Set(planned.map(({ place }) => place))].sort((one, other) => one - other);
    const rows = places.map((place) => {
      const values = made.map(({ means }) => means.get(place));
      const name = names ? (names[place] ?? "") : String(place);
      return [name, ...values.map((value) => (value ? shown(value) : "-"))];
    });
    fill(this.#table, [x, ...made.map(({ label }) => label || this.#figure.label)], rows);
  }

  compare(planned: readonly Row[], found: readonly Sample[][]): Compared {
    const repeated = planned.filter(({ point }) => point !== null);
    const old = this.#stored(planned);
    const made = this.#lines(planned, found);
    const equal = repeated.filter(({ place, line }) =>
      old
        .filter(({ row }) => row === line)
        .every(({ label, means }) => {
          const here = made.find((one) => one.label === label)?.means.get(place);
          return isSame(here ?? null, means.get(place) ?? null);
        }),
    );
    return { what: "places", of: repeated.length, equal: equal.length };
  }

  #lines(planned: readonly Row[], found: readonly Sample[][]): Line[] {
    const values = found.map((runs) => runs.map(({ values }) => values[this.#figure.metric] ?? []));
    return lines(this.#scenario, planned, values, this.#quantiles);
  }

  #stored(planned: readonly Row[]): Line[] {
    return storedLines(this.#scenario, this.#figure.stored, planned);
  }

  /** The points in words. */
  #names(): string[] {
    const { keys, points } = this.#scenario;
    const words = points.map(({ at }) => keys.map(({ shown: values }, key) => values[at[key] ?? 0]).join(", "));
    return words.map((text) => text || "all runs");
  }
}
