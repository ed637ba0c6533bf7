/** Which runs a figure asks for. Nothing here knows a page or a worker. */

import type { Curves, Distribution, Figure, HeatMap, Point, Scenario, SweptKey } from "./data";

/** A value that a reader has typed, and its place on an axis. */
export interface Typed {
  place: number;
  value: unknown;
}

/** What a reader wants of a figure. */
export interface Wanted {
  /** For each swept key which of its values are run, by their numbers; those of an axis may be others. */
  chosen: ReadonlyMap<string, readonly number[]>;
  /** Values of keys of the axes in place of those of the sweep. */
  typed: ReadonlyMap<string, readonly Typed[]>;
  /** Keys with other values than the scenario has. */
  changed: Record<string, unknown>;
  seed: number;
  seeds: number;
}

/** A place of the figure: runs of these settings, one for each seed. */
export interface Row {
  /** What distinguishes its line from others, in words, empty for the only one; of a heat map the number of its row. */
  line: string;
  /** Where it stands along the axis; of a heat map the number of its column. */
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

/** More lines than these cannot be distinguished. */
export const MOST_LINES = 8;

/** Runs of a point, with what is typed in place of its own values: by key its number among the typed ones. */
interface Place {
  number: number;
  point: Point;
  typed: ReadonlyMap<string, number>;
  row: Omit<Row, "line" | "place">;
}

/** The swept keys whose values stand along the axes of a figure. */
export function axesOf(figure: Figure): string[] {
  const keys = figure.kind === "map" ? [figure.down.key, figure.across.key] : "along" in figure ? [figure.along] : [];
  return keys.filter((key) => key !== null);
}

/** Keys whose values follow from those of the axes. */
function following({ keys }: Scenario, figure: Figure): Set<string> {
  const axes = axesOf(figure);
  return new Set(keys.filter(({ key }) => axes.includes(key)).flatMap((key) => key.with));
}

/** The places of a figure, in the order of the sweep. */
export function rows(scenario: Scenario, figure: Figure, wanted: Wanted): Row[] {
  const found = places(scenario, figure, wanted);
  if (figure.kind === "map") return found.map((place) => cell(figure, place));
  const axis = figure.kind === "curves" ? scenario.keys.findIndex(({ key }) => key === figure.along) : -1;
  const words = wording(scenario, figure, wanted);
  return found.map(({ number, point, typed, row }) => {
    if (axis < 0) return { ...row, line: figure.kind === "curves" ? "" : words(point), place: number };
    const { key = "", places: known = null } = scenario.keys[axis] ?? {};
    const own = known?.[point.at[axis] ?? 0] ?? number;
    const at = typed.get(key);
    return { ...row, line: words(point), place: at === undefined ? own : (wanted.typed.get(key)?.[at]?.place ?? own) };
  });
}

function cell({ down, across, at }: HeatMap, { number, typed, row }: Place): Row {
  const [own = 0, ownAcross = 0] = at[number] ?? [];
  const line = typed.get(down.key ?? "") ?? own;
  return { ...row, line: String(line), place: typed.get(across.key ?? "") ?? ownAcross };
}

/** What distinguishes the line of a point: the keys besides the axis that have several values. */
function wording({ keys }: Scenario, figure: Curves | Distribution, { chosen }: Wanted): (point: Point) => string {
  const several = keys.flatMap(({ key }, at) => ((chosen.get(key)?.length ?? 0) > 1 ? [at] : []));
  const besides = several.filter((at) => !axesOf(figure).includes(keys[at]?.key ?? ""));
  return (point) => besides.map((at) => `${keys[at]?.words} ${keys[at]?.shown[point.at[at] ?? 0]}`).join(", ");
}

/** The chosen points. Where values are typed, the first point of a line stands for its values of the other keys. */
function places(scenario: Scenario, figure: Figure, { chosen, typed, changed }: Wanted): Place[] {
  const follows = following(scenario, figure);
  const isRepeated = typed.size === 0 && Object.keys(changed).length === 0;
  const begun = new Set<string>();
  return scenario.points.flatMap((point, number) => {
    const open = scenario.keys
      .map(({ key }, at) => ({ key, at: point.at[at] ?? 0 }))
      .filter(({ key }) => !typed.has(key) && !follows.has(key));
    if (!open.every(({ key, at }) => chosen.get(key)?.includes(at) ?? true)) return [];
    const name = JSON.stringify(open);
    if (typed.size > 0 && begun.has(name)) return [];
    begun.add(name);
    const text = scenario.texts[point.text] ?? "";
    return combinations(typed).map((numbers) => {
      const values = [...numbers].map(([key, at]) => [key, typed.get(key)?.[at]?.value]);
      const set = { ...point.set, ...Object.fromEntries(values), ...changed };
      return { number, point, typed: numbers, row: { text, set, point: isRepeated ? number : null } };
    });
  });
}

/** Every combination of typed values, by their numbers; one without any where none is typed. */
function combinations(typed: ReadonlyMap<string, readonly Typed[]>): Map<string, number>[] {
  let found = [new Map<string, number>()];
  for (const [key, values] of typed) {
    found = found.flatMap((begun) => values.map((_, at) => new Map([...begun, [key, at]])));
  }
  return found;
}

/** Its runs, seed by seed: every place has one before any has two. */
export function jobs(count: number, { seed, seeds }: Wanted): Job[] {
  return Array.from({ length: count * seeds }, (_, at) => ({ row: at % count, seed: seed + Math.floor(at / count) }));
}

/** What makes a run of a scenario: equal names give equal results, whichever figure asks. */
export function nameOf({ text, set }: Row, seed: number): string {
  const entries = Object.entries(set).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([text, seed, entries]);
}

/** Whether a reader can type other values of a key: its numbers have one unit, and nothing follows from them. */
export function isTypeable(key: SweptKey): boolean {
  return key.places !== null && key.unit !== null && key.with.length === 0;
}

/**
 * The values of the keys that a figure begins with, apart from those that are typed: all of them, or as many as make
 * few lines.
 */
export function beginning(scenario: Scenario, figure: Figure): Map<string, number[]> {
  const follows = following(scenario, figure);
  const axes = axesOf(figure);
  const isWhole = figure.kind === "map" || (figure.kind === "curves" && figure.along === null);
  const chosen = new Map<string, number[]>();
  let count = Math.max(1, scenario.flows.length);
  for (const key of scenario.keys) {
    if (follows.has(key.key) || (axes.includes(key.key) && (figure.kind === "curves" || isTypeable(key)))) continue;
    const all = isWhole || count * key.shown.length <= MOST_LINES;
    chosen.set(key.key, all ? key.shown.map((_, at) => at) : [0]);
    count *= all ? key.shown.length : 1;
  }
  return chosen;
}

/** Values that a reader has typed for an axis: numbers, of the unit of the sweep where they have none. */
export function typed(text: string, { unit }: SweptKey): Typed[] {
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
