/** The lines of a figure: from the runs so far, and the report's own at the same places. */

import type { Mean, Scenario } from "./data";
import type { Row } from "./plan";
import { mean } from "./stats";

/** A line of a figure: what it shows, by place. */
export interface Line {
  /** The words of its rows, and with those of its flow. */
  row: string;
  label: string;
  flow: number;
  means: Map<number, Mean>;
}

/** The name of a flow's line: of its rows, and of the flow where there are several. */
export function labelOf({ flows }: Scenario, { line }: Row, flow: number, count: number): string {
  return [line, count > 1 ? (flows[flow] ?? `flow ${flow}`) : ""].filter(Boolean).join(", ");
}

/** The lines of a figure from the samples so far: by row, the values of each flow of each finished seed. */
export function lines(
  scenario: Scenario,
  planned: readonly Row[],
  found: readonly (readonly (number | null)[])[][],
  quantiles: readonly (number | null)[],
): Line[] {
  const flows = Math.max(scenario.flows.length, ...found.flat().map((values) => values.length));
  const all = planned.map((_, at) =>
    Array.from({ length: flows }, (_, flow) => {
      const values = (found[at] ?? []).map((run) => run[flow] ?? null).filter((value) => value !== null);
      return mean(values, quantiles);
    }),
  );
  return joined(scenario, planned, all, flows);
}

/** The report's own lines at the same places. */
export function storedLines(scenario: Scenario, stored: (Mean | null)[][], planned: readonly Row[]): Line[] {
  const all = planned.map(({ point }) => (point === null ? [] : (stored[point] ?? [])));
  return joined(scenario, planned, all, scenario.flows.length);
}

function joined(scenario: Scenario, planned: readonly Row[], means: (Mean | null)[][], flows: number): Line[] {
  const made = new Map<string, Line>();
  planned.forEach((row, at) => {
    means[at]?.forEach((middle, flow) => {
      if (middle === null) return;
      const label = labelOf(scenario, row, flow, flows);
      const line = made.get(label) ?? { row: row.line, label, flow, means: new Map() };
      line.means.set(row.place, middle);
      made.set(label, line);
    });
  });
  return [...made.values()];
}
