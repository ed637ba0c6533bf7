/**
 * A run that lives, in the place of an engine of the page: it goes at the pace of the clock, and the page learns of it by asking the
 * server of the run again and again. `crates/hopscope-page` makes the answers, `python/hopscope/live/watching.py` serves them.
 */

import type { Rec, Setup, State } from "./api";

/** What the server says to a question (`Answer` of `crates/hopscope-page`). */
export interface LiveAnswer {
  now_s: number;
  over: boolean;
  /** What to ask for the next time. */
  next: number;
  /** Records are missing between the answer before and this one. */
  lost: boolean;
  state: State;
  /** Links over which less comes than at the beginning: both ends, and the part that does. */
  links: [number, number, number][];
  records: Rec[];
}

/** Asks the server; the address goes behind that of the page. It answers after a while, which sets the pace of the questions. */
export type Ask = (address: string) => Promise<LiveAnswer>;

const fetched: Ask = async (address) => {
  const response = await fetch(address, { cache: "no-store" });
  if (!response.ok) throw new Error(`the run says ${response.status}`);
  return (await response.json()) as LiveAnswer;
};

/** A run under way elsewhere: `WorldLike` with promises, but it goes on by itself. */
export class LiveWorld {
  readonly isLive = true;
  readonly setup: Setup;
  #ask: Ask;
  #names: string;
  #next: number;
  #now_s: number;
  #over: boolean;
  #lost = false;
  #state: State;
  /** What stands at the beginning and no record says. */
  #first: Rec[];
  /** Nodes of whose ways records have spoken. */
  #told = new Set<number>();

  private constructor(setup: Setup, names: string, first: LiveAnswer, ask: Ask) {
    const places = first.state.nodes.map(({ x, y }): [number, number] => [x, y]);
    this.setup = { ...setup, nodes: places };
    this.#ask = ask;
    this.#names = names;
    this.#next = first.next;
    this.#now_s = first.now_s;
    this.#over = first.over;
    this.#state = first.state;
    this.#first = [
      ...first.state.nodes.flatMap(({ up }, node) => (up ? [] : [this.#said("Power", node, { on: false })])),
      ...first.links.map(([node, peer, part]) => this.#said("LinkChanged", node, { peer, part })),
    ];
  }

  /** Joins a run: its records come from now on. */
  static async join(setup: Setup, records: readonly string[], ask: Ask = fetched): Promise<LiveWorld> {
    const names = `names=${records.join(",")}`;
    return new LiveWorld(setup, names, await ask(`records?${names}`), ask);
  }

  get now_s(): number {
    return this.#now_s;
  }

  /** It has ended, or its server has. */
  get over(): boolean {
    return this.#over;
  }

  /** Some of it is missing, as nobody asked in time: what a page has drawn does not go with what comes. */
  get lost(): boolean {
    return this.#lost;
  }

  /** What has happened since the last call: the run itself says how far it goes. */
  async advance(): Promise<Rec[]> {
    let answer: LiveAnswer;
    try {
      answer = await this.#ask(`records?after=${this.#next}&${this.#names}`);
    } catch {
      // The command has ended, and with it its server.
      this.#over = true;
      return [];
    }
    this.#next = answer.next;
    this.#now_s = answer.now_s;
    this.#over = answer.over;
    this.#lost ||= answer.lost;
    const records = [...this.#first, ...answer.records, ...this.#moves(answer)];
    this.#first = [];
    this.#state = answer.state;
    return records;
  }

  step(): Promise<Rec[]> {
    return this.advance();
  }

  /** The state as of the last answer. */
  async state(): Promise<State> {
    return this.#state;
  }

  async keep(): Promise<void> {}

  async free(): Promise<void> {}

  /** Of a node that was on its way when the page joined, the state alone says where it is. */
  #moves(answer: LiveAnswer): Rec[] {
    for (const { record, node } of answer.records) {
      if ((record === "SetOut" || record === "Moved") && typeof node === "number") this.#told.add(node);
    }
    return answer.state.nodes.flatMap(({ x, y }, node) => {
      const before = this.#state.nodes[node];
      const stays = this.#told.has(node) || (before?.x === x && before.y === y);
      return stays ? [] : [this.#said("Moved", node, { x, y })];
    });
  }

  #said(record: string, node: number, fields: object): Rec {
    return { time: Math.round(this.#now_s * 1e9), record, node, ...fields };
  }
}
