/** What a page may ask of the engine. The engine itself is WebAssembly and knows neither the page nor a clock. */

/** Something that is wrong with a scenario, in the words of `hopscope check`. */
export interface Problem {
  /** Dotted key at fault; empty where it is the text as a whole. */
  key: string;
  message: string;
  /** Line and column in the text, from 1; left out where the key does not stand in it. */
  line?: number;
  column?: number;
}

/** Something that is allowed but hardly meant. */
export interface Warning {
  /** What it is about, such as `ranges`. */
  about: string;
  message: string;
}

/** Rough cost of a run, before it is started. */
export interface Cost {
  events: number;
  /** CPU seconds of the native engine; WebAssembly takes somewhat longer. */
  wall_s: number;
  memory_bytes: number;
}

/** What `hopscope check` says of a scenario. */
export interface Checked {
  problems: Problem[];
  warnings: Warning[];
  /** Null where there are problems. */
  cost: Cost | null;
  /** Why a page cannot run it (own Python code, a file of the disk), with the command that does; else null. */
  elsewhere: string | null;
}

/** One flow of the engine, as it is configured. */
export interface FlowSetup {
  source: number;
  destination: number;
  transport: string;
  start_s: number;
  label: string | null;
}

/** What stands before the run begins. */
export interface Setup {
  seed: number;
  duration_s: number;
  warmup_s: number;
  /** Positions in metres, by the number of the node. */
  nodes: [number, number][];
  flows: FlowSetup[];
  radio: { range_m: number; cs_range_m: number | null; data_rate_bps: number; preset: string | null };
  /** The routing protocol; `static` where routes are fixed. */
  routing: string;
  /** Whether nodes move. */
  mobility: boolean;
}

/** What the 802.11 interface of a node does now. */
export type Doing = "off" | "transmitting" | "receiving" | "answering" | "waiting" | "contending" | "idle";

/** A node as it stands now. */
export interface NodeState {
  x: number;
  y: number;
  /** Its radio is on. */
  up: boolean;
  /** Packets that wait in its interface queue, without the one that the MAC has in hand. */
  queue: number;
  /** End of its network allocation vector; not later than now where it has none. */
  nav_until_s: number;
  /** Contention window, slots; of a QoS station that of best effort. */
  cw: number;
  /** Slots of back-off that are left; null where none runs. Of a QoS station that of best effort. */
  backoff_slots: number | null;
  /** Answering: it owes a CTS or an ACK; waiting: for an answer; contending: it has a packet and wants the medium. */
  doing: Doing;
  /** The neighbour that gets its packets, by the number of the flow; null where it knows none. */
  next_hop: (number | null)[];
}

/** A flow as it stands now. What its transport does not have is null. */
export interface FlowState {
  /** Congestion window, slow-start threshold, and what is sent and not acknowledged: segments. */
  cwnd: number | null;
  ssthresh: number | null;
  flight: number | null;
  /** Smoothed round-trip time. */
  srtt_ms: number | null;
  /** Data packets that have come to the receiver since the start of the run, each once. */
  received_packets: number;
  /** Payload bytes acknowledged so far. */
  acked: number | null;
}

export interface State {
  nodes: NodeState[];
  flows: FlowState[];
}

/**
 * One record, exactly as `hopscope trace --json` writes it: `time` and all instants and spans are nanoseconds. A node
 * that is null is everybody (broadcast). docs/reference/trace has the fields of each.
 */
export interface Rec {
  time: number;
  record: string;
  node?: number | null;
  [field: string]: unknown;
}

/** Dotted keys with values, as `--set` takes them. A text is a text, also where `--set` would read TOML in it. */
export type Settings = Record<string, unknown>;

/** Text of files that a scenario names, by their names as it writes them: unpacked, with `\n` as line ends. */
export type Files = Record<string, string>;

export interface RunOptions {
  /** Seed of the run; without it that of the scenario, or 1. */
  seed?: number;
  set?: Settings;
  /** One that is not here cannot be read. */
  files?: Files;
}

export interface OpenOptions extends RunOptions {
  /** Which records the world keeps for `advance` and `step`: all (the default), none, or those of these names. */
  records?: boolean | string[];
}

/** So many records end a call of `advance` where it says no other number. */
export const MOST_RECORDS = 50_000;

/** The engine refused: the problems say why. */
export class EngineError extends Error {
  readonly problems: Problem[];
  constructor(problems: Problem[]) {
    super(problems.map(({ key, message }) => (key ? `${key}: ${message}` : message)).join("\n"));
    this.name = "EngineError";
    this.problems = problems;
  }
}

export interface EngineLike {
  /** Version of the package that this engine belongs to. */
  readonly version: string;
  /** JSON Schema of scenario files. */
  schema(): unknown;
  /** Names of all records. */
  recordNames(): string[];
  check(text: string, set?: Settings, files?: Files): Checked;
  /** @throws EngineError where the scenario cannot be run here. */
  open(text: string, options?: OpenOptions): WorldLike;
  /** Runs to the end: the results as a store keeps them, without wall time. */
  run(text: string, options?: RunOptions): unknown;
  /** Hash of every frame of the run, 16 hexadecimal digits: that of the native engine. */
  hash(text: string, options?: RunOptions): string;
}

export interface WorldLike {
  readonly setup: Setup;
  readonly now_s: number;
  readonly over: boolean;
  /** Goes on to an instant; ends early, with `now_s` before it, once `most` records lie there. */
  advance(until_s: number, most?: number): Rec[];
  /** Goes on until the next `frames` frames have begun, or to the end. */
  step(frames: number): Rec[];
  /** Which records are kept from now on. */
  keep(records: boolean | string[]): void;
  state(): State;
  /** Results from the end of the warm-up to now, as `run` gives them; `engine.events` counts those of the observer as well. */
  results(): unknown;
  /** Gives its memory back; it must not be used any more. */
  free(): void;
}
