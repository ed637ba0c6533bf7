/** Paints nodes: what each does, its NAV and back-off around it, its queue next to it. */

import type { Doing } from "./facts";
import { flowColour, groupOf, type Palette } from "./palette";
import { cross, DOTTED, FONT, FULL, SOLID, type Stage } from "./stage";

const TOP = -Math.PI / 2;
/** Packets of a queue that are drawn one by one. */
const SQUARES = 8;

export function paintNodes(stage: Stage): void {
  const { history, filters, xs, ys, width, height } = stage;
  const count = history.lanes.length;
  for (let node = 0; node < count; node++) {
    const [x, y] = [xs[node] as number, ys[node] as number];
    if (x < -40 || y < -40 || x > width + 40 || y > height + 40) continue;
    stage.ctx.globalAlpha = filters.showsNode(node) ? 1 : 0.2;
    paintNode(stage, node, x, y);
  }
  paintEnds(stage);
  stage.ctx.globalAlpha = 1;
}

function fillOf(doing: Doing, palette: Palette, frame: string): string {
  switch (doing) {
    case "sending":
      return frame;
    case "receiving":
    case "overhearing":
      return palette.hear;
    case "sensing":
      return palette.sense;
    case "losing":
      return palette.loss;
    default:
      return palette.ground;
  }
}

function paintNode(stage: Stage, node: number, x: number, y: number): void {
  const { ctx, palette, history, filters, time, radius } = stage;
  let doing = history.doingAt(node, time);
  let sent = history.sendingAt(node, time);
  if (!sent && stage.glow > 0) {
    // At high speed a frame is over before the next picture: its sender stays lit for the glow.
    const last = history.lanes[node]?.sent.until(time, (frame) => frame.start);
    if (last && last.end > time - stage.glow) [sent, doing] = [last, "sending"];
  }
  if ((doing === "sensing" || doing === "overhearing") && !filters.layers.has("hearing")) doing = "idle";
  const colour = sent ? palette[groupOf(sent.frame, sent.packetKind)] : palette.ink;
  ctx.fillStyle = fillOf(doing, palette, colour);
  ctx.strokeStyle = doing === "sending" ? colour : doing === "losing" ? palette.loss : palette.ink;
  ctx.lineWidth = doing === "receiving" ? 2.5 : 1.5;
  if (doing === "receiving") ctx.strokeStyle = palette.accent;
  if (doing === "off") ctx.setLineDash(DOTTED);
  circle(ctx, x, y, radius);
  ctx.fill();
  ctx.stroke();
  ctx.setLineDash(SOLID);
  if (node === stage.selectedNode || node === stage.hoveredNode) {
    ctx.strokeStyle = palette.accent;
    ctx.lineWidth = 2;
    circle(ctx, x, y, radius + 8);
    ctx.stroke();
  }
  if (filters.layers.has("nav")) paintWaiting(stage, node, x, y);
  if (filters.layers.has("queues")) paintQueue(stage, node, x, y);
  if (doing === "losing" && radius < 8) {
    ctx.strokeStyle = palette.ground;
    cross(ctx, x, y, radius * 0.5);
  }
  if (filters.layers.has("labels") && stage.roomy) paintNumber(stage, node, x, y, doing);
}

function circle(ctx: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, FULL);
}

function paintNumber(stage: Stage, node: number, x: number, y: number, doing: Doing): void {
  const { ctx, palette, radius } = stage;
  ctx.textAlign = "center";
  if (radius >= 9) {
    ctx.font = `600 ${radius >= 12 ? 12 : 11}px ${FONT}`;
    ctx.fillStyle = doing === "sending" || doing === "losing" ? palette.ground : palette.ink;
    ctx.fillText(String(node), x, y + 4);
  } else {
    ctx.font = `11px ${FONT}`;
    ctx.fillStyle = palette.soft;
    ctx.fillText(String(node), x, y - radius - 4);
  }
}

/** What is left of its NAV and of the slots that it counts, as arcs that become shorter. */
function paintWaiting(stage: Stage, node: number, x: number, y: number): void {
  const { ctx, palette, history, time, radius } = stage;
  const nav = history.navAt(node, time);
  if (nav) {
    ctx.strokeStyle = palette.nav;
    ctx.lineWidth = 3;
    ctx.beginPath();
    ctx.arc(x, y, radius + 4, TOP, TOP + FULL * ((nav.end - time) / (nav.end - nav.start)));
    ctx.stroke();
  }
  const backoff = history.backoffAt(node, time);
  if (backoff) {
    ctx.strokeStyle = palette.ink;
    ctx.lineWidth = 3;
    ctx.setLineDash(DOTTED);
    ctx.beginPath();
    ctx.arc(x, y, radius + 4, TOP, TOP + FULL * ((backoff.end - time) / (backoff.end - backoff.start)));
    ctx.stroke();
    ctx.setLineDash(SOLID);
  }
}

function paintQueue(stage: Stage, node: number, x: number, y: number): void {
  const { ctx, palette, history, time, radius } = stage;
  const length = (history.lanes[node] as { queueAt(time: number): number }).queueAt(time);
  if (length === 0) return;
  ctx.fillStyle = palette.queue;
  if (radius < 8) {
    ctx.fillRect(x + radius + 2, y + radius - Math.min(14, length), 3, Math.min(14, length));
    return;
  }
  const drawn = Math.min(length, SQUARES);
  for (let at = 0; at < drawn; at++) {
    ctx.fillRect(x - radius + (at % 4) * 6, y + radius + 8 + Math.floor(at / 4) * 6, 5, 5);
  }
  if (length > SQUARES) {
    ctx.font = `11px ${FONT}`;
    ctx.textAlign = "left";
    ctx.fillText(String(length), x - radius + 26, y + radius + 18);
  }
}

/** A dot at the source of each flow and a ring at its destination, in the colour of the flow. */
function paintEnds(stage: Stage): void {
  const { ctx, palette, history, filters, xs, ys, radius } = stage;
  const flows = history.setup.flows;
  const size = radius >= 8 ? 4 : 2.5;
  const away = radius + size + 3;
  ctx.globalAlpha = 1;
  ctx.lineWidth = 2;
  for (let id = 0; id < flows.length; id++) {
    const flow = flows[id];
    if (!flow || !filters.showsFlow(id)) continue;
    ctx.fillStyle = ctx.strokeStyle = flowColour(palette, id);
    const turn = -0.75 * Math.PI - (id % 4) * 0.45;
    const [dx, dy] = [Math.cos(turn) * away, Math.sin(turn) * away];
    circle(ctx, (xs[flow.source] as number) + dx, (ys[flow.source] as number) + dy, size);
    ctx.fill();
    circle(ctx, (xs[flow.destination] as number) - dx, (ys[flow.destination] as number) + dy, size);
    ctx.stroke();
  }
}
