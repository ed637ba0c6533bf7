import type { Rec } from "../engine/api";
import type { Route } from "./facts";
import { Ring } from "./ring";
import { Series } from "./series";

/** What one flow has done: its plots, its route and its counts. */
export class FlowLog {
  /** cwnd, ssthresh, flight, in segments. */
  readonly window = new Series(3);
  /** Round-trip time, ms. */
  readonly rtt = new Series(1);
  /** First number sent by data, and first not acknowledged, in units of the transport. */
  readonly sent = new Series(1);
  readonly acked = new Series(1);
  /** Payload bytes delivered. */
  readonly delivered = new Series(1);
  readonly retransmissions = new Series(1);
  readonly drops = new Series(1);
  readonly timeouts = new Series(1);
  readonly routes = new Ring<Route>(512);
  private bytes = 0;
  private counts = { retransmissions: 0, drops: 0, timeouts: 0 };
  private expired = -1;

  constructor(
    readonly id: number,
    readonly source: number,
  ) {}

  /** Follows a record of this flow; says whether it is a retransmission timeout. */
  take(rec: Rec): boolean {
    switch (rec.record) {
      case "Window":
        this.window.push(rec.time, num(rec.cwnd), unlimited(num(rec.ssthresh)), num(rec.flight));
        return false;
      case "Rtt":
        this.rtt.push(rec.time, num(rec.rtt) / 1e6);
        return false;
      case "Delivered":
        this.bytes += num(rec.bytes);
        this.delivered.push(rec.time, this.bytes);
        return false;
      case "Dropped":
        this.drops.push(rec.time, ++this.counts.drops);
        return false;
      case "TimerExpired":
        if (rec.timer === "rto") this.expired = rec.time;
        return false;
      case "SegmentReceived":
        if (rec.node === this.source && typeof rec.ack === "number") this.acked.push(rec.time, rec.ack);
        return false;
      case "SegmentSent":
        return this.segment(rec);
      default:
        return false;
    }
  }

  /** A timer that only moves its deadline expires, too: what sends again at once was a timeout. */
  private segment(rec: Rec): boolean {
    if (rec.node === this.source && num(rec.len) > 0) this.sent.push(rec.time, num(rec.seq) + num(rec.len));
    if (rec.retransmission !== true) return false;
    this.retransmissions.push(rec.time, ++this.counts.retransmissions);
    const isTimeout = this.expired === rec.time;
    this.expired = -1;
    if (isTimeout) this.timeouts.push(rec.time, ++this.counts.timeouts);
    return isTimeout;
  }

  /** The way of the flow's packets, where it has changed. */
  routed(time: number, path: number[]): void {
    const last = this.routes.last();
    if (!last || last.path.length !== path.length || last.path.some((node, at) => node !== path[at])) {
      this.routes.push({ time, path });
    }
  }
}

const num = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);

// A threshold that nothing has set yet (2^32 - 1) would flatten the plot.
const unlimited = (segments: number): number => (segments > 1e8 ? Number.NaN : segments);
