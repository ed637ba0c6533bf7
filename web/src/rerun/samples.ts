/** What a page keeps of a run: the values of its figures. */

import type { Classes, Figure } from "./data";

/** The values of a run, by metric and flow; one for a metric of the network. Null: the run has no sample. */
export interface Sample {
  values: Record<string, (number | null)[]>;
  classes: Record<string, Classes[]>;
}

/** Numbers that a page keeps of finished runs, so that its other figures need not run them again. */
const MOST_KEPT = 2_000_000;

interface Result {
  flows: Record<string, unknown>[];
  network: Record<string, unknown>;
  distributions?: Record<string, Counted>;
}

/** A distribution as the engine reports it: a class in each place, of the flow that stands there. */
interface Counted {
  flow: number[];
  low_ms: number[];
  high_ms: number[];
  count: number[];
}

/** The values of figures in a result of the engine. */
export function samples(result: unknown, figures: readonly Figure[]): Sample {
  const found: Sample = { values: {}, classes: {} };
  const { flows, network, distributions } = result as Result;
  for (const { kind, metric } of figures) {
    if (kind === "distribution") found.classes[metric] = classesOf(distributions?.[metric], flows.length);
    else found.values[metric] = valuesOf(metric, flows, network);
  }
  return found;
}

/** A metric by its name: of each flow, or with dots of one flow or of the network. */
function valuesOf(metric: string, flows: Result["flows"], network: Result["network"]): (number | null)[] {
  const [scope = "", ...rest] = metric.split(".");
  if (rest.length === 0) return flows.map((flow) => number(flow[metric]));
  if (scope === "network") return [number(network[rest.join(".")])];
  return [number(flows[Number(rest[0])]?.[rest.slice(1).join(".")])];
}

function number(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function classesOf(counted: Counted | undefined, flows: number): Classes[] {
  const found = Array.from({ length: flows }, (): Classes => ({ low: [], high: [], count: [] }));
  counted?.flow.forEach((flow, at) => {
    found[flow]?.low.push(counted.low_ms[at] as number);
    found[flow]?.high.push(counted.high_ms[at] as number);
    found[flow]?.count.push(counted.count[at] as number);
  });
  return found;
}

/** The samples of finished runs of a scenario, by their names. When there are too many, it begins anew. */
export class Kept {
  #most: number;
  #samples = new Map<string, Sample>();
  #size = 0;

  constructor(most = MOST_KEPT) {
    this.#most = most;
  }

  get(name: string): Sample | undefined {
    return this.#samples.get(name);
  }

  set(name: string, sample: Sample): void {
    const size = sizeOf(sample);
    if (this.#size + size > this.#most) {
      this.#samples.clear();
      this.#size = 0;
    }
    this.#samples.set(name, sample);
    this.#size += size;
  }
}

function sizeOf({ values, classes }: Sample): number {
  const counts = Object.values(classes).flatMap((flows) => flows.map(({ count }) => 3 * count.length));
  return [...Object.values(values).map(({ length }) => length), ...counts].reduce((sum, size) => sum + size, 0);
}
