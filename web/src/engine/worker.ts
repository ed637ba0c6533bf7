/**
 * The engine in a worker, off the main thread. A worker's own script calls `serve(self)`; the page has the other half in
 * `remote.ts`.
 */

import { EngineError } from "./api";
import { Engine, type World } from "./engine";
import type { Ask, Opened, Progress, Request, Response } from "./protocol";

/** The worker's side of its channel: `self` in a worker. */
export interface Channel {
  postMessage(message: Response): void;
  addEventListener(type: "message", listener: (event: { data: Request }) => void): void;
}

/** Answers every request that comes over a channel, in their order. */
export function serve(channel: Channel): void {
  const host = new Host();
  let before: Promise<void> = Promise.resolve();
  channel.addEventListener("message", ({ data }) => {
    before = before.then(async () => channel.postMessage({ number: data.number, ...(await host.answer(data)) }));
  });
}

type Answer = { value: unknown } | { problems: EngineError["problems"] } | { error: string };

class Host {
  #engine: Engine | null = null;
  #worlds = new Map<number, World>();
  #opened = 0;

  async answer(ask: Ask): Promise<Answer> {
    try {
      return { value: await this.#do(ask) };
    } catch (error) {
      return error instanceof EngineError ? { problems: error.problems } : { error: String(error) };
    }
  }

  async #do(ask: Ask): Promise<unknown> {
    if (ask.do === "load") {
      this.#engine = await Engine.load(ask.wasm);
      return this.#engine.version;
    }
    const engine = this.#engine;
    if (!engine) throw new Error("the engine has not been loaded");
    switch (ask.do) {
      case "schema":
        return engine.schema();
      case "recordNames":
        return engine.recordNames();
      case "check":
        return engine.check(ask.text, ask.set, ask.files);
      case "run":
        return engine.run(ask.text, ask.options);
      case "hash":
        return engine.hash(ask.text, ask.options);
      case "open": {
        const world = engine.open(ask.text, ask.options);
        this.#opened += 1;
        this.#worlds.set(this.#opened, world);
        return { world: this.#opened, setup: world.setup } satisfies Opened;
      }
    }
    const world = this.#worlds.get(ask.world);
    if (!world) throw new EngineError([{ key: "", message: "this run has been freed" }]);
    switch (ask.do) {
      case "advance":
        return progress(world, world.advance(ask.until_s, ask.most));
      case "step":
        return progress(world, world.step(ask.frames));
      case "keep":
        return world.keep(ask.records);
      case "state":
        return world.state();
      case "results":
        return world.results();
      case "free":
        this.#worlds.delete(ask.world);
        return world.free();
    }
  }
}

function progress(world: World, records: Progress["records"]): Progress {
  return { now_s: world.now_s, over: world.over, records };
}
