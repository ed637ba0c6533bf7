/** The plane on which nodes stand and frames spread: zoom, hit testing, and the order in which things are painted. */

import { quadtree } from "d3-quadtree";
import { select } from "d3-selection";
import { type D3ZoomEvent, type ZoomTransform, zoom, zoomIdentity } from "d3-zoom";
import { paintAir, paintDrops, paintLinks, paintReach, paintRoutes, paintWires } from "./air";
import type { Transmission } from "./facts";
import type { Filters } from "./filters";
import { boundsOf, distanceToLine, fitted, type Projection, roundLength } from "./geometry";
import type { History } from "./history";
import { paintNodes } from "./nodes";
import type { Palette } from "./palette";
import { FONT, type Stage } from "./stage";

const MARGIN = 56;
const NEAR = 9;

export interface PlaneEvents {
  node(node: number | null): void;
  frame(frame: Transmission | null): void;
  hover(node: number | null): void;
}

export class Plane {
  readonly stage: Stage;
  private base: Projection = { scale: 1, x: 0, y: 0 };
  private transform: ZoomTransform = zoomIdentity;
  private readonly zoomer = zoom<HTMLCanvasElement, unknown>().scaleExtent([0.4, 60]);
  private readonly spacing: number;
  private readonly place: [number, number] = [0, 0];
  private ratio = 1;
  private readonly context: CanvasRenderingContext2D;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    history: History,
    filters: Filters,
    palette: Palette,
    private readonly events: PlaneEvents,
  ) {
    this.context = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
    const count = history.setup.nodes.length;
    this.spacing = spacingOf(history.setup.nodes);
    this.stage = {
      ctx: this.context,
      palette,
      history,
      filters,
      time: 0,
      glow: 0,
      width: 0,
      height: 0,
      scale: 1,
      xs: new Float64Array(count),
      ys: new Float64Array(count),
      radius: 10,
      roomy: true,
      selectedNode: null,
      selectedFlow: null,
      selectedFrame: null,
      hoveredFrame: null,
      hoveredNode: null,
    };
    this.zoomer.on("zoom", (event: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
      this.transform = event.transform;
    });
    select(canvas).call(this.zoomer).on("dblclick.zoom", null);
    canvas.addEventListener("click", (event) => this.clicked(event));
    canvas.addEventListener("pointermove", (event) => this.hovered(event));
    canvas.addEventListener("pointerleave", () => this.events.hover(null));
  }

  resize(width: number, height: number): void {
    this.ratio = Math.min(2, globalThis.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.stage.width = width;
    this.stage.height = height;
    this.fit(this.stage.history.setup.nodes);
  }

  zoomBy(factor: number): void {
    select(this.canvas).call(this.zoomer.scaleBy, factor);
  }

  /** Also of nodes that have moved meanwhile. */
  showAll(): void {
    const { history, time } = this.stage;
    this.fit(history.lanes.map(({ node }) => [...history.placeAt(node, time, this.place)]));
    select(this.canvas).call(this.zoomer.transform, zoomIdentity);
  }

  /** Paints the plane at the instant of the stage; returns how many frames it shows. */
  paint(lasting: number): number {
    const { stage, context: ctx } = this;
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.fillStyle = stage.palette.ground;
    ctx.fillRect(0, 0, stage.width, stage.height);
    this.project();
    const reach = stage.hoveredNode ?? stage.selectedNode;
    if (reach !== null && stage.filters.layers.has("ranges")) paintReach(stage, reach);
    paintRoutes(stage);
    paintWires(stage);
    paintLinks(stage);
    const frames = paintAir(stage);
    paintNodes(stage);
    paintDrops(stage, lasting);
    this.paintScale();
    return frames;
  }

  private fit(places: readonly [number, number][]): void {
    const { width, height } = this.stage;
    this.base = fitted(boundsOf(places), width, height, Math.min(MARGIN, width / 8));
  }

  private project(): void {
    const { stage, base, transform, place } = this;
    stage.scale = base.scale * transform.k;
    const apart = this.spacing * stage.scale;
    stage.radius = Math.max(3.5, Math.min(13, apart * 0.22));
    stage.roomy = apart > 26;
    for (let node = 0; node < stage.xs.length; node++) {
      stage.history.placeAt(node, stage.time, place);
      stage.xs[node] = (base.x + place[0] * base.scale) * transform.k + transform.x;
      stage.ys[node] = (base.y - place[1] * base.scale) * transform.k + transform.y;
    }
  }

  private paintScale(): void {
    const { ctx, palette, scale, height } = this.stage;
    const length = roundLength(Math.max(1e-6, 140 / scale));
    const wide = length * scale;
    ctx.strokeStyle = ctx.fillStyle = palette.soft;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.moveTo(16, height - 20);
    ctx.lineTo(16, height - 15);
    ctx.lineTo(16 + wide, height - 15);
    ctx.lineTo(16 + wide, height - 20);
    ctx.stroke();
    ctx.font = `11px ${FONT}`;
    ctx.textAlign = "left";
    ctx.fillText(length >= 1000 ? `${length / 1000} km` : `${length} m`, 16, height - 25);
  }

  private nodeAt(x: number, y: number): number | null {
    const { xs, ys, radius } = this.stage;
    const tree = quadtree<number>(
      Array.from(xs.keys()),
      (node) => xs[node] as number,
      (node) => ys[node] as number,
    );
    return tree.find(x, y, radius + NEAR) ?? null;
  }

  private frameAt(x: number, y: number): Transmission | null {
    const { history, filters, time, glow, xs, ys, scale } = this.stage;
    let found: Transmission | null = null;
    let nearest = NEAR;
    let around: Transmission | null = null;
    history.onAir(time - glow, time, (frame) => {
      if (!filters.showsFrame(frame)) return;
      const [sx, sy] = [xs[frame.src] as number, ys[frame.src] as number];
      if (frame.dst !== null) {
        const away = distanceToLine(x, y, sx, sy, xs[frame.dst] as number, ys[frame.dst] as number);
        if (away < nearest) [nearest, found] = [away, frame];
      }
      // The rim of its range belongs to it, too.
      if (Math.abs(Math.hypot(x - sx, y - sy) - history.setup.radio.range_m * scale) < NEAR) around = frame;
    });
    return found ?? around;
  }

  private clicked(event: MouseEvent): void {
    const node = this.nodeAt(event.offsetX, event.offsetY);
    if (node !== null) this.events.node(node);
    else this.events.frame(this.frameAt(event.offsetX, event.offsetY));
  }

  private hovered(event: PointerEvent): void {
    if (event.pointerType === "touch") return;
    const node = this.nodeAt(event.offsetX, event.offsetY);
    this.canvas.style.cursor = node !== null || this.frameAt(event.offsetX, event.offsetY) ? "pointer" : "grab";
    this.events.hover(node);
  }
}

/** The usual distance to the next node, in metres: the median. */
function spacingOf(places: readonly [number, number][]): number {
  if (places.length < 2) return 100;
  const tree = quadtree<[number, number]>([...places]);
  const found: number[] = [];
  for (const place of places) {
    tree.remove(place);
    const next = tree.find(place[0], place[1]);
    if (next) found.push(Math.hypot(next[0] - place[0], next[1] - place[1]));
    tree.add(place);
  }
  found.sort((a, b) => a - b);
  return Math.max(1, found[found.length >> 1] ?? 100);
}
