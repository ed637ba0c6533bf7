/** Which runs a figure asks for, and what becomes of their results. Nothing here knows a page or a worker. */

import type { Figure, Mean, Scenario, SweptKey } from "./data";
import { mean } from "./stats";

/** What a reader wants of a figure. */
export interface Wanted {
  /** For each swept key which of its values are run, by their numbers; those of the axis may be others. */
  chosen: ReadonlyMap<string, readonly number[]>;
  /** Values along the axis in place of those of the sweep, as they are set. */
  along: readonly { place: number; value: unknown }[] | null;
  /** Keys with other values than the scenario has. */
  changed: Record<string, unknown>;
  seed: number;
  seeds: number;
}

/** A place of the figure: runs of these settings, one for each seed. */
export interface Row {
  /** What distinguishes its line from others, in words; empty for the only one. */
  line: string;
  /** Where it stands along the axis. */
  place: number;
  text: string;
  set: Record<string, unknown>;
  /** The number of the point of the report that it repeats; null where it is another. */
  point: number | null;
}

/** One run. */
export interface Job {
  row: number;
  seed: number;
}

/** A line of the figure: its means by place. */
export interface Line {
  /** The words of its rows, and with those of its flow. */
  row: string;
  label: string;
  flow: number;
  means: Map<number, Mean>;
}

/** More lines than these cannot be distinguished. */
export const MOST_LINES = 8;

/** The places of a figure, in the order of the sweep. */
export function rows(scenario: Scenario, figure: Figure, wanted: Wanted): Row[] {
  const { keys, points, texts } = scenario;
  const axis = keys.findIndex(({ key }) => key === figure.along);
  const follows = new Set(keys[axis]?.with ?? []);
  const others = keys.map((_, at) => at).filter((at) => at !== axis && !follows.has(keys[at]?.key ?? ""));
  const several = others.filter((at) => (wanted.chosen.get(keys[at]?.key ?? "")?.length ?? 0) > 1);
  const found: Row[] = [];
  const begun = new Set<string>();
  points.forEach((point, number) => {
    const isChosen = ({ key }: SweptKey, at: number): boolean => {
      const chosen = wanted.chosen.get(key);
      return chosen === undefined || follows.has(key) || chosen.includes(point.at[at] ?? 0);
    };
    const own = wanted.along !== null && axis >= 0;
    if (!keys.every((key, at) => (own && at === axis) || isChosen(key, at))) return;
    const words = several.map((at) => `${keys[at]?.words} ${keys[at]?.shown[point.at[at] ?? 0]}`).join(", ");
    const text = texts[point.text] ?? "";
    const isChanged = Object.keys(wanted.changed).length > 0;
    if (own) {
      if (begun.has(words)) return; // the first point of a line stands for its values of the other keys
      begun.add(words);
      for (const { place, value } of wanted.along ?? []) {
        const set = { ...point.set, [figure.along ?? ""]: value, ...wanted.changed };
        found.push({ line: words, place, text, set, point: null });
      }
      return;
    }
    const place = axis >= 0 ? (keys[axis]?.places?.[point.at[axis] ?? 0] ?? number) : number;
    const set = { ...point.set, ...wanted.changed };
    found.push({ line: axis >= 0 ? words : "", place, text, set, point: isChanged ? null : number });
  });
  return found;
}

/** Its runs, seed by seed: every place has one before any has two. */
export function jobs(count: number, { seed, seeds }: Wanted): Job[] {
  return Array.from({ length: count * seeds }, (_, at) => ({ row: at % count, seed: seed + Math.floor(at / count) }));
}

/** What makes a run: equal names give equal results, whichever figure asks. */
export function nameOf({ text, set }: Row, seed: number): string {
  const entries = Object.entries(set).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([text, seed, entries]);
}

/** The values of metrics in a result of the engine, by flow; null where the run has no sample. */
export function samples(result: unknown, metrics: readonly string[]): Record<string, (number | null)[]> {
  const { flows } = result as { flows: Record<string, unknown>[] };
  const of = (flow: Record<string, unknown>, metric: string): number | null => {
    const value = flow[metric];
    return typeof value === "number" && Number.isFinite(value) ? value : null;
  };
  return Object.fromEntries(metrics.map((metric) => [metric, flows.map((flow) => of(flow, metric))]));
}

/** The lines of a figure from the samples so far: by row, the values of each flow of each finished seed. */
export function lines(
  scenario: Scenario,
  planned: readonly Row[],
  found: readonly (readonly (number | null)[])[][],
  quantiles: readonly (number | null)[],
): Line[] {
  const made = new Map<string, Line>();
  const flows = Math.max(scenario.flows.length, ...found.flat().map((values) => values.length));
  planned.forEach((row, at) => {
    for (let flow = 0; flow < flows; flow++) {
      const values = (found[at] ?? []).map((run) => run[flow] ?? null).filter((value) => value !== null);
      const middle = mean(values, quantiles);
      if (middle === null) continue;
      const label = [row.line, flows > 1 ? (scenario.flows[flow] ?? `flow ${flow}`) : ""].filter(Boolean).join(", ");
      const line = made.get(label) ?? { row: row.line, label, flow, means: new Map() };
      line.means.set(row.place, middle);
      made.set(label, line);
    }
  });
  return [...made.values()];
}

/** The report's own lines at the same places. */
export function storedLines(scenario: Scenario, figure: Figure, planned: readonly Row[]): Line[] {
  const made = new Map<string, Line>();
  for (const row of planned) {
    if (row.point === null) continue;
    figure.stored[row.point]?.forEach((middle, flow) => {
      if (middle === null) return;
      const label = [row.line, scenario.flows.length > 1 ? scenario.flows[flow] : ""].filter(Boolean).join(", ");
      const line = made.get(label) ?? { row: row.line, label, flow, means: new Map() };
      line.means.set(row.place, middle);
      made.set(label, line);
    });
  }
  return [...made.values()];
}

/** The values of all keys but that of the axis that a figure begins with: all of them, or as many as make few lines. */
export function beginning(scenario: Scenario, figure: Figure): Map<string, number[]> {
  const axis = scenario.keys.find(({ key }) => key === figure.along);
  const chosen = new Map<string, number[]>();
  let count = Math.max(1, scenario.flows.length);
  for (const { key, shown } of scenario.keys) {
    if (key === axis?.key || axis?.with.includes(key)) continue;
    const all = figure.along === null || count * shown.length <= MOST_LINES;
    chosen.set(key, all ? shown.map((_, at) => at) : [0]);
    count *= all ? shown.length : 1;
  }
  return chosen;
}

/** Values that a reader has typed for the axis: numbers, of the unit of the sweep where they have none. */
export function typed(text: string, { unit }: SweptKey): { place: number; value: unknown }[] {
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
  if (words.length === 0) throw new Error("no value stands there");
  return words.map((word) => {
    const [, number = "", given = ""] = /^([+-]?[\d.]+(?:e[+-]?\d+)?)\s*([^\d\s.]*)$/i.exec(word) ?? [];
    const place = Number(number);
    if (number === "" || !Number.isFinite(place)) throw new Error(`${word} is no number`);
    if (given !== "" && given !== unit)
      throw new Error(`${word}: values here are ${unit === "" ? "bare numbers" : `in ${unit}`}`);
    return { place, value: unit === "" ? place : `${number}${unit}` };
  });
}

/** What `KEY=VALUE` sets: a number, true or false, text in quotes, or else the text as it is. */
export function setting(text: string): [string, unknown] {
  const at = text.indexOf("=");
  const key = text.slice(0, at).trim();
  const value = text.slice(at + 1).trim();
  if (at < 0 || key === "" || value === "") throw new Error(`${text}: expected KEY=VALUE, such as mac.queue=10`);
  try {
    return [key, JSON.parse(value) as unknown];
  } catch {
    return [key, value];
  }
}
