/** What all painters of the plane share: where each node is on the screen, and what is to be shown at which instant. */

import type { Transmission } from "./facts";
import type { Filters } from "./filters";
import type { History } from "./history";
import type { Palette } from "./palette";

export interface Stage {
  ctx: CanvasRenderingContext2D;
  palette: Palette;
  history: History;
  filters: Filters;
  /** The playhead, ns. */
  time: number;
  /** How long what is over stays visible, ns: at high speed a frame lasts less than a picture. */
  glow: number;
  width: number;
  height: number;
  /** Pixels a metre. */
  scale: number;
  /** Nodes on the screen. */
  xs: Float64Array;
  ys: Float64Array;
  /** Radius of a node in pixels. */
  radius: number;
  /** Whether nodes stand far enough apart for their numbers. */
  roomy: boolean;
  selectedNode: number | null;
  selectedFlow: number | null;
  selectedFrame: Transmission | null;
  hoveredFrame: Transmission | null;
  hoveredNode: number | null;
}

export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
export const SOLID: number[] = [];
export const DASHED = [6, 5];
export const DOTTED = [2, 3];
export const FULL = Math.PI * 2;

/** An arrow between two circles. */
export function arrow(
  ctx: CanvasRenderingContext2D,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  gap: number,
  head: number,
): void {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 2 * gap + head) return;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [ex, ey] = [x2 - ux * gap, y2 - uy * gap];
  ctx.beginPath();
  ctx.moveTo(x1 + ux * gap, y1 + uy * gap);
  ctx.lineTo(ex - ux * head * 0.8, ey - uy * head * 0.8);
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(ex, ey);
  ctx.lineTo(ex - ux * head - uy * head * 0.5, ey - uy * head + ux * head * 0.5);
  ctx.lineTo(ex - ux * head + uy * head * 0.5, ey - uy * head - ux * head * 0.5);
  ctx.closePath();
  ctx.fill();
}

export function cross(ctx: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  ctx.beginPath();
  ctx.moveTo(x - size, y - size);
  ctx.lineTo(x + size, y + size);
  ctx.moveTo(x + size, y - size);
  ctx.lineTo(x - size, y + size);
  ctx.stroke();
}
