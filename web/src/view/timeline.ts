/** The frame timeline around the playhead, as `hopscope timeline` draws it: what the pointer finds and does there. */

import { duration } from "./clock";
import { type Heard, NS, startOf, type Transmission } from "./facts";
import type { Filters } from "./filters";
import type { History } from "./history";
import type { Lane } from "./lane";
import { AXIS, HEARD_TOP, LANE, Lanes, NAV_TOP } from "./lanes";
import type { Palette } from "./palette";

/** The least and the most that the width may show, in ns. */
const NARROWEST = 20e3;
const WIDEST = 2 * NS;

export interface TimelineEvents {
  frame(frame: Transmission | null): void;
  hover(frame: Transmission | null, node: number | null, text: string, x: number, y: number): void;
  /** Wants another instant. */
  seek(time: number): void;
  node(node: number): void;
}

export class Timeline {
  /** Nanoseconds from the left to the right edge; null: as the speed asks for. */
  span: number | null = null;
  readonly lanes: Lanes;
  private time = 0;
  private dragged: { x: number; time: number; moved: boolean } | null = null;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly scroller: HTMLElement,
    private readonly history: History,
    private readonly filters: Filters,
    palette: Palette,
    private readonly events: TimelineEvents,
  ) {
    this.lanes = new Lanes(canvas, history, filters, palette);
    canvas.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.pressed(event));
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    canvas.addEventListener("pointerup", (event) => this.released(event));
    canvas.addEventListener("pointercancel", () => {
      this.dragged = null;
    });
    canvas.addEventListener("pointerleave", () => this.events.hover(null, null, "", 0, 0));
  }

  /** The height of all lanes: the canvas shows the part that is scrolled to. */
  get wholeHeight(): number {
    return AXIS + this.lanes.rows.length * LANE;
  }

  /** Scrolls to the lane of a node. */
  reveal(node: number): void {
    const row = this.lanes.rows.indexOf(node);
    const [top, high] = [row * LANE, this.scroller.clientHeight - AXIS];
    const { scrollTop } = this.scroller;
    if (row < 0 || (top >= scrollTop && top + LANE <= scrollTop + high)) return;
    this.scroller.scrollTop = Math.max(0, top - (high - LANE) / 2);
  }

  zoomBy(factor: number, speed: number): void {
    const span = this.spanAt(speed) / factor;
    this.span = Math.min(WIDEST, Math.max(NARROWEST, span));
  }

  /** What the width shows: at rest as the viewer wants it, else some seconds of the viewer. */
  spanAt(speed: number): number {
    return this.span ?? Math.min(NS / 4, Math.max(1e6, speed * 4 * NS));
  }

  paint(time: number, known: number, speed: number): void {
    this.time = time;
    this.lanes.paint(time, known, this.spanAt(speed), this.scroller.scrollTop);
  }

  /** What stands at a place of the canvas. */
  private hit(px: number, py: number): { frame: Transmission | null; node: number | null; text: string } {
    const { rows } = this.lanes;
    const below = py - AXIS + this.scroller.scrollTop;
    const node = rows[Math.floor(below / LANE)] ?? null;
    if (py < AXIS || node === null) return { frame: null, node: null, text: "" };
    const inLane = below % LANE;
    const time = this.lanes.x.invert(px);
    const near = this.lanes.x.invert(px + 3) - time;
    const lane = this.history.lanes[node] as Lane;
    if (inLane < HEARD_TOP) return { frame: this.sentAt(lane, time, near), node, text: "" };
    if (inLane < NAV_TOP) return { frame: this.heardAt(lane, time, near), node, text: "" };
    return { frame: null, node, text: this.waitAt(lane, time) };
  }

  private sentAt(lane: Lane, time: number, near: number): Transmission | null {
    const frame = lane.sent.until(time + near, startOf);
    return frame && frame.end + near >= time && this.filters.showsFrame(frame) ? frame : null;
  }

  private heardAt(lane: Lane, time: number, near: number): Transmission | null {
    for (let at = lane.heard.after(time - near, endOf); at < lane.heard.length; at++) {
      const one = lane.heard.at(at);
      if (one.start <= time + near && this.filters.showsFrame(one.frame)) return one.frame;
      if (one.end - this.history.longest > time) break;
    }
    return null;
  }

  private waitAt(lane: Lane, time: number): string {
    const nav = this.history.navAt(lane.node, time);
    const backoff = this.history.backoffAt(lane.node, time);
    const queue = lane.queueAt(time);
    const parts = [
      nav && `NAV for ${duration(nav.end - time)} more`,
      backoff && `counts its back-off, ${duration(backoff.end - backoff.start)} in all`,
      queue > 0 && `${queue} in the queue`,
    ];
    const said = parts.filter(Boolean).join(", ");
    return said && `node ${lane.node}: ${said}`;
  }

  private wheeled(event: WheelEvent): void {
    // Without a key the wheel scrolls lanes, and the page.
    if (!event.ctrlKey && !event.shiftKey && !event.metaKey) return;
    event.preventDefault();
    const span = this.lanes.x.domain()[1] as number;
    const now = span - (this.lanes.x.domain()[0] as number);
    this.span = Math.min(WIDEST, Math.max(NARROWEST, now * 1.0015 ** (event.deltaY || event.deltaX)));
  }

  private pressed(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    this.dragged = { x: event.offsetX, time: this.time, moved: false };
  }

  private moved(event: PointerEvent): void {
    if (this.dragged && Math.abs(event.offsetX - this.dragged.x) > 3) this.dragged.moved = true;
    if (this.dragged?.moved) {
      const [start, end] = this.lanes.x.domain() as [number, number];
      const perPixel = (end - start) / (this.lanes.width - this.lanes.left);
      this.events.seek(this.dragged.time - (event.offsetX - this.dragged.x) * perPixel);
      return;
    }
    if (event.pointerType === "touch") return;
    const { frame, node, text } = this.hit(event.offsetX, event.offsetY);
    this.canvas.style.cursor = frame ? "pointer" : "ew-resize";
    this.events.hover(frame, node, text, event.clientX, event.clientY);
  }

  private released(event: PointerEvent): void {
    const dragged = this.dragged;
    this.dragged = null;
    if (!dragged || dragged.moved) return;
    const { frame, node } = this.hit(event.offsetX, event.offsetY);
    if (frame) this.events.frame(frame);
    else if (event.offsetX < this.lanes.left && node !== null) this.events.node(node);
    else this.events.seek(this.lanes.x.invert(event.offsetX));
  }
}

const endOf = (heard: Heard): number => heard.end;
