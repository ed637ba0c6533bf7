/** The plot of a figure: curves with intervals, over those of the report. */

import uPlot from "uplot";
import css from "uplot/dist/uPlot.min.css?inline";
import type { Line } from "./lines";

/** Okabe and Ito's colours and two more, as the figures of the package have them. */
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A5195", "#555555"];
/** The last one, where the ground is dark. */
const ON_DARK = "#AAAAAA";
const DASHES = [[], [6, 2], [2, 2], [9, 2, 2, 2], [4, 2], [12, 2], [6, 2, 2, 2, 2, 2], [1, 3]];
const HEIGHT = 340;

/** The style of every plot of a page. */
export const style = css;

export interface Axes {
  x: string;
  y: string;
  /** Names of the places along x, where they are no numbers. */
  names: string[] | null;
  /** Lines hold each value until the next one: shares, which end at 1. */
  isStepped?: boolean;
}

/** A plot inside an element; it follows the width of the page. */
export class Plot {
  #host: HTMLElement;
  #axes: Axes;
  #plot: uPlot | null = null;
  #drawn = "";
  #lines: Line[] = [];
  #stored: Line[] = [];

  constructor(host: HTMLElement, axes: Axes) {
    this.#host = host;
    this.#axes = axes;
    new ResizeObserver(() => this.#plot?.setSize({ width: this.#width, height: HEIGHT })).observe(host);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#again());
  }

  /** Draws curves; `stored` are the report's own, drawn pale behind them. */
  draw(lines: Line[], stored: Line[]): void {
    this.#lines = lines;
    this.#stored = stored;
    const labels = JSON.stringify([lines.map(({ label }) => label), stored.map(({ label }) => label)]);
    if (this.#plot && labels === this.#drawn) this.#plot.setData(this.#data());
    else this.#again();
    this.#drawn = labels;
  }

  get #width(): number {
    return Math.max(280, this.#host.clientWidth);
  }

  #again(): void {
    if (this.#lines.length + this.#stored.length === 0) return;
    this.#plot?.destroy();
    this.#plot = new uPlot(this.#options(), this.#data(), this.#host);
  }

  #places(): number[] {
    const every = [...this.#lines, ...this.#stored].flatMap(({ means }) => [...means.keys()]);
    return [...new Set(every)].sort((one, other) => one - other);
  }

  #data(): uPlot.AlignedData {
    const places = this.#places();
    const of = ({ means }: Line): (number | null)[] => places.map((place) => means.get(place)?.[0] ?? null);
    return [places, ...this.#stored.map(of), ...this.#lines.map(of)];
  }

  #options(): uPlot.Options {
    const { x, y, names, isStepped = false } = this.#axes;
    const ink = getComputedStyle(this.#host).color;
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const colour = (at: number): string => {
      const found = COLOURS[at % COLOURS.length] as string;
      return isDark && found === COLOURS.at(-1) ? ON_DARK : found;
    };
    const grid = { stroke: isDark ? "#3a3a3a" : "#e3e3e3", width: 1 };
    const order = [...new Set([...this.#stored, ...this.#lines].map(({ label }) => label))];
    const number = ({ label }: Line): number => order.indexOf(label);
    const series = (line: Line, pale: boolean): uPlot.Series => ({
      label: line.label || this.#axes.y,
      stroke: pale ? `${colour(number(line))}55` : colour(number(line)),
      width: pale ? 5 : 2,
      class: pale ? "again-pale" : undefined,
      dash: pale ? [] : DASHES[number(line) % DASHES.length],
      points: { show: !pale && !isStepped, size: 7 },
      spanGaps: true,
      paths: names ? () => null : isStepped ? uPlot.paths.stepped?.({ align: 1 }) : undefined,
    });
    return {
      width: this.#width,
      height: HEIGHT,
      legend: { live: false },
      cursor: { drag: { x: false, y: false } },
      scales: {
        x: { time: false, range: names ? [-0.5, names.length - 0.5] : padded },
        y: { range: (_, low, high) => (isStepped ? [0, 1.02] : this.#reach(low, high)) },
      },
      axes: [
        {
          label: x,
          stroke: ink,
          grid,
          ...(names
            ? { splits: names.map((_, at) => at), values: (_, splits) => splits.map((at) => names[at] ?? "") }
            : {}),
        },
        { label: y, stroke: ink, grid, size: 62 },
      ],
      series: [
        { label: x },
        ...this.#stored.map((line) => series(line, true)),
        ...this.#lines.map((line) => series(line, false)),
      ],
      hooks: { draw: [(plot) => this.#intervals(plot, (line) => colour(number(line)))] },
    };
  }

  /** The ends of the vertical axis: zero, unless values are below it, and the intervals as far as they are not absurd. */
  #reach(low: number, high: number): [number, number] {
    const ends = this.#lines.flatMap(({ means }) => [...means.values()].map(([centre, half]) => centre + (half ?? 0)));
    const top = Math.max(high, Math.min(Math.max(...ends, high), 2 * Math.abs(high)));
    return [Math.min(0, low), top > 0 ? top * 1.05 : 1];
  }

  #intervals(plot: uPlot, colour: (line: Line) => string): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineWidth = 1.5 * devicePixelRatio;
    for (const line of this.#lines) {
      ctx.strokeStyle = colour(line);
      for (const [place, [centre, half]] of line.means) {
        if (half === null) continue;
        const across = plot.valToPos(place, "x", true);
        const [top, bottom] = [centre + half, centre - half].map((value) => plot.valToPos(value, "y", true)) as [
          number,
          number,
        ];
        const cap = 3 * devicePixelRatio;
        ctx.beginPath();
        ctx.moveTo(across, top);
        ctx.lineTo(across, bottom);
        for (const end of [top, bottom]) {
          ctx.moveTo(across - cap, end);
          ctx.lineTo(across + cap, end);
        }
        ctx.stroke();
      }
    }
    ctx.restore();
  }
}

function padded(_: uPlot, low: number, high: number): [number, number] {
  const room = high > low ? 0.04 * (high - low) : Math.max(1, Math.abs(low) * 0.1);
  return [low - room, high + room];
}
