/** The table of results: throughput, loss and delay of each flow, over as many seeds as the viewer asks for. */

import { h, say } from "../view/dom";
import type { AsyncEngine } from "../view/remote";
import { estimate, words } from "./statistics";
import { readKey } from "./toml";

/** What this table takes from the results of a run. */
interface Run {
  flows: {
    id: number;
    from: number;
    to: number;
    transport: string;
    label?: string | null;
    [metric: string]: unknown;
  }[];
  network: Record<string, unknown>;
}

const COLUMNS: [string, string][] = [
  ["throughput_kbps", "kbit/s"],
  ["loss_pct", "loss, %"],
  ["delay_ms", "delay, ms"],
];

export class Results {
  readonly element: HTMLElement;
  private readonly seeds = h("input", { type: "number", min: 1, max: 100, value: 5, "aria-label": "Seeds" });
  private readonly start = h("button", { type: "button", class: "primary", onclick: () => void this.toggle() }, "Run");
  private readonly status = h("p", { class: "hint", role: "status" });
  private readonly table = h("div", { class: "results-table" });
  private runs: Run[] = [];
  private isRunning = false;
  /** Changes with each scenario: answers for another one come too late. */
  private round = 0;

  constructor(
    private readonly engine: () => Promise<AsyncEngine>,
    private readonly text: () => string,
  ) {
    this.element = h(
      "div",
      { class: "results" },
      h("div", { class: "row" }, this.start, h("label", {}, this.seeds, " seeds")),
      this.status,
      this.table,
    );
    this.reset();
  }

  /** The scenario has changed: numbers of the other one would deceive. */
  reset(): void {
    this.round++;
    this.runs = [];
    this.isRunning = false;
    say(this.start, "Run");
    say(this.status, "Runs the whole scenario for each seed, in the background. Intervals are 95 %.");
    this.table.replaceChildren();
  }

  private async toggle(): Promise<void> {
    if (this.isRunning) {
      this.isRunning = false;
      return;
    }
    const wanted = Math.min(100, Math.max(1, Math.round(Number(this.seeds.value)) || 1));
    const round = ++this.round;
    const text = this.text();
    const first = Number(readKey(text, "seed") ?? 1);
    this.runs = [];
    this.isRunning = true;
    say(this.start, "Stop");
    try {
      const engine = await this.engine();
      for (let at = 0; at < wanted && this.isRunning && round === this.round; at++) {
        say(this.status, `Seed ${first + at}, ${at + 1} of ${wanted} ...`);
        const run = (await engine.run(text, { seed: first + at })) as Run;
        if (round !== this.round) return;
        this.runs.push(run);
        this.show();
      }
      say(
        this.status,
        `${this.runs.length} ${this.runs.length === 1 ? "seed" : "seeds"} from ${first} on; intervals are 95 %.`,
      );
    } catch (error) {
      if (round === this.round) say(this.status, error instanceof Error ? error.message : String(error));
    }
    if (round !== this.round) return;
    this.isRunning = false;
    say(this.start, "Run");
  }

  private show(): void {
    const flows = this.runs[0]?.flows ?? [];
    const head = h("tr", {}, h("th", {}, "flow"), ...COLUMNS.map(([, words]) => h("th", {}, words)));
    const rows = flows.map((flow, at) => {
      const cells = COLUMNS.map(([metric]) => {
        const values = this.runs.map((run) => run.flows[at]?.[metric] as number | null | undefined);
        return h("td", {}, words(estimate(values)));
      });
      const name = flow.label ?? `${flow.from} → ${flow.to}`;
      return h("tr", {}, h("td", {}, name, h("small", {}, flow.transport)), ...cells);
    });
    const all = words(estimate(this.runs.map((run) => run.network.aggregate_kbps as number)));
    const fair = words(estimate(this.runs.map((run) => run.network.jain as number)));
    const foot = h("tr", {}, h("td", {}, "all"), h("td", {}, all), h("td", { colspan: 2 }, `Jain ${fair}`));
    this.table.replaceChildren(
      h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows), flows.length > 1 ? h("tfoot", {}, foot) : null),
    );
  }
}
