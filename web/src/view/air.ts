/** Paints what is on the air: how far frames reach, whom they are for, who loses them and through whom; and links that are cut. */

import type { Heard, Transmission } from "./facts";
import { LIGHT } from "./geometry";
import { flowColour, groupOf } from "./palette";
import { arrow, cross, DASHED, DOTTED, FONT, FULL, SOLID, type Stage } from "./stage";

/** Above so many frames at once, discs would only hide each other. */
const FEW = 10;
const SOME = 30;

const shown: Transmission[] = [];
/** Nodes whose loss has its word already: two frames that collide are one collision. */
const worded: number[] = [];
/** The arrow from the node at fault lies next to that of its frame, pixels. */
const ASIDE = 7;

/** Paints all frames of this instant and of the glow before it; returns how many. */
export function paintAir(stage: Stage): number {
  shown.length = 0;
  worded.length = 0;
  const { history, filters, time, glow } = stage;
  history.onAir(time - glow, time, (frame) => {
    if (filters.showsFrame(frame)) shown.push(frame);
  });
  const picked = stage.hoveredFrame ?? stage.selectedFrame;
  const isShown = picked !== null && shown.includes(picked);
  if (filters.layers.has("ranges") && shown.length <= SOME) for (const frame of shown) paintRange(stage, frame);
  if (picked && !isShown) paintRange(stage, picked);
  for (const frame of shown) paintWay(stage, frame, frame === picked);
  if (picked && !isShown) paintWay(stage, picked, true);
  stage.ctx.globalAlpha = 1;
  return shown.length;
}

/** Links over which less comes than at the beginning: dashed, and with a cross where nothing does. */
export function paintLinks(stage: Stage): void {
  const { ctx, palette, history, time, xs, ys } = stage;
  ctx.strokeStyle = palette.loss;
  ctx.lineWidth = 1.5;
  history.links.worse(time, ([a, b], part) => {
    const [x1, y1, x2, y2] = [xs[a], ys[a], xs[b], ys[b]] as [number, number, number, number];
    ctx.setLineDash(DASHED);
    ctx.beginPath();
    ctx.moveTo(x1, y1);
    ctx.lineTo(x2, y2);
    ctx.stroke();
    ctx.setLineDash(SOLID);
    if (part === 0) cross(ctx, (x1 + x2) / 2, (y1 + y2) / 2, 6);
  });
}

/** What is over fades; what is picked out of its time stays. */
function strength(stage: Stage, frame: Transmission): number {
  if (stage.time <= frame.end || stage.glow === 0) return 1;
  return Math.max(0.15, 1 - (stage.time - frame.end) / stage.glow);
}

function colourOf(stage: Stage, frame: Transmission): string {
  return stage.palette[groupOf(frame.frame, frame.packetKind)];
}

function paintRange(stage: Stage, frame: Transmission): void {
  const { ctx, history, scale, xs, ys, time } = stage;
  const { range_m, cs_range_m } = history.setup.radio;
  const x = xs[frame.src] as number;
  const y = ys[frame.src] as number;
  // A frame spreads with the speed of light: seen at the slowest speeds only.
  const since = time >= frame.start && time <= frame.end ? (time - frame.start) * LIGHT : Number.POSITIVE_INFINITY;
  const few = shown.length <= FEW;
  const alpha = strength(stage, frame);
  ctx.fillStyle = ctx.strokeStyle = colourOf(stage, frame);
  if (cs_range_m && cs_range_m > range_m && few) {
    const radius = Math.min(cs_range_m, since) * scale;
    ctx.globalAlpha = 0.045 * alpha;
    disc(ctx, x, y, radius);
    ctx.fill();
    ctx.globalAlpha = 0.4 * alpha;
    ctx.lineWidth = 1;
    ctx.setLineDash(DASHED);
    ctx.stroke();
    ctx.setLineDash(SOLID);
  }
  const radius = Math.min(range_m, since) * scale;
  ctx.globalAlpha = (few ? 0.11 : 0.06) * alpha;
  disc(ctx, x, y, radius);
  ctx.fill();
  ctx.globalAlpha = 0.45 * alpha;
  ctx.lineWidth = 1;
  ctx.stroke();
}

function disc(ctx: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  ctx.beginPath();
  ctx.arc(x, y, Math.max(0, radius), 0, FULL);
}

function paintWay(stage: Stage, frame: Transmission, isPicked: boolean): void {
  const { ctx, xs, ys, radius } = stage;
  const [x, y] = [xs[frame.src] as number, ys[frame.src] as number];
  ctx.globalAlpha = strength(stage, frame);
  ctx.fillStyle = ctx.strokeStyle = colourOf(stage, frame);
  ctx.lineWidth = isPicked ? 4 : 2.5;
  if (frame.dst !== null) {
    arrow(ctx, x, y, xs[frame.dst] as number, ys[frame.dst] as number, radius + 4, 9);
  } else {
    ctx.lineWidth = 1.5;
    for (const heard of frame.hearers) {
      if (heard.own && heard.outcome === "received") {
        arrow(ctx, x, y, xs[heard.node] as number, ys[heard.node] as number, radius + 4, 6);
      }
    }
  }
  for (const heard of frame.hearers) if (heard.own && heard.outcome !== "received") paintLoss(stage, heard);
}

/** A frame that its receiver could not read, with the node at fault. */
function paintLoss(stage: Stage, heard: Heard): void {
  const { ctx, palette, xs, ys, radius } = stage;
  const [x, y] = [xs[heard.node] as number, ys[heard.node] as number];
  ctx.strokeStyle = ctx.fillStyle = palette.loss;
  if (heard.by !== null && heard.by !== heard.node) {
    const [bx, by] = [xs[heard.by] as number, ys[heard.by] as number];
    const length = Math.hypot(x - bx, y - by) || 1;
    const [ox, oy] = [(-(y - by) / length) * ASIDE, ((x - bx) / length) * ASIDE];
    ctx.lineWidth = 2;
    ctx.setLineDash(DASHED);
    arrow(ctx, bx + ox, by + oy, x + ox, y + oy, radius + 4, 8);
    ctx.setLineDash(SOLID);
  }
  if (worded.includes(heard.node)) return;
  worded.push(heard.node);
  ctx.lineWidth = 3;
  cross(ctx, x, y - radius - 12, 5);
  if (shown.length <= FEW && stage.roomy) {
    ctx.font = `600 11px ${FONT}`;
    ctx.textAlign = "center";
    ctx.fillText(heard.outcome === "collided" ? "collision" : heard.outcome, x, y - radius - 22);
  }
}

/** Paints packets that have just been dropped: a falling cross with its reason. */
export function paintDrops(stage: Stage, lasting: number): void {
  const { ctx, history, filters, palette, time, xs, ys, radius } = stage;
  const marks = history.marks;
  ctx.font = `600 11px ${FONT}`;
  ctx.textAlign = "center";
  for (let at = marks.length - 1; at >= 0; at--) {
    const mark = marks.at(at);
    if (mark.time < time - lasting) break;
    if (mark.time > time || mark.node < 0 || !filters.showsMark(mark, "any") || mark.kind === "collision") continue;
    const age = (time - mark.time) / lasting;
    const [x, y] = [xs[mark.node] as number, (ys[mark.node] as number) + radius + 12 + 14 * age];
    ctx.globalAlpha = 1 - age;
    ctx.strokeStyle = ctx.fillStyle = palette.loss;
    ctx.lineWidth = 2.5;
    cross(ctx, x, y, 4);
    if (stage.roomy) ctx.fillText(mark.kind === "timeout" ? "timeout" : `drop: ${mark.about}`, x, y + 16);
  }
  ctx.globalAlpha = 1;
}

/** Paints the way of each flow below everything else, side by side where several take the same one. */
export function paintRoutes(stage: Stage): void {
  const { ctx, history, filters, palette, time, xs, ys } = stage;
  if (!filters.layers.has("routes")) return;
  const flows = history.flows;
  ctx.lineJoin = ctx.lineCap = "round";
  for (let id = 0; id < flows.length; id++) {
    const routes = flows[id]?.routes;
    if (!routes || !filters.showsFlow(id)) continue;
    const route = routes.until(time, (one) => one.time) ?? (routes.length ? routes.at(0) : undefined);
    if (!route) continue;
    const isPicked = stage.selectedFlow === id;
    const aside = flows.length > 1 ? ((id % 5) - 2) * 3 : 0;
    ctx.strokeStyle = flowColour(palette, id);
    ctx.globalAlpha = isPicked ? 0.75 : stage.selectedFlow === null ? 0.3 : 0.12;
    ctx.lineWidth = isPicked ? 5 : 4;
    ctx.beginPath();
    for (let hop = 0; hop + 1 < route.path.length; hop++) {
      const [from, to] = [route.path[hop] as number, route.path[hop + 1] as number];
      const [dx, dy] = [(xs[to] as number) - (xs[from] as number), (ys[to] as number) - (ys[from] as number)];
      const length = Math.hypot(dx, dy) || 1;
      const [ox, oy] = [(-dy / length) * aside, (dx / length) * aside];
      ctx.moveTo((xs[from] as number) + ox, (ys[from] as number) + oy);
      ctx.lineTo((xs[to] as number) + ox, (ys[to] as number) + oy);
    }
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
  ctx.lineJoin = ctx.lineCap = "butt" as CanvasLineCap & CanvasLineJoin;
  ctx.setLineDash(SOLID);
}

/** Paints wires, and the packets on them on their way. */
export function paintWires(stage: Stage): void {
  const { ctx, history, filters, palette, time, xs, ys } = stage;
  ctx.strokeStyle = palette.queue;
  ctx.lineWidth = 1.5;
  for (const [from, to] of history.wires.ends) {
    ctx.beginPath();
    ctx.moveTo(xs[from] as number, ys[from] as number);
    ctx.lineTo(xs[to] as number, ys[to] as number);
    ctx.stroke();
  }
  history.wires.under(time, (trip) => {
    if (!filters.showsFlow(trip.flow)) return;
    const part = (time - trip.start) / (trip.end - trip.start);
    const x = (xs[trip.from] as number) + ((xs[trip.to] as number) - (xs[trip.from] as number)) * part;
    const y = (ys[trip.from] as number) + ((ys[trip.to] as number) - (ys[trip.from] as number)) * part;
    ctx.fillStyle = trip.flow === null ? palette.ink : flowColour(palette, trip.flow);
    ctx.fillRect(x - 4, y - 4, 8, 8);
  });
}

/** Paints how far a node decodes and senses, where the pointer or the choice asks for it. */
export function paintReach(stage: Stage, node: number): void {
  const { ctx, history, palette, scale, xs, ys } = stage;
  const { range_m, cs_range_m } = history.setup.radio;
  ctx.strokeStyle = palette.soft;
  ctx.lineWidth = 1;
  ctx.globalAlpha = 0.7;
  disc(ctx, xs[node] as number, ys[node] as number, range_m * scale);
  ctx.stroke();
  if (cs_range_m && cs_range_m > range_m) {
    ctx.setLineDash(DOTTED);
    disc(ctx, xs[node] as number, ys[node] as number, cs_range_m * scale);
    ctx.stroke();
    ctx.setLineDash(SOLID);
  }
  ctx.globalAlpha = 1;
}
