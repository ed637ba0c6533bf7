/** The page's half of an engine in a worker: the same methods as `Engine` and `World`, each with a promise. */

import {
  type Checked,
  EngineError,
  type Files,
  MOST_RECORDS,
  type OpenOptions,
  type Rec,
  type RunOptions,
  type Settings,
  type Setup,
  type State,
} from "./api";
import type { Ask, Opened, Progress, Request, Response } from "./protocol";

/** The page's side of the channel: a `Worker`, or a `MessagePort`. */
export interface Port {
  postMessage(message: Request): void;
  addEventListener(type: "message", listener: (event: { data: Response }) => void): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** An engine whose calls do not hold up the page. Calls are answered in their order. */
export class RemoteEngine {
  #port: Port;
  #waiting = new Map<number, Waiting>();
  #asked = 0;
  #version = "";

  private constructor(port: Port) {
    this.#port = port;
    port.addEventListener("message", ({ data }) => this.#settle(data));
  }

  /** Loads the engine in a worker that runs `serve(self)`. */
  static async load(port: Port, wasm: BufferSource): Promise<RemoteEngine> {
    const engine = new RemoteEngine(port);
    engine.#version = (await engine.ask({ do: "load", wasm })) as string;
    return engine;
  }

  get version(): string {
    return this.#version;
  }

  schema(): Promise<unknown> {
    return this.ask({ do: "schema" });
  }

  async recordNames(): Promise<string[]> {
    return (await this.ask({ do: "recordNames" })) as string[];
  }

  async check(text: string, set: Settings = {}, files: Files = {}): Promise<Checked> {
    return (await this.ask({ do: "check", text, set, files })) as Checked;
  }

  async open(text: string, options: OpenOptions = {}): Promise<RemoteWorld> {
    const { world, setup } = (await this.ask({ do: "open", text, options })) as Opened;
    return new RemoteWorld(this, world, setup);
  }

  run(text: string, options: RunOptions = {}): Promise<unknown> {
    return this.ask({ do: "run", text, options });
  }

  async hash(text: string, options: RunOptions = {}): Promise<string> {
    return (await this.ask({ do: "hash", text, options })) as string;
  }

  ask(ask: Ask): Promise<unknown> {
    this.#asked += 1;
    const number = this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#port.postMessage({ ...ask, number });
    });
  }

  #settle(response: Response): void {
    const waiting = this.#waiting.get(response.number);
    if (!waiting) return;
    this.#waiting.delete(response.number);
    if ("value" in response) waiting.resolve(response.value);
    else if ("problems" in response) waiting.reject(new EngineError(response.problems));
    else waiting.reject(new Error(response.error));
  }
}

/** A run under way in a worker. `now_s` and `over` are as of the last answer. */
export class RemoteWorld {
  readonly setup: Setup;
  #engine: RemoteEngine;
  #world: number;
  #now_s = 0;
  #over = false;

  constructor(engine: RemoteEngine, world: number, setup: Setup) {
    this.#engine = engine;
    this.#world = world;
    this.setup = setup;
  }

  get now_s(): number {
    return this.#now_s;
  }

  get over(): boolean {
    return this.#over;
  }

  advance(until_s: number, most: number = MOST_RECORDS): Promise<Rec[]> {
    return this.#go({ do: "advance", world: this.#world, until_s, most });
  }

  step(frames: number): Promise<Rec[]> {
    return this.#go({ do: "step", world: this.#world, frames });
  }

  async keep(records: boolean | string[]): Promise<void> {
    await this.#engine.ask({ do: "keep", world: this.#world, records });
  }

  async state(): Promise<State> {
    return (await this.#engine.ask({ do: "state", world: this.#world })) as State;
  }

  results(): Promise<unknown> {
    return this.#engine.ask({ do: "results", world: this.#world });
  }

  async free(): Promise<void> {
    await this.#engine.ask({ do: "free", world: this.#world });
  }

  async #go(ask: Ask): Promise<Rec[]> {
    const found = (await this.#engine.ask(ask)) as Progress;
    this.#now_s = found.now_s;
    this.#over = found.over;
    return found.records;
  }
}
