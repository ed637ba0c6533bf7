import { type Heard, type Span, type Step, type Transmission, timeOf, type Way } from "./facts";
import { Ring } from "./ring";

/** What one node has done and heard. */
export class Lane {
  readonly sent: Ring<Transmission>;
  readonly heard: Ring<Heard>;
  readonly nav: Ring<Span>;
  readonly backoff: Ring<Span>;
  readonly queue: Ring<Step>;
  readonly power: Ring<Step>;
  readonly ways: Ring<Way>;
  /** Since when it waits for the medium; null: it does not. */
  waitsSince: number | null = null;
  /** It has sent, or sensed the medium busy. */
  hasRadio = false;
  private readonly queued = new Set<number>();

  constructor(
    readonly node: number,
    place: readonly [number, number],
    most: number,
  ) {
    this.sent = new Ring(most);
    this.heard = new Ring(most);
    this.nav = new Ring(most);
    this.backoff = new Ring(most);
    this.queue = new Ring(most);
    this.power = new Ring(64);
    this.ways = new Ring(256);
    this.ways.push({ start: 0, end: 0, from: place, to: place });
  }

  /** A packet joins or leaves the queue. */
  queueChanged(time: number, packet: number, joins: boolean): void {
    const before = this.queued.size;
    if (joins) this.queued.add(packet);
    else this.queued.delete(packet);
    if (this.queued.size !== before) this.queue.push({ time, value: this.queued.size });
  }

  /** A frame reserves the medium; a reservation never becomes shorter. */
  reserve(start: number, end: number): void {
    const last = this.nav.last();
    if (last && last.end >= start) last.end = Math.max(last.end, end);
    else this.nav.push({ start, end });
  }

  /** Slots were counted from the end of an inter-frame space until now. */
  counted(ifsUntil: number, until: number): void {
    if (this.waitsSince === null) return;
    const start = Math.max(ifsUntil, this.waitsSince);
    const last = this.backoff.last();
    // Every frame that ends a quiet time reports it; spans do not overlap.
    if (start < until && (!last || start >= last.end)) this.backoff.push({ start, end: until });
  }

  queueAt(time: number): number {
    return this.queue.until(time, timeOf)?.value ?? 0;
  }

  isUp(time: number): boolean {
    return (this.power.until(time, timeOf)?.value ?? 1) !== 0;
  }
}
