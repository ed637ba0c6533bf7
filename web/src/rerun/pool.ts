/** Runs in workers, as many at a time as the machine has cores. */

import type { RemoteEngine } from "../engine";
import type { Job, Row } from "./plan";

/** What a worker is to this file: a port of the engine that can be ended. */
export interface Worker {
  engine: Promise<Pick<RemoteEngine, "run">>;
  end(): void;
}

export interface Watcher {
  done(job: Job, result: unknown): void;
  failed(job: Job, error: Error): void;
}

/** Workers that wait for runs. A run cannot be interrupted: to stop is to end the workers. */
export class Pool {
  readonly size: number;
  #make: () => Worker;
  #workers: Worker[] = [];
  #round = 0;

  constructor(size: number, make: () => Worker) {
    this.size = Math.max(1, size);
    this.#make = make;
  }

  /** Does runs in their order; resolves once all are done, one has failed, or the round was stopped. */
  async run(
    jobs: readonly Job[],
    rows: readonly Row[],
    files: Record<string, string>,
    watcher: Watcher,
  ): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    const waiting = [...jobs];
    while (this.#workers.length < Math.min(this.size, jobs.length)) this.#workers.push(this.#make());
    const one = async (worker: Worker): Promise<void> => {
      const isStopped = (): boolean => round !== this.#round;
      for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
        const { text, set } = rows[job.row] as Row;
        try {
          const engine = await worker.engine;
          if (isStopped()) return;
          const result = await engine.run(text, { seed: job.seed, set, files });
          if (isStopped()) return;
          watcher.done(job, result);
        } catch (error) {
          if (isStopped()) return;
          waiting.length = 0;
          watcher.failed(job, error as Error);
        }
      }
    };
    await Promise.race([Promise.all(this.#workers.map(one)), this.#stopped(round)]);
  }

  /** Ends what is under way. */
  stop(): void {
    this.#round += 1;
    for (const worker of this.#workers) worker.end();
    this.#workers = [];
    for (const stop of this.#listeners) stop();
    this.#listeners = [];
  }

  #listeners: (() => void)[] = [];

  #stopped(round: number): Promise<void> {
    return new Promise((resolve) => {
      if (round !== this.#round) resolve();
      else this.#listeners.push(resolve);
    });
  }
}
