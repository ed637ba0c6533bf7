/** Where things are, in metres, and how they come onto a screen. */

import type { State } from "../engine/api";
import type { Way } from "./facts";

export interface Box {
  left: number;
  bottom: number;
  width: number;
  height: number;
}

/** How metres become pixels: x grows to the right, y upwards. */
export interface Projection {
  scale: number;
  x: number;
  y: number;
}

/** The smallest box around places; what is alone or on a line still has some room. */
export function boundsOf(places: readonly (readonly [number, number])[], room = 50): Box {
  if (places.length === 0) return { left: 0, bottom: 0, width: room, height: room };
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of places) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    bottom = Math.min(bottom, y);
    top = Math.max(top, y);
  }
  const wide = Math.max(right - left, room);
  const high = Math.max(top - bottom, room);
  return { left: (left + right - wide) / 2, bottom: (bottom + top - high) / 2, width: wide, height: high };
}

/** Puts a box into the middle of a screen, with a margin in pixels. */
export function fitted(box: Box, width: number, height: number, margin: number): Projection {
  const inner = (all: number) => Math.max(1, all - 2 * margin);
  const scale = Math.min(inner(width) / box.width, inner(height) / box.height);
  const x = width / 2 - (box.left + box.width / 2) * scale;
  const y = height / 2 + (box.bottom + box.height / 2) * scale;
  return { scale, x, y };
}

/** A place on a way at an instant; before and after it, its ends. */
export function placeOn(way: Way, time: number, into: [number, number]): [number, number] {
  const length = way.end - way.start;
  const part = length > 0 ? Math.min(1, Math.max(0, (time - way.start) / length)) : 1;
  into[0] = way.from[0] + (way.to[0] - way.from[0]) * part;
  into[1] = way.from[1] + (way.to[1] - way.from[1]) * part;
  return into;
}

/** The way that next hops lead from a source; it ends where nobody knows on, or where it turns in a circle. */
export function pathOf(state: State, flow: number, source: number, destination: number): number[] {
  const path = [source];
  let node = source;
  while (node !== destination && path.length <= state.nodes.length) {
    const next = state.nodes[node]?.next_hop[flow];
    if (next === null || next === undefined || path.includes(next)) break;
    path.push(next);
    node = next;
  }
  return path;
}

/** Distance of a point from a line between two others, in the same unit. */
export function distanceToLine(px: number, py: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const part = length > 0 ? Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / length)) : 0;
  return Math.hypot(px - ax - dx * part, py - ay - dy * part);
}

/** A round length for a scale bar of at most `most` metres: 1, 2 or 5 times a power of ten. */
export function roundLength(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const digit = most / power;
  return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

/** Speed of light in metres a nanosecond: how a frame spreads. */
export const LIGHT = 0.299792458;
