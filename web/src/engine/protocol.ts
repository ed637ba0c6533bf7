/** What a page and the worker that runs its engine say to each other. Each request has one answer of its number. */

import type { Files, OpenOptions, Problem, Rec, RunOptions, Settings, Setup } from "./api";

export type Ask =
  | { do: "load"; wasm: BufferSource }
  | { do: "schema" }
  | { do: "recordNames" }
  | { do: "check"; text: string; set: Settings; files: Files }
  | { do: "open"; text: string; options: OpenOptions }
  | { do: "run"; text: string; options: RunOptions }
  | { do: "hash"; text: string; options: RunOptions }
  | { do: "advance"; world: number; until_s: number; most: number }
  | { do: "step"; world: number; frames: number }
  | { do: "keep"; world: number; records: boolean | string[] }
  | { do: "state"; world: number }
  | { do: "results"; world: number }
  | { do: "free"; world: number };

export type Request = Ask & { number: number };

export type Response = { number: number } & (
  | { value: unknown }
  /** What the engine has refused. */
  | { problems: Problem[] }
  /** A fault of this code. */
  | { error: string }
);

export interface Opened {
  world: number;
  setup: Setup;
}

/** How far a world has come, and the records on the way. */
export interface Progress {
  now_s: number;
  over: boolean;
  records: Rec[];
}
