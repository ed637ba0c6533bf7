/**
 * Records of a run as a history that can be asked for any instant: what is on the air, what a node does.
 *
 * It is asked at the playhead, which lies behind what the engine has done and may go back: so nothing here is a state
 * of "now", all of it is a span or a step with its time. The oldest is forgotten.
 */

import type { Rec, Setup, State } from "../engine/api";
import { type Doing, type Heard, type Mark, startOf, type Transmission, timeOf } from "./facts";
import { FlowLog } from "./flowlog";
import { pathOf, placeOn } from "./geometry";
import { Lane } from "./lane";
import { Links } from "./links";
import { Ring } from "./ring";
import { Wires } from "./wires";

/** So many frames, and frames as heard, are kept; defaults. */
const MOST_FRAMES = 30_000;
const MOST_HEARD = 180_000;
const MOST_MARKS = 6_000;
/** A record of a reception names its frame by sender and time; a sender has at most so many under way. */
const UNDER_WAY = 4;

/** Outcomes with another frame at fault, in the words of a mark. */
const AT_FAULT: Record<string, string> = {
  collided: "collision with",
  captured: "receiver taken over by",
  "too-weak": "interference of",
  missed: "receiver held by",
};

export class History {
  readonly air = new Ring<Transmission>(MOST_FRAMES);
  readonly marks = new Ring<Mark>(MOST_MARKS);
  readonly lanes: Lane[];
  readonly flows: FlowLog[];
  readonly wires = new Wires();
  readonly links = new Links();
  /** Nothing is known of what was before. */
  since = 0;
  /** The longest airtime seen: what can still be on the air at an instant began no earlier. */
  longest = 0;
  /** Contention windows and next hops as they stand at `stateTime`. */
  state: State | null = null;
  stateTime = 0;
  private heard = 0;
  private frames = 0;

  /** QoS stations wait for the medium while any packet is in their MAC; others for one at a time. */
  private readonly qos: boolean;

  constructor(readonly setup: Setup) {
    this.qos = /^(ht|vht|he)-/.test(setup.radio.preset ?? "");
    const most = Math.max(256, Math.min(4096, Math.floor(160_000 / Math.max(1, setup.nodes.length))));
    this.lanes = setup.nodes.map((place, node) => new Lane(node, place, most));
    this.flows = setup.flows.map((flow, id) => new FlowLog(id, flow.source));
  }

  takeAll(records: readonly Rec[]): void {
    for (const rec of records) this.take(rec);
  }

  take(rec: Rec): void {
    const lane = typeof rec.node === "number" ? this.lanes[rec.node] : undefined;
    const flow = typeof rec.flow === "number" ? this.flows[rec.flow] : undefined;
    if (flow?.take(rec)) this.mark("timeout", rec, "");
    if (rec.record === "FrameBegan") this.began(rec);
    else if (rec.record === "Dropped") this.mark("drop", rec, String(rec.reason));
    this.wires.take(rec);
    this.links.take(rec);
    if (lane) this.takeOf(lane, rec);
  }

  /** What stands at an instant and no record says. */
  takeState(time: number, state: State): void {
    this.state = state;
    this.stateTime = time;
    this.setup.flows.forEach((flow, id) => {
      this.flows[id]?.routed(time, pathOf(state, id, flow.source, flow.destination));
    });
  }

  /** Which waits have ended meanwhile is not known: records of them begin or end here. */
  forgetWaits(): void {
    for (const lane of this.lanes) lane.waitsSince = null;
  }

  /** The oldest instant of which the air is still known. */
  get oldest(): number {
    return this.air.length < MOST_FRAMES && this.frames === this.air.length ? this.since : (this.air.at(0)?.start ?? 0);
  }

  /** Calls for each frame that is on the air between two instants, in order of their beginning. */
  onAir(from: number, to: number, each: (frame: Transmission) => void): void {
    for (let at = this.air.after(from - this.longest, startOf); at < this.air.length; at++) {
      const frame = this.air.at(at);
      if (frame.start > to) return;
      if (frame.end >= from) each(frame);
    }
  }

  /** The next beginning of a frame after an instant, or the last one before it. */
  nextFrame(time: number, forward: boolean): Transmission | undefined {
    const at = this.air.after(time, startOf);
    if (forward) return at < this.air.length ? this.air.at(at) : undefined;
    for (let before = at - 1; before >= 0; before--) {
      if (this.air.at(before).start < time) return this.air.at(before);
    }
    return undefined;
  }

  nextMark(time: number, wanted: (mark: Mark) => boolean): Mark | undefined {
    for (let at = this.marks.after(time, timeOf); at < this.marks.length; at++) {
      const mark = this.marks.at(at);
      if (wanted(mark)) return mark;
    }
    return undefined;
  }

  /** Where a node is; `into` is filled, so that drawing makes no garbage. */
  placeAt(node: number, time: number, into: [number, number]): [number, number] {
    const ways = (this.lanes[node] as Lane).ways;
    const way = ways.until(time, startOf) ?? ways.at(0);
    return placeOn(way, time, into);
  }

  sendingAt(node: number, time: number): Transmission | undefined {
    const frame = (this.lanes[node] as Lane).sent.until(time, startOf);
    return frame && frame.end > time ? frame : undefined;
  }

  /** The frame that a node hears at an instant; of several the one that matters to it. */
  hearingAt(node: number, time: number): Heard | undefined {
    const heard = (this.lanes[node] as Lane).heard;
    let found: Heard | undefined;
    // They stand in order of their ends, so those under way lie just behind the first that ends later.
    for (let at = heard.after(time, endOf); at < heard.length; at++) {
      const one = heard.at(at);
      if (one.end - this.longest > time) break;
      if (one.start <= time && (!found || weight(one) > weight(found))) found = one;
    }
    return found;
  }

  navAt(node: number, time: number): { start: number; end: number } | undefined {
    const span = (this.lanes[node] as Lane).nav.until(time, startOf);
    return span && span.end > time ? span : undefined;
  }

  backoffAt(node: number, time: number): { start: number; end: number } | undefined {
    const span = (this.lanes[node] as Lane).backoff.until(time, startOf);
    return span && span.end > time ? span : undefined;
  }

  doingAt(node: number, time: number): Doing {
    if (!(this.lanes[node] as Lane).isUp(time)) return "off";
    if (this.sendingAt(node, time)) return "sending";
    const hears = this.hearingAt(node, time);
    if (hears) {
      if (hears.outcome === "out-of-reach") return "sensing";
      if (hears.outcome === "received") return hears.own ? "receiving" : "overhearing";
      // What another node was to get is no loss of this one.
      return hears.own ? "losing" : "sensing";
    }
    if (this.navAt(node, time)) return "nav";
    return this.backoffAt(node, time) ? "backoff" : "idle";
  }

  private takeOf(lane: Lane, rec: Rec): void {
    const time = rec.time;
    switch (rec.record) {
      case "FrameEnded":
      case "FrameOverheard":
        this.ended(lane, rec);
        break;
      case "Busy":
        lane.hasRadio = true;
        if (typeof rec.ifs_until === "number") lane.counted(rec.ifs_until, Number(rec.from));
        break;
      case "AccessGranted":
        lane.counted(Number(rec.ifs_until), time);
        lane.waitsSince = null;
        break;
      case "Offered":
      case "AttemptFailed":
        lane.waitsSince = time;
        break;
      case "ExchangeEnded":
        lane.waitsSince = this.qos && lane.queueAt(time) > 0 ? time : null;
        break;
      case "ResponseTimeout":
        this.mark("no-answer", rec, "");
        break;
      case "Queued":
        if (rec.via) break;
        lane.queueChanged(time, Number(rec.packet), true);
        if (this.qos) lane.waitsSince ??= time;
        break;
      case "Dequeued":
      case "Dropped":
        lane.queueChanged(time, Number(rec.packet), false);
        break;
      case "Power":
        lane.power.push({ time, value: rec.on === true || rec.on === 1 ? 1 : 0 });
        break;
      case "Moved":
      case "SetOut":
        this.moved(lane, rec);
        break;
    }
  }

  private moved(lane: Lane, rec: Rec): void {
    const from = [Number(rec.x), Number(rec.y)] as const;
    const goes = rec.record === "SetOut" && typeof rec.to_x === "number";
    const to = goes ? ([Number(rec.to_x), Number(rec.to_y)] as const) : from;
    lane.ways.push({ start: rec.time, end: goes ? Number(rec.until) : rec.time, from, to });
  }

  private began(rec: Rec): void {
    const src = Number(rec.src);
    const frame: Transmission = {
      id: this.frames++,
      start: rec.time,
      end: rec.time + Number(rec.airtime),
      src,
      dst: typeof rec.dst === "number" ? rec.dst : null,
      frame: String(rec.frame),
      flow: typeof rec.flow === "number" ? rec.flow : null,
      retry: rec.retry === true,
      packetKind: typeof rec.kind === "string" ? rec.kind : null,
      hearers: [],
      record: rec,
    };
    this.longest = Math.max(this.longest, frame.end - frame.start);
    this.forget(this.air.push(frame));
    while (this.heard > MOST_HEARD) this.forget(this.air.shift());
    const lane = this.lanes[src];
    lane?.sent.push(frame);
    if (lane) lane.hasRadio = true;
  }

  private forget(frame: Transmission | undefined): void {
    if (frame) this.heard -= frame.hearers.length;
  }

  private ended(lane: Lane, rec: Rec): void {
    const start = rec.time - Number(rec.airtime);
    const frame = this.frameOf(Number(rec.src), start);
    // The records name nodes without radios as well, but these never sense the medium busy.
    if (!frame || (rec.record === "FrameOverheard" && !lane.hasRadio)) return;
    const outcome = String(rec.outcome);
    const by = typeof rec.by === "number" ? rec.by : null;
    const own = rec.record === "FrameEnded";
    const heard: Heard = { frame, node: lane.node, start, end: rec.time, outcome, by, own };
    frame.hearers.push(heard);
    this.heard++;
    lane.heard.push(heard);
    const duration = Number(rec.duration);
    if (outcome === "received" && duration > 0 && frame.dst !== null && frame.dst !== lane.node) {
      lane.reserve(rec.time, rec.time + duration);
    }
    const fault = AT_FAULT[outcome];
    if (own && fault) this.mark("collision", rec, `${fault} ${by === null ? "noise" : `node ${by}`}`, frame);
  }

  /** The frame of a sender that reached a hearer from `start` on; it began then or, for the way, a little earlier. */
  private frameOf(src: number, start: number): Transmission | undefined {
    const sent = this.lanes[src]?.sent;
    if (!sent) return undefined;
    for (let at = sent.length - 1; at >= Math.max(0, sent.length - UNDER_WAY); at--) {
      if (sent.at(at).start <= start) return sent.at(at);
    }
    return undefined;
  }

  private mark(kind: Mark["kind"], rec: Rec, about: string, frame: Transmission | null = null): void {
    const flow = typeof rec.flow === "number" ? rec.flow : null;
    const node = typeof rec.node === "number" ? rec.node : -1;
    this.marks.push({ kind, time: rec.time, node, flow, about, frame });
  }
}

const endOf = (heard: Heard): number => heard.end;

/** Own frames before others, decoded before sensed. */
const weight = (heard: Heard): number =>
  (heard.own ? 4 : 0) + (heard.outcome === "received" ? 2 : heard.outcome === "out-of-reach" ? 0 : 1);
