/** What is known of the chosen frame, node or flow at the playhead; of the whole run where nothing is chosen. */

import { duration } from "./clock";
import { button, h, say } from "./dom";
import { NS, startOf, type Transmission } from "./facts";
import type { History } from "./history";
import { flowColour, type Palette } from "./palette";
import { FlowPlots } from "./plots";
import { DOING, fieldsOf, frameName, frameTitle, grouped, outcomeWords, rate } from "./words";

export type Choice =
  | { kind: "run" }
  | { kind: "frame"; frame: Transmission }
  | { kind: "node"; node: number }
  | { kind: "flow"; flow: number };

export interface InspectorEvents {
  choose(choice: Choice): void;
  show(frame: Transmission): void;
}

/** Throughput is shown over so much of the time before the playhead; a default. */
const RECENT = 2 * NS;

export class Inspector {
  readonly element = h("aside", { class: "inspector", "aria-label": "Details" });
  private readonly body = h("div", { class: "details" });
  private choice: Choice = { kind: "run" };
  private plots: FlowPlots | null = null;
  private live: HTMLElement | null = null;
  /** What brings the table of flows up to date: its rows stay, so that they can be clicked and keep the focus. */
  private cells: (() => void)[] = [];
  private time = 0;

  constructor(
    private readonly history: History,
    private palette: Palette,
    private readonly warnings: readonly string[],
    private readonly events: InspectorEvents,
  ) {
    this.element.append(this.body);
  }

  show(choice: Choice): void {
    this.choice = choice;
    this.plots?.destroy();
    this.plots = null;
    this.live = null;
    const parts = this.build(choice);
    this.body.replaceChildren(...parts);
    this.update(this.time);
  }

  repaint(palette: Palette): void {
    this.palette = palette;
    this.show(this.choice);
  }

  /** Brings what changes with time up to the playhead; some times a second. */
  update(time: number): void {
    this.time = time;
    const { choice } = this;
    if (choice.kind === "run") for (const update of this.cells) update();
    if (choice.kind === "node") this.live?.replaceChildren(...rows(this.nodeFacts(choice.node)));
    if (choice.kind === "flow") {
      this.live?.replaceChildren(...rows(this.flowFacts(choice.flow)));
      this.plots?.update();
    }
  }

  private build(choice: Choice): Node[] {
    switch (choice.kind) {
      case "run":
        return this.buildRun();
      case "frame":
        return this.buildFrame(choice.frame);
      case "node":
        return this.buildNode(choice.node);
      case "flow":
        return this.buildFlow(choice.flow);
    }
  }

  private head(title: string, colour?: string): HTMLElement {
    const chip = colour ? h("i", { class: "chip" }) : null;
    if (chip && colour) chip.style.background = colour;
    const close = button("close", "Back to the run", "Esc", () => this.events.choose({ kind: "run" }));
    return h("header", {}, h("h2", {}, chip, title), close);
  }

  private buildRun(): Node[] {
    const { setup } = this.history;
    const { radio } = setup;
    const senses = radio.cs_range_m === null ? "" : `, senses ${grouped(Math.round(radio.cs_range_m))} m`;
    const facts: [string, string][] = [
      ["nodes", String(setup.nodes.length) + (setup.mobility ? ", moving" : "")],
      ["radio", radioWords(radio)],
      ["reach", `decodes ${grouped(Math.round(radio.range_m))} m${senses}`],
      ["routing", setup.routing],
      ["seed", String(setup.seed)],
    ];
    this.cells = [];
    const heads = h("tr", {}, h("th", {}, "flow"), h("th", {}, "kbit/s"), h("th", {}, "lost"));
    return [
      h("h2", {}, "This run"),
      h("dl", {}, ...rows(facts)),
      ...(setup.flows.length
        ? [
            h("h3", {}, "Flows"),
            h("table", { class: "flows" }, h("thead", {}, heads), h("tbody", {}, ...this.flowRows())),
          ]
        : []),
      h("p", { class: "hint" }, "Choose a node, a frame or a flow to see more of it."),
      ...this.warnings.map((warning) => h("p", { class: "warning" }, warning)),
    ];
  }

  private flowRows(): HTMLElement[] {
    return this.history.setup.flows.map((flow, id) => {
      const chip = h("i", { class: "chip" });
      chip.style.background = flowColour(this.palette, id);
      const open = () => this.events.choose({ kind: "flow", flow: id });
      const ends = `${flow.source} → ${flow.destination}`;
      const name = h("button", { type: "button", class: "link", onclick: open }, chip, flow.label ?? ends);
      const about = flow.label ? `${ends}, ${flow.transport}` : flow.transport;
      const [throughput, lost] = [h("td"), h("td")];
      this.cells.push(() => {
        say(throughput, grouped(Number(this.throughput(id).toPrecision(3))));
        say(lost, String(this.history.flows[id]?.drops.valueAt(this.time, 1) ?? 0));
      });
      return h("tr", {}, h("td", {}, name, h("small", {}, about)), throughput, lost);
    });
  }

  /** kbit/s delivered in the recent past. */
  private throughput(flow: number): number {
    const { delivered } = this.history.flows[flow] as History["flows"][number];
    const span = Math.min(RECENT, this.time);
    if (span <= 0) return 0;
    const bytes = (delivered.valueAt(this.time, 1) ?? 0) - (delivered.valueAt(this.time - span, 1) ?? 0);
    return (bytes * 8e6) / span;
  }

  private buildFrame(frame: Transmission): Node[] {
    const show = h("button", { type: "button", onclick: () => this.events.show(frame) }, "Show it on the air");
    const heard = frame.hearers.map((one) =>
      h("tr", {}, h("td", {}, this.nodeLink(one.node)), h("td", { class: "words" }, outcomeWords(one))),
    );
    const list = heard.length
      ? h("table", {}, h("tbody", {}, ...heard))
      : h(
          "p",
          { class: "hint" },
          "What became of it is known at its end. Nodes that only hear are recorded at low speed.",
        );
    return [
      this.head(frameTitle(frame), this.palette.accent),
      h("p", {}, show),
      h("h3", {}, "Who hears it"),
      list,
      h("h3", {}, "Fields"),
      h("dl", { class: "fields" }, ...rows(fieldsOf(frame.record))),
    ];
  }

  private nodeLink(node: number): HTMLElement {
    const open = () => this.events.choose({ kind: "node", node });
    return h("button", { type: "button", class: "link", onclick: open }, `node ${node}`);
  }

  private buildNode(node: number): Node[] {
    this.live = h("dl");
    const flows = this.history.setup.flows.flatMap((flow, id) => {
      if (flow.source !== node && flow.destination !== node) return [];
      const words = flow.source === node ? `sends to node ${flow.destination}` : `receives from node ${flow.source}`;
      const open = () => this.events.choose({ kind: "flow", flow: id });
      return [h("li", {}, h("button", { type: "button", class: "link", onclick: open }, `flow ${id}`), ` ${words}`)];
    });
    return [
      this.head(`Node ${node}`),
      this.live,
      ...(flows.length ? [h("h3", {}, "Flows"), h("ul", {}, ...flows)] : []),
    ];
  }

  private nodeFacts(node: number): [string, string][] {
    const { history, time } = this;
    const lane = history.lanes[node] as History["lanes"][number];
    const [x, y] = history.placeAt(node, time, [0, 0]);
    const nav = history.navAt(node, time);
    const backoff = history.backoffAt(node, time);
    const sent = lane.sent.until(time, startOf);
    const state = history.state?.nodes[node];
    const hops = state?.next_hop.flatMap((hop, flow) => (hop === null ? [] : [`flow ${flow}: node ${hop}`])) ?? [];
    return [
      ["doing", DOING[history.doingAt(node, time)]],
      ["NAV", nav ? `${duration(nav.end - time)} more` : "none"],
      ["queue", String(lane.queueAt(time))],
      ["back-off", backoff ? `counts, ${duration(backoff.end - time)} more` : "none"],
      ["cw", state ? `${state.cw} slots (at ${(history.stateTime / NS).toFixed(3)} s)` : "not known yet"],
      ["next hop", hops.slice(0, 6).join(", ") + (hops.length > 6 ? " ..." : "") || "none"],
      ["last frame", sent ? `${frameName(sent.frame)}, ${duration(time - sent.start)} ago` : "none"],
      ["place", `${x.toFixed(1)} m, ${y.toFixed(1)} m`],
    ];
  }

  private buildFlow(id: number): Node[] {
    const flow = this.history.setup.flows[id];
    const log = this.history.flows[id];
    if (!flow || !log) return [];
    this.live = h("dl");
    const width = Math.max(240, this.element.clientWidth - 34);
    this.plots = new FlowPlots(log, this.palette, width, () => this.time);
    return [
      this.head(flow.label ?? `Flow ${id}`, flowColour(this.palette, id)),
      h("p", { class: "hint" }, `Node ${flow.source} to node ${flow.destination}, ${flow.transport}`),
      this.live,
      this.plots.element,
    ];
  }

  private flowFacts(id: number): [string, string][] {
    const log = this.history.flows[id] as History["flows"][number];
    const { time } = this;
    const at = (series: { valueAt(time: number, column: number): number | null }, column = 1) =>
      series.valueAt(time, column);
    const cwnd = at(log.window);
    const rtt = at(log.rtt);
    const path = log.routes.until(time, (route) => route.time)?.path;
    return [
      ["throughput", rate(this.throughput(id) * 1000)],
      ["delivered", `${grouped(at(log.delivered) ?? 0)} bytes`],
      ["window", cwnd === null ? "none" : `${Number(cwnd.toFixed(2))} segments`],
      ["RTT", rtt === null ? "none" : `${Number(rtt.toPrecision(4))} ms`],
      ["timeouts", String(at(log.timeouts) ?? 0)],
      ["sent again", String(at(log.retransmissions) ?? 0)],
      ["dropped", String(at(log.drops) ?? 0)],
      ["route", path ? path.join(" → ") : "not known yet"],
    ];
  }
}

/** The preset and its rate. Modes of HT, VHT and HE have theirs by MCS: each frame shows it. */
function radioWords({ preset, data_rate_bps }: History["setup"]["radio"]): string {
  if (preset && /^(ht|vht|he)-/.test(preset)) return preset;
  return `${preset ?? "own values"}, ${rate(data_rate_bps)}`;
}

function rows(facts: [string, string][]): HTMLElement[] {
  return facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]);
}
