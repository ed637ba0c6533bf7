/** Paints the lanes of the timeline: what each node sends and hears, its NAV, the back-off that it counts, and its queue. */

import { scaleLinear } from "d3-scale";
import { type Heard, type Mark, NS, startOf, type Transmission, timeOf } from "./facts";
import type { Filters } from "./filters";
import type { History } from "./history";
import type { Lane } from "./lane";
import { groupOf, type Palette } from "./palette";
import { cross, FONT } from "./stage";

/** Pixels from the top of a lane, and heights, of its parts. */
export const LANE = 42;
export const AXIS = 22;
const [SENT_TOP, SENT] = [3, 12];
export const [HEARD_TOP, HEARD] = [16, 8];
export const [NAV_TOP, NAV] = [25, 3];
const [BACK_TOP, BACK] = [29, 4];
const [QUEUE_TOP, QUEUE] = [34, 6];
/** Where the playhead stands, as a part of the width. */
const HEAD = 0.72;

export class Lanes {
  selected: Transmission | null = null;
  hovered: Transmission | null = null;
  selectedNode: number | null = null;
  /** Nodes that have a lane, from the top. */
  rows: number[] = [];
  readonly left = 44;
  readonly x = scaleLinear();
  width = 0;
  private from = 0;
  private height = 0;
  private ratio = 1;
  private readonly ctx: CanvasRenderingContext2D;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly history: History,
    private readonly filters: Filters,
    public palette: Palette,
  ) {
    this.ctx = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
    this.choose();
  }

  /** Gives a lane to each node that is to be shown. */
  choose(): void {
    const { nodes } = this.filters;
    this.rows = nodes ? [...nodes].sort((a, b) => a - b) : this.history.lanes.map((lane) => lane.node);
  }

  resize(width: number, height: number): void {
    this.ratio = Math.min(2, globalThis.devicePixelRatio || 1);
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
  }

  /** Paints `span` nanoseconds around the playhead; `scrolled` pixels of lanes lie above the canvas. */
  paint(time: number, known: number, span: number, scrolled: number): void {
    const { ctx, palette, width, height, rows } = this;
    this.from = Math.max(0, time - span * HEAD);
    this.x.domain([this.from, this.from + span]).range([this.left, width]);
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.fillStyle = palette.ground;
    ctx.fillRect(0, 0, width, height);
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, AXIS, width, height - AXIS);
    ctx.clip();
    for (let row = Math.floor(scrolled / LANE); row < rows.length; row++) {
      const top = AXIS + row * LANE - scrolled;
      if (top > height) break;
      this.paintLane(this.history.lanes[rows[row] as number] as Lane, top);
    }
    this.paintMarks(rows, scrolled);
    ctx.restore();
    this.paintAxis();
    this.paintHead(time, known);
  }

  private paintLane(lane: Lane, top: number): void {
    const { ctx, palette, width } = this;
    if (lane.node === this.selectedNode) {
      ctx.fillStyle = palette.panel;
      ctx.fillRect(0, top, width, LANE);
    }
    ctx.fillStyle = palette.line;
    ctx.fillRect(0, top + LANE - 1, width, 1);
    this.paintQueue(lane, top);
    this.paintSpans(lane.nav, palette.nav, top + NAV_TOP, NAV);
    this.paintSpans(lane.backoff, palette.soft, top + BACK_TOP, BACK);
    this.paintHeard(lane, top);
    this.paintSent(lane, top);
    ctx.fillStyle = palette.ground;
    if (lane.node !== this.selectedNode) ctx.fillRect(0, top, this.left - 4, LANE - 1);
    ctx.fillStyle = lane.node === this.selectedNode ? palette.accent : palette.soft;
    ctx.font = `${lane.node === this.selectedNode ? 600 : 400} 12px ${FONT}`;
    ctx.textAlign = "right";
    ctx.fillText(String(lane.node), this.left - 12, top + 18);
  }

  private paintSent(lane: Lane, top: number): void {
    const { ctx, palette, x } = this;
    let covered = Number.NEGATIVE_INFINITY;
    const end = x.domain()[1] as number;
    const { sent } = lane;
    for (let at = sent.after(this.from - this.history.longest, startOf); at < sent.length; at++) {
      const frame = sent.at(at);
      if (frame.start > end) break;
      if (!this.filters.showsFrame(frame)) continue;
      const right = x(frame.end);
      // Several frames in one pixel look as one does.
      if (right < covered + 0.5) continue;
      const left = x(frame.start);
      covered = right;
      ctx.fillStyle = palette[groupOf(frame.frame, frame.packetKind)];
      ctx.fillRect(left, top + SENT_TOP, Math.max(1, right - left), SENT);
      this.outline(frame, left, right, top + SENT_TOP, SENT);
    }
  }

  private outline(frame: Transmission, left: number, right: number, top: number, height: number): void {
    if (frame !== this.selected && frame !== this.hovered) return;
    this.ctx.strokeStyle = this.palette.ink;
    this.ctx.lineWidth = 2;
    this.ctx.strokeRect(left - 1, top - 1, Math.max(3, right - left + 2), height + 2);
  }

  private paintHeard(lane: Lane, top: number): void {
    const { ctx, x } = this;
    const end = x.domain()[1] as number;
    let covered = Number.NEGATIVE_INFINITY;
    const { heard } = lane;
    for (let at = heard.after(this.from, endOf); at < heard.length; at++) {
      const one = heard.at(at);
      if (one.end - this.history.longest > end) break;
      if (one.start > end || !this.filters.showsFrame(one.frame)) continue;
      const colour = this.heardColour(one);
      const right = x(one.end);
      const isLoss = one.own && one.outcome !== "received";
      if (right < covered + 0.5 && !isLoss) continue;
      covered = right;
      const left = x(one.start);
      ctx.fillStyle = colour;
      const [shift, high] = one.own ? [0, HEARD] : [2, HEARD - 3];
      ctx.fillRect(left, top + HEARD_TOP + shift, Math.max(1, right - left), high);
      this.outline(one.frame, left, right, top + HEARD_TOP, HEARD);
    }
  }

  private heardColour(heard: Heard): string {
    if (heard.outcome === "received") return this.palette.hear;
    return heard.own ? this.palette.loss : this.palette.sense;
  }

  private paintSpans(spans: Lane["nav"], colour: string, top: number, height: number): void {
    const { ctx, x } = this;
    const end = x.domain()[1] as number;
    ctx.fillStyle = colour;
    for (let at = Math.max(0, spans.after(this.from, startOf) - 1); at < spans.length; at++) {
      const span = spans.at(at);
      if (span.start > end) break;
      if (span.end >= this.from) ctx.fillRect(x(span.start), top, Math.max(1, x(span.end) - x(span.start)), height);
    }
  }

  private paintQueue(lane: Lane, top: number): void {
    const { ctx, palette, x } = this;
    const end = x.domain()[1] as number;
    const { queue } = lane;
    ctx.fillStyle = palette.queue;
    for (let at = Math.max(0, queue.after(this.from, timeOf) - 1); at < queue.length; at++) {
      const step = queue.at(at);
      if (step.time > end) break;
      if (step.value === 0) continue;
      const until = at + 1 < queue.length ? queue.at(at + 1).time : end;
      // Root: one packet can be seen, and fifty still differ from five.
      const high = Math.min(QUEUE, 1 + Math.sqrt(step.value));
      ctx.fillRect(x(step.time), top + QUEUE_TOP + QUEUE - high, Math.max(1, x(until) - x(step.time)), high);
    }
  }

  private paintMarks(rows: number[], scrolled: number): void {
    const { ctx, x, palette } = this;
    const [start, end] = x.domain() as [number, number];
    const marks = this.history.marks;
    ctx.strokeStyle = palette.loss;
    ctx.lineWidth = 2;
    for (let at = marks.after(start, timeOf); at < marks.length; at++) {
      const mark: Mark = marks.at(at);
      if (mark.time > end) break;
      const row = rows.indexOf(mark.node);
      if (row < 0 || mark.kind === "collision" || mark.kind === "no-answer") continue;
      const top = AXIS + row * LANE - scrolled;
      if (mark.kind === "drop") cross(ctx, x(mark.time), top + SENT_TOP + SENT / 2, 4);
      else ctx.strokeRect(x(mark.time) - 4, top + SENT_TOP + 2, 8, 8);
    }
  }

  private paintAxis(): void {
    const { ctx, palette, x, width } = this;
    ctx.fillStyle = palette.ground;
    ctx.fillRect(0, 0, width, AXIS);
    ctx.fillStyle = palette.line;
    ctx.fillRect(0, AXIS - 1, width, 1);
    ctx.font = `11px ${FONT}`;
    ctx.textAlign = "left";
    const ticks = x.ticks(Math.max(2, Math.floor(width / 140)));
    const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
    const digits = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(step || NS) - 1e-9)));
    for (const tick of ticks) {
      const at = x(tick);
      if (at < this.left) continue;
      ctx.fillStyle = palette.line;
      ctx.fillRect(at, AXIS - 6, 1, 5);
      ctx.fillStyle = palette.soft;
      ctx.fillText(`${(tick / NS).toFixed(digits)} s`, at + 4, AXIS - 7);
    }
  }

  private paintHead(time: number, known: number): void {
    const { ctx, palette, x, height, width } = this;
    const at = x(time);
    const future = x(known);
    ctx.fillStyle = palette.ground;
    ctx.globalAlpha = 0.55;
    // What lies behind the playhead has been computed, and is not yet there for the viewer.
    ctx.fillRect(at, AXIS, width - at, height - AXIS);
    ctx.globalAlpha = 1;
    if (future < width) {
      ctx.fillStyle = palette.panel;
      ctx.fillRect(Math.max(at, future), AXIS, width, height - AXIS);
    }
    ctx.fillStyle = palette.accent;
    ctx.fillRect(at - 0.75, AXIS - 8, 1.5, height);
    ctx.beginPath();
    ctx.moveTo(at - 5, AXIS - 10);
    ctx.lineTo(at + 5, AXIS - 10);
    ctx.lineTo(at, AXIS - 2);
    ctx.fill();
  }
}

const endOf = (heard: Heard): number => heard.end;
