/** Means over seeds with 95 % intervals. */

/** 97.5 % points of Student's t distribution, by degrees of freedom from 1. */
const T = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
/** That of the normal distribution, for more. */
const NORMAL = 1.96;

export interface Estimate {
  mean: number;
  /** Half the width of the interval; null with less than two values. */
  half: number | null;
  count: number;
}

/** The mean of those values that are there; null: there are none. */
export function estimate(values: readonly (number | null | undefined)[]): Estimate | null {
  const there = values.filter((value): value is number => typeof value === "number" && Number.isFinite(value));
  const count = there.length;
  if (count === 0) return null;
  const mean = there.reduce((sum, value) => sum + value, 0) / count;
  if (count === 1) return { mean, half: null, count };
  const variance = there.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  return { mean, half: (T[count - 2] ?? NORMAL) * Math.sqrt(variance / count), count };
}

const digits = (value: number): string =>
  Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(4)));

/** An estimate as tables show it: the interval with two digits, the mean with as many places. */
export function words(of: Estimate | null): string {
  if (of === null) return "none";
  if (of.half === null) return digits(of.mean);
  if (of.half === 0) return `${digits(of.mean)} ± 0`;
  const places = Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(of.half))));
  return `${of.mean.toFixed(places)} ± ${of.half.toFixed(places)}`;
}
