/** The engine over the exports of `crates/hopscope-web`: texts go into its memory, JSON comes out. */

import {
  type Checked,
  EngineError,
  type EngineLike,
  type Files,
  MOST_RECORDS,
  type OpenOptions,
  type Problem,
  type Rec,
  type RunOptions,
  type Settings,
  type Setup,
  type State,
  type WorldLike,
} from "./api";

/** What the module exports (`crates/hopscope-web/src/exports.rs`). */
interface Exports {
  memory: WebAssembly.Memory;
  reserve(octets: number): number;
  answer(): number;
  answer_length(): number;
  failure(): number;
  failure_length(): number;
  version(): number;
  schema(): number;
  record_names(): number;
  check(): number;
  run(): number;
  hash(): number;
  open(): number;
  advance(world: number, until_s: number, most: number): number;
  step(world: number, frames: number): number;
  keep(world: number): number;
  state(world: number): number;
  results(world: number): number;
  free(world: number): number;
}

type Call = (exports: Exports) => number;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** One instance of the module. After a trap its memory means nothing any more, and it takes no further call. */
class Instance {
  #exports: Exports;
  #stopped: EngineError | null = null;

  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
  }

  get memory(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  get isStopped(): boolean {
    return this.#stopped !== null;
  }

  /** Calls an export with a text; its answer is JSON. */
  ask(call: Call, text = ""): unknown {
    if (this.#stopped) throw this.#stopped;
    let status: number;
    try {
      const given = encoder.encode(text);
      const at = this.#exports.reserve(given.length);
      new Uint8Array(this.#exports.memory.buffer, at >>> 0, given.length).set(given);
      status = call(this.#exports);
    } catch (error) {
      this.#stopped = this.#failure(error);
      throw this.#stopped;
    }
    const answer: unknown = JSON.parse(this.#read(this.#exports.answer(), this.#exports.answer_length()));
    if (status !== 0) throw new EngineError(answer as Problem[]);
    return answer;
  }

  #read(at: number, length: number): string {
    return decoder.decode(new Uint8Array(this.#exports.memory.buffer, at >>> 0, length >>> 0));
  }

  #failure(error: unknown): EngineError {
    if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) throw error;
    const said = this.#read(this.#exports.failure(), this.#exports.failure_length());
    return new EngineError([{ key: "", message: `the engine has stopped: ${said || error.message}` }]);
  }
}

/** The engine of a page. Every world lives in its memory; one that has stopped takes its worlds along, and begins anew. */
export class Engine implements EngineLike {
  readonly version: string;
  #module: WebAssembly.Module;
  #instance: Instance;

  private constructor(module: WebAssembly.Module) {
    this.#module = module;
    this.#instance = new Instance(module);
    this.version = this.#instance.ask((engine) => engine.version()) as string;
  }

  /** @throws EngineError where there is no WebAssembly, or where these are no octets of a module. */
  static async load(wasm: BufferSource): Promise<Engine> {
    if (typeof WebAssembly === "undefined") {
      throw new EngineError([{ key: "", message: "this browser has no WebAssembly, which the engine needs" }]);
    }
    let module: WebAssembly.Module;
    try {
      module = await WebAssembly.compile(wasm);
    } catch (error) {
      throw new EngineError([{ key: "", message: `the engine cannot be loaded: ${(error as Error).message}` }]);
    }
    return new Engine(module);
  }

  /** Octets of memory that it has taken. */
  get memory(): number {
    return this.#instance.memory;
  }

  schema(): unknown {
    return this.#ask((engine) => engine.schema());
  }

  recordNames(): string[] {
    return this.#ask((engine) => engine.record_names()) as string[];
  }

  check(text: string, set: Settings = {}, files: Files = {}): Checked {
    return this.#ask((engine) => engine.check(), JSON.stringify({ text, set, files })) as Checked;
  }

  open(text: string, options: OpenOptions = {}): World {
    const request = JSON.stringify({ text, ...options });
    const opened = this.#ask((engine) => engine.open(), request) as { world: number; setup: Setup };
    return new World(this.#instance, opened.world, opened.setup);
  }

  run(text: string, options: RunOptions = {}): unknown {
    return this.#ask((engine) => engine.run(), JSON.stringify({ text, ...options }));
  }

  hash(text: string, options: RunOptions = {}): string {
    return this.#ask((engine) => engine.hash(), JSON.stringify({ text, ...options })) as string;
  }

  #ask(call: Call, text = ""): unknown {
    if (this.#instance.isStopped) this.#instance = new Instance(this.#module);
    return this.#instance.ask(call, text);
  }
}

/** A run under way. */
export class World implements WorldLike {
  readonly setup: Setup;
  #instance: Instance;
  #number: number;
  #now_s = 0;
  #over = false;

  constructor(instance: Instance, number: number, setup: Setup) {
    this.#instance = instance;
    this.#number = number;
    this.setup = setup;
  }

  get now_s(): number {
    return this.#now_s;
  }

  get over(): boolean {
    return this.#over;
  }

  advance(until_s: number, most: number = MOST_RECORDS): Rec[] {
    return this.#go((engine) => engine.advance(this.#number, until_s, most));
  }

  step(frames: number): Rec[] {
    return this.#go((engine) => engine.step(this.#number, frames));
  }

  keep(records: boolean | string[]): void {
    this.#instance.ask((engine) => engine.keep(this.#number), JSON.stringify(records));
  }

  state(): State {
    return this.#instance.ask((engine) => engine.state(this.#number)) as State;
  }

  results(): unknown {
    return this.#instance.ask((engine) => engine.results(this.#number));
  }

  free(): void {
    this.#instance.ask((engine) => engine.free(this.#number));
  }

  #go(call: Call): Rec[] {
    const found = this.#instance.ask(call) as { now_s: number; over: boolean; records: Rec[] };
    this.#now_s = found.now_s;
    this.#over = found.over;
    return found.records;
  }
}
