/** Means with intervals, as `python/hopscope/results/stats.py` has them. */

import type { Mean } from "./data";

/** Sum of numbers, with what floating point would lose of each (Neumaier 1974). */
export function sum(values: readonly number[]): number {
  let total = 0;
  let lost = 0;
  for (const value of values) {
    const next = total + value;
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
  }
  return total + lost;
}

/** Mean and half width of the 95 % interval (Student's t) of samples; null without any. */
export function mean(samples: readonly number[], quantiles: readonly (number | null)[]): Mean | null {
  const n = samples.length;
  if (n === 0) return null;
  const centre = sum(samples) / n;
  const quantile = quantiles[n - 1];
  if (quantile === null || quantile === undefined) return [centre, null];
  const variance = sum(samples.map((value) => (value - centre) ** 2)) / (n - 1);
  return [centre, quantile * Math.sqrt(variance / n)];
}

/** Whether two means are the same but for the order in which their samples were added. */
export function isSame(one: Mean | null, other: Mean | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    isNear(one[0], other[0]) &&
    (one[1] === null || other[1] === null ? one[1] === other[1] : isNear(one[1], other[1], one[0]))
  );
}

function isNear(one: number, other: number, scale = one): boolean {
  return Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(one), Math.abs(other), Math.abs(scale));
}

/** Decimals of the cells of a heat map whose largest value is so large. */
export function decimals(size: number): number {
  const digits = [1000, 10, 1].findIndex((least) => size >= least);
  return digits < 0 ? 3 : digits;
}

/** A mean with its interval as the tables of the package show it. */
export function shown([centre, half]: Mean): string {
  const size = Math.max(Math.abs(centre), half ?? 0);
  let digits = [1000, 10, 1, 0.01].findIndex((least) => size >= least);
  if (digits < 0) digits = size === 0 ? 3 : Math.min(1 - Math.floor(Math.log10(size)), 9);
  return half === null ? centre.toFixed(digits) : `${centre.toFixed(digits)} ± ${half.toFixed(digits)}`;
}
