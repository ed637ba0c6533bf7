/** What a kind of figure is to the rest of a page. */

import { make } from "./controls";
import type { Row, Wanted } from "./plan";
import type { Sample } from "./samples";

/** How many of the report's places were run again, what they are called, and how many have its numbers. */
export interface Compared {
  what: string;
  of: number;
  equal: number;
}

export interface Drawing {
  /** What stands below the controls. */
  readonly element: HTMLElement;
  /** Draws what there is so far: by row, the samples of its finished seeds. */
  draw(planned: readonly Row[], found: readonly Sample[][], wanted: Wanted): void;
  /** Holds what was run against the report, where it has the same places. */
  compare(planned: readonly Row[], found: readonly Sample[][]): Compared;
}

/** The parts below a plot: how to read it, and its values. */
export function below(space: HTMLElement, hint: string, table: HTMLTableElement): HTMLElement {
  const values = make("details", {}, make("summary", {}, "Values"), make("div", { className: "scroll" }, table));
  return make("div", {}, space, make("p", { className: "soft small" }, hint), values);
}

/** Fills a table with a head and rows, whose first cells name them. */
export function fill(table: HTMLTableElement, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const cell = (text: string, at: number): HTMLElement => make("td", { className: at > 0 ? "number" : "" }, text);
  table.replaceChildren(
    make("thead", {}, make("tr", {}, ...head.map((text) => make("th", {}, text)))),
    make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map(cell)))),
  );
}
