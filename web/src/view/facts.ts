/** What the view knows of a run, in the form in which it is drawn. All times are nanoseconds of simulated time. */

import type { Rec } from "../engine/api";

/** A frame on the air. */
export interface Transmission {
  /** Its number in this view, from 0 in order of time. */
  id: number;
  start: number;
  end: number;
  src: number;
  /** null: everybody. */
  dst: number | null;
  /** "data", "rts", "cts", "ack" ... */
  frame: string;
  flow: number | null;
  retry: boolean;
  /** What its packet is, such as "tcp" or "rreq". */
  packetKind: string | null;
  hearers: Heard[];
  /** The record that it began with. */
  record: Rec;
}

/** A frame as one node hears it. */
export interface Heard {
  frame: Transmission;
  node: number;
  start: number;
  end: number;
  /** "received", "collided", "out-of-reach" ... */
  outcome: string;
  /** The node whose frame was at fault. */
  by: number | null;
  /** It was addressed to this node, and near enough to be decoded. */
  own: boolean;
}

/** A part of the time of one node: its NAV, or counted back-off slots. */
export interface Span {
  start: number;
  end: number;
}

/** A way of a node from one place to another; at rest both are the same. */
export interface Way {
  start: number;
  end: number;
  from: readonly [number, number];
  to: readonly [number, number];
}

export interface Step {
  time: number;
  value: number;
}

export interface Route {
  time: number;
  path: number[];
}

export type MarkKind = "drop" | "timeout" | "collision" | "no-answer";

/** An instant worth jumping to. */
export interface Mark {
  kind: MarkKind;
  time: number;
  node: number;
  flow: number | null;
  /** A reason, or the node at fault, in words. */
  about: string;
  frame: Transmission | null;
}

/** What a node does at an instant. */
export type Doing = "off" | "sending" | "receiving" | "overhearing" | "sensing" | "losing" | "nav" | "backoff" | "idle";

export const NS = 1e9;
export const startOf = (of: { start: number }): number => of.start;
export const timeOf = (of: { time: number }): number => of.time;
