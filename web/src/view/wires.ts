/** Packets on wires. Where a wire leads is learned from the first packet that comes out of it. */

import type { Rec } from "../engine/api";
import { startOf } from "./facts";
import { Ring } from "./ring";

/** A packet on its way through a wire. */
export interface Trip {
  start: number;
  end: number;
  from: number;
  to: number;
  flow: number | null;
}

interface Wire {
  to: number;
  /** From its last bit leaving to its arrival, ns. */
  delay: number;
}

interface Begun {
  key: string;
  until: number;
}

const MOST_TRIPS = 4000;
/** Packets that a wire has lost never come out: more than so many that are under way are forgotten. */
const MOST_BEGUN = 2000;

export class Wires {
  readonly trips = new Ring<Trip>(MOST_TRIPS);
  /** Ends of wires that are known: pairs of nodes. */
  readonly ends: [number, number][] = [];
  private longest = 0;
  private readonly wires = new Map<string, Wire>();
  private readonly begun = new Map<string, Begun>();

  take(rec: Rec): void {
    if (rec.record === "WireBegan") this.began(rec);
    else if (rec.record === "WireEnded") this.ended(rec);
  }

  /** Calls for each packet that is on a wire at an instant. */
  under(time: number, each: (trip: Trip) => void): void {
    for (let at = this.trips.after(time - this.longest, startOf); at < this.trips.length; at++) {
      const trip = this.trips.at(at);
      if (trip.start > time) return;
      if (trip.end > time) each(trip);
    }
  }

  private began(rec: Rec): void {
    const key = `${rec.node}.${rec.via}`;
    const until = Number(rec.until);
    const wire = this.wires.get(key);
    if (wire) {
      const end = until + wire.delay;
      const flow = typeof rec.flow === "number" ? rec.flow : null;
      this.longest = Math.max(this.longest, end - rec.time);
      this.trips.push({ start: rec.time, end, from: Number(rec.node), to: wire.to, flow });
      return;
    }
    if (this.begun.size >= MOST_BEGUN) this.begun.clear();
    this.begun.set(`${rec.node} ${rec.packet}`, { key, until });
  }

  private ended(rec: Rec): void {
    const packet = `${rec.from} ${rec.packet}`;
    const begun = this.begun.get(packet);
    if (!begun) return;
    this.begun.delete(packet);
    const [from, to] = [Number(rec.from), Number(rec.node)];
    this.wires.set(begun.key, { to, delay: rec.time - begun.until });
    if (!this.ends.some(([a, b]) => (a === from && b === to) || (a === to && b === from))) this.ends.push([from, to]);
  }
}
