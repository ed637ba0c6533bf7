/** Facts in words, as tables and tooltips show them. */

import type { Rec } from "../engine/api";
import { duration, instant } from "./clock";
import type { Doing, Heard, MarkKind, Transmission } from "./facts";

/** Characters that control a terminal or turn the direction of writing: a name could pretend to be another one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A name or label of a scenario as text that hides nothing. */
export const plain = (text: string): string => text.replace(HIDDEN, "\ufffd");

export const NAMES: Record<string, string> = {
  data: "Data",
  rts: "RTS",
  cts: "CTS",
  ack: "ACK",
  "block-ack": "Block Ack",
  "block-ack-req": "Block Ack request",
  "cf-end": "CF-End",
  action: "Action",
};

export const frameName = (frame: string): string => NAMES[frame] ?? frame;

export function frameTitle(frame: Transmission): string {
  const to = frame.dst === null ? "everybody" : `node ${frame.dst}`;
  return `${frameName(frame.frame)} from node ${frame.src} to ${to}`;
}

export const OUTCOMES: Record<string, string> = {
  received: "decodes it",
  collided: "loses it: collision",
  captured: "loses it: a stronger frame took over",
  "too-weak": "loses it: too much interference",
  errored: "loses it: channel error",
  deaf: "sends itself",
  missed: "misses it: held by another frame",
  "out-of-reach": "only senses it",
};

export function outcomeWords(heard: Heard): string {
  const words =
    heard.outcome === "received" && !heard.own
      ? "decodes it, not addressed"
      : (OUTCOMES[heard.outcome] ?? heard.outcome);
  return heard.by === null ? words : `${words} (node ${heard.by})`;
}

export const DOING: Record<Doing, string> = {
  off: "off",
  sending: "sending",
  receiving: "receiving",
  overhearing: "reads a frame for others",
  sensing: "senses the medium busy",
  losing: "loses a frame",
  nav: "NAV: waits for others",
  backoff: "counts its back-off",
  idle: "idle",
};

export const MARKS: Record<MarkKind, string> = {
  drop: "Packet dropped",
  timeout: "Retransmission timeout",
  collision: "Frame lost",
  "no-answer": "No answer to a frame",
};

/** Fields that are instants, and those that are intervals: nanoseconds. */
const INSTANTS = new Set(["time", "until", "from", "nav_until", "ifs_until"]);
const SPANS = new Set(["airtime", "duration", "delay", "rtt", "latency"]);

/** The fields of a record, each in its unit. */
export function fieldsOf(record: Rec): [string, string][] {
  return Object.entries(record)
    .filter(([name]) => name !== "record")
    .map(([name, value]) => [name, fieldWords(name, value)]);
}

function fieldWords(name: string, value: unknown): string {
  if (value === null) return name === "dst" ? "everybody" : "none";
  if (typeof value === "number") {
    if (INSTANTS.has(name)) return instant(value);
    if (SPANS.has(name)) return duration(value, 7);
    if (name === "rate") return rate(value);
    return grouped(value);
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export const rate = (bps: number): string =>
  bps >= 1e6 ? `${Number((bps / 1e6).toPrecision(4))} Mbit/s` : `${Number((bps / 1e3).toPrecision(4))} kbit/s`;

/** A number with thin gaps between thousands; very large ones as powers. */
export function grouped(value: number): string {
  if (!Number.isFinite(value)) return "none";
  if (Math.abs(value) >= 1e15) return value.toExponential(3);
  const [whole, rest] = String(Number(value.toPrecision(12))).split(".");
  const parted = (whole as string).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return rest ? `${parted}.${rest}` : parted;
}
