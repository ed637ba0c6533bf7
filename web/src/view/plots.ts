/** Plots of one flow over time: window, round-trip time, sequence numbers. */

import uPlot from "uplot";
import { h } from "./dom";
import { NS } from "./facts";
import type { FlowLog } from "./flowlog";
import type { Palette } from "./palette";
import type { Series } from "./series";
import { FONT } from "./stage";

interface Line {
  label: string;
  series: Series;
  column: number;
  colour: (palette: Palette) => string;
  steps: boolean;
}

const HEIGHT = 132;

/** The newest points of a series, at most this many: a plot has no more pixels. */
function dataOf(lines: Line[]): uPlot.AlignedData {
  const own = lines.map(({ series, column }) => [
    Array.from((series.columns[0] as Float64Array).subarray(0, series.length), (time) => time / NS),
    Array.from((series.columns[column] as Float64Array).subarray(0, series.length), (value) =>
      Number.isNaN(value) ? null : value,
    ),
  ]);
  if (new Set(lines.map(({ series }) => series)).size === 1) {
    return [own[0]?.[0] as number[], ...own.map((data) => data[1])] as uPlot.AlignedData;
  }
  return uPlot.join(own as unknown as uPlot.AlignedData[]);
}

export class FlowPlots {
  readonly element = h("div", { class: "plots" });
  private readonly plots: { plot: uPlot; lines: Line[] }[] = [];

  constructor(log: FlowLog, palette: Palette, width: number, time: () => number) {
    const { window, rtt, sent, acked } = log;
    this.add("window: cwnd or the receiver's, segments", palette, width, time, [
      { label: "window", series: window, column: 1, colour: (p) => p.accent, steps: true },
      { label: "ssthresh", series: window, column: 2, colour: (p) => p.cts, steps: true },
      { label: "in flight", series: window, column: 3, colour: (p) => p.soft, steps: true },
    ]);
    this.add("RTT, ms", palette, width, time, [
      { label: "RTT", series: rtt, column: 1, colour: (p) => p.accent, steps: false },
    ]);
    this.add("sequence numbers", palette, width, time, [
      { label: "sent", series: sent, column: 1, colour: (p) => p.accent, steps: false },
      { label: "acknowledged", series: acked, column: 1, colour: (p) => p.ack, steps: true },
    ]);
  }

  update(): void {
    for (const { plot, lines } of this.plots) plot.setData(dataOf(lines));
  }

  destroy(): void {
    for (const { plot } of this.plots) plot.destroy();
  }

  private add(title: string, palette: Palette, width: number, time: () => number, lines: Line[]): void {
    const axis = {
      stroke: palette.soft,
      font: `11px ${FONT}`,
      grid: { stroke: palette.line, width: 1 },
      ticks: { stroke: palette.line, width: 1, size: 4 },
    };
    const place = h("figure", {}, h("figcaption", {}, title, ...lines.map((line) => legend(line, palette))));
    this.element.append(place);
    const plot = new uPlot(
      {
        width,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, points: { size: 6 } },
        scales: { x: { time: false }, y: { range: (_, low, high) => rangeOf(low, high) } },
        axes: [
          {
            ...axis,
            size: 26,
            space: 70,
            values: (_, ticks) => ticks.map((tick) => `${Number(tick.toPrecision(9))} s`),
          },
          { ...axis, size: 52, space: 28, values: (_, ticks) => ticks.map(compact) },
        ],
        series: [
          {},
          ...lines.map((line) => ({
            label: line.label,
            stroke: line.colour(palette),
            width: 1.5,
            spanGaps: true,
            points: { show: false },
            ...(line.steps && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
          })),
        ],
        hooks: { draw: [(drawn) => playhead(drawn, time(), palette)] },
      },
      dataOf(lines),
      place,
    );
    this.plots.push({ plot, lines });
  }
}

function legend(line: Line, palette: Palette): HTMLElement {
  const chip = h("i", { class: "chip line" });
  chip.style.background = line.colour(palette);
  return h("span", {}, chip, line.label);
}

/** From zero where the numbers are of that size, with some room above. */
function rangeOf(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const bottom = low > 0 && low > 0.6 * high ? low - 0.1 * (high - low || high) : Math.min(0, low);
  return [bottom, high + 0.08 * (high - bottom || 1)];
}

function compact(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${Number((value / 1e9).toPrecision(3))}G`;
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return String(Number(value.toPrecision(4)));
}

function playhead(plot: uPlot, time: number, palette: Palette): void {
  const at = plot.valToPos(time / NS, "x", true);
  const { left, top, width, height } = plot.bbox;
  if (at < left || at > left + width) return;
  plot.ctx.fillStyle = palette.accent;
  plot.ctx.fillRect(at - 1, top, 2, height);
}
