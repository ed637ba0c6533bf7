/** What the view needs of an engine in a worker: the engine's own methods, answered later. */

import type { Checked, OpenOptions, Rec, RunOptions, Settings, Setup, State } from "../engine/api";

export interface AsyncWorld {
  readonly setup: Setup;
  readonly now_s: number;
  readonly over: boolean;
  /** It goes at the pace of the clock, whatever is asked. */
  readonly isLive?: boolean;
  /** Part of a live run has been missed. */
  readonly lost?: boolean;
  advance(until_s: number, most?: number): Promise<Rec[]>;
  step(frames: number): Promise<Rec[]>;
  keep(records: boolean | string[]): Promise<void>;
  state(): Promise<State>;
  free(): Promise<void> | void;
}

export interface AsyncEngine {
  schema(): Promise<unknown>;
  /** `files`: texts of the files that the scenario names, by their names as it writes them. */
  check(text: string, set?: Settings, files?: Record<string, string>): Promise<Checked>;
  open(text: string, options?: OpenOptions): Promise<AsyncWorld>;
  run(text: string, options?: RunOptions): Promise<unknown>;
}

/** Records of who only hears a frame, most of all records by far, and of waits of microseconds. */
export const FINE = ["Busy", "FrameOverheard", "AccessGranted", "AttemptFailed", "ExchangeEnded", "Offered"];

/** Records that the view draws; others would be copied for nothing. */
export const WANTED = [
  "FrameBegan",
  "FrameEnded",
  "ResponseTimeout",
  "Queued",
  "Dequeued",
  "Dropped",
  "Power",
  "Moved",
  "LinkChanged",
  "SetOut",
  "SegmentSent",
  "SegmentReceived",
  "Delivered",
  "Window",
  "Rtt",
  "TimerExpired",
  "WireBegan",
  "WireEnded",
];
