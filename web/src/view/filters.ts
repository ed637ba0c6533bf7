/** What the viewer wants to see. */

import type { Mark, MarkKind, Transmission } from "./facts";
import { FRAME_GROUPS, type FrameGroup, groupOf } from "./palette";

export type Layer = "ranges" | "hearing" | "nav" | "routes" | "queues" | "labels";
export const LAYERS: readonly Layer[] = ["ranges", "hearing", "nav", "routes", "queues", "labels"];
export const LAYER_WORDS: Record<Layer, string> = {
  ranges: "ranges",
  hearing: "who only hears",
  nav: "NAV and back-off",
  routes: "routes of flows",
  queues: "queues",
  labels: "numbers of nodes",
};

export class Filters {
  /** Nodes to show; null: all. */
  nodes: Set<number> | null = null;
  readonly hiddenFlows = new Set<number>();
  readonly groups = new Set<FrameGroup>(FRAME_GROUPS);
  readonly layers = new Set<Layer>(LAYERS);

  showsNode(node: number): boolean {
    return this.nodes === null || this.nodes.has(node);
  }

  showsFlow(flow: number | null): boolean {
    return flow === null || !this.hiddenFlows.has(flow);
  }

  showsFrame(frame: Transmission): boolean {
    return (
      this.groups.has(groupOf(frame.frame, frame.packetKind)) &&
      this.showsFlow(frame.flow) &&
      (this.nodes === null || this.nodes.has(frame.src) || (frame.dst !== null && this.nodes.has(frame.dst)))
    );
  }

  showsMark(mark: Mark, kind: MarkKind | "any"): boolean {
    const wanted = kind === "any" ? mark.kind !== "no-answer" : mark.kind === kind;
    return wanted && this.showsFlow(mark.flow) && (mark.node < 0 || this.showsNode(mark.node));
  }
}

/**
 * Reads a list of nodes such as `0-3, 7`.
 *
 * @returns The nodes; null for an empty text: all.
 * @throws Error in words where a part is no number or there is no such node.
 */
export function readNodes(text: string, count: number): Set<number> | null {
  if (!text.trim()) return null;
  const found = new Set<number>();
  for (const part of text.split(/[\s,]+/).filter(Boolean)) {
    const match = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part);
    if (!match) throw new Error(`"${part}" is no node: write numbers such as 0-3, 7.`);
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    if (first > last || last >= count) throw new Error(`${part}: the nodes are 0 to ${count - 1}.`);
    for (let node = first; node <= last; node++) found.add(node);
  }
  return found;
}
