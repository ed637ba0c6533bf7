/** The playhead: which instant is shown, and how fast it goes on. */

import { NS } from "./facts";

/** Seconds of simulated time for one second of the viewer, as powers of ten. */
export const SLOWEST = -5;
export const FASTEST = 2;

/** Behind so much the playhead leaves something out; it then keeps away from the present what lies between two answers. Defaults, ns. */
const LATE = 0.6 * NS;
const BETWEEN = 0.2 * NS;

export class Clock {
  /** What is shown, in ns. */
  time = 0;
  playing = false;
  speed = 1e-3;

  /**
   * Goes on by some time of the viewer, but never beyond what is known.
   *
   * @returns Whether it had to wait for the engine.
   */
  tick(elapsedMs: number, known: number): boolean {
    if (!this.playing) return false;
    const wanted = this.time + elapsedMs * 1e6 * this.speed;
    this.time = Math.max(this.time, Math.min(wanted, known));
    return wanted > known;
  }

  /** Follows what goes on by itself: where the playhead is far behind, it goes to the present. */
  follow(known: number): void {
    if (this.playing && known - this.time > LATE) this.time = known - BETWEEN;
  }
}

/** The place of a speed on its slider, and back: equal steps are equal factors. */
export const sliderOf = (speed: number): number => Math.log10(speed);

/** The speed at a place of the slider, rounded to 1, 2 or 5 times a power of ten. */
export function speedAt(place: number): number {
  const clamped = Math.min(FASTEST, Math.max(SLOWEST, place));
  const power = Math.floor(clamped + 1e-9);
  const rest = clamped - power;
  const digit = rest < 0.151 ? 1 : rest < 0.5 ? 2 : rest < 0.85 ? 5 : 10;
  return Number((digit * 10 ** power).toPrecision(1));
}

/** The next rounded speed above or below. */
export function fasterThan(speed: number): number {
  return speedAt(Math.log10(speed) + 1 / 3);
}

export function slowerThan(speed: number): number {
  return speedAt(Math.log10(speed) - 1 / 3);
}

/** A speed in words that need no powers: what one second of the viewer shows. */
export function speedWords(speed: number): string {
  if (speed === 1) return "real time";
  return `1 s shows ${duration(speed * NS)}`;
}

const UNITS: [number, string][] = [
  [NS, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

/** An interval with the unit that suits it. */
export function duration(ns: number, digits = 4): string {
  const [size, unit] = UNITS.find(([size]) => Math.abs(ns) >= size) ?? [1, "ns"];
  return `${Number((ns / size).toPrecision(digits))} ${unit}`;
}

/** An instant in seconds with all of its digits, in groups of three. */
export function instant(ns: number): string {
  const whole = Math.floor(ns / NS);
  const rest = Math.floor(ns - whole * NS)
    .toString()
    .padStart(9, "0");
  return `${whole}.${rest.slice(0, 3)} ${rest.slice(3, 6)} ${rest.slice(6)} s`;
}

/** How far the engine may be ahead of the playhead, in ns: some tenths of a second of the viewer, and always a frame. */
export function ahead(speed: number): number {
  return Math.max(20e6, speed * 0.3 * NS);
}

/** Records that a page can take in a second of the viewer; a default. */
const AFFORDABLE = 30_000;
/** Records of carrier sense in a simulated second, by node: a node hears a frame all the time in busy networks. */
const HEARD_A_SECOND = 2000;

/** Whether there is time to show who only hears: slow, or few nodes. */
export function isAffordable(speed: number, nodes: number): boolean {
  return speed * nodes * HEARD_A_SECOND <= AFFORDABLE;
}
