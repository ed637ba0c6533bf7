/** A figure of means over two directions of a sweep: a table whose cells are coloured. */

import { interpolateViridis } from "d3-scale-chromatic";
import { make } from "./controls";
import type { Direction, HeatMap, Mean } from "./data";
import { type Compared, type Drawing, fill } from "./drawing";
import type { Row, Wanted } from "./plan";
import type { Sample } from "./samples";
import { decimals, isSame, mean, shown } from "./stats";

/** A cell so bright has dark letters. */
const BRIGHT = 0.6;
/** Colours of the scale below. */
const STEPS = 9;

/** The cells of a map, row by row; null where there is no sample. */
export interface Grid {
  down: string[];
  across: string[];
  cells: (Mean | null)[][];
}

/** The map of what was found so far. */
export function grid(
  { down, across, metric }: HeatMap,
  {
    planned,
    found,
    wanted,
    quantiles,
  }: {
    planned: readonly Row[];
    found: readonly Sample[][];
    wanted: Wanted;
    quantiles: readonly (number | null)[];
  },
): Grid {
  const lines = ordered(planned.map(({ line }) => Number(line)));
  const places = ordered(planned.map(({ place }) => place));
  const cells = lines.map(() => places.map((): Mean | null => null));
  planned.forEach(({ line, place }, at) => {
    const values = (found[at] ?? []).map(({ values }) => values[metric]?.[0] ?? null);
    const row = cells[lines.indexOf(Number(line))] as (Mean | null)[];
    row[places.indexOf(place)] = mean(
      values.filter((value) => value !== null),
      quantiles,
    );
  });
  const named = (direction: Direction, numbers: number[]): string[] => {
    const typed = wanted.typed.get(direction.key ?? "")?.map(({ value }) => String(value));
    return numbers.map((number) => (typed ?? direction.names)[number] ?? "");
  };
  return { down: named(down, lines), across: named(across, places), cells };
}

/** Where a value stands between the worst, 0, and the best, 1, of all. */
export function shade(value: number, all: readonly number[], least: boolean): number {
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const share = high > low ? (value - low) / (high - low) : 1;
  return least && high > low ? 1 - share : share;
}

/** The place of the best of several values; -1 without any. */
export function best(values: readonly (Mean | null)[], least: boolean): number {
  const there = values.flatMap((value) => (value === null ? [] : [value[0]]));
  const top = least ? Math.min(...there) : Math.max(...there);
  return values.findIndex((value) => value?.[0] === top);
}

function ordered(numbers: number[]): number[] {
  return [...new Set(numbers)].sort((one, other) => one - other);
}

export class HeatMapDrawing implements Drawing {
  readonly element: HTMLElement;
  #figure: HeatMap;
  #quantiles: readonly (number | null)[];
  #map = make("table", { className: "again-map" });
  #scale = make("p", { className: "again-scale" });
  #table = make("table");

  constructor(figure: HeatMap, quantiles: readonly (number | null)[]) {
    this.#figure = figure;
    this.#quantiles = quantiles;
    const hint = `Bold: ${figure.least ? "least" : "most"} of its row; framed: of its column.`;
    this.element = make(
      "div",
      {},
      make("div", { className: "scroll" }, this.#map),
      this.#scale,
      make("p", { className: "soft small" }, hint),
      make("details", {}, make("summary", {}, "Values"), make("div", { className: "scroll" }, this.#table)),
    );
  }

  draw(planned: readonly Row[], found: readonly Sample[][], wanted: Wanted): void {
    const made = grid(this.#figure, { planned, found, wanted, quantiles: this.#quantiles });
    const { down, across, label } = this.#figure;
    this.#draw(made);
    const rows = made.cells.map((line, at) => [made.down[at] ?? "", ...line.map((one) => (one ? shown(one) : "-"))]);
    fill(this.#table, [`${down.label} \\ ${across.label}`, ...made.across], rows);
    this.#map.setAttribute("aria-label", `${label} over ${down.label} and ${across.label}`);
  }

  compare(planned: readonly Row[], found: readonly Sample[][]): Compared {
    const { metric, stored } = this.#figure;
    const repeated = planned.flatMap(({ point }, at) => (point === null ? [] : [{ point, runs: found[at] ?? [] }]));
    const equal = repeated.filter(({ point, runs }) => {
      const values = runs.map(({ values }) => values[metric]?.[0] ?? null).filter((value) => value !== null);
      return isSame(mean(values, this.#quantiles), stored[point] ?? null);
    });
    return { what: "cells", of: repeated.length, equal: equal.length };
  }

  /** The first row is the lowest, as in the picture of the report. */
  #draw({ down, across, cells }: Grid): void {
    const { least, label } = this.#figure;
    const all = cells.flat().flatMap((one) => (one === null ? [] : [one[0]]));
    const digits = decimals(Math.max(...all.map(Math.abs), 0));
    const ofColumn = across.map((_, at) =>
      best(
        cells.map((line) => line[at] ?? null),
        least,
      ),
    );
    const lines = cells.map((line, row) => {
      const ofRow = best(line, least);
      const made = line.map((one, at) => {
        const marks = [at === ofRow && "again-best", row === ofColumn[at] && "again-framed"].filter(Boolean).join(" ");
        const cell = make("td", { className: one ? marks : "" }, one ? one[0].toFixed(digits) : "-");
        if (one) paint(cell, shade(one[0], all, least));
        return cell;
      });
      return make("tr", {}, make("th", { scope: "row" }, down[row] ?? ""), ...made);
    });
    const heads = across.map((name) => make("th", { scope: "col" }, name));
    const corner = make("th", {}, `${this.#figure.down.label} ↑, ${this.#figure.across.label} →`);
    this.#map.replaceChildren(
      make("tbody", {}, ...lines.reverse()),
      make("tfoot", {}, make("tr", {}, corner, ...heads)),
    );
    this.#scale.replaceChildren(...(all.length > 0 ? ramp(all, least, digits, label) : []));
  }
}

function paint(cell: HTMLElement, share: number): void {
  cell.style.background = interpolateViridis(share);
  cell.style.color = share > BRIGHT ? "#000000" : "#ffffff";
}

/** The scale: colours from the smallest to the largest value. */
function ramp(all: readonly number[], least: boolean, digits: number, label: string): (HTMLElement | string)[] {
  const colours = Array.from({ length: STEPS }, (_, at) => at / (STEPS - 1)).map((share) =>
    interpolateViridis(least ? 1 - share : share),
  );
  const bar = make("span", { className: "again-ramp" });
  bar.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
  return [Math.min(...all).toFixed(digits), " ", bar, " ", `${Math.max(...all).toFixed(digits)}, ${label}`];
}
