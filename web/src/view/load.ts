/** What a page carries: the engine, and the scenario that it shows. Nothing is fetched. */

import { type Port, RemoteEngine, type Setup } from "../engine";
import { plain } from "./words";
import EngineWorker from "./worker?worker&inline";

/** A scenario as `hopscope watch` writes it into a page. All of it is data. */
export interface Given {
  name: string;
  text: string;
  set: Record<string, unknown>;
  seed: number | undefined;
  command: string;
  files: Record<string, string> | undefined;
  /** The page is that of a run that lives, and has no engine of its own. */
  live: LiveGiven | undefined;
}

/** What stands of a live run, and whether it also tells who only hears a frame. */
export interface LiveGiven {
  setup: Setup;
  hears: boolean;
}

/** A larger text could not be edited or checked while one types; a default, in characters. */
export const MOST_TEXT = 4_000_000;
/** A page has less memory than a process; a default, in octets. */
export const MOST_MEMORY = 1.5e9;

/** A sentence for the viewer, with what to do about it. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly command: string | null = null,
  ) {
    super(message);
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads the scenario of a page; a page without one has null. */
export function readGiven(text: string): Given | null {
  if (!text.trim()) return null;
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Refusal("The scenario of this page cannot be read. Write the page again with hopscope watch.");
  }
  if (!isRecord(read) || typeof read.text !== "string") {
    throw new Refusal("This page holds no scenario. Write the page again with hopscope watch.");
  }
  return {
    name: typeof read.name === "string" ? plain(read.name) : "scenario",
    text: read.text,
    set: isRecord(read.set) ? read.set : {},
    seed: typeof read.seed === "number" ? read.seed : undefined,
    command: typeof read.command === "string" ? read.command : "hopscope run FILE",
    files: isRecord(read.files) ? (read.files as Record<string, string>) : undefined,
    live: isRecord(read.live) ? (read.live as unknown as LiveGiven) : undefined,
  };
}

/** Octets of the gzipped base64 text in a page. */
export async function unpack(base64: string): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

let octets: Promise<ArrayBuffer> | null = null;

/** Starts another engine of this page, in a worker of its own. */
export async function startEngine(): Promise<RemoteEngine> {
  if (typeof WebAssembly !== "object") {
    throw new Refusal("This browser has no WebAssembly, which the engine needs. Use another browser, or the command.");
  }
  const base64 = document.getElementById("hopscope-engine")?.textContent ?? "";
  if (!base64.trim()) throw new Refusal("This page was built without the engine. Build it again with make web.");
  octets ??= unpack(base64).catch(() => {
    throw new Refusal("The engine of this page is damaged. Write the page again.");
  });
  const wasm = await octets;
  const worker = new EngineWorker();
  return RemoteEngine.load(worker as unknown as Port, wasm);
}
