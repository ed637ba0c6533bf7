/** Values counted in classes, as `python/hopscope/results/distributions.py` has them. */

import type { Classes } from "./data";

/** The counts of all values of several. */
export function added(several: readonly Classes[]): Classes {
  const found = new Map<number, [number, number]>();
  for (const { low, high, count } of several) {
    low.forEach((begin, at) => {
      const before = found.get(begin)?.[1] ?? 0;
      found.set(begin, [high[at] as number, before + (count[at] as number)]);
    });
  }
  const sorted = [...found].sort(([one], [other]) => one - other);
  return {
    low: sorted.map(([begin]) => begin),
    high: sorted.map(([, [end]]) => end),
    count: sorted.map(([, [, count]]) => count),
  };
}

/** Number of values. */
export function total({ count }: Classes): number {
  return count.reduce((sum, one) => sum + one, 0);
}

/** The share of values below the upper end of each class, from none at the smallest value on. */
export function shares(classes: Classes): Map<number, number> {
  const all = total(classes);
  const found = new Map<number, number>();
  if (all === 0) return found;
  found.set(classes.low[0] as number, 0);
  let below = 0;
  classes.high.forEach((end, at) => {
    below += classes.count[at] as number;
    found.set(end, below / all);
  });
  return found;
}

/** The smallest value that at least so many per cent of all do not exceed: the middle of its class; null of none. */
export function percentile({ low, high, count }: Classes, perCent: number): number | null {
  const wanted = (perCent / 100) * total({ low, high, count });
  let below = 0;
  const found = count.findIndex((one) => {
    below += one;
    return below >= wanted;
  });
  const at = found < 0 ? count.length - 1 : found;
  return at < 0 ? null : ((low[at] as number) + (high[at] as number)) / 2;
}

/** Whether the same values were counted. */
export function isEqual(one: Classes, other: Classes): boolean {
  const same = (a: number[], b: number[]): boolean => a.length === b.length && a.every((value, at) => value === b[at]);
  return same(one.low, other.low) && same(one.high, other.high) && same(one.count, other.count);
}
