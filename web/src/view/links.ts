/** Links that were cut, or that lose power, by a change of the run. */

import type { Rec } from "../engine/api";
import { type Step, timeOf } from "./facts";
import { Ring } from "./ring";

/** So many changes of a link are kept; a default. */
const MOST_CHANGES = 64;

interface Link {
  ends: readonly [number, number];
  /** Part of the power that still comes over. */
  parts: Ring<Step>;
}

export class Links {
  private readonly links = new Map<string, Link>();

  take(rec: Rec): void {
    if (rec.record !== "LinkChanged") return;
    const ends = [Number(rec.node), Number(rec.peer)].sort((a, b) => a - b) as [number, number];
    const link = this.links.get(ends.join(" ")) ?? { ends, parts: new Ring<Step>(MOST_CHANGES) };
    this.links.set(ends.join(" "), link);
    link.parts.push({ time: rec.time, value: Number(rec.part) });
  }

  /** Calls for each link over which less comes at an instant than at the beginning. */
  worse(time: number, each: (ends: readonly [number, number], part: number) => void): void {
    for (const { ends, parts } of this.links.values()) {
      const part = parts.until(time, timeOf)?.value ?? 1;
      if (part < 1) each(ends, part);
    }
  }
}
