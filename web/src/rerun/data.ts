/** What an interactive report holds of its scenarios (`python/hopscope/reporting/interactive.py`). */

/** A swept key. */
export interface SweptKey {
  key: string;
  /** In words, with the unit of its values where they are numbers: the label of an axis. */
  label: string;
  words: string;
  /** Its values as a table shows them. */
  shown: string[];
  /** Their places on an axis; null where they are words. */
  places: number[] | null;
  /** The unit that all of them are written with; empty for bare numbers, null where they differ. */
  unit: string | null;
  /** Keys whose values follow from those of this one. */
  with: string[];
}

/** A key that is not swept, which can be changed. */
export interface PlainKey {
  key: string;
  words: string;
  value: boolean | string | number;
  /** Words that it takes; of a number, the ends of its slider, the unit to write and the unit to show. */
  choices?: string[];
  low?: number;
  high?: number;
  whole?: boolean;
  unit?: string;
  shown?: string;
}

/** Mean and half width of the 95 % interval; null for one sample. */
export type Mean = [number, number | null];

/** Values counted in classes: the smallest of each, the smallest of the class above it, and how many there are (ms). */
export interface Classes {
  low: number[];
  high: number[];
  count: number[];
}

interface Drawn {
  id: string;
  metric: string;
  label: string;
}

/** Means over a swept key, or by points. */
export interface Curves extends Drawn {
  kind: "curves";
  /** The key along its axis; null: it has a place for each point. */
  along: string | null;
  /** The report's own means: by point, by flow; null where no run has a sample. */
  stored: (Mean | null)[][];
}

/** A direction of a heat map: a swept key, or keys that change together, which have no key of their own. */
export interface Direction {
  key: string | null;
  label: string;
  /** Its values in words. */
  names: string[];
}

/** Means over two directions of a sweep. */
export interface HeatMap extends Drawn {
  kind: "map";
  down: Direction;
  across: Direction;
  /** Of each point the numbers of its value down and of that across. */
  at: [number, number][];
  /** Less is better. */
  least: boolean;
  /** The report's own means, by point. */
  stored: (Mean | null)[];
}

/** The share of packets below a value, all seeds together; its metric names what is counted. */
export interface Distribution extends Drawn {
  kind: "distribution";
  /** The report's own counts: by point, by flow; null where the report draws none. */
  stored: (Classes | null)[][];
}

export type Figure = Curves | HeatMap | Distribution;

/** A point of the sweep. */
export interface Point {
  /** The number of its text, and what is set in it. */
  text: number;
  set: Record<string, unknown>;
  /** The place of its value among those of each swept key. */
  at: number[];
}

export interface Scenario {
  title: string;
  seed: number;
  seeds: number;
  duration: number;
  /** A run must be longer than its warm-up, seconds. */
  least: number;
  texts: string[];
  files: Record<string, string>;
  points: Point[];
  keys: SweptKey[];
  plain: PlainKey[];
  flows: string[];
  figures: Figure[];
  /** The report's runs are of the same build of the engine. */
  same: boolean;
}

export interface Report {
  scenarios: Scenario[];
  /** Two-sided 95 % quantiles of Student's t, by degrees of freedom; the first is none. */
  quantiles: (number | null)[];
}
